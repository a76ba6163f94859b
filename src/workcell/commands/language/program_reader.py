"""Reading programs: lines of the command language and blocks become typed steps; every mistake has its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from workcell.commands.language.expression_reader import DEEPEST
from workcell.commands.language.lexemes import Variables
from workcell.commands.language.line_shapes import Effect, Sentence, Shapes
from workcell.commands.language.program_lines import code_end, joined_lines
from workcell.commands.language.statement_reader import STATEMENTS
from workcell.commands.language.step_reader import WORD, StepPlan, StepReader, step_plans
from workcell.errors import CommandSyntaxError, WorkcellError
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.mention import Mention
from workcell.programs.problem import Problem
from workcell.programs.program import Parameter, Place, Program
from workcell.spatial.units import Units


@dataclass(frozen=True)
class ReadProgram:
    """A program as far as it could be read, the mistakes, and the names in it."""

    program: Program
    problems: tuple[Problem, ...]
    mentions: tuple[Mention, ...]


@dataclass
class _Open:
    """A block that is being read.

    Attributes:
        word: the word that opened it.
        line: the number of its line.
        steps: the steps so far.
        close: makes the step from the finished blocks.
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
    """How many steps come before it."""

    def next_block(self, extra: Any = None) -> None:
        self.done.append(tuple(self.steps))
        self.extra.append(extra)
        self.steps = []

    def all_blocks(self) -> list[tuple[s.Step, ...]]:
        return [*self.done, tuple(self.steps)]


def read_program(name: str, text: str, units: Units | None = None) -> ReadProgram:
    """Read the text of a program; it raises nothing and reports every mistake with its place.

    Args:
        name: the name of the program.
        text: its lines, without ``program NAME`` and the last ``end``.
        units: the units of bare numbers; by default millimetres and degrees.
    """
    return _Reader(name, text, units or Units()).read()


class _Reader:
    def __init__(self, name: str, text: str, units: Units) -> None:
        self.name = name
        self.text = text
        self.units = units
        self.parameters: list[Parameter] = []
        self.heads: list[Place] = []
        self.variables = Variables()
        self.places: list[Place] = []
        self.problems: list[Problem] = []
        self.mentions: list[Mention] = []
        self.outer = _Open("", 1, lambda _: None)
        self.open: list[_Open] = [self.outer]
        self.line_number = 0
        self._reader = StepReader("", variables=self.variables)
        self._reader.mentions = self.mentions
        self._shapes = Shapes(self._alone)
        self._given = 0
        """How many variables there were when the shapes were read."""

    def read(self) -> ReadProgram:
        lines = joined_lines(self.text)
        for number, start, line in lines:
            self.line_number = number
            stripped = line.strip()
            if not stripped:
                continue
            column = len(line) - len(line.lstrip())
            first = stripped[0]
            if first == "#":
                self._add(column, s.Comment(stripped[1:].strip()))
                continue
            if first == "v" and stripped.split(None, 1)[0] == "verbatim":
                self._verbatim(stripped, column, lines)
                continue
            self._line(line, start, column)
        for one in reversed(self.open[1:]):
            self._problem(one.line, 0, f"`{one.word}` has no `end`.")
            self._close(one)
        program = Program(
            self.name,
            tuple(self.parameters),
            tuple(self.outer.steps),
            self.units,
            tuple(self.places),
            tuple(self.heads),
        )
        return ReadProgram(program, tuple(self.problems), tuple(self.mentions))

    # ---- lines ------------------------------------------------------------------------------------------

    def _line(self, line: str, start: int, column: int) -> None:
        end = code_end(line) if "#" in line else len(line)
        if len(self.variables) != self._given:
            self._shapes.forget()
            self._given = len(self.variables)
        reader, before = self._reader, len(self.places)
        try:
            alike = self._shapes.sentence(line[column:end].rstrip(), start + column, self.mentions)
            if alike is not None:
                alike[0](self, column, *alike[1])
            else:
                reader.begin(line, column, end, start)
                effect, fields = _statement(reader)
                effect(self, column, *fields)
                if not reader.done:
                    raise reader.fail(f"Nothing more was expected; found {line[reader.at : end].strip()!r}.", [])
        except WorkcellError as error:
            place = error.evidence.get("column", column)
            self._problem(self.line_number, place if isinstance(place, int) else column, error.message)
            if len(self.places) == before:
                word = line.split(None, 1)[0].lower()
                self._open_anyway(word, line[:end], column)
        if end < len(line) and (comment := line[end:].strip()):
            self._add(end, s.Comment(comment[1:].strip()))

    def _alone(self, line: str) -> Sentence:
        """Read a line without its effect on the program."""
        reader = StepReader("", variables=self.variables)
        reader.begin(line, 0, len(line), 0)
        effect, fields = _statement(reader)
        if not reader.done:
            raise reader.fail("Nothing more was expected.", [])
        return Sentence(effect, fields, tuple(reader.mentions))

    def _add(self, column: int, step: s.Step) -> None:
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
            self._problem(
                self.line_number, column, f"Blocks may be nested at most {DEEPEST} deep; call a program instead."
            )
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
            del self.places[one.first :]  # steps that were left out have no place

    def _open_anyway(self, word: str, line: str, column: int) -> None:
        """Open a block after a mistake in its first line, so that its `end` is not a second mistake."""
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
        self._add(column, s.Verbatim(words[1], "\n".join(kept)))

    # ---- effects of lines -------------------------------------------------------------------------------

    def _parameter(self, column: int, parameter: Parameter) -> None:
        if len(self.open) > 1 or any(type(step) is not s.Comment for step in self.outer.steps):
            raise _misplaced("Parameters must come before the first step.", column)
        if any(one.name == parameter.name for one in self.parameters):
            raise _misplaced(f"Parameter {parameter.name!r} is declared twice.", column)
        self.parameters.append(parameter)
        self.heads.append(Place(self.line_number, column))

    def _if(self, column: int, condition: e.Expression) -> None:
        def close(one: _Open) -> s.Step:
            blocks = one.all_blocks()
            arms = tuple(s.Arm(c, b) for c, b in zip(one.extra, blocks, strict=False) if c is not None)
            return s.If(arms, blocks[len(arms)] if len(blocks) > len(arms) else ())

        self._begin("if", column, close, condition)

    def _else(self, column: int, condition: e.Expression | None) -> None:
        block = self.open[-1]
        if block.word != "if" or block.last:
            raise _misplaced("`else` must be the last part of an `if` block, and there may be only one.", column)
        block.next_block(condition)
        block.last = condition is None

    def _while(self, column: int, condition: e.Expression) -> None:
        self._begin("while", column, lambda one: s.While(condition, tuple(one.steps)))

    def _repeat(self, column: int, count: e.Expression) -> None:
        self._begin("repeat", column, lambda one: s.Repeat(count, tuple(one.steps)))

    def _for(self, column: int, name: str, *of: Any) -> None:
        if len(of) == 1:
            self._begin("for", column, lambda one: s.ForEach(name, of[0], tuple(one.steps)))
        else:
            first, last, by = of
            self._begin("for", column, lambda one: s.For(name, first, last, tuple(one.steps), by))

    def _parallel(self, column: int) -> None:
        self._begin("parallel", column, lambda one: s.Parallel(tuple(one.all_blocks())))

    def _and(self, column: int) -> None:
        if self.open[-1].word != "parallel":
            raise _misplaced("`and` stands between the branches of a `parallel` block.", column)
        self.open[-1].next_block()

    def _try(self, column: int) -> None:
        def close(one: _Open) -> s.Step:
            blocks = one.all_blocks()
            if len(blocks) < 2:
                self._problem(one.line, column, "`try` needs an `on-error` block.")
            return s.Try(blocks[0], blocks[-1] if len(blocks) > 1 else (), one.extra[0] if one.extra else "")

        self._begin("try", column, close)

    def _on_error(self, column: int, variable: str) -> None:
        block = self.open[-1]
        if block.word != "try" or block.done:
            raise _misplaced("`on-error` stands once in a `try` block.", column)
        block.next_block(variable)

    def _wait_until(self, column: int, condition: e.Expression, timeout: e.Expression | None, opens: bool) -> None:
        if opens:
            self._begin("wait-until", column, lambda one: s.WaitUntil(condition, timeout, tuple(one.steps)))
        else:
            self._add(column, s.WaitUntil(condition, timeout))

    def _end(self, column: int) -> None:
        if len(self.open) == 1:
            raise _misplaced("`end` closes nothing here.", column)
        self._close(self.open[-1])


