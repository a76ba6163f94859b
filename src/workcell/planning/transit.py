"""Transits: motions between places of work, proved free, straight in joint space or around what is in the way."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workcell.collision.bodies import CollisionModel
from workcell.collision.certify import certify
from workcell.collision.proof import Proof
from workcell.collision.supports import supported
from workcell.motion.trajectory import Trajectory
from workcell.world.state import CellState

Array = NDArray[np.float64]

STRAIGHT, AROUND, UNPROVED = "straight", "around", "not proved"


@dataclass(frozen=True, eq=False)
class Transit:
    """A motion from one place of work to the next.

    Attributes:
        waypoints: joint values (K, n), the start first and the end last.
        motion: joint values over time.
        how: ``straight`` along the joint line, ``around`` something by a search, or ``not proved``.
        proof: what was proved of it; None where nothing was asked.
        seed: with which a search finds the path around something; 0 for other transits.
    """

    waypoints: Array
    motion: Trajectory
    how: str
    proof: Proof | None
    seed: int = 0

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.motion.duration

    @property
    def free(self) -> bool:
        """Whether it is proved free."""
        return self.proof is not None and self.proof.free


def backwards(transit: Transit) -> Transit:
    """The same way from its end to its start: as free, and as long."""
    return replace(transit, waypoints=transit.waypoints[::-1], motion=transit.motion.reversed())


def proved(
    model: CollisionModel,
    state: CellState,
    robot: str,
    motion: Trajectory,
    cancel: threading.Event | None = None,
) -> Proof:
    """What can be proved of a motion of one robot while everything else stands still.

    Args:
        model: the bodies and the pair table.
        state: where everything is, and who carries what.
        robot: the robot that moves.
        motion: its joint values over time, from wherever it starts.
        cancel: set to stop.
    """
    begin = state.with_joints(robot, motion.start)
    asked = supported(model, begin, [robot], state.with_joints(robot, motion.end))
    return certify(asked, {robot: motion}, begin, tightness=0.0, cancel=cancel)
