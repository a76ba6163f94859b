"""The serial chains of a URDF, each as the fields of a robot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem
from workcell.kinematics.dh import Chain, row_matrix
from workcell.robots.formats.urdf_files import Fetch
from workcell.robots.formats.urdf_shapes import LinkShapes
from workcell.robots.formats.urdf_tree import Tree, UrdfJoint
from workcell.robots.link import Link, MassProperties
from workcell.robots.robot_fields import FixedLink, Follows, ReadRobot, RobotFields
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]
_TOOLS = ("tool0", "tool", "flange", "ee_link", "tcp")
_ENDLESS = 2.0 * math.pi


@dataclass(frozen=True)
class UrdfRobots:
    """The robots of a URDF before they are made: the arm first, then the branches that stand on its links.

    Attributes:
        name: the name of the robot element.
        robots: the fields of each robot, and where it stands.
        frames: every link of the URDF by name: (robot, link number, pose of the URDF link in that DH frame).
        notes: what was read but cannot be represented here, one line each.
    """

    name: str
    robots: tuple[ReadRobot, ...]
    frames: Mapping[str, tuple[str, int, Pose]]
    notes: tuple[str, ...]


def read_chains(text: str, where: str, fetch: Fetch, unknown_shapes: bool) -> UrdfRobots:
    """The robots in a URDF text; see :func:`workcell.robots.formats.urdf.parse`."""
    tree = Tree.parse(text, where)
    chains = _chains(tree)
    if not chains:
        raise FileProblem(f"{where} has no moving joint, so it contains no robot.", path=where)
    shapes = LinkShapes(where, fetch, unknown_shapes)
    robots: list[ReadRobot] = []
    frames: dict[str, tuple[str, int, Pose]] = {}
    for number, (start, path) in enumerate(chains):
        name = tree.name if number == 0 else path[0].name
        while name in [robot.name for robot in robots]:
            name += "'"
        fields, X_base_links = _fields(tree, name, start, path, shapes, frozenset(frames))
        if number == 0:
            robots.append(ReadRobot(fields))
        else:
            owner, link, X_dh_start = frames[start]
            robots.append(ReadRobot(fields, owner, str(link), X_dh_start))
        frames |= {link: (name, i, pose) for link, (i, pose) in X_base_links.items() if link not in frames}
    notes = (*_branches(robots), *_following(tree), *tree.notes, *shapes.notes, *_bare(robots))
    if notes:
        main = robots[0].fields
        main["assumed"] = {**main["assumed"], "file": "; ".join(notes)}
    return UrdfRobots(tree.name, tuple(robots), frames, notes)


def _branches(robots: list[ReadRobot]) -> list[str]:
    """Notes on which chain is the arm, and on the others."""
    if len(robots) == 1:
        return []
    arm = robots[0].fields["joint_names"]
    notes = [f"the arm is the longest chain, {arm[0]} … {arm[-1]}"]
    for robot in robots[1:]:
        names = robot.fields["joint_names"]
        joints = f"{len(names)} joint{'s' * (len(names) > 1)}"
        notes.append(f"the branch from {names[0]} ({joints}) is a robot of its own on {robot.parent}")
    return notes


def _following(tree: Tree) -> list[str]:
    notes = []
    for joint in tree.joints.values():
        if joint.mimic:
            by = f"{joint.factor:g} × " * (joint.factor != 1.0)
            plus = f" + {joint.offset:g}" * (joint.offset != 0.0)
            notes.append(
                f"the joint {joint.name!r} follows {by}{joint.mimic!r}{plus} in the file; here it moves by itself"
            )
    return notes


def _bare(robots: list[ReadRobot]) -> list[str]:
    """The links without a shape in the file."""
    links = [link for number, robot in enumerate(robots) for link in robot.fields["links"][bool(number) :]]
    bare = [link.name for link in links if not link.parts and not link.unknown]
    if len(bare) == len(links):
        return ["the file contains no shapes; a cell draws the links from their dimensions"]
    return [f"no shape in the file: {', '.join(bare)}"] if bare else []


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
    """The moving joints that leave a link, directly or across fixed joints."""
    result = []
    for joint in tree.children(link):
        result += _moving_children(tree, joint.child) if joint.kind == "fixed" else [joint]
    return result


def _depth(tree: Tree, joint: UrdfJoint) -> int:
    return 1 + max((_depth(tree, onward) for onward in _moving_children(tree, joint.child)), default=0)


def _fields(
    tree: Tree, name: str, start: str, path: list[UrdfJoint], shapes: LinkShapes, taken: frozenset[str]
) -> tuple[RobotFields, dict[str, tuple[int, Pose]]]:
    """The fields of the robot of one chain, and its URDF links: (link number, pose in that DH frame).

    Links that are ``taken`` belong to the robot that it stands on.
    """
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
        if link not in taken:
            _spread(tree, link, X_base_link, owners)
    tip = _tool(tree, path[-1].child, owners, len(path))
    prismatic = [joint.kind == "prismatic" for joint in path]
    chain = Chain.from_axes(np.array(points), np.array(directions), prismatic, X_base_link[tip])
    seats = [Pose(matrix) for matrix in frames_at_zero(chain)]
    placed = {link: (owners[link], seats[owners[link]].inverse() @ pose) for link, pose in X_base_link.items()}
    links = _links(tree, placed, len(path), shapes, taken)
    assumed = {}
    if any(joint.kind == "continuous" for joint in path):
        assumed["limits"] = "Continuous joints turn without end; one turn each way is allowed here."
    fields = RobotFields(
        name=name,
        chain=chain,
        limits=np.array([joint.limits or (-_ENDLESS, _ENDLESS) for joint in path]),
        speeds=_speeds(path),
        joint_names=tuple(joint.name for joint in path),
        links=links,
        assumed=assumed,
        follows={joint.name: Follows(joint.mimic, joint.factor, joint.offset) for joint in path if joint.mimic},
        fixed_links=_fixed(tree, placed, taken, {start, *(joint.child for joint in path)}),
        held_by={joint.name: joint.parent for joint in path if joint.parent not in {start, *(j.child for j in path)}},
    )
    return fields, placed


def _fixed(
    tree: Tree, placed: Mapping[str, tuple[int, Pose]], taken: frozenset[str], moving: set[str]
) -> tuple[FixedLink, ...]:
    """The links of a chain that fixed joints hold, with their parents."""
    found = []
    for link, (owner, pose) in placed.items():
        if link not in taken and link not in moving:
            joint = tree.parent_joint(link)
            found.append(FixedLink(link, owner, pose, joint.parent, joint.name))
    return tuple(found)


def _anchor(tree: Tree, joint: UrdfJoint, known: Mapping[str, Pose]) -> str:
    """The nearest link towards the root that is already placed."""
    link = joint.parent
    while link not in known:
        link = tree.parent_joint(link).parent
    return link


def _spread(tree: Tree, link: str, placed: dict[str, Pose], owners: dict[str, int]) -> None:
    """Place every link that is held by fixed joints below a link."""
    for joint in tree.children(link):
        if joint.kind == "fixed" and joint.child not in placed:
            placed[joint.child] = placed[link] @ joint.origin
            owners[joint.child] = owners[link]
            _spread(tree, joint.child, placed, owners)


def _tool(tree: Tree, last: str, owners: Mapping[str, int], n: int) -> str:
    """The link that is the tool: a known name, otherwise the end of the fixed joints, otherwise the last link."""
    fixed = [link for link, owner in owners.items() if owner == n and link != last]
    return tool_among(fixed, {link for link in fixed if not tree.children(link)}) or last


def tool_among(fixed: Sequence[str], ends: Set[str]) -> str:
    """The link that is the tool among those that are fixed to the last one; '' if there is none."""
    for name in _TOOLS:
        for link in fixed:
            if link == name or link.endswith(("_" + name, "-" + name)):
                return link
    only = [link for link in fixed if link in ends]
    return only[0] if len(only) == 1 else ""


def frames_at_zero(chain: Chain) -> list[Array]:
    """The link frames of a chain with all joints at zero, the base first."""
    frames = [np.array(chain.X_base_0.matrix)]
    for row in chain.rows:
        frames.append(frames[-1] @ row_matrix(row))
    return frames


def _speeds(path: list[UrdfJoint]) -> Array:
    if any(joint.velocity is None or joint.velocity <= 0.0 for joint in path):
        return np.empty(0)
    return np.array([joint.velocity for joint in path])


def _links(
    tree: Tree, placed: Mapping[str, tuple[int, Pose]], n: int, shapes: LinkShapes, taken: frozenset[str]
) -> tuple[Link, ...]:
    """The links of a robot with the shapes and masses of all URDF links that move with them."""
    result: list[Link] = []
    for number in range(n + 1):
        mine = [
            (tree.links[link], pose) for link, (owner, pose) in placed.items() if owner == number and link not in taken
        ]
        made = [shapes.parts(link, pose) for link, pose in mine]
        masses = [link.mass.moved(pose) for link, pose in mine if link.mass is not None]
        named = next((link.name for link, _ in mine if link.name), "base" if number == 0 else f"link {number}")
        result.append(
            Link(
                named,
                tuple(part for parts, _ in made for part in parts),
                MassProperties.sum(masses) if masses else None,
                " ".join(unknown for _, unknown in made if unknown),
            )
        )
    return tuple(result)
