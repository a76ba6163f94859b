"""Commands that make targets from shapes: targets along-edge, targets along-curve, targets over-face, targets of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.commands.faces import FaceName
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.shapes import SpacePoints
from workcell.commands.language.values import Angle, Choice, Length, NewName, Number, Vector
from workcell.commands.results import Table
from workcell.commands.target_family import Targets, keep_family
from workcell.errors import InvalidValue, Refused
from workcell.wording import counted, quoted
from workcell.world.entities import Entity
from workcell.world.expand import Expander
from workcell.world.places import CARRIERS

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.solid import Solid

_CUBE = "> add solid Cube box 300 1100 350 at 1550,0,700"
_APPROACH = Choice(
    {
        "between": "halfway between the normals of both faces",
        "first": "along the normal of the first face",
        "second": "along the normal of the second face",
    },
    "between|first|second",
)
_LEANING = {
    "tilt": "how far the tool leans in the direction of travel; positive points it forwards; default 0",
    "side": "how far it leans sideways; positive towards the second face; default 0",
    "roll": "how far it is turned about its own axis; default 0",
    "gap": "the distance of the TCP from the work; default 0",
}
_PLACES = {
    "spacing": "the distance between targets; the end gets a target too",
    "places": "the distance of each target from the beginning, instead of a spacing",
    "start": "the length to leave out at the beginning; default 0",
    "end": "the length to leave out at the end; default 0",
    "even": "widen or narrow the spacing a little, so that all distances are equal",
    "backward": "go in the opposite direction",
}


@command(
    "targets along-edge {thing} {first} {second} to {path} [spacing {spacing}] [at {places}] [start {start}] "
    "[end {end}] [edge {piece}] [approach {approach}] [tilt {tilt}] [side {side}] [roll {roll}] [gap {gap}] "
    "[gaps {gaps}] [--even] [--backward]",
    help="make a path of targets along the edge where two faces of an object meet",
    effect="edits",
    thing=Ref("object"),
    first=FaceName("thing"),
    second=FaceName("thing"),
    path=NewName(),
    spacing=Length(positive=True),
    places=Vector("length", None, "S1,S2,…"),
    start=Length(),
    end=Length(),
    piece=Number(whole=True, positive=True),
    approach=_APPROACH,
    tilt=Angle(),
    side=Angle(),
    roll=Angle(),
    gap=Length(),
    gaps=Vector("length", 2, "GAP1,GAP2"),
    param_help={
        **_PLACES,
        **_LEANING,
        "first": "the face on the left, seen from outside and in the direction of travel",
        "piece": "the number of the edge, if the faces meet in several",
        "approach": "the direction of the tool: between the normals of both faces, the default, or along one of them",
        "gaps": "the distances of the TCP from the two faces, instead of a gap",
        "second": "the face on the right",
        "path": "the name of the new path",
    },
    examples=[
        _CUBE,
        "targets along-edge Cube left top to seam spacing 50mm tilt 10deg",
        "targets along-edge Cube left top to fine at 0,100,250 approach second gaps 0.5,0.5",
    ],
)
def along_edge(
    session: Session,
    thing: Entity,
    first: str,
    second: str,
    path: str,
    spacing: float | None = None,
    places: tuple[float, ...] | None = None,
    start: float = 0.0,
    end: float = 0.0,
    piece: int = 0,
    approach: Any = "between",
    tilt: float = 0.0,
    side: float = 0.0,
    roll: float = 0.0,
    gap: float = 0.0,
    gaps: tuple[float, float] | None = None,
    even: bool = False,
    backward: bool = False,
) -> Targets:
    """Each target has its x axis in the direction of travel and its z axis into the work.

    The path moves with the object.
    """
    from workcell.geometry.traces import edge_trace
    from workcell.motion.targets import away, tool_poses

    solid, (one, two) = _solid_of(session, thing, first, second)
    trace = edge_trace(
        solid, one, two, spacing=spacing, at=places, start=start, end=end, even=even, piece=piece, backward=backward
    )
    poses = tool_poses(trace, approach=approach, tilt=tilt, side=side, turn=roll, gap=gap, gaps=gaps)
    how = f"along the edge of {thing.name} between {first} and {second}"
    return keep_family(session, path, poses, thing, how, away(trace, approach), trace.closed)


@command(
    "targets along-curve {path} normal {normal} [of {curve}] [through {points}] [control {control}] [on {thing}] "
    "[spacing {spacing}] [at {places}] [start {start}] [end {end}] [tilt {tilt}] [side {side}] [roll {roll}] "
    "[gap {gap}] [--even] [--backward]",
    help="make a path of targets along a curve",
    effect="edits",
    path=NewName(),
    normal=Vector("number", 3),
    curve=Ref("curve"),
    points=SpacePoints(),
    control=SpacePoints(),
    thing=Ref(*CARRIERS),
    spacing=Length(positive=True),
    places=Vector("length", None, "S1,S2,…"),
    start=Length(),
    end=Length(),
    tilt=Angle(),
    side=Angle(),
    roll=Angle(),
    gap=Length(),
    param_help={
        **_PLACES,
        **_LEANING,
        "normal": "a direction away from the work",
        "curve": "a curve of the cell",
        "points": "points that the curve passes through",
        "control": "the control points of the curve",
        "thing": "what the path hangs on; the curve is in its frame; default: the world",
        "path": "the name of the new path",
    },
    examples=[
        "targets along-curve arch normal 0,0,1 through (400,-200,300) (500,0,400) (400,200,300) spacing 50",
        _CUBE,
        "> create curve ring circle 120 at 0,0,175",
        "targets along-curve circle normal 0,0,1 of ring on Cube spacing 40 --even",
        "targets along-curve wave normal 0,0,1 control (0,-300,175) (100,0,175) (0,300,175) on Cube spacing 100 --even",
    ],
)
def along_curve(
    session: Session,
    path: str,
    normal: tuple[float, float, float],
    curve: Entity | None = None,
    points: tuple[tuple[float, float, float], ...] | None = None,
    control: tuple[tuple[float, float, float], ...] | None = None,
    thing: Entity | None = None,
    spacing: float | None = None,
    places: tuple[float, ...] | None = None,
    start: float = 0.0,
    end: float = 0.0,
    tilt: float = 0.0,
    side: float = 0.0,
    roll: float = 0.0,
    gap: float = 0.0,
    even: bool = False,
    backward: bool = False,
) -> Targets:
    """Give the curve with `of`, `through` or `control`. Points make a curve of degree 3, or less if they are few."""
    from workcell.commands.curves import curve_in
    from workcell.geometry.nurbs.curve import NurbsCurve
    from workcell.geometry.traces import curve_trace
    from workcell.motion.targets import tool_poses

    if [curve, points, control].count(None) != 2:
        raise InvalidValue("Give exactly one of `of`, `through` and `control`.")
    if curve is not None:
        line = curve_in(curve)
    elif points is not None:
        line = NurbsCurve.through(np.array(points))
    else:
        line = NurbsCurve.clamped(np.array(control), min(3, len(control or ()) - 1))
    trace = curve_trace(line, normal, spacing=spacing, at=places, start=start, end=end, even=even, backward=backward)
    poses = tool_poses(trace, tilt=tilt, side=side, turn=roll, gap=gap)
    how = f"along {f'the curve {curve.name}' if curve else 'a curve'}" + (f" on {thing.name}" if thing else "")
    return keep_family(session, path, poses, thing, how, trace.first, trace.closed)


@command(
    "targets over-face {thing} {face} to {path} rows {row} spacing {spacing} [margin {margin}] [angle {angle}] "
    "[along {along}] [retract {retract}] [tilt {tilt}] [side {side}] [roll {roll}] [gap {gap}] [--one-way]",
    help="make a path of targets in rows over a face",
    effect="edits",
    thing=Ref("object"),
    face=FaceName("thing"),
    path=NewName(),
    row=Length(positive=True),
    spacing=Length(positive=True),
    margin=Length(),
    angle=Angle(),
    along=Choice({"u": "around a cylinder", "v": "along its axis"}, "u|v"),
    retract=Length(),
    tilt=Angle(),
    side=Angle(),
    roll=Angle(),
    gap=Length(),
    param_help={
        **_LEANING,
        "row": "the distance between rows",
        "spacing": "the distance between the targets of a row; its end gets a target too",
        "margin": "the distance of the ends of the rows from the boundary of the face; default 0",
        "angle": "of the rows on a flat face, from the first direction of the face; default 0",
        "along": "the direction of the rows on a curved face: u around a cylinder, the default, or v along its axis",
        "retract": "how far the tool is lifted between two rows; default 0",
        "path": "the name of the new path",
        "one_way": "all rows run in the same direction; default: to and fro",
    },
    examples=[
        _CUBE,
        "targets over-face Cube top to raster rows 100 spacing 50 margin 20 gap 200",
        "targets over-face Cube left to comb rows 80 spacing 80 --one-way retract 50",
    ],
)
def over_face(
    session: Session,
    thing: Entity,
    face: str,
    path: str,
    row: float,
    spacing: float,
    margin: float = 0.0,
    angle: float = 0.0,
    along: Any = "u",
    retract: float = 0.0,
    tilt: float = 0.0,
    side: float = 0.0,
    roll: float = 0.0,
    gap: float = 0.0,
    one_way: bool = False,
) -> Targets:
    """There are no targets over holes."""
    from workcell.geometry.traces import face_traces
    from workcell.motion.targets import joined, tool_poses

    solid, (name,) = _solid_of(session, thing, face)
    rows = face_traces(solid, name, row, spacing, margin=margin, angle=angle, along=along, zigzag=not one_way)
    parts = [tool_poses(trace, approach="first", tilt=tilt, side=side, turn=roll, gap=gap) for trace in rows]
    how = f"in {len(rows)} row{'s' if len(rows) != 1 else ''} over the face {face} of {thing.name}"
    return keep_family(session, path, joined(parts, retract), thing, how)


@command(
    "targets of {path}",
    help="list the targets of a path, with their current positions in the world",
    effect="reads",
    path=Ref("path"),
    examples=[_CUBE, "> targets along-edge Cube left top to seam spacing 200", "targets of seam"],
)
def targets_of(session: Session, path: Entity) -> Table:
    """The last three columns are the direction of the z axis of each target."""
    units, snapshot = session.units, session.snapshot()
    names, poses = snapshot.places.path(path.name).targets, snapshot.path_poses(session.state, path.name)
    rows = []
    for name, X in zip(names, poses, strict=True):
        x, y, z = (round(units.from_si(float(v), "length"), 4) + 0.0 for v in X.xyz)
        rows.append((name, x, y, z, *(round(float(v), 4) + 0.0 for v in X.rotation[:, 2])))
    headings = ("target", *(f"{axis} [{units.length}]" for axis in "xyz"), "toward x", "toward y", "toward z")
    return Table(headings, tuple(rows), f"{len(rows)} target{'s' if len(rows) != 1 else ''}")


def _solid_of(session: Session, thing: Entity, *faces: str) -> tuple[Solid, list[str]]:
    """Return the solid of an object that has all these faces, and their names on it."""
    found = list(Expander(session.database).solids(thing))
    if not found:
        raise Refused(f"Object {thing.name!r} has no solid, so it has no faces.")
    if len(found) == 1:
        return found[0][1], list(faces)
    known = {".".join(part.path): solid for part, solid in found}
    owners = []
    for face in faces:
        own = [name for name in known if face.startswith(f"{name}.")]
        if not own:
            raise Refused(
                f"{thing.name!r} consists of {counted(len(found), 'block')}, so the names of its faces begin with "
                f"{', '.join(sorted(known))}; found {face!r}. `faces {quoted(thing.name)}` lists them."
            )
        owners.append(max(own, key=len))
    if len(set(owners)) > 1:
        raise Refused(
            f"{faces[0]!r} and {faces[1]!r} are on different blocks, which have no edge in common; "
            f"`combine` them into one block first."
        )
    return known[owners[0]], [face[len(owner) + 1 :] for face, owner in zip(faces, owners, strict=True)]
