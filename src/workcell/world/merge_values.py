"""The settings and the state of a cell, merged from three versions."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import msgspec

from workcell.world.conflict import OURS, THEIRS, Conflict
from workcell.world.facts import Facts, Side
from workcell.world.line_merge import merge_items


class Values:
    """Everything that belongs to the cell as a whole: its settings and its state.

    Args:
        base: the version that both sides began with.
        ours: one side.
        theirs: the other one.
        prefer: the side to follow where they disagree.
    """

    def __init__(self, base: Side, ours: Side, theirs: Side, prefer: str) -> None:
        self.base, self.ours, self.theirs = base, ours, theirs
        self.prefer = prefer
        self.conflicts: list[Conflict] = []

    def settings(self) -> dict[str, str]:
        """The settings; a table such as that of pairs is merged entry by entry."""
        merged: dict[str, str] = {}
        sides = self.base.settings, self.ours.settings, self.theirs.settings
        for name in {**sides[1], **sides[2]}:
            was, left, right = (side.get(name) for side in sides)
            if right in (left, was):
                value = left
            elif left == was:
                value = right
            else:
                value = self._setting(name, was, left, right)
            if value is not None:
                merged[name] = value
        return merged

    def _setting(self, name: str, was: str | None, left: str | None, right: str | None) -> str | None:
        tables = [_table(value) for value in (was, left, right)]
        if left is None or right is None or tables[1] is None or tables[2] is None:
            self._conflict("setting", "", name, field=name, base=was, ours=left, theirs=right)
            return left if self.prefer == OURS else right
        base, mine, other = tables[0] or {}, tables[1], tables[2]
        merged = {
            key: self._entry(name, key, base.get(key), mine.get(key), other.get(key)) for key in {**mine, **other}
        }
        return msgspec.json.encode({key: value for key, value in merged.items() if value is not None}).decode()

    def _entry(self, name: str, key: str, was: Any, left: Any, right: Any) -> Any:
        if right in (left, was):
            return left
        if left == was:
            return right
        if isinstance(left, list) and isinstance(right, list):
            lists = (was or [], left, right) if self.prefer == OURS else (was or [], right, left)
            merged, disputed = merge_items(*lists, _item)
            for item in disputed:
                values = {
                    side: next((one for one in found or [] if _item(one) == item), None)
                    for side, found in (("base", was), (OURS, left), (THEIRS, right))
                }
                self._conflict("setting", "", name, field=f"{key} of {_words(item)}", **values)
            return merged
        self._conflict("setting", "", name, field=key, base=was, ours=left, theirs=right)
        return left if self.prefer == OURS else right

    def state(self) -> Facts | None:
        """The state; the later one of two times is used."""
        was, left, right = self.base.state, self.ours.state, self.theirs.state
        if right in (left, was):
            return left
        if left == was:
            return right
        if left is None or right is None:
            shown = {OURS: left and "moved", THEIRS: right and "moved"}
            self._conflict("state", "", "the state", **shown)
            return left if self.prefer == OURS else right
        merged: Facts = {}
        later = left if left["time", ""] >= right["time", ""] else right
        for key in {**left, **right}:
            before, mine, other = (was or {}).get(key), left.get(key), right.get(key)
            if key[0] in ("time", "clock"):
                value = later.get(key)
            elif other in (mine, before):
                value = mine
            elif mine == before:
                value = other
            else:
                self._conflict("state", "", key[1], field=key[0], base=before, ours=mine, theirs=other)
                value = mine if self.prefer == OURS else other
            if value is not None:
                merged[key] = value
        return merged

    def _conflict(self, what: str, kind: str, name: str, **more: Any) -> None:
        self.conflicts.append(Conflict(what, kind, name, **more))


def _table(value: str | None) -> dict[str, Any] | None:
    try:
        return msgspec.json.decode(value, type=dict[str, Any]) if value else None
    except (msgspec.MsgspecError, RecursionError):
        return None


def _item(one: Any) -> Hashable:
    """The key of an item of the table of pairs: two names, in any order."""
    if isinstance(one, dict):
        names = sorted(str(one[key]) for key in ("first", "second", "part", "base") if key in one)
        return tuple(names) or msgspec.json.encode(one, order="sorted")
    return one if isinstance(one, Hashable) else msgspec.json.encode(one)


def _words(item: Hashable) -> str:
    return " and ".join(map(str, item)) if isinstance(item, tuple) else str(item)
