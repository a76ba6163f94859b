"""Compiled step of the guidance of L. A. Loeff (1973): parameters to end points, influences and rates.

Equation numbers are those of the thesis; "listing" is its table I. Points are numbered from 0 here: ``points[i]`` is
the thesis' P(i+1), and link i of the arm ends at ``points[i]``. Parameters stand in one row
(a_1 … a_N+1, α_1 … α_N, θ_1 … θ_N, a_y, a_z).
"""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_END, _MIDDLE, _INNER = 0, 1, 2
"""Where a link is closest to an obstacle: at its outer end, between its ends, at its inner end."""
_SPHERE, _CYLINDER, _TRIANGLE = 0, 1, 2
(
    _SPEED,
    _TOP,
    _REACH,
    _POWER,
    _SHARING,
    _GAIN,
    _PROPORTIONAL,
    _AS_LISTED,
    _SINE,
    _TWIST,
    _SCALE,
) = range(11)
"""Places in the row of constants; see ``Constants.row``."""


@compiled
def _dot(a: Array, b: Array) -> float:
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@compiled
def _cross(a: Array, b: Array, out: Array) -> None:
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    out[0], out[1] = x, y


@compiled
def end_points(x: Array, points: Array, frames: Array) -> None:
    """Fill ``points (N+1, 3)`` by eq 2-7 and ``frames (N+1, 3, 3)``; their columns are the axes of the links."""
    n = points.shape[0] - 1
    frame = np.eye(3)
    where = np.zeros(3)
    where[1], where[2] = x[3 * n + 1], x[3 * n + 2]
    turn = np.empty((3, 3))
    for i in range(n + 1):
        for r in range(3):
            where[r] += x[i] * frame[r, 0]
            points[i, r] = where[r]
            for c in range(3):
                frames[i, r, c] = frame[r, c]
        if i == n:
            break
        ca, sa = np.cos(x[n + 1 + i]), np.sin(x[n + 1 + i])
        ct, st = np.cos(x[2 * n + 1 + i]), np.sin(x[2 * n + 1 + i])
        for r in range(3):  # eq 2-5: Rx(α) Rz(θ)
            u, v, w = frame[r, 0], frame[r, 1], frame[r, 2]
            turn[r, 0] = u * ct + v * ca * st + w * sa * st
            turn[r, 1] = -u * st + v * ca * ct + w * sa * ct
            turn[r, 2] = -v * sa + w * ca
        for r in range(3):
            for c in range(3):
                frame[r, c] = turn[r, c]


@compiled
def _segments(p1: Array, p2: Array, a: Array, b: Array) -> tuple[float, float]:
    """Return (μ, λ) of the closest points p1 + μ(p2 − p1) and a + λ(b − a) of two segments."""
    uu = vv = uv = wu = wv = 0.0
    for k in range(3):
        u, v, w = p2[k] - p1[k], b[k] - a[k], p1[k] - a[k]
        uu += u * u
        vv += v * v
        uv += u * v
        wu += w * u
        wv += w * v
    if uu <= 0.0 and vv <= 0.0:
        return 0.0, 0.0
    if uu <= 0.0:
        return 0.0, min(1.0, max(0.0, wv / vv))
    if vv <= 0.0:
        return min(1.0, max(0.0, -wu / uu)), 0.0
    den = uu * vv - uv * uv
    mu = 0.0
    if den > 1e-14 * uu * vv:
        mu = min(1.0, max(0.0, (uv * wv - wu * vv) / den))
    lam = (uv * mu + wv) / vv
    if lam < 0.0:
        lam, mu = 0.0, min(1.0, max(0.0, -wu / uu))
    elif lam > 1.0:
        lam, mu = 1.0, min(1.0, max(0.0, (uv - wu) / uu))
    return mu, lam


