"""Strokes: the straight motions of the tool from an approach to its target and back, proved free."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.collision.bodies import CollisionModel
from workcell.collision.proof import Proof
from workcell.errors import WorkcellError
from workcell.motion.curve import HandCurve
from workcell.motion.named_profiles import along
from workcell.motion.trajectory import Trajectory
from workcell.planning.hand_following import HandFollowing
from workcell.planning.transit import proved
from workcell.spatial.pose import Pose
from workcell.world.placed import PlacedRobot
from workcell.world.state import CellState

Array = NDArray[np.float64]

_ALIKE = 1e-5
"""A stroke ends in the expected configuration when its joint values are as near to it as this [rad or m]."""


@dataclass(frozen=True, eq=False)
class Stroke:
    """The straight motion to a target and the one back.

    Attributes:
        there: joint values over time, from the approach to the target.
        back: joint values over time, from the target to the approach.
        proofs: what was proved of the two; empty where nothing was asked.
    """

    there: Trajectory
    back: Trajectory
    proofs: tuple[Proof, ...]

    @property
    def duration(self) -> float:
        """How long both take [s]."""
        return self.there.duration + self.back.duration

    @property
    def free(self) -> bool:
        """Whether both are proved free."""
        return len(self.proofs) == 2 and all(proof.free for proof in self.proofs)

    @property
    def pair(self) -> tuple[str, str] | None:
        """The pair that touches, or that was not proved apart; None where both are free."""
        return next((proof.pair for proof in self.proofs if not proof.free), None)


def stroke_of(
    placed: PlacedRobot,
    X_base_world: Pose,
    approach: Array,
    work: Array,
    distance: float,
    model: CollisionModel | None = None,
    state: CellState | None = None,
    cancel: threading.Event | None = None,
) -> Stroke | None:
    """The stroke between two configurations, as the robot makes it; None where no straight motion leads there.

    Args:
        placed: the arm, with its profile and speed.
        X_base_world: the world in its base.
        approach: joint values at the approach (n,).
        work: joint values at the target (n,).
        distance: how far the target is from the approach, along the z axis of the tool [m].
        model: the bodies and the pair table; nothing is proved without one.
        state: where everything else is.
        cancel: set to stop.
    """
    following = HandFollowing(placed.robot, X_base_world)
    motions = []
    for start, end, way in ((approach, work, distance), (work, approach, -distance)):
        X_world_tool = Pose(following.forward(start[None])[0])
        try:
            found = following.along(HandCurve.line(X_world_tool, X_world_tool @ Pose.from_xyz(0.0, 0.0, way)), start)
            motion = along(placed.robot, found.path, placed.profile, placed.speed)
        except WorkcellError:
            return None
        if max(np.abs(motion.start - start).max(), np.abs(motion.end - end).max()) > _ALIKE:
            return None
        motions.append(motion)
    proofs = []
    if model is not None and state is not None:
        for motion in motions:
            proofs.append(proved(model, state, placed.name, motion, cancel))
            if not proofs[-1].free:
                break
    return Stroke(motions[0], motions[1], tuple(proofs))
