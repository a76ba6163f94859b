"""Body poses along a recording, for pictures, pages and exports."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell.simulation.recording import Recording
from workcell.world.snapshot import Snapshot


def body_poses(snapshot: Snapshot, recording: Recording, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """``X_world_body`` at any times of the recording (N, B, 4, 4); times outside are held at the ends."""
    at = np.clip(times, recording.start.time, recording.end)
    joints = recording.joints_at(at)
    if not joints:
        still = snapshot.body_poses(recording.start)
        return np.broadcast_to(still, (len(at), *still.shape)).copy()
    return snapshot.body_poses_batch(joints, recording.start)
