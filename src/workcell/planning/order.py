"""The order of work: targets, configurations and transits chosen together for the shortest certified cycle.

The search uses the times of straight joint moves. The motions of the best cycle are proved, and those that are not free
get other times. This repeats until the best cycle uses only what is proved.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.collision.supports import going
from workcell.errors import Cancelled, InvalidValue, Refused
from workcell.planning.find_path import STEP, require_seed
from workcell.planning.order_motions import WorkMotions, effort_of
from workcell.planning.order_neighbour import neighbour_cycle
from workcell.planning.order_search import MOVES, Cycle, OrderSearch
from workcell.planning.planners import Query
from workcell.planning.reasons import start_blocked
from workcell.planning.space import space_of
from workcell.planning.transit import UNPROVED, Transit
from workcell.planning.work import WorkTarget, ways_to_work
from workcell.planning.work_order import Stop, WorkOrder
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Array = NDArray[np.float64]

MOST_TARGETS = 400
_MOST_WAYS = 3000
"""How many configurations of all targets together are looked at."""
_ROUNDS, _PATIENCE = 60, 8
"""How often the cycle is improved after transits turned out to be longer; after some rounds any free cycle will do."""
_SCREENED = 250
"""How many moves between two targets are looked at in samples after one was refuted."""
_SEEDS = 1 << 31
"""Seeds of the searches for paths are below this, so that a program can name them exactly."""


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
    thorough: int = 1,
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
        seed: the same seed gives the same order; from 0 to below 2^63.
        path_budget: how much to search for one path around something, in seconds of a fast machine. Work is
            counted, so that the order does not depend on the machine.
        thorough: how many times as long as usual the order is searched.
        progress: called with the fraction done and a label.
        cancel: set to stop.

    Raises:
        StartBlocked: the arm touches something where it starts.
        Unreachable: the arm cannot take some targets.
        Refused: some targets can only be taken in contact, or cannot be gone to from the others.
    """
    began = time.monotonic()
    if not targets:
        raise InvalidValue("There are no targets to put in order.")
    if len(targets) > MOST_TARGETS:
        raise InvalidValue(f"At most {MOST_TARGETS} targets are put in order at once; found {len(targets)}.")
    if not (math.isfinite(path_budget) and path_budget > 0.0):
        raise InvalidValue(f"The search for one path must be above 0 s; found {path_budget:g} s.")
    require_seed(seed)
    placed = snapshot.robot(robot)
    home = placed.robot.checked(state.joints[robot] if start is None else start)
    placed.robot.require_limits(home)
    model = query = None
    if certified:
        query = _query(snapshot, state, robot, home, tuple(allow))
        model = query.space.model.asking(query.space.model.pairs, going(query.space.model, state, [robot]))
    said = progress or _silent
    said(0.0, "configurations")
    X_base_world = snapshot.base_pose(state, robot).inverse()
    most = max(_MOST_WAYS // len(targets), 8)
    ways = ways_to_work(placed.robot, X_base_world, targets, home, most, query, robot)
    motions = WorkMotions(
        snapshot, state, placed, tuple(targets), ways, home, back, model, tuple(allow), effort_of(path_budget),
        int(seed) % _SEEDS, cancel,
    )  # fmt: skip
    neighbour = neighbour_cycle(motions)
    cycle = _solved(motions, int(seed), max(thorough, 1) * MOVES, said, cancel)
    return _result(motions, _not_above(motions, cycle, neighbour), neighbour.time, began)


def _query(
    snapshot: Snapshot, state: CellState, robot: str, home: NDArray[np.float64], allow: tuple[tuple[str, str], ...]
) -> Query:
    """What answers whether configurations can be proved free; refused where the start is not free."""
    space = space_of(snapshot, state.with_joints(robot, home), robot, allow)
    query = Query(space, space.scene(), home, home[None], 0, STEP, math.inf, math.inf)
    if query.touching(home[None])[0]:
        raise start_blocked(query)
    return query


def _solved(
    motions: WorkMotions, seed: int, moves: int, said: Callable[[float, str], None], cancel: threading.Event | None
) -> Cycle:
    """The shortest cycle whose motions are all known."""
    search = motions.search
    cycle = search.best(seed, moves=moves, progress=lambda part: said(0.05 + 0.35 * part, "order"), cancel=cancel)
    if motions.model is not None:
        motions.screen(motions.near_pairs())
    best: Cycle | None = None
    for number in range(_ROUNDS):
        if cancel is not None and cancel.is_set():
            raise Cancelled("The search for the order of work was cancelled.")
        said(0.4 + 0.5 * min(number / _PATIENCE, 1.0), f"proofs, round {number + 1}")
        if number or motions.model is not None:
            motions.expect()
            cycle = search.improved(cycle) if number > _PATIENCE else search.again(cycle, seed + number, moves)
        guessed = motions.guesses_strokes(cycle)
        changed = motions.take_strokes(cycle.ways.tolist())
        edges = [edge for edge in motions.edges(cycle) if edge not in motions.known]
        if motions.model is not None:
            refuted = motions.prove([edge for edge in edges if edge not in motions.refuted])
            motions.go_around([edge for edge in edges if edge in motions.refuted])
            motions.screen({_jobs(motions, edge): _SCREENED for edge in refuted})
        if not changed and not motions.blocked(cycle):
            taken = Cycle(cycle.order, cycle.ways, motions.time_of(cycle))
            best = taken if best is None or taken.time < best.time else best
        settled = not (guessed if motions.model is None else edges)
        if best is not None and (number >= _PATIENCE or settled):
            return best
    return cycle


def _not_above(motions: WorkMotions, cycle: Cycle, other: Cycle) -> Cycle:
    """A cycle, or another one whose time ignores contacts, if that one is shorter with its true motions."""
    most, seconds = motions.time_of(cycle), other.time
    if seconds >= most or motions.take_strokes(other.ways.tolist()):
        return cycle
    for edge in motions.edges(other) if motions.model is not None else ():
        if edge not in motions.known and edge not in motions.refuted:
            motions.prove([edge])
        if edge not in motions.known:
            motions.go_around([edge])
        seconds += motions.duration(edge) - motions.straight_duration(edge)
        if seconds >= most:
            return cycle
    return cycle if motions.blocked(other) else other


def _jobs(motions: WorkMotions, edge: tuple[int, int]) -> tuple[int, int]:
    return motions.job(edge[0]), motions.job(edge[1])


def _result(motions: WorkMotions, cycle: Cycle, neighbour: float, began: float) -> WorkOrder:
    """The cycle with its motions, its proofs and its bound."""
    transits = _transits(motions, cycle)
    stops = []
    for job, way in zip(cycle.order.tolist(), cycle.ways.tolist(), strict=True):
        target, turn = motions.targets[job], int(motions.ways.turn[way])
        turned = target.freedom.turns()[turn]
        stops.append(
            Stop(target.name, motions.ways.approach[way], motions.ways.work[way], turned, motions.strokes.get(way))
        )
    total = sum(one.duration for one in transits) + sum(stop.duration for stop in stops)
    certified = motions.model is not None and all(one.free for one in transits) and all(one.free for one in stops)
    return WorkOrder(
        motions.placed.name, motions.home, tuple(stops), transits, total, min(_bound(motions, total), total), neighbour,
        certified, motions.proofs, motions.searched, time.monotonic() - began,
    )  # fmt: skip


def _transits(motions: WorkMotions, cycle: Cycle) -> tuple[Transit, ...]:
    """The transits of a cycle in the direction in which they are made."""
    out = []
    for a, b in itertools.pairwise(motions.row(cycle)):
        kept = motions.known.get((min(a, b), max(a, b)))
        if kept is None:
            motion = motions.times.move(motions.joints(a), motions.joints(b))
            out.append(Transit(np.stack([motion.start, motion.end]), motion, UNPROVED, None))
            continue
        if kept.how == UNPROVED:
            names = [motions.called(way) for way in (a, b)]
            raise Refused(
                f"No free way was found from {names[0]} to {names[1]}, and no other order avoids it. Allow more "
                f"search for one path, give an approach, or move what is in the way.",
                between=tuple(names),
            )
        out.append(motions.as_travelled(a, b))
    return tuple(out)


def _bound(motions: WorkMotions, total: float) -> float:
    """The bound on cycles of any motions between these configurations."""
    Q, home, times = motions.ways.approach, motions.home[None], motions.times
    enter = times.least(home, Q)[0]
    leave = enter if motions.back else np.zeros(len(Q))
    return OrderSearch(times.least(Q, Q), enter, leave, motions.least_strokes(), motions.ways.first).bound(total)


def _silent(fraction: float, label: str) -> None:
    """Report to nobody."""
