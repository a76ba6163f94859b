"""A surface: main contours with holes in the plane, or a NURBS patch; checked when it is made."""

from __future__ import annotations

import itertools
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.cost import NET
from workcell.errors import InvalidShape, InvalidValue
from workcell.geometry.checks import coordinates, count, positive, size
from workcell.geometry.contour import Circle, Contour, Path, Polygon, polygon, signed_area
from workcell.geometry.nurbs.basis import check_degree

Floats = NDArray[np.float64]


class Surface(msgspec.Struct, frozen=True, tag_field="kind", tag="surface"):
    """A region of the plane z = 0 between main contours and the holes in them [m].

    Contours may run either way and may be concave. They must be simple and must not touch each other, and every
    hole must lie inside a main contour; otherwise the error names the edges and the place.
    """

    main: tuple[Contour, ...]
    holes: tuple[Contour, ...] = ()

    def __post_init__(self) -> None:
        if not self.main:
            raise InvalidValue("A surface needs a main contour.")
        _check(self.main, self.holes)

    @property
    def regions(self) -> tuple[tuple[Contour, tuple[Contour, ...]], ...]:
        """Each main contour with the holes that lie in it."""
        mains = [contour.edges()[0] for contour in self.main]
        owned: list[list[Contour]] = [[] for _ in self.main]
        for hole in self.holes:
            point = hole.edges()[0][0]
            owned[next(i for i, loop in enumerate(mains) if _inside(point, loop))].append(hole)
        return tuple((contour, tuple(holes)) for contour, holes in zip(self.main, owned, strict=True))

    @property
    def edge_count(self) -> int:
        """The number of edges of all contours."""
        return sum(int(contour.edges()[1].max()) + 1 for contour in (*self.main, *self.holes))

    @property
    def is_polygonal(self) -> bool:
        """Whether all edges are straight."""
        return all(isinstance(contour, Polygon) for contour in (*self.main, *self.holes))

    def loops(self, turn: float = 0.05) -> list[Floats]:
        """Closed polylines: main ones counter-clockwise, holes clockwise."""
        result = []
        for contour, way in [(c, 1.0) for c in self.main] + [(c, -1.0) for c in self.holes]:
            points = contour.edges(turn)[0]
            result.append(points if signed_area(points) * way > 0.0 else points[::-1])
        return result


class NurbsPatch(msgspec.Struct, frozen=True, tag_field="kind", tag="nurbs"):
    """A NURBS patch: control points in rows (u runs from row to row), and trimming contours in (u, v)."""

    control: tuple[tuple[tuple[float, float, float], ...], ...]
    weights: tuple[tuple[float, ...], ...]
    degrees: tuple[int, int]
    knots_u: tuple[float, ...]
    knots_v: tuple[float, ...]
    trim: Surface | None = None

    def __post_init__(self) -> None:
        for degree in self.degrees:
            check_degree(count(degree, 1, "The degree of a NURBS patch"))
        rows = len(self.control)
        NET.check(sum(len(row) for row in self.control), "The patch")
        columns = {len(row) for row in self.control}
        if len(columns) != 1 or {len(row) for row in self.weights} != columns or len(self.weights) != rows:
            raise InvalidValue("The control points and weights of a NURBS patch must form one grid.")
        for knots, n, degree in (
            (self.knots_u, rows, self.degrees[0]),
            (self.knots_v, columns.pop(), self.degrees[1]),
        ):
            if len(knots) != n + degree + 1:
                raise InvalidValue(
                    f"A NURBS patch of {n} control points and degree {degree} needs {n + degree + 1} knots; "
                    f"found {len(knots)}."
                )
            if any(b < a for a, b in itertools.pairwise(knots)) or knots[-1] <= knots[0]:
                raise InvalidValue("The knots of a NURBS patch must not decrease.")
        for row in self.control:
            for point in row:
                coordinates(point, 3, "A control point")
        for weights in self.weights:
            for weight in weights:
                positive(weight, "A weight")


AnySurface: TypeAlias = Surface | NurbsPatch
"""Any surface that can be attached to a block."""


