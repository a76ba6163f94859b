"""Conveyors: mechanisms with one sliding joint that runs on, and the signal that says how fast."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workcell.robots.robot import Robot

KIND = "conveyor"


def is_conveyor(robot: Robot) -> bool:
    """Whether it is a conveyor: one sliding joint that runs on."""
    return robot.kind == KIND and robot.n == 1 and robot.rows[0].prismatic


def speed_signal(conveyor: str) -> str:
    """The signal that says at which speed a conveyor runs, or runs up to [m/s]; its sign is the direction."""
    return f"{conveyor}/speed"


def kept_speed(robot: Robot, speed: float) -> float:
    """The speed at which a conveyor runs when another is asked for: no faster than its limit [m/s]."""
    limit = float(robot.speeds[0])
    return max(-limit, min(limit, speed))
