"""Whether booleans are right: valid by the kernel's own check, and as large as the same tree made of meshes.

The kernel now and then returns a solid that is closed and valid but wrong: where the tip of a cone sticks out of a
ball and should be cut off, all of the cone is kept, or none of it. This never happened with planes and cylinders
alone; it happened in one of 80 random pairs with a sphere, a cone or a torus. Another engine combines meshes of the
parts, which gives the expected volume as closely as meshes can. That costs about as much as the boolean, so it is
done only if needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepGProp import BRepGProp
from OCP.GeomAbs import GeomAbs_Plane
from OCP.GProp import GProp_GProps

from workcell.errors import InvalidShape, WorkcellError
from workcell.geometry import analytic, derive, fast
from workcell.geometry import recipe as r
from workcell.geometry.kernel.occ import meshing
from workcell.geometry.kernel.occ.inspect import kind_of
from workcell.geometry.kernel.occ.topology import MM, Built, Shape, closed, faces_of, size

Floats = NDArray[np.float64]

BOOLEANS = (r.Union, r.Difference, r.Intersection)
_FINENESS = (300.0, 2000.0)
"""The size of a part, and of the result, divided by the deviation of the part's mesh: a quick look first, and a close
one before a result is rejected."""
_HARMLESS = (r.Box, r.Cylinder, r.Polyhedron, r.Triangles)
_SURE = 0.15
"""The share of the greatest possible error of a mesh that most meshes stay within."""
_MARGIN = 1.2
_SWOLLEN = 0.2
"""The share of the deviation of a mesh that remains uncertain when the mesh has the volume of the body."""
_PRECISE = 1e-6
"""The relative error of a volume that is good enough for a comparison."""
_LEAST = 1e-9
"""The share of a solid's volume that is too small to matter."""


def exact_boolean(recipe: r.Recipe) -> bool:
    """Whether a recipe contains a boolean between exact faces."""
    if isinstance(recipe, BOOLEANS) and not recipe.fast:
        return True
    return any(exact_boolean(part) for part in recipe.parts())


def risky(recipe: r.Recipe) -> bool:
    """Whether a recipe contains faces whose booleans are known to go wrong silently."""
    if isinstance(recipe, BOOLEANS) and recipe.fast:
        return False
    parts = recipe.parts()
    return any(risky(part) for part in parts) if parts else not isinstance(recipe, _HARMLESS)


def sound(shape: Shape) -> bool:
    """Whether the kernel finds nothing wrong: the shape is closed, and every face, edge and vertex is valid."""
    return closed(shape) and bool(BRepCheck_Analyzer(shape).IsValid())


def as_large_as_expected(recipe: r.Recipe, build: Callable[[r.Recipe], Built], made: Built | None) -> bool:
    """Whether the result, if any, has the volume of the same tree of meshes, within the accuracy of the meshes."""
    quick, close = _FINENESS
    return Expected(recipe, build, made, quick).agrees(made, _SURE) or Expected(recipe, build, made, close).agrees(made)


def must_be_empty(recipe: r.Recipe, names: tuple[str, ...]) -> list[r.Recipe]:
    """The intersections or differences that must be empty if a boolean has these faces and some parts have none.

    A part of a union without a face of its own lies inside the others. A tool without one meets nothing that the other
    tools leave. A member of an intersection without one contains all the rest.
    """
    prefix = ""
    while isinstance(recipe, r.Placed | r.Named):
        prefix += f"{recipe.name}." if isinstance(recipe, r.Named) else ""
        recipe = recipe.part
    if not isinstance(recipe, BOOLEANS) or recipe.fast or len(set(recipe.parts())) < len(recipe.parts()):
        return []
    word = {r.Union: "add", r.Difference: "cut", r.Intersection: "common"}[type(recipe)]
    owners = [_owner(name.removeprefix(prefix), word) for name in names]
    found: list[r.Recipe] = []
    for place, part in enumerate(recipe.parts()):
        if place in owners or (place == 0 and isinstance(recipe, r.Difference)):
            continue
        others = tuple(other for index, other in enumerate(recipe.parts()) if index != place)
        if isinstance(recipe, r.Union):
            found.append(r.Difference(part, others))
        elif isinstance(recipe, r.Intersection):
            rest = others[0] if len(others) == 1 else r.Intersection(others)
            found.append(r.Difference(rest, (part,)))
        else:
            met = r.Intersection((recipe.base, part))
            found.append(met if len(others) == 1 else r.Difference(met, others[1:]))
    return found


def _owner(name: str, word: str) -> int:
    """The number of the part that a face belongs to."""
    label, colon, _ = name.partition(":")
    number = label.removeprefix(word)
    return int(number) if colon and label.startswith(word) and number.isdigit() else 0


