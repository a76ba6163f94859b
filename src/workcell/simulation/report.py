"""Reports a run: every move with its duration, limit, travel, speeds and way of the hand; the totals of every robot."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Cancelled
from workcell.motion.pose_motion import PoseMotion
from workcell.simulation.cycle import Cycle, cycles
from workcell.simulation.fault_spans import FaultUse, fault_uses
from workcell.simulation.happenings import Move
from workcell.simulation.loading import LoadNote, load_notes
from workcell.simulation.pieces import Exact, Piece
from workcell.simulation.recording import Recording
from workcell.simulation.way import Way
from workcell.simulation.zone_stays import ZoneUse, zone_uses
from workcell.world.machine_places import is_arm
from workcell.world.places import WORLD
from workcell.world.snapshot import Snapshot

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.world.state import CellState

Array = NDArray[np.float64]
_LOOKS = 25
"""At how many samples of a move the distance to a singularity is tested first; then at all around the least."""


@dataclass(frozen=True)
class MoveReport:
    """One move.

    Attributes:
        move: the device, the times, the kind, and what limited it.
        travel: how far each joint went (n,) [rad or m].
        peak_speed: the greatest speed of each joint (n,) [rad/s or m/s], exact.
        hand_path: the length of the hand's way [m].
        singularity: the least singular value of the Jacobian, lengths in reaches: 0 in a singularity; NaN for what has
            no hand, such as a rail.
        clearance: the least distance to what moved [m], at the recorded samples; None if not requested.
        nearest: the pair that came nearest, and when [s]; None if not requested or nothing is near.
        own: the least distance between the links of the robot itself [m]; None if not requested or none are tested.
    """

    move: Move
    travel: Array
    peak_speed: Array
    hand_path: float
    singularity: float
    clearance: float | None = None
    nearest: tuple[tuple[str, str], float] | None = None
    own: float | None = None


@dataclass(frozen=True)
class RobotReport:
    """One robot over the whole run.

    Attributes:
        robot: its name.
        moves: the number of moves.
        busy: the time during which it moved [s].
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
    """A run: its cycle time [s], its moves, its robots, what they carried, the zones they shared, and the faults.

    ``cycles`` is where the time of each robot went.
    """

    cycle_time: float
    moves: tuple[MoveReport, ...]
    robots: tuple[RobotReport, ...]
    loads: tuple[LoadNote, ...] = ()
    zones: tuple[ZoneUse, ...] = ()
    faults: tuple[FaultUse, ...] = ()
    cycles: tuple[Cycle, ...] = ()


