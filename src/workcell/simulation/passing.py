"""States of zero duration in a recording: a device was put somewhere and elsewhere again at one instant.

Such a state has no duration, so neither frames nor motions contain it. Other changes at the same instant may have come
before or after it. The recording does not hold their order, so both states are given.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator

from workcell.simulation.happenings import Placed
from workcell.simulation.recording import Recording
from workcell.world.state import CellState


def passed(recording: Recording) -> list[tuple[float, tuple[CellState, ...]]]:
    """Return the instants of states of zero duration [s], in order, each with the states as they may have been."""
    return sorted([*_jumps(recording), *_changes(recording)], key=lambda one: one[0])


def _jumps(recording: Recording) -> Iterator[tuple[float, tuple[CellState, ...]]]:
    """Yield joint values that a robot had only at an instant.

    It jumped to them, and jumped again or moved from others.
    """
    for robot in recording.robots:
        pieces = recording.way(robot).pieces
        for piece, later in itertools.pairwise(pieces):
            if piece.jumps and later.begin == piece.end and (later.jumps or (later.first != piece.last).any()):
                time, row = piece.end, piece.last
                both = (recording.state_before(time), recording.state_at(time))
                yield time, tuple(state.with_joints(robot, row) for state in both)


def _changes(recording: Recording) -> Iterator[tuple[float, tuple[CellState, ...]]]:
    """Yield places that a part had only at an instant: it was put there, and elsewhere later at the same instant."""
    changes = recording.changes
    times = [change.time for change in changes]
    for count, change in enumerate(changes, start=1):
        if not isinstance(change, Placed):
            continue
        later = changes[count : bisect_right(times, change.time)]
        if any(isinstance(one, Placed) and one.body == change.body and one.pose != change.pose for one in later):
            held, time = recording.held(count).with_(time=change.time), change.time
            both = (recording.state_before(time), recording.state_at(time))
            yield time, tuple(held.with_(joints=state.joints) for state in both)
