"""A robot from any file that holds one: the format is told by its content, not by its name."""

from __future__ import annotations

from pathlib import Path

from workcell.errors import FileProblem
from workcell.robots.robot import Robot


def load(path: str | Path) -> Robot:
    """The robot in a Workcell robot file (TOML)."""
    from workcell.robots.build import robot_from_file
    from workcell.robots.robot_file import read

    place = Path(path)
    if not place.exists():
        raise FileProblem(f"There is no file {str(place)!r}.", path=str(place))
    return robot_from_file(read(place))
