"""Build the exact shape of a recipe step by step, and remember what was made."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepBuilderAPI import BRepBuilderAPI_GTransform, BRepBuilderAPI_Transform
from OCP.BRepPrimAPI import (
    BRepPrimAPI_MakeBox,
    BRepPrimAPI_MakeCone,
    BRepPrimAPI_MakeCylinder,
    BRepPrimAPI_MakeSphere,
    BRepPrimAPI_MakeTorus,
)
from OCP.GeomAbs import GeomAbs_Plane
from OCP.gp import gp_Ax2, gp_Dir, gp_GTrsf, gp_Mat, gp_Pnt, gp_Trsf, gp_XYZ
from OCP.TopLoc import TopLoc_Location

from workcell.errors import GeometryError, InvalidShape, WorkcellError
from workcell.geometry import derive
from workcell.geometry import recipe as r
from workcell.geometry.emptiness import empty_part, is_empty, nothing_left
from workcell.geometry.kernel.occ import meshing
from workcell.geometry.kernel.occ.booleans import PLAIN, Empty, Way, difference, intersection, union, unsound
from workcell.geometry.kernel.occ.exchange import from_step, survives
from workcell.geometry.kernel.occ.inspect import check, flaws, numbered
from workcell.geometry.kernel.occ.proof import (
    BOOLEANS,
    as_large_as_expected,
    exact_boolean,
    must_be_empty,
    risky,
    sound,
    volume,
)
from workcell.geometry.kernel.occ.sewing import from_mesh, from_polyhedron, sewn
from workcell.geometry.kernel.occ.sweeping import extrude, revolve, sweep
from workcell.geometry.kernel.occ.topology import MM, Built, Shape, faces_of, middle_normal, shape_map
from workcell.geometry.mesh import Mesh
from workcell.geometry.step_file import NOTED
from workcell.geometry.validity import Fault

Floats = NDArray[np.float64]
Progress = Callable[[float, str], None]
_REMEMBERED = 512
_OTHER_WAYS = (
    Way(turn=0.7),
    Way(swapped=True),
    Way(turn=2.1),
    Way(fuzzy=1e-4),
    Way(turn=1.3, apart=True),
    Way(turn=2.9, fuzzy=1e-3, swapped=True),
)
"""The ways to try, in this order, when the plain way fails."""


def _silent(_fraction: float, _text: str) -> None:
    """Ignore progress."""


class Builder:
    """Builds recipes; parts that were built before are used again.

    Args:
        way: how booleans are done.
    """

    def __init__(self, way: Way = PLAIN) -> None:
        self._way = way
        self._made: OrderedDict[bytes, Built] = OrderedDict()
        self._proved: dict[bytes, WorkcellError | None] = {}
        self._empty: r.Recipe | None = None  # the last step that left nothing

    def proved(self, recipe: r.Recipe, progress: Progress = _silent) -> Built:
        """The exact shape of a recipe, with proved booleans; refused if no proof succeeds.

        The proof covers the whole tree at once, not each step. If it fails, other ways are tried: the same
        bodies with their seams elsewhere, nearly touching faces taken for touching, the tools one by one.
        """
        if not exact_boolean(recipe):
            return self.build(recipe, progress)
        key = r.encode(recipe)
        if key not in self._proved:
            try:
                self._made[key] = next(self._good(recipe, progress))
                self._proved[key] = None
            except WorkcellError as error:
                self._proved[key] = error
            while len(self._proved) > 8 * _REMEMBERED:
                del self._proved[next(iter(self._proved))]
        problem = self._proved[key]
        if problem is not None:
            raise problem
        return self.build(recipe, progress)

    def meshed(self, recipe: r.Recipe, tolerance: float, progress: Progress = _silent) -> Mesh:
        """The mesh of a recipe within a tolerance [m]; if it does not close, the mesh of another way to make it."""
        built = self.proved(recipe, lambda fraction, text: progress(fraction * 0.5, text))
        progress(0.5, "meshing")
        try:
            return meshing.mesh(numbered(built), tolerance)
        except GeometryError:
            if not exact_boolean(recipe):
                raise
            for other in self._good(recipe, _silent):
                with contextlib.suppress(GeometryError):
                    return meshing.mesh(numbered(other), tolerance)
            raise

    def for_step(self, recipe: r.Recipe, progress: Progress = _silent) -> tuple[Built, float]:
        """The shape that changes least in a STEP file, and the share of its volume that changes.

        Readers compute the curves on surfaces anew, less exactly where a ball is cut across its seam. The same body
        with its seam elsewhere is then read more exactly.
        """
        best = self.proved(recipe, progress)
        first = survives(best)
        least = first
        if least.change >= NOTED and exact_boolean(recipe) and risky(recipe):
            for built in self._good(recipe, progress):
                found = survives(built)
                if found.change < least.change:
                    best, least = built, found
                if least.change < NOTED:
                    break
        return best, max(least.change, abs(least.after / first.before - 1.0))

    def checked(self, recipe: r.Recipe, progress: Progress = _silent) -> list[Fault]:
        """The faults of the shape of a recipe; if booleans leave faults, a way without them is searched for."""
        if isinstance(recipe, r.Placed):
            # No affine map makes or removes a crossing, and the kernel searches longer for them in stretched faces.
            inside = self.checked(recipe.part, progress)
            return [_moved(fault, recipe) for fault in inside] or flaws(numbered(self.proved(recipe, progress)))
        first = faults = check(numbered(self.proved(recipe, progress)))
        if faults and exact_boolean(recipe):
            for built in self._good(recipe, progress):
                faults = check(numbered(built))
                if not faults:
                    self._made = OrderedDict({r.encode(recipe): built})  # drop everything made from the other
                    return []
        return first

    def _good(self, recipe: r.Recipe, progress: Progress, deep: bool = True) -> Iterator[Built]:
        """The valid shapes of the different ways; an error if there is none or nothing is left."""
        failure: InvalidShape | None = None
        found = False
        for way in (self._way, *_OTHER_WAYS):
            builder = self if way is self._way else Builder(way)
            try:
                built = builder.build(recipe, progress)
            except InvalidShape as error:
                if _from_boolean(error):
                    failure = error
                    continue
                empty = builder._empty
                if not is_empty(error) or empty is None:
                    raise  # a part that cannot be made in any way
                if self._right(empty, None, deep):
                    whole = _bare(recipe)
                    raise error if empty == whole else empty_part(whole, empty) from error
                continue
            if not sound(built.shape) or (risky(recipe) and not self._right(recipe, built, deep)):
                continue
            found = True
            yield built
        if not found:
            raise failure or unsound(_words(recipe))

    def _right(self, recipe: r.Recipe, built: Built | None, deep: bool) -> bool:
        """Whether a result has the right volume and (``deep``) no part vanished."""
        if not as_large_as_expected(recipe, self.build, built):
            return False
        if built is None or not deep:
            return True
        for rest in must_be_empty(recipe, built.names):
            try:
                if volume(next(self._good(rest, _silent, deep=False))) > 1e-8 * volume(built):
                    return False
            except InvalidShape:
                continue
        return True

    def build(self, recipe: r.Recipe, progress: Progress = _silent) -> Built:
        """The exact shape of a recipe, with the booleans as the kernel returns them."""
        total = r.steps(recipe)
        done = 0

        def mesh_exactly(node: r.Recipe, tolerance: float) -> Mesh:
            return meshing.mesh(numbered(one(node)), tolerance)

        def one(node: r.Recipe) -> Built:
            nonlocal done
            key = r.encode(node)
            if key in self._made:
                self._made.move_to_end(key)
                done += r.steps(node)
                return self._made[key]
            if isinstance(node, BOOLEANS) and node.fast:
                made = from_mesh(derive.mesh(node, node.fast, mesh_exactly))
                done += r.steps(node)
                self._made[key] = made
                return made
            parts = [] if _made_in_place(node) else [one(part) for part in node.parts()]
            progress(done / total, f"making {node.__struct_config__.tag}")
            try:
                made = _MAKERS[type(node)](node, parts, self._way)
            except WorkcellError:
                raise
            except Empty:
                self._empty = node
                raise nothing_left(node) from None
            except Exception as error:
                raise GeometryError(f"The CAD kernel could not make the {_words(node)}: {error}.") from error
            done += r.steps(node) if not parts else 1
            self._made[key] = made
            while len(self._made) > _REMEMBERED:
                self._made.popitem(last=False)
            return made

        return one(recipe)


def _moved(fault: Fault, placement: r.Placed) -> Fault:
    rows = np.array(placement.matrix).reshape(3, 4)
    x, y, z = (rows[:, :3] @ np.array(fault.place) + rows[:, 3]).tolist()
    return msgspec.structs.replace(fault, place=(x, y, z))


def _from_boolean(error: WorkcellError) -> bool:
    return error.evidence.get("faults") == ("invalid result",)


def _bare(recipe: r.Recipe) -> r.Recipe:
    """The recipe without its place and its name."""
    while isinstance(recipe, r.Placed | r.Named):
        recipe = recipe.part
    return recipe


def _words(node: r.Recipe) -> str:
    return str(node.__struct_config__.tag).replace("_", " ")


# ---- primitives, made in place ------------------------------------------------------------------------
#
# The kernel's booleans are a tenth slower on a body that is moved into place than on one that is made there.

_HERE = np.eye(3, 4)


def _axes(node: r.Recipe, rows: Floats, at: tuple[float, float, float], turn: float) -> gp_Ax2:
    """The frame of a primitive under a rigid placement [mm]; ``turn`` does not change a round body."""
    z, x = rows[:, 2], rows[:, 0]
    if turn and not isinstance(node, r.Box):
        x = math.cos(turn) * rows[:, 0] + math.sin(turn) * rows[:, 1]
        if isinstance(node, r.Sphere):
            z = math.cos(turn) * rows[:, 2] + math.sin(turn) * np.cross(x, rows[:, 2])
    origin = rows[:, :3] @ np.array(at) + rows[:, 3]
    return gp_Ax2(gp_Pnt(*map(float, origin)), gp_Dir(*map(float, z)), gp_Dir(*map(float, x)))


def _primitive(node: r.Recipe, rows: Floats, way: Way) -> Shape:
    """The shape of a primitive under a rigid placement, whose last column is in millimetres."""

    def axes(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> gp_Ax2:
        return _axes(node, rows, (x, y, z), way.turn)

    match node:
        case r.Box():
            x, y, z = node.x * MM, node.y * MM, node.z * MM
            return BRepPrimAPI_MakeBox(axes(-x / 2, -y / 2, -z / 2), x, y, z).Solid()
        case r.Cylinder():
            height = node.height * MM
            return BRepPrimAPI_MakeCylinder(axes(z=-height / 2), node.radius * MM, height).Solid()
        case r.Cone():
            low, high = node.radius_bottom * MM, node.radius_top * MM
            return BRepPrimAPI_MakeCone(axes(z=node.base_z * MM), low, high, node.height * MM).Solid()
        case r.Sphere():
            return BRepPrimAPI_MakeSphere(axes(), node.radius * MM).Solid()
    assert isinstance(node, r.Torus)
    return BRepPrimAPI_MakeTorus(axes(), node.ring * MM, node.tube * MM).Solid()


_PRIMITIVES = (r.Box, r.Cylinder, r.Cone, r.Sphere, r.Torus)
_orders: dict[tuple[object, ...], tuple[str, ...]] = {}


def _face_names(node: r.Recipe) -> tuple[str, ...]:
    """The names of a primitive's faces; the kernel makes them in an order that depends only on the kind."""
    kind: tuple[object, ...] = (type(node),)
    if isinstance(node, r.Cone):
        kind = (r.Cone, node.radius_bottom > node.radius_top, min(node.radius_bottom, node.radius_top) > 0.0)
    if kind not in _orders:
        namer = {r.Box: _side_of, r.Cylinder: _flat_or_side, r.Cone: _flat_or_side}.get(type(node), _surface)
        _orders[kind] = tuple(namer(face) for face in faces_of(_primitive(node, _HERE, PLAIN)))
    return _orders[kind]


