"""The stations of a cell as data: stops, sources and sinks of parts on conveyors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workcell.robots.robot import Robot
from workcell.wording import an
from workcell.world.conveyors import is_conveyor
from workcell.world.identity import Value
from workcell.world.kinds import STATIONS
from workcell.world.machine_places import listed
from workcell.world.place_reading import Labels
from workcell.world.rows import Rows

STOP, SOURCE, SINK = STATIONS
SHORTEST = 1e-3
"""The least time [s], or travel of the belt [m], between two parts of a source."""


@dataclass(frozen=True)
class StationPlace(Value):
    """A station.

    Attributes:
        name: its name.
        does: the kind of station: stop, source or sink.
        conveyor: its conveyor.
        place: the distance from the beginning of the belt's top [m]; None for the end that parts reach.
        signal: the signal that raises a stop; without one it is always up.
        stock: the bodies that a source can supply, in order.
        interval: the time between two parts of a source [s]; 0 if the travel counts.
        spacing: the travel of the belt between two parts [m]; 0 if the time counts.
        seed: the seed of intervals that are random about their mean; None if they are equal.
        most: the number of parts that a source makes; 0 for no limit.
        first: when it makes the first [s].
        problem: why it does nothing, as a sentence; empty if it works.
    """

    name: str
    does: str
    conveyor: str = ""
    place: float | None = None
    signal: str = ""
    stock: tuple[str, ...] = ()
    interval: float = 0.0
    spacing: float = 0.0
    seed: int | None = None
    most: int = 0
    first: float = 0.0
    problem: str = ""

    @property
    def signals(self) -> dict[str, float]:
        """Its signals, with their values at the start."""
        if self.does == SOURCE:
            flags = {empty_signal(self.name): 0.0, blocked_signal(self.name): 0.0}
            return {count_signal(self.name): 0.0, next_signal(self.name): self.first, **flags}
        return {count_signal(self.name): 0.0} if self.does == SINK else {}


def count_signal(station: str) -> str:
    """The signal with the number of parts that a source has made, or a sink has taken."""
    return f"{station}/count"


def next_signal(station: str) -> str:
    """The signal with the time of a source's next part [s], or the position of the belt at its last one [m]."""
    return f"{station}/next"


def empty_signal(station: str) -> str:
    """The signal that is 1 while a source has no part left."""
    return f"{station}/empty"


def blocked_signal(station: str) -> str:
    """The signal that is 1 while a source skips parts because another one is in the way."""
    return f"{station}/blocked"


def station_places(rows: Rows, robots: Mapping[str, Robot], labels: Labels) -> tuple[StationPlace, ...]:
    """The stations of a cell, in order of creation; those that cannot work have a problem."""
    signals = {one.name for one in rows.of_kind("signal")} | {one.name for one in rows.of_kind("sensor")}
    found = []
    for entity in rows.of_kind("station"):
        own, name = entity.properties, entity.name
        problem = fault_of(name, own)
        if not problem and (robot := robots.get(str(own["conveyor"]))) is None:
            problem = (
                f"Station {name!r} is on {own['conveyor']!r}, which stands in no scene; `modify {name} conveyor …`."
            )
        elif not problem and robot is not None and not is_conveyor(robot):
            problem = (
                f"Station {name!r} is on {own['conveyor']!r}, which is not a conveyor; `modify {name} conveyor …`."
            )
        signal = str(own.get("signal", ""))
        if not problem and signal and signal not in signals:
            problem = f"Stop {name!r} uses signal {signal!r}, which does not exist; `create signal {signal}`."
        if problem:
            found.append(StationPlace(name, str(own.get("does", "")), problem=problem))
            continue
        stock = tuple(label for one in listed(str(own.get("stock", ""))) if (label := labels.get(one)) is not None)
        place, seed = own.get("place"), own.get("seed")
        found.append(
            StationPlace(
                name, str(own["does"]), str(own["conveyor"]), None if place is None else float(place), signal, stock,
                float(own.get("interval", 0.0)), float(own.get("spacing", 0.0)), None if seed is None else int(seed),
                int(own.get("most", 0)), float(own.get("first", 0.0)),
            )
        )  # fmt: skip
    return tuple(found)


def fault_of(name: str, own: Mapping[str, Any]) -> str:
    """What is wrong with the properties of a station, as a sentence; empty if nothing is."""
    does = str(own.get("does", ""))
    if does not in STATIONS:
        return f"Station {name!r} does nothing; `modify {name} does {'|'.join(STATIONS)}`."
    for key in ("conveyor", *_NEEDS[does]):
        if key not in own:
            return f"Station {name!r} needs {an(key)}; `modify {name} {key} …`."
    for key, (fits, must) in _RULES.items():
        if key in own and not fits(own[key]):
            return f"The {key} of station {name!r} must be {must}; found {_shown(key, own[key])}."
    if does == SOURCE and ("interval" in own) == ("spacing" in own):
        return f"Source {name!r} makes parts by time or by travel: give it an `interval` or a `spacing`, not both."
    return ""


def _shown(key: str, value: Any) -> str:
    return f"{value * 1e3:g} {_UNITS[key]}" if key in _UNITS and isinstance(value, int | float) else str(value)


def _is(value: Any, fits: Callable[[float], bool]) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and fits(value)


_UNITS = {"interval": "ms", "spacing": "mm", "place": "mm"}
"""The name of a thousandth of a property's unit."""
_NEEDS = {STOP: ("place",), SOURCE: ("stock",), SINK: ()}
_RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "place": (lambda value: _is(value, lambda x: x >= 0.0), "0 or more"),
    "first": (lambda value: _is(value, lambda x: x >= 0.0), "0 or more"),
    "interval": (lambda value: _is(value, lambda x: x >= SHORTEST), f"{SHORTEST * 1e3:g} ms or more"),
    "spacing": (lambda value: _is(value, lambda x: x >= SHORTEST), f"{SHORTEST * 1e3:g} mm or more"),
    "seed": (lambda value: _is(value, lambda x: x >= 0 and x == int(x)), "a whole number from 0"),
    "most": (lambda value: _is(value, lambda x: x >= 0 and x == int(x)), "a whole number from 0"),
}  # fmt: skip
