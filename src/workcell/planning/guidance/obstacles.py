"""What an arm keeps away from: spheres, cylinders, triangles, and solids made of them (Loeff 1973, appendix)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Point: TypeAlias = tuple[float, float, float]

_SPHERE, _CYLINDER, _TRIANGLE = 0.0, 1.0, 2.0
_WIDTH = 12
"""Numbers in a row of an element: kind, nothing, radius, and three points."""


def point(given: ArrayLike, what: str) -> Point:
    """Return three finite numbers as a point."""
    found = np.asarray(given, dtype=float)
    if found.shape != (3,) or not np.all(np.isfinite(found)):
        raise InvalidValue(f"{what} is a point of three finite numbers; found {np.asarray(given).tolist()!r}.")
    return float(found[0]), float(found[1]), float(found[2])


def _radius(given: float, what: str) -> float:
    if not math.isfinite(given) or given < 0.0:
        raise InvalidValue(f"The radius of {what} is zero or more and finite; found {given!r}.")
    return float(given)


@dataclass(frozen=True)
class Sphere:
    """A sphere; a point where its radius is zero."""

    centre: Point
    radius: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", point(self.centre, "The centre of a sphere"))
        _radius(self.radius, "a sphere")

    def rows(self) -> Iterator[list[float]]:
        """Yield its elements as rows of numbers."""
        yield [_SPHERE, 0.0, self.radius, *self.centre, *[0.0] * 6]

    def moved(self, by: ArrayLike) -> Sphere:
        """Return it somewhere else."""
        return replace(self, centre=_shifted(self.centre, by))


@dataclass(frozen=True)
class Cylinder:
    """A cylinder about the segment from ``a`` to ``b``; an edge where its radius is zero."""

    a: Point
    b: Point
    radius: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", point(self.a, "An end of a cylinder's axis"))
        object.__setattr__(self, "b", point(self.b, "An end of a cylinder's axis"))
        _radius(self.radius, "a cylinder")
        if self.a == self.b:
            raise InvalidValue("The axis of a cylinder has two different ends; use a sphere for a point.")

    def rows(self) -> Iterator[list[float]]:
        """Yield its elements as rows of numbers."""
        yield [_CYLINDER, 0.0, self.radius, *self.a, *self.b, *[0.0] * 3]

    def moved(self, by: ArrayLike) -> Cylinder:
        """Return it somewhere else."""
        return replace(self, a=_shifted(self.a, by), b=_shifted(self.b, by))


@dataclass(frozen=True)
class Triangle:
    """A triangle of a surface; seen from outside its corners go round anticlockwise. It pushes only outwards."""

    a: Point
    b: Point
    c: Point

    def __post_init__(self) -> None:
        for name in ("a", "b", "c"):
            object.__setattr__(self, name, point(getattr(self, name), "A corner of a triangle"))
        sides = np.cross(np.subtract(self.b, self.a), np.subtract(self.c, self.a))
        if not np.linalg.norm(sides) > 0.0:
            raise InvalidValue("The corners of a triangle are not on one line.")

    def rows(self) -> Iterator[list[float]]:
        """Yield its elements as rows of numbers."""
        yield [_TRIANGLE, 0.0, 0.0, *self.a, *self.b, *self.c]

    def moved(self, by: ArrayLike) -> Triangle:
        """Return it somewhere else."""
        return Triangle(_shifted(self.a, by), _shifted(self.b, by), _shifted(self.c, by))


Element: TypeAlias = Sphere | Cylinder | Triangle


@dataclass(frozen=True)
class Solid:
    """Elements of one body; the greatest of their influences counts."""

    elements: tuple[Element, ...]

    def __post_init__(self) -> None:
        if not self.elements:
            raise InvalidValue("A solid has at least one element.")

    @classmethod
    def of_mesh(cls, vertices: ArrayLike, triangles: ArrayLike) -> Solid:
        """Return the solid of a closed mesh: its faces, its edges as thin cylinders, its corners as points."""
        corners, faces = np.asarray(vertices, dtype=float), np.asarray(triangles, dtype=int)
        if corners.ndim != 2 or corners.shape[1:] != (3,) or faces.ndim != 2 or faces.shape[1:] != (3,):
            raise InvalidValue(f"A mesh has corners (n, 3) and triangles (m, 3); found {corners.shape}, {faces.shape}.")
        points = [point(one, "A corner of a mesh") for one in corners]
        edges = sorted({tuple(sorted((int(f[k]), int(f[(k + 1) % 3])))) for f in faces for k in range(3)})
        return cls(
            (
                *(Triangle(points[i], points[j], points[k]) for i, j, k in faces),
                *(Cylinder(points[i], points[j]) for i, j in edges),
                *(Sphere(points[i]) for i in sorted({int(i) for i in faces.ravel()})),
            )
        )

    @classmethod
    def tetrahedron(cls, corners: ArrayLike) -> Solid:
        """Return the solid between four corners, in any order."""
        p = np.asarray(corners, dtype=float)
        if p.shape != (4, 3) or not np.all(np.isfinite(p)):
            raise InvalidValue(f"A tetrahedron has four corners; found {np.asarray(corners).tolist()!r}.")
        volume = float(np.dot(np.cross(p[1] - p[0], p[2] - p[0]), p[3] - p[0]))
        if volume == 0.0:
            raise InvalidValue("The corners of a tetrahedron are not in one plane.")
        faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
        return cls.of_mesh(p, faces if volume > 0.0 else [(i, k, j) for i, j, k in faces])

    def rows(self) -> Iterator[list[float]]:
        """Yield its elements as rows of numbers."""
        for one in self.elements:
            yield from one.rows()

    def moved(self, by: ArrayLike) -> Solid:
        """Return it somewhere else."""
        return Solid(tuple(one.moved(by) for one in self.elements))


Obstacle: TypeAlias = Sphere | Cylinder | Triangle | Solid


@dataclass(frozen=True)
class Moving:
    """An obstacle that moves at a constant velocity from time zero on."""

    obstacle: Obstacle
    velocity: Point

    def __post_init__(self) -> None:
        object.__setattr__(self, "velocity", point(self.velocity, "The velocity of an obstacle"))

    def at(self, time: float) -> Obstacle:
        """Return the obstacle where it is at a time."""
        return self.obstacle.moved(np.multiply(self.velocity, time))


@dataclass(frozen=True, eq=False)
class Packed:
    """Obstacles as the compiled step reads them.

    Attributes:
        rows: one for each element (m, 12).
        groups: where the elements of each obstacle begin, and where the last one's end (k+1,).
    """

    rows: Array
    groups: Ints

    @classmethod
    def of(cls, obstacles: Sequence[Obstacle]) -> Packed:
        """Return the obstacles as numbers."""
        rows: list[list[float]] = []
        groups = [0]
        for one in obstacles:
            rows.extend(one.rows())
            groups.append(len(rows))
        return cls(np.array(rows, dtype=float).reshape(-1, _WIDTH), np.array(groups, dtype=np.int64))


def mesh_rows(triangles: Array) -> Array:
    """Return the elements of a mesh (k, 3, 3) as rows: faces, edges as thin cylinders, corners as points."""
    corners, places = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    faces = places.reshape(-1, 3)
    edges = np.unique(np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1), axis=0)
    edges = edges[edges[:, 0] != edges[:, 1]]
    out = np.zeros((len(faces) + len(edges) + len(corners), _WIDTH))
    out[: len(faces), 0] = _TRIANGLE
    out[: len(faces), 3:] = triangles.reshape(-1, 9)
    second = out[len(faces) : len(faces) + len(edges)]
    second[:, 0], second[:, 3:6], second[:, 6:9] = _CYLINDER, corners[edges[:, 0]], corners[edges[:, 1]]
    last = out[len(faces) + len(edges) :]
    last[:, 0], last[:, 3:6] = _SPHERE, corners
    return out


def _shifted(given: Point, by: ArrayLike) -> Point:
    found = np.add(given, np.asarray(by, dtype=float))
    return float(found[0]), float(found[1]), float(found[2])
