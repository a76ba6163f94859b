"""The compiled shading: background and floor, light on surfaces, soft shadows, mixing, screen bytes.

Colours are linear light in single precision. ``_kernels`` says how the image is laid out; ``raster_numpy`` is the plain
twin.
"""

# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
from __future__ import annotations

import math

import numpy as np
from numba import njit

STRIP = 64


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def backdrop(
    top, bottom, has_floor, floor, fade, grid, major, line, grid_colour, shade_it, key, sky, first, all_rows, out,
):  # fmt: skip
    """Fill the image with the background and the floor.

    ``floor`` (3, 3) takes pixels to floor coordinates (u·w, v·w, w) counted from where the floor is strongest; it is
    seen where w > 0 and gone at ``fade`` [m] from there. Shadows darken it by ``key`` and ``sky``. ``out`` is the band
    of rows from ``first`` on, of ``all_rows`` in the image.
    """
    rows, columns = out.shape[0], out.shape[1]
    one, zero = np.float32(1.0), np.float32(0.0)
    wide = np.float32(0.5 + 0.5 * line)
    strong, fine, coarse = np.float32(grid_colour[3]), np.float32(grid), np.float32(grid * major)
    ux, vx, wx = np.float32(floor[0, 0]), np.float32(floor[1, 0]), np.float32(floor[2, 0])
    uy, vy, wy = np.float32(floor[0, 1]), np.float32(floor[1, 1]), np.float32(floor[2, 1])
    shrink = np.float32(1.0 / (fade * fade))
    g0, g1, g2 = np.float32(grid_colour[0]), np.float32(grid_colour[1]), np.float32(grid_colour[2])
    ink = np.zeros(columns, dtype=np.float32)
    soft = np.zeros(columns, dtype=np.float32)
    for row in range(rows):
        y = first + row + 0.5
        part = y / all_rows
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
                ink[column] = max(faint, a, b) * near * strong
                soft[column] = near
        r0 = np.float32(top[0] + (bottom[0] - top[0]) * part)
        r1 = np.float32(top[1] + (bottom[1] - top[1]) * part)
        r2 = np.float32(top[2] + (bottom[2] - top[2]) * part)
        for column in range(columns):
            a = ink[column]
            out[row, column, 0] = r0 + (g0 - r0) * a
            out[row, column, 1] = r1 + (g1 - r1) * a
            out[row, column, 2] = r2 + (g2 - r2) * a
        if has_floor and shade_it:
            for column in range(columns):
                dark = np.float32(0.30) * (one - key[row, column]) + np.float32(0.50) * (one - sky[row, column])
                lit = one - dark * soft[column]
                out[row, column, 0] *= lit
                out[row, column, 1] *= lit
                out[row, column, 2] *= lit


