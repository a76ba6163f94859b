"""Lines on a shape: the edge where two faces meet, and rows over a face, with tangents and normals."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepTools import BRepTools
from OCP.collections import IndexedDataMap_TopoDS_Shape_List_TopoDS_Shape_TopTools_ShapeMapHasher as AncestorMap
from OCP.GCPnts import GCPnts_AbscissaPoint
from OCP.gp import gp_Pnt, gp_Pnt2d, gp_Vec
from OCP.IntTools import IntTools_FClass2d
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_IN, TopAbs_ON, TopAbs_REVERSED
from OCP.TopExp import TopExp
from OCP.TopoDS import TopoDS

from workcell.cost import ROWS, TRACE
from workcell.errors import InvalidValue, Refused
from workcell.geometry.faces import Face, Faces
from workcell.geometry.kernel.occ.inspect import faces as face_list
from workcell.geometry.kernel.occ.inspect import kind_of
from workcell.geometry.kernel.occ.topology import MM, Built, Shape, faces_of, items, normal_at, point, shape_map
from workcell.geometry.kernel.requests import EdgeAnswer, EdgeRequest, RowAnswer, RowsRequest

Floats = NDArray[np.float64]
_JOIN = 1e-4
"""Ends that are no farther apart than this meet [mm]."""
_FINE = 1e-9
_SAMPLES = 1024


class _Way(NamedTuple):
    """One edge, in the direction of travel."""

    edge: Shape
    curve: Any
    length: float
    backward: bool

    def parameter(self, s: float) -> float:
        """The curve's parameter at a length from the start of travel [mm]."""
        first, last = self.curve.FirstParameter(), self.curve.LastParameter()
        along = min(max(s, 0.0), self.length)
        if along <= 0.0 or along >= self.length:
            return float(last if (along <= 0.0) == self.backward else first)
        start, signed = (last, -along) if self.backward else (first, along)
        return float(GCPnts_AbscissaPoint(self.curve, signed, start).Parameter())

    def end(self, at_end: bool) -> Floats:
        """The point where travel begins or ends [mm]."""
        return point(self.curve.Value(self.parameter(self.length if at_end else 0.0)))


class _Line(NamedTuple):
    """One row before its points are computed: a straight line over the parameters, and lengths along it [mm]."""

    number: int
    start: Floats
    step: Floats
    length: Floats
    shares: Floats
    first: float
    last: float
    spacing: float
    steps: int
    closed: bool


def edge(built: Built, request: EdgeRequest) -> EdgeAnswer:
    """The edge where two faces meet, with the first face on its left seen from outside."""
    known = Faces(face_list(built))
    first, second = _face(built, known, request.first), _face(built, known, request.second)
    if first.IsSame(second):
        raise InvalidValue(f"An edge lies between two faces; {request.first!r} was given twice.")
    chains = _chains(_shared(built, first, second), first)
    if not chains:
        near = sorted(_neighbours(built, first))
        raise Refused(
            f"The faces {request.first!r} and {request.second!r} do not meet; {request.first!r} meets "
            f"{', '.join(near)}.",
            names=tuple(near),
        )
    if request.piece == 0 and len(chains) > 1:
        listed = ", ".join(
            "{} at ({:.4g}, {:.4g}, {:.4g}) mm".format(i, *c[0].end(False)) for i, c in enumerate(chains, 1)
        )
        raise InvalidValue(
            f"The two faces meet in {len(chains)} edges; name one by its number: {listed}.", pieces=len(chains)
        )
    if not 0 <= request.piece <= len(chains):
        raise InvalidValue(f"The two faces meet in {len(chains)} edges; there is no edge {request.piece}.")
    chain = chains[max(request.piece, 1) - 1]
    closed = bool(np.linalg.norm(chain[-1].end(True) - chain[0].end(False)) <= _JOIN)
    starts = np.concatenate([[0.0], np.cumsum([way.length for way in chain])])
    total = float(starts[-1])
    points, tangents, normals = [], [], ([], [])  # type: ignore[var-annotated]
    for place in request.places:
        s = place * MM
        if not -1e-6 <= s <= total + 1e-6:
            raise InvalidValue(f"The edge is {total:.6g} mm long; {s:.6g} mm is not on it.", length=total / MM)
        number = min(int(np.searchsorted(starts, s, side="right")) - 1, len(chain) - 1)
        way = chain[max(number, 0)]
        t = way.parameter(s - float(starts[max(number, 0)]))
        p, along = gp_Pnt(), gp_Vec()
        way.curve.D1(t, p, along)
        direction = point(along) / np.linalg.norm(point(along))
        points.append(_triple(point(p) / MM))
        tangents.append(_triple(-direction if way.backward else direction))
        for face, found in zip((first, second), normals, strict=True):
            curve = BRep_Tool.CurveOnSurface_s(way.edge, face, 0.0, 0.0)
            uv = curve.Value(t)
            found.append(_triple(normal_at(face, uv.X(), uv.Y())))
    return EdgeAnswer(total / MM, closed, tuple(points), tuple(tangents), tuple(normals[0]), tuple(normals[1]))


