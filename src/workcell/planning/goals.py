"""Where a path is to end: joint values, poses, regions, or one of several; each gives configurations within limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, JointLimit, Unreachable
from workcell.planning.hand_solutions import reached, solutions, solved, unreachable
from workcell.planning.pose_draws import in_ball, moved_to, offset, orientations, paired
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.planning.space import Space
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState

Array = NDArray[np.float64]

AXES = ("x", "y", "z", "rx", "ry", "rz")
"""The ways in which a pose can be free: along and about the axes of the goal's own frame."""
SPINS = 24
"""How many turns about one free axis are tried."""
DRAWS = 64
"""How many poses are drawn in a region or within tolerances."""
_TURN = 2.0 * math.pi
_ALIKE = 1e-9


@dataclass(frozen=True, eq=False)
class JointGoal:
    """Joint values to arrive at.

    Attributes:
        q: (n,) [rad or m].
    """

    q: ArrayLike

    def configurations(self, space: Space, start: Array, seed: int) -> Array:
        """The joint values, one row (1, n); refused when they are out of range."""
        values = space.device.checked(self.q)
        space.device.require_limits(values)
        return values[None].copy()

    def holds(self, space: Space, q: Array) -> bool:
        """Whether a configuration is the goal."""
        return bool(np.abs(space.device.checked(self.q) - q).max() <= _ALIKE)

    def __str__(self) -> str:
        return "the joint values"


@dataclass(frozen=True)
class PoseGoal:
    """A pose of the tool in the world, exact, free in some axes, or within tolerances.

    Attributes:
        pose: of the tool in the world.
        free: axes of the goal frame that do not matter: ``x``, ``y``, ``z`` along them, ``rx``, ``ry``, ``rz`` about
            them, such as ``("rz",)`` for a tool that may spin.
        tolerance: how far the position may be off [m].
        turn_tolerance: how far the orientation may be off [rad].
        name: what it is called in messages.
    """

    pose: Pose
    free: tuple[str, ...] = ()
    tolerance: float = 0.0
    turn_tolerance: float = 0.0
    name: str = "the pose"

    def __post_init__(self) -> None:
        for axis in self.free:
            if axis not in AXES:
                raise InvalidValue(f"A free axis is one of {', '.join(AXES)}; found {axis!r}.")
        for value, what in ((self.tolerance, "tolerance"), (self.turn_tolerance, "tolerance of the turn")):
            if not (math.isfinite(value) and value >= 0.0):
                raise InvalidValue(f"The {what} of a goal must be 0 or more and finite; found {value}.")

    def configurations(self, space: Space, start: Array, seed: int) -> Array:
        """All inverse solutions within limits, whole turns included (k, n), nearest to the start first."""
        if self.tolerance <= 0.0:
            return solutions(space, self._poses(space, seed), start, self)

        def near(hands: Array) -> Array:
            """Where the tool can be, as far as that is near enough, turned as it should be."""
            off = np.linalg.norm(hands[:, :3, 3] - self.pose.xyz, axis=1)
            out: Array = hands[off <= self.tolerance]
            out[:, :3, :3] = self.pose.rotation
            return out

        return _in_space(self, space, self._poses(space, seed), near, start, seed)

    def _poses(self, space: Space, seed: int) -> Array:
        rng = np.random.default_rng(seed)
        shifts, turns = np.zeros((1, 3)), np.zeros((1, 3))
        spins = [AXES.index(axis) - 3 for axis in self.free if axis.startswith("r")]
        slides = [AXES.index(axis) for axis in self.free if not axis.startswith("r")]
        if len(spins) == 1 and not slides:
            turns = np.zeros((SPINS, 3))
            turns[:, spins[0]] = np.arange(SPINS) * _TURN / SPINS
        elif spins or slides:
            turns, shifts = np.zeros((DRAWS, 3)), np.zeros((DRAWS, 3))
            for axis in spins:
                turns[1:, axis] = rng.uniform(-math.pi, math.pi, DRAWS - 1)
            for axis in slides:
                shifts[1:, axis] = rng.uniform(-1.0, 1.0, DRAWS - 1) * float(space.weights.max())
        found = [self.pose.matrix @ offset(shift, turn) for shift, turn in paired(shifts, turns)]
        if self.tolerance > 0.0 or self.turn_tolerance > 0.0:
            draws = 8 if len(found) > 1 else DRAWS
            wider = []
            for X in found:
                off = in_ball(rng, draws) * self.tolerance
                spin = in_ball(rng, draws) * self.turn_tolerance
                wider += [X @ offset(a, b) for a, b in zip(off, spin, strict=True)]
            found += wider
        return np.array(found)

    def holds(self, space: Space, q: Array) -> bool:
        """Whether the tool is at the pose, but for what is free."""
        X = np.linalg.inv(self.pose.matrix) @ space.hand(q).matrix
        fixed = np.array([axis not in self.free for axis in AXES])
        off = float(np.linalg.norm(X[:3, 3][fixed[:3]]))
        return off <= self.tolerance + 1e-6 and self._turn(X[:3, :3], fixed[3:]) <= self.turn_tolerance + 1e-6

    def _turn(self, R: Array, fixed: NDArray[np.bool_]) -> float:
        """How far an orientation is off [rad], about axes that are not free."""
        count = int(fixed.sum())
        if count == 0:
            return 0.0
        if count == 3:
            return float(math.acos(min(1.0, max(-1.0, (np.trace(R) - 1.0) / 2.0))))
        if count == 2:  # free about one axis: where that axis points counts
            axis = int(np.flatnonzero(~fixed)[0])
            return float(math.acos(min(1.0, max(-1.0, R[axis, axis]))))
        return 0.0  # two free axes reach every orientation

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class TargetGoal:
    """A target of the cell by its name, wherever it is when the path is asked for.

    Attributes:
        target: its name.
        free: as for :class:`PoseGoal`.
    """

    target: str
    free: tuple[str, ...] = ()


