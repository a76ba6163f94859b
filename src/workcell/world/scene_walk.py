"""Walks a scene: its bodies and robots with their names there, and where everything is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import accumulate, chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.world.absence import in_stock
from workcell.world.body import Body
from workcell.world.conveyors import is_conveyor, kept_speed
from workcell.world.database import Database
from workcell.world.entities import Entity, Relation
from workcell.world.expand import Expander, transparency_of
from workcell.world.fitted_tool import with_own_hand
from workcell.world.flange_bodies import finger_bodies, pieces_of, seen_through, tool_body
from workcell.world.foothold import stands
from workcell.world.hands import hand_of, lacks
from workcell.world.identity import same, shared
from workcell.world.matter import Matter
from workcell.world.placed import PlacedRobot
from workcell.world.places import WORLD
from workcell.world.renaming import Called
from workcell.world.riding import rides
from workcell.world.robot_shape import is_robot
from workcell.world.rows import Changed, Rows
from workcell.world.scene_holding import Holding
from workcell.world.scene_items import Arm, Fitted, Ground, Hold, Item, counted_from, without_body
from workcell.world.state import Attachment, CellState
from workcell.world.weighing import is_ferromagnetic, matter_of

STANDS, RIDES, STORED = "stands", "rides", "stored"


class SceneWalk:
    """Walks one scene again and again. Results from unchanged parts are kept from walk to walk.

    While no two things want the same name, an edit can change only the names of the things that it touches; then only
    these are made again. Otherwise every item is visited.
    """

    def __init__(self, database: Database, rows: Rows, expander: Expander) -> None:
        self._database, self._rows, self._expander = database, rows, expander
        self._touched: set[int] = set()
        self._items: dict[int, Item] = {}
        self._names: set[str] = set()
        self._plain = False
        """Whether everything has the name that it wants."""
        self._looks: object = None
        self._holds: dict[int, Hold] = {}
        self._ground: Ground | None = None
        self._first: dict[int, int] = {}
        """The index of the first body of each item; None while it is not known."""

    def touch(self, scene: int, changed: Changed) -> None:
        """Remember what has changed in the scene."""
        self._touched.update(number for number, parents in changed.relations.items() if scene in parents)
        for number in changed.entities:
            self._touched.update(one.id for one in self._rows.pointers(number) if one.parent == scene)

    def ground(self, scene: Entity, profile: str) -> Ground:
        """The content of the scene; unchanged objects are those of the last time."""
        looks = (self._rows.kind_stamp("colour", "material"), profile)
        plain, self._plain = self._plain and self._looks == looks, False  # until it is complete
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
        """A function that lists the present content of the scene, or only some names; it works after further walks."""
        items = tuple(self._items.values())

        def listed(labels: Collection[str] | None = None) -> Iterable[Called]:
            chosen = items if labels is None else [one for one in items if one.arms or one.label in labels]
            return _called(chosen)

        return listed

    def _patched(self, looks: tuple[object, ...]) -> list[tuple[Item | None, Item | None]] | None:
        """Make touched items again: each item before and after; None if names must be assigned again."""
        changes: list[tuple[Item | None, Item | None]] = []
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

    def _small(self, changes: list[tuple[Item | None, Item | None]], scene: Entity) -> bool:
        """Whether the order of all others stays: items changed in place, one came at the end or one was removed."""
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

    def _with(self, scene: Entity, ground: Ground, changes: list[tuple[Item | None, Item | None]]) -> Ground:
        """The ground after small changes."""
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
                    robots = tuple(without_body(placed, first) for placed in robots)
                if old.pose is not None and (new is None or new.label != old.label):
                    del poses[old.label]
                if new is not None and new.arms:
                    placed = {arm.placed.name: counted_from(arm.placed, first, None) for arm in new.arms}
                    robots = tuple(shared(placed.get(one.name, one), one) for one in robots)
                    joints.update((arm.placed.name, arm.joints) for arm in new.arms)
            if new is not None and new.pose is not None:
                poses[new.label] = new.pose
        return self._settled(tuple(bodies), robots, CellState(0.0, joints, poses), ground.notes)

    def _in_order(self, scene: Entity) -> list[Item]:
        known = self._items
        return [known[one.id] for one in self._rows.parts(scene.id) if one.id in known]

    def _walked(self, scene: Entity, looks: tuple[object, ...]) -> bool:
        """Visit every item, in order: the first that wants a name gets it; return whether all get theirs."""
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

    def _assembled(self, scene: Entity, items: list[Item]) -> Ground:
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
        robots = tuple(counted_from(arm.placed, first, known.get(arm.placed.name)) for first, arm in arms)
        joints = {arm.placed.name: arm.joints for _, arm in arms}
        attached: dict[str, Attachment] = {}
        holds = Holding(self._rows, self._expander, self._items, self._holds)
        holds.stand(scene, [item for item in items if item.going == STANDS])
        holds.ride([item for item in items if item.going == RIDES], bodies, robots, joints, arms)
        holds.store([item for item in items if item.going == STORED])
        self._holds = holds.found
        for label, hold in holds.by_label.items():
            del poses[label]
            attached[label] = hold.attachment
        all_notes = tuple(dict.fromkeys([*notes, *holds.notes]))
        return self._settled(bodies, robots, CellState(0.0, joints, poses, attached), all_notes)

    def _settled(
        self, bodies: tuple[Body, ...], robots: tuple[PlacedRobot, ...], initial: CellState, notes: tuple[str, ...]
    ) -> Ground:
        """The ground; unchanged objects are those of the last time."""
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
        old: Item | None,
        names: set[str],
        strictly: bool = True,
    ) -> Item | None:
        """The item with its names taken; the old object if it is the same. Strictly, None if a name is taken."""
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
        self, relation: Relation, made_from: tuple[Any, ...], part: Entity, old: Item | None, names: set[str]
    ) -> Item:
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
        return Item(relation, made_from, label, (label,), (body,), pose, going, (), tuple(self._expander.notes))

    def _robot(
        self, relation: Relation, made_from: tuple[Any, ...], part: Entity, old: Item | None, names: set[str]
    ) -> Item:
        known = {arm.placed.name: arm.placed for arm in old.arms} if old is not None else {}
        bodies: list[Body] = []
        arms: list[Arm] = []
        self._add_arm(bodies, arms, names, (relation, part, WORLD, 0), str(made_from[1][1]), known)
        if old is not None:
            seen = {body.name: body for body in old.bodies}
            bodies = [shared(body, seen.get(body.name)) for body in bodies]
        taken = tuple(arm.placed.name for arm in arms)
        notes = tuple(self._expander.notes)
        return Item(relation, made_from, made_from[-1], taken, tuple(bodies), None, "", tuple(arms), notes)

    def _add_arm(
        self,
        bodies: list[Body],
        arms: list[Arm],
        names: set[str],
        standing: tuple[Relation, Entity, str, int],
        profile: str,
        known: Mapping[str, PlacedRobot],
    ) -> None:
        """A robot in the world or on a link of another, followed by everything mounted on it."""
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
            pieces = pieces_of(one.seen)
            tested = pieces_of(one.tested) if one.tested != one.seen else ()
            # A link of a mechanism exists even without a shape: parts ride on a belt. So does one that carries a tool.
            carries = part.kind == "mechanism" or (number == robot.n and (fitted.tool or robot.gripper is not None))
            wanted = bool(pieces) or bool(one.unknown) or bool(carries)
            places.append(len(bodies) if wanted else -1)
            if one.unknown and not pieces:
                self._expander.notes.append(f"{label}/{one.name} is not shown: its shape is unknown")
            if wanted:
                bodies.append(Body(f"{label}/{one.name}", label, number, pieces, tested=tested, unknown=one.unknown))
        hand = len(bodies)
        name_of_tool = tool_body(bodies, label, fitted, meshes)
        bodies += finger_bodies(label, robot, meshes)
        for begin, clear in ((hand, fitted.clear), (first, transparency_of(part))):  # the outermost wins
            if clear is not None:
                bodies[begin:] = [seen_through(body, clear) for body in bodies[begin:]]
        own = part.properties
        speed, branch = float(own.get("speed", robot.default_speed)), str(own.get("branch", "nearest"))
        place = (label, robot, parent, link, Pose(relation.matrix), tuple(places))
        runs = kept_speed(robot, float(own.get("runs", 0.0))) if is_conveyor(robot) else 0.0
        profile_of = str(own.get("profile") or profile)
        placed = PlacedRobot(*place, speed, profile_of, branch, fitted.weight, runs, fitted.lacks, name_of_tool)
        values = own.get("joints")
        joints = np.array(values if values is not None else robot.home, dtype=float)
        arms.append(Arm(shared(placed, old), first, joints, part.name, part.key))
        for mounting, carried in self._expander.parts(part):
            if mounting.kind == "mount" and is_robot(carried):
                on = int(mounting.properties.get("link", robot.n))
                self._add_arm(bodies, arms, names, (mounting, carried, label, on), profile, known)

    def _with_tool(self, part: Entity, robot: Robot) -> Fitted:
        """The robot with the tool on its flange; a tool replaces the robot's own gripper."""
        for relation, tool in self._expander.parts(part):
            if relation.kind == "mount" and tool.kind in ("tool", "gripper") and "tcp" in tool.properties:
                matrix = np.eye(4)
                matrix[:3] = np.reshape(tool.properties["tcp"], (3, 4))
                hand = hand_of(tool, Pose(relation.matrix))
                fitted = robot.with_tool(Pose(relation.matrix @ matrix)).replace(gripper=hand)
                pieces, weight = self._expander.pieces_at(tool, relation.matrix), self._weight(tool, relation.matrix)
                return Fitted(fitted, tool.name, pieces, weight, lacks(tool, part.name), transparency_of(tool))
        robot = with_own_hand(part, robot)
        own = robot.gripper
        if own is None:
            return Fitted(robot)
        stated = part.properties.get("gripper_mass")
        mass = own.mass if stated is None else float(stated)
        weight = Matter(own.name, mass, fault=f"states no mass; `modify {part.name} gripper_mass` does")
        return Fitted(robot, own.name or "gripper", weight=weight, own=True)

    def _weight(self, tool: Entity, matrix: NDArray[np.float64]) -> Matter:
        """A tool to weigh; Workcell draws the hands, so a gripper that is one states its mass itself."""
        matter = matter_of(self._database, self._expander, tool, matrix)
        if matter.mass is not None or hand_of(tool) is None:
            return matter
        return Matter(tool.name, fault=f"states no mass; `modify {tool.name} mass` does")


def _called(items: Iterable[Item]) -> Iterator[Called]:
    for item in items:
        if item.arms:
            for arm in item.arms:
                yield Called((item.relation.id, arm.key), arm.key, arm.placed.name)
        else:
            yield Called(item.relation.id, item.relation.child, item.label)


def _stands_there(part: Entity) -> bool:
    return part.kind == "object" or is_robot(part)


def _free(wanted: str, names: set[str]) -> str:
    """Return a name that is free, and take it."""
    name, count = wanted, 1
    while name in names:
        count += 1
        name = f"{wanted} {count}"
    names.add(name)
    return name


def _beginnings(items: list[Item]) -> dict[int, int]:
    """The index of the first body of each item, by the number of its relation."""
    starts = accumulate([len(item.bodies) for item in items], initial=0)
    return dict(zip([item.relation.id for item in items], starts, strict=False))
