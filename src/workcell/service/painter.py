"""The picture of a session: after an edit, only what it touched is painted again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import msgspec
import numpy as np

from workcell.errors import WorkcellError
from workcell.robots.gripper import Gripper
from workcell.service import protocol
from workcell.service.picture import TABLES, Picture, difference
from workcell.service.shapes import Shapes
from workcell.spatial.quaternions import seven
from workcell.wording import counted
from workcell.world.conveyors import is_conveyor
from workcell.world.fitting import fitted
from workcell.world.gripper_names import finger_names
from workcell.world.places import WORLD

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.world.body import Body
    from workcell.world.placed import PlacedRobot
    from workcell.world.renaming import Called
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState

Colour = tuple[float, float, float]
_STILL = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


class Painter:
    """Keeps the picture of a session up to date; only the cell thread uses it.

    Snapshots share what no edit touched, so changes are found by comparing objects, not their content.
    """

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._snapshot: Snapshot | None = None
        self._state: CellState | None = None
        self._ids: dict[str, str] = {}
        """The id of each body by its name."""
        self._robot_ids: dict[str, str] = {}
        """The id of each robot by its name."""
        self._owners: dict[str, set[str]] = {}
        """The bodies of each object, by ids."""
        self._riding: dict[str, protocol.Seven] = {}
        """Where links and what is carried are, by name."""
        self._named: dict[str, object] = {}
        """What the things of a kind were made from."""
        self._touched: dict[str, set[str]] = {}
        self._tables: dict[str, dict[str, Any]] = {}
        self.picture: Picture | None = None

    @property
    def ids(self) -> Mapping[str, str]:
        """The id of every body by its name; not to be written to."""
        return self._ids

    @property
    def robot_ids(self) -> Mapping[str, str]:
        """The id of every robot by its name; not to be written to."""
        return self._robot_ids

    def paint(self, session: Session) -> protocol.Difference | None:
        """Update the picture; return the difference for clients that have the one before, or None if it is the same."""
        snapshot, state, before = session.snapshot(), session.state, self.picture
        self._touched = {table: set() for table in TABLES}
        self._tables = {table: cast("dict[str, Any]", getattr(before, table)) if before else {} for table in TABLES}
        self._paint_robots(session, snapshot, state)
        self._paint_bodies(snapshot, state)
        self._paint_zones(session, snapshot)
        self._paint_names(session, snapshot)
        self._snapshot, self._state = snapshot, state
        now = facts(session)
        changed = {table: made for table, made in self._tables.items() if self._touched[table]}
        if before is None:
            self.picture = Picture(1, now, **changed)
            return None
        if not changed and now == before.facts:
            return None
        self.picture = replace(before, number=before.number + 1, facts=now, **changed)
        return difference(before, self.picture, {table: self._touched[table] for table in changed})

    def _put(self, table: str, one: str, entry: Any) -> None:
        """Set or remove an entry, in this picture's own copy of a table."""
        if not self._touched[table]:
            self._tables[table] = dict(self._tables[table])
        self._touched[table].add(one)
        if entry is None:
            self._tables[table].pop(one, None)
        else:
            self._tables[table][one] = entry

    # ---- robots ------------------------------------------------------------------------------------------

    def _paint_robots(self, session: Session, snapshot: Snapshot, state: CellState) -> None:
        last, known = self._snapshot, {}
        if last is not None and last.robots is not snapshot.robots:
            known = {placed.name: placed for placed in last.robots}
        if last is None or last.robots is not snapshot.robots:
            called = snapshot.names.called({placed.name for placed in snapshot.robots})
            ids = {placed.name: robot_id(placed.name, called.get(placed.name)) for placed in snapshot.robots}
            for gone in set(self._robot_ids.values()) - set(ids.values()):
                self._put("robots", gone, None)
                self._put("nodes", gone, None)
            self._robot_ids = ids
        elif self._state is not None and self._state.joints is state.joints:
            return
        else:
            known = {placed.name: placed for placed in snapshot.robots}
        for rank, placed in enumerate(snapshot.robots):
            one, values = self._robot_ids[placed.name], state.joints[placed.name]
            was = self._tables["robots"].get(one)
            if was is not None and known.get(placed.name) is placed:
                if was.values != (now := values.tolist()):
                    self._put("robots", one, msgspec.structs.replace(was, values=now))
                continue
            mechanism = session.database.find("mechanism", placed.name) is not None
            info = robot_info(one, placed, values.tolist(), mechanism, _fitted_kind(session, placed.name))
            note = f"on {info.carrier}" if info.carrier else info.model
            self._put("robots", one, info)
            self._put("nodes", one, protocol.NodeInfo(one, "robot", placed.name, note, _rank(one, rank)))

    # ---- bodies ------------------------------------------------------------------------------------------

    def _paint_bodies(self, snapshot: Snapshot, state: CellState) -> None:
        last = self._snapshot
        gone, come = ((), snapshot.bodies) if last is None else _other_bodies(last.bodies, snapshot.bodies)
        for body in gone:
            self._forget(body)
        called = snapshot.names.called({body.name for body in come if body.link < 0}) if come else {}
        again = {body.name: body for body in come}
        for body in come:
            self._ids[body.name] = body_id(body, self._robot_ids, called.get(body.name))
        moved = self._moved(snapshot, state) - again.keys()
        names = [*again, *(name for name in sorted(moved) if name in self._ids)]
        free = [name for name in names if name not in self._riding]
        poses = dict(zip(free, _sevens([state.poses.get(name) for name in free]), strict=True))
        for name in names:
            one, pose = self._ids[name], self._riding.get(name) or poses[name]
            new = again.get(name)
            was = self._tables["bodies"].get(one)
            if new is not None:
                self._put("bodies", one, self._body_info(one, new, pose, called.get(name)))
            elif was is not None and was.pose != pose:
                fields = was.id, was.name, was.owner, was.link, was.pieces, pose, was.movable
                self._put("bodies", one, protocol.BodyInfo(*fields))
        for body in come:
            self._paint_object(self._ids[body.name], body)

    def _forget(self, body: Body) -> None:
        one = self._ids.pop(body.name)
        owner = self._tables["bodies"][one].owner
        self._put("bodies", one, None)
        of = self._owners.get(owner)
        if of is not None:
            of.discard(one)
            if not of:
                del self._owners[owner]
                self._put("nodes", owner, None)

    def _body_info(self, one: str, body: Body, pose: protocol.Seven, called: Called | None) -> protocol.BodyInfo:
        owner = self._robot_ids.get(body.owner, "") if body.link >= 0 else ""
        if not owner:
            owner = f"o{called.entity}" if called is not None else f"o:{body.owner}"
        pieces = [
            protocol.PieceInfo(
                self._shapes.announce(piece.solid),
                cast(Colour, tuple(map(float, piece.colour))),
                piece.ghost,
                piece.opacity,
            )
            for piece in body.pieces
        ]
        return protocol.BodyInfo(one, body.name, owner, body.link, pieces, pose, body.movable)

    def _paint_object(self, one: str, body: Body) -> None:
        """Paint the object that a body belongs to, if it is not a body of a robot."""
        owner = self._tables["bodies"][one].owner
        if not owner.startswith("o"):
            return
        self._owners.setdefault(owner, set()).add(one)
        entry = protocol.NodeInfo(owner, "object", body.owner, "", _rank(owner, len(self._owners)))
        if self._tables["nodes"].get(owner) != entry:
            self._put("nodes", owner, entry)

    def _moved(self, snapshot: Snapshot, state: CellState) -> set[str]:
        """Return the names of bodies that may have moved since the last picture."""
        last, before = self._snapshot, self._state
        moved: set[str] = set()
        if before is None or state is before:
            pass
        elif state.poses is not before.poses:
            known = before.poses
            moved = {name for name, pose in state.poses.items() if known.get(name) is not pose}
        if last is not None and before is not None and last.robots is snapshot.robots and state is before:
            return moved
        names = snapshot.riding(state)
        joints = {name: values[None] for name, values in state.joints.items()}
        found = seven(snapshot.poses_of(names, joints, state, 1)[0]).tolist() if names else []
        riding = {name: cast(protocol.Seven, tuple(pose)) for name, pose in zip(names, found, strict=True)}
        known_riding, self._riding = self._riding, riding
        moved.update(name for name, pose in riding.items() if known_riding.get(name) != pose)
        moved.update(known_riding.keys() - riding.keys())
        return moved

    # ---- everything else ---------------------------------------------------------------------------------

    def _paint_zones(self, session: Session, snapshot: Snapshot) -> None:
        if self._snapshot is not None and self._snapshot.zones is snapshot.zones:
            return
        called = snapshot.names.called({zone.name for zone in snapshot.zones})
        made = [zone_info(zone_id(zone.name, called.get(zone.name)), zone, self._shapes) for zone in zones_of(session)]
        self._replace("zones", {zone.id: zone for zone in made})
        nodes = [protocol.NodeInfo(one.id, "zone", one.name, one.rule, _rank(one.id, i)) for i, one in enumerate(made)]
        self._replace("nodes", {node.id: node for node in nodes}, "zone")

    def _paint_names(self, session: Session, snapshot: Snapshot) -> None:
        """Paint things that have a line in the tree but no shape."""
        kinds: dict[str, tuple[object, Iterable[tuple[str, str]]]] = {
            "machine": (snapshot.machines, ((one.name, ", ".join(one.members)) for one in snapshot.machines)),
            "station": (snapshot.stations, ((one.name, one.does) for one in snapshot.stations)),
            "sensor": (snapshot.sensors, ((one.name, one.senses) for one in snapshot.sensors)),
            "target": (snapshot.places, ((name, "") for kind, name in snapshot.places.spots if kind == "target")),
            "frame": (snapshot.places, ((name, "") for kind, name in snapshot.places.spots if kind == "frame")),
            "path": (
                snapshot.places,
                ((name, counted(len(one.targets), "target")) for name, one in snapshot.places.paths.items()),
            ),
        }
        for kind, (made_from, named) in kinds.items():
            if self._named.get(kind, ()) is not made_from:
                self._named[kind] = made_from
                self._replace(
                    "nodes", _nodes(kind, [(_entity(session, kind, name), name, note) for name, note in named]), kind
                )
        for kind in ("program", "view", "light", "curve", "surface"):
            entities = session.database.entities(kind)
            if kind == "surface":  # flat ones are parts of blocks, and there may be thousands
                entities = [one for one in entities if (one.shape or "").startswith(_PATCH)]
            listed = [(getattr(one, "id", None), one.name, _note(kind, one.properties)) for one in entities]
            if self._named.get(kind, []) != listed:
                self._named[kind] = listed
                self._replace("nodes", _nodes(kind, listed), kind)

    def _replace(self, table: str, made: Mapping[str, Any], kind: str = "") -> None:
        """Replace the entries of a table, or those of one kind."""
        for one, entry in list(self._tables[table].items()):
            if (not kind or entry.kind == kind) and one not in made:
                self._put(table, one, None)
        for one, entry in made.items():
            if self._tables[table].get(one) != entry:
                self._put(table, one, entry)


