"""Soft shadows: the scene seen from many directions of the sky, and which of them reach each pixel."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.pictures.camera import Lens
from workcell.pictures.stage import Stage

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]

_KEY_SIZE = 1024
_SKY_SIZE = 512
_SUN = math.radians(3.5)
_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))


class ShadowMaps(NamedTuple):
    """Depth images from several directions.

    Attributes:
        maps: (k, s, s) the depth nearest to the light.
        matrices: (k, 3, 4) from the world to column, row and depth of each map.
        directions: (k, 3) towards the light.
    """

    maps: Floats32
    matrices: Floats
    directions: Floats


def sky_directions(count: int) -> Floats:
    """(count, 3) directions spread evenly over the sky, none of them along the ground."""
    i = np.arange(count) + 0.5
    z = 0.12 + 0.86 * (1.0 - i / max(count, 1))
    r = np.sqrt(1.0 - z * z)
    turn = _GOLDEN * i
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)


def sun_directions(centre: Floats, count: int) -> Floats:
    """(count, 3) directions spread evenly over a disc of the sky around ``centre``."""
    side = np.cross(centre, (0.0, 0.0, 1.0) if abs(centre[2]) < 0.9 else (1.0, 0.0, 0.0))
    side /= np.linalg.norm(side)
    other = np.cross(centre, side)
    i = np.arange(count) + 0.5
    r = math.tan(_SUN) * np.sqrt(i / max(count, 1))
    turn = _GOLDEN * i
    spread = centre + np.outer(r * np.cos(turn), side) + np.outer(r * np.sin(turn), other)
    return np.asarray(spread / np.linalg.norm(spread, axis=1, keepdims=True))


def key_maps(stage: Stage, direction: Floats, count: int, bounds: Floats, draw: NDArray[np.uint8]) -> ShadowMaps:
    """What stands in the way of the casting light, seen from ``count`` points of it."""
    return _maps(stage, sun_directions(direction, count), bounds, draw, _KEY_SIZE)


def sky_maps(stage: Stage, count: int, bounds: Floats, draw: NDArray[np.uint8]) -> ShadowMaps:
    """What stands in the way of the sky, seen from ``count`` points of it."""
    return _maps(stage, sky_directions(count), bounds, draw, _SKY_SIZE)


def _maps(stage: Stage, directions: Floats, bounds: Floats, draw: NDArray[np.uint8], size: int) -> ShadowMaps:
    centre = bounds.mean(axis=0)
    radius = max(float(np.linalg.norm(bounds[1] - bounds[0])) / 2.0, 1e-9)
    scale = (size - 4) / (2.0 * radius)
    lens = Lens(False, scale, size / 2.0, size / 2.0, -math.inf)
    maps = np.empty((len(directions), size, size), dtype=np.float32)
    matrices = np.empty((len(directions), 3, 4))
    for i, towards in enumerate(directions):
        forward = -towards
        right = np.cross(forward, (0.0, 1.0, 0.0) if abs(forward[1]) < 0.9 else (1.0, 0.0, 0.0))
        right /= np.linalg.norm(right)
        X_light_world = np.eye(4)
        X_light_world[:3, :3] = np.stack([right, np.cross(forward, right), forward])
        X_light_world[:3, 3] = -X_light_world[:3, :3] @ centre
        maps[i] = stage.cast(X_light_world, lens, size, size, draw, "light ").depth
        matrices[i] = X_light_world[:3] * [[scale], [scale], [-1.0]]
        matrices[i, :2, 3] += size / 2.0
    return ShadowMaps(maps, matrices, directions)


def offset(bounds: Floats) -> float:
    """How far off a surface its light is asked for [m]: enough that it does not shade itself."""
    return 1.6 * float(np.linalg.norm(bounds[1] - bounds[0])) / _SKY_SIZE
