"""The steps that change moves under way, and run belts."""

from __future__ import annotations

from workcell.programs import wants as w
from workcell.programs.base_step import Base


class Override(Base, frozen=True, tag="override"):
    """Run the current and later moves at a part of their speed; those of all devices if none is given."""

    percent: w.Plain
    device: w.Moving | None = None


class HoldMotion(Base, frozen=True, tag="hold-motion"):
    """Stop a device on its path; its move can be resumed."""

    device: w.Moving


class ResumeMotion(Base, frozen=True, tag="resume-motion"):
    """Resume a move that is held."""

    device: w.Moving


class StopMotion(Base, frozen=True, tag="stop-motion"):
    """Stop a device on its path and abandon its move."""

    device: w.Moving


class EmergencyStop(Base, frozen=True, tag="emergency-stop"):
    """Bring a device, or everything, to rest as fast as the limits allow, and abandon the moves."""

    device: w.Moving | None = None


class SupersedeJoints(Base, frozen=True, tag="supersede-joints"):
    """Send a robot to other joint values from the middle of a move."""

    robot: w.Jointed
    joints: w.Joints


class RunConveyor(Base, frozen=True, tag="run-conveyor"):
    """Run a conveyor at a speed, whose sign is the direction; done at once, or when the speed is reached."""

    conveyor: w.Device
    speed: w.BeltSpeed
    reached: bool = False


class StopConveyor(Base, frozen=True, tag="stop-conveyor"):
    """Bring a conveyor to rest; done at once, or when it is at rest."""

    conveyor: w.Device
    reached: bool = False
