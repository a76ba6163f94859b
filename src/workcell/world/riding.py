"""Riding: a part that moves with a link of a mechanism from the start, as on a conveyor or a turntable.

Stored as properties of the part's relation to the scene: the mechanism that carries it, and the link. The relation's
own transformation is the pose of the part in the world while the joints have their initial values.
"""

from __future__ import annotations

from typing import Any

from workcell.world.entities import Entity, Relation

CARRIER, LINK = "rides_on", "rides_link"


def rides(relation: Relation) -> bool:
    """Whether the child of the relation rides on a mechanism."""
    return f'"{CARRIER}"' in relation.raw_properties and relation.properties.get(CARRIER) is not None


def riding(carrier: Entity | None, link: int = 0) -> dict[str, Any]:
    """The properties of a relation that rides on a link of a mechanism; without a carrier, of one that does not."""
    return {CARRIER: carrier.key, LINK: link} if carrier is not None else {CARRIER: None, LINK: None}
