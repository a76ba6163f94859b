"""What a run took: every move with its duration, limit, travel, speeds and way of the hand; every robot in sum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.simulation.happenings import Move
from workcell.simulation.recording import Recording
from workcell.world.snapshot import WORLD, Snapshot

Array = NDArray[np.float64]
_LOOKS = 25
"""At how many places of a move the distance to a singularity is looked at."""


@dataclass(frozen=True)
class MoveReport:
    """One move.

    Attributes:
        move: who, when, how, and what limited it.
        travel: how far each joint went (n,) [rad or m].
        peak_speed: the greatest speed of each joint (n,) [rad/s or m/s], from the recorded samples.
        hand_path: the length of the hand's way [m].
        singularity: the least singular value of the Jacobian, lengths in reaches: 0 in a singularity.
    """

    move: Move
    travel: Array
    peak_speed: Array
    hand_path: float
    singularity: float


@dataclass(frozen=True)
class RobotReport:
    """One robot over the whole run.

    Attributes:
        robot: its name.
        moves: how many.
        busy: the time in which it moved [s].
        travel: how far each joint went (n,) [rad or m].
        hand_path: the length of the hand's way [m].
    """

    robot: str
    moves: int
    busy: float
    travel: Array
    hand_path: float


@dataclass(frozen=True)
class Report:
    """A run: its cycle time [s], its moves and its robots."""

    cycle_time: float
    moves: tuple[MoveReport, ...]
    robots: tuple[RobotReport, ...]


def report(snapshot: Snapshot, recording: Recording) -> Report:
    """What every move and every robot of a recording took."""
    columns = {robot: recording.column(robot) for robot in {move.robot for move in recording.moves}}
    moves = tuple(_move(snapshot, recording, columns[move.robot], move) for move in recording.moves)
    robots = []
    for robot in sorted(columns):
        own = [one for one in moves if one.move.robot == robot]
        robots.append(
            RobotReport(
                robot,
                len(own),
                sum(one.move.duration for one in own),
                np.sum([one.travel for one in own], axis=0),
                sum(one.hand_path for one in own),
            )
        )
    return Report(recording.duration, moves, tuple(robots))


def _move(snapshot: Snapshot, recording: Recording, column: tuple[Array, Array], move: Move) -> MoveReport:
    from workcell.kinematics.singularity import singularities

    placed = snapshot.robot(move.robot)
    known, values = column
    # A jump of `set joints` at the start is not part of the move: the last row at the start counts.
    first = int(np.searchsorted(known, move.start - 1e-12, side="left"))
    last = int(np.searchsorted(known, move.end + 1e-12, side="right"))
    times, rows = known[first:last], values[first:last]
    if len(times):
        begin = int(np.flatnonzero(times <= move.start + 1e-12)[-1]) if (times <= move.start + 1e-12).any() else 0
        times, rows = times[begin:], rows[begin:]
    n = placed.robot.n
    if len(times) < 2:
        return MoveReport(move, np.zeros(n), np.zeros(n), 0.0, np.nan)
    change, spans = np.abs(np.diff(rows, axis=0)), np.diff(times)
    moving = spans > 0.0
    peak = (change[moving] / spans[moving, None]).max(axis=0, initial=0.0)
    if placed.parent == WORLD:
        hands = placed.robot.fk_batch(np.ascontiguousarray(rows))[:, :3, 3]
    else:
        states = (recording.state_at(float(time)) for time in times)
        hands = np.array([snapshot.tool_pose(state, move.robot).xyz for state in states])
    way = float(np.linalg.norm(np.diff(hands, axis=0), axis=1).sum())
    places = np.unique(np.linspace(0, len(rows) - 1, _LOOKS).astype(int))
    near = min(singularities(placed.robot.chain, rows[place])[-1].distance for place in places)
    return MoveReport(move, change.sum(axis=0), peak, way, float(near))
