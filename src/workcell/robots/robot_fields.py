"""The fields of a robot before it is made: robot files, URDFs and work cell files are read into them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from numpy.typing import NDArray

from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.kinematics.dh import Chain
    from workcell.robots.controller import ControllerMap
    from workcell.robots.hand import Hand
    from workcell.robots.link import Link
    from workcell.robots.robot_file import Check, Source
    from workcell.robots.tool import Tool

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Follows:
    """What a joint follows: its value is the factor times that of the other joint, plus the offset [rad|m]."""

    joint: str
    factor: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class FixedLink:
    """A link of a URDF that a fixed joint holds: a frame on one of the robot's links, and the parts with its name.

    Attributes:
        name: the name of the link in the file.
        link: the number of the robot's link that it is part of.
        X_link_frame: its frame in the DH frame of that link.
        parent: the link of the file that holds it.
        joint: the name of the fixed joint.
    """

    name: str
    link: int
    X_link_frame: Pose
    parent: str
    joint: str


class NamedChain(TypedDict):
    """The required fields: a name and a chain of joints."""

    name: str
    chain: Chain


class RobotFields(NamedChain, total=False):
    """The fields of a robot. :class:`workcell.robots.robot.Robot` explains each, and assumes missing ones."""

    limits: Array
    speeds: Array
    accelerations: Array
    home: Array
    joint_names: tuple[str, ...]
    model: str
    maker: str
    kind: str
    about: str
    links: tuple[Link, ...]
    gripper: Hand | None
    tool: Tool | None
    controller: ControllerMap | None
    payload: float | None
    moments: tuple[float | None, ...]
    reach: float | None
    weight: float | None
    repeatability: float | None
    sources: tuple[Source, ...]
    assumed: Mapping[str, str]
    checks: tuple[Check, ...]
    follows: Mapping[str, Follows]
    fixed_links: tuple[FixedLink, ...]
    held_by: Mapping[str, str]


@dataclass(frozen=True)
class ReadRobot:
    """A robot that a file describes, and where the file mounts it.

    Attributes:
        fields: its fields.
        parent: the name of the robot that it stands on, or '' for the world.
        frame: the number of that robot's link, or ''.
        X_frame_base: its base in that frame.
    """

    fields: RobotFields
    parent: str = ""
    frame: str = ""
    X_frame_base: Pose = field(default_factory=Pose.identity)

    @property
    def name(self) -> str:
        """Its name in the file."""
        return self.fields["name"]