_PATCH = '{"kind":"nurbs"'


def _other_bodies(before: Sequence[Body], now: Sequence[Body]) -> tuple[Sequence[Body], Sequence[Body]]:
    """Return the bodies that are in only one of two lists that share most of their objects."""
    if before is now:
        return (), ()
    least = min(len(before), len(now))
    first = next((i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a is not b), least)
    ends = enumerate(zip(reversed(before), reversed(now), strict=False))
    last = min(next((i for i, (a, b) in ends if a is not b), least), least - first)
    old, new = before[first : len(before) - last], now[first : len(now) - last]
    had, has = {id(body) for body in old}, {id(body) for body in new}
    return [body for body in old if id(body) not in has], [body for body in new if id(body) not in had]


def body_id(body: Body, robots: Mapping[str, str], called: Called | None) -> str:
    """Return the id of a body: that of a link or finger follows from its robot, that of an object from its place."""
    if body.link >= 0 and body.owner in robots:
        return link_id(robots[body.owner], body.owner, body.name)
    return f"b:{body.name}" if called is None else f"b{called.placing}"


def link_id(robot: str, name: str, body: str) -> str:
    """Return the id of a body of a robot, from the id and name of the robot and the name of the body."""
    return f"{robot}/{body.removeprefix(name).removeprefix('/')}"


