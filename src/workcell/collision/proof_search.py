"""The search for a proof that a whole motion is free.

For a pair of bodies and an interval of time: every point makes a straight step, which the joints' speeds at the middle
give, and strays from it by a rest that shrinks with the square of the interval. When boxes and triangles stay apart by
more than that rest all along their steps, nothing touches within the interval. Intervals that this does not settle are
halved, down to a stated tolerance. For two links of one robot only the joints between them count.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.collision.check import check, contacts_of, rest_contacts
from workcell.collision.clearance import distance_between
from workcell.collision.frame_tree import frozen
from workcell.collision.moving import Moving
from workcell.collision.pairs import ROUNDING
from workcell.collision.proof import ContactAt, Free, Proof, Undecided
from workcell.collision.proof_codes import CONTACT_PAIR, CONTACT_TIME, CUT_OFF, LEAST_MET, MOST_TESTS, STUCK, TESTS
from workcell.collision.proof_pairs import ProofPairs
from workcell.errors import Cancelled

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

_FIRST = 8
"""Into how many stretches a motion is cut at once."""
_FINE = 8
"""Into how many parts each of these stretches is cut to look where bodies come nearest."""
_START = np.array([0])
_START_AND_MIDDLES = np.array([0, *range(_FINE // 2, _FIRST * _FINE, _FINE)])
"""At which of the fine parts contacts are looked for before anything is proved."""
_DEEP, _DEEPER = 2, 3
"""How often these are halved in one compiled call, and how often what is then left in each further one."""
_OUT_OF_WORK = 2.0
"""How the kernel marks an interval at which the tests allowed ended."""
_AT_ONCE = 256
"""How many stretches are looked at between two looks at whether the proof was cancelled."""
_STUCK_ROOM = 256
"""How many intervals are left undecided before the search for more is given up."""


@cache
def _halves(deep: int) -> tuple[Array, Array]:
    """Where the intervals of repeated halving begin and how long they are, as parts of the whole, in their order."""
    level = np.repeat(np.arange(deep + 1), 1 << np.arange(deep + 1))
    size = np.concatenate([[1.0], 0.5**level])
    begins = np.concatenate([[0.0], (np.arange(1, 2 << deep) - (1 << level)) * size[1:]])
    begins.flags.writeable = size.flags.writeable = False
    return begins, size


@lru_cache(maxsize=64)
def _all_items(count: int) -> tuple[Ints, Ints]:
    """Every pair over every stretch that a motion is cut into at first: the pairs, and their stretches."""
    pair, row = np.tile(np.arange(count), _FIRST), np.repeat(np.arange(_FIRST), count)
    return pair.astype(np.int32), row.astype(np.int32)


def _joined(parts: list[tuple[Array, Array, Ints, Ints]]) -> tuple[Array, Array, Ints, Ints]:
    """Stretches and items of several parts in one, the items' stretches counted on."""
    if len(parts) == 1:
        return parts[0]
    starts, ends, pair, row = zip(*parts, strict=True)
    before = np.cumsum([0, *(len(part) for part in starts[:-1])])
    rows = [(items + first).astype(np.int32) for items, first in zip(row, before, strict=True)]
    return np.concatenate(starts), np.concatenate(ends), np.concatenate(pair), np.concatenate(rows)


