"""A rigid body as collision sees it."""

from __future__ import annotations

from dataclasses import dataclass

from workcell.collision.tree import TriangleTree
from workcell.collision.zones import Zone


@dataclass(frozen=True, eq=False)
class CollisionBody:
    """A rigid body as collision sees it.

    Attributes:
        name: its name in the snapshot.
        owner: the object, robot or zone that it belongs to.
        link: the link's number, 0 for the base; -1 for objects and zones.
        tree: its triangles.
        movable: whether a gripper may take it.
        zone: the zone it stands for, or None.
        shapeless: whether it has no shape; then it is never tested, and its tree is a stand-in.
        ghost: whether its shape is for looking at; then it is never tested either.
        unknown: why its shape is not known, or not whole; empty when it is. Every answer then states it.
        built_on: for the gripper that a robot comes with, the name of the link that it is part of.
    """

    name: str
    owner: str
    link: int
    tree: TriangleTree
    movable: bool = False
    zone: Zone | None = None
    shapeless: bool = False
    ghost: bool = False
    unknown: str = ""
    built_on: str = ""

    @property
    def called(self) -> tuple[str, ...]:
        """The names that mean it, perhaps with others: its own, its owner's, and that of the link that it is on."""
        return (self.name, self.owner, self.built_on) if self.built_on else (self.name, self.owner)

    @property
    def untouchable(self) -> bool:
        """Whether nothing can touch it: it has no shape, or only one for looking at."""
        return self.shapeless or self.ghost

    @property
    def is_link(self) -> bool:
        """Whether it belongs to a robot."""
        return self.link >= 0
