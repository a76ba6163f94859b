"""Several views in one image, each in its own part with its name."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.pictures.camera import Camera
from workcell.pictures.images import caption
from workcell.pictures.render import render
from workcell.pictures.scene import Item, Scene, scene_from
from workcell.pictures.style import FIGURE, Style

_GAP = 2
_BETWEEN = (205, 211, 218)


def render_views(
    scene: Scene | Iterable[Item],
    views: Sequence[str | tuple[str, Camera]] = ("front", "right", "top", "iso"),
    size: tuple[int, int] = (1280, 720),
    style: Style = FIGURE,
    columns: int = 0,
) -> NDArray[np.uint8]:
    """Draw a scene from several sides.

    Args:
        scene: the scene.
        views: names of views, or pairs of a caption and a camera, row by row from the upper left.
        size: width and height of the whole image [pixel].
        style: the style of every part.
        columns: the number of views side by side; 0 makes the parts about as wide as the image.

    Returns:
        (height, width, 3) bytes: red, green, blue.
    """
    if isinstance(views, str) or not len(views):
        raise InvalidValue("Several views need a list of at least one name, or of captions with cameras.")
    scene = scene_from(scene)
    columns = columns or math.ceil(math.sqrt(len(views)))
    rows = math.ceil(len(views) / columns)
    width, height = size
    if width < columns * (_GAP + 8) or height < rows * (_GAP + 8):
        raise InvalidValue(f"An image of {width} × {height} pixels is too small for {len(views)} views.")
    image = np.empty((height, width, 3), dtype=np.uint8)
    image[:] = _BETWEEN
    lefts, tops = _cuts(width, columns), _cuts(height, rows)
    for index, view in enumerate(views):
        left, right = lefts[index % columns]
        top, bottom = tops[index // columns]
        name, camera = (view, view) if isinstance(view, str) else view
        part = render(scene, camera, (right - left, bottom - top), style)
        text = max(11, min(18, (bottom - top) // 20))
        image[top:bottom, left:right] = caption(part, name, text)
    return image


def _cuts(length: int, parts: int) -> list[tuple[int, int]]:
    """The begin and end of each of some equal parts, with a gap between them."""
    edges = [round(i * (length + _GAP) / parts) for i in range(parts + 1)]
    return [(a, b - _GAP) for a, b in itertools.pairwise(edges)]
