"""Is a whole motion free: a proof, not a sample.

For a pair of bodies and an interval of time: every point makes a straight step, which the joints' speeds at the middle
give, and strays from it by a rest that shrinks with the square of the interval. When boxes and triangles stay apart by
more than that rest all along their steps, nothing touches within the interval. Intervals that this does not settle are
halved, down to a stated tolerance. For two links of one robot only the joints between them count.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.collision.check import check, contacts_of, rest_contacts
from workcell.collision.clearance import clear_beyond, distance_between, margin_of
from workcell.collision.leaving import clear_span
from workcell.collision.moving import Motions, Moving
from workcell.collision.pairs import PENETRATION, ROUNDING, Phase, Support
from workcell.collision.proof_codes import CONTACT_PAIR, CONTACT_TIME, CUT_OFF, LEAST_MET, MOST_TESTS, STUCK, TESTS
from workcell.errors import Cancelled, InvalidValue
from workcell.world.body import unknown_words
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

METHOD = "bisection in time with bounds on the motion of every point"
TOLERANCE = 1e-5
"""Motions of bodies below this are not cut further [m]."""
STEP = 2e-4
"""What looks for contacts without a proof may jump over nothing thicker than this [m]."""
_ENDLESS = 1 << 62
_FIRST = 8
"""Into how many stretches a motion is cut at once."""
_DEEP, _DEEPER = 2, 3
"""How often these are halved in one compiled call, and how often what is then left in each further one."""
_STEPS = 64
_LOOKS, _HALVINGS = 257, 24
"""At how many instants a part is looked for to be clear of its support, and how often the time between is halved."""
_OUT_OF_WORK = 2.0
"""How the kernel marks an interval at which the tests allowed ended."""
_HOPES = 256
"""How many intervals are cut in search of a contact where a pair is nearer than can ever be proved free."""
_AT_ONCE = 256
"""How many stretches are looked at between two looks at whether the proof was cancelled."""
_MOST = 256
"""How many intervals are left undecided before the search for more is given up."""


@dataclass(frozen=True)
class Resting:
    """A part that may touch what supports it for a while.

    Attributes:
        part: the part.
        base: what supports it.
        until: up to when they may touch [s]: then they are clear of each other for the first time; 0 when not at first.
        since: from when on they may touch again [s]: then they were clear for the last time; infinite when not again.
        margin: the clearance that is proved of them between [m].
    """

    part: str
    base: str
    until: float
    since: float
    margin: float

    def __str__(self) -> str:
        names = f"{self.part} and {self.base}"
        if self.until >= self.since:
            return f"{names}, which may touch all the way"
        times = [f"until {self.until:.4g} s"] if self.until > 0.0 else []
        times += [f"from {self.since:.4g} s on"] if math.isfinite(self.since) else []
        apart = f" and are more than {self.margin * 1e3:.6g} mm apart" if self.margin > 0.0 else ""
        otherwise = f"{apart} otherwise" if apart else ""
        return f"{names}, which may touch {' and '.join(times)}{otherwise}"


@dataclass(frozen=True)
class Free:
    """Nothing touches, and every tested pair keeps its margin, at every instant of the motion.

    Attributes:
        bound: the exact solids of all pairs that move against each other stay at least this far apart [m]; those in
            ``resting`` are left out.
        pair: the pair that came nearest to it.
        near: a time [s] near which that happens.
        least: the least distance of meshes that was met on the way [m]; the true one lies between.
        tests: how many times a pair was looked at over an interval.
        resting: parts that leave or come to rest: from when to when they may touch what supports them.
        method: how it was proved.
        unknown: bodies whose shape is not known, for which nothing is proved.
    """

    bound: float
    pair: tuple[str, str] | None
    near: float
    least: float
    tests: int
    resting: tuple[Resting, ...] = ()
    method: str = METHOD
    unknown: tuple[str, ...] = ()

    @property
    def free(self) -> bool:
        """True."""
        return True

    def __str__(self) -> str:
        rests = f", but for {', and for '.join(str(one) for one in self.resting)}" if self.resting else ""
        if self.pair is None:
            text = f"Free: nothing moves against anything that it is tested against{rests}."
        else:
            nearest = f"nearest are {' and '.join(self.pair)} near {self.near:.4g} s"
            text = f"Free: at least {self.bound * 1e3:.6g} mm all the way{rests}; {nearest}."
        return text + unknown_words(self.unknown)


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
        undecided: another pair that is undecided from ``last_free`` on, if that is why nothing is proved after it.
        method: how it was found.
        unknown: bodies whose shape is not known, for which nothing is proved.
    """

    time: float
    pair: tuple[str, str]
    last_free: float
    distance: float
    margin: float
    tolerance: float
    tests: int
    undecided: Undecided | None = None
    method: str = METHOD
    unknown: tuple[str, ...] = ()

    @property
    def free(self) -> bool:
        """False."""
        return False

    def __str__(self) -> str:
        one, other = self.pair
        touches = self.distance <= ROUNDING
        if self.time <= 0.0:
            how = "touches" if touches else f"is nearer than {self.margin * 1e3:.6g} mm to"
            return f"{one} {how} {other} from the start.{unknown_words(self.unknown)}"
        how = "touches" if touches else f"comes nearer than {self.margin * 1e3:.6g} mm to"
        text = f"{one} {how} {other} at {self.time:.6g} s"
        if self.undecided is not None:
            names = " and ".join(self.undecided.pair)
            text = f"{text}; free until {self.last_free:.6g} s, from where it is undecided for {names}."
        else:
            text = f"{text}; free until {self.last_free:.6g} s."
        return text + unknown_words(self.unknown)


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
        help: what can be done about it.
        method: how it was tried.
        unknown: bodies whose shape is not known, for which nothing is proved.
    """

    interval: tuple[float, float]
    pair: tuple[str, str]
    distance: float
    deviation: float
    reason: str
    last_free: float
    tolerance: float
    tests: int
    help: str = ""
    method: str = METHOD
    unknown: tuple[str, ...] = ()

    @property
    def free(self) -> bool:
        """False: it is not proved."""
        return False

    def __str__(self) -> str:
        a, b = self.interval
        names = " and ".join(self.pair)
        text = f"Undecided from {a:.6g} to {b:.6g} s for {names}: {self.reason}; {self.help}."
        return text + unknown_words(self.unknown)


Proof: TypeAlias = Free | ContactAt | Undecided


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
        state: where everything else is, and who carries what; the initial state of the cell unless given.
        tolerance: how fine the search goes [m].
        tightness: how near the bound must come to the least clearance, from 0 (any bound will do) to below 1; 0.9
            for clearances under 2 mm and 0.5 for greater ones unless given.
        most_tests: the work after which it gives up and says so.
        progress: called with the fraction of the motion that is decided and a label.
        cancel: set to stop.
    """
    if not (math.isfinite(tolerance) and tolerance > 0.0):
        raise InvalidValue(f"The tolerance of a proof must be above 0 mm, not {tolerance * 1e3:g} mm.")
    if tightness is not None and not 0.0 <= tightness < 1.0:
        raise InvalidValue(f"The tightness of a bound lies from 0 to below 1, not {tightness}.")
    base = model.snapshot.initial if state is None else state
    proof = _Search(model, Moving(model, base, motions), tolerance, tightness, most_tests).run(progress, cancel)
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
        state: where everything else is, and who carries what; the initial state of the cell unless given.
        step: how far bodies move between two looks where they are near each other [m].
        cancel: set to stop.
    """
    base = model.snapshot.initial if state is None else state
    return _Search(model, Moving(model, base, motions), step, 0.0, _ENDLESS, looking=True).touch(cancel)


@cache
def _halves(deep: int) -> tuple[Array, Array]:
    """Where the intervals of repeated halving begin and how long they are, as parts of the whole, in their order."""
    level = np.repeat(np.arange(deep + 1), 1 << np.arange(deep + 1))
    size = np.concatenate([[1.0], 0.5**level])
    begins = np.concatenate([[0.0], (np.arange(1, 2 << deep) - (1 << level)) * size[1:]])
    begins.flags.writeable = size.flags.writeable = False
    return begins, size


def _joined(parts: list[tuple[Array, Array, Ints, Ints]]) -> tuple[Array, Array, Ints, Ints]:
    """Stretches and items of several parts in one, the items' stretches counted on."""
    if len(parts) == 1:
        return parts[0]
    starts, ends, pair, row = zip(*parts, strict=True)
    before = np.cumsum([0, *(len(part) for part in starts[:-1])])
    rows = [(items + first).astype(np.int32) for items, first in zip(row, before, strict=True)]
    return np.concatenate(starts), np.concatenate(ends), np.concatenate(pair), np.concatenate(rows)