class Expected:
    """The volume that the booleans of a recipe should leave [m³], by meshes, and the error of that volume.

    Args:
        recipe: the solid to make.
        build: returns the exact shape of a part of it.
        made: the result, if there is one.
        fineness: the size of the bodies divided by the deviation of the meshes.
    """

    def __init__(
        self, recipe: r.Recipe, build: Callable[[r.Recipe], Built], made: Built | None, fineness: float
    ) -> None:
        self._build = build
        self._fineness = fineness
        self._size = np.inf if made is None else size(made.shape)
        self._deviation = 0.0
        self._leaves: dict[tuple[r.Recipe, float], tuple[Any, float, float]] = {}
        self.volume: float | None
        self.doubt = 0.0
        try:
            body = self._body(recipe, 1.0)
            self.volume = float(body.volume())
            self.doubt = min(self.doubt, self._deviation * float(body.surface_area()))
        except WorkcellError:
            self.volume = None  # a mesh that is open or not a manifold cannot be compared

    def agrees(self, built: Built | None, share: float = 1.0) -> bool:
        """Whether a shape, or None, is as large as expected, within a share of the error."""
        if self.volume is None:
            return True
        found = 0.0 if built is None else volume(built)
        return abs(found - self.volume) <= share * self.doubt + _LEAST * self.volume

    def _body(self, recipe: r.Recipe, stretch: float) -> Any:
        if isinstance(recipe, BOOLEANS) and not recipe.fast:
            parts = [self._body(part, stretch) for part in recipe.parts()]
            return fast.combined(type(recipe).__name__.lower(), parts)
        if isinstance(recipe, r.Placed):
            matrix = np.array(recipe.matrix).reshape(3, 4)
            return self._body(recipe.part, stretch * float(np.linalg.norm(matrix[:, :3], 2))).transform(matrix)
        if isinstance(recipe, r.Named):
            return self._body(recipe.part, stretch)
        if (recipe, stretch) not in self._leaves:
            self._leaves[recipe, stretch] = self._leaf(recipe, stretch)
        body, deviation, doubt = self._leaves[recipe, stretch]
        self.doubt += doubt * stretch**3
        self._deviation = max(self._deviation, deviation * stretch)
        return body

    def _leaf(self, recipe: r.Recipe, stretch: float) -> tuple[Any, float, float]:
        """A part before it is stretched by ``stretch``: its mesh, the deviation of that [m], and its volume [m³]."""
        built = self._build(recipe)
        fine = min(size(built.shape), self._size / stretch) / self._fineness
        mesh = derive.mesh(recipe, fine, lambda _node, tolerance: meshing.mesh(built, tolerance))
        if not mesh.closed:
            raise InvalidShape("An open mesh has no volume.")
        body = fast.body(mesh)
        deviation = mesh.deviation * _MARGIN
        known = analytic.properties(recipe)
        if known is not None and deviation:
            # A mesh that is swollen to the volume of the body lies as much outside the body as inside.
            body = body.warp_batch(_swollen(recipe, known.volume / body.volume()))
            deviation *= _SWOLLEN
        return body, deviation, deviation * _curved_area(built)


def _swollen(recipe: r.Recipe, times: float) -> Callable[[Floats], Floats]:
    """Return a function that moves the vertices of a round body outward, for ``times`` its volume; flat faces stay."""
    across = np.array([1.0, 1.0, 0.0])
    if isinstance(recipe, r.Sphere):
        return lambda points: points * times ** (1 / 3)
    if isinstance(recipe, r.Torus):

        def swell(points: Floats) -> Floats:
            away = np.linalg.norm(points * across, axis=1, keepdims=True)
            core = points * across * recipe.ring / away
            return np.asarray(core + (points - core) * math.sqrt(times))

        return swell
    return lambda points: points * np.where(across > 0.0, math.sqrt(times), 1.0)


def volume(built: Built) -> float:
    """The volume [m³], quickly and to about six digits."""
    weighed = GProp_GProps()
    if any(kind_of(face) == "free-form" for face in faces_of(built.shape)):
        # The quick integration is off by up to 4e-3 on rational faces that are partly cut away.
        BRepGProp.VolumeProperties_s(built.shape, weighed, _PRECISE)
    else:
        BRepGProp.VolumeProperties_s(built.shape, weighed)
    return float(weighed.Mass()) / MM**3


def _curved_area(built: Built) -> float:
    """The area of the faces that a mesh cannot follow exactly [m²]."""
    total = 0.0
    for face in faces_of(built.shape):
        if BRepAdaptor_Surface(face).GetType() != GeomAbs_Plane:
            weighed = GProp_GProps()
            BRepGProp.SurfaceProperties_s(face, weighed)
            total += weighed.Mass()
    return total / MM**2
