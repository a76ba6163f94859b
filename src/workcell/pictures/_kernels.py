"""The compiled rasteriser: projection, hidden surfaces, strokes, shading.

Image coordinates are pixels from the top left corner, a pixel's centre at (column + ½, row + ½). Depth ``d`` grows
towards the eye and is affine over the image of a plane: 1/z with perspective, −z in parallel (z forward from
the eye [m]); −∞ is the background. Corners are snapped to 1/256 pixel, so that edge functions are exact in
float64 and triangles that share an edge neither overlap nor leave a gap. ``raster_numpy`` is the plain twin.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

SNAP = 256.0
GUARD = 32768.0


@njit(cache=True, nogil=True)
def project(vertices, starts, matrices, perspective, scale, cx, cy, near, camera, screen, flags):
    """Fill camera coordinates, screen (x, y, d) and flags (1 where clipping is needed); return how many."""
    flagged = 0
    for item in range(len(starts) - 1):
        m = matrices[item]
        for v in range(starts[item], starts[item + 1]):
            px, py, pz = vertices[v, 0], vertices[v, 1], vertices[v, 2]
            x = m[0, 0] * px + m[0, 1] * py + m[0, 2] * pz + m[0, 3]
            y = m[1, 0] * px + m[1, 1] * py + m[1, 2] * pz + m[1, 3]
            z = m[2, 0] * px + m[2, 1] * py + m[2, 2] * pz + m[2, 3]
            camera[v, 0], camera[v, 1], camera[v, 2] = x, y, z
            if perspective:
                if z < near:
                    flags[v] = 1
                    flagged += 1
                    continue
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


@njit(cache=True, nogil=True)
def raster(screen, flags, triangles, names, item_of, draw, mirrored, depth, ids, planes, facing, peel, front):
    """Draw triangles into depth and ids, the nearest winning.

    ``draw[item]`` is 0 to leave out, 1 to draw the front only, 2 to draw both sides. Planes (d = a·x + b·y + c) and
    facing (+1 seen from outside, −1 from inside, 0 edge on) are filled by triangle name. With ``peel`` only what
    lies behind ``front`` is drawn.
    """
    rows, columns = depth.shape
    for t in range(len(triangles)):
        name = names[t]
        item = item_of[name]
        if draw[item] == 0:
            continue
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        if flags[i] | flags[j] | flags[k]:
            continue
        x0, y0, d0 = screen[i, 0], screen[i, 1], screen[i, 2]
        x1, y1, d1 = screen[j, 0], screen[j, 1], screen[j, 2]
        x2, y2, d2 = screen[k, 0], screen[k, 1], screen[k, 2]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if area == 0.0:
            continue
        # The image's y runs down: counter-clockwise from outside is a negative area.
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
        if area < 0.0:
            x1, y1, d1, x2, y2, d2 = x2, y2, d2, x1, y1, d1
            area = -area
        gx = ((d1 - d0) * (y2 - y0) - (d2 - d0) * (y1 - y0)) / area
        gy = ((d2 - d0) * (x1 - x0) - (d1 - d0) * (x2 - x0)) / area
        g0 = d0 - gx * x0 - gy * y0
        planes[name, 0], planes[name, 1], planes[name, 2] = gx, gy, g0
        # Inside where a·x + b·y + c > 0; a point on an edge belongs to the side where a > 0, or a = 0 and b > 0.
        a0, b0 = y1 - y2, x2 - x1
        a1, b1 = y2 - y0, x0 - x2
        a2, b2 = y0 - y1, x1 - x0
        c0 = -(a0 * x1 + b0 * y1)
        c1 = -(a1 * x2 + b1 * y2)
        c2 = -(a2 * x0 + b2 * y0)
        for row in range(first_row, last_row + 1):
            y = row + 0.5
            left, right = first_column, last_column
            r0, r1, r2 = b0 * y + c0, b1 * y + c1, b2 * y + c2
            if a0 > 0.0:
                left = max(left, math.ceil(-r0 / a0 - 0.5))
            elif a0 < 0.0:
                right = min(right, math.ceil(-r0 / a0 - 0.5) - 1)
            elif r0 < 0.0 or (r0 == 0.0 and b0 <= 0.0):
                continue
            if a1 > 0.0:
                left = max(left, math.ceil(-r1 / a1 - 0.5))
            elif a1 < 0.0:
                right = min(right, math.ceil(-r1 / a1 - 0.5) - 1)
            elif r1 < 0.0 or (r1 == 0.0 and b1 <= 0.0):
                continue
            if a2 > 0.0:
                left = max(left, math.ceil(-r2 / a2 - 0.5))
            elif a2 < 0.0:
                right = min(right, math.ceil(-r2 / a2 - 0.5) - 1)
            elif r2 < 0.0 or (r2 == 0.0 and b2 <= 0.0):
                continue
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


@njit(cache=True, nogil=True)
def choose(kinds, sides, starts, show, facing, every, hidden, chosen, weights):
    """List the edges to draw: features, outlines, and with ``every`` all the others faintly; return how many."""
    count = 0
    for item in range(len(starts) - 1):
        if show[item] == 0:
            continue
        for s in range(starts[item], starts[item + 1]):
            t0, t1 = sides[s, 0], sides[s, 1]
            f0 = facing[t0] if t0 >= 0 else 1
            f1 = facing[t1] if t1 >= 0 else f0
            if show[item] == 1 and not hidden and f0 < 0 and f1 < 0:
                continue
            weight = 0.0
            if kinds[s] == 1 or f0 * f1 < 0:
                weight = 1.0
            elif every:
                weight = 0.4
            if weight > 0.0:
                chosen[count] = s
                weights[count] = weight
                count += 1
    return count


@njit(cache=True, nogil=True)
def stroke(ends, weights, half, depth, ids, planes, bias, slack, test, ink):
    """Draw segments (screen x, y, d) into ink, the strongest winning; what surfaces hide is left out.

    At a pixel the surface's own plane is asked for its depth where the segment passes, so that an edge lies exactly
    on its faces whatever their slope; ``bias`` (relative) and ``slack`` (absolute) forgive rounding.
    """
    rows, columns = ink.shape
    reach = half + 0.5
    for s in range(len(ends)):
        x0, y0, d0 = ends[s, 0, 0], ends[s, 0, 1], ends[s, 0, 2]
        x1, y1, d1 = ends[s, 1, 0], ends[s, 1, 1], ends[s, 1, 2]
        if max(x0, x1) < -reach or min(x0, x1) > columns + reach:
            continue
        if max(y0, y1) < -reach or min(y0, y1) > rows + reach:
            continue
        dx, dy = x1 - x0, y1 - y0
        square = dx * dx + dy * dy
        inverse = 1.0 / square if square > 0.0 else 0.0
        steep = abs(dy) > abs(dx)
        # Walk along the longer direction (p), and at each step across it (q).
        if steep:
            p0, q0, p1, q1, p_end, q_end = y0, x0, y1, x1, rows, columns
        else:
            p0, q0, p1, q1, p_end, q_end = x0, y0, x1, y1, columns, rows
        slope = (q1 - q0) / (p1 - p0) if p1 != p0 else 0.0
        across = reach * math.sqrt(1.0 + slope * slope)
        q_low, q_high = min(q0, q1) - reach, max(q0, q1) + reach
        first = max(0, math.ceil(min(p0, p1) - reach - 0.5))
        last = min(p_end - 1, math.floor(max(p0, p1) + reach - 0.5))
        for p in range(first, last + 1):
            middle = q0 + slope * (p + 0.5 - p0)
            low = max(0, math.ceil(max(middle - across, q_low) - 0.5))
            high = min(q_end - 1, math.floor(min(middle + across, q_high) - 0.5))
            for q in range(low, high + 1):
                row, column = (p, q) if steep else (q, p)
                x, y = column + 0.5, row + 0.5
                along = ((x - x0) * dx + (y - y0) * dy) * inverse
                along = min(1.0, max(0.0, along))
                lx, ly = x0 + along * dx, y0 + along * dy
                cover = reach - math.sqrt((x - lx) * (x - lx) + (y - ly) * (y - ly))
                if cover <= 0.0:
                    continue
                value = np.float32(min(1.0, cover, 2.0 * half) * weights[s])
                if value <= ink[row, column]:
                    continue
                if test:
                    name = ids[row, column]
                    if name >= 0:
                        there = planes[name, 0] * lx + planes[name, 1] * ly + planes[name, 2]
                        there = min(there, np.float64(depth[row, column]))
                        d = d0 + along * (d1 - d0)
                        if d + bias * abs(d) + slack < there:
                            continue
                ink[row, column] = value


@njit(cache=True, nogil=True, fastmath=True)
def backdrop(top, bottom, has_floor, floor, fade, grid, major, line, grid_colour, shade_it, key, sky, out):
    """Fill the image with the background and the floor.

    ``floor`` (3, 3) takes pixels to floor coordinates (u·w, v·w, w) counted from where the floor is strongest; it is
    seen where w > 0 and gone at ``fade`` [m] from there. Shadows darken it by ``key`` and ``sky``.
    """
    rows, columns = out.shape[0], out.shape[1]
    one, zero = np.float32(1.0), np.float32(0.0)
    wide = np.float32(0.5 + 0.5 * line)
    strong, fine, coarse = np.float32(grid_colour[3]), np.float32(grid), np.float32(grid * major)
    ux, vx, wx = np.float32(floor[0, 0]), np.float32(floor[1, 0]), np.float32(floor[2, 0])
    uy, vy, wy = np.float32(floor[0, 1]), np.float32(floor[1, 1]), np.float32(floor[2, 1])
    shrink = np.float32(1.0 / (fade * fade))
    ink = np.zeros(columns, dtype=np.float32)
    soft = np.zeros(columns, dtype=np.float32)
    for row in range(rows):
        y = row + 0.5
        part = np.float32(y / rows)
        if has_floor:
            u_row = np.float32(floor[0, 1] * y + floor[0, 2])
            v_row = np.float32(floor[1, 1] * y + floor[1, 2])
            w_row = np.float32(floor[2, 1] * y + floor[2, 2])
            # Without branches, so that the compiler takes several pixels at a time.
            for column in range(columns):
                x = np.float32(column) + np.float32(0.5)
                w = wx * x + w_row
                iw = one / max(w, np.float32(1e-6))
                u, v = (ux * x + u_row) * iw, (vx * x + v_row) * iw
                near = max(zero, one - (u * u + v * v) * shrink) * (one if w > np.float32(1e-6) else zero)
                near *= near
                fu = (abs(ux - u * wx) + abs(uy - u * wy)) * iw + np.float32(1e-20)
                fv = (abs(vx - v * wx) + abs(vy - v * wy)) * iw + np.float32(1e-20)
                iu, iv = one / fu, one / fv
                gu, gv = abs(u - np.rint(u / fine) * fine), abs(v - np.rint(v / fine) * fine)
                a = min(one, max(zero, wide - gu * iu)) * max(zero, one - fu * np.float32(2.0) / fine)
                b = min(one, max(zero, wide - gv * iv)) * max(zero, one - fv * np.float32(2.0) / fine)
                faint = max(a, b) * np.float32(0.5)
                gu, gv = abs(u - np.rint(u / coarse) * coarse), abs(v - np.rint(v / coarse) * coarse)
                a = min(one, max(zero, wide - gu * iu)) * max(zero, one - fu * np.float32(2.0) / coarse)
                b = min(one, max(zero, wide - gv * iv)) * max(zero, one - fv * np.float32(2.0) / coarse)
                ink[column] = max(faint, max(a, b)) * near * strong
                soft[column] = near
        for c in range(3):
            base = np.float32(top[c]) + (np.float32(bottom[c]) - np.float32(top[c])) * part
            lines = np.float32(grid_colour[c]) - base
            for column in range(columns):
                out[row, column, c] = base + lines * ink[column]
        if has_floor and shade_it:
            for column in range(columns):
                dark = np.float32(0.30) * (one - key[row, column]) + np.float32(0.50) * (one - sky[row, column])
                lit = one - dark * soft[column]
                out[row, column, 0] *= lit
                out[row, column, 1] *= lit
                out[row, column, 2] *= lit


@njit(cache=True, nogil=True, fastmath=True)
def shade(
    ids, triangles, camera, normals, item_of, normal_matrices, mirrored, colours, lights, light_colours, caster,
    sky_light, ground_light, up, smooth, specular, perspective, scale, cx, cy, shade_it, key, sky, out,
):  # fmt: skip
    """Light the pixels that show a triangle; directions and normals are in camera coordinates."""
    rows, columns = ids.shape
    count = len(lights)
    one, zero, half = np.float32(1.0), np.float32(0.0), np.float32(0.5)
    n = np.empty((3, 3))
    k = np.empty((3, 3))
    # The half-way vectors between each light and the line of sight through the middle of the image.
    ways = np.empty((count, 3), dtype=np.float32)
    towards = np.empty((count, 3), dtype=np.float32)
    for i in range(count):
        hx, hy, hz = lights[i, 0], lights[i, 1], lights[i, 2] - 1.0
        length = math.sqrt(hx * hx + hy * hy + hz * hz) + 1e-12
        ways[i, 0], ways[i, 1], ways[i, 2] = hx / length, hy / length, hz / length
        towards[i, 0], towards[i, 1], towards[i, 2] = lights[i, 0], lights[i, 1], lights[i, 2]
    up_x, up_y, up_z = np.float32(up[0]), np.float32(up[1]), np.float32(up[2])
    last = -1
    item = 0
    ax = bx = ex = ay = by = ey = az = bz = ez = zero
    red = green = blue = zero
    for row in range(rows):
        yy = np.float32((row + 0.5 - cy) / scale)
        for column in range(columns):
            name = ids[row, column]
            if name < 0:
                continue
            if name != last:
                last = name
                item = item_of[name]
                red, green, blue = colours[item, 0], colours[item, 1], colours[item, 2]
                t0, t1, t2 = triangles[name, 0], triangles[name, 1], triangles[name, 2]
                x0, y0, z0 = camera[t0, 0], camera[t0, 1], camera[t0, 2]
                x1, y1, z1 = camera[t1, 0], camera[t1, 1], camera[t1, 2]
                x2, y2, z2 = camera[t2, 0], camera[t2, 1], camera[t2, 2]
                if smooth:
                    # Homogeneous barycentric coordinates are affine over the image (Olano and Greer 1997), and with
                    # them the normal before it is brought to length one; no division by depth is needed.
                    w0, w1, w2 = (z0, z1, z2) if perspective else (1.0, 1.0, 1.0)
                    k[0, 0], k[0, 1], k[0, 2] = y1 * w2 - w1 * y2, w1 * x2 - x1 * w2, x1 * y2 - y1 * x2
                    k[1, 0], k[1, 1], k[1, 2] = y2 * w0 - w2 * y0, w2 * x0 - x2 * w0, x2 * y0 - y2 * x0
                    k[2, 0], k[2, 1], k[2, 2] = y0 * w1 - w0 * y1, w0 * x1 - x0 * w1, x0 * y1 - y0 * x1
                    m = normal_matrices[item]
                    size = 0.0
                    for c in range(3):
                        for r in range(3):
                            n[c, r] = (
                                m[r, 0] * normals[name, c, 0]
                                + m[r, 1] * normals[name, c, 1]
                                + m[r, 2] * normals[name, c, 2]
                            )
                            size = max(size, abs(k[c, r]))
                    sign = -mirrored[item] / size
                    ax = np.float32(sign * (n[0, 0] * k[0, 0] + n[1, 0] * k[1, 0] + n[2, 0] * k[2, 0]))
                    bx = np.float32(sign * (n[0, 0] * k[0, 1] + n[1, 0] * k[1, 1] + n[2, 0] * k[2, 1]))
                    ex = np.float32(sign * (n[0, 0] * k[0, 2] + n[1, 0] * k[1, 2] + n[2, 0] * k[2, 2]))
                    ay = np.float32(sign * (n[0, 1] * k[0, 0] + n[1, 1] * k[1, 0] + n[2, 1] * k[2, 0]))
                    by = np.float32(sign * (n[0, 1] * k[0, 1] + n[1, 1] * k[1, 1] + n[2, 1] * k[2, 1]))
                    ey = np.float32(sign * (n[0, 1] * k[0, 2] + n[1, 1] * k[1, 2] + n[2, 1] * k[2, 2]))
                    az = np.float32(sign * (n[0, 2] * k[0, 0] + n[1, 2] * k[1, 0] + n[2, 2] * k[2, 0]))
                    bz = np.float32(sign * (n[0, 2] * k[0, 1] + n[1, 2] * k[1, 1] + n[2, 2] * k[2, 1]))
                    ez = np.float32(sign * (n[0, 2] * k[0, 2] + n[1, 2] * k[1, 2] + n[2, 2] * k[2, 2]))
                else:
                    fx = (y1 - y0) * (z2 - z0) - (z1 - z0) * (y2 - y0)
                    fy = (z1 - z0) * (x2 - x0) - (x1 - x0) * (z2 - z0)
                    fz = (x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0)
                    size = abs(fx) + abs(fy) + abs(fz)
                    # Towards the eye, whichever side is seen.
                    if (x0 * fx + y0 * fy + z0 * fz if perspective else fz) > 0.0:
                        size = -size
                    ax = bx = ay = by = az = bz = zero
                    ex, ey, ez = np.float32(fx / size), np.float32(fy / size), np.float32(fz / size)
            xx = np.float32((column + 0.5 - cx) / scale)
            nx = ax * xx + bx * yy + ex
            ny = ay * xx + by * yy + ey
            nz = az * xx + bz * yy + ez
            length = one / math.sqrt(nx * nx + ny * ny + nz * nz + np.float32(1e-30))
            nx *= length
            ny *= length
            nz *= length
            sky_part = sky[row, column] if shade_it else one
            key_part = key[row, column] if shade_it else one
            rise = half + half * (nx * up_x + ny * up_y + nz * up_z)
            lr = (ground_light[0] + (sky_light[0] - ground_light[0]) * rise) * sky_part
            lg = (ground_light[1] + (sky_light[1] - ground_light[1]) * rise) * sky_part
            lb = (ground_light[2] + (sky_light[2] - ground_light[2]) * rise) * sky_part
            gloss = zero
            for i in range(count):
                face = nx * towards[i, 0] + ny * towards[i, 1] + nz * towards[i, 2]
                if face <= zero:
                    continue
                part = key_part if i == caster else half + half * sky_part
                face *= part
                lr += light_colours[i, 0] * face
                lg += light_colours[i, 1] * face
                lb += light_colours[i, 2] * face
                shine = nx * ways[i, 0] + ny * ways[i, 1] + nz * ways[i, 2]
                if shine > np.float32(0.7):
                    shine *= shine
                    shine *= shine
                    shine *= shine
                    shine *= shine
                    shine *= shine
                    gloss += shine * part * light_colours[i, 1]
            gloss *= specular
            out[row, column, 0] = red * lr + gloss
            out[row, column, 1] = green * lg + gloss
            out[row, column, 2] = blue * lb + gloss


@njit(cache=True, nogil=True, fastmath=True)
def blend(ids, item_of, opacity, layer, clear, out):
    """Put a layer of see-through surfaces behind those already put; ``clear`` is what still shines through."""
    rows, columns = ids.shape
    for row in range(rows):
        for column in range(columns):
            name = ids[row, column]
            if name < 0:
                continue
            part = clear[row, column] * np.float32(opacity[item_of[name]])
            for c in range(3):
                out[row, column, c] += part * layer[row, column, c]
            clear[row, column] -= part


@njit(cache=True, nogil=True)
def _reached(maps, matrices, index, x, y, z, bias):
    """Whether direction ``index`` reaches a point: 1 or 0."""
    m = matrices[index]
    column = int(m[0, 0] * x + m[0, 1] * y + m[0, 2] * z + m[0, 3])
    row = int(m[1, 0] * x + m[1, 1] * y + m[1, 2] * z + m[1, 3])
    size = maps.shape[1]
    if column < 0 or row < 0 or column >= size or row >= size:
        return 1.0
    d = m[2, 0] * x + m[2, 1] * y + m[2, 2] * z + m[2, 3] + bias
    return 1.0 if maps[index, row, column] <= d else 0.0


@njit(cache=True, nogil=True)
def visibility(
    ids, depth, triangles, camera, to_world, perspective, scale, cx, cy, block, has_floor, floor, centre, height,
    fade, key_maps, key_matrices, sky_maps, sky_matrices, sky_directions, groups, offset, key, sky,
):  # fmt: skip
    """Fill how much of the casting light and of the sky reaches each pixel, from 0 to 1.

    The first sample of each pixel is asked, and neighbours ask different directions out of ``groups`` × ``groups``
    sets: smoothing over them afterwards gives the answer of all directions.
    """
    rows, columns = key.shape
    key_count, sky_count, step = len(key_maps), len(sky_maps), groups * groups
    m = to_world
    for row in range(rows):
        for column in range(columns):
            name = ids[row * block, column * block]
            px, py = column * block + 0.5, row * block + 0.5
            key[row, column] = sky[row, column] = 1.0
            if name < 0:
                w = floor[2, 0] * px + floor[2, 1] * py + floor[2, 2]
                if not has_floor or w <= 1e-9:
                    continue
                wx = (floor[0, 0] * px + floor[0, 1] * py + floor[0, 2]) / w
                wy = (floor[1, 0] * px + floor[1, 1] * py + floor[1, 2]) / w
                if wx * wx + wy * wy > fade * fade:
                    continue
                wx, wy, wz = wx + centre[0], wy + centre[1], height
                nx, ny, nz = 0.0, 0.0, 1.0
            else:
                t0, t1, t2 = triangles[name, 0], triangles[name, 1], triangles[name, 2]
                x0, y0, z0 = camera[t0, 0], camera[t0, 1], camera[t0, 2]
                x1, y1, z1 = camera[t1, 0] - x0, camera[t1, 1] - y0, camera[t1, 2] - z0
                x2, y2, z2 = camera[t2, 0] - x0, camera[t2, 1] - y0, camera[t2, 2] - z0
                fx, fy, fz = y1 * z2 - z1 * y2, z1 * x2 - x1 * z2, x1 * y2 - y1 * x2
                size = math.sqrt(fx * fx + fy * fy + fz * fz) + 1e-300
                if (x0 * fx + y0 * fy + z0 * fz if perspective else fz) > 0.0:
                    size = -size
                fx, fy, fz = fx / size, fy / size, fz / size
                nx = m[0, 0] * fx + m[0, 1] * fy + m[0, 2] * fz
                ny = m[1, 0] * fx + m[1, 1] * fy + m[1, 2] * fz
                nz = m[2, 0] * fx + m[2, 1] * fy + m[2, 2] * fz
                d = np.float64(depth[row * block, column * block])
                z = 1.0 / d if perspective else -d
                stretch = z / scale if perspective else 1.0 / scale
                x, y = (px - cx) * stretch, (py - cy) * stretch
                wx = m[0, 0] * x + m[0, 1] * y + m[0, 2] * z + m[0, 3]
                wy = m[1, 0] * x + m[1, 1] * y + m[1, 2] * z + m[1, 3]
                wz = m[2, 0] * x + m[2, 1] * y + m[2, 2] * z + m[2, 3]
            wx, wy, wz = wx + nx * offset, wy + ny * offset, wz + nz * offset
            first = (row % groups) * groups + column % groups
            lit, total = 0.0, 0.0
            for i in range(first, key_count, step):
                total += 1.0
                lit += _reached(key_maps, key_matrices, i, wx, wy, wz, offset)
            if total > 0.0:
                key[row, column] = lit / total
            lit, total = 0.03, 0.05
            for i in range(first, sky_count, step):
                weight = (
                    0.25 + sky_directions[i, 0] * nx + sky_directions[i, 1] * ny + sky_directions[i, 2] * nz
                )
                if weight > 0.0:
                    total += weight
                    lit += weight * _reached(sky_maps, sky_matrices, i, wx, wy, wz, offset)
            sky[row, column] = lit / total


@njit(cache=True, nogil=True, fastmath=True)
def smooth(values, ids, depth, planes, item_of, block, down, radius, relative, slack, out):
    """Average along one direction over pixels that show the same surface; the ends count half."""
    rows, columns = values.shape
    for row in range(rows):
        for column in range(columns):
            name = ids[row * block, column * block]
            item = item_of[name] if name >= 0 else -1
            d = np.float64(depth[row * block, column * block])
            most = relative * abs(d) + slack
            total, weight = 0.0, 0.0
            for step in range(-radius, radius + 1):
                r, c = (row + step, column) if down else (row, column + step)
                if r < 0 or c < 0 or r >= rows or c >= columns:
                    continue
                there = ids[r * block, c * block]
                if there != name:
                    if name < 0 or there < 0 or item_of[there] != item:
                        continue
                    expected = (
                        planes[name, 0] * (c * block + 0.5) + planes[name, 1] * (r * block + 0.5) + planes[name, 2]
                    )
                    if abs(depth[r * block, c * block] - expected) > most:
                        continue
                share = 0.5 if abs(step) == radius else 1.0
                total += share * values[r, c]
                weight += share
            out[row, column] = total / weight


@njit(cache=True, nogil=True)
def spread(values, ids, item_of, block, out):
    """Give every sample its pixel's value, or that of the nearest pixel that shows the same item."""
    rows, columns = values.shape
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            r, c = row // block, column // block
            name = ids[row, column]
            item = item_of[name] if name >= 0 else -1
            value = values[r, c]
            lead = ids[r * block, c * block]
            if (item_of[lead] if lead >= 0 else -1) != item:
                # Half the pixels' leads lie to the right and below: look there first.
                found = False
                for i in (r + 1, r, r - 1):
                    for j in (c + 1, c, c - 1):
                        if not found and 0 <= i < rows and 0 <= j < columns:
                            lead = ids[i * block, j * block]
                            if (item_of[lead] if lead >= 0 else -1) == item:
                                value = values[i, j]
                                found = True
            out[row, column] = value