class ProofSearch:
    """One proof in the making: items are pairs over stretches of time, all of a round tested in one compiled call.

    With ``looking`` it looks for a contact of the meshes: stretches that stay open count as free.
    """

    def __init__(
        self,
        model: CollisionModel,
        moving: Moving,
        tolerance: float,
        tightness: float | None,
        most_tests: int,
        looking: bool = False,
    ) -> None:
        self.model, self.moving = model, moving
        self.arrangement = moving.arrangement
        self.looking = looking
        self.tolerance = tolerance
        wanted = -1.0 if tightness is None else float(tightness)
        self.aim = np.array([math.inf, wanted, tolerance, math.inf, 0.0, math.inf, math.inf])
        self.counts = np.array([0, most_tests, -1, -1, 0])
        self.stuck = np.empty((0 if looking else _STUCK_ROOM + 1, 5))
        self.pairs = ProofPairs(model, moving, tolerance, looking)

    # ---- the search -----------------------------------------------------------------------------------

    def run(self, progress: Callable[[float, str], None] | None = None, cancel: threading.Event | None = None) -> Proof:
        """The answer."""
        if self._look_ahead():
            contact = check(self._at_start, self.moving.state_at(0.0), first=True).contacts[0]
            apart = max(-contact.depth, 0.0)
            return ContactAt(0.0, contact.pair, 0.0, apart, contact.margin, self.tolerance, 0)
        if not len(self.pairs):
            return Free(math.inf, None, 0.0, math.inf, 0, tuple(self.pairs.resting))
        self._search(progress, cancel)
        return self._answer()

    def touch(self, cancel: threading.Event | None = None) -> tuple[float, tuple[str, str]] | None:
        """The first contact that was found: its time and the pair."""
        if self._look_ahead():
            return 0.0, check(self._at_start, self.moving.state_at(0.0), first=True).contacts[0].pair
        if len(self.pairs):
            self._search(None, cancel)
        hit = int(self.counts[CONTACT_PAIR])
        return None if hit < 0 else (float(self.aim[CONTACT_TIME]), self.pairs.names(hit))

    def _search(self, progress: Callable[[float, str], None] | None, cancel: threading.Event | None) -> None:
        starts, ends, pair, row = self._first_items()
        deep = _DEEP
        while len(pair):
            opened = []
            for begin in range(0, len(starts), _AT_ONCE):
                if cancel is not None and cancel.is_set():
                    raise Cancelled("The proof was cancelled.")
                if progress is not None:
                    decided = 1.0 - float((ends - starts).sum()) / max(self.moving.duration, 1e-300)
                    progress(min(max(decided, 0.0), 1.0), f"{self.counts[TESTS]:,} tests")
                some = slice(*np.searchsorted(row, [begin, begin + _AT_ONCE]))
                piece = slice(begin, begin + _AT_ONCE)
                opened.append(self._round(starts[piece], ends[piece], pair[some], row[some] - begin, deep))
                if self.counts[TESTS] > self.counts[MOST_TESTS]:
                    return
            starts, ends, pair, row = _joined(opened)
            deep = _DEEPER

    @property
    def _at_start(self) -> CollisionModel:
        """The model with the supports that hold at the start."""
        return self.model.asking(
            msgspec.structs.replace(self.model.pairs, supports=tuple(self.pairs.starting)), self.model.going
        )

    def _look_ahead(self) -> bool:
        """Contacts at a few instants, so that what comes after them need not be proved; and a first upper bound.

        Returns:
            Whether something touches at the very start.
        """
        from workcell.collision import _kernels_ahead

        arrangement = self.arrangement
        times = np.linspace(0.0, self.moving.duration, _FIRST * _FINE + 1)
        Q, free = self.moving.rows(times)
        # The kernel for contacts knows one place of driven bodies only.
        some = _START if self.moving.free or not len(self.pairs) else _START_AND_MIDDLES
        times = times[some]
        found = np.empty((len(some), 1, 3), dtype=np.int32)
        counts = contacts_of(arrangement, Q[some], arrangement.scratch(), found, free[0])
        if counts[0] or rest_contacts(arrangement):
            return True
        if self.pairs.resting and check(self._at_start, self.moving.state_at(0.0), first=True):
            return True
        # Only an end for the search: which pair and when comes from the search itself.
        hits = np.flatnonzero(counts)
        if len(hits):
            self.pairs.windows[:, 1] = np.minimum(self.pairs.windows[:, 1], times[hits[0]])
            a, b, _ = found[hits[0], 0]
            first, second = self.pairs.first, self.pairs.second
            meeting = np.flatnonzero(((first == a) & (second == b)) | ((first == b) & (second == a)))
            if len(meeting):
                self.aim[CONTACT_TIME], self.counts[CONTACT_PAIR] = times[hits[0]], meeting[0]
                return False
        if self.looking:
            return False
        first, second, offset = self.pairs.first, self.pairs.second, self.pairs.offset
        if self.pairs.resting:
            plain = self.pairs.aside == 0
            first, second, offset = frozen(first[plain], second[plain], offset[plain])
        if len(first):
            self.aim[LEAST_MET] = _kernels_ahead.least_ahead(
                arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, Q, free,
                arrangement.scratch(), (first, second, offset), _FINE // 2, _FINE,
            )  # fmt: skip
        return False

    def _first_items(self) -> tuple[Array, Array, Ints, Ints]:
        end = self.moving.duration
        edges = np.linspace(0.0, end, _FIRST + 1)
        windows = self.pairs.windows
        if end > 0.0 and not self.pairs.resting and (windows == (0.0, end)).all():
            return edges[:-1], edges[1:], *_all_items(len(self.pairs))
        edges = np.unique(np.concatenate([edges, windows.reshape(-1)]))
        starts, ends = edges[:-1], edges[1:]
        if not len(starts):
            starts, ends = edges[:1], edges[:1]
        inside = (starts[:, None] >= windows[None, :, 0]) & (ends[:, None] <= windows[None, :, 1])
        row, pair = np.nonzero(inside)
        return starts, ends, pair.astype(np.int32), row.astype(np.int32)

    def _round(self, starts: Array, ends: Array, pair: Ints, row: Ints, deep: int) -> tuple[Array, Array, Ints, Ints]:
        """Halve every stretch ``deep`` times; return the intervals and items that are still open."""
        from workcell.collision import _kernels_proofs

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
        _kernels_proofs.steps_of(
            low.reshape(count, leaves, -1), high.reshape(count, leaves, -1), width, moving.jumps, steps, devs
        )
        if moving.free:
            ways, turns = moving.paces(begins.reshape(-1), (begins + spans).reshape(-1))
        else:
            ways, turns = np.zeros((2, count * 2 * leaves, 1))
        item_start = np.searchsorted(row, np.arange(count + 1)).astype(np.int32)
        opened = _kernels_proofs.prove(
            arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, arrangement.scratch(),
            (starts, width, item_start, pair),
            (
                Q.reshape(shape), steps, devs, free.reshape(count, 2 * leaves, -1, 12), ways.reshape(shape),
                turns.reshape(shape),
            ),
            self.pairs.for_kernel,
            self.aim, self.counts, self.stuck,
        )  # fmt: skip
        if self.counts[TESTS] > self.counts[MOST_TESTS] or not len(opened):
            return starts[:0], ends[:0], pair[:0], row[:0]
        at = begins[opened[:, 0], opened[:, 1]]
        opened = opened[at < min(self.aim[CONTACT_TIME], self.aim[CUT_OFF])]
        places = opened[:, 0].astype(np.int64) * 2 * leaves + opened[:, 1]
        used, where = np.unique(places, return_inverse=True)
        order = np.argsort(where, kind="stable")
        starts = begins.reshape(-1)[used]
        ends = (begins + spans).reshape(-1)[used]
        return starts, ends, opened[order, 2], where.reshape(-1)[order].astype(np.int32)

    # ---- the answer -----------------------------------------------------------------------------------

    def _answer(self) -> Proof:
        rows = self.stuck[: self.counts[STUCK]]
        rows = rows[np.lexsort((rows[:, 2], rows[:, 0]))]
        upper, _, _, bound, bound_time, hit_time, _ = self.aim.tolist()
        tests, _, bound_pair, hit_pair, _ = self.counts.tolist()
        if hit_pair >= 0:
            before = rows[rows[:, 0] < hit_time]
            last_free = float(before[0, 0]) if len(before) else hit_time
            names = self.pairs.names(hit_pair)
            other = self._undecided(before) if len(before) and self.pairs.names(int(before[0, 2])) != names else None
            apart = distance_between(self.model, self.moving.state_at(hit_time), *names).distance
            margin = float(self.pairs.margins[hit_pair])
            return ContactAt(hit_time, names, last_free, apart, margin, self.tolerance, tests, other)
        if len(rows):
            return self._undecided(rows)
        if not math.isfinite(bound):
            return Free(math.inf, None, 0.0, math.inf, tests, tuple(self.pairs.resting))
        least = max(upper + float(self.pairs.offset[bound_pair]), bound)
        return Free(bound, self.pairs.names(bound_pair), bound_time, least, tests, tuple(self.pairs.resting))

    def _undecided(self, rows: Array) -> Undecided:
        """What is open first, of intervals that are stuck, in their order."""
        start, end, number, distance, why = rows[0].tolist()
        pair = int(number)
        for other in rows[1:]:
            if other[2] == number and other[0] <= end:
                end = max(end, float(other[1]))
        deviation = float(self.pairs.offset[pair]) - ROUNDING
        margin = float(self.pairs.margins[pair])
        reason, help_ = self._why(distance, margin, deviation, why == _OUT_OF_WORK)
        tests = int(self.counts[TESTS])
        return Undecided(
            (start, end), self.pairs.names(pair), distance, deviation, reason, start, self.tolerance, tests, help_
        )

    def _why(self, distance: float, margin: float, deviation: float, out_of_work: bool) -> tuple[str, str]:
        """Why a pair stays undecided, and what can be done about it."""
        if out_of_work:
            return (
                f"the {self.counts[MOST_TESTS]:,} tests allowed are used up",
                "allow more (`most_tests`) or a shorter motion",
            )
        apart = f"the meshes are {distance * 1e3:.3g} mm apart"
        required = f", {margin * 1e3:.6g} mm are required" if margin > 0.0 else ""
        if deviation > self.tolerance and distance <= margin + deviation + self.tolerance:
            return (
                f"{apart}{required} and they may lie {deviation * 1e3:.3g} mm off their solids",
                "keep farther away or use finer meshes (`collision_model(snapshot, tolerance=...)`)",
            )
        return (
            f"{apart}{required}, which is within the tolerance of {self.tolerance * 1e3:.3g} mm",
            "keep farther away or ask with a smaller `tolerance`",
        )