@compiled
def _triangle_height(p: Array, shape: Array) -> tuple[float, bool]:
    """Return the height of a point over a triangle (A-2, A-7 … A-9) and whether its foot is inside (A-10 … A-12)."""
    a, b, c = shape[0:3], shape[3:6], shape[6:9]
    normal, side, det = np.empty(3), np.empty(3), np.empty(3)
    _cross(b - a, c - a, normal)
    size = np.sqrt(_dot(normal, normal))
    if size == 0.0:
        return 0.0, False
    height = _dot(normal, p - a) / size
    inside = True
    for k in range(3):
        first = shape[3 * k : 3 * k + 3]
        second = shape[3 * ((k + 1) % 3) : 3 * ((k + 1) % 3) + 3]
        _cross(p - first, second - first, side)
        det[k] = _dot(normal, side)
        inside = inside and det[k] < 0.0
    return height, inside


@compiled
def _strength(d: float, constants: Array) -> float:
    """Return f(d) of A-4 and A-5: none beyond the reach, growing without bound towards the surface."""
    reach = constants[_REACH]
    if d >= reach:
        return 0.0
    return float(2.0 * reach * (reach - d) / max(d, 1e-9) ** constants[_POWER])


@compiled
def _listed_places(p1: Array, p2: Array, a: Array, b: Array) -> tuple[float, float, float, bool]:
    """Return μ, λ of the common normal of two lines as CYLIN does, λ of p1's foot, and whether there is one normal."""
    aa = bb = cc = ee = ff = 0.0
    for k in range(3):
        v, u, w = b[k] - a[k], p2[k] - p1[k], p1[k] - a[k]
        aa += v * u
        bb -= u * u
        cc += v * v
        ee += w * u
        ff += w * v
    den = -aa * aa - bb * cc
    foot = ff / cc if cc > 0.0 else 0.0
    if abs(den) <= 1e-14 * abs(bb * cc):
        return 0.0, foot, foot, False
    return (aa * ff - cc * ee) / den, (-ee * aa - bb * ff) / den, foot, True


@compiled
def _element(
    kind: int, radius: float, shape: Array, p1: Array, p2: Array, thick: float, base: bool, constants: Array, g: Array
) -> tuple[int, float]:
    """Fill ``g`` with the influence of an element on the link from p1 inwards to p2; return where and how strong."""
    for k in range(3):
        g[k] = 0.0
    if kind == _TRIANGLE:  # only an end point can be closest to a plane
        height, inside = _triangle_height(p1, shape)
        if not inside or height <= 0.0:
            return _END, 0.0
        normal = np.empty(3)
        _cross(shape[3:6] - shape[0:3], shape[6:9] - shape[0:3], normal)
        size = _strength(height - thick, constants)
        scale = size / np.sqrt(_dot(normal, normal))
        for k in range(3):
            g[k] = scale * normal[k]
        return _END, size
    a, b = shape[0:3], shape[3:6]
    where = _END
    if kind == _SPHERE:
        mu = 0.0
        if not base:
            along = p2 - p1
            length2 = _dot(along, along)
            mu = _dot(a - p1, along) / length2 if length2 > 0.0 else 0.0
        lam = 0.0
        if mu > 1.0:
            return _INNER, 0.0
        if mu > 0.0:
            where = _MIDDLE
        else:
            mu = 0.0
    elif constants[_AS_LISTED] > 0.0 and not base:
        mu, lam, foot, crossing = _listed_places(p1, p2, a, b)
        if crossing and not 0.0 < lam < 1.0:
            return _INNER, 0.0
        if crossing and mu > 1.0:
            return _INNER, 0.0
        if crossing and mu >= 0.0:
            where = _MIDDLE
        else:
            mu, lam = 0.0, foot
    else:
        inner = p1 if base else p2
        mu, lam = _segments(p1, inner, a, b)
        if mu >= 1.0 and not base:
            return _INNER, 0.0
        if mu > 0.0:
            where = _MIDDLE
    distance2 = 0.0
    for k in range(3):
        g[k] = p1[k] + mu * (p2[k] - p1[k]) - (a[k] + lam * (b[k] - a[k]))  # away from the axis (correction 8)
        distance2 += g[k] * g[k]
    distance = np.sqrt(distance2)
    size = _strength(distance - radius - thick, constants)
    for k in range(3):
        g[k] *= size / distance if distance > 0.0 else 0.0
    return where, size


