"""Cells of joint values in which two links of a robot are proved to stay apart.

Links that are a few joints apart are near each other in every state, but their relative pose depends only on those few
joints. The range of these joints is cut into cells once; for each the proof of
:mod:`workcell.collision.certify` is made with the cell in place of an interval of time. A state whose joints lie in
a proved cell needs no look at triangles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workcell.collision.pairs import ROUNDING

if TYPE_CHECKING:
    from workcell.collision.arrangement import Arrangement

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

Table = NDArray[np.uint8]

_FIRST = {1: 16, 2: 6, 3: 4}
_DOUBLED = {1: 5, 2: 4, 3: 3}
"""Into how many parts the range of each joint is cut first, and how often these are halved where nothing is proved,
by the number of joints between the links."""
_MOST = 3
"""How many joints may lie between two links at most."""
_KEPT = 512

_known: dict[tuple[object, ...], Table] = {}


def no_cells(pairs: int) -> tuple[Any, ...]:
    """Return the tables of pairs that have no cells.

    These are, for each pair: how many joints lie between, their columns, the least values, cells for each unit, counts
    of cells, and where its cells start. Then come all cells, and the rows of pairs with still bodies (moving, still).
    """
    return (
        np.zeros(pairs, dtype=np.int32),
        np.zeros((pairs, 3), dtype=np.int32),
        np.zeros((pairs, 3)),
        np.zeros((pairs, 3)),
        np.zeros((pairs, 3), dtype=np.int32),
        np.zeros(pairs, dtype=np.int64),
        np.zeros(1, dtype=np.uint8),
        np.zeros((0, 0), dtype=np.int32),
    )


def arranged_cells(
    arrangement: Arrangement, still: Ints, moving: tuple[Any, ...], most: int = _MOST
) -> tuple[Any, ...]:
    """Return the same tables with cells for pairs of moving bodies, and of links with the still ones of their robot.

    Args:
        arrangement: who stands where.
        still: the still bodies.
        moving: the moving bodies, their margins to the still ones, and the pairs of moving bodies with their margins.
        most: how many joints may lie between two bodies that get cells.
    """
    order, table, first, second, between = moving[:5]
    bodies = arrangement.model.bodies
    at, to = np.nonzero(table >= 0.0)
    own = [bodies[a].is_link and bodies[a].owner == bodies[b].owner for a, b in zip(order[at], still[to], strict=True)]
    at, to = at[own], to[own]
    rows = np.full(table.shape, -1, dtype=np.int32)
    rows[at, to] = len(first) + np.arange(len(at))
    a, b, margins = (
        np.concatenate(both) for both in ((first, order[at]), (second, still[to]), (between, table[at, to]))
    )
    return *proved_cells(arrangement, a, b, margins, most)[:-1], rows


def proved_cells(
    arrangement: Arrangement, first: Ints, second: Ints, margins: Array, most: int = _MOST
) -> tuple[Any, ...]:
    """Return the same tables with cells for pairs between which at most so many joints lie."""
    dims, columns, least, scale, counts, starts, _, rows = no_cells(len(first))
    parts: list[Table] = []
    total = 0
    limits = np.concatenate([np.empty((0, 2)), *(placed.robot.limits for placed in arrangement.robots)])
    for k in range(len(first)):
        a, b = int(first[k]), int(second[k])
        between = _between(arrangement, a, b)
        if between is None or not 1 <= len(between) <= most or not np.isfinite(limits[between]).all():
            continue
        n = len(between)
        table = _table(arrangement, a, b, between, float(margins[k]), limits[between])
        side = _FIRST[n] * 2 ** _DOUBLED[n]
        dims[k], columns[k, :n], counts[k, :n], starts[k] = n, between, side, total
        least[k, :n] = limits[between, 0]
        scale[k, :n] = side / (limits[between, 1] - limits[between, 0])
        total += table.size
        parts.append(table)
    proved = np.concatenate(parts) if parts else np.zeros(1, dtype=np.uint8)
    return dims, columns, least, scale, counts, starts, proved, rows


def _table(arrangement: Arrangement, a: int, b: int, between: list[int], margin: float, limits: Array) -> Table:
    """Which of the finest cells of a pair are proved, flat; kept for links of the same robot and shapes."""
    bodies = arrangement.model.bodies
    key: tuple[object, ...] | None = None
    if bodies[a].is_link and bodies[a].owner == bodies[b].owner:
        chain = arrangement.model.snapshot.robot(bodies[a].owner).robot.chain
        trees = (bodies[a].tree.key, bodies[b].tree.key)
        key = (chain, bodies[a].link, bodies[b].link, *trees, margin, limits.tobytes())
        if key in _known:
            return _known[key]
    n = len(between)
    side = _FIRST[n]
    proved = np.zeros((side,) * n, dtype=bool)
    for level in range(_DOUBLED[n] + 1):
        if level:
            side *= 2
            for axis in range(n):
                proved = np.repeat(proved, 2, axis=axis)
        open_cells = np.argwhere(~proved)
        if not len(open_cells):
            continue
        step = (limits[:, 1] - limits[:, 0]) / side
        middles = limits[:, 0] + step * (open_cells + 0.5)
        proved[tuple(open_cells.T)] = _prove(arrangement, a, b, between, margin, middles, 0.5 * step)
    table = proved.reshape(-1).astype(np.uint8)
    if key is not None:
        if len(_known) >= _KEPT:
            _known.clear()
        _known[key] = table
    return table


def _prove(
    arrangement: Arrangement, a: int, b: int, between: list[int], margin: float, middles: Array, half: Array
) -> NDArray[np.bool_]:
    """For cells around joint values (N, joints) whether the two bodies keep more than the margin all over."""
    from workcell.collision import _kernels_strays

    count = len(middles)
    Q = np.repeat(arrangement.home, count, axis=0)
    reach = np.zeros(Q.shape[1])
    Q[:, between] = middles
    reach[between] = half * (1.0 + 1e-9) + 1e-9
    proved = np.zeros(count, dtype=np.uint8)
    _kernels_strays.cells(
        arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, arrangement.still.copy(), Q,
        reach, a, b, arrangement.meeting(a, b), margin + 10.0 * ROUNDING, proved,
    )  # fmt: skip
    return proved.astype(bool)


def _between(arrangement: Arrangement, a: int, b: int) -> list[int] | None:
    """The columns of the joints between two bodies of one tree; None when a driven body lies between."""
    stop = arrangement.meeting(a, b)
    if stop < 0:
        return None
    kind, column = arrangement.frames[1], arrangement.frames[2]
    found = []
    for body in (a, b):
        f = int(arrangement.frame[body])
        while f != stop and f >= 0:
            if kind[f] == 3:
                return None
            if kind[f] != 0:
                found.append(int(column[f]))
            f = int(arrangement.parent[f])
    return found
