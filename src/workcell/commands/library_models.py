"""Robots of the library by their model names, for languages that check a line before the robot is made."""

from __future__ import annotations

from workcell.robots.catalogue import robot
from workcell.robots.robot import Robot


def library_model(name: str) -> Robot:
    """Return the robot of a model."""
    return robot(name)


__all__ = ["Robot", "library_model"]
