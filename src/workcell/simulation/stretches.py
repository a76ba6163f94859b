"""What was recorded, in stretches between changes of who carries what, for questions of collision."""

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
    """What was recorded between two changes of who carries what, the sample at each of them included.

    Attributes:
        times: of the samples (N,) [s].
        joints: joint values (N, n) of the robots that moved.
        state: where everything else is, and who carries what.
        states: the whole states where solids moved on their own, else the joint values.
        movers: the robots and solids that moved at any time of the recording.
    """

    times: NDArray[np.float64]
    joints: dict[str, NDArray[np.float64]]
    state: CellState
    states: dict[str, NDArray[np.float64]] | list[CellState]
    movers: tuple[str, ...]

    def model(self, model: CollisionModel) -> CollisionModel:
        """The bodies and pairs of the stretch: what rested may rest, what was carried may leave and arrive."""
        from workcell.collision.supports import supported

        movers = [name for name in self.movers if name not in self.state.attached]
        return supported(model, self.at(0), movers, self.at(-1))

    def at(self, row: int) -> CellState:
        """The whole state at a sample."""
        if isinstance(self.states, list):
            return self.states[row]
        rows = {name: values[row] for name, values in self.joints.items()}
        return self.state.with_(joints={**self.state.joints, **rows})


def stretches(recording: Recording) -> list[Stretch]:
    """What was recorded, cut where it changed who carries what."""
    times = recording.times
    if not recording.robots and not recording.solids:
        raise Refused("Nothing has moved since the recording began, so there is nothing to look along; move a robot.")
    changes = recording.changes
    counts = recording.changed_by(times)
    movers = (*recording.robots, *recording.solids)
    found = []
    for count in np.unique(counts):
        # The sample at a change belongs to what was before it as well.
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
    """The whole state at a sample; ``coming``: as the instant is come to, without what changes then."""
    gliding = recording.poses_at(time, coming=coming)
    poses = {body: pose for body, pose in gliding.items() if body not in state.attached}
    now = {name: values[row] for name, values in joints.items()}
    return state.with_(time=time, joints={**state.joints, **now}, poses={**state.poses, **poses})
