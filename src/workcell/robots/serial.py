"""A mechanism with joints in series, as a robot, so that it can be moved and carry other things."""

from __future__ import annotations

import numpy as np

from workcell.errors import Refused
from workcell.kinematics.dh import Chain
from workcell.robots.link import Link, Part
from workcell.robots.mechanism import Mechanism
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import unit

ENDLESS = 1e6
"""The stand-in for an endless travel [rad or m]."""


def as_robot(mechanism: Mechanism) -> Robot:
    """The same joints and bodies as a chain; a branched or coupled mechanism is refused.

    The tool is the first of the mechanism's frames that is on its last body.
    """
    for number, joint in enumerate(mechanism.joints, start=1):
        if joint.parent != number - 1 or joint.follows:
            raise Refused(f"{mechanism.name!r} branches or couples its joints; only joints in series make a robot.")
    zero = _bodies_at_zero(mechanism)
    seats = [zero[joint.parent] @ joint.X_parent_joint for joint in mechanism.joints]
    last = len(mechanism.joints)
    X_last_tool = next((X for body, X in mechanism.frames.values() if body == last), Pose.identity())
    chain = Chain.from_axes(
        [seat.xyz for seat in seats],
        [seat.rotation @ unit(j.axis, "the axis of a joint") for seat, j in zip(seats, mechanism.joints, strict=True)],
        [joint.prismatic for joint in mechanism.joints],
        zero[last] @ X_last_tool,
    )
    limits = np.clip([joint.limits for joint in mechanism.joints], -ENDLESS, ENDLESS)
    bare = Robot(
        mechanism.name,
        chain,
        limits=limits,
        speeds=np.array([joint.speed for joint in mechanism.joints]),
        home=np.clip(mechanism.home, limits[:, 0], limits[:, 1]),
        joint_names=tuple(joint.name for joint in mechanism.joints),
        kind=mechanism.kind,
    )
    frames = bare.frames(np.zeros(last))
    links = []
    for number, body in enumerate(mechanism.bodies):
        X_dh_body = Pose(frames[number]).inverse() @ zero[number]
        parts = tuple(Part(part.solid.moved(X_dh_body), part.colour, part.name) for part in body.parts)
        links.append(Link(body.name, parts))
    return bare.replace(links=tuple(links))


def _bodies_at_zero(mechanism: Mechanism) -> list[Pose]:
    """Every body in the base when all joints are zero, regardless of the limits."""
    placed = [Pose.identity()]
    for joint in mechanism.joints:
        placed.append(placed[joint.parent] @ joint.X_parent_joint)
    return placed
