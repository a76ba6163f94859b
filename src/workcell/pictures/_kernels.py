"""The compiled rasteriser: projection, hidden surfaces, edges.

Image coordinates are pixels from the top left corner, with a pixel's centre at (column + ½, row + ½). Depth ``d``
grows towards the eye and is affine over the image of a plane: 1/z with perspective, −z in parallel (z forward from
the eye [m]); −∞ is the background. Corners are snapped to 1/256 pixel, so that edge functions are exact in
float64 and triangles that share an edge neither overlap nor leave a gap. ``raster_numpy`` is the plain version.
"""

# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
from __future__ import annotations

import math

import numpy as np
from numba import njit

SNAP = 256.0
PIXEL = 256
GUARD = 32768.0


@njit(cache=True, nogil=True, error_model="numpy")
def project(vertices, starts, matrices, perspective, scale, cx, cy, near, camera, screen, flags):
    """Fill camera coordinates, screen (x, y, d) and flags (1 where clipping is needed); return the number of flags."""
    flagged = 0
    for item in range(len(starts) - 1):
        m = matrices[item]
        for v in range(starts[item], starts[item + 1]):
            px, py, pz = vertices[v, 0], vertices[v, 1], vertices[v, 2]
            x = m[0, 0] * px + m[0, 1] * py + m[0, 2] * pz + m[0, 3]
            y = m[1, 0] * px + m[1, 1] * py + m[1, 2] * pz + m[1, 3]
            z = m[2, 0] * px + m[2, 1] * py + m[2, 2] * pz + m[2, 3]
            camera[v, 0], camera[v, 1], camera[v, 2] = x, y, z
            if z < near:
                flags[v] = 1
                flagged += 1
                continue
            if perspective:
                d = 1.0 / z
                sx, sy = scale * x * d, scale * y * d
            else:
                d = -z
                sx, sy = scale * x, scale * y
            if abs(sx) > GUARD or abs(sy) > GUARD:
                flags[v] = 1
                flagged += 1
                continue
            flags[v] = 0
            screen[v, 0] = math.floor((sx + cx) * SNAP + 0.5) / SNAP
            screen[v, 1] = math.floor((sy + cy) * SNAP + 0.5) / SNAP
            screen[v, 2] = d
    return flagged


@njit(cache=True, nogil=True, error_model="numpy")
def extent(vertices, starts, matrices, low, high):
    """Widen ``low`` and ``high`` to contain every vertex."""
    for item in range(len(starts) - 1):
        m = matrices[item]
        for v in range(starts[item], starts[item + 1]):
            for axis in range(3):
                value = (
                    m[axis, 0] * vertices[v, 0] + m[axis, 1] * vertices[v, 1] + m[axis, 2] * vertices[v, 2] + m[axis, 3]
                )
                low[axis] = min(low[axis], value)
                high[axis] = max(high[axis], value)


