"""What moves, and the recording of it: pieces of motions, moves that were made, and when each began."""

from __future__ import annotations

import math
import sys

import numpy as np
from numpy.typing import NDArray

from workcell.motion.trajectory import Trajectory
from workcell.simulation.drives import Follow
from workcell.simulation.events import MoveBegan
from workcell.simulation.gliding import Glide
from workcell.simulation.happenings import Move
from workcell.simulation.pieces import Exact
from workcell.simulation.planned import Planned
from workcell.simulation.recorder import Recorder
from workcell.simulation.whereabouts import Whereabouts
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Array = NDArray[np.float64]


class Written(Whereabouts):
    """Writes what devices do.

    Args:
        snapshot: what exists.
        state: where everything is.
        recorder: where to write what happens.
    """

    def __init__(self, snapshot: Snapshot, state: CellState, recorder: Recorder) -> None:
        super().__init__(snapshot, state)
        self._recorder, self._begun = recorder, False

    @property
    def recorder(self) -> Recorder:
        """Where to write what happens; what comes first of all is written now."""
        self.begin_recording()
        return self._recorder

    def begin_recording(self) -> None:
        """Something is about to happen: write what comes before it, once."""
        if not self._begun:
            self._begun = True
            self.sense_first()

    def sense_first(self) -> None:
        """Record what sensors read before anything happens; nothing where there are none."""

    def sense_now(self) -> None:
        """Record what sensors read where something has changed since they were looked at; nothing without any."""

    @property
    def pose_step(self) -> float:
        """How far what moves goes between two frames [rad or m]."""
        return math.radians(1.0)

    def announce(self, drive: Follow) -> None:
        """Record that a move begins."""
        if not drive.recorded:
            drive.recorded, drive.started = True, self.now
            self.recorder.event(MoveBegan(self.now, drive.name, drive.planned.kind))

    def write(self) -> None:
        """Write what moves until now into the recording."""
        for drive in self.drives.values():
            if drive.recorded and drive.since is not None:
                self._write(drive)

    def _write(self, drive: Follow, row: Array | None = None) -> None:
        """Write what a drive did since it was last recorded."""
        now = self.now
        if row is None:
            row = self._where(drive)
        if now > drive.mark:
            planned = drive.planned
            step = planned.step if isinstance(planned, Planned) else self.pose_step
            assert drive.since is not None
            motion = drive.motion
            if planned.kind == "track" and isinstance(motion, Trajectory):  # of what was to come nothing is kept
                motion = motion.part(0.0, min(now - drive.since, motion.duration))
            piece = Exact(drive.since, drive.mark, now, motion, drive.row, row, step, planned.resolution)
            self.recorder.drive(drive.name, piece)
        drive.mark, drive.row = now, row

    def report(self, drive: Follow, end: float) -> None:
        """Write what is to be reported of a move that was over at an instant [s]."""
        planned = drive.planned
        peaks: tuple[float, ...] = ()
        if isinstance(planned, Planned):
            found = planned.motion.max_speed()
            peaks = tuple((found if drive.peaks is None else np.maximum(found, drive.peaks)).tolist())
        # A default is left out of the bytes where it is the same object, so whoever named the profile counts alike.
        profile = sys.intern(planned.profile)
        shown = None if plain(planned) and self._stands is None else planned.duration
        self.recorder.moved(
            Move(
                planned.name, planned.kind, drive.started, end, profile, planned.limited, planned.deviation,
                planned.bound, peaks, shown,
            )
        )  # fmt: skip

    def _where(self, drive: Follow) -> Array:
        """Where the device of a drive is now, as it is recorded."""
        if isinstance(drive.planned, Planned):
            return drive.joints(self.now)
        return drive.pose(self.now).matrix[:3].ravel()

    def _row(self, planned: Planned | Glide) -> Array:
        """Where what is to move is now, as it is recorded."""
        if isinstance(planned, Planned):
            return self.joints_of(planned.name)
        return self.state.poses.get(planned.name, planned.start).matrix[:3].ravel()

    def _tell(self) -> None:
        """Let the recorder know where everything is, if it wants to."""
        if self.recorder.due:
            self.reached()

    def reached(self) -> None:
        """All that happened until now is in the recording."""
        self.write()
        self.recorder.reached(self.state)


def plain(planned: Planned | Glide) -> bool:
    """Whether the clock that is shown runs on while a move is made."""
    return isinstance(planned, Glide) or planned.span is None