def _side_of(face: Shape) -> str:
    normal = middle_normal(face)
    axis = int(np.abs(normal).argmax())
    return (("left", "right"), ("front", "back"), ("bottom", "top"))[axis][int(normal[axis] > 0.0)]


def _flat_or_side(face: Shape) -> str:
    if BRepAdaptor_Surface(face).GetType() == GeomAbs_Plane:
        return "top" if middle_normal(face)[2] > 0.0 else "bottom"
    return "side"


def _surface(_face: Shape) -> str:
    return "surface"


def _standing(node: r.Recipe, _parts: list[Built], way: Way) -> Built:
    return Built(_primitive(node, _HERE, way), _face_names(node))


def _rigid(matrix: tuple[float, ...]) -> bool:
    linear = np.array(matrix).reshape(3, 4)[:, :3]
    return bool(np.abs(linear.T @ linear - np.eye(3)).max() <= 1e-9 and r.determinant(matrix) > 0.0)


def _made_in_place(node: r.Recipe) -> bool:
    return isinstance(node, r.Placed) and isinstance(node.part, _PRIMITIVES) and _rigid(node.matrix)


def _placed(node: r.Placed, parts: list[Built], way: Way) -> Built:
    rows = np.array(node.matrix).reshape(3, 4)
    rows[:, 3] *= MM
    if not parts:
        return Built(_primitive(node.part, rows, way), _face_names(node.part))
    linear, part = rows[:, :3], parts[0]
    scale = abs(r.determinant(node.matrix)) ** (1 / 3)
    if np.abs(linear.T @ linear - scale * scale * np.eye(3)).max() <= 1e-9 * scale * scale:
        move = gp_Trsf()
        move.SetValues(*rows.reshape(-1).tolist())
        if _rigid(node.matrix):
            return Built(part.shape.Moved(TopLoc_Location(move)), part.names, part.outward)
        return _carry(BRepBuilderAPI_Transform(part.shape, move, True), part)
    general = gp_GTrsf(gp_Mat(*linear.reshape(-1).tolist()), gp_XYZ(*rows[:, 3].tolist()))
    return _carry(BRepBuilderAPI_GTransform(part.shape, general, True), part)