def _misplaced(message: str, column: int) -> CommandSyntaxError:
    return CommandSyntaxError(message, column=column, expected=[])


def _dropped(_: _Open) -> None:
    """Leave out a block that is nested too deeply, which is reported."""


_EFFECTS: dict[str, Effect] = {
    "parameter": _Reader._parameter,
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
    "end": _Reader._end,
}
"""The effects of statements on the program; all other lines are steps, which are added."""


def _statement(reader: StepReader) -> tuple[Effect, tuple[Any, ...]]:
    """Read the line of a reader; return its effect on the program, and its fields."""
    first = WORD.match(reader.line, reader.at, reader.end)
    plan = plain_steps().get(first[0]) if first is not None else None
    if plan is not None and first is not None:
        reader.at = first.end()
        return _Reader._add, (reader.planned(plan),)
    word = reader.word().lower()
    read = STATEMENTS.get(word)
    if read is None:
        return _Reader._add, (reader.step(),)
    reader.at += len(word)
    return _EFFECTS.get(word, _Reader._add), read(reader)


def read_row(code: str, variables: set[str]) -> tuple[Any, ...]:
    """Read one line of a program alone; return its fields: a step, or what its statement holds.

    Args:
        code: the line without its comment.
        variables: the variables of the program.

    Raises:
        CommandSyntaxError: it cannot be read.
    """
    reader = StepReader("", variables=set(variables))
    reader.begin(code, 0, len(code), 0)
    _, fields = _statement(reader)
    if not reader.done:
        raise reader.fail(f"Nothing more was expected; found {code[reader.at :].strip()!r}.", [])
    return fields


@lru_cache(maxsize=1)
def plain_steps() -> dict[str, StepPlan]:
    """Return the plans of the steps whose command is one word and not a statement."""
    return {name: plan for name, plan in step_plans().items() if " " not in name and name not in STATEMENTS}


def first_edit(text: str) -> tuple[int, str] | None:
    """Return the first line of a program that edits the cell, with the command; None if no line does."""
    from workcell.commands.language.registry import registry

    edits = {one.name for one in registry().commands if one.effect == "edits"} - set(step_plans())
    words = {name.split()[0] for name in edits}
    for number, _, line in joined_lines(text):
        start = line.lstrip().split(None, 1)[:1]
        if not start or start[0] in STATEMENTS or not any(word.startswith(start[0]) for word in words):
            continue
        try:
            command = StepReader(line, len(line) - len(line.lstrip()), len(line), set()).command()
        except WorkcellError:
            continue
        if command.name in edits:
            return number, command.name
    return None
