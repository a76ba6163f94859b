"""What other threads may read of a session: immutable, replaced after every change."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from workcell.errors import WorkcellError
from workcell.service import protocol
from workcell.service.poses import along
from workcell.service.scene import About, recording_info, scene
from workcell.simulation.simulator import Simulator

if TYPE_CHECKING:
    from workcell.collision.zones import Zone
    from workcell.commands.session import Session
    from workcell.service.shapes import Shapes
    from workcell.simulation.recording import Recording
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState


@dataclasses.dataclass(frozen=True)
class View:
    """The session at one moment, and the messages that show it.

    Attributes:
        epoch: counts the views; poses are cached by it.
        scene: the scene message, as text.
        info: what there is to play.
    """

    epoch: int
    snapshot: Snapshot
    state: CellState
    recording: Recording
    scene: str
    info: protocol.RecordingInfo


def take(session: Session, shapes: Shapes, epoch: int) -> View:
    """The session as it is now. Called in the cell thread."""
    snapshot, state, recording = session.snapshot(), session.state, session.recording.copy()
    shown = scene(snapshot, state, shapes, about(session), zones(session))
    return View(
        epoch=epoch,
        snapshot=snapshot,
        state=state,
        recording=recording,
        scene=protocol.encode(shown).decode(),
        info=recording_info(snapshot, recording, str(epoch)),
    )


def zones(session: Session) -> tuple[Zone, ...]:
    """The zones to show; none while one of them has no shape, which collision questions tell."""
    from workcell.collision.zones import zones_of

    try:
        return zones_of(session.snapshot())
    except WorkcellError:
        return ()


def about(session: Session) -> About:
    """What undo would take back, what redo would do again, and the programs there are."""
    history = session.database.history
    last = history.entry(history.revision).label if history.revision else ""
    undone = history.next_redo.label if history.can_redo else ""
    programs = tuple(entity.name for entity in session.database.entities("program"))
    return About(session.revision, last, undone, programs)


def rehearse(snapshot: Snapshot) -> None:
    """Move each kind of robot a little on a copy and sample it: what moving and playing need is loaded then."""
    simulator = Simulator(snapshot, faults=False)
    for placed in {placed.robot.name: placed for placed in snapshot.robots}.values():
        robot = simulator.robot(placed.name)
        robot.move_joints_absolute(0.99 * robot.joints + 0.01 * placed.robot.limits.mean(axis=1))
    start = simulator.recording.start.time
    along(snapshot, simulator.recording, start, 0.01, 2)
