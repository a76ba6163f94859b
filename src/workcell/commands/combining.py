"""Commands that make blocks from other blocks, surfaces and curves: combine, extrude, revolve, sweep, reshape block."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.language.colours import ColourName
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.shapes import SpacePoints
from workcell.commands.language.transforms import TransformValue
from workcell.commands.language.values import Angle, Choice, Length, NewName, Vector
from workcell.commands.model import make
from workcell.commands.operands import Factors, Operand, prove
from workcell.commands.results import Done, Made
from workcell.commands.surfaces import flat_surface
from workcell.errors import InvalidValue, Refused
from workcell.spatial.transform import Transform
from workcell.wording import quoted
from workcell.world.entities import Entity
from workcell.world.operations import (
    Boolean,
    Combine,
    ExtrudeSurface,
    Operation,
    RevolveSurface,
    SweepSurface,
    is_operation,
    operation_of,
    operation_text,
)

if TYPE_CHECKING:
    from workcell.commands.session import Session

Triple = tuple[float, float, float]

BOOLEANS = {
    "union": "everything that is in at least one of the blocks",
    "difference": "what is in the first block and in none of the others",
    "intersection": "what is in all of the blocks",
}
_FULL = 2.0 * math.pi
_DIRECTION = Vector("number", 3)


_ALONG = {
    "directions": "the direction changes along the curve through these values, at even distances",
    "factors": "the scale of the surface (N,O,T) changes along the curve through these values, at even distances",
}


@command(
    "combine {name} {operation} {first} {second} [{more}]* [colour {colour}] [--fast]",
    help="make a block as the union, difference or intersection of blocks",
    effect="edits",
    name=NewName(),
    operation=Choice(BOOLEANS, "union|difference|intersection"),
    first=Operand(),
    second=Operand(),
    more=Operand(),
    colour=ColourName(),
    param_help={
        "name": "the name of the new block",
        "first": "the first block, with its place in the new block; default: its own origin",
        "second": "the second block",
        "more": "further blocks",
        "fast": "work on meshes instead of exact shapes",
    },
    examples=[
        "> create block plate box 200 100 20",
        "> create block pin cylinder 10 40",
        "combine drilled difference plate pin translate 50,0,0 pin translate -50,0,0",
        "modify drilled/pin transform translate 60,0,0",
        "> create block ball sphere 15",
        "combine knob union plate pin ball",
    ],
)
def combine(
    session: Session,
    name: str,
    operation: Boolean,
    first: tuple[Entity, Transform],
    second: tuple[Entity, Transform],
    more: list[tuple[Entity, Transform]] | None = None,
    colour: str | None = None,
    fast: bool = False,
) -> Made:
    """The blocks become parts of the new block. It changes when you modify a part or move its relation."""
    from workcell.geometry.mesh import DEFAULT_TOLERANCE

    operands = [first, second, *(more or [])]
    made = make(
        session,
        "block",
        name,
        shape=operation_text(Combine(operation, DEFAULT_TOLERANCE if fast else 0.0)),
        colour=colour or first[0].colour,
    )
    database = session.database
    block = database.entity("block", name)
    for operand, place in operands:
        database.attach(session.rows, block, operand, database.free_relation_name(block, operand.name), place)
    prove(session, block)
    return made


def _swept(
    session: Session,
    name: str,
    surface: Entity,
    operation: Operation,
    place: Transform,
    colour: str | None,
    curve: Entity | None = None,
) -> Made:
    """Make a block from one surface, which the relation places, and perhaps along a curve."""
    flat_surface(surface)
    made = make(session, "block", name, shape=operation_text(operation), colour=colour)
    block = session.database.entity("block", name)
    session.database.attach(session.rows, block, surface, surface.name, place)
    if curve is not None:
        session.database.attach(session.rows, block, curve, session.database.free_relation_name(block, curve.name))
    prove(session, block)
    return made


@command(
    "extrude {name} {surface} [{height}] [along {vector}] [{transform}] [colour {colour}]",
    help="make a block by moving a surface along z or along a vector",
    effect="edits",
    name=NewName(),
    surface=Ref("surface"),
    height=Length(positive=True),
    vector=Vector(),
    transform=TransformValue(),
    colour=ColourName(),
    param_help={
        "transform": "places the new block",
        "height": "along z",
        "vector": "the direction and distance, instead of a height",
        "surface": "the flat surface to move",
    },
    examples=[
        "> create surface ring disc 60 bore 20",
        "extrude tube ring 100",
        "extrude leaning ring along 30,0,100 translate 200,0,0",
    ],
)
def extrude(
    session: Session,
    name: str,
    surface: Entity,
    height: float | None = None,
    vector: Triple | None = None,
    transform: Transform = Transform(),
    colour: str | None = None,
) -> Made:
    """Holes go through. The faces are called bottom, top, side1, hole1 and so on.

    The block changes when you reshape the surface.
    """
    if (height is None) == (vector is None):
        raise InvalidValue("Give either a height or `along X,Y,Z`.")
    way = vector if vector is not None else (0.0, 0.0, height or 0.0)
    return _swept(session, name, surface, ExtrudeSurface(way), transform, colour)


@command(
    "revolve {name} {surface} [{angle}] [about {point} {direction}] [{transform}] [colour {colour}]",
    help="make a block by turning a surface about an axis",
    effect="edits",
    name=NewName(),
    surface=Ref("surface"),
    angle=Angle(),
    point=Vector(),
    direction=_DIRECTION,
    transform=TransformValue(),
    colour=ColourName(),
    param_help={
        "angle": "how far to turn; default 360°",
        "point": "a point of the axis, in the plane of the surface",
        "direction": "the direction of the axis",
        "transform": "places the new block",
        "surface": "the flat surface to turn",
    },
    examples=[
        "> create surface profile contour (20,0) (60,0) (60,10) (30,40) (20,40)",
        "revolve hub profile",
        "revolve half profile 180 about (0,0,0) (0,1,0) translate 200,0,0",
    ],
)
def revolve(
    session: Session,
    name: str,
    surface: Entity,
    angle: float = _FULL,
    point: Triple | None = None,
    direction: Triple | None = None,
    transform: Transform = Transform(),
    colour: str | None = None,
) -> Made:
    """Without `about`, the surface is a profile: x is the distance from the z axis, and y is the height."""
    return _swept(session, name, surface, RevolveSurface(angle, point, direction), transform, colour)


@command(
    "sweep {name} {surface} [through {points}] [control {control}] [along {path}] [on {curve}] [bend {bend}] "
    "[direction {direction}] [direction-through {directions}] [twist {twist}] [end-scale {scales}] "
    "[scale-through {factors}] [{transform}] [colour {colour}]",
    help="make a block by moving a surface along a curve",
    effect="edits",
    name=NewName(),
    surface=Ref("surface"),
    points=SpacePoints(),
    control=SpacePoints(),
    path=SpacePoints(),
    curve=Ref("curve"),
    bend=Length(positive=True),
    direction=_DIRECTION,
    twist=Angle(),
    scales=Vector("number", 3, "N,O,T"),
    directions=Factors(),
    factors=Factors(),
    transform=TransformValue(),
    colour=ColourName(),
    param_help={
        "curve": "a curve of the cell; the block changes with it",
        "points": "points that the curve passes through",
        "control": "the control points of the curve",
        "path": "straight from point to point; give a bend to round the corners",
        "bend": "the radius of the rounded corners",
        "direction": "the x axis of the surface stays perpendicular to this and to the curve",
        "twist": "the angle by which the surface has turned about the curve at its end; default 0",
        "scales": "the scale of the surface at the end of the curve; it is 1,1,1 at the start",
        **_ALONG,
        "transform": "places the new block",
        "surface": "the flat surface to move",
    },
    examples=[
        "> create surface ring disc 15 bore 11",
        "sweep pipe ring through (0,0,0) (0,0,100) (80,0,180) (200,0,200)",
        "sweep bend ring along (0,0,0) (0,0,120) (120,0,120) bend 60 translate 300,0,0",
        "> create curve arch through (0,0,0) (50,0,80) (150,0,80) (200,0,0)",
        "sweep handle ring on arch translate 0,200,0",
        "> create surface bar contour (-10,-5) (10,-5) (10,5) (-10,5)",
        "sweep drill bar control (0,0,0) (0,0,200) twist 180 end-scale 0.5,0.5,1 translate 100,0,0",
        "sweep vase ring control (0,0,0) (0,0,200) scale-through (1,1,1) (1.6,1.6,1) (0.8,0.8,1) translate 200,0,0",
        "sweep blade bar control (0,0,0) (0,0,200) direction-through (1,0,0) (1,0.4,0) (1,1,0) translate 300,0,0",
    ],
)
def sweep(
    session: Session,
    name: str,
    surface: Entity,
    points: tuple[Triple, ...] | None = None,
    control: tuple[Triple, ...] | None = None,
    path: tuple[Triple, ...] | None = None,
    curve: Entity | None = None,
    bend: float = 0.0,
    direction: Triple | None = None,
    twist: float = 0.0,
    scales: Triple | None = None,
    directions: tuple[Triple, ...] = (),
    factors: tuple[Triple, ...] = (),
    transform: Transform = Transform(),
    colour: str | None = None,
) -> Made:
    """Give the curve with `through`, `control`, `along` or `on`.

    The faces are called start, end, side1, hole1 and so on.
    """
    drawn = _curve({"points": points, "control": control, "path": path})
    if bool(drawn) == (curve is not None):
        raise InvalidValue(
            "Give one of these: `through`, `control` or `along` with points (X,Y,Z), or `on` with a curve."
        )
    if bend and path is None:
        raise InvalidValue("A bend rounds the corners of a curve `along` points; this curve has no corners.")
    given = drawn or {"form": "curve"}
    given |= {"direction": direction, "directions": directions, "scales": scales, "factors": factors}
    _once(given)
    operation = SweepSurface(**given, bend=bend, twist=twist)
    return _swept(session, name, surface, operation, transform, colour, curve)


def _once(given: dict[str, Any]) -> None:
    """Refuse a single value together with values along the curve."""
    for one, along, words in (("direction", "directions", "`direction`"), ("scales", "factors", "`end-scale`")):
        if given.get(one) is not None and given.get(along):
            curve = "direction-through" if along == "directions" else "scale-through"
            raise InvalidValue(f"Give either {words} or `{curve}`.")


def _curve(given: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a sweep that the points set."""
    ways = [name for name in ("points", "control", "path") if given.get(name) is not None]
    if len(ways) > 1:
        raise InvalidValue("Give only one of `through`, `control` and `along`.")
    if not ways:
        return {}
    return {"points": given[ways[0]], "form": {"points": "through", "control": "control", "path": "along"}[ways[0]]}


