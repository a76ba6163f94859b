"""The kinds of hands: two fingers, suction cups or magnets."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from workcell.robots.gripper import Gripper
from workcell.robots.magnet import Magnet
from workcell.robots.suction import Suction
from workcell.spatial.pose import Pose

Hand: TypeAlias = Gripper | Suction | Magnet
Clinging: TypeAlias = Suction | Magnet
FINGERS, SUCTION, MAGNET = "fingers", "suction", "magnet"
HOLDS = (FINGERS, SUCTION, MAGNET)
"""The ways in which a hand holds a part."""


def holds_by(hand: Hand) -> str:
    """The way in which a hand holds a part: one of ``HOLDS``."""
    return FINGERS if isinstance(hand, Gripper) else SUCTION if isinstance(hand, Suction) else MAGNET


def seat(own: Hand | None) -> Pose:
    """``X_flange_seat``: the frame to which tools are bolted on a flange, z out of the arm.

    The flange itself, or turned by half a turn about its x axis if its z axis points into the arm. A robot's file
    states this through the robot's own hand, which is then flipped.

    Args:
        own: the robot's own hand.
    """
    flipped = own is not None and own.approach[2] < -1.0 + 1e-9
    return Pose(np.diag([1.0, -1.0, -1.0, 1.0])) if flipped else Pose.identity()
