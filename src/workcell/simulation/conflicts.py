"""Every conflict of a recording: which bodies touch, from when to when, how deep, and on which lines of programs."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.simulation.proving import edges_of, motions_between, standing
from workcell.simulation.recording import Recording

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.moving import Moving

Array = NDArray[np.float64]

_TRAVEL = 5e-3
"""How far joints turn [rad] or slide [m] at most between two looks."""
_MOST_LOOKS = 4000
"""The greatest number of looks in one stretch."""
_PAIRS = 32
"""How many pairs are kept for each look."""
_HALVINGS = 20
_ROUNDS = 16
"""How often the rest is proved again without the pairs that were found."""


@dataclass(frozen=True)
class Conflict:
    """Two bodies that touch for a while, or come nearer than they may.

    Attributes:
        pair: the bodies.
        begin: from when on [s].
        end: until when [s].
        depth: how deep they reach into each other at the worst look [m]; minus their distance where only a margin is
            broken.
        worst: when that is [s].
        place: where that is, in the world [m].
        lines: the line that each program is at when the conflict begins.
    """

    pair: tuple[str, str]
    begin: float
    end: float
    depth: float
    worst: float
    place: tuple[float, float, float]
    lines: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Conflicts:
    """What was found in a recording.

    Attributes:
        found: the conflicts in the order of time.
        proved: whether all pairs that are not among them are proved free.
    """

    found: tuple[Conflict, ...]
    proved: bool


def conflicts_of(
    recording: Recording,
    model: CollisionModel,
    programs: Sequence[str] = (),
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> Conflicts:
    """Find every conflict of a recording; the search does not stop at the first.

    Pairs are looked at every few millimetres of travel, and their times are found by halving. Then all other pairs are
    proved free; where the proof finds another contact, it is added.

    Args:
        recording: what happened.
        model: the bodies and pairs to test.
        programs: the programs that ran; their lines are reported.
        progress: called with the fraction done and a label.
        cancel: set to stop.
    """
    spans: list[tuple[tuple[str, str], float, float, float]] = []
    edges, proved = edges_of(recording), True
    for number, (begin, end) in enumerate(itertools.pairwise(edges)):
        if progress is not None:
            progress(number / (len(edges) - 1), f"from {begin:.2f} s on")
        stretch = _Stretch(recording, model, begin, end)
        if stretch.moving is not None:
            found, whole = stretch.conflicts(cancel)
            proved &= whole
            spans += [(pair, begin + a, begin + b, begin + at) for pair, a, b, at in found]
    return Conflicts(tuple(_worded(recording, model, programs, one) for one in _merged(spans)), proved)


class _Stretch:
    """A part of a recording in which carriers stay the same."""

    def __init__(self, recording: Recording, model: CollisionModel, begin: float, end: float) -> None:
        from workcell.collision.moving import Moving
        from workcell.collision.supports import supported

        self.motions = motions_between(recording, begin, end)
        self.moving: Moving | None = None
        if not self.motions:
            return
        first, last = recording.state_at(begin), recording.state_before(end)
        self.state = standing(first, self.motions)
        free = [name for name in self.motions if name not in first.attached]
        self.model = supported(model, first, free, last)
        self.moving = Moving(self.model, self.state, self.motions)

    def conflicts(
        self, cancel: threading.Event | None
    ) -> tuple[list[tuple[tuple[str, str], float, float, float]], bool]:
        """The pairs that touch, each with its span and its worst look [s]; and whether all others are proved free."""
        from workcell.collision.certify import certify
        from workcell.collision.proof import ContactAt, Free

        times = self._times()
        touching = self._looked(times)
        found = []
        for pair, looks in touching.items():
            for run in np.split(looks, np.flatnonzero(np.diff(looks) > 1) + 1):
                a = self._edge(pair, times, int(run[0]), -1)
                b = self._edge(pair, times, int(run[-1]), 1)
                found.append((pair, a, b, float(times[run[len(run) // 2]])))
        pairs = self.model.pairs
        for pair in touching:
            pairs = pairs.allow(*pair, "reported already")
        for _ in range(_ROUNDS):
            rest = self.model.asking(pairs, self.model.going)
            proof = certify(rest, self.motions, self.state, tightness=0.0, cancel=cancel)
            if isinstance(proof, Free):
                return found, True
            if not isinstance(proof, ContactAt):
                return found, False
            found.append((proof.pair, proof.time, proof.time, proof.time))
            pairs = pairs.allow(*proof.pair, "reported already")
        return found, False

    def _times(self) -> Array:
        assert self.moving is not None
        duration = self.moving.duration
        count = 8
        for motion in self.moving.trajectories.values():
            count = max(count, math.ceil(float(np.max(motion.max_speed())) * duration / _TRAVEL))
        for path in self.moving.free.values():
            count = max(count, math.ceil(path.curve.pace[0] / _TRAVEL))
        return np.linspace(0.0, duration, min(count, _MOST_LOOKS) + 1)

    def _looked(self, times: Array) -> dict[tuple[str, str], Array]:
        """At which looks each pair touches."""
        from workcell.collision.check import check, contacts_of

        assert self.moving is not None
        looks: dict[tuple[str, str], list[int]] = {}
        if self.moving.free:
            for k, t in enumerate(times):
                for one in check(self.model, self.moving.state_at(float(t))).contacts:
                    looks.setdefault(one.pair, []).append(k)
        else:
            Q, free = self.moving.rows(times)
            arrangement = self.moving.arrangement
            found = np.empty((len(times), _PAIRS, 3), dtype=np.int32)
            counts = contacts_of(arrangement, Q, arrangement.scratch(), found, free[0])
            names = [body.name for body in self.model.bodies]
            for look in np.flatnonzero(counts).tolist():
                for a, b, _ in found[look, : min(int(counts[look]), _PAIRS)].tolist():
                    looks.setdefault((names[a], names[b]), []).append(look)
        return {pair: np.array(some) for pair, some in looks.items()}

    def _edge(self, pair: tuple[str, str], times: Array, look: int, way: int) -> float:
        """When a span of contact begins or ends, by halving."""
        from workcell.collision.clearance import distance_between, margin_of

        assert self.moving is not None
        other = look + way
        if not 0 <= other < len(times):
            return float(times[look])
        index = self.model.index
        margin = margin_of(self.moving.arrangement, index[pair[0]], index[pair[1]])
        inside, outside = float(times[look]), float(times[other])
        for _ in range(_HALVINGS):
            middle = 0.5 * (inside + outside)
            near = distance_between(self.model, self.moving.state_at(middle), *pair).distance <= max(margin, 1e-9)
            inside, outside = (middle, outside) if near else (inside, middle)
        return inside


def _merged(
    spans: list[tuple[tuple[str, str], float, float, float]],
) -> list[tuple[tuple[str, str], float, float, float]]:
    """Spans of the same pair that meet at the edge of two stretches become one."""
    out: list[tuple[tuple[str, str], float, float, float]] = []
    last: dict[frozenset[str], int] = {}
    for pair, begin, end, worst in sorted(spans, key=lambda one: (one[1], one[2], one[0])):
        place = last.get(frozenset(pair))
        if place is not None and begin <= out[place][2] + 1e-6:
            known = out[place]
            out[place] = (known[0], known[1], max(known[2], end), known[3])
        else:
            last[frozenset(pair)] = len(out)
            out.append((pair, begin, end, worst))
    return out


def _worded(
    recording: Recording,
    model: CollisionModel,
    programs: Sequence[str],
    span: tuple[tuple[str, str], float, float, float],
) -> Conflict:
    from workcell.collision.check import check

    pair, begin, end, worst = span
    lines = tuple((name, line_at(recording, name, begin)) for name in programs)
    for one in check(model, recording.state_at(worst)).contacts:
        if {*one.pair} == {*pair}:
            x, y, z = one.points.mean(axis=0).tolist()
            return Conflict(pair, begin, end, float(one.depth), worst, (x, y, z), lines)
    return Conflict(pair, begin, end, 0.0, worst, (math.nan,) * 3, lines)


def line_at(recording: Recording, program: str, time: float) -> int:
    """The line that a program is at; the line of its own that called where it calls others; 0 before its first."""
    line = 0
    for one in recording.sources:
        if one.time > time + 1e-9:
            break
        for name, number in ((one.program, one.line), *one.callers):
            if name == program:
                line = number
    return line
