"""A robot made from its data file, and a data file made from a robot: units are converted here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.geometry.recipe import encode
from workcell.robots import robot_file
from workcell.robots.controller import ControllerMap
from workcell.robots.file_fields import link_name, robot_fields, values_of
from workcell.robots.frame_file import frame_of
from workcell.robots.hand_file import GripperData, MagnetData, SuctionData, data_from, neat
from workcell.robots.link import MassProperties, Part, hex_colour
from workcell.robots.robot import Robot
from workcell.robots.robot_fields import Follows
from workcell.robots.robot_file import RobotFile
from workcell.robots.tool import Tool
from workcell.spatial.pose import Pose
from workcell.spatial.units import deg, mm

Array = NDArray[np.float64]


def robot_from_file(file: RobotFile) -> Robot:
    """The robot that a data file describes, with link shapes from the file or from its dimensions."""
    return Robot(**robot_fields(file))


def _followed(follows: Follows | None) -> dict[str, Any]:
    if follows is None:
        return {}
    return {"follows": follows.joint, "factor": follows.factor, "offset": follows.offset}


def file_from_robot(robot: Robot) -> RobotFile:
    """The data file of a robot with the solids of its links; if it has none, they are made from its dimensions."""
    size = np.array([mm if row.prismatic else deg for row in robot.rows])

    def shown(values: Array) -> tuple[float, ...]:
        return tuple(neat(float(v)) for v in np.asarray(values) / size)

    joints = tuple(
        robot_file.Joint(
            theta=neat(row.theta / deg),
            d=neat(row.d / mm),
            a=neat(row.a / mm),
            alpha=neat(row.alpha / deg),
            limits=(neat(robot.limits[i, 0] / size[i]), neat(robot.limits[i, 1] / size[i])),
            speed=neat(robot.speeds[i] / size[i]),
            acceleration=neat(robot.accelerations[i] / size[i]),
            moment=robot.moments[i] if robot.moments else None,
            name=robot.joint_names[i],
            prismatic=row.prismatic,
            held_by=robot.held_by.get(robot.joint_names[i], ""),
            **_followed(robot.follows.get(robot.joint_names[i])),
        )
        for i, row in enumerate(robot.rows)
    )
    controller = None
    if robot.controller is not None:
        controller = _controller_data(robot.controller, shown(robot.controller.zeros))
    hand = None if robot.gripper is None else data_from(robot.gripper)
    return RobotFile(
        format=robot_file.FORMAT,
        name=robot.name,
        model=robot.model,
        maker=robot.maker,
        joints=joints,
        home=shown(robot.home),
        kind=robot.kind,
        about=robot.about,
        payload=robot.payload,
        reach=None if robot.reach is None else neat(robot.reach / mm),
        weight=robot.weight,
        repeatability=None if robot.repeatability is None else neat(robot.repeatability / mm),
        base=frame_of(robot.chain.X_base_0),
        tool=frame_of(robot.chain.X_n_tool),
        assumed=dict(robot.assumed),
        controller=controller,
        source=robot.sources,
        check=robot.checks,
        link=tuple(
            robot_file.LinkData(i, "" if link.name == link_name(i) else link.name, link.unknown)
            for i, link in enumerate(robot.links)
            if link.unknown or link.name != link_name(i)
        ),
        solid=tuple(_solid_data(i, part) for i, link in enumerate(robot.links) for part in link.parts),
        fixed=tuple(
            robot_file.FixedData(one.link, one.name, one.parent, one.joint, frame_of(one.X_link_frame))
            for one in robot.fixed_links
        ),
        mass=tuple(_mass_data(i, link.mass) for i, link in enumerate(robot.links) if link.mass is not None),
        gripper=hand if isinstance(hand, GripperData) else None,
        suction=hand if isinstance(hand, SuctionData) else None,
        magnet=hand if isinstance(hand, MagnetData) else None,
        fitted=None if robot.tool is None else _tool_data(robot.tool),
    )


def _controller_data(known: ControllerMap, zeros: tuple[float, ...]) -> robot_file.Controller:
    signs = np.where(np.diag(known.matrix) < 0.0, -1.0, 1.0)
    beside = known.matrix - np.diag(signs)  # includes joints that turn faster or slower than the controller shows
    coupling = tuple((int(i) + 1, int(j) + 1, float(beside[i, j])) for i, j in np.argwhere(beside))
    return robot_file.Controller(tuple(float(v) for v in signs), zeros, known.source, coupling, known.names)


def _tool_data(tool: Tool) -> robot_file.ToolData:
    mass = None if tool.payload is None else _mass_data(0, tool.payload)
    solids = tuple(_solid_data(0, part) for part in tool.parts)
    return robot_file.ToolData(tool.name, frame_of(tool.X_flange_tcp), mass, solids, tool.hand is not None)


def _solid_data(link: int, part: Part) -> robot_file.SolidPart:
    recipe = encode(part.solid.recipe).decode()
    return robot_file.SolidPart(
        link, recipe, hex_colour(part.colour), part.name, part.use, part.ghost, part.transparency, part.drawn
    )


def _mass_data(link: int, mass: MassProperties) -> robot_file.MassData:
    i = mass.inertia
    x, y, z = (neat(float(v) / mm) for v in mass.centre)
    inertia = tuple(float(v) for v in (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[1, 2], i[0, 2]))
    return robot_file.MassData(link, mass.mass, (x, y, z), inertia)  # type: ignore[arg-type]


def check_error(robot: Robot, check: robot_file.Check) -> tuple[float, float]:
    """The distance of the robot's pose from the one that another source states: (metres, radians)."""
    size = np.array([mm if row.prismatic else deg for row in robot.rows])
    if bool(check.dh) == bool(check.controller):
        raise InvalidValue(f"A check of {robot.name!r} gives either dh or controller values.")
    if check.dh:
        q = values_of(check.dh, size, f"A check of {robot.name!r}")
    else:
        if robot.controller is None:
            raise InvalidValue(f"A check of {robot.name!r} gives controller values, but there is no controller map.")
        q = robot.controller.to_dh(values_of(check.controller, size, f"A check of {robot.name!r}"))
    stated = Pose.from_quaternion(np.array(check.xyz) * mm, check.wxyz or (1.0, 0.0, 0.0, 0.0))
    far, turned = robot.fk(q).distance(stated)
    return far, turned if check.wxyz is not None else 0.0


def check_passes(robot: Robot, check: robot_file.Check) -> bool:
    """Whether the robot meets a check within its tolerance."""
    far, turned = check_error(robot, check)
    return far <= check.within * mm and turned <= math.radians(check.within_deg)
