"""Checks of poses and numbers for moves; anything else is refused in one sentence."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from workcell.errors import InvalidValue
from workcell.spatial.pose import Pose

LONGEST_WAIT = 1e9
"""The longest wait [s]; with a longer one the clock could not distinguish moves."""


def required_pose(pose: object, what: str) -> None:
    """Refuse a value that is not a pose."""
    if not isinstance(pose, Pose):
        raise InvalidValue(
            f"{what} needs a Pose, such as Pose.from_xyz(0.5, 0.0, 0.3); found {shortly(pose)}.",
            type=type(pose).__name__,
        )


def required_poses(poses: object, what: str) -> None:
    """Refuse a value that is not a list of poses."""
    if not isinstance(poses, Iterable) or isinstance(poses, str | bytes):
        raise InvalidValue(f"{what} needs a list of Poses; found {shortly(poses)}.", type=type(poses).__name__)
    for pose in poses:
        required_pose(pose, what)


def required_number(value: object, what: str) -> float:
    """Return a number, which may be infinite; anything else is refused."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InvalidValue(f"{what} must be a number; found {shortly(value)}.", type=type(value).__name__)
    return float(value)


def required_wait(seconds: object) -> float:
    """Return the duration of a wait [s]; a negative one, or one that the clock cannot count, is refused."""
    found = required_number(seconds, "A wait")
    if not 0.0 <= found <= LONGEST_WAIT:
        raise InvalidValue(f"A wait takes zero to {LONGEST_WAIT:g} seconds; found {found:g}.")
    return found


def shortly(value: object) -> str:
    """Return a short description of a value, in one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}…"
