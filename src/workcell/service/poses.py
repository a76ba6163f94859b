"""Poses of bodies for the wire: seven numbers each, along a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.cost import POSES
from workcell.errors import InvalidValue
from workcell.service.protocol import MAX_SAMPLES
from workcell.simulation.playback import body_poses
from workcell.spatial import quaternions

if TYPE_CHECKING:
    from workcell.simulation.recording import Recording
    from workcell.world.snapshot import Snapshot


def seven(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """X y z [m] and the quaternion w x y z (w ≥ 0) of each matrix [..., 4, 4]."""
    return np.concatenate([matrices[..., :3, 3], quaternions.of_rotations(matrices[..., :3, :3])], axis=-1)


def along(
    snapshot: Snapshot,
    recording: Recording,
    start: float,
    step: float,
    count: int,
    *,
    bodies: Sequence[int] = (),
) -> NDArray[np.float32]:
    """Body poses [count, bodies, 7] at ``start + i·step`` [s], held at the ends of the recording."""
    known = len(snapshot.bodies)
    wrong = [place for place in bodies if not 0 <= place < known]
    if wrong:
        raise InvalidValue(f"The scene has bodies 0 to {known - 1}; {wrong[0]} is not one of them.")
    if len(set(bodies)) < len(bodies):
        twice = next(place for number, place in enumerate(bodies) if place in bodies[:number])
        raise InvalidValue(f"Body {twice} is asked for more than once; name each body once.")
    times = sample_times(recording, start, step, count)
    POSES.check(count * known, f"{count} samples of {known} bodies")
    matrices = body_poses(snapshot, recording, times)
    return seven(matrices[:, list(bodies)] if bodies else matrices).astype(np.float32)


def joints_along(
    snapshot: Snapshot, recording: Recording, start: float, step: float, count: int
) -> NDArray[np.float32]:
    """Joint values [count, columns] of every robot, one after the other, at the same times as :func:`along`."""
    times = sample_times(recording, start, step, count)
    moved = recording.joints_at(times)
    columns = [
        moved[placed.name] if placed.name in moved else np.tile(recording.start.joints[placed.name], (count, 1))
        for placed in snapshot.robots
    ]
    return np.hstack([np.empty((count, 0)), *columns]).astype(np.float32)


def sample_times(recording: Recording, start: float, step: float, count: int) -> NDArray[np.float64]:
    """The times ``start + i·step`` [s], held at the ends of the recording."""
    if not (np.isfinite(start) and np.isfinite(step) and step > 0.0):
        raise InvalidValue(f"Poses need a finite start and a positive step [s]; got {start} and {step}.")
    if not 1 <= count <= MAX_SAMPLES:
        raise InvalidValue(f"Poses can be asked for 1 to {MAX_SAMPLES} samples at once, not {count}.")
    with np.errstate(over="ignore"):  # what overflows is after the end
        times = start + step * np.arange(count)
    return np.clip(times, recording.start.time, recording.end)
