"""The print of a cell: what a recording depends on, thing by thing, small enough to be stored in its file.

A print holds an identity for every robot, object and zone, made from numbers and recipes and from nothing that another
version of Workcell may name differently. So two prints show which things differ, also years later.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from workcell.geometry.recipe import encode
from workcell.robots.gripper import Gripper
from workcell.spatial.pose import Pose
from workcell.world.body import Body, Piece
from workcell.world.identity import identity
from workcell.world.placed import PlacedRobot
from workcell.world.renaming import UNCHANGED, Renaming
from workcell.world.sections import BODIES, PAIRS, ROBOTS, STATE, ZONES
from workcell.world.snapshot import Snapshot
from workcell.world.zone_places import ZonePlace

_SCHEME = 1
"""The version of prints; prints of another version cannot be compared."""
_NAMED = 5
_DIGITS = 16


class Thing(msgspec.Struct, frozen=True, array_like=True):
    """A robot, object or zone of a cell.

    Attributes:
        kind: ``robot``, ``object`` or ``zone``.
        name: its name.
        what: the identity of its joints, or of the rule of a zone.
        shape: the identity of its touchable shape.
        where: the identity of its pose; empty for a part that may be anywhere.
        carrier: the robot that it is mounted on.
        tool: the identity of its tool.
        robots: the robots that a zone applies to and, after an empty name, those that it does not apply to.
    """

    kind: str
    name: str
    what: str = ""
    shape: str = ""
    where: str = ""
    carrier: str = ""
    tool: str = ""
    robots: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name if self.kind == "object" else f"{self.kind} {self.name}"


class CellPrint(msgspec.Struct, frozen=True, array_like=True):
    """What a recording depends on: the things of a cell, and which pairs of them are tested (JSON)."""

    scheme: int
    things: tuple[Thing, ...]
    pairs: str = ""

    def renamed(self, new: Renaming) -> CellPrint:
        """The same print with other names; things that no longer exist keep theirs."""

        def now(name: str) -> str:
            return new(name) or name

        things = [
            msgspec.structs.replace(
                one, name=now(one.name), carrier=now(one.carrier), robots=tuple(now(robot) for robot in one.robots)
            )
            for one in self.things
        ]
        pairs = msgspec.json.encode(_renamed(msgspec.json.decode(self.pairs), now)).decode() if self.pairs else ""
        return CellPrint(self.scheme, tuple(sorted(things, key=_order)), pairs)


def cell_print(snapshot: Snapshot) -> CellPrint:
    """The print of a cell; names, colours and moves by a gripper do not change it."""
    return snapshot.keeping("print", (BODIES, ROBOTS, STATE, ZONES, PAIRS), None, lambda: _printed(snapshot))


def differences(then: CellPrint, now: CellPrint | Snapshot) -> tuple[str, ...] | None:
    """The differences of another cell, as parts of a sentence; None if prints of that version cannot be compared."""
    other = cell_print(now) if isinstance(now, Snapshot) else now
    if then.scheme != other.scheme:
        return None
    before, after = ({(one.kind, one.name): one for one in each.things} for each in (then, other))
    found = [text for key, one in before.items() for text in _differs(one, after.get(key))]
    found += [f"{one} is new here" for key, one in after.items() if key not in before]
    if not found and _decoded(then.pairs) != _decoded(other.pairs):
        found.append("other pairs are tested")
    return tuple(found)


def other_names(then: CellPrint, now: CellPrint | Snapshot) -> Renaming:
    """The names in another cell of things that are the same there under another name.

    Only things that are missing under their own name are searched for, among the new ones. If several are alike, none
    is chosen.
    """
    other = cell_print(now) if isinstance(now, Snapshot) else now
    if then.scheme != other.scheme:
        return UNCHANGED
    before, after = ({(one.kind, one.name) for one in each.things} for each in (then, other))
    gone, come = (
        _by_content([one for one in each.things if (one.kind, one.name) in names])
        for each, names in ((then, before - after), (other, after - before))
    )
    alike = {key: come[key] for key in gone if len(gone[key]) == len(come.get(key, ())) == 1}
    found = {gone[key][0]: names[0] for key, names in alike.items()}
    return Renaming(found) if found else UNCHANGED


def _by_content(things: list[Thing]) -> dict[tuple[str, ...], list[str]]:
    found: dict[tuple[str, ...], list[str]] = {}
    for one in things:
        found.setdefault((one.kind, one.what, one.shape, one.where, one.tool), []).append(one.name)
    return found


def listed(differs: tuple[str, ...]) -> str:
    """Differences for a sentence: the first few, and the number of the others."""
    more = f", and {len(differs) - _NAMED} more" if len(differs) > _NAMED else ""
    return ", ".join(differs[:_NAMED]) + more


def _differs(one: Thing, other: Thing | None) -> Iterator[str]:
    if other is None:
        yield f"{one} is not here"
        return
    if one.kind == "zone":
        if one != other:
            yield f"{one} is a different one"
        return
    if one.what != other.what:
        yield f"{one} is a different arm"
    elif one.tool != other.tool:
        yield f"{one} has another tool"
    elif one.shape != other.shape:
        yield f"{one} has another shape"
    if (one.where, one.carrier) != (other.where, other.carrier):
        yield f"{one} stands elsewhere"


def _printed(snapshot: Snapshot) -> CellPrint:
    links: dict[str, list[Body]] = {placed.name: [] for placed in snapshot.robots}
    things = []
    for body in snapshot.bodies:
        if body.owner in links and body.link >= 0:
            links[body.owner].append(body)
        else:
            things.append(_object(snapshot, body))
    things += [_robot(placed, links[placed.name]) for placed in snapshot.robots]
    things += [_zone(zone) for zone in snapshot.zones]
    return CellPrint(_SCHEME, tuple(sorted(things, key=_order)), snapshot.setup.pairs)


def _object(snapshot: Snapshot, body: Body) -> Thing:
    where = ""
    if not body.movable:
        held, pose = snapshot.initial.attached.get(body.name), snapshot.initial.poses.get(body.name)
        where = _short((_rows(held.X_frame_body),) if held is not None else pose and _rows(pose))
    return Thing("object", body.name, shape=_shape(body), where=where)


def _robot(placed: PlacedRobot, links: list[Body]) -> Thing:
    chain, hand = placed.robot.chain, placed.robot.gripper
    joints = _short((chain.table.tolist(), chain.prismatic.tolist(), _rows(chain.X_base_0)))
    fingers = (hand.opening, hand.reach, hand.turn) if isinstance(hand, Gripper) else hand
    tool = _short((_rows(chain.X_n_tool), fingers))
    shape = _short([(body.link, _shape(body, *_parts_of(body, links))) for body in links if not body.built_on])
    where = _short((placed.parent_link, _rows(placed.X_parent_base)))
    return Thing("robot", placed.name, joints, shape, where, placed.parent, tool)


def _zone(zone: ZonePlace) -> Thing:
    shape = _short([_solid(piece) for piece in zone.pieces])
    robots = (*sorted({*zone.robots, *zone.absent}), "", *sorted(zone.exempt))
    what, where = _short((zone.rule, zone.factor)), _short(_rows(zone.X_world_zone))
    return Thing("zone", zone.name, what, shape, where, robots=robots)


def _parts_of(link: Body, bodies: list[Body]) -> Iterator[Body]:
    """The gripper that is part of a link; recordings combine both in one print."""
    return (body for body in bodies if body.built_on == link.name)


def _shape(body: Body, *parts: Body) -> str:
    touchable = (piece for one in (body, *parts) for piece in one.touchable)
    return _short(([_solid(piece) for piece in touchable], bool(body.unknown)))


def _solid(piece: Piece) -> bytes:
    return encode(piece.solid.recipe)


def _rows(pose: Pose) -> list[float]:
    return [float(value) for value in pose.matrix[:3].ravel()]


def _short(value: object) -> str:
    return identity(value)[:_DIGITS]


def _order(thing: Thing) -> tuple[str, str]:
    return thing.kind, thing.name


def _decoded(pairs: str) -> Any:
    return msgspec.json.decode(pairs) if pairs else None


def _renamed(value: Any, now: Any) -> Any:
    """A pair table with other names in every place."""
    if isinstance(value, str):
        return now(value)
    if isinstance(value, list):
        return [_renamed(one, now) for one in value]
    return {key: _renamed(one, now) for key, one in value.items()} if isinstance(value, dict) else value
