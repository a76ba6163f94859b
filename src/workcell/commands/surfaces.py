"""Commands on surfaces: create surface, create patch, reshape surface, reshape patch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.shapes import CircleValue, Points, SpacePoints
from workcell.commands.language.values import NewName, Number, Text, Vector
from workcell.commands.model import SQUARE, make
from workcell.commands.results import Done, Made
from workcell.errors import InvalidShape, InvalidValue, Refused
from workcell.spatial.units import Units, tidy
from workcell.wording import counted
from workcell.world.entities import Entity
from workcell.world.operations import surface_of, surface_text

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.contour import Contour
    from workcell.geometry.surface import Surface

HELP = {
    "contour": "the corners of an outer boundary, in order; `arc (X,Y) (X,Y)` is an arc through a point to a point",
    "hole": "the corners of a hole, in order",
    "disc": "a round outer boundary: its radius and, if it is not the origin, its centre",
    "bore": "a round hole: its radius and, if it is not the origin, its centre",
}
"""The help of the parameters of :data:`GROUPS`."""
GROUPS = "[contour {contour}]* [hole {hole}]* [disc {disc}]* [bore {bore}]*"
"""The syntax of the boundaries of a surface; see :func:`boundaries`."""
_PLATE = "create surface plate contour (0,0) (400,0) (400,300) (0,300) hole (50,50) (100,50) (75,90)"


@command(
    f"create surface {{name}} {GROUPS} [description {{description}}]",
    help="make a flat surface from outer contours and holes",
    effect="edits",
    name=NewName(),
    contour=Points(),
    hole=Points(),
    disc=CircleValue(),
    bore=CircleValue(),
    description=Text(),
    param_help=HELP,
    examples=[
        SQUARE,
        _PLATE,
        "create surface flange disc 60 bore 20 bore 5 at 40,0 bore 5 at -40,0",
        "create surface slot contour (0,0) (80,0) arc (90,10) (80,20) (0,20) arc (-10,10) (0,0)",
    ],
)
def create_surface(
    session: Session,
    name: str,
    contour: list[Contour] | None = None,
    hole: list[Contour] | None = None,
    disc: list[Contour] | None = None,
    bore: list[Contour] | None = None,
    description: str = "",
) -> Made:
    """Contours must not cross, and holes must lie inside a contour. A message names the edges that cross, and where."""
    shape = checked_shape(session, *boundaries(contour, hole, disc, bore))
    return make(session, "surface", name, shape=shape, description=description)


@command(
    f"reshape surface {{surface}} {GROUPS}",
    help="give a surface other contours; solids that use it change with it",
    effect="edits",
    surface=Ref("surface"),
    contour=Points(),
    hole=Points(),
    disc=CircleValue(),
    bore=CircleValue(),
    param_help=HELP,
    examples=[
        "> create surface ring disc 60 bore 20",
        "> extrude tube ring 100",
        "reshape surface ring disc 80 bore 20",
    ],
)
def reshape_surface(
    session: Session,
    surface: Entity,
    contour: list[Contour] | None = None,
    hole: list[Contour] | None = None,
    disc: list[Contour] | None = None,
    bore: list[Contour] | None = None,
) -> Done:
    """Relations to the surface stay as they are."""
    shape = checked_shape(session, *boundaries(contour, hole, disc, bore))
    session.rows.update("entity", surface.id, shape=shape)
    count = session.database.pointed_by(surface)
    return Done(f"surface {surface.name!r} reshaped; {count} relation{'s point' if count != 1 else ' points'} to it")


@command(
    "create patch {name} {rows} [row {row}]* [degrees {degrees}] [weights {weights}]* [--through]",
    help="make a free-form (NURBS) surface from rows of points",
    effect="edits",
    name=NewName(),
    rows=SpacePoints(),
    row=SpacePoints(),
    degrees=Vector("number", 2, "U,V"),
    weights=Vector("number", None, "W,W,…"),
    param_help={
        "rows": "the first row of points",
        "row": "a further row, as long as the first",
        "degrees": "from row to row, and along a row; default 3,3, or as high as the number of points allows",
        "weights": "one for each control point of a row, given for every row; default 1",
        "through": "the surface goes through the points",
    },
    examples=[
        "create patch saddle (0,0,0) (50,0,20) (100,0,0) row (0,50,-20) (50,50,0) (100,50,-20) "
        "row (0,100,0) (50,100,20) (100,100,0) --through",
        "create patch ramp (0,0,0) (0,100,0) row (100,0,30) (100,100,30) degrees 1,1",
    ],
)
def create_patch(
    session: Session,
    name: str,
    rows: tuple[Any, ...],
    row: list[tuple[Any, ...]] | None = None,
    degrees: tuple[float, float] | None = None,
    weights: list[tuple[float, ...]] | None = None,
    through: bool = False,
) -> Made:
    """The points are control points, unless you give --through."""
    from workcell.geometry.nurbs.surface import NurbsSurface

    grid = [rows, *(row or [])]
    if len({len(one) for one in grid}) != 1 or len(grid) < 2:
        found = ", ".join(str(len(one)) for one in grid)
        raise InvalidValue(f"A patch needs two rows of points or more, all of the same length; found rows of {found}.")
    wanted = degrees or (3.0, 3.0)
    order = (min(int(wanted[0]), len(grid) - 1), min(int(wanted[1]), len(grid[0]) - 1))
    if degrees is not None and (order != tuple(degrees) or min(order) < 1):
        raise InvalidValue(
            f"The degrees of this patch can be 1 to {len(grid) - 1} and 1 to {len(grid[0]) - 1}; found "
            f"{wanted[0]:g} and {wanted[1]:g}."
        )
    if through and weights:
        raise InvalidValue("A patch through points has no weights; leave out --through or the weights.")
    if weights and (len(weights) != len(grid) or {len(w) for w in weights} != {len(rows)}):
        raise InvalidValue(f"Weights are given for every row, {counted(len(rows), 'number')} each.")
    made = NurbsSurface.through(grid, order) if through else NurbsSurface.clamped(grid, order, weights)
    return make(session, "surface", name, shape=surface_text(made.patch))


@command(
    "reshape patch {surface} {row} {column} [to {point}] [weight {weight}]",
    help="move a control point of a free-form surface, or change its weight",
    effect="edits",
    surface=Ref("surface"),
    row=Number("number", positive=True, whole=True),
    column=Number("number", positive=True, whole=True),
    point=Vector(),
    weight=Number("number", positive=True),
    param_help={
        "row": "of the control point, counted from 1",
        "column": "of the control point, counted from 1",
        "point": "its new position",
        "weight": "its new weight, more than 0",
    },
    examples=[
        "> create patch sheet (0,0,0) (0,50,0) (0,100,0) row (50,0,0) (50,50,0) (50,100,0) "
        "row (100,0,0) (100,50,0) (100,100,0)",
        "reshape patch sheet 2 2 to 50,50,40",
        "reshape patch sheet 2 2 weight 3",
    ],
)
def reshape_patch(
    session: Session,
    surface: Entity,
    row: int,
    column: int,
    point: tuple[float, float, float] | None = None,
    weight: float | None = None,
) -> Done:
    """Blocks that use the patch change with it."""
    from workcell.geometry.nurbs.surface import NurbsSurface
    from workcell.geometry.surface import NurbsPatch

    patch = surface_of(surface.shape) if surface.shape is not None else None
    if not isinstance(patch, NurbsPatch):
        raise Refused(f"Surface {surface.name!r} is not a free-form patch; `reshape surface` gives it other contours.")
    rows, columns = len(patch.control), len(patch.control[0])
    if row > rows or column > columns:
        raise InvalidValue(
            f"Patch {surface.name!r} has {counted(rows, 'row')} of {columns} points; found {row} and {column}."
        )
    if point is None and weight is None:
        raise InvalidValue("Give the new position of the control point (`to X,Y,Z`) or its `weight`.")
    made = NurbsSurface.from_patch(patch)
    if point is not None:
        made = made.with_control(row - 1, column - 1, point)
    if weight is not None:
        made = made.with_weight(row - 1, column - 1, weight)
    session.rows.update("entity", surface.id, shape=surface_text(made.patch))
    return Done(f"control point {row}, {column} of {surface.name!r} changed")


def boundaries(
    contour: list[Contour] | None, hole: list[Contour] | None, disc: list[Contour] | None, bore: list[Contour] | None
) -> tuple[list[Contour], list[Contour]]:
    """Return the outer boundaries of a surface and its holes, from the four parameters of :data:`GROUPS`."""
    return [*(contour or []), *(disc or [])], [*(hole or []), *(bore or [])]


def checked_shape(session: Session, main: list[Contour], holes: list[Contour]) -> str | None:
    """Return the canonical text of a surface, checked; an error is in the units of the cell."""
    from workcell.geometry.surface import Surface

    if holes and not main:
        raise InvalidValue("A hole needs an outer contour around it; give `contour …` or `disc …` too.")
    if not main:
        return None
    try:
        return surface_text(Surface(tuple(main), tuple(holes)))
    except InvalidShape as error:
        in_metres = error
    unit = session.units.length
    scale = 1.0 / session.units.size("length", "")
    try:
        Surface(tuple(_scaled(c, scale) for c in main), tuple(_scaled(c, scale) for c in holes))
    except InvalidShape as shown:
        raise InvalidShape(f"{str(shown).removesuffix('.')} (in {unit}).", **in_metres.evidence) from None
    raise in_metres


def _scaled(contour: Contour, k: float) -> Contour:
    from workcell.geometry.contour import ArcTo, Circle, LineTo, Path, Polygon

    def at(point: tuple[float, float]) -> tuple[float, float]:
        # Rounded as a person would have typed it.
        return float(f"{point[0] * k:.12g}"), float(f"{point[1] * k:.12g}")

    if isinstance(contour, Circle):
        return Circle(at(contour.centre), contour.radius * k)
    if isinstance(contour, Polygon):
        return Polygon(tuple(at(p) for p in contour.corners))
    segments = [ArcTo(at(s.through), at(s.to)) if isinstance(s, ArcTo) else LineTo(at(s.to)) for s in contour.segments]
    return Path(at(contour.start), tuple(segments))


def surface_summary(shape: str) -> str:
    """Describe a surface or a curve in a few words."""
    from workcell.geometry.nurbs.kept import curve_of
    from workcell.geometry.surface import Surface

    if shape.startswith('{"kind":"nurbs-curve"'):
        curve = curve_of(shape)
        return f"curve of {counted(len(curve.control), 'control point')}, degree {curve.degree}"
    surface = surface_of(shape)
    if isinstance(surface, Surface):
        count, holes = len(surface.main), len(surface.holes)
        return f"{count} contour{'s' if count != 1 else ''}, {holes} hole{'s' if holes != 1 else ''}"
    u, v = surface.degrees
    trimmed = "trimmed " if surface.trim is not None else ""
    points = counted(len(surface.control[0]), "control point")
    return f"{trimmed}patch of {len(surface.control)} × {points}, degrees {u} and {v}"


def surface_lines(entity: Entity, units: Units) -> list[str]:
    """Return the contours of a surface, one per line; nothing for other entities."""
    from workcell.geometry.contour import Circle
    from workcell.geometry.surface import Surface

    if entity.kind != "surface" or entity.shape is None:
        return []
    surface = surface_of(entity.shape)
    if not isinstance(surface, Surface):
        return [surface_summary(entity.shape)]

    def pair(point: tuple[float, float]) -> str:
        return f"({', '.join(tidy(units.from_si(v, 'length')) for v in point)})"

    def line(contour: Contour, straight: str, round_: str) -> str:
        if isinstance(contour, Circle):
            return f"{round_}: {tidy(units.from_si(contour.radius, 'length'))} at {pair(contour.centre)}"
        return f"{straight}: {_words(contour, pair)}"

    return [line(c, "contour", "disc") for c in surface.main] + [line(c, "hole", "bore") for c in surface.holes]


def _words(contour: Any, pair: Any) -> str:
    from workcell.geometry.contour import ArcTo, Polygon, SplineTo

    if isinstance(contour, Polygon):
        return " ".join(pair(point) for point in contour.corners)
    words = [pair(contour.start)]
    for segment in contour.segments:
        if isinstance(segment, ArcTo):
            words += ["arc", pair(segment.through)]
        elif isinstance(segment, SplineTo):
            words += ["spline", *(pair(point) for point in segment.control[:-1])]
        words.append(pair(segment.to))
    return " ".join(words)


def flat_surface(entity: Entity) -> Surface:
    """Return the flat surface of an entity; refused if it has none."""
    from workcell.geometry.surface import Surface

    surface = surface_of(entity.shape) if entity.shape is not None else None
    if not isinstance(surface, Surface):
        what = "is a free-form patch" if surface is not None else "has no contour yet"
        raise Refused(f"Surface {entity.name!r} {what}; this command needs a flat surface.")
    return surface
