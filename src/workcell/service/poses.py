"""Poses of bodies for the wire: seven numbers each, along a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.cost import POSES
from workcell.errors import InvalidValue
from workcell.service.protocol import MAX_SAMPLES
from workcell.simulation.playback import poses_of
from workcell.spatial.quaternions import seven

if TYPE_CHECKING:
    from workcell.simulation.recording import Recording
    from workcell.world.snapshot import Snapshot


def along(
    snapshot: Snapshot,
    recording: Recording,
    start: float,
    step: float,
    count: int,
    *,
    bodies: Sequence[str] | None = None,
) -> NDArray[np.float32]:
    """Return poses [count, bodies, 7] at ``start + i·step`` [s], clamped to the recording; of some bodies or all."""
    names = [body.name for body in snapshot.bodies] if bodies is None else bodies
    if len(set(names)) < len(names):
        twice = next(name for number, name in enumerate(names) if name in names[:number])
        raise InvalidValue(f"Body {twice!r} is named twice; name each body once.")
    times = sample_times(recording, start, step, count)
    POSES.check(count * len(names), f"{count} samples of {len(names)} bodies")
    return seven(poses_of(snapshot, recording, times, names)).astype(np.float32)


def sample_times(recording: Recording, start: float, step: float, count: int) -> NDArray[np.float64]:
    """Return the times ``start + i·step`` [s], clamped to the recording."""
    if not (np.isfinite(start) and np.isfinite(step) and step > 0.0):
        raise InvalidValue(f"Poses need a finite start and a positive step [s]; found {start} and {step}.")
    if not 1 <= count <= MAX_SAMPLES:
        raise InvalidValue(f"A request for poses has 1 to {MAX_SAMPLES} samples; found {count}.")
    with np.errstate(over="ignore"):  # an overflow is after the end
        times = start + step * np.arange(count)
    return np.clip(times, recording.start.time, recording.end)