@dataclass(frozen=True)
class RegionGoal:
    """A box in the world in which the tool is to be.

    Attributes:
        low: the least corner (3,) [m].
        high: the greatest corner (3,) [m].
        pose: of which the orientation is to be kept; any orientation where it is None.
        free: turns that do not matter where an orientation is to be kept.
    """

    low: tuple[float, float, float]
    high: tuple[float, float, float]
    pose: Pose | None = None
    free: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for low, high, axis in zip(self.low, self.high, "xyz", strict=True):
            if not (math.isfinite(low) and math.isfinite(high) and low <= high):
                raise InvalidValue(
                    f"A region reaches from its least to its greatest corner; along {axis} it was given from "
                    f"{low * 1e3:g} to {high * 1e3:g} mm."
                )
        for axis in self.free:
            if axis not in AXES[3:]:
                raise InvalidValue(f"The free turn of a region is one of {', '.join(AXES[3:])}; found {axis!r}.")

    def configurations(self, space: Space, start: Array, seed: int) -> Array:
        """Inverse solutions for poses drawn in the box (k, n), nearest to the start first."""
        rng = np.random.default_rng(seed)
        places = rng.uniform(self.low, self.high, (DRAWS, 3))
        places[0] = 0.5 * (np.array(self.low) + np.array(self.high))
        poses = np.repeat(np.eye(4)[None], DRAWS, axis=0)
        poses[:, :3, 3] = places
        if self.pose is None:
            poses[:, :3, :3] = orientations(rng, DRAWS)
            poses[0, :3, :3] = space.hand(start).rotation
        else:
            spins = np.zeros((DRAWS, 3))
            for axis in self.free:
                spins[1:, AXES.index(axis) - 3] = rng.uniform(-math.pi, math.pi, DRAWS - 1)
            poses[:, :3, :3] = [self.pose.rotation @ offset(np.zeros(3), spin)[:3, :3] for spin in spins]

        def inside(hands: Array) -> Array:
            """Where the tool can be in the box, turned as it should be."""
            places = hands[:, :3, 3]
            out: Array = hands[((places >= self.low) & (places <= self.high)).all(axis=1)]
            if self.pose is not None:
                out[:, :3, :3] = self.pose.rotation
            return out

        return _in_space(self, space, poses, inside, start, seed)

    def holds(self, space: Space, q: Array) -> bool:
        """Whether the tool is in the box, turned as it should be."""
        hand = space.hand(q)
        slack = 1e-6
        if not ((hand.xyz >= np.array(self.low) - slack) & (hand.xyz <= np.array(self.high) + slack)).all():
            return False
        if self.pose is None:
            return True
        return PoseGoal(moved_to(self.pose, hand), (*self.free, "x", "y", "z")).holds(space, q)

    def __str__(self) -> str:
        return "the region"


@dataclass(frozen=True)
class AnyGoal:
    """One of several goals, whichever is reached first.

    Attributes:
        goals: of any kind.
    """

    goals: tuple[Goal, ...]

    def __post_init__(self) -> None:
        if not self.goals:
            raise InvalidValue("A choice of goals needs at least one.")

    def __str__(self) -> str:
        return "any of the goals"


@dataclass(frozen=True)
class AllGoals:
    """Several goals that hold at once, such as a pose and a region.

    Attributes:
        goals: of any kind.
    """

    goals: tuple[Goal, ...]

    def __post_init__(self) -> None:
        if not self.goals:
            raise InvalidValue("Goals that hold at once need at least one.")

    def __str__(self) -> str:
        return "all of the goals"


Goal: TypeAlias = JointGoal | PoseGoal | TargetGoal | RegionGoal | AnyGoal | AllGoals


