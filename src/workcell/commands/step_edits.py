"""Commands that edit the lines of a program: one step each, so that text and list of steps edit the same program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workcell.commands.language import program_outline as o
from workcell.commands.language.program_reader import read_row
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import LineNumber, Text
from workcell.commands.program_mark import SEEN_HELP, require_seen
from workcell.commands.program_store import TEXT, problems_of
from workcell.commands.results import Result
from workcell.commands.script import lines_of
from workcell.commands.step_forms import form_of, variables_of
from workcell.errors import Refused, WorkcellError
from workcell.programs.problem import Problem
from workcell.wording import quoted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session

_PUMA = "> create robot Puma puma560 joints 0,0,-90,0,90,0"
_SHORT = '> write program demo "repeat 2%0A  move-joints-relative Puma 10,0,0,0,0,0  # turn%0Aend%0Await 1"'


class StepsEdited(Result, frozen=True):
    """An edit of the lines of a program.

    Attributes:
        program: the program.
        what: what was done, in a few words.
        line: the line where the step is now, or was.
        problems: the mistakes of the program as it is now.
    """

    program: str
    what: str
    line: int
    problems: tuple[Problem, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"program {self.program!r}: {self.what}", *(str(one) for one in self.problems)])


@command(
    "edit program {program} {text} [seen {mark}]",
    help="replace the lines of a program, and keep the units of its numbers",
    effect="edits",
    program=Ref("program"),
    text=Text(),
    mark=Text(),
    param_help={"text": "its lines, with `%0A` between them", **SEEN_HELP},
    examples=[_PUMA, _SHORT, 'edit program demo "wait 2"'],
)
def edit_program(session: Session, program: Entity, text: str, mark: str | None = None) -> StepsEdited:
    """`write program` gives the numbers the units that the cell has now; this leaves their units as they are."""
    require_seen(session, program, mark)
    new = "\n".join(lines_of(text))
    if new == _text(program):
        raise Refused(f"The lines of program {program.name!r} are already these.")
    return _stored(session, program, new, "lines replaced", 1)


@command(
    "insert-step {program} {line} {text} [seen {mark}]",
    help="insert a step before a line of a program",
    effect="edits",
    program=Ref("program"),
    line=LineNumber(),
    text=Text(),
    mark=Text(),
    param_help={
        **SEEN_HELP,
        "line": "the line before which it comes, counted from 1; one more than the last appends it",
        "text": "one or more whole steps, with `%0A` between their lines; or `else`, `and` or `on-error` for a block",
    },
    examples=[_PUMA, _SHORT, 'insert-step demo 2 "wait 0.5"', 'insert-step demo line 6 "repeat 3%0Aend"'],
)
def insert_step(session: Session, program: Entity, line: int, text: str, mark: str | None = None) -> StepsEdited:
    """The new lines are indented like their neighbours. All other lines stay as they are."""
    require_seen(session, program, mark)
    new = "\n".join(lines_of(text))
    before = _text(program)
    _require_readable(before, new)
    return _kept(session, program, o.inserted(before, line, new), f"line {line} inserted", line)


@command(
    "change-step {program} {line} {text} [seen {mark}]",
    help="write a line of a program anew",
    effect="edits",
    program=Ref("program"),
    line=LineNumber(),
    text=Text(),
    mark=Text(),
    param_help={
        "line": "the line, counted from 1",
        "text": "the step; a comment behind the old one stays",
        **SEEN_HELP,
    },
    examples=[_PUMA, _SHORT, 'change-step demo 4 "wait 2"', 'change-step demo 1 "repeat 5"'],
)
def change_step(session: Session, program: Entity, line: int, text: str, mark: str | None = None) -> StepsEdited:
    """A line that opens a block must still open one; what is inside stays."""
    require_seen(session, program, mark)
    before, new = _text(program), text.strip()
    if not new or "\n" in new:
        raise Refused("Expected one line for the step; `insert-step` inserts several, `remove-step` removes one.")
    _require_readable(before, new)
    after, row = o.changed(before, line, new)
    return _kept(session, program, after, f"line {row.line} changed", row.line)


@command(
    "set-step {program} {line} {field} {value} [seen {mark}]",
    help="set one field of a step of a program",
    effect="edits",
    program=Ref("program"),
    line=LineNumber(),
    field=Text(),
    value=Text(),
    mark=Text(),
    param_help={
        **SEEN_HELP,
        "line": "the line of the step, counted from 1",
        "field": "the name of the field, as the syntax of the step shows it, in small letters",
        "value": 'its value as typed in a program; "" removes a field that may be left out, `yes` sets a flag',
    },
    examples=[_PUMA, _SHORT, "set-step demo 1 count 4", 'set-step demo 2 joints "0,10,0,0,0,0"'],
)
def set_step(
    session: Session, program: Entity, line: int, field: str, value: str, mark: str | None = None
) -> StepsEdited:
    """All other fields stay, and so does a comment after the step. `step-kinds` lists the fields of each kind."""
    require_seen(session, program, mark)
    before = _text(program)
    row = o.row_at(before, line)
    found = form_of(row, variables_of(o.outline(before)))
    if found is None:
        raise Refused(
            f"Line {line} of program {program.name!r} has no fields that could be set; `change-step` writes the line "
            "anew.",
            line=line,
        )
    form, texts = found
    new = form.line({**texts, field: value})
    if row.role == "opens" and row.word == "wait-until":
        new += " else"
    _require_readable(before, new, f"The {field} of `{form.kind}`")
    after, row = o.changed(before, line, new)
    return _kept(session, program, after, f"{field} of line {row.line} set", row.line)


@command(
    "move-step {program} {line} to {place} [with {more}]* [seen {mark}]",
    help="move steps of a program, with everything inside them",
    effect="edits",
    program=Ref("program"),
    line=LineNumber(),
    more=LineNumber(),
    place=LineNumber(),
    mark=Text(),
    param_help={
        **SEEN_HELP,
        "line": "the line of the step, counted from 1",
        "more": "the line of another step that goes with it; they keep their order",
        "place": "the line before which it comes, counted before the move; one more than the last puts it at the end",
    },
    examples=[_PUMA, _SHORT, "move-step demo 4 to 2", "> undo", "move-step demo 4 to 1 with 2"],
)
def move_step(
    session: Session, program: Entity, line: int, place: int, more: tuple[int, ...] = (), mark: str | None = None
) -> StepsEdited:
    """A step that goes into a block or out of it is indented accordingly. Breakpoints go with their lines."""
    require_seen(session, program, mark)
    after, now = o.moved(_text(program), [line, *more], place)
    if after == _text(program):
        raise Refused(f"The step in line {line} of program {program.name!r} is already there.", line=line)
    return _kept(session, program, after, f"{_lines([line, *more])} moved to line {now}", now)


@command(
    "remove-step {program} {line} [with {more}]* [seen {mark}]",
    help="remove steps of a program, with everything inside them",
    effect="edits",
    program=Ref("program"),
    line=LineNumber(),
    more=LineNumber(),
    mark=Text(),
    param_help={
        **SEEN_HELP,
        "line": "the line of the step, counted from 1; that of `else`, `and` or `on-error` for such a part",
        "more": "the line of another step, counted before any is removed",
    },
    examples=[_PUMA, _SHORT, "remove-step demo 4", "> undo", "remove-step demo 2 with 4"],
)
def remove_step(
    session: Session, program: Entity, line: int, more: tuple[int, ...] = (), mark: str | None = None
) -> StepsEdited:
    """A block goes with all its steps, and a part of a block with its steps."""
    require_seen(session, program, mark)
    after, rows = o.removed(_text(program), [line, *more])
    gone = [number for row in rows for number in range(row.line, row.end + 1)]
    return _kept(session, program, after, f"{_lines(gone)} removed", rows[0].line)


@command(
    "enclose-steps {program} {first} to {last} in {text} [seen {mark}]",
    help="put a block, such as a loop or a condition, around steps of a program",
    effect="edits",
    program=Ref("program"),
    first=LineNumber(),
    last=LineNumber(),
    text=Text(),
    mark=Text(),
    param_help={
        **SEEN_HELP,
        "first": "the line of the first step, counted from 1",
        "last": "the line of the last step",
        "text": 'the line that opens the block, such as "repeat 3" or "if ready"',
    },
    examples=[_PUMA, _SHORT, 'enclose-steps demo 4 to 4 in "repeat 3"', 'enclose-steps demo 1 to 6 in "while true"'],
)
def enclose_steps(
    session: Session, program: Entity, first: int, last: int, text: str, mark: str | None = None
) -> StepsEdited:
    """The steps are indented, and `end` closes the block."""
    require_seen(session, program, mark)
    before, opening = _text(program), text.strip()
    if "\n" in opening or not opening or o.outline(opening)[0].role != "opens":
        raise Refused(f"Expected a line that opens a block, such as repeat 3 or if ready; found {quoted(opening)}.")
    _require_readable(before, opening)
    return _kept(session, program, o.enclosed(before, first, last, opening), f"lines {first} to {last} enclosed", first)


def _lines(numbers: Sequence[int]) -> str:
    """Return line numbers in words: line 3, lines 3 to 5, lines 3 and 7."""
    some = sorted(set(numbers))
    if len(some) == 1:
        return f"line {some[0]}"
    if some == list(range(some[0], some[-1] + 1)) and len(some) > 2:
        return f"lines {some[0]} to {some[-1]}"
    return f"lines {', '.join(map(str, some[:-1]))} and {some[-1]}"


def _text(program: Entity) -> str:
    return str(program.properties.get(TEXT, ""))


def _require_readable(text: str, new: str, what: str = "The new line") -> None:
    """Refuse lines that cannot be read as steps; whether their names and values are right is the checker's."""
    rows = o.outline(new)
    if not any(row.role != "blank" for row in rows):
        raise Refused("Expected a step; found nothing.")
    known = variables_of(o.outline(text)) | variables_of(rows)
    for row in rows:
        if row.role in ("blank", "comment", "end") or row.word == "verbatim":
            continue
        try:
            read_row(row.code, known)
        except WorkcellError as error:
            where = f" (line {row.line} of it)" if len(rows) > 1 else ""
            raise Refused(f"{what}{where} cannot be read: {error.message}", line=row.line, found=row.code) from error


def _kept(session: Session, program: Entity, text: str, what: str, line: int) -> StepsEdited:
    """Store other lines of a program; refused if this breaks blocks that were whole."""
    misfits = [row for row in o.outline(text) if not row.fits]
    if len(misfits) > sum(not row.fits for row in o.outline(_text(program))):
        lost = "has no `end`" if misfits[0].role == "opens" else "belongs to no block there"
        raise Refused(f"`{misfits[0].word}` in line {misfits[0].line} {lost}; the program stays as it is.")
    return _stored(session, program, text, what, line)


def _stored(session: Session, program: Entity, text: str, what: str, line: int) -> StepsEdited:
    session.database.set_properties(session.rows, program, {TEXT: text})
    now = session.database.entity("program", program.name)
    return StepsEdited(program.name, what, line, problems_of(session, now))
