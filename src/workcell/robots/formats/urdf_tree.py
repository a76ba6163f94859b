"""The tree of a URDF: links and joints as in the file, checked to be one tree."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.parsers.expat import ErrorString

import numpy as np

from workcell.errors import FileProblem
from workcell.robots.link import Colour, MassProperties
from workcell.spatial.pose import Pose

_KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
_READ = ("link", "joint", "material")
_MOST_LINKS, _DEEPEST = 2000, 100
"""The most links of a URDF, and the most joints in a row."""


_FARTHEST = 1e4
"""The farthest limit of a joint that counts as a limit [rad or m]."""


@dataclass(frozen=True)
class UrdfShape:
    """A shape of a link: box (x, y, z), cylinder or capsule (radius, length), sphere (radius) or mesh.

    Any other kind is not supported and is refused when the shape is made.
    """

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
    """A joint: its frame in the parent link, which is the child link's frame at zero.

    A joint that cannot move here is ``fixed``, and a note of the tree gives the reason. ``mimic`` is the joint that it
    follows in the file, with a factor and an offset.
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    limits: tuple[float, float] | None = None
    velocity: float | None = None
    mimic: str = ""
    factor: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Tree:
    """Links and joints of a URDF that form one tree; ``notes`` list what cannot be represented here."""

    name: str
    root: str
    links: Mapping[str, UrdfLink]
    joints: Mapping[str, UrdfJoint]
    notes: tuple[str, ...] = ()
    _below: Mapping[str, tuple[UrdfJoint, ...]] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str, where: str) -> Tree:
        """Read and check a URDF text."""
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise FileProblem(
                f"{where} declares XML entities. A URDF does not need them, so the file is refused.", path=where
            )
        try:
            element = ET.fromstring(text)
        except ET.ParseError as error:
            line = error.position[0]
            last = len(text.splitlines())
            what = "is cut off" if line >= last else f"is not XML in line {line}"
            raise FileProblem(f"{where} {what}: {ErrorString(error.code)}.", path=where, line=line) from error
        if element.tag != "robot":
            raise FileProblem(
                f"{where} is not a URDF: its outermost element is <{element.tag}>, not <robot>.", path=where
            )
        if "<xacro:" in text:
            raise FileProblem(f"{where} is a xacro file; turn it into a plain URDF with `xacro` first.", path=where)
        paints = _materials(element, where)
        links = {}
        for child in element.findall("link"):
            link = _link(child, paints, where)
            if link.name in links:
                raise FileProblem(f"{where} has two links called {link.name!r}.", path=where)
            links[link.name] = link
        joints: dict[str, UrdfJoint] = {}
        notes: list[str] = []
        for child in element.findall("joint"):
            joint, held = _joint(child, where)
            if joint.name in joints:
                raise FileProblem(f"{where} has two joints called {joint.name!r}.", path=where)
            joints[joint.name] = joint
            notes += [held] if held else []
        for joint in joints.values():
            if joint.mimic and joint.mimic not in joints:
                raise FileProblem(
                    f"{where}: the joint {joint.name!r} follows {joint.mimic!r}, which is not a joint of the file.",
                    path=where,
                )
        notes += _left_out(element)
        root = _checked_root(links, joints, where)
        below: dict[str, tuple[UrdfJoint, ...]] = dict.fromkeys(links, ())
        for joint in joints.values():
            below[joint.parent] = (*below[joint.parent], joint)
        return cls(element.get("name") or "robot", root, links, joints, tuple(notes), below)

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
    if len(links) > _MOST_LINKS:
        raise FileProblem(f"{where} has {len(links)} links; the limit is {_MOST_LINKS}.", path=where)
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
            if len(seen) > _DEEPEST:
                raise FileProblem(
                    f"{where}: more than {_DEEPEST} joints follow each other up from {name!r}, which is the limit.",
                    path=where,
                )
    return roots[0]


def _link(element: ET.Element, paints: Mapping[str, Colour], where: str) -> UrdfLink:
    name = element.get("name") or ""
    shapes = tuple(
        _shape(part, use, paints, where, name) for use in ("visual", "collision") for part in element.findall(use)
    )
    return UrdfLink(name, shapes, _mass(element.find("inertial"), where, name))


