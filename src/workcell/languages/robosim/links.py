"""Drawings as links: link files from drawings, and the drawings of a robot."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.geometry.mesh import DEFAULT_TOLERANCE
from workcell.languages.robosim.drawing import INPUT, OUTPUT, Drawing, Joint, Shape
from workcell.languages.robosim.machine import Stored
from workcell.languages.robosim.writing import link_names
from workcell.robots.formats import link_file
from workcell.robots.formats.link_file import TYPES, LinkFile
from workcell.robots.formats.link_vectors import strokes_of
from workcell.robots.link import Link
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.spatial.units import mm


def link_files(
    links: Sequence[Stored], unit: float = mm, tolerance: float = DEFAULT_TOLERANCE, shapes: bool = True
) -> list[LinkFile]:
    """Return the link files of the links of one robot, the base first.

    The next link sits on joint i+1 as it was drawn. If that frame is not a DH pair with joint i, the file has it moved
    along and turned about its axis. The next file has its joint i moved in the same way, so that no link moves.

    Args:
        links: the links.
        unit: the size of the length unit of the files [m].
        tolerance: how far the triangles of curved faces may lie from them [m].
        shapes: whether the files have vectors.
    """
    made: list[LinkFile] = []
    slide = Pose.identity()
    for number, stored in enumerate(links):
        drawing = stored.drawing
        first, last = drawing.joint(INPUT), drawing.joint(OUTPUT)
        _check(stored, number, len(links))
        X_in = (Pose.identity() if first is None else first.pose) @ slide
        X_out = X_in if last is None else last.pose
        kinds = ("fixed" if first is None else first.moves, "fixed" if last is None else last.moves)
        file = link_file.link_of_solids(X_in, X_out, kinds, (), stored.mass, unit)
        vectors = strokes_of(drawing.solids, unit, tolerance) if shapes else file.vectors
        flags = (int(first is not None), int(last is not None))
        made.append(dataclasses.replace(file, flags=flags, vectors=vectors))
        slide = X_out.inverse() @ X_in @ file.between(unit) if last is not None else Pose.identity()
    return made


def _check(link: Stored, number: int, count: int) -> None:
    """Refuse a link in the middle of a robot without both joints."""
    for place, free, end in ((INPUT, number == 0, "first"), (OUTPUT, number == count - 1, "last")):
        if not free and link.drawing.joint(place) is None:
            raise InvalidValue(f"{link.name} has no joint {place}; only the {end} link of a robot may lack it.")


def object_file(drawing: Drawing, unit: float = mm, tolerance: float = DEFAULT_TOLERANCE) -> LinkFile:
    """Return the file of an object without joints: a link file whose joints are not defined."""
    return LinkFile(0, 0, 0, 0, (0, 0), (3, 3), vectors=strokes_of(drawing.solids, unit, tolerance))


def drawings_of_robot(robot: Robot, name: str, X_world_base: Pose | None = None) -> list[Stored]:
    """Return the links of a robot at its home, the base first, each drawn in the DH frame behind it.

    Args:
        robot: the robot.
        name: the beginning of the names of its links.
        X_world_base: where it stands, if joint i of the base is to be the world.
    """
    if X_world_base is not None:
        chain = robot.chain
        robot = robot.replace(chain=type(chain)(chain.rows, X_world_base @ chain.X_base_0, chain.X_n_tool))
    bare = robot.replace(links=tuple(Link(link.name) for link in robot.links))
    files = link_file.links_of_robot(bare, 1.0)
    numbers = np.cumsum([not file.fixed for file in files])
    base = int(np.flatnonzero(numbers == 0)[-1])
    made = []
    for at, (file, called) in enumerate(zip(files, link_names(name, len(files)), strict=True)):
        parts: tuple[Shape, ...] = ()
        mass = None
        if at == base or not file.fixed:
            link = robot.links[int(numbers[at])]
            mass = link.mass
            parts = tuple(Shape(part.solid, Pose.identity()) for part in link.seen if not part.ghost)
        joints = (
            Joint(INPUT, TYPES[file.types[0]], _pose(file.input_frame)),
            Joint(OUTPUT, TYPES[file.types[1]], _pose(file.output_frame)),
        )
        made.append(Stored(called, Drawing(parts, joints), mass=mass))
    return made


def _pose(matrix: NDArray[np.float64]) -> Pose:
    u, _, vt = np.linalg.svd(matrix[:3, :3])
    return Pose.from_rotation(u @ vt, matrix[:3, 3])
