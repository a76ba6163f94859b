"""Link shapes that our own modeller makes from an arm's dimensions: drums at the joints, tubes between them."""

from __future__ import annotations

import numpy as np

from workcell.errors import InvalidValue
from workcell.geometry.recipe import decode
from workcell.geometry.solid import Solid
from workcell.kinematics.dh import Chain
from workcell.robots import arm_form
from workcell.robots.link import Colour, Part
from workcell.robots.robot_file import RobotFile, ShapePart, SolidPart
from workcell.robots.shape_parts import ball, box, slab, tube
from workcell.spatial.units import mm
from workcell.wording import an, capital

PALETTE: dict[str, str] = {"arm": "#e8e4d8", "frame": "#5b6068", "dark": "#3a3f46", "steel": "#b9bdc4"}
"""Colour names of shapes; a file's ``style.colours`` replaces arm, frame, dark, steel in that order."""


def link_parts(chain: Chain, file: RobotFile) -> list[list[Part]]:
    """The parts of every link, from the file's own lists of shapes and solids or from the arm's dimensions.

    A file with an unknown shape for any link gets no shapes from dimensions.
    """
    colours = palette(file)
    if file.shape or file.solid or any(link.unknown for link in file.link):
        parts: list[list[Part]] = [[] for _ in range(chain.n + 1)]
        listed: list[ShapePart | SolidPart] = [*file.shape, *file.solid]
        for one in listed:
            if not 0 <= one.link <= chain.n:
                raise InvalidValue(
                    f"A shape of {file.name!r} is for link {one.link}; the links are numbered 0…{chain.n}."
                )
            if isinstance(one, SolidPart):
                parts[one.link].append(solid_part(one, colours))
            else:
                parts[one.link].append(Part(shape_solid(one), paint(one.colour or "arm", colours), one.kind))
        return parts
    try:
        drawn = arm_form.draw(chain, file.style)
    except InvalidValue:
        if file.style is not None:
            raise
        return [[] for _ in range(chain.n + 1)]  # links without length, or too small to be drawn, have no shapes
    return [[Part(solid, paint(name, colours), name, drawn=True) for solid, name in pieces] for pieces in drawn]


def solid_part(one: SolidPart, colours: dict[str, str] = PALETTE) -> Part:
    """A solid of a robot file as a part of a link or a tool."""
    tint = paint(one.colour or "arm", colours)
    return Part(Solid(decode(one.recipe.encode())), tint, one.name, one.use, one.ghost, one.transparency, one.drawn)


def palette(file: RobotFile) -> dict[str, str]:
    """The colours of a robot by name."""
    given = file.style.colours if file.style else ()
    return PALETTE | dict(zip(PALETTE, given, strict=False))


def shape_solid(shape: ShapePart) -> Solid:
    """The solid of one shape of a robot file."""
    start = np.array(shape.start) * mm
    end = None if shape.end is None else np.array(shape.end) * mm
    radii = [r * mm for r in shape.r]
    if shape.kind == "box" and len(shape.size) == 3:
        return box(start, np.array(shape.size) * mm)
    if shape.kind == "ball" and len(radii) == 1:
        return ball(start, radii[0])
    if shape.kind == "tube" and end is not None and len(radii) in (1, 2):
        return tube(start, end, radii[0], radii[-1])
    if shape.kind == "slab" and end is not None and len(radii) in (1, 2) and len(shape.size) == 1:
        return slab(start, end, radii[0], radii[-1], thickness=shape.size[0] * mm, normal=shape.normal)
    raise InvalidValue(
        f"{capital(an(shape.kind))} of link {shape.link} is not complete: a tube needs start, end and r; a slab also "
        "needs a size of one number; a ball needs start and one r; a box needs start and a size of three numbers."
    )


def paint(name: str, colours: dict[str, str]) -> Colour:
    """The colour with one of these names, or of ``#rrggbb``."""
    text = colours.get(name, name)
    if len(text) != 7 or text[0] != "#" or any(c not in "0123456789abcdefABCDEF" for c in text[1:]):
        raise InvalidValue(f"A colour is #rrggbb or one of {', '.join(PALETTE)}; found {name!r}.")
    r, g, b = (int(text[i : i + 2], 16) / 255.0 for i in (1, 3, 5))
    return r, g, b
