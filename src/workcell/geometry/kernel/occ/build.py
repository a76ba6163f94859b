"""From a recipe to an exact shape, step by step, remembering what was made."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
from OCP.BRepBuilderAPI import BRepBuilderAPI_GTransform, BRepBuilderAPI_Transform
from OCP.BRepPrimAPI import (
    BRepPrimAPI_MakeBox,
    BRepPrimAPI_MakeCone,
    BRepPrimAPI_MakeCylinder,
    BRepPrimAPI_MakeSphere,
    BRepPrimAPI_MakeTorus,
)
from OCP.gp import gp_Ax2, gp_Dir, gp_GTrsf, gp_Mat, gp_Pnt, gp_Trsf, gp_XYZ
from OCP.TopLoc import TopLoc_Location

from workcell.errors import GeometryError, InvalidShape, WorkcellError
from workcell.geometry import derive
from workcell.geometry import recipe as r
from workcell.geometry.kernel.occ import meshing
from workcell.geometry.kernel.occ.booleans import difference, intersection, union
from workcell.geometry.kernel.occ.exchange import from_step
from workcell.geometry.kernel.occ.inspect import numbered
from workcell.geometry.kernel.occ.sewing import from_mesh, from_polyhedron, sewn
from workcell.geometry.kernel.occ.sweeping import extrude, revolve, sweep
from workcell.geometry.kernel.occ.topology import MM, Built, Shape, centre_of, faces_of, middle_normal, shape_map
from workcell.geometry.mesh import Mesh

Progress = Callable[[float, str], None]
_REMEMBERED = 512


class Builder:
    """Builds recipes; parts that were built before are not built again."""

    def __init__(self) -> None:
        self._made: OrderedDict[bytes, Built] = OrderedDict()

    def build(self, recipe: r.Recipe, progress: Progress = lambda _fraction, _text: None) -> Built:
        """The exact shape of a recipe."""
        total = r.size(recipe)
        done = 0

        def mesh_exactly(node: r.Recipe, tolerance: float) -> Mesh:
            return meshing.mesh(numbered(one(node)), tolerance)

        def one(node: r.Recipe) -> Built:
            nonlocal done
            key = r.encode(node)
            if key in self._made:
                self._made.move_to_end(key)
                done += r.size(node)
                return self._made[key]
            if isinstance(node, r.Union | r.Difference | r.Intersection) and node.fast:
                made = from_mesh(derive.mesh(node, node.fast, mesh_exactly))
                done += r.size(node)
                self._made[key] = made
                return made
            parts = [one(part) for part in node.parts()]
            progress(done / total, f"making {node.__struct_config__.tag}")
            try:
                made = _MAKERS[type(node)](node, parts)
            except WorkcellError:
                raise
            except Exception as error:
                raise GeometryError(f"The CAD kernel could not make the {_words(node)}: {error}.") from error
            done += 1
            self._made[key] = made
            while len(self._made) > _REMEMBERED:
                self._made.popitem(last=False)
            return made

        return one(recipe)


def _words(node: r.Recipe) -> str:
    return str(node.__struct_config__.tag).replace("_", " ")


def _named(shape: Shape, name: Callable[[Shape], str]) -> Built:
    return Built(shape, tuple(name(face) for face in faces_of(shape)))


def _flat_or(side: str) -> Callable[[Shape], str]:
    """Names the faces of a body of revolution: top and bottom where flat, ``side`` elsewhere."""

    def name(face: Shape) -> str:
        z = float(middle_normal(face)[2])
        if shape_map(face).Extent() and abs(abs(z) - 1.0) < 1e-9 and _is_plane(face):
            return "top" if z > 0.0 else "bottom"
        return side

    return name


def _is_plane(face: Shape) -> bool:
    from OCP.BRepAdaptor import BRepAdaptor_Surface
    from OCP.GeomAbs import GeomAbs_Plane

    return bool(BRepAdaptor_Surface(face).GetType() == GeomAbs_Plane)


def _axes(z: float) -> gp_Ax2:
    return gp_Ax2(gp_Pnt(0.0, 0.0, z), gp_Dir(0.0, 0.0, 1.0), gp_Dir(1.0, 0.0, 0.0))


def _box(node: r.Box, _parts: list[Built]) -> Built:
    x, y, z = node.x * MM, node.y * MM, node.z * MM
    shape = BRepPrimAPI_MakeBox(gp_Pnt(-x / 2, -y / 2, -z / 2), x, y, z).Solid()
    sides = (("left", "right"), ("front", "back"), ("bottom", "top"))

    def name(face: Shape) -> str:
        centre = centre_of(face) / np.array([x, y, z])
        axis = int(np.abs(centre).argmax())
        return sides[axis][int(centre[axis] > 0.0)]

    return _named(shape, name)


def _cylinder(node: r.Cylinder, _parts: list[Built]) -> Built:
    height = node.height * MM
    shape = BRepPrimAPI_MakeCylinder(_axes(-height / 2), node.radius * MM, height).Solid()
    return _named(shape, _flat_or("side"))


def _cone(node: r.Cone, _parts: list[Built]) -> Built:
    maker = BRepPrimAPI_MakeCone(
        _axes(node.base_z * MM), node.radius_bottom * MM, node.radius_top * MM, node.height * MM
    )
    return _named(maker.Solid(), _flat_or("side"))


def _sphere(node: r.Sphere, _parts: list[Built]) -> Built:
    return _named(BRepPrimAPI_MakeSphere(node.radius * MM).Solid(), lambda _face: "surface")


def _torus(node: r.Torus, _parts: list[Built]) -> Built:
    return _named(BRepPrimAPI_MakeTorus(node.ring * MM, node.tube * MM).Solid(), lambda _face: "surface")


def _placed(node: r.Placed, parts: list[Built]) -> Built:
    m = np.array(node.matrix).reshape(3, 4)
    linear, shift = m[:, :3], m[:, 3] * MM
    shape, names = parts[0].shape, parts[0].names
    scale = abs(np.linalg.det(linear)) ** (1 / 3)
    if np.abs(linear.T @ linear - scale * scale * np.eye(3)).max() <= 1e-9 * scale * scale:
        move = gp_Trsf()
        rows = np.column_stack([linear, shift])
        move.SetValues(*(float(value) for value in rows.reshape(-1)))
        if abs(scale - 1.0) < 1e-12 and np.linalg.det(linear) > 0.0:
            return Built(shape.Moved(TopLoc_Location(move)), names)
        return _carry(BRepBuilderAPI_Transform(shape, move, True), parts[0])
    general = gp_GTrsf(gp_Mat(*(float(value) for value in linear.reshape(-1))), gp_XYZ(*map(float, shift)))
    return _carry(BRepBuilderAPI_GTransform(shape, general, True), parts[0])


def _carry(maker: Any, part: Built) -> Built:
    """The transformed shape with its names: faces correspond one to one."""
    shape = maker.Shape()
    numbers = shape_map(shape)
    names = [""] * numbers.Extent()
    for name, face in zip(part.names, faces_of(part.shape), strict=True):
        names[numbers.FindIndex(maker.ModifiedShape(face)) - 1] = name
    return Built(shape, tuple(names))


def _name(node: r.Named, parts: list[Built]) -> Built:
    return Built(parts[0].shape, tuple(f"{node.name}.{name}" for name in parts[0].names))


def _boolean(node: r.Union | r.Difference | r.Intersection, parts: list[Built]) -> Built:
    if isinstance(node, r.Difference):
        if node.base in node.tools:
            raise InvalidShape("Nothing is left: a solid is cut by itself.", faults=("empty",))
        return difference(parts)
    # The kernel is unsure about solids that coincide with each other, and once is enough.
    places = {recipe: place for place, recipe in reversed(list(enumerate(node.members)))}
    once = [parts[place] for place in sorted(places.values())]
    if len(once) == 1:
        return once[0]
    return union(once) if isinstance(node, r.Union) else intersection(once)


_MAKERS: dict[type, Callable[[Any, list[Built]], Built]] = {
    r.Box: _box,
    r.Cylinder: _cylinder,
    r.Cone: _cone,
    r.Sphere: _sphere,
    r.Torus: _torus,
    r.Extrude: lambda node, _parts: extrude(node),
    r.Revolve: lambda node, _parts: revolve(node),
    r.Sweep: lambda node, _parts: sweep(node),
    r.Sewn: lambda node, _parts: sewn(node),
    r.Polyhedron: lambda node, _parts: from_polyhedron(node),
    r.Imported: lambda node, _parts: from_step(node.data),
    r.Triangles: lambda node, _parts: from_mesh(node.mesh()),
    r.Placed: _placed,
    r.Named: _name,
    r.Union: _boolean,
    r.Difference: _boolean,
    r.Intersection: _boolean,
}