def _face(built: Built, known: Faces, name: str) -> Shape:
    found: Face = known.find(name)
    return next(face for own, face in zip(built.names, faces_of(built.shape), strict=True) if own == found.name)


def _shared(built: Built, first: Shape, second: Shape) -> list[Shape]:
    owners = AncestorMap()
    TopExp.MapShapesAndAncestors_s(built.shape, TopAbs_EDGE, TopAbs_FACE, owners)
    found = []
    for i in range(1, owners.Extent() + 1):
        one = TopoDS.Edge(owners.FindKey(i))
        around = items(owners.FindFromIndex(i))
        here = [any(face.IsSame(other) for other in around) for face in (first, second)]
        if all(here) and not BRep_Tool.Degenerated_s(one):
            found.append(one)
    return found


def _neighbours(built: Built, face: Shape) -> set[str]:
    names = dict(enumerate(built.names, start=1))
    numbers = shape_map(built.shape)
    owners = AncestorMap()
    TopExp.MapShapesAndAncestors_s(built.shape, TopAbs_EDGE, TopAbs_FACE, owners)
    found = set()
    for i in range(1, owners.Extent() + 1):
        around = items(owners.FindFromIndex(i))
        if any(face.IsSame(other) for other in around):
            found |= {names[numbers.FindIndex(other)] for other in around if not face.IsSame(other)}
    return found


def _chains(edges: list[Shape], face: Shape) -> list[list[_Way]]:
    """Chains of edges joined end to end, with the face on the left, in the order of their starting points."""
    own = shape_map(face, TopAbs_EDGE)
    left = []
    for one in edges:
        # In the direction of the face's boundary, which keeps the face on the left seen from outside.
        oriented = own.FindKey(own.FindIndex(one))
        curve = BRepAdaptor_Curve(one)
        backward = oriented.Orientation() == TopAbs_REVERSED
        left.append(_Way(one, curve, float(GCPnts_AbscissaPoint.Length_s(curve)), backward))
    chains: list[list[_Way]] = []
    while left:
        chain = [left.pop(0)]
        grew = True
        while grew:
            grew = False
            for way in list(left):
                if np.linalg.norm(way.end(False) - chain[-1].end(True)) <= _JOIN:
                    chain.append(way)
                elif np.linalg.norm(way.end(True) - chain[0].end(False)) <= _JOIN:
                    chain.insert(0, way)
                else:
                    continue
                left.remove(way)
                grew = True
        chains.append(chain)
    return sorted(chains, key=lambda chain: tuple(np.round(chain[0].end(False), 6)))


def rows(built: Built, request: RowsRequest) -> list[RowAnswer]:
    """Rows over a face: straight and at an angle on a flat one, along u or v on a curved one."""
    face = _face(built, Faces(face_list(built)), request.face)
    surface = BRepAdaptor_Surface(face)
    inside = IntTools_FClass2d(face, 1e-7)
    bounds = BRepTools.UVBounds_s(face)
    if kind_of(face) == "plane":
        grid = _flat_grid(bounds, request.angle, request.row * MM)
    else:
        grid = _curved_grid(surface, bounds, request.along == "v", request.row * MM)
    lines: list[_Line] = []
    count = 0
    for number, (start, step) in enumerate(grid):
        for a, b in _spans(inside, start, step):
            line = _line(surface, start + a * step, (b - a) * step, request, number)
            if line is not None:
                lines.append(line)
                count += line.steps + (not line.closed)
    TRACE.check(count, f"The rows over the face {request.face!r}")
    return [row for line in lines if (row := _row(face, surface, line)) is not None]


def _flat_grid(bounds: tuple[float, float, float, float], angle: float, row: float) -> list[tuple[Floats, Floats]]:
    """Straight lines over the parameters of a plane, which are millimetres: start and full vector."""
    u0, u1, v0, v1 = bounds
    along, across = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
    corners = np.array(list(itertools.product((u0, u1), (v0, v1))))
    low, high = (corners @ along).min() - 1.0, (corners @ along).max() + 1.0
    first, last = (corners @ across).min(), (corners @ across).max()
    return [(low * along + c * across, (high - low) * along) for c in _evenly(first, last, row)]