def surface(main: object, holes: object = ()) -> Surface:
    """A surface from contours, or from arrays of points (n, 2) [m]."""
    mains = [main] if isinstance(main, Polygon | Circle | Path) else _several(main)
    return Surface(tuple(_contour(c) for c in mains), tuple(_contour(c) for c in _several(holes)))


def rectangle(x: float, y: float) -> Surface:
    """A rectangle with its centre at the origin [m]."""
    a, b = size(x, "The width of a rectangle") / 2.0, size(y, "The depth of a rectangle") / 2.0
    return Surface((polygon([(-a, -b), (a, -b), (a, b), (-a, b)]),))


def disc(radius: float, hole: float = 0.0) -> Surface:
    """A disc, or a ring, with its centre at the origin [m]."""
    holes = (Circle((0.0, 0.0), hole),) if hole else ()
    return Surface((Circle((0.0, 0.0), radius),), holes)


def _several(contours: object) -> list[object]:
    if isinstance(contours, Polygon | Circle | Path):
        return [contours]
    if not isinstance(contours, tuple | list | np.ndarray):
        raise InvalidValue(f"Contours are given as arrays of points (n, 2) or as contours; found {contours!r}.")
    items = list(contours)
    if items and not isinstance(items[0], Polygon | Circle | Path) and np.ndim(items[0]) == 1:
        return [contours]  # one contour's points
    return items


def _contour(value: object) -> Contour:
    return value if isinstance(value, Polygon | Circle | Path) else polygon(value)


# ---- checking -----------------------------------------------------------------------------------------


def _check(main: tuple[Contour, ...], holes: tuple[Contour, ...]) -> None:
    labelled = [(f"main contour {i}" if len(main) > 1 else "the main contour", c) for i, c in enumerate(main, 1)]
    labelled += [(f"hole {i}" if len(holes) > 1 else "the hole", c) for i, c in enumerate(holes, 1)]
    starts, ends, names, loops, numbers_ = [], [], [], [], []
    for index, (_, contour) in enumerate(labelled):
        points, owners = contour.edges()
        loops.append(points)
        starts.append(points)
        ends.append(np.roll(points, -1, axis=0))
        names.append(np.full(len(points), index))
        numbers_.append(owners)
    a, b = np.concatenate(starts), np.concatenate(ends)
    owner, edge = np.concatenate(names), np.concatenate(numbers_)
    size = float(np.ptp(a, axis=0).max())
    lengths = np.linalg.norm(b - a, axis=1)
    if (short := np.flatnonzero(lengths <= 1e-9 * size)).size:
        i = int(short[0])
        raise InvalidShape(
            f"Edge {edge[i] + 1} of {labelled[owner[i]][0]} has no length, at {_at(a[i])}.",
            faults=((int(edge[i]) + 1, tuple(a[i].tolist())),),
        )
    found = crossings(a, b, owner)
    if found:
        faults = []
        for i, j, place in found[:20]:
            faults.append((_edge_name(labelled, owner, edge, i), _edge_name(labelled, owner, edge, j), place))
        first, second, place = faults[0]
        more = f" ({len(found)} crossings in all)" if len(found) > 1 else ""
        raise InvalidShape(f"{_upper(first)} crosses {second} at {_at(place)}{more}.", faults=tuple(faults))
    for label, loop in zip(labelled, loops, strict=True):
        if abs(signed_area(loop)) <= 1e-12 * size * size:
            raise InvalidShape(f"{_upper(label[0])} encloses no area.", faults=(label[0],))
    _check_nesting(labelled, loops, len(main))


