"""Commands that change entities and relations: modify, add property, drop property."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from workcell.commands.conveyors import limit_binds, require_runs
from workcell.commands.language.references import Thing
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import (
    NUMBER,
    NewName,
    Text,
)
from workcell.commands.renaming import rename
from workcell.commands.results import Done
from workcell.commands.shape_sizes import only_block
from workcell.commands.thing_fields import Field, FieldValue, Typed, fields_of
from workcell.errors import InvalidValue, Refused, UnknownName
from workcell.geometry.checks import density, mass
from workcell.simulation.holding import refuse_held, refuse_tool_in_use
from workcell.spatial.transform import rows_of
from workcell.spatial.units import SCALES
from workcell.wording import capital, joined, quoted
from workcell.world.axes_text import AXES, checked_axes
from workcell.world.consequences import above
from workcell.world.contents import values_problem
from workcell.world.devices import require_machine
from workcell.world.entities import Entity, Relation
from workcell.world.expand import colour_of
from workcell.world.fault_places import wrong_fault
from workcell.world.hands import SHAPING, hand_of, lacking, made_hand
from workcell.world.kinds import NOT_NEGATIVE, POSITIVE, SHARES, property_of
from workcell.world.machine_places import MEMBERS, listed
from workcell.world.operations import is_operation
from workcell.world.robot_shape import is_robot, robot_of
from workcell.world.sensor_places import fault_of
from workcell.world.state_edits import forget_in_state
from workcell.world.station_places import fault_of as wrong_station

if TYPE_CHECKING:
    from workcell.commands.session import Session

_WEIGHED = {"mass": mass, "gripper_mass": mass, "payload": mass, "density": density}
"""The checks of the properties that `measure` uses."""
_EITHER = {"size": "distance", "distance": "size", "interval": "spacing", "spacing": "interval"}
"""Properties of sensors and stations that exclude each other."""
_MOST_FOLLOWERS = 8
"""How many of the things that follow a change the answer names."""


@command(
    "modify {thing} {field} {value}",
    help="change a field of an entity or relation",
    effect="edits",
    thing=Thing(),
    field=Field(),
    value=FieldValue(),
    param_help={"thing": "what to change"},
    examples=[
        "> create block cube1 box 10 10 10",
        "modify cube1 colour red",
        "modify cube1 mass 2.5kg",
        "modify cube1 shape box 20 10 10",
        "modify cube1 name brick",
        "> add solid crate box 400 300 200 at 0,0,100",
        "modify crate shape box 400 300 250",
        "modify crate movable yes",
    ],
)
def modify(session: Session, thing: Entity | Relation, field: str, value: Typed) -> Done:
    """The fields of an entity are its name, kind, description, colour and properties; a block also has a shape.

    The shape of an object is that of its only block. The centre stays where it is, things on faces follow the faces,
    and targets on the object stay where they are on it. A relation has a name, a description, a transformation and
    properties.
    """
    database, rows, new = session.database, session.rows, value.value
    table = "entity" if isinstance(thing, Entity) else "relation"
    if field == "name":
        return Done(f"name of {thing.name!r} changed{rename(session, thing, new)}")
    if field == "kind" and isinstance(thing, Entity):
        refuse_tool_in_use(session, thing)
        database.retype(rows, thing, new)
    elif field == "transform" and isinstance(thing, Relation):
        database.set_transform(rows, thing, new)
    elif field == "shape" and isinstance(thing, Entity):
        from workcell.geometry.recipe import encode

        block = only_block(session, thing) if thing.kind == "object" else thing
        _require_own_shape(session, block)
        rows.update(table, block.id, shape=encode(new.recipe).decode())
        return Done(f"shape of {thing.name!r} changed{_followers(session, block, thing)}")
    elif field == "colour":
        colour_of(database, new)
        rows.update(table, thing.id, colour=new or None)
    elif field == "movable":
        if not new:
            refuse_held(session, thing if isinstance(thing, Entity) else database.by_id(thing.child))
        rows.update(table, thing.id, movable=int(new))
    elif field == "description":
        rows.update(table, thing.id, description=new)
    else:
        if field == "holds" and isinstance(thing, Entity):
            refuse_tool_in_use(session, thing)
        _set_property(session, thing, field, value)
        if field == "text" and isinstance(thing, Entity) and thing.kind == "program":
            from workcell.commands.programs import program_answer

            return Done(program_answer(session, database.entity("program", thing.name), new=False))
        if field == "runs" and isinstance(thing, Entity) and thing.kind == "mechanism":
            return Done(f"{field} of {thing.name!r} changed{limit_binds(thing, new)}")
    return Done(f"{field} of {thing.name!r} changed")


def _require_own_shape(session: Session, block: Entity) -> None:
    """Refuse a shape for a block that is made of surfaces or of other blocks."""
    parts = [session.database.by_id(one.child) for one in session.database.relations(block)]
    if not parts:
        return
    if is_operation(block.shape):
        raise Refused(
            f"Block {block.name!r} is made of {joined([f'{one.kind} {one.name!r}' for one in parts])}; change those, "
            "and it follows."
        )
    raise Refused(f"Block {block.name!r} consists of surfaces; detach them first, then give it a shape.")


def _followers(session: Session, block: Entity, named: Entity) -> str:
    """Return the part of the answer that names what contains a block and so changes with it, besides what was named."""
    found = [session.database.by_id(number) for number in sorted(above(session.database, {block.id}) - {named.id})]
    names = [f"{one.kind} {one.name!r}" for one in found if one.kind != "scene"]
    more = len(names) - _MOST_FOLLOWERS
    shown = ", ".join(names[:_MOST_FOLLOWERS]) + (f" and {more} more" if more > 0 else "")
    return f"; {shown} {'follows' if len(names) == 1 else 'follow'}" if names else ""


def _set_property(session: Session, thing: Entity | Relation, field: str, typed: Typed) -> None:
    new = typed.value
    declared = property_of(thing.kind, field) if isinstance(thing, Entity) else None
    if declared is None and isinstance(thing.properties.get(field), dict):
        new = {"quantity": thing.properties[field]["quantity"], "si": new}
    elif isinstance(typed.type, PoseValue):
        new = list(new.rows())
    elif isinstance(new, tuple):
        new = list(new)
    if field in POSITIVE and isinstance(new, float) and new <= 0.0:
        raise InvalidValue(f"The {field} of {thing.name!r} must be more than zero; found {new:g}.")
    if field in NOT_NEGATIVE and isinstance(new, float) and new < 0.0:
        raise InvalidValue(f"The {field} of {thing.name!r} must be zero or more; found {new:g} s.")
    if field in SHARES and isinstance(new, float) and not 0.0 <= new <= 1.0:
        raise InvalidValue(f"The {field} of {thing.name!r} must be from 0 to 1; found {new:g}.")
    _require_true(session, thing, field, new)
    if field in _WEIGHED and isinstance(new, float):
        _WEIGHED[field](new, f"The {field} of {thing.name!r}")
    if field == "joints" and isinstance(thing, Entity) and thing.shape is not None:
        robot_of(thing).require_limits(new)
        forget_in_state(session.database, session.rows, [thing.name])
    if field == "text" and isinstance(thing, Entity) and thing.kind == "program":
        from workcell.commands.program_store import store_text

        store_text(session, thing, str(new))
        return
    if isinstance(thing, Entity) and (
        wrong := values_problem(thing.kind, f"{thing.kind} {thing.name!r}", {field: new})
    ):
        raise InvalidValue(f"{capital(wrong)}.")  # a file with it could not be opened
    changes = {field: new, **_following(thing, field, new)} if isinstance(thing, Entity) else {field: new}
    session.database.set_properties(session.rows, thing, changes)


def _require_true(session: Session, thing: Entity | Relation, field: str, new: Any) -> None:
    """Refuse a value that would only change a label, or that nothing in the cell could use."""
    if isinstance(thing, Relation):
        owner = session.database.by_id(thing.parent)
        if field == "link" and isinstance(new, int) and is_robot(owner) and not 0 <= new <= (n := robot_of(owner).n):
            raise InvalidValue(f"{owner.name} has links 0 (base) to {n}; found {new}.")
    elif field == "model" and is_robot(thing) and not session.replaying:
        other = "remove it and add another"
        do = f"`replace robot {quoted(thing.name)} with {new}` replaces it" if thing.kind == "robot" else other
        raise Refused(f"The model of {thing.name!r} cannot be changed like a label; {do}.", model=new)
    elif field == "branch" and thing.kind == "robot":
        from workcell.simulation.branch_policy import FROZEN, checked_policy

        if checked_policy(new) == FROZEN:
            raise Refused(
                f"`modify` cannot freeze a branch; `branch {quoted(thing.name)} frozen` keeps the branch that "
                f"{thing.name} is in."
            )
    elif thing.kind == "gripper":
        changed = msgspec.structs.replace(thing, raw_properties=_json({**thing.properties, field: new}))
        if not lacking(changed):
            made_hand(changed.name, changed.properties)
    elif field == AXES and thing.kind in ("target", "path"):
        checked_axes(str(new))
    elif field == MEMBERS and thing.kind == "machine":
        require_machine(session.snapshot(), thing.name, listed(str(new)))
    elif field == "speed" and thing.kind == "zone" and new > 1.0:
        raise InvalidValue(f"The speed of a zone is a share of the robot's speed, at most 1; found {new:g}.")
    elif field == "capacity" and thing.kind == "zone" and not (new >= 1.0 and float(new).is_integer()):
        raise InvalidValue(f"The capacity of a zone is a whole number of programs, 1 or more; found {new:g}.")
    elif thing.kind == "fault":
        wrong = wrong_fault(thing.name, {**thing.properties, field: new})
        if wrong and not wrong_fault(thing.name, thing.properties):
            raise InvalidValue(wrong, fault=thing.name)
    elif field == "runs" and thing.kind == "mechanism":
        require_runs(thing, new)
    elif thing.kind == "station":
        own = {**thing.properties, field: new, **_following(thing, field, new)}
        wrong = wrong_station(thing.name, {key: one for key, one in own.items() if one is not None})
        if wrong and not wrong_station(thing.name, thing.properties):
            raise InvalidValue(wrong, station=thing.name)
    elif thing.kind == "sensor":
        own = {**thing.properties, field: new, **_following(thing, field, new)}
        fault = fault_of(thing.name, {key: one for key, one in own.items() if one is not None})
        if fault and not fault_of(thing.name, thing.properties):
            raise InvalidValue(fault, sensor=thing.name)


def _following(thing: Entity, field: str, new: Any) -> dict[str, Any]:
    """Return what changes with a property: the TCP of a gripper is its grip point, unless another was set."""
    if thing.kind in ("sensor", "station") and field in _EITHER:
        return {_EITHER[field]: None}
    if thing.kind != "gripper" or field not in SHAPING:
        return {}
    before, tip = hand_of(thing), thing.properties.get("tcp")
    after = hand_of(msgspec.structs.replace(thing, raw_properties=_json({**thing.properties, field: new})))
    if before is None or after is None or tip is None or not np.allclose(tip, rows_of(before.X_flange_grip), 0, 1e-9):
        return {}
    return {"tcp": list(rows_of(after.X_flange_grip))}


def _json(values: dict[str, Any]) -> str:
    return msgspec.json.encode(values).decode()


@command(
    "add property {property} to {thing} [{value}]",
    help="give an entity or relation a property of its own",
    effect="edits",
    property=NewName(),
    thing=Thing(),
    value=Text(),
    param_help={
        "value": "a number, a number with a unit, or a text; default: an empty text",
        "property": "the name of the new property",
        "thing": "what gets the property",
    },
    examples=[
        "> create object part1",
        'add property supplier to part1 "Smith & Sons"',
        "add property length to part1 120mm",
    ],
)
def add_property(session: Session, property: str, thing: Entity | Relation, value: str = "") -> Done:
    """The name must be new for this thing.

    A value with a unit keeps its quantity, so it is shown in the cell's units.
    """
    if property in fields_of(thing):
        raise InvalidValue(f"{thing.name!r} already has a property {property!r}; `modify` changes it.")
    session.database.set_properties(session.rows, thing, {property: _guessed(value)})
    return Done(f"property {property!r} of {thing.name!r} added")


def _guessed(text: str) -> object:
    """A number with a unit as its quantity in SI, a plain number, or the text."""
    match = NUMBER.match(text.strip())
    if match is None:
        return text
    number, unit = float(match[1]), match[2] or ""
    if not unit:
        return {"quantity": "number", "si": number}
    for quantity, sizes in SCALES.items():
        if unit in sizes:
            return {"quantity": quantity, "si": number * sizes[unit]}
    return text


@command(
    "drop property {property} from {thing}",
    help="remove a property of an entity or relation",
    effect="edits",
    property=Text(),
    thing=Thing(),
    param_help={"property": "the name of the property", "thing": "what loses the property"},
    examples=[
        "> create object part1",
        "> add property supplier to part1 Smith",
        "drop property supplier from part1",
    ],
)
def drop_property(session: Session, property: str, thing: Entity | Relation) -> Done:
    """A property that its kind declares is unset; a property of your own is removed."""
    if property not in thing.properties:
        raise UnknownName.among(f"property of {thing.name!r}", property, thing.properties)
    session.database.set_properties(session.rows, thing, {property: None})
    return Done(f"property {property!r} of {thing.name!r} removed")
