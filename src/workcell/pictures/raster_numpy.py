"""The plain version of ``raster_compiled``: the same steps in NumPy, slow and short, for comparison in tests.

Every function takes and fills the same arrays as the kernel of its name, which explains them.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: ARG001  (the arguments are those of the kernels)
from __future__ import annotations

import numpy as np

SNAP = 256.0
GUARD = 32768.0


def project(vertices, starts, matrices, perspective, scale, cx, cy, near, camera, screen, flags):
    """Fill camera coordinates, screen positions and flags; return the number of flags."""
    item = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    m = matrices[item]
    p = np.einsum("vij,vj->vi", m[:, :, :3], vertices) + m[:, :, 3]
    camera[:] = p
    bad = p[:, 2] < near
    d = 1.0 / np.where(bad, 1.0, p[:, 2]) if perspective else -p[:, 2]
    xy = scale * p[:, :2] * (d[:, None] if perspective else 1.0)
    bad |= (np.abs(xy) > GUARD).any(axis=1)
    flags[:] = bad
    landed = np.column_stack([np.floor((xy + (cx, cy)) * SNAP + 0.5) / SNAP, d])
    screen[~bad] = landed[~bad]
    return int(bad.sum())


def extent(vertices, starts, matrices, low, high):
    """Widen ``low`` and ``high`` to contain every vertex."""
    for item, m in enumerate(matrices):
        points = vertices[starts[item] : starts[item + 1]] @ m[:3, :3].T + m[:3, 3]
        if len(points):
            low[:] = np.minimum(low, points.min(axis=0))
            high[:] = np.maximum(high, points.max(axis=0))


def raster(screen, flags, triangles, names, item_of, draw, mirrored, depth, ids, planes, facing, peel, front):
    """Draw triangles into depth and ids; the nearest wins."""
    rows, columns = depth.shape
    for corners, name in zip(triangles, names, strict=True):
        item = item_of[name]
        if draw[item] == 0 or flags[corners].any():
            continue
        (x0, y0, d0), (x1, y1, d1), (x2, y2, d2) = screen[corners]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if area == 0.0:
            continue
        outside = (area < 0.0) != (mirrored[item] < 0.0)
        facing[name] = 1 if outside else -1
        if draw[item] == 1 and not outside:
            continue
        top, bottom = max(0, int(min(y0, y1, y2)) - 1), min(rows, int(max(y0, y1, y2)) + 2)
        left, right = max(0, int(min(x0, x1, x2)) - 1), min(columns, int(max(x0, x1, x2)) + 2)
        if top >= bottom or left >= right:
            continue
        if area < 0.0:
            x1, y1, d1, x2, y2, d2, area = x2, y2, d2, x1, y1, d1, -area
        gx = ((d1 - d0) * (y2 - y0) - (d2 - d0) * (y1 - y0)) / area
        gy = ((d2 - d0) * (x1 - x0) - (d1 - d0) * (x2 - x0)) / area
        g0 = d0 - gx * x0 - gy * y0
        planes[name] = gx, gy, g0
        y, x = np.mgrid[top:bottom, left:right] + 0.5
        inside = np.ones(x.shape, dtype=bool)
        for px, py, qx, qy in ((x1, y1, x2, y2), (x2, y2, x0, y0), (x0, y0, x1, y1)):
            a, b = py - qy, qx - px
            edge = a * x + b * y - (a * px + b * py)
            inside &= (edge > 0.0) | ((edge == 0.0) & (a > 0.0 or (a == 0.0 and b > 0.0)))
        d = ((g0 + gy * y) + gx * x).astype(np.float32)
        part = depth[top:bottom, left:right]
        wins = inside & (d > part)
        if peel:
            wins &= d < front[top:bottom, left:right]
        part[wins] = d[wins]
        ids[top:bottom, left:right][wins] = name


def choose(
    segments, kinds, sides, starts, show, facing, mirrored, triangles, camera, flags, screen, perspective, every,
    hidden, ends, weights, cut,
):  # fmt: skip
    """List the edges to draw, and those that must be cut first; return the number of each."""
    shown, mirror = np.repeat(show, np.diff(starts)), np.repeat(mirrored, np.diff(starts))
    p = camera[triangles]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    away = np.einsum("ij,ij->i", p[:, 0], normal) if perspective else normal[:, 2]

    def side(t, otherwise):
        if not len(facing):
            return otherwise
        decided = np.where(facing[t] == 0, np.where(away[t] * mirror < 0.0, 1, -1), facing[t])
        return np.where(t >= 0, decided, otherwise)

    f0 = side(sides[:, 0], np.ones(len(sides)))
    f1 = side(sides[:, 1], f0)
    behind = (shown == 1) & (not hidden) & (f0 < 0) & (f1 < 0)
    strength = np.where((kinds == 1) | ((f0 != f1) & (kinds != 4)), 1.0, 0.4 if every else 0.0)
    picked = (shown > 0) & ~behind & (strength > 0.0)
    bad = flags[segments].any(axis=1)
    whole, broken = np.nonzero(picked & ~bad)[0], np.nonzero(picked & bad)[0]
    ends[: len(whole)] = screen[segments[whole]]
    weights[: len(whole)] = strength[whole]
    weights[len(weights) - len(broken) :] = strength[broken][::-1]
    cut[: len(broken)] = broken
    return len(whole), len(broken)


def stroke(ends, weights, half, depth, ids, planes, bias, slack, test, ink):
    """Draw segments into ink; the strongest wins, and parts behind surfaces are left out."""
    rows, columns = ink.shape
    reach = half + 0.5
    over = 0.5 if half < 1.5 else reach
    for (a, b), weight in zip(ends, weights, strict=True):
        run = b - a
        square = run[0] ** 2 + run[1] ** 2
        if square == 0.0:
            continue
        low, high = np.minimum(a, b)[:2] - reach - 1.0, np.maximum(a, b)[:2] + reach + 1.0
        left, right = max(0, int(np.floor(low[0]))), min(columns, int(np.ceil(high[0])))
        top, bottom = max(0, int(np.floor(low[1]))), min(rows, int(np.ceil(high[1])))
        if left >= right or top >= bottom:
            continue
        y, x = np.mgrid[top:bottom, left:right] + 0.5
        far = np.abs((x - a[0]) * run[1] - (y - a[1]) * run[0]) / np.sqrt(square)
        if half >= 1.5:
            foot = np.clip(((x - a[0]) * run[0] + (y - a[1]) * run[1]) / square, 0.0, 1.0)
            far = np.hypot(x - a[0] - foot * run[0], y - a[1] - foot * run[1])
        major = 1 if abs(run[1]) > abs(run[0]) else 0
        at = (x, y)[major]
        along = np.clip((at - a[major]) / run[major], 0.0, 1.0)
        within = (at >= min(a[major], b[major]) - over) & (at <= max(a[major], b[major]) + over)
        share = np.clip(np.minimum(min(1.0, 2.0 * half), reach - far) * weight, 0.0, 1.0)
        value = np.floor(255.0 * share + 0.5).astype(np.uint8)
        part = ink[top:bottom, left:right]
        wins = within & (far <= reach) & (value > part)
        if test:
            lx, ly = a[0] + along * run[0], a[1] + along * run[1]
            name = ids[top:bottom, left:right]
            plane = planes[name] if len(planes) else np.zeros((*name.shape, 3))
            there = plane[..., 0] * lx + plane[..., 1] * ly + plane[..., 2]
            there = np.where(name >= 0, np.minimum(there, depth[top:bottom, left:right]), -np.inf)
            d = a[2] + along * run[2]
            wins &= d + bias * np.abs(d) + slack >= there
        part[wins] = value[wins]


def backdrop(
    top, bottom, has_floor, floor, fade, grid, major, line, grid_colour, shade_it, key, sky, out,
):  # fmt: skip
    """Fill the image with the background and the floor."""
    rows, columns = out.shape[:2]
    y, x = np.mgrid[0:rows, 0:columns] + 0.5
    out[:] = top + (bottom - top) * (y / rows)[:, :, None]
    if not has_floor:
        return
    u, v, w = (row[0] * x + row[1] * y + row[2] for row in floor)
    iw = 1.0 / np.maximum(w, 1e-6)
    u, v = u * iw, v * iw
    soft = np.where(w > 1e-6, np.maximum(0.0, 1.0 - (u * u + v * v) / fade**2), 0.0) ** 2
    ink = np.zeros_like(u)
    for pitch, strength in ((grid, 0.5), (grid * major, 1.0)):
        for value, row in ((u, floor[0]), (v, floor[1])):
            f = (np.abs(row[0] - value * floor[2, 0]) + np.abs(row[1] - value * floor[2, 1])) * iw + 1e-20
            off = np.abs(value - np.rint(value / pitch) * pitch)
            mark = np.clip(0.5 + 0.5 * line - off / f, 0.0, 1.0) * np.maximum(0.0, 1.0 - 2.0 * f / pitch)
            ink = np.maximum(ink, strength * mark)
    ink = (ink * soft * grid_colour[3])[:, :, None]
    out[:] = out + (grid_colour[:3] - out) * ink
    if shade_it:
        out *= (1.0 - (0.30 * (1.0 - key) + 0.50 * (1.0 - sky)) * soft)[:, :, None]


def plant(
    triangles, camera, screen, flags, normals, facing, item_of, draw, matrices, colours, mirrored, smooth, perspective,
    scale, cx, cy, plots,
):  # fmt: skip
    """Fill plots: the normal over the image of each triangle, by homogeneous barycentric coordinates."""
    p = camera[triangles]
    plots[:, 11:14] = colours[item_of]
    if not smooth:
        flat = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
        size = np.abs(flat).sum(axis=1) + 1e-300
        side = mirrored[item_of] * np.where(facing == 0, 1, facing)
        plots[:, :11] = 0.0
        plots[:, 6:9] = flat * (side / size)[:, None]
        return
    n = np.einsum("tij,tcj->tci", matrices[item_of].astype(np.float64), normals.astype(np.float64))
    q = p.copy()
    if not perspective:
        q[:, :, 2] = 1.0
    k = np.cross(np.roll(q, -1, axis=1), np.roll(q, -2, axis=1))  # (t, corner, xyw)
    k /= np.abs(k).max(axis=(1, 2), keepdims=True) + 1e-300
    k[:, :, :2] /= scale
    k[:, :, 2] -= cx * k[:, :, 0] + cy * k[:, :, 1]
    field = np.einsum("tci,tcj->tji", n, k) * -mirrored[item_of][:, None, None]
    # Single precision needs an origin near the triangle, because far pixels cancel.
    middle = np.where(flags[triangles[:, 0]][:, None] > 0, 0.0, screen[triangles[:, 0], :2])
    field[:, 2] += middle[:, :1] * field[:, 0] + middle[:, 1:] * field[:, 1]
    field /= np.abs(field).max(axis=(1, 2), keepdims=True) + 1e-300
    plots[:, :9] = field.reshape(-1, 9)
    plots[:, 9:11] = middle


def shade(
    ids, plots, lights, ways, light_colours, caster, sky_light, ground_light, up, specular, shade_it, key, sky, out,
):  # fmt: skip
    """Light the pixels that show a triangle."""
    row, column = np.nonzero(ids >= 0)
    name = ids[row, column]
    plot = plots[name].astype(np.float64)
    x, y = column + 0.5 - plot[:, 9], row + 0.5 - plot[:, 10]
    n = plot[:, :3] * x[:, None] + plot[:, 3:6] * y[:, None] + plot[:, 6:9]
    n /= np.linalg.norm(n, axis=1, keepdims=True) + 1e-15
    key_part = key[row, column] if shade_it else np.ones(len(n))
    sky_part = sky[row, column] if shade_it else np.ones(len(n))
    rise = (0.5 + 0.5 * n @ up)[:, None]
    light = (ground_light + (sky_light - ground_light) * rise) * sky_part[:, None]
    gloss = np.zeros(len(n))
    for k in range(len(lights)):
        part = key_part if k == caster else 0.5 + 0.5 * sky_part
        light += np.outer(part * np.maximum(0.0, n @ lights[k]), light_colours[k])
        gloss += np.maximum(0.0, n @ ways[k]) ** 32 * part * light_colours[k, 1] * specular
    out[row, column] = np.minimum(1.0, plot[:, 11:14] * light + gloss[:, None])


def paint(
    top, bottom, has_floor, floor, fade, grid, major, line, grid_colour, ids, plots, lights, ways, light_colours,
    caster, sky_light, ground_light, up, specular, shade_it, key, sky, ink, edge, block, table, dither, out,
):  # fmt: skip
    """Draw the whole picture at once: background and floor, surfaces, ink, screen bytes."""
    light = np.empty((*ids.shape, 3))
    backdrop(top, bottom, has_floor, floor, fade, grid, major, line, grid_colour, shade_it, key, sky, light)
    shade(
        ids, plots, lights, ways, light_colours, caster, sky_light, ground_light, up, specular, shade_it, key, sky,
        light,
    )  # fmt: skip
    resolve(light, ids, ink, edge, block, table, dither, out)


def blend(ids, item_of, opacity, layer, clear, out):
    """Put a layer of translucent surfaces behind the earlier ones."""
    seen = ids >= 0
    part = clear[seen] * opacity[item_of[ids[seen]]]
    out[seen] += part[:, None] * layer[seen]
    clear[seen] -= part


def locate(
    ids, depth, triangles, camera, to_middle, perspective, scale, cx, cy, block, has_floor, floor, shift, height,
    fade, groups, offset, counts, pixels, points, normals,
):  # fmt: skip
    """List the surface points of the pixels, a little off their surfaces, in sets."""
    rows, columns = ids.shape[0] // block, ids.shape[1] // block
    row, column = (index.ravel() for index in np.mgrid[0:rows, 0:columns])
    name = ids[row * block, column * block]
    px, py = column * block + 0.5, row * block + 0.5
    u, v, w = (line[0] * px + line[1] * py + line[2] for line in floor)
    with np.errstate(divide="ignore", invalid="ignore"):
        u, v = u / w, v / w
    on_floor = (name < 0) & has_floor & (w > 1e-9) & (u * u + v * v <= fade * fade)
    point = np.column_stack([u + shift[0], v + shift[1], np.full(len(u), height)])
    normal = np.tile([0.0, 0.0, 1.0], (len(u), 1))
    hit = name >= 0
    if hit.any():
        p = camera[triangles[name[hit]]]
        flat = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
        away = np.einsum("ij,ij->i", p[:, 0], flat) if perspective else flat[:, 2]
        flat *= (np.where(away > 0.0, -1.0, 1.0) / (np.linalg.norm(flat, axis=1) + 1e-300))[:, None]
        d = depth[row * block, column * block][hit].astype(np.float64)
        z = 1.0 / d if perspective else -d
        stretch = z / scale if perspective else 1.0 / scale
        place = np.column_stack([(px[hit] - cx) * stretch, (py[hit] - cy) * stretch, z])
        point[hit] = place @ to_middle[:, :3].T + to_middle[:, 3]
        normal[hit] = flat @ to_middle[:, :3].T
    group = (row % groups) * groups + column % groups
    for g in range(groups * groups):
        mine = np.nonzero((hit | on_floor) & (group == g))[0]
        n = counts[g] = len(mine)
        pixels[g, :n] = mine
        points[g, :, :n] = (point[mine] + normal[mine] * offset).T
        normals[g, :, :n] = normal[mine].T


def reach(points, normals, count, depth, matrix, bias, even, tilt, direction, lit, total):
    """Test which points one direction of light reaches."""
    points, normals = points[:, :count], normals[:, :count]
    weight = np.maximum(0.0, even + tilt * (direction @ normals))
    u, v, d = matrix[:, :3] @ points + matrix[:, 3:]
    size = len(depth)
    inside = (u > -1.0) & (v > -1.0) & (u < size) & (v < size)
    column, row = np.trunc(u).astype(np.int64), np.trunc(v).astype(np.int64)
    hidden = np.zeros(len(u), dtype=bool)
    hidden[inside] = depth[row[inside], column[inside]] > d[inside] + bias
    total[:count] += weight
    lit[:count] += np.where(hidden, 0.0, weight)


def smooth(values, ids, depth, planes, item_of, block, down, radius, relative, slack, out):
    """Average pairs of values along one direction over pixels of the same surface."""
    lead, near = ids[::block, ::block], depth[::block, ::block].astype(np.float64)
    whose = np.where(lead >= 0, item_of[lead], -1) if len(item_of) else lead
    plane = planes[lead] if len(planes) else np.zeros((*lead.shape, 3))
    y, x = np.mgrid[0 : lead.shape[0], 0 : lead.shape[1]] * block + 0.5
    total, weight = np.zeros(values.shape), np.zeros(lead.shape)
    most = np.where(lead >= 0, relative * np.abs(np.where(lead >= 0, near, 0.0)) + slack, 0.0)
    long = values.shape[0 if down else 1]
    for step in range(-radius, radius + 1):
        if abs(step) >= long:
            continue
        here = slice(max(0, -step), min(long, long - step))
        there = slice(max(0, step), min(long, long + step))
        h, t = ((here,), (there,)) if down else ((slice(None), here), (slice(None), there))
        expected = plane[h][..., 0] * x[t] + plane[h][..., 1] * y[t] + plane[h][..., 2]
        with np.errstate(invalid="ignore"):
            close = np.abs(near[t] - expected) <= most[h]
        same = (lead[h] == lead[t]) | ((whose[h] == whose[t]) & (lead[h] >= 0) & close)
        share = same * (0.5 if abs(step) == radius else 1.0)
        total[h] += share[..., None] * values[t]
        weight[h] += share
    out[:] = total / weight[:, :, None]


def spread(values, ids, item_of, block, one, two):
    """Give every sample its pixel's pair of values, or that of the nearest pixel with the same item."""
    rows, columns = values.shape[:2]
    whose = np.where(ids >= 0, item_of[ids], -1)
    for (row, column), item in np.ndenumerate(whose):
        r, c = row // block, column // block
        places = [(r, c)] + [(i, j) for i in (r + 1, r, r - 1) for j in (c + 1, c, c - 1)]
        inside = [(i, j) for i, j in places if 0 <= i < rows and 0 <= j < columns]
        same = [(i, j) for i, j in inside if whose[i * block, j * block] == item]
        one[row, column], two[row, column] = values[same[0] if same else (r, c)]


def resolve(colours, ids, ink, edge, block, table, dither, out):
    """Lay the ink over the colours, average blocks of samples, and turn linear light into screen bytes."""
    a = ink[:, :, None] / 255.0
    mixed = np.minimum(1.0, colours) * (1.0 - a) + edge * a
    rows, columns = out.shape[:2]
    mean = mixed.reshape(rows, block, columns, block, 3).mean(axis=(1, 3))
    pattern = np.tile(dither, (rows // 8 + 1, columns // 8 + 1))[:rows, :columns]
    rough = np.where(ids[::block, ::block] < 0, pattern, 128)
    out[:] = (table[(mean * (len(table) - 1)).astype(np.int32)] + rough[:, :, None]) >> 8


def tint(ink, colour, out):
    """Lay ink of one colour over the image."""
    out += (colour - out) * (ink[:, :, None] / np.float32(255.0))
