"""Compiled bounds on the distance of the convex pieces of two bodies all along a small motion."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_boxes import TOUCH
from workcell.collision._kernels_convex import farthest, gap_of, nearest, towards
from workcell.collision._kernels_swept import cap_for, swept_gap2
from workcell.collision.proof_codes import LEAST_MET

Array = NDArray[np.float64]

ASK_TRIANGLES, TOO_NEAR = -1.0, -2.0
"""What pieces answer where they do not show bodies apart: the triangles may, or nothing does over this interval."""
_ABOUT = 1e-2
"""How exactly distances of pieces are found, as a part of them."""
_TRIES = 16
"""After how many directions the search for the best one is given up."""


@compiled
def _moved(x: float, y: float, z: float, flow: Array, at: int, side: float) -> Any:
    """Return where a point gets by its step, forward (``side`` 1) or back (−1); the field stands at ``at``."""
    u, v, w = flow[at + 3], flow[at + 4], flow[at + 5]
    return (
        x + side * (flow[at] + v * z - w * y),
        y + side * (flow[at + 1] + w * x - u * z),
        z + side * (flow[at + 2] + u * y - v * x),
    )


@compiled
def _tilted(x: float, y: float, z: float, flow: Array, at: int, side: float) -> Any:
    """Return the direction along which points reach as far now as along a given one at the end of their steps.

    A point moves by f + w × p, so it gets along n by n · f + p · (n × w).
    """
    u, v, w = flow[at + 3], flow[at + 4], flow[at + 5]
    return x + side * (y * w - z * v), y + side * (z * u - x * w), z + side * (x * v - y * u)


@compiled
def _next_at_end(
    points: Array, a0: int, a1: int, b0: int, b1: int, rel: Array, flow: Array, both: bool, x: float, y: float,
    z: float, side: float,
) -> Any:  # fmt: skip
    """Return the way from the corner of one hull that reaches farthest along a direction to the next of the other.

    Both are at the end of their steps, forward (``side`` 1) or back (−1).
    """
    dx, dy, dz = _tilted(x, y, z, flow, 0, side)
    i = farthest(points, a0, a1, dx, dy, dz)
    px, py, pz = _moved(points[0, i], points[1, i], points[2, i], flow, 0, side)
    dx, dy, dz = x, y, z
    if both:
        dx, dy, dz = _tilted(x, y, z, flow, 6, side)
    u = rel[0] * dx + rel[3] * dy + rel[6] * dz
    v = rel[1] * dx + rel[4] * dy + rel[7] * dz
    w = rel[2] * dx + rel[5] * dy + rel[8] * dz
    j = farthest(points, b0, b1, -u, -v, -w)
    ox, oy, oz = points[0, j], points[1, j], points[2, j]
    qx = rel[0] * ox + rel[1] * oy + rel[2] * oz + rel[9]
    qy = rel[3] * ox + rel[4] * oy + rel[5] * oz + rel[10]
    qz = rel[6] * ox + rel[7] * oy + rel[8] * oz + rel[11]
    if both:
        qx, qy, qz = _moved(qx, qy, qz, flow, 6, side)
    return qx - px, qy - py, qz - pz


@compiled
def _hulls_kept(
    points: Array, a0: int, a1: int, b0: int, b1: int, rel: Array, flow: Array, both: bool, need: float, S: Array
) -> float:
    """Return what two convex hulls stay apart all along their steps, along the best direction that was found.

    Along a direction both move evenly, so the ends of the steps decide. Hence the method of Gilbert, Johnson and
    Keerthi, for the hull of the differences at both ends. ``S[4]`` is the direction to begin with. The search ends
    when it shows ``need``, or that no direction does.
    """
    x, y, z = S[4, 0], S[4, 1], S[4, 2]
    low, high, count = -np.inf, np.inf, 0
    for _ in range(_TRIES):
        size = math.sqrt(x * x + y * y + z * z)
        if not size > 0.0:
            break
        x, y, z = x / size, y / size, z / size
        dx, dy, dz = _next_at_end(points, a0, a1, b0, b1, rel, flow, both, x, y, z, 1.0)
        ex, ey, ez = _next_at_end(points, a0, a1, b0, b1, rel, flow, both, x, y, z, -1.0)
        along = x * dx + y * dy + z * dz
        back = x * ex + y * ey + z * ez
        if back < along:
            dx, dy, dz, along = ex, ey, ez, back
        low = max(low, along)
        if low >= need or along >= high * (1.0 - _ABOUT) - 1e-13:
            break
        S[count, 0], S[count, 1], S[count, 2] = dx, dy, dz
        count = nearest(S, count + 1, S[5])
        if count == 4:
            break
        x, y, z = S[5, 0], S[5, 1], S[5, 2]
        size = math.sqrt(x * x + y * y + z * z)
        if not size < high or size < need:
            break
        high = size
    return float(low)


@compiled
def _going(box: Array, k: int, rel: Array, flow: Array, at: int, turned: bool) -> float:
    """Return what no step of a point in a box is longer than."""
    x, y, z = box[k, 0], box[k, 1], box[k, 2]
    if turned:
        x, y, z = (
            rel[0] * x + rel[1] * y + rel[2] * z + rel[9],
            rel[3] * x + rel[4] * y + rel[5] * z + rel[10],
            rel[6] * x + rel[7] * y + rel[8] * z + rel[11],
        )
    u, v, w = flow[at + 3], flow[at + 4], flow[at + 5]
    dx, dy, dz = flow[at] + v * z - w * y, flow[at + 1] + w * x - u * z, flow[at + 2] + u * y - v * x
    radius = math.sqrt(box[k, 3] * box[k, 3] + box[k, 4] * box[k, 4] + box[k, 5] * box[k, 5])
    return float(math.sqrt(dx * dx + dy * dy + dz * dz) + radius * math.sqrt(u * u + v * v + w * w))


@compiled
def pieces_kept(
    bodies: Any, a: int, b: int, rel: Array, flow: Array, both: bool, rest: float, aim: Array, margin: float,
    offset: float, aside: bool, tools: Any, out: Array,
) -> float:  # fmt: skip
    """Return what the convex pieces of two bodies stay apart all along their steps, if that is as far as is aimed at.

    Otherwise return ``ASK_TRIANGLES``, or ``TOO_NEAR`` where the pieces are the shells themselves, so that triangles
    would show no more. Then ``out[6]`` is what they are at most apart at the middle, and ``out[7]`` by what part of
    the steps they would stay apart. ``aim`` holds the least clearance met.
    """
    ranges, spans, boxes, kinds, _, points = bodies[4]
    if ranges[a, 0] == ranges[a, 1] or ranges[b, 0] == ranges[b, 1]:
        return ASK_TRIANGLES
    size, S = tools[0], tools[7]
    for k in range(9):
        size[k] = abs(rel[k])
    cap = cap_for(aim, margin, offset, aside)
    least = np.inf
    for i in range(ranges[a, 0], ranges[a, 1]):
        for j in range(ranges[b, 0], ranges[b, 1]):
            need = cap + rest
            gap2 = swept_gap2(boxes, i, j, rel, size, flow, both)
            if gap2 >= need * need:
                least = min(least, math.sqrt(gap2))
                continue
            i0, i1, j0, j1 = spans[i, 0], spans[i, 1], spans[j, 0], spans[j, 1]
            if i0 == i1 or j0 == j1:
                return ASK_TRIANGLES
            far = _going(boxes, i, rel, flow, 0, False)
            if both:
                far += _going(boxes, j, rel, flow, 6, True)
            towards(boxes, i, j, rel, S)
            low, high = gap_of(points, i0, i1, j0, j1, rel, need + far, -1.0, _ABOUT, S)
            exact = kinds[i] != 0 and kinds[j] != 0 and low > max(margin, TOUCH)
            if exact and not aside and high - offset < aim[LEAST_MET]:
                aim[LEAST_MET] = high - offset
                cap = cap_for(aim, margin, offset, aside)
                need = cap + rest
            kept = low - far
            if kept < need and low >= need:
                kept = _hulls_kept(points, i0, i1, j0, j1, rel, flow, both, need, S)
            if kept < need:
                if not exact:
                    return ASK_TRIANGLES
                out[6] = high
                out[7] = (high - cap) / (high - kept + rest) if high > cap else 1.0
                return TOO_NEAR
            least = min(least, kept)
    return float(least)
