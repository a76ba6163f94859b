"""The pairs of bodies that a proof is about, and over which times of the motion."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workcell.collision.clearance import clear_beyond, margin_of
from workcell.collision.frame_tree import frozen
from workcell.collision.leaving import clear_span
from workcell.collision.moving import Moving
from workcell.collision.pairs import PENETRATION, ROUNDING, Phase, Support
from workcell.collision.proof import Resting

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]

TOLERANCE = 1e-5
"""Motions of bodies below this are not cut further [m]."""
_LOOKS, _HALVINGS = 257, 24
"""At how many instants a part is looked for to be clear of its support, and how often the time between is halved."""
_KEPT = 16
_HOPES = 256
"""How many intervals are cut in search of a contact where a pair is nearer than can ever be proved free."""


class ProofPairs:
    """The pairs that move against each other, those of parts with their supports last.

    Attributes:
        first: the first body of each pair.
        second: the second body of each pair.
        stop: the frame that both hang on, or -1.
        shift: by what the second is shifted in the frame of the first (N, 3) [m].
        margins: the clearances required [m].
        offset: how far the distance of meshes may lie above that of the exact solids [m].
        aside: 1 where a pair does not count for the bound.
        hopes: how many more intervals are cut for a pair that is nearer than can be proved free.
        windows: from when to when each pair is tested (N, 2) [s].
        resting: the parts that may touch their supports for a while.
        starting: the supports that hold at the start.
    """

    def __init__(self, model: CollisionModel, moving: Moving, tolerance: float, looking: bool) -> None:
        self.model, self.moving, self.tolerance, self.looking = model, moving, tolerance, looking
        self.arrangement = moving.arrangement
        arrangement = self.arrangement
        self.first, self.second, self.stop, self.margins, self.offset, self.shift, self.aside = self._tables()
        self.windows = np.zeros((len(self.first), 2))
        self.windows[:, 1] = self.moving.duration
        self.resting: list[Resting] = []
        self.starting: list[Support] = []
        groups: dict[tuple[str, str], list[Support]] = {}
        for support in arrangement.supports:
            groups.setdefault((support.part, support.base), []).append(support)
        for supports in groups.values():
            self._add_supports(supports)
        self.hopes = np.full(len(self.first), 1 << 30 if self.looking else _HOPES, dtype=np.int32)
        if groups:
            for name in ("first", "second", "stop", "margins", "offset", "shift", "aside"):
                setattr(self, name, *frozen(getattr(self, name)))

    def _tables(self) -> tuple[Any, ...]:
        """The pairs of bodies that move against each other, as the attributes hold them; kept with the arrangement."""
        arrangement = self.arrangement
        key = (self.moving.turning.tobytes(), self.looking)
        found = arrangement.proof_tables.get(key)
        if found is None:
            keep = np.flatnonzero(self._relative())
            first, second = arrangement.first[keep], arrangement.second[keep]
            deviations = self.model.deviations
            offset = np.full(len(keep), ROUNDING)
            if not self.looking:
                offset += deviations[first] + deviations[second]
            found = frozen(
                first, second, arrangement.stops[keep], arrangement.margins[keep], offset,
                np.zeros((len(keep), 3)), np.zeros(len(keep), dtype=np.uint8),
            )  # fmt: skip
            if len(arrangement.proof_tables) >= _KEPT:
                arrangement.proof_tables.clear()
            arrangement.proof_tables[key] = found
        return found

    def _relative(self) -> NDArray[np.bool_]:
        """Which tested pairs move against each other at all."""
        arrangement = self.arrangement
        above = self.moving.above
        stops = arrangement.stops
        under = np.where(stops >= 0, above[stops], 0)
        count = above[arrangement.frame]
        return np.asarray((count[arrangement.first] > under) | (count[arrangement.second] > under))

    def _add_supports(self, supports: list[Support]) -> None:
        """A part and its support: it may not press in deeper while it may touch, and is tested in full otherwise."""
        index, arrangement = self.model.index, self.arrangement
        base, part = index[supports[0].base], index[supports[0].part]
        stop = arrangement.meeting(base, part)
        phases = frozenset(support.phase for support in supports)
        end = self.moving.duration
        window = self._clear_window(supports[0], phases)
        clear_from, clear_to = (end, 0.0) if window is None else window
        allowed = {"leaving": (0.0, clear_from), "arriving": (clear_to, end)}
        for support in supports:
            if allowed[support.phase][0] < allowed[support.phase][1] or end == 0.0:
                shift = np.array(support.normal) * PENETRATION
                self._append(base, part, stop, 0.0, ROUNDING, shift, allowed[support.phase])
            if allowed[support.phase][0] == 0.0 and (clear_from > 0.0 or end == 0.0):
                self.starting.append(support)
        margin = margin_of(arrangement, base, part)
        if window is not None:
            offset = ROUNDING if self.looking else float(self.model.deviations[[base, part]].sum()) + ROUNDING
            self._append(base, part, stop, margin, offset, np.zeros(3), window)
        until = clear_from if window is None or "leaving" in phases else 0.0
        since = clear_to if window is None or "arriving" in phases else math.inf
        if until > 0.0 or since <= end:
            self.resting.append(Resting(supports[0].part, supports[0].base, until, since, margin))

    def _clear_window(self, support: Support, phases: frozenset[Phase]) -> tuple[float, float] | None:
        """From when to when a part is tested in full against what supports it; None when it is never clear of it."""
        beyond = clear_beyond(self.arrangement, support) + 2.0 * min(self.tolerance, TOLERANCE)
        times = np.linspace(0.0, self.moving.duration, _LOOKS)
        span = clear_span(self._clear(support, times, beyond), phases)
        if span is None:
            return None
        first, last = span
        begin, end = float(times[first]), float(times[last])
        if "leaving" in phases and first > 0:
            begin = self._crossing(support, beyond, begin, float(times[first - 1]))
        if "arriving" in phases and last < len(times) - 1:
            end = self._crossing(support, beyond, end, float(times[last + 1]))
        return begin, end

    def _crossing(self, support: Support, beyond: float, clear: float, near: float) -> float:
        """The time next to ``near`` up to which a part stays clear, from a time at which it is."""
        for _ in range(_HALVINGS):
            middle = 0.5 * (clear + near)
            if self._clear(support, np.array([middle]), beyond)[0]:
                clear = middle
            else:
                near = middle
        return clear

    def _clear(self, support: Support, times: Array, beyond: float) -> NDArray[np.bool_]:
        """At which times a part is farther than that from what supports it."""
        from workcell.collision import _kernels_distances

        arrangement, index = self.arrangement, self.model.index
        Q, free = self.moving.rows(times)
        first, second = (np.array([index[name]], dtype=np.int32) for name in (support.base, support.part))
        first.flags.writeable = second.flags.writeable = False
        best, winner = np.empty(len(times)), np.empty(len(times), dtype=np.int32)
        _kernels_distances.least_rows(
            arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, Q, free,
            arrangement.scratch(), first, second, beyond, False, best, winner,
        )  # fmt: skip
        return winner < 0

    def _append(
        self, a: int, b: int, stop: int, margin: float, offset: float, shift: Array, window: tuple[float, float]
    ) -> None:
        self.first = np.append(self.first, np.int32(a)).astype(np.int32)
        self.second = np.append(self.second, np.int32(b)).astype(np.int32)
        self.stop = np.append(self.stop, np.int32(stop)).astype(np.int32)
        self.margins = np.append(self.margins, margin)
        self.offset = np.append(self.offset, offset)
        self.shift = np.vstack([self.shift, shift])
        self.windows = np.vstack([self.windows, window])
        self.aside = np.append(self.aside, np.uint8(1))

    def __len__(self) -> int:
        return len(self.first)

    def names(self, pair: int) -> tuple[str, str]:
        """The names of the bodies of a pair."""
        bodies = self.model.bodies
        return bodies[self.first[pair]].name, bodies[self.second[pair]].name

    @property
    def for_kernel(self) -> tuple[Any, ...]:
        """The pairs as the kernel takes them."""
        return self.first, self.second, self.stop, self.shift, self.margins, self.offset, self.aside, self.hopes
