"""The tree of a URDF: links and joints as the file has them, checked to be one tree."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from workcell.errors import FileProblem
from workcell.robots.link import Colour, MassProperties
from workcell.spatial.pose import Pose

_KINDS = ("revolute", "continuous", "prismatic", "fixed")


@dataclass(frozen=True)
class UrdfShape:
    """A shape of a link: box (x, y, z), cylinder (radius, length), sphere (radius) or mesh."""

    kind: str
    use: str
    origin: Pose
    sizes: tuple[float, ...] = ()
    mesh: str = ""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    colour: Colour | None = None


@dataclass(frozen=True)
class UrdfLink:
    """A link: shapes and mass in its own frame."""

    name: str
    shapes: tuple[UrdfShape, ...] = ()
    mass: MassProperties | None = None


@dataclass(frozen=True)
class UrdfJoint:
    """A joint: its frame in the parent link, which is the child link's frame at zero."""

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    limits: tuple[float, float] | None = None
    velocity: float | None = None
    mimic: str = ""


@dataclass(frozen=True)
class Tree:
    """Links and joints of a URDF, known to form one tree."""

    name: str
    root: str
    links: Mapping[str, UrdfLink]
    joints: Mapping[str, UrdfJoint]
    _below: Mapping[str, tuple[UrdfJoint, ...]] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str, where: str) -> Tree:
        """Read and check a URDF text."""
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise FileProblem(f"{where} declares XML entities, which a URDF does not need; it is not read.", path=where)
        try:
            element = ET.fromstring(text)
        except ET.ParseError as error:
            line = error.position[0]
            last = len(text.splitlines())
            what = "is cut off" if line >= last else f"is not XML in line {line}"
            raise FileProblem(f"{where} {what}: {str(error).split(':')[0]}.", path=where, line=line) from error
        if element.tag != "robot":
            raise FileProblem(
                f"{where} is not a URDF: its outermost element is <{element.tag}>, not <robot>.", path=where
            )
        if "<xacro:" in text:
            raise FileProblem(f"{where} is a xacro file; turn it into a plain URDF with `xacro` first.", path=where)
        paints = _materials(element)
        links = {}
        for child in element.findall("link"):
            link = _link(child, paints, where)
            if link.name in links:
                raise FileProblem(f"{where} has two links called {link.name!r}.", path=where)
            links[link.name] = link
        joints: dict[str, UrdfJoint] = {}
        for child in element.findall("joint"):
            joint = _joint(child, where)
            if joint.name in joints:
                raise FileProblem(f"{where} has two joints called {joint.name!r}.", path=where)
            joints[joint.name] = joint
        root = _checked_root(links, joints, where)
        below: dict[str, tuple[UrdfJoint, ...]] = dict.fromkeys(links, ())
        for joint in joints.values():
            below[joint.parent] = (*below[joint.parent], joint)
        return cls(element.get("name") or "robot", root, links, joints, below)

    def children(self, link: str) -> tuple[UrdfJoint, ...]:
        """The joints that leave a link."""
        return self._below.get(link, ())

    def parent_joint(self, link: str) -> UrdfJoint:
        """The joint that carries a link."""
        return next(joint for joint in self.joints.values() if joint.child == link)

    def fixed_between(self, upper: str, lower: str) -> list[UrdfJoint]:
        """The joints from one link down to another, in that order."""
        way: list[UrdfJoint] = []
        while lower != upper:
            way.append(self.parent_joint(lower))
            lower = way[-1].parent
        return way[::-1]


def _checked_root(links: Mapping[str, UrdfLink], joints: Mapping[str, UrdfJoint], where: str) -> str:
    if not links:
        raise FileProblem(f"{where} has no links.", path=where)
    carried: dict[str, str] = {}
    for joint in joints.values():
        for end, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links:
                raise FileProblem(
                    f"{where}: the {end} {link!r} of the joint {joint.name!r} is not a link of the file.", path=where
                )
        if joint.child in carried:
            raise FileProblem(
                f"{where}: the link {joint.child!r} hangs on two joints, {carried[joint.child]!r} and {joint.name!r}.",
                path=where,
            )
        carried[joint.child] = joint.name
    roots = [name for name in links if name not in carried]
    if len(roots) > 1:
        names = ", ".join(repr(name) for name in roots[:4])
        raise FileProblem(
            f"{where} has {len(roots)} roots ({names}); a URDF is one tree with one root.", path=where, roots=roots
        )
    above = {joint.child: joint.parent for joint in joints.values()}
    for name in links:
        seen = [name]
        while seen[-1] in above:
            parent = above[seen[-1]]
            if parent in seen:
                ring = " → ".join([*seen[seen.index(parent) :], parent])
                raise FileProblem(f"{where} is cyclic: {ring}; a URDF is a tree.", path=where)
            seen.append(parent)
    return roots[0]


def _link(element: ET.Element, paints: Mapping[str, Colour], where: str) -> UrdfLink:
    name = element.get("name") or ""
    shapes = tuple(
        shape
        for use in ("visual", "collision")
        for part in element.findall(use)
        if (shape := _shape(part, use, paints, where, name)) is not None
    )
    return UrdfLink(name, shapes, _mass(element.find("inertial"), where, name))


