"""Ding's work cell files (``.wld``, and ``.obj`` for one object): read whole, understood where known, written back.

A file is a version line and objects ``Class { Name <values > // comment … }``. Every field is kept as its
text, so numbers and classes that we do not know survive a round trip. Lengths are millimetres, angles degrees.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.errors import FileProblem, InvalidValue
from workcell.geometry import solids
from workcell.geometry.solid import Solid
from workcell.kinematics.dh import Chain, DHRow
from workcell.robots.link import Colour
from workcell.robots.orientation import code_of
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.spatial.units import deg, mm

if TYPE_CHECKING:
    from lark import Lark

VERSION = "100"
_GRAMMAR = r"""
    start: (version | object | remark)*
    version: VERSION
    object: NAME "{" (field | remark)* "}"
    field: NAME "<" VALUES? ">" COMMENT?
    remark: COMMENT
    VERSION: /\/\/[ \t]*Version:[ \t]*[^\n]*/
    NAME: /[A-Za-z_][A-Za-z0-9_]*/
    VALUES: /[^<>{}]+/
    COMMENT: /\/\/(?![ \t]*Version:)[^\n]*/
    %import common.WS
    %ignore WS
"""
_CLASS = re.compile(r"^\s*C[0-9A-Za-z]\w*\s*\{", re.MULTILINE)
_WAVEFRONT = re.compile(r"^\s*(v|vn|vt|vp|f|o|g|s|mtllib|usemtl)\s+\S", re.MULTILINE)


@dataclass(frozen=True)
class WldField:
    """One field as written: the text between the brackets and the comment after it; a bare comment has no name."""

    name: str
    text: str
    comment: str = ""

    def numbers(self, count: int) -> tuple[float, ...]:
        """The field as so many numbers."""
        words = self.text.split()
        try:
            values = tuple(float(word) for word in words)
        except ValueError as error:
            raise InvalidValue(f"The field {self.name} must hold numbers; found {self.text.strip()!r}.") from error
        if len(values) != count or not np.isfinite(values).all():
            raise InvalidValue(f"The field {self.name} must hold {count} finite numbers; found {self.text.strip()!r}.")
        return values


@dataclass(frozen=True)
class WldObject:
    """One object of a file: its class and its fields in order."""

    kind: str
    fields: tuple[WldField, ...]

    def field(self, name: str) -> WldField:
        """A field by its name; a missing one is refused, naming the object."""
        for field in self.fields:
            if field.name == name:
                return field
        raise InvalidValue(f"The {self.kind} {self.name!r} has no field {name}.", field=name)

    def has(self, name: str) -> bool:
        """Whether it has the field."""
        return any(field.name == name for field in self.fields)

    @property
    def name(self) -> str:
        """Its name, which may contain spaces."""
        return next((field.text.strip() for field in self.fields if field.name == "Name"), "")

    @property
    def colour(self) -> Colour:
        """Red, green and blue."""
        r, g, b, _ = self.field("Color").numbers(4) if self.has("Color") else (0.7, 0.7, 0.7, 1.0)
        return r, g, b

    @property
    def pose(self) -> Pose:
        """Where it stands in the world: its origin and translation, turned by its yaw, pitch and roll."""
        origin = self.field("Origin").numbers(4)[:3] if self.has("Origin") else (0.0, 0.0, 0.0)
        shift = self.field("Translate").numbers(3) if self.has("Translate") else (0.0, 0.0, 0.0)
        angles = self.field("Rotation").numbers(3) if self.has("Rotation") else (0.0, 0.0, 0.0)
        return Pose.from_xyz_angles((np.array(origin) + shift) * mm, np.array(angles) * deg, "ding_ypr")


@dataclass(frozen=True)
class WldTarget:
    """A taught point: the hand in the robot's base frame, and the joint values that were chosen for it [rad]."""

    name: str
    pose: Pose
    joints: tuple[float, ...]


@dataclass(frozen=True)
class WldFile:
    """A whole file: objects in order. Equal files write the same text."""

    objects: tuple[WldObject, ...]
    version: str = VERSION

    def of_class(self, kind: str) -> tuple[WldObject, ...]:
        """The objects of one class."""
        return tuple(item for item in self.objects if item.kind == kind)

    def robots(self) -> tuple[tuple[Robot, Pose], ...]:
        """Every robot, with its base in the world. Target points are in that base frame."""
        return tuple((robot_of(item), base_of(item)) for item in self.of_class("C6RRobot"))

    def solids(self) -> tuple[tuple[str, Solid, Colour, Pose], ...]:
        """Every cube, cylinder and cone: name, solid (centred), colour, pose in the world."""
        return tuple(
            (item.name, _SHAPES[item.kind](item), item.colour, item.pose)
            for item in self.objects
            if item.kind in _SHAPES
        )

    def targets(self) -> tuple[WldTarget, ...]:
        """Every target point."""
        return tuple(_target(item) for item in self.of_class("C3dTargetPoint"))

    def unknown(self) -> tuple[WldObject, ...]:
        """Objects of classes that are kept but not understood."""
        return tuple(item for item in self.objects if item.kind not in {*_SHAPES, "C6RRobot", "C3dTargetPoint"})


