"""Robots move slower in slow-down zones: the same way, in a longer time.

The recorded samples show where a move is inside a zone; bisection gives the instants of entering and leaving. The
time of the motion then becomes a function of the clock, with a rate of 1 outside and the factor of the zone inside. A
motion that keeps acceleration limits gets smooth transitions between the rates, before and after the zone, as short as
the limits allow. This is checked on the polynomials. Moves that start together slow down together and stay in step.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.motion.limits import Limits
from workcell.motion.named_profiles import JERK_TIME, composed, times_at
from workcell.motion.profiles import excess
from workcell.motion.trajectory import Trajectory
from workcell.simulation.planned import Planned
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.pairs import PairTable
    from workcell.collision.zones import Zone
    from workcell.simulation.equipped import Equipped
    from workcell.simulation.gliding import Glide

Array = NDArray[np.float64]
_HALVINGS = 30
_RATES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)
"""Rates outside zones that are tried: a motion at its acceleration limit has no room for a transition at full rate."""
_SHORTEST = 0.02
"""The shortest transition between two rates that is tried [s]."""
_HAIR = 1e-11
"""By how much motions at a limit are stretched, so that rounding does not exceed it."""


@dataclass(frozen=True)
class _Stretch:
    """A part of a motion at one rate: from and to in the time of the motion [s]."""

    begin: float
    end: float
    rate: float


class Slowing:
    """Slows robots down in zones.

    Args:
        snapshot: what exists.
        zones: any zones; those with the rule ``slow down`` count.
        pairs: which bodies are not used; by default, all are.
    """

    def __init__(self, snapshot: Snapshot, zones: Sequence[Zone], pairs: PairTable | None = None) -> None:
        self._snapshot = snapshot
        self.zones = tuple(zone for zone in zones if zone.rule == "slow down" and zone.factor < 1.0)
        self.pairs = pairs

    def on(self, snapshot: Snapshot) -> Slowing:
        """Return a copy over another snapshot."""
        return self if snapshot is self._snapshot else Slowing(snapshot, self.zones, self.pairs)

    @cached_property
    def _model(self) -> CollisionModel:
        from workcell.collision.bodies import collision_model

        bodies = self._snapshot.bodies
        known = {*(b.name for b in bodies), *(b.owner for b in bodies), *(zone.name for zone in self.zones)}
        pairs = None if self.pairs is None else self.pairs.among(known)  # it may name zones that do not slow down
        return collision_model(self._snapshot, pairs, zones=self.zones, warn=False)

    def slowed(self, simulator: Equipped, moves: Sequence[Planned | Glide]) -> list[Planned | Glide]:
        """Return the moves as they are made, from the present state."""
        arms = [one for one in moves if isinstance(one, Planned) and one.motion.duration > 0.0]
        if not self.zones or not arms:
            return list(moves)
        # In a mode whose clock stops while single joints move, every robot has a time of its own.
        groups = [[one] for one in arms] if any(one.span for one in arms) else [arms]
        state = simulator.state
        made = {one.name: new for group in groups for one, new in zip(group, self._group(state, group), strict=True)}
        return [made.get(one.name, one) for one in moves]

    def least(self, state: CellState, planned: Planned) -> tuple[float, list[str]]:
        """Return the least factor of the zones that a move enters from a state, and their names; 1 if it enters none.

        For motions that cannot be stretched, because they start in motion or meet something that moves.
        """
        if not self.zones or planned.motion.duration <= 0.0:
            return 1.0, []
        stretches, names = self._stretches(state, [planned])
        return min((one.rate for one in stretches), default=1.0), names

    def _group(self, state: CellState, moves: list[Planned]) -> list[Planned]:
        stretches, names = self._stretches(state, moves)
        if not names:
            return moves
        progress, outside = _progress(self._snapshot, moves, stretches)
        return [_retimed(one, progress, outside, names) for one in moves]

    def _stretches(self, state: CellState, moves: list[Planned]) -> tuple[list[_Stretch], list[str]]:
        """Return the rate of every part of the motions, and the names of their zones."""
        from workcell.collision.zones import entered_batch

        duration = max(one.motion.duration for one in moves)
        times = np.unique(np.concatenate([[0.0, duration], *(one.looks for one in moves)]))

        movers = [one.robot for one in moves]

        def inside(when: Array) -> dict[str, NDArray[np.bool_]]:
            return entered_batch(self._model, {one.robot: one.at_shown(when) for one in moves}, state, movers)

        stays: list[_Stretch] = []
        names = []
        whole = inside(times)
        for zone in self.zones:
            within = whole[zone.name]
            if not within.any():
                continue
            names.append(zone.name)
            steps = np.flatnonzero(np.diff(within))
            low, high = times[steps], times[steps + 1]
            entering = ~within[steps]
            for _ in range(_HALVINGS if len(steps) else 0):
                middle = 0.5 * (low + high)
                there = inside(middle)[zone.name] == entering
                low, high = np.where(there, low, middle), np.where(there, middle, high)
            edges = np.where(entering, low, high).tolist()
            edges = ([0.0] if within[0] else []) + edges + ([duration] if within[-1] else [])
            stays += [_Stretch(a, b, zone.factor) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        return _rates(stays, duration), names


def _rates(stays: list[_Stretch], duration: float) -> list[_Stretch]:
    """Return the whole motion in stretches: the least factor in overlapping zones, 1 outside."""
    edges = sorted({0.0, duration, *(edge for stay in stays for edge in (stay.begin, stay.end))})
    found: list[_Stretch] = []
    for a, b in itertools.pairwise(edges):
        rate = min((stay.rate for stay in stays if stay.begin <= a and b <= stay.end), default=1.0)
        found.append(_Stretch(a, b, rate))
    return _merged(found)


def _merged(stretches: list[_Stretch]) -> list[_Stretch]:
    found: list[_Stretch] = []
    for one in stretches:
        if found and found[-1].rate == one.rate:
            found[-1] = _Stretch(found[-1].begin, one.end, one.rate)
        else:
            found.append(one)
    return found


def _progress(snapshot: Snapshot, moves: list[Planned], stretches: list[_Stretch]) -> tuple[Trajectory, float]:
    """Return the time of the motion over the clock, as fast as the limits allow, and the rate outside zones."""
    if all(one.profile in ("linear", "table") for one in moves):
        return _passing(stretches, 0.0), 1.0
    found: list[tuple[Trajectory, float]] = []
    duration = stretches[-1].end
    for rate in _RATES:
        slower = _merged([dataclasses.replace(one, rate=min(one.rate, rate)) for one in stretches])
        passage = _SHORTEST
        while passage < duration:
            progress = _passing(slower, passage).stretched(1.0 + _HAIR)
            if all(_keeps(snapshot, one, progress) for one in moves):
                found.append((progress, rate))
                break
            passage *= 1.6
    slowest = min(one.rate for one in stretches)
    found.append((_passing([_Stretch(0.0, duration, slowest)], 0.0), slowest))
    return min(found, key=lambda one: one[0].duration)


def _keeps(snapshot: Snapshot, planned: Planned, progress: Trajectory) -> bool:
    """Return whether a move with this progress keeps the accelerations that its profile kept."""
    if planned.profile in ("linear", "table"):
        return True
    robot = snapshot.robot(planned.robot).robot
    jerk = robot.accelerations / JERK_TIME if planned.profile == "jerk" else None
    limits = Limits(robot.speeds, robot.accelerations, jerk)
    assert isinstance(planned.motion, Trajectory)
    return excess(_composed(planned.motion, progress), limits) <= max(1.0, excess(planned.motion, limits))


def _composed(motion: Trajectory, progress: Trajectory) -> Trajectory:
    """Return a motion at another rate; one that is over before the others ends earlier."""
    if motion.duration >= progress.end[0] - 1e-12:
        return composed(motion, progress)
    return composed(motion, progress.part(0.0, float(times_at(progress, np.array([motion.duration]))[0])))


def _passing(stretches: list[_Stretch], passage: float) -> Trajectory:
    """Return the time of the motion over the clock, with transitions of this duration [s] between different rates.

    A transition lies in the faster of two stretches. A stretch without room for it gets the rate of its neighbours.
    """
    if passage > 0.0:
        stretches = _roomy(stretches, passage)
    breaks, rows = [0.0], []
    for k, one in enumerate(stretches):
        before = stretches[k - 1].rate if k else one.rate
        after = stretches[k + 1].rate if k + 1 < len(stretches) else one.rate
        at = one.begin
        if before < one.rate and passage > 0.0:
            rows.append(_passage(at, before, one.rate, passage))
            breaks.append(breaks[-1] + passage)
            at += 0.5 * passage * (before + one.rate)
        stop = one.end - (0.5 * passage * (after + one.rate) if after < one.rate else 0.0)
        if stop > at:
            rows.append([at, one.rate, 0.0, 0.0, 0.0])
            breaks.append(breaks[-1] + (stop - at) / one.rate)
        if after < one.rate and passage > 0.0:
            rows.append(_passage(stop, one.rate, after, passage))
            breaks.append(breaks[-1] + passage)
    terms = 5 if passage > 0.0 else 2
    return Trajectory(np.array(breaks), np.array(rows)[:, :terms, None])


def _passage(at: float, first: float, last: float, seconds: float) -> list[float]:
    """Return a rate that changes like 3u² − 2u³, as the coefficients of its integral."""
    step = last - first
    return [at, first, 0.0, step / seconds**2, -0.5 * step / seconds**3]


def _roomy(stretches: list[_Stretch], passage: float) -> list[_Stretch]:
    """Return stretches in which all transitions have room."""
    while True:
        for k, one in enumerate(stretches):
            slower = [n.rate for n in (*stretches[max(k - 1, 0) : k], *stretches[k + 1 : k + 2]) if n.rate < one.rate]
            if slower and sum(0.5 * passage * (one.rate + rate) for rate in slower) > one.end - one.begin:
                stretches = _merged([*stretches[:k], dataclasses.replace(one, rate=max(slower)), *stretches[k + 1 :]])
                break
        else:
            return stretches


def _retimed(planned: Planned, progress: Trajectory, outside: float, names: list[str]) -> Planned:
    assert isinstance(planned.motion, Trajectory)
    motion = _composed(planned.motion, progress)
    span, frames = planned.span, planned.frames
    if frames is not None:
        frames = times_at(progress, frames)
        frames[-1] = motion.duration
    if span is not None:
        begin, end = times_at(progress, np.array([span[0], span[0] + span[1]])).tolist()
        span = (begin, end - begin)
    bound = []
    for joint, kind, a, b in planned.bound if outside == 1.0 else ():
        first, last = times_at(progress, np.array([a, b])).tolist()
        if progress.velocity(0.5 * (first + last))[0] >= 1.0 - 1e-9:
            bound.append((joint, kind, first, last))
    limited = f"slow-down zone {', '.join(names)}"
    return dataclasses.replace(planned, motion=motion, limited=limited, bound=tuple(bound), span=span, frames=frames)
