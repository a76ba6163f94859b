"""What a relation stores of the face that its child stands on."""

from __future__ import annotations

from workcell.world.entities import Relation

BASE, BASE_ID, HOME = "base", "base_id", "home"
BASE_FACE, BASE_BLOCK = "base_face", "base_block"
FACE, BLOCK = "face", "face_block"
KEPT = (BASE, BASE_ID, BASE_FACE, BASE_BLOCK, FACE, BLOCK, HOME)
"""The properties of a relation that stands on a face."""


def stands(relation: Relation) -> bool:
    """Whether the child of the relation stands on a face."""
    return '"base_face"' in relation.raw_properties and BASE in relation.properties
