"""The volume that a robot sweeps in a part of a recording."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from workcell.errors import InvalidValue, Refused
from workcell.simulation.proving import edges_of, motions_between, standing
from workcell.simulation.recording import Recording

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.swept import SweptVolume


def swept_run(
    recording: Recording,
    model: CollisionModel,
    robot: str,
    span: tuple[float, float],
    tolerance: float,
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> SweptVolume:
    """Return the volume that a robot, and what it carries, sweeps between two instants of a recording.

    Args:
        recording: what happened, with a formula for every motion.
        model: the bodies.
        robot: the robot or mechanism.
        span: from and to [s].
        tolerance: how far the volume may fall short of the true one [m].
        progress: called with the fraction done and a label.
        cancel: set to stop.
    """
    from workcell.collision.swept import Leg, swept_along

    begin, end = span
    if not recording.start.time <= begin < end <= recording.end + 1e-9:
        raise InvalidValue(
            f"The recording runs from {recording.start.time:g} to {recording.end:g} s; "
            f"{begin:g} to {end:g} s is not a part of it."
        )
    if not recording.exact:
        raise Refused("The recording has no exact motions, so no bound on the volume can be given; run it again.")
    legs = []
    inner = [edge for edge in edges_of(recording) if begin < edge < end]
    for since, until in itertools.pairwise([begin, *inner, end]):
        motions = motions_between(recording, since, until)
        if motions:
            state = standing(recording.state_at(since), motions)
            held = [name for name, one in state.attached.items() if one.frame.partition("/")[0] == robot]
            legs.append(Leg(motions, state, (robot, *held)))
    return swept_along(model, legs, tolerance, progress, cancel)
