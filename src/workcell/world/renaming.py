"""The names of things by their identity: a thing stays the same thing under another name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from workcell.world.kinds import NAME_LISTS

if TYPE_CHECKING:
    from workcell.world.snapshot import Snapshot


@dataclass(frozen=True)
class Renaming:
    """The present names of things by their former names; a thing that is not mentioned keeps its name.

    Attributes:
        things: robots, bodies and zones; '' for things that no longer exist.
        signals: signals, which have names of their own; '' for those that no longer exist.
    """

    things: Mapping[str, str] = field(default_factory=dict)
    signals: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, name: str) -> str:
        """The present name of a robot, body or zone; '' if it is gone. Links and fingers follow their robot."""
        if name in self.things:
            return self.things[name]
        owner, slash, rest = name.partition("/")
        if not slash or owner not in self.things:
            return name
        return f"{self.things[owner]}/{rest}" if self.things[owner] else ""

    def signal(self, name: str) -> str:
        """The present name of a signal; '' if it is gone. Those such as ``Puma/gripper`` follow their robot."""
        return self.signals[name] if name in self.signals else self(name) if "/" in name else name


def renamed_lists(
    kind: str,
    properties: Mapping[str, Any],
    new: Callable[[str], str],
    named: Mapping[str, tuple[str, ...]] = NAME_LISTS,
) -> dict[str, str]:
    """The lists of names among the properties of an entity that have changed, with the present names."""
    lists = {key: str(properties[key]) for key in named.get(kind, ()) if properties.get(key)}
    lines = {key: ", ".join(new(one.strip()) for one in text.split(",")) for key, text in lists.items()}
    return {key: text for key, text in lines.items() if text != lists[key]}


UNCHANGED = Renaming()
"""All names are unchanged."""


class Called(NamedTuple):
    """A thing of a scene: the relations that place it, its entity, and its name there."""

    placing: Hashable
    entity: Hashable
    label: str


class Names:
    """The names of the things, signals and programs of a snapshot, by their ids.

    Args:
        things: makes the list of all things, or at least of those with some names, on request.
        signals: the names of the signals by their ids.
        programs: the names of the programs by their ids.
    """

    def __init__(
        self,
        things: Callable[..., Iterable[Called]] = lambda _labels=None: (),
        signals: Mapping[int, str] = MappingProxyType({}),
        programs: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        self._things = things
        self.signals, self.programs = signals, programs

    @cached_property
    def things(self) -> tuple[Called, ...]:
        """All robots, objects and zones."""
        return tuple(self._things())

    def called(self, labels: Collection[str]) -> dict[str, Called]:
        """The things with these names, by name; unknown ones are left out."""
        return {one.label: one for one in self._things(labels) if one.label in labels}


def renaming(before: Snapshot, now: Snapshot) -> Renaming:
    """The names that the things of a snapshot have in another one of the same cell."""
    signals = {name: now.names.signals.get(number, "") for number, name in before.names.signals.items()}
    things: dict[str, str] = {}
    kinds = ("bodies", "robots", "zones", "machines", "stations")
    if any(getattr(before, kind) is not getattr(now, kind) for kind in kinds):
        things = _matched(before.names.things, now.names.things)
    changed = Renaming(_changed(things), _changed(signals))
    return changed if changed.things or changed.signals else UNCHANGED


def _changed(names: Mapping[str, str]) -> Mapping[str, str]:
    return {old: new for old, new in names.items() if old != new}


def _matched(before: tuple[Called, ...], now: tuple[Called, ...]) -> dict[str, str]:
    """The present names by the former ones: matched by how a thing is placed, otherwise by its entity, in order."""
    labels = {one.placing: one.label for one in now}
    known = {one.placing for one in before}
    others: dict[Hashable, list[str]] = defaultdict(list)
    for one in now:
        if one.placing not in known:
            others[one.entity].append(one.label)
    found = {}
    for one in before:
        label = labels.get(one.placing)
        if label is None:
            label = others[one.entity].pop(0) if others.get(one.entity) else ""
        found[one.label] = label
    return found
