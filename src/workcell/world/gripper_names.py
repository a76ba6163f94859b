"""The names of the signals and the fingers of a robot's gripper."""

from __future__ import annotations


def gripper_signal(robot: str) -> str:
    """The signal that is 1 while a robot's gripper is closed."""
    return f"{robot}/gripper"


def opening_signal(robot: str) -> str:
    """The signal with the distance between the pads of a robot's gripper [m]."""
    return f"{robot}/opening"


def finger_names(robot: str) -> tuple[str, str]:
    """The names of the bodies of a robot's fingers."""
    return f"{robot}/right finger", f"{robot}/left finger"
