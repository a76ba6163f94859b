"""Solids that ROBOSIM can draw exactly: their statements, and the pose that ROTATE and TRANSLATE then give them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.geometry import recipe as r
from workcell.geometry.contour import Polygon
from workcell.geometry.surface import Surface
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]
Line = tuple[str, dict[str, float]]
"""A statement: its word, and its arguments [m]."""
_NEAR = 1e-12
_UPSIDE_DOWN = np.diag([1.0, -1.0, -1.0, 1.0])
_FROM_Y = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
"""Turns the axis of REV-SURFACE, y, into z."""


class ExactForm(NamedTuple):
    """The statements that draw a solid at the origin, and its pose."""

    lines: tuple[Line, ...]
    pose: Pose


class _Local(NamedTuple):
    """A shape before its placement.

    ``place`` is the frame in which ROBOSIM draws it, ``mirror`` an axis of that frame that may be reversed, and
    ``lines`` makes the statements from three factors along the axes; None if the shape does not bear them.
    """

    place: Array
    mirror: int
    lines: Callable[[float, float, float], list[Line] | None]


def exact_form(recipe: r.Recipe) -> ExactForm | None:
    """Return how ROBOSIM draws a solid exactly, or None: then it must be written as polygons."""
    matrix = np.eye(4)
    while isinstance(recipe, r.Placed | r.Named):
        if isinstance(recipe, r.Placed):
            matrix = matrix @ np.vstack([np.array(recipe.matrix).reshape(3, 4), [0.0, 0.0, 0.0, 1.0]])
        recipe = recipe.part
    make = _LOCAL.get(type(recipe))
    local = None if make is None else make(recipe)
    if local is None:
        return None
    frame = matrix @ local.place
    if np.linalg.det(frame[:3, :3]) < 0.0:
        frame[:, local.mirror] *= -1.0
    factors = np.linalg.norm(frame[:3, :3], axis=0)
    axes = frame[:3, :3] / factors
    if np.abs(axes.T @ axes - np.eye(3)).max() > _NEAR * 100:
        return None
    lines = local.lines(*(1.0 if abs(one - 1.0) < _NEAR else float(one) for one in factors))
    return None if lines is None else ExactForm(tuple(lines), Pose.from_rotation(_squared(axes), frame[:3, 3]))


def _squared(axes: Array) -> Array:
    u, _, vt = np.linalg.svd(axes)
    return np.asarray(u @ vt)


def _equal(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-12 * max(a, b)


def _box(one: r.Box) -> _Local:
    return _Local(np.eye(4), 0, lambda x, y, z: [("BOX", {"X": one.x * x, "Y": one.y * y, "Z": one.z * z})])


def _cylinder(one: r.Cylinder) -> _Local:
    def lines(x: float, y: float, z: float) -> list[Line] | None:
        return [("CYLINDER", {"R": one.radius * x, "H": one.height * z})] if _equal(x, y) else None

    return _Local(np.eye(4), 0, lines)


def _cone(one: r.Cone) -> _Local:
    def lines(x: float, y: float, z: float) -> list[Line] | None:
        if not _equal(x, y):
            return None
        high = one.height * z
        if one.radius_top == 0.0 or one.radius_bottom == 0.0:
            return [("CONE", {"R": max(one.radius_bottom, one.radius_top) * x, "H": high})]
        return [("TRUNCATED-CONE", {"R1": one.radius_top * x, "R2": one.radius_bottom * x, "H": high})]

    return _Local(_UPSIDE_DOWN if one.radius_bottom == 0.0 else np.eye(4), 0, lines)


def _sphere(one: r.Sphere) -> _Local:
    def lines(x: float, y: float, z: float) -> list[Line] | None:
        return [("SPHERE", {"R": one.radius * x})] if _equal(x, y) and _equal(x, z) else None

    return _Local(np.eye(4), 0, lines)


def _extrude(one: r.Extrude) -> _Local | None:
    points = _polygon(one.surface)
    x, y, z = one.vector
    if points is None or (x, y) != (0.0, 0.0):
        return None
    place = np.eye(4)
    place[2, 3] = z / 2.0
    return _Local(
        place,
        2,
        lambda a, b, c: [*_strokes(points * (a, b)), ("EXTRUDE-SURFACE", {"Z": abs(z) * c})],
    )


def _revolve(one: r.Revolve) -> _Local | None:
    """The polygon in the frame of the axis: x across it, y along it, if the polygon lies in a plane with the axis."""
    points = _polygon(one.surface)
    if points is None or abs(abs(one.angle) - 2.0 * math.pi) > 1e-12:
        return None
    m = np.array(one.place).reshape(3, 4)
    there = points @ m[:, :2].T + m[:, 3] - np.array(one.point)
    axis = np.array(one.direction) / np.linalg.norm(one.direction)
    along = there @ axis
    across = there - np.outer(along, axis)
    far = across[int(np.linalg.norm(across, axis=1).argmax())]
    x = far / np.linalg.norm(far)
    out = across @ x
    if np.abs(across - np.outer(out, x)).max() > 1e-12 * np.abs(there).max():
        return None
    place = np.eye(4)
    place[:3, :3] = np.column_stack([x, np.cross(axis, x), axis])
    place[:3, 3] = one.point

    def lines(a: float, b: float, c: float) -> list[Line] | None:
        if not _equal(a, c):
            return None
        return [*_strokes(np.column_stack([out * a, along * b])), ("REV-SURFACE", {})]

    return _Local(place @ _FROM_Y, 2, lines)


def _polygon(surface: Surface) -> Array | None:
    """Return the corners of a surface that is one polygon without holes."""
    if len(surface.main) != 1 or surface.holes or not isinstance(surface.main[0], Polygon):
        return None
    return np.array(surface.main[0].corners)


def _strokes(points: Array) -> list[Line]:
    closed = np.vstack([points, points[:1]])
    return [
        ("DRAW" if number else "MOVE", {"X": float(x), "Y": float(y), "Z": 0.0}) for number, (x, y) in enumerate(closed)
    ]


_LOCAL: dict[type, Callable[[Any], _Local | None]] = {
    r.Box: _box,
    r.Cylinder: _cylinder,
    r.Cone: _cone,
    r.Sphere: _sphere,
    r.Extrude: _extrude,
    r.Revolve: _revolve,
}
