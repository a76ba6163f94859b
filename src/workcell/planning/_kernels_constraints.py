"""Compiled loops of constraints: how far configurations break them, and the nearest configurations that keep them.

Constraints are rows of numbers, each one equation or inequality for a point or a direction of a hand;
:meth:`workcell.planning.constraint_rows.Rows.arrays` makes them. Positions are in metres, directions are unit vectors.
"""

# mypy: disallow-untyped-decorators=False
# mypy: disallow-untyped-calls=False
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_poses import place_frames
from workcell.geometry._kernels_triangle import way_to_triangle
from workcell.kinematics._kernels_numeric import cholesky_solve
from workcell.planning.constraint_codes import AXIS, CONE, PLANE, ROUND, SAME_POINT, SAME_TURN

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

ROUNDS = 24
"""How many steps a projection takes at most."""


@compiled
def room_for(rows: Any, poses: Array) -> Any:
    """Workspace of the loops: poses, values, gradients, a system of equations, vectors."""
    m, joints = rows[0].shape[0], rows[6].shape[0]
    return (
        poses.copy(),
        np.zeros(m),
        np.zeros((m, joints)),
        (np.zeros((m, m)), np.zeros(m), np.zeros(m), np.ones(m, dtype=np.bool_)),
        np.zeros((8, 3)),
        np.zeros((1, 12)),
    )


@compiled
def _point(X: Array, tool: Array, local: Array, at: int, out: Array) -> None:
    """A point of a hand in the world: local coordinates ``local[at:at+3]`` in the frame of the tool."""
    x, y, z = local[at], local[at + 1], local[at + 2]
    a = tool[0] * x + tool[1] * y + tool[2] * z + tool[9]
    b = tool[3] * x + tool[4] * y + tool[5] * z + tool[10]
    c = tool[6] * x + tool[7] * y + tool[8] * z + tool[11]
    for i in range(3):
        out[i] = X[3 * i] * a + X[3 * i + 1] * b + X[3 * i + 2] * c + X[9 + i]


@compiled
def _direction(X: Array, tool: Array, local: Array, at: int, out: Array) -> None:
    """A direction of a hand in the world."""
    x, y, z = local[at], local[at + 1], local[at + 2]
    a = tool[0] * x + tool[1] * y + tool[2] * z
    b = tool[3] * x + tool[4] * y + tool[5] * z
    c = tool[6] * x + tool[7] * y + tool[8] * z
    for i in range(3):
        out[i] = X[3 * i] * a + X[3 * i + 1] * b + X[3 * i + 2] * c


@compiled
def from_mesh(triangles: Array, p: Array, way: Array, best: Array) -> float:
    """The distance of a point from a mesh, below 0 inside, with the direction away from it."""
    least, which = math.inf, 0
    for k in range(triangles.shape[0]):
        t = triangles[k]
        gap = 0.0
        for i in range(3):
            low = min(t[i], t[3 + i], t[6 + i])
            high = max(t[i], t[3 + i], t[6 + i])
            off = max(low - p[i], p[i] - high, 0.0)
            gap += off * off
        if gap > least:
            continue
        u, v, w = way_to_triangle(t, p[0], p[1], p[2])
        square = u * u + v * v + w * w
        better = square < least - 1e-18
        if not better and square <= least + 1e-18:
            # Of two triangles that share the nearest point the one that faces the point more says which side it is on.
            better = abs(_height(t, p)) > abs(_height(triangles[which], p))
        if better:
            least, which = square, k
            best[0], best[1], best[2] = u, v, w
    t = triangles[which]
    height = _height(t, p)
    distance = math.sqrt(least)
    sign = -1.0 if height < 0.0 else 1.0
    if distance > 1e-9:
        for i in range(3):
            way[i] = -sign * best[i] / distance
    else:
        _normal(t, way)
    return sign * distance


@compiled
def _normal(t: Array, out: Array) -> None:
    ux, uy, uz = t[3] - t[0], t[4] - t[1], t[5] - t[2]
    vx, vy, vz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = max(math.sqrt(x * x + y * y + z * z), 1e-300)
    out[0], out[1], out[2] = x / size, y / size, z / size


@compiled
def _height(t: Array, p: Array) -> float:
    """How high a point is over the plane of a triangle."""
    ux, uy, uz = t[3] - t[0], t[4] - t[1], t[5] - t[2]
    vx, vy, vz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = max(math.sqrt(x * x + y * y + z * z), 1e-300)
    return float((x * (p[0] - t[0]) + y * (p[1] - t[1]) + z * (p[2] - t[2])) / size)


