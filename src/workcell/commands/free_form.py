"""Commands on free forms: evaluate, control-points, insert knot, elevate degree, subdivide, split, isocurve, trim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from workcell.commands.curves import curve_in, patch_in
from workcell.commands.free_form_values import Evaluated, Net, ParameterCircle, ParameterPoints, Triple
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Choice, NewName, Number, Vector
from workcell.commands.model import make
from workcell.commands.results import Done, Made
from workcell.commands.surfaces import GROUPS, HELP, boundaries
from workcell.errors import InvalidValue
from workcell.geometry.nurbs.kept import curve_text
from workcell.spatial.units import tidy
from workcell.wording import an, capital, counted
from workcell.world.entities import Entity
from workcell.world.operations import surface_text

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.contour import Contour
    from workcell.geometry.nurbs.curve import NurbsCurve
    from workcell.geometry.nurbs.surface import NurbsSurface

Floats = NDArray[np.float64]
Way = Literal["u", "v"]

_FORM = Ref("curve", "surface")
_WAY = Choice({"u": "from row to row of the points", "v": "along a row of points"}, "u|v")
_CURVE = "> create curve arch through (0,0,0) (50,0,80) (150,0,80) (200,0,0)"
_PATCH = (
    "> create patch sheet (0,0,0) (0,50,0) (0,100,0) row (50,0,0) (50,50,40) (50,100,0) "
    "row (100,0,0) (100,50,0) (100,100,0)"
)


def form_in(entity: Entity) -> NurbsCurve | NurbsSurface:
    """Return the curve or the patch of an entity."""
    return curve_in(entity) if entity.kind == "curve" else patch_in(entity)


def form_text(form: NurbsCurve | NurbsSurface) -> str:
    """Return the text that an entity keeps as its ``shape``."""
    from workcell.geometry.nurbs.curve import NurbsCurve

    return curve_text(form) if isinstance(form, NurbsCurve) else surface_text(form.patch)


def _keep(session: Session, thing: Entity, form: NurbsCurve | NurbsSurface) -> None:
    session.rows.update("entity", thing.id, shape=form_text(form))


def _directions(thing: Entity, along: Way | None) -> tuple[Way, ...]:
    """Return the directions to work in: those of a patch are both, unless one is given."""
    if thing.kind == "curve":
        if along is not None:
            raise InvalidValue(f"A curve has only one direction; leave out `along {along}`.")
        return ("u",)
    return ("u", "v") if along is None else (along,)


def _way(thing: Entity, along: Way | None) -> Way:
    if thing.kind == "surface" and along is None:
        raise InvalidValue("A patch has two directions; give `along u` or `along v`.")
    return _directions(thing, along)[0]


@command(
    "evaluate {thing} {parameters} [derivatives {order}]",
    help="show the point of a curve or patch at parameters, with the derivatives there",
    effect="reads",
    thing=_FORM,
    parameters=Vector("number", None, "T|U,V"),
    order=Number("number", whole=True),
    param_help={"order": "the highest derivative, 0 to 5; default 1", "parameters": "T on a curve, U,V on a patch"},
    examples=[_CURVE, "evaluate arch 0.5", "evaluate arch 0 derivatives 2", _PATCH, "evaluate sheet 0.5,0.5"],
)
def evaluate(session: Session, thing: Entity, parameters: tuple[float, ...], order: int = 1) -> Evaluated:
    """The derivatives are exact. For a patch, the normal is shown too."""
    if not 0 <= order <= 5:
        raise InvalidValue(f"Derivatives are available from order 0 to 5; found {order}.")
    count = 1 if thing.kind == "curve" else 2
    if len(parameters) != count:
        raise InvalidValue(
            f"{capital(an(thing.kind))} takes {count} parameter{'s' if count > 1 else ''}; found {len(parameters)}."
        )
    normal: Triple | None = None
    if thing.kind == "curve":
        values = curve_in(thing).derivatives(parameters[0], order)
        labels = [f"d{k}" for k in range(1, order + 1)]
        point, found = values[0], list(values[1:])
    else:
        patch = patch_in(thing)
        grid = patch.derivatives_at([parameters[0]], [parameters[1]], order)[:, :, 0]
        pairs = [(n - j, j) for n in range(1, order + 1) for j in range(n + 1)]
        labels, found = ["u" * i + "v" * j for i, j in pairs], [grid[i, j] for i, j in pairs]
        point, normal = grid[0, 0], _triple(patch.normals([parameters[0]], [parameters[1]])[0])
    units = session.units

    def row(values: object, quantity: str = "length") -> str:
        return f"({', '.join(tidy(round(units.from_si(float(v), quantity), 9) + 0.0) for v in np.asarray(values))})"

    lines = [f"{thing.name} at {', '.join(tidy(p) for p in parameters)}: {row(point)} {units.length}"]
    lines += [f"  {label}: {row(value)}" for label, value in zip(labels, found, strict=True)]
    if normal is not None:
        lines.append(f"  normal: {row(normal, 'number')}")
    text = "\n".join(lines)
    triples = tuple(_triple(value) for value in found)
    return Evaluated(thing.name, parameters, _triple(point), tuple(labels), triples, normal, text)


@command(
    "control-points {thing}",
    help="show the control points of a curve or patch, its knots, and the box that bounds it",
    effect="reads",
    thing=_FORM,
    examples=[_CURVE, "control-points arch", _PATCH, "control-points sheet"],
)
def control_points(session: Session, thing: Entity) -> Net:
    """A curve or patch lies in the convex hull of its control points, and so in the box around them."""
    form = form_in(thing)
    units = session.units
    knots: tuple[Floats, ...]
    degrees: tuple[int, ...]
    if thing.kind == "curve":
        curve = curve_in(thing)
        grid, weights = curve.control[None], curve.weights[None]
        knots, degrees = (curve.knots,), (curve.degree,)
    else:
        patch = patch_in(thing)
        grid, weights, knots, degrees = patch.control, patch.weights, (patch.knots_u, patch.knots_v), patch.degrees

    def row(values: object) -> str:
        return f"({', '.join(tidy(round(units.from_si(float(v), 'length'), 9) + 0.0) for v in np.asarray(values))})"

    lines = [f"{thing.name}: degree {' and '.join(map(str, degrees))}, lengths in {units.length}"]
    for i, points in enumerate(grid, start=1):
        lines.append(("  " if len(grid) == 1 else f"  row {i}: ") + " ".join(row(p) for p in points))
        if not np.all(weights[i - 1] == 1.0):
            lines.append("    weights " + ", ".join(tidy(round(float(w), 12)) for w in weights[i - 1]))
    for name, values in zip(("",) if len(knots) == 1 else (" u", " v"), knots, strict=True):
        lines.append(f"  knots{name}: " + ", ".join(tidy(round(float(k), 12)) for k in values))
    low, high = form.bounds
    lines.append(f"  within {row(low)} … {row(high)}")
    return Net(
        thing.name,
        tuple(degrees),
        tuple(tuple(_triple(p) for p in points) for points in grid),
        tuple(tuple(float(w) for w in one) for one in weights),
        tuple(tuple(float(k) for k in one) for one in knots),
        _triple(low),
        _triple(high),
        "\n".join(lines),
    )


@command(
    "insert knot {thing} {at} [along {along}] [times {times}]",
    help="insert a knot into a curve or patch; its shape stays, and it gets more control points",
    effect="edits",
    thing=_FORM,
    at=Number("number"),
    along=_WAY,
    times=Number("number", positive=True, whole=True),
    param_help={"at": "the parameter", "times": "how often; default 1"},
    examples=[_CURVE, "insert knot arch 0.4", _PATCH, "insert knot sheet 0.5 along u"],
)
def insert_knot(session: Session, thing: Entity, at: float, along: Way | None = None, times: int = 1) -> Done:
    """A knot may occur as many times as the degree."""
    from workcell.geometry.nurbs.basis import knot_fits
    from workcell.geometry.nurbs.curve import NurbsCurve

    form = form_in(thing)
    way = _way(thing, along)
    made: NurbsCurve | NurbsSurface
    if isinstance(form, NurbsCurve):
        knot_fits(form.knots, form.degree, at, times)
        made = form.insert_knot(at, times)
    else:
        number = 0 if way == "u" else 1
        knot_fits((form.knots_u, form.knots_v)[number], form.degrees[number], at, times)
        made = form.insert_knot(at, way, times)
    _keep(session, thing, made)
    return Done(f"{thing.name!r} has {_counted(made)}")


@command(
    "elevate degree {thing} [by {times}] [along {along}]",
    help="raise the degree of a curve or patch; its shape stays, and it gets more control points",
    effect="edits",
    thing=_FORM,
    times=Number("number", positive=True, whole=True),
    along=_WAY,
    param_help={"times": "by how much, at most 10; default 1"},
    examples=[_CURVE, "elevate degree arch", _PATCH, "elevate degree sheet by 1 along v"],
)
def elevate_degree(session: Session, thing: Entity, times: int = 1, along: Way | None = None) -> Done:
    """The degree of a patch is raised in both directions, unless you give one."""
    from workcell.geometry.nurbs.curve import NurbsCurve

    form = form_in(thing)
    ways = _directions(thing, along)
    if times > 10:
        raise InvalidValue(f"A degree is raised by 10 at most; found {times}.")
    if isinstance(form, NurbsCurve):
        form = form.elevate(times)
    else:
        for way in ways:
            for _ in range(times):
                form = form.elevate(way)
    _keep(session, thing, form)
    return Done(f"{thing.name!r} has {_counted(form)}")


@command(
    "subdivide {thing} [along {along}]",
    help="insert a knot in the middle of every span; the shape stays",
    effect="edits",
    thing=_FORM,
    along=_WAY,
    examples=[_CURVE, "subdivide arch", _PATCH, "subdivide sheet along u"],
)
def subdivide(session: Session, thing: Entity, along: Way | None = None) -> Done:
    """The control points move closer to the curve or patch, and the box around them becomes tighter."""
    from workcell.geometry.nurbs.curve import NurbsCurve

    form = form_in(thing)
    if isinstance(form, NurbsCurve):
        _directions(thing, along)
        for middle in _middles(form.knots):
            form = form.insert_knot(middle)
    else:
        for way in _directions(thing, along):
            for middle in _middles(form.knots_u if way == "u" else form.knots_v):
                form = form.insert_knot(middle, way)
    _keep(session, thing, form)
    return Done(f"{thing.name!r} has {_counted(form)}")


def _middles(knots: Floats) -> list[float]:
    breaks = np.unique(knots)
    if len(breaks) > 500:
        raise InvalidValue(f"The form has {counted(len(breaks) - 1, 'span')} already, and 500 are enough.")
    return [float(t) for t in (breaks[1:] + breaks[:-1]) / 2.0]


@command(
    "split {thing} into {first} {second} [at {at}] [along {along}]",
    help="make two curves or patches from one, before and after a parameter",
    effect="edits",
    thing=_FORM,
    first=NewName(),
    second=NewName(),
    at=Number("number"),
    along=_WAY,
    param_help={
        "at": "the parameter; default: the middle of the range",
        "first": "the name of the part before it",
        "second": "the name of the part after it",
    },
    examples=[_CURVE, "split arch into rise fall at 0.5", _PATCH, "split sheet into left right along u"],
)
def split(
    session: Session, thing: Entity, first: str, second: str, at: float | None = None, along: Way | None = None
) -> Done:
    """Both parts have exactly the shape of the original, which stays."""
    from workcell.geometry.nurbs.curve import NurbsCurve

    form = form_in(thing)
    way = _way(thing, along)
    begin, end = form.domain if isinstance(form, NurbsCurve) else form.domain[0 if way == "u" else 1]
    where = (begin + end) / 2.0 if at is None else at
    texts = [
        form_text(part) for part in (form.split(where) if isinstance(form, NurbsCurve) else form.split(where, way))
    ]
    for name, text in zip((first, second), texts, strict=True):
        make(session, thing.kind, name, shape=text)
    return Done(f"{thing.kind}s {first!r} and {second!r} created: {thing.name!r} before and after {tidy(where)}")


@command(
    "create isocurve {name} {surface} [u {u}] [v {v}]",
    help="make a curve on a patch at a constant u or v",
    effect="edits",
    name=NewName(),
    surface=Ref("surface"),
    u=Number("number"),
    v=Number("number"),
    param_help={"u": "the constant value of u", "v": "the constant value of v"},
    examples=[_PATCH, "create isocurve rib sheet u 0.5", "create isocurve rim sheet v 0"],
)
def create_isocurve(
    session: Session, name: str, surface: Entity, u: float | None = None, v: float | None = None
) -> Made:
    """The curve is exact. It does not change with the patch."""
    patch = patch_in(surface)
    for label, value, (first, last) in zip("uv", (u, v), patch.domain, strict=True):
        if value is not None and not first <= value <= last:
            raise InvalidValue(f"{label} must lie in {first:g}…{last:g}; found {value:g}.")
    return make(session, "curve", name, shape=curve_text(patch.isocurve(u, v)))


@command(
    f"trim patch {{surface}} {GROUPS}",
    help="keep a part of a patch, bounded by contours in its parameters u and v",
    effect="edits",
    surface=Ref("surface"),
    contour=ParameterPoints(),
    hole=ParameterPoints(),
    disc=ParameterCircle(),
    bore=ParameterCircle(),
    param_help={**HELP, "contour": "the corners of an outer boundary, in order"},
    examples=[
        _PATCH,
        "trim patch sheet disc 0.4 at 0.5,0.5 bore 0.1 at 0.5,0.5",
        "trim patch sheet contour (0,0) (1,0) (1,1) (0,1) hole (0.4,0.4) (0.6,0.4) (0.5,0.6)",
        "trim patch sheet",
    ],
)
def trim_patch(
    session: Session,
    surface: Entity,
    contour: list[Contour] | None = None,
    hole: list[Contour] | None = None,
    disc: list[Contour] | None = None,
    bore: list[Contour] | None = None,
) -> Done:
    """Without contours the patch becomes whole again. Holes without a contour are holes in the whole patch."""
    import dataclasses

    from workcell.geometry.contour import polygon
    from workcell.geometry.surface import Surface

    patch = patch_in(surface)
    main, holes = boundaries(contour, hole, disc, bore)
    if holes and not main:
        (u0, u1), (v0, v1) = patch.domain
        main = [polygon([(u0, v0), (u1, v0), (u1, v1), (u0, v1)])]
    trim = Surface(tuple(main), tuple(holes)) if main else None
    _keep(session, surface, dataclasses.replace(patch, trim=trim))
    if trim is None:
        return Done(f"patch {surface.name!r} is whole again")
    return Done(f"patch {surface.name!r} trimmed by {len(main)} outer and {len(holes)} inner contours")


def _counted(form: NurbsCurve | NurbsSurface) -> str:
    from workcell.geometry.nurbs.curve import NurbsCurve

    if isinstance(form, NurbsCurve):
        return f"degree {form.degree} and {counted(len(form.control), 'control point')}"
    n, m = form.weights.shape
    return f"degrees {form.degrees[0]} and {form.degrees[1]} and {n} × {m} control points"


def _triple(values: object) -> Triple:
    x, y, z = (float(v) + 0.0 for v in np.asarray(values))
    return x, y, z
