"""Writing ROBOSIM source as R2 does: each object in its absolute place, added to register B, then stored."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.geometry.mesh import DEFAULT_TOLERANCE
from workcell.geometry.solid import Solid
from workcell.languages.robosim.drawing import STROKES, Drawing, Joint, Strokes
from workcell.languages.robosim.exact_forms import Line, exact_form
from workcell.languages.robosim.machine import KINDS, Look, RobosimFile
from workcell.robots.formats.link_vectors import MOVE, strokes_of
from workcell.spatial.pose import Pose
from workcell.spatial.units import deg, mm

_LETTERS = {word: letter for letter, word in KINDS.items()}
_LEAST = 1e-13
"""Angles below this are rounding [rad]."""


@dataclass(frozen=True)
class Written:
    """The source, and the names of what it has as polygons, because ROBOSIM has no statement for its shape."""

    text: str
    polygons: tuple[str, ...]


def write_robosim(file: RobosimFile, unit: float = mm, tolerance: float = DEFAULT_TOLERANCE) -> Written:
    """Return source that makes these links and objects.

    Args:
        file: what it makes.
        unit: the size of its length unit [m].
        tolerance: how far polygons may lie from curved faces that ROBOSIM cannot draw [m].
    """
    lines: list[str] = []
    polygons: list[str] = []
    for look in file.looks[:1]:
        lines += _look(look, unit)
    for word, stored in (("STORE-LINK", file.links), ("STORE-FILE", file.objects)):
        for one in stored:
            drawn = _drawing(one.drawing, unit, tolerance)
            polygons += [one.name] if drawn.polygons else []
            lines += ["CLEAR", "STORE B", *drawn.lines, "LOAD B", f"{word} {one.name}"]
    return Written("\n".join([*lines, "VIEW", "END", ""]), tuple(polygons))


def as_token(name: str) -> str:
    """Return a name that ROBOSIM source can hold: other characters become an underscore."""
    return re.sub(r"[^A-Za-z0-9_.\-]", "_", name).lstrip("-.") or "part"


def link_names(stem: str, count: int) -> list[str]:
    """Return the names of the links of a robot: NAME.LOC for the base, then NAME.1, NAME.2 and so on."""
    return [f"{as_token(stem)}.{number or 'LOC'}" for number in range(count)]


class _Drawn:
    """The lines of a drawing, and whether some of its solids are polygons."""

    def __init__(self, unit: float) -> None:
        self.lines: list[str] = []
        self.polygons = False
        self._unit = unit

    def add(self, lines: Iterable[Line], pose: Pose) -> None:
        """Add one object of R2's pattern."""
        self.lines += [_statement(word, values, self._unit) for word, values in lines]
        x, y, z = pose.angles("urdf_rpy")
        self.lines += [
            f"ROTATE {key}={number(angle / deg)}"
            for key, angle in (("X", x), ("Y", y), ("Z", z))
            if abs(angle) > _LEAST
        ]
        if np.any(pose.xyz):
            self.lines.append(_statement("TRANSLATE", dict(zip("XYZ", pose.xyz, strict=True)), self._unit))
        self.lines += ["ADD B", "STORE B", "CLEAR"]

    def add_strokes(self, rows: NDArray[np.float64]) -> None:
        """Add strokes [m] as they are."""
        STROKES.check(len(rows), "The source")
        self.polygons = True
        self.lines += [
            _statement("MOVE" if d == MOVE else "DRAW", {"X": x, "Y": y, "Z": z}, self._unit) for x, y, z, d in rows
        ]
        self.lines += ["ADD B", "STORE B", "CLEAR"]


def _drawing(drawing: Drawing, unit: float, tolerance: float) -> _Drawn:
    made = _Drawn(unit)
    for part in drawing.parts:
        if isinstance(part, Strokes):
            made.add_strokes(part.rows)
        else:
            _solid(made, part.placed, tolerance)
    for joint in drawing.joints:
        made.add([(_word(joint), {})], joint.pose)
    return made


def _solid(made: _Drawn, solid: Solid, tolerance: float) -> None:
    form = exact_form(solid.recipe)
    if form is not None:
        made.add(form.lines, form.pose)
    else:
        made.add_strokes(strokes_of([solid], 1.0, tolerance))


def _word(joint: Joint) -> str:
    return f"{_LETTERS[joint.moves]}-JOINT-{joint.place.upper()}"


def _look(look: Look, unit: float) -> list[str]:
    return [
        _statement(word, dict(zip("XYZ", point, strict=True)), unit)
        for word, point in (("LOOK-FROM", look.eye), ("LOOK-AT", look.target))
    ]


def _statement(word: str, values: dict[str, float], unit: float) -> str:
    return " ".join([word, ", ".join(f"{key}={number(value / unit)}" for key, value in values.items())]).rstrip()


def number(value: float) -> str:
    """Return a number with at least three decimals, as R2 writes it, and with all that it has except rounding noise."""
    short = round(float(value), 9)
    kept = short if abs(short - value) <= 1e-14 * max(1.0, abs(value)) else float(value)
    return np.format_float_positional(kept + 0.0, unique=True, min_digits=3)
