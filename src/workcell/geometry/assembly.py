"""Assemblies as files keep them: each part and group once, and where instances of them stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.geometry.recipe import Recipe

Floats = NDArray[np.float64]
Rgb = tuple[float, float, float]
_IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


class AssemblyPart(msgspec.Struct, frozen=True):
    """A shape that an assembly uses, once or more often, in its own frame."""

    name: str
    recipe: Recipe
    colour: Rgb | None = None


class Instance(msgspec.Struct, frozen=True):
    """A part or a group in its place.

    Attributes:
        part: the number of the part, or of the group.
        name: the name of this instance.
        matrix: the upper three rows of its pose [m], in the frame of what holds it.
        colour: the colour of everything below it that gets none from a nearer instance.
        group: whether ``part`` is the number of a group.
        opacity: the opacity of a part; below 1, it is drawn translucent.
    """

    part: int
    name: str
    matrix: tuple[float, ...] = _IDENTITY
    colour: Rgb | None = None
    group: bool = False
    opacity: float = 1.0

    @property
    def pose(self) -> Floats:
        """Its place as a 4×4 matrix."""
        return np.vstack([np.array(self.matrix).reshape(3, 4), (0.0, 0.0, 0.0, 1.0)])


class AssemblyGroup(msgspec.Struct, frozen=True):
    """A sub-assembly: instances of parts and of other groups, in its own frame."""

    name: str
    instances: tuple[Instance, ...]
    colour: Rgb | None = None


class Leaf(NamedTuple):
    """A part where it stands in the whole assembly: the names down to it, its 4×4 matrix and its colour."""

    part: AssemblyPart
    path: tuple[str, ...]
    matrix: Floats
    colour: Rgb | None


class Assembly(msgspec.Struct, frozen=True):
    """A tree: its top instances, and the parts and groups that they use. A group never contains itself."""

    name: str
    parts: tuple[AssemblyPart, ...]
    instances: tuple[Instance, ...]
    groups: tuple[AssemblyGroup, ...] = ()

    def leaves(self) -> Iterator[Leaf]:
        """Every part in every place. The colour of the nearest instance wins, then a group's, then the part's own."""
        yield from self._below(self.instances, np.eye(4), None, ())

    @property
    def used(self) -> tuple[int, ...]:
        """The numbers of the parts that have a place, each once, in the order of :meth:`leaves`."""
        found: dict[int, None] = {}
        seen: set[int] = set()
        waiting = [*reversed(self.instances)]
        while waiting:
            one = waiting.pop()
            if not one.group:
                found.setdefault(one.part)
            elif one.part not in seen:
                seen.add(one.part)
                waiting += reversed(self.groups[one.part].instances)
        return tuple(found)

    def _below(
        self, instances: tuple[Instance, ...], matrix: Floats, colour: Rgb | None, path: tuple[str, ...]
    ) -> Iterator[Leaf]:
        for one in instances:
            place, shown, names = matrix @ one.pose, one.colour or colour, (*path, one.name)
            if one.group:
                group = self.groups[one.part]
                yield from self._below(group.instances, place, shown or group.colour, names)
            else:
                part = self.parts[one.part]
                yield Leaf(part, names, place, shown or part.colour)


def rows_of(matrix: Floats) -> tuple[float, ...]:
    """The upper three rows of a 4×4 matrix, as instances keep them."""
    return tuple(float(value) + 0.0 for value in matrix[:3].reshape(-1))


def split(matrix: Floats, rounding: float = 1e-9) -> tuple[Floats, Floats]:
    """Split a matrix into a rigid 4×4 matrix and the remaining scale, shear and mirror, which has no translation.

    A scale within ``rounding`` of 1 counts as 1.
    """
    linear = matrix[:3, :3]
    u, sizes, vt = np.linalg.svd(linear)
    turn = u @ vt
    mirrored = np.linalg.det(turn) < 0.0
    if mirrored:
        turn = -turn
    rigid, rest = np.eye(4), np.eye(4)
    rigid[:3, 3] = matrix[:3, 3]
    plain = not mirrored and np.abs(sizes - 1.0).max() < rounding
    exact = plain and np.abs(linear.T @ linear - np.eye(3)).max() < 1e-12
    rigid[:3, :3] = linear if exact else turn
    if not plain:
        rest[:3, :3] = turn.T @ linear
    return rigid, rest


class Builder:
    """Puts an assembly together; equal groups become one."""

    def __init__(self) -> None:
        self.parts: list[AssemblyPart] = []
        self.groups: list[AssemblyGroup] = []
        self._numbers: dict[AssemblyGroup, int] = {}

    def part(self, part: AssemblyPart) -> int:
        """Add a part and return its number."""
        self.parts.append(part)
        return len(self.parts) - 1

    def group(self, group: AssemblyGroup) -> int:
        """Return the number of a group; an equal group that exists is used again."""
        if group not in self._numbers:
            self._numbers[group] = len(self.groups)
            self.groups.append(group)
        return self._numbers[group]

    def made(self, name: str, instances: list[Instance]) -> Assembly:
        """The assembly; if one group is all of it, that group becomes the assembly."""
        if len(instances) == 1 and instances[0].group and instances[0].matrix == _IDENTITY:
            top = self.groups[instances[0].part]
            shown = instances[0].colour or top.colour
            if shown is None and instances[0].part == len(self.groups) - 1:
                return Assembly(name or top.name, tuple(self.parts), top.instances, tuple(self.groups[:-1]))
        return Assembly(name, tuple(self.parts), tuple(instances), tuple(self.groups))