def _shape(part: ET.Element, use: str, paints: Mapping[str, Colour], where: str, link: str) -> UrdfShape | None:
    geometry = part.find("geometry")
    if geometry is None or not len(geometry):
        return None
    origin = _origin(part, where, link)
    form = geometry[0]
    tint = _paint(part.find("material"), paints)
    if form.tag == "box":
        return UrdfShape("box", use, origin, _numbers(form.get("size"), 3, where, f"the box of {link!r}"), colour=tint)
    if form.tag == "cylinder":
        sizes = (form.get("radius"), form.get("length"))
        r, h = (_numbers(value, 1, where, f"the cylinder of {link!r}")[0] for value in sizes)
        return UrdfShape("cylinder", use, origin, (r, h), colour=tint)
    if form.tag == "sphere":
        radius = _numbers(form.get("radius"), 1, where, f"the sphere of {link!r}")
        return UrdfShape("sphere", use, origin, radius, colour=tint)
    if form.tag == "mesh":
        x, y, z = _numbers(form.get("scale") or "1 1 1", 3, where, f"the mesh scale of {link!r}")
        return UrdfShape("mesh", use, origin, mesh=form.get("filename") or "", scale=(x, y, z), colour=tint)
    return None


def _mass(element: ET.Element | None, where: str, link: str) -> MassProperties | None:
    if element is None or element.find("mass") is None:
        return None
    what = f"the inertia of {link!r}"
    mass_element, inertia = element.find("mass"), element.find("inertia")
    mass = _numbers(None if mass_element is None else mass_element.get("value"), 1, where, f"the mass of {link!r}")[0]
    tensor = np.zeros((3, 3))
    if inertia is not None:
        keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        xx, xy, xz, yy, yz, zz = (_numbers(inertia.get(key) or "0", 1, where, what)[0] for key in keys)
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return MassProperties(mass, np.zeros(3), tensor).moved(_origin(element, where, link))


def _joint(element: ET.Element, where: str) -> UrdfJoint:
    name, kind = element.get("name") or "", element.get("type") or ""
    if kind not in _KINDS:
        raise FileProblem(f"{where}: the joint {name!r} is {kind!r}; read are {', '.join(_KINDS)}.", path=where)
    ends = []
    for end in ("parent", "child"):
        found = element.find(end)
        if found is None or not found.get("link"):
            raise FileProblem(f"{where}: the joint {name!r} has no {end} link.", path=where)
        ends.append(found.get("link") or "")
    axis_element = element.find("axis")
    x, y, z = _numbers(
        (axis_element.get("xyz") if axis_element is not None else None) or "1 0 0", 3, where, f"the axis of {name!r}"
    )
    if kind != "fixed" and math.hypot(x, y, z) < 1e-9:
        raise FileProblem(f"{where}: the axis of the joint {name!r} is the zero vector.", path=where)
    limits, velocity = _limits(element.find("limit"), kind, where, name)
    mimic = element.find("mimic")
    follows = "" if mimic is None else mimic.get("joint") or ""
    return UrdfJoint(name, kind, ends[0], ends[1], _origin(element, where, name), (x, y, z), limits, velocity, follows)


def _limits(
    element: ET.Element | None, kind: str, where: str, joint: str
) -> tuple[tuple[float, float] | None, float | None]:
    if element is None:
        if kind in ("revolute", "prismatic"):
            raise FileProblem(f"{where}: the {kind} joint {joint!r} has no <limit>, which a URDF requires.", path=where)
        return None, None
    what = f"the limits of {joint!r}"
    low, high = (_numbers(element.get(key) or "0", 1, where, what)[0] for key in ("lower", "upper"))
    velocity = element.get("velocity")
    speed = None if velocity is None else _numbers(velocity, 1, where, what)[0]
    if kind not in ("revolute", "prismatic"):
        return None, speed
    if low >= high:
        raise FileProblem(
            f"{where}: the limits of the joint {joint!r} are reversed: {low:g} is not below {high:g}.", path=where
        )
    return (low, high), speed


def _origin(element: ET.Element, where: str, owner: str) -> Pose:
    origin = element.find("origin")
    if origin is None:
        return Pose.identity()
    xyz = _numbers(origin.get("xyz") or "0 0 0", 3, where, f"the origin of {owner!r}")
    rpy = _numbers(origin.get("rpy") or "0 0 0", 3, where, f"the origin of {owner!r}")
    return Pose.from_xyz_angles(xyz, rpy, "urdf_rpy")


def _numbers(text: str | None, count: int, where: str, what: str) -> tuple[float, ...]:
    try:
        values = tuple(float(word) for word in (text or "").split())
    except ValueError:
        values = ()
    if len(values) != count or not all(math.isfinite(value) for value in values):
        raise FileProblem(
            f"{where}: {what} needs {count} finite number{'s' * (count > 1)}; found {text!r}.", path=where
        )
    return values


def _materials(robot: ET.Element) -> dict[str, Colour]:
    found = {}
    for material in robot.findall("material"):
        tint = _paint(material, {})
        if tint is not None:
            found[material.get("name") or ""] = tint
    return found


def _paint(material: ET.Element | None, paints: Mapping[str, Colour]) -> Colour | None:
    if material is None:
        return None
    tint = material.find("color")
    words = (tint.get("rgba") or "").split() if tint is not None else []
    if len(words) == 4:
        r, g, b = (min(max(float(word), 0.0), 1.0) for word in words[:3])
        return r, g, b
    return paints.get(material.get("name") or "")
