"""Compiled tests of convex pieces: a direction proves them apart, a point inside both proves that they meet."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_boxes import TOUCH, box_gap2, boxes_apart
from workcell.geometry._kernels_triangle import corner_weights

Array = NDArray[np.float64]

APART, MEET, UNSURE = 0, 1, 2
"""What the pieces of two bodies show: more than the margin apart, within it, or nothing."""
_TRIES = 24
"""After how many directions the search for the nearest points is given up. Pieces that are apart need two as a rule."""
_ABOUT = 1e-2
"""How exactly a distance is found that is compared with a motion, as a part of it."""
_SAME = 1e-12
"""What rounding amounts to in a distance [m]."""
_DEEP = 1e-9
"""Pieces meet when the origin of their differences lies deeper than this inside a tetrahedron [m]."""


@compiled
def farthest(points: Array, first: int, last: int, x: float, y: float, z: float) -> int:
    """Return which point lies farthest along a direction; the number of points is a multiple of four."""
    b0, b1, b2, b3 = -np.inf, -np.inf, -np.inf, -np.inf
    i0, i1, i2, i3 = first, first, first, first
    for i in range(first, last, 4):
        v0 = points[0, i] * x + points[1, i] * y + points[2, i] * z
        v1 = points[0, i + 1] * x + points[1, i + 1] * y + points[2, i + 1] * z
        v2 = points[0, i + 2] * x + points[1, i + 2] * y + points[2, i + 2] * z
        v3 = points[0, i + 3] * x + points[1, i + 3] * y + points[2, i + 3] * z
        if v0 > b0:
            b0, i0 = v0, i
        if v1 > b1:
            b1, i1 = v1, i + 1
        if v2 > b2:
            b2, i2 = v2, i + 2
        if v3 > b3:
            b3, i3 = v3, i + 3
    if b1 > b0:
        b0, i0 = b1, i1
    if b3 > b2:
        b2, i2 = b3, i3
    return i2 if b2 > b0 else i0


@compiled
def reach_of(points: Array, first: int, last: int, x: float, y: float, z: float) -> float:
    """Return how far points reach along a direction."""
    i = farthest(points, first, last, x, y, z)
    return float(points[0, i] * x + points[1, i] * y + points[2, i] * z)


@compiled
def _height(S: Array, i: int, j: int, k: int, m: int) -> float:
    """Return how far the origin lies from the plane of three points, on the side of a fourth one; below 0 beyond.

    Where the fourth one lies in the plane but for rounding, nothing is on its side.
    """
    ux, uy, uz = S[j, 0] - S[i, 0], S[j, 1] - S[i, 1], S[j, 2] - S[i, 2]
    vx, vy, vz = S[k, 0] - S[i, 0], S[k, 1] - S[i, 1], S[k, 2] - S[i, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    side = nx * (S[m, 0] - S[i, 0]) + ny * (S[m, 1] - S[i, 1]) + nz * (S[m, 2] - S[i, 2])
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    height = -(nx * S[i, 0] + ny * S[i, 1] + nz * S[i, 2])
    if not abs(side) > _SAME * size:
        return -np.inf
    return float(height / size if side > 0.0 else -height / size)


@compiled
def nearest(S: Array, count: int, v: Array) -> int:
    """Reduce a simplex of up to four points to those around its point next to the origin, which ``v`` receives.

    Return how many points are left; four where the origin lies inside. The last three numbers of a point go along.
    """
    w0, w1, w2 = 1.0, 0.0, 0.0
    if count == 2:
        ux, uy, uz = S[1, 0] - S[0, 0], S[1, 1] - S[0, 1], S[1, 2] - S[0, 2]
        t = -(ux * S[0, 0] + uy * S[0, 1] + uz * S[0, 2])
        length = ux * ux + uy * uy + uz * uz
        w1 = min(max(t / length, 0.0), 1.0) if length > 0.0 else 0.0
        w0 = 1.0 - w1
    elif count == 3:
        w0, w1, w2 = corner_weights(
            S[0, 0], S[0, 1], S[0, 2], S[1, 0], S[1, 1], S[1, 2], S[2, 0], S[2, 1], S[2, 2]
        )  # fmt: skip
    elif count == 4:
        best, face = np.inf, -1
        for k in range(4):
            i, j, m = (k + 1) & 3, (k + 2) & 3, (k + 3) & 3
            if _height(S, i, j, m, k) >= 0.0:
                continue
            p, q, r = corner_weights(
                S[i, 0], S[i, 1], S[i, 2], S[j, 0], S[j, 1], S[j, 2], S[m, 0], S[m, 1], S[m, 2]
            )  # fmt: skip
            x = p * S[i, 0] + q * S[j, 0] + r * S[m, 0]
            y = p * S[i, 1] + q * S[j, 1] + r * S[m, 1]
            z = p * S[i, 2] + q * S[j, 2] + r * S[m, 2]
            d = x * x + y * y + z * z
            if d < best:
                best, face, w0, w1, w2 = d, k, p, q, r
        if face < 0:
            v[0] = v[1] = v[2] = 0.0
            return 4
        # The face to the front: i, j and m follow the point that is dropped.
        if face == 0:
            for x in range(6):
                S[0, x], S[1, x], S[2, x] = S[1, x], S[2, x], S[3, x]
        elif face == 1:
            for x in range(6):
                S[1, x], S[0, x], S[2, x] = S[3, x], S[2, x], S[0, x]
        elif face == 2:
            for x in range(6):
                S[0, x], S[1, x], S[2, x] = S[3, x], S[0, x], S[1, x]
    for x in range(6):
        v[x] = w0 * S[0, x] + w1 * S[1, x] + w2 * S[2, x]
    kept = 0
    for k in range(3):
        if (w0 if k == 0 else (w1 if k == 1 else w2)) > 0.0:
            for x in range(6):
                S[kept, x] = S[k, x]
            kept += 1
    return kept


@compiled
def towards(boxes: Array, i: int, j: int, rel: Array, S: Array) -> None:
    """Leave in ``S[4]`` the way from the centre of one piece to that of another, in the frame of the first."""
    x, y, z = boxes[j, 0], boxes[j, 1], boxes[j, 2]
    for k in range(3):
        S[4, k] = rel[3 * k] * x + rel[3 * k + 1] * y + rel[3 * k + 2] * z + rel[9 + k] - boxes[i, k]


@compiled
def gap_of(
    points: Array, a0: int, a1: int, b0: int, b1: int, rel: Array, need: float, near: float, slack: float, S: Array
) -> Any:
    """Return what two convex hulls are at least apart, below 0 where they may meet, and what they are at most apart.

    ``rel`` is b in a. The direction along which the first was found stays in ``S[4]``, which comes in as the direction
    to begin with. The search ends when the first bound is above ``need``, the second at most ``near``, or the two
    differ by less than this part (``slack``). Hulls that meet have 0 as the second: a point deep inside both was found.
    ``S[5]`` is the way between the points of the second bound and the point of the first hull.
    Gilbert, Johnson and Keerthi 1988.
    """
    x, y, z = S[4, 0], S[4, 1], S[4, 2]
    low, high, count = -np.inf, np.inf, 0
    for _ in range(_TRIES):
        size = math.sqrt(x * x + y * y + z * z)
        if not size > 0.0:
            break
        x, y, z = x / size, y / size, z / size
        i = farthest(points, a0, a1, x, y, z)
        u = rel[0] * x + rel[3] * y + rel[6] * z
        v = rel[1] * x + rel[4] * y + rel[7] * z
        w = rel[2] * x + rel[5] * y + rel[8] * z
        j = farthest(points, b0, b1, -u, -v, -w)
        ox, oy, oz = points[0, j], points[1, j], points[2, j]
        dx = rel[0] * ox + rel[1] * oy + rel[2] * oz + rel[9] - points[0, i]
        dy = rel[3] * ox + rel[4] * oy + rel[5] * oz + rel[10] - points[1, i]
        dz = rel[6] * ox + rel[7] * oy + rel[8] * oz + rel[11] - points[2, i]
        along = x * dx + y * dy + z * dz
        if along > low:
            low = along
            S[4, 0], S[4, 1], S[4, 2] = x, y, z
            if low > need:
                break
        if along >= high * (1.0 - slack) - 1e-13:
            break
        S[count, 0], S[count, 1], S[count, 2] = dx, dy, dz
        S[count, 3], S[count, 4], S[count, 5] = points[0, i], points[1, i], points[2, i]
        count = nearest(S, count + 1, S[5])
        if count == 4:
            deep = min(_height(S, 0, 1, 2, 3), _height(S, 1, 2, 3, 0), _height(S, 2, 3, 0, 1), _height(S, 3, 0, 1, 2))
            if deep > _DEEP:
                high = 0.0
            break
        x, y, z = S[5, 0], S[5, 1], S[5, 2]
        size = math.sqrt(x * x + y * y + z * z)
        if not size < high:
            break
        high = size
        if high <= near:
            break
    return low, high


@compiled
def _beyond(points: Array, spans: Any, i: int, j: int, rel: Array, x: float, y: float, z: float, inner: int) -> bool:
    """Return whether one of two pieces reaches beyond the other along a direction of the first; ``inner`` is which."""
    u = rel[0] * x + rel[3] * y + rel[6] * z
    v = rel[1] * x + rel[4] * y + rel[7] * z
    w = rel[2] * x + rel[5] * y + rel[8] * z
    one = reach_of(points, spans[i, 0], spans[i, 1], x, y, z)
    other = reach_of(points, spans[j, 0], spans[j, 1], u, v, w) + x * rel[9] + y * rel[10] + z * rel[11]
    return bool(one > other + _DEEP if inner == i else other > one + _DEEP)


@compiled
def _leaves_box(points: Array, spans: Any, boxes: Array, i: int, j: int, rel: Array, inner: int) -> bool:
    """Return whether a corner of one of two pieces lies outside the box of the other; ``inner`` is which."""
    outer = j if inner == i else i
    cx, cy, cz = boxes[outer, 0], boxes[outer, 1], boxes[outer, 2]
    hx, hy, hz = boxes[outer, 3] + _DEEP, boxes[outer, 4] + _DEEP, boxes[outer, 5] + _DEEP
    for k in range(spans[inner, 0], spans[inner, 1]):
        px, py, pz = points[0, k], points[1, k], points[2, k]
        if inner == i:
            px, py, pz = px - rel[9], py - rel[10], pz - rel[11]
            x = rel[0] * px + rel[3] * py + rel[6] * pz
            y = rel[1] * px + rel[4] * py + rel[7] * pz
            z = rel[2] * px + rel[5] * py + rel[8] * pz
        else:
            x = rel[0] * px + rel[1] * py + rel[2] * pz + rel[9]
            y = rel[3] * px + rel[4] * py + rel[5] * pz + rel[10]
            z = rel[6] * px + rel[7] * py + rel[8] * pz + rel[11]
        if abs(x - cx) > hx or abs(y - cy) > hy or abs(z - cz) > hz:
            return True
    return False


@compiled
def _crossing(pieces: Any, i: int, j: int, rel: Array, x: float, y: float, z: float) -> bool:
    """Return whether neither of two convex pieces that meet can lie inside the other, so that their surfaces cross.

    The larger one by volume is in no smaller one. The smaller one reaches out where the two overlap least, which the
    direction given is about, or a corner of it lies outside the box of the larger one.
    """
    _, spans, boxes, _, volumes, points = pieces
    inner, turn = (i, -1.0) if volumes[i] < volumes[j] else (j, 1.0)
    if _beyond(points, spans, i, j, rel, turn * x, turn * y, turn * z, inner):
        return True
    return _leaves_box(points, spans, boxes, i, j, rel, inner)


@compiled
def pieces_meet(bodies: Any, a: int, b: int, rel: Array, size: Array, margin: float, S: Array) -> int:
    """Return whether the pieces of two bodies show them more than a margin apart, within it, or neither.

    ``rel`` is b in a and ``size`` its absolute rotation. Bodies that are within the margin have surfaces that are.
    """
    pieces = bodies[4]
    ranges, spans, boxes, kinds, _, points = pieces
    need = max(margin * (1.0 + 1e-12), TOUCH) + TOUCH
    near = margin - TOUCH
    unsure = False
    for i in range(ranges[a, 0], ranges[a, 1]):
        for j in range(ranges[b, 0], ranges[b, 1]):
            if margin <= TOUCH:
                if boxes_apart(boxes, i, j, rel, size):
                    continue
            elif box_gap2(boxes, i, j, rel, size) > need * need:
                continue
            if spans[i, 0] == spans[i, 1] or spans[j, 0] == spans[j, 1]:
                return UNSURE
            towards(boxes, i, j, rel, S)
            low, high = gap_of(points, spans[i, 0], spans[i, 1], spans[j, 0], spans[j, 1], rel, need, near, 1e-9, S)
            if low > need:
                continue
            close = kinds[i] and kinds[j] and high <= max(near, 0.0)
            if close and (low > 0.0 or _crossing(pieces, i, j, rel, S[4, 0], S[4, 1], S[4, 2])):
                return MEET
            unsure = True
    return UNSURE if unsure else APART


@compiled
def pieces_gap(bodies: Any, a: int, b: int, rel: Array, size: Array, far: float, need: float, S: Array) -> float:
    """Return what two bodies are at least apart by their pieces, to within a hundredth; below 0 if that is not known.

    ``rel`` is b in a and ``size`` its absolute rotation. The search ends when they are found more than ``far`` apart,
    or when no more than ``need`` can be shown.
    """
    ranges, spans, boxes, _, _, points = bodies[4]
    if ranges[a, 0] == ranges[a, 1] or ranges[b, 0] == ranges[b, 1]:
        return -1.0
    least = np.inf
    for i in range(ranges[a, 0], ranges[a, 1]):
        for j in range(ranges[b, 0], ranges[b, 1]):
            low = math.sqrt(box_gap2(boxes, i, j, rel, size))
            if low <= far and spans[i, 0] < spans[i, 1] and spans[j, 0] < spans[j, 1]:
                towards(boxes, i, j, rel, S)
                found, _ = gap_of(
                    points, spans[i, 0], spans[i, 1], spans[j, 0], spans[j, 1], rel, far, -1.0, _ABOUT, S
                )  # fmt: skip
                low = max(low, found)
            least = min(least, low)
            if least <= need:
                return float(least) if least > 0.0 else -1.0
    return float(least)


@compiled
def pieces_range(
    bodies: Any, a: int, b: int, rel: Array, size: Array, cap: float, slack: float, S: Array, out: Array
) -> Any:
    """Return what two bodies are at least and at most apart by their pieces, as far as that is below a cap.

    The first is below 0 where pieces may meet or there are none. The second is an infinity unless some shells are
    pieces themselves; then ``out`` receives the points that are so far apart, in the frame of the first body. The
    third is whether that is the distance of the bodies, but for rounding. ``slack`` is how exactly distances are
    found. ``rel`` is b in a, and ``size`` receives its absolute rotation.
    """
    ranges, spans, boxes, kinds, _, points = bodies[4]
    if ranges[a, 0] == ranges[a, 1] or ranges[b, 0] == ranges[b, 1]:
        return -1.0, np.inf, False
    for k in range(9):
        size[k] = abs(rel[k])
    least, most, unsure = np.inf, np.inf, np.inf
    for i in range(ranges[a, 0], ranges[a, 1]):
        for j in range(ranges[b, 0], ranges[b, 1]):
            bar = min(cap, most)
            low = math.sqrt(box_gap2(boxes, i, j, rel, size))
            if low < bar:
                exact = False
                if spans[i, 0] < spans[i, 1] and spans[j, 0] < spans[j, 1]:
                    towards(boxes, i, j, rel, S)
                    found, _ = gap_of(
                        points, spans[i, 0], spans[i, 1], spans[j, 0], spans[j, 1], rel, bar, -1.0, slack, S
                    )  # fmt: skip
                    low = max(low, found)
                    if 0.0 < found <= bar and kinds[i] != 0 and kinds[j] != 0:
                        d = math.sqrt(S[5, 0] * S[5, 0] + S[5, 1] * S[5, 1] + S[5, 2] * S[5, 2])
                        exact = abs(d - found) <= _SAME
                        if found - _SAME <= d < most:
                            most = d
                            for x in range(3):
                                out[x], out[3 + x] = S[5, 3 + x], S[5, 3 + x] + S[5, x]
                if not exact:
                    unsure = min(unsure, low)
            least = min(least, low if low > 0.0 else -1.0)
    return least, most, unsure > most