@compiled
def _obstacle(
    rows: Array,
    first: int,
    last: int,
    p1: Array,
    p2: Array,
    thick: float,
    base: bool,
    constants: Array,
    kept: Array,
    before: int,
    g: Array,
) -> int:
    """Fill ``g`` with an obstacle's influence on p1; ``kept`` is that on the outer link, and receives this one."""
    where, size = _END, 0.0
    listed = constants[_AS_LISTED] > 0.0
    trial = np.empty(3)
    for k in range(3):
        g[k] = 0.0
    for e in range(first, last):  # the greatest of the influences of its elements
        if not listed and _far(rows[e], p1, p1 if base else p2, thick + constants[_REACH]):
            continue
        acts, strength = _element(int(rows[e, 0]), rows[e, 2], rows[e, 3:12], p1, p2, thick, base, constants, trial)
        if strength > size or (listed and e == first):
            where, size = acts, strength
            for k in range(3):
                g[k] = trial[k]
    if base:
        return 0
    acted = 0
    if where == _MIDDLE and (listed or size > 0.0):
        acted = 1
        if before == 1:  # the mean with that of the outer link, when both are closest between their ends
            for k in range(3):
                g[k] = (g[k] + kept[k]) / constants[_SHARING]
    elif before == 1 and not (listed and where == _INNER) and size * size < _dot(kept, kept):
        for k in range(3):
            g[k] = kept[k]
    for k in range(3):
        kept[k] = g[k]
    return acted


@compiled
def _far(row: Array, p1: Array, p2: Array, reach: float) -> bool:
    """Whether the boxes of a link and of an element are farther apart than the reach."""
    count = 1 if row[0] == _SPHERE else (2 if row[0] == _CYLINDER else 3)
    for k in range(3):
        low = high = row[3 + k]
        for v in range(1, count):
            low = min(low, row[3 + 3 * v + k])
            high = max(high, row[3 + 3 * v + k])
        if min(p1[k], p2[k]) > high + row[2] + reach or max(p1[k], p2[k]) < low - row[2] - reach:
            return True
    return False


@compiled
def influences(
    x: Array,
    low: Array,
    high: Array,
    points: Array,
    goal: Array,
    aim: Array,
    rows: Array,
    groups: Ints,
    thick: Array,
    constants: Array,
    out: Array,
    lengthen: Array,
) -> None:
    """Fill ``out (N+1, 3)`` with the velocities of end points (eq 2-19 … 2-37), ``lengthen`` with what may stretch."""
    n = points.shape[0] - 1
    count = groups.shape[0] - 1
    kept = np.zeros((count, 3))
    before = np.zeros(count, np.int64)
    g, unit, pull = np.empty(3), np.zeros(3), np.empty(3)
    base_end = np.empty(3)
    along = 0.0
    third = np.zeros(3)
    third_speed = 0.0
    for m in range(n, -1, -1):
        for k in range(3):
            base_end[k] = points[m - 1, k] if m > 0 else points[0, k]
            out[m, k] = 0.0
        for o in range(count):
            before[o] = _obstacle(
                rows, groups[o], groups[o + 1], points[m], base_end, thick[m], m == 0, constants, kept[o], before[o], g
            )
            for k in range(3):
                out[m, k] += g[k]
        if m == n:
            _pull(points[n], goal, constants, out[n], pull)
            for k in range(3):
                out[n, k] += pull[k]
        else:
            if m == n - 1:
                for k in range(3):
                    out[m, k] += aim[k]
            change = along - _dot(out[m], unit)
            if (x[m + 1] < high[m + 1] or change < 0.0) and (x[m + 1] > low[m + 1] or change > 0.0):
                change = 0.0  # the link takes up the difference
            lengthen[m + 1] = 0.0 if change != 0.0 else 1.0
            if low[m + 1] >= high[m + 1]:
                lengthen[m + 1] = 0.0
            for k in range(3):
                out[m, k] += change * unit[k]
        if m > 0:
            size2 = 0.0
            for k in range(3):
                unit[k] = points[m, k] - points[m - 1, k]
                size2 += unit[k] * unit[k]
            size = np.sqrt(size2)
            for k in range(3):
                unit[k] = unit[k] / size if size > 0.0 else 0.0  # eq 2-21, index corrected
            along = _dot(out[m], unit)
            if m == 2:
                third_speed = along
                for k in range(3):
                    third[k] = unit[k]
    _base(x, low, high, points, third, third_speed, constants, out, lengthen)


