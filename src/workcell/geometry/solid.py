"""A solid: a recipe, and all questions about the shape that it makes."""

from __future__ import annotations

import os
import threading
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.awaited import awaited
from workcell.errors import InvalidShape, InvalidValue
from workcell.geometry import analytic, derive, validity
from workcell.geometry import recipe as r
from workcell.geometry.checks import positive
from workcell.geometry.faces import Face, Faces
from workcell.geometry.kernel.cache import MeshCache, default_cache
from workcell.geometry.kernel.requests import (
    CheckRequest,
    FacesRequest,
    MeshRequest,
    PropertiesAnswer,
    PropertiesRequest,
    Request,
    StepRequest,
)
from workcell.geometry.kernel.worker import Progress, default_worker
from workcell.geometry.mesh import DEFAULT_TOLERANCE, Mesh
from workcell.geometry.properties import Properties, of_mesh
from workcell.geometry.step_file import StepFile
from workcell.geometry.validity import Fault
from workcell.spatial.pose import Pose

# Made when the module is loaded: msgspec crashes if two threads make one for the same class for the first time.
_PROPERTIES = msgspec.msgpack.Decoder(PropertiesAnswer)
_FACES = msgspec.msgpack.Decoder(list[Face])
_FAULTS = msgspec.msgpack.Decoder(list[Fault])
_STEP = msgspec.msgpack.Decoder(StepFile)

_BOTTOM = np.array([0.0, 0.0, 0.0, 1.0])


