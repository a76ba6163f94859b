"""Motions of robots and bodies over one time: poses at instants, bounds over intervals."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, UnknownName
from workcell.motion.chained import Chained, JointMotion
from workcell.motion.pose_motion import PoseMotion
from workcell.motion.time_law import PacedMotion
from workcell.motion.trajectory import Trajectory
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]

Motions = Mapping[str, JointMotion | PoseMotion]
"""What moves: the joints of each robot over time, poses over time for each free body, by name."""

_SLACK = 1e-12
"""What rounding may add to the range of a joint."""


class Moving:
    """Motions that run at the same time, each standing still after its end."""

    def __init__(self, model: CollisionModel, state: CellState, motions: Motions) -> None:
        if not motions:
            raise InvalidValue("There is no motion; name a robot and its trajectory.")
        robots = [placed.name for placed in model.snapshot.robots]
        self.trajectories: dict[str, JointMotion] = {}
        self.free: dict[str, PoseMotion] = {}
        for name, motion in motions.items():
            if isinstance(motion, Trajectory | PacedMotion | Chained):
                if name not in robots:
                    raise UnknownName.among("robot", name, robots)
                joints = model.snapshot.robot(name).robot.n
                if motion.n != joints:
                    raise InvalidValue(f"{name} has {joints} joints; its motion has {motion.n}.", robot=name)
                self.trajectories[name] = motion
            elif isinstance(motion, PoseMotion):
                model.body(name)
                self.free[name] = motion
            else:
                raise InvalidValue(
                    f"The motion of {name!r} must be a Trajectory or a PoseMotion; found {type(motion).__name__}."
                )
        self.duration = max(motion.duration for motion in motions.values())
        self.state = state
        self.arrangement = model.arrangement(state, tuple(self.free))

    def state_at(self, t: float) -> CellState:
        """The whole state at a time [s] of the motion."""
        joints = {**self.state.joints, **{name: m.position(t) for name, m in self.trajectories.items()}}
        poses = dict(self.state.poses)
        for name, path in self.free.items():
            poses[name] = path.pose(min(max(t, 0.0), path.duration))
        return self.state.with_(time=self.state.time + t, joints=joints, poses=poses)

    def rows(self, times: Array) -> tuple[Array, Array]:
        """Joint values of all robots (N, all joints) and poses of the driven bodies (N, driven, 12) at times."""
        arrangement = self.arrangement
        Q = np.repeat(arrangement.q(self.state), len(times), axis=0)
        for name, motion in self.trajectories.items():
            Q[:, arrangement.columns[name]] = motion.sample(times)
        poses = np.zeros((len(times), max(1, len(self.free)), 12))
        for number, path in enumerate(self.free.values()):
            X = path.sample(np.minimum(times, path.duration))
            poses[:, number, :9] = X[:, :3, :3].reshape(-1, 9)
            poses[:, number, 9:] = X[:, :3, 3]
        return Q, poses

    def bounds(self, starts: Array, ends: Array, Q: Array) -> tuple[Array, Array, Array]:
        """How far each joint gets from its middle value (N, joints), each driven body goes and turns (N, driven)."""
        arrangement = self.arrangement
        dQ = np.zeros_like(Q)
        for name, motion in self.trajectories.items():
            columns = arrangement.columns[name]
            low, high = motion.ranges(starts, ends)
            middle = Q[:, columns]
            width = np.maximum(high - middle, middle - low)
            dQ[:, columns] = width + _SLACK * (1.0 + np.abs(middle)) * (width > 0.0)
        return dQ, *self.paces(starts, ends)

    def paces(self, starts: Array, ends: Array) -> tuple[Array, Array]:
        """How far each driven body goes [m] and turns [rad] from its place at the middle of intervals (N, driven)."""
        ways = np.zeros((len(starts), max(1, len(self.free))))
        turns = np.zeros_like(ways)
        middles = 0.5 * (starts + ends)
        for number, path in enumerate(self.free.values()):
            low, high = path.progress.ranges(starts, ends)
            at = path.progress.sample(middles)
            way, turn = path.curve.pace
            width = np.maximum(high - at, at - low)[:, 0] * (1.0 + _SLACK)
            ways[:, number], turns[:, number] = way * width, turn * width
        return ways, turns

    def speeds(self, starts: Array, ends: Array) -> tuple[Array, Array]:
        """The least and greatest speed of every joint over intervals (N, joints) [1/s]."""
        arrangement = self.arrangement
        low, high = np.zeros((2, len(starts), arrangement.dof))
        for name, motion in self.trajectories.items():
            columns = arrangement.columns[name]
            low[:, columns], high[:, columns] = motion.ranges(starts, ends, 1)
            over = starts >= motion.duration
            if over.any():
                low[over, columns] = high[over, columns] = 0.0
        return low, high

    @cached_property
    def jumps(self) -> Array:
        """What every joint may jump by in all, where the pieces of its motion meet, with rounding (joints,)."""
        out = np.zeros(self.arrangement.dof)
        for name, motion in self.trajectories.items():
            out[self.arrangement.columns[name]] = motion.gaps + _SLACK * (1.0 + motion.farthest)
        return out

    @cached_property
    def above(self) -> NDArray[np.int64]:
        """How many frames that move by themselves each frame hangs on, itself counted (F,)."""
        arrangement = self.arrangement
        kind, column = arrangement.frames[1], arrangement.frames[2]
        out = np.zeros(len(kind), dtype=np.int64)
        for f in arrangement.which:
            parent = arrangement.parent[f]
            moves = kind[f] == 3 or (kind[f] != 0 and self.turning[column[f]])
            out[f] = (out[parent] if parent >= 0 else 0) + moves
        return out

    @cached_property
    def turning(self) -> NDArray[np.bool_]:
        """Which joints move at all (joints,)."""
        out = np.zeros(self.arrangement.dof, dtype=bool)
        for name, motion in self.trajectories.items():
            out[self.arrangement.columns[name]] = motion.turning
        return out


def state_during(model: CollisionModel, state: CellState, motions: Motions, t: float) -> CellState:
    """The whole state at a time [s] of motions that start from a state."""
    return Moving(model, state, motions).state_at(t)
