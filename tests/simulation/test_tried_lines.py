"""What a search tried is drawn faintly: as many lines as were recorded, until the robot searches again."""

from __future__ import annotations

import numpy as np

from workcell.simulation.events import PathTried
from workcell.simulation.recording import Recording
from workcell.simulation.tried_lines import tried_lines

EDGE = (0.0, 0.0, 0.0, 0.1, 0.2, 0.3)
POINT = (0.5, 0.5, 0.5, 0.5, 0.5, 0.5)


class Told:
    """A recording that has only events."""

    def __init__(self, *events: PathTried) -> None:
        self.events = events


def lines_at(time: float, *events: PathTried) -> list[np.ndarray]:
    recording: Recording = Told(*events)  # type: ignore[assignment]
    return [line.points for line in tried_lines(recording, time).lines]


def test_attempts_are_shown_from_when_they_were_made_until_the_robot_searches_again():
    first = PathTried(1.0, "A", "direct", "in the way"), PathTried(1.0, "A", "rrt-connect", "met", (EDGE, EDGE, POINT))
    other = PathTried(1.5, "B", "rrt-connect", "met", (EDGE,))
    again = PathTried(2.0, "A", "rrt-connect", "met", (EDGE,))
    every = (*first, other, again)
    assert len(lines_at(0.5, *every)) == 0
    assert len(lines_at(1.0, *every)) == 2, "an edge on which the hand stays in place is no line"
    assert len(lines_at(1.7, *every)) == 3
    assert len(lines_at(3.0, *every)) == 2
    assert np.array_equal(lines_at(1.0, *every)[0], np.reshape(EDGE, (2, 3)))
