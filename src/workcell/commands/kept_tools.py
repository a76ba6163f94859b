"""Tools of a cell: their figures as properties, their solids as blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.geometry.recipe import encode
from workcell.robots.gripper import GRIPPER_TIMES, Gripper
from workcell.robots.hand import Hand, holds_by
from workcell.robots.link import hex_colour
from workcell.robots.suction import Suction
from workcell.robots.tool import Tool
from workcell.spatial.transform import Transform
from workcell.world.entities import Entity
from workcell.world.names import legal_name

if TYPE_CHECKING:
    from workcell.commands.session import Session


def keep_tool(session: Session, name: str, tool: Tool, model: str = "", **looks: Any) -> Entity:
    """Make a tool of the cell; with a hand it is a gripper.

    Args:
        session: the session whose cell gets it.
        name: its name.
        tool: its TCP, mass, solids and hand.
        model: its name in the library, or ''.
        looks: description, colour, and whether it is movable.
    """
    database, rows = session.database, session.rows
    kind = "tool" if tool.hand is None else "gripper"
    properties = ({"model": model} if model else {}) | _properties(tool)
    database.add_entity(rows, kind, name, properties=properties, **looks)
    made = database.entity(kind, name)
    for number, part in enumerate(tool.parts, start=1):
        label = legal_name(part.name, str(number))
        block = database.free_name("block", f"{name}-{label}"[:76].rstrip())
        stated = {"ghost": True if part.ghost else None, "transparency": part.transparency}
        seen = {key: value for key, value in stated.items() if value is not None}
        recipe = encode(part.solid.recipe).decode()
        database.add_entity(rows, "block", block, shape=recipe, colour=hex_colour(part.colour), properties=seen)
        relation = database.free_relation_name(made, label)
        database.attach(rows, made, database.entity("block", block), relation, Transform())
    return made


def _properties(tool: Tool) -> dict[str, Any]:
    """Return the properties of a tool."""
    found: dict[str, Any] = {"tcp": list(Transform.from_pose(tool.X_flange_tcp).rows())}
    stated = tool.payload.mass if tool.payload is not None else tool.hand.mass if tool.hand is not None else None
    if stated is not None:
        found["mass"] = stated
    if tool.hand is not None:
        found |= {"holds": holds_by(tool.hand), **_figures(tool.hand)}
        found |= {name: getattr(tool.hand, name) for name in GRIPPER_TIMES if getattr(tool.hand, name)}
    return found


def _figures(hand: Hand) -> dict[str, Any]:
    if isinstance(hand, Gripper):
        turn = {"turn": hand.turn} if hand.turn else {}
        size = {"finger_width": hand.finger_width, "finger_thickness": hand.finger_thickness}
        return {"opening": hand.opening, "reach": hand.reach, **size, **turn}
    shared = {name: getattr(hand, name) for name in ("safety", "friction", "acceleration")}
    places = hand.places.reshape(-1).tolist()
    if isinstance(hand, Suction):
        lists = {key: _alike([getattr(cup, key) for cup in hand.cups]) for key in ("diameter", "stroke", "lip")}
        return {"cups": places, **lists, "vacuum": hand.vacuum / 1e3, **shared}
    first = hand.magnets[0]
    sizes = _alike([pole.diameter for pole in hand.magnets])
    return {"magnets": places, "diameter": sizes, "force": first.force, "gap": first.gap, **shared}


def _alike(values: list[float]) -> list[float]:
    """Return one value if all are the same."""
    return values[:1] if len(set(values)) == 1 else values
