"""Writing URDF: joints, limits and masses, and the shapes of links as primitives or as meshes beside the file."""

from __future__ import annotations

import math
import os
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workcell.errors import FileProblem, InvalidValue
from workcell.geometry import recipe as r
from workcell.geometry.formats import obj
from workcell.geometry.formats.files import write_whole
from workcell.robots.formats.urdf import frames_at_zero
from workcell.robots.link import Link, MassProperties, Part
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose

MESHES = "meshes"
"""The folder beside a URDF that holds its meshes."""
TOLERANCE = 1e-4
"""How far a mesh may lie from its exact solid when nothing else is asked [m]."""
_RIGID = 1e-12


@dataclass(frozen=True)
class UrdfText:
    """A URDF and the meshes that it names.

    Attributes:
        text: of the URDF.
        meshes: the bytes of OBJ files in metres, by their paths from the URDF's folder.
        deviation: how far a mesh may lie from its exact solid [m].
        notes: what the URDF cannot hold, one line each.
    """

    text: str
    meshes: dict[str, bytes]
    deviation: float
    notes: tuple[str, ...]


def write(robot: Robot, stem: str = "robot", tolerance: float = TOLERANCE) -> UrdfText:
    """The URDF of a robot, its links by their names and the fixed links ``flange`` and ``tool0``.

    The frame of a moving link sits on the axis of its joint, so joint values stay DH values. Blocks, cylinders and
    balls are written as such, other solids as meshes.

    Args:
        robot: whose shapes are those of its links.
        stem: how the names of its mesh files begin.
        tolerance: how far a mesh may lie from its exact solid [m].
    """
    root = ET.Element("robot", name=robot.name)
    frames = [Pose(matrix) for matrix in frames_at_zero(robot.chain)]
    seats = [Pose.identity(), *frames[:-1]]
    names = _names([link.name for link in robot.links])
    shapes = _Shapes(_plain(stem), tolerance)
    for i, link in enumerate(robot.links):
        element = ET.SubElement(root, "link", name=names[i])
        X_seat_dh = seats[i].inverse() @ frames[i]
        if link.mass is not None:
            _write_mass(element, link.mass.moved(X_seat_dh))
        shapes.write(element, link, names[i], X_seat_dh)
    for i, row in enumerate(robot.rows):
        kind = "prismatic" if row.prismatic else "revolute"
        joint = _write_joint(
            root, _plain(robot.joint_names[i]), kind, names[i], names[i + 1], seats[i].inverse() @ seats[i + 1]
        )
        ET.SubElement(joint, "axis", xyz="0 0 1")
        low, high = robot.limits[i]
        limit = {"lower": _number(low), "upper": _number(high), "velocity": _number(robot.speeds[i]), "effort": "0"}
        ET.SubElement(joint, "limit", limit)
    flange, tool = names[-2:]
    for name in (flange, tool):
        ET.SubElement(root, "link", name=name)
    _write_joint(root, f"to_{flange}", "fixed", names[robot.n], flange, seats[-1].inverse() @ frames[-1])
    _write_joint(root, f"to_{tool}", "fixed", flange, tool, robot.chain.X_n_tool)
    ET.indent(root)
    text = '<?xml version="1.0"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
    if robot.gripper is not None:
        shapes.notes.append("the gripper is not part of it")
    return UrdfText(text, shapes.meshes, shapes.deviation, tuple(shapes.notes))


def save(robot: Robot, path: str | Path, tolerance: float = TOLERANCE) -> tuple[Path, ...]:
    """Write the URDF of a robot and, in a folder ``meshes`` beside it, its meshes; the files, the URDF first."""
    place = Path(path)
    made = write(robot, place.stem, tolerance)
    files = [place, *(place.parent / name for name in made.meshes)]
    if made.meshes:
        try:
            os.makedirs(place.parent / MESHES, exist_ok=True)
        except OSError as error:
            raise FileProblem(f"The folder {MESHES!r} cannot be made: {error.strerror}.", path=str(place)) from error
    for file, data in zip(files[1:], made.meshes.values(), strict=True):
        write_whole(file, data)
    write_whole(place, made.text.encode())
    return tuple(files)


