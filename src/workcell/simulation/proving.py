"""Proofs about what was recorded: nothing touched at any instant, not only at the frames."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workcell.motion.pose_motion import PoseMotion
from workcell.motion.trajectory import Trajectory
from workcell.simulation.happenings import Signalled
from workcell.simulation.pieces import Exact
from workcell.simulation.recording import Recording

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.world.state import CellState


@dataclass(frozen=True)
class RecordingProof:
    """What could be proved of a recording.

    Attributes:
        contact: the first instant at which something touches [s], and what; None when nothing was found to.
        undecided: stretches in which neither was proved: from and to [s], the pair, and why.
    """

    contact: tuple[float, tuple[str, str]] | None
    undecided: tuple[tuple[float, float, tuple[str, str], str], ...]


def prove(
    recording: Recording,
    model: CollisionModel,
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> RecordingProof:
    """Prove that nothing touched while a recording was made, or find where it did.

    Args:
        recording: what happened; every motion by its formula.
        model: the bodies and pairs that are asked about.
        progress: called with the fraction done and a label.
        cancel: set to stop.
    """
    from workcell.collision.certify import ContactAt, Undecided, certify
    from workcell.collision.supports import supported

    undecided: list[tuple[float, float, tuple[str, str], str]] = []
    edges = _edges(recording)
    for number, (begin, end) in enumerate(itertools.pairwise(edges)):
        if progress is not None:
            progress(number / (len(edges) - 1), f"from {begin:.2f} s on")
        motions = _motions(recording, begin, end)
        if not motions:
            continue
        first, last = recording.state_at(begin), recording.state_before(end)
        asked = supported(model, first, [name for name in motions if name not in first.attached], last)
        proof = certify(asked, motions, _standing(first, motions), tightness=0.0, cancel=cancel)
        if isinstance(proof, ContactAt):
            return RecordingProof((begin + proof.time, proof.pair), tuple(undecided))
        if isinstance(proof, Undecided):
            from_, to = proof.interval
            undecided.append((begin + from_, begin + to, proof.pair, proof.reason))
    return RecordingProof(None, tuple(undecided))


def _edges(recording: Recording) -> list[float]:
    """The instants between which who carries what and fingers stay the same, and everything moves without a jump."""
    found = {recording.start.time, recording.end}
    found |= {one.time for one in recording.changes if not isinstance(one, Signalled) or "/" in one.signal}
    for robot in recording.robots:
        found |= set(recording.way(robot).jumps())
    for body in recording.solids:
        found |= {edge for piece in recording.way(body).pieces for edge in (piece.begin, piece.end)}
    return sorted(found)


def _motions(recording: Recording, begin: float, end: float) -> dict[str, Trajectory | PoseMotion]:
    """What moves between two instants, as motions that start at time 0."""
    motions: dict[str, Trajectory | PoseMotion] = {}
    for robot in recording.robots:
        way = recording.way(robot)
        if way.between(begin, end):
            motions[robot] = way.window(begin, end)
    for body in recording.solids:
        for piece in recording.way(body).between(begin, end):
            assert isinstance(piece, Exact)
            motions[body] = piece.pose_window(begin, end)
    return motions


def _standing(state: CellState, motions: dict[str, Trajectory | PoseMotion]) -> CellState:
    """The state in which everything else stands."""
    joints = {name: motion.start for name, motion in motions.items() if isinstance(motion, Trajectory)}
    return state.with_(joints={**state.joints, **joints})
