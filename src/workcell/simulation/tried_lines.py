"""What searches for paths tried, as faint lines for pictures: where the hand would have gone."""

from __future__ import annotations

import numpy as np

from workcell.pictures.scene import Line, Scene
from workcell.simulation.events import PathTried
from workcell.simulation.recording import Recording

_FAINT = (0.72, 0.76, 0.82)
_WIDTH = 1.0


def tried_lines(recording: Recording, time: float) -> Scene:
    """Return the attempts of the last search of each robot up to a time [s], as a scene of faint lines.

    Attempts are recorded where a search was asked to display them. They are shown until the robot searches again.
    """
    last: dict[str, list[PathTried]] = {}
    for event in recording.events:
        if isinstance(event, PathTried) and event.time <= time:
            kept = last.setdefault(event.robot, [])
            if kept and kept[-1].time != event.time:
                kept.clear()
            kept.append(event)
    ends = [np.reshape(line, (2, 3)) for tries in last.values() for one in tries for line in one.lines]
    return Scene(lines=tuple(Line(points, _FAINT, _WIDTH) for points in ends if np.ptp(points, axis=0).max() > 1e-6))
