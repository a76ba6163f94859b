"""How far a part can fall until it touches what is below, and where it touches: exact for triangle meshes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from workcell.geometry.mesh import Mesh

Array = NDArray[np.float64]

SUNK = 1e-3
"""A part that is sunk into its support by less than this [m] stands on it."""
_FLAT = 1e-15
_EDGE = 1e-6
"""A part that overlaps another by less than this, seen from above, is beside it and not on it [m]."""


def vertical_gap(part: Mesh, X_part: Array, other: Mesh, X_other: Array) -> float:
    """Return how far the part can move straight down until it touches the other [m]; infinite if it never does.

    The first touch of two meshes is a corner of one on a face of the other, or two edges that cross.
    """
    least = min((_least(gaps) for gaps, _ in _meetings(part, X_part, other, X_other)), default=np.inf)
    return max(least, 0.0)


def lift_over(part: Mesh, X_part: Array, other: Mesh, X_other: Array) -> float:
    """Return how far the part must move straight up until it is above what the other has below it [m]; 0 beside it."""
    meetings = _meetings(part, X_part, other, X_other, higher=True)
    return max((float(-gaps.min()) for gaps, _ in meetings if len(gaps)), default=0.0)


def footprint(part: Mesh, X_part: Array, other: Mesh, X_other: Array, within: float) -> Array:
    """Return where a part stands on another, seen from above (k, 2) [m]; the hull of these points supports it.

    Args:
        part: the upper part.
        X_part: ``X_world_part`` (4, 4).
        other: what may carry it.
        X_other: ``X_world_other`` (4, 4).
        within: the greatest gap at which a point of the part still counts as standing on the other [m].
    """
    found = [places[(gaps >= -SUNK) & (gaps <= within)] for gaps, places in _meetings(part, X_part, other, X_other)]
    return np.concatenate([np.empty((0, 2)), *found])


def _meetings(
    part: Mesh, X_part: Array, other: Mesh, X_other: Array, higher: bool = False
) -> Iterator[tuple[Array, Array]]:
    """Yield the height of the part over the other (k,) at points from above (k, 2): corners on faces, edges on edges.

    What is higher than the whole part is left out unless requested, with all faces that cannot carry or be carried.
    """
    upper, lower = _narrowed(_world(part, X_part)), _world(other, X_other)
    low, high = upper[..., :2].min(axis=(0, 1)), upper[..., :2].max(axis=(0, 1))
    near = ((lower[..., :2].max(axis=1) >= low) & (lower[..., :2].min(axis=1) <= high)).all(axis=1)
    if not higher:
        near &= (lower[..., 2].min(axis=1) <= upper[..., 2].max() + SUNK) & _facing(other, lower, 1.0)
        upper = upper[_facing(part, upper, -1.0)]  # its top may touch something, but does not stand on it
    lower = lower[near]
    if len(lower):
        yield from _over(_corners(upper), lower, 1.0)
        yield from _over(_corners(lower), upper, -1.0)
        yield from _crossing(_edges(upper), _edges(lower))


def _world(mesh: Mesh, X: Array) -> Array:
    """Return the corners of the triangles in the world (m, 3, 3)."""
    return np.asarray((mesh.vertices @ X[:3, :3].T + X[:3, 3])[mesh.triangles])


def _facing(mesh: Mesh, triangles: Array, sign: float) -> NDArray[np.bool_]:
    """Return which triangles (m, 3, 3) of a mesh face up (sign 1) or down (sign −1); all of a mesh that is open."""
    if not mesh.closed:
        return np.ones(len(triangles), dtype=np.bool_)
    u, v = triangles[:, 1, :2] - triangles[:, 0, :2], triangles[:, 2, :2] - triangles[:, 0, :2]
    return np.asarray(sign * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]) > _FLAT)


def _narrowed(triangles: Array) -> Array:
    """Return triangles made a little narrower, so that a part that only shares a wall does not stand on the edge."""
    flat = triangles[..., :2]
    low, high = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
    share = np.maximum(1.0 - 2.0 * _EDGE / np.maximum(high - low, 2.0 * _EDGE), 0.0)
    out = triangles.copy()
    out[..., :2] = (low + high) / 2.0 + share * (flat - (low + high) / 2.0)
    return out


def _corners(triangles: Array) -> Array:
    return np.unique(triangles.reshape(-1, 3), axis=0)


def _edges(triangles: Array) -> Array:
    """Return every edge once (e, 2, 3)."""
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    swap = (pairs[:, 0] > pairs[:, 1]).any(axis=1) & (pairs[:, 0, 0] >= pairs[:, 1, 0])
    pairs[swap] = pairs[swap][:, ::-1]
    return np.unique(pairs.reshape(-1, 6), axis=0).reshape(-1, 2, 3)


def _over(points: Array, triangles: Array, sign: float) -> Iterator[tuple[Array, Array]]:
    """Yield the height of points over triangles (sign 1) or under them (sign −1), where they overlap from above."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    u, v = (b - a)[:, :2], (c - a)[:, :2]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    solid = np.abs(area) > _FLAT
    a, u, v, area, b, c = a[solid], u[solid], v[solid], area[solid], b[solid], c[solid]
    for chunk in np.array_split(points, max(1, len(points) * len(area) // 2_000_000 + 1)):
        d = chunk[:, None, :2] - a[None, :, :2]
        s = (d[..., 0] * v[:, 1] - d[..., 1] * v[:, 0]) / area
        t = (u[:, 0] * d[..., 1] - u[:, 1] * d[..., 0]) / area
        inside = (s >= -1e-9) & (t >= -1e-9) & (s + t <= 1.0 + 1e-9)
        height = a[:, 2] + s * (b - a)[:, 2] + t * (c - a)[:, 2]
        yield sign * (chunk[:, None, 2] - height)[inside], chunk[np.nonzero(inside)[0], :2]


def _crossing(upper: Array, lower: Array) -> Iterator[tuple[Array, Array]]:
    """Yield the height of edges over edges that they cross, seen from above."""
    p, r = upper[:, 0], upper[:, 1] - upper[:, 0]
    q, s = lower[:, 0], lower[:, 1] - lower[:, 0]
    for rows in np.array_split(np.arange(len(p)), max(1, len(p) * len(q) // 2_000_000 + 1)):
        d = q[None, :, :] - p[rows][:, None, :]
        cross = r[rows][:, None, 0] * s[None, :, 1] - r[rows][:, None, 1] * s[None, :, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            along = (d[..., 0] * s[:, 1] - d[..., 1] * s[:, 0]) / cross
            other = (d[..., 0] * r[rows][:, None, 1] - d[..., 1] * r[rows][:, None, 0]) / cross
        meet = (np.abs(cross) > _FLAT) & (along >= 0.0) & (along <= 1.0) & (other >= 0.0) & (other <= 1.0)
        i, j = np.nonzero(meet)
        above = p[rows][i, 2] + along[i, j] * r[rows][i, 2]
        below = q[j, 2] + other[i, j] * s[j, 2]
        yield above - below, q[j, :2] + other[i, j][:, None] * s[j, :2]


def _least(gaps: Array) -> float:
    """Return the least valid gap; what lies above the part is not below it."""
    real = gaps[gaps >= -SUNK]
    return float(real.min()) if len(real) else np.inf
