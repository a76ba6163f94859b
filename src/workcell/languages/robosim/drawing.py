"""What ROBOSIM holds in its accumulator and its registers: shapes, strokes and joint frames, all in one frame."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workcell.cost import SHAPES, Bound
from workcell.geometry.solid import Solid
from workcell.robots.formats.link_vectors import solids_of
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]
STROKES = Bound(3_000_000, "vectors", "Use a coarser tolerance.")
"""The strokes of one drawing."""
INPUT, OUTPUT = "i", "i+1"


@dataclass(frozen=True)
class Shape:
    """A solid in its place [m]."""

    solid: Solid
    pose: Pose

    @property
    def placed(self) -> Solid:
        """The solid in the frame of the drawing."""
        return self.solid.moved(self.pose)


@dataclass(frozen=True, eq=False)
class Strokes:
    """Lines that MOVE and DRAW left: rows x, y, z [m] and 0 (move) or 1 (draw)."""

    rows: Array


@dataclass(frozen=True)
class Joint:
    """A joint frame: its place (``i`` or ``i+1``), how it moves, and its pose; z is its axis."""

    place: str
    moves: str
    pose: Pose


@dataclass(frozen=True, eq=False)
class Drawing:
    """The content of the accumulator or of a register. Everything appears at the origin and is moved as a whole."""

    parts: tuple[Shape | Strokes, ...] = ()
    joints: tuple[Joint, ...] = ()

    def __post_init__(self) -> None:
        SHAPES.check(len(self.parts) + len(self.joints), "The drawing")
        STROKES.check(sum(len(part.rows) for part in self.parts if isinstance(part, Strokes)), "The drawing")

    def moved(self, motion: Pose) -> Drawing:
        """Return everything moved by a pose in the frame of the drawing."""
        return Drawing(
            tuple(moved_part(part, motion) for part in self.parts),
            tuple(replace(joint, pose=motion @ joint.pose) for joint in self.joints),
        )

    def after(self, other: Drawing) -> Drawing:
        """Return both together; the parts of the other come first."""
        return Drawing((*other.parts, *self.parts), (*other.joints, *self.joints))

    def joint(self, place: str) -> Joint | None:
        """Return its joint ``i`` or ``i+1``, if it has one."""
        return next((joint for joint in self.joints if joint.place == place), None)

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """Its solids: the shapes in their order, then those that the strokes enclose."""
        own = tuple(part for part in self.parts if isinstance(part, Shape))
        rows = self._strokes
        drawn = solids_of(rows, 1.0) if len(rows) else []
        return (*own, *(Shape(solid, Pose.identity()) for solid in drawn))

    @property
    def loose(self) -> int:
        """The number of its strokes if they enclose no solid, otherwise 0."""
        own = sum(isinstance(part, Shape) for part in self.parts)
        return len(self._strokes) if len(self.shapes) == own else 0

    @property
    def solids(self) -> tuple[Solid, ...]:
        """Its solids in its frame."""
        return tuple(shape.placed for shape in self.shapes)

    @cached_property
    def _strokes(self) -> Array:
        found = [part.rows for part in self.parts if isinstance(part, Strokes)]
        return np.vstack(found) if found else np.zeros((0, 4))


def moved_part(part: Shape | Strokes, motion: Pose) -> Shape | Strokes:
    """Return a part moved by a pose in the frame of its drawing."""
    if isinstance(part, Shape):
        return replace(part, pose=motion @ part.pose)
    # Column by column: equal corners stay equal to the last bit, so that loops still close.
    x, y, z, d = part.rows.T
    m = motion.matrix
    return Strokes(np.column_stack([*(row[0] * x + row[1] * y + row[2] * z + row[3] for row in m[:3]), d]))