class Solid:
    """An exact solid as a frozen recipe. Creating one costs nothing; questions about its shape start the CAD kernel.

    ``a + b`` unites, ``a - b`` cuts, ``a & b`` intersects. Answers are kept under the recipe's hash, so the same
    question is computed once, also in another session of the same cell.
    """

    __slots__ = ("__dict__", "_recipe")
    _recipe: r.Recipe

    def __init__(self, recipe: r.Recipe) -> None:
        if not isinstance(recipe, r.Node):
            raise InvalidValue(f"A solid is made from a recipe, not from {type(recipe).__name__}.")
        object.__setattr__(self, "_recipe", recipe)

    # ---- identity -------------------------------------------------------------------------------------

    @property
    def recipe(self) -> r.Recipe:
        """The recipe that makes it."""
        return self._recipe

    @cached_property
    def hash(self) -> str:
        """The identity of the shape: hex of the canonical recipe and the kernel's version."""
        return r.recipe_hash(self._recipe)

    @property
    def cache(self) -> MeshCache:
        """The cache for the results of the kernel."""
        found: MeshCache | None = self.__dict__.get("_cache")
        return default_cache() if found is None else found

    def kept_in(self, cache: MeshCache) -> Solid:
        """The same solid, with results of the kernel kept in this cache."""
        if self.__dict__.get("_cache") is cache:
            return self
        other = Solid(self._recipe)
        other.__dict__["_cache"] = cache
        return other

    # ---- other solids from this one -------------------------------------------------------------------

    def _made(self, recipe: r.Recipe) -> Solid:
        """A solid made from this one, with the same cache."""
        return Solid(recipe).kept_in(self.__dict__["_cache"]) if "_cache" in self.__dict__ else Solid(recipe)

    def moved(self, pose: Pose) -> Solid:
        """The solid placed by a pose."""
        return self._made(r.placed(self._recipe, _rows(pose.matrix)))

    def transformed(self, matrix: ArrayLike) -> Solid:
        """The solid under an affine 4×4 matrix: unequal scales, reflections and shears are allowed."""
        m = np.array(matrix, dtype=np.float64)
        if m.shape != (4, 4) or not np.isfinite(m).all():
            raise InvalidValue(f"A transformation must be a finite 4×4 matrix; found shape {m.shape}.")
        if not np.array_equal(m[3], _BOTTOM):
            raise InvalidValue(f"The last row of a transformation must be 0 0 0 1; found {m[3].tolist()}.")
        return self._made(r.placed(self._recipe, _rows(m)))

    def named(self, name: str) -> Solid:
        """The solid with a name that its faces get as a prefix: ``box(…).named("base")`` has the face ``base.top``."""
        return self._made(r.Named(self._recipe, name))

    def __add__(self, other: Solid) -> Solid:
        if not isinstance(other, Solid):
            return NotImplemented
        return self._made(r.united(self._recipe, other._recipe))

    def __sub__(self, other: Solid) -> Solid:
        if not isinstance(other, Solid):
            return NotImplemented
        return self._made(r.cut(self._recipe, other._recipe))

    def __and__(self, other: Solid) -> Solid:
        if not isinstance(other, Solid):
            return NotImplemented
        return self._made(r.intersected(self._recipe, other._recipe))

    # ---- questions ------------------------------------------------------------------------------------

    def mesh(
        self,
        tolerance: float = DEFAULT_TOLERANCE,
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
    ) -> Mesh:
        """Triangles within ``tolerance`` [m] of the exact boundary, with named faces and feature edges."""
        tolerance = positive(tolerance, "A mesh tolerance")

        def exact(recipe: r.Recipe, fineness: float) -> Mesh:
            key = r.recipe_hash(recipe)
            found = self.cache.mesh(key, fineness)
            if found is not None:
                return found

            def made() -> Mesh:
                new = Mesh.from_bytes(default_worker().submit(MeshRequest(recipe, fineness), progress, cancel))
                self.cache.put_mesh(key, fineness, new)
                return new

            return awaited((key, fineness), made)

        key = f"{tolerance:.9g}"
        kept = self.__dict__.setdefault("_meshes", {})
        if key not in kept:
            kept[key] = derive.mesh(self._recipe, tolerance, exact)
        found: Mesh = kept[key]
        return found

    @cached_property
    def properties(self) -> Properties:
        """Volume, area, centroid and inertia for a density of one; ``.with_density(7850)`` sets another."""
        known = analytic.properties(self._recipe)
        if known is not None:
            return known
        if self.is_mesh:
            return of_mesh(self.mesh())
        if isinstance(self._recipe, r.Named):
            return self._made(self._recipe.part).properties
        if isinstance(self._recipe, r.Placed):
            return self._placed_properties(self._recipe)
        return self._asked_properties()

    def _asked_properties(self) -> Properties:
        data = self._derived("properties", PropertiesRequest(self._recipe))
        answer = _PROPERTIES.decode(data)
        return Properties(answer.volume, answer.area, np.array(answer.centroid), np.array(answer.inertia))

    def _placed_properties(self, recipe: r.Placed) -> Properties:
        """Moments follow an affine map exactly; only the area of a stretched boundary must be integrated again."""
        part = self._made(recipe.part).properties
        m = np.array(recipe.matrix).reshape(3, 4)
        linear = m[:, :3]
        size = abs(float(np.linalg.det(linear)))
        scale = size ** (1 / 3)
        similar = np.abs(linear.T @ linear - scale * scale * np.eye(3)).max() <= 1e-12 * scale * scale
        if similar:
            area = part.area * scale * scale
        else:
            known = analytic.stretched_area(recipe.part, linear)
            area = self._asked_properties().area if known is None else known
        second = np.trace(part.inertia) / 2.0 * np.eye(3) - part.inertia
        turned = size * linear @ second @ linear.T
        inertia = np.trace(turned) * np.eye(3) - turned
        return Properties(part.volume * size, area, linear @ part.centroid + m[:, 3], inertia)

    @property
    def is_mesh(self) -> bool:
        """Whether the solid consists of triangles: it was read from a mesh file or made by a fast boolean."""
        recipe = self._recipe
        while isinstance(recipe, r.Placed | r.Named):
            recipe = recipe.part
        return isinstance(recipe, r.Triangles) or (
            isinstance(recipe, r.Union | r.Difference | r.Intersection) and bool(recipe.fast)
        )

    @cached_property
    def faces(self) -> Faces:
        """Every face with its name, centre, normal and outline; ``solid.faces["base.top"]``."""
        data = self._derived("faces", FacesRequest(self._recipe))
        return Faces(_FACES.decode(data))

    def check(self, progress: Progress | None = None, cancel: threading.Event | None = None) -> tuple[Fault, ...]:
        """Every fault that keeps it from being a valid solid, with its place; empty if it is valid."""
        if self.is_mesh:
            return validity.of_mesh(self.mesh())
        try:
            data = self._derived("faults", CheckRequest(self._recipe), progress, cancel)
        except InvalidShape as error:
            return _faults_of(error)
        return tuple(_FAULTS.decode(data))

    @property
    def is_valid(self) -> bool:
        """Whether it is closed, oriented and free of self-crossings."""
        return not self.check()

    def _derived(
        self,
        kind: str,
        request: Request,
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
    ) -> bytes:
        cache = self.cache
        data = cache.get(self.hash, kind)
        if data is not None:
            return data

        def asked() -> bytes:
            answer = default_worker().submit(request, progress, cancel)
            cache.put(self.hash, kind, answer)
            return answer

        return awaited((self.hash, kind), asked)

    def centred(self) -> Solid:
        """The solid moved so that its centre of mass is at the origin, as ROBOSIM makes its shapes."""
        x, y, z = -self.centroid
        return self.moved(Pose.from_xyz(x, y, z))

    def step(self, progress: Progress | None = None, cancel: threading.Event | None = None) -> StepFile:
        """The solid as a STEP file in millimetres, with the loss when it is read again."""
        answer = default_worker().submit(StepRequest(self._recipe), progress, cancel)
        return _STEP.decode(answer)

    def save(
        self,
        path: str | os.PathLike[str],
        tolerance: float = DEFAULT_TOLERANCE,
        unit: str = "mm",
        inexact: bool = False,
    ) -> str:
        """Write it to a file by its ending: .step, .stl, .obj, .glb, .gltf. Return what was written, and the unit.

        An existing file is replaced.

        Args:
            path: the file.
            tolerance: the greatest distance of a mesh from the exact boundary [m].
            unit: the unit of the numbers in an STL or OBJ file; these formats do not contain it.
            inexact: write a STEP file even if more than a millionth of the volume is lost in it.
        """
        from workcell.geometry.formats.writing import save

        return save(self, path, tolerance, unit, inexact)

    @property
    def volume(self) -> float:
        """[m³]."""
        return self.properties.volume

    @property
    def area(self) -> float:
        """The area of the boundary [m²]."""
        return self.properties.area

    @property
    def centroid(self) -> NDArray[np.float64]:
        """(3,) the first moment divided by the volume [m]."""
        return self.properties.centroid

    @property
    def inertia(self) -> NDArray[np.float64]:
        """(3, 3) about the centroid for a density of one [m⁵]."""
        return self.properties.inertia

    # ---- being a value --------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A Solid is a frozen value; make a new one instead of setting {name!r}.")

    def __eq__(self, other: object) -> bool:
        return self._recipe == other._recipe if isinstance(other, Solid) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.hash)

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (r.encode(self._recipe),)

    def __repr__(self) -> str:
        steps = r.steps(self._recipe)
        made = f", {steps} steps" if steps > 1 else ""
        return f"<Solid {type(self._recipe).__name__.lower()}{made}, {self.hash[:8]}>"


def _faults_of(error: InvalidShape) -> tuple[Fault, ...]:
    """The faults in an error, or the error itself as one fault."""
    found = []
    listed = error.evidence.get("faults", ())
    for item in listed if isinstance(listed, tuple | list) else ():
        if isinstance(item, tuple | list) and len(item) > 1 and isinstance(item[1], tuple | list):
            x, y, z = (float(value) for value in item[1])
            found.append(Fault(str(item[0]), (x, y, z), tuple(item[2]) if len(item) > 2 else ()))
    return tuple(found) or (Fault(error.message, (0.0, 0.0, 0.0)),)


def _unpickled(text: bytes) -> Solid:
    return Solid(r.decode(text))


def _rows(matrix: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(value) + 0.0 for value in matrix[:3].reshape(-1))