def report(
    snapshot: Snapshot,
    recording: Recording,
    model: CollisionModel | None = None,
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> Report:
    """Return the report of every move, robot and solid of a recording, in the order in which moves began.

    Args:
        snapshot: what exists.
        recording: what happened.
        model: the bodies and pairs whose least clearance is wanted; by default, none.
        progress: called with the fraction done and a label.
        cancel: set to stop.
    """
    order = sorted(recording.moves, key=lambda move: (move.start, move.end))
    robots_known = {move.device for move in order} & set(recording.start.joints)
    ways = {robot: recording.way(robot) for robot in robots_known}
    made: list[MoveReport] = []
    for number, move in enumerate(order):
        if cancel is not None and cancel.is_set():
            raise Cancelled("The report was cancelled.")
        one = _move(snapshot, recording, ways[move.device], move) if move.device in ways else _glide(recording, move)
        if model is not None:
            if progress is not None:
                progress(number / len(order), f"clearance of move {number + 1} of {len(order)}")
            looks = _looks(model, recording, move)
            distance, nearest = _clearance(looks, recording, move, cancel, own=False)
            among = _clearance(looks, recording, move, cancel, own=True)[0]
            one = dataclasses.replace(
                one, clearance=distance, nearest=nearest, own=among if np.isfinite(among) else None
            )
        made.append(one)
    moves = tuple(made)
    robots = []
    for robot in sorted(ways):
        own = [one for one in moves if one.move.device == robot]
        robots.append(
            RobotReport(
                robot,
                len(own),
                sum(one.move.duration for one in own),
                np.sum([one.travel for one in own], axis=0),
                sum(one.hand_path for one in own),
            )
        )
    first, last = recording.clock(np.array([recording.start.time, recording.end]))
    events = recording.events
    return Report(
        float(last - first), moves, tuple(robots), tuple(load_notes(events)), zone_uses(events, recording.end),
        fault_uses(events, recording.end), cycles(snapshot, recording),
    )  # fmt: skip


def _move(snapshot: Snapshot, recording: Recording, way: Way, move: Move) -> MoveReport:
    from workcell.kinematics.singularity import singularities

    placed = snapshot.robot(move.device)
    pieces = [_within(piece, move) for piece in way.between(move.start, move.end)]
    if not pieces:
        n = placed.robot.n
        return MoveReport(move, np.zeros(n), np.zeros(n), 0.0, np.nan)
    # Without a jump exactly at its start or end, which is not part of the move.
    times = np.concatenate([[pieces[0].begin], *(piece.times for piece in pieces)])
    rows = np.vstack([pieces[0].first, *(piece.at(piece.times) for piece in pieces)])
    if placed.parent == WORLD:
        hands = placed.robot.fk_batch(np.ascontiguousarray(rows))[:, :3, 3]
    else:
        states = [recording.state_at(float(time)) for time in times]
        here = [state.with_joints(move.device, row) for state, row in zip(states, rows, strict=True)]
        hands = np.array([snapshot.tool_pose(state, move.device).xyz for state in here])
    length = float(np.linalg.norm(np.diff(hands, axis=0), axis=1).sum())
    travel = np.sum([_travel(piece) for piece in pieces], axis=0)
    if not is_arm(placed.robot):  # a device without a hand has no singularity
        return MoveReport(move, travel, np.array(move.peaks), length, np.nan)
    places = np.unique(np.linspace(0, len(rows) - 1, _LOOKS).astype(int))
    looks = [singularities(placed.robot.chain, rows[place])[-1].distance for place in places]
    least = int(np.argmin(looks))
    about = range(places[max(least - 1, 0)], places[min(least + 1, len(places) - 1)] + 1)
    near = min(singularities(placed.robot.chain, rows[place])[-1].distance for place in about)
    return MoveReport(move, travel, np.array(move.peaks), length, float(near))


def _within(piece: Piece, move: Move) -> Piece:
    """Return the part of a piece that belongs to a move; the samples of an older recording hold many moves."""
    if piece.begin < move.start - 1e-12:
        piece = piece.from_(move.start, piece.one(move.start))
    return piece.cut(move.end) if piece.end > move.end + 1e-12 else piece


def _travel(piece: Piece) -> Array:
    """Return the travel of each joint, back and forth both counted (n,); exact for one turn between two frames."""
    edges = np.concatenate([[piece.begin], piece.times])
    rows = np.vstack([piece.first, piece.at(piece.times)])
    straight = np.abs(np.diff(rows, axis=0))
    if not isinstance(piece, Exact):
        return np.asarray(straight.sum(axis=0))
    assert not isinstance(piece.motion, PoseMotion)
    low, high = piece.motion.ranges(edges[:-1] - piece.since, edges[1:] - piece.since)
    return np.asarray(np.maximum(2.0 * (high - low) - straight, straight).sum(axis=0))


def _glide(recording: Recording, move: Move) -> MoveReport:
    """Return the report of a solid that moved on its own: the length of its way."""
    times, rows = recording.way(move.device).samples()
    inside = (times >= move.start) & (times <= move.end)
    places = rows[inside].reshape(-1, 3, 4)[:, :, 3]
    way = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
    return MoveReport(move, np.zeros(0), np.zeros(0), way, np.nan)


@dataclass(frozen=True)
class _Look:
    """Samples of a move between changes of carriers, and the bodies and pairs to test."""

    model: CollisionModel
    times: Array
    states: dict[str, Array] | list[CellState]
    state: CellState


def _looks(model: CollisionModel, recording: Recording, move: Move) -> list[_Look]:
    """Return the samples of everything that moved during a move."""
    from workcell.collision.supports import going

    known = recording.times
    times = known[(known >= move.start) & (known < move.end)]
    times = np.unique(np.concatenate([[move.start], times]))
    gliding = any(recording.way(body).between(move.start, move.end) for body in recording.solids)
    counts = recording.changed_by(times)
    movers = (*recording.robots, *recording.solids)
    looks = []

    def add(mine: Array, states: dict[str, Array] | list[CellState], state: CellState) -> None:
        # What is at rest throughout does not approach anything.
        asked = model.asking(model.pairs, going(model, state, movers))
        looks.append(_Look(asked, mine, states, state))

    for count in np.unique(counts):
        mine, state = times[counts == count], recording.held(int(count))
        whole = [recording.state_at(float(time)) for time in mine] if gliding else recording.joints_at(mine)
        add(mine, whole, state)
    if move.end > move.start:
        # What is gripped or released at its end comes after it.
        last = recording.state_before(move.end)
        add(np.array([move.end]), [last], last)
    return looks


def _clearance(
    looks: list[_Look], recording: Recording, move: Move, cancel: threading.Event | None, own: bool
) -> tuple[float, tuple[tuple[str, str], float] | None]:
    """Return the least distance while something moved: between a robot's own links, or to everything else."""
    from workcell.collision.batch_clearance import clearance_batch

    best, nearest = np.inf, None
    robot = move.device if move.device in recording.start.joints else None
    for look in looks:
        if cancel is not None and cancel.is_set():
            raise Cancelled("The report was cancelled.")
        if best <= 0.0:
            break
        found = clearance_batch(look.model, look.states, look.state, robot=robot, own=own, within=best, only_least=True)
        row = found.least
        if row is not None and found.distances[row] < best:
            pair = found.pair(row)
            assert pair is not None
            best, nearest = float(found.distances[row]), (pair, float(look.times[row]))
    return best, nearest
