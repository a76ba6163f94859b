"""Verdicts on a recording: where it touches, what is proved free, and which moves are concerned."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from workcell.errors import Cancelled
from workcell.simulation.drives import RUN
from workcell.simulation.happenings import Move
from workcell.simulation.proving import edges_of, passing, prove_between
from workcell.simulation.recording import Recording
from workcell.simulation.stretches import stretches

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workcell.collision.bodies import CollisionModel

Verdict = Literal["free", "contact", "undecided"]
_SAMPLED = "the recording has no exact motions, so only its samples were checked"


@dataclass(frozen=True)
class Span:
    """A time in which something touches, or in which nothing could be proved.

    Attributes:
        begin: its beginning [s]; of a contact, exact.
        end: its end [s]; of a contact, the first sample at which the pair is free, or the last of the recording.
        verdict: ``contact`` or ``undecided``.
        pair: the two bodies.
        reason: why nothing could be proved; '' for a contact.
    """

    begin: float
    end: float
    verdict: Verdict
    pair: tuple[str, str]
    reason: str = ""


def spans_of(
    recording: Recording,
    model: CollisionModel,
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> list[Span]:
    """Return where something touches in a recording, and where that is undecided; the rest is proved free.

    Args:
        recording: what happened.
        model: the bodies and pairs to test.
        progress: called with the fraction done and a label.
        cancel: set to stop.
    """
    if not recording.exact:
        return _sampled(recording, model)
    times, found = recording.times, []
    for one in passing(recording, model).undecided:
        found.append(Span(one[0], one[1], "undecided", one[2], one[3]))
    edges = edges_of(recording)
    for begin, end in itertools.pairwise(edges):
        at = begin
        while at < end:
            if cancel is not None and cancel.is_set():
                raise Cancelled("The check of the recording was cancelled.")
            if progress is not None:
                progress((at - edges[0]) / max(recording.duration, 1e-9), f"from {at:.2f} s on")
            proof = prove_between(recording, model, at, end, cancel)
            if proof.contact is not None:
                since, pair = proof.contact
                at = _next(times, max(at, since), end)
                found.append(Span(since, at, "contact", pair))
            elif proof.undecided:
                _, until, pair, reason = proof.undecided[0]
                since, at = max(at, proof.undecided[0][0]), max(until, _next(times, at, end))
                found.append(Span(since, at, "undecided", pair, reason))
            else:
                break
    return _joined(found)


def _next(times: NDArray[np.float64], at: float, end: float) -> float:
    """Return the first sample after an instant, at most the end [s]."""
    later = int(np.searchsorted(times, at + 1e-9, side="right"))
    return min(float(times[later]), end) if later < len(times) else end


def _sampled(recording: Recording, model: CollisionModel) -> list[Span]:
    """Return the samples of an old recording at which something touches; everything else is undecided."""
    from workcell.collision.batch import check_batch

    found: list[Span] = []
    for stretch in stretches(recording):
        hits = check_batch(stretch.model(model), stretch.states, stretch.state)
        for row in np.flatnonzero(hits.touching):
            pair = hits.pair(int(row))
            assert pair is not None
            later = min(int(row) + 1, len(stretch.times) - 1)
            found.append(Span(float(stretch.times[row]), float(stretch.times[later]), "contact", pair))
    return [*_joined(found), Span(recording.start.time, recording.end, "undecided", ("", ""), _SAMPLED)]


def _joined(spans: list[Span]) -> list[Span]:
    """Return the spans in order; those of one pair that follow each other at once become one."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.begin, one.end)):
        last = joined[-1] if joined else None
        if last and (last.verdict, last.pair) == (span.verdict, span.pair) and span.begin <= last.end + 1e-9:
            joined[-1] = replace(last, end=max(last.end, span.end))
        else:
            joined.append(span)
    return joined


def verdict_of(move: Move, spans: list[Span], recording: Recording) -> tuple[Verdict, Span | None]:
    """Return the verdict on one move: the worst of the spans in it that its device is part of."""
    mine = [one for one in spans if _overlap(move, one) and _concerns(move.device, one, recording)]
    worst = next((one for one in mine if one.verdict == "contact"), mine[0] if mine else None)
    return ("free", None) if worst is None else (worst.verdict, worst)


def moves_of(recording: Recording) -> list[Move]:
    """Return the moves of a recording that a verdict is given on: all but those of belts."""
    return [move for move in recording.moves if move.kind != RUN and move.end > move.start]


def _overlap(move: Move, span: Span) -> bool:
    return span.begin < move.end - 1e-9 and (span.end > move.start + 1e-9 or span.begin == span.end)


def _concerns(device: str, span: Span, recording: Recording) -> bool:
    """Whether a body of the device, or one that it carries then, is in the pair of a span; '' stands for all."""
    attached = recording.state_at(min(span.begin, recording.end)).attached
    for name in span.pair:
        holder = attached[name].frame if name in attached else ""
        if name in ("", device) or device in (name.partition("/")[0], holder.partition("/")[0]):
            return True
    return False
