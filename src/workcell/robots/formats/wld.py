"""Ding's work cell files (``.wld``, and ``.obj`` for one object): read whole, understood where known, written back.

A file is a version line and objects ``Class { Name <values > // comment … }``. Every field is kept as its
text, so numbers and classes that we do not know survive a round trip. Lengths are millimetres, angles degrees.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
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
    line: int = field(default=0, compare=False)

    def numbers(self, count: int) -> tuple[float, ...]:
        """The field as so many numbers."""
        words = self.text.split()
        where = f" in line {self.line}" if self.line else ""
        try:
            values = tuple(float(word) for word in words)
        except ValueError as error:
            raise InvalidValue(
                f"The field {self.name}{where} must hold numbers; found {self.text.strip()!r}.", line=self.line
            ) from error
        if len(values) != count or not np.isfinite(values).all():
            raise InvalidValue(
                f"The field {self.name}{where} must hold {count} finite numbers; found {self.text.strip()!r}.",
                line=self.line,
            )
        return values


@dataclass(frozen=True)
class WldObject:
    """One object of a file: its class and its fields in order."""

    kind: str
    fields: tuple[WldField, ...]
    line: int = field(default=0, compare=False)

    def field(self, name: str) -> WldField:
        """A field by its name; a missing one is refused, naming the object."""
        for one in self.fields:
            if one.name == name:
                return one
        where = f" in line {self.line}" if self.line else ""
        raise InvalidValue(f"The {self.kind} {self.name!r}{where} has no field {name}.", field=name, line=self.line)

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
    def alpha(self) -> float:
        """How opaque it is, from 0 to 1."""
        return min(max(self.field("Color").numbers(4)[3], 0.0), 1.0) if self.has("Color") else 1.0

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
    """A whole file: objects in order. Equal files write the same text.

    Attributes:
        objects: in the order of the file.
        version: what its first line says.
        remarks: comments between objects, each with the number of objects before it.
    """

    objects: tuple[WldObject, ...]
    version: str = VERSION
    remarks: tuple[tuple[int, str], ...] = ()

    def of_class(self, kind: str) -> tuple[WldObject, ...]:
        """The objects of one class."""
        return tuple(item for item in self.objects if item.kind == kind)

    def robots(self) -> tuple[tuple[Robot, Pose], ...]:
        """Every robot, with its base in the world. Target points are in that base frame."""
        return tuple((robot_of(item), base_of(item)) for item in self.of_class("C6RRobot"))

    def solids(self) -> tuple[tuple[str, Solid, Colour, Pose], ...]:
        """Every cube, cylinder and cone: name, solid (centred), colour, pose in the world."""
        return tuple(
            (item.name, SHAPES[item.kind](item), item.colour, item.pose) for item in self.objects if item.kind in SHAPES
        )

    def targets(self) -> tuple[WldTarget, ...]:
        """Every target point."""
        return tuple(_target(item) for item in self.of_class("C3dTargetPoint"))

    def unknown(self) -> tuple[WldObject, ...]:
        """Objects of classes that are kept but not understood."""
        return tuple(item for item in self.objects if item.kind not in {*SHAPES, "C6RRobot", "C3dTargetPoint"})


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
        data = place.read_bytes()
    except OSError as error:
        raise FileProblem(
            f"The work cell file {place.name!r} cannot be read: {error.strerror}.", path=str(place)
        ) from error
    return parse(text_of(data, place.name), place.name)


def text_of(data: bytes, where: str) -> str:
    """The text of a file: UTF-8, or as Windows wrote Western text in Ding's time."""
    if b"\0" in data:
        raise FileProblem(f"The work cell file {where!r} cannot be read: it is not text.", path=where)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


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
    objects: list[WldObject] = []
    versions: list[str] = []
    remarks: list[tuple[int, str]] = []
    for child in tree.children:
        node: Any = child
        if node.data == "object":
            objects.append(_object(node))
        elif node.data == "version" and not versions:
            versions.append(str(node.children[0]).split(":", 1)[1].strip())
        else:
            remarks.append((len(objects), str(node.children[0])[2:].strip()))
    return WldFile(tuple(objects), versions[0] if versions else VERSION, tuple(remarks))


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
    kind = node.children[0]
    fields = tuple(_field(child) for child in node.children[1:])
    return WldObject(str(kind), fields, kind.line)


