"""Flat surfaces that lie on each other: the same surface twice, or two that share a part of their plane."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.geometry import recipe as r
from workcell.geometry.fast import engine
from workcell.geometry.surface import Surface
from workcell.geometry.validity import Fault

Floats = NDArray[np.float64]

_LISTED = 50
"""The most faults that are listed."""
_ANGLE = 1e-6
"""Planes are the same if their angle is less than this [rad] …"""
_APART = 1e-6
"""… and their distance is less than this share of the size of all surfaces."""
_SHARE = 1e-6
"""The least share of the smaller surface that two must have in common."""
_SAME = 5e-3
"""The greatest share by which two outlines of one curve may differ, because they are compared as polygons."""
_CHUNK = 256


def overlaps(patches: Sequence[r.Patch]) -> list[Fault]:
    """The pairs of patches that are the same face twice or overlap in their plane, each with the middle of that."""
    found: list[Fault] = []
    loops: dict[int, list[Floats]] = {}  # many patches use one surface
    flat = [_Flat(patch, loops) for patch in patches if isinstance(patch.surface, Surface)]
    for one, two in _candidates(flat):
        fault = one.on(two)
        if fault is not None:
            found.append(fault)
        if len(found) >= _LISTED:
            return found
    seen: dict[tuple[object, ...], r.Patch] = {}
    for patch in patches:
        if not isinstance(patch.surface, Surface):
            first = seen.setdefault((patch.surface, patch.matrix), patch)
            if first is not patch:
                m = np.array(patch.matrix).reshape(3, 4)
                points = np.array(patch.surface.control, dtype=np.float64).reshape(-1, 3)
                found.append(_fault("duplicated face", m[:, :3] @ points.mean(axis=0) + m[:, 3], first, patch))
    return found[:_LISTED]


class _Flat:
    """A plane surface in its place."""

    def __init__(self, patch: r.Patch, known: dict[int, list[Floats]]) -> None:
        assert isinstance(patch.surface, Surface)
        if id(patch.surface) not in known:
            known[id(patch.surface)] = patch.surface.loops()
        self.patch = patch
        m = np.array(patch.matrix).reshape(3, 4)
        self.loops = [loop @ m[:, :2].T + m[:, 3] for loop in known[id(patch.surface)]]
        normal = np.cross(m[:, 0], m[:, 1])
        self.normal = normal / max(float(np.linalg.norm(normal)), 1e-300)
        points = np.concatenate(self.loops)
        self.low, self.high = points.min(axis=0), points.max(axis=0)

    def on(self, other: _Flat) -> Fault | None:
        """The fault if it lies on another one in the same plane, or None."""
        origin = self.loops[0][0]
        across = np.cross(self.normal, np.eye(3)[np.abs(self.normal).argmin()])
        across /= np.linalg.norm(across)
        axes = np.array([across, np.cross(self.normal, across)])
        one, two = (_section([(loop - origin) @ axes.T for loop in flat.loops]) for flat in (self, other))
        both = one ^ two
        shared, small, large = float(both.area()), *sorted([float(one.area()), float(two.area())])
        if shared <= _SHARE * small:
            return None
        x, y = _middle(both.to_polygons())
        kind = "duplicated face" if shared >= (1.0 - _SAME) * large else "overlapping coplanar faces"
        return _fault(kind, origin + x * axes[0] + y * axes[1], self.patch, other.patch)


def _section(loops: list[Floats]) -> Any:
    m = engine()
    return m.CrossSection([loop.astype(np.float64) for loop in loops], m.FillRule.EvenOdd)


def _middle(polygons: list[Floats]) -> Floats:
    """The centroid of the area of polygons; that of the largest if they cancel."""
    area, moment = 0.0, np.zeros(2)
    for polygon in polygons:
        points = np.asarray(polygon, dtype=np.float64)
        ahead = np.roll(points, -1, axis=0)
        cross = points[:, 0] * ahead[:, 1] - points[:, 1] * ahead[:, 0]
        area += float(cross.sum()) / 2.0
        moment += ((points + ahead) * cross[:, None]).sum(axis=0) / 6.0
    return np.asarray(moment / area)


def _candidates(flat: list[_Flat]) -> Iterator[tuple[_Flat, _Flat]]:
    """Pairs in one plane with overlapping boxes."""
    if len(flat) < 2:
        return
    normal = np.array([one.normal for one in flat])
    corner = np.array([one.loops[0][0] for one in flat])
    low, high = np.array([one.low for one in flat]), np.array([one.high for one in flat])
    near = _APART * float((high.max(axis=0) - low.min(axis=0)).max())
    for start in range(0, len(flat), _CHUNK):
        rows = slice(start, start + _CHUNK)
        parallel = np.abs(normal[rows] @ normal.T) > 1.0 - _ANGLE**2
        height = np.einsum("ij,ij->i", normal[rows], corner[rows])[:, None] - normal[rows] @ corner.T
        first, second = np.nonzero(parallel & (np.abs(height) <= near))
        first = first + start
        meet = ((low[first] <= high[second] + near) & (high[first] >= low[second] - near)).all(axis=1)
        for i, j in zip(first[meet], second[meet], strict=True):
            if i < j:
                yield flat[i], flat[j]


def _fault(kind: str, place: Floats, one: r.Patch, two: r.Patch) -> Fault:
    x, y, z = (float(value) + 0.0 for value in place)
    return Fault(kind, (x, y, z), (one.name, two.name))
