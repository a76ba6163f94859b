"""An Agent stream: lines of the Agent language in, lines of reports and errors out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workcell.commands.script import read_lines
from workcell.errors import Refused, WorkcellError
from workcell.languages.agent import codes as c
from workcell.languages.agent.codes import AgentProblem, message
from workcell.languages.agent.command import AgentCommand
from workcell.languages.agent.lines import Line, LineReader, Words
from workcell.languages.agent.settings import Settings
from workcell.languages.agent.table import COMMANDS
from workcell.languages.agent.turn import Turn
from workcell.wording import one_line

if TYPE_CHECKING:
    from workcell.commands.session import Session

PROMPT = "agent> "
SETUP = "setup.cmd"
"""The file that is loaded when an Agent starts, if it is there."""
DEEPEST = 20
"""How deeply files may load each other."""
MOST_LINES = 1_000_000
"""How many lines of files one line may load."""
MOST_BYTES = 1 << 26
"""The largest file that is loaded [bytes]."""


class AgentStream:
    """Carries out the lines of one peer: a person, a file, a pipe or a connection.

    One thread at a time uses a stream, as with its session. Files are read and written with the rights of the session
    (``session.files``).

    Args:
        session: carries out the commands of the registry.
        write: called with every line of output at once, too.
        reasons: after an error, add a comment line with the reason in a sentence.
        first: the number of the first line in reports and errors.
    """

    def __init__(
        self,
        session: Session,
        write: Callable[[str], None] | None = None,
        *,
        reasons: bool = False,
        first: int = 0,
    ) -> None:
        self.session = session
        self.ended = False
        """Whether `exit` or `end` was given; later lines are ignored."""
        self.refused: list[str] = []
        """The errors of the last line."""
        self.causes: list[str] = []
        """The reasons of these errors, as sentences."""
        self.settings = Settings(self._load, self._leave)
        self._write, self._reasons = write, reasons
        self._readers = [LineReader(first)]
        self._left: set[LineReader] = set()
        self._files: list[str] = []
        self.places: list[tuple[str, int]] = [("", 0)]
        """Where the stream is: the line of the stream itself, then each file that is being loaded with its line.

        Lines count from 1, whatever their labels; a command that is continued is at its first line.
        """
        self._loaded = 0
        self._out: list[str] = []
        self._begun = False
        self._lines = 0

    @property
    def continued(self) -> bool:
        """Whether the command goes on in the next line, because the last one ended with a backslash."""
        return self._readers[0].continued

    def begin(self) -> list[str]:
        """Load the file setup.cmd of the current folder, if it is there; return the lines of output."""
        if self.session.files.is_file(SETUP):
            self._guarded(Turn(self.session, self.settings, Words("load", (SETUP,)), (), "0"), self._load_setup)
        return self._taken()

    def line(self, text: str) -> list[str]:
        """Carry out one line, without or with its line break; return the lines of output."""
        self.refused.clear()
        self.causes.clear()
        self._lines += 1
        if not self.continued:
            self.places[0] = ("", self._lines)
        if not self.ended:
            self._loaded = 0
            self._take(self._readers[0].read(text))
        return self._taken()

    def close(self) -> list[str]:
        """End the stream: a command that waits for its next line is carried out as it is."""
        if self.continued and not self.ended:
            self._take(self._readers[0].end())
        self.ended = True
        return self._taken()

    # ---- lines ------------------------------------------------------------------------------------------

    def _taken(self) -> list[str]:
        out, self._out = self._out, []
        return out

    def _print(self, text: str) -> None:
        self._out.append(text)
        if self._write is not None:
            self._write(text)

    def _take(self, line: Line | None) -> None:
        """Carry out the commands of a line; an error is printed, and nothing of the line has happened."""
        if line is None or not line.commands:
            return
        turns = [self._turn(words, line.place) for words in line.commands]
        if len(turns) == 1:
            self._guarded(turns[0], lambda: self._alone(turns[0]))
        else:
            self._together(turns)

    def _turn(self, words: Words, place: str) -> Turn:
        command = COMMANDS.get(words.name)
        return Turn(self.session, self.settings, words, () if command is None else command.onto, place)

    def _guarded(self, turn: Turn, act: Callable[[], None]) -> bool:
        """Act; print its reports or the error. Return whether there was none."""
        try:
            if not self._begun:
                self._begun = True
                self._watch()
            act()
        except WorkcellError as error:
            self._fail(turn, error)
            return False
        for report in turn.reports:
            self._print(report)
        return True

    def _fail(self, turn: Turn, error: WorkcellError) -> None:
        self.refused.append(f"*** Error in line {turn.place} --- {message(error, turn.facts(error))}")
        self.causes.append(one_line(error))
        self._print(self.refused[-1])
        if self._reasons:
            self._print(f"; {self.causes[-1]}")

    def _watch(self) -> None:
        """Turn the test for collisions on, as it initially is; a cell that already watches keeps its way."""
        if not self.session.snapshot().setup.watch:
            self.session.call("watch", {"how": "yes"})

    # ---- commands ---------------------------------------------------------------------------------------

    def _alone(self, turn: Turn) -> None:
        command = _command(turn)
        if command.move is not None:
            name, parameters = command.move(turn)
            turn.call(name, **parameters)
        else:
            assert command.act is not None
            command.act(turn)

    def _together(self, turns: list[Turn]) -> None:
        """Carry out the commands of several agents at the same time."""
        moves: list[dict[str, object]] = []
        agents: list[str] = []

        def prepare(turn: Turn) -> None:
            command = _command(turn)
            if command.move is None or not command.shares:
                raise AgentProblem(c.UNDEFINED, f"{command.name} cannot be used in a line of several agents.")
            name, parameters = command.move(turn)
            if turn.words.arguments[0] in agents:
                raise AgentProblem(c.TWICE, f"{turn.words.arguments[0]} has two commands in this line.")
            agents.append(turn.words.arguments[0])
            moves.append({"command": name, "parameters": parameters})

        for turn in turns:
            if not self._guarded(turn, lambda turn=turn: prepare(turn)):  # type: ignore[misc]
                return
        try:
            self.session.call("together", {"moves": moves})
        except WorkcellError as error:
            number = error.evidence.get("move")
            self._fail(turns[number if isinstance(number, int) else 0], error)

    # ---- files ------------------------------------------------------------------------------------------

    def _load_setup(self) -> None:
        self._load(SETUP)

    def _leave(self) -> None:
        if len(self._readers) == 1:
            self.ended = True
        else:
            self._left.add(self._readers[-1])

    def _load(self, file: str) -> None:
        """Take the lines of a file until its end, or until `exit` or `end`."""
        if len(self._files) >= DEEPEST or file in self._files:
            chain = " → ".join([*self._files, file])
            raise Refused(f"Files load each other: {chain}.")
        lines = list(read_lines(self.session.files.read(file, MOST_BYTES)))
        reader = LineReader()
        self._readers.append(reader)
        self._files.append(file)
        self.places.append((file, 0))
        try:
            for number, text in enumerate(lines, start=1):
                self._loaded += 1
                if not reader.continued:
                    self.places[-1] = (file, number)
                if self._loaded > MOST_LINES:
                    raise Refused(f"A line may load {MOST_LINES:,} lines at most.")
                if self.settings.echo:
                    self._print(text)
                self._take(reader.read(text))
                if reader in self._left:
                    break
            else:
                if reader.continued:
                    self._take(reader.end())
        finally:
            self._left.discard(reader)
            self._files.pop()
            self._readers.pop()
            self.places.pop()


def _command(turn: Turn) -> AgentCommand:
    command = COMMANDS.get(turn.words.name)
    if command is None:
        raise AgentProblem(c.UNDEFINED, f"There is no command {turn.words.name!r}.")
    return command
