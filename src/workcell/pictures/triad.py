"""The directions x, y, z: arrows in a corner of the image or at a frame of the scene."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.geometry.mesh import Mesh
from workcell.pictures.camera import Camera
from workcell.pictures.colours import Colour, to_bytes, to_linear
from workcell.pictures.images import glyph
from workcell.pictures.picture import Picture
from workcell.pictures.scene import Item, Scene
from workcell.pictures.style import Engine, Style
from workcell.spatial.rotations import finite

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]

AXIS_COLOURS: tuple[Colour, Colour, Colour] = ((0.80, 0.22, 0.20), (0.30, 0.62, 0.28), (0.20, 0.42, 0.78))
"""The colours: red x, green y, blue z."""

_SIDES = 24
_SAMPLES = 2
_BLACK: Colour = (0.0, 0.0, 0.0)
_LIGHT: Floats32 = to_linear(np.arange(256) / 255.0).astype(np.float32)


@functools.cache
def arrow() -> Mesh:
    """An arrow of length one along z, from the origin."""
    shaft, head, neck = 0.036, 0.11, 0.70
    profile = [(0.0, 0.0), (shaft, 0.0), (shaft, neck), (head, neck), (0.0, 1.0)]
    return lathe(profile, _SIDES)


@functools.cache
def ball(radius: float = 0.08) -> Mesh:
    """A small sphere at the origin."""
    steps = np.linspace(-math.pi / 2.0, math.pi / 2.0, 13)
    return lathe([(radius * math.cos(s) * (abs(s) < 1.57), radius * math.sin(s)) for s in steps], _SIDES, smooth=True)


def lathe(profile: list[tuple[float, float]], sides: int, smooth: bool = False) -> Mesh:
    """A closed mesh from a profile (radius, z) that starts and ends on the z axis, turned about it."""
    turn = np.arange(sides) * (2.0 * math.pi / sides)
    vertices: list[Floats] = []
    rings: list[NDArray[np.int64]] = []
    count = 0
    for radius, z in profile:
        n = sides if radius > 0.0 else 1
        angle = turn[:n]
        vertices.append(np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(n, z)], axis=1))
        rings.append(count + np.arange(sides) % n)
        count += n
    triangles, faces = [], []
    for band, (low, high) in enumerate(itertools.pairwise(rings)):
        after_low, after_high = np.roll(low, -1), np.roll(high, -1)
        for corners in ((low, after_low, after_high), (low, after_high, high)):
            three = np.stack(corners, axis=1)
            three = three[(three[:, 0] != three[:, 1]) & (three[:, 1] != three[:, 2]) & (three[:, 0] != three[:, 2])]
            triangles.append(three)
            faces.append(np.full(len(three), 0 if smooth else band))
    names = tuple(f"band{band}" for band in range(len(profile) - 1))
    return Mesh(np.concatenate(vertices), np.concatenate(triangles), np.concatenate(faces), names)


def axes_items(matrix: ArrayLike, length: float = 0.1) -> tuple[Item, ...]:
    """Three arrows and a ball that show a frame: red x, green y, blue z.

    Args:
        matrix: (4, 4) the frame in the world.
        length: the length of the arrows [m].
    """
    frame = finite(matrix, (4, 4), "The frame to show")
    items = [Item(ball(), frame @ np.diag([length, length, length, 1.0]), (0.35, 0.38, 0.42), edges=False)]
    for axis in range(3):
        turned = np.eye(4)
        turned[:3, :3] = np.roll(np.eye(3), axis + 1, axis=0) * length  # z goes to the axis
        items.append(Item(arrow(), frame @ turned, AXIS_COLOURS[axis], edges=False))
    return tuple(items)


def draw_triad(image: NDArray[np.uint8], camera: Camera, engine: Engine) -> None:
    """Draw the world's directions into the lower left corner of an image, in place."""
    height, width = image.shape[:2]
    side = min(max(72, height // 6), height, width)
    if side < 32:
        return
    # A thousandth of a turn moves an arrow by less than a tenth of a pixel, so the last drawing can often be reused.
    direction = np.round(-camera.rotation[2], 3) + 0.0
    light, clear = _triad(tuple(direction.tolist()), round(camera.twist, 3), side, engine)
    corner = image[height - side :, :side]
    corner[:] = to_bytes(light + clear * _LIGHT[corner])


@functools.cache
def _arrows() -> Scene:
    return Scene(axes_items(np.eye(4), 1.0))


@functools.lru_cache(maxsize=16)
def _triad(direction: tuple[float, float, float], twist: float, side: int, engine: Engine) -> tuple[Floats32, Floats32]:
    """The light of the arrows and their names, and the share of the background that shows in each pixel."""
    camera = Camera(direction, (0.0, 0.0, 0.0), twist, "parallel", height=3.0)
    style = Style(samples=_SAMPLES, shadows=0, floor=None, edges="none", background=(_BLACK, _BLACK))
    picture = Picture(_arrows(), camera, side, side, style, engine)
    light = _LIGHT[picture.image()]
    clear = np.empty((side, side, 1), dtype=np.float32)
    clear[:, :, 0] = picture.bare()
    tips = camera.project(np.eye(3) * 1.24, (side, side))
    for axis, name in enumerate("xyz"):
        if math.hypot(tips[axis, 0] - side / 2.0, tips[axis, 1] - side / 2.0) > 0.12 * side:
            letter = glyph(name, max(11, side // 8)) ** 0.7  # as strong as when blended on the screen
            high, wide = letter.shape[:2]
            left, top = round(tips[axis, 0] - wide / 2.0), round(tips[axis, 1] - high / 2.0)
            if 0 <= left <= side - wide and 0 <= top <= side - high:
                box = (slice(top, top + high), slice(left, left + wide))
                light[box] += (to_linear(AXIS_COLOURS[axis]) * 0.72 - light[box]) * letter
                clear[box] *= 1.0 - letter
    return light, clear


def with_frames(scene: Scene, frames: list[Floats], length: float = 0.1) -> Scene:
    """The scene with the axes of some frames."""
    items = tuple(item for frame in frames for item in axes_items(frame, length))
    return dataclasses.replace(scene, items=scene.items + items)
