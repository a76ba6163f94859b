"""Commands that change what is there: modify, add property."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from workcell.commands.conveyors import limit_binds, require_runs
from workcell.commands.language.colours import ColourName
from workcell.commands.language.hand_values import Places, StatedNumber
from workcell.commands.language.joint_values import SlidingJoints, slides
from workcell.commands.language.references import Thing
from workcell.commands.language.registry import command
from workcell.commands.language.shapes import Shape
from workcell.commands.language.tokens import Tokens
from workcell.commands.language.transforms import PoseValue, TransformValue
from workcell.commands.language.values import (
    NUMBER,
    Choice,
    NewName,
    Number,
    Text,
    Value,
    Vector,
    YesNo,
    match_word,
)
from workcell.commands.renaming import rename
from workcell.commands.results import Done
from workcell.errors import InvalidValue, Refused, UnknownName
from workcell.geometry._checks import density, mass
from workcell.simulation.holding import refuse_held, refuse_tool_in_use
from workcell.spatial.transform import rows_of
from workcell.spatial.units import SCALES
from workcell.wording import capital
from workcell.world.axes_text import AXES, checked_axes
from workcell.world.consequences import above
from workcell.world.contents import values_problem
from workcell.world.devices import require_machine
from workcell.world.entities import Entity, Relation, quoted
from workcell.world.expand import colour_of
from workcell.world.fault_places import wrong_fault
from workcell.world.hands import SHAPING, hand_of, lacking, made_hand
from workcell.world.kinds import KINDS, NOT_NEGATIVE, POSITIVE, SHARES, property_of
from workcell.world.machine_places import MEMBERS, listed
from workcell.world.robot_shape import is_robot, robot_of
from workcell.world.sensor_places import fault_of
from workcell.world.state_edits import forget_in_state
from workcell.world.station_places import fault_of as wrong_station

if TYPE_CHECKING:
    from workcell.commands.session import Session

_ENTITY_FIELDS: dict[str, Value] = {
    "name": NewName(), "kind": Choice({k: v.help for k, v in KINDS.items()}, "KIND"), "description": Text(),
    "colour": ColourName(), "movable": YesNo(),
}  # fmt: skip
_WEIGHED = {"mass": mass, "gripper_mass": mass, "payload": mass, "density": density}
"""What `measure` must be able to use."""
_EITHER = {"size": "distance", "distance": "size", "interval": "spacing", "spacing": "interval"}
"""The properties of a sensor or a station of which it has one at most."""
_PLACES = ("cups", "magnets")
"""The properties of a gripper that are places, three lengths each."""
_TOLD = 8
_RELATION_FIELDS: dict[str, Value] = {"name": NewName(), "description": Text(), "transform": TransformValue()}


def value_type(quantity: str) -> Value:
    """How a value of a quantity is typed."""
    if quantity in SCALES:
        return Number(quantity)
    return {
        "text": Text(), "yes/no": YesNo(), "vector": Vector("number" if quantity == "rgb" else "length"),
        "joints": Vector("angle", None), "lengths": Vector("length", None), "pose": PoseValue(),
    }[quantity]  # fmt: skip


def _fields(thing: Entity | Relation) -> dict[str, Value]:
    """What can be changed of a thing, with the type of its value."""
    if isinstance(thing, Relation):
        return {**_RELATION_FIELDS, **{name: _own_type(v) for name, v in thing.properties.items()}}
    fields = dict(_ENTITY_FIELDS)
    if thing.kind == "block":
        fields["shape"] = Shape()
    for prop in KINDS[thing.kind].properties:
        fields[prop.name] = Vector("number") if prop.name in ("rgb", "approach") else value_type(prop.quantity)
        if prop.name in _PLACES:
            fields[prop.name] = Places()
        elif (stated := StatedNumber.of(prop.help)) is not None:
            fields[prop.name] = stated
        if prop.words:
            fields[prop.name] = Choice(prop.words)
    if thing.kind in ("robot", "mechanism") and any(sliding := slides(thing)):
        fields["joints"] = SlidingJoints(sliding)
        if all(sliding):
            fields["speed"] = Number("speed", positive=True)
    if thing.kind == "sensor":
        fields["joint"] = Number(whole=True, positive=True)
    for name, value in thing.properties.items():
        fields.setdefault(name, _own_type(value))
    return fields


def _own_type(value: Any) -> Value:
    if isinstance(value, dict):
        return Number(value["quantity"])
    if isinstance(value, bool):
        return YesNo()
    return Number(whole=True) if isinstance(value, int) else Text()


class Field(Value):
    """The name of something that can be changed of the thing before it."""

    label = "FIELD"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """A beginning of the name will do."""
        fields = _fields(seen["thing"])
        token = tokens.peek()
        if token is None:
            labels = {name: value.label for name, value in fields.items()}
            raise tokens.fail(f"Expected one of {', '.join(fields)}.", labels)
        found = match_word(token.text, fields)
        if len(found) != 1:
            thing = seen["thing"]
            error = UnknownName.among(f"property of {thing.kind} {thing.name!r}", token.text, fields, most=40)
            if found:
                raise tokens.fail(f"{token.text!r} could be {' or '.join(found)}; type more of it.", found)
            raise tokens.fail(f"{error} `add property` makes one of your own.", list(fields))
        tokens.take()
        return found[0]

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The fields of the thing."""
        if "thing" not in seen:
            return []
        return [(name, value.label) for name, value in _fields(seen["thing"]).items() if name.startswith(prefix)]


