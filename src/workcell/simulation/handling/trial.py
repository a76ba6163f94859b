"""A trial: grippers act at a state of the cell, to see what would happen; the cell and its simulator do not change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused
from workcell.simulation.attaching import detach
from workcell.simulation.event_text import text_of
from workcell.simulation.events import FALLS, Event, Hangs
from workcell.simulation.grasping import close
from workcell.simulation.handling.arm import Arm
from workcell.simulation.held import held_parts
from workcell.simulation.releasing import release
from workcell.simulation.simulator import Simulator
from workcell.world.gripper_names import gripper_signal
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Array = NDArray[np.float64]


def _trial(snapshot: Snapshot, state: CellState) -> Simulator:
    found = Simulator(snapshot, mode="path", state=state, faults=False)
    found.watch = None  # what happens is read from the events
    return found


def closed(arm: Arm, q: Array, part: str) -> CellState:
    """Return the state after a hand at joint values has closed on a part.

    Raises:
        WorkcellError: it does not hold the part; the message has the test that fails.
    """
    state = arm.state.with_joints(arm.name, q)
    trial = _trial(arm.snapshot, state)
    close(trial, arm.placed, trial.robot(arm.name).grip_pose, None, None, part)
    mine = held_parts(trial.state, arm.name, arm.snapshot)
    if mine != (part,):
        others = [one for one in mine if one != part]
        raise Refused(f"the hand would also take {' and '.join(others)}.", part=part, others=others)
    _require_no_fall(trial.recording.events)
    return trial.state


def _require_no_fall(events: Sequence[Event]) -> None:
    for event in events:
        if isinstance(event, (*FALLS, Hangs)):
            raise Refused(f"{text_of(event)}.")


def opened(arm: Arm, opening: float | None) -> CellState:
    """Return the state after a hand has opened to a distance [m], or fully; it holds nothing, or lets go."""
    trial = _trial(arm.snapshot, arm.state)
    release(trial, arm.placed, False, opening)
    return trial.state


def put_down(arm: Arm, q: Array, part: str, opening: float | None, on: str) -> tuple[CellState, str]:
    """Return the state after a hand at joint values has released a part, and what the part stands on then.

    Raises:
        WorkcellError: the part would fall too far, topple, land elsewhere or is inside something.
    """
    trial = _trial(arm.snapshot, arm.state.with_joints(arm.name, q))
    if by_gripper(arm):
        release(trial, arm.placed, True, opening, on)
    else:
        detach(trial, part, True, on)
    _require_no_fall(trial.recording.events)
    return trial.state, on


def by_gripper(arm: Arm) -> bool:
    """Return whether the gripper of an arm is closed on what the arm holds; otherwise the part was attached."""
    return bool(arm.state.signals.get(gripper_signal(arm.name)))
