"""Keyframes of a recording: as few as possible, so that straight motion between them stays within bounds.

The page moves every body straight and turns it evenly from one keyframe to the next; joint values are interpolated.
There are keyframes where a motion begins or ends, and on both sides of every jump, so corners are never cut. Between
these, the exact motion is checked at three instants of each interval. If one is out of bounds, the middle becomes a
keyframe, and both halves are checked again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.simulation.happenings import Attached, Placed, Signalled
from workcell.simulation.playback import poses_of
from workcell.spatial.quaternions import seven

if TYPE_CHECKING:
    from workcell.simulation.recording import Recording
    from workcell.world.snapshot import Snapshot

POSITION = 2e-4
"""The largest error of a position [m]."""
TURN = 1e-3
"""The largest error of an orientation [rad]."""
JOINT = 2e-4
"""The largest error of a joint value [rad or m]."""
LONGEST = 0.25
"""The longest interval that is checked at three instants [s]."""
SHORTEST = 5e-4
"""Shorter intervals are not divided [s]; such fast motion is a blur on any screen."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Keyframes:
    """Times (N,) [s], poses (N, bodies, 7) and joint values (N, columns) of some bodies and robots."""

    times: Array
    poses: Array
    joints: Array


def keyframes(
    snapshot: Snapshot,
    recording: Recording,
    start: float,
    end: float,
    bodies: Sequence[str] = (),
    robots: Sequence[str] = (),
) -> Keyframes:
    """Return the keyframes of a recording from one instant to another [s]."""

    def at(times: Array) -> Keyframes:
        poses = seven(poses_of(snapshot, recording, times, bodies)) if bodies else np.empty((len(times), 0, 7))
        moved = recording.joints_at(times)
        columns = [
            moved[name] if name in moved else np.tile(recording.start.joints[name], (len(times), 1)) for name in robots
        ]
        return Keyframes(times, poses, np.hstack([np.empty((len(times), 0)), *columns]))

    whole = at(knots(recording, start, end))
    fresh = np.flatnonzero(np.diff(whole.times) > SHORTEST)
    while len(fresh):
        first, span = whole.times[fresh], np.diff(whole.times)[fresh]
        inside = at((first[:, None] + span[:, None] * np.array([0.25, 0.5, 0.75])).ravel())
        bad: NDArray[np.bool_] = out_of_bounds(_between(whole, fresh, 3), inside).reshape(-1, 3).max(axis=1)
        if not bad.any():
            break
        chosen = (bad[:, None] & np.array([False, True, False])).ravel()
        before = len(whole.times)
        whole, order = _joined(whole, inside, chosen)
        # An interval is checked again if one of its ends is new.
        new = order >= before
        spans = np.diff(whole.times) > SHORTEST
        fresh = np.flatnonzero(spans & (new[:-1] | new[1:]))
    return whole


def knots(recording: Recording, start: float, end: float) -> Array:
    """Return the times of the necessary keyframes (N,) [s]: the ends, and where a motion begins, ends or jumps."""
    low = max(start, recording.start.time)
    high = max(low, min(end, recording.end))
    moments = [
        one.time
        for one in recording.changes
        if not isinstance(one, Signalled) or one.signal.endswith("/opening")  # other signals move nothing
    ]
    for device in (*recording.robots, *recording.solids):
        pieces = recording.way(device).pieces
        first = max(0, bisect_right(pieces, low, key=lambda piece: piece.begin) - 1)
        last = bisect_right(pieces, high, key=lambda piece: piece.begin)
        moments += [moment for piece in pieces[first:last] for moment in (piece.begin, piece.end)]
    corners = np.array(moments)
    found = [np.array([low, high]), corners, np.nextafter(corners, -np.inf)]
    times = np.unique(np.concatenate(found))
    times = times[(times >= low) & (times <= high)]
    parts = [
        np.linspace(a, b, int(np.ceil((b - a) / LONGEST)), endpoint=False) if b - a > LONGEST else np.array([a])
        for a, b in pairwise(times)
    ]
    return np.concatenate([*parts, times[-1:]])


def out_of_bounds(drawn: Keyframes, true: Keyframes) -> NDArray[np.bool_]:
    """Return for each instant (N,) whether something is drawn too far from where it is."""
    away, turned, joint = apart(drawn, true)
    return np.asarray((away > POSITION) | (turned > TURN) | (joint > JOINT))


def apart(drawn: Keyframes, true: Keyframes) -> tuple[Array, Array, Array]:
    """Return for each instant (N,) the errors of positions [m], orientations [rad] and joint values [rad or m]."""
    away = np.linalg.norm(drawn.poses[..., :3] - true.poses[..., :3], axis=-1).max(axis=1, initial=0.0)
    same = np.abs(np.einsum("...i,...i", drawn.poses[..., 3:], true.poses[..., 3:])).clip(0.0, 1.0)
    turned = (2.0 * np.arccos(same)).max(axis=1, initial=0.0)
    return away, turned, np.abs(drawn.joints - true.joints).max(axis=1, initial=0.0)


def drawn_at(frames: Keyframes, times: Array) -> Keyframes:
    """Return what the page draws at some times (N,), clamped to the ends, by its law of interpolation."""
    place = np.clip(np.searchsorted(frames.times, times, side="right") - 1, 0, max(0, len(frames.times) - 2))
    after = np.minimum(place + 1, len(frames.times) - 1)
    span = frames.times[after] - frames.times[place]
    weight = np.clip(np.divide(times - frames.times[place], span, out=np.zeros(len(times)), where=span > 0), 0.0, 1.0)
    return _mixed(frames, place, after, weight, times)


def _between(frames: Keyframes, places: NDArray[np.int64], parts: int) -> Keyframes:
    place, weight = np.repeat(places, parts), np.tile(np.arange(1, parts + 1) / (parts + 1), len(places))
    return _mixed(frames, place, place + 1, weight, np.empty(0))


def _mixed(
    frames: Keyframes, place: NDArray[np.int64], after: NDArray[np.int64], weight: Array, times: Array
) -> Keyframes:
    a, b, w = frames.poses[place], frames.poses[after], weight[:, None, None]
    straight = a[..., :3] + w * (b[..., :3] - a[..., :3])
    sign = np.where(np.einsum("...i,...i", a[..., 3:], b[..., 3:]) < 0.0, -1.0, 1.0)[..., None]
    turn = (1.0 - w) * a[..., 3:] + w * sign * b[..., 3:]
    norm = np.linalg.norm(turn, axis=-1, keepdims=True)
    poses = np.concatenate([straight, turn / np.where(norm > 0.0, norm, 1.0)], axis=-1)
    joints = frames.joints[place] + weight[:, None] * (frames.joints[after] - frames.joints[place])
    return Keyframes(times, poses, joints)


def _joined(frames: Keyframes, more: Keyframes, chosen: NDArray[np.bool_]) -> tuple[Keyframes, NDArray[np.int64]]:
    times = np.concatenate([frames.times, more.times[chosen]])
    order = np.argsort(times, kind="stable")
    poses = np.concatenate([frames.poses, more.poses[chosen]])[order]
    joints = np.concatenate([frames.joints, more.joints[chosen]])[order]
    return Keyframes(times[order], poses, joints), order


def moving_bodies(recording: Recording) -> set[str]:
    """Return the bodies that a recording places by name, and the solids that move by themselves."""
    placed = {one.body for one in recording.changes if isinstance(one, Attached | Placed)}
    return placed | set(recording.solids)
