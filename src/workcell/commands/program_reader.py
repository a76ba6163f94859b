"""Programs from text: lines of the command language and blocks, read to typed steps, every mistake with its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from workcell.commands.expression_reader import DEEPEST
from workcell.commands.step_reader import WORD, StepPlan, StepReader, step_plans
from workcell.commands.values import match_word
from workcell.errors import WorkcellError
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.mention import Mention
from workcell.programs.problem import Problem
from workcell.programs.program import PARAMETER_TYPES, Parameter, Place, Program
from workcell.programs.wants import Entity
from workcell.spatial.units import Units

_VARIABLE = re.compile(r"[^\W\d]\w*\Z")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}(?!\w)")


@dataclass(frozen=True)
class ReadProgram:
    """What a text gave: the program as far as it could be read, the mistakes, and the names in it."""

    program: Program
    problems: tuple[Problem, ...]
    mentions: tuple[Mention, ...]


@dataclass
class _Open:
    """A block that is being read.

    Attributes:
        word: what opened it.
        line: where.
        steps: the steps so far.
        close: makes the step from its finished blocks.
        done: blocks of the same step that are finished, such as the arms of an ``if``.
        extra: what belongs to the blocks, such as their conditions.
    """

    word: str
    line: int
    close: Callable[[_Open], s.Step | None]
    steps: list[s.Step] = field(default_factory=list)
    done: list[tuple[s.Step, ...]] = field(default_factory=list)
    extra: list[Any] = field(default_factory=list)
    last: bool = False
    first: int = 0
    """How many steps stood before it."""

    def next_block(self, extra: Any = None) -> None:
        self.done.append(tuple(self.steps))
        self.extra.append(extra)
        self.steps = []

    def all_blocks(self) -> list[tuple[s.Step, ...]]:
        return [*self.done, tuple(self.steps)]


def read_program(name: str, text: str, units: Units | None = None) -> ReadProgram:
    """Read the text of a program; nothing is raised, every mistake is reported with its place.

    Args:
        name: what the program is called.
        text: its lines, without ``program NAME`` and the last ``end``.
        units: what a bare number means; millimetres and degrees unless given.
    """
    return _Reader(name, text, units or Units()).read()


def joined_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Lines with their numbers and their places in the text; a backslash at the end joins the next one.

    What is joined keeps its length, so that a column of the line is a place in the text.
    """
    at, number, start, held, first = 0, 0, 0, "", 1
    for line in text.split("\n"):
        number += 1
        if not held:
            start, first = at, number
        at += len(line) + 1
        if line.endswith("\\"):
            held += line[:-1] + "  "
            continue
        yield first, start, (held + line).rstrip("\r")
        held = ""
    if held:
        yield first, start, held.rstrip()


