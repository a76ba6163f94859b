"""The space of a query: the joints that move, their ranges and weights, and the collision arrays for the kernels."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.collision.arrangement import DRIVEN, FIXED, Arrangement
from workcell.collision.bodies import READS, collision_model
from workcell.collision.free_space import FreeSpace
from workcell.collision.pairs import PairTable
from workcell.collision.supports import going
from workcell.collision.zones import pair_table_of, zones_of
from workcell.errors import InvalidValue, Refused
from workcell.motion.limits import Limits
from workcell.planning.roadmap import Roadmap
from workcell.robots.machine import Machine
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.world.machine_places import is_arm
from workcell.world.placed import PlacedMachine
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]
Ints = NDArray[np.int32]
Scene: TypeAlias = tuple[Any, ...]
"""What the kernels take: :attr:`workcell.collision.free_space.FreeSpace.scene`."""

Places: TypeAlias = frozenset[tuple[int, int]]
"""Pairs of bodies by their places in the model."""
Allowed = Iterable[tuple[str, str]]
"""Pairs of names that may touch during one move."""

_ENDLESS = 2.0 * math.pi
"""How far beyond start and goals a joint without limits is looked at [rad]; a joint that slides: as many metres."""
_LOOKS = 48
"""At how many configurations the weights of the joints are measured."""
_LEAST_WEIGHT = 1e-2
"""The least weight of a joint [m/rad or m/m]; a joint that moves nothing still takes time."""


@dataclass(frozen=True, eq=False)
class Space:
    """The joints that a query moves, and everything that they may touch.

    Attributes:
        robot: the name of the robot or machine.
        snapshot: what exists.
        state: where everything else is.
        device: the robot or machine itself.
        model: the bodies and pairs, with the contacts that are allowed for this move.
        arrangement: who stands where.
        columns: the places of the moving joints among all joints (n,).
    """

    robot: str
    snapshot: Snapshot
    state: CellState
    device: Robot | Machine
    model: CollisionModel
    arrangement: Arrangement
    columns: Ints
    speed: float
    _scenes: dict[tuple[Any, ...], Scene] = field(default_factory=dict, repr=False)

    @cached_property
    def roadmap(self) -> Roadmap:
        """The paths of earlier queries in this space."""
        return Roadmap(self.weights)

    @property
    def n(self) -> int:
        """How many joints move."""
        return len(self.columns)

    @cached_property
    def members(self) -> tuple[str, ...]:
        """The robots and mechanisms that move."""
        return self.snapshot.members(self.robot)

    @property
    def limits(self) -> Array:
        """The range of each joint (n, 2) [rad or m]; infinite where a joint has none."""
        return self.device.limits

    @cached_property
    def turns(self) -> NDArray[np.bool_]:
        """Which joints turn (n,)."""
        return np.array([not row.prismatic for row in self.device.rows])

    @cached_property
    def motion_limits(self) -> Limits:
        """The speeds and accelerations of the joints, none faster than the speed set."""
        return Limits(np.minimum(self.device.speeds, self.speed), self.device.accelerations)

    def state_at(self, q: Array) -> CellState:
        """The whole state with these joint values (n,)."""
        if isinstance(self.device, Machine):
            return self.state.with_(joints={**self.state.joints, **self.device.parts(q)})
        return self.state.with_joints(self.robot, q)

    @cached_property
    def base_row(self) -> Array:
        """The joint values of all robots (all joints,); those of the query are filled in by the kernels."""
        return np.array(self.arrangement.q(self.state)[0])

    def rows(self, Q: Array) -> Array:
        """Joint values of all robots (N, all joints) for those of the query (N, n)."""
        out = np.repeat(self.base_row[None], len(Q), axis=0)
        out[:, self.columns] = Q
        return out

    def box(self, Q: Array) -> Array:
        """Where configurations are drawn (n, 2): the ranges, and around given ones (k, n) where there are none."""
        low, high = self.limits[:, 0].copy(), self.limits[:, 1].copy()
        low = np.where(np.isfinite(low), low, Q.min(axis=0) - _ENDLESS)
        high = np.where(np.isfinite(high), high, Q.max(axis=0) + _ENDLESS)
        return np.stack([low, high], axis=1)

    # ---- the hand --------------------------------------------------------------------------------------

    @cached_property
    def arm(self) -> str:
        """The member that has the hand; refused where none has."""
        arms = [name for name in self.members if is_arm(self.snapshot.robot(name).robot)]
        if not arms:
            raise Refused(
                f"{self.robot} has no hand to bring to a pose; give joint values as the goal.", robot=self.robot
            )
        return arms[-1]

    @property
    def has_hand(self) -> bool:
        """Whether a member has a hand."""
        return any(is_arm(self.snapshot.robot(name).robot) for name in self.members)

    @cached_property
    def hand_columns(self) -> slice:
        """The place of the arm's joints among those of the query."""
        if isinstance(self.device, Machine):
            return dict(self.device.slices)[self.arm]
        return slice(0, self.n)

    def hand(self, q: Array) -> Pose:
        """The pose of the tool in the world."""
        state = self.state_at(q)
        robot = self.snapshot.robot(self.arm).robot
        return self.snapshot.base_pose(state, self.arm) @ robot.fk(state.joints[self.arm])

    # ---- what moves and what does not -------------------------------------------------------------------

    @cached_property
    def moving_frames(self) -> NDArray[np.bool_]:
        """Which frames the joints of the query move (F,)."""
        parent, kind, column, _, _ = self.arrangement.frames
        ours = set(self.columns.tolist())
        out = np.zeros(len(parent), dtype=bool)
        for f in range(len(parent)):
            above = parent[f] >= 0 and out[parent[f]]
            out[f] = above or (kind[f] not in (FIXED, DRIVEN) and int(column[f]) in ours)
        return out

    @cached_property
    def poses(self) -> Array:
        """The poses of all frames at the state (F, 12)."""
        return self.arrangement.placed(self.state)

    @cached_property
    def weights(self) -> Array:
        """How far a joint moves a point of the arm at most (n,) [m/rad, or m/m], over a sample of configurations."""
        from workcell.collision import _kernels_poses

        arrangement, moving = self.arrangement, self.moving_frames
        parent, _, column, _, _ = arrangement.frames
        box = self.box(self.base_row[self.columns][None])
        Q = self.rows(np.random.default_rng(0).uniform(box[:, 0], box[:, 1], (_LOOKS, self.n)))
        poses = np.repeat(self.poses[None], _LOOKS, axis=0)
        which = np.flatnonzero(moving).astype(np.int32)
        which.flags.writeable = False
        _kernels_poses.place(arrangement.frames, which, Q, np.zeros((1, 1, 12)), poses)
        roots, frame = arrangement.bodies[0], arrangement.frame
        out = np.full(self.n, _LEAST_WEIGHT)
        for j in range(self.n):
            if not self.turns[j]:
                out[j] = 1.0
        joint_of = {int(c): j for j, c in enumerate(self.columns)}
        for body in np.flatnonzero(moving[frame]):
            node = arrangement.mesh[0][roots[body]]
            X = poses[:, frame[body]]
            centre = np.einsum("nij,j->ni", X[:, :9].reshape(-1, 3, 3), node[:3]) + X[:, 9:]
            size = float(np.linalg.norm(node[3:]))
            f = int(frame[body])
            while f >= 0 and moving[f]:
                up, j = int(parent[f]), joint_of.get(int(column[f]), -1)
                if j >= 0 and self.turns[j]:
                    Y = poses[:, up] if up >= 0 else np.tile(np.r_[np.eye(3).ravel(), np.zeros(3)], (_LOOKS, 1))
                    axis, way = Y[:, [2, 5, 8]], centre - Y[:, 9:]
                    far = np.linalg.norm(np.cross(axis, way), axis=1).max() + size
                    out[j] = max(out[j], float(far))
                f = up
        out.flags.writeable = False
        return out

    @cached_property
    def free_space(self) -> FreeSpace:
        """The configurations at which nothing touches, as the collision room knows them."""
        return FreeSpace(self.model, self.state, self.members, cells=2)

    def scene(self, ease: float = 0.0, close: Places = frozenset(), ignored: Places = frozenset()) -> Scene:
        """The arrays for the kernels.

        Args:
            ease: how much farther than required the moving bodies stay away from the others [m].
            close: pairs of bodies that only keep the clearance that is required.
            ignored: pairs of bodies that may touch.
        """
        key = (ease, close, ignored)
        found = self._scenes.get(key)
        if found is None:
            found = self._scenes[key] = self.free_space.padded(ease, close, ignored)
            while len(self._scenes) > 4:
                self._scenes.pop(next(iter(self._scenes)))
        return found


