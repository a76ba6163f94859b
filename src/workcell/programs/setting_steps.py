"""The steps that set speeds, frames, tools and processes for the steps that follow."""

from __future__ import annotations

from workcell.programs import wants as w
from workcell.programs.base_step import Base


class Speed(Base, frozen=True, tag="speed"):
    """Set the speed of the joint that moves most."""

    robot: w.Device
    speed: w.JointSpeed


class Profile(Base, frozen=True, tag="profile"):
    """Set how the speed of a move grows and falls."""

    robot: w.Device
    profile: str


class Branch(Base, frozen=True, tag="branch"):
    """Set which inverse solution is taken."""

    robot: w.Arm
    branch: str


class Rounding(Base, frozen=True, tag="rounding"):
    """Set how far from a corner the rounding of paths begins; 0 makes sharp corners."""

    robot: w.Arm
    radius: w.SomeLength


class Frame(Base, frozen=True, tag="frame"):
    """Set the frame of the poses of moves; the world if none is given."""

    frame: w.Pose | None = None


class Tool(Base, frozen=True, tag="tool"):
    """Set the point of the hand that poses refer to, in the frame of the flange; the robot's own if none is given."""

    robot: w.Arm
    tcp: w.Pose | None = None


class Process(Base, frozen=True, tag="process"):
    """Switch a process such as welding or gluing on or off."""

    robot: w.Arm
    on: str
    process: str = ""
