"""Robots and machines that are placed in a scene."""

from __future__ import annotations

from dataclasses import dataclass

from workcell.robots.machine import Machine
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.world.identity import Value
from workcell.world.matter import Matter


@dataclass(frozen=True)
class PlacedRobot(Value):
    """A robot in a scene.

    Attributes:
        name: its name in the cell.
        robot: its joints and links.
        parent: ``world``, or the name of the robot that carries it.
        parent_link: the carrier's link, 0 for its base.
        X_parent_base: its base in the world, or in the frame of that link.
        bodies: for each link, the base first, its index in ``Snapshot.bodies``; -1 for a link without a shape.
        speed: nominal speed of the joint that moves most [rad/s, or m/s if all joints slide].
        profile: the profile of its moves: its own, otherwise that of the cell.
        branch: the inverse solution that its moves of the hand use.
        tool: the tool on its flange, as something to weigh in the frame of the flange; None for a bare flange.
        runs: the speed of a conveyor from the start [m/s].
        lacks: what the gripper on its flange lacks to grip, as a sentence; '' if it lacks nothing.
        held_tool: the name of the body of the tool that is fitted to it, or of its own gripper, or ''.
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
    """A machine whose members are in the scene, with its joints in one row."""

    name: str
    robot: Machine


def no_hand_text(placed: PlacedRobot) -> str:
    """Why a robot cannot grip: it has no hand, or its gripper lacks a property."""
    return placed.lacks or f"{placed.name} has no gripper."
