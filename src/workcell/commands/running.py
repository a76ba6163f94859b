"""How a session begins runs of programs, goes on with them, and keeps what comes of them.

A run is one step of the history, kept when it is over. While it stands before a step, it is the session's paused run:
questions are answered from where it stands, edits apply to the next run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from workcell.commands.language.expression_text import expression_text
from workcell.commands.language.program_lines import joined_lines
from workcell.commands.language.program_printer import step_lines
from workcell.commands.program_store import TEXT, runnable, stored
from workcell.commands.program_tables import tables_of
from workcell.commands.results import Result
from workcell.commands.run_inputs import Inputs
from workcell.commands.run_start import start_of
from workcell.errors import MotionStop, Refused, WorkcellError
from workcell.programs import steps as s
from workcell.programs.expressions import Expression, Number
from workcell.programs.program import Program
from workcell.wording import counted, joined
from workcell.world.entities import Entity
from workcell.world.renaming import renaming

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.interpreter import Run
    from workcell.simulation.recording import Recording
    from workcell.simulation.simulator import Simulator
    from workcell.simulation.stepping import Breakpoint, Input, SteppedRun
    from workcell.simulation.threads import Frame
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState


_KEPT = (
    "The run up to there is kept as one step of the history: `report`, `check recording` and `film FILE` show it, "
    "`undo` discards it."
)
_STANDS_AGAIN = "The run is paused before that step: use `step-back`, set a signal, or `stop-run`."


@dataclass(frozen=True)
class PausedRun:
    """A run that a session has begun and not yet ended.

    Attributes:
        stepped: the run.
        names: the programs that were started.
        together: whether they were started in parallel.
        line: its command for the journal, without the inputs.
        typed: what was typed to begin it.
        began: the step of the history after which it began.
        programs: the names of the programs of the cell when it began, by their ids.
        files: the bytes that the journal keeps with it.
        who: the client that began it.
        seen: a copy of its simulator, for a reader in another thread.
    """

    stepped: SteppedRun
    names: tuple[str, ...]
    together: bool
    line: str
    typed: str
    began: int
    programs: Mapping[int, str]
    files: tuple[bytes, ...] = ()
    who: str = ""
    seen: Simulator | None = None

    @property
    def simulator(self) -> Simulator:
        """Its simulator."""
        return self.stepped.run.simulator if self.seen is None else self.seen

    @property
    def state(self) -> CellState:
        """The state of the run."""
        return self.simulator.state

    @property
    def recording(self) -> Recording:
        """Its recording so far."""
        return self.simulator.recording

    def state_on(self, snapshot: Snapshot) -> CellState:
        """Return its state on a later snapshot, under the current names."""
        return snapshot.fitted(self.state.renamed(renaming(self.simulator.snapshot, snapshot)))

    def recording_on(self, snapshot: Snapshot) -> Recording:
        """Return its recording so far on a later snapshot, under the current names."""
        return self.recording.renamed(renaming(self.simulator.snapshot, snapshot)).on(snapshot)

    def simulator_on(self, snapshot: Snapshot) -> Simulator:
        """Return a simulator with its state, on a snapshot that may be later."""
        from workcell.simulation.simulator import Simulator

        if self.simulator.snapshot is snapshot:
            return self.simulator
        return Simulator(snapshot, None, self.state_on(snapshot), self.recording_on(snapshot))

    def set_signal(self, signal: Entity, value: float) -> None:
        """Set a signal of the cell in the run.

        Raises:
            Refused: the run does not have the signal, because it was made later.
        """
        name = self.simulator.snapshot.names.signals.get(signal.id)
        if name is None:
            raise Refused(
                f"Signal {signal.name!r} was made after {self.called} began, so the run does not have it. `resume` "
                "or `stop-run` first, then set it.",
                signal=signal.name,
            )
        self.stepped.give(s.SetSignal(name, Number(value)))

    def name_in(self, session: Session, entity: Entity) -> str:
        """Return the name of a robot, mechanism or object of the cell in the run.

        Raises:
            Refused: the run does not have it, because it was made later.
        """
        now, then = session.snapshot(), self.simulator.snapshot
        name = renaming(now, then)(entity.name) if now is not then else entity.name
        if not name:
            raise Refused(
                f"{entity.name!r} was made after {self.called} began, so the run does not have it.", device=entity.name
            )
        return name

    def still(self) -> PausedRun:
        """Return a copy for another thread, as the run is now."""
        from workcell.simulation.simulator import Simulator

        now = self.simulator
        return replace(self, seen=Simulator(now.snapshot, now.mode, now.state, now.recording.copy()))

    def entry(self, revision: int) -> str:
        """Return the command of its journal entry at a revision of the history."""
        came = self.stepped.inputs
        line = f"{self.line} inputs {Inputs().text(came)}" if came else self.line
        return line if revision == self.began else f"as-of {self.began} {line}"

    @property
    def called(self) -> str:
        """How messages refer to it."""
        return f"the run of {' and '.join(repr(name) for name in self.names)}"


class Stood(Result, frozen=True):
    """A paused run: the program, the line and the step that come next, and the simulated time [s].

    ``condition`` is that of the breakpoint that paused it, if any; ``unclear`` is why it cannot be evaluated.
    """

    program: str
    line: int
    step: str
    time: float
    breakpoint: bool = False
    condition: str = ""
    notes: tuple[str, ...] = ()
    unclear: str = ""
    awaits: tuple[str, ...] = ()
    """The signals for which the step waits, if the run is paused in a step that waits for one."""

    def __str__(self) -> str:
        if self.awaits:
            where = f"in line {self.line} of {self.program!r} at {self.time:.4f} s: {self.step}"
            return "\n".join([where, f"{awaiting(self.awaits)}.", *self.notes])
        why = f", breakpoint{f' when {self.condition}' if self.condition else ''}" if self.breakpoint else ""
        where = f"before line {self.line} of {self.program!r} at {self.time:.4f} s{why}: {self.step}"
        unclear = [f"It paused because the condition cannot be evaluated: {self.unclear}"] if self.unclear else []
        return "\n".join([where, *unclear, *self.notes])


def begun(
    session: Session,
    programs: Sequence[Entity],
    arguments: tuple[Expression, ...] = (),
    line: int | None = None,
    tables: dict[str, str] | None = None,
    inputs: Sequence[Input] = (),
    together: bool = False,
    from_present: bool = False,
) -> PausedRun:
    """Return a run of programs on its own simulator, before its first step.

    Args:
        session: the session that starts it.
        programs: what to start, in the order in which they continue at the same instant.
        arguments: values for the parameters of the first program.
        line: the line at which the first program starts; None for its beginning.
        tables: where the cell keeps the tables that they follow; None to read them from files.
        inputs: the inputs of the original run, for a replay.
        together: whether they are started with `run-together`.
        from_present: whether they start in the present state and not in the initial one.
    """
    from workcell.simulation.stepping import SteppedRun

    start = start_of(session, from_present)
    ready, known = runnable(session, programs, start)
    run = run_of(session, ready, known, arguments, line, tables_of(session, known.values(), tables), start)
    stepped = SteppedRun(run, keeps=False, again=inputs)
    names = tuple(program.name for program in ready)
    kept: dict[str, Any] = {"programs": list(programs)} if together else {"program": programs[0]}
    given = (("arguments", arguments), ("line", line), ("from_present", from_present))
    kept |= {name: value for name, value in given if value}
    written = session.written("run-together" if together else "run", kept)
    began = session.database.history.revision
    return PausedRun(
        stepped, names, together, written, session.typed, began, program_names(session), tuple(session.kept.files),
        session.who,
    )  # fmt: skip


def run_of(
    session: Session,
    ready: Sequence[Program],
    known: Mapping[str, Program],
    arguments: tuple[Expression, ...],
    line: int | None,
    files: Mapping[str, bytes],
    begins: CellState | None = None,
) -> Run:
    """Return a run of programs on the cell of a session, before its first step.

    Args:
        session: the session.
        ready: the programs that are started.
        known: every program that may be called, by name.
        arguments: values for the parameters of the first program.
        line: the line at which the first program starts; None for its beginning.
        files: the tables that they follow, by name.
        begins: the state in which it starts; None for the initial state.
    """
    from workcell.simulation.interpreter import Run
    from workcell.simulation.simulator import Simulator
    from workcell.simulation.stepping import start_at

    start = 0 if line is None else start_at(ready[0], line)
    simulator = Simulator(session.snapshot(), state=begins, faults=True)
    simulator.begin_recording()
    simulator.cancel = session.cancel
    return Run(simulator, ready, known, given_values(session, simulator, ready, arguments), files, start)


def given_values(
    session: Session, simulator: Simulator, programs: Sequence[Program], arguments: tuple[Expression, ...]
) -> dict[str, tuple[Any, ...]]:
    """Return the values of arguments for the first program; a bare number is in the units of the cell."""
    from workcell.programs.arguments import about
    from workcell.programs.evaluate import evaluate
    from workcell.programs.measures import DIMENSIONS, Measure, as_quantity
    from workcell.programs.named_parameters import NAMED, given_name
    from workcell.simulation.scopes import StartScope

    units = session.display.of_cell
    scope, found, parameters = StartScope(simulator, units), [], programs[0].parameters
    if len(arguments) > len(parameters):
        takes = counted(len(parameters), "value") if parameters else "no values"
        raise Refused(f"Program {programs[0].name!r} takes {takes}; found {len(arguments)}.")
    for place, argument in enumerate(arguments):
        kind, name = parameters[place].type, parameters[place].name
        with about(programs[0].name, name):
            value = given_name(argument, {}, name) if kind in NAMED else evaluate(argument, scope)
            if kind in DIMENSIONS and isinstance(value, Measure):
                value = Measure(as_quantity(value, kind, units), DIMENSIONS[kind])
        found.append(value)
    return {programs[0].name: tuple(found)}


def gone_on(session: Session, paused: PausedRun, how: Callable[[SteppedRun], bool]) -> bool:
    """Continue a run; return whether it is paused. A completed run becomes one step of the session.

    If somebody attends the session, a run in which every program waits for a signal pauses there. So does a run that
    was paused before.
    If a step is refused, a run that was never paused ends and is discarded; a run that was paused before pauses before
    that step again. A move that stops before a contact, at a limit or after a fall ends a run too; the run is kept up
    to there.
    """
    stepped = paused.stepped
    stepped.run.simulator.cancel = session.cancel
    stepped.breakpoints = {} if session.replaying else _by_name(session, paused)
    if stepped.breakpoints:
        stepped.keep()
    if session.watch_run is not None and not session.replaying:
        stepped.on_step = session.watch_run(paused)
    by_hand = session.attended and not session.scripts
    stepped.attended = not session.replaying and (by_hand or stepped.run.standing is not None)
    session.paused = paused
    session.ongoing.along.write(paused.simulator)
    session.going = stepped.pause_asked
    try:
        stands = how(stepped)
    except MotionStop as error:
        session.finish(paused)
        if paused.state.time == 0.0:
            raise  # nothing has happened yet
        raise type(error)(f"{error.message}\n{_KEPT}", **{**error.evidence, "kept": True}) from error
    except WorkcellError as error:
        if stepped.run.standing is None:
            session.paused = None
            raise
        raise type(error)(f"{error.message} {_STANDS_AGAIN}", **error.evidence) from error
    except BaseException:
        if stepped.run.standing is None:
            session.paused = None
        raise
    finally:
        session.going = None
    if not stands:
        session.finish(paused)
    return stands


def program_names(session: Session) -> dict[int, str]:
    """Return the names of the programs of the cell, by their ids."""
    return {one.id: one.name for one in session.database.entities("program")}


def _by_name(session: Session, paused: PausedRun) -> dict[tuple[str, int], Breakpoint]:
    """Return the breakpoints under the names and at the lines that the programs had when a run began."""
    from workcell.commands.present_lines import PresentLines

    names = program_names(session)
    now = {before: names[program] for program, before in paused.programs.items() if program in names}
    present = PresentLines(session, paused.simulator.memory, now)
    found: dict[tuple[str, int], Breakpoint] = {}
    for (program, line), one in session.breakpoints.fitted().items():
        if program in paused.programs:
            name = paused.programs[program]
            found.update(((name, then), one) for then in present.ran_lines(name, line))
    return found


def stood(session: Session, paused: PausedRun, notes: tuple[str, ...] = ()) -> Stood:
    """Return the answer for a paused run: where it is, with notes on how it began."""
    thread = paused.stepped.run.standing
    assert thread is not None
    frame, hit = thread.frame, paused.stepped.hit
    return Stood(
        frame.program.name,
        frame.place.line,
        _written(session, paused, frame),
        paused.state.time,
        hit is not None,
        "" if hit is None or hit.condition is None else expression_text(hit.condition),
        (*notes, *edited_since(session, paused)),
        paused.stepped.unclear,
        paused.stepped.awaited,
    )


def awaiting(signals: Sequence[str]) -> str:
    """Return what a run that waits for one of these signals needs; '' for none."""
    if not signals:
        return ""
    return f"It waits for {'signal' if len(signals) == 1 else 'signals'} {joined(signals)}: set it and `resume`"


def _written(session: Session, paused: PausedRun, frame: Frame) -> str:
    """Return the next step of a frame, as its program has it; if the cell has other lines now, as it is printed."""
    for entity in session.database.entities("program"):
        if paused.programs.get(entity.id) == frame.program.name and stored(entity).program == frame.program:
            lines = joined_lines(str(entity.properties.get(TEXT, "")))
            return next((line.strip() for number, _, line in lines if number == frame.place.line), "")
    return next(iter(step_lines(frame.instruction.step))).strip()


def edited_since(session: Session, paused: PausedRun) -> tuple[str, ...]:
    """Return a note if the cell was edited since a run began."""
    if session.database.history.revision == paused.began:
        return ()
    return ("The cell was edited since the run began. The edits apply to the next run.",)


def required(session: Session) -> PausedRun:
    """Return the paused run of a session; refused if there is none."""
    if session.paused is None:
        raise Refused(
            "No run is paused; `debug PROGRAM` starts a paused run, and `break PROGRAM LINE` pauses `run` at a line."
        )
    return session.paused
