"""The forms of link shapes: tubes, balls, boxes, slabs, placed in a link's frame."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.geometry import solids
from workcell.geometry.solid import Solid
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import finite, unit

Vector = NDArray[np.float64]


def tube(start: ArrayLike, end: ArrayLike, r_start: float, r_end: float | None = None) -> Solid:
    """A round bar from ``start`` to ``end`` [m], tapered if the two radii [m] differ."""
    a, b = finite(start, (3,), "The start of a tube"), finite(end, (3,), "The end of a tube")
    length = float(np.linalg.norm(b - a))
    if length < 1e-9:
        raise InvalidValue("A tube needs two different ends.")
    rotation = _frame_along(b - a)
    far = r_start if r_end is None else r_end
    if abs(far - r_start) < 1e-9:
        return solids.cylinder(r_start, length).moved(Pose.from_rotation(rotation, (a + b) / 2.0))
    # A cone has its centre of mass at the origin, as ROBOSIM places it.
    centre = length * (r_start**2 + 2.0 * r_start * far + 3.0 * far**2) / (4.0 * (r_start**2 + r_start * far + far**2))
    place = Pose.from_rotation(rotation, a + rotation[:, 2] * centre)
    return solids.truncated_cone(far, r_start, length).moved(place)


def ball(centre: ArrayLike, radius: float) -> Solid:
    """A sphere [m]."""
    x, y, z = finite(centre, (3,), "The centre of a ball")
    return solids.sphere(radius).moved(Pose.from_xyz(x, y, z))


def box(centre: ArrayLike, size: ArrayLike) -> Solid:
    """A block along the axes of the link's frame [m]."""
    x, y, z = finite(centre, (3,), "The centre of a box")
    width, depth, height = finite(size, (3,), "The size of a box")
    return solids.box(width, depth, height).moved(Pose.from_xyz(x, y, z))


def slab(
    start: ArrayLike, end: ArrayLike, r_start: float, r_end: float, *, thickness: float, normal: ArrayLike
) -> Solid:
    """A plate around two circles and between their outer tangents, like the links of a Puma [m].

    A drum at each end, and between them the trapezium between both tangents, cut out of three blocks.
    """
    a, b = finite(start, (3,), "The start of a slab"), finite(end, (3,), "The end of a slab")
    across = unit(normal, "the normal of a slab")
    along = b - a
    length = float(np.linalg.norm(along))
    if length <= abs(r_start - r_end) + 1e-9 or abs(float(along @ across)) > 1e-9 * length:
        raise InvalidValue(
            "A slab needs two circles, neither inside the other, and a normal across the line between them."
        )
    half = across * (thickness / 2.0)
    x = along / length
    place = Pose.from_rotation(np.column_stack([x, np.cross(across, x), across]), a)
    sine = (r_start - r_end) / length
    low, high = r_start * sine, length + r_end * sine
    size = 4.0 * (length + r_start + r_end)
    middle = Pose.from_xyz((low + high) / 2.0, 0.0, 0.0)
    plate = solids.box(high - low, size, thickness).moved(place @ middle)
    for side in (1.0, -1.0):
        # A large block whose outer side is the tangent at distance r_start from the first centre.
        turn = Pose.from_axis_angle((0.0, 0.0, 1.0), -side * math.asin(sine))
        under = turn @ Pose.from_xyz(0.0, side * (r_start - size / 2.0), 0.0)
        plate = plate & solids.box(size, size, thickness).moved(place @ under)
    return tube(a - half, a + half, r_start) + tube(b - half, b + half, r_end) + plate


def _frame_along(direction: Vector) -> Vector:
    """A rotation whose z axis has this direction; its x axis is arbitrary."""
    z = unit(direction, "the direction of a tube")
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    y = unit(np.cross(z, helper), "the side of a tube")
    return np.column_stack([np.cross(y, z), y, z])
