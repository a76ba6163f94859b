"""Conveyors: mechanisms with one endless sliding joint, and the signal with its speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workcell.robots.robot import Robot

KIND = "conveyor"


def is_conveyor(robot: Robot) -> bool:
    """Whether it is a conveyor: one endless sliding joint."""
    return robot.kind == KIND and robot.n == 1 and robot.rows[0].prismatic


def speed_signal(conveyor: str) -> str:
    """The signal with the speed of a conveyor, or the speed that it accelerates to [m/s]; its sign is the direction."""
    return f"{conveyor}/speed"


def kept_speed(robot: Robot, speed: float) -> float:
    """The speed of a conveyor for a requested one: no faster than its limit [m/s]."""
    limit = float(robot.speeds[0])
    return max(-limit, min(limit, speed))
