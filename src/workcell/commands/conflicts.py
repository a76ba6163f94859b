"""Conflicts of a merge as sentences, with values in the units of the reader."""

from __future__ import annotations

from typing import Any

import msgspec

from workcell.commands.language.transforms import transform_text
from workcell.commands.shown_things import property_text
from workcell.errors import WorkcellError
from workcell.spatial.transform import Transform
from workcell.spatial.units import Units
from workcell.world.conflict import OURS, THEIRS, Conflict
from workcell.world.contents import Contents
from workcell.world.entities import Entity

_LONGEST = 60


def sentence(units: Units, one: Conflict, ours: Contents, theirs: Contents) -> str:
    """Return one sentence: what the conflict is about, and the values in ours, in theirs and in the base."""
    who = f"{one.kind} {one.name}" if one.kind else f"setting {one.name}"
    keeper = OURS if one.removed == THEIRS else THEIRS
    if one.what == "removed":
        changed = f" ({one.field})" if one.field else ""
        return f"{who}: removed in {one.removed}, changed in {keeper}{changed}."
    if one.what == "missing":
        needed = one.ours or one.theirs
        return f"{who}: it needs {needed}, which {one.removed} removed."
    if one.what == "name":
        return _named(one, ours, theirs)
    if one.what == "circle":
        return (
            f"relation {one.field!r} makes {one.kind} {one.name!r} a part of itself, because of what ours and "
            "theirs attached."
        )
    if one.what == "fit":
        return f"{who}: the changes of ours and theirs do not fit together: {one.base}."
    if one.what == "line":
        last = one.line + one.base.count("\n")
        lines = f"line {one.line} is" if last == one.line else f"lines {one.line} to {last} are"
        shown = {side: f"`{_short(getattr(one, side))}`" for side in ("base", OURS, THEIRS)}
        return f"{who}: {lines} {shown[OURS]} in ours, {shown[THEIRS]} in theirs; base {shown['base']}."
    if one.what == "state":
        return _state(one)
    entity = _entity(one, ours, theirs)
    mine, other, base = (_value(units, entity, one, value) for value in (one.ours, one.theirs, one.base))
    what = who if not one.kind and one.field == one.name else f"{who}: {one.field}"
    return f"{what} is {mine} in ours, {other} in theirs; base {base}."


def _state(one: Conflict) -> str:
    called = {"joints": f"the joints of {one.name} are", "body": f"{one.name} is at", "signal": f"signal {one.name} is"}
    mine, other, base = (_short(_plain(value)) for value in (one.ours, one.theirs, one.base))
    what = f"state: {called[one.field]}" if one.field in called else "the state is"
    return f"{what} {mine} in ours, {other} in theirs; base {base}."


def _named(one: Conflict, ours: Contents, theirs: Contents) -> str:
    new = f"; if both are kept, one of them is called {one.base}" if one.base else ""
    if one.kind == "relation":
        owner, _, name = one.name.rpartition("/")
        rows = {row[0]: row for contents in (theirs, ours) for row in contents.rows["relation"]}
        parent = next((row for row in ours.rows["entity"] if one.ours in rows and row[0] == rows[one.ours][3]), None)
        what = f"{parent[1]} {parent[2]!r}" if parent else f"{owner!r}"
        return f"{what} has a relation called {name!r} already: ours and theirs each added one{new}."
    return f"{one.kind} {one.name}: ours and theirs each have one of that name, and they are different things{new}."


def _entity(one: Conflict, ours: Contents, theirs: Contents) -> Entity | None:
    rows = (row for contents in (ours, theirs) for row in contents.rows["entity"])
    return next((Entity(*row) for row in rows if row[0] == one.id), None)


def _value(units: Units, entity: Entity | None, one: Conflict, value: Any) -> str:
    if value is None:
        return "not set"
    try:
        if one.kind == "relation" and one.field == "transform":
            return f"`{transform_text(Transform.from_json(value)) or 'nothing'}`"
        if entity is not None and one.field not in ("shape", "name", "description", "colour", "movable", "kind"):
            return _short(property_text(units, entity, one.field, value))
    except (WorkcellError, TypeError, ValueError, KeyError):
        pass
    return _short(_plain(value))


def _plain(value: Any) -> str:
    if value is None:
        return "not set"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _short(text: str) -> str:
    line = text.replace("\n", " / ")
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
