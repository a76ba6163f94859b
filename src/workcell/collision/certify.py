"""Is a whole motion free: a proof, not a sample.

For a pair of bodies and an interval of time: every point makes a straight step, which the joints' speeds at the middle
give, and strays from it by a rest that shrinks with the square of the interval. When boxes and triangles stay apart by
more than that rest all along their steps, nothing touches within the interval. Intervals that this does not settle are
halved, down to a stated tolerance. For two links of one robot only the joints between them count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.collision.check import check, rest_contacts
from workcell.collision.clearance import ROUNDING, distance_between
from workcell.collision.moving import Motions, Moving
from workcell.collision.pairs import PENETRATION, Support
from workcell.errors import InvalidValue
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

METHOD = "bisection in time with bounds on the motion of every point"
TOLERANCE = 1e-5
"""Motions of bodies below this are not cut further [m]."""
_FIRST = 8
"""Into how many stretches a motion is cut at once."""
_DEEP, _DEEPER = 2, 3
"""How often these are halved in one compiled call, and how often what is then left in each further one."""
_STEPS = 64
_REASONS = (
    "the meshes are nearer than their deviations",
    "the distance is within the tolerance",
    "the work allowed is used up",
)
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
        how = "touches" if self.distance <= ROUNDING else f"comes nearer than {self.margin * 1e3:.6g} mm to"
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
        raise InvalidValue(f"The tolerance of a proof must be above 0 mm, not {tolerance * 1e3:g} mm.")
    if tightness is not None and not 0.0 <= tightness < 1.0:
        raise InvalidValue(f"The tightness of a bound lies from 0 to below 1, not {tightness}.")
    base = model.snapshot.initial if state is None else state
    return _Search(model, Moving(model, base, motions), tolerance, tightness, most_tests).run()


@cache
def _halves(deep: int) -> tuple[Array, Array]:
    """Where the intervals of repeated halving begin and how long they are, as parts of the whole, in their order."""
    level = np.repeat(np.arange(deep + 1), 1 << np.arange(deep + 1))
    size = np.concatenate([[1.0], 0.5**level])
    begins = np.concatenate([[0.0], (np.arange(1, 2 << deep) - (1 << level)) * size[1:]])
    begins.flags.writeable = size.flags.writeable = False
    return begins, size


class _Search:
    """One proof in the making: items are pairs over stretches of time, all of a round tested in one compiled call."""

    def __init__(
        self, model: CollisionModel, moving: Moving, tolerance: float, tightness: float | None, most_tests: int
    ) -> None:
        self.model, self.moving = model, moving
        self.arrangement = moving.arrangement
        self.tolerance = tolerance
        wanted = -1.0 if tightness is None else float(tightness)
        # Least clearance met, tightness, tolerance, bound, its time, time of contact, time from which nothing matters.
        self.aim = np.array([math.inf, wanted, tolerance, math.inf, 0.0, math.inf, math.inf])
        # Tests made and allowed, the pairs of the bound and of the contact, how many intervals are stuck.
        self.counts = np.array([0, most_tests, -1, -1, 0])
        self.stuck = np.empty((_MOST + 1, 5))
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
        above = self.moving.above
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
        if self._look_ahead():
            contact = check(self.model, self.moving.state_at(0.0), first=True).contacts[0]
            apart = max(-contact.depth, 0.0)
            return ContactAt(0.0, contact.pair, 0.0, apart, contact.margin, self.tolerance, 0)
        if not len(self.first):
            return Free(math.inf, None, 0.0, math.inf, 0)
        starts, ends, pair, row = self._first_items()
        deep = _DEEP
        while len(pair):
            starts, ends, pair, row = self._round(starts, ends, pair, row, deep)
            deep = _DEEPER
        return self._answer()

    def _look_ahead(self) -> bool:
        """Contacts at a few instants, so that what comes after them need not be proved; and a first upper bound.

        Returns:
            Whether something touches at the very start.
        """
        from workcell.collision import _kernels

        arrangement = self.arrangement
        edges = np.linspace(0.0, self.moving.duration, _FIRST + 1)
        times = np.concatenate([edges[:1], 0.5 * (edges[1:] + edges[:-1])])
        Q, free = self.moving.rows(times)
        # The kernel for contacts knows one place of driven bodies only.
        some = 1 if self.moving.free or not len(self.first) else len(times)
        counts = np.empty(some, dtype=np.int32)
        found = np.empty((some, 1, 3), dtype=np.int32)
        _kernels.contacts(
            arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, arrangement.still_tree,
            arrangement.moving, arrangement.reach, Q[:some], free[0], arrangement.scratch(), 1, counts, found,
        )  # fmt: skip
        if counts[0] or rest_contacts(arrangement):
            return True
        if self.model.pairs.supports and check(self.model, self.moving.state_at(0.0), first=True):
            return True
        # Only an end for the search: which pair and when comes from the search itself.
        hits = np.flatnonzero(counts)
        if len(hits):
            self.windows[:, 1] = np.minimum(self.windows[:, 1], times[hits[0]])
            a, b, _ = found[hits[0], 0]
            pairs = np.flatnonzero(((self.first == a) & (self.second == b)) | ((self.first == b) & (self.second == a)))
            if len(pairs):
                self.aim[5], self.counts[3] = times[hits[0]], pairs[0]
                return False
        first, second, offset = self.first, self.second, self.offset
        if self.model.pairs.supports:
            plain = (self.shift == 0.0).all(axis=1) & (self.windows[:, 0] == 0.0)
            first, second, offset = first[plain], second[plain], offset[plain]
        if len(first):
            best, winner = np.empty(len(times)), np.empty(len(times), dtype=np.int32)
            _kernels.least_rows(
                arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, Q, free,
                arrangement.scratch(), first, second, math.inf, True, _STEPS, best, winner,
            )  # fmt: skip
            # Where nothing came nearer than before there is no pair; the last one that did is the nearest of all.
            near = winner[winner >= 0][-1]
            self.aim[0] = best[-1] - offset[near]
        return False

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

    def _round(self, starts: Array, ends: Array, pair: Ints, row: Ints, deep: int) -> tuple[Array, Array, Ints, Ints]:
        """Halve every stretch as often as told; the intervals and items that are still open."""
        from workcell.collision import _kernels

        arrangement, moving = self.arrangement, self.moving
        count, leaves = len(starts), 1 << deep
        width = ends - starts
        number, size = _halves(deep)
        begins = starts[:, None] + width[:, None] * number
        spans = width[:, None] * size
        Q, free = moving.rows((begins + 0.5 * spans).reshape(-1))
        low, high = moving.speeds(begins[:, leaves:].reshape(-1), (begins + spans)[:, leaves:].reshape(-1))
        shape = (count, 2 * leaves, -1)
        steps, devs = np.zeros((2, count, 2 * leaves, arrangement.dof))
        _kernels.steps_of(
            low.reshape(count, leaves, -1), high.reshape(count, leaves, -1), width, moving.jumps, steps, devs
        )
        if moving.free:
            ways, turns = moving.paces(begins.reshape(-1), (begins + spans).reshape(-1))
        else:
            ways, turns = np.zeros((2, count * 2 * leaves, 1))
        item_start = np.searchsorted(row, np.arange(count + 1)).astype(np.int32)
        opened = _kernels.prove(
            arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, arrangement.scratch(),
            starts, width, Q.reshape(shape), steps, devs, free.reshape(count, 2 * leaves, -1, 12),
            ways.reshape(shape), turns.reshape(shape),
            (self.first, self.second, self.stop, self.shift, self.margins, self.offset),
            item_start, pair, self.aim, self.counts, self.stuck,
        )  # fmt: skip
        if self.counts[0] > self.counts[1] or not len(opened):
            return starts[:0], ends[:0], pair[:0], row[:0]
        at = begins[opened[:, 0], opened[:, 1]]
        opened = opened[at < min(self.aim[5], self.aim[6])]
        places = opened[:, 0].astype(np.int64) * 2 * leaves + opened[:, 1]
        used, where = np.unique(places, return_inverse=True)
        order = np.argsort(where, kind="stable")
        starts = begins.reshape(-1)[used]
        ends = (begins + spans).reshape(-1)[used]
        return starts, ends, opened[order, 2], where.reshape(-1)[order].astype(np.int32)

    # ---- the answer -----------------------------------------------------------------------------------

    def _answer(self) -> Proof:
        rows = self.stuck[: self.counts[4]]
        rows = rows[np.lexsort((rows[:, 2], rows[:, 0]))]
        upper, _, _, bound, bound_time, hit_time, _ = self.aim.tolist()
        tests, _, bound_pair, hit_pair, _ = self.counts.tolist()
        if hit_pair >= 0:
            before = rows[rows[:, 0] < hit_time]
            last_free = min(hit_time, float(before[0, 0])) if len(before) else hit_time
            names = self._names(hit_pair)
            apart = distance_between(self.model, self.moving.state_at(hit_time), *names).distance
            margin = float(self.margins[hit_pair])
            return ContactAt(hit_time, names, last_free, apart, margin, self.tolerance, tests)
        if len(rows):
            start, end, pair, distance, why = rows[0].tolist()
            for other in rows[1:]:
                if other[2] == pair and other[0] <= end:
                    end = max(end, float(other[1]))
            bodies = [self.first[int(pair)], self.second[int(pair)]]
            deviation = float(self.model.deviations[bodies].sum())
            reason = _REASONS[int(why)]
            return Undecided(
                (start, end), self._names(int(pair)), distance, deviation, reason, start, self.tolerance, tests
            )
        if not math.isfinite(bound):
            return Free(math.inf, None, 0.0, math.inf, tests)
        least = max(upper + float(self.offset[bound_pair]), bound)
        return Free(bound, self._names(bound_pair), bound_time, least, tests)

    def _names(self, pair: int) -> tuple[str, str]:
        bodies = self.model.bodies
        return bodies[self.first[pair]].name, bodies[self.second[pair]].name
