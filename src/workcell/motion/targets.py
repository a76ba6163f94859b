"""Poses of a tool along an edge, a curve or a face: approach, tilt, stand-off.

Before it is tilted, a target has x along travel and z into the work. ::

    trace = edge_trace(cube, "left", "top", spacing=0.05)
    poses = tool_poses(trace, tilt=np.radians(10), gap=0.002)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.geometry.traces import Trace
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]
Approach: TypeAlias = Literal["between", "first", "second"]
APPROACHES: tuple[Approach, ...] = ("between", "first", "second")
"""The direction from which the tool comes: half-way between both normals, or along one of them."""


def tool_poses(
    trace: Trace,
    *,
    approach: Approach = "between",
    tilt: float = 0.0,
    side: float = 0.0,
    turn: float = 0.0,
    gap: float = 0.0,
    gaps: tuple[float, float] | None = None,
) -> tuple[Pose, ...]:
    """The poses of a tool along a trace, in the frame that the trace is in.

    Args:
        trace: the line to follow, with travel and normals.
        approach: whether z is opposite to the mean of both normals, or to one of them.
        tilt: the lean of the tool in the plane of travel [rad]; positive points it ahead, negative back.
        side: the lean to the side, about the direction of travel [rad]; positive toward the second face,
            from half-way between the two.
        turn: the turn about its own axis after that [rad].
        gap: the stand-off of the tip, against the approach before the tool is tilted [m].
        gaps: the stand-off of the tip from each of the two faces instead [m].
    """
    if approach not in APPROACHES:
        raise InvalidValue(f"The approach of a tool must be {', '.join(APPROACHES)}, not {approach!r}.")
    for value, what in ((tilt, "tilt"), (side, "side angle"), (turn, "turn"), (gap, "gap")):
        if not math.isfinite(value):
            raise InvalidValue(f"The {what} of a target must be a finite number; found {value}.")
    if abs(tilt) >= math.pi / 2 or abs(side) >= math.pi / 2:
        raise InvalidValue(
            f"A tool must lean by less than 90°; found a tilt of {math.degrees(tilt):g}° and a side angle of "
            f"{math.degrees(side):g}°."
        )
    normal = away(trace, approach)
    X0 = _frames(trace.tangents, normal)
    points = trace.points + (gap * normal if gaps is None else _off(trace, gaps))
    rotation = X0 @ _about(0, _toward(trace, X0) * side) @ _about(1, tilt) @ _about(2, turn)
    return tuple(Pose.from_rotation(R, p) for R, p in zip(rotation, points, strict=True))


def joined(parts: Sequence[tuple[Pose, ...]], retract: float = 0.0) -> tuple[Pose, ...]:
    """Join several rows into one path; between two of them the tool is lifted along its axis by ``retract`` [m]."""
    if not (math.isfinite(retract) and retract >= 0.0):
        raise InvalidValue(f"A tool must be lifted by zero or more; found {retract:g} m.")
    up = Pose.from_xyz(0.0, 0.0, -retract)
    found: list[Pose] = []
    for part in parts:
        if retract > 0.0 and found:
            found += [found[-1] @ up, part[0] @ up]
        found += part
    return tuple(found)


def away(trace: Trace, approach: Approach = "between") -> Array:
    """Unit vectors away from the work (N, 3), perpendicular to travel: against the approach of an upright tool."""
    if approach == "between":
        mean = trace.first + trace.second
    else:
        mean = trace.first if approach == "first" else trace.second
    mean = mean - (mean * trace.tangents).sum(axis=1, keepdims=True) * trace.tangents
    size = np.linalg.norm(mean, axis=1, keepdims=True)
    if (size <= 1e-9).any():
        place = int(size.argmin())
        x, y, z = trace.points[place] * 1e3
        raise InvalidValue(
            f"At ({x:.6g}, {y:.6g}, {z:.6g}) mm the two faces look away from each other, so there is no direction "
            f"half-way between their normals; approach along the first or the second."
        )
    return np.asarray(mean / size)


def _frames(tangents: Array, normal: Array) -> Array:
    """Rotations (N, 3, 3) with x along travel and z against the normal."""
    z = -normal
    return np.stack([tangents, np.cross(z, tangents), z], axis=2)


def _toward(trace: Trace, X0: Array) -> Array:
    """+1 or −1 (N,): the direction about x in which a positive side angle leans the tool toward the second face."""
    across = (trace.second - trace.first) * X0[:, :, 1]
    # Turning about x by +a moves the tool's body, −z, toward +y.
    return np.where(across.sum(axis=1) < 0.0, -1.0, 1.0)


def _off(trace: Trace, gaps: tuple[float, float]) -> Array:
    """Shifts (N, 3) perpendicular to travel with the given distances from each of the two faces [m]."""
    first, second = gaps
    if not (math.isfinite(first) and math.isfinite(second)):
        raise InvalidValue(f"Gaps from two faces must be two finite numbers; found {gaps}.")
    cosine = (trace.first * trace.second).sum(axis=1)
    if (1.0 - cosine**2 <= 1e-9).any():
        raise InvalidValue("Gaps from two faces need two faces at an angle; give one gap instead.")
    below = 1.0 - cosine**2
    a, b = (first - second * cosine) / below, (second - first * cosine) / below
    return np.asarray(a[:, None] * trace.first + b[:, None] * trace.second)


def _about(axis: int, angle: Array | float) -> Array:
    """Rotations about a coordinate axis (N or 1, 3, 3)."""
    angles = np.atleast_1d(np.asarray(angle, dtype=np.float64))
    c, s = np.cos(angles), np.sin(angles)
    out = np.zeros((len(angles), 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out[:, axis, axis] = 1.0
    out[:, i, i] = out[:, j, j] = c
    out[:, i, j], out[:, j, i] = -s, s
    return out
