"""Walking a scene: its bodies and robots with the names that they have there, and where everything stands."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.geometry.kernel.cache import MeshCache
from workcell.robots.gripper import FINGER, PALM, Gripper
from workcell.robots.link import Part
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.world.absence import in_stock, store_place
from workcell.world.body import Body, Piece
from workcell.world.conveyors import is_conveyor, kept_speed
from workcell.world.database import Database
from workcell.world.entities import Entity, Relation
from workcell.world.expand import Expander, is_robot, transparency_of
from workcell.world.hands import hand_of, lacks, times_of
from workcell.world.identity import same, shared
from workcell.world.matter import Matter
from workcell.world.places import WORLD
from workcell.world.renaming import Called
from workcell.world.riding import CARRIER, LINK, rides
from workcell.world.rows import Changed, Rows
from workcell.world.snapshot import PlacedRobot, Snapshot, finger_names, gripper_signal, opening_signal
from workcell.world.standing import BASE, Footing, stands
from workcell.world.state import Attachment, CellState
from workcell.world.weighing import is_ferromagnetic, matter_of

STANDS, RIDES, STORED = "stands", "rides", "stored"


class Ground(NamedTuple):
    """What stands in a scene: bodies, robots, where they are before any signal, and what could not be made."""

    bodies: tuple[Body, ...]
    robots: tuple[PlacedRobot, ...]
    initial: CellState
    notes: tuple[str, ...]


class _Arm(NamedTuple):
    """A robot or mechanism.

    Attributes:
        placed: the robot, its bodies counted among those of its item.
        first: where its bodies begin among those.
        joints: its initial joint values.
        wanted: the name that it would have were that free.
        key: the id of its entity, as text.
    """

    placed: PlacedRobot
    first: int
    joints: NDArray[np.float64]
    wanted: str
    key: str


class _Fitted(NamedTuple):
    """A robot with what is on its flange.

    Attributes:
        robot: the robot, its hand and tool frame those of the tool.
        tool: the name of the tool that is fitted, or of the gripper that the robot comes with, or ''.
        pieces: the solids of the tool, in the flange frame.
        weight: the tool, or the gripper that the robot comes with, to be weighed.
        lacks: what a gripper lacks to grip, as a sentence.
        clear: how much is seen through the tool, where it says so.
        own: whether it is the gripper that the robot comes with.
    """

    robot: Robot
    tool: str = ""
    pieces: tuple[Piece, ...] = ()
    weight: Matter | None = None
    lacks: str = ""
    clear: float | None = None
    own: bool = False


class _Item(NamedTuple):
    """Something that a scene places, made ready: an object, or a robot with all that is mounted on it.

    Attributes:
        relation: how the scene places it.
        made_from: what else it follows from; an item that follows from the same is the same.
        label: the name of its first body or robot.
        names: every name that it takes.
        bodies: its bodies.
        pose: where it is, for an object.
        going: whether it goes with something else: ``stands``, ``rides``, or empty.
        arms: its robots, carriers first.
        notes: what could not be made.
    """

    relation: Relation
    made_from: tuple[object, ...]
    label: str
    names: tuple[str, ...]
    bodies: tuple[Body, ...]
    pose: Pose | None
    going: str
    arms: tuple[_Arm, ...]
    notes: tuple[str, ...]


class _Hold(NamedTuple):
    """How something goes with a body, and what that follows from."""

    made_from: tuple[Any, ...]
    attachment: Attachment
    notes: tuple[str, ...]


class SceneWalk:
    """Walks one scene again and again. What is made of parts that did not change is kept from walk to walk.

    While no two things want the same name, an edit can change the name of nothing but what it touches; then only that
    is made again. Otherwise every item is looked at.
    """

    def __init__(self, database: Database, rows: Rows, expander: Expander) -> None:
        self._database, self._rows, self._expander = database, rows, expander
        self._touched: set[int] = set()
        self._items: dict[int, _Item] = {}
        self._names: set[str] = set()
        self._plain = False
        """Whether everything has the name that it wants."""
        self._looks: object = None
        self._holds: dict[int, _Hold] = {}
        self._ground: Ground | None = None
        self._first: dict[int, int] = {}
        """Where the bodies of each item begin; nothing while that is not known."""

    def touch(self, scene: int, changed: Changed) -> None:
        """Remember what of the scene has changed."""
        self._touched.update(number for number, parents in changed.relations.items() if scene in parents)
        for number in changed.entities:
            self._touched.update(one.id for one in self._rows.pointers(number) if one.parent == scene)

    def ground(self, scene: Entity, profile: str) -> Ground:
        """What stands in the scene; the very objects of the last time where they are the same."""
        looks = (self._rows.kind_stamp("colour", "material"), profile)
        plain, self._plain = self._plain and self._looks == looks, False  # until it is whole
        changes = self._patched(looks) if plain else None
        if changes is None:
            plain = self._walked(scene, looks)
        ground = self._ground
        if ground is None or changes is None or not self._small(changes, scene):
            ground = self._assembled(scene, self._in_order(scene))
        elif changes:
            ground = self._with(scene, ground, changes)
        self._ground, self._touched, self._looks, self._plain = ground, set(), looks, plain
        return ground

    def called(self) -> Callable[[Collection[str] | None], Iterable[Called]]:
        """How to list what stands in the scene now, or at least what has some names; also after further walks."""
        items = tuple(self._items.values())

        def listed(labels: Collection[str] | None = None) -> Iterable[Called]:
            chosen = items if labels is None else [one for one in items if one.arms or one.label in labels]
            return _called(chosen)

        return listed

    def _patched(self, looks: tuple[object, ...]) -> list[tuple[_Item | None, _Item | None]] | None:
        """Make again what was touched: each item before and after; None when names must be given anew."""
        changes: list[tuple[_Item | None, _Item | None]] = []
        for number in self._touched:
            old, new, relation = self._items.pop(number, None), None, self._rows.relations.get(number)
            if old is not None:
                self._names.difference_update(old.names)
            part = self._rows.entities[relation.child] if relation is not None else None
            if relation is not None and part is not None and _stands_there(part):
                new = self._item(relation, part, part.name, looks, old, self._names)
                if new is None:
                    return None
                self._items[number] = new
            if old is not new:
                changes.append((old, new))
        return changes

    def _small(self, changes: list[tuple[_Item | None, _Item | None]], scene: Entity) -> bool:
        """Whether the order of all others stays: items changed in their places, one came at the end or one went."""
        if self._holds:
            return False
        for old, new in changes:
            if any(item is not None and (item.going or item.notes) for item in (old, new)):
                return False
            if old is None or new is None:
                if len(changes) > 1 or not self._first or any(item is not None and item.arms for item in (old, new)):
                    return False
                if new is not None and self._rows.parts(scene.id)[-1] is not new.relation:
                    return False
            elif (
                old.relation.position != new.relation.position
                or len(old.bodies) != len(new.bodies)
                or [arm.placed.name for arm in old.arms] != [arm.placed.name for arm in new.arms]
            ):
                return False
        return True

    def _with(self, scene: Entity, ground: Ground, changes: list[tuple[_Item | None, _Item | None]]) -> Ground:
        """The ground after changes that are small."""
        bodies, robots, last = list(ground.bodies), ground.robots, ground.initial
        poses, joints = dict(last.poses), dict(last.joints)
        for old, new in changes:
            if old is None:
                assert new is not None
                self._first[new.relation.id] = len(bodies)
                bodies += new.bodies
            else:
                self._first = self._first or _beginnings(self._in_order(scene))
                first = self._first[old.relation.id]
                bodies[first : first + len(old.bodies)] = () if new is None else new.bodies
                if new is None:
                    self._first = {}
                    robots = tuple(_shifted(placed, first) for placed in robots)
                if old.pose is not None and (new is None or new.label != old.label):
                    del poses[old.label]
                if new is not None and new.arms:
                    placed = {arm.placed.name: _moved(arm.placed, first, None) for arm in new.arms}
                    robots = tuple(shared(placed.get(one.name, one), one) for one in robots)
                    joints.update((arm.placed.name, arm.joints) for arm in new.arms)
            if new is not None and new.pose is not None:
                poses[new.label] = new.pose
        return self._settled(tuple(bodies), robots, CellState(0.0, joints, poses), ground.notes)

    def _in_order(self, scene: Entity) -> list[_Item]:
        known = self._items
        return [known[one.id] for one in self._rows.parts(scene.id) if one.id in known]

    def _walked(self, scene: Entity, looks: tuple[object, ...]) -> bool:
        """Look at every item, in order: the first that wants a name gets it; returns whether all get theirs."""
        known, self._items, names = self._items, {}, set[str]()
        plain = True
        for relation in self._rows.parts(scene.id):
            part = self._rows.entities[relation.child]
            if not _stands_there(part):
                continue
            label = part.name
            if part.kind == "object" and label in names:
                label = f"{label} {relation.name}"
            label = _free(label, names)
            names.discard(label)
            item = self._item(relation, part, label, looks, known.get(relation.id), names, strictly=False)
            assert item is not None
            self._items[relation.id] = item
            plain = plain and label == part.name and all(arm.wanted == arm.placed.name for arm in item.arms)
        self._names = names
        return plain

    def _assembled(self, scene: Entity, items: list[_Item]) -> Ground:
        bodies = tuple(chain.from_iterable([item.bodies for item in items]))
        poses = {item.label: item.pose for item in items if item.pose is not None}
        notes = [note for item in items if item.notes for note in item.notes]
        before = self._ground
        self._first = _beginnings(items)
        arms = [
            (first, arm)
            for first, item in zip(self._first.values(), items, strict=True)
            if item.arms
            for arm in item.arms
        ]
        known = {one.name: one for one in before.robots} if before is not None else {}
        robots = tuple(_moved(arm.placed, first, known.get(arm.placed.name)) for first, arm in arms)
        joints = {arm.placed.name: arm.joints for _, arm in arms}
        attached: dict[str, Attachment] = {}
        holds = _Holding(self._rows, self._expander, self._items, self._holds)
        holds.stand(scene, [item for item in items if item.going == STANDS])
        holds.ride([item for item in items if item.going == RIDES], bodies, robots, joints, arms)
        holds.store([item for item in items if item.going == STORED])
        self._holds = holds.found
        for label, hold in holds.by_label.items():
            del poses[label]
            attached[label] = hold.attachment
        told = tuple(dict.fromkeys([*notes, *holds.notes]))
        return self._settled(bodies, robots, CellState(0.0, joints, poses, attached), told)

    def _settled(
        self, bodies: tuple[Body, ...], robots: tuple[PlacedRobot, ...], initial: CellState, notes: tuple[str, ...]
    ) -> Ground:
        """The ground; the very objects of the last time where they are the same."""
        before = self._ground
        if before is None:
            return Ground(bodies, robots, initial, notes)
        last = before.initial
        standing = (
            initial.poses == last.poses
            and initial.attached == last.attached
            and initial.joints.keys() == last.joints.keys()
            and all(np.array_equal(values, last.joints[name]) for name, values in initial.joints.items())
        )
        return Ground(
            before.bodies if same(bodies, before.bodies) else bodies,
            before.robots if same(robots, before.robots) else robots,
            last if standing else initial,
            before.notes if notes == before.notes else notes,
        )

    # ---- items ----------------------------------------------------------------------------------------

    def _item(
        self,
        relation: Relation,
        part: Entity,
        label: str,
        looks: tuple[object, ...],
        old: _Item | None,
        names: set[str],
        strictly: bool = True,
    ) -> _Item | None:
        """The item with its names taken; the old one where it is the same. Strictly, None where a name is taken."""
        made_from = (self._rows.stamp(part.id), looks, label)
        kept = old if old is not None and old.relation is relation and old.made_from == made_from else None
        if kept is not None and names.isdisjoint(kept.names):
            names.update(kept.names)
            return kept
        if strictly and label in names:
            return None
        self._expander.notes = []
        make = self._object if part.kind == "object" else self._robot
        made = make(relation, made_from, part, old, names)
        return None if strictly and any(arm.wanted != arm.placed.name for arm in made.arms) else made

    def _object(
        self, relation: Relation, made_from: tuple[Any, ...], part: Entity, old: _Item | None, names: set[str]
    ) -> _Item:
        label = made_from[-1]
        names.add(label)
        matter = matter_of(self._database, self._expander, part) if part.movable else None
        magnetic = is_ferromagnetic(self._database, self._expander, part) if part.movable else None
        body = Body(
            label, part.name, -1, self._expander.pieces(part), bool(part.movable), matter, ferromagnetic=magnetic
        )
        pose = Pose(relation.matrix)
        if old is not None and old.pose is not None:
            body, pose = shared(body, old.bodies[0]), old.pose if old.pose == pose else pose
        going = STANDS if stands(relation) else RIDES if rides(relation) else STORED if in_stock(relation) else ""
        return _Item(relation, made_from, label, (label,), (body,), pose, going, (), tuple(self._expander.notes))

    def _robot(
        self, relation: Relation, made_from: tuple[Any, ...], part: Entity, old: _Item | None, names: set[str]
    ) -> _Item:
        known = {arm.placed.name: arm.placed for arm in old.arms} if old is not None else {}
        bodies: list[Body] = []
        arms: list[_Arm] = []
        self._add_arm(bodies, arms, names, (relation, part, WORLD, 0), str(made_from[1][1]), known)
        if old is not None:
            seen = {body.name: body for body in old.bodies}
            bodies = [shared(body, seen.get(body.name)) for body in bodies]
        taken = tuple(arm.placed.name for arm in arms)
        notes = tuple(self._expander.notes)
        return _Item(relation, made_from, made_from[-1], taken, tuple(bodies), None, "", tuple(arms), notes)

    def _add_arm(
        self,
        bodies: list[Body],
        arms: list[_Arm],
        names: set[str],
        standing: tuple[Relation, Entity, str, int],
        profile: str,
        known: Mapping[str, PlacedRobot],
    ) -> None:
        """A robot that stands in the world or on a link of another, and then what is mounted on it."""
        relation, part, parent, link = standing
        label = _free(part.name, names)
        first, meshes = len(bodies), self._database.meshes
        fitted = self._with_tool(part, self._expander.robot(part))
        robot = fitted.robot
        old = known.get(label)
        if old is not None:
            robot = shared(robot, old.robot)
        places = []
        for number, one in enumerate(robot.links):
            pieces = _pieces(one.seen)
            tested = _pieces(one.tested) if one.tested != one.seen else ()
            # A link of a mechanism is there without a shape too: parts ride on a belt. So is one that carries a tool.
            carries = part.kind == "mechanism" or (number == robot.n and (fitted.tool or robot.gripper is not None))
            wanted = bool(pieces) or bool(one.unknown) or bool(carries)
            places.append(len(bodies) if wanted else -1)
            if one.unknown and not pieces:
                self._expander.notes.append(f"{label}/{one.name} is not shown: its shape is unknown")
            if wanted:
                bodies.append(Body(f"{label}/{one.name}", label, number, pieces, tested=tested, unknown=one.unknown))
        hand = len(bodies)
        name_of_tool = _tool_body(bodies, label, fitted, meshes)
        bodies += _fingers(label, robot, meshes)
        for begin, clear in ((hand, fitted.clear), (first, transparency_of(part))):  # the outermost wins
            if clear is not None:
                bodies[begin:] = [_seen_through(body, clear) for body in bodies[begin:]]
        own = part.properties
        speed, branch = float(own.get("speed", robot.speeds.min())), str(own.get("branch", "nearest"))
        place = (label, robot, parent, link, Pose(relation.matrix), tuple(places))
        runs = kept_speed(robot, float(own.get("runs", 0.0))) if is_conveyor(robot) else 0.0
        profile_of = str(own.get("profile") or profile)
        placed = PlacedRobot(*place, speed, profile_of, branch, fitted.weight, runs, fitted.lacks, name_of_tool)
        values = own.get("joints")
        joints = np.array(values if values is not None else robot.home, dtype=float)
        arms.append(_Arm(shared(placed, old), first, joints, part.name, part.key))
        for mounting, carried in self._expander.parts(part):
            if mounting.kind == "mount" and is_robot(carried):
                on = int(mounting.properties.get("link", robot.n))
                self._add_arm(bodies, arms, names, (mounting, carried, label, on), profile, known)

    def _with_tool(self, part: Entity, robot: Robot) -> _Fitted:
        """The robot with what is on its flange; a tool takes the place of the gripper that the robot comes with."""
        for relation, tool in self._expander.parts(part):
            if relation.kind == "mount" and tool.kind in ("tool", "gripper") and "tcp" in tool.properties:
                matrix = np.eye(4)
                matrix[:3] = np.reshape(tool.properties["tcp"], (3, 4))
                hand = hand_of(tool, Pose(relation.matrix))
                fitted = robot.with_tool(Pose(relation.matrix @ matrix)).replace(gripper=hand)
                pieces, weight = self._expander.pieces_at(tool, relation.matrix), self._weight(tool, relation.matrix)
                return _Fitted(fitted, tool.name, pieces, weight, lacks(tool, part.name), transparency_of(tool))
        if part.properties.get("hand") == "none":
            return _Fitted(robot.replace(gripper=None))
        own = robot.gripper
        if own is None:
            return _Fitted(robot)
        times = times_of(part.properties)
        if times:
            own = dataclasses.replace(own, **times)
            robot = robot.replace(gripper=own)
        stated = part.properties.get("gripper_mass")
        mass = own.mass if stated is None else float(stated)
        weight = Matter(own.name, mass, fault=f"states no mass; `modify {part.name} gripper_mass` does")
        return _Fitted(robot, own.name or "gripper", weight=weight, own=True)

    def _weight(self, tool: Entity, matrix: NDArray[np.float64]) -> Matter:
        """A tool to be weighed; hands are drawn by Workcell, so a gripper that is one states its mass itself."""
        matter = matter_of(self._database, self._expander, tool, matrix)
        if matter.mass is not None or hand_of(tool) is None:
            return matter
        return Matter(tool.name, fault=f"states no mass; `modify {tool.name} mass` does")


class _Holding:
    """What goes with what: on faces, and on links of mechanisms."""

    def __init__(self, rows: Rows, expander: Expander, items: Mapping[int, _Item], before: Mapping[int, _Hold]) -> None:
        self._rows, self._expander, self._items, self._before = rows, expander, items, before
        self.found: dict[int, _Hold] = {}
        self.by_label: dict[str, _Hold] = {}
        self.notes: list[str] = []

    def stand(self, scene: Entity, items: list[_Item]) -> None:
        """Let what stands on a face go with what carries it."""
        if not items:
            return
        footing = Footing(self._expander, scene)
        for item in items:
            relation = item.relation
            base = footing.base(relation)
            if base is None or base.id not in self._items or self._items[base.id].pose is None:
                was = relation.properties[BASE]
                self.notes.append(f"{item.label!r} stood on {was!r}, which is not in the scene any more")
                continue
            frame = self._items[base.id].label
            stamps = self._rows.stamp(relation.child), self._rows.stamp(base.child)
            kept = self._known(item, (relation, base.id, stamps, frame))
            if kept is None:
                self._expander.notes = []
                pose = Pose(footing.X_base_child(relation))
                kept = self._made(item, (relation, base.id, stamps, frame), frame, pose)
            self._keep(item, kept)

    def ride(
        self,
        items: list[_Item],
        bodies: tuple[Body, ...],
        robots: tuple[PlacedRobot, ...],
        joints: Mapping[str, NDArray[np.float64]],
        arms: list[tuple[int, _Arm]],
    ) -> None:
        """Let what rides on a mechanism go with its link."""
        if not items:
            return
        carriers = {arm.key: arm.placed.name for _, arm in arms}
        state = CellState(0.0, joints)
        standing = Snapshot((0, 0), "", bodies, robots, state)
        frames: dict[str, NDArray[np.float64]] = {}
        for item in items:
            own = item.relation.properties
            carrier, link = carriers.get(own[CARRIER], ""), int(own.get(LINK) or 0)
            links = standing.robot(carrier).bodies if carrier else ()
            place = links[link] if link < len(links) else -1
            if place < 0:
                self.notes.append(f"{item.label!r} rode on something that is not in the scene any more")
                continue
            if carrier not in frames:
                frames[carrier] = standing.link_frames(state, carrier)
            X_world_link, frame = frames[carrier][link], bodies[place].name
            made_from = (item.relation, X_world_link.tobytes(), frame)
            kept = self._known(item, made_from)
            if kept is None:
                self._expander.notes = []
                assert item.pose is not None
                kept = self._made(item, made_from, frame, Pose(X_world_link).inverse() @ item.pose)
            self._keep(item, kept)

    def store(self, items: list[_Item]) -> None:
        """Let what is in stock be absent."""
        for number, item in enumerate(items):
            kept = self._known(item, (item.relation, number))
            if kept is None:
                self._expander.notes = []
                kept = self._made(item, (item.relation, number), WORLD, store_place(number))
            self._keep(item, kept)

    def _known(self, item: _Item, made_from: tuple[Any, ...]) -> _Hold | None:
        kept = self._before.get(item.relation.id)
        return kept if kept is not None and kept.made_from == made_from else None

    def _made(self, item: _Item, made_from: tuple[Any, ...], frame: str, pose: Pose) -> _Hold:
        old, attachment = self._before.get(item.relation.id), Attachment(frame, pose)
        if old is not None and old.attachment == attachment:
            attachment = old.attachment
        return _Hold(made_from, attachment, tuple(self._expander.notes))

    def _keep(self, item: _Item, hold: _Hold) -> None:
        self.found[item.relation.id] = self.by_label[item.label] = hold
        self.notes += hold.notes


def _called(items: Iterable[_Item]) -> Iterator[Called]:
    for item in items:
        if item.arms:
            for arm in item.arms:
                yield Called((item.relation.id, arm.key), arm.key, arm.placed.name)
        else:
            yield Called(item.relation.id, item.relation.child, item.label)


def _stands_there(part: Entity) -> bool:
    return part.kind == "object" or is_robot(part)


def _free(wanted: str, names: set[str]) -> str:
    """A name that is not taken yet, and take it."""
    name, count = wanted, 1
    while name in names:
        count += 1
        name = f"{wanted} {count}"
    names.add(name)
    return name


def _moved(placed: PlacedRobot, first: int, known: PlacedRobot | None) -> PlacedRobot:
    """The robot with its bodies counted among those of the scene; the one of before where it is the same."""
    if first:
        places = tuple(place + first if place >= 0 else -1 for place in placed.bodies)
        placed = dataclasses.replace(placed, bodies=places)
    return shared(placed, known)


def _beginnings(items: list[_Item]) -> dict[int, int]:
    """Where the bodies of each item begin, by the number of its relation."""
    starts = accumulate([len(item.bodies) for item in items], initial=0)
    return dict(zip([item.relation.id for item in items], starts, strict=False))


def _shifted(placed: PlacedRobot, gone: int) -> PlacedRobot:
    """The robot once a body before its own is gone."""
    if all(place <= gone for place in placed.bodies):
        return placed
    return dataclasses.replace(placed, bodies=tuple(place - 1 if place > gone else place for place in placed.bodies))


def _pieces(parts: tuple[Part, ...]) -> tuple[Piece, ...]:
    return tuple(Piece(part.solid, part.colour, part.ghost, part.transparency) for part in parts)


def _seen_through(body: Body, transparency: float) -> Body:
    pieces, tested = (
        tuple(dataclasses.replace(piece, transparency=transparency) for piece in some)
        for some in (body.pieces, body.tested)
    )
    return dataclasses.replace(body, pieces=pieces, tested=tested)


def _kept(parts: Iterable[Part], meshes: MeshCache) -> tuple[Piece, ...]:
    return tuple(Piece(part.solid.kept_in(meshes), part.colour, part.ghost, part.transparency) for part in parts)


def _tool_body(bodies: list[Body], label: str, fitted: _Fitted, meshes: MeshCache) -> str:
    """Add the body of the tool or gripper on the flange of a robot; its name, or '' where it has no shape."""
    hand, seen, tested = fitted.robot.gripper, fitted.pieces, fitted.pieces
    if not fitted.tool:
        return ""
    if hand is not None and not isinstance(hand, Gripper):
        parts = (*(() if seen else hand.body_parts()), *hand.pad_parts())
        seen = (*seen, *_kept((part for part in parts if part.use != "collision"), meshes))
        tested = (*tested, *_kept((part for part in parts if part.use != "visual"), meshes))
    elif hand is not None and not seen:
        seen = tested = (Piece(hand.palm().kept_in(meshes), PALM),)
    if not seen:
        return ""
    taken = {body.name for body in bodies} | set(finger_names(label))
    if fitted.own:
        taken |= {gripper_signal(label), opening_signal(label)}
    name = f"{label}/{fitted.tool}"
    while name in taken:
        name += " tool"
    link = fitted.robot.n
    palm_of = f"{label}/{fitted.robot.links[link].name}" if fitted.own and isinstance(hand, Gripper) else ""
    bodies.append(Body(name, label, link, seen, tested=() if tested == seen else tested, built_on=palm_of))
    return name


def _fingers(label: str, robot: Robot, meshes: MeshCache) -> Iterator[Body]:
    if isinstance(robot.gripper, Gripper):
        finger = Piece(robot.gripper.finger().kept_in(meshes), FINGER)
        yield from (Body(name, label, robot.n, (finger,)) for name in finger_names(label))
