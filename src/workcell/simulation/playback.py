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
    counts = recording.changed_by(at)
    out = np.empty((len(at), len(snapshot.bodies), 4, 4))
    for count in np.unique(counts):
        mine = counts == count
        state = recording.held(int(count))
        if joints:
            out[mine] = snapshot.body_poses_batch({robot: rows[mine] for robot, rows in joints.items()}, state)
        else:
            out[mine] = snapshot.body_poses(state)
    for body in recording.solids:
        way = recording.way(body)
        for row in np.flatnonzero([way.piece_at(float(time)) is not None for time in at]):
            out[row] = snapshot.body_poses(recording.state_at(float(at[row])))
    return out
