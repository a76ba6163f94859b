"""The lamps of the cell: which there are, and how they light a picture."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workcell.commands.language.registry import command
from workcell.commands.results import Result
from workcell.errors import InvalidValue
from workcell.geometry.checks import coordinates
from workcell.wording import counted
from workcell.world.entities import Entity
from workcell.world.expand import colour_of

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.pictures.scene import Scene
    from workcell.pictures.style import Style

_STRENGTH = 0.8
"""The strength of a lamp of normal brightness: with the ambient light, white things are not yet burnt out."""


class LampRow(Result, frozen=True):
    """A lamp in the scene: its brightness (1 is normal), whether it has no direction, its colour, where it is [m].

    ``aim`` is the point that it shines at [m]; None for the middle of the cell.
    """

    name: str
    brightness: float
    ambient: bool
    colour: tuple[float, float, float]
    position: tuple[float, float, float]
    aim: tuple[float, float, float] | None


class Lamps(Result, frozen=True):
    """The lamps in the scene."""

    lamps: list[LampRow]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "lamps",
    help="list the lamps in the scene, which light pictures and the page",
    effect="reads",
    background=True,
    examples=[
        "> create light lamp",
        "> place light lamp at 2000,0,1500",
        "> modify lamp aim 500,0,0",
        "lamps",
    ],
)
def lamps(session: Session) -> Lamps:
    """The first lamp with a direction casts the shadow. Without lamps there is a light of its own.

    A lamp shines at the middle of the cell, or at the point that `modify LAMP aim` sets; `drop property aim from LAMP`
    unsets it.
    """
    rows = [
        LampRow(
            lamp.name,
            _brightness(lamp),
            bool(lamp.properties.get("ambient")),
            _tint(session, lamp),
            _triple(matrix[:3, 3]),
            _aim(lamp),
        )
        for lamp, matrix in placed_lamps(session)
    ]
    return Lamps(rows, "\n".join([counted(len(rows), "lamp"), *(_line(session, row) for row in rows)]))


def _line(session: Session, row: LampRow) -> str:
    units, facts = session.units, [f"{row.name}: brightness {row.brightness:g}"]
    if row.ambient:
        facts.append("ambient")
    if row.aim is not None:
        at = ", ".join(f"{units.from_si(one, 'length'):.6g}" for one in row.aim)
        facts.append(f"aims at {at} {units.length}")
    return ", ".join(facts)


def placed_lamps(session: Session) -> list[tuple[Entity, Any]]:
    """Return the lamps in the scene, each with its matrix."""
    database = session.database
    whole = database.find("scene", session.snapshot().scene)
    placed = [(database.by_id(one.child), one.matrix) for one in (database.relations(whole) if whole else ())]
    return [(lamp, matrix) for lamp, matrix in placed if lamp.kind == "light"]


def lit(session: Session, scene: Scene, style: Style) -> Style:
    """Return the style with the lamps of the cell, if any are placed; their rays are parallel.

    The first lamp casts the shadow. Ambient lamps, and those that stand where they shine at, light everything evenly.
    """
    import dataclasses

    from workcell.pictures.style import Light

    placed = placed_lamps(session)
    if not placed or not style.lights:
        return style
    middle = scene.bounds.mean(axis=0)
    lights: list[Light] = []
    even: list[float] = []
    for lamp, matrix in placed:
        brightness = _brightness(lamp)
        aim = _aim(lamp)
        x, y, z = (float(value) for value in matrix[:3, 3] - (middle if aim is None else aim))
        reach = math.hypot(x, y, z)
        if lamp.properties.get("ambient") or reach < 1e-9:
            even.append(brightness)
            continue
        lights.append(
            Light(
                math.atan2(y, x),
                math.asin(z / reach),
                _STRENGTH * brightness,
                _tint(session, lamp),
                follows_camera=False,
                casts_shadow=not lights,
            )
        )
    ambient = style.ambient * sum(even) if even else style.ambient
    return dataclasses.replace(style, lights=tuple(lights) or style.lights, ambient=ambient)


def _brightness(lamp: Entity) -> float:
    brightness = float(lamp.properties.get("brightness", 1.0))
    if not 0.0 <= brightness <= 100.0:
        raise InvalidValue(f"The brightness of light {lamp.name!r} must be from 0 to 100; found {brightness:g}.")
    return brightness


def _aim(lamp: Entity) -> tuple[float, float, float] | None:
    aim = lamp.properties.get("aim")
    return None if aim is None else _triple(coordinates(aim, 3, f"The aim of light {lamp.name!r}"))


def _triple(values: Iterable[float]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z


def _tint(session: Session, lamp: Entity) -> tuple[float, float, float]:
    return colour_of(session.database, lamp.colour) if lamp.colour else (1.0, 1.0, 1.0)
