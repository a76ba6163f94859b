"""The steps that handle parts by name: a robot finds the grasp and the way itself."""

from __future__ import annotations

from workcell.programs import wants as w
from workcell.programs.base_step import Base


class Pick(Base, frozen=True, tag="pick"):
    """A robot picks a part up: it finds a grasp and a free way to it, and takes the part off what it stands on."""

    part: w.Solid
    robot: w.Arm | None = None


class Put(Base, frozen=True, tag="put"):
    """A robot puts a part down; a part that nobody holds is picked up first.

    Attributes:
        part: the part.
        on: what it is to stand on.
        pose: where it is to be: in the frame of the program, or in that of ``on``; the middle of ``on`` without one.
        robot: the robot; by default, the one that holds the part.
    """

    part: w.Solid
    on: w.Support | None = None
    pose: w.Pose | None = None
    robot: w.Arm | None = None


class HandOver(Base, frozen=True, tag="hand-over"):
    """The robot that holds a part hands it to another; they find a place to meet."""

    part: w.Solid
    robot: w.Arm


class MoveAbove(Base, frozen=True, tag="move"):
    """A hand goes above a part, by a path that touches nothing."""

    robot: w.Arm
    part: w.Solid
    distance: w.SomeLength | None = None
