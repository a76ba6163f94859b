"""What the cell states about the matter of its things: mass, density, material, magnetism; nothing is guessed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell.world.database import Database
from workcell.world.entities import Entity
from workcell.world.expand import Expander, is_ghost
from workcell.world.matter import NOTHING_STATED, Matter


def matter_of(
    database: Database, expander: Expander, thing: Entity, matrix: NDArray[np.float64] | None = None
) -> Matter:
    """A block, object, tool or gripper as something to weigh, in its own frame or placed by a matrix."""
    return _Reading(database, expander).matter(thing, np.eye(4) if matrix is None else matrix, None, "", "")


class _Reading:
    def __init__(self, database: Database, expander: Expander) -> None:
        self._database, self._expander = database, expander

    def matter(
        self, thing: Entity, matrix: NDArray[np.float64], density: float | None, material: str, fault: str
    ) -> Matter:
        own, of, why = stated_density(self._database, thing)
        if own is not None:
            density, material, fault = own, of, ""
        elif density is None:
            fault = why or fault
        mass = _stated_mass(thing)
        if thing.kind == "block":
            solid = next((solid for _, solid in self._expander.solids(thing, matrix)), None)
            return Matter(thing.name, mass, density, material, fault or NOTHING_STATED, solid)
        parts = tuple(
            self.matter(part, matrix @ relation.matrix, density, material, fault)
            for relation, part in self._expander.parts(thing)
            if part.kind in ("block", "object") and not is_ghost(part)
        )
        # A block that has no solid yet weighs nothing and states nothing.
        parts = tuple(part for part in parts if part.solid is not None or part.parts or part.mass is not None)
        return Matter(thing.name, mass, density if not parts else None, material, fault or NOTHING_STATED, None, parts)


def stated_density(database: Database, thing: Entity) -> tuple[float | None, str, str]:
    """The density that an entity states, itself or by its material [kg/m³]; the material; why there is none."""
    own = thing.properties.get("density")
    if own is not None:
        return float(own), "", ""
    material = str(thing.properties.get("material") or "")
    if not material:
        return None, "", ""
    entity = database.find("material", material)
    if entity is None:
        return None, material, f"is made of {material!r}, a material that the cell does not have"
    density = entity.properties.get("density")
    if density is None:
        return None, material, f"is made of {material!r}, a material without a density"
    return float(density), material, ""


def _stated_mass(thing: Entity) -> float | None:
    # The mass of a tool is called its payload.
    names: tuple[str, ...] = ("mass", "payload") if thing.kind == "tool" else ("mass",)
    return next((float(thing.properties[name]) for name in names if thing.properties.get(name) is not None), None)


def is_ferromagnetic(database: Database, expander: Expander, thing: Entity) -> bool | None:
    """Whether a magnet holds a block or object, with all of its parts; None if the cell does not state it.

    The nearest statement above a block counts: its own, that of its material, or that of the thing that contains it.
    """
    return _magnetic(database, expander, thing, None)


def _magnetic(database: Database, expander: Expander, thing: Entity, above: bool | None) -> bool | None:
    own = thing.properties.get("ferromagnetic")
    if own is None and thing.properties.get("material"):
        material = database.find("material", str(thing.properties["material"]))
        own = None if material is None else material.properties.get("ferromagnetic")
    stated = above if own is None else bool(own)
    if thing.kind == "block":
        return stated
    found = [
        _magnetic(database, expander, part, stated)
        for _, part in expander.parts(thing)
        if part.kind in ("block", "object") and not is_ghost(part)
    ]
    if not found:
        return stated
    return False if False in found else None if None in found else True
