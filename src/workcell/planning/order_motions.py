"""The motions of the order of work: which transits and strokes are proved, refuted or only expected, and their times.

Only motions of the best cycle are proved. A transit that is not free first gets the guessed time of a way around. If
it stays in the best cycle, a path is searched and its time replaces the guess.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from workcell.collision.batch import check_batch
from workcell.collision.bodies import CollisionModel
from workcell.errors import Cancelled, Refused, WorkcellError
from workcell.planning.find_path import EFFORT, find_path
from workcell.planning.move_times import MoveTimes
from workcell.planning.order_search import Cycle, OrderSearch
from workcell.planning.stroke import Stroke, stroke_of
from workcell.planning.transit import AROUND, STRAIGHT, UNPROVED, Transit, backwards, proved
from workcell.planning.work import Ways, WorkTarget
from workcell.wording import counted
from workcell.world.placed import PlacedRobot
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Array = NDArray[np.float64]
Edge = tuple[int, int]

END = -1
"""Stands for the start and the end of the cycle among the ways."""
_FIRST_SCREENED, _NEIGHBOURS, _SPACING = 40, 6, 0.15
"""How many moves are looked at in samples at first between each target and how many others; and how far apart samples
are [rad or m]."""
_DETOUR, _TRUSTED = 0.3, 4
"""How much longer than the straight move a path around something takes, as a part of it, before any was found; and as
how many found paths that counts."""
_BLOCKED = 1e5
"""The time of a transit for which no path was found, and of a way that is given up [s]."""
_HARDER = 2
"""How much longer than for a transit a path from the start to a configuration is searched before it is given up."""
_SEEDS = 3
"""How many searches look for the shortest path of a transit that goes around something, in the end."""
_PATIENCE = 1e6
"""Work is counted, not timed, so that the order does not depend on the machine; the clock ends no search [s]."""


@dataclass(eq=False)
class WorkMotions:
    """The motions between the ways of targets, and at them.

    Attributes:
        snapshot: what exists.
        state: where everything is.
        placed: the arm.
        targets: what is to be done.
        ways: every way to take every target.
        home: joint values at the start (n,).
        back: whether the arm returns to the start.
        model: what may touch; None ignores contacts.
        allow: pairs of names that may touch.
        effort: how many configurations are tested to find one path around something.
        seed: of the searches for paths.
        cancel: set to stop.
    """

    snapshot: Snapshot
    state: CellState
    placed: PlacedRobot
    targets: tuple[WorkTarget, ...]
    ways: Ways
    home: Array
    back: bool
    model: CollisionModel | None
    allow: tuple[tuple[str, str], ...]
    effort: int
    seed: int
    cancel: threading.Event | None
    known: dict[Edge, Transit] = field(default_factory=dict)
    strokes: dict[int, Stroke] = field(default_factory=dict)
    refuted: set[Edge] = field(default_factory=set)
    special: dict[Edge, float] = field(default_factory=dict)
    groups: dict[int, int] = field(default_factory=dict)
    met: dict[int, tuple[str, str]] = field(default_factory=dict)
    """The pair that touches on a stroke of each target (by its number), where one was refuted."""
    extra: list[float] = field(default_factory=list)
    """How much longer than the straight move the paths around something were, as a part of it."""
    searched: int = 0
    proofs: int = 0
    looks: int = 0
    touched: int = 0

    def __post_init__(self) -> None:
        self.times = MoveTimes.of(self.placed)
        self.X_base_world = self.snapshot.base_pose(self.state, self.placed.name).inverse()
        Q, home = self.ways.approach, self.home[None]
        enter = self.times.between(home, Q)[0]
        leave = enter.copy() if self.back else np.zeros(len(Q))
        self.own = 2.0 * self._each(self.times.between)
        self.search = OrderSearch(self.times.between(Q, Q), enter, leave, self.own, self.ways.first)
        self.straight, self.home_times = self.search.between.copy(), enter.copy()
        self.looked = np.zeros(self.straight.shape, dtype=bool)

    def _each(self, law: object) -> Array:
        """How long a law says that the way from each approach to its target takes (M,) [s]."""
        assert callable(law)
        pairs = zip(self.ways.approach, self.ways.work, strict=True)
        return np.array([law(q[None], w[None])[0, 0] for q, w in pairs])

    # ---- names ----------------------------------------------------------------------------------------

    def job(self, way: int) -> int:
        """The target of a way; −1 for the start."""
        return -1 if way == END else int(np.searchsorted(self.ways.first, way, side="right")) - 1

    def called(self, way: int) -> str:
        """What people call the place of a way."""
        return "the start" if way == END else self.targets[self.job(way)].name

    def edges(self, cycle: Cycle) -> list[Edge]:
        """The transits of a cycle by the ways at their ends, each pair in one order."""
        return [(min(a, b), max(a, b)) for a, b in itertools.pairwise(self.row(cycle))]

    def row(self, cycle: Cycle) -> list[int]:
        """The ways of a cycle with its ends."""
        return [END, *cycle.ways.tolist(), *([END] if self.back else [])]

    def joints(self, way: int) -> Array:
        """The joint values where transits from and to a way begin and end (n,)."""
        return self.home if way == END else self.ways.approach[way]

    # ---- looking --------------------------------------------------------------------------------------

    def near_pairs(self) -> dict[Edge, int]:
        """The targets that are nearest to each other, and how many moves between two of them are looked at first."""
        near = self.search.near[:, :_NEIGHBOURS]
        count = len(self.targets)
        pairs = {(min(job, other), max(job, other)) for job in range(count) for other in near[job].tolist()}
        starts = [(-1, job) for job in range(count)]
        return dict.fromkeys([*sorted(pairs), *starts], _FIRST_SCREENED)

    def screen(self, jobs: Mapping[Edge, int]) -> None:
        """Look at samples of the shortest moves between two targets, as many as given for each two."""
        first = self.ways.first
        pairs: list[Edge] = []
        for (job, other), most in jobs.items():
            if job < 0:
                pairs += [(END, b) for b in range(first[other], first[other + 1])][:most]
                continue
            block = self.straight[first[job] : first[job + 1], first[other] : first[other + 1]]
            best = np.argsort(block, axis=None, kind="stable")[:most]
            rows, columns = np.unravel_index(best, block.shape)
            pairs += zip((rows + first[job]).tolist(), (columns + first[other]).tolist(), strict=True)
        pairs = [one for one in pairs if one not in self.known and one not in self.refuted and not self._seen(one)]
        if not pairs:
            return
        bad = self._touching(pairs)
        self.looks += len(pairs)
        self.touched += int(bad.sum())
        for touches, (a, b) in zip(bad.tolist(), pairs, strict=True):
            if touches:
                self._refute((a, b))
            elif a != END:
                self.looked[a, b] = self.looked[b, a] = True

    def _touching(self, pairs: Sequence[Edge]) -> NDArray[np.bool_]:
        """Which straight moves touch something in samples."""
        assert self.model is not None
        starts, ends = (np.array([self.joints(pair[k]) for pair in pairs]) for k in range(2))
        counts = np.clip(np.ceil(np.abs(ends - starts).max(axis=1) / _SPACING), 2, 24).astype(int)
        which = np.repeat(np.arange(len(pairs)), counts)
        place = np.concatenate([(np.arange(count) + 0.5) / count for count in counts])[:, None]
        looks = starts[which] + place * (ends - starts)[which]
        touching = check_batch(self.model, {self.placed.name: looks}, self.state, threads=None).touching
        bad = np.zeros(len(pairs), dtype=bool)
        bad[which[touching]] = True
        return bad

    def _seen(self, edge: Edge) -> bool:
        return edge[0] != END and bool(self.looked[edge])

    # ---- times ----------------------------------------------------------------------------------------

    def expect(self) -> None:
        """Give moves that nobody has looked at, and those that touch something, their expected times."""
        share = self.touched / max(self.proofs + self.looks, 1)
        np.multiply(self.straight, 1.0 + share * self._detour, out=self.search.between)
        self.search.between[self.looked] = self.straight[self.looked]
        for edge in self.refuted - self.known.keys():
            self.special[edge] = self._guess(edge)
        for edge, seconds in self.special.items():
            self._put(edge, seconds)

    @property
    def _detour(self) -> float:
        """How much longer than the straight move a path around something takes, as a part of it, as far as is known."""
        return (_DETOUR * _TRUSTED + sum(self.extra)) / (_TRUSTED + len(self.extra))

    def _guess(self, edge: Edge) -> float:
        """The expected time of a path around something [s]."""
        a, b = edge
        straight = self.home_times[b] if a == END else self.straight[a, b]
        return float(straight) * (1.0 + self._detour)

    def straight_duration(self, edge: Edge) -> float:
        """How long the straight move of a transit takes [s]."""
        return self.times.move(self.joints(edge[0]), self.joints(edge[1])).duration

    def duration(self, edge: Edge) -> float:
        """How long a transit takes, straight where nothing else is known [s]."""
        return self.known[edge].duration if edge in self.known else self.straight_duration(edge)

    def time_of(self, cycle: Cycle) -> float:
        """How long a cycle takes with what is known of its transits and strokes [s]."""
        return sum(self.duration(edge) for edge in self.edges(cycle)) + float(self.own[cycle.ways].sum())

    def guesses_strokes(self, cycle: Cycle) -> bool:
        """Whether the time of a cycle has guesses for some of its strokes."""
        ways = cycle.ways.tolist()
        return any(self.targets[self.job(way)].approach > 0.0 and way not in self.strokes for way in ways)

    def blocked(self, cycle: Cycle) -> bool:
        """Whether a cycle has a transit for which no path was found, or a way that was given up."""
        edges = any(self.known[edge].how == UNPROVED for edge in self.edges(cycle) if edge in self.known)
        return edges or bool((self.own[cycle.ways] >= _BLOCKED).any())

    def _refute(self, edge: Edge) -> None:
        """Give a move that is not free the guessed time of a way around."""
        self.refuted.add(edge)
        self._set(edge, self._guess(edge))

    def _set(self, edge: Edge, seconds: float) -> None:
        """Keep the time of a move that is not the straight one."""
        self.special[edge] = seconds
        self._put(edge, seconds)

    def _put(self, edge: Edge, seconds: float) -> None:
        a, b = edge
        if a == END:
            self.search.enter[b] = seconds
            if self.back:
                self.search.leave[b] = seconds
        else:
            self.search.between[a, b] = self.search.between[b, a] = seconds

    # ---- proofs ---------------------------------------------------------------------------------------

    def take_strokes(self, ways: Sequence[int]) -> bool:
        """Make and prove the strokes of ways, and give up those that touch; whether any was given up."""
        given_up = False
        for way in ways:
            target = self.targets[self.job(way)]
            if target.approach == 0.0 or way in self.strokes or self.own[way] >= _BLOCKED:
                continue
            approach, work = self.ways.approach[way], self.ways.work[way]
            found = stroke_of(
                self.placed, self.X_base_world, approach, work, target.approach, self.model, self.state, self.cancel
            )
            if found is None or (self.model is not None and not found.free):
                if found is not None and found.pair is not None:
                    self.met[self.job(way)] = found.pair
                self._give_up(way)
                given_up = True
                continue
            self.strokes[way] = found
            self.own[way] = found.duration
        return given_up

    def prove(self, edges: Sequence[Edge]) -> list[Edge]:
        """Prove straight moves; those that are not free."""
        assert self.model is not None
        refuted = []
        for edge in edges:
            motion = self.times.move(self.joints(edge[0]), self.joints(edge[1]))
            proof = proved(self.model, self.state, self.placed.name, motion, self.cancel)
            self.proofs += 1
            if proof.free:
                self.known[edge] = Transit(np.stack([motion.start, motion.end]), motion, STRAIGHT, proof)
                self._join(edge)
            else:
                self._refute(edge)
                self.touched += 1
                refuted.append(edge)
        return refuted

    def go_around(self, edges: Sequence[Edge]) -> None:
        """Look for paths around what is in the way of refuted moves, and take their true times."""
        for edge in edges:
            found = self._path(*edge)
            if found is not None:
                self.known[edge] = found
                straight = self._guess(edge) / (1.0 + self._detour)
                self.extra.append(found.duration / max(straight, 1e-9) - 1.0)
                self._set(edge, found.duration)
                self._join(edge)
                continue
            self._set(edge, _BLOCKED)
            points = np.stack([self.joints(way) for way in edge])
            self.known[edge] = Transit(points, self.times.move(*points), UNPROVED, None)
            for way in edge:
                self._require_way_to(way)

    def _path(self, a: int, b: int, seed: int | None = None, harder: int = 1) -> Transit | None:
        """A path around what is in the way from one way to another; None where none is found."""
        self.searched += 1
        try:
            plan = find_path(
                self.snapshot, self.state, self.placed.name, self.joints(b), start=self.joints(a),
                seed=self.seed if seed is None else seed, budget=_PATIENCE, effort=harder * self.effort,
                allow=self.allow, explain=False, cancel=self.cancel,
            )  # fmt: skip
        except Cancelled:
            raise
        except WorkcellError:
            return None
        return Transit(plan.waypoints, plan.trajectory, AROUND, plan.proof, self.seed if seed is None else seed)

    def as_travelled(self, a: int, b: int) -> Transit:
        """The transit from one way to another as a program makes it: a search from there finds the same path."""
        kept = self.known[min(a, b), max(a, b)]
        if kept.how != AROUND:
            return kept if a <= b else backwards(kept)
        found = [kept] if a <= b else []
        found += [self._path(a, b, self.seed + k) for k in range(_SEEDS) if (k or a > b)]  # type: ignore[misc]
        best = min((one for one in found if one is not None), key=lambda one: one.duration, default=None)
        return backwards(kept) if best is None else best

    # ---- what cannot be got to ------------------------------------------------------------------------

    def _join(self, edge: Edge) -> None:
        """Note that a free motion connects two configurations."""
        a, b = (self._group(way) for way in edge)
        self.groups[max(a, b)] = min(a, b)

    def _group(self, way: int) -> int:
        while self.groups.get(way, way) != way:
            way = self.groups[way]
        return way

    def _require_way_to(self, way: int) -> None:
        """Give up a configuration that no search gets to from the start, and those that straight moves join to it."""
        if self._group(way) == END or self.own[way] >= _BLOCKED:
            return
        found = self._path(END, way, harder=_HARDER)
        if found is not None:
            self.known[END, way] = found
            self._set((END, way), found.duration)
            self._join((END, way))
            return
        job = self.job(way)
        others = [k for k in range(self.ways.first[job], self.ways.first[job + 1]) if self.own[k] < _BLOCKED]
        others = [k for k in others if k == way or self._group(k) != END]
        enclosed = self._touching([(way, k) for k in others])
        for k, touches in zip(others, enclosed.tolist(), strict=True):
            if k == way or not touches:
                self._give_up(k)

    def _give_up(self, way: int) -> None:
        """Leave a configuration out; refused when it was the last one of its target."""
        self.own[way] = _BLOCKED
        job = self.job(way)
        first, last = self.ways.first[job], self.ways.first[job + 1]
        if (self.own[first:last] < _BLOCKED).any():
            return
        name, many = self.targets[job].name, counted(int(last - first), "configuration")
        pair = self.met.get(job)
        if pair is not None:
            raise Refused(
                f"{self.placed.name} touches something between the approach and the target {name} in each of its "
                f"{many}: {' and '.join(pair)}. Allow the contact for this work, use another approach, or move what is "
                f"in the way.",
                targets=(name,),
                pairs=(pair,),
            )
        raise Refused(
            f"No way was found from the start to {name} in any of its {many}. Allow more search for one path, give "
            f"the tool more freedom, or move what is in the way.",
            targets=(name,),
        )

    def least_strokes(self) -> Array:
        """Times that no strokes at the ways fall short of (M,) [s]."""
        return 2.0 * self._each(self.times.least)


def effort_of(seconds: float) -> int:
    """How many configurations a search tests in some seconds of a fast machine."""
    return max(int(seconds * EFFORT), 1)
