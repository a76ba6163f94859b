"""A robot's data file: TOML in millimetres and degrees, one robot per file, with the source of its figures."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

import msgspec

from workcell.errors import FileProblem, InvalidValue
from workcell.robots.frame_file import Frame
from workcell.robots.hand_file import GripperData, MagnetData, SuctionData
from workcell.robots.text_file import text_in

FORMAT = "workcell-robot 1"
"""The first line of every robot file: its kind and the version of the format."""


_LONG = 200
"""From this length on, text of a robot file is written literally if possible."""


class Joint(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One row of the DH table with the limits of its joint [deg, mm, deg/s or mm/s …].

    ``theta`` is the offset that the joint value is added to (revolute), ``d`` likewise (prismatic). ``moment`` is the
    greatest moment of a load at rest about the joint's axis [N·m], if the maker states one. ``follows`` is the joint
    that it follows in a URDF, with a factor and an offset in SI; here it moves by itself.
    ``held_by`` is the fixed link of a URDF that is its parent.
    """

    d: float
    a: float
    alpha: float
    limits: tuple[float, float]
    theta: float = 0.0
    speed: float | None = None
    acceleration: float | None = None
    moment: float | None = None
    name: str = ""
    prismatic: bool = False
    follows: str = ""
    factor: float = 1.0
    offset: float = 0.0
    held_by: str = ""


class FixedData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A link of a URDF that a fixed joint holds: its frame in a link's DH frame, its parent, and the joint."""

    link: int
    name: str
    parent: str = ""
    joint: str = ""
    frame: Frame = Frame()