def space_of(snapshot: Snapshot, state: CellState, robot: str, allow: Allowed = ()) -> Space:
    """The space of a robot or machine at a state; the last ones are kept with the cell.

    Args:
        snapshot: what exists.
        state: where everything is, and who carries what.
        robot: the name of the robot or machine.
        allow: pairs of names that may touch during this move.
    """
    placed = snapshot.device(robot)
    members = snapshot.members(robot)
    pairs = allowed_pairs(pair_table_of(snapshot), allow)
    zones = zones_of(snapshot)
    model = collision_model(snapshot, pairs, zones=zones, warn=False)
    key = (robot, pairs, zones, _where(state, members))

    def made() -> Space:
        asked = model.asking(msgspec.structs.replace(pairs, supports=()), going(model, state, members))
        arrangement = asked.arrangement(state)
        columns = np.concatenate([np.arange(arrangement.dof)[arrangement.columns[name]] for name in members])
        columns = columns.astype(np.int32)
        columns.flags.writeable = False
        speed = math.inf if isinstance(placed, PlacedMachine) else placed.speed
        return Space(robot, snapshot, state, placed.robot, asked, arrangement, columns, speed)

    return snapshot.keeping("planning space", (*READS, "machines", "robot set-up"), key, made)


def pairs_of(allow: object) -> tuple[tuple[str, str], ...]:
    """The pairs of names that may touch, checked."""
    some = tuple(allow) if isinstance(allow, Iterable) and not isinstance(allow, str) else (allow,)
    for one in some:
        if not isinstance(one, tuple | list) or len(one) != 2 or not all(isinstance(name, str) for name in one):
            raise InvalidValue(
                f'What may touch is a list of pairs of names, such as [("Puma", "table")]; found {one!r}.'
            )
    return tuple((str(first), str(second)) for first, second in some)


def allowed_pairs(pairs: PairTable, allow: Allowed) -> PairTable:
    """The table with pairs that may touch during one move."""
    for first, second in pairs_of(allow):
        pairs = pairs.allow(first, second, "allowed for this move")
    return pairs


def _where(state: CellState, members: tuple[str, ...]) -> str:
    """The identity of a state but for time, plain signals and the joints of some robots."""
    joints = {name: values for name, values in state.joints.items() if name not in members}
    openings = {name: value for name, value in state.signals.items() if "/" in name}
    text = state.with_(time=0.0, clock=None, joints=joints, signals=openings).to_json()
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