class _Reader:
    def __init__(self, name: str, text: str, units: Units) -> None:
        self.name = name
        self.text = text
        self.units = units
        self.parameters: list[Parameter] = []
        self.variables: set[str] = set()
        self.places: list[Place] = []
        self.problems: list[Problem] = []
        self.mentions: list[Mention] = []
        self.outer = _Open("", 1, lambda _: None)
        self.open: list[_Open] = [self.outer]
        self.line_number = 0
        self._reader = StepReader("", variables=self.variables)
        self._reader.mentions = self.mentions

    def read(self) -> ReadProgram:
        lines = joined_lines(self.text)
        for number, start, line in lines:
            self.line_number = number
            stripped = line.strip()
            if not stripped:
                continue
            column = line.index(stripped[0])
            if stripped[0] == "#":
                self._add(s.Comment(stripped[1:].strip()), column)
                continue
            if stripped.startswith("verbatim") and stripped.split(None, 1)[0] == "verbatim":
                self._verbatim(stripped, column, lines)
                continue
            self._line(line, start, column)
        for one in reversed(self.open[1:]):
            self._problem(one.line, 0, f"`{one.word}` has no `end`.")
            self._close(one)
        program = Program(self.name, tuple(self.parameters), tuple(self.outer.steps), self.units, tuple(self.places))
        return ReadProgram(program, tuple(self.problems), tuple(self.mentions))

    # ---- lines ------------------------------------------------------------------------------------------

    def _line(self, line: str, start: int, column: int) -> None:
        end = _code_end(line)
        reader = self._reader
        reader.begin(line, column, end, start)
        before = len(self.places)
        try:
            self._statement(reader, column)
            if not reader.done:
                raise reader.fail(f"Nothing more was expected; found {line[reader.at : end].strip()!r}.", [])
        except WorkcellError as error:
            place = error.evidence.get("column", column)
            self._problem(self.line_number, place if isinstance(place, int) else column, error.message)
            if len(self.places) == before:
                word = line.split(None, 1)[0].lower()
                self._open_anyway(word, line[:end], column)
        if end < len(line) and (comment := line[end:].strip()):
            self._add(s.Comment(comment[1:].strip()), end)

    def _statement(self, reader: StepReader, column: int) -> None:
        first = WORD.match(reader.line, reader.at, reader.end)
        plan = plain_steps().get(first[0]) if first is not None else None
        if plan is not None and first is not None:
            reader.at = first.end()
            self._add(reader.planned(plan), column)
            return
        word = reader.word().lower()
        handler = _STATEMENTS.get(word)
        if handler is not None:
            reader.at += len(word)
            handler(self, reader, column)
            return
        self._add(reader.step(), column)

    def _add(self, step: s.Step, column: int) -> None:
        self._place(column)
        if type(step) is s.Together:
            for _ in step.moves:
                self._place(column)
        self.open[-1].steps.append(step)

    def _place(self, column: int) -> None:
        self.places.append(Place(self.line_number, column))

    def _problem(self, line: int, column: int, message: str) -> None:
        self.problems.append(Problem(self.name, line, column, message))

    # ---- blocks -----------------------------------------------------------------------------------------

    def _begin(self, word: str, column: int, close: Callable[[_Open], s.Step | None], extra: Any = None) -> None:
        if len(self.open) == DEEPEST:
            self._problem(self.line_number, column, f"Blocks may stand {DEEPEST} deep in each other; call a program.")
        if len(self.open) >= DEEPEST:
            close = _dropped
        first = len(self.places)
        self._place(column)
        given = [extra] if extra is not None else []
        self.open.append(_Open(word, self.line_number, close, extra=given, first=first))

    def _close(self, one: _Open) -> None:
        self.open.remove(one)
        made = one.close(one)
        if made is not None:
            self.open[-1].steps.append(made)
        elif one is not self.outer:
            del self.places[one.first :]  # what was left out has no place

    def _open_anyway(self, word: str, line: str, column: int) -> None:
        """After a mistake in a line that opens a block, so that its `end` is not a second mistake."""
        opens = word in ("if", "while", "for", "repeat", "parallel", "try")
        if opens or (word == "wait-until" and line.rstrip().endswith(" else")):
            self._begin(word, column, lambda one: s.Repeat(e.Number(1), tuple(x for b in one.all_blocks() for x in b)))

    def _verbatim(self, stripped: str, column: int, lines: Iterator[tuple[int, int, str]]) -> None:
        words, first, kept = stripped.split(), self.line_number, []
        for _, _, raw in lines:
            if raw.strip() == "end":
                break
            indented = not raw[:column].strip()
            kept.append(raw[column:] if indented else raw.lstrip())
        else:
            self._problem(first, column, "`verbatim` has no `end`.")
        if len(words) != 2:
            self._problem(first, column, "Expected the name of one language: verbatim LANGUAGE.")
            words = ["verbatim", "text"]
        self._add(s.Verbatim(words[1], "\n".join(kept)), column)

    def _variable(self, reader: StepReader) -> str:
        start = reader.at
        name = reader.take_word()
        if "-" in name or not _VARIABLE.match(name):
            raise reader.fail(
                f"{name!r} cannot be a variable: it has letters, digits and _, and no hyphen.", ["NAME"], start
            )
        self.variables.add(name)
        return name

    def _expect(self, reader: StepReader, word: str) -> None:
        if reader.word() != word:
            raise reader.fail(f"Expected `{word}`{reader._found()}.", [word])
        reader.at += len(word)

    def _parameter(self, reader: StepReader, column: int) -> None:
        if self.places:
            raise reader.fail("Parameters stand before the first step.", [], column)
        name = self._variable(reader)
        start = reader.at
        kind = reader.take_word() if reader.word() else ""
        found = match_word(kind, PARAMETER_TYPES) if kind else []
        if len(found) != 1:
            raise reader.fail(
                f"Expected the type of parameter {name!r}: {', '.join(PARAMETER_TYPES)}.", list(PARAMETER_TYPES), start
            )
        default = None
        if not reader.done:
            reader._take("=")
            default = reader.expression()
        if any(one.name == name for one in self.parameters):
            raise reader.fail(f"Parameter {name!r} is declared twice.", [], column)
        self.parameters.append(Parameter(name, found[0], default))  # type: ignore[arg-type]

    def _let(self, reader: StepReader, column: int) -> None:
        start = reader.at
        name = reader.take_word()
        reader._take("=")
        value = reader.expression()
        reader.at, end = start, reader.at
        self._variable(reader)
        reader.at = end
        self._add(s.Let(name, value), column)

    def _if(self, reader: StepReader, column: int) -> None:
        condition = reader.expression()

        def close(one: _Open) -> s.Step:
            blocks = one.all_blocks()
            arms = tuple(s.Arm(c, b) for c, b in zip(one.extra, blocks, strict=False) if c is not None)
            return s.If(arms, blocks[len(arms)] if len(blocks) > len(arms) else ())

        self._begin("if", column, close, condition)

    def _else(self, reader: StepReader, column: int) -> None:
        block = self.open[-1]
        if block.word != "if" or block.last:
            raise reader.fail("`else` stands in an `if` block, once and last.", [], column)
        if reader.word() == "if":
            reader.at += 2
            block.next_block(reader.expression())
        else:
            block.next_block()
            block.last = True

    def _while(self, reader: StepReader, column: int) -> None:
        condition = reader.expression()
        self._begin("while", column, lambda one: s.While(condition, tuple(one.steps)))

    def _repeat(self, reader: StepReader, column: int) -> None:
        count = reader.expression()
        self._begin("repeat", column, lambda one: s.Repeat(count, tuple(one.steps)))

    def _for(self, reader: StepReader, column: int) -> None:
        name = self._variable(reader)
        if reader.word() == "in":
            reader.at += 2
            path = reader.entity(Entity(("path",)))
            self._begin("for", column, lambda one: s.ForEach(name, path, tuple(one.steps)))
            return
        self._expect(reader, "from")
        first = reader.expression()
        self._expect(reader, "to")
        last = reader.expression()
        by = None
        if reader.word() == "by":
            reader.at += 2
            by = reader.expression()
        self._begin("for", column, lambda one: s.For(name, first, last, tuple(one.steps), by))

    def _parallel(self, reader: StepReader, column: int) -> None:
        self._begin("parallel", column, lambda one: s.Parallel(tuple(one.all_blocks())))

    def _and(self, reader: StepReader, column: int) -> None:
        if self.open[-1].word != "parallel":
            raise reader.fail("`and` stands between the branches of a `parallel` block.", [], column)
        self.open[-1].next_block()

    def _try(self, reader: StepReader, column: int) -> None:
        def close(one: _Open) -> s.Step:
            blocks = one.all_blocks()
            if len(blocks) < 2:
                self._problem(one.line, column, "`try` needs an `on-error` block.")
            return s.Try(blocks[0], blocks[-1] if len(blocks) > 1 else (), one.extra[0] if one.extra else "")

        self._begin("try", column, close)

    def _on_error(self, reader: StepReader, column: int) -> None:
        block = self.open[-1]
        if block.word != "try" or block.done:
            raise reader.fail("`on-error` stands once in a `try` block.", [], column)
        block.next_block("" if reader.done else self._variable(reader))

    def _wait_until(self, reader: StepReader, column: int) -> None:
        condition, timeout = reader.expression(), None
        if reader.word() == "timeout":
            reader.at += len("timeout")
            timeout = reader.number("time")
        if reader.word() == "else":
            reader.at += len("else")
            if timeout is None:
                raise reader.fail("`else` says what to do after a time-out; give one: timeout TIME else.", ["timeout"])
            self._begin("wait-until", column, lambda one: s.WaitUntil(condition, timeout, tuple(one.steps)))
            return
        self._add(s.WaitUntil(condition, timeout), column)

    def _call(self, reader: StepReader, column: int) -> None:
        name = reader.entity(Entity(("program",)))
        arguments: list[e.Expression] = []
        while not reader.done:
            if arguments:
                reader._take(",")
            arguments.append(reader.expression())
        self._add(s.Call(name, tuple(arguments)), column)

    def _message(self, reader: StepReader, column: int) -> None:
        self._add(s.Message(reader.expression()), column)

    def _frame(self, reader: StepReader, column: int) -> None:
        if reader.word() == "world":
            reader.at += len("world")
            self._add(s.Frame(), column)
        else:
            self._add(s.Frame(reader.pose()), column)

    def _end(self, reader: StepReader, column: int) -> None:
        if len(self.open) == 1:
            raise reader.fail("`end` closes nothing here.", [], column)
        self._close(self.open[-1])


