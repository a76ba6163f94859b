"""The choice between several solutions, for one pose and along a path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, JointLimit, Unreachable
from workcell.kinematics.dh import Chain, FloatArray
from workcell.kinematics.inverse import checked_poses, ik_batch
from workcell.kinematics.numeric import checked_limits, multi_start, solve_numeric
from workcell.kinematics.solutions import IKSolution, IKSolutions
from workcell.kinematics.structure import recognise
from workcell.spatial.message_units import said
from workcell.spatial.pose import Pose

LARGE_MOVE = math.radians(45.0)
"""The Agent's threshold [rad]: above this joint change, the roomiest branch is used instead of the nearest."""


def nearest(solutions: IKSolutions, q: ArrayLike) -> FloatArray:
    """The solution within the limits that is nearest to given joints, turned by whole turns towards them.

    Nearness is the largest change of a joint; ties go to the smaller sum.
    """
    near = _candidates(solutions, solutions.chain.joints(q))
    change = np.abs(near - solutions.chain.joints(q))
    order = np.lexsort((change.sum(axis=1), np.round(change.max(axis=1), 12)))
    return _frozen(near[order[0]])


def most_room(solutions: IKSolutions) -> FloatArray:
    """The solution whose joint nearest to a limit is farthest from it (as a share of that joint's range)."""
    chosen = _within(solutions)
    if solutions.limits is None:
        raise InvalidValue("The branch with the most room needs joint limits; none were given.")
    room = room_to_limits(chosen, solutions.limits)
    return _frozen(chosen[int(np.argmax(room))])


def agent_choice(solutions: IKSolutions, q: ArrayLike, threshold: float = LARGE_MOVE) -> FloatArray:
    """The Agent's rule: nearest to the present joints unless that changes one by more than the threshold.

    A larger move uses the branch with the most room to the limits.
    """
    close = nearest(solutions, q)
    if solutions.limits is None or np.abs(close - solutions.chain.joints(q)).max() <= threshold:
        return close
    return most_room(solutions)


def large_move(policy: str) -> float:
    """The threshold of a policy of the Agent [rad]: ``agent`` has 45°, ``agent:60`` has 60°."""
    _, _, limit = policy.partition(":")
    return math.radians(float(limit)) if limit else LARGE_MOVE


def standing_in(solutions: IKSolutions, q: ArrayLike) -> IKSolution:
    """The one of all solutions of a pose, within the limits or not, that an arm with these joints is in."""
    there = solutions.chain.joints(q)
    turn = 2.0 * math.pi
    off = np.asarray(solutions.q) - there
    off = np.where(solutions.chain.prismatic, off, off - turn * np.round(off / turn))
    return solutions[int(np.argmin(np.abs(off).max(axis=1)))]


def fixed(solutions: IKSolutions, branch: int | tuple[int, int, int]) -> FloatArray:
    """The solution of one branch: the Agent's index 0…7 or Ding's (A, E, W)."""
    found: IKSolution | None
    if isinstance(branch, int):
        found = solutions.with_index(branch)
        asked = f"index {branch}"
        known = ", ".join(str(i) for i in solutions.index)
    else:
        if len(solutions) and not any(solutions.label):
            raise InvalidValue(
                "This arm has no branches with the signs of A, E, W; use the nearest or the roomiest solution, "
                "or one by its index.",
                branch=branch,
            )
        found = solutions.with_label(branch)
        asked = f"(A, E, W) = {tuple(branch)}"
        known = ", ".join(str(label) for label in solutions.label if label)
    if found is None:
        there = f"there is {known}" if known else "the pose has no solution"
        raise Unreachable(f"No solution has {asked}; {there}.", branch=branch, available=solutions.index)
    if not found.within_limits:
        joint, excess = found.violations[0]
        raise JointLimit(
            f"The solution of {asked} puts joint {joint} {_shown(solutions.chain, joint, excess)} outside its limits.",
            joint=joint,
            excess=excess,
        )
    return found.q