def _curved_grid(
    surface: Any, bounds: tuple[float, float, float, float], along_v: bool, row: float
) -> list[tuple[Floats, Floats]]:
    """Lines of constant v (or u), at the asked distance in the middle of the face."""
    u0, u1, v0, v1 = bounds
    middle = np.array([(u0 + u1) / 2.0, v0]) if not along_v else np.array([u0, (v0 + v1) / 2.0])
    across = np.array([0.0, v1 - v0]) if not along_v else np.array([u1 - u0, 0.0])
    length, shares = _measured(surface, middle, across)
    places = np.interp(_evenly(0.0, length[-1], row), length, shares)
    whole = np.array([u1 - u0, 0.0]) if not along_v else np.array([0.0, v1 - v0])
    return [(np.array([u0, v0]) + share * across, whole) for share in places]


def _evenly(first: float, last: float, row: float) -> Floats:
    """Places every ``row``, with the remainder shared by both sides, never on the boundary."""
    size = float(last - first)
    ROWS.check(size / row, f"{row:.4g} mm apart, the rows over this face")
    count = max(math.ceil(size / row - 1e-9), 1)
    return np.asarray(first + (size - (count - 1) * row) / 2.0 + row * np.arange(count))


def _measured(surface: Any, start: Floats, step: Floats) -> tuple[Floats, Floats]:
    """Lengths along a straight line over the parameters [mm], and their shares of the line."""
    shares = np.linspace(0.0, 1.0, _SAMPLES + 1)
    uv = start + shares[:, None] * step
    points = np.array([point(surface.Value(float(u), float(v))) for u, v in uv])
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(chords)]), shares


def _spans(inside: Any, start: Floats, step: Floats) -> list[tuple[float, float]]:
    """The parts of a line over the parameters that are on the face, as shares of the line."""

    def on(share: float) -> bool:
        u, v = start + share * step
        return inside.Perform(gp_Pnt2d(float(u), float(v)), True) in (TopAbs_IN, TopAbs_ON)

    def border(a: float, b: float) -> float:
        here = on(a)
        while b - a > _FINE:
            middle = 0.5 * (a + b)
            a, b = (middle, b) if on(middle) == here else (a, middle)
        return 0.5 * (a + b)

    shares = np.linspace(0.0, 1.0, _SAMPLES + 1)
    looked = [on(float(share)) for share in shares]
    found: list[tuple[float, float]] = []
    begin = 0.0 if looked[0] else -1.0
    for (a, b), (was, now) in zip(itertools.pairwise(shares), itertools.pairwise(looked), strict=True):
        if was == now:
            continue
        edge_at = border(float(a), float(b))
        if now:
            begin = edge_at
        else:
            found.append((begin, edge_at))
    if looked[-1]:
        found.append((begin, 1.0))
    return found


def _line(surface: Any, start: Floats, step: Floats, request: RowsRequest, number: int) -> _Line | None:
    """A row between its margins, or None if nothing is left of it."""
    length, shares = _measured(surface, start, step)
    first, last = request.margin * MM, float(length[-1]) - request.margin * MM
    if last - first < 1e-6:
        return None
    ends = [surface.Value(*(float(x) for x in start + share * step)) for share in (0.0, 1.0)]
    closed = request.margin == 0.0 and ends[0].Distance(ends[1]) <= _JOIN
    spacing = request.spacing * MM
    TRACE.check((last - first) / spacing, f"A row over the face {request.face!r}")
    steps = max(math.ceil((last - first) / spacing - 1e-9), 1)
    return _Line(number, start, step, length, shares, first, last, spacing, steps, closed)


def _row(face: Shape, surface: Any, line: _Line) -> RowAnswer | None:
    places = [*(line.first + line.spacing * np.arange(line.steps)), *([] if line.closed else [line.last])]
    points, tangents, normals = [], [], []
    for share in np.interp(places, line.length, line.shares):
        u, v = (float(x) for x in line.start + share * line.step)
        p, du, dv = gp_Pnt(), gp_Vec(), gp_Vec()
        surface.D1(u, v, p, du, dv)
        along = point(du) * line.step[0] + point(dv) * line.step[1]
        normal = normal_at(face, u, v)
        size = float(np.linalg.norm(along))
        if size < 1e-12 or not normal.any():
            continue  # the pole of a sphere or the tip of a cone has no direction
        points.append(_triple(point(p) / MM))
        tangents.append(_triple(along / size))
        normals.append(_triple(normal))
    return RowAnswer(line.number, line.closed, tuple(points), tuple(tangents), tuple(normals)) if points else None


def _triple(values: Floats) -> tuple[float, float, float]:
    x, y, z = (float(value) + 0.0 for value in values)
    return x, y, z