# ---- reading ------------------------------------------------------------------------------------------


def kind_of(text: str) -> str:
    """``wld``, ``wavefront`` or empty: what a text is, told by its content, since both use the ending ``.obj``."""
    if text.lstrip().startswith("// Version:") or _CLASS.search(text):
        return "wld"
    return "wavefront" if _WAVEFRONT.search(text) else ""


def read(path: str | Path) -> WldFile:
    """Read a work cell file."""
    place = Path(path)
    try:
        text = place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise FileProblem(f"The work cell file {place.name!r} cannot be read: {reason}.", path=str(place)) from error
    return parse(text, place.name)


def parse(text: str, where: str = "the text") -> WldFile:
    """The work cell file in a text; ``where`` is what a message calls it."""
    found = kind_of(text)
    if found != "wld":
        what = "a Wavefront mesh" if found else "not a work cell file"
        raise FileProblem(f"{where} is {what}: a work cell file has objects such as C6RRobot {{ … }}.", path=where)
    import lark

    try:
        tree = _parser().parse(text)
    except lark.exceptions.UnexpectedInput as error:
        raise FileProblem(_complaint(text, where, error), path=where, line=error.line) from error
    objects = tuple(_object(node) for node in tree.find_data("object"))
    versions = [str(node.children[0]).split(":", 1)[1].strip() for node in tree.find_data("version")]
    return WldFile(objects, versions[0] if versions else VERSION)


@lru_cache(maxsize=1)
def _parser() -> Lark:
    import lark

    return lark.Lark(_GRAMMAR, parser="lalr", lexer="contextual", maybe_placeholders=False)


def _complaint(text: str, where: str, error: Any) -> str:
    opened, closed = text.count("{"), text.count("}")
    if opened > closed and (error.line is None or error.line < 1 or not text.rstrip().endswith("}")):
        starts = list(re.finditer(r"(\w+)\s*\{", text))
        last = starts[-1]
        line = text.count("\n", 0, last.start()) + 1
        return f"{where} is cut off: the {last.group(1)} that begins in line {line} has no closing brace."
    line = max(int(error.line or 1), 1)
    got = text.splitlines()[line - 1].strip() if line <= len(text.splitlines()) else ""
    return f"{where}, line {line}: expected a field such as Name <value > or a closing brace; found {got!r}."


def _object(node: Any) -> WldObject:
    kind = str(node.children[0])
    fields = tuple(_field(child) for child in node.children[1:])
    return WldObject(kind, fields)


def _field(node: Any) -> WldField:
    if node.data == "remark":
        return WldField("", "", str(node.children[0])[2:].strip())
    name, *rest = (str(child) for child in node.children)
    text = next((part for part in rest if not part.lstrip().startswith("//")), "")
    comment = next((part.strip()[2:].strip() for part in rest if part.lstrip().startswith("//")), "")
    return WldField(name, " ".join(text.split()), comment)


# ---- understanding ------------------------------------------------------------------------------------


def robot_of(item: WldObject) -> Robot:
    """The robot of a C6RRobot; its thetas are the home position."""
    rows, home = [], []
    for number in range(1, 7):
        theta, alpha, d, a = item.field(f"Joint{number}").numbers(4)
        rows.append(DHRow(0.0, d * mm, a * mm, alpha * deg))
        home.append(theta * deg)
    limits = np.tile((-2.0 * np.pi, 2.0 * np.pi), (6, 1))
    assumed = {"limits": "A work cell file has none: one turn each way."}
    return Robot(item.name or "robot", Chain(rows), limits=limits, home=np.array(home), assumed=assumed)


def base_of(item: WldObject) -> Pose:
    """The base of a C6RRobot in the world: where it stands, then turned by Joint0 (about z, then about x)."""
    theta, alpha = item.field("Joint0").numbers(2) if item.has("Joint0") else (0.0, 0.0)
    turned = Pose.from_axis_angle((0, 0, 1), theta * deg) @ Pose.from_axis_angle((1, 0, 0), alpha * deg)
    return item.pose @ turned


def _target(item: WldObject) -> WldTarget:
    x, y, z, *angles = item.field("Target").numbers(6)
    pose = Pose.from_xyz_angles(np.array([x, y, z]) * mm, np.array(angles) * deg, "ding_ypr")
    return WldTarget(item.name, pose, tuple(v * deg for v in item.field("Thetas").numbers(6)))


def _cube(item: WldObject) -> Solid:
    width, depth, height = (item.field(name).numbers(1)[0] * mm for name in ("Width", "Depth", "Height"))
    return solids.box(width, depth, height)


def _cylinder(item: WldObject) -> Solid:
    return solids.cylinder(item.field("Radius").numbers(1)[0] * mm, item.field("Height").numbers(1)[0] * mm)


def _cone(item: WldObject) -> Solid:
    return solids.cone(item.field("Radius").numbers(1)[0] * mm, item.field("Height").numbers(1)[0] * mm)