class FieldValue(Value):
    """A value of the type that the field has."""

    label = "VALUE"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """As the field says."""
        value_of = _fields(seen["thing"])[seen["field"]]
        return _Typed(value_of, value_of.parse(tokens, session, seen))

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """As the field says."""
        value_of = _fields(seen["thing"])[seen["field"]]
        return _Typed(value_of, value_of.from_json(value, session, seen))

    def text(self, value: Any) -> str:
        """As the field says."""
        return str(value.type.text(value.value))

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """As the field says."""
        if "thing" not in seen or "field" not in seen:
            return []
        return _fields(seen["thing"])[seen["field"]].complete(prefix, session, seen)


class _Typed:
    def __init__(self, type: Value, value: Any) -> None:
        self.type = type
        self.value = value


@command(
    "modify {thing} {field} {value}",
    help="change a name, kind, description, colour, shape, transformation or property",
    effect="edits",
    thing=Thing(),
    field=Field(),
    value=FieldValue(),
    examples=[
        "> create block cube1 box 10 10 10",
        "modify cube1 colour red",
        "modify cube1 mass 2.5kg",
        "modify cube1 shape box 20 10 10",
        "modify cube1 name brick",
    ],
)
def modify(session: Session, thing: Entity | Relation, field: str, value: _Typed) -> Done:
    """Entities and relations are changed in the same way."""
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

        if database.relations(thing):
            raise Refused(f"Block {thing.name!r} is made of surfaces; detach them before you give it a shape.")
        rows.update(table, thing.id, shape=encode(new.recipe).decode())
        return Done(f"shape of {thing.name!r} changed{_followers(session, thing)}")
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


def _followers(session: Session, block: Entity) -> str:
    """What is made of a block and so changes with it, for the answer."""
    found = [session.database.by_id(number) for number in sorted(above(session.database, {block.id}))]
    names = [f"{one.kind} {one.name!r}" for one in found if one.kind != "scene"]
    shown = ", ".join(names[:_TOLD]) + (f" and {len(names) - _TOLD} more" if len(names) > _TOLD else "")
    return f"; {shown} {'follows' if len(names) == 1 else 'follow'}" if names else ""


def _set_property(session: Session, thing: Entity | Relation, field: str, typed: _Typed) -> None:
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
    """Refuse a value that would change a label only, or that nothing in the cell could work with."""
    if isinstance(thing, Relation):
        owner = session.database.by_id(thing.parent)
        if field == "link" and isinstance(new, int) and is_robot(owner) and not 0 <= new <= (n := robot_of(owner).n):
            raise InvalidValue(f"{owner.name} has links 0 (base) to {n}; found {new}.")
    elif field == "model" and is_robot(thing) and not session.replaying:
        other = "remove it and add another"
        do = f"`replace robot {quoted(thing.name)} with {new}` replaces it" if thing.kind == "robot" else other
        raise Refused(f"The model of {thing.name!r} is the device itself, not a label; {do}.", model=new)
    elif field == "branch" and thing.kind == "robot":
        from workcell.simulation.branch_policy import FROZEN, checked_policy

        if checked_policy(new) == FROZEN:
            raise Refused(f"`branch {quoted(thing.name)} frozen` keeps the branch that {thing.name} stands in.")
    elif thing.kind == "gripper":
        changed = msgspec.structs.replace(thing, raw_properties=_json({**thing.properties, field: new}))
        if not lacking(changed):
            made_hand(changed.name, changed.properties)
    elif field == AXES and thing.kind in ("target", "path"):
        checked_axes(str(new))
    elif field == MEMBERS and thing.kind == "machine":
        require_machine(session.snapshot(), thing.name, listed(str(new)))
    elif field == "speed" and thing.kind == "zone" and new > 1.0:
        raise InvalidValue(f"In a zone a robot keeps at most all of its speed, 1; found {new:g}.")
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
    """What follows from a property: the tip of a gripper is its grip point unless another one was given."""
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
    param_help={"value": "a number with a unit, a number, or a text"},
    examples=[
        "> create object part1",
        'add property supplier to part1 "Smith & Sons"',
        "add property length to part1 120mm",
    ],
)
def add_property(session: Session, property: str, thing: Entity | Relation, value: str = "") -> Done:
    """Any name that is not a property already; a value with a unit keeps its quantity."""
    if property in _fields(thing):
        raise InvalidValue(f"{thing.name!r} has a property {property!r} already; `modify` changes it.")
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
    help="take a property away",
    effect="edits",
    property=Text(),
    thing=Thing(),
    examples=[
        "> create object part1",
        "> add property supplier to part1 Smith",
        "drop property supplier from part1",
    ],
)
def drop_property(session: Session, property: str, thing: Entity | Relation) -> Done:
    """Declared properties are unset, own ones are gone."""
    if property not in thing.properties:
        raise UnknownName.among(f"property of {thing.name!r}", property, thing.properties)
    session.database.set_properties(session.rows, thing, {property: None})
    return Done(f"property {property!r} of {thing.name!r} removed")
