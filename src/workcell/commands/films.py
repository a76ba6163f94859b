"""Commands that make films of recordings: export-animation, film."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import TYPE_CHECKING

from workcell.commands.body_names import zone_names
from workcell.commands.language.registry import command
from workcell.commands.language.values import File, Number, Vector
from workcell.commands.results import Done
from workcell.commands.view_names import ViewNames
from workcell.commands.views import Triple, camera_of, hidden_names, shown_names
from workcell.cost import PIXELS
from workcell.errors import InvalidValue, Refused

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.pictures.camera import Camera
    from workcell.simulation.recording import Recording
    from workcell.world.snapshot import Snapshot

_STAGE = (
    "> create robot Puma puma560 joints 0,0,-90,0,90,0",
    "> move-joints-relative Puma -20,-10,10,30,-20,-10",
)
_LEAST, _MOST_PIXELS = 16, 4000


@command(
    "export-animation {file} [rate {rate}]",
    help="write the recording as an animated .glb or .gltf file",
    effect="reads",
    background=True,
    file=File((".glb", ".gltf")),
    rate=Number(positive=True),
    param_help={"rate": "samples per second; default 30"},
    examples=[*_STAGE, "export-animation run.glb", "export-animation run.gltf rate 10"],
)
def export_animation(session: Session, file: str, rate: float | None = None) -> Done:
    """Each body is a node. Only bodies that moved have channels. A file that exists is overwritten."""
    from workcell.simulation.animation import RATE, save_animation

    snapshot, recording = _recorded(session)
    fine = RATE if rate is None else rate
    with session.files.written(file, replace=True) as path:
        made = save_animation(snapshot, recording, path, rate=fine, progress=session.progress, cancel=session.cancel)
    return Done(
        f"{Path(file).name}: {made.bodies} bodies, {made.moving} of them moving, {made.samples} samples over "
        f"{made.duration:.4f} s"
    )


@command(
    "film {file} [view {view}] [from {eye}] [at {target}] [field {field}] [fps {rate}] [factor {factor}] "
    "[size {width} {height}] [--parallel] [--clock]",
    help="make a film of the recording, as .gif, or as .mp4 if ffmpeg is installed",
    effect="reads",
    background=True,
    file=File((".gif", ".mp4")),
    view=ViewNames(),
    eye=Vector(),
    target=Vector(),
    field=Number("angle", positive=True),
    rate=Number(positive=True),
    factor=Number(positive=True),
    width=Number(whole=True, positive=True),
    height=Number(whole=True, positive=True),
    param_help={
        "view": "a side such as top, or a view of the cell; default iso, with everything in the picture",
        "eye": "the point that the camera looks from, instead of a view",
        "target": "the point in the middle of the picture; default 0,0,0",
        "field": "how much the camera sees from top to bottom; default 30°",
        "rate": "pictures per second; default 25",
        "factor": "simulated seconds for each second of the film; default 1",
        "width": "in pixels; default 640",
        "height": "in pixels; default 360",
        "parallel": "sizes are true, as large as they are at the middle of the picture; with `from`",
        "clock": "show the simulated time in the corner",
    },
    examples=[
        *_STAGE,
        "film run.gif fps 5 factor 2 size 160 90",
        "film top.gif view top fps 2 size 96 64 --clock",
        "film near.gif from 1500,-1500,1200 at 0,0,500 field 40 fps 2 size 96 64",
    ],
)
def film(
    session: Session,
    file: str,
    view: tuple[str, ...] | None = None,
    eye: Triple | None = None,
    target: Triple | None = None,
    field: float | None = None,
    rate: float | None = None,
    factor: float = 1.0,
    width: int | None = None,
    height: int | None = None,
    parallel: bool = False,
    clock: bool = False,
) -> Done:
    """The camera does not move. A file that exists is overwritten.

    Other commands can run meanwhile; the film shows the recording as it was at the beginning. If you cancel the film,
    no file is written. `pip install "workcell[film]"` installs an encoder for .mp4.
    """
    from workcell.simulation import film as f

    if view is not None and len(view) != 1:
        raise InvalidValue(f"A film has one view; found {len(view)}.")
    if eye is None and (target is not None or field is not None or parallel):
        raise InvalidValue("A camera with a target, a field or true sizes looks from a point; give `from` too.")
    if eye is not None and view is not None:
        raise InvalidValue("Give either a view, or `from` a point and `at` a point.")
    size = (width or f.SIZE[0], height or f.SIZE[1])
    if not all(_LEAST <= side <= _MOST_PIXELS for side in size):
        raise InvalidValue(f"A film is {_LEAST} to {_MOST_PIXELS} pixels wide and high; found {size[0]} × {size[1]}.")
    PIXELS.check(size[0] * size[1], f"A film of {size[0]} × {size[1]}")
    snapshot, recording = _recorded(session)
    if eye is not None:
        camera, only = _placed(eye, target, field, parallel), None
    else:
        camera, only = _camera(session, view[0] if view else "iso", snapshot, recording, size)
    with session.files.written(file, replace=True) as path:
        made = f.save_recording_film(
            snapshot,
            recording,
            path,
            camera,
            rate=f.RATE if rate is None else rate,
            factor=factor,
            size=size,
            only=only,
            clock=clock,
            progress=session.progress,
            cancel=session.cancel,
        )
    return Done(
        f"{Path(file).name}: {made.pictures} pictures, {made.duration:.2f} s for {recording.duration:.2f} simulated "
        f"ones, {made.size / 1e3:.4g} kB"
    )


def _recorded(session: Session) -> tuple[Snapshot, Recording]:
    snapshot, recording = session.snapshot(), session.recording
    if not snapshot.bodies:
        raise Refused("The scene is empty; `place NAME at X,Y,Z` puts something into it.")
    if recording.duration <= 0.0:
        raise Refused("Nothing was recorded since the last reset; move something, or `run` a program first.")
    return snapshot, recording


def _placed(eye: Triple, target: Triple | None, field: float | None, parallel: bool) -> Camera | str:
    """Return a camera that looks from a point at a point."""
    from workcell.pictures.camera import Camera

    camera = Camera(eye, target or (0.0, 0.0, 0.0))
    if field is not None:
        camera = dataclasses.replace(camera, field=field)
    if not parallel:
        return camera
    height = 2.0 * camera.distance * math.tan(camera.field / 2.0)
    return dataclasses.replace(camera, projection="parallel", height=height)


def _camera(
    session: Session, name: str, snapshot: Snapshot, recording: Recording, size: tuple[int, int]
) -> tuple[Camera | str, list[str] | None]:
    """Return the camera of a view, and the names of what it shows."""
    from workcell.pictures.scene import Line, Scene
    from workcell.simulation.film import overview

    view = session.database.find("view", name)
    if view is None:
        return name, None
    shown = shown_names(view)
    only = None if shown is None else [name for name in shown if name not in zone_names(session)]
    if hidden := hidden_names(view):
        owners = list(dict.fromkeys(body.owner for body in snapshot.bodies)) if only is None else only
        only = [name for name in owners if name not in hidden]
    seen = Scene(lines=(Line(overview(snapshot, recording, only)),))
    return camera_of(view, seen, size[0] / size[1]) or "iso", only
