"""Writing URDF: joints, limits and masses, and the shapes of links as primitives or as meshes beside the file."""

from __future__ import annotations

import math
import os
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem, InvalidValue
from workcell.geometry import recipe as r
from workcell.geometry.formats import obj
from workcell.geometry.formats.whole_file import write_whole
from workcell.robots.formats.urdf_robots import frames_at_zero, tool_among
from workcell.robots.link import Link, MassProperties, Part
from workcell.robots.robot import Robot
from workcell.robots.robot_fields import Follows
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]
MESHES = "meshes"
"""The folder beside a URDF that holds its meshes."""
TOLERANCE = 1e-4
"""The default greatest distance of a mesh from its exact solid [m]."""
_RIGID = 1e-12


@dataclass(frozen=True)
class UrdfText:
    """A URDF and the meshes that it refers to.

    Attributes:
        text: the text of the URDF.
        meshes: the bytes of OBJ files in metres, by their paths from the URDF's folder.
        deviation: the greatest distance of a mesh from its exact solid [m].
        notes: what a URDF cannot contain, one line each.
    """

    text: str
    meshes: dict[str, bytes]
    deviation: float
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Branch:
    """A robot that stands on a link of another one.

    Attributes:
        robot: the robot that stands there.
        link: the number of the carrier's link.
        X_link_base: its base in the DH frame of that link.
        branches: the robots that stand on it.
    """

    robot: Robot
    link: int
    X_link_base: Pose
    branches: tuple[Branch, ...] = ()


def write(robot: Robot, stem: str = "robot", tolerance: float = TOLERANCE, branches: Sequence[Branch] = ()) -> UrdfText:
    """The URDF of a robot and of the robots that stand on it, with the names of their links.

    The frame of a moving link is on the axis of its joint, so joint values stay DH values. Blocks, cylinders and
    balls are written as primitives, other solids as meshes. Links that fixed joints held in the original file are
    written again, and so are joints that follow others. If none of them is the tool, the fixed links ``flange`` and
    ``tool0`` are added.

    Args:
        robot: the robot, with the shapes of its links.
        stem: the beginning of the names of its mesh files.
        tolerance: the greatest distance of a mesh from its exact solid [m].
        branches: the robots that stand on it.
    """
    tree = _Tree(robot.name, _Shapes(_plain(stem), tolerance))
    tree.add(robot, Pose.identity(), "", tuple(branches))
    tree.write_follows()
    ET.indent(tree.root)
    text = '<?xml version="1.0"?>\n' + ET.tostring(tree.root, encoding="unicode") + "\n"
    return UrdfText(text, tree.shapes.meshes, tree.shapes.deviation, tuple(tree.shapes.notes))


