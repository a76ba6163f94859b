"""The things in a scene, one after the other, before they are put together."""

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
    """The content of a scene: bodies, robots, their state before any signal, and notes on what could not be made."""

    bodies: tuple[Body, ...]
    robots: tuple[PlacedRobot, ...]
    initial: CellState
    notes: tuple[str, ...]


class Arm(NamedTuple):
    """A robot or mechanism.

    Attributes:
        placed: the robot; its bodies are counted within its item.
        first: the index of its first body there.
        joints: its initial joint values.
        wanted: the name that it would have if that were free.
        key: the id of its entity, as text.
    """

    placed: PlacedRobot
    first: int
    joints: NDArray[np.float64]
    wanted: str
    key: str


class Fitted(NamedTuple):
    """A robot with the tool on its flange.

    Attributes:
        robot: the robot, with the hand and tool frame of the tool.
        tool: the name of the fitted tool, or of the robot's own gripper, or ''.
        pieces: the solids of the tool, in the flange frame.
        weight: the tool, or the robot's own gripper, to weigh.
        lacks: what a gripper lacks to grip, as a sentence.
        clear: the transparency of the tool, if it states one.
        own: whether it is the robot's own gripper.
    """

    robot: Robot
    tool: str = ""
    pieces: tuple[Piece, ...] = ()
    weight: Matter | None = None
    lacks: str = ""
    clear: float | None = None
    own: bool = False


class Item(NamedTuple):
    """Something that a scene places, prepared: an object, or a robot with everything mounted on it.

    Attributes:
        relation: how the scene places it.
        made_from: its other inputs; items with the same inputs are the same.
        label: the name of its first body or robot.
        names: every name that it takes.
        bodies: its bodies.
        pose: the pose of an object.
        going: whether it moves with something else: ``stands``, ``rides``, or empty.
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
    """How something moves with a body, and the inputs of that."""

    made_from: tuple[Any, ...]
    attachment: Attachment
    notes: tuple[str, ...]


def counted_from(placed: PlacedRobot, first: int, known: PlacedRobot | None) -> PlacedRobot:
    """The robot with its bodies counted within the scene; the former object if it is the same."""
    if first:
        places = tuple(place + first if place >= 0 else -1 for place in placed.bodies)
        placed = dataclasses.replace(placed, bodies=places)
    return shared(placed, known)


def without_body(placed: PlacedRobot, gone: int) -> PlacedRobot:
    """The robot after a body before its own was removed."""
    if all(place <= gone for place in placed.bodies):
        return placed
    return dataclasses.replace(placed, bodies=tuple(place - 1 if place > gone else place for place in placed.bodies))
