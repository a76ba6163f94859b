"""What a recording holds besides motions and events: changes of the state, and moves."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from workcell.spatial.pose import Pose
from workcell.world.renaming import Renaming
from workcell.world.state import Attachment, CellState


class Attached(msgspec.Struct, frozen=True, tag="attached"):
    """From now on a body moves with a frame; ``pose`` is X_frame_body, three rows of four numbers [m]."""

    time: float
    body: str
    frame: str
    pose: tuple[float, ...]


class Placed(msgspec.Struct, frozen=True, tag="placed"):
    """From now on a body stays in place; ``pose`` is X_world_body, three rows of four numbers [m]."""

    time: float
    body: str
    pose: tuple[float, ...]


class Signalled(msgspec.Struct, frozen=True, tag="signalled"):
    """From now on a signal has this value."""

    time: float
    signal: str
    value: float


StateChange: TypeAlias = Attached | Placed | Signalled


class Move(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finished move of one device, for reports.

    Attributes:
        device: the name of the robot, mechanism or solid that moved.
        kind: joints, end effector, line, circle, path, hand or table.
        start: when it began [s].
        end: when it was over [s].
        profile: how its speed grew and fell.
        limited: what limited its speed.
        deviation: the greatest distance of the hand from its curve [m]; None for moves without a curve.
        bound: which joint was at which limit, from when to when after the start [s].
        peaks: the greatest speed of each joint [rad/s or m/s], exact; none for solids.
        shown: its duration by the clock of the thesis [s], if that clock stopped.
    """

    device: str = msgspec.field(name="robot")  # the name in files
    kind: str
    start: float
    end: float
    profile: str = "linear"
    limited: str = ""
    deviation: float | None = None
    bound: tuple[tuple[int, str, float, float], ...] = ()
    peaks: tuple[float, ...] = ()
    shown: float | None = None

    @property
    def duration(self) -> float:
        """How long it took by the clock [s]."""
        return self.end - self.start if self.shown is None else self.shown


def twelve(pose: Pose) -> tuple[float, ...]:
    """Return the upper three rows of a pose's matrix, for storing."""
    return tuple(pose.matrix[:3].ravel().tolist())


def renamed(change: StateChange, new: Renaming) -> StateChange | None:
    """Return a change with other names; None if its subject no longer exists."""
    if isinstance(change, Signalled):
        signal = new.signal(change.signal)
        return msgspec.structs.replace(change, signal=signal) if signal else None
    body = new(change.body)
    if isinstance(change, Placed):
        return msgspec.structs.replace(change, body=body) if body else None
    frame = new(change.frame)
    return msgspec.structs.replace(change, body=body, frame=frame) if body and frame else None


def pose_of(rows: tuple[float, ...]) -> Pose:
    """Return the pose from what :func:`twelve` returned."""
    return Pose.from_rows(rows)


def after(state: CellState, change: StateChange) -> CellState:
    """Return the state after a change; the clock does not change."""
    if isinstance(change, Signalled):
        return state.with_(signals={**state.signals, change.signal: change.value})
    poses = {name: pose for name, pose in state.poses.items() if name != change.body}
    attached = {name: held for name, held in state.attached.items() if name != change.body}
    if isinstance(change, Placed):
        poses[change.body] = pose_of(change.pose)
    else:
        attached[change.body] = Attachment(change.frame, pose_of(change.pose))
    return state.with_(poses=poses, attached=attached)
