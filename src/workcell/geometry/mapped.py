"""A surface under an affine map, exactly: flat if the map keeps its plane, otherwise a trimmed patch."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.geometry.contour import ArcTo, Circle, Contour, LineTo, Path, Point, Polygon, Segment, SplineTo
from workcell.geometry.nurbs.curve import NurbsCurve
from workcell.geometry.nurbs.surface import NurbsSurface
from workcell.geometry.surface import AnySurface, NurbsPatch, Surface
from workcell.spatial.rotations import finite

Floats = NDArray[np.float64]
_ALIKE = 1e-12


def mapped(surface: AnySurface, matrix: ArrayLike) -> AnySurface:
    """The surface under an affine 4×4 matrix.

    If the map keeps the plane z = 0, a flat surface stays flat. Circles and arcs become ellipses, as NURBS edges,
    if the map does not scale equally in all directions. A surface that leaves the plane becomes a patch, trimmed by
    its contours.
    """
    m = finite(matrix, (4, 4), "A transformation")
    if isinstance(surface, NurbsPatch):
        return NurbsSurface.from_patch(surface).transformed(m).patch
    size = max(float(np.abs(m[:3, :2]).max()), 1e-300)
    if np.abs(m[2, :2]).max() > _ALIKE * size or abs(float(m[2, 3])) > _ALIKE:
        return _lifted(surface, m)
    flat = m[np.ix_([0, 1], [0, 1, 3])]
    return Surface(tuple(_contour(c, flat) for c in surface.main), tuple(_contour(c, flat) for c in surface.holes))


def _lifted(surface: Surface, m: Floats) -> NurbsPatch:
    """A plane patch whose parameters are the x and y of the surface, trimmed by the surface itself."""
    points = np.concatenate([contour.edges()[0] for contour in surface.main])
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.05 * float((high - low).max())  # arcs bulge between their points
    (x0, y0), (x1, y1) = low - margin, high + margin
    corners = np.array([[(x0, y0, 0.0), (x0, y1, 0.0)], [(x1, y0, 0.0), (x1, y1, 0.0)]])
    plane = NurbsSurface(
        corners @ m[:3, :3].T + m[:3, 3],
        np.ones((2, 2)),
        np.array([x0, x0, x1, x1]),
        np.array([y0, y0, y1, y1]),
        (1, 1),
    )
    return plane.trimmed(surface).patch


def _contour(contour: Contour, m: Floats) -> Contour:
    if isinstance(contour, Polygon):
        return Polygon(tuple(_point(p, m) for p in contour.corners))
    scale = _scale(m)
    if isinstance(contour, Circle):
        if scale is not None:
            return Circle(_point(contour.centre, m), contour.radius * scale)
        x, y = contour.centre
        start = (x + contour.radius, y)
        return _path(Path(start, _splines(contour.centre, contour.radius, 0.0, 2.0 * math.pi, start)), m, None)
    return _path(contour, m, scale)


def _path(path: Path, m: Floats, scale: float | None) -> Path:
    start, at = _point(path.start, m), path.start
    segments: list[Segment] = []
    for segment in path.segments:
        edges: tuple[Segment, ...] = (segment,)
        if isinstance(segment, ArcTo) and scale is None:
            edges = _splines(*segment.circle(at), segment.to)
        segments += [_edge(one, m) for one in edges]
        at = segment.to
    return Path(start, tuple(segments))


def _edge(edge: Segment, m: Floats) -> Segment:
    if isinstance(edge, LineTo):
        return LineTo(_point(edge.to, m))
    if isinstance(edge, ArcTo):
        return ArcTo(_point(edge.through, m), _point(edge.to, m))
    return SplineTo(tuple(_point(p, m) for p in edge.control), edge.degree, edge.weights, edge.knots)


def _splines(centre: Point, radius: float, first: float, run: float, to: Point) -> tuple[SplineTo, ...]:
    """An arc as NURBS edges of at most a quarter turn; the last one ends exactly where the arc does."""
    curve = NurbsCurve.arc((*centre, 0.0), radius, first, run)
    control = [(float(x), float(y)) for x, y, _ in curve.control[1:-1]]
    points = [*control, to]
    weight = float(curve.weights[1])
    return tuple(SplineTo((points[i], points[i + 1]), 2, (1.0, weight, 1.0)) for i in range(0, len(points), 2))


def _scale(m: Floats) -> float | None:
    """The scale factor of a map that keeps circles round; None for other maps."""
    square = m[:, :2].T @ m[:, :2]
    factor = float(square[0, 0] + square[1, 1]) / 2.0
    return math.sqrt(factor) if np.abs(square - factor * np.eye(2)).max() <= 1e-12 * factor else None


def _point(point: Point, m: Floats) -> Point:
    x, y = m[:, :2] @ np.array(point) + m[:, 2]
    return float(x) + 0.0, float(y) + 0.0
