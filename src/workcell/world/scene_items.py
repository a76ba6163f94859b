"""What stands in a scene, one thing after the other, before it is put together."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.world.body import Body, Piece
from workcell.world.entities import Relation
from workcell.world.identity import shared
from workcell.world.matter import Matter
from workcell.world.placed import PlacedRobot
from workcell.world.state import Attachment, CellState


class Ground(NamedTuple):
    """What stands in a scene: bodies, robots, where they are before any signal, and what could not be made."""

    bodies: tuple[Body, ...]
    robots: tuple[PlacedRobot, ...]
    initial: CellState
    notes: tuple[str, ...]


class Arm(NamedTuple):
    """A robot or mechanism.

    Attributes:
        placed: the robot, its bodies counted among those of its item.
        first: where its bodies begin among those.
        joints: its initial joint values.
        wanted: the name that it would have were that free.
        key: the id of its entity, as text.
    """

    placed: PlacedRobot
    first: int
    joints: NDArray[np.float64]
    wanted: str
    key: str


class Fitted(NamedTuple):
    """A robot with what is on its flange.

    Attributes:
        robot: the robot, its hand and tool frame those of the tool.
        tool: the name of the tool that is fitted, or of the gripper that the robot comes with, or ''.
        pieces: the solids of the tool, in the flange frame.
        weight: the tool, or the gripper that the robot comes with, to be weighed.
        lacks: what a gripper lacks to grip, as a sentence.
        clear: how much is seen through the tool, where it says so.
        own: whether it is the gripper that the robot comes with.
    """

    robot: Robot
    tool: str = ""
    pieces: tuple[Piece, ...] = ()
    weight: Matter | None = None
    lacks: str = ""
    clear: float | None = None
    own: bool = False


class Item(NamedTuple):
    """Something that a scene places, made ready: an object, or a robot with all that is mounted on it.

    Attributes:
        relation: how the scene places it.
        made_from: what else it follows from; an item that follows from the same is the same.
        label: the name of its first body or robot.
        names: every name that it takes.
        bodies: its bodies.
        pose: where it is, for an object.
        going: whether it goes with something else: ``stands``, ``rides``, or empty.
        arms: its robots, carriers first.
        notes: what could not be made.
    """

    relation: Relation
    made_from: tuple[object, ...]
    label: str
    names: tuple[str, ...]
    bodies: tuple[Body, ...]
    pose: Pose | None
    going: str
    arms: tuple[Arm, ...]
    notes: tuple[str, ...]


class Hold(NamedTuple):
    """How something goes with a body, and what that follows from."""

    made_from: tuple[Any, ...]
    attachment: Attachment
    notes: tuple[str, ...]


def counted_from(placed: PlacedRobot, first: int, known: PlacedRobot | None) -> PlacedRobot:
    """The robot with its bodies counted among those of the scene; the one of before where it is the same."""
    if first:
        places = tuple(place + first if place >= 0 else -1 for place in placed.bodies)
        placed = dataclasses.replace(placed, bodies=places)
    return shared(placed, known)


def without_body(placed: PlacedRobot, gone: int) -> PlacedRobot:
    """The robot once a body before its own is gone."""
    if all(place <= gone for place in placed.bodies):
        return placed
    return dataclasses.replace(placed, bodies=tuple(place - 1 if place > gone else place for place in placed.bodies))
