"""The fields of entities and relations that `modify` changes, as parameters."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from workcell.commands.language.choices import match_word
from workcell.commands.language.colours import ColourName
from workcell.commands.language.hand_values import Places, StatedNumber
from workcell.commands.language.joint_values import SlidingJoints, slides
from workcell.commands.language.shapes import Shape
from workcell.commands.language.tokens import Tokens
from workcell.commands.language.transforms import PoseValue, TransformValue
from workcell.commands.language.values import Choice, NewName, Number, Text, Value, Vector, YesNo
from workcell.errors import UnknownName
from workcell.spatial.units import SCALES, Units
from workcell.world.entities import Entity, Relation
from workcell.world.kinds import KINDS

if TYPE_CHECKING:
    from workcell.commands.session import Session

_ENTITY_FIELDS: dict[str, Value] = {
    "name": NewName(), "kind": Choice({k: v.help for k, v in KINDS.items()}, "KIND"), "description": Text(),
    "colour": ColourName(), "movable": YesNo(),
}  # fmt: skip
_PLACES = ("cups", "magnets")
"""The properties of a gripper that are positions, three lengths each."""
_RELATION_FIELDS: dict[str, Value] = {"name": NewName(), "description": Text(), "transform": TransformValue()}


def value_type(quantity: str) -> Value:
    """Return the parameter type of a quantity."""
    if quantity in SCALES:
        return Number(quantity)
    return {
        "text": Text(), "yes/no": YesNo(), "vector": Vector("number" if quantity == "rgb" else "length"),
        "joints": Vector("angle", None), "lengths": Vector("length", None), "pose": PoseValue(),
    }[quantity]  # fmt: skip


def fields_of(thing: Entity | Relation) -> dict[str, Value]:
    """Return the fields of a thing that can be changed, each with its type."""
    if isinstance(thing, Relation):
        return {**_RELATION_FIELDS, **{name: _own_type(v) for name, v in thing.properties.items()}}
    fields = dict(_fields_of_kind(thing.kind))
    if thing.kind in ("robot", "mechanism") and any(sliding := slides(thing)):
        fields["joints"] = SlidingJoints(sliding)
        if all(sliding):
            fields["speed"] = Number("speed", positive=True)
    for name, value in thing.properties.items():
        if name not in fields:
            fields[name] = _own_type(value)
    return fields


@cache
def _fields_of_kind(kind: str) -> dict[str, Value]:
    """Return the fields that every thing of a kind has, each with its type."""
    fields = dict(_ENTITY_FIELDS)
    if kind in ("block", "object"):
        fields["shape"] = Shape()
    for prop in KINDS[kind].properties:
        fields[prop.name] = Vector("number") if prop.name in ("rgb", "approach", "along") else value_type(prop.quantity)
        if prop.name in _PLACES:
            fields[prop.name] = Places()
        elif (stated := StatedNumber.of(prop.help)) is not None:
            fields[prop.name] = stated
        if prop.words:
            fields[prop.name] = Choice(prop.words)
    if kind == "sensor":
        fields["joint"] = Number(whole=True, positive=True)
    return fields


def _own_type(value: Any) -> Value:
    if isinstance(value, dict):
        return Number(value["quantity"])
    if isinstance(value, bool):
        return YesNo()
    return Number(whole=True) if isinstance(value, int) else Text()


class Field(Value):
    """The name of a field of the thing that was named before it."""

    label = "FIELD"
    help = "name, kind, description, colour, shape, transform or a property; `?` lists those of the thing"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read the name of a field, or its beginning."""
        fields = fields_of(seen["thing"])
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
            raise tokens.fail(f"{error} `add property` adds a property of your own.", list(fields))
        tokens.take()
        return found[0]

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The fields of the thing."""
        if "thing" not in seen:
            return []
        return [(name, value.label) for name, value in fields_of(seen["thing"]).items() if name.startswith(prefix)]


class FieldValue(Value):
    """A value of the type that the field before it has."""

    label = "VALUE"
    help = "the new value, of the type that the field has"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """As the type of the field does."""
        value_of = fields_of(seen["thing"])[seen["field"]]
        return Typed(value_of, value_of.parse(tokens, session, seen))

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """As the type of the field does."""
        value_of = fields_of(seen["thing"])[seen["field"]]
        return Typed(value_of, value_of.from_json(value, session, seen))

    def text(self, value: Any) -> str:
        """As the type of the field does."""
        return str(value.type.text(value.value))

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """As the type of the field does."""
        return str(value.type.shown(value.value, units, given))

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """As the type of the field does."""
        if "thing" not in seen or "field" not in seen:
            return []
        return fields_of(seen["thing"])[seen["field"]].complete(prefix, session, seen)


class Typed:
    """A value with the type that read it."""

    def __init__(self, type: Value, value: Any) -> None:
        self.type = type
        self.value = value
