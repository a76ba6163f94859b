"""Where robots would touch others: a grid of their configurations against those of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.collision.across import Across
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.arrangement import Arrangement
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]
Group: TypeAlias = tuple[Sequence[str], Array]
"""Robots, and joint values of all of them in one row (N, joints)."""


def look_across(
    model: CollisionModel,
    state: CellState,
    ones: Group,
    others: Group,
    padding: float,
    out: NDArray[np.bool_],
    pairs: NDArray[np.int32],
) -> None:
    """Find where robots touch others.

    Args:
        model: the bodies and the pair table.
        state: where everything else is, and who carries what.
        ones: the rows of the grid.
        others: the columns of the grid.
        padding: how far apart they must be beyond what is required [m].
        out: the cells to look at (N, M); those at which nothing touches become False.
        pairs: gets the bodies of one touching pair for each cell (2, N, M).
    """
    from workcell.planning import _kernels_crossing as kernels

    across = Across(model, state, ones[0], others[0], padding)
    if across.empty:
        out[:] = False
        return
    mine, theirs = _columns(across.arrangement, ones[0]), _columns(across.arrangement, others[0])
    A, B = np.ascontiguousarray(ones[1]), np.ascontiguousarray(others[1])
    row = across.row.copy()
    boxes_a, boxes_b = np.empty((len(A), len(across.mine), 6)), np.empty((len(B), len(across.theirs), 6))
    kernels.body_boxes(across.scene, row, mine, A, across.mine, boxes_a)
    kernels.body_boxes(across.scene, row, theirs, B, across.theirs, boxes_b)
    kernels.crossings(
        across.scene, row, mine, A, theirs, B, boxes_a, boxes_b, across.places, out, pairs[0], pairs[1]
    )  # fmt: skip


def _columns(arrangement: Arrangement, names: Sequence[str]) -> NDArray[np.int32]:
    """The places of the joints of some robots in a row of all joints."""
    places = np.concatenate([np.arange(arrangement.dof)[arrangement.columns[name]] for name in names])
    places = places.astype(np.int32)
    places.flags.writeable = False
    return places
