"""The command render: pictures of the scene."""

from __future__ import annotations

from collections.abc import Callable, Container
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workcell.commands.body_names import zone_names
from workcell.commands.lamps import lit
from workcell.commands.language.registry import command
from workcell.commands.language.values import Choice, File, Number, YesNo
from workcell.commands.results import Done
from workcell.commands.view_names import SIDES, ViewNames
from workcell.commands.views import EDGES, SURFACES, camera_of, hidden_names, names_in, section_of, shown_names
from workcell.cost import PIXELS
from workcell.errors import GeometryError, InvalidValue, Refused, UnknownName
from workcell.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workcell.commands.session import Session
    from workcell.pictures.render import Drawn
    from workcell.pictures.scene import Scene
    from workcell.pictures.style import Style
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState

ZONE_COLOURS = {"keep out": (0.87, 0.24, 0.20), "slow down": (0.96, 0.68, 0.13), "shared": (0.18, 0.53, 0.78)}
_LEAST, _MOST_PIXELS = 16, 8000
_FINEST, _SHARE = 2e-5, 4e-4
"""How far triangles may lie from surfaces whose outlines are drawn: at least [m], and as a share of the scene."""


def style_of(surfaces: str = "shaded", edges: str | None = None, axes: bool = True) -> Style:
    """Return the style of a picture from the words of `render` for surfaces, edges and axes."""
    import dataclasses

    from workcell.pictures.style import DRAWING, FIGURE

    if surfaces not in SURFACES:
        raise UnknownName.among("way to draw surfaces", surfaces, SURFACES)
    if edges is not None and edges not in EDGES:
        raise UnknownName.among("way to draw edges", edges, EDGES)
    base = DRAWING if surfaces in ("hidden-line", "wireframe") else FIGURE
    kind: Any = surfaces.replace("-", "_")
    marked: Any = edges or base.edges
    return dataclasses.replace(base, surfaces=kind, edges=marked, axes=axes)


def view_style(session: Session, name: str, surfaces: str | None, edges: str | None, axes: bool | None) -> Style:
    """Return the style of one view: as the words of `render` say, otherwise as the view does."""
    import dataclasses

    found = session.database.find("view", name)
    kept = {} if found is None else found.properties
    shown = kept.get("axes", True) if axes is None else axes
    style = style_of(surfaces or str(kept.get("surfaces", "shaded")), edges or kept.get("edges"), bool(shown))
    if not kept.get("shadows", True):
        style = dataclasses.replace(style, shadows=0)
    return style if kept.get("grid", True) else dataclasses.replace(style, grid=None)


def sheet(session: Session, views: Sequence[str]) -> list[str]:
    """Return the views with each sheet replaced by the views that it shows and that are still there."""
    found: list[str] = []
    for name in views:
        view = session.database.find("view", name)
        parts = [] if view is None else names_in(view, "views")
        there = [one for one in parts if one in SIDES or session.database.find("view", one) is not None]
        if parts and not there:
            raise Refused(
                f"None of the views of sheet {name!r} is there any more; `look {quoted(name)} of …` names others."
            )
        found += there or [name]
    return found