class _Search:
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
        self.stuck = np.empty((0 if looking else _MOST + 1, 5))
        self._pairs()

    # ---- what is to be proved -------------------------------------------------------------------------

    def _pairs(self) -> None:
        arrangement = self.arrangement
        end = self.moving.duration
        keep = np.flatnonzero(self._relative())
        self.first, self.second = arrangement.first[keep], arrangement.second[keep]
        self.stop, self.margins = arrangement.stops[keep], arrangement.margins[keep]
        deviations = self.model.deviations
        self.offset = np.full(len(keep), ROUNDING)
        if not self.looking:
            self.offset += deviations[self.first] + deviations[self.second]
        self.shift = np.zeros((len(keep), 3))
        self.windows = np.tile([0.0, end], (len(keep), 1))
        self.aside = np.zeros(len(keep), dtype=np.uint8)
        self.resting: list[Resting] = []
        self.starting: list[Support] = []
        """Supports that hold at the start."""
        groups: dict[tuple[str, str], list[Support]] = {}
        for support in arrangement.supports:
            groups.setdefault((support.part, support.base), []).append(support)
        for supports in groups.values():
            self._add_supports(supports)
        self.hopes = np.full(len(self.first), 1 << 30 if self.looking else _HOPES, dtype=np.int32)
        for name in ("first", "second", "stop", "margins", "offset", "shift", "aside"):
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
        from workcell.collision import _kernels

        arrangement, index = self.arrangement, self.model.index
        Q, free = self.moving.rows(times)
        first, second = (np.array([index[name]], dtype=np.int32) for name in (support.base, support.part))
        first.flags.writeable = second.flags.writeable = False
        best, winner = np.empty(len(times)), np.empty(len(times), dtype=np.int32)
        _kernels.least_rows(
            arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, Q, free,
            arrangement.scratch(), first, second, beyond, False, 1 << 60, best, winner,
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

    # ---- the search -----------------------------------------------------------------------------------

    def run(self, progress: Callable[[float, str], None] | None = None, cancel: threading.Event | None = None) -> Proof:
        """The answer."""
        if self._look_ahead():
            contact = check(self._at_start, self.moving.state_at(0.0), first=True).contacts[0]
            apart = max(-contact.depth, 0.0)
            return ContactAt(0.0, contact.pair, 0.0, apart, contact.margin, self.tolerance, 0)
        if not len(self.first):
            return Free(math.inf, None, 0.0, math.inf, 0, tuple(self.resting))
        self._search(progress, cancel)
        return self._answer()

    def touch(self, cancel: threading.Event | None = None) -> tuple[float, tuple[str, str]] | None:
        """The first contact that was found: its time and the pair."""
        if self._look_ahead():
            return 0.0, check(self._at_start, self.moving.state_at(0.0), first=True).contacts[0].pair
        if len(self.first):
            self._search(None, cancel)
        hit = int(self.counts[CONTACT_PAIR])
        return None if hit < 0 else (float(self.aim[CONTACT_TIME]), self._names(hit))

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
            msgspec.structs.replace(self.model.pairs, supports=tuple(self.starting)), self.model.going
        )

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
        found = np.empty((some, 1, 3), dtype=np.int32)
        counts = contacts_of(arrangement, Q[:some], arrangement.scratch(), found, free[0])
        if counts[0] or rest_contacts(arrangement):
            return True
        if self.resting and check(self._at_start, self.moving.state_at(0.0), first=True):
            return True
        # Only an end for the search: which pair and when comes from the search itself.
        hits = np.flatnonzero(counts)
        if len(hits):
            self.windows[:, 1] = np.minimum(self.windows[:, 1], times[hits[0]])
            a, b, _ = found[hits[0], 0]
            pairs = np.flatnonzero(((self.first == a) & (self.second == b)) | ((self.first == b) & (self.second == a)))
            if len(pairs):
                self.aim[CONTACT_TIME], self.counts[CONTACT_PAIR] = times[hits[0]], pairs[0]
                return False
        if self.looking:
            return False
        first, second, offset = self.first, self.second, self.offset
        if self.resting:
            plain = self.aside == 0
            first, second, offset = first[plain], second[plain], offset[plain]
            first.flags.writeable = second.flags.writeable = False
        if len(first):
            best, winner = np.empty(len(times)), np.empty(len(times), dtype=np.int32)
            _kernels.least_rows(
                arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, Q, free,
                arrangement.scratch(), first, second, math.inf, True, _STEPS, best, winner,
            )  # fmt: skip
            # Where nothing came nearer than before there is no pair; the last one that did is the nearest of all.
            near = winner[winner >= 0][-1]
            self.aim[LEAST_MET] = best[-1] - offset[near]
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
            (starts, width, item_start, pair),
            (
                Q.reshape(shape), steps, devs, free.reshape(count, 2 * leaves, -1, 12), ways.reshape(shape),
                turns.reshape(shape),
            ),
            (self.first, self.second, self.stop, self.shift, self.margins, self.offset, self.aside, self.hopes),
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
            names = self._names(hit_pair)
            other = self._undecided(before) if len(before) and self._names(int(before[0, 2])) != names else None
            apart = distance_between(self.model, self.moving.state_at(hit_time), *names).distance
            margin = float(self.margins[hit_pair])
            return ContactAt(hit_time, names, last_free, apart, margin, self.tolerance, tests, other)
        if len(rows):
            return self._undecided(rows)
        if not math.isfinite(bound):
            return Free(math.inf, None, 0.0, math.inf, tests, tuple(self.resting))
        least = max(upper + float(self.offset[bound_pair]), bound)
        return Free(bound, self._names(bound_pair), bound_time, least, tests, tuple(self.resting))

    def _undecided(self, rows: Array) -> Undecided:
        """What is open first, of intervals that are stuck, in their order."""
        start, end, number, distance, why = rows[0].tolist()
        pair = int(number)
        for other in rows[1:]:
            if other[2] == number and other[0] <= end:
                end = max(end, float(other[1]))
        deviation = float(self.offset[pair]) - ROUNDING
        margin = float(self.margins[pair])
        reason, help_ = self._why(distance, margin, deviation, why == _OUT_OF_WORK)
        tests = int(self.counts[TESTS])
        return Undecided(
            (start, end), self._names(pair), distance, deviation, reason, start, self.tolerance, tests, help_
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

    def _names(self, pair: int) -> tuple[str, str]:
        bodies = self.model.bodies
        return bodies[self.first[pair]].name, bodies[self.second[pair]].name
