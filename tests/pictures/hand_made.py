"""Small meshes made by hand, so that the pictures are tested without the CAD kernel."""

from __future__ import annotations

import math

import numpy as np

from workcell.geometry.mesh import Mesh
from workcell.pictures.triad import lathe


def make_box(x: float = 1.0, y: float = 1.0, z: float = 1.0) -> Mesh:
    signs = [(i, j, k) for k in (-1, 1) for j in (-1, 1) for i in (-1, 1)]
    vertices = np.array(signs) * np.array([x, y, z]) / 2.0
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    edges = [(0, 1), (1, 3), (3, 2), (2, 0), (4, 5), (5, 7), (7, 6), (6, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
    return Mesh(vertices, np.array(triangles), np.repeat(np.arange(6), 2), tuple("abcdef"), np.array(edges))


def make_cylinder(radius: float = 0.5, height: float = 1.0, sides: int = 24) -> Mesh:
    return lathe([(0.0, -height / 2), (radius, -height / 2), (radius, height / 2), (0.0, height / 2)], sides)


def make_sphere(radius: float = 0.5, sides: int = 24) -> Mesh:
    steps = np.linspace(-math.pi / 2, math.pi / 2, sides // 2 + 1)
    profile = [(radius * math.cos(s) * (abs(s) < 1.57), radius * math.sin(s)) for s in steps]
    return lathe(profile, sides, smooth=True)


def at(x: float, y: float, z: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, 3] = (x, y, z)
    return matrix