class _Tree:
    """Writes robots as one tree of links; every link has a pose with all joints at zero."""

    def __init__(self, name: str, shapes: _Shapes) -> None:
        self.root = ET.Element("robot", name=name)
        self.shapes = shapes
        self._links: list[str] = []
        self._joints: list[str] = []
        self._at: dict[str, Pose] = {}
        self._called: dict[str, str] = {}
        self._joint_called: dict[str, str] = {}
        self._following: list[tuple[ET.Element, Follows]] = []

    def add(self, robot: Robot, X_base: Pose, carrier: str, branches: tuple[Branch, ...]) -> None:
        """Write a robot with a base pose, on a link of another robot or by itself."""
        dh = [X_base @ Pose(matrix) for matrix in frames_at_zero(robot.chain)]
        seats = [X_base, *dh[:-1]]
        if carrier and not robot.fixed_links:
            seats[-1] = _on_axis(seats[-1], dh[-1] @ robot.chain.X_n_tool)
        fixed = {one.name: one for one in robot.fixed_links}
        names: list[str] = []
        for i, link in enumerate(robot.links):
            if i == 0 and carrier and not link.parts and link.mass is None:
                names.append(carrier)
                continue
            own = [part for part in link.parts if part.name not in fixed or part.name == link.name]
            names.append(self._link(link.name, seats[i], replace(link, parts=tuple(own)), dh[i]))
        if carrier and names[0] != carrier:
            self._joint(f"to_{names[0]}", "fixed", carrier, names[0])
        self._tool(robot, names, dh)
        for one in robot.fixed_links:
            parts = tuple(p for p in robot.links[one.link].parts if p.name == one.name != robot.links[one.link].name)
            frame = dh[one.link] @ one.X_link_frame
            name = self._link(one.name, frame, Link(one.name, parts), dh[one.link])
            self._joint(one.joint, "fixed", self._holder(one.parent, names[one.link]), name)
        for i, row in enumerate(robot.rows):
            parent = self._holder(robot.held_by.get(robot.joint_names[i]), names[i])
            axis = seats[i + 1].rotation.T @ dh[i].rotation[:, 2]
            self._moving(robot, i, row.prismatic, parent, names[i + 1], axis)
        if robot.gripper is not None:
            self.shapes.notes.append("the gripper is not included")
        for branch in branches:
            X_there = dh[branch.link] @ branch.X_link_base
            self.add(branch.robot, X_there, names[branch.link], branch.branches)

    def _holder(self, wanted: str | None, otherwise: str) -> str:
        """The parent link that the original file names, if it is already written."""
        return self._called.get(wanted or "", otherwise)

    def _moving(self, robot: Robot, i: int, slides: bool, parent: str, child: str, axis: Array) -> None:
        called = robot.joint_names[i]
        joint = self._joint(called, "prismatic" if slides else "revolute", parent, child)
        self._joint_called.setdefault(called, joint.get("name") or "")
        ET.SubElement(joint, "axis", xyz=" ".join(_number(round(v, 15) + 0.0) for v in axis))
        low, high = robot.limits[i]
        limit = {"lower": _number(low), "upper": _number(high), "velocity": _number(robot.speeds[i]), "effort": "0"}
        ET.SubElement(joint, "limit", limit)
        if called in robot.follows:
            self._following.append((joint, robot.follows[called]))

    def write_follows(self) -> None:
        """Write which joint each joint follows, after all joints have names."""
        for joint, follows in self._following:
            if follows.joint not in self._joint_called:
                self.shapes.notes.append(f"{joint.get('name')} follows {follows.joint}, which is not included")
                continue
            values = {"multiplier": _number(follows.factor), "offset": _number(follows.offset)}
            ET.SubElement(joint, "mimic", {"joint": self._joint_called[follows.joint], **values})

    def _tool(self, robot: Robot, names: list[str], dh: list[Pose]) -> None:
        """Add flange and tool, unless a reader finds the tool among the fixed links."""
        last = [one for one in robot.fixed_links if one.link == robot.n]
        held = {one.parent for one in robot.fixed_links} | set(robot.held_by.values())
        found = tool_among([one.name for one in last], {one.name for one in last} - held)
        for one in last:
            if one.name == found and one.X_link_frame.is_close(robot.chain.X_n_tool, 1e-9, 1e-9):
                return
        X_tool = dh[-1] @ robot.chain.X_n_tool
        if not last and self._at[names[-1]].is_close(X_tool, 1e-12, 1e-12):
            return
        fresh = not robot.fixed_links and "tool0" not in self._links
        stem = "" if fresh else f"{_plain(robot.joint_names[-1])}_"
        flange = self._link(f"{stem}flange", dh[-1], Link("flange"), dh[-1])
        tool = self._link(f"{stem}tool0", X_tool, Link("tool0"), dh[-1])
        self._joint(f"to_{flange}", "fixed", names[robot.n], flange)
        self._joint(f"to_{tool}", "fixed", flange, tool)

    def _link(self, name: str, X_root: Pose, link: Link, X_root_dh: Pose) -> str:
        called = _unique(name, self._links, "link")
        element = ET.SubElement(self.root, "link", name=called)
        X_seat_dh = X_root.inverse() @ X_root_dh
        if link.mass is not None:
            _write_mass(element, link.mass.moved(X_seat_dh))
        self.shapes.write(element, link, called, X_seat_dh)
        self._at[called] = X_root
        self._called.setdefault(name, called)
        return called

    def _joint(self, name: str, kind: str, parent: str, child: str) -> ET.Element:
        origin = self._at[parent].inverse() @ self._at[child]
        return _write_joint(self.root, _unique(name, self._joints, "joint"), kind, parent, child, origin)


def save(
    robot: Robot, path: str | Path, tolerance: float = TOLERANCE, branches: Sequence[Branch] = ()
) -> tuple[Path, ...]:
    """Write the URDF of a robot and its meshes in a folder ``meshes`` beside it; return the files, the URDF first."""
    place = Path(path)
    made = write(robot, place.stem, tolerance, branches)
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
    """Writes the shapes of links and collects their meshes."""

    def __init__(self, stem: str, tolerance: float) -> None:
        self._stem = stem
        self._tolerance = tolerance
        self.meshes: dict[str, bytes] = {}
        self.deviation = 0.0
        self.notes: list[str] = []

    def write(self, element: ET.Element, link: Link, name: str, X_seat_dh: Pose) -> None:
        if link.unknown:
            element.append(ET.Comment(f" shape unknown: {link.unknown.replace('--', '- -')} "))
            self.notes.append(f"the shape of {link.name} is unknown and is not, or not completely, written")
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


def _on_axis(seat: Pose, tool: Pose) -> Pose:
    """The tool as the frame of the last link if it is on the axis of its joint; otherwise the frame on the axis."""
    apart = seat.inverse() @ tool
    return tool if float(np.hypot(*apart.xyz[:2])) < 1e-12 else seat


def _unique(wanted: str, taken: list[str], otherwise: str) -> str:
    """A free name that a URDF allows; it is taken from now on."""
    name = plain = _plain(wanted) or otherwise
    count = 1
    while name in taken:
        count += 1
        name = f"{plain}_{count}"
    taken.append(name)
    return name


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
    """A name without characters that file systems and ROS reject."""
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in name)


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise InvalidValue(f"A URDF can contain only finite numbers; found {value}.")
    text = f"{float(value):.17g}"
    return "0" if text == "-0" else text
