"""Draws a scene: ``render(scene, camera, size, style)``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from workcell.errors import InvalidValue
from workcell.pictures.camera import Camera
from workcell.pictures.picture import Image, Picture
from workcell.pictures.scene import Item, Scene, scene_from
from workcell.pictures.style import FIGURE, Engine, Style
from workcell.pictures.triad import draw_triad

MOST_PIXELS = 16000
"""The most pixels along a side of an image, counted with samples."""


def render(
    scene: Scene | Iterable[Item],
    camera: Camera | str = "iso",
    size: tuple[int, int] = (1280, 720),
    style: Style = FIGURE,
    engine: Engine = "compiled",
) -> Image:
    """Draw a scene.

    Args:
        scene: the scene.
        camera: the camera; the name of a view shows everything from there.
        size: width and height of the image [pixel].
        style: the style.
        engine: ``compiled``, or ``numpy`` for the slow plain version that tests compare with.

    Returns:
        (height, width, 3) bytes: red, green, blue.
    """
    return _drawn(scene, camera, size, style, engine, False).image


class Drawn(NamedTuple):
    """A finished image, and whether it shows anything but the background."""

    image: Image
    shown: bool


def draw(
    scene: Scene | Iterable[Item],
    camera: Camera | str = "iso",
    size: tuple[int, int] = (1280, 720),
    style: Style = FIGURE,
    engine: Engine = "compiled",
) -> Drawn:
    """Draw a scene like :func:`render`, and also return whether there is anything to see."""
    return _drawn(scene, camera, size, style, engine, True)


def _drawn(
    scene: Scene | Iterable[Item], camera: Camera | str, size: tuple[int, int], style: Style, engine: Engine, ask: bool
) -> Drawn:
    width, height = _size(size, style.samples)
    scene = scene_from(scene)
    if isinstance(camera, str):
        camera = Camera.named(camera, scene.points, width / height)
    elif not isinstance(camera, Camera):
        raise InvalidValue(f"A camera must be a Camera or the name of a view; found {type(camera).__name__}.")
    picture = Picture(scene, camera, width, height, style, engine)
    image = picture.image()
    shown = picture.shown if ask else True
    if style.axes:
        draw_triad(image, camera, engine)
    return Drawn(image, shown)


def _size(size: tuple[int, int], samples: int) -> tuple[int, int]:
    try:
        width, height = (int(side) for side in size)
    except (TypeError, ValueError, OverflowError):
        raise InvalidValue(f"The size of an image must be width and height in pixels; found {size!r}.") from None
    most = MOST_PIXELS // samples
    if not (1 <= width <= most and 1 <= height <= most):
        raise InvalidValue(f"An image must be 1 to {most} pixels in each direction; found {width} × {height}.")
    return width, height