@compiled
def _point_gradient(rows: Any, hand: int, p: Array, way: Array, sign: float, poses: Array, out: Array) -> None:
    """Add the gradient of ``way · p`` by the joints, p a point of a hand."""
    _, _, _, _, chain, lengths, slides, _, _ = rows
    for k in range(lengths[hand]):
        j, up = chain[hand, k, 0], chain[hand, k, 1]
        zx, zy, zz, ox, oy, oz = 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
        if up >= 0:
            zx, zy, zz = poses[up, 2], poses[up, 5], poses[up, 8]
            ox, oy, oz = poses[up, 9], poses[up, 10], poses[up, 11]
        if slides[j]:
            out[j] += sign * (way[0] * zx + way[1] * zy + way[2] * zz)
            continue
        x, y, z = p[0] - ox, p[1] - oy, p[2] - oz
        out[j] += sign * (way[0] * (zy * z - zz * y) + way[1] * (zz * x - zx * z) + way[2] * (zx * y - zy * x))


@compiled
def _turn_gradient(rows: Any, hand: int, a: Array, way: Array, sign: float, poses: Array, out: Array) -> None:
    """Add the gradient of ``way · a`` by the joints, a a direction of a hand."""
    _, _, _, _, chain, lengths, slides, _, _ = rows
    for k in range(lengths[hand]):
        j, up = chain[hand, k, 0], chain[hand, k, 1]
        if slides[j]:
            continue
        zx, zy, zz = 0.0, 0.0, 1.0
        if up >= 0:
            zx, zy, zz = poses[up, 2], poses[up, 5], poses[up, 8]
        out[j] += sign * (
            way[0] * (zy * a[2] - zz * a[1]) + way[1] * (zz * a[0] - zx * a[2]) + way[2] * (zx * a[1] - zy * a[0])
        )


@compiled
def _two_hands(
    rows: Any, k: int, poses: Array, vectors: Array, values: Array, slopes: Array, with_slopes: bool
) -> None:
    """The value of a row that ties the second hand to the first, and its gradient."""
    kinds, numbers, frames_of, tools_of, _, _, _, _, _ = rows
    numbers_k = numbers[k]
    p, q, way = vectors[0], vectors[1], vectors[2]
    first, second = poses[frames_of[0]], poses[frames_of[1]]
    if kinds[k] == SAME_POINT:
        _point(first, tools_of[0], numbers_k, 0, p)
        _point(second, tools_of[1], numbers_k, 3, q)
        axis = int(numbers_k[6])
        values[k] = q[axis] - p[axis]
        if with_slopes:
            way[:] = 0.0
            way[axis] = 1.0
            _point_gradient(rows, 1, q, way, 1.0, poses, slopes[k])
            _point_gradient(rows, 0, p, way, -1.0, poses, slopes[k])
        return
    _direction(first, tools_of[0], numbers_k, 0, p)
    _direction(second, tools_of[1], numbers_k, 3, q)
    values[k] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
    if with_slopes:
        _turn_gradient(rows, 1, q, p, 1.0, poses, slopes[k])
        _turn_gradient(rows, 0, p, q, 1.0, poses, slopes[k])


@compiled
def _on_surface(
    rows: Any, k: int, poses: Array, vectors: Array, values: Array, slopes: Array, with_slopes: bool
) -> None:
    """The value of a row that keeps a point on a plane, a cylinder, a sphere or a mesh, and its gradient."""
    kinds, numbers, frames_of, tools_of, _, _, _, triangles, _ = rows
    numbers_k = numbers[k]
    hand = int(numbers_k[15])
    p, way = vectors[0], vectors[1]
    _point(poses[frames_of[hand]], tools_of[hand], numbers_k, 0, p)
    if kinds[k] == PLANE:
        way[:] = numbers_k[3:6]
        values[k] = way[0] * p[0] + way[1] * p[1] + way[2] * p[2] - numbers_k[6]
    elif kinds[k] == ROUND:
        along = 0.0
        for i in range(3):
            way[i] = p[i] - numbers_k[3 + i]
            along += way[i] * numbers_k[6 + i]
        for i in range(3):
            way[i] -= along * numbers_k[6 + i]
        size = math.sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2)
        for i in range(3):
            way[i] /= max(size, 1e-300)
        values[k] = size - numbers_k[9]
    else:
        values[k] = from_mesh(triangles, p, way, vectors[2]) - numbers_k[3]
    if with_slopes:
        _point_gradient(rows, hand, p, way, 1.0, poses, slopes[k])