def room_to_limits(q: FloatArray, limits: FloatArray) -> FloatArray:
    """The least distance of joint values (…, n) to a limit, as a share of the joint's half range: 1 is the middle."""
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

    The solutions of each point, with their whole-turn copies inside the limits, are the nodes of a layered graph.
    Edges are steps that change no joint by more than ``largest_step``. The path with the least largest step (then
    the least total change) is used. An arm with a continuum of solutions (seven joints) is followed numerically
    from several first solutions instead.

    Args:
        chain: the arm.
        poses: the path's points, the tool in the base.
        limits: (n, 2) [rad or m].
        start: joint values before the first point, to be near to; any branch by default.
        largest_step: how much a joint may change between two points [rad or m].

    Raises:
        Unreachable: a point has no solution within the limits, or no branch continues after it; ``point`` is
            its number, ``reached`` the joint values up to it.
    """
    matrices = checked_poses(poses)
    if not len(matrices):
        raise InvalidValue("A path needs at least one pose.")
    array = checked_limits(chain, limits)
    if recognise(chain).family == "numeric":
        return _follow(chain, matrices, array, None if start is None else chain.joints(start), largest_step)
    Q, valid = ik_batch(chain, matrices)
    layers: list[_Layer] = []
    for k in range(len(matrices)):
        slots = np.flatnonzero(valid[k])
        if not slots.size:
            raise Unreachable(f"Point {k + 1} of the path cannot be reached.", point=k, reached=_trace(layers))
        if k == 0:
            layer = _first_layer(chain, Q[0], slots, array, None if start is None else chain.joints(start))
            least = 0.0
        else:
            layer, least = _next_layer(chain, Q[k], slots, array, layers[-1], largest_step)
        if not len(layer.q):
            alone = _first_layer(chain, Q[k], slots, array, None)
            if not len(alone.q):
                text = f"Point {k + 1} of the path can be reached only outside the joint limits."
            else:
                size, unit = (1.0, " (rad or m)") if chain.prismatic.any() else (180.0 / np.pi, "°")
                text = (
                    f"No branch continues from point {k} to point {k + 1} of the path within the limits and without "
                    f"a joint changing by more than {largest_step * size:.3g}{unit}; the least change is "
                    f"{least * size:.3g}{unit}."
                )
            raise Unreachable(text, point=k, reached=_trace(layers), least_change=least)
        layers.append(layer)
    picks = _picks(layers)
    q = np.array([layer.q[i] for layer, i in zip(layers, picks, strict=True)])
    step = float(np.abs(np.diff(q, axis=0)).max()) if len(q) > 1 else 0.0
    slots_taken = tuple(int(layer.slots[i]) for layer, i in zip(layers, picks, strict=True))
    return PathBranches(_frozen(q), slots_taken, step)


@dataclass(frozen=True)
class _Layer:
    """The solutions of one point that can be reached from the start."""

    q: FloatArray
    slots: NDArray[np.int64]
    worst: FloatArray
    total: FloatArray
    back: NDArray[np.int64]


_TURN = 2.0 * math.pi


def _first_layer(
    chain: Chain, Q: FloatArray, slots: NDArray[np.int64], limits: FloatArray, start: FloatArray | None
) -> _Layer:
    """The first point's solutions: whole-turn copies where limits bound them, otherwise those nearest to the start."""
    nodes: list[FloatArray] = []
    places: list[int] = []
    for slot in slots:
        options: list[list[float]] = []
        for j, value in enumerate(Q[slot]):
            low, high = limits[j, 0] - 1e-9, limits[j, 1] + 1e-9
            if chain.prismatic[j]:
                options.append([value] if low <= value <= high else [])
            elif math.isfinite(high - low):
                turns = range(math.ceil((low - value) / _TURN), math.floor((high - value) / _TURN) + 1)
                options.append([value + _TURN * k for k in turns])
            else:
                near = 0.0 if start is None else _TURN * round((float(start[j]) - value) / _TURN)
                options.append([value + near] if low <= value + near <= high else [])
        grid = np.array(np.meshgrid(*options, indexing="ij")).reshape(chain.n, -1).T
        nodes.extend(grid)
        places.extend([int(slot)] * len(grid))
    q = np.array(nodes) if nodes else np.empty((0, chain.n))
    total = np.zeros(len(q)) if start is None else np.abs(q - start).max(axis=1, initial=0.0)
    return _Layer(q, np.array(places, dtype=np.int64), np.zeros(len(q)), total, np.full(len(q), -1))


