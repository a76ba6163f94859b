"""The compiled shadows: which directions of light reach each pixel, and smoothing of the results.

``_kernels`` explains the layout of the image; ``raster_numpy`` is the plain version.
"""

# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def locate(
    ids, depth, triangles, camera, to_middle, perspective, scale, cx, cy, block, has_floor, floor, shift, height,
    fade, groups, offset, counts, pixels, points, normals,
):  # fmt: skip
    """List the surface points of the pixels, a little off their surfaces, in ``groups`` × ``groups`` sets.

    The first sample of each pixel counts; neighbours belong to different sets. ``to_middle`` maps camera coordinates,
    and ``shift`` and ``height`` map those of the floor, to the axes of the world about the middle of the scene.
    """
    rows, columns = ids.shape[0] // block, ids.shape[1] // block
    m = to_middle
    for row in range(rows):
        for column in range(columns):
            name = ids[row * block, column * block]
            px, py = column * block + 0.5, row * block + 0.5
            if name < 0:
                w = floor[2, 0] * px + floor[2, 1] * py + floor[2, 2]
                if not has_floor or w <= 1e-9:
                    continue
                wx = (floor[0, 0] * px + floor[0, 1] * py + floor[0, 2]) / w
                wy = (floor[1, 0] * px + floor[1, 1] * py + floor[1, 2]) / w
                if wx * wx + wy * wy > fade * fade:
                    continue
                wx, wy, wz = wx + shift[0], wy + shift[1], height
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
            group = (row % groups) * groups + column % groups
            k = counts[group]
            counts[group] += 1
            pixels[group, k] = row * columns + column
            points[group, 0, k], points[group, 1, k], points[group, 2, k] = (
                wx + nx * offset, wy + ny * offset, wz + nz * offset,
            )  # fmt: skip
            normals[group, 0, k], normals[group, 1, k], normals[group, 2, k] = nx, ny, nz


@njit(cache=True, nogil=True, error_model="numpy")
def reach(points, normals, count, depth, matrix, bias, even, tilt, direction, lit, total):
    """Test which of ``count`` points one direction of light reaches: those with nothing in ``depth`` before them.

    A point adds ``even`` plus ``tilt`` times the cosine between its normal and the direction, if that is
    positive. ``matrix`` (3, 4) maps points to column, row and depth.
    """
    size = depth.shape[0]
    flat = depth.reshape(-1)
    for k in range(count):
        x, y, z = points[0, k], points[1, k], points[2, k]
        weight = even + tilt * (
            direction[0] * normals[0, k] + direction[1] * normals[1, k] + direction[2] * normals[2, k]
        )
        if weight <= np.float32(0.0):
            continue
        total[k] += weight
        u = matrix[0, 0] * x + matrix[0, 1] * y + matrix[0, 2] * z + matrix[0, 3]
        v = matrix[1, 0] * x + matrix[1, 1] * y + matrix[1, 2] * z + matrix[1, 3]
        if u > -1.0 and v > -1.0 and u < size and v < size:
            d = matrix[2, 0] * x + matrix[2, 1] * y + matrix[2, 2] * z + matrix[2, 3] + bias
            if flat[int(v) * size + int(u)] > d:
                continue
        lit[k] += weight


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def smooth(values, ids, depth, planes, item_of, block, down, radius, relative, slack, out):
    """Average pairs of values along one direction over pixels of the same surface; the ends count half."""
    rows, columns = values.shape[0], values.shape[1]
    wide, half, whole = 2 * radius + 1, np.float32(0.5), np.float32(1.0 / (2 * radius))
    # The number of pixels up to the end of the window with the same triangle: most windows have only one triangle.
    alike = np.zeros(columns, dtype=np.int32)
    for row in range(rows):
        run = 0
        for column in range(columns):
            name = ids[row * block, column * block]
            if down:
                end = row + radius
                if row == 0:
                    for r in range(1, min(end, rows - 1) + 1):
                        same = ids[r * block, column * block] == ids[(r - 1) * block, column * block]
                        alike[column] = alike[column] + 1 if same else 0
                elif end < rows:
                    same = ids[end * block, column * block] == ids[(end - 1) * block, column * block]
                    alike[column] = alike[column] + 1 if same else 0
                run = alike[column]
            else:
                end = column + radius
                if column == 0:
                    for c in range(1, min(end, columns - 1) + 1):
                        run = run + 1 if ids[row * block, c * block] == ids[row * block, (c - 1) * block] else 0
                elif end < columns:
                    run = run + 1 if ids[row * block, end * block] == ids[row * block, (end - 1) * block] else 0
            if end < (rows if down else columns) and run >= wide - 1:
                i, j = (radius, 0) if down else (0, radius)
                one = half * (values[row - i, column - j, 0] + values[row + i, column + j, 0])
                two = half * (values[row - i, column - j, 1] + values[row + i, column + j, 1])
                for step in range(1 - radius, radius):
                    r, c = (row + step, column) if down else (row, column + step)
                    one += values[r, c, 0]
                    two += values[r, c, 1]
                out[row, column, 0], out[row, column, 1] = one * whole, two * whole
                continue
            item = item_of[name] if name >= 0 else -1
            d = np.float64(depth[row * block, column * block])
            most = relative * abs(d) + slack
            one, two, weight = np.float32(0.0), np.float32(0.0), np.float32(0.0)
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
                share = np.float32(0.5) if abs(step) == radius else np.float32(1.0)
                one += share * values[r, c, 0]
                two += share * values[r, c, 1]
                weight += share
            out[row, column, 0], out[row, column, 1] = one / weight, two / weight


@njit(cache=True, nogil=True, error_model="numpy")
def spread(values, ids, item_of, block, one, two):
    """Give every sample its pixel's pair of values, or that of the nearest pixel with the same item."""
    rows, columns = values.shape[0], values.shape[1]
    for row in range(one.shape[0]):
        r = row // block
        for c in range(columns):
            lead = ids[r * block, c * block]
            for column in range(c * block, (c + 1) * block):
                name = ids[row, column]
                i, j = r, c
                if name != lead:
                    item = item_of[name] if name >= 0 else -1
                    if (item_of[lead] if lead >= 0 else -1) != item:
                        # Half the pixels' first samples lie to the right and below: search there first.
                        found = False
                        for p in (r + 1, r, r - 1):
                            for q in (c + 1, c, c - 1):
                                if not found and 0 <= p < rows and 0 <= q < columns:
                                    other = ids[p * block, q * block]
                                    if (item_of[other] if other >= 0 else -1) == item:
                                        i, j, found = p, q, True
                one[row, column], two[row, column] = values[i, j, 0], values[i, j, 1]