_SHAPES = {"C3dObjectCube": _cube, "C3dObjectCylinder": _cylinder, "C3dObjectCone": _cone}


# ---- writing ------------------------------------------------------------------------------------------


def write(file: WldFile) -> str:
    """The text of a work cell file; ``parse(write(file)) == file``."""
    lines = [f"// Version: {file.version}"]
    for item in file.objects:
        lines.append(f"{item.kind} {{")
        for field in item.fields:
            if not field.name:
                lines.append(f"    // {field.comment}")
                continue
            text = f"    {field.name:<9} <{field.text} >" if field.text else f"    {field.name:<9} <>"
            lines.append(f"{text} // {field.comment}" if field.comment else text)
        lines.append("}")
    return "\n".join(lines) + "\n"


def save(file: WldFile, path: str | Path) -> None:
    """Write a work cell file to disk."""
    place = Path(path)
    try:
        place.write_text(write(file), encoding="utf-8")
    except OSError as error:
        raise FileProblem(f"The work cell file {place.name!r} cannot be written: {error.strerror}.") from error


def object_of_robot(robot: Robot, X_world_base: Pose | None = None, colour: Colour = (0.0, 1.0, 0.0)) -> WldObject:
    """A C6RRobot from a robot of six turning joints without base and tool frames of its own.

    A base that is only turned about z and then about x is written as Joint0, as Ding does; any other as Rotation.
    """
    if robot.n != 6 or robot.chain.prismatic.any():
        raise InvalidValue(f"A work cell file holds robots of six turning joints; {robot.name!r} has another chain.")
    still = Pose.identity()
    if not (robot.chain.X_base_0.is_close(still) and robot.chain.X_n_tool.is_close(still)):
        raise InvalidValue(
            f"A work cell file has no place for the base or tool frame of {robot.name!r}; take them off."
        )
    place = still if X_world_base is None else X_world_base
    theta0 = alpha0 = 0.0
    turn = place.rotation
    if abs(float(turn[2, 0])) < 1e-12:
        theta0, alpha0 = float(np.arctan2(turn[1, 0], turn[0, 0])), float(np.arctan2(turn[2, 1], turn[2, 2]))
        place = Pose.from_xyz(*(float(v) for v in place.xyz))
    thetas = [row.theta + home for row, home in zip(robot.rows, robot.home, strict=True)]
    turns = [(theta0, alpha0), *((float(theta), row.alpha) for theta, row in zip(thetas, robot.rows, strict=True))]
    fields = [
        _numbers(f"Joint{i}", (theta / deg, row.alpha / deg, row.d / mm, row.a / mm))
        for i, (theta, row) in enumerate(zip(thetas, robot.rows, strict=True), start=1)
    ]
    fields.append(_numbers("Joint0", (theta0 / deg, alpha0 / deg)))
    codes = [code_of(joint, theta, alpha) for joint, (theta, alpha) in enumerate(turns, start=1)]
    fields.append(WldField("Selection", " ".join(str(code) for code in codes)))
    return WldObject("C6RRobot", (*fields, *_common(robot.name, colour, place)))


def object_of_solid(
    kind: str, name: str, sizes: dict[str, float], X_world: Pose, colour: Colour = (0.0, 1.0, 0.0)
) -> WldObject:
    """A cube (Depth, Height, Width), cylinder or cone (Radius, Height) [m] at a pose."""
    if kind not in _SHAPES:
        raise InvalidValue(f"A work cell file knows the shapes {', '.join(_SHAPES)}; found {kind}.")
    fields = tuple(_numbers(field, (size / mm,)) for field, size in sizes.items())
    return WldObject(kind, (*fields, *_common(name, colour, X_world)))


def object_of_target(target: WldTarget, base: tuple[float, float] = (0.0, 0.0)) -> WldObject:
    """A target point; ``base`` copies theta and alpha of the robot's Joint0 [rad]."""
    xyz = target.pose.xyz / mm
    angles = target.pose.angles("ding_ypr") / deg
    fields = (
        _numbers("Thetas", tuple(q / deg for q in target.joints)),
        _numbers("Target", (*xyz, *angles)),
        _numbers("Base", tuple(v / deg for v in base)),
    )
    return WldObject("C3dTargetPoint", (*fields, *_common(target.name, (0.0, 1.0, 0.0), Pose.identity())))


def _common(name: str, colour: Colour, pose: Pose) -> tuple[WldField, ...]:
    angles = pose.angles("ding_ypr") / deg
    return (
        WldField("Name", name),
        dataclasses.replace(_numbers("Color", (*colour, 1.0)), comment="RGBA"),
        _numbers("Origin", (*(pose.xyz / mm), 0.0)),
        _numbers("Rotation", tuple(angles)),
        _numbers("Translate", (0.0, 0.0, 0.0)),
    )


def _numbers(name: str, values: Iterable[float]) -> WldField:
    return WldField(name, " ".join(f"{float(value) + 0.0:.6f}".replace("-0.000000", "0.000000") for value in values))