def _dropped(_: _Open) -> None:
    """A block that is nested too deeply is told of and left out."""


def _plain(step: s.Step) -> Callable[[_Reader, StepReader, int], None]:
    return lambda program, _, column: program._add(step, column)


_STATEMENTS: dict[str, Callable[[_Reader, StepReader, int], None]] = {
    "parameter": _Reader._parameter,
    "let": _Reader._let,
    "if": _Reader._if,
    "else": _Reader._else,
    "while": _Reader._while,
    "repeat": _Reader._repeat,
    "for": _Reader._for,
    "parallel": _Reader._parallel,
    "and": _Reader._and,
    "try": _Reader._try,
    "on-error": _Reader._on_error,
    "wait-until": _Reader._wait_until,
    "call": _Reader._call,
    "message": _Reader._message,
    "frame": _Reader._frame,
    "return": _plain(s.Return()),
    "stop": _plain(s.Stop()),
    "end": _Reader._end,
}
"""The words that order the steps of a program; every other line is a command."""


@lru_cache(maxsize=1)
def plain_steps() -> dict[str, StepPlan]:
    """The plans of the steps whose line begins with one word, which is no other word of programs."""
    return {name: plan for name, plan in step_plans().items() if " " not in name and name not in _STATEMENTS}


def _code_end(line: str) -> int:
    """Where the comment of a line begins, or its end; a colour such as #ff0000 is no comment."""
    place = line.find("#")
    while place >= 0:
        if line.count('"', 0, place) % 2 == 0 and not _COLOUR.match(line, place):
            return place
        place = line.find("#", place + 1)
    return len(line)


def first_edit(text: str) -> tuple[int, str] | None:
    """The line of a program in which it edits the cell first, with the command; nothing where it does not."""
    from workcell.commands.registry import registry

    edits = {one.name for one in registry().commands if one.effect == "edits"} - set(step_plans())
    words = {name.split()[0] for name in edits}
    for number, _, line in joined_lines(text):
        start = line.lstrip().split(None, 1)[:1]
        if not start or start[0] in _STATEMENTS or not any(word.startswith(start[0]) for word in words):
            continue
        try:
            command = StepReader(line, len(line) - len(line.lstrip()), len(line), set()).command()
        except WorkcellError:
            continue
        if command.name in edits:
            return number, command.name
    return None
