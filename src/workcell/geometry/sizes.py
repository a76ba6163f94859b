"""The name and the sizes of a solid that is one of the named shapes, read from its recipe."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workcell.errors import InvalidValue
from workcell.geometry import solids
from workcell.geometry.recipe import Box, Cone, Cylinder, Placed, Polyhedron, Recipe, Sphere, Torus
from workcell.geometry.solid import Solid

Sized = tuple[str, tuple[float, ...]]
"""A shape and its sizes [m], in the order of its function in :mod:`workcell.geometry.solids`."""


def sizes_of(recipe: Recipe) -> Sized | None:
    """Return the shape and the sizes of a recipe; None if it is none of the named shapes, or was placed elsewhere."""
    match recipe:
        case Box(x=x, y=y, z=z):
            return "box", (x, y, z)
        case Cylinder(radius=radius, height=height):
            return "cylinder", (radius, height)
        case Cone(radius_bottom=bottom, radius_top=0.0, height=height):
            return "cone", (bottom, height)
        case Cone(radius_bottom=bottom, radius_top=top, height=height):
            return "truncated-cone", (top, bottom, height)
        case Sphere(radius=radius):
            return "sphere", (radius,)
        case Torus() as torus:
            return "torus", (torus.ring, torus.tube)
        case Placed(part=Sphere(radius=1.0), matrix=rows):
            axes = (rows[0], rows[5], rows[10])
            return _if_same("ellipsoid", axes, solids.ellipsoid, recipe)
        case Polyhedron(corners=corners):
            spans = np.ptp(np.array(corners), axis=0)
            x, y, z = (float(f"{span:.12g}") for span in spans)
            wedge = _if_same("wedge", (x, y, z), solids.wedge, recipe)
            return wedge or _if_same("pyramid", (x, y, z), solids.pyramid, recipe)
    return None


def _if_same(shape: str, sizes: tuple[float, ...], make: Callable[..., Solid], recipe: Recipe) -> Sized | None:
    """Return the shape with these sizes if that is what the recipe makes; differences by rounding do not count."""
    try:
        made = make(*sizes).recipe
    except InvalidValue:
        return None
    return (shape, sizes) if _alike(made, recipe) else None


def _alike(one: Recipe, other: Recipe) -> bool:
    if isinstance(one, Polyhedron) and isinstance(other, Polyhedron):
        same = (one.faces, one.names) == (other.faces, other.names) and len(one.corners) == len(other.corners)
        return same and bool(np.allclose(one.corners, other.corners, rtol=1e-9, atol=1e-12))
    return one == other
