"""Commands that step through runs: debug, resume, step-…, pause, breakpoints, save-run, load-run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from workcell.commands.language.registry import command
from workcell.commands.language.values import LineNumber, Number, Rest
from workcell.commands.program_values import Arguments, Programs
from workcell.commands.ran import Ran, RanTogether, answered
from workcell.commands.repeated_runs import last_run
from workcell.commands.replaying import again_as_of
from workcell.commands.results import Done, Result, Table
from workcell.commands.run_start import FROM_PRESENT, STOP_AND_AGAIN, start_notes
from workcell.commands.running import Stood, begun, edited_since, required, stood
from workcell.errors import Refused
from workcell.programs.evaluate import shown
from workcell.programs.expressions import Expression
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
    "debug {programs} [with {arguments}] [from {line}] [--from-present]",
    help="start a run and pause before its first step",
    effect="simulates",
    programs=Programs(),
    arguments=Arguments(),
    line=LineNumber(),
    param_help={
        "arguments": "values for the parameters of the first program, in order",
        "line": "the line at which the first program starts, counted from 1; the lines before it are skipped",
        "from_present": FROM_PRESENT,
    },
    examples=[*_STAGE, "debug demo"],
)
def debug(
    session: Session,
    programs: Sequence[Entity],
    arguments: tuple[Expression, ...] = (),
    line: int | None = None,
    from_present: bool = False,
) -> Stood | Ran | RanTogether:
    """Then use `step-into`, `step-over`, `step-out`, `step-back` and `resume`; `stop-run` ends the run.

    While the run is paused, commands that read show the state of the run. You may edit the cell; edits apply to the
    next run. The finished run is one step of the history, as with `run`.
    """
    session.outside_group("step through a run")
    started = () if from_present else start_notes(session, STOP_AND_AGAIN)
    run = begun(session, programs, arguments, line, together=len(programs) > 1, from_present=from_present)
    return answered(session, run, lambda stepped: stepped.into(), started)


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
    "pause-at {time}",
    help="return the last run to a time, and pause before the step that was carried out then",
    effect="simulates",
    while_paused=True,
    time=Number("time"),
    param_help={"time": "the simulated time"},
    examples=[*_STAGE, "> run demo", "pause-at 0.2s", "> step-over"],
)
def pause_at(session: Session, time: float) -> Stood | Ran | RanTogether:
    """The run is repeated from its start up to there, with the signals that were set by hand until then.

    A complete run must be the last step of the history. It is paused again and no longer a step, until it is complete.
    Of steps in parallel, the one that began last counts.
    """
    session.outside_group("pause a run again")
    run, simulator, paused = last_run(session), session.simulator, session.paused
    if run.kept:
        session.database.undo()
    try:
        answer = answered(session, run.begun(session), lambda stepped: stepped.at(time))
    except BaseException:
        if session.paused is paused or session.paused is None:
            session.paused = paused
            if run.kept:
                session.database.redo()
                session.ongoing.keep(simulator)
        raise
    if paused is not None:
        paused.stepped.run.abandon()
    return answer


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