@dataclass(frozen=True, eq=False)
class Configurations:
    """What a goal amounts to.

    Attributes:
        Q: configurations within limits (k, n).
        of: the goal, counted from 0, that each belongs to (k,).
        refused: why goals have no configuration: their numbers and errors.
    """

    Q: Array
    of: NDArray[np.intp]
    refused: tuple[tuple[int, Exception], ...]


def as_goal(goal: object) -> Goal:
    """A goal from what people write: a goal, joint values, a pose, the name of a target, or a list of these."""
    if isinstance(goal, JointGoal | PoseGoal | TargetGoal | RegionGoal | AnyGoal | AllGoals):
        return goal
    if isinstance(goal, Pose):
        return PoseGoal(goal)
    if isinstance(goal, str):
        return TargetGoal(goal)
    if isinstance(goal, np.ndarray) and goal.ndim == 2:
        return AnyGoal(tuple(JointGoal(row) for row in goal))
    if isinstance(goal, Sequence) and goal and not isinstance(goal[0], int | float | np.integer | np.floating):
        return AnyGoal(tuple(as_goal(one) for one in goal))
    if isinstance(goal, Iterable):
        return JointGoal(np.asarray(goal))
    raise InvalidValue(
        f"A goal is joint values, a Pose, the name of a target, a goal, or a list of these; found {goal!r}."
    )


def resolved(goal: Goal, snapshot: Snapshot, state: CellState) -> Goal:
    """The goal with targets in place of their names, where they are now."""
    if isinstance(goal, TargetGoal):
        return PoseGoal(
            snapshot.place_pose(state, goal.target, "target"), goal.free, name=f"the target {goal.target!r}"
        )
    if isinstance(goal, AnyGoal | AllGoals):
        return type(goal)(tuple(resolved(one, snapshot, state) for one in goal.goals))
    return goal


def configurations(goal: Goal, space: Space, start: Array, seed: int) -> Configurations:
    """The configurations of a goal whose targets are resolved."""
    goals = _flat(goal)
    found: list[Array] = []
    of: list[int] = []
    refused: list[tuple[int, Exception]] = []
    for number, one in enumerate(goals):
        try:
            rows = _all(one, space, start, seed) if isinstance(one, AllGoals) else _single(one, space, start, seed)
        except (JointLimit, Unreachable) as error:
            refused.append((number, error))
            continue
        found.append(rows)
        of += [number] * len(rows)
    Q = np.concatenate([np.empty((0, space.n)), *found])
    return Configurations(Q, np.array(of, dtype=np.intp), tuple(refused))


def holds(goal: Goal, space: Space, q: Array) -> bool:
    """Whether a configuration is at a goal whose targets are resolved."""
    if isinstance(goal, AnyGoal):
        return any(holds(one, space, q) for one in goal.goals)
    if isinstance(goal, AllGoals):
        return all(holds(one, space, q) for one in goal.goals)
    assert not isinstance(goal, TargetGoal)
    return goal.holds(space, q)


def _in_space(
    goal: PoseGoal | RegionGoal,
    space: Space,
    poses: Array,
    kept: Callable[[Array], Array],
    start: Array,
    seed: int,
) -> Array:
    """Configurations of a goal that is wide (k, n): the start if the goal holds there, and those of poses drawn in it.

    Of a goal that reaches far beyond the arm, most poses drawn in it are out of reach. Then poses are drawn where the
    arm can be, and those in the goal are kept.
    """
    Q = solved(space, poses, start)
    if not len(Q):
        Q = solved(space, kept(reached(space, start, seed))[:DRAWS], start)
    if goal.holds(space, start):
        Q = np.concatenate([start[None], Q])
    if not len(Q):
        raise unreachable(space, poses[0], start, goal)
    return Q


def _flat(goal: Goal) -> list[Goal]:
    if isinstance(goal, AnyGoal):
        return [one for each in goal.goals for one in _flat(each)]
    return [goal]


def _single(goal: Goal, space: Space, start: Array, seed: int) -> Array:
    assert isinstance(goal, JointGoal | PoseGoal | RegionGoal)
    return goal.configurations(space, start, seed)


def _all(goal: AllGoals, space: Space, start: Array, seed: int) -> Array:
    """The configurations of the one goal at which all others hold."""
    for one in sorted(goal.goals, key=_narrow):
        rows = configurations(one, space, start, seed)
        for _, error in rows.refused:
            raise error
        others = [other for other in goal.goals if other is not one]
        kept = [q for q in rows.Q if all(holds(other, space, q) for other in others)]
        if kept:
            return np.array(kept)
    what = " and ".join(str(one) for one in goal.goals)
    raise Unreachable(f"The goals contradict each other: no configuration is at {what} at once.", goals=len(goal.goals))


def _narrow(goal: Goal) -> int:
    """Joint values first, regions last: the narrower a goal, the fewer configurations are tried for nothing."""
    kinds = (JointGoal, PoseGoal, AnyGoal, RegionGoal)
    return next((place for place, kind in enumerate(kinds) if isinstance(goal, kind)), len(kinds))
