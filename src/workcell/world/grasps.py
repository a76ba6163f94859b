"""Where objects may be held, as the cell says it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from workcell.spatial.pose import Pose
from workcell.world.body import Body
from workcell.world.database import Database
from workcell.world.identity import Value


@dataclass(frozen=True)
class Grasp(Value):
    """A place where an object may be held.

    Attributes:
        name: what people call it.
        X_body_hand: the grip frame in the object's frame: z the approach, x the direction of closing.
        opening: between the fingers when holding [m]; None takes what the part measures there.
    """

    name: str
    X_body_hand: Pose
    opening: float | None = None


Grasps: TypeAlias = Mapping[str, tuple[Grasp, ...]]
"""Grasps by the name of the body."""


def grasps_of(database: Database, bodies: Iterable[Body]) -> Grasps:
    """The grasps that the objects of a cell have, by the name of the body."""
    if not database.names("grasp", most=1):
        return {}
    found: dict[str, tuple[Grasp, ...]] = {}
    for body in bodies:
        entity = database.find("object", body.owner) if body.link < 0 and body.movable else None
        if entity is None:
            continue
        own = []
        for relation in database.relations(entity):
            child = database.by_id(relation.child)
            if child.kind == "grasp":
                X = Pose(relation.matrix) @ _kept_pose(child.properties.get("pose"))
                opening = child.properties.get("opening")
                own.append(Grasp(child.name, X, None if opening is None else float(opening)))
        if own:
            found[body.name] = tuple(own)
    return found


def _kept_pose(numbers: Sequence[float] | None) -> Pose:
    """A pose as properties keep it: the upper three rows of its matrix, or all four."""
    matrix = np.eye(4)
    if numbers is not None:
        matrix[:3] = np.reshape(numbers, (-1, 4))[:3]
    return Pose(matrix)
