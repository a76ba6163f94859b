"""Values over time from a recording, at any times: joints and their derivatives, the speed of the hand, clearance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.simulation.recording import Recording
from workcell.simulation.stretches import stretches

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.world.snapshot import Snapshot

Array = NDArray[np.float64]
_STEP = 1e-5
"""The time over which the way of the hand is measured for its speed [s]."""


def joint_series(recording: Recording, robot: str, times: Array, order: int = 0) -> Array:
    """Return the joints of a robot (N, n) or a derivative by time, from the formulas of its motion.

    Where two motions meet, it is that of the later one; while nothing moves, derivatives are zero.
    """
    way = recording.way(robot)
    if order == 0:
        return way.at(times)
    out = np.zeros((len(times), way.at(times[:1]).shape[1]))
    for piece in way.pieces:
        mine = (times >= piece.begin) & (times < piece.end)
        if mine.any() and not piece.jumps:
            out[mine] = piece.window(piece.begin, piece.end).sample(times[mine] - piece.begin, order)
    return out


def tool_speeds(snapshot: Snapshot, recording: Recording, robot: str, times: Array) -> Array:
    """Return the speed of the tool of a robot in the world (N,) [m/s], with what carries the robot."""
    begins = np.clip(times - _STEP, recording.start.time, recording.end)
    ends = np.clip(times + _STEP, recording.start.time, recording.end)
    way = [
        snapshot.tool_pose(recording.state_at(float(end)), robot).xyz
        - snapshot.tool_pose(recording.state_at(float(begin)), robot).xyz
        for begin, end in zip(begins, ends, strict=True)
    ]
    return np.asarray(np.linalg.norm(np.array(way), axis=1) / np.maximum(ends - begins, _STEP))


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
