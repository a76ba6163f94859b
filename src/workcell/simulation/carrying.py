"""The poses of work and robot as functions of a mechanism's joints, for moves that coordinate both."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused
from workcell.motion.downhand import Axes
from workcell.motion.fitting import clamped_spline, free_slopes
from workcell.motion.seam import Seam
from workcell.motion.trajectory import Trajectory
from workcell.world.placed import PlacedRobot
from workcell.world.places import WORLD
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Array = NDArray[np.float64]

_LOOKS = 1000


class Ride:
    """The poses of work and robot as functions of a mechanism's joints.

    Args:
        snapshot: what exists.
        state: where everything else is.
        arm: the robot.
        carrier: the mechanism that carries the work, or the robot.
        body: the work.
    """

    def __init__(self, snapshot: Snapshot, state: CellState, arm: PlacedRobot, carrier: PlacedRobot, body: str) -> None:
        self.snapshot, self.state, self.arm, self.carrier = snapshot, state, arm, carrier
        snapshot.body(body)
        self.place = [one.name for one in snapshot.bodies].index(body)
        self.start = np.asarray(state.joints[carrier.name])
        self.mounted = _stands_on(snapshot, arm, carrier.name)
        probe = np.vstack([self.start, self.start + 1e-3 * np.eye(carrier.robot.n)])
        moves = np.abs(np.diff(self.work(probe), axis=0)).max() > 1e-9
        if not (moves or self.mounted):
            raise Refused(
                f"{body} is not on {carrier.name}, and neither is {arm.name}; `ride {body} on {carrier.name}` "
                f"puts it there.",
                body=body,
            )
        self.turns = bool(moves) and not all(carrier.robot.chain.prismatic)

    def work(self, P: Array) -> Array:
        """Return ``X_world_work`` (N, 4, 4) for joint values of the mechanism (N, m)."""
        return np.asarray(self.snapshot.body_poses_batch({self.carrier.name: P}, self.state)[:, self.place])

    def base(self, P: Array) -> Array:
        """Return ``X_world_base`` of the robot (N or 1, 4, 4)."""
        if not self.mounted:
            return self.snapshot.base_pose(self.state, self.arm.name).matrix[None]
        states = (self.state.with_joints(self.carrier.name, row) for row in P)
        return np.array([self.snapshot.base_pose(state, self.arm.name).matrix for state in states])

    def relative(self, P: Array) -> Array:
        """Return ``X_base_work`` (N, 4, 4)."""
        return np.asarray(np.linalg.inv(self.base(P)) @ self.work(P))

    def axes(self) -> Axes:
        """Return the joints of the mechanism that turn the work."""
        robot = self.carrier.robot
        zero = self.state.with_joints(self.carrier.name, np.zeros(robot.n))
        frames = self.snapshot.link_frames(zero, self.carrier.name)
        return Axes(
            lambda P, d: np.einsum("nij,nj->ni", self.work(P)[:, :3, :3], d),
            frames[:-1, :3, 2].copy(),
            tuple(bool(slides) for slides in robot.chain.prismatic),
            robot.limits,
        )


@dataclass(frozen=True, eq=False)
class Carried:
    """The seam in the frame of the robot's base while the mechanism moves; a section of a curve."""

    seam: Seam
    lead: Trajectory
    ride: Ride

    @property
    def size(self) -> float:
        """The length of the seam [m]."""
        return self.seam.size

    @property
    def pace(self) -> tuple[float, float]:
        """Bounds on the way [m] and turn [rad] per unit of s, in the frame of the robot's base."""
        way, turn = self.seam.pace
        spin = float(np.abs(self.lead.max_speed()).sum())
        reach = float(np.linalg.norm(self.ride.relative(self.lead.sample(self.lead.breaks))[:, :3, 3], axis=1).max())
        farthest = float(np.linalg.norm(np.abs(self.seam.position.range()).max(axis=0)))
        return way + spin * (1.0 + reach + farthest), turn + spin

    def place(self, s: Array) -> tuple[Array, Array]:
        """Return positions (N, 3) and rotations (N, 3, 3) of the tool in the robot's base at s (N,)."""
        X = self.ride.relative(self.lead.sample(s)) @ self.seam.poses(s)
        return X[:, :3, 3], X[:, :3, :3]


def alongside(ride: Ride, seam: Seam, abreast: bool) -> Trajectory:
    """Let sliding joints follow the torch, so that it stays at one place along them. Revolute joints do not move.

    That place is where the torch begins with the mechanism as it is, or abreast of the robot's base.
    """
    places = np.linspace(0.0, seam.size, max(len(seam.places), 9))
    robot = ride.carrier.robot
    here = ride.start
    frames = ride.snapshot.link_frames(ride.state, ride.carrier.name)
    axes = frames[:-1, :3, 2]
    points = (ride.work(here[None]) @ seam.poses(places))[:, :3, 3]
    rows = np.tile(here, (len(places), 1))
    # A track under the robot follows the torch. A table under the work brings the place of the torch to its position.
    sign = 1.0 if ride.mounted else -1.0
    aim = ride.base(here[None])[0, :3, 3] if abreast else points[0]
    for joint in np.flatnonzero(np.asarray(robot.chain.prismatic)):
        rows[:, joint] += sign * ((points - aim) @ axes[joint])
    low, high = robot.limits.T
    if (rows < low - 1e-9).any() or (rows > high + 1e-9).any():
        # There is not enough travel: use all of it.
        span = np.ptp(rows, axis=0)
        room = np.minimum(span, high - low)
        first = np.clip(rows.min(axis=0), low, high - room)
        scale = np.divide(room, span, out=np.zeros_like(span), where=span > 0.0)
        rows = first + (rows - rows.min(axis=0)) * scale
    return Trajectory(places, clamped_spline(places, rows, *free_slopes(places, rows)))


def lean(ride: Ride, lead: Trajectory, seam: Seam, up: Array) -> tuple[float, float]:
    """Return the greatest angle of the direction away from the work from up, and of the seam from the horizontal.

    Many places are tested. Half the bulge of a second difference is added for the places between them.
    """
    s = np.linspace(0.0, seam.size, max(_LOOKS, 4 * lead.pieces))
    R = ride.work(lead.sample(s))[:, :3, :3]
    along = np.einsum("nij,nj->ni", R, seam.tangents(s)) @ up
    level = float(np.arcsin(min(_bulged(along[:, None]), 1.0)))
    if not ride.turns:
        return math.nan, level
    away = np.einsum("nij,nj->ni", R, seam.away(s))
    return float(2.0 * np.arcsin(min(_bulged(away - up) / 2.0, 1.0))), level


def _bulged(vectors: Array) -> float:
    bend = np.linalg.norm(np.diff(vectors, n=2, axis=0), axis=1).max()
    return float(np.linalg.norm(vectors, axis=1).max() + bend / 8.0)


def _stands_on(snapshot: Snapshot, arm: PlacedRobot, carrier: str) -> bool:
    parent = arm.parent
    while parent != WORLD:
        if parent == carrier:
            return True
        parent = snapshot.robot(parent).parent
    return False
