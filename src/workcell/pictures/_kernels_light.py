"""The compiled shading: background and floor, light on surfaces, blending, screen bytes.

Colours are linear light in single precision. ``_kernels`` explains the layout of the image; ``raster_numpy`` is the
plain version.
"""

# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
from __future__ import annotations

import numpy as np
from numba import njit

STRIP = 128
"""A row is processed in strips of this many samples, in one array of ``ROWS`` × ``STRIP`` numbers with fixed places,
so that the compiler processes many at a time: normals (0–2), shares of the casting light and of the sky (3, 4),
colours (5–7), gloss (8), paint (9–11), background (12–14), strength of the floor (15)."""

ROWS = 16


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _lines(u, v, fu, fv, iu, iv, wide, fine, per_fine, coarse, per_coarse):
    """The strength of the floor's lines at a point of it; ``fu`` and ``fv`` are the lengths of a pixel there."""
    one, zero, two = np.float32(1.0), np.float32(0.0), np.float32(2.0)
    gu, gv = abs(u - np.rint(u * per_fine) * fine), abs(v - np.rint(v * per_fine) * fine)
    a = min(one, max(zero, wide - gu * iu)) * max(zero, one - fu * two * per_fine)
    b = min(one, max(zero, wide - gv * iv)) * max(zero, one - fv * two * per_fine)
    faint = max(a, b) * np.float32(0.5)
    gu, gv = abs(u - np.rint(u * per_coarse) * coarse), abs(v - np.rint(v * per_coarse) * coarse)
    a = min(one, max(zero, wide - gu * iu)) * max(zero, one - fu * two * per_coarse)
    b = min(one, max(zero, wide - gv * iv)) * max(zero, one - fv * two * per_coarse)
    return max(faint, a, b)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _ground(w, left, y, part, top, bottom, has_floor, floor, fade, grid, major, line, grid_colour, shade_it):
    """Fill the background of the strip that begins at column ``left`` of the row through ``y``."""
    one, zero = np.float32(1.0), np.float32(0.0)
    r0 = np.float32(top[0] + (bottom[0] - top[0]) * part)
    r1 = np.float32(top[1] + (bottom[1] - top[1]) * part)
    r2 = np.float32(top[2] + (bottom[2] - top[2]) * part)
    if not has_floor:
        for i in range(STRIP):
            w[12 * STRIP + i], w[13 * STRIP + i], w[14 * STRIP + i] = r0, r1, r2
        return
    wide = np.float32(0.5 + 0.5 * line)
    strong, fine, coarse = np.float32(grid_colour[3]), np.float32(grid), np.float32(grid * major)
    per_fine, per_coarse = one / fine, one / coarse
    ux, vx, wx = np.float32(floor[0, 0]), np.float32(floor[1, 0]), np.float32(floor[2, 0])
    uy, vy, wy = np.float32(floor[0, 1]), np.float32(floor[1, 1]), np.float32(floor[2, 1])
    shrink = np.float32(1.0 / (fade * fade))
    g0, g1, g2 = np.float32(grid_colour[0]), np.float32(grid_colour[1]), np.float32(grid_colour[2])
    u_row = np.float32(floor[0, 1] * y + floor[0, 2])
    v_row = np.float32(floor[1, 1] * y + floor[1, 2])
    w_row = np.float32(floor[2, 1] * y + floor[2, 2])
    start = np.float32(left) + np.float32(0.5)
    if wx == zero and w_row <= np.float32(1e-6):
        for i in range(STRIP):
            w[12 * STRIP + i], w[13 * STRIP + i], w[14 * STRIP + i], w[15 * STRIP + i] = r0, r1, r2, zero
        return
    if wx == zero:
        # The camera is upright: along a row the floor is equally far, and most of the sums are the same.
        iw = one / w_row
        du, dv, u_row, v_row = ux * iw, vx * iw, u_row * iw, v_row * iw
        for i in range(STRIP):
            x = start + np.float32(i)
            u, v = du * x + u_row, dv * x + v_row
            near = max(zero, one - (u * u + v * v) * shrink)
            near *= near
            fu = abs(du) + abs(uy - u * wy) * iw + np.float32(1e-20)
            fv = abs(dv) + abs(vy - v * wy) * iw + np.float32(1e-20)
            iu, iv = one / fu, one / fv
            a = _lines(u, v, fu, fv, iu, iv, wide, fine, per_fine, coarse, per_coarse) * near * strong
            w[12 * STRIP + i] = r0 + (g0 - r0) * a
            w[13 * STRIP + i] = r1 + (g1 - r1) * a
            w[14 * STRIP + i] = r2 + (g2 - r2) * a
            w[15 * STRIP + i] = near
    else:
        for i in range(STRIP):
            x = start + np.float32(i)
            deep = wx * x + w_row
            iw = one / max(deep, np.float32(1e-6))
            u, v = (ux * x + u_row) * iw, (vx * x + v_row) * iw
            near = max(zero, one - (u * u + v * v) * shrink) * (one if deep > np.float32(1e-6) else zero)
            near *= near
            fu = (abs(ux - u * wx) + abs(uy - u * wy)) * iw + np.float32(1e-20)
            fv = (abs(vx - v * wx) + abs(vy - v * wy)) * iw + np.float32(1e-20)
            iu, iv = one / fu, one / fv
            a = _lines(u, v, fu, fv, iu, iv, wide, fine, per_fine, coarse, per_coarse) * near * strong
            w[12 * STRIP + i] = r0 + (g0 - r0) * a
            w[13 * STRIP + i] = r1 + (g1 - r1) * a
            w[14 * STRIP + i] = r2 + (g2 - r2) * a
            w[15 * STRIP + i] = near
    if shade_it:
        for i in range(STRIP):
            dark = np.float32(0.30) * (one - w[3 * STRIP + i]) + np.float32(0.50) * (one - w[4 * STRIP + i])
            lit = one - dark * w[15 * STRIP + i]
            w[12 * STRIP + i] *= lit
            w[13 * STRIP + i] *= lit
            w[14 * STRIP + i] *= lit


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def backdrop(
    top, bottom, has_floor, floor, fade, grid, major, line, grid_colour, shade_it, key, sky, out,
):  # fmt: skip
    """Fill the image with the background and the floor.

    ``floor`` (3, 3) maps pixels to floor coordinates (u·w, v·w, w), counted from where the floor is strongest; it is
    visible where w > 0, and has faded out at ``fade`` [m] from there. Shadows darken it by ``key`` and ``sky``.
    """
    rows, columns = out.shape[0], out.shape[1]
    w = np.ones(ROWS * STRIP, dtype=np.float32)
    for row in range(rows):
        y = row + 0.5
        for left in range(0, columns, STRIP):
            wide = min(STRIP, columns - left)
            if shade_it:
                for i in range(wide):
                    w[3 * STRIP + i], w[4 * STRIP + i] = key[row, left + i], sky[row, left + i]
            _ground(w, left, y, y / rows, top, bottom, has_floor, floor, fade, grid, major, line, grid_colour, shade_it)
            for i in range(wide):
                out[row, left + i, 0] = w[12 * STRIP + i]
                out[row, left + i, 1] = w[13 * STRIP + i]
                out[row, left + i, 2] = w[14 * STRIP + i]


