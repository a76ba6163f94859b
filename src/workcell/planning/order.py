"""The order of work: targets, configurations and transits chosen together for the shortest certified cycle.

Transits are proved lazily. The search uses the times of straight joint moves, and those of the best cycle are proved.
A move that is not free first gets the guessed time of a detour. If it stays in the best cycle, a path around is
searched and its time replaces the guess. This repeats until the best cycle uses only what is proved.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.collision.batch import check_batch
from workcell.collision.bodies import CollisionModel, collision_model
from workcell.collision.supports import going
from workcell.collision.zones import pair_table_of, zones_of
from workcell.errors import Cancelled, InvalidValue, Refused, WorkcellError
from workcell.planning.move_times import MoveTimes
from workcell.planning.order_search import Cycle, OrderSearch
from workcell.planning.transit import AROUND, STRAIGHT, UNPROVED, Transit, proved
from workcell.planning.work import Ways, WorkTarget, ways_to_work
from workcell.planning.work_order import Stop, WorkOrder
from workcell.world.placed import PlacedRobot
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Array = NDArray[np.float64]

MOST_TARGETS = 400
_MOST_WAYS = 3000
"""How many configurations of all targets together are looked at."""
_ROUNDS, _PATIENCE = 60, 6
"""How often the cycle is improved after transits turned out to be longer; after some rounds any free cycle will do."""
_SCREENED, _FIRST_SCREENED, _NEIGHBOURS, _SPACING = 250, 40, 6, 0.15
"""How many moves between two targets are looked at in samples after one was refuted, and at first between each target
and how many others; and how far apart samples are [rad or m]."""
_DETOUR = 1.15, 0.12
"""A path around something takes about this factor and this much more time [s] than the straight move."""
_BLOCKED = 1e5
"""The time of a transit for which no path was found [s]."""
_END = -1
"""Stands for the start and the end of the cycle among the ways."""


def order_of_work(
    snapshot: Snapshot,
    state: CellState,
    robot: str,
    targets: Sequence[WorkTarget],
    *,
    start: ArrayLike | None = None,
    back: bool = True,
    certified: bool = True,
    allow: Sequence[tuple[str, str]] = (),
    seed: int = 0,
    path_budget: float = 0.5,
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> WorkOrder:
    """The order of targets and their configurations for the shortest cycle, with transits that are proved free.

    Args:
        snapshot: what exists.
        state: where everything is, and who carries what; everything else stands still.
        robot: the name of the arm.
        targets: what is to be done, each once.
        start: joint values at the start; where the arm stands by default.
        back: whether the arm returns to the start.
        certified: whether transits are proved; contacts are ignored otherwise.
        allow: pairs of names that may touch at the targets and on the way.
        seed: the same seed gives the same order.
        path_budget: how long to search for one path around something [s].
        progress: called with the fraction done and a label.
        cancel: set to stop.

    Raises:
        Unreachable: the arm cannot take some targets.
        Refused: some targets can only be taken in contact, or cannot be gone to from the others.
    """
    began = time.monotonic()
    if not targets:
        raise InvalidValue("There are no targets to put in order.")
    if len(targets) > MOST_TARGETS:
        raise InvalidValue(f"At most {MOST_TARGETS} targets are put in order at once; found {len(targets)}.")
    placed = snapshot.robot(robot)
    home = placed.robot.checked(state.joints[robot] if start is None else start)
    placed.robot.require_limits(home)
    model = None
    if certified:
        pairs = pair_table_of(snapshot)
        for first, second in allow:
            pairs = pairs.allow(first, second, "allowed for this work")
        model = collision_model(snapshot, pairs, zones=zones_of(snapshot), warn=False)
        model = model.asking(model.pairs, going(model, state, [robot]))
    said = progress or _silent
    said(0.0, "configurations")
    X_base_world = snapshot.base_pose(state, robot).inverse()
    most = max(_MOST_WAYS // len(targets), 8)
    ways = ways_to_work(placed.robot, X_base_world, targets, home, most, model, state, robot)
    work = _Work(snapshot, state, placed, tuple(targets), ways, home, back, model, tuple(allow), path_budget, seed)
    cycle = work.solve(said, cancel)
    return work.result(cycle, began)


@dataclass(eq=False)
class _Work:
    """One search for an order: the times so far, and which transits are proved."""

    snapshot: Snapshot
    state: CellState
    placed: PlacedRobot
    targets: tuple[WorkTarget, ...]
    ways: Ways
    home: Array
    back: bool
    model: CollisionModel | None
    allow: tuple[tuple[str, str], ...]
    path_budget: float
    seed: int
    known: dict[tuple[int, int], Transit] = field(default_factory=dict)
    refuted: set[tuple[int, int]] = field(default_factory=set)
    special: dict[tuple[int, int], float] = field(default_factory=dict)
    groups: dict[int, int] = field(default_factory=dict)
    searched: int = 0
    proofs: int = 0
    looks: int = 0
    touched: int = 0

    def __post_init__(self) -> None:
        self.times = MoveTimes.of(self.placed)
        Q, home = self.ways.approach, self.home[None]
        enter = self.times.between(home, Q)[0]
        leave = enter.copy() if self.back else np.zeros(len(Q))
        self.stroke = 2.0 * self._strokes()
        self.own = self.stroke.copy()
        self.search = OrderSearch(self.times.between(Q, Q), enter, leave, self.own, self.ways.first)
        self.straight = self.search.between.copy()
        self.looked = np.zeros(self.straight.shape, dtype=bool)
        self.neighbour = self.search.nearest_neighbour().time

    def _strokes(self) -> Array:
        """How long the way from each approach to its target takes, about (M,) [s]."""
        pairs = zip(self.ways.approach, self.ways.work, strict=True)
        return np.array([self.times.between(q[None], w[None])[0, 0] for q, w in pairs])

    # ---- finding it ------------------------------------------------------------------------------------

    def solve(self, said: Callable[[float, str], None], cancel: threading.Event | None) -> Cycle:
        """The shortest cycle whose transits are all known."""
        cycle = self.search.best(self.seed, progress=lambda part: said(0.05 + 0.35 * part, "order"), cancel=cancel)
        if self.model is None:
            return cycle
        self._screen(self._near_pairs())
        for number in range(_ROUNDS):
            if cancel is not None and cancel.is_set():
                raise Cancelled("The search for the order of work was cancelled.")
            said(0.4 + 0.5 * min(number / _PATIENCE, 1.0), f"proofs, round {number + 1}")
            self._expect()
            late = number >= _PATIENCE
            cycle = self.search.improved(cycle) if late else self.search.again(cycle, self.seed + number)
            edges = [edge for edge in self._edges(cycle) if edge not in self.known]
            if not edges:
                return cycle
            refuted = self._prove([edge for edge in edges if edge not in self.refuted], cancel)
            self._go_around([edge for edge in edges if edge in self.refuted], cancel)
            if late and not self._blocked(cycle):
                return cycle
            self._screen({(self._job(a), self._job(b)): _SCREENED for a, b in refuted})
        return cycle

    def _near_pairs(self) -> dict[tuple[int, int], int]:
        """The targets that are nearest to each other, and how many moves between two of them are looked at first."""
        near = self.search.near[:, :_NEIGHBOURS]
        count = len(self.targets)
        pairs = {(min(job, other), max(job, other)) for job in range(count) for other in near[job].tolist()}
        starts = [(-1, job) for job in range(count)]
        return dict.fromkeys([*sorted(pairs), *starts], _FIRST_SCREENED)

    def _expect(self) -> None:
        """Give moves that nobody has looked at their expected time: some of them will need a way around."""
        share = self.touched / max(self.proofs + self.looks, 1)
        factor, more = _DETOUR
        np.multiply(self.straight, 1.0 + share * (factor - 1.0), out=self.search.between)
        np.add(self.search.between, share * more, out=self.search.between)
        self.search.between[self.looked] = self.straight[self.looked]
        for edge, seconds in self.special.items():
            self._put(edge, seconds)

    def _blocked(self, cycle: Cycle) -> bool:
        return any(self.known[edge].how == UNPROVED for edge in self._edges(cycle))

    def _screen(self, jobs: Mapping[tuple[int, int], int]) -> None:
        """Look at samples of the shortest moves between two targets, as many as given for each two."""
        assert self.model is not None
        first = self.ways.first
        pairs: list[tuple[int, int]] = []
        for (job, other), most in jobs.items():
            if job < 0:
                pairs += [(_END, b) for b in range(first[other], first[other + 1])][:most]
                continue
            block = self.straight[first[job] : first[job + 1], first[other] : first[other + 1]]
            best = np.argsort(block, axis=None, kind="stable")[:most]
            rows, columns = np.unravel_index(best, block.shape)
            pairs += zip((rows + first[job]).tolist(), (columns + first[other]).tolist(), strict=True)
        pairs = [one for one in pairs if one not in self.known and one not in self.refuted and not self._seen(one)]
        if not pairs:
            return
        starts, ends = (np.array([self._joints(pair[k]) for pair in pairs]) for k in range(2))
        counts = np.clip(np.ceil(np.abs(ends - starts).max(axis=1) / _SPACING), 2, 24).astype(int)
        which = np.repeat(np.arange(len(pairs)), counts)
        place = np.concatenate([(np.arange(count) + 0.5) / count for count in counts])[:, None]
        looks = starts[which] + place * (ends - starts)[which]
        touching = check_batch(self.model, {self.placed.name: looks}, self.state, threads=None).touching
        bad = set(np.unique(which[touching]).tolist())
        self.looks += len(pairs)
        self.touched += len(bad)
        for k, (a, b) in enumerate(pairs):
            if k in bad:
                self._refute((a, b))
            elif a != _END:
                self.looked[a, b] = self.looked[b, a] = True

    def _seen(self, edge: tuple[int, int]) -> bool:
        return edge[0] != _END and bool(self.looked[edge])

    def _refute(self, edge: tuple[int, int]) -> None:
        """Give a move that is not free the guessed time of a way around."""
        self.refuted.add(edge)
        straight = float(self.times.between(self._joints(edge[0])[None], self._joints(edge[1])[None])[0, 0])
        factor, more = _DETOUR
        self._set(edge, factor * straight + more)

    def _job(self, way: int) -> int:
        return -1 if way == _END else int(np.searchsorted(self.ways.first, way, side="right")) - 1

    def _edges(self, cycle: Cycle) -> list[tuple[int, int]]:
        """The transits of a cycle by the ways at their ends, each pair in one order."""
        row = [_END, *cycle.ways.tolist(), *([_END] if self.back else [])]
        return [(min(a, b), max(a, b)) for a, b in itertools.pairwise(row)]

    def _joints(self, way: int) -> Array:
        return self.home if way == _END else self.ways.approach[way]

    def _prove(self, edges: Sequence[tuple[int, int]], cancel: threading.Event | None) -> list[tuple[int, int]]:
        """Prove straight moves; those that are not free."""
        assert self.model is not None
        refuted = []
        for edge in edges:
            motion = self.times.move(self._joints(edge[0]), self._joints(edge[1]))
            proof = proved(self.model, self.state, self.placed.name, motion, cancel)
            self.proofs += 1
            if proof.free:
                self.known[edge] = Transit(np.stack([motion.start, motion.end]), motion, STRAIGHT, proof)
                self._join(edge)
            else:
                self._refute(edge)
                self.touched += 1
                refuted.append(edge)
        return refuted

    def _go_around(self, edges: Sequence[tuple[int, int]], cancel: threading.Event | None) -> None:
        """Look for paths around what is in the way of refuted moves, and take their true times."""
        from workcell.planning.find_path import find_path

        for edge in edges:
            self.searched += 1
            try:
                plan = find_path(
                    self.snapshot,
                    self.state,
                    self.placed.name,
                    self._joints(edge[1]),
                    start=self._joints(edge[0]),
                    seed=self.seed,
                    budget=self.path_budget,
                    allow=self.allow,
                    cancel=cancel,
                )
            except Cancelled:
                raise
            except WorkcellError:
                self._set(edge, _BLOCKED)
                self._enclosed(edge)
                self.known[edge] = Transit(
                    np.stack([self._joints(way) for way in edge]),
                    self.times.move(*map(self._joints, edge)),
                    UNPROVED,
                    None,
                )
                continue
            motion = plan.trajectory
            self.known[edge] = Transit(plan.waypoints, motion, AROUND, plan.proof)
            self._set(edge, motion.duration)
            self._join(edge)

    def _join(self, edge: tuple[int, int]) -> None:
        """Note that a free motion connects two configurations."""
        a, b = (self._group(way) for way in edge)
        self.groups[max(a, b)] = min(a, b)

    def _group(self, way: int) -> int:
        while self.groups.get(way, way) != way:
            way = self.groups[way]
        return way

    def _enclosed(self, edge: tuple[int, int]) -> None:
        """Give up configurations that no search gets to, where others of the same target are left."""
        lost = [way for way in edge if self._group(way) != _END]
        for way in lost if len(lost) == 1 else ():
            job = self._job(way)
            mine = self.own[self.ways.first[job] : self.ways.first[job + 1]]
            if (mine < _BLOCKED).sum() > 1:
                self.own[way] = _BLOCKED

    def _set(self, edge: tuple[int, int], seconds: float) -> None:
        """Keep the time of a move that is not the straight one."""
        self.special[edge] = seconds
        self._put(edge, seconds)

    def _put(self, edge: tuple[int, int], seconds: float) -> None:
        a, b = edge
        if a == _END:
            self.search.enter[b] = seconds
            if self.back:
                self.search.leave[b] = seconds
        else:
            self.search.between[a, b] = self.search.between[b, a] = seconds

    # ---- the answer ------------------------------------------------------------------------------------

    def result(self, cycle: Cycle, began: float) -> WorkOrder:
        """The cycle with its motions, its proofs and its bound."""
        transits = self._transits(cycle)
        stops = []
        for job, way in zip(cycle.order.tolist(), cycle.ways.tolist(), strict=True):
            target, turn = self.targets[job], int(self.ways.turn[way])
            turned = target.freedom.turns()[turn]
            stroke = float(self.own[way])
            stops.append(Stop(target.name, self.ways.approach[way], self.ways.work[way], turned, stroke))
        total = sum(one.duration for one in transits) + sum(stop.stroke for stop in stops)
        certified = self.model is not None and all(one.free for one in transits)
        return WorkOrder(
            self.placed.name, self.home, tuple(stops), transits, total, min(self._bound(total), total), self.neighbour,
            certified, self.proofs, self.searched, time.monotonic() - began,
        )  # fmt: skip

    def _transits(self, cycle: Cycle) -> tuple[Transit, ...]:
        row = [_END, *cycle.ways.tolist(), *([_END] if self.back else [])]
        out = []
        for a, b in itertools.pairwise(row):
            kept = self.known.get((min(a, b), max(a, b)))
            if kept is None:
                motion = self.times.move(self._joints(a), self._joints(b))
                out.append(Transit(np.stack([motion.start, motion.end]), motion, UNPROVED, None))
                continue
            if kept.how == UNPROVED:
                names = [self._called(way) for way in (a, b)]
                raise Refused(
                    f"No free way was found from {names[0]} to {names[1]}, and no other order avoids it. Give more "
                    f"time for one path, an approach, or move what is in the way.",
                    between=tuple(names),
                )
            out.append(kept if a <= b else _backwards(kept))
        return tuple(out)

    def _called(self, way: int) -> str:
        if way == _END:
            return "the start"
        return self.targets[self._job(way)].name

    def _bound(self, total: float) -> float:
        """The bound on cycles of any motions between these configurations."""
        Q, home = self.ways.approach, self.home[None]
        enter = self.times.least(home, Q)[0]
        leave = enter if self.back else np.zeros(len(Q))
        return OrderSearch(self.times.least(Q, Q), enter, leave, self.stroke, self.ways.first).bound(total)


def _backwards(transit: Transit) -> Transit:
    """The same way from its end to its start: as free, and as long."""
    return Transit(transit.waypoints[::-1], transit.motion.reversed(), transit.how, transit.proof)


def _silent(fraction: float, label: str) -> None:
    """Report to nobody."""
