"""URDF, in and out: links, joints, limits, inertia, simple shapes, references to meshes.

A URDF is a tree. Each of its serial chains becomes a robot with DH frames; where the tree branches, the longest
branch goes on and the others become robots mounted on the link where they leave. Fixed joints vanish into frames.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem, InvalidValue
from workcell.geometry import solids
from workcell.geometry.solid import Solid
from workcell.kinematics.dh import Chain
from workcell.robots.formats.urdf_tree import Tree, UrdfJoint, UrdfLink
from workcell.robots.link import Link, MassProperties, MeshReference, Part
from workcell.robots.mounting import Assembly, Mounted
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]
_GREY = (0.7, 0.72, 0.75)
_TOOLS = ("tool0", "tool", "flange", "ee_link", "tcp")
_ENDLESS = 2.0 * math.pi


@dataclass(frozen=True)
class UrdfModel:
    """What a URDF holds: its robots, mounted on each other where the tree branches.

    Attributes:
        name: of the robot element.
        assembly: the robots; the first stands on the world, the others on its links.
        frames: every link of the URDF by name: (robot, link number, pose of the URDF link in that DH frame).
        notes: what was read but has no place here, one line each.
    """

    name: str
    assembly: Assembly
    frames: Mapping[str, tuple[str, int, Pose]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def robots(self) -> tuple[Robot, ...]:
        """The robots, the main one first."""
        return tuple(item.device for item in self.assembly.items if isinstance(item.device, Robot))


def read(path: str | Path) -> UrdfModel:
    """Read a URDF file."""
    place = Path(path)
    try:
        text = place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise FileProblem(f"The URDF {place.name!r} cannot be read: {reason}.", path=str(place)) from error
    return parse(text, place.name)


def parse(text: str, where: str = "the text") -> UrdfModel:
    """The model in a URDF text; ``where`` is what a message calls it."""
    tree = Tree.parse(text, where)
    chains = _chains(tree)
    if not chains:
        raise FileProblem(f"{where} has no moving joint, so there is no robot in it.", path=where)
    items: list[Mounted] = []
    frames: dict[str, tuple[str, int, Pose]] = {}
    notes = [
        f"the joint {joint.name!r} follows {joint.mimic!r}; here it moves by itself"
        for joint in tree.joints.values()
        if joint.mimic
    ]
    for number, (start, path) in enumerate(chains):
        name = tree.name if number == 0 else path[0].name
        robot, X_base_links = _robot(tree, name, start, path, number == 0)
        if number == 0:
            items.append(Mounted(name, robot))
        else:
            owner, link, X_dh_start = frames[start]
            items.append(Mounted(name, robot, owner, str(link), X_dh_start))
        frames |= {link: (name, i, pose) for link, (i, pose) in X_base_links.items() if link not in frames}
    return UrdfModel(tree.name, Assembly(tuple(items)), frames, tuple(notes))


def _chains(tree: Tree) -> list[tuple[str, list[UrdfJoint]]]:
    """Every serial chain: the link where it leaves the chain before (the root first), and its moving joints."""
    found: list[tuple[str, list[UrdfJoint]]] = []
    waiting = [(tree.root, joint) for joint in _moving_children(tree, tree.root)]
    waiting.sort(key=lambda item: -_depth(tree, item[1]))
    while waiting:
        start, joint = waiting.pop(0)
        path = [joint]
        while True:
            onward = sorted(_moving_children(tree, path[-1].child), key=lambda item: -_depth(tree, item))
            if not onward:
                break
            waiting += [(path[-1].child, other) for other in onward[1:]]
            path.append(onward[0])
        found.append((start, path))
    return found


def _moving_children(tree: Tree, link: str) -> list[UrdfJoint]:
    """The moving joints that leave a link, fixed joints passed over."""
    result = []
    for joint in tree.children(link):
        result += _moving_children(tree, joint.child) if joint.kind == "fixed" else [joint]
    return result


def _depth(tree: Tree, joint: UrdfJoint) -> int:
    return 1 + max((_depth(tree, onward) for onward in _moving_children(tree, joint.child)), default=0)


def _robot(
    tree: Tree, name: str, start: str, path: list[UrdfJoint], first: bool
) -> tuple[Robot, dict[str, tuple[int, Pose]]]:
    """A robot from the joints of one chain, and its URDF links: (link number, pose in that DH frame)."""
    X_base_link = {start: Pose.identity()}
    owners = {start: 0}
    points, directions = [], []
    for number, joint in enumerate(path, start=1):
        for fixed in tree.fixed_between(_anchor(tree, joint, X_base_link), joint.parent):
            X_base_link[fixed.child] = X_base_link[fixed.parent] @ fixed.origin
            owners[fixed.child] = number - 1
        at = X_base_link[joint.parent] @ joint.origin
        points.append(at.xyz)
        directions.append(at.rotation @ np.array(joint.axis))
        X_base_link[joint.child] = at
        owners[joint.child] = number
    for link in list(X_base_link):
        if link != start or first:
            _spread(tree, link, X_base_link, owners)
    tip = _tool(tree, path[-1].child, owners, len(path))
    prismatic = [joint.kind == "prismatic" for joint in path]
    chain = Chain.from_axes(np.array(points), np.array(directions), prismatic, X_base_link[tip])
    seats = [Pose(matrix) for matrix in _frames_at_zero(chain)]
    placed = {link: (owners[link], seats[owners[link]].inverse() @ pose) for link, pose in X_base_link.items()}
    links = _links(tree, placed, len(path), None if first else start)
    assumed = {}
    if any(joint.kind == "continuous" for joint in path):
        assumed["limits"] = "Continuous joints turn without end; one turn each way is allowed here."
    robot = Robot(
        name,
        chain,
        limits=np.array([joint.limits or (-_ENDLESS, _ENDLESS) for joint in path]),
        speeds=_speeds(path),
        joint_names=tuple(joint.name for joint in path),
        links=links,
        assumed=assumed,
    )
    return robot, placed


def _anchor(tree: Tree, joint: UrdfJoint, known: Mapping[str, Pose]) -> str:
    """The nearest link on the way to the root that is placed already."""
    link = joint.parent
    while link not in known:
        link = tree.parent_joint(link).parent
    return link


def _spread(tree: Tree, link: str, placed: dict[str, Pose], owners: dict[str, int]) -> None:
    """Place every link that hangs on fixed joints below a link."""
    for joint in tree.children(link):
        if joint.kind == "fixed" and joint.child not in placed:
            placed[joint.child] = placed[link] @ joint.origin
            owners[joint.child] = owners[link]
            _spread(tree, joint.child, placed, owners)


def _tool(tree: Tree, last: str, owners: Mapping[str, int], n: int) -> str:
    """The link that is the tool: a known name, else the end of the fixed joints, else the last link itself."""
    fixed = [link for link, owner in owners.items() if owner == n and link != last]
    for name in _TOOLS:
        for link in fixed:
            if link == name or link.endswith(("_" + name, "-" + name)):
                return link
    ends = [link for link in fixed if not tree.children(link)]
    return ends[0] if len(ends) == 1 else last


def _frames_at_zero(chain: Chain) -> list[Array]:
    from workcell.kinematics.dh import row_matrix

    frames = [np.array(chain.X_base_0.matrix)]
    for row in chain.rows:
        frames.append(frames[-1] @ row_matrix(row))
    return frames


def _speeds(path: list[UrdfJoint]) -> Array:
    if any(joint.velocity is None or joint.velocity <= 0.0 for joint in path):
        return np.empty(0)
    return np.array([joint.velocity for joint in path])


def _links(tree: Tree, placed: Mapping[str, tuple[int, Pose]], n: int, skip: str | None) -> tuple[Link, ...]:
    """The links of a robot with the shapes, meshes and masses of all URDF links that move with them."""
    result = []
    for number in range(n + 1):
        mine = [(tree.links[link], pose) for link, (owner, pose) in placed.items() if owner == number and link != skip]
        parts = tuple(part for link, pose in mine for part in _parts(link, pose))
        meshes = tuple(mesh for link, pose in mine for mesh in _meshes(link, pose))
        masses = [link.mass.moved(pose) for link, pose in mine if link.mass is not None]
        named = next((link.name for link, _ in mine), "base" if number == 0 else f"link {number}")
        result.append(Link(named, parts, MassProperties.sum(masses) if masses else None, meshes))
    return tuple(result)


def _parts(link: UrdfLink, X_dh_link: Pose) -> list[Part]:
    makers: dict[str, Callable[..., Solid]] = {"box": solids.box, "cylinder": solids.cylinder, "sphere": solids.sphere}
    return [
        Part(makers[shape.kind](*shape.sizes).moved(X_dh_link @ shape.origin), shape.colour or _GREY, link.name)
        for shape in link.shapes
        if shape.kind in makers and shape.use == "visual"
    ]


def _meshes(link: UrdfLink, X_dh_link: Pose) -> list[MeshReference]:
    return [
        MeshReference(shape.mesh, X_dh_link @ shape.origin, shape.scale, shape.use)
        for shape in link.shapes
        if shape.kind == "mesh"
    ]


# ---- writing ------------------------------------------------------------------------------------------


def write(robot: Robot, meshes: Mapping[int, str] | None = None) -> str:
    """The URDF text of a robot: ``base_link``, ``link_1`` … ``link_n``, ``flange``, ``tool0``.

    The frame of ``link_i`` sits on the axis of joint i, so joint values stay DH values. ``meshes`` names, by link
    number, mesh files in the link's DH frame; meshes that the robot was read with are written where none is named.
    """
    root = ET.Element("robot", name=robot.name)
    frames = [Pose(matrix) for matrix in _frames_at_zero(robot.chain)]
    seats = [Pose.identity(), *frames[:-1]]
    names = ["base_link", *(f"link_{i}" for i in range(1, robot.n + 1))]
    for i, link in enumerate(robot.links):
        element = ET.SubElement(root, "link", name=names[i])
        X_seat_dh = seats[i].inverse() @ frames[i]
        if link.mass is not None:
            _write_mass(element, link.mass.moved(X_seat_dh))
        _write_meshes(element, link, X_seat_dh, (meshes or {}).get(i))
    for i, row in enumerate(robot.rows):
        kind = "prismatic" if row.prismatic else "revolute"
        joint = _write_joint(
            root, _plain(robot.joint_names[i]), kind, names[i], names[i + 1], seats[i].inverse() @ seats[i + 1]
        )
        ET.SubElement(joint, "axis", xyz="0 0 1")
        low, high = robot.limits[i]
        limit = {"lower": _number(low), "upper": _number(high), "velocity": _number(robot.speeds[i]), "effort": "0"}
        ET.SubElement(joint, "limit", limit)
    for name in ("flange", "tool0"):
        ET.SubElement(root, "link", name=name)
    _write_joint(root, "to_flange", "fixed", names[-1], "flange", seats[-1].inverse() @ frames[-1])
    _write_joint(root, "to_tool0", "fixed", "flange", "tool0", robot.chain.X_n_tool)
    ET.indent(root)
    return '<?xml version="1.0"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def save(robot: Robot, path: str | Path, meshes: Mapping[int, str] | None = None) -> None:
    """Write the URDF of a robot to disk."""
    place = Path(path)
    try:
        place.write_text(write(robot, meshes), encoding="utf-8")
    except OSError as error:
        raise FileProblem(f"The URDF {place.name!r} cannot be written: {error.strerror}.") from error


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


def _write_meshes(element: ET.Element, link: Link, X_seat_dh: Pose, own: str | None) -> None:
    references = link.meshes
    if own is not None:
        references = tuple(MeshReference(own, Pose.identity(), use=use) for use in ("visual", "collision"))
    for reference in references:
        use = ET.SubElement(element, reference.use)
        _write_origin(use, X_seat_dh @ reference.X_link_mesh)
        geometry = ET.SubElement(use, "geometry")
        scale = " ".join(_number(v) for v in reference.scale)
        ET.SubElement(geometry, "mesh", {"filename": reference.path} | ({"scale": scale} if scale != "1 1 1" else {}))


def _plain(name: str) -> str:
    return name.replace(" ", "_")


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise InvalidValue(f"A URDF holds finite numbers only; found {value}.")
    text = f"{float(value):.17g}"
    return "0" if text == "-0" else text
