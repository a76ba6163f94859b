"""Commands that step through runs: debug, resume, step-…, pause, breakpoints, save-run, load-run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workcell.commands.breakpoints import fitted_breakpoints
from workcell.commands.language.expression_text import expression_text
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import File, LineNumber, Number, Rest
from workcell.commands.program_values import Arguments, Condition, Programs
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
    help="start a run and pause before its first step",
    effect="simulates",
    programs=Programs(),
    arguments=Arguments(),
    line=LineNumber(),
    param_help={
        "arguments": "values for the parameters of the first program, in order",
        "line": "the line at which the first program starts, counted from 1; the lines before it are skipped",
    },
    examples=[*_STAGE, "debug demo"],
)
def debug(
    session: Session, programs: Sequence[Entity], arguments: tuple[Expression, ...] = (), line: int | None = None
) -> Stood | Ran | RanTogether:
    """Then use `step-into`, `step-over`, `step-out`, `step-back` and `resume`; `stop-run` ends the run.

    While the run is paused, commands that read show the state of the run. You may edit the cell; edits apply to the
    next run. The finished run is one step of the history, as with `run`.
    """
    session.outside_group("step through a run")
    run = begun(session, programs, arguments, line, together=len(programs) > 1)
    return answered(session, run, lambda stepped: stepped.into())


def _goes_on(word: str, help: str, more: str, how: Callable[[SteppedRun], bool]) -> Callable[[Session], Any]:
    """Declare a command that continues the paused run."""

    def go_on(session: Session) -> Stood | Ran | RanTogether:
        return answered(session, required(session), how)

    go_on.__doc__ = more
    declare = command(word, help=help, effect="simulates", while_paused=True, examples=[*_BEGUN, word])
    return declare(go_on)


resume = _goes_on(
    "resume",
    "continue the paused run to the next breakpoint or its end",
    "The run continues with the cell as it was when the run began. The answer reports edits since then.",
    lambda stepped: stepped.resume(),
)
step_into = _goes_on(
    "step-into",
    "run one step of the paused run, and pause before the next step of any program",
    "If the step is a call, the run pauses before the first step of the called program.",
    lambda stepped: stepped.into(),
)
step_over = _goes_on(
    "step-over",
    "run one step of the paused run with everything that it calls, and pause before the next step of the same program",
    "A breakpoint in a called program, or in another program, pauses the run earlier.",
    lambda stepped: stepped.over_step(),
)
step_out = _goes_on(
    "step-out",
    "run the rest of the innermost program, and pause before the next step of its caller",
    "Without a caller, the run continues to its end.",
    lambda stepped: stepped.out(),
)


@command(
    "step-back [{count}] [to {line}]",
    help="return the paused run to an earlier pause",
    effect="view",
    count=Number(positive=True, whole=True),
    line=LineNumber(),
    param_help={
        "count": "the number of steps; default 1",
        "line": "return to the last pause before this line of the program",
    },
    examples=[*_BEGUN, "> step-into", "> step-into", "> step-into", "step-back", "step-back to 1"],
)
def step_back(session: Session, count: int = 1, line: int | None = None) -> Stood:
    """State, clock, variables and recording are restored. Signals that were set by hand since then are discarded."""
    paused = required(session)
    paused.stepped.back(count, line)
    session.ongoing.along.write(paused.simulator)
    session.tell("simulates", "step-back")
    return stood(session, paused)


@command(
    "pause",
    help="pause a run before its next step",
    effect="view",
    examples=[*_BEGUN, "pause"],
)
def pause(session: Session) -> Stood:
    """Another client types this while the run continues. If the run is already paused, the answer shows where."""
    return stood(session, required(session))


@command(
    "stop-run",
    help="end the paused run and discard it",
    effect="view",
    examples=[*_BEGUN, "stop-run"],
)
def stop_run(session: Session) -> Done:
    """The state and the recording are again as they were before the run."""
    required(session)
    ended = session.end_paused()
    session.tell("simulates", "stop-run")
    return Done(ended)


@command(
    "run-status",
    help="list the programs of the paused run: where each one is, who called it, and its variables",
    effect="reads",
    examples=[*_BEGUN, "run-status"],
)
def run_status(session: Session) -> Table:
    """They are in the order in which they continue at the same instant.

    Each branch of a parallel block has its own row.
    """
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


@command(
    "break {program} {line} [when {condition}]",
    help="set a breakpoint: runs pause before a line of a program",
    effect="view",
    program=Ref("program"),
    line=LineNumber(),
    condition=Condition(),
    param_help={
        "condition": "pause only if this is true, such as `n > 3`; names mean what they mean in the program",
        "line": "its number, counted from 1; if the line has no step, the next line with one",
    },
    examples=[*_STAGE, "break demo 3", "break demo line 5 when n = 2", "> run demo"],
)
def break_(session: Session, program: Entity, line: int, condition: Expression | None = None) -> Done:
    """Breakpoints belong to the session and are not saved in the cell.

    `run` pauses at them too, and `resume` continues.

    A line has one breakpoint; a new one replaces it. If the condition cannot be evaluated, for example because a
    variable has no value yet, the run pauses and reports it.
    """
    from workcell.commands.program_store import TEXT, names_of, stored
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
    before = fitted_breakpoints(session).get((program.id, found))
    session.breakpoints[program.id, found] = Breakpoint(found, condition)
    session.break_texts[program.id] = str(program.properties.get(TEXT, ""))
    moved = "" if found == line else f" (line {line} has no step)"
    instead = "" if before is None else f"; it replaces the breakpoint there{_when(before.condition)}"
    return Done(f"runs pause before line {found} of {program.name!r}{_when(condition)}{moved}{instead}")


def _when(condition: Expression | None) -> str:
    return "" if condition is None else f" when {expression_text(condition)}"


def _number_at(program: Any, at: int) -> int:
    from workcell.programs.code import instructions

    return instructions(program)[at].number


@command(
    "breakpoints",
    help="list the breakpoints",
    effect="reads",
    examples=[*_STAGE, "> break demo 3", "breakpoints"],
)
def breakpoints(session: Session) -> Table:
    """The list shows programs, lines and conditions.

    A renamed program keeps its breakpoints. When its lines are edited, each breakpoint stays with its line.
    """
    names = program_names(session)
    rows = sorted(
        (names[program], line, "" if one.condition is None else expression_text(one.condition))
        for (program, line), one in fitted_breakpoints(session).items()
        if program in names
    )
    return Table(("program", "line", "when"), tuple(rows))


@command(
    "unbreak [{program}] [{line}]",
    help="remove breakpoints: one, those of a program, or all",
    effect="view",
    program=Ref("program"),
    line=LineNumber(),
    param_help={"program": "default: all programs", "line": "its number, counted from 1; default: all lines"},
    examples=[*_STAGE, "> break demo 3", "unbreak demo 3", "unbreak"],
)
def unbreak(session: Session, program: Entity | None = None, line: int | None = None) -> Done:
    """Runs no longer pause there."""
    gone = [
        key
        for key in fitted_breakpoints(session)
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
    help="save the paused run to a file, to continue it later or in another process",
    effect="reads",
    file=File((".run",)),
    param_help={"replace": "overwrite the file if it exists"},
    examples=[*_BEGUN, "save-run half.run"],
)
def save_run(session: Session, file: str, replace: bool = False) -> Done:
    """The run stays paused. The file belongs to the cell as it was when the run began.

    If things were only renamed since then, the run is repeated with the new names up to the same step, and the file
    belongs to the cell with these names.
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
    help="restore a saved run; it is paused where it was",
    effect="simulates",
    file=File((".run",)),
    examples=[*_BEGUN, "> save-run half.run", "> stop-run", "load-run half.run", "> resume"],
)
def load_run(session: Session, file: str) -> Stood:
    """The cell must be the one that the run was saved with. Other robots, bodies, targets or signals are refused.

    Changed programs of the run, and other units for its arguments, are refused too, because the history could not
    repeat the run.
    """
    from workcell.simulation.interpreter import Run
    from workcell.simulation.saved_runs import SavedRun
    from workcell.simulation.simulator import Simulator
    from workcell.simulation.stepping import Input, SteppedRun

    saved = SavedRun.from_bytes(session.files.read(file))
    run = Run.restored(saved, Simulator(session.snapshot()))
    about = saved.about
    if not about:
        raise Refused(f"{file} was saved by a Python program; continue it with `Run.load`.")
    _require_same(session, about, run.known)
    inputs = [Input(*one) for one in about["inputs"]]
    paused = PausedRun(
        SteppedRun(run, inputs=inputs), about["names"], about["together"], about["line"], about["typed"],
        session.database.history.revision, program_names(session), about["files"], session.who,
    )  # fmt: skip
    gone_on(session, paused, lambda _: True)
    return stood(session, paused)


