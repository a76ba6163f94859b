"""What other threads may read of a session: immutable, replaced after every change."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from workcell.service import protocol
from workcell.service.scene import recording_info, scene

if TYPE_CHECKING:
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
    snapshot, state, recording = session.snapshot(), session.state, session.recording
    shown = scene(snapshot, state, shapes, *session.history_labels())
    return View(
        epoch=epoch,
        snapshot=snapshot,
        state=state,
        recording=recording,
        scene=protocol.encode(shown).decode(),
        info=recording_info(snapshot, recording, str(epoch)),
    )