def robot_id(name: str, called: Called | None) -> str:
    """Return the id of a robot, from its place and its entity."""
    if called is None:
        return f"r:{name}"
    relation, entity = cast("tuple[int, str]", called.placing)
    return f"r{relation}.{entity}"


def zone_id(name: str, called: Called | None) -> str:
    """Return the id of a zone, from its place."""
    return f"z:{name}" if called is None else f"z{called.placing}"


def _rank(one: str, otherwise: int) -> str:
    """Return the rank of a thing in the order of creation, as text, because a browser cannot hold so many digits."""
    number = one[1:].rpartition(".")[2]
    return f"{int(number) if number.isdecimal() else otherwise:020d}"


def _nodes(kind: str, listed: Iterable[tuple[int | None, str, str]]) -> dict[str, protocol.NodeInfo]:
    nodes = {}
    for place, (number, name, note) in enumerate(listed):
        one = f"{kind}:{name}" if number is None else f"{kind}{number}"
        nodes[one] = protocol.NodeInfo(one, cast(Any, kind), name, note, f"{place if number is None else number:020d}")
    return nodes


def _note(kind: str, properties: Mapping[str, Any]) -> str:
    """Return a note on a view: where it looks from, and what it shows; '' for a program."""
    if kind != "view":
        return ""
    shown = properties.get("shows")
    looks = "from a point" if properties.get("eye") is not None else str(properties.get("side", "iso"))
    return looks if shown is None else f"{looks}: {shown or 'nothing'}"


