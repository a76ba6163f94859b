"""Finds where two recordings first differ."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

import numpy as np

from workcell.errors import InvalidValue
from workcell.motion.chained import Chained, JointMotion
from workcell.motion.named_profiles import composed
from workcell.motion.stacking import stacked
from workcell.motion.trajectory import Trajectory
from workcell.simulation.happenings import Attached, Move, Placed, Signalled, StateChange
from workcell.simulation.pieces import Exact, Piece, same_motion
from workcell.simulation.recording import Recording
from workcell.simulation.way import Way
from workcell.spatial.pose import Pose


@dataclass(frozen=True)
class Difference:
    """The first difference between two recordings.

    Attributes:
        time: the time of the difference [s].
        what: a joint of a robot, a body, a signal, or the end.
        size: by how much [rad, m, or the signal's unit]; infinite if it is not a number.
        unit: the unit to print after the size.
        kind: ``joint``, ``pose``, ``end``, or '' for everything else.
        only: the recording (1 or 2) that alone has it or continues; 0 if both do.
        has: what that recording has.
        device: the robot or body.
        joint: its joint, from 1.
        most: the greatest difference: [rad or m] for a joint; [m] and [rad] for a pose.
        most_time: the time of the greatest difference, among the frames of both [s].
    """

    time: float
    what: str
    size: float
    unit: str = ""
    kind: str = ""
    only: int = 0
    has: str = ""
    device: str = ""
    joint: int = 0
    most: tuple[float, ...] = ()
    most_time: float = 0.0

    def __str__(self) -> str:
        by = f" by {self.size:.6g}{self.unit}" if np.isfinite(self.size) else ""
        if self.unit == " rad or m":
            by = f" by {np.degrees(self.size):.6g}° if it turns, {self.size * 1e3:.6g} mm if it slides"
        return f"They differ first at {self.time:.6f} s: {self.what}{by}."


def first_difference(one: Recording, other: Recording, tolerance: float = 1e-9) -> Difference | None:
    """Return the earliest difference above a tolerance [rad or m], or None if there is none.

    Motions of joints are compared as polynomials, so nothing between two frames is missed. The instant at which a
    difference passes the tolerance is found by bisection. Ways of solids are compared at the frames of both. If
    everything that happened is the same, the reports of the moves are compared too.
    """
    if not (np.isfinite(tolerance) and tolerance >= 0.0):
        raise InvalidValue(f"A tolerance must be zero or more; found {tolerance}.")
    found = [
        *_starts(one, other, tolerance),
        *_joints(one, other, tolerance),
        *_ways(one, other, tolerance),
        *_changes(one, other, tolerance),
    ]
    if abs(one.end - other.end) > tolerance:
        first, last = sorted((one.end, other.end))
        only = 1 if one.end > other.end else 2
        what = "one of them ends, the other continues"
        found.append(Difference(first, what, last - first, " s", kind="end", only=only))
    found = found or _moves(one, other, tolerance)
    return min(found, key=lambda difference: (difference.time, difference.what), default=None)


def _starts(one: Recording, other: Recording, tolerance: float) -> list[Difference]:
    a, b = one.start, other.start
    found = []
    if abs(a.time - b.time) > tolerance:
        found.append(Difference(min(a.time, b.time), "the time at which they start", abs(a.time - b.time)))
    for robot in sorted(set(a.joints) | set(b.joints)):
        if robot not in a.joints or robot not in b.joints:
            only, has = 1 if robot in a.joints else 2, f"there is the robot {robot}"
            found.append(Difference(a.time, f"only one has the robot {robot}", np.inf, only=only, has=has))
    for body in sorted(set(a.poses) | set(b.poses)):
        if body not in a.poses or body not in b.poses:
            only, has = 1 if body in a.poses else 2, f"{body} is free"
            found.append(Difference(a.time, f"{body} is free in only one of them", np.inf, only=only, has=has))
        elif (off := float(np.abs(a.poses[body].matrix - b.poses[body].matrix).max())) > tolerance:
            apart = a.poses[body].distance(b.poses[body])
            what = f"the pose of {body}"
            found.append(Difference(a.time, what, off, kind="pose", device=body, most=apart, most_time=a.time))
    if dict(a.signals) != dict(b.signals):
        found.append(Difference(a.time, "the signals at the start", np.inf))
    return found


def _joints(one: Recording, other: Recording, tolerance: float) -> list[Difference]:
    found = []
    for robot in sorted(set(one.start.joints) & set(other.start.joints)):
        if one.start.joints[robot].shape != other.start.joints[robot].shape:
            found.append(Difference(one.start.time, f"the number of joints of {robot}", np.inf))
            continue
        first = _first_apart(one.way(robot), other.way(robot), min(one.end, other.end), tolerance)
        if first is not None:
            time, joint, off = first
            most, when = _farthest(one.way(robot), other.way(robot), time, min(one.end, other.end), joint)
            most, when = (most, when) if most > off else (off, time)
            what = f"joint {joint + 1} of {robot}"
            found.append(Difference(time, what, off, " rad or m", "joint", 0, "", robot, joint + 1, (most,), when))
    return found


def _farthest(one: Way, other: Way, begin: float, end: float, joint: int) -> tuple[float, float]:
    """Return the greatest difference of a joint from an instant on, and when, at the frames of both."""
    times = np.union1d(one.samples()[0], other.samples()[0])
    times = np.append(times[(times >= begin) & (times < end)], end)
    apart = np.abs(one.at(times)[:, joint] - other.at(times)[:, joint])
    return float(apart.max()), float(times[apart.argmax()])


def _first_apart(one: Way, other: Way, end: float, tolerance: float) -> tuple[float, int, float] | None:
    """Return when two ways of a robot first differ [s], in which joint, and by how much."""
    edges = {max(one.begin, other.begin), end}
    for way in (one, other):
        edges |= {edge for piece in way.pieces for edge in (piece.begin, piece.end) if edge < end}
    order = sorted(edges)
    for begin, until in itertools.pairwise([*order, end]):
        at = np.array([begin])
        now = np.abs(one.at(at) - other.at(at))[0]
        if now.max() > tolerance:
            return begin, int(now.argmax()), float(now.max())
        if until > begin and not _same_piece(one.piece_at(begin), other.piece_at(begin)):
            found = _passes(_plain(one.window(begin, until)), _plain(other.window(begin, until)), tolerance)
            if found is not None:
                return begin + found[0], found[1], found[2]
    return None


def _same_piece(one: Piece | None, other: Piece | None) -> bool:
    if isinstance(one, Exact) and isinstance(other, Exact):
        return one.since == other.since and same_motion(one.motion, other.motion)
    return False


def _plain(motion: JointMotion) -> Trajectory:
    """Return a motion as polynomials of time; a path with a time law is multiplied out."""
    if isinstance(motion, Chained):
        first, *others = (_plain(part) for part in motion.parts)
        return functools.reduce(Trajectory.then, others, first)
    if isinstance(motion, Trajectory):
        return motion
    return composed(motion.path, motion.law.curve) if motion.duration else Trajectory.constant(motion.start)


def _passes(one: Trajectory, other: Trajectory, tolerance: float) -> tuple[float, int, float] | None:
    """Return when two motions over the same time first differ by more than a tolerance, in which joint, how much."""
    both = stacked(one, other)
    apart = Trajectory(both.breaks, both.coefficients[:, :, : one.n] - both.coefficients[:, :, one.n :])
    low, high = apart.ranges(apart.breaks[:-1], apart.breaks[1:])
    over = np.maximum(-low, high) > tolerance
    if not over.any():
        return None
    place = int(over.any(axis=1).argmax())
    good, bad = float(apart.breaks[place]), float(apart.breaks[place + 1])
    for _ in range(60):
        middle = 0.5 * (good + bad)
        low, high = apart.ranges([good], [middle])
        good, bad = (good, middle) if np.maximum(-low, high).max() > tolerance else (middle, bad)
    off = np.maximum(-low, high)[0] if (np.maximum(-low, high) > tolerance).any() else np.abs(apart.position(bad))
    return bad, int(off.argmax()), float(off.max())


def _ways(one: Recording, other: Recording, tolerance: float) -> list[Difference]:
    """Compare solids that move on their own, at the frames of both."""
    found = []
    for body in sorted(set(one.solids) | set(other.solids)):
        ways = [recording.way(body) for recording in (one, other) if body in recording.solids]
        if len(ways) == 1:
            only = 1 if body in one.solids else 2
            what = f"{body} moves on its own in only one of them"
            found.append(Difference(ways[0].pieces[0].begin, what, np.inf, only=only, has=f"{body} moves on its own"))
            continue
        before, known = -np.inf, 0.0
        for time in np.union1d(*(way.samples()[0] for way in ways)).tolist():
            covered = [way.piece_at(time) is not None for way in ways]
            off = float(np.abs(ways[0].one(time) - ways[1].one(time)).max()) if all(covered) else 0.0
            if all(covered) and off > tolerance:
                share = (tolerance - known) / (off - known) if np.isfinite(before) else 1.0
                when = before + (time - before) * share if np.isfinite(before) else time
                most, last = _farthest_pose(ways[0], ways[1], time)
                what = f"the way of {body}"
                found.append(Difference(when, what, off, kind="pose", device=body, most=most, most_time=last))
                break
            if any(covered) and not all(covered):
                what = f"{body} moves on its own in only one of them"
                only = 1 if covered[0] else 2
                found.append(Difference(time, what, np.inf, only=only, has=f"{body} moves on its own"))
                break
            before, known = time, off
    return found


def _farthest_pose(one: Way, other: Way, begin: float) -> tuple[tuple[float, float], float]:
    """Return the greatest difference of two ways of a solid from an instant on [m and rad], and when, at all frames."""
    found = []
    for time in np.union1d(one.samples()[0], other.samples()[0]).tolist():
        if time >= begin and one.pieces[-1].end >= time <= other.pieces[-1].end:
            found.append((Pose.from_rows(one.one(time)).distance(Pose.from_rows(other.one(time))), time))
    return max(found, default=((0.0, 0.0), begin))


def _changes(one: Recording, other: Recording, tolerance: float) -> list[Difference]:
    a, b = one.changes, other.changes
    for first, second in zip(a, b, strict=False):
        size = _apart(first, second)
        if size > tolerance:
            return [_unlike(first, second, size)]
    if len(a) != len(b):
        longer = a if len(a) > len(b) else b
        extra = longer[min(len(a), len(b))]
        only, has = 1 if len(a) > len(b) else 2, _what(extra)
        if isinstance(extra, Signalled):
            has = f"signal {extra.signal} becomes {extra.value:g}"
        return [Difference(extra.time, f"only in one of them: {_what(extra)}", np.inf, only=only, has=has)]
    return []


def _moves(one: Recording, other: Recording, tolerance: float) -> list[Difference]:
    """Return the first move that differs, in the order in which they ended."""
    for first, second in zip(one.moves, other.moves, strict=False):
        if (first.device, first.kind) != (second.device, second.kind):
            what = f"{_made(first)} in the first, {_made(second)} in the second"
            return [Difference(min(first.start, second.start), what, np.inf)]
        for called, a, b in (("begin", first.start, second.start), ("end", first.end, second.end)):
            if abs(a - b) > tolerance:
                what = f"the {called} of {_made(first)}"
                return [Difference(min(a, b), what, abs(a - b), " s", device=first.device)]
        if (first.profile, first.limited) != (second.profile, second.limited):
            what = f"the profile of {_made(first)}, or what limited it"
            return [Difference(first.start, what, np.inf, device=first.device)]
    count = min(len(one.moves), len(other.moves))
    for only, extra in ((1, one.moves[count:]), (2, other.moves[count:])):
        if extra:
            has = _made(extra[0])
            return [Difference(extra[0].start, f"only in one of them: {has}", np.inf, only=only, has=has)]
    return []


def _made(move: Move) -> str:
    return f"the move of {move.device} ({move.kind})"


def _unlike(first: StateChange, second: StateChange, size: float) -> Difference:
    time = min(first.time, second.time)
    if np.isinf(size):
        return Difference(time, f"{_what(first)} in the first, {_what(second)} in the second", size)
    if isinstance(first, Signalled) or first.time != second.time:
        return Difference(time, _what(first), size, " s" if first.time != second.time else "")
    assert isinstance(second, Attached | Placed)
    apart = Pose.from_rows(first.pose).distance(Pose.from_rows(second.pose))
    return Difference(time, _what(first), size, kind="pose", device=first.body, most=apart, most_time=time)


def _apart(first: StateChange, second: StateChange) -> float:
    """Return how different two changes are; infinite if they have different subjects."""
    if type(first) is not type(second) or _subject(first) != _subject(second):
        return np.inf
    later = abs(first.time - second.time)
    if isinstance(first, Signalled) and isinstance(second, Signalled):
        return max(later, abs(first.value - second.value))
    assert isinstance(first, Attached | Placed)
    assert isinstance(second, Attached | Placed)
    return max(later, float(np.abs(np.subtract(first.pose, second.pose)).max()))


def _subject(change: StateChange) -> tuple[str, str]:
    if isinstance(change, Signalled):
        return change.signal, ""
    return change.body, change.frame if isinstance(change, Attached) else ""


def _what(change: StateChange) -> str:
    if isinstance(change, Signalled):
        return f"signal {change.signal}"
    return f"{change.body} moves with {change.frame}" if isinstance(change, Attached) else f"{change.body} is put down"
