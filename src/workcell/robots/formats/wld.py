"""Ding's work cell files (``.wld``, and ``.obj`` for one object): read completely, interpreted if known, written back.

A file is a version line and objects ``Class { Name <values > // comment … }``. Every field is kept as
text, so unknown numbers and classes survive a round trip. Lengths are millimetres, angles degrees.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.errors import FileProblem, InvalidValue
from workcell.robots.link import Colour
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
        """The field as ``count`` numbers."""
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
        """A field by its name; a missing one is refused with the name of the object."""
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
        """Its opacity, from 0 to 1."""
        return min(max(self.field("Color").numbers(4)[3], 0.0), 1.0) if self.has("Color") else 1.0

    @property
    def pose(self) -> Pose:
        """Its pose in the world: its origin and translation, turned by its yaw, pitch and roll."""
        origin = self.field("Origin").numbers(4)[:3] if self.has("Origin") else (0.0, 0.0, 0.0)
        shift = self.field("Translate").numbers(3) if self.has("Translate") else (0.0, 0.0, 0.0)
        angles = self.field("Rotation").numbers(3) if self.has("Rotation") else (0.0, 0.0, 0.0)
        return Pose.from_xyz_angles((np.array(origin) + shift) * mm, np.array(angles) * deg, "ding_ypr")


@dataclass(frozen=True)
class WldFile:
    """A whole file: objects in order. Equal files write the same text.

    Attributes:
        objects: the objects in the order of the file.
        version: the version on its first line.
        remarks: comments between objects, each with the number of objects before it.
    """

    objects: tuple[WldObject, ...]
    version: str = VERSION
    remarks: tuple[tuple[int, str], ...] = ()

    def of_class(self, kind: str) -> tuple[WldObject, ...]:
        """The objects of one class."""
        return tuple(item for item in self.objects if item.kind == kind)


# ---- reading ------------------------------------------------------------------------------------------


def kind_of(text: str) -> str:
    """``wld``, ``wavefront`` or empty: the kind of a text by its content, because both use the ending ``.obj``."""
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
    """The text of a file: UTF-8, or the Western encoding of Windows in Ding's time."""
    if b"\0" in data:
        raise FileProblem(f"The work cell file {where!r} cannot be read: it is not text.", path=where)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def parse(text: str, where: str = "the text") -> WldFile:
    """The work cell file in a text; ``where`` is its name in messages."""
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


# ---- writing ------------------------------------------------------------------------------------------


def write(file: WldFile) -> str:
    """The text of a work cell file; ``parse(write(file)) == file``."""
    lines = [f"// Version: {file.version}"]
    for number, item in enumerate((*file.objects, None)):
        lines += [f"// {remark}" for before, remark in file.remarks if before == number]
        lines += [] if item is None else [object_text(item)]
    return "\n".join(lines) + "\n"


def object_text(item: WldObject) -> str:
    """One object as in a file; six numbers go on two lines, as in Ding's files."""
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
    """Whether two files have the same content: classes, fields, words, comments and order; numbers compare by value."""
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


def name_text(name: str) -> str:
    """A name that a field can hold: on one line, without the brackets and braces of the format."""
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