def _check_nesting(labelled: list[tuple[str, Contour]], loops: list[Floats], mains: int) -> None:
    for i, (name, _) in enumerate(labelled):
        point = loops[i][0]
        around = [j for j in range(len(loops)) if j != i and _inside(point, loops[j])]
        if i >= mains:
            if not any(j < mains for j in around):
                raise InvalidShape(
                    f"{_upper(name)} lies outside the main contour, at {_at(point)}.", faults=((name, tuple(point)),)
                )
            if any(j >= mains for j in around):
                other = labelled[next(j for j in around if j >= mains)][0]
                raise InvalidShape(
                    f"{_upper(name)} lies inside {other}, at {_at(point)}; holes must not be nested.",
                    faults=((name, tuple(point)),),
                )
        elif any(j < mains for j in around) and not any(j >= mains for j in around):
            other = labelled[next(j for j in around if j < mains)][0]
            raise InvalidShape(
                f"{_upper(name)} lies inside {other}, at {_at(point)}; give it as a hole, or leave it out.",
                faults=((name, tuple(point)),),
            )


def crossings(a: Floats, b: Floats, owner: NDArray[np.int64]) -> list[tuple[int, int, tuple[float, float]]]:
    """Pairs of segments a→b that cross or touch, except for the common ends of neighbours, and where."""
    n = len(a)
    low, high = np.minimum(a, b), np.maximum(a, b)
    following = np.arange(n) + 1
    for contour in np.unique(owner):
        where = np.flatnonzero(owner == contour)
        following[where[-1]] = where[0]
    margin = 1e-12 * float(np.ptp(a, axis=0).max())
    found: list[tuple[int, int, tuple[float, float]]] = []
    order = np.argsort(low[:, 0], kind="stable")
    reach = high[order, 0]
    left = low[order, 0]
    stops = np.searchsorted(left, reach + margin, side="right")
    for place, i in enumerate(order):
        others = order[place + 1 : stops[place]]
        near = others[(low[others, 1] <= high[i, 1] + margin) & (high[others, 1] >= low[i, 1] - margin)]
        for j in near:
            where_ = _meeting(a[i], b[i], a[j], b[j], following[i] == j, following[j] == i, margin)
            if where_ is not None:
                first, second = sorted((int(i), int(j)))
                found.append((first, second, where_))
    return sorted(found)


def _meeting(
    p: Floats, q: Floats, r: Floats, s: Floats, ahead: bool, behind: bool, margin: float
) -> tuple[float, float] | None:
    """The point where two segments meet. The shared end of neighbours does not count; a fold back does."""
    u, v, w = q - p, s - r, r - p
    cross = float(u[0] * v[1] - u[1] * v[0])
    size = float(np.hypot(*u) * np.hypot(*v))
    if abs(cross) > 1e-12 * size:
        if ahead or behind:
            return None
        t = float(w[0] * v[1] - w[1] * v[0]) / cross
        k = float(w[0] * u[1] - w[1] * u[0]) / cross
        slack_t, slack_k = margin / float(np.hypot(*u)), margin / float(np.hypot(*v))
        if -slack_t <= t <= 1.0 + slack_t and -slack_k <= k <= 1.0 + slack_k:
            where = p + t * u
            return float(where[0]), float(where[1])
        return None
    if abs(float(u[0] * w[1] - u[1] * w[0])) > margin * float(np.hypot(*u)):
        return None
    along = u / float(u @ u)
    one, two = sorted((float((r - p) @ along), float((s - p) @ along)))
    start, stop = max(0.0, one), min(1.0, two)
    shared = ahead or behind
    if stop - start > 1e-9 or (not shared and stop >= start):
        where = p + u * ((start + stop) / 2.0)
        return float(where[0]), float(where[1])
    return None


def _inside(point: Floats, loop: Floats) -> bool:
    x, y = point
    ax, ay = loop.T
    bx, by = np.roll(loop, -1, axis=0).T
    spans = (ay > y) != (by > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        cut = ax + (y - ay) * (bx - ax) / (by - ay)
    return bool(np.count_nonzero(spans & (x < cut)) % 2)


def _edge_name(
    labelled: list[tuple[str, Contour]], owner: NDArray[np.int64], edge: NDArray[np.int64], index: int
) -> str:
    return f"edge {edge[index] + 1} of {labelled[owner[index]][0]}"


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]


def _at(point: object) -> str:
    x, y = np.asarray(point, dtype=np.float64)
    return f"({x:.6g}, {y:.6g})"
