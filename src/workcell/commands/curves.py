"""Commands on curves in space: create curve, reshape curve, reverse curve, blend, create ruled, join curves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.shapes import SpacePoints
from workcell.commands.language.values import Angle, Length, NewName, Number, Text, Vector
from workcell.commands.model import make
from workcell.commands.results import Done, Made
from workcell.errors import InvalidValue, Refused
from workcell.geometry.checks import SMALLEST, coordinates
from workcell.geometry.nurbs.kept import curve_of, curve_text
from workcell.wording import an, counted
from workcell.world.entities import Entity
from workcell.world.operations import surface_of, surface_text

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.nurbs.curve import NurbsCurve
    from workcell.geometry.nurbs.surface import NurbsSurface

Triple = tuple[float, float, float]
_FORMS = ("through", "control", "line", "arc", "circle")
_UP = (0.0, 0.0, 1.0)


def curve_in(entity: Entity) -> NurbsCurve:
    """Return the curve of a curve entity."""
    if entity.shape is None:
        raise Refused(f"Curve {entity.name!r} has no points yet.")
    return curve_of(entity.shape)


def patch_in(entity: Entity) -> NurbsSurface:
    """Return the free-form surface of a surface entity; a flat one is refused."""
    from workcell.geometry.nurbs.surface import NurbsSurface
    from workcell.geometry.surface import NurbsPatch

    patch = surface_of(entity.shape) if entity.shape is not None else None
    if not isinstance(patch, NurbsPatch):
        raise Refused(f"Surface {entity.name!r} is not a free-form patch; this command needs one (`create patch`).")
    return NurbsSurface.from_patch(patch)


@command(
    "create curve {name} [through {points}] [control {control}] [line {line}] [arc {arc}] [circle {radius}] "
    "[at {centre}] [axis {axis}] [from {start}] [by {run}] [degree {degree}] [weights {weights}] [knots {knots}] "
    "[description {description}]",
    help="make a free-form (NURBS) curve: through points, by control points, or as a line, an arc or a circle",
    effect="edits",
    name=NewName(),
    points=SpacePoints(),
    control=SpacePoints(),
    line=SpacePoints(),
    arc=SpacePoints(),
    radius=Length(positive=True),
    centre=Vector(),
    axis=Vector("number", 3),
    start=Angle(),
    run=Angle(),
    degree=Number("number", positive=True, whole=True),
    weights=Vector("number", None, "W,W,…"),
    knots=Vector("number", None, "K,K,…"),
    description=Text(),
    param_help={
        "points": "points that the curve passes through",
        "control": "the control points of the curve",
        "line": "two points: a straight line between them",
        "arc": "three points: an arc from the first through the second to the third",
        "radius": "the radius of a circle or, with `by`, of a part of one",
        "centre": "the centre of the circle; default 0,0,0",
        "axis": "the axis of the circle; default 0,0,1",
        "start": "the angle at which the circle begins; default 0",
        "run": "the angle that the circle covers; default 360°",
        "degree": "default 3, or as high as the number of points allows",
        "weights": "one for each control point; default 1",
        "knots": "as many as the control points plus the degree plus one; default: evenly spaced",
        "description": "a note for people; in quotes if it has blanks",
    },
    examples=[
        "create curve arch through (0,0,0) (50,0,80) (150,0,80) (200,0,0)",
        "create curve hook control (0,0,0) (100,0,0) (100,100,0) degree 2 weights 1,0.7,1",
        "create curve edge line (0,0,0) (300,0,0)",
        "create curve bow arc (0,0,0) (50,20,0) (100,0,0)",
        "create curve ring circle 60 at 0,0,100",
        "create curve quarter circle 60 axis 0,1,0 from 90 by 90",
    ],
)
def create_curve(
    session: Session,
    name: str,
    points: tuple[Triple, ...] | None = None,
    control: tuple[Triple, ...] | None = None,
    line: tuple[Triple, ...] | None = None,
    arc: tuple[Triple, ...] | None = None,
    radius: float | None = None,
    centre: Triple | None = None,
    axis: Triple | None = None,
    start: float | None = None,
    run: float | None = None,
    degree: int | None = None,
    weights: tuple[float, ...] | None = None,
    knots: tuple[float, ...] | None = None,
    description: str = "",
) -> Made:
    """The parameter of the curve runs from 0 to 1, unless you give other knots. Lines, arcs and circles are exact.

    `reshape curve` moves the control points.
    """
    from workcell.geometry.nurbs.curve import NurbsCurve

    given = dict(zip(_FORMS, (points, control, line, arc, radius), strict=True))
    chosen = [form for form, value in given.items() if value is not None]
    if len(chosen) != 1:
        raise InvalidValue("Give exactly one of `through`, `control`, `line`, `arc` or `circle`.")
    form = chosen[0]
    if form != "control" and (weights is not None or knots is not None):
        raise InvalidValue(f"Weights and knots are only for `control`; a curve by `{form}` has its own.")
    if form != "circle" and any(value is not None for value in (centre, axis, start, run)):
        raise InvalidValue("`at`, `axis`, `from` and `by` are only for `circle`.")
    if form not in ("through", "control") and degree is not None:
        raise InvalidValue(f"A curve by `{form}` has its own degree; `elevate degree` raises it.")
    if form == "circle":
        curve = _circle(radius or 0.0, centre or (0.0, 0.0, 0.0), axis or _UP, start or 0.0, run or 2.0 * math.pi)
    elif form == "line":
        curve = NurbsCurve.line(*_exactly(line, 2, "A line"))
    elif form == "arc":
        curve = _arc(*(np.array(p) for p in _exactly(arc, 3, "An arc")))
    else:
        listed = np.array(points if points is not None else control)
        most = len(listed) - 1
        if degree is not None and degree > most:
            raise InvalidValue(f"{counted(len(listed), 'point')} allow a degree of {most} at most; found {degree}.")
        wanted = degree or min(3, most)
        if form == "through":
            curve = NurbsCurve.through(listed, wanted)
        else:
            curve = NurbsCurve.clamped(listed, wanted, weights, knots)
    return make(session, "curve", name, shape=curve_text(_with_length(curve)), description=description)


def _with_length(curve: NurbsCurve) -> NurbsCurve:
    """Return a curve; refuse one whose points are all the same."""
    if float(np.ptp(curve.control, axis=0).max()) < SMALLEST:
        raise InvalidValue("All points of the curve lie within 0.001 mm, so it has no length.")
    return curve


def _exactly(points: tuple[Triple, ...] | None, count: int, what: str) -> tuple[Triple, ...]:
    found = points or ()
    if len(found) != count:
        raise InvalidValue(f"{what} takes {counted(count, 'point')}; found {len(found)}.")
    return found


def _circle(radius: float, centre: Triple, axis: Triple, start: float, run: float) -> NurbsCurve:
    from workcell.geometry.nurbs.curve import NurbsCurve
    from workcell.spatial.rotations import unit

    coordinates(centre, 3, "The centre of a circle")
    z = unit(axis, "the axis of a circle")
    aside = np.eye(3)[0] if abs(z[0]) < 0.9 else np.eye(3)[1]
    x = aside - (aside @ z) * z
    x = x / np.linalg.norm(x)
    if not 0.0 < abs(run) <= 2.0 * math.pi + 1e-12:
        raise InvalidValue(f"A circle covers more than 0° and at most 360°; found {math.degrees(run):g}°.")
    return NurbsCurve.arc(centre, radius, start, run, x, np.cross(z, x))


def _arc(first: Any, middle: Any, last: Any) -> NurbsCurve:
    """Return the arc from a point through another to a third."""
    from workcell.geometry.nurbs.curve import NurbsCurve

    a, b = middle - first, last - first
    normal = np.cross(a, b)
    square = float(normal @ normal)
    if square <= 1e-18 * float(a @ a) * float(b @ b) or square == 0.0:
        raise InvalidValue("The three points of the arc lie on a straight line; use `line`, or other points.")
    centre = first + (np.cross(normal, a) * float(b @ b) + np.cross(b, normal) * float(a @ a)) / (2.0 * square)
    radius = float(np.linalg.norm(first - centre))
    x, z = (first - centre) / radius, normal / math.sqrt(square)
    y = np.cross(z, x)
    run = math.atan2(float((last - centre) @ y), float((last - centre) @ x)) % (2.0 * math.pi)
    return NurbsCurve.arc(centre, radius, 0.0, run, x, y)


_STAGE = ["> create curve arch through (0,0,0) (50,0,80) (150,0,80) (200,0,0)"]


@command(
    "reshape curve {curve} {number} [to {point}] [weight {weight}]",
    help="move a control point of a curve, or change its weight",
    effect="edits",
    curve=Ref("curve"),
    number=Number("number", positive=True, whole=True),
    point=Vector(),
    weight=Number("number", positive=True),
    param_help={
        "number": "of the control point, counted from 1",
        "point": "its new position",
        "weight": "its new weight, more than 0",
    },
    examples=[*_STAGE, "reshape curve arch 2 to 50,0,120", "reshape curve arch 3 weight 4"],
)
def reshape_curve(
    session: Session, curve: Entity, number: int, point: Triple | None = None, weight: float | None = None
) -> Done:
    """A larger weight pulls the curve towards the point."""
    made = curve_in(curve)
    if number > len(made.control):
        raise InvalidValue(f"Curve {curve.name!r} has {counted(len(made.control), 'control point')}; found {number}.")
    if point is None and weight is None:
        raise InvalidValue("Say where the control point goes (`to X,Y,Z`) or its weight.")
    if point is not None:
        made = _with_length(made.with_control(number - 1, coordinates(point, 3, "A control point")))
    if weight is not None:
        made = made.with_weight(number - 1, weight)
    session.rows.update("entity", curve.id, shape=curve_text(made))
    return Done(f"control point {number} of {curve.name!r} changed")


@command(
    "reverse curve {curve}",
    help="reverse the direction of a curve",
    effect="edits",
    curve=Ref("curve"),
    examples=[*_STAGE, "reverse curve arch"],
)
def reverse_curve(session: Session, curve: Entity) -> Done:
    """Its points stay the same."""
    session.rows.update("entity", curve.id, shape=curve_text(curve_in(curve).reversed()))
    return Done(f"curve {curve.name!r} runs the other way")


@command(
    "blend {name} {first} {second} [tension {tension}]",
    help="connect the end of a curve or patch with the start of another, tangent to both",
    effect="edits",
    name=NewName(),
    first=Ref("curve", "surface"),
    second=Ref("curve", "surface"),
    tension=Number("number", positive=True),
    param_help={
        "tension": "how closely the blend follows the tangents; default 1",
        "name": "the name of the new curve or patch",
    },
    examples=[
        "> create curve one line (0,0,0) (100,0,0)",
        "> create curve two line (200,50,0) (200,150,0)",
        "blend bend one two",
        "> create patch left (0,0,0) (0,50,0) row (100,0,0) (100,50,0)",
        "> create patch right (0,120,40) (0,200,40) row (100,120,40) (100,200,40)",
        "blend between left right tension 0.8",
    ],
)
def blend(session: Session, name: str, first: Entity, second: Entity, tension: float = 1.0) -> Made:
    """Two patches are connected from the end of v of the first to the start of v of the second."""
    from workcell.geometry.nurbs.curve import NurbsCurve
    from workcell.geometry.nurbs.surface import NurbsSurface

    if first.kind != second.kind:
        raise InvalidValue(f"A blend joins two curves or two patches; found {an(first.kind)} and {an(second.kind)}.")
    if first.kind == "curve":
        curve = NurbsCurve.blend(curve_in(first), curve_in(second), tension)
        return make(session, "curve", name, shape=curve_text(curve))
    patch = NurbsSurface.blend(patch_in(first), patch_in(second), tension)
    return make(session, "surface", name, shape=surface_text(patch.patch))


@command(
    "create ruled {name} {first} {second}",
    help="make a free-form surface from the straight lines between two curves",
    effect="edits",
    name=NewName(),
    first=Ref("curve"),
    second=Ref("curve"),
    examples=[
        *_STAGE,
        "> create curve edge line (0,100,0) (200,100,0)",
        "create ruled roof arch edge",
    ],
)
def create_ruled(session: Session, name: str, first: Entity, second: Entity) -> Made:
    """The degrees and knots of the curves are made equal first; this does not change their shape."""
    from workcell.geometry.nurbs.surface import NurbsSurface

    patch = NurbsSurface.ruled(curve_in(first), curve_in(second))
    return make(session, "surface", name, shape=surface_text(patch.patch))


@command(
    "join curves {name} {first} {second} [{more}]*",
    help="join curves that lie end to end into one new curve",
    effect="edits",
    name=NewName(),
    first=Ref("curve"),
    second=Ref("curve"),
    more=Ref("curve"),
    param_help={"more": "further curves, in order"},
    examples=[
        "> create curve one line (0,0,0) (100,0,0)",
        "> create curve two arc (100,0,0) (170.710678118655,29.289321881345,0) (200,100,0)",
        "join curves path1 one two",
    ],
)
def join_curves(session: Session, name: str, first: Entity, second: Entity, more: list[Entity] | None = None) -> Made:
    """The curves themselves stay. A curve that does not begin where the one before it ends is refused."""
    from workcell.geometry.nurbs.curve import join

    curve = join([curve_in(one) for one in (first, second, *(more or []))])
    return make(session, "curve", name, shape=curve_text(curve))
