"""The shapes that recipes begin with: box, cylinder, cone, sphere and torus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from workcell.errors import InvalidValue
from workcell.geometry.checks import number, size

if TYPE_CHECKING:
    from workcell.geometry.recipe import Recipe

_set = msgspec.structs.force_setattr


class Node(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True, omit_defaults=True):
    """One step of a recipe."""

    def parts(self) -> tuple[Recipe, ...]:
        """The recipes that this one uses."""
        return ()


class Box(Node, frozen=True, tag="box"):
    """A block with its centre at the origin. Faces: top, bottom, front (−y), back (+y), left (−x), right (+x)."""

    x: float
    y: float
    z: float

    def __post_init__(self) -> None:
        _set(self, "x", size(self.x, "The x size of a box"))
        _set(self, "y", size(self.y, "The y size of a box"))
        _set(self, "z", size(self.z, "The z size of a box"))


class Cylinder(Node, frozen=True, tag="cylinder"):
    """A cylinder about the z axis with its centre at the origin. Faces: side, top, bottom."""

    radius: float
    height: float

    def __post_init__(self) -> None:
        _set(self, "radius", size(self.radius, "The radius of a cylinder"))
        _set(self, "height", size(self.height, "The height of a cylinder"))


class Cone(Node, frozen=True, tag="cone"):
    """A cone about the z axis, truncated unless one radius is zero, with its centre of mass at the origin.

    Faces: side, and top and bottom if their radius is not zero.
    """

    radius_bottom: float
    radius_top: float
    height: float

    def __post_init__(self) -> None:
        _set(self, "height", size(self.height, "The height of a cone"))
        for end in ("radius_bottom", "radius_top"):
            value = number(getattr(self, end), f"The {end.replace('_', ' at the ')} of a cone")
            if value != 0.0:
                value = size(value, f"The {end.replace('_', ' at the ')} of a cone")
            _set(self, end, value)
        if self.radius_bottom == self.radius_top:
            raise InvalidValue(
                "A cone with equal radii is a cylinder (or nothing). Make a cylinder, or give two different radii.",
                radius=self.radius_top,
            )

    @property
    def base_z(self) -> float:
        """The height of the bottom when the centre of mass is at the origin [m]."""
        b, t = self.radius_bottom, self.radius_top
        return -self.height * (b * b + 2.0 * b * t + 3.0 * t * t) / (4.0 * (b * b + b * t + t * t))


class Sphere(Node, frozen=True, tag="sphere"):
    """A sphere with its centre at the origin. Face: surface."""

    radius: float

    def __post_init__(self) -> None:
        _set(self, "radius", size(self.radius, "The radius of a sphere"))


class Torus(Node, frozen=True, tag="torus"):
    """A ring about the z axis with its centre at the origin. Face: surface."""

    ring: float
    tube: float

    def __post_init__(self) -> None:
        _set(self, "ring", size(self.ring, "The ring radius of a torus"))
        _set(self, "tube", size(self.tube, "The tube radius of a torus"))
        if self.tube >= self.ring:
            raise InvalidValue(
                f"The tube radius of a torus must be smaller than its ring radius, so that it does not cross itself; "
                f"found tube {self.tube * 1e3:g} and ring {self.ring * 1e3:g} mm.",
                tube=self.tube,
                ring=self.ring,
            )
