"""The objects of a work cell file: robots, shapes and target points, read and written."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workcell.errors import InvalidValue
from workcell.geometry import solids
from workcell.geometry.solid import Solid
from workcell.kinematics.dh import Chain, DHRow
from workcell.robots.formats.wld import WldFile, WldObject, common, numbers
from workcell.robots.link import Colour
from workcell.robots.robot_fields import ReadRobot, RobotFields
from workcell.spatial.pose import Pose
from workcell.spatial.units import deg, mm

ROBOT = "C6RRobot"
TARGET = "C3dTargetPoint"


@dataclass(frozen=True)
class WldTarget:
    """A taught point: the hand in the robot's base frame, and the joint values that were chosen for it [rad]."""

    name: str
    pose: Pose
    joints: tuple[float, ...]


def robots_in(file: WldFile) -> tuple[ReadRobot, ...]:
    """The fields of every robot, and its base in the world. Target points are in that base frame."""
    return tuple(ReadRobot(robot_fields(item), X_frame_base=base_of(item)) for item in file.of_class(ROBOT))


def solids_in(file: WldFile) -> tuple[tuple[str, Solid, Colour, Pose], ...]:
    """Every cube, cylinder and cone: name, solid (centred), colour, pose in the world."""
    return tuple(
        (item.name, SHAPES[item.kind](item), item.colour, item.pose) for item in file.objects if item.kind in SHAPES
    )


def targets_in(file: WldFile) -> tuple[WldTarget, ...]:
    """Every target point."""
    return tuple(_target(item) for item in file.of_class(TARGET))


def unknown_in(file: WldFile) -> tuple[WldObject, ...]:
    """Objects of unknown classes, which are kept."""
    return tuple(item for item in file.objects if item.kind not in {*SHAPES, ROBOT, TARGET})


def robot_fields(item: WldObject) -> RobotFields:
    """The fields of the robot of a C6RRobot; its thetas are the home position."""
    rows, home = [], []
    for number in range(1, 7):
        theta, alpha, d, a = item.field(f"Joint{number}").numbers(4)
        twist = alpha if abs(alpha) <= 360.0 else math.remainder(alpha, 360.0)
        rows.append(DHRow(0.0, d * mm, a * mm, twist * deg))
        home.append(theta * deg)
    turns = [2.0 * np.pi * max(1, math.ceil(abs(theta) / (2.0 * np.pi))) for theta in home]
    limits = np.array([(-turn, turn) for turn in turns])
    assumed = {"limits": "A work cell file has none: one turn each way."}
    return RobotFields(
        name=item.name or "robot", chain=Chain(rows), limits=limits, home=np.array(home), assumed=assumed
    )


def base_of(item: WldObject) -> Pose:
    """The base of a C6RRobot in the world: its pose, then turned by Joint0 (about z, then about x)."""
    theta, alpha = item.field("Joint0").numbers(2) if item.has("Joint0") else (0.0, 0.0)
    turned = Pose.from_axis_angle((0, 0, 1), theta * deg) @ Pose.from_axis_angle((1, 0, 0), alpha * deg)
    return item.pose @ turned


def hand_of(item: WldObject) -> Pose:
    """The hand of a C3dTargetPoint in the robot's base frame."""
    x, y, z, *angles = item.field("Target").numbers(6)
    return Pose.from_xyz_angles(np.array([x, y, z]) * mm, np.array(angles) * deg, "ding_ypr")


def _target(item: WldObject) -> WldTarget:
    return WldTarget(item.name, hand_of(item), tuple(v * deg for v in item.field("Thetas").numbers(6)))


def _cube(item: WldObject) -> Solid:
    width, depth, height = (item.field(name).numbers(1)[0] * mm for name in ("Width", "Depth", "Height"))
    return solids.box(width, depth, height)


def _cylinder(item: WldObject) -> Solid:
    return solids.cylinder(item.field("Radius").numbers(1)[0] * mm, item.field("Height").numbers(1)[0] * mm)


def _cone(item: WldObject) -> Solid:
    return solids.cone(item.field("Radius").numbers(1)[0] * mm, item.field("Height").numbers(1)[0] * mm)


SHAPES = {"C3dObjectCube": _cube, "C3dObjectCylinder": _cylinder, "C3dObjectCone": _cone}


def object_of_solid(
    kind: str, name: str, sizes: dict[str, float], X_world: Pose, colour: Colour = (0.0, 1.0, 0.0)
) -> WldObject:
    """A cube (Depth, Height, Width), cylinder or cone (Radius, Height) [m] at a pose."""
    if kind not in SHAPES:
        raise InvalidValue(f"A work cell file can hold the shapes {', '.join(SHAPES)}; found {kind}.")
    fields = tuple(numbers(field, (size / mm,)) for field, size in sizes.items())
    return WldObject(kind, (*fields, *common(name, colour, X_world)))


def object_of_target(target: WldTarget, base: tuple[float, float] = (0.0, 0.0)) -> WldObject:
    """A target point; ``base`` copies theta and alpha of the robot's Joint0 [rad]."""
    xyz = target.pose.xyz / mm
    angles = target.pose.angles("ding_ypr") / deg
    fields = (
        numbers("Thetas", tuple(q / deg for q in target.joints)),
        numbers("Target", (*xyz, *angles)),
        numbers("Base", tuple(v / deg for v in base)),
    )
    return WldObject("C3dTargetPoint", (*fields, *common(target.name, (0.0, 1.0, 0.0), Pose.identity())))