def _field(node: Any) -> WldField:
    line = node.children[0].line
    if node.data == "remark":
        return WldField("", "", str(node.children[0])[2:].strip(), line)
    name, *rest = (str(child) for child in node.children)
    text = next((part for part in rest if not part.lstrip().startswith("//")), "")
    comment = next((part.strip()[2:].strip() for part in rest if part.lstrip().startswith("//")), "")
    return WldField(name, " ".join(text.split()) if "\n" in text else text.strip(), comment, line)


# ---- understanding ------------------------------------------------------------------------------------


def robot_of(item: WldObject) -> Robot:
    """The robot of a C6RRobot; its thetas are the home position."""
    rows, home = [], []
    for number in range(1, 7):
        theta, alpha, d, a = item.field(f"Joint{number}").numbers(4)
        twist = alpha if abs(alpha) <= 360.0 else math.remainder(alpha, 360.0)
        rows.append(DHRow(0.0, d * mm, a * mm, twist * deg))
        home.append(theta * deg)
    turns = [2.0 * np.pi * max(1, math.ceil(abs(theta) / (2.0 * np.pi))) for theta in home]
    limits = np.array([(-turn, turn) for turn in turns])
    assumed = {"limits": "A work cell file has none: one turn each way."}
    return Robot(item.name or "robot", Chain(rows), limits=limits, home=np.array(home), assumed=assumed)


def base_of(item: WldObject) -> Pose:
    """The base of a C6RRobot in the world: where it stands, then turned by Joint0 (about z, then about x)."""
    theta, alpha = item.field("Joint0").numbers(2) if item.has("Joint0") else (0.0, 0.0)
    turned = Pose.from_axis_angle((0, 0, 1), theta * deg) @ Pose.from_axis_angle((1, 0, 0), alpha * deg)
    return item.pose @ turned


def hand_of(item: WldObject) -> Pose:
    """The hand of a C3dTargetPoint in the robot's base frame."""
    x, y, z, *angles = item.field("Target").numbers(6)
    return Pose.from_xyz_angles(np.array([x, y, z]) * mm, np.array(angles) * deg, "ding_ypr")


def _target(item: WldObject) -> WldTarget:
    return WldTarget(item.name, hand_of(item), tuple(v * deg for v in item.field("Thetas").numbers(6)))


def _cube(item: WldObject) -> Solid:
    width, depth, height = (item.field(name).numbers(1)[0] * mm for name in ("Width", "Depth", "Height"))
    return solids.box(width, depth, height)


def _cylinder(item: WldObject) -> Solid:
    return solids.cylinder(item.field("Radius").numbers(1)[0] * mm, item.field("Height").numbers(1)[0] * mm)


def _cone(item: WldObject) -> Solid:
    return solids.cone(item.field("Radius").numbers(1)[0] * mm, item.field("Height").numbers(1)[0] * mm)


SHAPES = {"C3dObjectCube": _cube, "C3dObjectCylinder": _cylinder, "C3dObjectCone": _cone}


# ---- writing ------------------------------------------------------------------------------------------


def write(file: WldFile) -> str:
    """The text of a work cell file; ``parse(write(file)) == file``."""
    lines = [f"// Version: {file.version}"]
    for number, item in enumerate((*file.objects, None)):
        lines += [f"// {remark}" for before, remark in file.remarks if before == number]
        lines += [] if item is None else [object_text(item)]
    return "\n".join(lines) + "\n"