@njit(inline="always", error_model="numpy")
def _fill_box(
    flat_depth, flat_ids, columns, wide, first_row, last_row, first_column, x0, y0, x1, y1, x2, y2, gx, gy, g0, name
):  # fmt: skip
    """Draw a small triangle: a box of 8 or 16 columns is tested at once, without branches.

    That is cheaper than finding the ends of every row. Values are whole numbers, less one if a point on the edge
    belongs to the neighbour, so inside means not negative. Unsigned indices let the compiler process many pixels at
    a time.
    """
    start = min(first_column, columns - wide)
    x, y = start + 0.5, first_row + 0.5
    i0, j0 = int((y1 - y2) * SNAP), int((x2 - x1) * SNAP)
    i1, j1 = int((y2 - y0) * SNAP), int((x0 - x2) * SNAP)
    i2, j2 = int((y0 - y1) * SNAP), int((x1 - x0) * SNAP)
    e0 = i0 * int((x - x1) * SNAP) + j0 * int((y - y1) * SNAP) - (0 if i0 > 0 or (i0 == 0 and j0 > 0) else 1)
    e1 = i1 * int((x - x2) * SNAP) + j1 * int((y - y2) * SNAP) - (0 if i1 > 0 or (i1 == 0 and j1 > 0) else 1)
    e2 = i2 * int((x - x0) * SNAP) + j2 * int((y - y0) * SNAP) - (0 if i2 > 0 or (i2 == 0 and j2 > 0) else 1)
    i0, i1, i2, j0, j1, j2 = i0 * PIXEL, i1 * PIXEL, i2 * PIXEL, j0 * PIXEL, j1 * PIXEL, j2 * PIXEL
    at, stride = np.uint64(first_row * columns + start), np.uint64(columns)
    for row in range(first_row, last_row + 1):
        base = g0 + gy * (row + 0.5)
        for lane in range(np.uint64(wide)):
            n = np.int32(lane)
            d = np.float32(base + gx * (x + n))
            old, was = flat_depth[at + lane], flat_ids[at + lane]
            inside = ((e0 + n * i0) | (e1 + n * i1) | (e2 + n * i2)) >= 0
            wins = inside & (d > old)
            flat_depth[at + lane] = d if wins else old
            flat_ids[at + lane] = name if wins else was
        e0 += j0
        e1 += j1
        e2 += j2
        at += stride


@njit(inline="always", error_model="numpy")
def _narrowed(a, b, r, left, right):
    """The columns from ``left`` to ``right`` on the inner side of an edge; none if right < left."""
    if a > 0.0:
        left = max(left, math.ceil(-r / a - 0.5))
    elif a < 0.0:
        right = min(right, math.ceil(-r / a - 0.5) - 1)
    elif r < 0.0 or (r == 0.0 and b <= 0.0):
        right = left - 1
    return left, right


@njit(inline="always", error_model="numpy")
def _fill_rows(
    depth, ids, first_row, last_row, first_column, last_column, x0, y0, x1, y1, x2, y2, gx, gy, g0, name, peel, front
):  # fmt: skip
    """Draw a triangle row by row, each from its begin to its end.

    Inside is where a·x + b·y + c > 0; a point on an edge belongs to the side where a > 0, or a = 0 and b > 0.
    """
    a0, b0 = y1 - y2, x2 - x1
    a1, b1 = y2 - y0, x0 - x2
    a2, b2 = y0 - y1, x1 - x0
    c0 = -(a0 * x1 + b0 * y1)
    c1 = -(a1 * x2 + b1 * y2)
    c2 = -(a2 * x0 + b2 * y0)
    for row in range(first_row, last_row + 1):
        y = row + 0.5
        left, right = _narrowed(a0, b0, b0 * y + c0, first_column, last_column)
        left, right = _narrowed(a1, b1, b1 * y + c1, left, right)
        left, right = _narrowed(a2, b2, b2 * y + c2, left, right)
        base = g0 + gy * y
        if peel:
            for column in range(left, right + 1):
                d = np.float32(base + gx * (column + 0.5))
                if d > depth[row, column] and d < front[row, column]:
                    depth[row, column] = d
                    ids[row, column] = name
        else:
            for column in range(left, right + 1):
                d = np.float32(base + gx * (column + 0.5))
                if d > depth[row, column]:
                    depth[row, column] = d
                    ids[row, column] = name


