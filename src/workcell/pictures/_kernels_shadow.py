"""The compiled shadows: which directions of light reach each pixel, and the answers made smooth.

``_kernels`` says how the image is laid out; ``raster_numpy`` is the plain twin.
"""

# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
from __future__ import annotations

import math

import numpy as np
from numba import njit


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
