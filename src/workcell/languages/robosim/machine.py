"""Running ROBOSIM source: an accumulator, registers by name, and what the program stores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workcell.errors import FileProblem, InvalidValue, WorkcellError
from workcell.geometry import solids
from workcell.geometry.contour import polygon
from workcell.geometry.recipe import Extrude
from workcell.geometry.solid import Solid
from workcell.geometry.surface import Surface
from workcell.languages.robosim.accumulator import Accumulator
from workcell.languages.robosim.drawing import INPUT, OUTPUT, Drawing, Joint, Shape, Strokes
from workcell.languages.robosim.statements import Statement, parse, problem
from workcell.robots.formats.link_vectors import DRAW, MOVE
from workcell.robots.link import MassProperties
from workcell.spatial.pose import Pose
from workcell.spatial.units import deg, mm
from workcell.wording import counted

Triple = tuple[float, float, float]
KINDS = {"R": "revolute", "P": "prismatic", "F": "fixed"}
AXES: dict[str, Triple] = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_UPRIGHT = Pose.from_axis_angle(AXES["X"], -math.pi / 2.0)
"""Turns a solid about z into one about y, the axis of REV-SURFACE."""


@dataclass(frozen=True, eq=False)
class Stored:
    """What STORE-LINK or STORE-FILE kept: its name in the source, the drawing [m], the line, and the mass if known."""

    name: str
    drawing: Drawing
    line: int = 0
    mass: MassProperties | None = None


@dataclass(frozen=True)
class Look:
    """Where a program looks from and at [m] when it comes to VIEW."""

    eye: Triple
    target: Triple


@dataclass(frozen=True, eq=False)
class RobosimFile:
    """What a program makes: links and objects in the order in which it stores them, and its views."""

    links: tuple[Stored, ...]
    objects: tuple[Stored, ...]
    looks: tuple[Look, ...]

    def robots(self) -> dict[str, tuple[Stored, ...]]:
        """The links by the part of their name before the dot: each group is one robot, the base first."""
        found: dict[str, tuple[Stored, ...]] = {}
        for link in self.links:
            stem = link.name.rpartition(".")[0] or link.name
            found[stem] = (*found.get(stem, ()), link)
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about what could not be used."""
        return tuple(
            f"{one.name}: {counted(one.drawing.loose, 'vector')} drawn, but no closed faces: no solid"
            for one in (*self.links, *self.objects)
            if one.drawing.loose
        )


def read_robosim(text: str, where: str = "the text", unit: float = mm) -> RobosimFile:
    """Run ROBOSIM source and return what it stores.

    Args:
        text: the source.
        where: its name in messages.
        unit: the size of its length unit [m]; the language has none of its own.
    """
    machine = Machine(where, unit)
    for statement in parse(text, where):
        machine.run(statement)
    return machine.result()


def read_object(text: str, name: str, where: str = "the text", unit: float = mm) -> tuple[Solid, ...]:
    """Run ROBOSIM source up to STORE-FILE of a name, and return the solids that it stores there [m]."""
    machine = Machine(where, unit)
    for statement in parse(text, where):
        machine.run(statement)
        if statement.word == "STORE-FILE" and statement.name == name:
            found = machine.result().objects[-1].drawing.solids
            if not found:
                raise problem(where, statement.line, statement.column, f"{name!r} has no solid.")
            return found
    stored = [one.name for one in machine.result().objects]
    known = f"it stores {', '.join(repr(one) for one in stored)}" if stored else "it has no STORE-FILE"
    raise FileProblem(f"{where} does not store {name!r} with STORE-FILE; {known}.", path=where, name=name)


