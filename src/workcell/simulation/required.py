"""What moves need: poses and numbers, refused in one sentence where something else is given."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from workcell.errors import InvalidValue
from workcell.spatial.pose import Pose

LONGEST_WAIT = 1e9
"""The longest wait; beyond it the clock could not tell moves apart [s]."""


def required_pose(pose: object, what: str) -> None:
    """Refuse what is no pose."""
    if not isinstance(pose, Pose):
        raise InvalidValue(
            f"{what} needs a Pose, such as Pose.from_xyz(0.5, 0.0, 0.3); found {shortly(pose)}.",
            type=type(pose).__name__,
        )


def required_poses(poses: object, what: str) -> None:
    """Refuse what is no row of poses."""
    if not isinstance(poses, Iterable) or isinstance(poses, str | bytes):
        raise InvalidValue(f"{what} needs a list of Poses; found {shortly(poses)}.", type=type(poses).__name__)
    for pose in poses:
        required_pose(pose, what)


def required_number(value: object, what: str) -> float:
    """A number, which may be infinite; refused when it is something else."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InvalidValue(f"{what} must be a number; found {shortly(value)}.", type=type(value).__name__)
    return float(value)


def required_wait(seconds: object) -> float:
    """How long to wait [s]; refused when it is less than nothing or longer than the clock can count."""
    found = required_number(seconds, "A wait")
    if not 0.0 <= found <= LONGEST_WAIT:
        raise InvalidValue(f"A wait takes zero or more seconds, {LONGEST_WAIT:g} at most; found {found:g}.")
    return found


def shortly(value: object) -> str:
    """What a value is, in one short line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}…"
