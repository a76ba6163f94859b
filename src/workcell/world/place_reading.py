"""Reads the targets, frames and paths of a cell: what each hangs on, directly or through frames that hang on others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from workcell.spatial.pose import Pose
from workcell.world.axes_text import AXES
from workcell.world.body import Body
from workcell.world.entities import Entity, Relation
from workcell.world.places import KINDS, LINK, OBJECT, RING, UP, WORLD, Learned, PathPlaces, Places, Spot, Way
from workcell.world.rows import Rows

if TYPE_CHECKING:
    from workcell.world.placed import PlacedRobot


class Labels:
    """The content of a scene by the names of entities: the bodies of objects, and the links of robots."""

    def __init__(self, bodies: Sequence[Body], robots: Sequence[PlacedRobot] = ()) -> None:
        self._bodies = bodies
        self._robots = robots

    @cached_property
    def _known(self) -> dict[str, str]:
        return {body.owner: body.name for body in reversed(self._bodies) if body.link < 0}

    @cached_property
    def _links(self) -> dict[str, int]:
        return {placed.name: placed.robot.n for placed in self._robots}

    def get(self, name: str) -> str | None:
        """The name of the body of an object, or None."""
        return self._known.get(name)

    def last_link(self, name: str) -> int | None:
        """The number of the last link of a robot or mechanism, or None."""
        return self._links.get(name)

    def carrier(self, kind: str, name: str) -> str | int | None:
        """An object, robot or mechanism in the scene: its body or its last link; None if it is not there."""
        return self.get(name) if kind == "object" else self.last_link(name)


class PlacesReading:
    """The targets, frames and paths of a cell as they were read, and the data on which they depend.

    Args:
        rows: what exists.
        scene: the number of the flattened scene.
        labels: its content.
    """

    def __init__(self, rows: Rows, scene: int, labels: Labels) -> None:
        self._rows = rows
        self._scene = scene
        self._labels = labels
        standing = [one for kind in KINDS for one in self._pointing(kind) if one.parent == scene]
        self._standing = {one.child: one for one in sorted(standing, key=lambda one: (one.position, one.id))}
        self._asked: dict[tuple[str, str], str | int | None] = {}
        self._owners: dict[int, str] = {}
        self._inside: dict[int, list[Relation]] = {}
        self._stamp = rows.kind_stamp(*KINDS)
        self._hanging: dict[int, tuple[tuple[Way, ...], str]] = {}
        self.places = self._collected()
        del self._labels, self._hanging

    def holds(self, scene: int, labels: Labels) -> bool:
        """Whether reading them again would give the same."""
        names = self._rows.entities
        return (
            self._scene == scene
            and self._stamp == self._rows.kind_stamp(*KINDS)
            and all(labels.carrier(*asked) == found for asked, found in self._asked.items())
            and all(number in names and names[number].name == name for number, name in self._owners.items())
            and all(self._rows.pointers(number) == above for number, above in self._inside.items())
        )

    def _pointing(self, kind: str) -> Iterator[Relation]:
        for entity in self._rows.of_kind(kind):
            yield from self._rows.pointers(entity.id)

    def _carrier(self, kind: str, name: str) -> str | int | None:
        """An object, robot or mechanism in the scene; the request is remembered."""
        found = self._asked[kind, name] = self._labels.carrier(kind, name)
        return found

    def _collected(self) -> Places:
        rows = self._rows
        for frame in rows.of_kind("frame"):
            self._settle(frame)
        paths: dict[str, PathPlaces] = {}
        axes: dict[int, str] = {}
        for path in rows.of_kind("path"):
            self._hanging[path.id] = self._found(path)
            made = paths[path.name] = self._path(path)
            for relation in rows.parts(path.id) if made.axes else ():
                axes.setdefault(relation.child, made.axes)
        spots = {}
        for entity in (*rows.of_kind("target"), *rows.of_kind("frame")):
            ways, missing = self._hanging[entity.id] if entity.kind == "frame" else self._found(entity)
            wish = str(entity.properties.get(AXES, "")) or axes.get(entity.id, "")
            learned = _learned(entity) if entity.kind == "target" else None
            spots[entity.kind, entity.name] = Spot(entity.kind, entity.name, ways, missing, wish, learned)
        return Places(spots, paths)

    def _settle(self, frame: Entity) -> None:
        """Find the carrier of a frame, after those of the frames that it hangs on; the chain may be long."""
        waiting = [frame.id]
        begun: set[int] = set()
        while waiting:
            number = waiting[-1]
            below = [one.parent for one in self._rows.pointers(number) if self._is_frame(one.parent)]
            open_ones = [one for one in below if one not in self._hanging and one not in begun]
            begun.add(number)
            if open_ones:
                waiting += open_ones
                continue
            waiting.pop()
            if number not in self._hanging:
                self._hanging[number] = self._found(self._rows.entities[number])

    def _is_frame(self, number: int) -> bool:
        return self._rows.entities[number].kind == "frame"

    def _found(self, place: Entity) -> tuple[tuple[Way, ...], str]:
        """The ways in which a place is placed, and its carrier if that is in no scene."""
        if place.kind == "path" and place.properties.get(OBJECT):
            return self._as_before(str(place.properties[OBJECT]))
        if place.id in self._standing:
            return (Way(WORLD, WORLD, Pose(self._standing[place.id].matrix)),), ""
        ways: list[Way] = []
        missing = ""
        for relation in sorted(self._rows.pointers(place.id), key=lambda one: one.id):
            owner = self._rows.entities[relation.parent]
            pose = Pose(relation.matrix)
            if owner.kind in ("frame", "path"):
                below, gone = self._hanging.get(owner.id, ((), owner.name))
                by = owner.name if owner.kind == "path" else ""
                ways += [Way(by or way.owner, way.frame, way.X_frame_place @ pose, way.link) for way in below]
                missing = gone or (missing if below else owner.name)
            elif owner.kind == "object":
                found = [Way(way.owner, way.frame, way.X_frame_place @ pose) for way in self._object(owner)]
                ways += found
                missing = missing if found else owner.name
            elif owner.kind in ("robot", "mechanism"):
                self._owners[owner.id] = owner.name
                last = self._carrier(owner.kind, owner.name)
                if isinstance(last, int):
                    link = min(int(relation.properties.get(LINK, last)), last)
                    ways.append(Way(owner.name, owner.name, pose, link))
                else:
                    missing = owner.name
        if place.kind == "path" and not ways and not missing:
            return (Way(WORLD, WORLD, Pose.identity()),), ""
        return tuple(ways), missing

    def _object(self, thing: Entity) -> list[Way]:
        """The frame of an object: on its own body, or on those of the objects that contain it."""
        waiting, found = [(thing.id, Pose.identity())], []
        while waiting:
            number, X_object_thing = waiting.pop(0)
            owner = self._rows.entities[number]
            self._owners[number] = owner.name
            body = self._carrier("object", owner.name)
            if isinstance(body, str):
                found.append(Way(owner.name, body, X_object_thing))
                continue
            self._inside[number] = self._rows.pointers(number)
            for relation in self._inside[number]:
                if self._rows.entities[relation.parent].kind == "object":
                    waiting.append((relation.parent, Pose(relation.matrix) @ X_object_thing))
        return found

    def _as_before(self, carrier: str) -> tuple[tuple[Way, ...], str]:
        """A path on the object that an older version of Workcell named."""
        found = self._carrier("object", carrier)
        return ((Way(carrier, found, Pose.identity()),), "") if isinstance(found, str) else ((), carrier)

    def _path(self, path: Entity) -> PathPlaces:
        ways, missing = self._hanging[path.id]
        way = ways[0] if ways else Way(WORLD, WORLD, Pose.identity())
        names, poses, ups = [], [], []
        for relation in self._rows.parts(path.id):
            target = self._rows.entities[relation.child]
            names.append(target.name)
            poses.append(Pose(relation.matrix))
            up = target.properties.get(UP)
            ups.append(np.asarray(up, dtype=float) if up is not None else -np.asarray(relation.matrix)[:3, 2])
        upwards = np.array(ups, dtype=float).reshape(-1, 3)
        upwards.flags.writeable = False
        own: Mapping[str, object] = path.properties
        return PathPlaces(
            path.name, way.frame, way.X_frame_place, tuple(names), tuple(poses), upwards, bool(own.get(RING)),
            "" if ways else missing, str(own.get(AXES, "")), way.link,
        )  # fmt: skip


def _learned(target: Entity) -> Learned | None:
    """The joint values and branch of a robot at a target when it was learned."""
    own = target.properties
    if not own.get("robot"):
        return None
    joints = tuple(float(one) for one in own.get("joints") or ())
    return Learned(str(own["robot"]), joints, str(own.get("label") or "").strip())
