"""Assemblies as files keep them: parts, each once, and where instances of them stand."""

from __future__ import annotations

import msgspec

from workcell.geometry.recipe import Recipe

Rgb = tuple[float, float, float]
_IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


class AssemblyPart(msgspec.Struct, frozen=True):
    """A shape that an assembly uses, once or more often, in its own frame."""

    name: str
    recipe: Recipe
    colour: Rgb | None = None


class Instance(msgspec.Struct, frozen=True):
    """A part in its place: the number of the part, a name, and the upper three rows of the pose [m]."""

    part: int
    name: str
    matrix: tuple[float, ...] = _IDENTITY
    colour: Rgb | None = None


class Assembly(msgspec.Struct, frozen=True):
    """Parts and their instances; sub-assemblies are laid open, their placements multiplied out."""

    name: str
    parts: tuple[AssemblyPart, ...]
    instances: tuple[Instance, ...]
