"""Paths that keep constraints: searched along them, smoothed along them, and proved to keep them and to be free."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.errors import ConstraintBroken
from workcell.motion.path import JointPath
from workcell.planning.constraint_proof import prove_kept
from workcell.planning.constraint_rows import EXACT, Rows
from workcell.planning.kept import Kept
from workcell.planning.path_plan import Try
from workcell.planning.planners import Query, joined, kept_tries
from workcell.planning.space import Space

Array = NDArray[np.float64]

STRIDE = 0.08
"""How far a tree grows before it is projected again, weighted [m]."""
_STRIDES = 12
"""How many strides a tree grows towards one sample."""
_SLICE = 16
"""How many samples are drawn between two looks at the clock."""
_ROOM = 8192
_WALK = 2000
"""How many strides a direct walk takes at most."""
_SHORTCUTS = 150
_RELAXINGS = 20
_INSIDE = 2e-3
"""How far inside the ranges of the joints the search stays, so that a spline keeps them too [rad or m]."""
_RANGE = 1e-9
_LIFT = 7
"""How many configurations the way off a support has."""
METHOD = "constrained rrt-connect"


def kept_goals(query: Query, rows: Rows, goals: Array, of: NDArray[np.intp]) -> tuple[Array, NDArray[np.intp]]:
    """The goals that keep the constraints, and their numbers; refused when the start or every goal breaks one."""
    broken = rows.broken(query.start)
    if broken is not None:
        raise ConstraintBroken(
            f"The start breaks a constraint: {query.space.robot} does not keep {broken} where it is"
            f"{rows.lean(broken, query.start[None])}. Move it there first, or give another constraint.",
            robot=query.space.robot,
        )
    if len(rows.arms) == 2:
        goals, of = _for_both_hands(query, rows, goals, of)
    values = np.abs(rows.values(goals)) <= rows.tolerances
    kept = values.all(axis=1)
    if not kept.any():
        one = rows.constraints[rows.rows[int(values.sum(axis=0).argmin())].of]
        raise ConstraintBroken(
            f"Every goal breaks a constraint: {query.space.robot} does not keep {one} there"
            f"{rows.lean(one, goals)}. Give another goal, or another constraint.",
            robot=query.space.robot,
        )
    return np.ascontiguousarray(goals[kept]), of[kept]


def _for_both_hands(query: Query, rows: Rows, goals: Array, of: NDArray[np.intp]) -> tuple[Array, NDArray[np.intp]]:
    """The goals, and those that they become when the first arm follows the second; free ones only."""
    space = query.space
    first, second = rows.arms
    places = dict(rows.places)
    X = rows.hand(first, query.start).inverse() @ rows.hand(second, query.start)
    found, numbers = [goals], [of]
    for q, number in zip(goals, of, strict=True):
        state = space.state_at(q)
        base = space.snapshot.base_pose(state, first)
        wanted = base.inverse() @ rows.hand(second, q) @ X.inverse()
        Q, valid = space.snapshot.robot(first).robot.ik_batch(wanted.matrix[None], within_limits=True, threads=1)
        more = np.repeat(q[None], int(valid.sum()), axis=0)
        more[:, places[first]] = Q[valid]
        found.append(more)
        numbers.append(np.full(len(more), number))
    every, of_every = np.concatenate(found), np.concatenate(numbers)
    order = np.argsort(np.abs(every - query.start).max(axis=1), kind="stable")
    every, of_every = every[order], of_every[order]
    kept = np.concatenate([[True], np.abs(np.diff(every, axis=0)).max(axis=1) > 1e-9])
    every, of_every = every[kept], of_every[kept]
    free = ~query.touching(every)
    return every[free], of_every[free]


def search(query: Query, rows: Rows) -> tuple[Array, str] | None:
    """Configurations along the constraints from the start to a goal, a stride apart, and how they were found."""
    for goal in query.goals[:4]:
        found = _walk(query, rows, query.start, goal)
        if found is not None:
            query.tries.append(Try("direct", "the walk along the constraints is free", found, _chain(len(found))))
            return found, "direct"
    query.tries.append(Try("direct", "something is in the way", np.empty((0, 0)), np.empty(0, dtype=np.int32)))
    grown = _grown(query, rows)
    return None if grown is None else (grown, METHOD)


def smoothed(query: Query, rows: Rows, points: Array) -> Array:
    """A shorter, rounder path along the constraints between the same ends."""
    from workcell.planning import _kernels_constrained as kernels

    held, space = _held(query, rows), query.space
    work = np.array(points, order="C")
    seed = np.array([query.seed ^ 0x2545F491], dtype=np.uint64)
    base, columns, poses = space.base_row.copy(), space.columns, space.poses
    count = kernels.shorten_held(
        held, query.scene, base, columns, poses, work, len(work), seed, _SHORTCUTS, query.met, query.counts
    )
    kernels.relax_held(held, query.scene, base, columns, poses, work, count, _RELAXINGS, query.met, query.counts)
    return work[:count].copy()


def spline(query: Query, rows: Rows, points: Array) -> tuple[JointPath, Kept] | None:
    """A smooth path through configurations that is proved to keep the constraints; more are put in where needed."""
    box = query.space.box(points)
    for _ in range(6):
        points = _apart(points)
        path = JointPath.spline(points)
        proof = prove_kept(path, rows)
        if isinstance(proof, Kept) and _within(query, path):
            return path, proof
        query.look("constraints are kept more closely")
        finer = refined(rows, points, box)
        if finer is None:
            return None
        points = finer
    return None


def _within(query: Query, path: JointPath) -> bool:
    """Whether a path keeps the ranges of the joints also between its points."""
    low, high = path.curve.range()
    limits = query.space.limits
    return bool((low >= limits[:, 0] - _RANGE).all() and (high <= limits[:, 1] + _RANGE).all())


def refined(rows: Rows, points: Array, box: Array) -> Array | None:
    """The configurations with one more, projected, between any two; None where that fails."""
    middle, kept = rows.project(0.5 * (points[:-1] + points[1:]), box)
    if not kept.all():
        return None
    out = np.empty((2 * len(points) - 1, points.shape[1]))
    out[::2], out[1::2] = points, middle
    return out


def between(rows: Rows, start: Array, end: Array, space: Space) -> Array | None:
    """Configurations from one to another near to it that keep the constraints; None where they cannot be kept."""
    if np.array_equal(start, end):
        return np.array([start])
    points = start + np.linspace(0.0, 1.0, _LIFT)[:, None] * (end - start)
    middle, kept = rows.project(points[1:-1], space.box(points))
    return np.vstack([start, middle, end]) if kept.all() else None


def _apart(points: Array) -> Array:
    """Without configurations that repeat the one before; a path of two gets a third."""
    moves = np.linalg.norm(np.diff(points, axis=0), axis=1) > 1e-7
    kept = points[np.concatenate([[True], moves])]
    if not np.array_equal(kept[-1], points[-1]):
        kept[-1] = points[-1]
    return np.asarray(kept)


def _held(query: Query, rows: Rows) -> tuple[Any, ...]:
    space = query.space
    box = space.box(np.vstack([query.start[None], query.goals])) + [[_INSIDE, -_INSIDE]]
    return rows.arrays, space.weights, box, EXACT * rows.tolerances, STRIDE, query.step


def _walk(query: Query, rows: Rows, start: Array, goal: Array) -> Array | None:
    from workcell.planning import _kernels_constrained as kernels

    space = query.space
    out = np.empty((_WALK, space.n))
    count = kernels.walk(
        _held(query, rows), query.scene, space.base_row.copy(), space.columns, space.poses, np.array(start),
        np.array(goal), out, query.met, query.counts,
    )  # fmt: skip
    return np.concatenate([start[None], out[:count]]) if count else None


def _grown(query: Query, rows: Rows) -> Array | None:
    from workcell.planning import _kernels_constrained as kernels
    from workcell.planning._kernels_search import FULL, JOINED

    space, n = query.space, query.space.n
    nodes, parents = np.empty((2, _ROOM, n)), np.full((2, _ROOM), -1, dtype=np.int32)
    nodes[0, 0] = query.start
    nodes[1, : len(query.goals)] = query.goals
    sizes = np.array([1, len(query.goals)], dtype=np.int64)
    seed, join = np.array([query.seed], dtype=np.uint64), np.zeros(2, dtype=np.int64)
    held, base = _held(query, rows), space.base_row.copy()
    while True:
        status = kernels.grow_held(
            held, query.scene, base, space.columns, space.poses, nodes, parents, sizes, seed, _SLICE, _STRIDES,
            query.met, query.counts, join,
        )  # fmt: skip
        if status == JOINED:
            query.tries.append(kept_tries(METHOD, "the trees met", nodes, parents, sizes))
            return joined(nodes, parents, join)
        query.look(f"{int(sizes.sum())} configurations reached")
        if query.late:
            query.tries.append(kept_tries(METHOD, "the time was used up", nodes, parents, sizes))
            return None
        if status == FULL:
            nodes = np.concatenate([nodes, np.empty_like(nodes)], axis=1)
            parents = np.concatenate([parents, np.full_like(parents, -1)], axis=1)


def _chain(count: int) -> NDArray[np.int32]:
    return np.arange(-1, count - 1, dtype=np.int32)