class _Shapes:
    """Writes the shapes of links and gathers their meshes."""

    def __init__(self, stem: str, tolerance: float) -> None:
        self._stem = stem
        self._tolerance = tolerance
        self.meshes: dict[str, bytes] = {}
        self.deviation = 0.0
        self.notes: list[str] = []

    def write(self, element: ET.Element, link: Link, name: str, X_seat_dh: Pose) -> None:
        if link.unknown:
            element.append(ET.Comment(f" shape unknown: {link.unknown.replace('--', '- -')} "))
            self.notes.append(f"the shape of {link.name} is unknown and not written, or not whole")
        for count, part in enumerate(link.parts, start=1):
            number = f"_{count}" if len(link.parts) > 1 else ""
            form, origin = self._form(part, f"{MESHES}/{self._stem}_{name}{number}.obj")
            for use in ("visual", "collision"):
                if part.use in ("both", use):
                    shape = ET.SubElement(element, use)
                    _write_origin(shape, X_seat_dh @ origin)
                    ET.SubElement(shape, "geometry").append(form)
                    if use == "visual":
                        tint = "#" + "".join(f"{round(255 * v):02x}" for v in part.colour)
                        material = ET.SubElement(shape, "material", name=tint)
                        rgba = " ".join(_number(v) for v in (*part.colour, 1.0))
                        ET.SubElement(material, "color", rgba=rgba)

    def _form(self, part: Part, file: str) -> tuple[ET.Element, Pose]:
        """The geometry of a part, and its origin in the link's frame."""
        recipe, origin = part.solid.recipe, Pose.identity()
        if isinstance(recipe, r.Placed):
            matrix = np.eye(4)
            matrix[:3] = np.reshape(recipe.matrix, (3, 4))
            turn = matrix[:3, :3]
            if np.abs(turn @ turn.T - np.eye(3)).max() < _RIGID and np.linalg.det(turn) > 0.0:
                recipe, origin = recipe.part, Pose(matrix)
        if isinstance(recipe, r.Box):
            return ET.Element("box", size=" ".join(_number(v) for v in (recipe.x, recipe.y, recipe.z))), origin
        if isinstance(recipe, r.Cylinder):
            return ET.Element("cylinder", radius=_number(recipe.radius), length=_number(recipe.height)), origin
        if isinstance(recipe, r.Sphere):
            return ET.Element("sphere", radius=_number(recipe.radius)), origin
        mesh = part.solid.mesh(self._tolerance)
        self.deviation = max(self.deviation, mesh.deviation)
        self.meshes[file] = obj.write(mesh, 1.0)
        return ET.Element("mesh", filename=file), Pose.identity()


def _names(links: list[str]) -> list[str]:
    """Names for the links of a URDF, each once, then for flange and tool."""
    taken: list[str] = []
    for wanted in (*links, "flange", "tool0"):
        name = plain = _plain(wanted) or "link"
        count = 1
        while name in taken:
            count += 1
            name = f"{plain}_{count}"
        taken.append(name)
    return taken


def _write_joint(root: ET.Element, name: str, kind: str, parent: str, child: str, origin: Pose) -> ET.Element:
    joint = ET.SubElement(root, "joint", name=name, type=kind)
    _write_origin(joint, origin)
    ET.SubElement(joint, "parent", link=parent)
    ET.SubElement(joint, "child", link=child)
    return joint


def _write_origin(element: ET.Element, pose: Pose) -> None:
    rpy = " ".join(_number(v) for v in pose.angles("urdf_rpy"))
    ET.SubElement(element, "origin", xyz=" ".join(_number(v) for v in pose.xyz), rpy=rpy)


def _write_mass(element: ET.Element, mass: MassProperties) -> None:
    inertial = ET.SubElement(element, "inertial")
    ET.SubElement(inertial, "origin", xyz=" ".join(_number(v) for v in mass.centre), rpy="0 0 0")
    ET.SubElement(inertial, "mass", value=_number(mass.mass))
    i = mass.inertia
    entries = {"ixx": i[0, 0], "ixy": i[0, 1], "ixz": i[0, 2], "iyy": i[1, 1], "iyz": i[1, 2], "izz": i[2, 2]}
    ET.SubElement(inertial, "inertia", {key: _number(value) for key, value in entries.items()})


def _plain(name: str) -> str:
    """A name without what file systems and ROS do not like."""
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in name)


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise InvalidValue(f"A URDF holds finite numbers only; found {value}.")
    text = f"{float(value):.17g}"
    return "0" if text == "-0" else text
