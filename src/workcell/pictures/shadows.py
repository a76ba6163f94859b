"""Soft shadows: the scene seen from many directions of the sky, and which of them reach each pixel."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.pictures.camera import Lens
from workcell.pictures.floor import Floor
from workcell.pictures.stage import Cast, Stage

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]

_KEY_SIZE = 768
_SKY_SIZE = 512
_FULL = 1280
"""A picture with this many pixels along its longer side has shadows of the full size; smaller ones need less."""
_SUN = math.radians(3.5)
_BLUR = 3
"""The number of pixels in each direction over which results are averaged: six with the ends half, so that two or three
sets of directions in each direction all count the same."""

_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))


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


def light_rotations(directions: Floats) -> Floats:
    """(k, 3, 3) the axes of a camera that looks from each direction: to the right, down and ahead."""
    forward = -directions
    aside = np.where(np.abs(forward[:, 1:2]) < 0.9, (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    right = np.cross(forward, aside)
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    return np.stack([right, np.cross(forward, right), forward], axis=1)


def light_shares(
    stage: Stage,
    cast: Cast,
    lens: Lens,
    X_world_camera: Floats,
    block: int,
    floor: Floor,
    bounds: Floats,
    draw: NDArray[np.uint8],
    towards: Floats | None,
    count: int,
) -> Floats32:
    """The share of the casting light and of the sky that reaches each pixel.

    Neighbouring pixels test different directions, and their results are averaged over each surface, as if every pixel
    had tested them all.

    Args:
        stage: the things that may block the light.
        cast: the view of the camera.
        lens: its projection.
        X_world_camera: (4, 4) the camera in the world.
        block: the samples of a pixel in each direction.
        floor: the floor, which also receives shadows.
        bounds: (2, 3) the lowest and the highest corner of everything [m].
        draw: which sides of each item cast shadows.
        towards: (3,) the direction of the casting light; ``None`` if no light casts shadows.
        count: the number of directions, a third of them for the casting light.

    Returns:
        (rows, columns, 2) from 0 to 1.
    """
    # Light is tested a little off a surface, at `gap`, so that the surface does not shade itself.
    sun = max(1, count // 3) if towards is not None else 0
    sky = count - sun
    groups = next((n for n in (3, 2) if n * n <= min(sun or sky, sky)), 1)
    sets, fine = groups * groups, sun - sun % (groups * groups) if sun else 0
    sun, sky = fine, count - fine
    rows, columns = cast.ids.shape[0] // block, cast.ids.shape[1] // block
    share = math.sqrt(min(1.0, max(rows, columns) / _FULL))
    key_size, sky_size = round(_KEY_SIZE * share), round(_SKY_SIZE * share)
    gap = 1.6 * float(np.linalg.norm(bounds[1] - bounds[0])) / sky_size
    points = _points(stage, cast, lens, X_world_camera, block, floor, bounds, groups, gap)
    sum_lit = np.zeros((2, *points.pixels.shape), dtype=np.float32)
    sum_all = np.zeros_like(sum_lit)
    sum_lit[1], sum_all[1] = 0.03, 0.05
    if towards is not None and sun:
        suns = sun_directions(towards, sun)
        _ask(stage, points, suns, key_size, bounds, gap, draw, (1.0, 0.0), sum_lit[0], sum_all[0])
    _ask(stage, points, sky_directions(sky), sky_size, bounds, gap, draw, (0.25, 1.0), sum_lit[1], sum_all[1])
    values = np.ones((rows * columns, 2), dtype=np.float32)
    for which in range(2) if sun else (1,):
        for group in range(sets):
            n = points.counts[group]
            values[points.pixels[group, :n], which] = sum_lit[which, group, :n] / sum_all[which, group, :n]
    return _smoothed(stage, cast, lens, block, gap, values.reshape(rows, columns, 2))


class _Points(NamedTuple):
    """The points of the pixels, in sets: (g,) counts, (g, n) pixels, (g, 3, n) points and normals."""

    counts: NDArray[np.int64]
    pixels: NDArray[np.int32]
    points: Floats32
    normals: Floats32


def _points(
    stage: Stage,
    cast: Cast,
    lens: Lens,
    X_world_camera: Floats,
    block: int,
    floor: Floor,
    bounds: Floats,
    groups: int,
    gap: float,
) -> _Points:
    rows, columns = cast.ids.shape[0] // block, cast.ids.shape[1] // block
    most, sets = -(-rows // groups) * -(-columns // groups), groups * groups
    take = stage.scratch.empty
    found = _Points(
        np.zeros(sets, dtype=np.int64),
        take("shadow pixels", (sets, most), np.int32),
        take("shadow points", (sets, 3, most), np.float32),
        take("shadow normals", (sets, 3, most), np.float32),
    )
    # Counted from the middle of the scene, single precision is enough wherever the scene is.
    middle = bounds.mean(axis=0)
    to_middle = X_world_camera[:3].copy()
    to_middle[:, 3] -= middle
    stage.engine.locate(
        cast.ids, cast.depth, stage.table.triangles, cast.camera, to_middle, lens.perspective, lens.scale,
        lens.centre_x, lens.centre_y, block, floor.seen, floor.pixels_to_floor, floor.centre - middle[:2],
        floor.height - middle[2], floor.fade, groups, gap, *found,
    )  # fmt: skip
    return found


def _ask(
    stage: Stage,
    points: _Points,
    directions: Floats,
    size: int,
    bounds: Floats,
    gap: float,
    draw: NDArray[np.uint8],
    weights: tuple[float, float],
    lit: Floats32,
    total: Floats32,
) -> None:
    """Draw the scene from every direction, and add up the light that each set of points gets from its own ones."""
    centre = bounds.mean(axis=0)
    radius = max(float(np.linalg.norm(bounds[1] - bounds[0])) / 2.0, 1e-9)
    scale = (size - 4) / (2.0 * radius)
    lens = Lens(False, scale, size / 2.0, size / 2.0, -math.inf)
    bias = np.float32(gap)
    even, tilt = np.float32(weights[0]), np.float32(weights[1])
    for i, (towards, rotation) in enumerate(zip(directions, light_rotations(directions), strict=True)):
        X_light_world = np.eye(4)
        X_light_world[:3, :3] = rotation
        X_light_world[:3, 3] = -rotation @ centre
        depth = stage.cast(X_light_world, lens, size, size, draw, "light ").depth
        matrix = np.zeros((3, 4), dtype=np.float32)
        matrix[:, :3] = X_light_world[:3, :3] * [[scale], [scale], [-1.0]]
        matrix[:2, 3] = size / 2.0
        group = i % len(points.counts)
        # Pass whole arrays and a count: slices would sometimes have another type and be compiled again.
        stage.engine.reach(
            points.points[group], points.normals[group], int(points.counts[group]), depth, matrix, bias, even, tilt,
            towards.astype(np.float32), lit[group], total[group],
        )  # fmt: skip


def _smoothed(stage: Stage, cast: Cast, lens: Lens, block: int, gap: float, values: Floats32) -> Floats32:
    item_of = stage.table.item_of_triangle
    relative, slack = (4e-3, 0.0) if lens.perspective else (0.0, 2.0 * gap)
    other = np.empty_like(values)
    for source, target, down in ((values, other, False), (other, values, True)):
        stage.engine.smooth(
            source, cast.ids, cast.depth, cast.planes, item_of, block, down, _BLUR, relative, slack, target
        )
    return values
