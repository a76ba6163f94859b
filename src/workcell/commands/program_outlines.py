"""Commands that show programs to editors: their outline with typed fields, the kinds of steps, and drafts checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.program_outline import Role, outline
from workcell.commands.language.program_reader import read_program
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.step_reader import step_plans
from workcell.commands.language.values import LineNumber, NewName, Text
from workcell.commands.program_mark import mark_of
from workcell.commands.program_store import TEXT, names_of, problems_of, stored
from workcell.commands.programs import Checked
from workcell.commands.results import Result
from workcell.commands.script import lines_of
from workcell.commands.step_forms import FormField, Holds, form_of, forms, variables_of
from workcell.commands.step_proposals import HANDLING, SETS
from workcell.commands.step_templates import Templates
from workcell.programs.checker import checkup
from workcell.programs.problem import Problem
from workcell.spatial.units import SCALES, Units
from workcell.wording import counted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session

_PUMA = "> create robot Puma puma560 joints 0,0,-90,0,90,0"
_SHORT = '> write program demo "repeat 2%0A  move-joints-relative Puma 10,0,0,0,0,0  # turn%0Aend%0Await 1"'


class OutlineRow(Result, frozen=True, omit_defaults=True):
    """One line of a program.

    Attributes:
        line: its first line in the text, from 1.
        last: its last line; greater if lines are joined.
        end: the last line of the block that it opens, or of its part of a block.
        depth: how many blocks are around it.
        role: what it is.
        code: the line without its comment.
        kind: the kind of step (see `step-kinds`); '' for lines without fields.
        fields: the fields that are given, as texts; several values are on lines of their own.
        comment: the comment after the step.
    """

    line: int
    last: int
    end: int
    depth: int
    role: Role
    code: str
    kind: str = ""
    fields: dict[str, str] = {}  # noqa: RUF012 (a struct copies its defaults)
    comment: str = ""

    def __str__(self) -> str:
        return f"{self.code}  # {self.comment}" if self.comment else self.code


class ProgramOutline(Result, frozen=True):
    """A program with its lines as typed rows.

    Attributes:
        program: its name.
        text: its text.
        mark: the mark of these lines, for edits that must change no others.
        language: the language of its lines; another one if it consists only of lines of that language.
        length_unit: the unit of bare lengths in it.
        angle_unit: the unit of bare angles in it.
        rows: its lines.
        problems: its mistakes.
        variables: its variables and parameters.
    """

    program: str
    text: str
    mark: str
    language: str
    length_unit: str
    angle_unit: str
    rows: tuple[OutlineRow, ...]
    problems: tuple[Problem, ...]
    variables: tuple[str, ...]

    def __str__(self) -> str:
        shown = [f"{row.line:4d}  {'  ' * row.depth}{row}".rstrip() for row in self.rows]
        wrong = [str(one) for one in self.problems]
        return "\n".join([f"program {self.program!r}: {counted(len(self.rows), 'row')}", *shown, *wrong])


@command(
    "outline {program}",
    help="list the lines of a program as typed rows: their blocks, kinds and fields",
    effect="reads",
    program=Ref("program"),
    examples=[_PUMA, _SHORT, "outline demo"],
)
def outline_program(session: Session, program: Entity) -> ProgramOutline:
    """The page makes its list of steps of it. `--json` shows the fields."""
    text = str(program.properties.get(TEXT, ""))
    read = stored(program)
    rows = outline(text)
    variables = variables_of(rows)
    shown = []
    for row in rows:
        found = form_of(row, variables)
        kind, fields = (found[0].kind, found[1]) if found is not None else ("", {})
        comment = row.comment.strip().removeprefix("#").strip()
        shown.append(
            OutlineRow(row.line, row.last, row.end, row.depth, row.role, row.code, kind, dict(fields), comment)
        )
    units = read.program.units
    return ProgramOutline(
        program.name, text, mark_of(program), language_of(text), units.length, units.angle, tuple(shown),
        problems_of(session, program), tuple(sorted(variables)),
    )  # fmt: skip


def language_of(text: str) -> str:
    """Return the language of a program: ``commands``, or another one if it has only lines of that language."""
    rows = [row for row in outline(text) if row.role != "blank"]
    words = rows[0].code.split() if len(rows) == 1 and rows[0].word == "verbatim" else []
    return words[1] if len(words) == 2 else "commands"


class KindField(Result, frozen=True, omit_defaults=True):
    """A field of a kind of step.

    Attributes:
        name: its name.
        holds: what it holds; an expression may stand for numbers, poses, joints and truth values.
        unit: of a bare number; '' for a plain number.
        required: whether the line needs it.
        several: whether it may hold several values, one on each line.
        help: what it means.
        kinds: the kinds of entity that it may name.
        choices: the words that it may be.
        choice_help: the help of each word.
    """

    name: str
    holds: Holds
    unit: str = ""
    required: bool = False
    several: bool = False
    help: str = ""
    kinds: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    choice_help: tuple[str, ...] = ()


class StepKind(Result, frozen=True, omit_defaults=True):
    """A kind of step.

    Attributes:
        kind: its name.
        group: the group that it belongs to.
        help: what it does.
        syntax: how it is written.
        fields: its fields.
        opens: whether it opens a block.
        line: lines for a new step, from what the cell has; '' if the cell lacks something for it.
        lacks: the kinds of thing that the cell lacks.
        planned: whether `plan-step` shows its way.
    """

    kind: str
    group: str
    help: str
    syntax: str
    fields: tuple[KindField, ...] = ()
    opens: bool = False
    line: str = ""
    lacks: str = ""
    planned: bool = False


class StepKinds(Result, frozen=True):
    """All kinds of steps.

    ``names`` are the names of the cell that their fields may hold, by the kind of entity. If a field may hold only some
    of them, those are under its kind of step and its name, as in ``set-signal signal``.
    """

    kinds: tuple[StepKind, ...]
    names: dict[str, tuple[str, ...]] = {}  # noqa: RUF012 (a struct copies its defaults)

    def __str__(self) -> str:
        return "\n".join(f"{one.kind}: {one.help}" for one in self.kinds)


@command(
    "step-kinds [{program}] [before {line}]",
    help="list the kinds of steps with their fields, and a first line of each for this cell",
    effect="reads",
    program=Ref("program"),
    line=LineNumber(),
    param_help={
        "program": "the program whose units the lines have; default: those of the cell",
        "line": "the line before which a new step comes; default: the end of the program",
    },
    examples=[_PUMA, "step-kinds", _SHORT, "step-kinds demo before 2"],
)
def step_kinds(session: Session, program: Entity | None = None, line: int | None = None) -> StepKinds:
    """The first lines name things of the cell and have the present joint values. `--json` shows the fields.

    The steps before the new one decide which robot and which part its first line names.
    """
    from workcell.simulation.transit_moves import PLANNED

    units = session.display.of_cell if program is None else stored(program).program.units
    planned = {kind for kind, plan in step_plans().items() if issubclass(plan.kind, PLANNED)}
    name, text = ("", "") if program is None else (program.name, str(program.properties.get(TEXT, "")))
    templates = Templates(session, units, name, outline(text), line)
    found = []
    for form in forms().values():
        first, lacks = templates.line(form)
        fields = tuple(_field(one, units) for one in form.fields)
        found.append(
            StepKind(
                form.kind, form.group, form.help, form.syntax.shown(), fields, form.opens, first, lacks,
                form.kind in planned,
            )
        )  # fmt: skip
    kinds = sorted({kind for form in forms().values() for field in form.fields for kind in field.kinds})
    cell = names_of(session)
    named = {kind: tuple(sorted(cell.known((kind,)))) for kind in (*kinds, "target", "frame")}
    parts = tuple(sorted({body.owner for body in session.snapshot().movable}))
    own = {f"{SETS} signal": tuple(sorted(cell.settable)), **{f"{kind} part": parts for kind in HANDLING}}
    return StepKinds(tuple(found), {**named, **own})


def _field(one: FormField, units: Units) -> KindField:
    unit = units.default(one.quantity) if one.quantity in SCALES else ""
    words, helps = tuple(word for word, _ in one.choices), tuple(help for _, help in one.choices)
    return KindField(one.name, one.holds, unit, one.required, one.several, one.help, one.kinds, words, helps)


@command(
    "check draft {name} {text}",
    help="find the mistakes of lines for a program, without keeping the lines",
    effect="reads",
    background=True,
    name=NewName(),
    text=Text(),
    param_help={
        "name": "the program for which the lines are; it need not exist",
        "text": "its lines, with `%0A` between them",
    },
    examples=[_PUMA, 'check draft demo "move-joints-relative Puma 10,0,0%0Await -1"'],
)
def check_draft(session: Session, name: str, text: str) -> Checked:
    """An editor calls it while somebody types. The numbers are in the units of the program, if it exists."""
    entity = session.database.find("program", name)
    units = session.display.of_cell if entity is None else stored(entity).program.units
    kept = "\n".join(lines_of(text))
    read = read_program(name, kept, units)
    found = checkup(read.program, names_of(session), read.mentions, kept)
    problems = sorted([*read.problems, *found.problems], key=lambda one: (one.line, one.column))
    return Checked(name, tuple(problems), tuple(found.open))