def _carry(maker: Any, part: Built) -> Built:
    """The transformed shape with its names: faces correspond one to one."""
    shape = maker.Shape()
    numbers = shape_map(shape)
    names = [""] * numbers.Extent()
    for name, face in zip(part.names, faces_of(part.shape), strict=True):
        names[numbers.FindIndex(maker.ModifiedShape(face)) - 1] = name
    return Built(shape, tuple(names), part.outward)


def _name(node: r.Named, parts: list[Built], _way: Way) -> Built:
    return dataclasses.replace(parts[0], names=tuple(f"{node.name}.{name}" for name in parts[0].names))


def _boolean(node: r.Union | r.Difference | r.Intersection, parts: list[Built], way: Way) -> Built:
    if isinstance(node, r.Difference):
        if node.base in node.tools:
            raise Empty
        return difference(parts, way)
    # The kernel is unreliable for solids that coincide, and one of them is enough.
    places = {recipe: place for place, recipe in reversed(list(enumerate(node.members)))}
    once = [parts[place] for place in sorted(places.values())]
    if len(once) == 1:
        return once[0]
    return union(once, way) if isinstance(node, r.Union) else intersection(once, way)


_MAKERS: dict[type, Callable[[Any, list[Built], Way], Built]] = {
    **dict.fromkeys(_PRIMITIVES, _standing),
    r.Extrude: lambda node, _parts, _way: extrude(node),
    r.Revolve: lambda node, _parts, _way: revolve(node),
    r.Sweep: lambda node, _parts, _way: sweep(node),
    r.Sewn: lambda node, _parts, _way: sewn(node),
    r.Polyhedron: lambda node, _parts, _way: from_polyhedron(node),
    r.Imported: lambda node, _parts, _way: from_step(node.data),
    r.Triangles: lambda node, _parts, _way: from_mesh(node.mesh()),
    r.Placed: _placed,
    r.Named: _name,
    r.Union: _boolean,
    r.Difference: _boolean,
    r.Intersection: _boolean,
}
