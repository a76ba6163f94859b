"""Commands that simulate: they are carried out, and the new state is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.writing import shown_line
from workcell.commands.results import with_note
from workcell.errors import Cancelled, MotionStop, Refused, WorkcellError
from workcell.world.renaming import renaming

if TYPE_CHECKING:
    from workcell.commands.language.registry import Command
    from workcell.commands.session import Session
    from workcell.simulation.simulator import Simulator


def simulate(session: Session, command: Command, values: dict[str, Any], typed: str) -> Any:
    """Carry out a command that makes a new state; the journal keeps the states before and after.

    A run that pauses enters the journal when it is complete. A refused command changes nothing; a stopped motion stays
    where it stopped.
    """
    if session.paused is not None and not command.while_paused:
        raise Refused(
            f"`{command.name}` is not possible while {session.paused.called} is paused; `resume` it to its end, or "
            "`stop-run` first."
        )
    from workcell.simulation.events import Issued

    ongoing, simulator = session.ongoing, session.simulator
    moment = None
    if session.paused is None:
        told, moment = simulator.state, simulator.moment()
        if simulator.state is not told:  # the recording begins with what sensors read
            ongoing.keep()
    before = simulator.state
    simulator.cancel = session.cancel
    session.kept.begin()
    if not typed and session.when is None:
        typed = shown_line(session, command, values)
    session.ended, session.typed = None, typed
    line = session.line_of(command, values)
    made = False
    try:
        result = command.run(session, **values)
        made = True
    except (MotionStop, Cancelled):
        raise
    except WorkcellError:
        if moment is not None and session.paused is None and simulator.state is not before:
            simulator.take_back(moment)
            ongoing.keep(simulator)
            before = simulator.state
        raise
    finally:
        # Even if it was stopped halfway: the state is where the robot stopped.
        if session.paused is not None:
            session.tell(command.effect, line, typed)
        elif ongoing.begun is not None and (made or ongoing.begun.state is not before):
            if ongoing.begun is simulator and session.ended is None:  # the steps of a run come from programs
                simulator.recorder.source(Issued(before.time, who=session.who))
            _keep_state(session, ongoing.begun, command, values, typed)
    return with_note(result, ongoing.loss) if session.ended is not None else result


def _keep_state(session: Session, simulator: Simulator, command: Command, values: dict[str, Any], typed: str) -> None:
    """Store the state after a command or a run as one step, on the cell as it is now."""
    line, files = session.line_of(command, values), session.kept.files
    if session.ended is not None:
        line, typed = session.ended.entry(session.database.history.revision), session.ended.typed
        files = list(session.ended.files)
    if simulator.snapshot.sensors:
        simulator.reached()
    state, edited = simulator.state, simulator.snapshot is not session.snapshot()
    if edited:  # a run that began before the last edits
        state = session.snapshot().fitted(state.renamed(renaming(simulator.snapshot, session.snapshot())))
    with session.database.edit(lambda: line, session.who, session.when, typed, always=True) as rows:
        for data in files:
            session.database.keep_blob(data)
        text = state.to_json()
        session.database.set_state(rows, text)
    session.present.kept(text, state)
    simulator.end_faults()
    if session.when is None:
        session.database.bound_states()
    session.ongoing.lost = ""
    if edited:
        session.ongoing.follow()
    else:
        session.ongoing.keep()
    session.tell(command.effect, line, typed)