class Machine:
    """The state of a running program: the accumulator, the pen, the registers, the camera and what was stored.

    A shape appears at the origin and joins what is in the accumulator; ROTATE and TRANSLATE move all of it.
    """

    def __init__(self, where: str, unit: float) -> None:
        self._where, self._unit = where, unit
        self._here = Accumulator()
        self._pen: list[tuple[float, float, float, float]] = []
        self._registers: dict[str, Drawing] = {}
        self._links: dict[str, Stored] = {}
        self._objects: dict[str, Stored] = {}
        self._looks: list[Look] = []
        self._eye: Triple | None = None
        self._target: Triple = (0.0, 0.0, 0.0)

    def result(self) -> RobosimFile:
        """Return what was stored so far."""
        return RobosimFile(tuple(self._links.values()), tuple(self._objects.values()), tuple(self._looks))

    def run(self, statement: Statement) -> None:
        """Carry out one statement; an error names its line and column."""
        if self._pen and statement.word not in _PEN:
            self._here.add(Strokes(np.array(self._pen)))
            self._pen = []
        try:
            _RULES[statement.word](self, statement)
        except FileProblem:
            raise
        except WorkcellError as error:
            raise problem(self._where, statement.line, statement.column, f"{statement.word}: {error}") from error

    def _lengths(self, statement: Statement, *keys: str) -> tuple[float, ...]:
        return tuple(value * self._unit for value in statement.values(*keys))

    # ---- shapes ------------------------------------------------------------------------------------------

    def _solid(self, statement: Statement) -> None:
        make, keys = _SOLIDS[statement.word]
        for key, value in zip(keys, statement.values(*keys), strict=True):
            if value < 0.0 or (value == 0.0 and statement.word != "TRUNCATED-CONE"):
                raise InvalidValue(f"{key} must be greater than zero; found {value:g}.")
        solid = make(*self._lengths(statement, *keys))
        self._here.add(Shape(solid, Pose.identity()))

    def _stroke(self, statement: Statement) -> None:
        if statement.word == "DRAW" and not self._pen:
            raise InvalidValue("a line begins with MOVE; there is none before it.")
        x, y, z = self._lengths(statement, "X", "Y", "Z")
        self._pen.append((x, y, z, MOVE if statement.word == "MOVE" else DRAW))

    def _polygon(self, statement: Statement) -> tuple[Surface, float]:
        """Return the polygon under the pen, and the height of its plane."""
        rows, self._pen = np.array(self._pen).reshape(-1, 4), []
        if not len(rows):
            raise InvalidValue("it needs a polygon, drawn just before it with MOVE and DRAW.")
        if (rows[1:, 3] == MOVE).any():
            raise InvalidValue(
                f"it needs one polygon: one MOVE, then DRAW; found {counted(int((rows[:, 3] == MOVE).sum()), 'MOVE')}."
            )
        points = rows[:-1, :3] if len(rows) > 1 and np.array_equal(rows[0, :3], rows[-1, :3]) else rows[:, :3]
        if float(np.ptp(points[:, 2])) > 1e-9 * max(1e-3, float(np.abs(points).max())):
            raise InvalidValue("the polygon must lie in a plane of equal Z.")
        return Surface((polygon(points[:, :2]),)), float(points[0, 2])

    def _extrude(self, statement: Statement) -> None:
        surface, z = self._polygon(statement)
        height = abs(self._lengths(statement, "Z")[0])
        solid = Solid(Extrude(surface, (0.0, 0.0, height)))
        self._here.add(Shape(solid, Pose.from_xyz(0.0, 0.0, z - height / 2.0)))

    def _revolve(self, statement: Statement) -> None:
        surface, z = self._polygon(statement)
        if z != 0.0:
            raise InvalidValue("the polygon must lie in the plane Z=0, which holds the axis.")
        self._here.add(Shape(solids.revolve(surface), _UPRIGHT))

    def _joint(self, statement: Statement) -> None:
        kind, _, place = statement.word.partition("-JOINT-")
        joint = Joint(OUTPUT if place == "I+1" else INPUT, KINDS[kind], Pose.identity())
        self._here.add(joint)

    # ---- moving ------------------------------------------------------------------------------------------

    def _rotate(self, statement: Statement) -> None:
        for key, angle in statement.arguments:
            self._here.move(Pose.from_axis_angle(AXES[key], angle * deg))

    def _translate(self, statement: Statement) -> None:
        x, y, z = self._lengths(statement, "X", "Y", "Z")
        self._here.move(Pose.from_xyz(x, y, z))

    # ---- registers ---------------------------------------------------------------------------------------

    def _clear(self, _: Statement) -> None:
        self._here.set(Drawing())

    def _store(self, statement: Statement) -> None:
        self._registers[statement.name.upper()] = self._here.drawing

    def _load(self, statement: Statement) -> None:
        self._here.set(self._register(statement))

    def _add(self, statement: Statement) -> None:
        self._here.set(self._here.drawing.after(self._register(statement)))

    def _register(self, statement: Statement) -> Drawing:
        name = statement.name.upper()
        if name not in self._registers:
            kept = ", ".join(sorted(self._registers)) or "none"
            raise InvalidValue(f"nothing was stored in register {name}; STORE fills a register. Filled: {kept}.")
        return self._registers[name]

    def _keep(self, statement: Statement) -> None:
        link = statement.word == "STORE-LINK"
        kept = self._links if link else self._objects
        name, here = statement.name, self._here.drawing
        if name in kept:
            raise InvalidValue(f"{name} was already stored in line {kept[name].line}.")
        if not here.parts and not here.joints:
            raise InvalidValue("the accumulator is empty; LOAD a register before it.")
        for place in (INPUT, OUTPUT) if link else ():
            count = sum(joint.place == place for joint in here.joints)
            if count > 1:
                raise InvalidValue(f"{name} has {count} joints {place}; a link has one.")
        kept[name] = Stored(name, here, statement.line)

    # ---- looking -----------------------------------------------------------------------------------------

    def _look(self, statement: Statement) -> None:
        x, y, z = self._lengths(statement, "X", "Y", "Z")
        if statement.word == "LOOK-FROM":
            self._eye = (x, y, z)
        else:
            self._target = (x, y, z)

    def _view(self, _: Statement) -> None:
        if self._eye is not None:
            if self._eye == self._target:
                raise InvalidValue("LOOK-FROM and LOOK-AT are the same point.")
            self._looks.append(Look(self._eye, self._target))

    def _end(self, _: Statement) -> None:
        """The statements end before it is reached."""


