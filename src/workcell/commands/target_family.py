"""Families of targets: a path and its targets, numbered from 1, hung on what carries them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.commands.hanging import hang
from workcell.commands.model import make, put_in_scene
from workcell.commands.results import Result
from workcell.errors import InvalidValue
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.wording import counted
from workcell.world.entities import Entity
from workcell.world.places import RING, UP

if TYPE_CHECKING:
    from workcell.commands.session import Session

MOST = 5000
"""How many targets a path holds."""


class Targets(Result, frozen=True):
    """A path of targets: on what they hang, and their poses there (4×4 matrices, SI)."""

    path: str
    object: str
    poses: tuple[tuple[tuple[float, ...], ...], ...]
    text: str

    def __str__(self) -> str:
        return self.text


def keep_family(
    session: Session,
    path: str,
    poses: Sequence[Pose],
    thing: Entity | None,
    said: str,
    ups: NDArray[np.float64] | None = None,
    closed: bool = False,
    link: int | None = None,
) -> Targets:
    """Make a path and its targets in the database: on a thing, in whose frame the poses are, or in the world."""
    if len(poses) > MOST:
        raise InvalidValue(
            f"These are {counted(len(poses), 'target')}; a path holds at most {MOST}. Give a wider spacing."
        )
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
    way = sum(float(np.linalg.norm(b.xyz - a.xyz)) for a, b in itertools.pairwise(poses))
    length = session.units.show(round(way, 9), "length")
    text = f"path {path!r}: {counted(len(poses), 'target')} {said}, {length} from the first to the last"
    matrices = tuple(tuple(tuple(float(v) for v in row) for row in pose.matrix) for pose in poses)
    return Targets(path, thing.name if thing else "", matrices, text)
