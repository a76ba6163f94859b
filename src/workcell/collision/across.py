"""Whether robots touch others that move as well: the pairs between the two groups, made ready for compiled loops."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.collision.arrangement import PRISMATIC, REVOLUTE
from workcell.collision.frame_tree import frozen
from workcell.collision.pairs import ROUNDING
from workcell.collision.selfcells import no_cells
from workcell.collision.supports import going
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel


class Across:
    """The pairs of bodies of which one moves with some robots and the other one with others.

    Args:
        model: the bodies and the pair table.
        state: where everything is and who carries what.
        ones: robots of the one group.
        others: robots of the other group.
        padding: the clearance required beyond the margins of the pairs, and beyond what meshes may lie off their
            solids [m].

    Attributes:
        arrangement: who stands where.
        row: the joint values of all robots at the state (all joints).
        scene: what the kernels in ``_kernels_free`` take.
        mine: the bodies of the one group, by their places in the model.
        theirs: those of the other group.
        places: for each pair the places of its bodies in ``mine`` and ``theirs`` (N, 2).
        empty: whether there is no such pair.
    """

    def __init__(
        self, model: CollisionModel, state: CellState, ones: Iterable[str], others: Iterable[str], padding: float
    ) -> None:
        ones, others = tuple(ones), tuple(others)
        self.arrangement = arrangement = model.arrangement(state)
        self.row = np.array(arrangement.q(state)[0])
        mine, theirs = going(model, state, ones), going(model, state, others)
        is_mine = np.array([body.name in mine for body in model.bodies])
        is_theirs = np.array([body.name in theirs for body in model.bodies])
        first, second = arrangement.first, arrangement.second
        keep = (is_mine[first] & is_theirs[second]) | (is_mine[second] & is_theirs[first])
        self.first, self.second = first[keep], second[keep]
        offset = model.deviations[self.first] + model.deviations[self.second]
        margins = arrangement.margins[keep] + padding + np.where(offset > 0.0, offset + 2.0 * ROUNDING, 0.0)
        self.empty = not len(margins)
        _, kind, column, _, _ = arrangement.frames
        turning = np.zeros(arrangement.dof, dtype=bool)
        for name in (*ones, *others):
            turning[arrangement.columns[name]] = True
        above = np.zeros(len(kind), dtype=bool)
        for f, parent in enumerate(arrangement.parent):
            above[f] = (parent >= 0 and above[parent]) or (kind[f] in (REVOLUTE, PRISMATIC) and turning[column[f]])
        which = frozen(np.flatnonzero(above).astype(np.int32))[0]
        still = frozen(np.empty((0, 6)), np.empty((0, 2), dtype=np.int32), np.empty(0, dtype=np.int32))
        bodies, table = np.empty(0, dtype=np.int32), np.empty((0, 0))
        moving = frozen(bodies, table, self.first, self.second, margins, *no_cells(len(margins)))
        stops = frozen(arrangement.stops[keep].astype(np.int32), np.full(len(is_mine), -1, dtype=np.int32))
        reach = float(margins.max()) + 1e-8 if len(margins) else 0.0
        self.mine = frozen(np.flatnonzero(is_mine).astype(np.int32))[0]
        self.theirs = frozen(np.flatnonzero(is_theirs).astype(np.int32))[0]
        swap = is_mine[self.second]
        ours, yours = np.where(swap, self.second, self.first), np.where(swap, self.first, self.second)
        self.places = frozen(np.stack([np.searchsorted(self.mine, ours), np.searchsorted(self.theirs, yours)], axis=1))[
            0
        ]
        self.scene: tuple[Any, ...] = (
            arrangement.mesh, arrangement.bodies, arrangement.frames, which, still,
            frozen(arrangement.placed(state))[0], moving, reach, arrangement.dof, stops,
        )  # fmt: skip
