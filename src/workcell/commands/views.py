"""Commands on named views: look, views, display, clear."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workcell.commands.body_names import zone_names
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Angle, Choice, NewName, Number, Text, Vector, YesNo
from workcell.commands.model import make
from workcell.commands.results import Done, Result
from workcell.commands.shown_or_all import ShownOrAll
from workcell.commands.view_names import SIDES, ViewNames
from workcell.errors import InvalidValue, Refused, UnknownName
from workcell.wording import counted, quoted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.pictures.camera import Camera
    from workcell.pictures.scene import Scene

Triple = tuple[float, float, float]

SURFACES = {
    "shaded": "smoothly lit, with soft shadows",
    "solid": "each facet in one tone",
    "hidden-line": "edges only, black on white, hidden ones faint",
    "wireframe": "all edges, hidden ones too",
}
EDGES = {"feature": "the edges of faces and the outlines", "all": "the edges of every triangle", "none": "no edges"}
_SHOWN = ("object", "robot", "mechanism", "zone", "sensor")


@command(
    "look {view} [{side}] [from {eye}] [at {target}] [twist {twist}] [turn {turn}] [projection {projection}] "
    "[zoom {zoom}] [near {near}] [as {surfaces}] [edges {edges}] [shadows {shadows}] [grid {grid}] [axes {axes}] "
    "[cut {cut} along {along}] [hiding {hidden}] [of {views}] [--whole]",
    help="make or change a named view: where it looks from, and at what",
    effect="edits",
    view=NewName(),
    side=Choice(SIDES, "SIDE"),
    eye=Vector(),
    target=Vector(),
    twist=Angle(),
    turn=Angle(),
    projection=Choice({"perspective": "near things are larger", "parallel": "sizes are true"}, "perspective|parallel"),
    zoom=Number("number", positive=True),
    near=Number("length", positive=True),
    surfaces=Choice(SURFACES, "SURFACES"),
    edges=Choice(EDGES, "EDGES"),
    shadows=YesNo(),
    grid=YesNo(),
    axes=YesNo(),
    cut=Vector(),
    along=Vector("number"),
    hidden=Text(),
    views=ViewNames(),
    param_help={
        "edges": "which edges are drawn in this view by default",
        "shadows": "whether there are shadows",
        "grid": "whether the floor has lines",
        "axes": "whether x, y and z are shown in the corner",
        "cut": "a point of a plane: what is before the plane is cut away",
        "along": "the direction across that plane, into what is left",
        "hidden": 'names of things that it does not show, with commas between; "" for none',
        "views": "make it a sheet, which shows these views side by side",
        "whole": "no longer cut open",
        "side": "shows everything from this side, including things that you add later",
        "eye": "the point it looks from",
        "target": "the point in the middle of the picture; default 0,0,0",
        "twist": "how far the picture is turned clockwise; default 0",
        "turn": "how much farther the picture is turned clockwise",
        "surfaces": "how `render` draws surfaces in this view by default",
        "zoom": "2 shows half as much, twice as large; default 1",
        "near": "cut away everything that is nearer to the eye than this",
        "view": "its name",
        "projection": "perspective: near things are larger; parallel: sizes are true",
    },
    examples=[
        "> add solid peg cylinder 20 100",
        "look close from 300,-300,200 at 0,0,0 zoom 1.5",
        "look above top projection parallel",
        "look close twist 10",
        "look close turn 5 as wireframe",
        "look close near 400",
        "look close cut 0,0,0 along 0,1,0 edges none",
        "look close --whole hiding peg",
        "look sheet of close,above",
    ],
)
def look(
    session: Session,
    view: str,
    side: str | None = None,
    eye: Triple | None = None,
    target: Triple | None = None,
    twist: float | None = None,
    projection: str | None = None,
    zoom: float | None = None,
    near: float | None = None,
    turn: float | None = None,
    surfaces: str | None = None,
    edges: str | None = None,
    shadows: bool | None = None,
    grid: bool | None = None,
    axes: bool | None = None,
    cut: Triple | None = None,
    along: Triple | None = None,
    hidden: str | None = None,
    views: tuple[str, ...] | None = None,
    whole: bool = False,
) -> Done:
    """Parameters that you do not give stay.

    With `from` the view looks from a point; otherwise it shows everything from its side.
    """
    database = session.database
    if side is not None and (eye is not None or target is not None):
        raise InvalidValue("Give either a side, or `from` a point and `at` a point.")
    if twist is not None and turn is not None:
        raise InvalidValue("Give either `twist`, the angle itself, or `turn`, by how much it changes.")
    found = database.find("view", view)
    if turn is not None:
        twist = turn + float(0.0 if found is None else found.properties.get("twist", 0.0))
    if found is None:
        make(session, "view", view)
    changes: dict[str, Any] = {
        "eye": None if eye is None else list(eye),
        "target": None if target is None else list(target),
        "twist": twist, "projection": projection, "zoom": zoom, "side": side, "near": near, "surfaces": surfaces,
        "edges": edges, "shadows": shadows, "grid": grid, "axes": axes,
        "views": None if views is None else ", ".join(_parts(session, view, views)),
    }  # fmt: skip
    changes = {name: value for name, value in changes.items() if value is not None}
    changes |= _section_changes(cut, along, whole)
    if hidden is not None:
        changes["hides"] = ", ".join(_hideable(session, hidden)) or None
    if side is not None:
        changes |= {"eye": None, "target": None}
    elif eye is not None or target is not None:
        changes["side"] = None
    entity = database.entity("view", view)
    database.set_properties(session.rows, entity, changes)
    camera_of(database.entity("view", view), None)
    return Done(f"view {view!r} {'made' if found is None else 'changed'}")


def _section_changes(cut: Triple | None, along: Triple | None, whole: bool) -> dict[str, Any]:
    """Return the properties of a section: a plane, or with `whole` none."""
    if cut is None or along is None:
        return {"cut": None, "along": None} if whole else {}
    if whole:
        raise InvalidValue("Give either `cut`, or `--whole`.")
    length = math.hypot(*along)
    if not length > 1e-9:
        raise InvalidValue("The direction of a cut must not be 0,0,0.")
    return {"cut": list(cut), "along": [value / length for value in along]}


def _hideable(session: Session, names: str) -> list[str]:
    """Return the names of a list, each of something that views show."""
    found = [name.strip() for name in names.split(",") if name.strip()]
    for name in found:
        if all(session.database.find(kind, name) is None for kind in _SHOWN):
            known = [one for kind in _SHOWN for one in session.database.names(kind)]
            raise UnknownName.among("object, robot, mechanism, zone or sensor", name, known)
    return found


def _parts(session: Session, name: str, views: tuple[str, ...]) -> tuple[str, ...]:
    """Return the views of a sheet, none of which may be a sheet."""
    for view in views:
        found = session.database.find("view", view)
        if view == name or (found is not None and names_in(found, "views")):
            raise Refused(f"A sheet cannot show the sheet {view!r}.")
    return views


class ViewRow(Result, frozen=True):
    """A view of the cell; what it does not say is None: points [m], angles [rad], names."""

    name: str
    eye: tuple[float, float, float] | None
    target: tuple[float, float, float]
    side: str
    projection: str
    zoom: float
    surfaces: str
    edges: str
    shadows: bool
    grid: bool
    axes: bool
    cut: tuple[float, float, float] | None
    along: tuple[float, float, float] | None
    shows: list[str] | None
    hides: list[str]
    views: list[str]
    twist: float = 0.0
    near: float = 0.0


class ViewRows(Result, frozen=True):
    """The views of the cell."""

    views: list[ViewRow]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "views",
    help="list the named views of the cell",
    effect="reads",
    background=True,
    examples=["> look close from 300,-300,200 at 0,0,0", "views"],
)
def views_command(session: Session) -> ViewRows:
    """Each with where it looks from, how it is drawn, and what it shows."""
    rows = [_row(session.database.entity("view", name)) for name in session.database.names("view")]
    lines = [f"{row.name}: {', '.join(row.views) or ('from a point' if row.eye else row.side)}" for row in rows]
    return ViewRows(rows, "\n".join([counted(len(rows), "view"), *lines]))


def _row(view: Entity) -> ViewRow:
    kept = view.properties
    eye, section = kept.get("eye"), section_of(view)
    return ViewRow(
        view.name, None if eye is None else _triple(eye), _triple(kept.get("target", (0.0, 0.0, 0.0))),
        str(kept.get("side", "iso")), str(kept.get("projection", "")), float(kept.get("zoom", 1.0)),
        str(kept.get("surfaces", "shaded")), str(kept.get("edges", "feature")), bool(kept.get("shadows", True)),
        bool(kept.get("grid", True)), bool(kept.get("axes", True)), section and section[0], section and section[1],
        shown_names(view), hidden_names(view), names_in(view, "views"), float(kept.get("twist", 0.0)),
        float(kept.get("near", 0.0)),
    )  # fmt: skip


def _triple(values: Iterable[Any]) -> Triple:
    x, y, z = (float(value) for value in values)
    return x, y, z


def section_of(view: Entity) -> tuple[Triple, Triple] | None:
    """Return a point of the plane that cuts a view open [m] and the direction into what is left, if it is cut."""
    at, along = view.properties.get("cut"), view.properties.get("along")
    return None if at is None or along is None else (_triple(at), _triple(along))


@command(
    "display {thing} in {view}",
    help="show an object, robot, zone or sensor in a named view",
    effect="edits",
    thing=Ref(*_SHOWN),
    view=Ref("view"),
    param_help={"thing": "what to show"},
    examples=["> add solid peg cylinder 20 100", "> look close iso", "display peg in close"],
)
def display(session: Session, thing: Entity, view: Entity) -> Done:
    """A new view shows everything. Once you display something in it, the view shows only what was displayed in it."""
    names = shown_names(view) or []
    if thing.name not in names:
        names.append(thing.name)
    _show(session, view, names)
    return Done(f"view {view.name!r} shows {', '.join(names)}")


@command(
    "clear {thing} [from {view}]",
    help="remove something from a named view, empty a view, or with `all` empty the whole cell",
    effect="edits",
    thing=ShownOrAll(*_SHOWN, "view"),
    view=Ref("view"),
    param_help={
        "thing": "what to remove from the view; a view, to empty it; or `all`, to remove everything from the cell"
    },
    examples=[
        "> add solid peg cylinder 20 100",
        "> add solid plate box 100 100 5",
        "> look close iso",
        "clear plate from close",
        "clear view close",
        "clear all",
    ],
)
def clear(session: Session, thing: Entity | str, view: Entity | None = None) -> Done:
    """What you clear from a view stays in the cell and in other views.

    `clear all` empties the cell; units, profile and other settings stay. It is one step of the history, which `undo`
    reverts. To empty the window of the shell, press Ctrl-L.
    """
    if isinstance(thing, str):
        if view is not None:
            raise InvalidValue(
                f"`clear all` empties the whole cell; `clear view {quoted(view.name)}` empties the view."
            )
        return Done(f"{counted(session.database.clear(session.rows), 'thing')} removed; `undo` brings them back")
    if thing.kind == "view":
        if view is not None:
            raise InvalidValue(f"A view is not shown in views; `clear {quoted(thing.name)}` empties it.")
        _show(session, thing, [])
        return Done(f"view {thing.name!r} is empty; `display … in {quoted(thing.name)}` shows something in it")
    if view is None:
        raise InvalidValue(f"Name the view: `clear {quoted(thing.name)} from VIEW`.")
    names = shown_names(view)
    if names is None:
        from workcell.pictures.sensors import drawn_sensors

        snapshot = session.snapshot()
        others = (*zone_names(session), *drawn_sensors(snapshot))
        names = list(dict.fromkeys([*(body.owner for body in snapshot.bodies), *others]))
    if thing.name not in names:
        raise Refused(f"View {view.name!r} does not show {thing.name!r}; it shows {', '.join(names) or 'nothing'}.")
    names.remove(thing.name)
    _show(session, view, names)
    return Done(f"view {view.name!r} shows {', '.join(names) or 'nothing'}")


def _show(session: Session, view: Entity, names: list[str]) -> None:
    session.database.set_properties(session.rows, view, {"shows": ", ".join(names)})


def shown_names(view: Entity) -> list[str] | None:
    """Return the names of what a view shows; None if it shows everything."""
    return None if view.properties.get("shows") is None else names_in(view, "shows")


def hidden_names(view: Entity) -> list[str]:
    """Return the names of what a view hides."""
    return names_in(view, "hides")


def names_in(view: Entity, field: str) -> list[str]:
    """Return the names in a list of a view."""
    return [name.strip() for name in str(view.properties.get(field, "")).split(",") if name.strip()]


def camera_of(view: Entity, scene: Scene | None, aspect: float = 16.0 / 9.0) -> Camera | None:
    """Return the camera of a view; without an eye it is fitted to the scene, and without a scene only checked."""
    import dataclasses

    from workcell.pictures.camera import Camera

    kept = view.properties
    zoom = float(kept.get("zoom", 1.0))
    if not (math.isfinite(zoom) and zoom > 0.0):
        raise InvalidValue(f"The zoom of view {view.name!r} must be more than zero; found {zoom:g}.")
    projection = kept.get("projection")
    near = float(kept.get("near", 0.0))
    if not (math.isfinite(near) and near >= 0.0):
        raise InvalidValue(f"The near distance of view {view.name!r} must not be negative; found {near * 1000.0:g} mm.")
    twist = float(kept.get("twist", 0.0))
    eye = kept.get("eye")
    if eye is not None:
        x, y, z = (float(v) for v in eye)
        a, b, c = (float(v) for v in kept.get("target", (0.0, 0.0, 0.0)))
        reach = math.dist((x, y, z), (a, b, c))
        plain = Camera((x, y, z), (a, b, c), twist)
        # At the target, a parallel view shows as much as a perspective one.
        height = 2.0 * reach * math.tan(plain.field / 2.0)
        camera = dataclasses.replace(plain, projection=projection or "perspective", height=max(height, 1e-9))
    elif scene is None:
        return None
    else:
        camera = Camera.named(str(kept.get("side", "iso")), scene.points, aspect, projection)
        camera = dataclasses.replace(camera, twist=twist)
    if near:
        camera = dataclasses.replace(camera, near=near)
    return camera.zoom(zoom) if zoom != 1.0 else camera
