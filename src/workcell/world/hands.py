"""The hand of a gripper of the cell, from its properties: fingers, suction cups or magnets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workcell.errors import WorkcellError
from workcell.robots.clinging import each, triples
from workcell.robots.gripper import GRIPPER_TIMES, Gripper
from workcell.robots.hand import FINGERS, MAGNET, SUCTION, Hand
from workcell.robots.magnet import Magnet, Pole
from workcell.robots.suction import Cup, Suction
from workcell.spatial.pose import Pose
from workcell.world.entities import Entity

NEEDS: Mapping[str, Mapping[str, str]] = {
    FINGERS: {"opening": "100mm", "reach": "120mm"},
    SUCTION: {"cups": "0,0,80", "diameter": "40"},
    MAGNET: {"magnets": "0,0,60", "diameter": "40", "force": "400"},
}
"""The properties that a gripper needs to hold anything, by how it holds, each with an example."""
SHAPING = (
    "holds",
    "opening",
    "reach",
    "turn",
    "finger_width",
    "finger_thickness",
    "cups",
    "magnets",
    "diameter",
    "stroke",
    "lip",
)
"""The properties of a gripper that determine its grip point."""
_FINGER = ("finger_width", "finger_thickness")
_FIGURES = ("safety", "friction", "acceleration")


def how(own: Mapping[str, Any]) -> str:
    """How a gripper holds parts, by its properties."""
    return str(own.get("holds") or FINGERS)


def hand_of(tool: Entity, X_flange_tool: Pose | None = None) -> Hand | None:
    """The hand of a tool; None if it has none, lacks a property, or has an impossible one."""
    if tool.kind != "gripper" or lacking(tool):
        return None
    try:
        return made_hand(tool.name, tool.properties, X_flange_tool)
    except WorkcellError:
        return None


def made_hand(name: str, own: Mapping[str, Any], X_flange_tool: Pose | None = None) -> Hand:
    """The hand with these properties.

    Raises:
        InvalidValue: a property has a value that is not possible for a hand.
    """
    times = times_of(own)
    if how(own) == FINGERS:
        finger: dict[str, Any] = {key: float(own[key]) for key in (*_FINGER, "turn") if own.get(key) is not None}
        if X_flange_tool is not None and X_flange_tool.rotation[2, 2] < 0.0:  # half a turn about x, then the turn
            finger |= {"turn": -finger.get("turn", 0.0), "flip": True}
        return Gripper(float(own["opening"]), float(own["reach"]), name, **finger, **times)
    more: dict[str, Any] = {key: float(own[key]) for key in _FIGURES if own.get(key) is not None}
    more |= {"mass": own.get("mass"), "X_flange_mount": X_flange_tool or Pose.identity(), **times}
    if how(own) == SUCTION:
        places = triples(own["cups"], "The places of cups")
        sizes, strokes, lips = (_each(own, key, len(places)) for key in ("diameter", "stroke", "lip"))
        cups = tuple(Cup(*one) for one in zip(places, sizes, strokes, lips, strict=True))
        if own.get("vacuum") is not None:
            more["vacuum"] = 1e3 * float(own["vacuum"])
        return Suction(name=name, cups=cups, **more)
    places = triples(own["magnets"], "The places of magnets")
    sizes = _each(own, "diameter", len(places))
    limit = {} if own.get("gap") is None else {"gap": float(own["gap"])}
    poles = tuple(Pole(place, size, float(own["force"]), **limit) for place, size in zip(places, sizes, strict=True))
    return Magnet(name=name, magnets=poles, **more)


def times_of(own: Mapping[str, Any]) -> dict[str, Any]:
    """The times of a hand that its properties state [s]."""
    return {name: float(own[name]) for name in GRIPPER_TIMES if own.get(name) is not None}


def lacking(tool: Entity) -> tuple[str, ...]:
    """The properties that a gripper lacks to hold anything; none for a tool that is not a gripper."""
    if tool.kind != "gripper":
        return ()
    own = tool.properties
    return tuple(name for name in NEEDS[how(own)] if own.get(name) is None)


def lacks(tool: Entity, robot: str) -> str:
    """The sentence with what the gripper on a robot lacks, and the command that sets it; '' if it lacks nothing."""
    if tool.kind != "gripper":
        return ""
    missing = lacking(tool)
    if missing:
        examples = NEEDS[how(tool.properties)]
        named = " and ".join(f"`{name}`" for name in missing)
        commands = " and ".join(f"`modify {tool.name} {name} {examples[name]}`" for name in missing)
        verb = "sets" if len(missing) == 1 else "set"
        return f"The gripper {tool.name!r} of {robot} cannot grip: it lacks {named}; for example {commands} {verb} it."
    try:
        made_hand(tool.name, tool.properties)
    except WorkcellError as error:
        return f"The gripper {tool.name!r} of {robot} cannot grip: {error.message}"
    return ""


def _each(own: Mapping[str, Any], name: str, count: int) -> tuple[float, ...]:
    values: Sequence[float] | None = own.get(name)
    return each(values or [0.0], count, f"The property `{name}`")