@compiled
def measure(rows: Any, frames: Any, row: Array, columns: Ints, q: Array, with_slopes: bool, room: Any) -> None:
    """How far a configuration breaks each row: its values, below or above 0, and their gradients by the joints."""
    poses, values, slopes, _, vectors, none = room
    kinds, numbers, frames_of, tools_of, _, _, _, _, which = rows
    for j in range(columns.shape[0]):
        row[columns[j]] = q[j]
    place_frames(frames, which, row, none, poses)
    slopes[:] = 0.0
    for k in range(kinds.shape[0]):
        if kinds[k] == SAME_POINT or kinds[k] == SAME_TURN:
            _two_hands(rows, k, poses, vectors, values, slopes, with_slopes)
        elif kinds[k] == AXIS or kinds[k] == CONE:
            hand = int(numbers[k, 15])
            a, way = vectors[0], vectors[1]
            _direction(poses[frames_of[hand]], tools_of[hand], numbers[k], 0, a)
            way[:] = numbers[k, 3:6]
            values[k] = way[0] * a[0] + way[1] * a[1] + way[2] * a[2]
            inside = kinds[k] == CONE and values[k] >= numbers[k, 6]
            if kinds[k] == CONE:
                values[k] = min(values[k] - numbers[k, 6], 0.0)
            if with_slopes and not inside:
                _turn_gradient(rows, hand, a, way, 1.0, poses, slopes[k])
        else:
            _on_surface(rows, k, poses, vectors, values, slopes, with_slopes)


@compiled
def worst(values: Array, parts: Array) -> float:
    """The greatest value of any row, as a part of what is allowed there."""
    most = 0.0
    for k in range(values.shape[0]):
        most = max(most, abs(values[k]) / parts[k])
    return most


@compiled
def _step(values: Array, slopes: Array, system: Any, weights: Array, step: Array) -> bool:
    """The shortest weighted step that brings all values to 0, as far as their gradients say."""
    matrix, right, answer, every = system
    m, n = slopes.shape
    trace = 0.0
    for a in range(m):
        for b in range(m):
            total = 0.0
            for j in range(n):
                total += slopes[a, j] * slopes[b, j] / (weights[j] * weights[j])
            matrix[a, b] = total
        trace += matrix[a, a]
        right[a] = -values[a]
    for a in range(m):
        matrix[a, a] += 1e-10 * trace + 1e-30
    if not cholesky_solve(matrix, right, every, m, answer):
        return False
    for j in range(n):
        step[j] = 0.0
        for a in range(m):
            step[j] += slopes[a, j] * answer[a]
        step[j] /= weights[j] * weights[j]
    return True


@compiled
def _stopped(q: Array, step: Array, box: Array, slopes: Array) -> bool:
    """Whether joints at the ends of their ranges would go beyond; their gradients are set to 0."""
    found = False
    for j in range(q.shape[0]):
        if (q[j] <= box[j, 0] and step[j] < 0.0) or (q[j] >= box[j, 1] and step[j] > 0.0):
            slopes[:, j] = 0.0
            found = True
    return found


@compiled
def project(
    rows: Any, frames: Any, row: Array, columns: Ints, weights: Array, box: Array, parts: Array, q: Array, room: Any
) -> bool:
    """Move a configuration to one nearby that keeps every row within ``parts`` (m,) and the ranges ``box`` (n, 2)."""
    _, values, slopes, system, _, _ = room
    n = q.shape[0]
    step = np.empty(n)
    before = math.inf
    for turn in range(ROUNDS):
        measure(rows, frames, row, columns, q, True, room)
        off = worst(values, parts)
        if off <= 1.0:
            return True
        if not off < math.inf or (turn > 8 and off > 0.9 * before):
            return False
        before = off
        if not _step(values, slopes, system, weights, step):
            return False
        for _ in range(n):
            if not _stopped(q, step, box, slopes):
                break
            if not _step(values, slopes, system, weights, step):
                return False
        for j in range(n):
            q[j] = min(max(q[j] + min(max(step[j], -0.5), 0.5), box[j, 0]), box[j, 1])
    return False


@compiled
def measure_many(rows: Any, frames: Any, base: Array, columns: Ints, poses: Array, Q: Array, out: Array) -> None:
    """The values of all rows at many configurations (N, m)."""
    room, row = room_for(rows, poses), base.copy()
    for k in range(Q.shape[0]):
        measure(rows, frames, row, columns, Q[k], False, room)
        out[k] = room[1]


@compiled
def project_many(
    rows: Any, frames: Any, base: Array, columns: Ints, poses: Array, weights: Array, box: Array, parts: Array,
    Q: Array, kept: Any,
) -> None:  # fmt: skip
    """Project many configurations (N, n) in place; which of them keep every row then (N,)."""
    room, row = room_for(rows, poses), base.copy()
    for k in range(Q.shape[0]):
        kept[k] = project(rows, frames, row, columns, weights, box, parts, Q[k], room)
