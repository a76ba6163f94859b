"""Targets, frames and paths of a scene as data: on what each stands, and where it is in a state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused, UnknownName
from workcell.spatial.pose import Pose
from workcell.world.axes_text import AXES
from workcell.world.body import Body
from workcell.world.entities import Entity, Relation
from workcell.world.identity import Value
from workcell.world.rows import Rows

KINDS = ("target", "frame", "path")
"""The kinds of entity that are places."""
WORLD = "world"
"""The name of the frame in which everything stands."""
OBJECT, RING = "object", "ring"
"""The properties of a path that say in whose frame its targets are, and whether it is a ring."""
UP = "up"
"""The property of a target that says which way is away from the work, in the frame of the path."""


@dataclass(frozen=True)
class Way:
    """One way in which a target or frame is placed: by whom, on which body, and where on it."""

    owner: str
    frame: str
    X_frame_place: Pose


@dataclass(frozen=True)
class Spot(Value):
    """A target or a frame.

    Attributes:
        kind: ``target`` or ``frame``.
        name: its name.
        ways: how it is placed; several must agree, none means that it stands nowhere.
        missing: the object that carries it and is in no scene, if that is so.
        axes: where external axes are to be when a hand goes there, its own or its path's; '' where they are held.
    """

    kind: str
    name: str
    ways: tuple[Way, ...]
    missing: str = ""
    axes: str = ""


@dataclass(frozen=True)
class PathPlaces(Value):
    """A path: on which body its targets are, where they are on it, and which way is up there.

    Attributes:
        name: its name.
        frame: the body that carries it, or ``world``.
        X_frame_path: where its own frame is on that body.
        targets: the names of its targets, in order.
        poses: X_path_target of each.
        ups: the directions away from the work (K, 3).
        ring: whether the last target is followed by the first.
        missing: the object that carries it and is in no scene, if that is so.
        axes: where external axes are to be along it; '' where they are held.
    """

    name: str
    frame: str
    X_frame_path: Pose
    targets: tuple[str, ...]
    poses: tuple[Pose, ...]
    ups: NDArray[np.float64]
    ring: bool
    missing: str = ""
    axes: str = ""


@dataclass(frozen=True)
class Places(Value):
    """All targets, frames and paths of a cell, by name."""

    spots: Mapping[tuple[str, str], Spot] = field(default_factory=dict)
    paths: Mapping[str, PathPlaces] = field(default_factory=dict)

    def spot(self, name: str, kind: str = "") -> Spot:
        """The target, else the frame, of that name."""
        for one in (kind,) if kind else ("target", "frame"):
            found = self.spots.get((one, name))
            if found is not None:
                return found
        known = [known for of, known in self.spots if not kind or of == kind]
        raise UnknownName.among(kind or "target or frame", name, known)

    def path(self, name: str) -> PathPlaces:
        """The path of that name."""
        if name not in self.paths:
            raise UnknownName.among("path", name, self.paths)
        return self.paths[name]

    def where(self, name: str, pose_of: Callable[[str], Pose], kind: str = "") -> Pose:
        """Where a target or frame is in the world, ``pose_of`` giving X_world_body of what carries it."""
        spot = self.spot(name, kind)
        what = f"{spot.kind.capitalize()} {spot.name!r}"
        if not spot.ways:
            if spot.missing:
                raise Refused(f"{spot.missing!r} stands in no scene; `place {spot.missing} at …` first.")
            raise Refused(f"{what} stands in no scene; `place {spot.name} at …` first.")
        first, *others = (_placed(way, pose_of) for way in spot.ways)
        for way, other in zip(spot.ways[1:], others, strict=True):
            if not first.is_close(other, 1e-9, 1e-9):
                raise Refused(
                    f"{what} is somewhere else by {spot.ways[0].owner!r} than by {way.owner!r}; detach it from one "
                    f"of them, or give the pose itself."
                )
        return first

    def along(self, name: str, pose_of: Callable[[str], Pose]) -> list[Pose]:
        """Where the targets of a path are in the world."""
        path = self.path(name)
        if path.missing:
            raise Refused(
                f"The targets of {name!r} are on {path.missing!r}, which stands in no scene; "
                f"`place {path.missing} at …` first."
            )
        if not path.poses:
            raise Refused(f"Path {name!r} has no targets; `targets along-edge …` makes some, or attach your own.")
        carrier = path.X_frame_path if path.frame == WORLD else pose_of(path.frame) @ path.X_frame_path
        return [carrier @ pose for pose in path.poses]


def _placed(way: Way, pose_of: Callable[[str], Pose]) -> Pose:
    return way.X_frame_place if way.frame == WORLD else pose_of(way.frame) @ way.X_frame_place


class Labels:
    """The body of each object that stands in a scene, by the object's name."""

    def __init__(self, bodies: Sequence[Body]) -> None:
        self._bodies = bodies

    @cached_property
    def _known(self) -> dict[str, str]:
        return {body.owner: body.name for body in reversed(self._bodies) if body.link < 0}

    def get(self, name: str) -> str | None:
        """The name of the body, or nothing."""
        return self._known.get(name)


