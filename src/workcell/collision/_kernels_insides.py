"""Compiled test of a point in a closed mesh, and of one body inside another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled
from workcell.collision._kernels_triangles import THIN

Array = NDArray[np.float64]

_DIRECTIONS = np.array(
    [
        [0.57190958, 0.52753472, 0.62817633],
        [-0.70710001, 0.40824893, 0.57735456],
        [0.23570226, -0.84327404, 0.48304589],
        [-0.31622777, -0.27386128, -0.90829511],
        [0.11043153, 0.86602540, -0.48766202],
    ]
)


@compiled
def solid_angle(mesh: Any, root: int, x: float, y: float, z: float, stack: Any) -> bool:
    """Whether a point lies inside the closed shells of a mesh: the solid angles that they fill do not cancel."""
    _, link, tris, kind = mesh
    total = 0.0
    stack[0, 0] = root
    top = 1
    while top > 0:
        top -= 1
        node = stack[top, 0]
        if link[node, 0] >= 0:
            stack[top, 0] = link[node, 0]
            stack[top + 1, 0] = link[node, 1]
            top += 2
            continue
        which = -1 - link[node, 0]
        if kind[which] % THIN == 0:
            continue
        t = tris[which]
        # van Oosterom and Strackee 1983.
        ax, ay, az = t[0] - x, t[1] - y, t[2] - z
        bx, by, bz = t[3] - x, t[4] - y, t[5] - z
        cx, cy, cz = t[6] - x, t[7] - y, t[8] - z
        a = math.sqrt(ax * ax + ay * ay + az * az)
        b = math.sqrt(bx * bx + by * by + bz * bz)
        c = math.sqrt(cx * cx + cy * cy + cz * cz)
        triple = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        flat = a * b * c + (ax * bx + ay * by + az * bz) * c
        flat += (ax * cx + ay * cy + az * cz) * b + (bx * cx + by * cy + bz * cz) * a
        total += 2.0 * math.atan2(triple, flat)
    return abs(total) > 2.0 * math.pi


@compiled
def winding(mesh: Any, root: int, x: float, y: float, z: float, stack: Any) -> bool:
    """Whether a point lies inside the closed shells of a mesh: signed crossings of a ray do not cancel.

    A ray that rounding could take to the other side of an edge is given up for another one, and in the end for solid
    angles.
    """
    box, link, tris, kind = mesh
    for attempt in range(_DIRECTIONS.shape[0]):
        dx, dy, dz = _DIRECTIONS[attempt, 0], _DIRECTIONS[attempt, 1], _DIRECTIONS[attempt, 2]
        turns = 0
        clear = True
        stack[0, 0] = root
        top = 1
        while top > 0 and clear:
            top -= 1
            node = stack[top, 0]
            b = box[node]
            near, far = -1e-9, np.inf
            for k in range(3):
                o = (x if k == 0 else (y if k == 1 else z)) - b[k]
                d = dx if k == 0 else (dy if k == 1 else dz)
                t0, t1 = (-b[3 + k] - 1e-9 - o) / d, (b[3 + k] + 1e-9 - o) / d
                near, far = max(near, min(t0, t1)), min(far, max(t0, t1))
            if near > far:
                continue
            if link[node, 0] >= 0:
                stack[top, 0] = link[node, 0]
                stack[top + 1, 0] = link[node, 1]
                top += 2
                continue
            which = -1 - link[node, 0]
            if kind[which] % THIN == 0:
                continue
            t = tris[which]
            # Ray against triangle; Möller and Trumbore 1997.
            ax, ay, az = t[3] - t[0], t[4] - t[1], t[5] - t[2]
            bx, by, bz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
            px, py, pz = dy * bz - dz * by, dz * bx - dx * bz, dx * by - dy * bx
            det = ax * px + ay * py + az * pz
            sx, sy, sz = x - t[0], y - t[1], z - t[2]
            qx, qy, qz = sy * az - sz * ay, sz * ax - sx * az, sx * ay - sy * ax
            u = sx * px + sy * py + sz * pz
            v = dx * qx + dy * qy + dz * qz
            s = bx * qx + by * qy + bz * qz
            if det < 0.0:
                u, v, s, side = -u, -v, -s, 1
            else:
                side = -1
            det = abs(det)
            a2, b2, s2 = ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz, sx * sx + sy * sy + sz * sz
            # What rounding may amount to, in u, v and det; in s it is that times the lengths.
            slack = 2e-15 * math.sqrt(max(a2, b2) * (s2 + max(a2, b2)))
            if u < -slack or v < -slack or u + v > det + 3.0 * slack:
                continue
            rough = 2e-15 * math.sqrt(a2 * b2 * s2) + 1e-12 * det
            if s < -rough:
                continue
            if u < slack or v < slack or u + v > det - 3.0 * slack or s < rough:
                clear = False
            else:
                turns += side
        if clear:
            return turns != 0
    return solid_angle(mesh, root, x, y, z, stack)


@compiled
def swallowed(mesh: Any, seeds: Any, a: int, root: int, rel: Array, stack: Any, out: Array) -> bool:
    """Whether a shell of body ``a`` lies inside the mesh at ``root``, not touching it; ``rel`` is that mesh in a."""
    start, points = seeds
    box = mesh[0]
    for k in range(start[a], start[a + 1]):
        px, py, pz = points[k, 0] - rel[9], points[k, 1] - rel[10], points[k, 2] - rel[11]
        x = rel[0] * px + rel[3] * py + rel[6] * pz
        y = rel[1] * px + rel[4] * py + rel[7] * pz
        z = rel[2] * px + rel[5] * py + rel[8] * pz
        if abs(x - box[root, 0]) > box[root, 3]:
            continue
        if abs(y - box[root, 1]) > box[root, 4]:
            continue
        if abs(z - box[root, 2]) > box[root, 5]:
            continue
        if winding(mesh, root, x, y, z, stack):
            for i in range(3):
                out[i] = points[k, i]
                out[3 + i] = points[k, i]
            return True
    return False
