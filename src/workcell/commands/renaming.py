"""Renaming: the new name is written everywhere in the cell: views, pairs, zones, the scene, the state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from workcell.commands.collisions import SETTING, kept_table
from workcell.commands.target_family import Family
from workcell.world.entities import Entity, Relation
from workcell.world.expand import Expander
from workcell.world.kinds import NAME_LISTS, SENSOR_LISTS, SIGNALLING, VIEW_LISTS
from workcell.world.renaming import Renaming, renamed_lists

if TYPE_CHECKING:
    from workcell.commands.session import Session

_NAMED = ("object", "robot", "mechanism", "zone")
"""The kinds that views, pairs, zones and the state refer to by name."""


_FITTED = ("tool", "gripper")
"""The kinds whose bodies are named after the robot that carries them and themselves."""


def rename(session: Session, thing: Entity | Relation, name: str) -> str:
    """Rename an entity or a relation, and everything that refers to it by name.

    Returns:
        What else was renamed, as the end of a sentence; '' if nothing.
    """
    database = session.database
    if isinstance(thing, Entity) and thing.kind == "scene" and database.setting("scene") == thing.name:
        database.set_setting(session.rows, "scene", name)
    if isinstance(thing, Entity):
        concerned = thing.kind in (*_NAMED, *_FITTED)
    else:
        concerned = database.by_id(thing.parent).kind == "scene"
    before = list(_labels(session)) if concerned else []
    family = Family.of(session, thing, name) if isinstance(thing, Entity) and thing.kind == "path" else Family()
    if isinstance(thing, Entity):
        from workcell.commands.program_names import follow_renames

        follow_renames(session, [(thing, name), *family.renamed])
    database.rename(session.rows, thing, name)
    family.rename(session)
    if isinstance(thing, Entity) and thing.kind in SIGNALLING:
        _follow_in_state(session, Renaming(signals={thing.name: name}))
        _follow_in_lists(session, Renaming({thing.name: name}), tuple(SENSOR_LISTS), SENSOR_LISTS)
        if not any(database.find(kind, thing.name) for kind in _NAMED):
            _follow_in_lists(session, Renaming({thing.name: name}), ("view",))
    if isinstance(thing, Entity) and thing.kind == "view":
        _follow_in_lists(session, Renaming({thing.name: name}), tuple(VIEW_LISTS), VIEW_LISTS)
    if isinstance(thing, Entity) and thing.kind == "station":
        _follow_in_state(session, Renaming({thing.name: name}))
    if not concerned:
        return str(family)
    changed = {old: new for old, new in zip(before, _labels(session), strict=True) if old != new}
    if (
        isinstance(thing, Entity)
        and thing.kind in _NAMED
        and not any(database.find(kind, thing.name) for kind in _NAMED)
    ):
        changed.setdefault(thing.name, name)  # it may be in no scene now
    if changed:
        _follow(session, changed)
    return str(family)


def _labels(session: Session) -> Iterator[str]:
    """Yield the names of the bodies, their owners and the zones of every scene, always in the same order."""
    from workcell.world.flatten import snapshot_of
    from workcell.world.zone_places import placed_zones

    database = session.database
    for scene in database.entities("scene"):
        snapshot = snapshot_of(database, scene.name)
        for body in snapshot.bodies:
            yield from (body.name, body.owner)
        yield from (placed.name for placed in snapshot.robots)
        yield from (label for label, _, _ in placed_zones(Expander(database), scene))


def _follow(session: Session, changed: dict[str, str]) -> None:
    database = session.database

    new = Renaming(changed)
    table = kept_table(session)
    if (followed := table.renamed(new)) != table:
        database.set_setting(session.rows, SETTING, followed.to_json())
    _follow_in_lists(session, new, tuple(NAME_LISTS))
    _follow_in_state(session, new)


def _follow_in_lists(
    session: Session, new: Renaming, kinds: tuple[str, ...], named: Mapping[str, tuple[str, ...]] = NAME_LISTS
) -> None:
    for kind in kinds:
        for entity in session.database.entities(kind):
            changed_lists = renamed_lists(kind, entity.properties, new, named)
            if changed_lists:
                session.database.set_properties(session.rows, entity, changed_lists)


def _follow_in_state(session: Session, new: Renaming) -> None:
    from workcell.world.state import CellState

    text = session.database.state_json()
    if not text:
        return
    state = CellState.from_json(text)
    if (followed := state.renamed(new)) != state:
        session.database.set_state(session.rows, followed.to_json())