@compiled
def _pull(tip: Array, goal: Array, constants: Array, pushed: Array, pull: Array) -> None:
    """Fill ``pull`` with the influence of the destination on the tip."""
    if constants[_PROPORTIONAL] > 0.0:  # eq 2-19
        for k in range(3):
            pull[k] = constants[_GAIN] * (goal[k] - tip[k])
        return
    size2 = 0.0
    for k in range(3):
        pull[k] = goal[k] - tip[k]
        size2 += pull[k] * pull[k]
    size = np.sqrt(size2)
    if size == 0.0:
        return
    speed = constants[_SPEED]
    extra = min(max(speed - _dot(pushed, pull) / size, 0.0), constants[_TOP] * speed)
    for k in range(3):
        pull[k] *= extra / size


@compiled
def _base(
    x: Array,
    low: Array,
    high: Array,
    points: Array,
    third: Array,
    third_speed: float,
    constants: Array,
    out: Array,
    lengthen: Array,
) -> None:
    """Stop the base at its bounds, and make the second end point compatible with both of its links (eq 2-32 … 2-37)."""
    n = points.shape[0] - 1
    for k in range(3):
        at = 0 if k == 0 else 3 * n + k
        if (x[at] >= high[at] and out[0, k] >= 0.0) or (x[at] <= low[at] and out[0, k] <= 0.0):
            out[0, k] = 0.0
    if n < 1 or lengthen[1] > 0.0:
        return
    normal, way = np.empty(3), np.empty(3)
    size2 = 0.0
    for k in range(3):
        normal[k] = points[1, k] - points[0, k]
        size2 += normal[k] * normal[k]
        way[k] = out[1, k] - out[0, k]
    radial = _dot(way, normal) / size2 if size2 > 0.0 else 0.0
    for k in range(3):
        way[k] -= radial * normal[k]
    wanted = third_speed
    if constants[_AS_LISTED] <= 0.0:  # the base's own part counts, and a link 3 that may stretch needs no scaling
        wanted -= _dot(out[0], third)
        if n < 2 or lengthen[2] > 0.0:
            wanted = _dot(way, third)
    scale = 1.0
    if n >= 2:
        den = _dot(way, third)
        if den != 0.0:
            scale = wanted / den
        scale = min(max(scale, -constants[_SCALE]), constants[_SCALE])
        if not np.isfinite(scale):
            scale = 0.0
    for k in range(3):
        out[1, k] = scale * way[k] + out[0, k]


