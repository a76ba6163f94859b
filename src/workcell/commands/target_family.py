"""Families of targets: a path with targets that are numbered from 1, on a carrier."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.commands.model import make
from workcell.commands.results import Result
from workcell.errors import InvalidValue, NameTaken
from workcell.spatial.pose import Pose
from workcell.spatial.quaternions import seven
from workcell.spatial.transform import Transform
from workcell.wording import an, counted
from workcell.world.entities import Entity
from workcell.world.hanging import carrier_pose, checked_link, hang
from workcell.world.names import is_name
from workcell.world.places import RING, UP
from workcell.world.placing import put_in_scene

if TYPE_CHECKING:
    from workcell.commands.session import Session

MOST_TARGETS = 5000
"""The most targets that a path can hold."""
_MOST_NAMES = 4
"""How many names an answer lists."""


class Targets(Result, frozen=True):
    """A path of targets: what they hang on, and their poses there (4×4 matrices, SI)."""

    path: str
    object: str
    poses: tuple[tuple[tuple[float, ...], ...], ...]
    text: str

    def __str__(self) -> str:
        return self.text


class ShownTargets(Targets, frozen=True):
    """Targets that are not made: ``places`` are their poses in the world now (x y z [m], quaternion w x y z).

    ``ring`` is whether the path is closed.
    """

    places: tuple[tuple[float, ...], ...] = ()
    ring: bool = False


@dataclass(frozen=True)
class Family:
    """The targets that are named after a path, when the path is renamed.

    Attributes:
        path: the path, with its old name.
        renamed: the targets, each with its new name.
        stay: the targets that keep their names, because the new ones are taken or not legal.
    """

    path: Entity | None = None
    renamed: tuple[tuple[Entity, str], ...] = ()
    stay: tuple[str, ...] = ()

    @classmethod
    def of(cls, session: Session, path: Entity, name: str) -> Family:
        """Return the targets ``PATH-1``, ``PATH-2``, … of a path that gets a new name."""
        database, renamed, stay = session.database, {}, []
        for relation in database.relations(path):
            target = database.by_id(relation.child)
            start, _, number = target.name.rpartition("-")
            if target.kind != "target" or start != path.name or not number.isdecimal() or target.id in renamed:
                continue
            new = f"{name}-{number}"
            if database.find("target", new) is None and is_name(new):
                renamed[target.id] = target, new
            else:
                stay.append(target.name)
        return cls(path, tuple(renamed.values()), tuple(dict.fromkeys(stay)))

    def rename(self, session: Session) -> None:
        """Rename the targets, and those of their relations in the path that have the same names."""
        database = session.database
        new_names = {target.name: new for target, new in self.renamed}
        for target, new in self.renamed:
            database.rename(session.rows, target, new)
        relations = () if self.path is None or not new_names else tuple(database.relations(self.path))
        taken = {relation.name for relation in relations}
        for relation in relations:
            new = new_names.get(relation.name, "")
            if new and new not in taken and database.by_id(relation.child).name == new:
                database.rename(session.rows, relation, new)

    def __str__(self) -> str:
        changes = ""
        if len(self.renamed) == 1:
            changes = f"; its target is now called {self.renamed[0][1]}"
        elif self.renamed:
            changes = f"; its targets are now called {self.renamed[0][1]} to {self.renamed[-1][1]}"
        if self.stay:
            listed = ", ".join(self.stay[:_MOST_NAMES]) + (
                f" and {len(self.stay) - _MOST_NAMES} more" * (len(self.stay) > _MOST_NAMES)
            )
            changes += (
                f"; {listed} {'keeps its' if len(self.stay) == 1 else 'keep their'} name, because the new one is taken"
            )
        return changes


def keep_family(
    session: Session,
    path: str,
    poses: Sequence[Pose],
    thing: Entity | None,
    how: str,
    ups: NDArray[np.float64] | None = None,
    closed: bool = False,
    link: int | None = None,
) -> Targets:
    """Make a path and its targets in the database, on a thing or in the world; the poses are in its frame.

    ``how`` describes the targets in the answer: ``along the edge of Cube``. A session that only reads makes nothing;
    the answer is then a :class:`ShownTargets`.
    """
    if len(poses) > MOST_TARGETS:
        raise InvalidValue(
            f"These are {counted(len(poses), 'target')}; a path holds at most {MOST_TARGETS}. Give a wider spacing."
        )
    text = f"path {path!r}: {counted(len(poses), 'target')} {how}{_way(session, poses)}"
    matrices = tuple(tuple(tuple(float(v) for v in row) for row in pose.matrix) for pose in poses)
    on = thing.name if thing else ""
    if session.reads_only:
        for kind, name in (("path", path), *(("target", f"{path}-{number}") for number in range(1, len(poses) + 1))):
            if session.database.find(kind, name):
                raise NameTaken(f"There is {an(kind)} called {name!r} already; choose another name.", name=name)
        X_world_path = Pose.identity() if thing is None else carrier_pose(session, thing, checked_link(thing, link))
        stacked = np.array([(X_world_path @ pose).matrix for pose in poses])
        places = tuple(tuple(float(v) for v in row) for row in seven(stacked))
        return ShownTargets(path, on, matrices, text, places, closed)
    database = session.database
    make(session, "path", path, properties={RING: True} if closed else None)
    entity = database.entity("path", path)
    for number, pose in enumerate(poses, start=1):
        name = f"{path}-{number}"
        up = None if ups is None else {UP: [float(v) + 0.0 for v in ups[number - 1]]}
        make(session, "target", name, properties=up)
        target = database.entity("target", name)
        database.attach(session.rows, entity, target, name, Transform.from_pose(pose))
    if thing is None:
        put_in_scene(session, entity, Transform())
    else:
        hang(session, entity, thing, pose=Transform(), link=link)
    return Targets(path, on, matrices, text)


def _way(session: Session, poses: Sequence[Pose]) -> str:
    """Return the length of the way through the targets, for the answer; nothing for a single target."""
    if len(poses) < 2:
        return ""
    way = sum(float(np.linalg.norm(b.xyz - a.xyz)) for a, b in itertools.pairwise(poses))
    return f"; the way from target to target is {session.units.show(round(way, 9), 'length')} long"
