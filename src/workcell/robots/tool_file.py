"""A tool's data file: TOML in millimetres and degrees, one tool per file, with the source of its figures."""

from __future__ import annotations

import tomllib
from typing import Any

import msgspec
import numpy as np

from workcell.errors import FileProblem, InvalidValue
from workcell.robots.frame_file import Frame, pose_of
from workcell.robots.hand_file import GripperData, MagnetData, SuctionData, hand_from
from workcell.robots.link import MassProperties, Part
from workcell.robots.link_shapes import PALETTE, paint, shape_solid
from workcell.robots.robot_file import ShapePart, Source
from workcell.robots.tool import Tool
from workcell.spatial.units import mm

FORMAT = "workcell-tool 1"
"""The first line of every tool file: its kind and the version of the format."""


class ToolFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A whole tool file as written.

    A tool has a hand (``gripper``, ``suction`` or ``magnet``) that is drawn from its figures, or a ``shape`` of its own
    in the flange frame, or both. ``tcp`` is the tip; by default, that of a hand is its grip point. ``typical`` names
    the figures that are usual for such tools but not those of a product, with the reason.
    """

    format: str
    name: str
    model: str
    kind: str
    about: str = ""
    mass: float | None = None
    centre: tuple[float, float, float] | None = None
    tcp: Frame | None = None
    typical: dict[str, str] = {}
    source: tuple[Source, ...] = ()
    shape: tuple[ShapePart, ...] = ()
    gripper: GripperData | None = None
    suction: SuctionData | None = None
    magnet: MagnetData | None = None


msgspec.json.Decoder(ToolFile)  # here, because msgspec must not learn a class in two threads at once


def parse(text: str, where: str = "the text") -> ToolFile:
    """The tool file in a text; another file is refused with what is wrong."""
    try:
        table: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FileProblem(f"{where} is not a TOML file: {error}.", path=where) from error
    if table.get("format") != FORMAT:
        found = table.get("format")
        raise FileProblem(
            f"{where} is not a tool file: it should begin with format = {FORMAT!r}; found {found!r}.", path=where
        )
    shapes = table.get("shape")
    for one in shapes if isinstance(shapes, list) else ():
        if isinstance(one, dict):
            one.setdefault("link", 0)  # a tool is one body
    try:
        return msgspec.convert(table, ToolFile, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidValue(f"{where}: {error}.", path=where) from error


def tool_from_file(file: ToolFile) -> Tool:
    """The tool that a file describes: tip, mass, solids and hand."""
    hands = [data for data in (file.gripper, file.suction, file.magnet) if data is not None]
    if len(hands) > 1:
        raise InvalidValue(f"The tool {file.name!r} has more than one hand.")
    hand = hand_from(hands[0]) if hands else None
    if file.tcp is not None:
        tip = pose_of(file.tcp)
    elif hand is not None:
        tip = hand.X_flange_grip
    else:
        raise InvalidValue(f"The tool {file.name!r} has neither a hand nor a tcp.")
    parts = tuple(Part(shape_solid(one), paint(one.colour or "dark", PALETTE), one.kind) for one in file.shape)
    weight = None
    if file.mass is not None:
        centre = np.array(file.centre or (0.0, 0.0, 0.0)) * mm
        weight = MassProperties(file.mass, centre)
    return Tool(file.name, tip, weight, parts, hand)