def _next_layer(
    chain: Chain, Q: FloatArray, slots: NDArray[np.int64], limits: FloatArray, before: _Layer, largest_step: float
) -> tuple[_Layer, float]:
    """The solutions that can be reached from the layer before, and the least change between the layers."""
    base = Q[slots]
    turns = np.where(chain.prismatic, 0.0, np.round((before.q[:, None] - base[None]) / _TURN))
    nodes = base[None] + _TURN * turns
    change = np.abs(nodes - before.q[:, None]).max(axis=2)
    inside = ((nodes >= limits[:, 0] - 1e-9) & (nodes <= limits[:, 1] + 1e-9)).all(axis=2)
    least = float(change[inside].min()) if inside.any() else float(change.min())
    came, went = np.nonzero(inside & (change <= largest_step))
    worst = np.maximum(change[came, went], before.worst[came])
    total = change[came, went] + before.total[came]
    # One node for each slot and set of turns, with its best path: least worst step, then least total.
    code = went + len(slots) * ((turns[came, went] + 8.0) @ 17.0 ** np.arange(chain.n)).astype(np.int64)
    order = np.lexsort((total, np.round(worst, 12), code))
    first = np.ones(len(order), dtype=bool)
    first[1:] = code[order][1:] != code[order][:-1]
    keep = order[first]
    layer = _Layer(nodes[came, went][keep], slots[went[keep]], worst[keep], total[keep], came[keep])
    return layer, least


def _follow(
    chain: Chain, matrices: FloatArray, limits: FloatArray, start: FloatArray | None, largest_step: float
) -> PathBranches:
    """Follow a path by iteration from each of several solutions of its first point; the smoothest one wins."""
    poses = [Pose(matrix) for matrix in matrices]
    firsts = list(multi_start(chain, poses[0], limits, starts=48, most=8))
    if start is not None:
        result = solve_numeric(chain, poses[0], limits, guess=start)
        if result.converged:
            firsts.insert(0, result.q)
            if np.abs(result.q - start).max() <= largest_step:
                firsts = [result.q]  # the path that continues from the present joints
    best: tuple[float, list[FloatArray]] | None = None
    farthest: list[FloatArray] = []
    for first in firsts:
        way = [np.asarray(first)]
        step = 0.0
        for pose in poses[1:]:
            result = solve_numeric(chain, pose, limits, guess=way[-1], restarts=1)
            moved = float(np.abs(result.q - way[-1]).max())
            if not result.converged or moved > largest_step:
                break
            step = max(step, moved)
            way.append(result.q)
        if len(way) > len(farthest):
            farthest = way
        if len(way) == len(poses) and (best is None or step < best[0]):
            best = (step, way)
    if best is None:
        k = len(farthest)
        text = "cannot be reached within the limits" if k == 0 else "cannot be reached from the point before it"
        raise Unreachable(f"Point {k + 1} of the path {text}.", point=k, reached=np.array(farthest) if k else None)
    return PathBranches(_frozen(np.array(best[1])), (0,) * len(poses), best[0])


def _shown(chain: Chain, joint: int, excess: float) -> str:
    """How far a joint (counted from 1) is outside its range: a length if it slides, an angle if it turns."""
    return said(abs(excess), chain.prismatic[joint - 1])


def _picks(layers: list[_Layer]) -> list[int]:
    last = layers[-1]
    i = int(np.lexsort((last.total, np.round(last.worst, 12)))[0])
    picks = [i]
    for layer in reversed(layers[1:]):
        i = int(layer.back[i])
        picks.append(i)
    return picks[::-1]


def _trace(layers: list[_Layer]) -> FloatArray | None:
    if not layers:
        return None
    return np.array([layer.q[i] for layer, i in zip(layers, _picks(layers), strict=True)])


def _within(solutions: IKSolutions) -> FloatArray:
    if not len(solutions):
        raise Unreachable("The pose has no solution.")
    inside = solutions.within_limits
    if not inside.any():
        least = min(solutions, key=lambda s: max(abs(e) for _, e in s.violations))
        joint, excess = max(least.violations, key=lambda pair: abs(pair[1]))
        raise JointLimit(
            f"Every solution is outside the joint limits; in the nearest, joint {joint} "
            f"is {_shown(solutions.chain, joint, excess)} outside.",
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
