"""The order in which programs visit shared zones, for the run that ends soonest.

A program is a row of spans: outside all zones, or inside one. It never waits for a zone while it holds another one. So
no ring of waiting programs can arise, whatever the times are: who waits holds nothing, and who holds a zone goes on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

_MOST = 200_000
"""How many partial orders are looked at."""
_LATER = 1e-3
"""By how much later a program asks for a zone than the one that goes first [s]."""

Which: TypeAlias = tuple[int, int]
"""A visit: the number of the program, and the number of its visit."""


@dataclass(frozen=True)
class Visit:
    """A stay in a zone, in the time of the program alone.

    Attributes:
        zone: the number of the zone.
        begin: when it is entered [s].
        end: when it is left [s].
    """

    zone: int
    begin: float
    end: float


@dataclass(frozen=True)
class Job:
    """A program: how long it takes alone [s], and its visits in their order."""

    duration: float
    visits: tuple[Visit, ...]


@dataclass(frozen=True)
class VisitOrder:
    """An order of visits.

    Attributes:
        order: the visits in the order in which zones are entered.
        entries: when each visit begins [s].
        ends: when each program ends [s].
        best: whether all orders were looked at, so that none ends sooner.
    """

    order: tuple[Which, ...]
    entries: Mapping[Which, float]
    ends: tuple[float, ...]
    best: bool

    @property
    def duration(self) -> float:
        """When the last program ends [s]."""
        return max(self.ends)


@dataclass
class _Found:
    """The search so far."""

    jobs: Sequence[Job]
    first: Mapping[Which, frozenset[Which]]
    best: VisitOrder | None = None
    left: int = _MOST
    seen: dict[tuple[int, ...], list[tuple[float, ...]]] = field(default_factory=dict)


def best_order(jobs: Sequence[Job], first: Mapping[Which, frozenset[Which]]) -> VisitOrder | None:
    """The order of visits for the run that ends soonest; None where the orders that are required contradict.

    Args:
        jobs: the programs.
        first: for a visit, those that must be over before it.
    """
    found = _Found(jobs, first)
    zones = 1 + max((visit.zone for job in jobs for visit in job.visits), default=-1)
    _extend(found, (0,) * len(jobs), (0.0,) * len(jobs), (0.0,) * zones, (), {})
    if found.best is None:
        return None
    best = found.best
    return VisitOrder(best.order, best.entries, best.ends, found.left > 0)


def _extend(
    found: _Found,
    place: tuple[int, ...],
    left: tuple[float, ...],
    zone_free: tuple[float, ...],
    order: tuple[Which, ...],
    entries: dict[Which, float],
) -> None:
    """Try each program as the next one that enters a zone.

    Args:
        found: the search so far.
        place: the next visit of each program.
        left: when each program left its last visit, or began [s].
        zone_free: when each zone is free again [s].
        order: the visits so far.
        entries: when they began [s].
    """
    jobs = found.jobs
    found.left -= 1
    if found.left < 0:
        return
    ends = tuple(left[i] + job.duration - _own(job, place[i]) for i, job in enumerate(jobs))
    if all(place[i] == len(job.visits) for i, job in enumerate(jobs)):
        if found.best is None or (max(ends), sum(ends)) < (found.best.duration, sum(found.best.ends)):
            found.best = VisitOrder(order, dict(entries), ends, True)
        return
    if found.best is not None and (max(ends), sum(ends)) >= (found.best.duration, sum(found.best.ends)):
        return
    now = (*left, *zone_free)
    known = found.seen.setdefault(place, [])
    if any(all(a <= b for a, b in zip(one, now, strict=True)) for one in known):
        return
    known.append(now)
    for start, i in sorted(_starts(found, place, left, zone_free, entries)):
        visit, which = jobs[i].visits[place[i]], (i, place[i])
        over = start + visit.end - visit.begin
        _extend(
            found,
            _replaced(place, i, place[i] + 1),
            _replaced(left, i, over),
            _replaced(zone_free, visit.zone, over),
            (*order, which),
            {**entries, which: start},
        )


def _starts(
    found: _Found,
    place: tuple[int, ...],
    left: tuple[float, ...],
    zone_free: tuple[float, ...],
    entries: Mapping[Which, float],
) -> list[tuple[float, int]]:
    """When each program could enter its next zone, where the required orders let it."""
    out = []
    for i, job in enumerate(found.jobs):
        if place[i] < len(job.visits) and found.first.get((i, place[i]), frozenset()) <= entries.keys():
            visit = job.visits[place[i]]
            out.append((max(left[i] + visit.begin - _own(job, place[i]), zone_free[visit.zone]), i))
    return out


def _own(job: Job, place: int) -> float:
    """Where a program is in its own time when it has left the visit before this one [s]."""
    return job.visits[place - 1].end if place else 0.0


def _replaced(row: tuple, place: int, value: float) -> tuple:  # type: ignore[type-arg]
    return (*row[:place], value, *row[place + 1 :])


@dataclass(frozen=True)
class Arrivals:
    """A run in which zones are entered in the order in which programs arrive.

    Attributes:
        asked: when each visit asks for its zone [s].
        entries: when it enters [s].
        ends: when each program ends [s].
    """

    asked: Mapping[Which, float]
    entries: Mapping[Which, float]
    ends: tuple[float, ...]


def arrivals(jobs: Sequence[Job], waits: Mapping[Which, float]) -> Arrivals:
    """What happens when zones are entered by arrival; at the same instant, the first program goes first.

    Args:
        jobs: the programs.
        waits: how long a program waits before it asks for a visit [s].
    """
    place, left = [0] * len(jobs), [0.0] * len(jobs)
    free: dict[int, float] = {}
    asked: dict[Which, float] = {}
    entries: dict[Which, float] = {}
    while True:
        ready = []
        for i, job in enumerate(jobs):
            if place[i] < len(job.visits):
                which = (i, place[i])
                asked[which] = left[i] + job.visits[place[i]].begin - _own(job, place[i]) + waits.get(which, 0.0)
                ready.append((asked[which], i))
        if not ready:
            break
        when, i = min(ready)
        visit = jobs[i].visits[place[i]]
        start = max(when, free.get(visit.zone, 0.0))
        entries[i, place[i]] = start
        left[i] = free[visit.zone] = start + visit.end - visit.begin
        place[i] += 1
    ends = tuple(left[i] + job.duration - _own(job, len(job.visits)) for i, job in enumerate(jobs))
    return Arrivals(asked, entries, ends)


def waits_for(jobs: Sequence[Job], wanted: VisitOrder) -> dict[Which, float]:
    """How long programs wait before they ask for zones, so that zones are entered in an order [s]."""
    waits: dict[Which, float] = {}
    for _ in range(4 * len(wanted.order) ** 2 + 4):
        run = arrivals(jobs, waits)
        early = _first_early(jobs, wanted, run)
        if early is None:
            return waits
        hasty, sooner = early
        waits[hasty] = waits.get(hasty, 0.0) + run.asked[sooner] - run.asked[hasty] + _LATER
    return waits


def _first_early(jobs: Sequence[Job], wanted: VisitOrder, run: Arrivals) -> tuple[Which, Which] | None:
    """The first visit that enters its zone before one that is to go first, and that one."""
    best: tuple[float, Which, Which] = (math.inf, (0, 0), (0, 0))
    for place, sooner in enumerate(wanted.order):
        zone = jobs[sooner[0]].visits[sooner[1]].zone
        for later in wanted.order[place + 1 :]:
            if jobs[later[0]].visits[later[1]].zone == zone and run.entries[later] < run.entries[sooner]:
                best = min(best, (run.entries[later], later, sooner))
    return None if math.isinf(best[0]) else (best[1], best[2])