@njit(cache=True, nogil=True, fastmath=True)
def resolve(colours, ink, edge, block, table, out):
    """Lay the ink over the colours, average blocks of samples, and turn linear light into screen bytes."""
    rows, columns = out.shape[0], out.shape[1]
    top = np.float32(len(table) - 1)
    share = np.float32(1.0 / (block * block))
    zero, one = np.float32(0.0), np.float32(1.0)
    e0, e1, e2 = np.float32(edge[0]), np.float32(edge[1]), np.float32(edge[2])
    for row in range(rows):
        for column in range(columns):
            r = g = b = zero
            for i in range(row * block, row * block + block):
                for j in range(column * block, column * block + block):
                    a = ink[i, j]
                    r += min(one, colours[i, j, 0]) * (one - a) + e0 * a
                    g += min(one, colours[i, j, 1]) * (one - a) + e1 * a
                    b += min(one, colours[i, j, 2]) * (one - a) + e2 * a
            out[row, column, 0] = table[int(r * share * top)]
            out[row, column, 1] = table[int(g * share * top)]
            out[row, column, 2] = table[int(b * share * top)]


@njit(cache=True, nogil=True, fastmath=True)
def tint(ink, colour, out):
    """Lay ink of one colour over the image."""
    rows, columns = ink.shape
    for row in range(rows):
        for column in range(columns):
            a = ink[row, column]
            if a > 0.0:
                for c in range(3):
                    out[row, column, c] += (np.float32(colour[c]) - out[row, column, c]) * a
