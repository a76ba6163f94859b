"""A robot made from its data file, and a data file made from a robot: units are converted here."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.geometry.recipe import encode
from workcell.kinematics.dh import Chain, DHRow
from workcell.robots import robot_file
from workcell.robots.controller import ControllerMap
from workcell.robots.hand import Hand
from workcell.robots.hand_file import GripperData, MagnetData, SuctionData, data_from, hand_from, neat
from workcell.robots.link import Link, MassProperties, Part, hex_colour
from workcell.robots.robot import FixedLink, Follows, Robot
from workcell.robots.robot_file import Frame, RobotFile
from workcell.robots.tool import Tool
from workcell.spatial.pose import Pose
from workcell.spatial.units import deg, mm

Array = NDArray[np.float64]


def robot_from_file(file: RobotFile) -> Robot:
    """The robot that a data file describes, with link shapes from the file or from its dimensions."""
    n = len(file.joints)
    if n == 0:
        raise InvalidValue(f"The robot file of {file.name!r} has no joints.")
    size = np.array([mm if joint.prismatic else deg for joint in file.joints])
    rows = [DHRow(j.theta * deg, j.d * mm, j.a * mm, j.alpha * deg, j.prismatic) for j in file.joints]
    make = Chain.from_modified if file.dh == "modified" else Chain
    chain = make(rows, pose_of(file.base), pose_of(file.tool))
    limits = np.array([joint.limits for joint in file.joints]) * size[:, None]
    links = _links(file, n)
    robot = Robot(
        name=file.name,
        chain=chain,
        limits=limits,
        speeds=_column(file, "speed", size),
        accelerations=_column(file, "acceleration", size),
        home=_values(file.home, size, f"The home position of {file.name!r}"),
        joint_names=tuple(j.name or f"joint {i}" for i, j in enumerate(file.joints, start=1)),
        model=file.model,
        maker=file.maker,
        kind=file.kind,
        about=" ".join(file.about.split()),
        links=links,
        gripper=_hand(file),
        tool=_tool(file),
        controller=_controller(file, size),
        payload=file.payload,
        moments=_moments(tuple(joint.moment for joint in file.joints)),
        reach=None if file.reach is None else file.reach * mm,
        weight=file.weight,
        repeatability=None if file.repeatability is None else file.repeatability * mm,
        sources=file.source,
        assumed=file.assumed,
        follows={j.name: Follows(j.follows, j.factor, j.offset) for j in file.joints if j.follows},
        fixed_links=tuple(FixedLink(f.name, f.link, pose_of(f.frame), f.parent, f.joint) for f in file.fixed),
        held_by={j.name: j.held_by for j in file.joints if j.held_by},
        checks=file.check,
    )
    return with_shapes(robot, file)


def with_shapes(robot: Robot, file: RobotFile) -> Robot:
    """The robot with the link shapes that its file lists, or with shapes made from its dimensions."""
    from workcell.robots.link_shapes import link_parts

    parts = link_parts(robot, file)
    return robot.replace(links=tuple(replace(link, parts=tuple(parts[i])) for i, link in enumerate(robot.links)))


def _links(file: RobotFile, n: int) -> tuple[Link, ...]:
    """The links of a file without their shapes: names, masses, and whose shape is unknown."""
    links = [Link(link_name(i), mass=_mass(file, i)) for i in range(n + 1)]
    for one in file.link:
        if not 0 <= one.link <= n:
            raise InvalidValue(f"A link of {file.name!r} has the number {one.link}; there are links 0…{n}.")
        links[one.link] = replace(links[one.link], name=one.name or link_name(one.link), unknown=one.unknown)
    names = [link.name for link in links]
    for name in names:
        if names.count(name) > 1:
            raise InvalidValue(f"Two links of {file.name!r} are called {name!r}.")
    return tuple(links)


def link_name(number: int) -> str:
    """What a link is called that nobody named."""
    return "base" if number == 0 else f"link {number}"


def pose_of(frame: Frame) -> Pose:
    """A pose from a file's millimetres and quaternion."""
    return Pose.from_quaternion(np.array(frame.xyz) * mm, frame.wxyz)


def frame_of(pose: Pose) -> Frame:
    """A file's millimetres and quaternion from a pose."""
    x, y, z = (float(v) for v in np.round(pose.xyz / mm, 9) + 0.0)
    w, i, j, k = (float(v) for v in np.round(pose.quaternion, 15) + 0.0)
    return Frame((x, y, z), (w, i, j, k))


def _followed(follows: Follows | None) -> dict[str, Any]:
    if follows is None:
        return {}
    return {"follows": follows.joint, "factor": follows.factor, "offset": follows.offset}


def file_from_robot(robot: Robot) -> RobotFile:
    """The data file of a robot with the solids of its links; without any, they are made from its dimensions."""
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


