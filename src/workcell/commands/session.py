"""The session: what commands act on, and how they are carried out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workcell.awaited import Answers, not_waiting
from workcell.commands.breakpoints import Breakpoints
from workcell.commands.called_tasks import as_run, completions
from workcell.commands.driven_robots import followed_live
from workcell.commands.language.calls import read_call
from workcell.commands.language.line_reader import Expectation
from workcell.commands.language.program_blocks import WORD as PROGRAM
from workcell.commands.language.program_blocks import as_command, begins
from workcell.commands.language.registry import Command, Registry, registry
from workcell.commands.language.writing import canonical, relation_texts, shown_line
from workcell.commands.listeners import Change, Listeners
from workcell.commands.prepared import Prepared
from workcell.commands.results import Done, Made, NextWords, with_lines, with_note
from workcell.commands.simulating import simulate
from workcell.commands.undoing import spare_run, undo
from workcell.commands.viewpoint import Viewpoint
from workcell.cost import cancelled_by, current_cancel, go_on
from workcell.errors import CommandSyntaxError, InvalidValue, Refused, WorkcellError
from workcell.simulation.lost_supports import lost_support_lines
from workcell.spatial.message_units import worded_in
from workcell.spatial.units import Units
from workcell.world.consequences import Consequences
from workcell.world.database import Database
from workcell.world.entry import Entry, short
from workcell.world.group import Group
from workcell.world.present import Moment
from workcell.world.resolved import Resolved
from workcell.world.row_writer import Writer

if TYPE_CHECKING:
    from workcell.commands.running import PausedRun
    from workcell.simulation.robot_driver import RobotLink


FREE: AbstractContextManager[None] = nullcontext()
"""The gate of a session that only one thread uses."""


class Session(Viewpoint):
    """Carries out the commands of one client.

    One thread at a time uses a session; reading commands that are declared ``background`` may run in parallel.
    """

    def __init__(self, database: Database, who: str = "user", units: Units | None = None) -> None:
        super().__init__(database, who, units)
        self.kept = Resolved()
        """What the journal will keep of the current command."""
        self.group: Group | None = None
        """The open group of the client."""
        self.scripts: list[str] = []
        """The scripts that are being loaded, the innermost last."""
        self.typed = ""
        """What was typed for the current command."""
        self.going: threading.Event | None = None
        """While a run is in progress: set from any thread to pause it before its next step."""
        self.breakpoints = Breakpoints(database)
        """Where runs pause; kept with the cell."""
        self.watch_run: Callable[[PausedRun], Callable[[], None]] | None = None
        """Called when a run begins or goes on; what it returns is called before each step."""
        self.attended = False
        """Whether somebody is there to set signals by hand while a run waits for one; not so in a script."""
        self.ports: tuple[str, ...] = ()
        """Where programs can connect to send lines."""
        self.receiving = False
        """Whether the next program that connects is interpreted: its first error ends it."""
        self.gate: AbstractContextManager[object] = FREE
        """Held while a command is carried out, if several threads use the session, as in a notebook."""
        self.company: frozenset[str] = frozenset()
        """The names of other clients that work on the cell now; `undo` leaves their steps alone."""
        self.listeners = Listeners()
        self.ended: PausedRun | None = None
        """The run that the current command completed."""
        self.robot_links: dict[int, RobotLink] = {}
        """The connections to real robots, by the id of the model; they belong to the session and are not saved."""
        self.answers: Answers | None = None
        """What the CAD process answered for the current edit, which waits for nothing else; None if it may wait."""
        self.prepared: Prepared | None = None
        """What was computed beside the cell thread for the current command, if anything was."""
        self._rows: Writer | None = None
        self.when: float | None = None
        """When the command that a replay repeats was given [s since 1970]; None outside a replay."""

    def beside(self) -> Session:
        """Return a session for one reading command in another thread, with its own progress and cancel.

        It sees the cell, the state and the recording of this moment, and never the live simulator.
        """
        moved = not self.ongoing.idle or self.paused is not None
        recorded = self.simulator.recording.copy() if moved else None
        other = Session(self.database, self.who, self.display.own)
        other.files, other.breakpoints, other.when = self.files, self.breakpoints.beside(), self.when
        other.reads_only, other.announce = True, self.announce
        other.present = Moment(self.present.revision, self.snapshot(), self.state)
        other.ongoing = self.ongoing.beside(other.present, recorded)
        other.paused = self.paused.still() if self.paused is not None else None
        return other

    @cached_property
    def registry(self) -> Registry:
        """All commands."""
        return registry()

    @property
    def replaying(self) -> bool:
        """Whether commands of a journal are being repeated."""
        return self.when is not None

    @contextmanager
    def as_then(self, who: str, when: float) -> Iterator[None]:
        """Inside, commands are repeated as those that somebody gave at another time."""
        before = self.who, self.when
        self.who, self.when = who, when
        try:
            yield
        finally:
            self.who, self.when = before

    @property
    def rows(self) -> Writer:
        """Where an editing command writes."""
        assert self._rows is not None, "only commands with the effect `edits` or `simulates` write"
        return self._rows

    def resolve(self, **values: Any) -> None:
        """Let the journal keep these values of parameters instead of what was typed (a file's hash, a chosen name)."""
        self.kept.values.update(values)

    def leave_robots(self) -> None:
        """End the connections to real robots."""
        while self.robot_links:
            self.robot_links.popitem()[1].driver.close()

    # ---- runs and the history ---------------------------------------------------------------------------

    def finish(self, run: PausedRun) -> None:
        """Take over a completed run: its simulator becomes the session's, and it is kept as one step."""
        self.paused, self.ended = None, run
        self.ongoing.begun = run.simulator

    def end_paused(self) -> str:
        """End and discard the paused run, if there is one; return a sentence, or ''."""
        if self.paused is None:
            return ""
        run, self.paused = self.paused, None
        run.stepped.run.abandon()
        return f"{run.called[0].upper()}{run.called[1:]} has ended at {run.state.time:.4f} s and is discarded."

    def undo(self, count: int = 1, anybody: bool = False) -> tuple[list[Entry], str]:
        """See :func:`workcell.commands.undoing.undo`."""
        return undo(self, count, anybody)

    def outside_group(self, what: str) -> None:
        """Refuse something that cannot be done inside a group."""
        if self.group is not None:
            raise Refused(f"Cannot {what} while a group is open; `end` or `cancel-group` first.")

    def leave_group(self, keep: bool = True) -> str:
        """End the open group, or discard it; return a sentence, or '' if no group is open."""
        if self.group is None:
            return ""
        if not keep:
            spare_run(self, self.group.first, "The group cannot be cancelled now")
        answer = self.group.end() if keep else self.database.cancel_group(self.group)
        self.group = None
        return answer

    @contextmanager
    def recorded_to(self, path: Path) -> Iterator[None]:
        """Write the recording to a file as it grows, so that it survives a kill, and as a whole at the end."""
        along = self.ongoing.along
        along.begin(path, self.simulator, held_back=bool(self.listeners))
        try:
            yield
        finally:
            along.end()
            self.simulator.recording.save(path)

    # ---- reading commands -------------------------------------------------------------------------------

    def do(self, line: str) -> Any:
        """Carry out one command line and return its result; a refused command raises a WorkcellError.

        The answer to a line that ends in ``?`` is what may come next. The lines from ``program NAME`` to its ``end``
        are one command.
        """
        if not isinstance(line, str):
            raise InvalidValue(f"A command is a line of text, such as 'help'; found {line!r}.")
        if line.endswith("?"):
            return NextWords(tuple(self.expectations(line[:-1])))
        return self.carry_out(*self.parsed(line))

    def parsed(self, line: str) -> tuple[Command, dict[str, Any], str]:
        """Read a command line: return its command, the values of its parameters and the line, for :meth:`carry_out`."""
        if PROGRAM in line and begins(line):
            line = as_command(line)
        try:
            command, values = self.registry.tree.parse(line, self)
        except CommandSyntaxError:
            meant = as_run(self, line)
            if meant == line:
                raise
            command, values = self.registry.tree.parse(meant, self)
        return command, values, line.strip()

    def do_as(self, line: str, typed: str) -> Any:
        """Carry out a line for which the history shows other text, as it was typed."""
        command, values = self.registry.tree.parse(line, self)
        return self.carry_out(command, values, typed)

    def call(self, name: str, arguments: dict[str, Any] | None = None) -> Any:
        """Carry out a command by its full name with parameters by name; numbers are SI."""
        return self.carry_out(*self.called(name, arguments))

    def called(self, name: str, arguments: dict[str, Any] | None = None) -> tuple[Command, dict[str, Any]]:
        """Return a command by its full name, with the values of its parameters, for :meth:`carry_out`."""
        return read_call(self.registry, name, arguments, self)

    def written(self, name: str, values: dict[str, Any]) -> str:
        """Return a command as the journal keeps it, with the values that were resolved while it runs."""
        return self.line_of(self.registry.named(name), values)

    def line_of(self, command: Command, values: dict[str, Any]) -> str:
        """Return the line of a command that was read, as the journal keeps it."""
        if self.kept.values:
            values = {**values, **self.kept.values}
        return canonical(self, command, values) if command.syntax.relations else command.syntax.canonical(values)

    def expectations(self, text: str) -> list[Expectation]:
        """Return what may come next at the end of the text."""
        return self.registry.tree.expectations(text, self)

    def complete(self, text: str) -> list[Expectation]:
        """Return the completions of the last word of the text."""
        return [*self.registry.tree.complete(text, self), *completions(self, text)]

    # ---- carrying commands out --------------------------------------------------------------------------

    def carry_out(self, command: Command, values: dict[str, Any], typed: str = "") -> Any:
        """Carry out a command that was already read."""
        with worded_in(self.units):
            if self.gate is not FREE:
                with self.gate:
                    return self._carry_out(command, values, typed)
            return self._carry_out(command, values, typed)

    def _carry_out(self, command: Command, values: dict[str, Any], typed: str) -> Any:
        if self.cancel is not None:
            go_on(self.cancel, f"«{typed[:80] + '…' if len(typed) > 80 else typed or command.name}»")
        elif self.group is None and current_cancel() is None:
            return self._run_now(command, values, typed)
        with cancelled_by(self.cancel), self.group.taking() if self.group is not None else nullcontext():
            return self._run_now(command, values, typed)

    def _run_now(self, command: Command, values: dict[str, Any], typed: str) -> Any:
        if self.reads_only and command.effect != "reads":
            raise Refused(f"This session only reads; use `{command.name}` in the session of the cell.")
        if command.edits_once or (command.effect == "edits" and not command.own_transaction(values)):
            self.editing = True
            try:
                return self._edit(command, values, typed)
            finally:
                self.editing = False
        self.answers = None  # an edit inside it is not carried out again alone
        if command.effect == "simulates":
            self.ongoing.show(None)
            result = simulate(self, command, values, typed)
            return followed_live(self, result) if self.robot_links and self.paused is None else result
        result = command.run(self, **values)
        if command.effect != "reads":
            self.tell(command.effect, command.name, typed)
        return self._with_loss(result) if command.effect == "edits" else result

    def _edit(self, command: Command, values: dict[str, Any], typed: str) -> Any:
        """Carry out a command that changes the cell: one transaction, one step of the history."""
        if self.kept.values or self.kept.files:
            self.kept.begin()
        if not typed and self.when is None:
            typed = shown_line(self, command, values)
        line = ""

        def written() -> str:
            nonlocal line
            line = self.line_of(command, values)
            return line

        made, revision = self.present.made, self.database.world_revision
        texts = relation_texts(self, command, values) if command.syntax.relations else None
        patient = nullcontext() if self.answers is None else not_waiting(self.answers)
        with patient, self.database.edit(written, self.who, self.when, typed) as self._rows:
            if texts:
                self.kept.values.update(texts)
            rows = self._rows
            try:
                result = command.run(self, **values)
                if self.when is None and isinstance(result, Done | Made) and not rows.only_made:
                    result = with_lines(result, Consequences(self.database, rows, self.progress, self.cancel).lines())
            finally:
                self._rows = None
        if self.listeners:
            self.tell(command.effect, line, typed)
        if self.when is not None:  # nobody reads the answers of a replay
            return result
        if isinstance(result, Done):
            before = made if made is not None and made.revision == revision else None
            result = with_lines(result, lost_support_lines(self.database, rows, before, self.present))
        return result if self.ongoing.begun is None else self._with_loss(result)

    def _with_loss(self, result: Any) -> Any:
        """Return the answer to an edit; if the recording cannot continue, it is reported."""
        ongoing = self.ongoing
        if self.when is not None or ongoing.begun is None or ongoing.begun.recording.empty:
            return result
        ongoing.lost = ""
        with suppress(WorkcellError):  # reported when something moves
            self.simulator  # noqa: B018
        return with_note(result, ongoing.loss)

    def preview(self, line: str) -> Any:
        """Return what a command would answer, without any effect."""
        command, values = self.registry.tree.parse(line, self)
        if command.effect != "edits" or command.own_transaction(values):
            raise Refused(f"Only commands that edit can be previewed; `{command.name}` does not.")
        with self.database.preview() as self._rows:
            try:
                return command.run(self, **values)
            finally:
                self._rows = None

    # ---- listeners --------------------------------------------------------------------------------------

    def on_change(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call ``listener`` after every command that changed something; return a function that stops it."""
        return self.listeners.add(listener)

    @property
    def revision(self) -> str:
        """The revision as text."""
        number, group = self.database.revision
        return f"{number}.{group}" if group else str(number)

    def tell(self, effect: str, line: str, typed: str = "", ended: PausedRun | None = None) -> None:
        """Notify the listeners of a change; with `simulates`, even if nothing was stored. ``ended`` was discarded."""
        if self.listeners:
            run = ("", "") if ended is None else (ended.called, ended.who)
            self.listeners.tell(Change(self.revision, effect, line, self.who, *run, label=short(typed.strip())))
