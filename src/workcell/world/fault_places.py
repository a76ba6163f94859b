"""The faults of a cell as data: what goes wrong with which thing, when it begins and how long it lasts."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from workcell.spatial.pose import Pose
from workcell.wording import either
from workcell.world.identity import Value
from workcell.world.kinds import FAULTS, LIES
from workcell.world.rows import Rows

STOPS, SLOW, DRIFTS, STICKS, LYING, SLIPS, KEEPS_OPEN = FAULTS
CONSTANT, OFFSET, INVERSE, NOISE = LIES
ON_SENSORS = (STICKS, LYING)
"""The faults of sensors; the others are faults of devices and parts."""
TRIGGERS = ("at", "uses", "chance", "per_hour")
"""The properties with the begin of a fault; it has at most one of them."""
THINGS: Mapping[str, tuple[str, ...]] = {
    STOPS: ("robot", "mechanism", "object"),
    SLOW: ("robot", "mechanism", "object"),
    DRIFTS: ("robot", "mechanism"),
    STICKS: ("sensor",),
    LYING: ("sensor",),
    SLIPS: ("object",),
    KEEPS_OPEN: ("robot",),
}
"""The kinds of thing that can have each fault."""


@dataclass(frozen=True)
class FaultPlace(Value):
    """A fault.

    Attributes:
        name: its name.
        does: what goes wrong: one of ``FAULTS``.
        thing: the robot, mechanism or object; '' for a fault of a sensor.
        sensor: the sensor; '' for other faults.
        body: the body of the part that slips.
        part: the share of its speed that a slow device keeps.
        by: the error of the joints of a device that drifts; it grows each time (n,) [rad or m].
        lie: how a sensor is wrong: one of ``LIES``.
        value: the constant, the offset, or the size of the noise.
        slip: how a part slips in the hand, in its own frame; None if it slips out of the hand.
        at: when it begins [s]; None if something else begins it.
        uses: the number of good uses after which it begins.
        chance: the probability with which each use begins it.
        per_hour: the average number of times per hour.
        lasts: its duration [s]; None if it lasts until it is cleared.
        seed: the seed of the random numbers.
        problem: why it cannot begin, as a sentence; empty if it can.
    """

    name: str
    does: str
    thing: str = ""
    sensor: str = ""
    body: str = ""
    part: float = 1.0
    by: tuple[float, ...] = ()
    lie: str = ""
    value: float = 0.0
    slip: Pose | None = None
    at: float | None = None
    uses: int | None = None
    chance: float | None = None
    per_hour: float | None = None
    lasts: float | None = None
    seed: int = 0
    problem: str = ""

    @property
    def target(self) -> str:
        """The name of the thing or sensor."""
        return self.sensor or self.thing


def fault_places(
    rows: Rows, bodies: Mapping[str, str], joints: Mapping[str, int], sensors: Collection[str]
) -> tuple[FaultPlace, ...]:
    """The faults of a cell, in order of creation; a fault of something that is not in the scene has a problem.

    Args:
        rows: what exists.
        bodies: the first body of each object in the scene, by the name of the object.
        joints: the number of joints of each robot in it.
        sensors: the names of the sensors.
    """
    return tuple(_place(one.name, one.properties, bodies, joints, sensors) for one in rows.of_kind("fault"))


def _place(
    name: str,
    own: Mapping[str, Any],
    bodies: Mapping[str, str],
    joints: Mapping[str, int],
    sensors: Collection[str],
) -> FaultPlace:
    does, problem = str(own.get("does", "")), wrong_fault(name, own)
    if problem:
        return FaultPlace(name, does, problem=problem)
    thing, sensor = str(own.get("thing", "")), str(own.get("sensor", ""))
    by = tuple(float(one) for one in own.get("by", ()))
    there = sensor in sensors if sensor else thing in joints or (thing in bodies and "object" in THINGS[does])
    if not there:
        problem = (
            f"Fault {name!r} concerns {sensor or thing!r}, which is not in the scene now; place it there, or `remove "
            f"fault:{name}`."
        )
    elif does == DRIFTS and len(by) != joints[thing]:
        problem = f"Fault {name!r} needs a value for each of the {joints[thing]} joints of {thing!r}; found {len(by)}."
    slip = own.get("slip")
    optional = {key: None if own.get(key) is None else float(own[key]) for key in ("at", "chance", "per_hour", "lasts")}
    return FaultPlace(
        name, does, thing, sensor, bodies.get(thing, ""), float(own.get("part", 1.0)), by, str(own.get("lie", "")),
        float(own.get("value", 0.0)), None if slip is None else Pose.from_rows(slip),
        uses=None if own.get("uses") is None else int(own["uses"]), seed=int(own.get("seed", 0)), problem=problem,
        **optional,
    )  # fmt: skip


def wrong_fault(name: str, own: Mapping[str, Any]) -> str:
    """What is wrong with the properties of a fault, as a sentence; empty if nothing is."""
    does = str(own.get("does", ""))
    if does not in FAULTS:
        return f"Fault {name!r} does nothing; `modify fault:{name} does {'|'.join(FAULTS)}`."
    whose = "sensor" if does in ON_SENSORS else "thing"
    if not own.get(whose):
        return f"Fault {name!r} concerns nothing; `modify fault:{name} {whose} …` names {either(THINGS[does])}."
    if does == SLOW and "part" not in own:
        return f"Fault {name!r} needs the share of its speed that {own[whose]} keeps; `modify fault:{name} part 0.5`."
    if does == DRIFTS and not any(own.get("by", ())):
        return f"Fault {name!r} needs the joint errors of {own[whose]}; `modify fault:{name} by …`."
    if does == LYING and own.get("lie") not in LIES:
        return f"Fault {name!r} needs the way in which the sensor is wrong; `modify fault:{name} lie {'|'.join(LIES)}`."
    if does == LYING and own["lie"] != INVERSE and "value" not in own:
        return f"Fault {name!r} needs a value; `modify fault:{name} value …`."
    for key, (fits, must) in _RULES.items():
        if own.get(key) is not None and not (_is_number(own[key]) and fits(float(own[key]))):
            return f"The {key} of fault {name!r} must be {must}; found {own[key]}."
    given = [key for key in TRIGGERS if own.get(key) is not None]
    if len(given) > 1:
        return f"Fault {name!r} can begin in one way only; found {' and '.join(given)}."
    return ""


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value)


_RULES: Mapping[str, tuple[Callable[[float], bool], str]] = {
    "part": (lambda x: 0.01 <= x < 1.0, "at least 0.01 and less than 1"),
    "at": (lambda x: x >= 0.0, "zero or more seconds"),
    "uses": (lambda x: x >= 0.0 and x.is_integer(), "a whole number of uses, zero or more"),
    "chance": (lambda x: 0.0 <= x <= 1.0, "a probability, from 0 to 1"),
    "per_hour": (lambda x: 0.0 < x <= 1e6, "more than zero and at most 1e6"),
    "lasts": (lambda x: 0.0 < x <= 1e9, "more than zero and at most 1e9 seconds"),
    "seed": (lambda x: x >= 0.0 and x.is_integer(), "a whole number, zero or more"),
    "value": (math.isfinite, "a finite number"),
}
