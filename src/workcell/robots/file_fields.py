"""The fields of a robot from its data file; units are converted here."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.kinematics.dh import Chain, DHRow
from workcell.robots import robot_file
from workcell.robots.controller import ControllerMap
from workcell.robots.frame_file import pose_of
from workcell.robots.hand import Hand
from workcell.robots.hand_file import hand_from
from workcell.robots.link import Link, MassProperties
from workcell.robots.link_shapes import link_parts, solid_part
from workcell.robots.robot_fields import FixedLink, Follows, RobotFields
from workcell.robots.robot_file import RobotFile
from workcell.robots.tool import Tool
from workcell.spatial.units import deg, mm

Array = NDArray[np.float64]


def robot_fields(file: RobotFile) -> RobotFields:
    """The fields of the robot that a data file describes, with link shapes from the file or from its dimensions."""
    n = len(file.joints)
    if n == 0:
        raise InvalidValue(f"The robot file of {file.name!r} has no joints.")
    size = np.array([mm if joint.prismatic else deg for joint in file.joints])
    rows = [DHRow(j.theta * deg, j.d * mm, j.a * mm, j.alpha * deg, j.prismatic) for j in file.joints]
    make = Chain.from_modified if file.dh == "modified" else Chain
    chain = make(rows, pose_of(file.base), pose_of(file.tool))
    limits = np.array([joint.limits for joint in file.joints]) * size[:, None]
    return RobotFields(
        name=file.name,
        chain=chain,
        limits=limits,
        speeds=_column(file, "speed", size),
        accelerations=_column(file, "acceleration", size),
        home=values_of(file.home, size, f"The home position of {file.name!r}"),
        joint_names=tuple(j.name or f"joint {i}" for i, j in enumerate(file.joints, start=1)),
        model=file.model,
        maker=file.maker,
        kind=file.kind,
        about=" ".join(file.about.split()),
        links=_links(file, chain),
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


def _links(file: RobotFile, chain: Chain) -> tuple[Link, ...]:
    """The links of a file: names, masses, unknown shapes, and the shapes, listed or made from dimensions."""
    n = chain.n
    links = [Link(link_name(i), mass=_mass(file, i)) for i in range(n + 1)]
    for one in file.link:
        if not 0 <= one.link <= n:
            raise InvalidValue(f"A link of {file.name!r} has the number {one.link}; the links are numbered 0…{n}.")
        links[one.link] = replace(links[one.link], name=one.name or link_name(one.link), unknown=one.unknown)
    names = [link.name for link in links]
    for name in names:
        if names.count(name) > 1:
            raise InvalidValue(f"Two links of {file.name!r} are called {name!r}.")
    shapes = link_parts(chain, file)
    return tuple(replace(link, parts=tuple(parts)) for link, parts in zip(links, shapes, strict=True))


def link_name(number: int) -> str:
    """The name of a link that has none of its own."""
    return "base" if number == 0 else f"link {number}"


def _column(file: RobotFile, name: str, size: Array) -> Array:
    """A figure of every joint in SI, or an empty array if no joint has it."""
    values = [getattr(joint, name) for joint in file.joints]
    given = [value is not None for value in values]
    if not any(given):
        return np.empty(0)
    if not all(given):
        missing = [str(i) for i, has in enumerate(given, start=1) if not has]
        raise InvalidValue(
            f"In the robot file of {file.name!r}, joint {', '.join(missing)} has no {name}, but others have one. "
            "Give it for all joints or for none."
        )
    return np.asarray(np.array(values, dtype=np.float64) * size)


def values_of(values: tuple[float, ...], size: Array, what: str) -> Array:
    """Joint values of a file in SI; empty if there are none."""
    if not values:
        return np.empty(0)
    if len(values) != len(size):
        raise InvalidValue(f"{what} needs {len(size)} numbers; found {len(values)}.")
    return np.asarray(np.array(values) * size)


def _controller(file: RobotFile, size: Array) -> ControllerMap | None:
    if file.controller is None:
        return None
    data = file.controller
    zeros = values_of(data.zeros, size, f"The controller zeros of {file.name!r}")
    names = tuple(data.names) or tuple(f"J{i}" for i in range(1, len(size) + 1))
    return ControllerMap.from_signs(data.signs, zeros, data.coupling, names, data.source)


def _hand(file: RobotFile) -> Hand | None:
    found = [data for data in (file.gripper, file.suction, file.magnet) if data is not None]
    if len(found) > 1:
        raise InvalidValue(f"The robot file of {file.name!r} has more than one hand; a flange carries one.")
    return hand_from(found[0]) if found else None


def _tool(file: RobotFile) -> Tool | None:
    data = file.fitted
    if data is None:
        return None
    mass = None if data.mass is None else _mass_of(data.mass)
    hand = _hand(file) if data.grips else None
    return Tool(data.name, pose_of(data.tip), mass, tuple(solid_part(one) for one in data.solid), hand)


def _moments(given: tuple[float | None, ...]) -> tuple[float | None, ...]:
    return () if all(moment is None for moment in given) else given


def _mass(file: RobotFile, link: int) -> MassProperties | None:
    return next((_mass_of(data) for data in file.mass if data.link == link), None)


def _mass_of(data: robot_file.MassData) -> MassProperties:
    xx, yy, zz, xy, yz, xz = data.inertia
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return MassProperties(data.mass, np.array(data.centre) * mm, inertia)