class PlacesReading:
    """The targets, frames and paths of a cell as they were read, and what must stay as it is for them to hold.

    Args:
        rows: what exists.
        scene: the number of the scene that is flattened.
        labels: the bodies of the objects that stand in it.
    """

    def __init__(self, rows: Rows, scene: int, labels: Labels) -> None:
        self._rows = rows
        self._scene = scene
        self._labels = labels
        standing = [one for kind in KINDS for one in self._placed(kind) if one.parent == scene]
        self._standing = {one.child: one for one in sorted(standing, key=lambda one: (one.position, one.id))}
        self._asked: dict[str, str | None] = {}
        self._owners: dict[int, str] = {}
        self._stamp = rows.kind_stamp(*KINDS)
        self.places = self._collected()
        del self._labels

    def holds(self, scene: int, labels: Labels) -> bool:
        """Whether reading them again would give the same."""
        names = self._rows.entities
        return (
            self._scene == scene
            and self._stamp == self._rows.kind_stamp(*KINDS)
            and all(labels.get(name) == label for name, label in self._asked.items())
            and all(number in names and names[number].name == name for number, name in self._owners.items())
        )

    def _placed(self, kind: str) -> Iterator[Relation]:
        for entity in self._rows.of_kind(kind):
            yield from self._rows.pointers(entity.id)

    def _label(self, name: str) -> str | None:
        """The body of an object, by the object's name."""
        found = self._asked[name] = self._labels.get(name)
        return found

    def _collected(self) -> Places:
        rows = self._rows
        known = {entity.id: entity for kind in ("target", "frame") for entity in rows.of_kind(kind)}
        paths, ways, missing = {}, {number: [] for number in known}, {}  # type: ignore[var-annotated]
        wishes: dict[int, str] = {}
        for path in rows.of_kind("path"):
            made = paths[path.name] = self._path(path, known)
            for relation in rows.parts(path.id):
                if relation.child not in ways:
                    continue
                if made.axes:
                    wishes.setdefault(relation.child, made.axes)
                if made.missing:
                    missing[relation.child] = made.missing
                else:
                    pose = made.X_frame_path @ Pose(relation.matrix)
                    ways[relation.child].append((relation.id, Way(path.name, made.frame, pose)))
        for number, entity in known.items():
            if number in self._standing:
                continue
            for relation in rows.pointers(number):
                owner = rows.entities[relation.parent]
                if owner.kind != "object":
                    continue
                self._owners[owner.id] = owner.name
                label = self._label(owner.name)
                if label is None:
                    missing[entity.id] = owner.name
                else:
                    ways[number].append((relation.id, Way(owner.name, label, Pose(relation.matrix))))
        spots = {}
        for number, entity in known.items():
            if number in self._standing:
                own: tuple[Way, ...] = (Way(WORLD, WORLD, Pose(self._standing[number].matrix)),)
            else:
                own = tuple(way for _, way in sorted(ways[number], key=lambda pair: pair[0]))
            spots[entity.kind, entity.name] = Spot(
                entity.kind,
                entity.name,
                own,
                missing.get(number, ""),
                str(entity.properties.get(AXES, "")) or wishes.get(number, ""),
            )
        return Places(spots, paths)

    def _path(self, path: Entity, known: Mapping[int, Entity]) -> PathPlaces:
        own = path.properties
        carrier = str(own.get(OBJECT, ""))
        frame, missing, X_frame_path = WORLD, "", Pose.identity()
        if carrier:
            label = self._label(carrier)
            frame, missing = (label, "") if label is not None else (WORLD, carrier)
        elif path.id in self._standing:
            X_frame_path = Pose(self._standing[path.id].matrix)
        names, poses, ups = [], [], []
        for relation in self._rows.parts(path.id):
            target = known.get(relation.child)
            names.append(target.name if target is not None else relation.name)
            poses.append(Pose(relation.matrix))
            said = target.properties.get(UP) if target is not None else None
            ups.append(np.asarray(said, dtype=float) if said is not None else -np.asarray(relation.matrix)[:3, 2])
        upwards = np.array(ups, dtype=float).reshape(-1, 3)
        upwards.flags.writeable = False
        return PathPlaces(
            path.name, frame, X_frame_path, tuple(names), tuple(poses), upwards, bool(own.get(RING)), missing,
            str(own.get(AXES, "")),
        )  # fmt: skip
