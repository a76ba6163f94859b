"""An entity and a relation, as values read from the database."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.spatial.transform import Transform, unpacked
from workcell.wording import quoted
from workcell.world.ids import id_text

_decode_properties = msgspec.json.Decoder(dict[str, Any]).decode


class Entity(msgspec.Struct, frozen=True, gc=False):
    """Something that exists: one row of the table ``entity``."""

    id: int
    kind: str
    name: str
    description: str
    colour: str | None
    movable: int
    shape: str | None
    """The recipe (JSON) for what has a shape of its own."""
    raw_properties: str

    @property
    def properties(self) -> dict[str, Any]:
        """Its own properties, in SI."""
        return _decode_properties(self.raw_properties)

    @property
    def reference(self) -> str:
        """How a command names it without doubt: ``block:cube1``."""
        return f"{self.kind}:{quoted(self.name)}"

    @property
    def key(self) -> str:
        """The id as text."""
        return id_text(self.id)


class Relation(msgspec.Struct, frozen=True, gc=False):
    """A named relation from an entity to one of its parts: one row of the table ``relation``."""

    id: int
    kind: str
    name: str
    parent: int
    child: int
    position: int
    form: str
    """The transformation as typed (JSON)."""
    packed: bytes
    description: str
    raw_properties: str

    @property
    def properties(self) -> dict[str, Any]:
        """Its own properties, in SI."""
        return _decode_properties(self.raw_properties)

    @property
    def transform(self) -> Transform:
        """The transformation as typed."""
        return Transform.from_json(self.form)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The 4×4 matrix of the child in the parent, read-only."""
        return unpacked(self.packed)

    @property
    def key(self) -> str:
        """The id as text."""
        return id_text(self.id)


ENTITY_COLUMNS = ("id", "kind", "name", "description", "colour", "movable", "shape", "properties")
RELATION_COLUMNS = (
    "id", "kind", "name", "parent", "child", "position", "form", "matrix", "description", "properties",
)  # fmt: skip
