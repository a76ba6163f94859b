"""Mounting: robots and mechanisms that stand on the links of others."""

from __future__ import annotations

from workcell.spatial.pose import Pose
from workcell.world.entities import Entity
from workcell.world.robot_shape import robot_of


def mount_frame(carrier: Entity, link: int) -> Pose:
    """Return the frame in which `mount` takes a pose, in the frame of the link.

    That is the frame of the link itself, except on the last link of a mechanism: the tool of a mechanism is where
    things stand on it, and the frame of its last link may point anywhere.
    """
    device = robot_of(carrier)
    if carrier.kind != "mechanism" or link != device.n:
        return Pose.identity()
    return Pose(device.frames(device.home)[link]).inverse() @ device.fk(device.home)