def _shape(part: ET.Element, use: str, paints: Mapping[str, Colour], where: str, link: str) -> UrdfShape:
    geometry = part.find("geometry")
    origin = _origin(part, where, link)
    tint = _paint(part.find("material"), paints, where, link)
    if geometry is None or not len(geometry):
        return UrdfShape("a shape without geometry", use, origin)
    form = geometry[0]
    if form.tag == "mesh":
        x, y, z = _numbers(form.get("scale") or "1 1 1", 3, where, f"the mesh scale of {link!r}")
        return UrdfShape("mesh", use, origin, mesh=form.get("filename") or "", scale=(x, y, z), colour=tint)
    if form.tag not in _SIZES:
        return UrdfShape(f"a <{form.tag}>", use, origin)
    sizes: tuple[float, ...] = ()
    for key, count in _SIZES[form.tag].items():
        sizes += _numbers(form.get(key), count, where, f"the {form.tag} of {link!r}")
    return UrdfShape(form.tag, use, origin, sizes, colour=tint)


_SIZES = {
    "box": {"size": 3},
    "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1},
    "sphere": {"radius": 1},
}


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


def _left_out(robot: ET.Element) -> list[str]:
    """Elements of a URDF other than links, joints and colours, by name if they have one."""
    found: dict[str, list[str]] = {}
    for child in robot:
        if child.tag not in _READ:
            found.setdefault(child.tag, []).append(child.get("name") or child.get("reference") or "")
    notes = []
    for tag, names in found.items():
        named = ", ".join(name for name in names if name)
        notes.append(f"not used: {len(names)} <{tag}>{f' ({named})' if named else ''}")
    return notes


def _joint(element: ET.Element, where: str) -> tuple[UrdfJoint, str]:
    """A joint and, if it cannot move here, a note that states this."""
    name, kind = element.get("name") or "", element.get("type") or ""
    if kind not in _KINDS:
        raise FileProblem(
            f"{where}: the joint {name!r} is {kind!r}; it must be one of {', '.join(_KINDS)}.", path=where
        )
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
    origin = _origin(element, where, name)
    if kind in ("fixed", "floating", "planar"):
        held = "" if kind == "fixed" else f"the {kind} joint {name!r} does not move here; it is held at zero"
        return UrdfJoint(name, "fixed", ends[0], ends[1], origin), held
    if math.hypot(x, y, z) < 1e-9:
        raise FileProblem(f"{where}: the axis of the joint {name!r} is the zero vector.", path=where)
    limits, velocity = _limits(element.find("limit"), kind, where, name)
    if limits is not None and limits[0] == limits[1]:
        held = f"the joint {name!r} does not move: its limits are both {limits[0]:g}"
        return UrdfJoint(name, "fixed", ends[0], ends[1], origin @ _moved(kind, (x, y, z), limits[0])), held
    note = ""
    if limits is None and kind == "revolute":
        kind, note = "continuous", f"the limits of {name!r} are beyond {_FARTHEST:g} rad; it is taken as continuous"
    mimic = element.find("mimic")
    follows, factor, offset = "", 1.0, 0.0
    if mimic is not None:
        what = f"the mimic of {name!r}"
        follows = mimic.get("joint") or ""
        (factor,) = _numbers(mimic.get("multiplier") or "1", 1, where, what)
        (offset,) = _numbers(mimic.get("offset") or "0", 1, where, what)
        if not follows:
            raise FileProblem(f"{where}: {what} names no joint to follow.", path=where)
    joint = UrdfJoint(name, kind, ends[0], ends[1], origin, (x, y, z), limits, velocity, follows, factor, offset)
    return joint, note


def _moved(kind: str, axis: tuple[float, float, float], value: float) -> Pose:
    """The child of a joint, moved from zero by a joint value."""
    if kind == "prismatic":
        x, y, z = np.array(axis) / math.hypot(*axis) * value
        return Pose.from_xyz(float(x), float(y), float(z))
    return Pose.from_axis_angle(axis, value)


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
    if low > high:
        raise FileProblem(
            f"{where}: the limits of the joint {joint!r} are reversed: {low:g} is not below {high:g}.", path=where
        )
    if max(-low, high) > _FARTHEST:
        if kind == "revolute":
            return None, speed
        raise FileProblem(
            f"{where}: the limits of the joint {joint!r} are {low:g} … {high:g} m; the limit is {_FARTHEST:g} m.",
            path=where, joint=joint,
        )  # fmt: skip
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


def _materials(robot: ET.Element, where: str) -> dict[str, Colour]:
    found: dict[str, Colour] = {}
    for material in (*robot.findall("material"), *robot.iter("material")):
        name = material.get("name") or ""
        tint = _paint(material, {}, where, name)
        if tint is not None:
            found.setdefault(name, tint)
    return found


def _paint(material: ET.Element | None, paints: Mapping[str, Colour], where: str, owner: str) -> Colour | None:
    if material is None:
        return None
    tint = material.find("color")
    if tint is None:
        return paints.get(material.get("name") or "")
    r, g, b, _ = (min(max(v, 0.0), 1.0) for v in _numbers(tint.get("rgba"), 4, where, f"the colour of {owner!r}"))
    return r, g, b
