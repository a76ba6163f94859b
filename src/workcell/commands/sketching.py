"""Commands for sketches, flat surfaces with a block extruded or revolved from them: check sketch, sketches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.shapes import CircleValue, Points
from workcell.commands.results import Done, Result
from workcell.commands.surfaces import GROUPS, HELP, boundaries, checked_shape, flat_surface
from workcell.errors import InvalidValue, WorkcellError
from workcell.wording import counted
from workcell.world.entities import Entity
from workcell.world.operations import ExtrudeSurface, RevolveSurface, is_operation, operation_of
from workcell.world.thing_poses import thing_pose

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.contour import Contour

Pair = tuple[float, float]
Triple = tuple[float, float, float]
Matrix = NDArray[np.float64]

_UPRIGHT = np.array([(1.0, 0, 0, 0), (0, 0, -1.0, 0), (0, 1.0, 0, 0), (0, 0, 0, 1.0)])
"""The frame of a profile beside the z axis: its y is the height."""


class Boundary(Result, frozen=True):
    """A contour or hole of a sketch [m]: a circle with its centre in ``points``, or corners in order.

    ``via[i]`` is a point of the arc from corner i to the next one; None for a straight edge.
    """

    hole: bool
    kind: Literal["polygon", "circle"]
    points: tuple[Pair, ...]
    via: tuple[Pair | None, ...]
    radius: float = 0.0


class Sketch(Result, frozen=True):
    """A block that was extruded or revolved from a flat surface.

    ``vector`` is that of an extrusion [m]; ``angle`` [rad], ``point`` [m] and ``direction`` are those of a revolved
    block, whose axis is y of the sketch without them. ``matrix`` is the frame of the sketch in the world, or in the
    thing if that is in no scene (4×4). ``editable`` is False if it has edges that are neither straight nor round.
    """

    block: str
    surface: str
    made: Literal["extrude", "revolve"]
    boundaries: tuple[Boundary, ...]
    matrix: list[list[float]]
    vector: Triple | None = None
    angle: float = 0.0
    point: Triple | None = None
    direction: Triple | None = None
    editable: bool = True


class SketchList(Result, frozen=True):
    """The sketches that a thing is made of."""

    thing: str
    sketches: tuple[Sketch, ...]

    def __str__(self) -> str:
        lines = [f"  {one.block}: {one.made} {one.surface}" for one in self.sketches]
        return "\n".join([f"{self.thing}: {counted(len(lines), 'sketch', 'sketches')}", *lines])


@command(
    f"check sketch {GROUPS}",
    help="check contours and holes without making a surface of them",
    effect="reads",
    background=True,
    contour=Points(),
    hole=Points(),
    disc=CircleValue(),
    bore=CircleValue(),
    param_help=HELP,
    examples=["check sketch contour (0,0) (400,0) (400,300) (0,300) bore 20 at 100,100"],
)
def check_sketch(
    session: Session,
    contour: list[Contour] | None = None,
    hole: list[Contour] | None = None,
    disc: list[Contour] | None = None,
    bore: list[Contour] | None = None,
) -> Done:
    """Contours that cross are refused as by `create surface`; the message names the edges, and where they cross."""
    main, holes = boundaries(contour, hole, disc, bore)
    if not main:
        raise InvalidValue("A sketch needs an outer contour; give `contour …` or `disc …`.")
    checked_shape(session, main, holes)
    return Done(f"good: {counted(len(main), 'contour')}, {counted(len(holes), 'hole')}")


@command(
    "sketches {thing}",
    help="list the sketches that a block or object is made of, with their contours",
    effect="reads",
    background=True,
    thing=Ref("block", "object"),
    examples=["> create surface ring disc 60 bore 20", "> extrude tube ring 100", "sketches tube"],
)
def sketches(session: Session, thing: Entity) -> SketchList:
    """Blocks that others are combined from are searched too. `reshape surface` and `reshape block` change them."""
    place = np.eye(4)
    if thing.kind == "object":
        with suppress(WorkcellError):  # it may be in no scene
            place = thing_pose(session.snapshot(), session.state, thing.name, "object").matrix
    return SketchList(thing.name, tuple(_found(session, thing, place, set())))


def _found(session: Session, thing: Entity, place: Matrix, seen: set[int]) -> Iterator[Sketch]:
    """Yield the sketches of a thing; one that is used several times only once."""
    if thing.id in seen:
        return
    seen.add(thing.id)
    database = session.database
    parts = [(one, database.by_id(one.child)) for one in database.relations(thing)]
    operation = (
        operation_of(thing.shape) if thing.kind == "block" and thing.shape and is_operation(thing.shape) else None
    )
    for relation, part in parts:
        at = place @ relation.matrix
        if part.kind in ("block", "object"):
            yield from _found(session, part, at, seen)
        elif part.kind == "surface" and isinstance(operation, ExtrudeSurface | RevolveSurface):
            yield _sketch(thing, part, operation, at)


def _sketch(block: Entity, surface: Entity, operation: ExtrudeSurface | RevolveSurface, place: Matrix) -> Sketch:
    flat = flat_surface(surface)
    lines = [_boundary(one, hole) for hole, several in ((False, flat.main), (True, flat.holes)) for one in several]
    known = tuple(one for one in lines if one is not None)
    common = block.name, surface.name
    whole = len(known) == len(lines)
    if isinstance(operation, ExtrudeSurface):
        return Sketch(*common, "extrude", known, place.tolist(), vector=operation.vector, editable=whole)
    upright = place if operation.direction is not None else place @ _UPRIGHT
    return Sketch(
        *common,
        "revolve",
        known,
        upright.tolist(),
        angle=operation.angle,
        point=operation.point,
        direction=operation.direction,
        editable=whole,
    )


def _boundary(contour: Contour, hole: bool) -> Boundary | None:
    """Return a contour as corners and arcs; None if it has free-form edges."""
    from workcell.geometry.contour import ArcTo, Circle, Polygon, SplineTo

    if isinstance(contour, Circle):
        return Boundary(hole, "circle", (contour.centre,), (), contour.radius)
    if isinstance(contour, Polygon):
        return Boundary(hole, "polygon", contour.corners, (None,) * len(contour.corners))
    points, via = [contour.start], []
    for segment in contour.segments:
        if isinstance(segment, SplineTo):
            return None
        via.append(segment.through if isinstance(segment, ArcTo) else None)
        points.append(segment.to)
    if points[-1] == points[0]:
        points.pop()
    else:
        via.append(None)
    return Boundary(hole, "polygon", tuple(points), tuple(via))
