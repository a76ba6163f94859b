"""What a recording knows beside joint values and events: changes of the state, and moves."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from workcell.spatial.pose import Pose
from workcell.world.renaming import Renaming
from workcell.world.state import Attachment, CellState


class Attached(msgspec.Struct, frozen=True, tag="attached"):
    """From now on a body goes with a frame; ``pose`` is X_frame_body, three rows of four numbers [m]."""

    time: float
    body: str
    frame: str
    pose: tuple[float, ...]


class Placed(msgspec.Struct, frozen=True, tag="placed"):
    """From now on a body stays where it is; ``pose`` is X_world_body, three rows of four numbers [m]."""

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
    """A move of one device, for reports.

    Attributes:
        device: the name of the robot, mechanism or solid that moved.
        kind: joints, end effector, line, circle, path, hand or table.
        start: when it began [s].
        end: when it was over [s].
        profile: how position grew with time.
        limited: what made it take that long.
        deviation: how far the hand left its curve at most [m]; None for moves without a curve.
        bound: which joint was at which limit, from when to when after the start [s].
        peaks: the greatest speed of each joint [rad/s or m/s], exact; none for solids.
        shown: how long it took by the clock of the thesis [s], where that has stood.
    """

    device: str = msgspec.field(name="robot")  # as files of recordings have it
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
    """The upper three rows of a pose's matrix, as it is kept."""
    return tuple(pose.matrix[:3].ravel().tolist())


def renamed(change: StateChange, new: Renaming) -> StateChange | None:
    """The same change with other names; None where what it is of is gone."""
    if isinstance(change, Signalled):
        signal = new.signal(change.signal)
        return msgspec.structs.replace(change, signal=signal) if signal else None
    body = new(change.body)
    if isinstance(change, Placed):
        return msgspec.structs.replace(change, body=body) if body else None
    frame = new(change.frame)
    return msgspec.structs.replace(change, body=body, frame=frame) if body and frame else None


def pose_of(rows: tuple[float, ...]) -> Pose:
    """What :func:`twelve` wrote."""
    return Pose.from_rows(rows)


def after(state: CellState, change: StateChange) -> CellState:
    """The state with a change made; the clock is left alone."""
    if isinstance(change, Signalled):
        return state.with_(signals={**state.signals, change.signal: change.value})
    poses = {name: pose for name, pose in state.poses.items() if name != change.body}
    attached = {name: held for name, held in state.attached.items() if name != change.body}
    if isinstance(change, Placed):
        poses[change.body] = pose_of(change.pose)
    else:
        attached[change.body] = Attachment(change.frame, pose_of(change.pose))
    return state.with_(poses=poses, attached=attached)
