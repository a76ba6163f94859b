"""Primitives without the kernel: meshes by formula, properties in closed form.

A cell of primitives is on the screen before the CAD process has started, and these meshes need a tenth of the triangles
that the kernel would make for the same tolerance.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workcell.geometry import recipe as r
from workcell.geometry.cost import require_affordable
from workcell.geometry.mesh import Mesh
from workcell.geometry.properties import Properties

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

_LEAST = 12
"""The fewest segments of a full turn."""


def mesh(recipe: r.Recipe, tolerance: float) -> Mesh | None:
    """The mesh of a primitive within a tolerance [m]; None if the kernel is needed."""
    match recipe:
        case r.Box():
            return _box(recipe)
        case r.Cylinder():
            profile = [(recipe.radius, -recipe.height / 2.0), (recipe.radius, recipe.height / 2.0)]
            return _turned(profile, ("bottom", "side", "top"), tolerance)
        case r.Cone():
            low = recipe.base_z
            profile = [(recipe.radius_bottom, low), (recipe.radius_top, low + recipe.height)]
            return _turned(profile, ("bottom", "side", "top"), tolerance)
        case r.Sphere():
            return _sphere(recipe.radius, tolerance)
        case r.Torus():
            return _torus(recipe.ring, recipe.tube, tolerance)
    return None


def properties(recipe: r.Recipe) -> Properties | None:
    """The properties of a primitive for a density of one; None if the kernel is needed."""
    match recipe:
        case r.Box(x, y, z):
            volume = x * y * z
            return _about_z(
                volume,
                2.0 * (x * y + y * z + z * x),
                (volume * (y * y + z * z) / 12, volume * (x * x + z * z) / 12, volume * (x * x + y * y) / 12),
            )
        case r.Cylinder(radius, height):
            volume = math.pi * radius**2 * height
            across = volume * (3.0 * radius**2 + height**2) / 12.0
            area = 2.0 * math.pi * radius * (radius + height)
            return _about_z(volume, area, (across, across, volume * radius**2 / 2.0))
        case r.Cone():
            return _cone(recipe)
        case r.Sphere(radius):
            volume = 4.0 / 3.0 * math.pi * radius**3
            moment = 0.4 * volume * radius**2
            return _about_z(volume, 4.0 * math.pi * radius**2, (moment, moment, moment))
        case r.Torus(ring, tube):
            volume = 2.0 * math.pi**2 * ring * tube**2
            across = volume * (4.0 * ring**2 + 5.0 * tube**2) / 8.0
            along = volume * (4.0 * ring**2 + 3.0 * tube**2) / 4.0
            return _about_z(volume, 4.0 * math.pi**2 * ring * tube, (across, across, along))
    return None


def stretched_area(recipe: r.Recipe, linear: Floats) -> float | None:
    """The area of a sphere under a linear map [m²], to rounding; None for other shapes.

    A boundary element n·dA becomes cof(L)·n·dA, and the integral of its length over the sphere is smooth: Gauss
    points in z and equal steps around converge faster than any power.
    """
    if not isinstance(recipe, r.Sphere):
        return None
    cofactor = np.linalg.det(linear) * np.linalg.inv(linear).T
    before = 0.0
    n = 32
    while True:
        z, weight = np.polynomial.legendre.leggauss(n)
        angle = 2.0 * math.pi * np.arange(2 * n) / (2 * n)
        across = np.sqrt(1.0 - z * z)[:, None]
        normal = np.stack([across * np.cos(angle), across * np.sin(angle), np.repeat(z[:, None], 2 * n, 1)], axis=-1)
        length = np.linalg.norm(normal @ cofactor.T, axis=-1)
        area = float(weight @ length.mean(axis=1)) * 2.0 * math.pi * recipe.radius**2
        if abs(area - before) <= 1e-12 * area or n >= 1024:
            return area
        before, n = area, 2 * n


def _about_z(volume: float, area: float, moments: tuple[float, float, float]) -> Properties:
    return Properties(volume, area, np.zeros(3), np.diag(moments))


def _cone(cone: r.Cone) -> Properties:
    b, t, h = cone.radius_bottom, cone.radius_top, cone.height
    volume = math.pi * h * (b * b + b * t + t * t) / 3.0
    area = math.pi * (b * b + t * t + (b + t) * math.hypot(h, b - t))
    # With the radius linear in z, ∫ρ⁴ and ∫z²ρ² over the height are polynomials in b and t.
    fourth = h * (b**4 + b**3 * t + b * b * t * t + b * t**3 + t**4) / 5.0
    along = math.pi * fourth / 2.0
    z2 = math.pi * h**3 * (b * b + 3.0 * b * t + 6.0 * t * t) / 30.0  # about the bottom
    across = math.pi * fourth / 4.0 + z2 - volume * cone.base_z**2
    return _about_z(volume, area, (across, across, along))


def _segments(radius: float, tolerance: float, least: int = _LEAST) -> int:
    """The number of chords that keep a circle within the tolerance."""
    if tolerance >= radius:
        return least
    # acos(1 − x), to all digits where x is small
    return max(least, math.ceil(math.pi / (2.0 * math.asin(math.sqrt(tolerance / radius / 2.0)))))


def _box(box: r.Box) -> Mesh:
    corners = np.array([[x, y, z] for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)])
    quads = {
        "left": (0, 4, 6, 2),
        "right": (1, 3, 7, 5),
        "front": (0, 1, 5, 4),
        "back": (2, 6, 7, 3),
        "bottom": (0, 2, 3, 1),
        "top": (4, 5, 7, 6),
    }
    triangles = [t for a, b, c, d in quads.values() for t in ((a, b, c), (a, c, d))]
    edges = sorted({tuple(sorted(pair)) for q in quads.values() for pair in zip(q, q[1:] + q[:1], strict=True)})
    return Mesh(
        corners * [box.x, box.y, box.z],
        np.array(triangles),
        np.repeat(np.arange(6), 2),
        tuple(quads),
        np.array(edges),
    )


def _turned(profile: list[tuple[float, float]], names: tuple[str, str, str], tolerance: float) -> Mesh:
    """A cylinder or cone: two rings (or a ring and an apex), a side and flat ends."""
    largest = max(radius for radius, _ in profile)
    n = _segments(largest, tolerance)
    require_affordable(4.0 * n, tolerance, 0.5)
    angle = 2.0 * math.pi * np.arange(n) / n
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(n)])
    step, ahead = np.arange(n), np.roll(np.arange(n), -1)
    points: list[Floats] = []
    starts: list[int] = []
    for radius, z in profile:
        starts.append(sum(len(p) for p in points))
        points.append(ring * radius + [0, 0, z] if radius > 0.0 else np.array([[0.0, 0.0, z]]))
    low, high = starts
    triangles: list[NDArray[np.int64]] = []
    owners: list[NDArray[np.int64]] = []
    edges: list[NDArray[np.int64]] = []
    flat = profile[0][0] > 0.0, profile[1][0] > 0.0
    kept = [name for name, there in zip(names, (flat[0], True, flat[1]), strict=True) if there]

    def add(corners: NDArray[np.int64], name: str) -> None:
        triangles.append(corners)
        owners.append(np.full(len(corners), kept.index(name)))

    fan = np.column_stack([np.zeros(n - 2, dtype=np.int64), np.arange(1, n - 1), np.arange(2, n)])
    if flat[0]:
        add(low + fan[:, ::-1], names[0])
        edges.append(low + np.column_stack([step, ahead]))
        add(np.column_stack([low + step, low + ahead, high + (ahead if flat[1] else 0 * step)]), names[1])
    if flat[1]:
        add(high + fan, names[2])
        edges.append(high + np.column_stack([step, ahead]))
        add(np.column_stack([low + (step if flat[0] else 0 * step), high + ahead, high + step]), names[1])
    slant = abs(profile[1][1] - profile[0][1])
    slope = slant / math.hypot(slant, profile[1][0] - profile[0][0])  # the sagitta measured across the side
    return Mesh(
        np.concatenate(points),
        np.concatenate(triangles),
        np.concatenate(owners),
        tuple(kept),
        np.concatenate(edges),
        largest * (1.0 - math.cos(math.pi / n)) * slope,
    )


def _sphere(radius: float, tolerance: float) -> Mesh:
    step = 2.0 * math.sqrt(min(tolerance / radius, 0.02)) * 0.98
    rings, slices = max(6, math.ceil(math.pi / step)), max(_LEAST, math.ceil(2.0 * math.pi / step))
    require_affordable(2.0 * rings * slices, tolerance)
    latitude = -math.pi / 2.0 + math.pi * np.arange(1, rings) / rings
    longitude = 2.0 * math.pi * np.arange(slices) / slices
    la, lo = np.meshgrid(latitude, longitude, indexing="ij")
    body = np.stack([np.cos(la) * np.cos(lo), np.cos(la) * np.sin(lo), np.sin(la)], axis=-1).reshape(-1, 3)
    south, north = len(body), len(body) + 1
    i, j = np.meshgrid(np.arange(rings - 2), np.arange(slices), indexing="ij")
    k = (j + 1) % slices
    a, b, c, d = i * slices + j, i * slices + k, (i + 1) * slices + k, (i + 1) * slices + j
    first, ahead = np.arange(slices), np.roll(np.arange(slices), -1)
    top = (rings - 2) * slices
    triangles = np.concatenate(
        [
            np.stack([a, b, c], axis=-1).reshape(-1, 3),
            np.stack([a, c, d], axis=-1).reshape(-1, 3),
            np.column_stack([np.full(slices, south), ahead, first]),
            np.column_stack([np.full(slices, north), top + first, top + ahead]),
        ]
    )
    unit = np.concatenate([body, [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]])
    p, q, s = (unit[triangles[:, n]] for n in range(3))
    normals = np.cross(q - p, s - p)
    away = np.abs(np.einsum("ij,ij->i", p, normals)) / np.linalg.norm(normals, axis=1)
    return Mesh(
        unit * radius,
        triangles,
        np.zeros(len(triangles), dtype=np.int32),
        ("surface",),
        deviation=radius * float(1.0 - away.min()),
    )


def _torus(ring: float, tube: float, tolerance: float) -> Mesh:
    n = _segments(ring + tube, tolerance / 2.0, _LEAST * 2)
    m = _segments(tube, tolerance / 2.0)
    require_affordable(2.0 * n * m, tolerance)
    u, v = np.meshgrid(2 * math.pi * np.arange(n) / n, 2 * math.pi * np.arange(m) / m, indexing="ij")
    away = ring + tube * np.cos(v)
    points = np.stack([away * np.cos(u), away * np.sin(u), tube * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    ahead, up = (i + 1) % n, (j + 1) % m
    a, b, c, d = i * m + j, ahead * m + j, ahead * m + up, i * m + up
    triangles = np.concatenate(
        [np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)]
    )
    # Each of the two circles adds at most its own sagitta.
    deviation = tube * (1 - math.cos(math.pi / m)) + (ring + tube) * (1 - math.cos(math.pi / n))
    return Mesh(points, triangles, np.zeros(len(triangles), dtype=np.int32), ("surface",), deviation=deviation)
