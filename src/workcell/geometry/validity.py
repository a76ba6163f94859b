"""The faults of a shape, and where they are."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.geometry.checks import in_mm
from workcell.geometry.mesh import Mesh

Floats = NDArray[np.float64]
Triple = tuple[float, float, float]

_LISTED = 50
"""The most faults of a kind that are listed."""
_FOLLOWED = 5000
"""The most pairs of crossing triangles that are used to find the middle of the curves along which they lie."""


class Fault(msgspec.Struct, frozen=True):
    """One thing that keeps a shape from being a valid solid.

    Attributes:
        kind: open edge, overlapping faces, crossing faces, inverted shell, empty, or the words of the kernel.
        place: the position [m].
        faces: the names of the faces concerned.
    """

    kind: str
    place: Triple
    faces: tuple[str, ...] = ()

    def __str__(self) -> str:
        about = f" ({', '.join(self.faces)})" if self.faces else ""
        return f"{self.kind} at {in_mm(self.place)}{about}"


def of_mesh(mesh: Mesh) -> tuple[Fault, ...]:
    """Open edges, duplicate and crossing triangles, and a boundary that is inside out."""
    faults = [_fault("open edge", mesh.vertices[edge].mean(axis=0)) for edge in mesh.open_edges[:_LISTED]]
    if not len(mesh.triangles):
        return (_fault("empty", np.zeros(3)),)
    _, first, repeats = np.unique(np.sort(mesh.triangles, axis=1), axis=0, return_index=True, return_counts=True)
    for index in first[repeats > 1][:_LISTED]:
        faults.append(_named(mesh, "overlapping faces", (int(index),)))
    faults += crossing_faults(mesh)
    if mesh.closed:
        low, high = mesh.bounds
        a, b, c = (mesh.vertices[mesh.triangles[:, k]] - (low + high) / 2.0 for k in range(3))
        if float(np.einsum("ij,ij->", a, np.cross(b, c))) < 0.0:
            faults.append(_fault("inverted shell", (low + high) / 2.0))
    return tuple(faults)


def crossing_faults(mesh: Mesh) -> list[Fault]:
    """Where faces cross: one fault for each crossing curve, in the middle of it."""
    found = crossings(mesh, _FOLLOWED)
    if not found:
        return []
    # Crossings belong to one curve if their triangles are connected.
    pairs = np.array([(i, j) for i, j, _ in found])
    group = _hanging_together(mesh.triangles[pairs].reshape(-1, 6))
    places = np.array([place for _, _, place in found])
    faults = []
    for number in dict.fromkeys(group.tolist()):
        chosen = group == number
        middle = (places[chosen].min(axis=0) + places[chosen].max(axis=0)) / 2.0
        names = {mesh.face_names[k] for k in mesh.face_of_triangle[pairs[chosen]].reshape(-1)}
        faults.append(Fault("crossing faces", _triple(middle), tuple(sorted(names))))
    return faults[:_LISTED]


def _hanging_together(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for each row (N,), the same for rows that share an entry, directly or through other rows."""
    leader: dict[int, int] = {}

    def first(entry: int) -> int:
        while leader.setdefault(entry, entry) != entry:
            leader[entry] = leader[leader[entry]]
            entry = leader[entry]
        return entry

    for row in rows.tolist():
        for entry in row[1:]:
            leader[first(entry)] = first(row[0])
    return np.array([first(row[0]) for row in rows.tolist()])


def crossings(mesh: Mesh, most: int = _LISTED) -> list[tuple[int, int, Floats]]:
    """Pairs of triangles without a common corner that cut each other, and a point of each cut."""
    corners = mesh.vertices[mesh.triangles]
    low, high = corners.min(axis=1), corners.max(axis=1)
    order = np.argsort(low[:, 0], kind="stable")
    stops = np.searchsorted(low[order, 0], high[order, 0], side="right")
    found: list[tuple[int, int, Floats]] = []
    waiting: list[NDArray[np.int64]] = []
    size = 0
    for place, i in enumerate(order):
        others = order[place + 1 : stops[place]]
        near = others[
            (low[others, 1] <= high[i, 1])
            & (high[others, 1] >= low[i, 1])
            & (low[others, 2] <= high[i, 2])
            & (high[others, 2] >= low[i, 2])
        ]
        if len(near):
            waiting.append(np.column_stack([np.full(len(near), i), near]))
            size += len(near)
        if size > 200_000 or (place == len(order) - 1 and waiting):
            found += _cuts(mesh, np.concatenate(waiting))
            waiting, size = [], 0
            if len(found) >= most:
                break
    return found[:most]


def _cuts(mesh: Mesh, pairs: NDArray[np.int64]) -> list[tuple[int, int, Floats]]:
    one, two = mesh.triangles[pairs[:, 0]], mesh.triangles[pairs[:, 1]]
    apart = ~(one[:, :, None] == two[:, None, :]).any(axis=(1, 2))
    pairs, one, two = pairs[apart], one[apart], two[apart]
    result: dict[tuple[int, int], Floats] = {}
    for edges_of, triangles in ((one, two), (two, one)):
        a, b, c = (mesh.vertices[triangles[:, k]] for k in range(3))
        normal = np.cross(b - a, c - a)
        for k in range(3):
            p, q = mesh.vertices[edges_of[:, k]], mesh.vertices[edges_of[:, (k + 1) % 3]]
            above, below = np.einsum("ij,ij->i", p - a, normal), np.einsum("ij,ij->i", q - a, normal)
            crossing = np.flatnonzero(above * below < 0.0)
            if not crossing.size:
                continue
            t = above[crossing] / (above[crossing] - below[crossing])
            x = p[crossing] + t[:, None] * (q[crossing] - p[crossing])
            inside = np.ones(len(crossing), dtype=bool)
            for u, v in ((a, b), (b, c), (c, a)):
                side = np.cross(v[crossing] - u[crossing], x - u[crossing])
                inside &= np.einsum("ij,ij->i", side, normal[crossing]) > 0.0
            for index, point in zip(crossing[inside], x[inside], strict=True):
                i, j = pairs[index]
                result.setdefault((int(i), int(j)), point)
    return [(i, j, point) for (i, j), point in result.items()]


def _fault(kind: str, place: Floats) -> Fault:
    return Fault(kind, _triple(place))


def _named(mesh: Mesh, kind: str, triangles: tuple[int, ...]) -> Fault:
    names = tuple(sorted({mesh.face_names[mesh.face_of_triangle[i]] for i in triangles}))
    return Fault(kind, _triple(mesh.vertices[mesh.triangles[triangles[0]]].mean(axis=0)), names)


def _triple(values: Floats) -> Triple:
    x, y, z = (float(value) for value in values)
    return x, y, z
