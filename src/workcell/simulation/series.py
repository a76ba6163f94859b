"""Values over time from a recording, at any times: joints and their derivatives, the speed of the hand, clearance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.motion.time_law import PacedMotion
from workcell.simulation.pieces import Piece, Sampled, polynomials
from workcell.simulation.recording import Recording
from workcell.simulation.stretches import stretches
from workcell.simulation.way import Way
from workcell.world.places import WORLD

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.world.snapshot import Snapshot

Array = NDArray[np.float64]
_STEP = 1e-6
"""The time over which the way of the hand is measured for its speed [s]."""


def joint_series(recording: Recording, robot: str, times: Array, order: int = 0) -> Array:
    """Return the joints of a robot (N, n) or a derivative by time, from the formulas of its motion.

    Where two motions meet, it is that of the later one; while nothing moves, derivatives are zero.
    """
    way = recording.way(robot)
    if order == 0:
        return way.at(times)
    out = np.zeros((len(times), way.at(times[:1]).shape[1]))
    ranks = np.argsort(times, kind="stable")
    rising = times[ranks]
    for piece in way.between(float(rising[0]), float(rising[-1]) + 1e-9):
        mine = ranks[np.searchsorted(rising, piece.begin) : np.searchsorted(rising, piece.end)]
        if len(mine):
            out[mine] = piece.window(piece.begin, piece.end).sample(times[mine] - piece.begin, order)
    return out


def tool_speeds(snapshot: Snapshot, recording: Recording, robot: str, times: Array) -> Array:
    """Return the speed of the tool of a robot in the world (N,) [m/s], with what carries the robot.

    Where two motions meet, it is that of the later one.
    """
    chain = carrying(snapshot, recording, robot)
    corners = np.append(changes(recording.way(name) for name in chain), recording.end)
    # The difference is forwards, but backwards if a formula changes within it.
    following = corners[np.minimum(np.searchsorted(corners, times, side="right"), len(corners) - 1)]
    forward = (following - times > _STEP) | (following <= times) & (times + _STEP <= recording.end)
    begins = np.where(forward, times, times - _STEP)
    way = _tips(snapshot, recording, robot, chain, begins + _STEP) - _tips(snapshot, recording, robot, chain, begins)
    return np.asarray(np.linalg.norm(way, axis=1) / _STEP)


def carrying(snapshot: Snapshot, recording: Recording, robot: str) -> list[str]:
    """Return the robot and what carries it, as far as it is in the recording."""
    chain, at = [robot], snapshot.robot(robot).parent
    while at != WORLD:
        chain.append(at)
        at = snapshot.robot(at).parent
    return [name for name in chain if name in recording.start.joints]


def changes(ways: Iterable[Way]) -> Array:
    """Return the instants at which the formula of a motion changes, in order (N,) [s]."""
    found = [_changes(piece) for way in ways for piece in way.pieces]
    return np.unique(np.concatenate(found)) if found else np.empty(0)


def _changes(piece: Piece) -> Array:
    if isinstance(piece, Sampled):
        return piece.column.times
    if isinstance(piece.motion, PacedMotion):
        law, path = piece.motion.law.curve, piece.motion.path
        fine = np.unique(np.concatenate([law.breaks, np.linspace(0.0, law.duration, 8 * len(law.breaks) + 9)]))
        own = np.concatenate([law.breaks, np.interp(path.breaks, law.sample(fine)[:, 0], fine)])
    else:
        own = polynomials(piece.motion)[0].breaks
    times = piece.since + own
    return np.concatenate([[piece.begin, piece.end], times[(times > piece.begin) & (times < piece.end)]])


def _tips(snapshot: Snapshot, recording: Recording, robot: str, chain: list[str], times: Array) -> Array:
    """Return the positions of the tool in the world (N, 3) [m]."""
    joints = {name: recording.way(name).at(times) for name in chain}
    bases = snapshot.base_poses(recording.start, robot, joints)
    return np.asarray((bases @ snapshot.robot(robot).robot.fk_batch(joints[robot]))[:, :3, 3])


def clearances(
    model: CollisionModel, recording: Recording, robot: str | None, times: Array
) -> tuple[Array, list[tuple[str, str] | None]]:
    """Return the distance to the nearest other body (N,) [m], infinite if there is none, and the pair.

    Links of one robot among themselves do not count, nor does a part against what it rests on, leaves or reaches.
    """
    from workcell.collision.batch_clearance import clearance_batch

    distances = np.full(len(times), np.inf)
    pairs: list[tuple[str, str] | None] = [None] * len(times)
    for stretch in stretches(recording, times):
        if not len(stretch.times):
            continue
        found = clearance_batch(stretch.model(model), stretch.states, stretch.state, robot=robot, own=False)
        rows = np.searchsorted(times, stretch.times)
        distances[rows] = found.distances
        for row, (a, b) in zip(rows, found.pairs, strict=True):
            pairs[row] = None if a < 0 else (found.names[a], found.names[b])
    return distances, pairs