def object_text(item: WldObject) -> str:
    """One object as it stands in a file; six numbers go on two lines, as Ding's files have them."""
    lines = [f"{item.kind} {{"]
    for one in item.fields:
        if not one.name:
            lines.append(f"    // {one.comment}")
            continue
        words = one.text.split()
        if len(words) == 6:
            text = f"    {one.name:<9} <{' '.join(words[:3])}\n{' ' * 14}{' '.join(words[3:])} >"
        else:
            text = f"    {one.name:<9} <{one.text} >" if one.text else f"    {one.name:<9} <>"
        lines.append(f"{text} // {one.comment}" if one.comment else text)
    return "\n".join([*lines, "}"])


def same_content(one: WldFile, other: WldFile) -> bool:
    """Whether two files hold the same: classes, fields, words, comments and order; numbers count by their value."""
    return _content(one) == _content(other)


def _content(file: WldFile) -> object:
    def word(text: str) -> object:
        try:
            return float(text)
        except ValueError:
            return text

    return (
        file.version,
        file.remarks,
        [
            (item.kind, [(one.name, [word(w) for w in one.text.split()], one.comment) for one in item.fields])
            for item in file.objects
        ],
    )


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
        numbers(f"Joint{i}", (theta / deg, row.alpha / deg, row.d / mm, row.a / mm))
        for i, (theta, row) in enumerate(zip(thetas, robot.rows, strict=True), start=1)
    ]
    fields.append(numbers("Joint0", (theta0 / deg, alpha0 / deg)))
    codes = [code_of(joint, theta, alpha) for joint, (theta, alpha) in enumerate(turns, start=1)]
    fields.append(WldField("Selection", " ".join(str(code) for code in codes)))
    return WldObject("C6RRobot", (*fields, *common(robot.name, colour, place)))


def object_of_solid(
    kind: str, name: str, sizes: dict[str, float], X_world: Pose, colour: Colour = (0.0, 1.0, 0.0)
) -> WldObject:
    """A cube (Depth, Height, Width), cylinder or cone (Radius, Height) [m] at a pose."""
    if kind not in SHAPES:
        raise InvalidValue(f"A work cell file knows the shapes {', '.join(SHAPES)}; found {kind}.")
    fields = tuple(numbers(field, (size / mm,)) for field, size in sizes.items())
    return WldObject(kind, (*fields, *common(name, colour, X_world)))


def object_of_target(target: WldTarget, base: tuple[float, float] = (0.0, 0.0)) -> WldObject:
    """A target point; ``base`` copies theta and alpha of the robot's Joint0 [rad]."""
    xyz = target.pose.xyz / mm
    angles = target.pose.angles("ding_ypr") / deg
    fields = (
        numbers("Thetas", tuple(q / deg for q in target.joints)),
        numbers("Target", (*xyz, *angles)),
        numbers("Base", tuple(v / deg for v in base)),
    )
    return WldObject("C3dTargetPoint", (*fields, *common(target.name, (0.0, 1.0, 0.0), Pose.identity())))


def name_text(name: str) -> str:
    """A name as a field can hold it: on one line, without the brackets and braces of the format."""
    return " ".join(re.sub(r"[<>{}]", "-", name).split())


def common(name: str, colour: Colour, pose: Pose) -> tuple[WldField, ...]:
    """The fields that every object has."""
    angles = pose.angles("ding_ypr") / deg
    return (
        WldField("Name", name_text(name)),
        dataclasses.replace(numbers("Color", (*colour, 1.0)), comment="RGBA"),
        numbers("Origin", (*(pose.xyz / mm), 0.0)),
        numbers("Rotation", tuple(angles)),
        numbers("Translate", (0.0, 0.0, 0.0)),
    )


def numbers(name: str, values: Iterable[float]) -> WldField:
    """A field of numbers, with six decimals."""
    return WldField(name, " ".join(f"{float(value) + 0.0:.6f}".replace("-0.000000", "0.000000") for value in values))
