"""The picture of a cell that clients hold: tables of bodies, things, robots and zones, by id.

Ids follow from the rows of the database, so that a thing keeps its id under another name, in another place of a list,
and after undo and redo:

==========  ==========================================================================================
``b12``     the object that relation 12 places in the scene, as a body
``r12.5``   robot or mechanism 5, placed by relation 12 or mounted on what that places
``r12.5/…`` a link or finger of that robot, as a body
``z12``     the zone that relation 12 places
``o7`` …    entity 7: an object, and in the same way a machine, station, sensor, program or view
==========  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import msgspec

from workcell.service import protocol

Info = TypeVar("Info", protocol.BodyInfo, protocol.NodeInfo, protocol.RobotInfo, protocol.ZoneInfo)
TABLES: dict[str, tuple[type, type]] = {
    "bodies": (protocol.BodyChange, protocol.BodyDifference),
    "nodes": (protocol.NodeChange, protocol.NodeDifference),
    "robots": (protocol.RobotChange, protocol.RobotDifference),
    "zones": (protocol.ZoneChange, protocol.ZoneDifference),
}
"""The tables of a picture, with the classes of their changes and differences."""


@dataclass(frozen=True)
class Picture:
    """A cell at one moment; not to be written to. ``number`` counts the pictures."""

    number: int
    facts: protocol.Facts
    bodies: Mapping[str, protocol.BodyInfo] = field(default_factory=dict)
    nodes: Mapping[str, protocol.NodeInfo] = field(default_factory=dict)
    robots: Mapping[str, protocol.RobotInfo] = field(default_factory=dict)
    zones: Mapping[str, protocol.ZoneInfo] = field(default_factory=dict)

    def scene(self) -> protocol.Scene:
        """Return the whole picture as a message."""
        tables = (list(getattr(self, table).values()) for table in TABLES)
        return protocol.Scene(self.number, self.facts, *tables)

    @classmethod
    def of(cls, scene: protocol.Scene) -> Picture:
        """Return the picture from the message with the whole."""
        tables: dict[str, Any] = {table: {one.id: one for one in getattr(scene, table)} for table in TABLES}
        return cls(scene.number, scene.facts, **tables)

    def after(self, difference: protocol.Difference) -> Picture | None:
        """Return the picture after a difference; None if this client has missed an earlier difference."""
        if difference.before != self.number:
            return None
        tables: dict[str, Any] = {}
        for table in TABLES:
            change = getattr(difference, table)
            if change is not msgspec.UNSET:
                tables[table] = applied(getattr(self, table), change)
        return replace(self, number=difference.after, facts=difference.facts, **tables)


def applied(table: Mapping[str, Any], change: Any) -> dict[str, Any]:
    """Return a table after what appeared, changed and went."""
    known = dict(table)
    for one in change.went:
        del known[one]
    for one in change.changed:
        fields = {name: value for name in one.__struct_fields__ if (value := getattr(one, name)) is not msgspec.UNSET}
        known[one.id] = msgspec.structs.replace(known[one.id], **fields)
    known.update((one.id, one) for one in change.appeared)
    return known


def difference(before: Picture, after: Picture, touched: Mapping[str, Iterable[str]]) -> protocol.Difference:
    """Return the difference between two pictures.

    Args:
        before: the picture that clients have.
        after: the picture that they should have.
        touched: for each table the ids whose entries may differ.
    """
    tables = {table: _of_table(table, before, after, ids) for table, ids in touched.items()}
    found = {table: one for table, one in tables.items() if one.appeared or one.changed or one.went}
    return protocol.Difference(before.number, after.number, after.facts, **found)


def _of_table(table: str, before: Picture, after: Picture, ids: Iterable[str]) -> Any:
    change_class, difference_class = TABLES[table]
    old, new = getattr(before, table), getattr(after, table)
    appeared, changed, went = [], [], []
    for one in ids:
        was, now = old.get(one), new.get(one)
        if was is None and now is not None:
            appeared.append(now)
        elif now is None and was is not None:
            went.append(one)
        elif was is not now and was != now:
            names = [name for name in now.__struct_fields__ if getattr(was, name) != getattr(now, name)]
            changed.append(change_class(one, **{name: getattr(now, name) for name in names}))
    return difference_class(appeared, changed, went)
