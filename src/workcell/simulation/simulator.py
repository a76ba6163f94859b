"""The simulator: a state, a clock, a recording, and robots that move."""

from __future__ import annotations

import math
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, UnknownName
from workcell.motion import profiles
from workcell.motion.frames import frame_times, joint_by_joint
from workcell.simulation.recording import Recording
from workcell.spatial.pose import Pose
from workcell.world.snapshot import PlacedRobot, Snapshot
from workcell.world.state import CellState

Mode: TypeAlias = Literal["joint-by-joint", "path", "playback"]
MODES: tuple[Mode, ...] = ("joint-by-joint", "path", "playback")
STEP = math.radians(1.0)
"""How far the joint that moves most goes between two recorded samples, unless set [rad]."""


class HasSnapshot(Protocol):
    """Anything that can be flattened, such as a cell."""

    def snapshot(self) -> Snapshot:
        """The flattened cell."""
        ...


class Simulator:
    """Runs motions on a snapshot of a cell in simulated time; the cell itself is not changed.

    Args:
        cell: a cell, or a snapshot of one.
        mode: ``path`` moves all joints together, ``joint-by-joint`` one after the other, ``playback`` records
            like ``path`` and is shown afterwards.
        state: where to start; the initial state of the cell unless given.
    """

    def __init__(self, cell: HasSnapshot | Snapshot, mode: Mode = "path", state: CellState | None = None) -> None:
        if mode not in MODES:
            raise UnknownName.among("simulation mode", str(mode), MODES)
        self.snapshot = cell if isinstance(cell, Snapshot) else cell.snapshot()
        self.mode = mode
        self.state = self.snapshot.initial if state is None else state
        self.recording = Recording(self.state)
        self.step = STEP
        self._robots: dict[str, SimulatedRobot] = {}

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.state.time

    def robot(self, name: str) -> SimulatedRobot:
        """The robot of that name, to be commanded."""
        if name not in self._robots:
            self._robots[name] = SimulatedRobot(self, self.snapshot.robot(name))
        return self._robots[name]

    def wait(self, seconds: float) -> None:
        """Let simulated time pass."""
        if not (math.isfinite(seconds) and seconds >= 0.0):
            raise InvalidValue(f"A wait must be zero or more seconds; found {seconds}.")
        self.recording.note(self.time, "wait", f"{seconds:g} s")
        self.state = self.state.with_(time=self.time + seconds)
        self.recording.note(self.time, "waited", f"{seconds:g} s")


class SimulatedRobot:
    """A robot inside a simulator."""

    def __init__(self, simulator: Simulator, placed: PlacedRobot) -> None:
        self._simulator = simulator
        self._placed = placed
        self._speed = placed.speed
        self.robot = placed.robot

    @property
    def name(self) -> str:
        """Its name in the cell."""
        return self._placed.name

    @property
    def joints(self) -> NDArray[np.float64]:
        """Joint values now [rad or m]."""
        return self._simulator.state.joints[self.name]

    @property
    def tool_pose(self) -> Pose:
        """``X_world_tool`` now."""
        return self._simulator.snapshot.tool_pose(self._simulator.state, self.name)

    def speed(self, rad_per_s: float) -> None:
        """The speed of the joint that moves most, for the moves to come [rad/s, or m/s for a sliding one]."""
        if not (isinstance(rad_per_s, int | float) and math.isfinite(rad_per_s) and rad_per_s > 0.0):
            raise InvalidValue(f"The speed of {self.name} must be more than zero; found {rad_per_s}.")
        self._speed = float(rad_per_s)

    def set_joints(self, q: ArrayLike) -> None:
        """Put the robot there at once: no motion, no time."""
        values = self._checked(q)
        simulator = self._simulator
        simulator.state = simulator.state.with_joints(self.name, values)
        simulator.recording.add(self.name, np.array([simulator.time]), values[None, :])

    def move_joints_relative(self, dq: ArrayLike) -> float:
        """Move all joints by ``dq``; returns the duration [s]."""
        return self.move_joints_absolute(self.joints + self.robot.checked(dq))

    def move_joints_absolute(self, q: ArrayLike) -> float:
        """Move all joints to ``q``; the joint that moves most has the set speed. Returns the duration [s]."""
        values = self._checked(q)
        simulator = self._simulator
        start, begin = self.joints, simulator.time
        if simulator.mode == "joint-by-joint":
            times, rows = joint_by_joint(start, values, self._speed, simulator.step)
            duration = float(np.abs(values - start).max()) / self._speed
        else:
            trajectory = profiles.linear(start, values, self._speed)
            times = frame_times(trajectory, simulator.step)
            rows = trajectory.sample(times)
            duration = trajectory.duration
        if len(times):
            rows[-1] = values
        simulator.recording.note(begin, "move", f"{self.name} moves its joints")
        if len(times):
            # A robot that stood still until now is recorded where it stood.
            simulator.recording.add(self.name, np.array([begin, *(begin + times)]), np.vstack([start, rows]))
        simulator.state = simulator.state.with_joints(self.name, values).with_(time=begin + duration)
        return duration

    def _checked(self, q: ArrayLike) -> NDArray[np.float64]:
        values = self.robot.checked(q)
        self.robot.require_limits(values)
        return values