@njit(cache=True, nogil=True, error_model="numpy")
def raster(screen, flags, triangles, names, item_of, draw, mirrored, depth, ids, planes, facing, peel, front):
    """Draw triangles into depth and ids; the nearest wins.

    ``draw[item]`` is 0 to leave out, 1 to draw the front only, 2 to draw both sides. Planes (d = a·x + b·y + c) and
    facing (+1 seen from outside, −1 from inside, 0 edge on) are filled by triangle name. With ``peel`` only surfaces
    behind ``front`` are drawn.
    """
    rows, columns = depth.shape
    flat_depth, flat_ids = depth.reshape(-1), ids.reshape(-1)
    for t in range(len(triangles)):
        name = names[t]
        item = item_of[name]
        if draw[item] == 0:
            continue
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        if flags[i] | flags[j] | flags[k]:
            continue
        x0, y0 = screen[i, 0], screen[i, 1]
        x1, y1 = screen[j, 0], screen[j, 1]
        x2, y2 = screen[k, 0], screen[k, 1]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if area == 0.0:
            continue
        # The image's y points down: counter-clockwise from outside is a negative area.
        outside = (area < 0.0) != (mirrored[item] < 0.0)
        facing[name] = 1 if outside else -1
        if draw[item] == 1 and not outside:
            continue
        first_row = max(0, math.ceil(min(y0, y1, y2) - 0.5))
        last_row = min(rows - 1, math.floor(max(y0, y1, y2) - 0.5))
        first_column = max(0, math.ceil(min(x0, x1, x2) - 0.5))
        last_column = min(columns - 1, math.floor(max(x0, x1, x2) - 0.5))
        if first_row > last_row or first_column > last_column:
            continue
        d0, d1, d2 = screen[i, 2], screen[j, 2], screen[k, 2]
        if area < 0.0:
            x1, y1, d1, x2, y2, d2 = x2, y2, d2, x1, y1, d1
            area = -area
        gx = ((d1 - d0) * (y2 - y0) - (d2 - d0) * (y1 - y0)) / area
        gy = ((d2 - d0) * (x1 - x0) - (d1 - d0) * (x2 - x0)) / area
        g0 = d0 - gx * x0 - gy * y0
        planes[name, 0], planes[name, 1], planes[name, 2] = gx, gy, g0
        wide = 8 if last_column - first_column < 8 else 16
        if last_column - first_column < 16 and last_row - first_row < 64 and wide <= columns and not peel:
            _fill_box(
                flat_depth, flat_ids, columns, wide, first_row, last_row, first_column, x0, y0, x1, y1, x2, y2, gx, gy,
                g0, name,
            )  # fmt: skip
        else:
            _fill_rows(
                depth, ids, first_row, last_row, first_column, last_column, x0, y0, x1, y1, x2, y2, gx, gy, g0, name,
                peel, front,
            )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _side(t, triangles, camera, perspective, mirrored):
    """+1 if the outside of a triangle is seen, otherwise −1; for triangles too narrow in the image to decide."""
    i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    x0, y0, z0 = camera[i, 0], camera[i, 1], camera[i, 2]
    ax, ay, az = camera[j, 0] - x0, camera[j, 1] - y0, camera[j, 2] - z0
    bx, by, bz = camera[k, 0] - x0, camera[k, 1] - y0, camera[k, 2] - z0
    nz = ax * by - ay * bx
    away = x0 * (ay * bz - az * by) + y0 * (az * bx - ax * bz) + z0 * nz if perspective else nz
    return 1 if away * mirrored < 0.0 else -1


@njit(cache=True, nogil=True, error_model="numpy")
def choose(
    segments, kinds, sides, starts, show, facing, mirrored, triangles, camera, flags, screen, perspective, every,
    hidden, ends, weights, cut,
):  # fmt: skip
    """List the edges to draw: features, outlines, and with ``every`` all others faintly.

    Fill their screen ends and weights, and the numbers of those that must be cut first, with their weights from the
    end on; return the number of each.
    """
    count, cuts = 0, 0
    for item in range(len(starts) - 1):
        if show[item] == 0:
            continue
        for s in range(starts[item], starts[item + 1]):
            t0, t1 = sides[s, 0], sides[s, 1]
            f0 = facing[t0] if t0 >= 0 else 1
            if f0 == 0:
                f0 = _side(t0, triangles, camera, perspective, mirrored[item])
            f1 = facing[t1] if t1 >= 0 else f0
            if f1 == 0:
                f1 = _side(t1, triangles, camera, perspective, mirrored[item])
            if show[item] == 1 and not hidden and f0 < 0 and f1 < 0:
                continue
            weight = 0.4 if every else 0.0
            if kinds[s] == 1 or (f0 != f1 and kinds[s] != 4):
                weight = 1.0
            if weight == 0.0:
                continue
            a, b = segments[s, 0], segments[s, 1]
            if flags[a] | flags[b]:
                cut[cuts] = s
                cuts += 1
                weights[len(weights) - cuts] = weight
                continue
            for axis in range(3):
                ends[count, 0, axis], ends[count, 1, axis] = screen[a, axis], screen[b, axis]
            weights[count] = weight
            count += 1
    return count, cuts