def _column(file: RobotFile, name: str, size: Array) -> Array:
    """A figure of every joint in SI, or an empty array when no joint has it."""
    values = [getattr(joint, name) for joint in file.joints]
    given = [value is not None for value in values]
    if not any(given):
        return np.empty(0)
    if not all(given):
        missing = [str(i) for i, has in enumerate(given, start=1) if not has]
        raise InvalidValue(
            f"In the robot file of {file.name!r}, joint {', '.join(missing)} has no {name}; others have."
        )
    return np.asarray(np.array(values, dtype=np.float64) * size)


def _values(values: tuple[float, ...], size: Array, what: str) -> Array:
    if not values:
        return np.empty(0)
    if len(values) != len(size):
        raise InvalidValue(f"{what} needs {len(size)} numbers; found {len(values)}.")
    return np.asarray(np.array(values) * size)


def _controller(file: RobotFile, size: Array) -> ControllerMap | None:
    if file.controller is None:
        return None
    data = file.controller
    zeros = _values(data.zeros, size, f"The controller zeros of {file.name!r}")
    names = tuple(data.names) or tuple(f"J{i}" for i in range(1, len(size) + 1))
    return ControllerMap.from_signs(data.signs, zeros, data.coupling, names, data.source)


def _controller_data(known: ControllerMap, zeros: tuple[float, ...]) -> robot_file.Controller:
    signs = np.where(np.diag(known.matrix) < 0.0, -1.0, 1.0)
    beside = known.matrix - np.diag(signs)  # a joint that turns faster or slower than the controller shows, too
    coupling = tuple((int(i) + 1, int(j) + 1, float(beside[i, j])) for i, j in np.argwhere(beside))
    return robot_file.Controller(tuple(float(v) for v in signs), zeros, known.source, coupling, known.names)


def _hand(file: RobotFile) -> Hand | None:
    found = [data for data in (file.gripper, file.suction, file.magnet) if data is not None]
    if len(found) > 1:
        raise InvalidValue(f"The robot file of {file.name!r} has more than one hand; a flange carries one.")
    return hand_from(found[0]) if found else None


def _tool(file: RobotFile) -> Tool | None:
    data = file.fitted
    if data is None:
        return None
    from workcell.robots.link_shapes import solid_part

    mass = None if data.mass is None else _mass_of(data.mass)
    hand = _hand(file) if data.grips else None
    return Tool(data.name, pose_of(data.tip), mass, tuple(solid_part(one) for one in data.solid), hand)


def _tool_data(tool: Tool) -> robot_file.ToolData:
    mass = None if tool.payload is None else _mass_data(0, tool.payload)
    solids = tuple(_solid_data(0, part) for part in tool.parts)
    return robot_file.ToolData(tool.name, frame_of(tool.X_flange_tcp), mass, solids, tool.hand is not None)


def _moments(given: tuple[float | None, ...]) -> tuple[float | None, ...]:
    return () if all(moment is None for moment in given) else given


def _solid_data(link: int, part: Part) -> robot_file.SolidPart:
    recipe = encode(part.solid.recipe).decode()
    return robot_file.SolidPart(
        link, recipe, hex_colour(part.colour), part.name, part.use, part.ghost, part.transparency, part.drawn
    )


def _mass(file: RobotFile, link: int) -> MassProperties | None:
    return next((_mass_of(data) for data in file.mass if data.link == link), None)


def _mass_of(data: robot_file.MassData) -> MassProperties:
    xx, yy, zz, xy, yz, xz = data.inertia
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return MassProperties(data.mass, np.array(data.centre) * mm, inertia)


def _mass_data(link: int, mass: MassProperties) -> robot_file.MassData:
    i = mass.inertia
    x, y, z = (neat(float(v) / mm) for v in mass.centre)
    inertia = tuple(float(v) for v in (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[1, 2], i[0, 2]))
    return robot_file.MassData(link, mass.mass, (x, y, z), inertia)  # type: ignore[arg-type]


def check_error(robot: Robot, check: robot_file.Check) -> tuple[float, float]:
    """How far the robot's pose is from what another source states: (metres, radians)."""
    size = np.array([mm if row.prismatic else deg for row in robot.rows])
    if bool(check.dh) == bool(check.controller):
        raise InvalidValue(f"A check of {robot.name!r} gives either dh or controller values.")
    if check.dh:
        q = _values(check.dh, size, f"A check of {robot.name!r}")
    else:
        if robot.controller is None:
            raise InvalidValue(f"A check of {robot.name!r} gives controller values, but there is no controller map.")
        q = robot.controller.to_dh(_values(check.controller, size, f"A check of {robot.name!r}"))
    stated = Pose.from_quaternion(np.array(check.xyz) * mm, check.wxyz or (1.0, 0.0, 0.0, 0.0))
    far, turned = robot.fk(q).distance(stated)
    return far, turned if check.wxyz is not None else 0.0


def check_passes(robot: Robot, check: robot_file.Check) -> bool:
    """Whether the robot meets a check within what the check allows."""
    far, turned = check_error(robot, check)
    return far <= check.within * mm and turned <= math.radians(check.within_deg)
