"""The steps that set what holds for the steps to come: speeds, frames, tools, processes."""

from __future__ import annotations

from workcell.programs import wants as w
from workcell.programs.base_step import Base


class Speed(Base, frozen=True, tag="speed"):
    """The speed of the joint that moves most."""

    robot: w.Device
    speed: w.JointSpeed


class Profile(Base, frozen=True, tag="profile"):
    """How position grows with time."""

    robot: w.Device
    profile: str


class Branch(Base, frozen=True, tag="branch"):
    """Which inverse solution is taken."""

    robot: w.Arm
    branch: str


class Rounding(Base, frozen=True, tag="rounding"):
    """How far from a corner the rounding of paths begins; 0 is sharp."""

    robot: w.Arm
    radius: w.SomeLength


class Frame(Base, frozen=True, tag="frame"):
    """In which frame the poses of moves are; the world where there is none."""

    frame: w.Pose | None = None


class Tool(Base, frozen=True, tag="tool"):
    """The point of the hand that poses are about, in the frame of the flange; the robot's own where none is given."""

    robot: w.Arm
    tcp: w.Pose | None = None


class Process(Base, frozen=True, tag="process"):
    """A process such as welding or gluing, switched on or off."""

    robot: w.Arm
    on: str
    process: str = ""