def _entity(session: Session, kind: str, name: str) -> int | None:
    found = session.database.find(cast(Any, kind), name)
    return None if found is None else found.id


def _sevens(poses: Sequence[Any]) -> list[protocol.Seven]:
    """Return poses as seven numbers each; None becomes the origin."""
    known = [pose.matrix for pose in poses if pose is not None]
    found = iter(seven(np.stack(known)).tolist() if known else [])
    return [_STILL if pose is None else cast(protocol.Seven, tuple(next(found))) for pose in poses]


def _fitted_kind(session: Session, name: str) -> str:
    """Return the kind of the tool that is fitted to a robot; '' for none."""
    database = session.database
    robot = database.find("robot", name)
    return next((database.by_id(one.child).kind for one in fitted(database, robot)), "") if robot is not None else ""


def robot_info(
    one: str, placed: PlacedRobot, values: list[float], mechanism: bool, tool_kind: str
) -> protocol.RobotInfo:
    """Return the joints of a robot and their values, what is on its flange, and what carries it."""
    robot = placed.robot
    joints = [
        protocol.JointInfo(name, float(lower), float(upper), bool(prismatic))
        for name, (lower, upper), prismatic in zip(robot.joint_names, robot.limits, robot.chain.prismatic, strict=True)
    ]
    tool = placed.tool.name if placed.tool is not None else ""
    fingers = finger_names(placed.name) if isinstance(robot.gripper, Gripper) else ()
    hand = [link_id(one, placed.name, name) for name in (placed.held_tool, *fingers) if name]
    own = robot.gripper if robot.tool is None else None
    point = "" if own is None else "grip" if robot.X_flange_tool.is_close(own.X_flange_grip) else "flange"
    grips = "fingers" if fingers else "surface" if robot.gripper is not None else ""
    carrier = "" if placed.parent == WORLD else placed.parent
    facts = point, grips, mechanism, tool_kind, carrier, is_conveyor(robot)
    return protocol.RobotInfo(one, placed.name, robot.model, joints, values, tool, hand, *facts)


def zones_of(session: Session) -> Sequence[Any]:
    """Return the zones to show; none while one of them has no shape, which collision commands report."""
    from workcell.collision.zones import zones_of as shaped

    try:
        return shaped(session.snapshot())
    except WorkcellError:
        return ()


def zone_info(one: str, zone: Any, shapes: Shapes) -> protocol.ZoneInfo:
    """Return a zone with its place."""
    from workcell.geometry.recipe import Triangles
    from workcell.geometry.solid import Solid

    solid = zone.shape if isinstance(zone.shape, Solid) else Solid(Triangles.of(zone.shape))
    pose = cast(protocol.Seven, tuple(seven(zone.X_world_zone.matrix).tolist()))
    return protocol.ZoneInfo(one, zone.name, zone.rule, shapes.announce(solid), pose)


def facts(session: Session) -> protocol.Facts:
    """Return what undo would revert, what redo would repeat, the units, and how motions are watched."""
    history, units = session.database.history, session.units
    last = history.entry(history.revision).label if history.revision else ""
    undone = history.next_redo.label if history.can_redo else ""
    names = protocol.UnitNames(units.length, units.angle, units.size("length", ""), units.size("angle", ""))
    return protocol.Facts(session.revision, last, undone, names, session.database.setting("watch") or "")
