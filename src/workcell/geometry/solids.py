"""Solids by name, created as ROBOSIM does: centre of mass at the origin, main axis along z."""

from __future__ import annotations

import numpy as np

from workcell.geometry import recipe as r
from workcell.geometry._checks import positive
from workcell.geometry.solid import Solid


def box(x: float, y: float, z: float) -> Solid:
    """A block of three sizes [m]. Faces: top, bottom, front (−y), back (+y), left (−x), right (+x)."""
    return Solid(r.Box(x, y, z))


def cylinder(radius: float, height: float) -> Solid:
    """A cylinder of radius and height [m]. Faces: side, top, bottom."""
    return Solid(r.Cylinder(radius, height))


def cone(radius: float, height: float) -> Solid:
    """A cone, apex up, of base radius and height [m]. Faces: side, bottom."""
    return Solid(r.Cone(positive(radius, "The radius of a cone"), 0.0, height))


def truncated_cone(radius_top: float, radius_bottom: float, height: float) -> Solid:
    """A truncated cone of two radii and height [m]. Faces: side, top, bottom."""
    if radius_top == radius_bottom:
        return cylinder(radius_top, height)
    return Solid(r.Cone(radius_bottom, radius_top, height))


def sphere(radius: float) -> Solid:
    """A sphere of a radius [m]. Face: surface."""
    return Solid(r.Sphere(radius))


def ellipsoid(a: float, b: float, c: float) -> Solid:
    """An ellipsoid of three half axes along x, y, z [m]. Face: surface."""
    axes = [positive(value, "A half axis of an ellipsoid") for value in (a, b, c)]
    return sphere(1.0).transformed(np.diag([*axes, 1.0]))


def torus(ring: float, tube: float) -> Solid:
    """A ring about z of two radii [m]. Face: surface."""
    return Solid(r.Torus(ring, tube))
