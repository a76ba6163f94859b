"""What a plan was made for: every thing of the cell that its proof depends on, a line each, under ids that stay.

The lines are stored with what was planned. They are compared with the cell of another day: things may have other names
by then, and still be the same. Each line has the kind of a thing, its id, identities of what it is (its joints, shape,
place, tool and start), and its name for people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

import msgspec

from workcell.errors import Refused
from workcell.world.cell_print import Thing, cell_print
from workcell.world.identity import identity
from workcell.world.renaming import Called, Renaming
from workcell.world.snapshot import Snapshot
from workcell.world.zone_places import SHARED

MOST_OBJECTS = 400
"""Of more objects than these only one identity of all of them is kept."""
_SCHEME = "things-1"
_PAIRS, _OBJECTS = "pairs", "objects"
_DIGITS = 12
_FIELDS = 8


class _Kept(msgspec.Struct, frozen=True):
    """A thing as a plan keeps it; an identity is '-' where the thing has none."""

    kind: str
    id: str
    what: str
    shape: str
    where: str
    tool: str
    start: str
    name: str

    def line(self) -> str:
        return " ".join((self.kind, self.id, self.what, self.shape, self.where, self.tool, self.start, self.name))


def planned_for(snapshot: Snapshot) -> str:
    """The lines that keep what a plan was made for."""
    return "\n".join([_SCHEME, *(one.line() for one in _kept(snapshot))])


def changed_since(lines: str, snapshot: Snapshot) -> tuple[str, ...]:
    """What is different in a cell from the one that a plan was made for, as parts of a sentence.

    Raises:
        Refused: the lines cannot be read, or another version wrote them.
    """
    scheme, _, rest = lines.partition("\n")
    if scheme != _SCHEME:
        raise Refused(f"What a plan was made for cannot be read: it begins with {scheme[:40]!r}, not {_SCHEME!r}.")
    then, now = ({one.id: one for one in each} for each in (_read(rest), _kept(snapshot)))
    if (_OBJECTS in then) != (_OBJECTS in now):
        return (f"it has {'fewer' if _OBJECTS in then else 'many more'} objects now",)
    found = [text for key, one in then.items() for text in _differs(one, now.get(key))]
    return (*found, *(f"{_called(one)} is new" for key, one in now.items() if key not in then))


def _kept(snapshot: Snapshot) -> list[_Kept]:
    ids = _ids(snapshot)
    named = {one: name for name, one in ids.items()}
    print_ = cell_print(snapshot).renamed(Renaming(ids))
    shared = {ids.get(zone.name, zone.name) for zone in snapshot.zones if zone.rule == SHARED}
    found = [_one(snapshot, thing, named) for thing in print_.things if thing.name not in shared]
    objects = [one for one in found if one.kind == "object"]
    if len(objects) > MOST_OBJECTS:
        found = [one for one in found if one.kind != "object"]
        found.append(_Kept(_OBJECTS, _OBJECTS, _short([one.line() for one in objects]), "-", "-", "-", "-", "objects"))
    table = _short(msgspec.json.decode(print_.pairs)) if print_.pairs else "-"
    return [*found, _Kept(_PAIRS, _PAIRS, table, "-", "-", "-", "-", "pairs")]


def _one(snapshot: Snapshot, thing: Thing, named: dict[str, str]) -> _Kept:
    """A thing of the print, whose names are ids, with its name, where a part is and how a robot starts."""
    label, start, where = named.get(thing.name, thing.name), "-", thing.where
    if thing.kind == "robot":
        start = _short([float(value) for value in snapshot.initial.joints[label]])
    elif not where and label in snapshot.initial.poses:
        where = _short([float(value) for value in snapshot.initial.poses[label].matrix.ravel()])
    place = _short((where, thing.carrier, thing.robots)) if where or thing.carrier or thing.robots else "-"
    what = thing.what[:_DIGITS] or "-"
    return _Kept(thing.kind, thing.name, what, thing.shape[:_DIGITS] or "-", place, thing.tool or "-", start, label)


def _ids(snapshot: Snapshot) -> dict[str, str]:
    """The ids of things by their names in the scene; those that stand there several times are counted."""
    seen: Counter[Hashable] = Counter()
    found = {}
    for one in sorted(snapshot.names.things, key=lambda called: str(called.placing)):
        seen[one.entity] += 1
        found[one.label] = _written(one, seen[one.entity])
    return found


def _written(one: Called, number: int) -> str:
    name = f"{one.entity:016x}" if isinstance(one.entity, int) else "".join(str(one.entity).split())
    return name if number == 1 else f"{name}#{number}"


def _read(text: str) -> Iterator[_Kept]:
    for line in text.split("\n") if text else ():
        words = line.split(" ", _FIELDS - 1)
        if len(words) != _FIELDS:
            raise Refused(f"What a plan was made for cannot be read: found the line {line[:60]!r}.")
        yield _Kept(*words)


def _differs(one: _Kept, other: _Kept | None) -> Iterator[str]:
    if other is None:
        yield f"{_called(one)} is gone"
        return
    called = _called(other)
    if one.kind == _PAIRS:
        if one.what != other.what:
            yield "other pairs are tested"
    elif one.kind == _OBJECTS:
        if one.what != other.what:
            yield "objects moved or changed"
    elif one.kind == "robot" and one.what != other.what:
        yield f"{called} is another arm"
    elif one.kind == "zone" and one.what != other.what:
        yield f"{called} has another rule"
    elif one.tool != other.tool:
        yield f"{called} has another tool"
    elif one.shape != other.shape:
        yield f"{called} has another shape"
    if one.where != other.where:
        yield f"{called} stands elsewhere"
    elif one.start != other.start and one.what == other.what:
        yield f"{called} starts with other joint values"


def _called(one: _Kept) -> str:
    return one.name if one.kind == "object" else f"{one.kind} {one.name}"


def _short(value: object) -> str:
    return identity(value)[:_DIGITS]
