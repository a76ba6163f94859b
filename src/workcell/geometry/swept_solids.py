"""Recipes of solids that a moving surface makes: straight, about an axis, along a curve."""

from __future__ import annotations

import math

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidShape, InvalidValue
from workcell.geometry.checks import coordinates, in_mm, number, numbers
from workcell.geometry.primitives import Node
from workcell.geometry.surface import Surface
from workcell.geometry.sweep import PDCurve, check_folding

Floats = NDArray[np.float64]
_set = msgspec.structs.force_setattr


class Extrude(Node, frozen=True, tag="extrude"):
    """A surface moved along a vector [m]. Faces: bottom, top, side1… (side for a circle), hole1 and so on."""

    surface: Surface
    vector: tuple[float, float, float]

    def __post_init__(self) -> None:
        x, y, z = coordinates(self.vector, 3, "The vector of an extrusion")
        _set(self, "vector", (x, y, z))
        if abs(z) <= 1e-9 * math.sqrt(x * x + y * y + z * z) or z == 0.0:
            raise InvalidValue("The vector of an extrusion must leave the plane of the surface: its z is zero.")


class Revolve(Node, frozen=True, tag="revolve"):
    """A placed surface turned about an axis. Faces: side1…, hole1…, and start and end unless it is a full turn."""

    surface: Surface
    place: tuple[float, ...]
    point: tuple[float, float, float]
    direction: tuple[float, float, float]
    angle: float

    def __post_init__(self) -> None:
        _set(self, "place", numbers(self.place, 12, "A placement"))
        _set(self, "point", coordinates(self.point, 3, "A point of the axis"))
        _set(self, "direction", numbers(self.direction, 3, "The direction of the axis"))
        _set(self, "angle", number(self.angle, "The angle of a revolution"))
        if self.direction == (0.0, 0.0, 0.0):
            raise InvalidValue("The axis of a revolution is the zero vector, which has no direction.")
        if not 1e-6 <= abs(self.angle) <= 2.0 * math.pi + 1e-12:
            raise InvalidValue(
                f"The angle of a revolution must be more than 0° and at most 360°; found {math.degrees(self.angle):g}°."
            )
        self._check_axis()

    def _check_axis(self) -> None:
        """Refuse an axis that leaves the surface in its plane, or that moves one part of it forward and another back.

        A point moves perpendicular to the surface at a speed that equals its distance from the axis along the normal.
        """
        m = np.array(self.place).reshape(3, 4)
        axis = np.array(self.direction) / np.linalg.norm(self.direction)
        across = np.cross(m[:, 2], axis)
        if float(np.linalg.norm(across)) <= 1e-9 * float(np.linalg.norm(m[:, 2])):
            raise InvalidValue(
                "The axis of a revolution is perpendicular to the surface, so nothing is swept; give an axis in the "
                "plane of the surface, or one that is inclined to it."
            )
        for loop in self.surface.loops()[: len(self.surface.main)]:
            points = loop @ m[:, :2].T + m[:, 3]
            side = (points - np.array(self.point)) @ across
            slack = 1e-9 * float(np.abs(side).max())
            if side.min() < -slack and side.max() > slack:
                where = _crossing(points, side)
                raise InvalidShape(
                    f"The main contour crosses the axis of revolution near {in_mm(where)}, so the solid would cross "
                    "itself; keep it on one side.",
                    faults=(("crossing faces", where),),
                )


def _crossing(points: Floats, side: Floats) -> tuple[float, float, float]:
    """Where a closed line of points first comes to the other side: the place where ``side`` is zero."""
    ahead = np.roll(side, -1)
    i = int(np.flatnonzero((side > 0.0) != (ahead > 0.0))[0])
    x, y, z = points[i] + (np.roll(points, -1, axis=0)[i] - points[i]) * (side[i] / (side[i] - ahead[i]))
    return float(x), float(y), float(z)


class Sweep(Node, frozen=True, tag="sweep"):
    """A surface moved along a PD curve. Faces: start, end, side1…, hole1 and so on."""

    surface: Surface
    path: PDCurve

    def __post_init__(self) -> None:
        check_folding(self.path, np.concatenate(self.surface.loops(0.3)))
