"""The accumulator of ROBOSIM: shapes come to it, and motions move all of it."""

from __future__ import annotations

from dataclasses import replace

from workcell.cost import SHAPES
from workcell.languages.robosim.drawing import Drawing, Joint, Shape, Strokes, moved_part
from workcell.spatial.pose import Pose


class Accumulator:
    """Holds a drawing. Motions are put off until somebody looks at it: sources move all of it after each shape."""

    def __init__(self) -> None:
        self._settled = Drawing()
        self._added: list[tuple[int, Shape | Strokes | Joint]] = []
        """What came since then, each with the number of motions before it."""
        self._motions: list[Pose] = []

    def add(self, item: Shape | Strokes | Joint) -> None:
        """Add a part or a joint, at the origin of the drawing."""
        SHAPES.check(len(self._settled.parts) + len(self._settled.joints) + len(self._added) + 1, "The drawing")
        self._added.append((len(self._motions), item))

    def move(self, motion: Pose) -> None:
        """Move everything by a pose in the frame of the drawing."""
        self._motions.append(motion)

    def set(self, drawing: Drawing) -> None:
        """Replace everything."""
        self._settled, self._added, self._motions = drawing, [], []

    @property
    def drawing(self) -> Drawing:
        """Everything, where it is now."""
        if self._added or self._motions:
            self.set(self._made())
        return self._settled

    def _made(self) -> Drawing:
        after = [Pose.identity()]
        for motion in reversed(self._motions):
            after.append(after[-1] @ motion)
        before = self._settled.moved(after[-1]) if self._motions else self._settled
        parts, joints = list(before.parts), list(before.joints)
        for count, item in self._added:
            motion = after[len(self._motions) - count]
            if isinstance(item, Joint):
                joints.append(replace(item, pose=motion @ item.pose))
            else:
                parts.append(moved_part(item, motion))
        return Drawing(tuple(parts), tuple(joints))
