"""A robot from any file that holds one: the format is told by the content, not by the file's name."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from workcell.errors import FileProblem
from workcell.robots.formats.urdf_files import Beside, Fetch, OwnFiles, no_files
from workcell.robots.mounting import Assembly, Mounted
from workcell.robots.robot import Robot


class Opened(NamedTuple):
    """What a file holds: its robots, mounted on each other, and what it has that is not read, one line each."""

    assembly: Assembly
    notes: tuple[str, ...] = ()


def load(path: str | Path, unknown_shapes: bool = False) -> Robot:
    """The robot in a Workcell robot file, a URDF or a work cell file; of several, the first.

    ``unknown_shapes``: a link of a URDF whose mesh is missing or unreadable is marked, in place of a refusal.
    """
    item = load_all(path, unknown_shapes).assembly.items[0]
    assert isinstance(item.device, Robot)
    return item.device


def load_all(path: str | Path, unknown_shapes: bool = False) -> Opened:
    """Every robot in a file, mounted as the file says: the branches of a URDF, the robots of a work cell."""
    place = Path(path)
    try:
        text = place.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise FileProblem(f"There is no file {str(place)!r}.", path=str(place)) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise FileProblem(f"The file {place.name!r} cannot be read: {reason}.", path=str(place)) from error
    return parse(text, place.name, Beside(place, OwnFiles()).fetch, unknown_shapes)


def parse(text: str, where: str = "the text", fetch: Fetch = no_files, unknown_shapes: bool = False) -> Opened:
    """Every robot in a text.

    Args:
        text: of the file.
        where: what a message calls it.
        fetch: gives the bytes of the meshes that a URDF names.
        unknown_shapes: whether a link whose shape cannot be read is marked, in place of a refusal.
    """
    from workcell.robots.build import robot_from_file
    from workcell.robots.formats import urdf, wld
    from workcell.robots.robot_file import parse as parse_robot_file

    if text.lstrip().startswith("<"):
        model = urdf.parse(text, where, fetch, unknown_shapes)
        return Opened(model.assembly, model.notes)
    kind = wld.kind_of(text)
    if kind == "wld":
        found = wld.parse(text, where).robots()
        if not found:
            raise FileProblem(f"{where} is a work cell file without a robot.", path=where)
        return Opened(Assembly(tuple(Mounted(robot.name, robot, X_frame_base=base) for robot, base in found)))
    if kind == "wavefront":
        raise FileProblem(f"{where} is a Wavefront mesh; it holds a shape, not a robot.", path=where)
    robot = robot_from_file(parse_robot_file(text, where))
    return Opened(Assembly((Mounted(robot.name, robot),)))
