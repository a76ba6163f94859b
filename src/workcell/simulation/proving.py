"""Proofs about a recording: nothing touched at any instant, not only at the frames."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workcell.motion.chained import JointMotion
from workcell.motion.pose_motion import PoseMotion
from workcell.simulation.happenings import Signalled
from workcell.simulation.passing import passed
from workcell.simulation.pieces import Exact
from workcell.simulation.recording import Recording

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.world.state import CellState


_LONG = 1000.0
"""The greatest length of a stretch; then a new one begins when everything is at rest [s]."""


@dataclass(frozen=True)
class RecordingProof:
    """What could be proved about a recording.

    Attributes:
        contact: the first instant at which something touches [s], and what; None if no contact was found.
        undecided: stretches in which neither could be proved: from and to [s], the pair, and why.
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
        recording: what happened, with a formula for every motion.
        model: the bodies and pairs to test.
        progress: called with the fraction done and a label.
        cancel: set to stop.
    """
    return _proved(recording, model, edges_of(recording), progress, cancel)


def prove_between(
    recording: Recording, model: CollisionModel, begin: float, end: float, cancel: threading.Event | None = None
) -> RecordingProof:
    """Prove that nothing touched between two instants of a recording [s], or find where it did."""
    inner = [edge for edge in edges_of(recording) if begin < edge < end]
    return _proved(recording, model, [begin, *inner, end], None, cancel)


def _proved(
    recording: Recording,
    model: CollisionModel,
    edges: list[float],
    progress: Callable[[float, str], None] | None,
    cancel: threading.Event | None,
) -> RecordingProof:
    from workcell.collision.certify import certify
    from workcell.collision.proof import ContactAt, Undecided
    from workcell.collision.supports import supported

    undecided: list[tuple[float, float, tuple[str, str], str]] = []
    for number, (begin, end) in enumerate(itertools.pairwise(edges)):
        if progress is not None:
            progress(number / (len(edges) - 1), f"from {begin:.2f} s on")
        motions = motions_between(recording, begin, end)
        if not motions:
            continue
        first, last = recording.state_at(begin), recording.state_before(end)
        asked = supported(model, first, [name for name in motions if name not in first.attached], last)
        proof = certify(asked, motions, standing(first, motions), tightness=0.0, cancel=cancel)
        if isinstance(proof, ContactAt):
            return RecordingProof((begin + proof.time, proof.pair), tuple(undecided))
        if isinstance(proof, Undecided):
            from_, to = proof.interval
            undecided.append((begin + from_, begin + to, proof.pair, proof.reason))
    return RecordingProof(None, tuple(undecided))


def passing(recording: Recording, model: CollisionModel) -> RecordingProof:
    """Test the states of zero duration in a recording: the first contact, and what cannot be decided.

    If something else changed at the same instant, both orders are tested; only a contact in both counts.
    """
    from workcell.collision.check import check
    from workcell.collision.supports import at_rest

    undecided: list[tuple[float, float, tuple[str, str], str]] = []
    for time, states in passed(recording):
        found = [check(at_rest(model, state), state).contacts for state in states]
        touching = [contacts[0].pair for contacts in found if contacts]
        if touching and len(touching) == len(found):
            return RecordingProof((time, touching[0]), tuple(undecided))
        if touching:
            undecided.append((time, time, touching[0], "the order of what changed at this instant is not recorded"))
    return RecordingProof(None, tuple(undecided))


def edges_of(recording: Recording) -> list[float]:
    """Return the instants between which carriers and fingers stay the same, and everything moves without a jump."""
    found = {recording.start.time, recording.end}
    found |= {one.time for one in recording.changes if not isinstance(one, Signalled) or "/" in one.signal}
    for robot in recording.robots:
        found |= set(recording.way(robot).jumps())
    for body in recording.solids:
        found |= {edge for piece in recording.way(body).pieces for edge in (piece.begin, piece.end)}
    return _shortened(recording, sorted(found))


def _shortened(recording: Recording, edges: list[float]) -> list[float]:
    """Return the edges, and more where everything is at rest: motions are timed from the edge before them.

    Far from it, the clock is too coarse for the pieces of a motion to meet.
    """
    devices = (*recording.robots, *recording.solids)
    spans = sorted((one.begin, one.end) for device in devices for one in recording.way(device).pieces if not one.jumps)
    found, at, since = set(edges), edges[0], edges[0]
    for begin, end in [*spans, (edges[-1], edges[-1])]:
        if begin > at and begin - since > _LONG:
            found |= {at, begin}
            since = begin
        at = max(at, end)
    return sorted(found)


def motions_between(recording: Recording, begin: float, end: float) -> dict[str, JointMotion | PoseMotion]:
    """Return what moves between two instants, as motions that start at time 0."""
    motions: dict[str, JointMotion | PoseMotion] = {}
    for robot in recording.robots:
        way = recording.way(robot)
        if way.between(begin, end):
            motions[robot] = way.window(begin, end)
    for body in recording.solids:
        for piece in recording.way(body).between(begin, end):
            assert isinstance(piece, Exact)
            motions[body] = piece.pose_window(begin, end)
    return motions


def standing(state: CellState, motions: dict[str, JointMotion | PoseMotion]) -> CellState:
    """Return the state without what moves."""
    joints = {name: motion.start for name, motion in motions.items() if not isinstance(motion, PoseMotion)}
    return state.with_(joints={**state.joints, **joints})
