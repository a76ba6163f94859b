"""Wavefront OBJ: vertices, polygons and groups. The format has no units."""

from __future__ import annotations

import itertools

import numpy as np

from workcell.errors import FileProblem
from workcell.geometry.mesh import Mesh, feature_edges

_CREASE = 0.5


def read(data: bytes, scale: float) -> Mesh:
    """The mesh in an OBJ file; ``scale`` is the size of its unit [m]. Groups become faces."""
    vertices: list[tuple[float, float, float]] = []
    triangles: list[tuple[int, int, int]] = []
    owners: list[int] = []
    names: list[str] = []
    group = "surface"
    for number, raw in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        words = raw.split("#", 1)[0].split()
        if not words:
            continue
        try:
            if words[0] == "v":
                x, y, z = (float(word) for word in words[1:4])
                vertices.append((x, y, z))
            elif words[0] in ("g", "o"):
                group = " ".join(words[1:]) or "surface"
            elif words[0] == "f":
                corners = [_corner(word, len(vertices)) for word in words[1:]]
                if len(corners) < 3:
                    raise ValueError("a face needs three corners")
                if group not in names:
                    names.append(group)
                for second, third in itertools.pairwise(corners):
                    if len({corners[0], second, third}) == 3:
                        triangles.append((corners[0], second, third))
                        owners.append(names.index(group))
        except ValueError as error:
            raise FileProblem(f"Line {number} of the OBJ file cannot be read ({error}): {raw[:60]!r}.") from error
    if not triangles:
        raise FileProblem("The OBJ file holds no faces.")
    points = np.array(vertices)
    if not np.isfinite(points).all():
        raise FileProblem("The OBJ file holds numbers that are not finite.")
    points, index = np.unique(points + 0.0, axis=0, return_inverse=True)
    welded = index.reshape(-1)[np.array(triangles)]
    a, b, c = welded.T
    good = (a != b) & (b != c) & (c != a)
    corners_ = welded[good]
    edges = feature_edges(points, corners_, np.arange(len(corners_)), _CREASE)
    return Mesh(points * scale, corners_, np.array(owners)[good], tuple(names), edges)


def _corner(word: str, count: int) -> int:
    index = int(word.split("/", 1)[0])
    place = index - 1 if index > 0 else count + index
    if not 0 <= place < count or index == 0:
        raise ValueError(f"vertex {index} of {count}")
    return place


def write(mesh: Mesh, scale: float) -> bytes:
    """The mesh as OBJ, one group per face, numbers in units of ``scale`` [m]."""
    lines = ["# Workcell"]
    lines += ["v {:.17g} {:.17g} {:.17g}".format(*p) for p in mesh.vertices / scale]
    for index, name in enumerate(mesh.face_names):
        lines.append(f"g {name}")
        lines += ["f {} {} {}".format(*(t + 1)) for t in mesh.triangles[mesh.face_of_triangle == index]]
    return ("\n".join(lines) + "\n").encode()