@njit(cache=True, nogil=True, error_model="numpy")
def stroke(ends, weights, half, depth, ids, planes, bias, slack, test, ink):
    """Draw segments (screen x, y, d) into ink (255ths); the strongest wins, and parts behind surfaces are left out.

    A pixel is inked by how far its centre is within ``half`` a width plus half a pixel of the segment. The depth of the
    surface seen there is computed where the segment passes, from its own plane, so that an edge lies exactly on its
    faces at any slope; ``bias`` (relative) and ``slack`` (absolute) allow for rounding.
    """
    rows, columns = ink.shape
    reach = half + 0.5
    # Thin segments end square, half a pixel late, because their neighbours continue there. Thick ones end round.
    thick = half >= 1.5
    over = reach if thick else 0.5
    flat_ink, flat_depth, flat_ids = ink.reshape(-1), depth.reshape(-1), ids.reshape(-1)
    for s in range(len(ends)):
        x0, y0, d0 = ends[s, 0, 0], ends[s, 0, 1], ends[s, 0, 2]
        x1, y1, d1 = ends[s, 1, 0], ends[s, 1, 1], ends[s, 1, 2]
        if max(x0, x1) < -reach or min(x0, x1) > columns + reach:
            continue
        if max(y0, y1) < -reach or min(y0, y1) > rows + reach:
            continue
        dx, dy = x1 - x0, y1 - y0
        if dx == 0.0 and dy == 0.0:
            continue
        # Walk along the longer direction (p), and at each step across it (q).
        steep = abs(dy) > abs(dx)
        if steep:
            p0, q0, p1, dp, dq, p_end, q_end, p_step, q_step = y0, x0, y1, dy, dx, rows, columns, columns, 1
        else:
            p0, q0, p1, dp, dq, p_end, q_end, p_step, q_step = x0, y0, x1, dx, dy, columns, rows, 1, columns
        inverse = 1.0 / dp
        slope = dq * inverse
        shrink = 1.0 / math.sqrt(1.0 + slope * slope)
        across = reach / shrink
        full = 255.0 * weights[s]
        most = full * min(1.0, 2.0 * half)
        first = max(0, math.ceil(min(p0, p1) - over - 0.5))
        last = min(p_end - 1, math.floor(max(p0, p1) + over - 0.5))
        width = int(2.0 * across) + 1
        for p in range(first, last + 1):
            step = p + 0.5 - p0
            middle = q0 + slope * step
            along = min(1.0, max(0.0, step * inverse))
            d = d0 + along * (d1 - d0)
            d += bias * abs(d) + slack
            lp, lq = p0 + along * dp, q0 + along * dq
            lx, ly = (lq, lp) if steep else (lp, lq)
            low = math.ceil(middle - across - 0.5)
            for q in range(max(0, low), min(q_end, low + width)):
                far = abs(q + 0.5 - middle) * shrink
                if thick:
                    foot = (step * dp + (q + 0.5 - q0) * dq) / (dp * dp + dq * dq)
                    if not 0.0 < foot < 1.0:
                        foot = min(1.0, max(0.0, foot))
                        far = math.hypot(step - foot * dp, q + 0.5 - q0 - foot * dq)
                value = int(min(most, (reach - far) * full) + 0.5)
                pixel = p * p_step + q * q_step
                if value <= flat_ink[pixel]:
                    continue
                if test and d < flat_depth[pixel]:
                    name = flat_ids[pixel]
                    if d < planes[name, 0] * lx + planes[name, 1] * ly + planes[name, 2]:
                        continue
                flat_ink[pixel] = value
