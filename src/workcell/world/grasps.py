"""Where objects may be held, as stored in the cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from workcell.spatial.pose import Pose
from workcell.world.body import Body
from workcell.world.identity import Value
from workcell.world.rows import Rows


@dataclass(frozen=True)
class Grasp(Value):
    """A place where an object may be held.

    Attributes:
        name: its name.
        X_body_hand: the grip frame in the object's frame: z the approach, x the direction of closing.
        opening: the opening of the fingers when holding [m]; None uses the width of the part there.
        approach: the opening of the fingers when they move in to hold [m]; None if it has none of its own.
    """

    name: str
    X_body_hand: Pose
    opening: float | None = None
    approach: float | None = None


Grasps: TypeAlias = Mapping[str, tuple[Grasp, ...]]
"""Grasps by the name of the body."""


class GraspsReading:
    """The grasps of all objects of a cell as they were read, and the data on which they depend."""

    def __init__(self, rows: Rows) -> None:
        self._rows, self._stamp = rows, rows.kind_stamp("grasp")
        holders = {relation.parent for grasp in rows.of_kind("grasp") for relation in rows.pointers(grasp.id)}
        self._owners = {number: rows.entities[number].name for number in sorted(holders)}
        self._found = {name: tuple(self._of(number)) for number, name in self._owners.items()}

    def _of(self, owner: int) -> Iterator[Grasp]:
        for relation in self._rows.parts(owner):
            child = self._rows.entities[relation.child]
            if child.kind == "grasp":
                X = Pose(relation.matrix) @ _kept_pose(child.properties.get("pose"))
                opening, approach = (child.properties.get(name) for name in ("opening", "approach_opening"))
                yield Grasp(child.name, X, *(None if one is None else float(one) for one in (opening, approach)))

    def holds(self) -> bool:
        """Whether reading them again would give the same."""
        names = self._rows.entities
        return self._stamp == self._rows.kind_stamp("grasp") and all(
            number in names and names[number].name == name for number, name in self._owners.items()
        )

    def of(self, bodies: Iterable[Body]) -> Grasps:
        """The grasps of the bodies that a gripper may take, by the name of the body."""
        if not self._found:
            return {}
        found = self._found
        return {
            body.name: found[body.owner] for body in bodies if body.link < 0 and body.movable and body.owner in found
        }


def _kept_pose(numbers: Sequence[float] | None) -> Pose:
    """A pose as properties store it: the upper three rows of its matrix, or all four."""
    matrix = np.eye(4)
    if numbers is not None:
        matrix[:3] = np.reshape(numbers, (-1, 4))[:3]
    return Pose(matrix)
