"""Meshes by the structure of a recipe, without the exact kernel where possible."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from workcell.errors import InvalidShape
from workcell.geometry import analytic, fast
from workcell.geometry import recipe as r
from workcell.geometry.emptiness import empty_part, is_empty, nothing_left
from workcell.geometry.mesh import Mesh

Exact = Callable[[r.Recipe, float], Mesh]
"""A function that meshes a recipe exactly: the kernel, here or in its own process, with or without a cache."""


def mesh(recipe: r.Recipe, tolerance: float, exact: Exact) -> Mesh:
    """The mesh of a recipe within a tolerance [m]: formulas for primitives, ``exact`` where the kernel is needed."""
    match recipe:
        case r.Placed():
            # One mesh serves every placement of a part, and stretching a mesh is cheaper than stretching a surface.
            matrix = np.vstack([np.array(recipe.matrix).reshape(3, 4), (0.0, 0.0, 0.0, 1.0)])
            stretch = float(np.linalg.norm(matrix[:3, :3], 2))
            rigid = abs(stretch - 1.0) < 1e-9
            return mesh(recipe.part, tolerance if rigid else tolerance / stretch, exact).transformed(matrix)
        case r.Named():
            part = mesh(recipe.part, tolerance, exact)
            return dataclasses.replace(part, face_names=tuple(f"{recipe.name}.{name}" for name in part.face_names))
        case r.Triangles():
            return recipe.mesh()
        case r.Union() | r.Difference() | r.Intersection() if recipe.fast:
            parts = [_part(recipe, part, exact) for part in recipe.parts()]
            try:
                return fast.boolean(type(recipe).__name__.lower(), parts)
            except InvalidShape as error:
                raise nothing_left(recipe) if is_empty(error) else error from None
    known = analytic.mesh(recipe, tolerance)
    return exact(recipe, tolerance) if known is None else known


def _part(whole: r.Union | r.Difference | r.Intersection, part: r.Recipe, exact: Exact) -> Mesh:
    """The mesh of a part of a fast boolean. An empty part is refused by name."""
    try:
        return mesh(part, whole.fast, exact)
    except InvalidShape as error:
        while isinstance(part, r.Placed | r.Named):
            part = part.part
        raise empty_part(whole, part) if is_empty(error) else error from None
