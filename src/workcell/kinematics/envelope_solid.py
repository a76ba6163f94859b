"""The work envelope as a solid, for pictures and keep-out zones."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused
from workcell.geometry.solid import Solid
from workcell.geometry.solids import revolve, union
from workcell.geometry.surface import surface
from workcell.kinematics.workspace import Envelope
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]


def envelope_solid(envelope: Envelope, X_base_0: Pose, cells: float = 1.0) -> Solid:
    """The section swept about the first axis over that joint's range, in the robot's base frame.

    Args:
        envelope: the envelope of an arm whose first joint turns.
        X_base_0: the pose of the first axis.
        cells: the greatest simplification of the outline, in cells of the envelope's grid.
    """
    tolerance = cells * float(envelope.radius[1] - envelope.radius[0])
    loops = [simplified(np.asarray(loop), tolerance) for loop in envelope.outline]
    loops = [np.column_stack([np.maximum(loop[:, 0], 0.0), loop[:, 1]]) for loop in loops if len(loop) >= 3]
    if not loops:
        raise Refused("The arm reaches no region large enough to be a solid.")
    low, high = float(envelope.first[0]), float(envelope.first[1])
    span = min(high - low, math.tau)
    solids = []
    for loop in loops:
        holes = [other for other in loops if other is not loop and _inside(other[0], loop)]
        if any(_inside(loop[0], other) for other in loops if other is not loop):
            continue  # it is a hole of another region
        section = surface(loop.tolist(), [hole.tolist() for hole in holes])
        turned = revolve(section) if span > math.tau - 1e-9 else revolve(section, span)
        solids.append(turned.moved(X_base_0 @ Pose.from_axis_angle((0, 0, 1), low)))
    return solids[0] if len(solids) == 1 else union(*solids)


def simplified(loop: Array, tolerance: float) -> Array:
    """A closed polyline with fewer corners, everywhere within ``tolerance`` [m] of the given one."""
    half = len(loop) // 2
    there, back = _thinned(loop[: half + 1], tolerance), _thinned(np.vstack([loop[half:], loop[:1]]), tolerance)
    return np.vstack([there[:-1], back[:-1]])


def _thinned(line: Array, tolerance: float) -> Array:
    """Ramer, Douglas and Peucker: keep the corner farthest from the chord while it is too far."""
    if len(line) < 3:
        return line
    chord = line[-1] - line[0]
    spokes = line[1:-1] - line[0]
    length = float(np.hypot(*chord))
    if length > 0.0:
        distances = np.abs(chord[0] * spokes[:, 1] - chord[1] * spokes[:, 0]) / length
    else:
        distances = np.hypot(spokes[:, 0], spokes[:, 1])
    furthest = int(distances.argmax())
    if distances[furthest] <= tolerance:
        return np.array([line[0], line[-1]])
    first, second = line[: furthest + 2], line[furthest + 1 :]
    return np.vstack([_thinned(first, tolerance)[:-1], _thinned(second, tolerance)])


def _inside(point: Array, loop: Array) -> bool:
    x, y = point
    x0, y0 = loop[:, 0], loop[:, 1]
    x1, y1 = np.roll(x0, -1), np.roll(y0, -1)
    crosses = (y0 > y) != (y1 > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = x0 + (y - y0) * (x1 - x0) / (y1 - y0)
    return bool(np.count_nonzero(crosses & (x < at)) % 2)
