"""The steps that change what moves already, and run belts."""

from __future__ import annotations

from workcell.programs import wants as w
from workcell.programs.base_step import Base


class Override(Base, frozen=True, tag="override"):
    """Run what moves now and what is to come at a part of its speed; everything where no device is given."""

    percent: w.Plain
    device: w.Moving | None = None


class HoldMotion(Base, frozen=True, tag="hold-motion"):
    """Stop a device on its path; its move can go on."""

    device: w.Moving


class ResumeMotion(Base, frozen=True, tag="resume-motion"):
    """Go on with a move that is held."""

    device: w.Moving


class StopMotion(Base, frozen=True, tag="stop-motion"):
    """Stop a device on its path and give its move up."""

    device: w.Moving


class EmergencyStop(Base, frozen=True, tag="emergency-stop"):
    """Bring a device to rest as fast as its limits allow, or everything, and give the moves up."""

    device: w.Moving | None = None


class SupersedeJoints(Base, frozen=True, tag="supersede-joints"):
    """Other joint values for a robot in the middle of a move."""

    robot: w.Jointed
    joints: w.Joints


class RunConveyor(Base, frozen=True, tag="run-conveyor"):
    """Let a conveyor run on at a speed, whose sign is the direction; over at once, or when the speed is reached."""

    conveyor: w.Device
    speed: w.BeltSpeed
    reached: bool = False


class StopConveyor(Base, frozen=True, tag="stop-conveyor"):
    """Let a conveyor come to rest; over at once, or when it rests."""

    conveyor: w.Device
    reached: bool = False
