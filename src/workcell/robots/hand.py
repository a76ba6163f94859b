"""What a hand may be: two fingers, suction cups or magnets."""

from __future__ import annotations

from typing import TypeAlias

from workcell.robots.gripper import Gripper
from workcell.robots.magnet import Magnet
from workcell.robots.suction import Suction

Hand: TypeAlias = Gripper | Suction | Magnet
Clinging: TypeAlias = Suction | Magnet
FINGERS, SUCTION, MAGNET = "fingers", "suction", "magnet"
HOLDS = (FINGERS, SUCTION, MAGNET)
"""The ways in which a hand holds a part."""


def holds_by(hand: Hand) -> str:
    """How a hand holds a part: one of ``HOLDS``."""
    return FINGERS if isinstance(hand, Gripper) else SUCTION if isinstance(hand, Suction) else MAGNET
