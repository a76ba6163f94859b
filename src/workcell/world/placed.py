"""Robots and machines that stand somewhere in a scene."""

from __future__ import annotations

from dataclasses import dataclass

from workcell.robots.machine import Machine
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.world.identity import Value
from workcell.world.matter import Matter


@dataclass(frozen=True)
class PlacedRobot(Value):
    """A robot that stands somewhere.

    Attributes:
        name: its name in the cell.
        robot: its joints and links.
        parent: ``world``, or the name of the robot that carries it.
        parent_link: the carrier's link, 0 for its base.
        X_parent_base: its base in the world, or in the frame of that link.
        bodies: for each link, the base first, its place in ``Snapshot.bodies``; -1 for a link without shape.
        speed: nominal speed of the joint that moves most [rad/s, or m/s where all joints slide].
        profile: how position grows with time in its moves: its own, else that of the cell.
        branch: which inverse solution its moves of the hand take.
        tool: what is on its flange, to be weighed in the frame of the flange; None for a bare flange.
        runs: the speed at which a conveyor runs from the start [m/s].
        lacks: what the gripper on its flange lacks to grip, as a sentence; '' where it lacks nothing.
        held_tool: the name of the body of the tool that is fitted to it, or of the gripper that it comes with, or ''.
    """

    name: str
    robot: Robot
    parent: str
    parent_link: int
    X_parent_base: Pose
    bodies: tuple[int, ...]
    speed: float
    profile: str = "linear"
    branch: str = "nearest"
    tool: Matter | None = None
    runs: float = 0.0
    lacks: str = ""
    held_tool: str = ""


@dataclass(frozen=True)
class PlacedMachine:
    """A machine whose members stand somewhere: its joints in one row."""

    name: str
    robot: Machine


def no_hand_text(placed: PlacedRobot) -> str:
    """Why a robot cannot grip: it has no hand, or its gripper lacks a property."""
    return placed.lacks or f"{placed.name} has no gripper."
