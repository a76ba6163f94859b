"""The cycle that always goes to the nearest target next, as a person would: what the order of work is compared with."""

from __future__ import annotations

import math

from workcell.planning.order_motions import WorkMotions
from workcell.planning.order_search import Cycle, OrderSearch
from workcell.planning.stroke import stroke_of


def neighbour_cycle(motions: WorkMotions) -> Cycle:
    """Always the target and configuration that are reached soonest next; with its true strokes, contacts ignored.

    Configurations from which no straight stroke leads to the target are left out.
    """
    search, own = motions.search, dict[int, float]()
    while True:
        cycle = search.nearest_neighbour()
        new = [way for way in cycle.ways.tolist() if way not in own]
        own |= {way: _stroke_time(motions, way) for way in new}
        barred = [way for way in new if math.isinf(own[way])]
        if not barred:
            straight = sum(motions.straight_duration(edge) for edge in motions.edges(cycle))
            return Cycle(cycle.order, cycle.ways, straight + sum(own[way] for way in cycle.ways.tolist()))
        between, enter = search.between.copy(), search.enter.copy()
        between[:, barred] = enter[barred] = math.inf
        search = OrderSearch(between, enter, search.leave, search.own, search.first)


def _stroke_time(motions: WorkMotions, way: int) -> float:
    """How long the stroke at a way takes, contacts ignored [s]; infinite where there is none."""
    distance = motions.targets[motions.job(way)].approach
    if distance == 0.0:
        return 0.0
    approach, work = motions.ways.approach[way], motions.ways.work[way]
    found = stroke_of(motions.placed, motions.X_base_world, approach, work, distance)
    return math.inf if found is None else found.duration
