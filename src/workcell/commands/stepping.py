"""Commands that step through runs: debug, resume, pause, steps, breakpoints, and runs that are saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workcell.commands.language.expression_reader import ExpressionReader
from workcell.commands.language.expression_text import expression_text
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.tokens import Tokens
from workcell.commands.language.values import File, LineNumber, Number, Rest, Value
from workcell.commands.program_values import Arguments, Programs
from workcell.commands.ran import Ran, RanTogether, answered
from workcell.commands.renamed_runs import under_new_names
from workcell.commands.replaying import again_as_of
from workcell.commands.results import Done, Result, Table
from workcell.commands.running import PausedRun, Stood, begun, edited_since, gone_on, program_names, required, stood
from workcell.errors import Refused, UnknownName, WorkcellError
from workcell.programs.evaluate import shown
from workcell.programs.expressions import Expression
from workcell.programs.program import Program
from workcell.wording import counted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.stepping import SteppedRun

_STAGE = [
    "> create robot Puma puma560 joints 0,0,-90,0,90,0",
    "> create signal ready",
    '> write program demo "let n = 2%0Arepeat n%0A  move-joints-relative Puma 5,0,0,0,0,0%0Aend%0Await 1"',
]
_BEGUN = [*_STAGE, "> debug demo"]


@command(
    "debug {programs} [with {arguments}] [from {line}]",
    help="begin a run and stand before its first step",
    effect="simulates",
    programs=Programs(),
    arguments=Arguments(),
    line=LineNumber(),
    param_help={
        "arguments": "values for the parameters of the first program, in order",
        "line": "the line at which the first program begins; what stands before is not carried out",
    },
    examples=[*_STAGE, "debug demo"],
)
def debug(
    session: Session, programs: Sequence[Entity], arguments: tuple[Expression, ...] = (), line: int | None = None
) -> Stood | Ran | RanTogether:
    """From there on `step-into`, `step-over`, `step-out`, `step-back` and `resume`; `stop-run` gives it up.

    Questions are answered from where the run stands. Edits are allowed and apply to the next run. When the run is over
    it is one step of the history, like `run`.
    """
    session.outside_group("step through a run")
    run = begun(session, programs, arguments, line, together=len(programs) > 1)
    return answered(session, run, lambda stepped: stepped.into())


def _goes_on(word: str, help: str, more: str, how: Callable[[SteppedRun], bool]) -> Callable[[Session], Any]:
    """A command that lets the paused run go on in some way."""

    def go_on(session: Session) -> Stood | Ran | RanTogether:
        return answered(session, required(session), how)

    go_on.__doc__ = more
    declare = command(word, help=help, effect="simulates", while_paused=True, examples=[*_BEGUN, word])
    return declare(go_on)


resume = _goes_on(
    "resume",
    "go on with the paused run, to a breakpoint or its end",
    "Says when the cell was edited since the run began: the run goes on with the cell as it was.",
    lambda stepped: stepped.resume(),
)
step_into = _goes_on(
    "step-into",
    "carry out one step of the paused run and stand before the next one, in whichever program that is",
    "A call leads into the program that is called.",
    lambda stepped: stepped.into(),
)
step_over = _goes_on(
    "step-over",
    "carry out one step of the paused run with all that it calls, and stand before the next one of its program",
    "A breakpoint in what it calls, or in another program, holds the run earlier.",
    lambda stepped: stepped.over_step(),
)
step_out = _goes_on(
    "step-out",
    "carry out what is left of the innermost program, and stand before the next step of its caller",
    "Without a caller the run goes on to its end.",
    lambda stepped: stepped.out(),
)


@command(
    "step-back [{count}] [to {line}]",
    help="let the paused run stand where it stood before",
    effect="view",
    count=Number(positive=True, whole=True),
    line=LineNumber(),
    param_help={
        "count": "how many steps; one by default",
        "line": "back to the last time that it stood before this line of its program",
    },
    examples=[*_BEGUN, "> step-into", "> step-into", "> step-into", "step-back", "step-back to 1"],
)
def step_back(session: Session, count: int = 1, line: int | None = None) -> Stood:
    """State, clock, variables and recording are those of that moment; what came from outside since is forgotten."""
    paused = required(session)
    paused.stepped.back(count, line)
    session.ongoing.along.write(paused.simulator)
    session.tell("simulates", "step-back")
    return stood(session, paused)


@command(
    "pause",
    help="let the run that goes on stand before its next step",
    effect="view",
    examples=[*_BEGUN, "pause"],
)
def pause(session: Session) -> Stood:
    """For another client, while the run goes on; when it stands already, the answer says where."""
    return stood(session, required(session))


@command(
    "stop-run",
    help="end the paused run; nothing of it is kept",
    effect="view",
    examples=[*_BEGUN, "stop-run"],
)
def stop_run(session: Session) -> Done:
    """The state and the recording are those from before the run."""
    required(session)
    ended = session.end_paused()
    session.tell("simulates", "stop-run")
    return Done(ended)


@command(
    "run-status",
    help="list the programs of the paused run: where each is, who called it, and its variables",
    effect="reads",
    examples=[*_BEGUN, "run-status"],
)
def run_status(session: Session) -> Table:
    """In the order in which they go on at one instant; branches of a parallel block have a row each."""
    paused = required(session)
    units = session.units
    rows = tuple(
        (
            one.name, one.doing, one.program, one.line,
            ", ".join(f"line {line} of {program}" for program, line in one.callers),
            ", ".join(f"{name} = {shown(value, units)}" for name, value in one.variables.items()),
        )
        for one in paused.stepped.where()
    )  # fmt: skip
    caption = "\n".join([f"simulated time {paused.state.time:.4f} s", *edited_since(session, paused)])
    return Table(("run of", "", "program", "line", "called in", "variables"), rows, caption)


class Condition(Value):
    """An expression to the end of the line."""

    label = "CONDITION"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """The names in it mean what they mean in the program."""
        if tokens.done:
            raise tokens.fail("Expected a condition, such as 'n > 3'.", [self.label])
        reader = ExpressionReader(tokens.line, tokens.column)
        found = reader.expression()
        if not reader.done:
            raise tokens.fail("Expected the end of the condition.", [self.label], reader.at)
        tokens.rest()
        return found

    def text(self, value: Any) -> str:
        """As typed."""
        return expression_text(value)

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """The text of the condition."""
        return self.parse(Tokens(str(value)), session, seen)


@command(
    "break {program} {line} [when {condition}]",
    help="let runs stand before a line of a program",
    effect="view",
    program=Ref("program"),
    line=LineNumber(),
    condition=Condition(),
    param_help={"condition": "only while this holds, such as `n > 3`; names mean what they mean in the program"},
    examples=[*_STAGE, "break demo 3", "break demo line 5 when n = 2", "> run demo"],
)
def break_(session: Session, program: Entity, line: int, condition: Expression | None = None) -> Done:
    """It belongs to the session and is no edit of the cell; `run` stands there too, and `resume` goes on.

    A line has one breakpoint: a second one takes the place of the first. Where the condition cannot be evaluated, such
    as before a variable has a value, runs stand and say so.
    """
    from workcell.commands.program_store import names_of, stored
    from workcell.programs.checker import require_condition
    from workcell.simulation.stepping import Breakpoint, start_at

    read = stored(program).program
    found = read.place(_number_at(read, start_at(read, line))).line
    if condition is not None:
        try:
            require_condition(condition, read, names_of(session))
        except WorkcellError as error:
            raise type(error)(
                f"The condition of a breakpoint in {program.name!r}: {error.message}", **error.evidence
            ) from error
    before = session.breakpoints.get((program.id, found))
    session.breakpoints[program.id, found] = Breakpoint(found, condition)
    moved = "" if found == line else f" (line {line} has no step)"
    instead = "" if before is None else f", in place of the breakpoint there{_when(before.condition)}"
    return Done(f"runs stand before line {found} of {program.name!r}{_when(condition)}{moved}{instead}")


def _when(condition: Expression | None) -> str:
    return "" if condition is None else f" when {expression_text(condition)}"


def _number_at(program: Any, at: int) -> int:
    from workcell.programs.code import instructions

    return instructions(program)[at].number


@command(
    "breakpoints",
    help="list where runs stand",
    effect="reads",
    examples=[*_STAGE, "> break demo 3", "breakpoints"],
)
def breakpoints(session: Session) -> Table:
    """Programs and lines with their conditions; a program keeps its breakpoints under another name."""
    names = program_names(session)
    rows = sorted(
        (names[program], line, "" if one.condition is None else expression_text(one.condition))
        for (program, line), one in session.breakpoints.items()
        if program in names
    )
    return Table(("program", "line", "when"), tuple(rows))


@command(
    "unbreak [{program}] [{line}]",
    help="remove breakpoints: one, those of a program, or all",
    effect="view",
    program=Ref("program"),
    line=LineNumber(),
    examples=[*_STAGE, "> break demo 3", "unbreak demo 3", "unbreak"],
)
def unbreak(session: Session, program: Entity | None = None, line: int | None = None) -> Done:
    """Runs go on there again."""
    gone = [
        key
        for key in session.breakpoints
        if (program is None or key[0] == program.id) and (line is None or key[1] == line)
    ]
    if line is not None and program is not None and not gone:
        lines = [str(at) for one, at in session.breakpoints if one == program.id]
        raise UnknownName.among(f"breakpoint of {program.name!r} at line", str(line), lines)
    for key in gone:
        del session.breakpoints[key]
    return Done(f"{counted(len(gone), 'breakpoint')} removed")


@command(
    "save-run {file} [--replace]",
    help="save the paused run, to go on with it later or in another process",
    effect="reads",
    file=File((".run",)),
    examples=[*_BEGUN, "save-run half.run"],
)
def save_run(session: Session, file: str, replace: bool = False) -> Done:
    """The run stays paused. The file goes with the cell as it was when the run began; a file that is there stays.

    Where things were only renamed since then, the file goes with the cell as it is called now: the run is made again up
    to where it stands, under the new names.
    """
    paused = under_new_names(session, required(session))
    about = {
        "names": paused.names,
        "together": paused.together,
        "line": paused.line,
        "typed": paused.typed,
        "files": paused.files,
        "units": session.display.of_cell,
        "inputs": tuple((one.position, one.step) for one in paused.stepped.inputs),
    }
    saved = paused.stepped.run.saved(about)
    session.files.write(file, saved.to_bytes(), replace)
    return Done(f"{paused.called} saved as {file} at {paused.state.time:.4f} s")


@command(
    "load-run {file}",
    help="take up a run that was saved; it is paused where it was",
    effect="simulates",
    file=File((".run",)),
    examples=[*_BEGUN, "> save-run half.run", "> stop-run", "load-run half.run", "> resume"],
)
def load_run(session: Session, file: str) -> Stood:
    """On the cell that it was saved on: a cell with other robots, bodies, targets or signals is refused.

    So is one where a program of the run or the units of its arguments are others now, since the history could not carry
    out the run again.
    """
    from workcell.simulation.interpreter import Run
    from workcell.simulation.saved_runs import SavedRun
    from workcell.simulation.simulator import Simulator
    from workcell.simulation.stepping import Input, SteppedRun

    saved = SavedRun.from_bytes(session.files.read(file))
    run = Run.restored(saved, Simulator(session.snapshot()))
    about = saved.about
    if not about:
        raise Refused(f"{file} was saved by a program in Python; `Run.load` goes on with it.")
    _require_same(session, about, run.known)
    inputs = [Input(*one) for one in about["inputs"]]
    paused = PausedRun(
        SteppedRun(run, inputs=inputs), about["names"], about["together"], about["line"], about["typed"],
        session.database.history.revision, program_names(session), about["files"],
    )  # fmt: skip
    gone_on(session, paused, lambda _: True)
    return stood(session, paused)


def _require_same(session: Session, about: Mapping[str, Any], known: Mapping[str, Program]) -> None:
    """Refuse to take up a run where its line in the journal would make another run than it is."""
    from workcell.commands.program_store import program_of

    try:
        _, values = session.registry.tree.parse(about["line"], session)
        entities = values.get("programs") or [values["program"]]
        started = {program_of(session, one).name: one for one in entities}
    except WorkcellError:  # what it starts is gone
        values, started = {}, {}
    odd = []
    for name, program in known.items():
        entity = started.get(name) if name in about["names"] else session.database.find("program", name)
        if entity is None or not _reads_as(session, entity, program):
            odd.append(name)
    if odd:
        named, them = f"program{'s' * (len(odd) > 1)} {' and '.join(map(repr, odd))}", "it" if len(odd) == 1 else "them"
        raise Refused(
            f"The run was saved with {named} as the cell no longer has {them}, so the history could not carry "
            "out the run again; `undo` the edits since then, or `debug` the program as it is now.",
            programs=odd,
        )
    if "arguments" in values and about.get("units") != session.display.of_cell:
        raise Refused(
            "The run was begun with values in other units than the cell has now, so the history could not carry it out "
            "again; give the cell the `units` that it had, or `debug` the program again."
        )


def _reads_as(session: Session, entity: Entity, program: Program) -> bool:
    """Whether a program or task has these steps in these lines, so that it records the same."""
    from workcell.commands.program_store import program_of, stored

    here = program_of(session, entity)
    mistaken = entity.kind == "program" and stored(entity).problems
    lines = [[place.line for place in one.places] for one in (here, program)]
    return not mistaken and here == program and lines[0] == lines[1]


@command(
    "as-of {step} {line}",
    help="carry out a run on the cell as it was after a step of the history; written by the journal",
    effect="simulates",
    step=Number(whole=True),
    line=Rest("RUN", "a run"),
    param_help={"step": "the step after which the run began; the cell was edited while it was paused"},
    examples=[*_STAGE, "> create object other", "as-of 3 run demo"],
)
def as_of(session: Session, step: int, line: str) -> Result:
    """Edits that were made while a run was paused do not apply to it; so it is made again without them."""
    if not line.startswith("run"):
        raise Refused(f"Only runs can be carried out on an earlier cell; found {line.split(maxsplit=1)[0]!r}.")
    found: Result = again_as_of(session, step, line)
    return found
