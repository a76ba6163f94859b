"""Where everything is, and when. The state between two events is computed from the drives when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused
from workcell.simulation.gliding import Glide
from workcell.simulation.instants import nanoseconds
from workcell.simulation.under_way import Drives
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.spatial.pose import Pose

Array = NDArray[np.float64]


class Whereabouts:
    """A clock of whole nanoseconds, everything that moves, and where everything is now.

    Args:
        snapshot: what exists.
        state: where everything is.
    """

    def __init__(self, snapshot: Snapshot, state: CellState) -> None:
        self.snapshot = snapshot
        self.drives = Drives()
        """The drives of all moving devices, by name."""
        self.disturbed = 0
        """How often the coming actions changed; whoever relies on the end of a move, or on a state, must test again."""
        self._state, self._stale = state, False
        self._joints: dict[str, Array] = {}
        self._poses: dict[str, Pose] = {}
        self.scene = 0
        """How often places and carriers have changed."""
        self._ns = 0
        self._stands: int | None = None
        """How long the shown clock has been stopped [ns]; None if it never was."""
        self.state = state

    @property
    def state(self) -> CellState:
        """Where everything is now."""
        if self._stale:
            now = self.now
            if self._poses or self.drives.solids:
                self.scene += 1
            joints, poses = {**self._state.joints, **self._joints}, {**self._state.poses, **self._poses}
            for name, drive in self.drives.items():
                if drive.since is None:
                    continue  # no time has passed since it was last computed
                if isinstance(drive.planned, Glide):
                    poses[name] = drive.pose(now)
                else:
                    joints[name] = drive.joints(now)
            clock = None if self._stands is None else self.time
            self._state = self._state.with_(time=now, clock=clock, joints=joints, poses=poses)
            self._stale = False
            self._joints.clear()
            self._poses.clear()
        return self._state

    @state.setter
    def state(self, state: CellState) -> None:
        if state.signals is not self._state.signals:
            self.disturbed += 1
        self._state, self._stale = state, False
        self.scene += 1
        self._joints.clear()
        self._poses.clear()
        self._ns = nanoseconds(state.shown_time)
        self._stands = None if state.clock is None else nanoseconds(state.time) - self._ns

    @property
    def around(self) -> CellState:
        """Where everything at rest is; for moving devices, their last computed place."""
        if self._poses or self._joints:  # what has come to rest since; what moves is not computed
            self.scene += bool(self._poses)
            joints, poses = {**self._state.joints, **self._joints}, {**self._state.poses, **self._poses}
            self._state = self._state.with_(joints=joints, poses=poses)
            self._joints.clear()
            self._poses.clear()
        return self._state

    @property
    def standing(self) -> CellState:
        """Where solids at rest are, carriers and signals; joint values may be old."""
        return self.around if self._poses else self._state

    @property
    def time(self) -> float:
        """Simulated time [s]; in the joint-by-joint mode, the clock of the thesis."""
        return self._ns / 1e9

    @property
    def time_ns(self) -> int:
        """Simulated time in whole nanoseconds."""
        return self._ns

    @property
    def now(self) -> float:
        """The instant of the recording [s]: a time that continues while the clock of the thesis stops."""
        return (self._ns if self._stands is None else self._ns + self._stands) / 1e9

    @property
    def signal_values(self) -> Mapping[str, float]:
        """The signals that have a value of their own now; this does not need the positions of devices."""
        return self._state.signals

    def joints_of(self, robot: str) -> Array:
        """Return joint values of a robot now (n,)."""
        drive = self.drives.get(robot)
        if not self._stale or drive is None or drive.since is None:
            found = self._joints.get(robot)
            return self._state.joints[robot] if found is None else found
        return drive.joints(self.now)

    def velocities_of(self, robot: str) -> Array:
        """Return joint velocities of a robot now (n,)."""
        drive = self.drives.get(robot)
        if drive is None:
            return np.zeros(self.snapshot.robot(robot).robot.n)
        if drive.since is None:
            raise Refused(f"{robot} moves joint by joint, as in the thesis, and has no speed while the clock stops.")
        return drive.velocities(self.now)