def _require_same(session: Session, about: Mapping[str, Any], known: Mapping[str, Program]) -> None:
    """Refuse to restore a run that its line in the journal could not repeat."""
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
        named = f"program{'s' * (len(odd) > 1)} {' and '.join(map(repr, odd))}"
        raise Refused(
            f"Since the run was saved, {named} changed or {'was' if len(odd) == 1 else 'were'} removed, so the "
            "history could not repeat the run. `undo` these edits, or `debug` the program as it is now.",
            programs=odd,
        )
    if "arguments" in values and about.get("units") != session.display.of_cell:
        raise Refused(
            "The run began with values in other units than the cell has now, so the history could not repeat it. "
            "Set the `units` that the cell had, or `debug` the program again."
        )


def _reads_as(session: Session, entity: Entity, program: Program) -> bool:
    """Whether a program or task has the same steps in the same lines."""
    from workcell.commands.program_store import program_of, stored

    here = program_of(session, entity)
    mistaken = entity.kind == "program" and stored(entity).problems
    lines = [[place.line for place in one.places] for one in (here, program)]
    return not mistaken and here == program and lines[0] == lines[1]


@command(
    "as-of {step} {line}",
    help="repeat a run on the cell as it was after a step of the history; for the journal",
    effect="simulates",
    step=Number(whole=True),
    line=Rest("RUN", "a run"),
    param_help={"step": "the step of the history after which the run began", "line": "the run to repeat"},
    examples=[*_STAGE, "> create object other", "as-of 3 run demo"],
)
def as_of(session: Session, step: int, line: str) -> Result:
    """The journal uses this if the cell was edited while a run was paused. Such edits do not apply to the run."""
    if not line.startswith("run"):
        raise Refused(f"Only a run can be repeated on an earlier cell; found {line.split(maxsplit=1)[0]!r}.")
    found: Result = again_as_of(session, step, line)
    return found
