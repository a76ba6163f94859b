"""Which of several solutions to take, for one pose and along a path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from workcell.errors import InvalidValue, JointLimit, Unreachable
from workcell.kinematics.dh import Chain, FloatArray
from workcell.kinematics.inverse import checked_poses, ik_batch
from workcell.kinematics.numeric import checked_limits
from workcell.kinematics.solutions import IKSolution, IKSolutions
from workcell.spatial.pose import Pose

LARGE_MOVE = math.radians(45.0)
"""The Agent's threshold: a joint change above it takes the roomiest branch in place of the nearest [rad]."""


def nearest(solutions: IKSolutions, q: ArrayLike) -> FloatArray:
    """The solution within the limits that is nearest to given joints, turned by whole turns towards them.

    Nearness is the largest change of a joint; ties go to the smaller sum.
    """
    near = _candidates(solutions, solutions.chain.joints(q))
    change = np.abs(near - solutions.chain.joints(q))
    order = np.lexsort((change.sum(axis=1), np.round(change.max(axis=1), 12)))
    return _frozen(near[order[0]])


def most_room(solutions: IKSolutions) -> FloatArray:
    """The solution whose joint nearest to a limit is farthest from it (as a part of that joint's range)."""
    chosen = _within(solutions)
    if solutions.limits is None:
        raise InvalidValue("The branch with the most room needs joint limits; none were given.")
    room = room_to_limits(chosen, solutions.limits)
    return _frozen(chosen[int(np.argmax(room))])


def agent_choice(solutions: IKSolutions, q: ArrayLike, threshold: float = LARGE_MOVE) -> FloatArray:
    """The Agent's rule: nearest to the present joints unless that changes one by more than the threshold.

    A larger move takes the branch with the most room to the limits.
    """
    close = nearest(solutions, q)
    if solutions.limits is None or np.abs(close - solutions.chain.joints(q)).max() <= threshold:
        return close
    return most_room(solutions)


def fixed(solutions: IKSolutions, branch: int | tuple[int, int, int]) -> FloatArray:
    """The solution of one branch: the Agent's index 0…7 or Ding's (A, E, W)."""
    found: IKSolution | None
    if isinstance(branch, int):
        found = solutions.with_index(branch)
        asked = f"index {branch}"
        known = ", ".join(str(i) for i in solutions.index)
    else:
        found = solutions.with_label(branch)
        asked = f"(A, E, W) = {tuple(branch)}"
        known = ", ".join(str(label) for label in solutions.label)
    if found is None:
        there = f"there is {known}" if known else "the pose has no solution at all"
        raise Unreachable(f"No solution has {asked}; {there}.", branch=branch, available=solutions.index)
    if not found.within_limits:
        joint, excess = found.violations[0]
        raise JointLimit(
            f"The solution of {asked} puts joint {joint} {abs(excess):.4g} outside its limits.",
            joint=joint,
            excess=excess,
        )
    return found.q


def room_to_limits(q: FloatArray, limits: FloatArray) -> FloatArray:
    """For joint values (…, n) the least distance to a limit as a part of the joint's half range: 1 is the middle."""
    half = 0.5 * (limits[:, 1] - limits[:, 0])
    with np.errstate(invalid="ignore", divide="ignore"):
        room = np.minimum(q - limits[:, 0], limits[:, 1] - q) / half
    room = np.where(np.isfinite(half) & (half > 0.0), room, 1.0)
    return np.asarray(room.min(axis=-1))


@dataclass(frozen=True)
class PathBranches:
    """Joint values along a path.

    Attributes:
        q: (N, n) [rad or m], continuous.
        slots: the solver's slot at each point (N,).
        largest_step: the largest change of a joint between two points [rad or m].
    """

    q: FloatArray
    slots: tuple[int, ...]
    largest_step: float