class Controller(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """q_dh = S·q_controller + o: signs, zeros [deg|mm], couplings (dh joint, controller joint, factor)."""

    signs: tuple[float, ...]
    zeros: tuple[float, ...]
    source: str
    coupling: tuple[tuple[int, int, float], ...] = ()
    names: tuple[str, ...] = ()


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The source of figures: ``figures`` names them, ``text`` is what to look up, ``note`` explains the choice."""

    figures: tuple[str, ...]
    text: str
    note: str = ""


class Check(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A pose of the flange that another source states for given joint values.

    Exactly one of ``dh`` (DH values) and ``controller`` (the source's own values, through the map) is given
    [deg|mm]; ``wxyz`` is left out if the source gives a position only. ``within`` [mm] and ``within_deg``
    are the tolerances.
    """

    xyz: tuple[float, float, float]
    source: str
    dh: tuple[float, ...] = ()
    controller: tuple[float, ...] = ()
    wxyz: tuple[float, float, float, float] | None = None
    within: float = 1e-3
    within_deg: float = 1e-4


class Style(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Hints for the link shapes [mm]; missing ones follow from the dimensions.

    ``radii`` are the drum radii at joint 1 … n. ``shift`` is, by joint number, the place along the joint's axis where
    the link after it begins (an arm beside its shoulder). ``colours`` are those of arm, frame, caps, flange.
    """

    form: Literal["industrial", "cobot", "planar"] = "industrial"
    colours: tuple[str, ...] = ()
    radii: tuple[float, ...] = ()
    shift: dict[str, float] = {}


class ShapePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One primitive of a link, in the link's DH frame [mm].

    ``tube``: a cone stub from ``start`` to ``end`` with radii ``r`` (one or two); ``ball``: centre ``start``;
    ``box``: centre ``start``, edges ``size``; ``slab``: a plate around two circles of radii ``r`` at
    ``start`` and ``end``, of thickness ``size[0]`` along ``normal``.
    """

    link: int
    kind: Literal["tube", "ball", "box", "slab"]
    start: tuple[float, float, float]
    end: tuple[float, float, float] | None = None
    r: tuple[float, ...] = ()
    size: tuple[float, ...] = ()
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    colour: str = ""


class SolidPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A solid of a link, in the link's DH frame: its whole recipe, as a cell stores it [m].

    ``use`` is whether it is drawn (``visual``), tested for collisions (``collision``), or both; ``drawn`` is whether
    Workcell drew it from the dimensions of the arm.
    """

    link: int
    recipe: str
    colour: str = ""
    name: str = ""
    use: Literal["both", "visual", "collision"] = "both"
    ghost: bool = False
    transparency: float | None = None
    drawn: bool = False


class LinkData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A link's name, and why its shape is unknown, if it is."""

    link: int
    name: str = ""
    unknown: str = ""


class MassData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Mass [kg], centre [mm], inertia (xx, yy, zz, xy, yz, xz) [kg·m²] about the centre, of one link."""

    link: int
    mass: float
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class ToolData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The tool on the flange, in the flange frame: its tip [mm], its mass and its solids.

    The ``link`` of the mass and of the solids is 0: a tool has one part. ``grips`` is whether the hand of the robot is
    that of the tool.
    """

    name: str
    tip: Frame = Frame()
    mass: MassData | None = None
    solid: tuple[SolidPart, ...] = ()
    grips: bool = False


class RobotFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A whole robot file as written; :func:`workcell.robots.robot.Robot.load` makes a robot from it."""

    format: str
    name: str
    model: str
    maker: str
    joints: tuple[Joint, ...]
    home: tuple[float, ...] = ()
    kind: str = "arm"
    about: str = ""
    dh: Literal["standard", "modified"] = "standard"
    payload: float | None = None
    reach: float | None = None
    weight: float | None = None
    repeatability: float | None = None
    base: Frame = Frame()
    tool: Frame = Frame()
    assumed: dict[str, str] = {}
    controller: Controller | None = None
    source: tuple[Source, ...] = ()
    check: tuple[Check, ...] = ()
    style: Style | None = None
    shape: tuple[ShapePart, ...] = ()
    link: tuple[LinkData, ...] = ()
    solid: tuple[SolidPart, ...] = ()
    mass: tuple[MassData, ...] = ()
    gripper: GripperData | None = None
    fitted: ToolData | None = None
    suction: SuctionData | None = None
    magnet: MagnetData | None = None
    fixed: tuple[FixedData, ...] = ()


msgspec.json.Decoder(RobotFile)  # here, because msgspec must not learn a class in two threads at once


def read(path: str | Path) -> RobotFile:
    """Read a robot file; other files are refused with the line or the field that is wrong."""
    place = Path(path)
    return parse(text_in(place, "the robot file"), place.name)


def parse(text: str, where: str = "the text") -> RobotFile:
    """The robot file in a text; ``where`` is its name in messages."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileProblem(f"{where} is not a TOML file: {error}.", path=where) from error
    except RecursionError as error:
        raise FileProblem(f"{where} is not a robot file: it is nested too deeply.", path=where) from error
    found = table.get("format")
    if found != FORMAT:
        raise FileProblem(
            f"{where} is not a robot file: it should begin with format = {FORMAT!r}; found {found!r}.",
            path=where,
        )
    try:
        return msgspec.convert(table, RobotFile, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidValue(f"{where}: {error}.", path=where) from error


def write(file: RobotFile) -> str:
    """The text of a robot file; ``parse(write(file)) == file``."""
    table = msgspec.to_builtins(file)
    lines: list[str] = []
    tables: list[str] = []
    for key, value in table.items():
        if key in ("source", "check", "link", "solid", "mass", "fixed"):
            for item in value:
                tables += ["", f"[[{key}]]"] + [f"{name} = {_toml(part)}" for name, part in item.items()]
        elif key in ("joints", "shape"):
            lines += [f"{key} = ["] + [f"  {_toml(item)}," for item in value] + ["]"]
        elif isinstance(value, dict):
            tables += ["", f"[{key}]"] + [f"{_key(name)} = {_toml(part)}" for name, part in value.items()]
        else:
            lines.append(f"{key} = {_toml(value)}")
    return "\n".join(lines + tables) + "\n"


def _key(name: str) -> str:
    plain = name.replace("_", "").replace("-", "")
    return name if plain.isascii() and plain.isalnum() else _toml(name)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        if len(value) > _LONG and value.isascii() and value.isprintable() and "'" not in value:
            return f"'{value}'"  # a literal string is read many times faster
        return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    raise AssertionError(f"a robot file holds no {type(value)}")
