"""Riding: a part that goes with a link of a mechanism from the start, as on a conveyor or a turntable.

Kept as properties of the part's relation to the scene: which mechanism carries it, and on which link. The relation's
own transformation is where the part is in the world while the joints are at their initial values.
"""

from __future__ import annotations

from typing import Any

from workcell.world.entities import Entity, Relation

CARRIER, LINK = "rides_on", "rides_link"


def rides(relation: Relation) -> bool:
    """Whether what the relation places rides on a mechanism."""
    return f'"{CARRIER}"' in relation.raw_properties and relation.properties.get(CARRIER) is not None


def riding(carrier: Entity | None, link: int = 0) -> dict[str, Any]:
    """The properties of a relation that rides on a link of a mechanism; of one that does not, without a carrier."""
    return {CARRIER: carrier.key, LINK: link} if carrier is not None else {CARRIER: None, LINK: None}