def along_path(
    chain: Chain,
    poses: Sequence[Pose] | ArrayLike,
    limits: ArrayLike | None = None,
    start: ArrayLike | None = None,
    largest_step: float = 0.5,
) -> PathBranches:
    """Joint values that follow a path without changing branch, chosen over the whole path.

    Every point's solutions, with their whole-turn copies inside the limits, are the nodes of a layered graph; steps
    that change a joint by more than ``largest_step`` are no edges. The way with the least largest step (then
    the least total change) is taken.

    Args:
        chain: the arm.
        poses: the path's points, the tool in the base.
        limits: (n, 2) [rad or m].
        start: joint values before the first point, to be near to; any branch when not given.
        largest_step: how much a joint may change between two points [rad or m].

    Raises:
        Unreachable: a point that has no solution within the limits, or after which no branch goes on; ``point`` is
            its number, ``reached`` the joint values up to it.
    """
    matrices = checked_poses(poses)
    if not len(matrices):
        raise InvalidValue("A path needs at least one pose.")
    array = checked_limits(chain, limits)
    Q, valid = ik_batch(chain, matrices)
    layers: list[FloatArray] = []
    slots: list[list[int]] = []
    costs: list[FloatArray] = []
    backs: list[FloatArray] = []
    for k in range(len(matrices)):
        nodes, places = _copies(chain, Q[k], valid[k], array)
        if not len(nodes):
            what = "cannot be reached" if not valid[k].any() else "is reached only outside the joint limits"
            raise Unreachable(f"Point {k} of the path {what}.", point=k, reached=_trace(layers, costs, backs))
        if k == 0:
            before = None if start is None else chain.joints(start)[None]
            cost = np.zeros((len(nodes), 2))
            if before is not None:
                cost = np.stack([np.zeros(len(nodes)), np.abs(nodes - before).max(axis=1)], axis=1)
            back = np.full(len(nodes), -1)
        else:
            change = np.abs(nodes[:, None] - layers[-1][None]).max(axis=2)
            worst = np.maximum(change, costs[-1][None, :, 0])
            total = change + costs[-1][None, :, 1]
            worst = np.where(change <= largest_step, worst, np.inf)
            # Least total among the ways whose worst step is within a hair of the best.
            best = worst.min(axis=1, keepdims=True)
            with np.errstate(invalid="ignore"):
                total = np.where(worst <= best * (1.0 + 1e-9) + 1e-12, total, np.inf)
            back = total.argmin(axis=1)
            rows = np.arange(len(nodes))
            cost = np.stack([worst[rows, back], total[rows, back]], axis=1)
            alive = np.isfinite(cost[:, 0])
            if not alive.any():
                raise Unreachable(
                    f"No branch goes on from point {k - 1} to point {k} of the path without a joint changing by more "
                    f"than {largest_step:.3g}; the least change is {change.min():.3g}.",
                    point=k,
                    reached=_trace(layers, costs, backs),
                    least_change=float(change.min()),
                )
            nodes, cost, back = nodes[alive], cost[alive], back[alive]
            places = [place for place, keep in zip(places, alive, strict=True) if keep]
        layers.append(nodes)
        slots.append(places)
        costs.append(cost)
        backs.append(back)
    picks = _picks(costs, backs)
    q = np.array([layer[i] for layer, i in zip(layers, picks, strict=True)])
    step = float(np.abs(np.diff(q, axis=0)).max()) if len(q) > 1 else 0.0
    return PathBranches(_frozen(q), tuple(s[i] for s, i in zip(slots, picks, strict=True)), step)


def _picks(costs: list[FloatArray], backs: list[FloatArray]) -> list[int]:
    last = costs[-1]
    i = int(np.lexsort((last[:, 1], np.round(last[:, 0], 12)))[0])
    picks = [i]
    for back in reversed(backs[1:]):
        i = int(back[i])
        picks.append(i)
    return picks[::-1]


def _trace(layers: list[FloatArray], costs: list[FloatArray], backs: list[FloatArray]) -> FloatArray | None:
    if not layers:
        return None
    return np.array([layer[i] for layer, i in zip(layers, _picks(costs, backs), strict=True)])


def _copies(chain: Chain, Q: FloatArray, valid: FloatArray, limits: FloatArray) -> tuple[FloatArray, list[int]]:
    """The valid solutions and their whole-turn copies within the limits (or within ±2π without limits)."""
    nodes: list[FloatArray] = []
    places: list[int] = []
    turn = 2.0 * math.pi
    low = np.where(np.isfinite(limits[:, 0]), limits[:, 0], -turn)
    high = np.where(np.isfinite(limits[:, 1]), limits[:, 1], turn)
    for slot in np.flatnonzero(valid):
        options = []
        for j, value in enumerate(Q[slot]):
            if chain.prismatic[j]:
                inside = limits[j, 0] - 1e-9 <= value <= limits[j, 1] + 1e-9
                options.append([value] if inside else [])
                continue
            first = math.ceil((low[j] - 1e-9 - value) / turn)
            last = math.floor((high[j] + 1e-9 - value) / turn)
            options.append([value + turn * k for k in range(first, last + 1)])
        grid = np.array(np.meshgrid(*options, indexing="ij")).reshape(chain.n, -1).T
        nodes.extend(grid)
        places.extend([int(slot)] * len(grid))
    return (np.array(nodes) if nodes else np.empty((0, chain.n))), places


def _within(solutions: IKSolutions) -> FloatArray:
    if not len(solutions):
        raise Unreachable("The pose has no solution.")
    inside = solutions.within_limits
    if not inside.any():
        least = min(solutions, key=lambda s: max(abs(e) for _, e in s.violations))
        joint, excess = max(least.violations, key=lambda pair: abs(pair[1]))
        raise JointLimit(
            f"Every solution leaves a joint's range; the nearest has joint {joint} {abs(excess):.4g} outside.",
            joint=joint,
            excess=excess,
        )
    kept: FloatArray = solutions.q[inside]
    return kept


def _candidates(solutions: IKSolutions, q: FloatArray) -> FloatArray:
    """Solutions within the limits, each turned as near to q as the limits allow."""
    chosen = _within(solutions)
    turn = 2.0 * math.pi
    moved = chosen + turn * np.where(solutions.chain.prismatic, 0.0, np.round((q - chosen) / turn))
    if solutions.limits is None:
        return np.asarray(moved)
    low, high = solutions.limits[:, 0] - 1e-9, solutions.limits[:, 1] + 1e-9
    for _ in range(2):  # at most one turn back towards the middle is needed
        over = (moved > high) & (moved - turn >= low)
        under = (moved < low) & (moved + turn <= high)
        moved = moved - turn * over + turn * under
    return np.where((moved >= low) & (moved <= high), moved, chosen)


def _frozen(q: FloatArray) -> FloatArray:
    q = np.array(q)
    q.flags.writeable = False
    return q
