"""The floor under a scene: its position, the spacing of its grid, and its projection."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.pictures.camera import Camera
from workcell.pictures.style import Style

Floats = NDArray[np.float64]


class Floor(NamedTuple):
    """A level plane that fades out.

    Attributes:
        seen: whether the camera sees it from above.
        height: its z [m].
        pixels_to_floor: (3, 3) maps (x, y, 1) in pixels to (u·w, v·w, w), counted from ``centre``; in front of the
            camera if w > 0.
        centre: (2,) the point where it is strongest [m].
        fade: the distance from there at which it has faded out [m].
        step: the spacing of its lines [m]; 0 for none.
        major: one line in this many is stronger.
    """

    seen: bool
    height: float
    pixels_to_floor: Floats
    centre: Floats
    fade: float
    step: float
    major: float


def floor_of(style: Style, camera: Camera, width: int, height: int, bounds: Floats) -> Floor:
    """The floor as a camera sees it on an image of ``width`` × ``height`` pixels."""
    radius = max(float(np.linalg.norm(bounds[1] - bounds[0])) / 2.0, 1e-9)
    level = float(bounds[0, 2]) if style.floor in ("auto", None) else float(style.floor)
    step, major = (
        (0.0, 5.0) if style.grid is None else grid_step(radius) if not style.grid else (float(style.grid), 5.0)
    )
    rotation, lens, eye = camera.rotation, camera.lens(width, height), np.asarray(camera.eye)
    # Pixel to camera coordinates at forward distance one (perspective) or zero (parallel).
    ray = np.array([[1.0, 0.0, -lens.centre_x], [0.0, 1.0, -lens.centre_y], [0.0, 0.0, lens.scale]]) / lens.scale
    forward = rotation[2]
    if lens.perspective:
        directions = rotation.T @ ray
        drop = level - eye[2]
        seen = drop < 0.0
        matrix = np.stack([drop * directions[i] + eye[i] * directions[2] for i in range(2)] + [directions[2]])
        matrix = -matrix
    else:
        ray[2] = 0.0
        start = rotation.T @ ray
        start[:, 2] += eye
        seen = bool(forward[2] < -1e-6)
        slope = forward[:2] / forward[2] if seen else np.zeros(2)
        sink = np.array([0.0, 0.0, level]) - start[2]
        matrix = np.stack([start[0] + slope[0] * sink, start[1] + slope[1] * sink, [0.0, 0.0, 1.0]])
    # Counted from a crossing of strong lines near the middle: small numbers for the kernels, but the same lines.
    pitch = step * major or radius
    centre = np.round(bounds.mean(axis=0)[:2] / pitch) * pitch
    matrix[:2] -= np.outer(centre, matrix[2])
    return Floor(
        style.floor is not None and seen, level, np.ascontiguousarray(matrix), centre, _reach(radius), step, major
    )


def _reach(radius: float) -> float:
    """The distance up to which the floor is drawn [m]: in steps, so that it does not vary while things move."""
    return 3.2 * math.exp2(math.ceil(4.0 * math.log2(radius) - 0.5) / 4.0)


def grid_step(radius: float) -> tuple[float, float]:
    """A round spacing of grid lines for a scene of this radius [m], and the number of lines per stronger one."""
    rough = radius / 4.0
    power = 10.0 ** math.floor(math.log10(rough))
    for factor, major in ((5.0, 2.0), (2.0, 5.0)):
        if rough >= factor * power:
            return factor * power, major
    return power, 5.0
