"""What the signals and the fingers of a robot's gripper are called."""

from __future__ import annotations


def gripper_signal(robot: str) -> str:
    """The signal that says whether a robot's gripper is closed."""
    return f"{robot}/gripper"


def opening_signal(robot: str) -> str:
    """The signal that says how far the pads of a robot's gripper are apart [m]."""
    return f"{robot}/opening"


def finger_names(robot: str) -> tuple[str, str]:
    """What the bodies of a robot's fingers are called."""
    return f"{robot}/right finger", f"{robot}/left finger"
