"""Moves that began at different instants on one time axis, so that they can be tested and recorded together.

The shown clock is that time, except in the joint-by-joint mode of the thesis: there the clock stops while joints
other than the one with most travel move, and the others wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from workcell.motion.chained import JointMotion
from workcell.motion.pose_motion import PoseMotion
from workcell.motion.trajectory import Trajectory
from workcell.simulation.drives import Follow
from workcell.simulation.gliding import Glide

Array = NDArray[np.float64]


class Timeline:
    """Everything that moves between two instants.

    Args:
        moves: the unfinished moves.
        begin: the present instant [s].
        end: the later instant [s].
    """

    def __init__(self, moves: Sequence[Follow], begin: float, end: float) -> None:
        self.begin, self.end = begin, end
        self._places: dict[str, tuple[Array, Array]] = {}
        """For each move, times here and times of its own motion; linear in between."""
        self.plain = runs_on(moves)
        """Whether the shown clock is the time."""
        self._clock = (np.array([0.0, end - begin]), np.array([0.0, end - begin]))
        self.motions: Mapping[str, JointMotion | PoseMotion]
        if self.plain:
            self.motions = {one.planned.name: self._window(one) for one in moves}
        else:
            self.motions = self._stopped_clock(moves)
        self.duration = float(self._clock[0][-1])

    def clock(self, time: float) -> float:
        """Return the shown clock at a time of the timeline [s]."""
        return self.begin + float(np.interp(time, *self._clock))

    @property
    def knots(self) -> tuple[Array, Array]:
        """Times of the timeline, and the shown clock after its beginning; linear in between [s]."""
        return self._clock

    def frames(self, one: Follow) -> Array | None:
        """Return when a move with frames of its own is shown, in times of the timeline (N,)."""
        frames = getattr(one.planned, "frames", None)
        if frames is None:
            return None
        here, own = self._places[one.planned.name]
        return np.asarray(np.interp(frames[(frames > own[0]) & (frames <= own[-1])], own, here))

    def over(self, one: Follow) -> float:
        """Return when the motion of a move is over, or the end of the timeline [s]."""
        here, own = self._places[one.planned.name]
        return float(here[min(int(np.searchsorted(own, one.planned.motion.duration)), len(here) - 1)])

    def shown(self, name: str, time: float) -> float:
        """Return the progress of the motion of a move at a time of the timeline [s]."""
        return float(np.interp(time, *self._places[name]))

    def samples(self, moves: Sequence[Follow]) -> Array:
        """Return the times at which the moves are tested, both ends included (N,), whatever their recording."""
        found = [np.array([0.0, self.duration])]
        for one in moves:
            here, own = self._places[one.planned.name]
            found.append(np.interp(one.planned.looks_within(own[0], own[-1]), own, here))
        return np.unique(np.concatenate(found))

    def _window(self, one: Follow) -> JointMotion | PoseMotion:
        motion = one.course
        first = min(max(self.begin - one.begin, 0.0), motion.duration)
        last = motion.duration if one.final <= self.end else min(max(self.end - one.begin, first), motion.duration)
        self._places[one.planned.name] = (np.array([0.0, last - first]), np.array([first, last]))
        if first == 0.0 and last == motion.duration:
            return motion
        if isinstance(motion, PoseMotion):
            return PoseMotion(motion.curve, motion.progress.part(first, last))
        return motion.part(first, last)

    def _stopped_clock(self, moves: Sequence[Follow]) -> dict[str, JointMotion | PoseMotion]:
        """Return stretches in which the clock runs, and instants at which it stops while single joints move."""
        stages: list[tuple[float, float, dict[str, tuple[float, float]]]] = []
        """The duration here, the duration by the clock, and the part of its own motion that each move makes."""
        instants = {self.begin, self.end}
        for one in moves:
            if self.begin < one.end < self.end:
                instants.add(one.end)
        order = sorted(instants)
        at = {one.planned.name: _own(one, self.begin, one.begin < self.begin) for one in moves}
        for instant, following in zip(order, [*order[1:], None], strict=True):
            frozen = {}
            for one in moves:
                waits = _own(one, instant, True)
                if waits > at[one.planned.name]:
                    frozen[one.planned.name] = (at[one.planned.name], waits)
                    at[one.planned.name] = waits
            longest = max((b - a for a, b in frozen.values()), default=0.0)
            if longest > 0.0:
                stages.append((longest, 0.0, frozen))
            if following is not None:
                running = {one.planned.name: (at[one.planned.name], _own(one, following, False)) for one in moves}
                stages.append((following - instant, following - instant, running))
                at.update({name: b for name, (_, b) in running.items()})
        here = np.concatenate([[0.0], np.cumsum([stage[0] for stage in stages])])
        self._clock = (here, np.concatenate([[0.0], np.cumsum([stage[1] for stage in stages])]))
        return {one.planned.name: self._staged(one, stages, here) for one in moves}

    def _staged(
        self, one: Follow, stages: list[tuple[float, float, dict[str, tuple[float, float]]]], here: Array
    ) -> JointMotion | PoseMotion:
        name, motion = one.planned.name, one.planned.motion
        rows = motion.progress if isinstance(motion, PoseMotion) else motion
        assert isinstance(rows, Trajectory)  # the speed of a move does not change while the clock is stopped
        begin = _own(one, self.begin, one.begin < self.begin)
        whole, knots, own = Trajectory.constant(rows.position(begin)), [0.0], [begin]
        for (lasts, _, parts), start in zip(stages, here, strict=False):
            a, b = parts.get(name, (own[-1], own[-1]))
            if b > a:
                whole = whole.then(rows.part(a, b))
            rest = lasts - (b - a)
            if rest > 1e-12:
                whole = whole.held(rest)
            knots += [start + (b - a), start + lasts]
            own += [b, b]
        self._places[name] = (np.array(knots), np.array(own))
        return PoseMotion(motion.curve, whole) if isinstance(motion, PoseMotion) else whole


def runs_on(moves: Iterable[Follow]) -> bool:
    """Return whether the shown clock runs on during these moves."""
    return all(isinstance(one.planned, Glide) or one.planned.span is None for one in moves)


def _own(one: Follow, clock: float, after: bool) -> float:
    """Return the progress of a move's own motion at a shown clock: before or after what moves while the clock stops."""
    planned = one.planned
    passed = planned.duration if clock >= one.end else max(clock - one.begin, 0.0)
    if isinstance(planned, Glide) or planned.span is None:
        return passed
    if passed >= planned.duration and (after or clock > one.end):
        return planned.motion.duration
    if passed <= 0.0 and not after:
        return 0.0
    return min(planned.span[0] + passed, planned.motion.duration)