@compiled
def rates(
    x: Array,
    low: Array,
    high: Array,
    points: Array,
    frames: Array,
    wanted: Array,
    lengthen: Array,
    constants: Array,
    out: Array,
    reached: Array,
) -> None:
    """Fill ``out`` with the rates of the parameters (eq 2-17, 2-18), ``reached`` with the velocities that they give."""
    n = points.shape[0] - 1
    for k in range(3):
        at = 0 if k == 0 else 3 * n + k
        out[at] = _bounded(x[at], low[at], high[at], wanted[0, k])
    speed = np.zeros(3)
    speed[0], speed[1], speed[2] = out[0], out[3 * n + 1], out[3 * n + 2]
    omega, arm, spin, v, local = np.zeros(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for k in range(3):
        reached[0, k] = speed[k]
    for i in range(n):
        at_alpha, at_theta = n + 1 + i, 2 * n + 1 + i
        ca, sa = np.cos(x[at_alpha]), np.sin(x[at_alpha])
        ct, st = np.cos(x[at_theta]), np.sin(x[at_theta])
        length = x[i + 1]
        for k in range(3):
            arm[k] = points[i + 1, k] - points[i, k]
        _cross(omega, arm, spin)
        for k in range(3):
            v[k] = wanted[i + 1, k] - speed[k] - spin[k]
        for c in range(3):
            local[c] = frames[i, 0, c] * v[0] + frames[i, 1, c] * v[1] + frames[i, 2, c] * v[2]
        across = ca * local[1] + sa * local[2]
        stretch = (ct * local[0] + st * across) * lengthen[i + 1]
        theta = alpha = 0.0
        if length > 0.0:
            theta = (ct * across - st * local[0]) / length
            sine = st if abs(st) >= constants[_SINE] else (constants[_SINE] if st >= 0.0 else -constants[_SINE])
            alpha = (ca * local[2] - sa * local[1]) / (length * sine)
            alpha = min(max(alpha, -constants[_TWIST]), constants[_TWIST])
        out[i + 1] = _bounded(x[i + 1], low[i + 1], high[i + 1], stretch)
        out[at_theta] = _bounded(x[at_theta], low[at_theta], high[at_theta], theta)
        out[at_alpha] = _bounded(x[at_alpha], low[at_alpha], high[at_alpha], alpha)
        for k in range(3):  # the next links get what is left after bounds
            axis = -sa * frames[i, k, 1] + ca * frames[i, k, 2]
            omega[k] += out[at_alpha] * frames[i, k, 0] + out[at_theta] * axis
        _cross(omega, arm, spin)
        for k in range(3):
            speed[k] += spin[k] + out[i + 1] * frames[i + 1, k, 0]
            reached[i + 1, k] = speed[k]


@compiled
def _bounded(value: float, low: float, high: float, rate: float) -> float:
    if low >= high or (value >= high and rate > 0.0) or (value <= low and rate < 0.0):
        return 0.0
    return rate


@compiled
def _pierces(p1: Array, p2: Array, shape: Array) -> bool:
    """Whether a segment passes through a triangle."""
    h1, _ = _triangle_height(p1, shape)
    h2, _ = _triangle_height(p2, shape)
    if h1 * h2 > 0.0 or h1 == h2:
        return False
    _, inside = _triangle_height(p1 + (p2 - p1) * (h1 / (h1 - h2)), shape)
    return inside


@compiled
def _apart(p1: Array, p2: Array, a: Array, b: Array) -> float:
    """Return the distance between two segments."""
    mu, lam = _segments(p1, p2, a, b)
    total = 0.0
    for k in range(3):
        total += (p1[k] + mu * (p2[k] - p1[k]) - a[k] - lam * (b[k] - a[k])) ** 2
    return float(np.sqrt(total))


@compiled
def _gap(kind: int, radius: float, shape: Array, p1: Array, p2: Array) -> float:
    """Return the true distance between a segment and an element's surface."""
    if kind == _SPHERE:
        return _apart(p1, p2, shape[0:3], shape[0:3]) - radius
    if kind == _CYLINDER:
        return _apart(p1, p2, shape[0:3], shape[3:6]) - radius
    if _pierces(p1, p2, shape):
        return 0.0
    best = np.inf
    for k in range(3):
        best = min(best, _apart(p1, p2, shape[3 * k : 3 * k + 3], shape[3 * ((k + 1) % 3) : 3 * ((k + 1) % 3) + 3]))
    height, inside = _triangle_height(p1, shape)
    if inside:
        best = min(best, abs(height))
    height, inside = _triangle_height(p2, shape)
    if inside:
        best = min(best, abs(height))
    return best


@compiled
def clearance(points: Array, rows: Array, groups: Ints, thick: Array) -> tuple[float, int, int]:
    """Return the least distance between a link and an obstacle, with the numbers of both."""
    best, link, obstacle = np.inf, -1, -1
    for m in range(1, points.shape[0]):
        for o in range(groups.shape[0] - 1):
            for e in range(groups[o], groups[o + 1]):
                if _far(rows[e], points[m], points[m - 1], best + thick[m]):
                    continue
                d = _gap(int(rows[e, 0]), rows[e, 2], rows[e, 3:12], points[m], points[m - 1]) - thick[m]
                if d < best:
                    best, link, obstacle = d, m, o
    return best, link, obstacle