@njit(cache=True, nogil=True, error_model="numpy")
def _normal_field(t, triangles, camera, n, perspective, scale, cx, cy, sign, plots):
    """Fill plots[t] for a triangle that is not completely on the image plane, or is tiny.

    Homogeneous barycentric coordinates are affine over the image, also for a triangle that reaches behind the eye
    (Olano and Greer 1997). A normal need not be divided by depth, because it is normalised anyway.
    """
    k = np.empty((3, 3))
    for i in range(3):
        p, q = triangles[t, (i + 1) % 3], triangles[t, (i + 2) % 3]
        px, py, qx, qy = camera[p, 0], camera[p, 1], camera[q, 0], camera[q, 1]
        pw, qw = (camera[p, 2], camera[q, 2]) if perspective else (1.0, 1.0)
        k[i, 0] = (py * qw - pw * qy) / scale
        k[i, 1] = (pw * qx - px * qw) / scale
        k[i, 2] = px * qy - py * qx - cx * k[i, 0] - cy * k[i, 1]
    size = np.abs(k).max() + 1e-300
    for axis in range(3):
        for j in range(3):
            total = n[0, axis] * k[0, j] + n[1, axis] * k[1, j] + n[2, axis] * k[2, j]
            plots[t, 3 * j + axis] = total * sign / size
    plots[t, 9] = plots[t, 10] = np.float32(0.0)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def plant(
    triangles, camera, screen, flags, normals, facing, item_of, draw, matrices, colours, mirrored, smooth, perspective,
    scale, cx, cy, plots,
):  # fmt: skip
    """Fill plots: over triangle t the normal is [0:3]·x + [3:6]·y + [6:9], counted from pixel ([9], [10]).

    It need not have length one; it is in camera coordinates, on the visible side. [11:14] is its paint.
    """
    one = np.float32(1.0)
    n = np.empty((3, 3), dtype=np.float32)
    for t in range(len(triangles)):
        item = item_of[t]
        if draw[item] == 0 or facing[t] == 0 or (draw[item] == 1 and facing[t] < 0):
            continue
        plots[t, 11], plots[t, 12], plots[t, 13] = colours[item, 0], colours[item, 1], colours[item, 2]
        t0, t1, t2 = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        if not smooth:
            x0, y0, z0 = camera[t0, 0], camera[t0, 1], camera[t0, 2]
            dx, dy, dz = camera[t1, 0] - x0, camera[t1, 1] - y0, camera[t1, 2] - z0
            hx, hy, hz = camera[t2, 0] - x0, camera[t2, 1] - y0, camera[t2, 2] - z0
            fx, fy, fz = dy * hz - dz * hy, dz * hx - dx * hz, dx * hy - dy * hx
            size = (abs(fx) + abs(fy) + abs(fz) + 1e-300) * mirrored[item] * facing[t]
            for i in range(11):
                plots[t, i] = np.float32(0.0)
            plots[t, 6], plots[t, 7], plots[t, 8] = fx / size, fy / size, fz / size
            continue
        for i in range(3):
            p, q, r = normals[t, i, 0], normals[t, i, 1], normals[t, i, 2]
            for axis in range(3):
                n[i, axis] = matrices[item, axis, 0] * p + matrices[item, axis, 1] * q + matrices[item, axis, 2] * r
        x0, y0 = screen[t0, 0], screen[t0, 1]
        x1, y1 = np.float32(screen[t1, 0] - x0), np.float32(screen[t1, 1] - y0)
        x2, y2 = np.float32(screen[t2, 0] - x0), np.float32(screen[t2, 1] - y0)
        area = x1 * y2 - x2 * y1
        if flags[t0] | flags[t1] | flags[t2] or abs(area) < np.float32(1e-3):
            _normal_field(t, triangles, camera, n, perspective, scale, cx, cy, -mirrored[item], plots)
            continue
        # The same with small numbers in single precision, for a triangle that is completely on the image plane.
        r1 = r2 = one
        if perspective:
            r1, r2 = np.float32(screen[t1, 2] / screen[t0, 2]), np.float32(screen[t2, 2] / screen[t0, 2])
        side = np.float32(facing[t])
        shrink = side / area
        x1, x2, y1, y2 = x1 * shrink, x2 * shrink, y1 * shrink, y2 * shrink
        for axis in range(3):
            p, q = n[1, axis] * r1 - n[0, axis], n[2, axis] * r2 - n[0, axis]
            plots[t, axis] = p * y2 - q * y1
            plots[t, 3 + axis] = q * x1 - p * x2
            plots[t, 6 + axis] = n[0, axis] * side
        plots[t, 9], plots[t, 10] = x0, y0


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _light_up(w, lights, ways, light_colours, caster, sky_light, ground_light, up, specular):
    """Light one strip of a row: its normals become colours."""
    one, zero, half = np.float32(1.0), np.float32(0.0), np.float32(0.5)
    u0, u1, u2 = half * up[0], half * up[1], half * up[2]
    g0, g1, g2 = ground_light[0], ground_light[1], ground_light[2]
    s0, s1, s2 = sky_light[0] - g0, sky_light[1] - g1, sky_light[2] - g2
    for i in range(STRIP):
        p, q, r = w[i], w[STRIP + i], w[2 * STRIP + i]
        length = one / np.sqrt(p * p + q * q + r * r + np.float32(1e-30))
        p, q, r = p * length, q * length, r * length
        w[i], w[STRIP + i], w[2 * STRIP + i] = p, q, r
        rise = half + p * u0 + q * u1 + r * u2
        sky_part = w[4 * STRIP + i]
        w[5 * STRIP + i] = (g0 + s0 * rise) * sky_part
        w[6 * STRIP + i] = (g1 + s1 * rise) * sky_part
        w[7 * STRIP + i] = (g2 + s2 * rise) * sky_part
        w[8 * STRIP + i] = zero
    for k in range(len(lights)):
        by_key, by_sky, always = (one, zero, zero) if k == caster else (zero, half, half)
        l0, l1, l2 = lights[k, 0], lights[k, 1], lights[k, 2]
        h0, h1, h2 = ways[k, 0], ways[k, 1], ways[k, 2]
        c0, c1, c2 = light_colours[k, 0], light_colours[k, 1], light_colours[k, 2]
        shiny = specular * c1
        for i in range(STRIP):
            p, q, r = w[i], w[STRIP + i], w[2 * STRIP + i]
            part = by_key * w[3 * STRIP + i] + by_sky * w[4 * STRIP + i] + always
            face = part * max(zero, p * l0 + q * l1 + r * l2)
            w[5 * STRIP + i] += c0 * face
            w[6 * STRIP + i] += c1 * face
            w[7 * STRIP + i] += c2 * face
            shine = max(zero, p * h0 + q * h1 + r * h2)
            shine *= shine
            shine *= shine
            shine *= shine
            shine *= shine
            shine *= shine
            w[8 * STRIP + i] += shine * part * shiny
    for i in range(STRIP):
        gloss = w[8 * STRIP + i]
        w[5 * STRIP + i] = min(one, w[9 * STRIP + i] * w[5 * STRIP + i] + gloss)
        w[6 * STRIP + i] = min(one, w[10 * STRIP + i] * w[6 * STRIP + i] + gloss)
        w[7 * STRIP + i] = min(one, w[11 * STRIP + i] * w[7 * STRIP + i] + gloss)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _gather(w, names, row, left, plots):
    """Fetch the normals and the paint of a strip's samples; samples without a triangle keep their values."""
    y0, x0 = np.float32(row) + np.float32(0.5), np.float32(left) + np.float32(0.5)
    # Touch every plot first: those that are not in the cache are loaded while others are requested.
    glance = np.float32(0.0)
    for i in range(len(names)):
        if names[i] >= 0:
            glance += plots[names[i], 0]
    w[8 * STRIP] = glance
    for i in range(len(names)):
        if names[i] < 0:
            continue
        plot = plots[names[i]]
        x, y = x0 + np.float32(i) - plot[9], y0 - plot[10]
        w[i] = plot[0] * x + plot[3] * y + plot[6]
        w[STRIP + i] = plot[1] * x + plot[4] * y + plot[7]
        w[2 * STRIP + i] = plot[2] * x + plot[5] * y + plot[8]
        w[9 * STRIP + i], w[10 * STRIP + i], w[11 * STRIP + i] = plot[11], plot[12], plot[13]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def shade(
    ids, plots, lights, ways, light_colours, caster, sky_light, ground_light, up, specular, shade_it, key, sky, out,
):  # fmt: skip
    """Light the pixels that show a triangle; directions and normals are in camera coordinates."""
    rows, columns = ids.shape
    w = np.ones(ROWS * STRIP, dtype=np.float32)
    for row in range(rows):
        for left in range(0, columns, STRIP):
            wide = min(STRIP, columns - left)
            most = np.int32(-1)
            for i in range(wide):
                most = max(most, ids[row, left + i])
            if most < 0:
                continue
            if shade_it:
                for i in range(wide):
                    w[3 * STRIP + i], w[4 * STRIP + i] = key[row, left + i], sky[row, left + i]
            _gather(w, ids[row, left : left + wide], row, left, plots)
            _light_up(w, lights, ways, light_colours, caster, sky_light, ground_light, up, specular)
            for i in range(wide):
                if ids[row, left + i] >= 0:
                    out[row, left + i, 0] = w[5 * STRIP + i]
                    out[row, left + i, 1] = w[6 * STRIP + i]
                    out[row, left + i, 2] = w[7 * STRIP + i]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def paint(
    top, bottom, has_floor, floor, fade, grid, major, line, grid_colour, ids, plots, lights, ways, light_colours,
    caster, sky_light, ground_light, up, specular, shade_it, key, sky, ink, edge, block, table, dither, out,
):  # fmt: skip
    """Draw the whole picture at once: ``backdrop``, ``shade`` and ``resolve`` in one pass."""
    rows, columns = out.shape[0], out.shape[1]
    across = STRIP // block
    one, share = np.float32(1.0), np.float32((len(table) - 1) / (block * block))
    e0, e1, e2 = edge[0], edge[1], edge[2]
    w = np.ones(ROWS * STRIP, dtype=np.float32)
    total = np.zeros(3 * STRIP, dtype=np.float32)
    place = np.zeros(3 * STRIP, dtype=np.uint16)
    for out_row in range(rows):
        pixels = out[out_row].reshape(-1)
        for out_left in range(0, columns, across):
            left, count = out_left * block, min(across, columns - out_left)
            wide = count * block
            bare = False
            for row in range(out_row * block, (out_row + 1) * block):
                names, marks = ids[row, left : left + wide], ink[row, left : left + wide]
                most, least, dark = np.int32(-1), np.int32(0), np.uint8(0)
                for i in range(wide):
                    most, least = max(most, names[i]), min(least, names[i])
                    dark |= marks[i]
                if shade_it:
                    for i in range(wide):
                        w[3 * STRIP + i], w[4 * STRIP + i] = key[row, left + i], sky[row, left + i]
                at = 5 * STRIP
                if most >= 0:
                    _gather(w, names, row, left, plots)
                    _light_up(w, lights, ways, light_colours, caster, sky_light, ground_light, up, specular)
                if least < 0:
                    bare = True
                    y = row + 0.5
                    _ground(
                        w, left, y, y / (rows * block), top, bottom, has_floor, floor, fade, grid, major, line,
                        grid_colour, shade_it,
                    )  # fmt: skip
                    if most < 0:
                        at = 12 * STRIP
                    else:
                        for i in range(wide):
                            w[5 * STRIP + i] = w[12 * STRIP + i] if names[i] < 0 else w[5 * STRIP + i]
                            w[6 * STRIP + i] = w[13 * STRIP + i] if names[i] < 0 else w[6 * STRIP + i]
                            w[7 * STRIP + i] = w[14 * STRIP + i] if names[i] < 0 else w[7 * STRIP + i]
                shown = w[at : at + 3 * STRIP]
                if dark > 0:
                    for i in range(wide):
                        a = marks[i] * np.float32(1.0 / 255.0)
                        shown[i] = shown[i] * (one - a) + e0 * a
                        shown[STRIP + i] = shown[STRIP + i] * (one - a) + e1 * a
                        shown[2 * STRIP + i] = shown[2 * STRIP + i] * (one - a) + e2 * a
                if block == 1:
                    for i in range(3 * STRIP):
                        place[i] = np.uint16(shown[i] * share)
                    continue
                if row == out_row * block:
                    total[:] = np.float32(0.0)
                for i in range(count):
                    for j in range(i * block, (i + 1) * block):
                        total[i] += shown[j]
                        total[STRIP + i] += shown[STRIP + j]
                        total[2 * STRIP + i] += shown[2 * STRIP + j]
            if block > 1:
                for i in range(3 * STRIP):
                    place[i] = np.uint16(total[i] * share)
            part = pixels[3 * out_left : 3 * (out_left + count)]
            if bare:
                for i in range(count):
                    rough = 128
                    if ids[out_row * block, left + i * block] < 0:
                        rough = dither[out_row & 7, (out_left + i) & 7]
                    part[3 * i] = (table[place[i]] + rough) >> 8
                    part[3 * i + 1] = (table[place[STRIP + i]] + rough) >> 8
                    part[3 * i + 2] = (table[place[2 * STRIP + i]] + rough) >> 8
            else:
                for i in range(count):
                    part[3 * i] = (table[place[i]] + 128) >> 8
                    part[3 * i + 1] = (table[place[STRIP + i]] + 128) >> 8
                    part[3 * i + 2] = (table[place[2 * STRIP + i]] + 128) >> 8


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def blend(ids, item_of, opacity, layer, clear, out):
    """Put a layer of translucent surfaces behind the earlier ones; ``clear`` is the light that still shines through."""
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


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def resolve(colours, ids, ink, edge, block, table, dither, out):
    """Lay the ink over the colours, average blocks of samples, and turn linear light into screen bytes.

    ``table`` contains 256ths of a byte. They are rounded, but over the background cut at the thresholds of ``dither``
    in blocks of 8 × 8 pixels, so that a slow gradient shows no bands.
    """
    rows, columns = out.shape[0], out.shape[1]
    one, share = np.float32(1.0), np.float32((len(table) - 1) / (block * block))
    total = np.zeros(3, dtype=np.float32)
    for row in range(rows):
        for column in range(columns):
            total[:] = np.float32(0.0)
            for i in range(row * block, (row + 1) * block):
                for j in range(column * block, (column + 1) * block):
                    a = ink[i, j] * np.float32(1.0 / 255.0)
                    for c in range(3):
                        total[c] += min(one, colours[i, j, c]) * (one - a) + edge[c] * a
            rough = dither[row & 7, column & 7] if ids[row * block, column * block] < 0 else 128
            for c in range(3):
                out[row, column, c] = (table[np.uint16(total[c] * share)] + rough) >> 8


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def tint(ink, colour, out):
    """Lay ink of one colour over the image."""
    rows, columns = ink.shape
    for row in range(rows):
        for column in range(columns):
            a = ink[row, column] * np.float32(1.0 / 255.0)
            if a > 0.0:
                for c in range(3):
                    out[row, column, c] += (np.float32(colour[c]) - out[row, column, c]) * a
