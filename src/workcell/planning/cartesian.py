"""Paths of the tool along given curves: the branch and the turns of the tool chosen over the whole curve, proved free.

A ladder of configurations along the curve gives the branch and the turns. Inverse kinematics then follows the curve
exactly on that branch, the motion is timed within the limits, and the whole of it is proved.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.collision.batch import check_batch
from workcell.collision.bodies import CollisionModel, collision_model
from workcell.collision.proof import Free
from workcell.collision.supports import going
from workcell.collision.zones import pair_table_of, zones_of
from workcell.errors import Cancelled, InvalidValue, MotionError, Refused, Unreachable
from workcell.motion.curve import HandCurve
from workcell.motion.named_profiles import along
from workcell.motion.path import JointPath
from workcell.motion.trajectory import Trajectory
from workcell.planning.configurations import configurations
from workcell.planning.hand_following import HandFollowing
from workcell.planning.ladder import LadderWay, Rung, best_way
from workcell.planning.tool_freedom import NO_FREEDOM, ToolFreedom
from workcell.planning.transit import proved
from workcell.planning.turned_curve import turned
from workcell.robots.reaching import fit
from workcell.robots.robot import Robot
from workcell.spatial.message_units import said_point
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import to_rotation_vector
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_SPACING, _ANGLE = 0.02, math.radians(5.0)
"""How far apart places of the curve are looked at at first [m, rad]."""
_PLACES = 12, 400
"""How many places are looked at, at least and at most."""
_JUMP = 0.6
"""How far a joint may move from one place to the next [rad or m]."""
_FINER = 3
"""How often the places are taken twice as near when a motion between them touches something."""


@dataclass(frozen=True, eq=False)
class CartesianPlan:
    """A motion of the tool along a curve.

    Attributes:
        robot: the robot.
        path: joint values over the way along the curve.
        trajectory: joint values over time.
        proof: the proof that it touches nothing; None where none was asked for.
        places: places along the curve [m, or rad where the tool only turns] (K,).
        turns: rotation vectors of the turns of the tool at these places, in its own frame (K, 3) [rad].
        deviation: how far the tool is off the curve at most [m].
        held: the part of the way on which the tool has the speed that was asked for; None where none was.
    """

    robot: str
    path: JointPath
    trajectory: Trajectory
    proof: Free | None
    places: Array
    turns: Array
    deviation: float
    held: float | None

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.trajectory.duration


def cartesian_path(
    snapshot: Snapshot,
    state: CellState,
    robot: str,
    curve: HandCurve,
    *,
    freedom: ToolFreedom = NO_FREEDOM,
    start: ArrayLike | None = None,
    speed: float | None = None,
    certified: bool = True,
    allow: tuple[tuple[str, str], ...] = (),
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> CartesianPlan:
    """The motion of a robot that keeps its tool on a curve, with the branch chosen over the whole curve.

    Args:
        snapshot: what exists.
        state: where everything is, and who carries what; everything else stands still.
        robot: the name of the arm.
        curve: the poses of the tool in the world.
        freedom: how the tool may turn away from them, to stay within reach and clear of things.
        start: joint values that the motion shall begin near; any branch will do by default.
        speed: the speed of the tool [m/s], held where the joints allow; as fast as they allow by default.
        certified: whether the motion is proved free; contacts are ignored otherwise.
        allow: pairs of names that may touch.
        progress: called with the fraction done and a label.
        cancel: set to stop.

    Raises:
        Unreachable: the curve leaves the reach or the joint ranges; ``s`` in its evidence says where first.
        Refused: it cannot be followed without a contact; ``pair`` and ``s`` in its evidence say what and where first.
        MotionError: no branch can be followed past a place ``s`` without a jump.
    """
    placed = snapshot.robot(robot)
    near = None if start is None else placed.robot.checked(start)
    if speed is not None and not (math.isfinite(speed) and speed > 0.0):
        raise InvalidValue(f"The speed of the tool must be above 0 mm/s; found {speed * 1e3:g} mm/s.")
    model = None
    if certified:
        pairs = pair_table_of(snapshot)
        for first, second in allow:
            pairs = pairs.allow(first, second, "allowed for this path")
        model = collision_model(snapshot, pairs, zones=zones_of(snapshot), warn=False)
    follower = _Follower(placed.robot, snapshot.base_pose(state, robot).inverse(), robot, curve, freedom, model, state)
    count = int(np.clip(math.ceil(curve.length / (_SPACING if curve.pace[0] > 0.0 else _ANGLE)), *_PLACES))
    for finer in range(_FINER + 1):
        if cancel is not None and cancel.is_set():
            raise Cancelled("The search for a path along the curve was cancelled.")
        if progress is not None:
            progress(finer / (_FINER + 1), f"{count} places")
        places = np.unique(np.concatenate([np.linspace(0.0, curve.length, count + 1), curve.breaks]))
        rungs = follower.rungs(places, near)
        way = best_way(rungs, follower.vectors, placed.robot.speeds, _JUMP, freedom.step * 1.01, near)
        if len(way.rows) < len(rungs):
            if finer < _FINER and len(way.rows) and len(rungs[len(way.rows)].Q) and 2 * count <= _PLACES[1]:
                count *= 2  # the joints may only need more places to keep up
                continue
            raise follower.failure(places, rungs, way)
        path, deviation, turns = follower.followed(places, rungs, way)
        profile = placed.profile if speed is None else "time-optimal"
        motion = along(placed.robot, path, profile, placed.speed, speed)
        proof = None if model is None else proved(model, state, robot, motion, cancel)
        if proof is None or isinstance(proof, Free):
            held = None if speed is None else follower.held(motion, speed)
            return CartesianPlan(robot, path, motion, proof, places, turns, deviation, held)
        at, pair = follower.nearest_place(motion, proof.last_free, places), proof.pair
        count *= 2
    raise Refused(
        f"{robot} cannot follow the curve past {follower.where(at)}: {' and '.join(pair)} touch there. Move what "
        f"is in the way, or give the tool more freedom.",
        s=at,
        pair=pair,
    )


@dataclass(eq=False)
class _Follower:
    """One arm along one curve."""

    robot: Robot
    X_base_world: Pose
    name: str
    curve: HandCurve
    freedom: ToolFreedom
    model: CollisionModel | None
    state: CellState

    def __post_init__(self) -> None:
        self.following = HandFollowing(self.robot, self.X_base_world)
        self.turns = self.freedom.turns()
        self.vectors = np.array([to_rotation_vector(turn[:3, :3]) for turn in self.turns])
        if self.model is not None:
            self.checked = self.model.asking(self.model.pairs, going(self.model, self.state, [self.name]))

    def rungs(self, places: Array, near: Array | None) -> list[Rung]:
        """The configurations at places of the curve, those in contact left out."""
        poses = self.X_base_world.matrix @ self.curve.poses(places)
        each = (poses[:, None] @ self.turns[None]).reshape(-1, 4, 4)
        middle = self.robot.limits.mean(axis=1)
        wanted = near if near is not None else np.where(np.isfinite(middle), middle, 0.0)
        Q, which = configurations(self.robot, each, wanted)
        _, valid = self.robot.ik_batch(each)
        solutions = valid.any(axis=1).reshape(len(places), -1).sum(axis=1)
        rung, turn = which // len(self.turns), which % len(self.turns)
        touching, found = np.zeros(len(Q), dtype=bool), None
        if self.model is not None and len(Q):
            found = check_batch(self.checked, {self.name: Q}, self.state, threads=None)
            touching = found.touching
        out = []
        for k in range(len(places)):
            mine = np.flatnonzero(rung == k)
            bad = mine[touching[mine]]
            met = Counter(found.pair(int(row)) for row in bad) if found is not None else Counter()
            good = mine[~touching[mine]]
            pair = met.most_common(1)[0][0] if met else None
            out.append(Rung(Q[good], turn[good], int(solutions[k]), len(mine), pair))
        return out

    def failure(self, places: Array, rungs: list[Rung], way: LadderWay) -> Exception:
        """The error for a curve that cannot be followed, with the first place where that is so."""
        k = len(way.rows)
        s, rung = float(places[k]), rungs[k]
        head = f"{self.name} cannot follow the curve past {self.where(s)}"
        pose = self.X_base_world @ self.curve.pose(s)
        free = "" if self.freedom.is_none else " with the freedom of the tool"
        if len(rung.Q):
            at = f"{100.0 * s / self.curve.length:.4g} %"
            return MotionError(
                f"{head}: no branch that leads there goes on without a jump of a joint. Start elsewhere, give the tool "
                f"more freedom, or divide the curve at {at}.",
                s=s,
                reason="jump",
            )
        if rung.within:
            pair = rung.touching or ("something", "something")
            return Refused(
                f"{head}: {' and '.join(pair)} touch there in every configuration{free}. Move what is in the way, or "
                f"give the tool more freedom.",
                s=s,
                pair=pair,
                reason="contact",
            )
        reason = "limit" if rung.solutions else "reach"
        problem = fit(self.robot, pose).problem or "out of reach"
        return Unreachable(f"{head}: {problem}{free}.", s=s, reason=reason)

    def where(self, s: float) -> str:
        """A place of the curve for people."""
        return f"{100.0 * s / self.curve.length:.4g} % of its way, {said_point(self.curve.pose(s).xyz)}"

    def followed(self, places: Array, rungs: list[Rung], way: LadderWay) -> tuple[JointPath, float, Array]:
        """The joint path along the curve on the chosen branch, how far it is off [m], and the turns (K, 3)."""
        turns = np.array([self.vectors[rung.turn[row]] for rung, row in zip(rungs, way.rows, strict=True)])
        curve = turned(self.curve, places, turns)
        start = rungs[0].Q[way.rows[0]]
        found = self.following.along(curve, start)
        return found.path, found.deviation, turns

    def nearest_place(self, motion: Trajectory, time: float, places: Array) -> float:
        """The place of the curve where the tool is nearest to at a time."""
        xyz = self.following.forward(motion.position(time)[None])[0, :3, 3]
        fine = np.linspace(0.0, self.curve.length, 20 * len(places))
        return float(fine[np.linalg.norm(self.curve.poses(fine)[:, :3, 3] - xyz, axis=1).argmin()])

    def held(self, motion: Trajectory, speed: float) -> float:
        """The part of the way on which the tool is as fast as was asked for, within 1 %."""
        times = np.linspace(0.0, motion.duration, 2000)
        xyz = self.following.forward(motion.sample(times))[:, :3, 3]
        steps = np.linalg.norm(np.diff(xyz, axis=0), axis=1)
        fast = steps / np.diff(times) >= 0.99 * speed
        return float(steps[fast].sum() / max(steps.sum(), 1e-12))
