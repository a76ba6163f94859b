"""Is a whole motion free: a proof, not a sample.

For a pair of bodies and an interval of time: when the distance at the middle exceeds what any of their points can
move from there, nothing touches within the interval. Intervals that this does not settle are cut, down to a stated
tolerance. How far points can move follows from the exact range of every joint over the interval and from how far the
bodies are from the joint axes at the middle; for two links of one robot only the joints between them count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.collision.check import check
from workcell.collision.clearance import ROUNDING, distance_between
from workcell.collision.moving import Motions, Moving
from workcell.collision.pairs import PENETRATION, Support
from workcell.errors import InvalidValue
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

METHOD = "bisection in time with bounds on the motion of every body"
TOLERANCE = 1e-5
"""Motions of bodies below this are not cut further [m]."""
_FIRST, _CUT, _STEPS = 8, 4, 64
_COARSE = 0.25
"""While bodies move farther than this within an interval, only their boxes are looked at [m]."""
_NEARER = "the meshes are nearer than their deviations"
_WITHIN = "the distance is within the tolerance"
_MOST = 256
"""How many intervals are left undecided before the search for more is given up."""


@dataclass(frozen=True)
class Free:
    """Nothing touches, and every tested pair keeps its margin, at every instant of the motion.

    Attributes:
        bound: the exact solids of all pairs that move against each other stay at least this far apart [m].
        pair: the pair that came nearest to it.
        near: a time [s] near which that happens.
        least: the least distance of meshes that was met on the way [m]; the true one lies between.
        tests: how many times a pair was looked at over an interval.
        method: how it was proved.
    """

    bound: float
    pair: tuple[str, str] | None
    near: float
    least: float
    tests: int
    method: str = METHOD

    @property
    def free(self) -> bool:
        """True."""
        return True

    def __str__(self) -> str:
        if self.pair is None:
            return "Free: nothing moves against anything that it is tested against."
        names = " and ".join(self.pair)
        return f"Free: at least {self.bound * 1e3:.6g} mm all the way; nearest are {names} near {self.near:.4g} s."


@dataclass(frozen=True)
class ContactAt:
    """A pair touches, or comes nearer than its margin.

    Attributes:
        time: an instant at which the meshes are too near [s].
        pair: their names.
        last_free: everything is proved free up to here [s]; between this and ``time`` nothing is promised.
        distance: of the two meshes at that instant [m]; 0 when they touch.
        margin: the clearance required of the pair [m].
        tolerance: bodies move less than this in any interval left open, unless it lies within the deviations [m].
        tests: how many times a pair was looked at over an interval.
        method: how it was found.
    """

    time: float
    pair: tuple[str, str]
    last_free: float
    distance: float
    margin: float
    tolerance: float
    tests: int
    method: str = METHOD

    @property
    def free(self) -> bool:
        """False."""
        return False

    def __str__(self) -> str:
        one, other = self.pair
        how = "touches" if self.distance <= ROUNDING else f"comes within {self.distance * 1e3:.4g} mm of"
        return f"{one} {how} {other} at {self.time:.6g} s; free until {self.last_free:.6g} s."


@dataclass(frozen=True)
class Undecided:
    """No contact of the meshes was found, but freedom is not proved either.

    Attributes:
        interval: the first stretch of time that is open [s].
        pair: the pair.
        distance: of the two meshes within it [m].
        deviation: how far the two meshes may lie from their exact solids [m].
        reason: why it is not decided.
        last_free: everything is proved free up to here [s].
        tolerance: bodies move less than this in the interval, unless the reason says otherwise [m].
        tests: how many times a pair was looked at over an interval.
        method: how it was tried.
    """

    interval: tuple[float, float]
    pair: tuple[str, str]
    distance: float
    deviation: float
    reason: str
    last_free: float
    tolerance: float
    tests: int
    method: str = METHOD

    @property
    def free(self) -> bool:
        """False: it is not proved."""
        return False

    def __str__(self) -> str:
        a, b = self.interval
        names = " and ".join(self.pair)
        return f"Undecided from {a:.6g} to {b:.6g} s for {names}: {self.reason}."


Proof: TypeAlias = Free | ContactAt | Undecided


def certify(
    model: CollisionModel,
    motions: Motions,
    state: CellState | None = None,
    *,
    tolerance: float = TOLERANCE,
    tightness: float | None = None,
    most_tests: int = 2_000_000,
) -> Proof:
    """Prove a motion free, or find where it is not.

    Args:
        model: the bodies and the pair table.
        motions: a trajectory for every robot that moves and a ``PoseMotion`` for every free body that does; they
            start together. What is attached goes along.
        state: where everything else is, and who carries what; the initial state of the cell unless given.
        tolerance: how fine the search goes [m].
        tightness: how near the bound must come to the least clearance, from 0 (any bound will do) to below 1; 0.9
            for clearances under 2 mm and 0.5 for greater ones unless given.
        most_tests: the work after which it gives up and says so.
    """
    if not (math.isfinite(tolerance) and tolerance > 0.0):
        raise InvalidValue(f"The tolerance of a proof must be above 0 m, not {tolerance}.")
    if tightness is not None and not 0.0 <= tightness < 1.0:
        raise InvalidValue(f"The tightness of a bound lies from 0 to below 1, not {tightness}.")
    base = model.snapshot.initial if state is None else state
    return _Search(model, Moving(model, base, motions), tolerance, tightness, most_tests).run()


class _Search:
    """One proof in the making: items are pairs over intervals, all of a round tested in one compiled call."""

    def __init__(
        self, model: CollisionModel, moving: Moving, tolerance: float, tightness: float | None, most_tests: int
    ) -> None:
        self.model, self.moving = model, moving
        self.arrangement = moving.arrangement
        self.tolerance, self.most_tests = tolerance, most_tests
        self.tightness = -1.0 if tightness is None else float(tightness)
        self.tests = self.round = 0
        self.upper = math.inf
        self.bound, self.bound_pair, self.bound_time = math.inf, -1, 0.0
        self.hit_time, self.hit_pair = math.inf, -1
        self.open: list[tuple[float, float, int, float, str]] = []
        self._pairs()

    # ---- what is to be proved -------------------------------------------------------------------------

    def _pairs(self) -> None:
        arrangement = self.arrangement
        end = self.moving.duration
        keep = np.flatnonzero(self._relative())
        self.first, self.second = arrangement.first[keep], arrangement.second[keep]
        self.stop, self.margins = arrangement.stops[keep], arrangement.margins[keep]
        deviations = self.model.deviations
        self.offset = deviations[self.first] + deviations[self.second] + ROUNDING
        self.shift = np.zeros((len(keep), 3))
        self.windows = np.tile([0.0, end], (len(keep), 1))
        for support in self.model.pairs.supports:
            self._add_support(support)
        for name in ("first", "second", "stop", "margins", "offset", "shift"):
            array = np.ascontiguousarray(getattr(self, name))
            array.flags.writeable = False
            setattr(self, name, array)

    def _relative(self) -> NDArray[np.bool_]:
        """Which tested pairs move against each other at all."""
        arrangement = self.arrangement
        kind, column = arrangement.frames[1], arrangement.frames[2]
        start, end = np.zeros(1), np.array([self.moving.duration])
        dQ, ways, turns = self.moving.bounds(start, end, self.moving.rows(0.5 * end)[0])
        joints = np.append(dQ[0] > 0.0, False)
        driven = np.append((ways[0] > 0.0) | (turns[0] > 0.0), False)
        moves = np.where(
            kind == 3, driven[np.minimum(column, len(driven) - 1)], joints[np.minimum(column, len(joints) - 1)]
        )
        moves &= kind != 0
        above = np.zeros(len(kind), dtype=np.int64)
        for f in range(len(kind)):
            parent = arrangement.parent[f]
            above[f] = (above[parent] if parent >= 0 else 0) + moves[f]
        stops = arrangement.stops
        under = np.where(stops >= 0, above[stops], 0)
        count = above[arrangement.frame]
        return np.asarray((count[arrangement.first] > under) | (count[arrangement.second] > under))

    def _add_support(self, support: Support) -> None:
        """A part that rests: it may not press in deeper at any time, and is tested fully once it is clear."""
        index, arrangement = self.model.index, self.arrangement
        base, part = index[support.base], index[support.part]
        stop = arrangement.meeting(base, part)
        end = self.moving.duration
        self._append(base, part, stop, 0.0, ROUNDING, np.array(support.normal) * PENETRATION, (0.0, end))
        window = self._clear_window(support, base, part)
        if window is not None:
            deviations = self.model.deviations
            margin = self.model.pairs.margin
            offset = float(deviations[base] + deviations[part]) + ROUNDING
            self._append(base, part, stop, margin, offset, np.zeros(3), window)

    def _clear_window(self, support: Support, base: int, part: int) -> tuple[float, float] | None:
        from workcell.collision import _kernels

        arrangement = self.arrangement
        times = np.linspace(0.0, self.moving.duration, 257)
        Q, free = self.moving.rows(times)
        first, second = np.array([base], dtype=np.int32), np.array([part], dtype=np.int32)
        margin = max(self.model.pairs.margin, PENETRATION) + float(self.model.deviations[[base, part]].sum())
        poses, where = arrangement.still.copy(), np.empty((1, 6))
        clear = np.zeros(len(times), dtype=bool)
        group, winner = np.zeros(1, dtype=np.int32), np.empty(1, dtype=np.int32)
        for k in range(len(times)):
            best = np.full(1, 4.0 * margin)
            _kernels.clearances(
                arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, Q[k], free[k], poses,
                first, second, group, best, winner, where, 1 << 60,
            )  # fmt: skip
            clear[k] = best[0] > 2.0 * margin
        found = np.flatnonzero(clear)
        if not len(found):
            return None
        leaving = support.phase == "leaving"
        return (float(times[found[0]]), self.moving.duration) if leaving else (0.0, float(times[found[-1]]))

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

    # ---- the search -----------------------------------------------------------------------------------

    def run(self) -> Proof:
        """The answer."""
        at_start = check(self.model, self.moving.state_at(0.0), first=True)
        if at_start:
            contact = at_start.contacts[0]
            return ContactAt(
                0.0, contact.pair, 0.0, max(-contact.depth, 0.0), self.model.pairs.margin, self.tolerance, 0
            )
        if not len(self.first):
            return Free(math.inf, None, 0.0, math.inf, 0)
        self._look_ahead()
        starts, ends, pair, row = self._first_items()
        while len(pair):
            stray, distance, kind = self._test(starts, ends, pair, row)
            again = self._judge(starts, ends, pair, row, stray, distance, kind)
            if self.tests > self.most_tests:
                early = int(np.argmin(starts[row]))
                span = (float(starts[row[early]]), float(ends[row[early]]))
                self.open.append((*span, int(pair[early]), float(distance[early]), "the work allowed is used up"))
                break
            starts, ends, pair, row = self._cut(starts, ends, pair[again], row[again])
            self.round += 1
        return self._answer()

    def _look_ahead(self) -> None:
        """Contacts at a few instants, so that what comes after them need not be proved; and a first upper bound."""
        from workcell.collision import _kernels

        arrangement = self.arrangement
        times = np.linspace(0.0, self.moving.duration, 2 * _FIRST + 1)[1:]
        Q, free = self.moving.rows(times)
        if not self.moving.free:
            counts = np.empty(len(times), dtype=np.int32)
            found = np.empty((len(times), 1, 3), dtype=np.int32)
            _kernels.contacts(
                arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, arrangement.still_tree,
                arrangement.moving, arrangement.reach, Q, free[0], arrangement.scratch(), 1, counts, found,
            )  # fmt: skip
            # Only an end for the search: which pair and when comes from the search itself.
            hits = np.flatnonzero(counts)
            if len(hits):
                self.windows[:, 1] = np.minimum(self.windows[:, 1], times[hits[0]])
                a, b, _ = found[hits[0], 0]
                pairs = np.flatnonzero(
                    ((self.first == a) & (self.second == b)) | ((self.first == b) & (self.second == a))
                )
                if len(pairs):
                    self.hit_time, self.hit_pair = float(times[hits[0]]), int(pairs[0])
                    return
        plain = np.flatnonzero((self.shift == 0.0).all(axis=1) & (self.windows[:, 0] == 0.0))
        if len(plain):
            best, winner, where = np.full(1, math.inf), np.zeros(1, dtype=np.int32), np.empty((1, 6))
            Q, free = self.moving.rows(np.zeros(1))
            _kernels.clearances(
                arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, Q[0], free[0],
                arrangement.scratch(), self.first[plain], self.second[plain], np.zeros(len(plain), dtype=np.int32),
                best, winner, where, _STEPS,
            )  # fmt: skip
            self.upper = float(best[0] - self.offset[plain[winner[0]]])

    def _first_items(self) -> tuple[Array, Array, Ints, Ints]:
        edges = np.unique(
            np.concatenate([np.linspace(0.0, self.moving.duration, _FIRST + 1), self.windows.reshape(-1)])
        )
        starts, ends = edges[:-1], edges[1:]
        if not len(starts):
            starts, ends = edges[:1], edges[:1]
        inside = (starts[:, None] >= self.windows[None, :, 0]) & (ends[:, None] <= self.windows[None, :, 1])
        row, pair = np.nonzero(inside)
        return starts, ends, pair.astype(np.int32), row.astype(np.int32)

    def _test(self, starts: Array, ends: Array, pair: Ints, row: Ints) -> tuple[Array, Array, Ints]:
        from workcell.collision import _kernels

        arrangement = self.arrangement
        Q, free = self.moving.rows(0.5 * (starts + ends))
        dQ, ways, turns = self.moving.bounds(starts, ends, Q)
        count = len(pair)
        stray, distance, kind = np.empty(count), np.empty(count), np.empty(count, dtype=np.int32)
        self.upper = _kernels.intervals(
            arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, arrangement.scratch(), Q, dQ,
            free, ways, turns, self.first, self.second, self.stop, self.shift, self.margins, self.offset, pair, row,
            self.upper, self.tightness, _COARSE, self._effort(), stray, distance, kind,
        )  # fmt: skip
        self.tests += count
        return stray, distance, kind

    def _effort(self) -> int:
        """How long to look at one item: little at first, since shorter intervals are settled by boxes."""
        return _STEPS * 4**self.round if self.round < 4 else 1 << 60

    def _goal(self) -> float:
        from workcell.collision import _kernels

        return float(_kernels.goal_for(self.upper, self.tightness))

    def _judge(
        self, starts: Array, ends: Array, pair: Ints, row: Ints, stray: Array, distance: Array, kind: Ints
    ) -> NDArray[np.intp]:
        """Note what is settled; the places of the items that must be cut."""
        margin, offset = self.margins[pair], self.offset[pair]
        begin, finish = starts[row], ends[row]
        shifted = (self.shift[pair] != 0.0).any(axis=1)
        hits = np.flatnonzero(kind == 3)
        if len(hits):
            middles = 0.5 * (begin[hits] + finish[hits])
            first = int(middles.argmin())
            if middles[first] < self.hit_time or self.hit_pair < 0:
                self.hit_time, self.hit_pair = float(middles[first]), int(pair[hits[first]])
        lower = distance - stray - offset
        proved = (lower > margin) & ((kind == 1) | (kind == 2))
        fine = stray <= self.tolerance
        done = proved & ((lower >= self._goal()) | fine | shifted)
        plain = np.flatnonzero(done & ~shifted)
        if len(plain):
            k = int(plain[lower[plain].argmin()])
            if lower[k] < self.bound:
                self.bound, self.bound_pair = float(lower[k]), int(pair[k])
                self.bound_time = float(0.5 * (begin[k] + finish[k]))
        hopeless = ~proved & (kind == 2) & (distance + stray < margin + offset) & (distance - stray > margin)
        stuck = ~proved & (fine | hopeless) & (begin < self.hit_time)
        for item in np.flatnonzero(stuck):
            why = _NEARER if distance[item] > margin[item] + 2.0 * self.tolerance else _WITHIN
            self.open.append((float(begin[item]), float(finish[item]), int(pair[item]), float(distance[item]), why))
        if len(self.open) > _MOST:
            self.open.sort()
            last = self.open[_MOST][0]
            self.windows[:, 1] = np.minimum(self.windows[:, 1], last)
        limit = min(self.hit_time, float(self.windows[:, 1].max()))
        return np.flatnonzero(~done & ~stuck & ~fine & (begin < limit))

    def _cut(self, starts: Array, ends: Array, pair: Ints, row: Ints) -> tuple[Array, Array, Ints, Ints]:
        """Every interval still in use in four, without what begins after the first contact."""
        used, place = np.unique(row, return_inverse=True)
        steps = np.arange(_CUT + 1) / _CUT
        edges = starts[used, None] + (ends - starts)[used, None] * steps
        new_starts, new_ends = edges[:, :-1].reshape(-1), edges[:, 1:].reshape(-1)
        new_ends[_CUT - 1 :: _CUT] = ends[used]
        new_pair = np.repeat(pair, _CUT)
        new_row = (place.reshape(-1, 1) * _CUT + np.arange(_CUT)).reshape(-1)
        keep = new_starts[new_row] < self.hit_time
        order = np.argsort(new_row[keep], kind="stable")
        return new_starts, new_ends, new_pair[keep][order].astype(np.int32), new_row[keep][order].astype(np.int32)

    # ---- the answer -----------------------------------------------------------------------------------

    def _answer(self) -> Proof:
        self.open.sort()
        if self.hit_pair >= 0:
            before = [item for item in self.open if item[0] < self.hit_time]
            last_free = min([self.hit_time, *(item[0] for item in before)])
            names = self._names(self.hit_pair)
            apart = distance_between(self.model, self.moving.state_at(self.hit_time), *names).distance
            return ContactAt(
                self.hit_time,
                names,
                last_free,
                apart,
                float(self.margins[self.hit_pair]),
                self.tolerance,
                self.tests,
            )
        if self.open:
            start, end, pair, distance, why = self.open[0]
            for other in self.open[1:]:
                if other[2] == pair and other[0] <= end:
                    end = max(end, other[1])
            deviation = float(self.model.deviations[[self.first[pair], self.second[pair]]].sum())
            return Undecided(
                (start, end), self._names(pair), distance, deviation, why, start, self.tolerance, self.tests
            )
        if not math.isfinite(self.bound):
            return Free(math.inf, None, 0.0, math.inf, self.tests)
        return Free(
            self.bound,
            self._names(self.bound_pair),
            self.bound_time,
            max(self.upper + float(self.offset[self.bound_pair]), self.bound),
            self.tests,
        )

    def _names(self, pair: int) -> tuple[str, str]:
        bodies = self.model.bodies
        return bodies[self.first[pair]].name, bodies[self.second[pair]].name
