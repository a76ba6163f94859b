"""Recordings as films: pictures at even times, as .gif, or as .mp4 if ffmpeg is installed."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
import os
import secrets
import shutil
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.cost import PICTURES
from workcell.errors import Cancelled, FileProblem, InvalidValue, MissingDependency, UnknownName
from workcell.pictures.camera import Camera
from workcell.pictures.floor import grid_step
from workcell.pictures.images import Image, caption
from workcell.pictures.render import render
from workcell.pictures.scene import Scene, scene_of
from workcell.pictures.style import FILM, Style
from workcell.simulation.playback import body_poses
from workcell.simulation.recording import Recording
from workcell.simulation.tried_lines import tried_lines
from workcell.world.absence import out_of_sight
from workcell.world.snapshot import Snapshot

Progress = Callable[[float, str], None]

ENDINGS = (".gif", ".mp4")
RATE = 25.0
"""The default number of pictures per second."""
SIZE = (640, 360)
"""The default width and height in pixels."""
_HANDS = 8
"""The greatest number of pictures that are drawn at once."""
_LOOKS = 24
_PALETTE = 8
_STILL = 3
"""A pixel of a .gif that changes by no more than this of 255 is kept."""


@dataclass(frozen=True)
class Filmed:
    """What was written: the number of pictures, the length of the film [s] and the size of the file [byte]."""

    pictures: int
    duration: float
    size: int


def frame_times(recording: Recording, rate: float = RATE, factor: float = 1.0) -> NDArray[np.float64]:
    """Return the times of the recording that are shown (N,) [s]: even times from its start, and its end.

    Args:
        recording: what happened.
        rate: pictures per second of the film.
        factor: simulated seconds per second of the film.
    """
    for value, what in ((rate, "The number of pictures per second"), (factor, "The factor of the film")):
        if not (math.isfinite(value) and value > 0.0):
            raise InvalidValue(f"{what} must be more than zero; found {value}.")
    start, end = recording.start.time, recording.end
    count = math.ceil((end - start) * rate / factor - 1e-9)
    PICTURES.check(count, f"{end - start:g} s at {rate:g} pictures per second and {factor:g} times the speed")
    return np.append(start + np.arange(count) * factor / rate, end)


def overview(snapshot: Snapshot, recording: Recording, only: Sequence[str] | None = None) -> NDArray[np.float64]:
    """Return points that a camera must see to show everything (N, 3) [m]: the corners of boxes around the bodies."""
    times = np.linspace(recording.start.time, recording.end, _LOOKS)
    poses = body_poses(snapshot, recording, times)
    clouds = []
    for number, body in enumerate(snapshot.bodies):
        if not body.pieces or (only is not None and body.called.isdisjoint(only)):
            continue
        bounds = np.array([piece.solid.mesh().bounds for piece in body.pieces])
        low, high = bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)
        corners = np.array(list(itertools.product(*zip(low, high, strict=True))))
        there = poses[[not out_of_sight(float(z)) for z in poses[:, number, 2, 3]], number]
        clouds.append((corners @ there[:, :3, :3].transpose(0, 2, 1) + there[:, None, :3, 3]).reshape(-1, 3))
    if not clouds:
        raise InvalidValue("Nothing of the recording can be seen; show at least one body.")
    return np.concatenate(clouds)


def frames(
    snapshot: Snapshot,
    recording: Recording,
    times: NDArray[np.float64],
    camera: Camera | str = "iso",
    size: tuple[int, int] = SIZE,
    *,
    style: Style = FILM,
    only: Sequence[str] | None = None,
    clock: bool = False,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Iterator[Image]:
    """Yield pictures of a recording at given times, by a camera that does not move.

    Args:
        snapshot: what exists.
        recording: what happened.
        times: the times [s].
        camera: a camera, or the name of a view, which is then framed to show everything.
        size: pixels wide and high.
        style: how it is drawn.
        only: the bodies, or their owners, that are shown.
        clock: whether to show the simulated time in the corner.
        progress: called with the fraction done and a few words.
        cancel: set by another thread to stop.
    """
    cloud = overview(snapshot, recording, only)
    if isinstance(camera, str):
        camera = Camera.named(camera, cloud, size[0] / size[1])
    style, seen = _settled(style, cloud), camera

    def picture(scene: Scene, time: float) -> Image:
        image = render(scene, seen, size, style)
        return caption(image, f"{time:.2f} s") if clock else image

    # The kernels release the interpreter lock, so as many pictures are drawn at once as there are processors.
    hands = min(_HANDS, os.cpu_count() or 1)
    pool = ThreadPoolExecutor(hands, "workcell-film")
    drawn: deque[Future[Image]] = deque()
    try:
        for number, time in enumerate(times):
            if cancel is not None and cancel.is_set():
                raise Cancelled("The film was cancelled; no file was written.")
            if progress is not None:
                progress(number / len(times), f"picture {number + 1} of {len(times)}")
            scene = scene_of(snapshot, recording.state_at(float(time)), only) + tried_lines(recording, float(time))
            drawn.append(pool.submit(picture, scene, float(time)))
            if len(drawn) > hands:
                yield drawn.popleft().result()
        while drawn:
            yield drawn.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _settled(style: Style, cloud: NDArray[np.float64]) -> Style:
    """Return the style with the floor and its lines chosen once for the whole film, so that they do not jump."""
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    floor = float(low[2]) if style.floor == "auto" else style.floor
    grid = grid_step(float(np.linalg.norm(high - low)) / 2.0)[0] if style.grid == 0.0 else style.grid
    return dataclasses.replace(style, floor=floor, grid=grid)


def save_film(images: Iterator[Image], path: str | Path, rate: float = RATE) -> Filmed:
    """Write pictures as a film in the format of the file's ending. If this fails, no file is left behind.

    Args:
        images: the pictures, all of one size.
        path: the file: .gif, or .mp4 through ffmpeg.
        rate: pictures per second.
    """
    target = Path(path)
    ending = target.suffix.lower()
    checked_ending(target)
    if not (math.isfinite(rate) and 0.0 < rate <= 100.0):
        raise InvalidValue(f"A film has more than 0 and at most 100 pictures per second; found {rate:g}.")
    if not target.parent.is_dir():
        raise FileProblem(f"{target.name} cannot be written: there is no folder {str(target.parent)!r}.")
    part = target.with_name(f".{secrets.token_hex(6)}{ending}")
    try:
        count = (_gif if ending == ".gif" else _mp4)(images, part, rate)
        os.replace(part, target)
    except OSError as error:
        raise FileProblem(f"{target.name} cannot be written: {error.strerror or error}.", path=str(target)) from error
    finally:
        part.unlink(missing_ok=True)
    return Filmed(count, count / rate, target.stat().st_size)


def checked_ending(path: Path) -> None:
    """Refuse a file ending that cannot be written, before any picture is made."""
    if path.suffix.lower() not in ENDINGS:
        raise UnknownName.among("kind of film", path.suffix or path.name, ENDINGS)
    if path.suffix.lower() == ".mp4":
        ffmpeg()


def ffmpeg() -> str:
    """Return the ffmpeg program: from the path, or from the package imageio-ffmpeg."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        return str(import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise MissingDependency(
            "An .mp4 film needs ffmpeg, which is not installed: install it (`apt-get install ffmpeg`, or "
            '`pip install "workcell[film]"`, which brings one), or write a .gif.'
        ) from error


