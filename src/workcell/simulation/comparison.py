"""Where two recordings differ first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workcell.errors import InvalidValue
from workcell.simulation.happenings import Attached, Change, Placed, Signalled
from workcell.simulation.recording import Recording


@dataclass(frozen=True)
class Difference:
    """The first place at which two recordings are not the same.

    Attributes:
        time: when [s].
        what: a joint of a robot, a body, a signal, or the end.
        size: by how much [rad, m, or the signal's unit]; infinite where it is not a number.
        unit: what follows the size for people.
    """

    time: float
    what: str
    size: float
    unit: str = ""

    def __str__(self) -> str:
        by = f" by {self.size:.6g}{self.unit}" if np.isfinite(self.size) else ""
        if self.unit == " rad or m":
            by = f" by {np.degrees(self.size):.6g}° if it turns, {self.size * 1e3:.6g} mm if it slides"
        return f"They differ first at {self.time:.6f} s: {self.what}{by}."


def first_difference(one: Recording, other: Recording, tolerance: float = 1e-9) -> Difference | None:
    """The earliest difference above a tolerance [rad or m], or None when there is none.

    Joint values are straight between samples in both, so their difference is straight between the samples of both
    together, and the instant at which it passes the tolerance is exact.
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
        found.append(Difference(first, "one of them ends, the other goes on", last - first, " s"))
    return min(found, key=lambda difference: (difference.time, difference.what), default=None)


def _starts(one: Recording, other: Recording, tolerance: float) -> list[Difference]:
    a, b = one.start, other.start
    found = []
    if abs(a.time - b.time) > tolerance:
        found.append(Difference(min(a.time, b.time), "the time at which they start", abs(a.time - b.time)))
    for robot in sorted(set(a.joints) | set(b.joints)):
        if robot not in a.joints or robot not in b.joints:
            found.append(Difference(a.time, f"only one has the robot {robot}", np.inf))
    for body in sorted(set(a.poses) | set(b.poses)):
        if body not in a.poses or body not in b.poses:
            found.append(Difference(a.time, f"only one has {body} standing free", np.inf))
        elif (off := float(np.abs(a.poses[body].matrix - b.poses[body].matrix).max())) > tolerance:
            found.append(Difference(a.time, f"the pose of {body}", off))
    if dict(a.signals) != dict(b.signals):
        found.append(Difference(a.time, "the signals at the start", np.inf))
    return found


def _joints(one: Recording, other: Recording, tolerance: float) -> list[Difference]:
    end = min(one.end, other.end)
    times = np.unique(np.concatenate([one.times, other.times, [end]]))
    times = times[times <= end]
    found = []
    for robot in sorted(set(one.start.joints) & set(other.start.joints)):
        if one.start.joints[robot].shape != other.start.joints[robot].shape:
            found.append(Difference(one.start.time, f"the number of joints of {robot}", np.inf))
            continue
        rows = []
        for recording in (one, other):
            known, values = recording.column(robot)
            rows.append(np.column_stack([np.interp(times, known, column) for column in values.T]))
        off = np.abs(rows[0] - rows[1])
        over = off > tolerance
        if not over.any():
            continue
        row = int(over.any(axis=1).argmax())
        joint = int(off[row].argmax())
        when = float(times[row])
        if row > 0:
            before, after = off[row - 1, joint], off[row, joint]
            when = float(times[row - 1] + (times[row] - times[row - 1]) * (tolerance - before) / (after - before))
        found.append(Difference(when, f"joint {joint + 1} of {robot}", float(off[row, joint]), " rad or m"))
    return found


def _ways(one: Recording, other: Recording, tolerance: float) -> list[Difference]:
    """Solids that move on their own, at the samples of both."""
    found = []
    for body in sorted(set(one.solids) | set(other.solids)):
        columns = [recording.solid(body) for recording in (one, other) if body in recording.solids]
        if len(columns) == 1:
            found.append(Difference(columns[0].spans[0][0], f"only in one of them {body} moves on its own", np.inf))
            continue
        before, known = -np.inf, 0.0
        for time in np.union1d(columns[0].samples.times, columns[1].samples.times).tolist():
            covered = [column.covers(time) for column in columns]
            off = float(np.abs(columns[0].at(time) - columns[1].at(time)).max()) if all(covered) else 0.0
            if all(covered) and off > tolerance:
                share = (tolerance - known) / (off - known) if np.isfinite(before) else 1.0
                when = before + (time - before) * share if np.isfinite(before) else time
                found.append(Difference(when, f"the way of {body}", off))
                break
            if any(covered) and not all(covered):
                found.append(Difference(time, f"only in one of them {body} moves on its own", np.inf))
                break
            before, known = time, off
    return found


def _changes(one: Recording, other: Recording, tolerance: float) -> list[Difference]:
    a, b = one.changes, other.changes
    for first, second in zip(a, b, strict=False):
        size = _apart(first, second)
        if size > tolerance:
            return [Difference(min(first.time, second.time), _what(first), size)]
    if len(a) != len(b):
        longer = a if len(a) > len(b) else b
        extra = longer[min(len(a), len(b))]
        return [Difference(extra.time, f"only in one of them: {_what(extra)}", np.inf)]
    return []


def _apart(first: Change, second: Change) -> float:
    """How different two changes are; infinite when they are not about the same."""
    if type(first) is not type(second) or _subject(first) != _subject(second):
        return np.inf
    later = abs(first.time - second.time)
    if isinstance(first, Signalled) and isinstance(second, Signalled):
        return max(later, abs(first.value - second.value))
    assert isinstance(first, Attached | Placed)
    assert isinstance(second, Attached | Placed)
    return max(later, float(np.abs(np.subtract(first.pose, second.pose)).max()))


def _subject(change: Change) -> tuple[str, str]:
    if isinstance(change, Signalled):
        return change.signal, ""
    return change.body, change.frame if isinstance(change, Attached) else ""


def _what(change: Change) -> str:
    if isinstance(change, Signalled):
        return f"signal {change.signal}"
    return f"{change.body} goes with {change.frame}" if isinstance(change, Attached) else f"{change.body} is put down"
