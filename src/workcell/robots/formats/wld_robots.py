"""Robots of a work cell file."""

from __future__ import annotations

import numpy as np

from workcell.errors import InvalidValue
from workcell.robots.formats.wld import WldField, WldFile, WldObject, common, numbers
from workcell.robots.formats.wld_objects import ROBOT, base_of, robot_fields
from workcell.robots.link import Colour
from workcell.robots.orientation import code_of
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.spatial.units import deg, mm


def robots_of(file: WldFile) -> tuple[tuple[Robot, Pose], ...]:
    """Every robot, with its base in the world. Target points are in that base frame."""
    return tuple((robot_of(item), base_of(item)) for item in file.of_class(ROBOT))


def robot_of(item: WldObject) -> Robot:
    """The robot of a C6RRobot; its thetas are the home position."""
    return Robot(**robot_fields(item))


def object_of_robot(robot: Robot, X_world_base: Pose | None = None, colour: Colour = (0.0, 1.0, 0.0)) -> WldObject:
    """A C6RRobot from a robot with six turning joints and without base and tool frames of its own.

    A base that is only turned about z and then about x is written as Joint0, as Ding does, others as Rotation.
    """
    if robot.n != 6 or robot.chain.prismatic.any():
        raise InvalidValue(f"A work cell file holds robots of six turning joints; {robot.name!r} has another chain.")
    still = Pose.identity()
    if not (robot.chain.X_base_0.is_close(still) and robot.chain.X_n_tool.is_close(still)):
        raise InvalidValue(f"A work cell file cannot hold the base or tool frame of {robot.name!r}; remove them.")
    place = still if X_world_base is None else X_world_base
    theta0 = alpha0 = 0.0
    turn = place.rotation
    if abs(float(turn[2, 0])) < 1e-12:
        theta0, alpha0 = float(np.arctan2(turn[1, 0], turn[0, 0])), float(np.arctan2(turn[2, 1], turn[2, 2]))
        place = Pose.from_xyz(*(float(v) for v in place.xyz))
    thetas = [row.theta + home for row, home in zip(robot.rows, robot.home, strict=True)]
    turns = [(theta0, alpha0), *((float(theta), row.alpha) for theta, row in zip(thetas, robot.rows, strict=True))]
    fields = [
        numbers(f"Joint{i}", (theta / deg, row.alpha / deg, row.d / mm, row.a / mm))
        for i, (theta, row) in enumerate(zip(thetas, robot.rows, strict=True), start=1)
    ]
    fields.append(numbers("Joint0", (theta0 / deg, alpha0 / deg)))
    codes = [code_of(joint, theta, alpha) for joint, (theta, alpha) in enumerate(turns, start=1)]
    fields.append(WldField("Selection", " ".join(str(code) for code in codes)))
    return WldObject(ROBOT, (*fields, *common(robot.name, colour, place)))
