"""Body poses along a recording, for pictures, pages and exports."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workcell.simulation.recording import Recording
from workcell.world.snapshot import Snapshot


def body_poses(snapshot: Snapshot, recording: Recording, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``X_world_body`` at any times of the recording (N, B, 4, 4); times outside are held at the ends."""
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


def poses_of(
    snapshot: Snapshot, recording: Recording, times: NDArray[np.float64], names: Sequence[str]
) -> NDArray[np.float64]:
    """Return ``X_world_body`` of some bodies at any times of the recording (N, names, 4, 4); see :func:`body_poses`."""
    at = np.clip(times, recording.start.time, recording.end)
    joints, counts = recording.joints_at(at), recording.changed_by(at)
    out = np.empty((len(at), len(names), 4, 4))
    for count in np.unique(counts):
        mine = np.flatnonzero(counts == count)
        chosen = {robot: rows[mine] for robot, rows in joints.items()}
        out[mine] = snapshot.poses_of(names, chosen, recording.held(int(count)), len(mine))
    gliding = [recording.way(body) for body in recording.solids]
    for row, time in enumerate(at):
        if any(way.piece_at(float(time)) is not None for way in gliding):
            state = recording.state_at(float(time))
            out[row] = snapshot.poses_of(names, {name: q[None] for name, q in state.joints.items()}, state, 1)[0]
    return out