_PEN = ("MOVE", "DRAW", "EXTRUDE-SURFACE", "REV-SURFACE")
_SOLIDS: dict[str, tuple[Callable[..., Solid], tuple[str, ...]]] = {
    "BOX": (solids.box, ("X", "Y", "Z")),
    "CYLINDER": (solids.cylinder, ("R", "H")),
    "CONE": (solids.cone, ("R", "H")),
    "TRUNCATED-CONE": (solids.truncated_cone, ("R1", "R2", "H")),
    "SPHERE": (solids.sphere, ("R",)),
}
_RULES: dict[str, Callable[[Machine, Statement], None]] = {
    **dict.fromkeys(_SOLIDS, Machine._solid),
    **{f"{kind}-JOINT-{place}": Machine._joint for kind in KINDS for place in ("I", "I+1")},
    "MOVE": Machine._stroke,
    "DRAW": Machine._stroke,
    "EXTRUDE-SURFACE": Machine._extrude,
    "REV-SURFACE": Machine._revolve,
    "ROTATE": Machine._rotate,
    "TRANSLATE": Machine._translate,
    "CLEAR": Machine._clear,
    "STORE": Machine._store,
    "LOAD": Machine._load,
    "ADD": Machine._add,
    "STORE-LINK": Machine._keep,
    "STORE-FILE": Machine._keep,
    "LOOK-FROM": Machine._look,
    "LOOK-AT": Machine._look,
    "VIEW": Machine._view,
    "END": Machine._end,
}
"""How each statement is carried out; every statement of the language has an entry."""