@njit(cache=True, nogil=True, error_model="numpy")
def _normal_field(t, triangles, camera, n, perspective, scale, cx, cy, sign, plots):
    """Fill plots[t] for a triangle that does not land whole, or is tiny.

    Homogeneous barycentric coordinates are affine over the image, also of a triangle that reaches behind the eye
    (Olano and Greer 1997); a normal need not be divided by depth, as it is brought to length one anyway.
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
    triangles, camera, screen, flags, normals, facing, item_of, draw, matrices, mirrored, smooth, perspective, scale,
    cx, cy, plots,
):  # fmt: skip
    """Fill plots: over triangle t the normal is [0:3]·x + [3:6]·y + [6:9], counted from pixel ([9], [10]).

    It need not have length one; it is in camera coordinates, and on the side that is seen.
    """
    one = np.float32(1.0)
    n = np.empty((3, 3), dtype=np.float32)
    for t in range(len(triangles)):
        item = item_of[t]
        if draw[item] == 0 or facing[t] == 0 or (draw[item] == 1 and facing[t] < 0):
            continue
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
        # The same, with small numbers in single precision, for a triangle that lands whole.
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
    """Light one strip of a row.

    ``w`` holds normals (0–2), key and sky shares (3, 4), and takes light (5–7) and gloss (8), STRIP numbers each: one
    array with fixed places lets the compiler take many pixels at a time.
    """
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


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def shade(
    ids, plots, item_of, colours, lights, ways, light_colours, caster, sky_light, ground_light, up, specular, shade_it,
    key, sky, top, out,
):  # fmt: skip
    """Light the pixels that show a triangle; directions and normals are in camera coordinates.

    ``ids`` and ``out`` are the band of rows from ``top`` on.
    """
    rows, columns = ids.shape
    half = np.float32(0.5)
    w = np.ones(9 * STRIP, dtype=np.float32)
    for row in range(rows):
        for left in range(0, columns, STRIP):
            wide = min(STRIP, columns - left)
            first, final = STRIP, -1
            for i in range(wide):
                name = ids[row, left + i]
                if name < 0:
                    continue
                first, final = min(first, i), i
                x = np.float32(left + i) + half - plots[name, 9]
                y = np.float32(top + row) + half - plots[name, 10]
                w[i] = plots[name, 0] * x + plots[name, 3] * y + plots[name, 6]
                w[STRIP + i] = plots[name, 1] * x + plots[name, 4] * y + plots[name, 7]
                w[2 * STRIP + i] = plots[name, 2] * x + plots[name, 5] * y + plots[name, 8]
            if final < 0:
                continue
            if shade_it:
                for i in range(first, final + 1):
                    w[3 * STRIP + i], w[4 * STRIP + i] = key[row, left + i], sky[row, left + i]
            _light_up(w, lights, ways, light_colours, caster, sky_light, ground_light, up, specular)
            for i in range(first, final + 1):
                name = ids[row, left + i]
                if name >= 0:
                    item = item_of[name]
                    gloss = w[8 * STRIP + i]
                    out[row, left + i, 0] = colours[item, 0] * w[5 * STRIP + i] + gloss
                    out[row, left + i, 1] = colours[item, 1] * w[6 * STRIP + i] + gloss
                    out[row, left + i, 2] = colours[item, 2] * w[7 * STRIP + i] + gloss


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
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


@njit(cache=True, nogil=True, error_model="numpy")
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


@njit(cache=True, nogil=True, error_model="numpy")
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
                weight = 0.25 + sky_directions[i, 0] * nx + sky_directions[i, 1] * ny + sky_directions[i, 2] * nz
                if weight > 0.0:
                    total += weight
                    lit += weight * _reached(sky_maps, sky_matrices, i, wx, wy, wz, offset)
            sky[row, column] = lit / total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
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


@njit(cache=True, nogil=True, error_model="numpy")
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


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def resolve(colours, ink, edge, block, table, out):
    """Lay the ink over the colours, average blocks of samples, and turn linear light into screen bytes."""
    rows, columns = out.shape[0], out.shape[1]
    wide = columns * block
    one, share = np.float32(1.0), np.float32((len(table) - 1) / (block * block))
    line = np.empty((wide, 3), dtype=np.float32)
    place = np.empty(columns * 3, dtype=np.uint16)
    e0, e1, e2 = edge[0], edge[1], edge[2]
    for row in range(rows):
        line[:] = np.float32(0.0)
        for i in range(row * block, row * block + block):
            for j in range(wide):
                a = ink[i, j]
                line[j, 0] += min(one, colours[i, j, 0]) * (one - a) + e0 * a
                line[j, 1] += min(one, colours[i, j, 1]) * (one - a) + e1 * a
                line[j, 2] += min(one, colours[i, j, 2]) * (one - a) + e2 * a
        if block == 1:
            flat = line.reshape(-1)
            for i in range(columns * 3):
                place[i] = np.uint16(flat[i] * share)
        else:
            for column in range(columns):
                for c in range(3):
                    total = line[column * block, c]
                    for j in range(1, block):
                        total += line[column * block + j, c]
                    place[column * 3 + c] = np.uint16(total * share)
        pixels = out[row].reshape(-1)
        for i in range(columns * 3):
            pixels[i] = table[place[i]]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def finish(ids, colours, behind, ink, edge, table, out):
    """As ``resolve`` for one sample a pixel, into an image that shows the background already.

    Where no triangle is seen the colour is taken from ``behind``, whatever ``colours`` holds there from other pictures;
    strips without triangle and ink are left alone.
    """
    rows, columns = ids.shape
    one, share = np.float32(1.0), np.float32(len(table) - 1)
    e0, e1, e2 = edge[0], edge[1], edge[2]
    line = np.empty((STRIP, 3), dtype=np.float32)
    flat = line.reshape(-1)
    place = np.empty(3 * STRIP, dtype=np.uint16)
    for row in range(rows):
        pixels = out[row].reshape(-1)
        for left in range(0, columns, STRIP):
            wide = min(STRIP, columns - left)
            most, least, dark = np.int32(-1), np.int32(0), np.float32(0.0)
            for i in range(left, left + wide):
                most, least = max(most, ids[row, i]), min(least, ids[row, i])
                dark = max(dark, ink[row, i])
            if most < 0 and dark == 0.0:
                continue
            for i in range(wide):
                a = ink[row, left + i]
                line[i, 0] = min(one, colours[row, left + i, 0]) * (one - a) + e0 * a
                line[i, 1] = min(one, colours[row, left + i, 1]) * (one - a) + e1 * a
                line[i, 2] = min(one, colours[row, left + i, 2]) * (one - a) + e2 * a
            for i in range(3 * wide):
                place[i] = np.uint16(flat[i] * share)
            for i in range(3 * wide):
                pixels[3 * left + i] = table[place[i]]
            if least < 0:
                for i in range(wide):
                    if ids[row, left + i] < 0:
                        a = ink[row, left + i]
                        for c in range(3):
                            shown = behind[row, left + i, c] * (one - a) + edge[c] * a
                            pixels[3 * (left + i) + c] = table[np.uint16(shown * share)]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def tint(ink, colour, out):
    """Lay ink of one colour over the image."""
    rows, columns = ink.shape
    for row in range(rows):
        for column in range(columns):
            a = ink[row, column]
            if a > 0.0:
                for c in range(3):
                    out[row, column, c] += (np.float32(colour[c]) - out[row, column, c]) * a
