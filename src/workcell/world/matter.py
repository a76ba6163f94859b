"""Things to weigh: their solids, and the data from which their masses follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from workcell.errors import WorkcellError
from workcell.geometry.properties import Properties, of_assembly
from workcell.geometry.solid import Solid
from workcell.robots.payload import Load
from workcell.world.identity import Value

NOTHING_STATED = "has no mass, density or material"
_LISTED = 3


@dataclass(frozen=True)
class Matter(Value):
    """A thing to weigh: a solid or parts, and the data for its mass. Nothing is computed before it is requested.

    Attributes:
        name: the name of the entity.
        mass: the mass that the cell states [kg], or None.
        density: the density of its solid [kg/m³], its own or that of the thing that contains it; None if there is none.
        material: the name of the material with that density, or ''.
        fault: why there is neither, as the end of a sentence about it.
        solid: the solid of a block, in the frame of the whole.
        parts: the parts of anything else.
    """

    name: str
    mass: float | None = None
    density: float | None = None
    material: str = ""
    fault: str = NOTHING_STATED
    solid: Solid | None = None
    parts: tuple[Matter, ...] = ()

    @cached_property
    def weighed(self) -> tuple[Properties | None, tuple[str, ...]]:
        """The properties of the whole, None without a solid; and the names of the blocks without a known mass.

        If one is not known, all count with a density of one, so that volume and centroid can be read.
        """
        whole, unknown = self._assembled
        return (whole, unknown) if whole is None or self.mass is None else (whole.with_mass(self.mass), ())

    @cached_property
    def _assembled(self) -> tuple[Properties | None, tuple[str, ...]]:
        """The same, before a mass that is stated for the whole is applied."""
        if self.solid is not None:
            properties = self.solid.properties
            return (properties, (self.name,)) if self.density is None else (properties.with_density(self.density), ())
        found = [part.weighed for part in self.parts]
        solid = [properties for properties, _ in found if properties is not None]
        unknown = tuple(dict.fromkeys(name for _, names in found for name in names))
        if not solid:
            return None, unknown
        return of_assembly([one.with_density(1.0) for one in solid] if unknown else solid), unknown

    @cached_property
    def load(self) -> Load:
        """It as a load of an arm; a mass that cannot be computed is not known, with the reason."""
        if self.mass is None and (without := [leaf for leaf in self._leaves() if not leaf._stated]):
            faults = dict.fromkeys(f"{leaf.name} {leaf.fault}" for leaf in without)
            return Load(self.name, None, None, "; ".join(list(faults)[:_LISTED]))
        try:
            whole, _ = self._assembled
        except WorkcellError as error:
            if self.mass is not None:
                return Load(self.name, self.mass, None, "stated")
            return Load(self.name, None, None, f"its shape cannot be weighed: {str(error).rstrip('.')}")
        if whole is None:
            return Load(self.name, self.mass, None, "stated" if self.mass is not None else f"{self.name} {self.fault}")
        x, y, z = whole.centroid.tolist()
        return Load(self.name, whole.mass if self.mass is None else self.mass, (x, y, z), self._source)

    @property
    def _stated(self) -> bool:
        return self.mass is not None or self.density is not None

    def _leaves(self) -> Iterator[Matter]:
        """The blocks, and things that state a mass for everything below them."""
        if self.solid is not None or (self.mass is not None and self.parts) or not self.parts:
            yield self
            return
        for part in self.parts:
            yield from part._leaves()

    @property
    def _source(self) -> str:
        if self.mass is not None:
            return "stated"
        volumes: dict[str, float] = {}
        stated = 0.0
        for leaf in self._leaves():
            properties, _ = leaf.weighed
            if leaf.mass is not None:
                stated += leaf.mass
            elif properties is not None:
                of = f" of {leaf.material}" if leaf.material else ""
                kind = f"dm³{of} at {leaf.density:.6g} kg/m³"
                volumes[kind] = volumes.get(kind, 0.0) + properties.volume
        terms = [f"{volume * 1e3:.4g} {kind}" for kind, volume in volumes.items()]
        terms += [f"{stated:.4g} kg stated"] if stated else []
        return " + ".join(terms[:_LISTED]) + (f" and {len(terms) - _LISTED} more" if len(terms) > _LISTED else "")
