"""Prove that a whole motion is free, without sampling. ``proof_search`` describes how the proof is found."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from workcell.collision.moving import Motions, Moving
from workcell.collision.proof import Proof
from workcell.collision.proof_pairs import TOLERANCE
from workcell.collision.proof_search import ProofSearch
from workcell.errors import InvalidValue
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

STEP = 2e-4
"""A search for contacts without a proof misses nothing thicker than this [m]."""
_ENDLESS = 1 << 62


def certify(
    model: CollisionModel,
    motions: Motions,
    state: CellState | None = None,
    *,
    tolerance: float = TOLERANCE,
    tightness: float | None = None,
    most_tests: int = 2_000_000,
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> Proof:
    """Prove a motion free, or find where it is not.

    Args:
        model: the bodies and the pair table.
        motions: a trajectory for every robot that moves and a ``PoseMotion`` for every free body that does; they
            start together. What is attached goes along.
        state: where everything else is, and who carries what; by default the initial state of the cell.
        tolerance: how fine the search goes [m].
        tightness: how close the bound must come to the least clearance, from 0 (any bound will do) to below 1. The
            default is 0.9 for clearances under 2 mm and 0.5 for greater ones.
        most_tests: the number of tests after which it gives up; the answer is then ``Undecided``.
        progress: called with the fraction of the motion that is decided and a label.
        cancel: set to stop.
    """
    if not (math.isfinite(tolerance) and tolerance > 0.0):
        raise InvalidValue(f"The tolerance of a proof must be above 0 mm, not {tolerance * 1e3:g} mm.")
    if tightness is not None and not 0.0 <= tightness < 1.0:
        raise InvalidValue(f"The tightness of a bound lies from 0 to below 1, not {tightness}.")
    base = model.snapshot.initial if state is None else state
    proof = ProofSearch(model, Moving(model, base, motions), tolerance, tightness, most_tests).run(progress, cancel)
    return replace(proof, unknown=model.unknown) if model.unknown else proof


def first_touch(
    model: CollisionModel,
    motions: Motions,
    state: CellState | None = None,
    *,
    step: float = STEP,
    cancel: threading.Event | None = None,
) -> tuple[float, tuple[str, str]] | None:
    """An instant at which meshes touch or are nearer than their margin [s], and the pair; None where they never are.

    Nothing touches before it for longer than bodies take to move by ``step``: a pair whose distance exceeds what it
    moves by over a stretch of time is free all along it; other stretches are halved until the pair moves by less than
    a step, and looked at in their middles.

    Args:
        model: the bodies and the pair table; meshes are taken as they are.
        motions: as for :func:`certify`.
        state: where everything else is, and who carries what; by default the initial state of the cell.
        step: how far bodies move between two looks where they are near each other [m].
        cancel: set to stop.
    """
    base = model.snapshot.initial if state is None else state
    return ProofSearch(model, Moving(model, base, motions), step, 0.0, _ENDLESS, looking=True).touch(cancel)