@command(
    "reshape block {block} [operation {operation}] [height {height}] [along {vector}] [angle {angle}] "
    "[about {point} {direction}] [through {points}] [control {control}] [along-path {path}] [bend {bend}] "
    "[twist {twist}] [end-scale {scales}] [direction {way}] [direction-through {directions}] [scale-through {factors}]",
    help="change the parameters of a block that was combined, extruded, revolved or swept",
    effect="edits",
    block=Ref("block"),
    operation=Choice(BOOLEANS, "union|difference|intersection"),
    height=Length(positive=True),
    vector=Vector(),
    angle=Angle(),
    point=Vector(),
    direction=_DIRECTION,
    points=SpacePoints(),
    control=SpacePoints(),
    path=SpacePoints(),
    bend=Length(positive=True),
    twist=Angle(),
    scales=Vector("number", 3, "N,O,T"),
    way=_DIRECTION,
    directions=Factors(),
    factors=Factors(),
    param_help={
        "way": "the direction of a sweep",
        **_ALONG,
        "height": "of an extrusion",
        "vector": "of an extrusion",
        "angle": "of a revolved block",
        "point": "a point of the axis of a revolved block",
        "direction": "of the axis of a revolved block",
        "points": "of a sweep: points that its curve passes through",
        "control": "of a sweep: the control points of its curve",
        "path": "of a sweep: straight from point to point",
        "bend": "of a sweep: the radius of the rounded corners",
        "twist": "of a sweep: the angle by which the surface has turned at the end",
        "scales": "of a sweep: the scale of the surface at the end",
    },
    examples=[
        "> create surface ring disc 60 bore 20",
        "> extrude tube ring 100",
        "reshape block tube height 150",
        "> sweep vase ring control (0,0,0) (0,0,200) end-scale 0.5,0.5,1 translate 200,0,0",
        "reshape block vase scale-through (1,1,1) (1.6,1.6,1) (0.8,0.8,1)",
    ],
)
def reshape_block(session: Session, block: Entity, **given: Any) -> Done:
    """Parameters that you do not give stay. Everything that uses the block changes with it."""
    if not is_operation(block.shape):
        raise Refused(
            f"Block {block.name!r} was not combined, extruded, revolved or swept; `modify {quoted(block.name)} "
            "shape …` changes it."
        )
    assert block.shape is not None
    before = operation_of(block.shape)
    changes = _changes(before, given)
    session.rows.update("entity", block.id, shape=operation_text(msgspec.structs.replace(before, **changes)))
    prove(session, session.database.entity("block", block.name))
    return Done(f"{', '.join(given)} of block {block.name!r} changed")


def _changes(operation: Operation, given: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the operation that the parameters change."""
    if "height" in given:
        given = {**given, "vector": (0.0, 0.0, given["height"])}
    if isinstance(operation, SweepSurface):
        given = _directed(given)
    words = {"height", "control", "path"}
    given = {**{name: value for name, value in given.items() if name not in words}, **_curve(given)}
    known = {name: value for name, value in given.items() if name in operation.__struct_fields__}
    wrong = [name for name in given if name not in known]
    if wrong or not known:
        fields = ", ".join(operation.__struct_fields__)
        what = f"has no {wrong[0]}" if wrong else "stays as it is, because no parameter was given"
        raise InvalidValue(f"This {_kind(operation)} {what}; it has {fields}.")
    return known


def _directed(given: dict[str, Any]) -> dict[str, Any]:
    """Return the changes of a sweep; a single value replaces values along the curve, and the reverse."""
    given = {"direction" if name == "way" else name: value for name, value in given.items()}
    _once(given)
    for one, along in (("direction", "directions"), ("scales", "factors")):
        if along in given:
            given[one] = None
        elif one in given:
            given[along] = ()
    return given


def _kind(operation: Operation) -> str:
    return str(operation.__struct_config__.tag).removesuffix("-surface")