def picture(
    session: Session,
    file: Path,
    views: Sequence[str],
    size: tuple[int, int],
    style: Style | Callable[[str], Style] | None = None,
) -> tuple[str, ...]:
    """Draw the scene as it is now, from one or several views in one image; return notes on what is not shown.

    The style is that of all views, or a function of the name of a view.
    """
    from workcell.pictures.images import checked_ending, contact_sheet, png_bytes, refuse_other

    checked_ending(file)
    if session.files.is_file(file):
        with session.files.opened(file) as there:
            refuse_other(file, there.read(8))
    session.files.check_output(file, replace=True)
    if not session.snapshot().bodies and not zone_names(session):
        raise Refused("The scene is empty; `place NAME at X,Y,Z` puts something into it.")
    if len(size) != 2 or not all(_LEAST <= side <= _MOST_PIXELS for side in size):
        raise InvalidValue(
            f"A picture is {_LEAST} to {_MOST_PIXELS} pixels wide and high; found "
            f"{' × '.join(str(side) for side in size)}."
        )
    PIXELS.check(size[0] * size[1], f"A picture of {size[0]} × {size[1]}")
    bad = _not_drawn(session)
    views = sheet(session, views)
    styled = style if callable(style) else lambda _name: style or style_of()
    across = 1 if len(views) == 1 else 2 if len(views) < 7 else 3
    part = (size[0] // across, size[1] // -(-len(views) // across))
    parts = [_drawn(session, view, part, set(bad), styled(view)) for view in views]
    if len(views) == 1:
        image = parts[0].image
    else:
        image = contact_sheet([one.image for one in parts], list(views), columns=across, gap=0)
    session.files.write(file, png_bytes(image), replace=True)
    empty = [
        f"view {view!r} shows nothing; move it with `look`, or `display` something in it"
        for view, one in zip(views, parts, strict=True)
        if not one.shown
    ]
    return (*session.snapshot().notes, *(f"{name!r} is not shown: {why}" for name, why in bad.items()), *empty)


def _not_drawn(session: Session) -> dict[str, str]:
    """Return the bodies and zones whose shape cannot be made, and why; such as an empty intersection."""
    bad = {}
    for body in session.snapshot().bodies:
        try:
            for piece in body.pieces:
                piece.solid.mesh(progress=session.progress, cancel=session.cancel)
        except GeometryError as error:
            bad[body.name] = str(error)
    try:
        zone_scene(session)
    except (GeometryError, Refused) as error:
        bad |= dict.fromkeys(zone_names(session), str(error))
    return bad


def _drawn(session: Session, name: str, size: tuple[int, int], without: set[str], style: Style) -> Drawn:
    """Draw one view: a view of the cell, or a side."""
    from workcell.geometry.mesh import DEFAULT_TOLERANCE
    from workcell.pictures.camera import ALIASES, NAMED_VIEWS
    from workcell.pictures.render import draw
    from workcell.pictures.scene import scene_of
    from workcell.pictures.sensors import drawn_sensors

    snapshot, state = session.snapshot(), session.state
    drawing = style.surfaces in ("wireframe", "hidden_line") and style.edges != "all"
    shown = [body.name for body in snapshot.bodies if body.name not in without]
    fine = _fine(snapshot, state, shown) if drawing else DEFAULT_TOLERANCE
    view = session.database.find("view", name)
    if view is None:
        known = name.strip().lower().replace("-", "_").replace(" ", "_")
        if known not in NAMED_VIEWS and known not in ALIASES:
            raise UnknownName.among("view", name, [*NAMED_VIEWS, *ALIASES, *session.database.names("view")])
        scene = scene_of(snapshot, state, shown, tolerance=fine) + _translucent(session, without)
        return draw(scene, name, size, lit(session, scene, style))
    names, hidden = shown_names(view), hidden_names(view)
    others = {*zone_names(session), *drawn_sensors(snapshot)}
    if hidden:
        shown = [body.name for body in snapshot.bodies if body.name in shown and body.called.isdisjoint(hidden)]
        without = without | {*hidden}
    if names is not None:
        shown = [body.name for body in snapshot.bodies if body.name in shown and not body.called.isdisjoint(names)]
        without = without | (others - {*names})
    if (names is not None or hidden) and not shown and without >= others:
        raise InvalidValue(f"View {name!r} shows nothing; `display NAME in {quoted(name)}` adds something to it.")
    scene = scene_of(snapshot, state, shown, tolerance=fine) + _translucent(session, without)
    if (section := section_of(view)) is not None:
        from workcell.pictures.section import cut

        scene = cut(scene, *section)
    return draw(scene, camera_of(view, scene, size[0] / size[1]) or "iso", size, lit(session, scene, style))


def _fine(snapshot: Snapshot, state: CellState, shown: Sequence[str]) -> float:
    """Return how far triangles may lie from surfaces whose outlines are drawn [m], by the size of the scene."""
    import numpy as np

    from workcell.geometry.mesh import DEFAULT_TOLERANCE

    corners = []
    for body, X in zip(snapshot.bodies, snapshot.body_poses(state), strict=True):
        for piece in body.pieces if body.name in shown else ():
            corners.append(np.array(piece.solid.mesh(DEFAULT_TOLERANCE).bounds) @ X[:3, :3].T + X[:3, 3])
    if not corners:
        return DEFAULT_TOLERANCE
    spread = np.ptp(np.concatenate(corners), axis=0)
    return float(np.clip(_SHARE * np.linalg.norm(spread), _FINEST, DEFAULT_TOLERANCE))


def _translucent(session: Session, without: Container[str]) -> Scene:
    """Return what is drawn translucent or faint: zones and sensors, except some, and what searches tried."""
    from workcell.pictures.sensors import sensor_scene

    return zone_scene(session, without) + sensor_scene(session.snapshot(), session.state, without) + _tries(session)


def _tries(session: Session) -> Scene:
    """Return what searches for paths tried, where they were asked to display it, as faint lines."""
    from workcell.simulation.tried_lines import tried_lines

    return tried_lines(session.recording, session.simulator_time)


def zone_scene(session: Session, without: Container[str] = ()) -> Scene:
    """Return the zones of the cell, except some, translucent: keep-out in red, slow-down in amber, shared in blue."""
    from workcell.collision.zones import zones_of
    from workcell.geometry.mesh import DEFAULT_TOLERANCE
    from workcell.pictures.scene import Item, Scene

    if not any(name not in without for name in zone_names(session)):
        return Scene()
    return Scene(
        tuple(
            Item(zone.mesh(DEFAULT_TOLERANCE), zone.X_world_zone.matrix, ZONE_COLOURS[zone.rule], True, 0.3, zone.name)
            for zone in zones_of(session.snapshot())
            if zone.name not in without
        )
    )


@command(
    "render {file} [{view}] [as {surfaces}] [edges {edges}] [axes {axes}] [size {width} {height}]",
    help="make a picture of the scene as it is now",
    effect="reads",
    background=True,
    file=File((".png",)),
    view=ViewNames(),
    surfaces=Choice(SURFACES, "SURFACES"),
    edges=Choice(EDGES, "EDGES"),
    axes=YesNo(),
    width=Number("number", positive=True, whole=True),
    height=Number("number", positive=True, whole=True),
    param_help={
        "view": f"one or several, in one image: {', '.join(SIDES)}, or views of the cell; default iso",
        "surfaces": "shaded, solid, hidden-line or wireframe; default: as each view says, else shaded",
        "edges": "feature, all or none; default: as each view says, else feature",
        "axes": "yes or no: show x, y and z in the corner; default: as each view says, else yes",
        "width": "in pixels; default 1280",
        "height": "in pixels; default 720",
    },
    examples=[
        "> add solid peg cylinder 20 100",
        "render peg.png",
        "render top.png top as hidden-line",
        "render sheet.png front,right,top,iso size 800 600",
        "> look close from 300,-300,200 at 0,0,0",
        "render close.png view close edges none axes no",
    ],
)
def render_command(
    session: Session,
    file: str,
    view: tuple[str, ...] = ("iso",),
    surfaces: str | None = None,
    edges: str | None = None,
    axes: bool | None = None,
    width: float = 1280,
    height: float = 720,
) -> Done:
    """It needs no screen. Lamps in the scene light the picture. A picture that exists is overwritten."""

    def style(name: str) -> Style:
        return view_style(session, name, surfaces, edges, axes)

    notes = picture(session, Path(file), view, (int(width), int(height)), style)
    return Done("\n".join([f"picture {file}", *notes]))
