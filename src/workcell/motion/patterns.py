"""Patterns of poses: grids in layers, and poses mirrored at a plane."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.spatial.pose import Pose


def grid(
    counts: Sequence[int],
    pitch: Sequence[float],
    first: Pose | None = None,
    *,
    stagger: float = 0.0,
    turn: float = 0.0,
    zigzag: bool = False,
) -> tuple[Pose, ...]:
    """Poses in rows along x, the rows side by side along y, and layers one above the other along z.

    Args:
        counts: the number along x, along y and, if there are layers, along z.
        pitch: the distances along x, y and z [m]; may be negative.
        first: the first pose; all others have its orientation.
        stagger: the shift of every second row along x [m].
        turn: the turn of each layer relative to the one below, about the vertical through its middle [rad].
        zigzag: whether every second row and layer is numbered backward, so that neighbours follow each other.

    Returns:
        The poses: along x first, then row by row, then layer by layer.
    """
    nx, ny, nz = (*counts, 1)[:3]
    if min(nx, ny, nz) < 1:
        raise InvalidValue(
            f"A grid needs at least one place in each direction; found {'x'.join(str(n) for n in counts)}."
        )
    steps = (*pitch, 0.0)[:3]
    if nz > 1 and len(pitch) < 3:
        raise InvalidValue(f"A grid of {nz} layers needs a third pitch, from layer to layer; found only two.")
    start = Pose.identity() if first is None else first
    centre = np.array([(nx - 1) * steps[0] + (stagger if ny > 1 else 0.0), (ny - 1) * steps[1], 0.0]) / 2.0
    found: list[Pose] = []
    for layer in range(nz):
        flat = []
        for row in range(ny):
            line = [np.array([i * steps[0] + (stagger if row % 2 else 0.0), row * steps[1], 0.0]) for i in range(nx)]
            flat += [(shift, start) for shift in (reversed(line) if zigzag and row % 2 else line)]
        about = _about(start.xyz + centre, layer * turn)
        placed = [about @ _shifted(pose, shift) for shift, pose in flat]
        lift = np.array([0.0, 0.0, layer * steps[2]])
        found += [_shifted(pose, lift) for pose in (reversed(placed) if zigzag and layer % 2 else placed)]
    return tuple(found)


def mirrored(poses: Sequence[Pose], normal: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> tuple[Pose, ...]:
    """Poses on the other side of a plane: the x and z axes of each are mirrored, and y completes them.

    A mirror image is left-handed, which no tool is; so only the approach and the direction of travel are mirrored.

    Args:
        poses: the poses.
        normal: the normal of the plane.
        point: a point of the plane [m].
    """
    n = np.asarray(normal, dtype=float)
    size = float(np.linalg.norm(n))
    if n.shape != (3,) or not math.isfinite(size) or size < 1e-12:
        raise InvalidValue(f"The normal of a mirror must be a direction such as 1,0,0; found {normal!r}.")
    n = n / size
    reflect, through = np.eye(3) - 2.0 * np.outer(n, n), np.asarray(point, dtype=float)
    found = []
    for pose in poses:
        x, z = reflect @ pose.rotation[:, 0], reflect @ pose.rotation[:, 2]
        matrix = np.eye(4)
        matrix[:3, :3] = np.column_stack([x, np.cross(z, x), z])
        matrix[:3, 3] = through + reflect @ (pose.xyz - through)
        found.append(Pose(matrix))
    return tuple(found)


def _shifted(pose: Pose, by: NDArray[np.float64]) -> Pose:
    matrix = pose.matrix.copy()
    matrix[:3, 3] += by
    return Pose(matrix)


def _about(point: ArrayLike, angle: float) -> Pose:
    """A turn about the vertical through a point."""
    if angle == 0.0:
        return Pose.identity()
    turn = np.eye(4)
    turn[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    turn[:3, 3] = np.asarray(point) - turn[:3, :3] @ np.asarray(point)
    return Pose(turn)