def _gif(images: Iterator[Image], path: Path, rate: float) -> int:
    """Write all pictures in the colours of the first few.

    Pixels that hardly change are kept, so that they cost nothing.
    """
    from PIL import Image as Pillow

    first = list(itertools.islice(images, _PALETTE))
    if not first:
        raise InvalidValue("A film needs at least one picture.")
    sheet = Pillow.fromarray(np.concatenate([one[::2, ::2] for one in first]))
    palette = sheet.quantize(255, method=Pillow.Quantize.MAXCOVERAGE, dither=Pillow.Dither.NONE)
    pictures: list[Any] = []
    shown, painted = first[0].copy(), np.empty(0, dtype=np.uint8)
    for image in itertools.chain(first, images):
        indices = np.asarray(Pillow.fromarray(image).quantize(palette=palette, dither=Pillow.Dither.NONE))
        if pictures:
            red, green, blue = np.moveaxis(np.maximum(image, shown) - np.minimum(image, shown) > _STILL, 2, 0)
            moved = red | green | blue
            indices = np.where(moved, indices, painted)
            np.copyto(shown, image, where=moved[..., None])
        painted = indices
        pictures.append(Pillow.fromarray(indices))
        pictures[-1].putpalette(palette.getpalette() or [])
    start, *rest = pictures
    count = len(pictures)
    # Delays are whole hundredths of a second. The rounding error of one picture is carried to the next.
    ends = np.round(100.0 * np.arange(1, count + 1) / rate)
    delays = [int(10.0 * span) for span in np.diff(ends, prepend=0.0)]
    start.save(
        path, format="GIF", save_all=True, append_images=rest, duration=delays, loop=0, optimize=False, disposal=1
    )
    return count


def _mp4(images: Iterator[Image], path: Path, rate: float) -> int:
    """Write pictures one by one through a pipe to ffmpeg."""
    program = ffmpeg()
    first = next(images, None)
    if first is None:
        raise InvalidValue("A film needs at least one picture.")
    # Players need even sizes.
    tall, wide = (side - side % 2 for side in first.shape[:2])
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(_arguments(program, path, rate, (wide, tall)), stdin=subprocess.PIPE, stderr=errors)
        assert process.stdin is not None
        count = 0
        try:
            with contextlib.suppress(BrokenPipeError):  # the cause is reported below
                for image in itertools.chain([first], images):
                    process.stdin.write(np.ascontiguousarray(image[:tall, :wide]).tobytes())
                    count += 1
        except BaseException:
            process.kill()
            raise
        finally:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            code = process.wait()
        if code != 0 or not path.exists():
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines()
            raise FileProblem(f"ffmpeg could not write the film: {lines[-1] if lines else f'it ended with {code}'}.")
    return count


def _arguments(program: str, path: Path, rate: float, size: tuple[int, int]) -> list[str]:
    wide, tall = size
    return [
        program, "-hide_banner", "-loglevel", "error", "-y",
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{wide}x{tall}", "-r", f"{rate:g}", "-i", "-",
        "-an", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path),
    ]  # fmt: skip


def save_recording_film(
    snapshot: Snapshot,
    recording: Recording,
    path: str | Path,
    camera: Camera | str = "iso",
    *,
    rate: float = RATE,
    factor: float = 1.0,
    size: tuple[int, int] = SIZE,
    **options: Any,
) -> Filmed:
    """Film a recording: ``frames`` at ``frame_times``, written by ``save_film``."""
    checked_ending(Path(path))
    times = frame_times(recording, rate, factor)
    return save_film(frames(snapshot, recording, times, camera, size, **options), path, rate)
