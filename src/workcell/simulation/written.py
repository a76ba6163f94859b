"""Records what moves: pieces of motions, finished moves, and when each began."""

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
from workcell.simulation.planned import SET_POINTS, Planned
from workcell.simulation.recorder import Recorder
from workcell.simulation.whereabouts import Whereabouts
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Array = NDArray[np.float64]


class Written(Whereabouts):
    """Records what devices do.

    Args:
        snapshot: what exists.
        state: where everything is.
        recorder: records what happens.
    """

    def __init__(self, snapshot: Snapshot, state: CellState, recorder: Recorder) -> None:
        super().__init__(snapshot, state)
        self._recorder, self._begun = recorder, False

    @property
    def recorder(self) -> Recorder:
        """The recorder; the first access records what comes first."""
        self.begin_recording()
        return self._recorder

    def begin_recording(self) -> None:
        """Record, once, what comes before anything happens."""
        if not self._begun:
            self._begun = True
            self.sense_first()

    def sense_first(self) -> None:
        """Record what sensors read before anything happens; nothing if there are none."""

    def sense_now(self) -> None:
        """Record what sensors read if something has changed since they were last read; nothing without sensors."""

    @property
    def pose_step(self) -> float:
        """The greatest motion between two frames [rad or m]."""
        return math.radians(1.0)

    def announce(self, drive: Follow) -> None:
        """Record that a move begins."""
        if not drive.recorded:
            drive.recorded, drive.started = True, self.now
            self.recorder.event(MoveBegan(self.now, drive.name, drive.planned.kind))

    def write(self) -> None:
        """Record what has moved until now."""
        for drive in self.drives.values():
            if drive.recorded and drive.since is not None:
                self._write(drive)

    def _write(self, drive: Follow, row: Array | None = None) -> None:
        """Record what a drive did since the last record."""
        now = self.now
        if row is None:
            row = self._where(drive)
        if now > drive.mark:
            planned = drive.planned
            step = planned.step if isinstance(planned, Planned) else self.pose_step
            assert drive.since is not None
            motion = drive.motion
            if planned.kind in SET_POINTS and isinstance(motion, Trajectory):  # nothing of the future motion is kept
                motion = motion.part(0.0, min(now - drive.since, motion.duration))
            piece = Exact(drive.since, drive.mark, now, motion, drive.row, row, step, planned.resolution)
            self.recorder.drive(drive.name, piece)
        drive.mark, drive.row = now, row

    def report(self, drive: Follow, end: float) -> None:
        """Record a move that ended at an instant [s], for reports."""
        planned = drive.planned
        peaks: tuple[float, ...] = ()
        if isinstance(planned, Planned):
            found = planned.motion.max_speed()
            peaks = tuple((found if drive.peaks is None else np.maximum(found, drive.peaks)).tolist())
        # A default is left out of the bytes if it is the same object, so it does not matter who named the profile.
        profile = sys.intern(planned.profile)
        shown = None if plain(planned) and self._stands is None else planned.duration
        self.recorder.moved(
            Move(
                planned.name, planned.kind, drive.started, end, profile, planned.limited, planned.deviation,
                planned.bound, peaks, shown,
            )
        )  # fmt: skip

    def _where(self, drive: Follow) -> Array:
        """Return where the device of a drive is now, as recorded."""
        if isinstance(drive.planned, Planned):
            return drive.joints(self.now)
        return drive.pose(self.now).matrix[:3].ravel()

    def _row(self, planned: Planned | Glide) -> Array:
        """Return where the device of a move is now, as recorded."""
        if isinstance(planned, Planned):
            return self.joints_of(planned.name)
        return self.state.poses.get(planned.name, planned.start).matrix[:3].ravel()

    def _share_state(self) -> None:
        """Give the recorder the whole state, if it needs it."""
        if self.recorder.due:
            self.reached()

    def reached(self) -> None:
        """Note that everything until now is recorded."""
        self.write()
        self.recorder.reached(self.state)


def plain(planned: Planned | Glide) -> bool:
    """Return whether the shown clock runs on during a move."""
    return isinstance(planned, Glide) or planned.span is None
