"""The fields of robots from any file that contains some; the format follows from the content, not from the name."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from workcell.errors import FileProblem
from workcell.robots.formats.urdf_files import Beside, Fetch, OwnFiles, no_files
from workcell.robots.robot_fields import ReadRobot
from workcell.robots.text_file import text_in


class ReadFile(NamedTuple):
    """The content of a file: its robots, and notes on what was not used, one line each."""

    robots: tuple[ReadRobot, ...]
    notes: tuple[str, ...] = ()


def read(path: str | Path, unknown_shapes: bool = False) -> ReadFile:
    """Every robot in a file: a robot file has one, a URDF has one for each chain of joints."""
    place = Path(path)
    if not place.exists():
        raise FileProblem(f"There is no file {str(place)!r}.", path=str(place))
    return parse(text_in(place, "the file"), place.name, Beside(place, OwnFiles()).fetch, unknown_shapes)


def parse(text: str, where: str = "the text", fetch: Fetch = no_files, unknown_shapes: bool = False) -> ReadFile:
    """Every robot in a text; see :func:`workcell.robots.open_robot.parse`."""
    from workcell.robots.file_fields import robot_fields
    from workcell.robots.formats import urdf_robots, wld, wld_objects
    from workcell.robots.robot_file import parse as parse_robot_file

    if not text.strip():
        raise FileProblem(f"{where} is empty.", path=where)
    if text.lstrip().startswith("<"):
        found = urdf_robots.read_chains(text, where, fetch, unknown_shapes)
        return ReadFile(found.robots, found.notes)
    kind = wld.kind_of(text)
    if kind == "wld":
        robots = wld_objects.robots_in(wld.parse(text, where))
        if not robots:
            raise FileProblem(f"{where} is a work cell file without a robot.", path=where)
        return ReadFile(robots)
    if kind == "wavefront":
        raise FileProblem(f"{where} is a Wavefront mesh; it holds a shape, not a robot.", path=where)
    if Path(where).suffix.lower() == ".urdf":
        raise FileProblem(f"{where} is not URDF: it should begin with <robot …>.", path=where)
    return ReadFile((ReadRobot(robot_fields(parse_robot_file(text, where))),))
