"""A recording in stretches between changes of carriers, for collision tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused
from workcell.simulation.recording import Recording
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel


@dataclass(frozen=True)
class Stretch:
    """The recording between two changes of carriers, including the sample at each of them.

    Attributes:
        times: the times of the samples (N,) [s].
        joints: joint values (N, n) of the robots that moved.
        state: where everything else is, and what carries what.
        states: the whole states if solids moved on their own, else the joint values.
        movers: the robots and solids that moved at any time of the recording.
    """

    times: NDArray[np.float64]
    joints: dict[str, NDArray[np.float64]]
    state: CellState
    states: dict[str, NDArray[np.float64]] | list[CellState]
    movers: tuple[str, ...]

    def model(self, model: CollisionModel) -> CollisionModel:
        """Return the bodies and pairs of the stretch: a part may touch what it rested on, leaves and reaches."""
        from workcell.collision.supports import supported

        movers = [name for name in self.movers if name not in self.state.attached]
        return supported(model, self.at(0), movers, self.at(-1))

    def at(self, row: int) -> CellState:
        """Return the whole state at a sample."""
        if isinstance(self.states, list):
            return self.states[row]
        rows = {name: values[row] for name, values in self.joints.items()}
        return self.state.with_(joints={**self.state.joints, **rows})


def stretches(recording: Recording, times: NDArray[np.float64] | None = None) -> list[Stretch]:
    """Return the recording, cut where carriers changed: at its frames, or at other times (N,) [s] in order."""
    times = recording.times if times is None else times
    if not recording.robots and not recording.solids:
        raise Refused("Nothing has moved since the recording began, so there is nothing to test; move a robot.")
    changes = recording.changes
    counts = recording.changed_by(times)
    movers = (*recording.robots, *recording.solids)
    found = []
    for count in np.unique(counts):
        # The sample at a change also belongs to the stretch before it.
        last = changes[count].time if count < len(changes) else np.inf
        rows = times[(counts == count) | ((times == last) & (counts > count))]
        joints = recording.joints_at(rows)
        held = recording.held(int(count))
        state = held.with_(joints={**recording.start.joints, **held.joints})
        states: dict[str, NDArray[np.float64]] | list[CellState] = joints
        if recording.solids:
            coming = rows == last
            states = [_whole(recording, state, joints, k, float(rows[k]), bool(coming[k])) for k in range(len(rows))]
        found.append(Stretch(rows, joints, state, states, movers))
    return found


def _whole(
    recording: Recording, state: CellState, joints: dict[str, NDArray[np.float64]], row: int, time: float, coming: bool
) -> CellState:
    """Return the whole state at a sample; with ``coming``, just before the instant, without the changes at it."""
    gliding = recording.poses_at(time, coming=coming)
    poses = {body: pose for body, pose in gliding.items() if body not in state.attached}
    now = {name: values[row] for name, values in joints.items()}
    return state.with_(time=time, joints={**state.joints, **now}, poses={**state.poses, **poses})
