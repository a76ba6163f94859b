"""Solids from faces: sewn along their edges, or welded at their corners if all of them are flat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepBuilderAPI import (
    BRepBuilderAPI_GTransform,
    BRepBuilderAPI_MakeEdge,
    BRepBuilderAPI_MakeFace,
    BRepBuilderAPI_MakeVertex,
    BRepBuilderAPI_MakeWire,
    BRepBuilderAPI_Sewing,
    BRepBuilderAPI_Transform,
)
from OCP.BRepLib import BRepLib
from OCP.gp import gp_GTrsf, gp_Mat, gp_Pnt, gp_Trsf, gp_XYZ
from OCP.TopAbs import TopAbs_SHELL
from OCP.TopoDS import TopoDS, TopoDS_Compound, TopoDS_Shell, TopoDS_Solid

from workcell.errors import InvalidShape
from workcell.geometry import recipe as r
from workcell.geometry.checks import in_mm
from workcell.geometry.kernel.occ.planar import nurbs_face, outlines
from workcell.geometry.kernel.occ.topology import MM, Built, Shape, faces_of, point, shape_map
from workcell.geometry.mesh import Mesh
from workcell.geometry.nurbs.surface import NurbsSurface
from workcell.geometry.overlaps import overlaps
from workcell.geometry.surface import Surface
from workcell.geometry.validity import Fault

Floats = NDArray[np.float64]

_SEW = 1e-3
"""Edges that are no farther apart than this are sewn [mm]."""


def compound(parts: list[Built]) -> Built:
    """Several shapes as one."""
    if len(parts) == 1:
        return parts[0]
    whole = TopoDS_Compound()
    builder = BRep_Builder()
    builder.MakeCompound(whole)
    for part in parts:
        builder.Add(whole, part.shape)
    names = tuple(name for part in parts for name in part.names)
    return Built(whole, names, all(part.outward for part in parts))


def sew(faces: Sequence[tuple[Shape, str]]) -> Built:
    """Make a solid from faces that meet along their edges; an open edge is refused with its place."""
    sewing = BRepBuilderAPI_Sewing(_SEW)
    for face, _ in faces:
        sewing.Add(face)
    sewing.Perform()
    if sewing.NbFreeEdges():
        places = []
        for i in range(1, min(sewing.NbFreeEdges(), 20) + 1):
            edge = TopoDS.Edge(sewing.FreeEdge(i))
            if not BRep_Tool.Degenerated_s(edge):
                places.append(_middle(edge))
        if places:
            raise _open(places, sewing.NbFreeEdges())
    shape = sewing.SewedShape()
    solid = solid_of(shape)
    numbers = shape_map(solid)
    names = [""] * numbers.Extent()
    for face, name in faces:
        made = sewing.Modified(face) if sewing.IsModified(face) else face
        for piece in faces_of(made):
            place = numbers.FindIndex(piece)
            if place:
                names[place - 1] = name
    return Built(solid, tuple(name or "surface" for name in names))


def _open(places: list[tuple[float, float, float]], count: int) -> InvalidShape:
    return InvalidShape(
        f"The surfaces do not close up: {count} edges have no neighbour, the first near {in_mm(places[0])}.",
        faults=tuple(("open edge", place) for place in places),
    )


def _overlapping(faults: list[Fault]) -> InvalidShape:
    first = faults[0]
    one, two = first.faces
    what = "are the same face twice" if first.kind == "duplicated face" else "overlap in one plane"
    more = f", and {len(faults) - 1} more pairs" if len(faults) > 1 else ""
    return InvalidShape(
        f"The surfaces {one!r} and {two!r} {what}, near {in_mm(first.place)}{more}; detach or move one of them.",
        faults=tuple((fault.kind, fault.place, fault.faces) for fault in faults),
    )


def _middle(edge: Shape) -> tuple[float, float, float]:
    first, last = BRep_Tool.Range_s(edge)
    curve = BRep_Tool.Curve_s(edge, 0.0, 0.0)
    x, y, z = point(curve.Value((first + last) / 2.0)) / MM
    return float(x), float(y), float(z)


def solid_of(shape: Shape) -> Shape:
    """A solid from the closed shells of a shape, oriented outward."""
    shells = shape_map(shape, TopAbs_SHELL)
    solid = TopoDS_Solid()
    builder = BRep_Builder()
    builder.MakeSolid(solid)
    if not shells.Extent():
        shell = TopoDS_Shell()
        builder.MakeShell(shell)
        for face in faces_of(shape):
            builder.Add(shell, face)
        builder.Add(solid, shell)
    for i in range(1, shells.Extent() + 1):
        builder.Add(solid, shells.FindKey(i))
    BRepLib.OrientClosedSolid_s(solid)
    return solid


def sewn(node: r.Sewn) -> Built:
    """A solid from placed surfaces."""
    on_each_other = overlaps(node.patches)
    if on_each_other:
        raise _overlapping(on_each_other)
    if all(isinstance(patch.surface, Surface) and patch.surface.is_polygonal for patch in node.patches):
        loops, names = [], []
        for patch in node.patches:
            assert isinstance(patch.surface, Surface)
            m = np.array(patch.matrix).reshape(3, 4)
            rings = [loop @ m[:, :2].T + m[:, 3] for loop in patch.surface.loops()]
            loops.append(rings)
            names.append(patch.name)
        return polyhedron(loops, names)
    faces = []
    for patch in node.patches:
        m = np.array(patch.matrix).reshape(3, 4)
        if isinstance(patch.surface, Surface):
            for outline in outlines(patch.surface):
                faces.append((_placed(outline.face, m), patch.name))
        else:
            surface = NurbsSurface.from_patch(patch.surface)
            faces.append((nurbs_face(surface.transformed(np.vstack([m, [0, 0, 0, 1]]))), patch.name))
    return sew(faces)


def _placed(face: Shape, m: Floats) -> Shape:
    linear, shift = m[:, :3], m[:, 3] * MM
    scale = abs(np.linalg.det(linear)) ** (1 / 3)
    if np.abs(linear.T @ linear - scale * scale * np.eye(3)).max() <= 1e-9 * scale * scale:
        move = gp_Trsf()
        move.SetValues(*(float(value) for value in np.column_stack([linear, shift]).reshape(-1)))
        return TopoDS.Face(BRepBuilderAPI_Transform(face, move, True).Shape())
    general = gp_GTrsf(gp_Mat(*(float(value) for value in linear.reshape(-1))), gp_XYZ(*map(float, shift)))
    return TopoDS.Face(BRepBuilderAPI_GTransform(face, general, True).Shape())


def polyhedron(faces: list[list[Floats]], names: list[str]) -> Built:
    """A solid from flat faces given as loops of corners [m]; corners that coincide are one.

    Faces may run in either direction: neighbours are turned to agree, then all of them to point outward.
    """
    every = np.concatenate([loop for rings in faces for loop in rings])
    size = float(np.ptp(every, axis=0).max())
    grid = np.round(every / (1e-7 * size)).astype(np.int64)
    corners: list[Floats] = []
    known: dict[tuple[int, int, int], int] = {}
    number = []
    for cell, position in zip(map(tuple, grid.tolist()), every, strict=True):
        found = _near(known, cell)
        if found is None:
            found = known[cell] = len(corners)
            corners.append(position)
        number.append(found)
    indexed: list[list[list[int]]] = []
    at = 0
    for rings in faces:
        face = []
        for loop in rings:
            ring = number[at : at + len(loop)]
            at += len(loop)
            face.append([a for a, b in zip(ring, ring[1:] + ring[:1], strict=True) if a != b])
        indexed.append([ring for ring in face if len(ring) >= 3])
    points = np.array(corners)
    _agree(indexed, points)
    return _raised(points, indexed, names)


def _near(known: dict[tuple[int, int, int], int], cell: tuple[int, int, int]) -> int | None:
    x, y, z = cell
    for dx in (0, -1, 1):
        for dy in (0, -1, 1):
            for dz in (0, -1, 1):
                found = known.get((x + dx, y + dy, z + dz))
                if found is not None:
                    return found
    return None


def _agree(faces: list[list[list[int]]], points: Floats) -> None:
    """Turn faces so that each edge is used once in each direction; raise an error if an edge has not two faces."""
    users: dict[tuple[int, int], list[tuple[int, bool]]] = {}
    for index, rings in enumerate(faces):
        for ring in rings:
            for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
                users.setdefault((min(a, b), max(a, b)), []).append((index, a < b))
    bad = [edge for edge, found in users.items() if len(found) != 2]
    if bad:
        raise _not_two(points, {edge: users[edge] for edge in bad})
    turned: dict[int, bool] = {}
    neighbours: dict[int, list[tuple[int, bool]]] = {}
    for (first, way1), (second, way2) in users.values():
        neighbours.setdefault(first, []).append((second, way1 == way2))
        neighbours.setdefault(second, []).append((first, way1 == way2))
    for start in range(len(faces)):
        if start in turned:
            continue
        turned[start] = False
        group, waiting = [start], [start]
        while waiting:
            one = waiting.pop()
            for other, same in neighbours.get(one, []):
                if other not in turned:
                    turned[other] = turned[one] != same
                    waiting.append(other)
                    group.append(other)
                elif other != one and turned[other] != (turned[one] != same):
                    place = tuple(float(v) for v in points[faces[other][0][0]])
                    raise InvalidShape(
                        "The surfaces cannot be turned to agree on an inside: the shape is one-sided.",
                        faults=(("one-sided", place),),
                    )
        volume = 0.0
        for index in group:
            sign = -1.0 if turned[index] else 1.0
            for ring in faces[index]:
                loop = points[ring] - points[faces[start][0][0]]
                volume += sign * float(
                    np.einsum("ij,ij->", loop[0:1].repeat(len(loop) - 2, 0), np.cross(loop[1:-1], loop[2:]))
                )
        if volume < 0.0:
            for index in group:
                turned[index] = not turned[index]
    for index, rings in enumerate(faces):
        if turned[index]:
            for ring in rings:
                ring.reverse()


def _not_two(points: Floats, users: dict[tuple[int, int], list[tuple[int, bool]]]) -> InvalidShape:
    """The error for edges that do not have two faces: open edges first, then those where more faces meet."""
    faults = []
    for (a, b), found in sorted(users.items(), key=lambda item: len(item[1]) > 1):
        x, y, z = (float(v) for v in (points[a] + points[b]) / 2.0)
        faults.append(("open edge" if len(found) == 1 else "edge of more than two faces", (x, y, z)))
    lonely = [place for kind, place in faults if kind == "open edge"]
    if lonely:
        return _open(lonely[:20], len(lonely))
    return InvalidShape(
        f"More than two surfaces meet at {len(faults)} edges, the first near {in_mm(faults[0][1])}; a solid has two "
        "faces at each edge.",
        faults=tuple(faults[:20]),
    )


def _raised(points: Floats, faces: list[list[list[int]]], names: list[str]) -> Built:
    vertices = [BRepBuilderAPI_MakeVertex(gp_Pnt(*map(float, p))).Vertex() for p in points * MM]
    edges: dict[tuple[int, int], Shape] = {}
    builder = BRep_Builder()
    shell = TopoDS_Shell()
    builder.MakeShell(shell)
    made_names: list[tuple[Shape, str]] = []
    for name, rings in zip(names, faces, strict=True):
        wires = []
        for ring in rings:
            maker = BRepBuilderAPI_MakeWire()
            for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
                key = (min(a, b), max(a, b))
                if key not in edges:
                    edges[key] = BRepBuilderAPI_MakeEdge(vertices[key[0]], vertices[key[1]]).Edge()
                edge = edges[key]
                maker.Add(TopoDS.Edge(edge if a < b else edge.Reversed()))
            wires.append(maker.Wire())
        face = BRepBuilderAPI_MakeFace(wires[0], True)
        if not face.IsDone():
            x, y, z = points[rings[0][0]]
            raise InvalidShape(
                f"The face {name!r} is not flat, near {in_mm((x, y, z))}.",
                faults=((name, (float(x), float(y), float(z))),),
            )
        for wire in wires[1:]:
            face.Add(wire)
        builder.Add(shell, face.Face())
        made_names.append((face.Face(), name))
    shell.Closed(True)
    solid = TopoDS_Solid()
    builder.MakeSolid(solid)
    builder.Add(solid, shell)
    BRepLib.OrientClosedSolid_s(solid)
    numbers = shape_map(solid)
    ordered = [""] * numbers.Extent()
    for made, name in made_names:
        ordered[numbers.FindIndex(made) - 1] = name
    return Built(solid, tuple(ordered))


def from_polyhedron(node: r.Polyhedron) -> Built:
    """A solid from corners and faces."""
    corners = np.array(node.corners)
    return polyhedron([[corners[list(face)]] for face in node.faces], list(node.names))


def from_mesh(mesh: Mesh) -> Built:
    """An exact solid whose faces are the triangles of a closed mesh."""
    if not mesh.closed:
        a, b = mesh.vertices[mesh.open_edges[0]]
        raise _open([tuple(float(v) for v in (a + b) / 2.0)], len(mesh.open_edges))  # type: ignore[list-item]
    faces = [[[int(i) for i in triangle]] for triangle in mesh.triangles]
    names = [mesh.face_names[index] for index in mesh.face_of_triangle]
    return _raised(mesh.vertices, faces, names)
