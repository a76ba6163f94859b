"""The triangles of one face: their distance from its surface, and their refinement where that is too large."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepTools import BRepTools
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere, GeomAbs_Torus
from OCP.gp import gp_Pnt
from OCP.TopAbs import TopAbs_EDGE
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS

from workcell.geometry.kernel.occ.topology import Shape

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RULED = (GeomAbs_Plane, GeomAbs_Cylinder, GeomAbs_Cone)
"""The surfaces on which the middle of a chord is the worst point of a triangle."""
UNSURE = 1.25
"""The factor on a deviation that was found by sampling instead of a formula."""
_ROUNDS = 24
"""The most times that triangles are halved."""
_CELLS = 8
"""The number of cells along each parameter of a face that are used to estimate its triangles."""
_LAVISH = 3.0
"""The factor by which the kernel makes more triangles than necessary."""
_SHIFT = 1 << 32
_WEIGHTS = np.array([(0.5, 0.5, 0.0), (0.0, 0.5, 0.5), (0.5, 0.0, 0.5), (1 / 3, 1 / 3, 1 / 3)])
"""Where a triangle is compared with its surface: in the middle of its three sides, and in its own middle."""


class FaceMesh:
    """The kernel's triangles of a face, as arrays that can be refined.

    Attributes:
        face: the face.
        nodes: (n, 3) positions [mm].
        corners: (m, 3) nodes of the triangles.
        lines: the edges of the face, each with the nodes along it; they are shared with the neighbours and stay fixed.
    """

    def __init__(self, face: Shape, found: Any, location: Any) -> None:
        self.face = face
        self.nodes, self.corners = _arrays(found, location)
        self.lines = _lines(face, found, location)
        self._surface = BRepAdaptor_Surface(face)
        self._kind = self._surface.GetType()
        self._flat = self._kind == GeomAbs_Plane
        ends = [np.column_stack([line[:-1], line[1:]]) for _, line in self.lines]
        self._fixed = np.unique(_keys(np.concatenate([np.empty((0, 2), np.int64), *ends])))
        if not self._flat:
            self._uv = np.array([(p.X(), p.Y()) for p in (found.UVNode(i) for i in range(1, found.NbNodes() + 1))])
            self._pole = np.full(len(self.nodes), -1)
            for node, column in _collapsed(face, found):
                self._pole[node] = column
        self._gaps = self._measured(self.corners)

    @classmethod
    def of(cls, face: Shape) -> FaceMesh | None:
        """The kernel's triangles of a face, or None if there are none."""
        location = TopLoc_Location()
        found = BRep_Tool.Triangulation_s(face, location)
        return None if found is None or not found.NbTriangles() else cls(face, found, location)

    @property
    def deviation(self) -> float:
        """The distance between surface and triangles [mm]: by formula on quadrics and tori, by sampling elsewhere."""
        return float(self._gaps.max(initial=0.0))

    def refine(self, limit: float) -> None:
        """Halve the sides inside the face whose triangles are farther than ``limit`` [mm] from the surface."""
        for _ in range(_ROUNDS):
            if self.deviation <= limit:
                return
            sides = np.stack([self.corners[:, [k, (k + 1) % 3]] for k in range(3)], axis=1)
            keys = _keys(sides.reshape(-1, 2)).reshape(-1, 3)
            free = ~np.isin(keys, self._fixed)
            wanted = free & (self._gaps[:, :3] > limit)
            # Where all sides are near enough but the middle is not, halve the longest side.
            stuck = (self._gaps.max(axis=1) > limit) & ~wanted.any(axis=1)
            length = np.linalg.norm(self.nodes[sides[:, :, 0]] - self.nodes[sides[:, :, 1]], axis=2) * free
            wanted[stuck, length[stuck].argmax(axis=1)] = True
            chosen = np.unique(keys[wanted & free])
            if not len(chosen):
                return  # only the edges of the face are too far away, and they belong to the kernel
            self._halve(chosen)

    def split(self, sides: Ints) -> None:
        """Halve sides (k, 2) inside the face, given by their nodes."""
        self._halve(np.unique(_keys(sides)))

    def chords(self) -> Ints:
        """(k, 2) the sides of triangles that are not along an edge of the face."""
        sides = np.concatenate([self.corners[:, [k, (k + 1) % 3]] for k in range(3)])
        keys = np.unique(_keys(sides))
        keys = keys[~np.isin(keys, self._fixed)]
        return np.column_stack([keys // _SHIFT, keys % _SHIFT])

    def _halve(self, chosen: Ints) -> None:
        """Put a node in the middle of every side with these keys, and cut the triangles there."""
        ends = np.column_stack([chosen // _SHIFT, chosen % _SHIFT])
        first = len(self.nodes)
        if self._flat:
            made = self.nodes[ends].mean(axis=1)
        else:
            uv = self._straight(ends).mean(axis=1)
            made = self._at(uv)
            self._uv = np.concatenate([self._uv, uv])
            self._pole = np.concatenate([self._pole, np.full(len(uv), -1)])
        self.nodes = np.concatenate([self.nodes, made])
        sides = np.stack([self.corners[:, [k, (k + 1) % 3]] for k in range(3)], axis=1)
        keys = _keys(sides.reshape(-1, 2)).reshape(-1, 3)
        place = np.searchsorted(chosen, keys).clip(max=len(chosen) - 1)
        middle = np.where(chosen[place] == keys, first + place, -1)
        touched = (middle >= 0).any(axis=1)
        pieces = _cut(self.corners[touched], middle[touched], self.nodes)
        self.corners = np.concatenate([self.corners[~touched], pieces])
        self._gaps = np.concatenate([self._gaps[~touched], self._measured(pieces)])

    def _straight(self, nodes: Ints) -> Floats:
        """The parameters of the ends or corners (k, c, 2); a node at a pole takes those of the others."""
        at = self._uv[nodes]
        for column in (0, 1):
            rows, place = np.nonzero(self._pole[nodes] == column)
            if len(rows):
                others = (at[rows].sum(axis=1) - at[rows, place])[:, column] / (nodes.shape[1] - 1)
                at[rows, place, column] = others
        return at

    def _at(self, uv: Floats) -> Floats:
        """The points of the surface [mm] at parameters (k, 2)."""
        result = np.empty((len(uv), 3))
        p = gp_Pnt()
        for i, (u, v) in enumerate(uv.tolist()):
            self._surface.D0(u, v, p)
            result[i] = p.X(), p.Y(), p.Z()
        return result

    def _measured(self, corners: Ints) -> Floats:
        """(k, 4) the distances of the middles of the sides and of the triangles from the surface [mm]."""
        if self._flat or not len(corners):
            return np.zeros((len(corners), 4))
        if self._kind in _FORMULAS:
            # The middle of the longest chord is the worst point on a ruled quadric. On doubly curved surfaces the
            # centroid stands in for the worst point inside the triangle, which is less than twice as far away.
            body, margin = _FORMULAS[self._kind]
            middles = np.einsum("wk,tkc->twc", _WEIGHTS, self.nodes[corners]).reshape(-1, 3)
            return np.asarray(body(self._surface, middles).reshape(-1, 4) * margin)
        at = self._straight(corners)
        a, b, c = (self.nodes[corners[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = np.divide(normals, length, out=np.zeros_like(normals), where=length > 1e-12)
        where = self._at(np.einsum("wk,tkc->twc", _WEIGHTS, at).reshape(-1, 2)).reshape(-1, 4, 3)
        return np.asarray(np.abs(np.einsum("twc,tc->tw", where - a[:, None], normals)) * UNSURE)


def triangles_needed(face: Shape, limit: float) -> float:
    """Estimate the number of triangles of a face within a limit [mm], from its bends over a grid of parameters."""
    surface = BRepAdaptor_Surface(face)
    if surface.GetType() == GeomAbs_Plane:
        return 2.0
    u0, u1, v0, v1 = BRepTools.UVBounds_s(face)
    us, vs = np.linspace(u0, u1, 2 * _CELLS + 1), np.linspace(v0, v1, 2 * _CELLS + 1)
    points = np.array([[(p.X(), p.Y(), p.Z()) for p in (surface.Value(u, v) for v in vs)] for u in us])
    # The distance of the middle of each cell's side from its chord; it falls with the square of the length.
    along = np.linalg.norm(points[1::2] - (points[:-1:2] + points[2::2]) / 2.0, axis=2)
    across = np.linalg.norm(points[:, 1::2] - (points[:, :-1:2] + points[:, 2::2]) / 2.0, axis=2)
    parts = np.sqrt(np.maximum(1.0, along[:, 1::2] / limit) * np.maximum(1.0, across[1::2] / limit))
    return float(_LAVISH * 2.0 * parts.sum())


def _keys(sides: Ints) -> Ints:
    """One number for each side (k, 2), in either direction."""
    return np.asarray(sides.min(axis=1) * _SHIFT + sides.max(axis=1))


def _cut(corners: Ints, middle: Ints, nodes: Floats) -> Ints:
    """Triangles (k, 3) cut at the middles (k, 3) of their sides; −1 marks a side that is not cut."""
    pieces = []
    count = (middle >= 0).sum(axis=1)
    for number in (1, 2, 3):
        of, at = corners[count == number], middle[count == number]
        if not len(of):
            continue
        # Turn each triangle so that the first side is cut; with two cuts, so that the last side is not.
        turn = (at >= 0).argmax(axis=1) if number == 1 else ((at < 0).argmax(axis=1) + 1) % 3
        turn = np.zeros(len(of), np.int64) if number == 3 else turn
        order = (turn[:, None] + np.arange(3)) % 3
        (a, b, c), (p, q, s) = (np.take_along_axis(x, order, axis=1).T for x in (of, at))
        if number == 1:
            found = [(a, p, c), (p, b, c)]
        elif number == 3:
            found = [(a, p, s), (p, b, q), (s, q, c), (p, q, s)]
        else:
            short = np.linalg.norm(nodes[a] - nodes[q], axis=1) < np.linalg.norm(nodes[p] - nodes[c], axis=1)
            last = np.where(short, a, p)
            found = [(p, b, q), (a, p, np.where(short, q, c)), (last, q, c)]
        pieces += [np.column_stack(triangle) for triangle in found]
    return np.concatenate(pieces)


def _arrays(found: Any, location: Any) -> tuple[Floats, Ints]:
    nodes = np.array([(p.X(), p.Y(), p.Z()) for p in (found.Node(i) for i in range(1, found.NbNodes() + 1))])
    corners = np.array([found.Triangle(i).Get() for i in range(1, found.NbTriangles() + 1)], dtype=np.int64) - 1
    if not location.IsIdentity():
        t = location.Transformation()
        m = np.array([[t.Value(i, j) for j in range(1, 5)] for i in range(1, 4)])
        nodes = nodes @ m[:, :3].T + m[:, 3]
    return nodes, corners.reshape(-1, 3)


def _edges(face: Shape) -> list[Shape]:
    result = []
    walk = TopExp_Explorer(face, TopAbs_EDGE)
    while walk.More():
        result.append(TopoDS.Edge(walk.Current()))
        walk.Next()
    return result


def _lines(face: Shape, found: Any, location: Any) -> list[tuple[Shape, Ints]]:
    result = []
    for edge in _edges(face):
        polygon = BRep_Tool.PolygonOnTriangulation_s(edge, found, location)
        if polygon is not None:
            along = [polygon.Node(k) - 1 for k in range(1, polygon.NbNodes() + 1)]
            result.append((edge, np.array(along, dtype=np.int64)))
    return result


def _collapsed(face: Shape, found: Any) -> list[tuple[int, int]]:
    """The nodes on edges that are a single point, each with the parameter that varies along the edge."""
    result = []
    for edge in _edges(face):
        if BRep_Tool.Degenerated_s(edge):
            polygon = BRep_Tool.PolygonOnTriangulation_s(edge, found, face.Location())
            curve = BRep_Tool.CurveOnSurface_s(edge, face, 0.0, 0.0)
            first, last = BRep_Tool.Range_s(edge, face)
            p, q = curve.Value(first), curve.Value(last)
            column = 0 if abs(p.X() - q.X()) > abs(p.Y() - q.Y()) else 1
            if polygon is not None:
                result += [(polygon.Node(k) - 1, column) for k in range(1, polygon.NbNodes() + 1)]
    return result


def _polar(frame: Any, points: Floats) -> tuple[Floats, Floats]:
    """Distance from the axis of a frame, and height along it."""
    axis = np.array([frame.Axis().Direction().X(), frame.Axis().Direction().Y(), frame.Axis().Direction().Z()])
    away = points - np.array([frame.Location().X(), frame.Location().Y(), frame.Location().Z()])
    height = away @ axis
    return np.linalg.norm(away - np.outer(height, axis), axis=1), height


def _from_cylinder(surface: Any, points: Floats) -> Floats:
    body = surface.Cylinder()
    return np.asarray(np.abs(_polar(body, points)[0] - body.Radius()))


def _from_cone(surface: Any, points: Floats) -> Floats:
    body = surface.Cone()
    away, height = _polar(body, points)
    angle = body.SemiAngle()
    return np.asarray(np.abs(away * np.cos(angle) - height * np.sin(angle) - body.RefRadius() * np.cos(angle)))


def _from_sphere(surface: Any, points: Floats) -> Floats:
    body = surface.Sphere()
    centre = np.array([body.Location().X(), body.Location().Y(), body.Location().Z()])
    return np.asarray(np.abs(np.linalg.norm(points - centre, axis=1) - body.Radius()))


def _from_torus(surface: Any, points: Floats) -> Floats:
    body = surface.Torus()
    away, height = _polar(body, points)
    return np.asarray(np.abs(np.hypot(away - body.MajorRadius(), height) - body.MinorRadius()))


_FORMULAS: dict[Any, tuple[Callable[[Any, Floats], Floats], float]] = {
    GeomAbs_Cylinder: (_from_cylinder, 1.0),
    GeomAbs_Cone: (_from_cone, 1.0),
    GeomAbs_Sphere: (_from_sphere, UNSURE),
    GeomAbs_Torus: (_from_torus, UNSURE),
}
