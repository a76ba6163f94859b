"""Where everything is at one instant."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.spatial.pose import Pose
from workcell.world.renaming import UNCHANGED, Renaming

_encode = msgspec.json.Encoder(order="sorted").encode


class _Written(msgspec.Struct):
    """A state as written to text."""

    time: float
    joints: dict[str, list[float]]
    poses: dict[str, list[float]]
    attached: dict[str, tuple[str, list[float]]]
    signals: dict[str, float]
    clock: float | None = None


_decode = msgspec.json.Decoder(_Written).decode


class Attachment(msgspec.Struct, frozen=True):
    """A body that moves with a frame: for a grip, a conveyor and a pallet alike."""

    frame: str
    X_frame_body: Pose


class CellState:
    """A frozen value: joint values by robot, poses of free bodies, attachments, signals, the clock.

    Args:
        time: simulated time [s].
        joints: joint values by robot [rad or m].
        poses: ``X_world_body`` of free bodies by name.
        attached: which body moves with what.
        signals: values that programs share.
        clock: the clock of the thesis [s], if it stood still while joints moved; None for the time.
    """

    __slots__ = ("attached", "clock", "joints", "poses", "signals", "time")
    time: float
    joints: Mapping[str, NDArray[np.float64]]
    poses: Mapping[str, Pose]
    attached: Mapping[str, Attachment]
    signals: Mapping[str, float]
    clock: float | None

    def __init__(
        self,
        time: float = 0.0,
        joints: Mapping[str, ArrayLike] | None = None,
        poses: Mapping[str, Pose] | None = None,
        attached: Mapping[str, Attachment] | None = None,
        signals: Mapping[str, float] | None = None,
        clock: float | None = None,
    ) -> None:
        frozen = {name: _frozen(name, values) for name, values in (joints or {}).items()}
        put = object.__setattr__
        put(self, "time", float(time))
        put(self, "joints", MappingProxyType(frozen))
        put(self, "poses", MappingProxyType(dict(poses or {})))
        put(self, "attached", MappingProxyType(dict(attached or {})))
        put(self, "signals", MappingProxyType(dict(signals or {})))
        put(self, "clock", clock)

    @property
    def shown_time(self) -> float:
        """The time that the clock shows [s]; it differs from the time only in the joint-by-joint mode of the thesis."""
        return self.time if self.clock is None else self.clock

    def with_(self, **changes: Any) -> CellState:
        """The same state except for the given fields."""
        if not changes.keys() <= _FIELDS:
            raise TypeError(f"A CellState has no {', '.join(sorted(changes.keys() - _FIELDS))}.")
        new, put = object.__new__(CellState), object.__setattr__
        for name in self.__slots__:
            put(new, name, getattr(self, name))
        if "joints" in changes:
            # Rows that this state already has are frozen and checked.
            old = self.joints
            frozen = {
                name: values if values is old.get(name) else _frozen(name, values)
                for name, values in (changes["joints"] or {}).items()
            }
            put(new, "joints", MappingProxyType(frozen))
        for name in changes.keys() & _MAPPINGS:
            put(new, name, MappingProxyType(dict(changes[name] or {})))
        if "time" in changes:
            put(new, "time", float(changes["time"]))
        if "clock" in changes:
            put(new, "clock", changes["clock"])
        return new

    def with_joints(self, robot: str, values: ArrayLike) -> CellState:
        """The same state except for one robot's joints."""
        return self.with_(joints={**self.joints, robot: values})

    def renamed(self, new: Renaming) -> CellState:
        """The same state with other names; removed things are left out, with everything attached to them."""
        if new is UNCHANGED:
            return self
        return self.with_(
            joints={now: values for name, values in self.joints.items() if (now := new(name))},
            poses={now: pose for name, pose in self.poses.items() if (now := new(name))},
            attached={
                now: msgspec.structs.replace(held, frame=frame)
                for name, held in self.attached.items()
                if (now := new(name)) and (frame := new(held.frame))
            },
            signals={now: value for name, value in self.signals.items() if (now := new.signal(name))},
        )

    def to_json(self) -> str:
        """One line of JSON; the same state always gives the same line."""
        clock = {} if self.clock is None else {"clock": self.clock}
        return _encode(
            {
                **clock,
                "time": self.time,
                "joints": {name: values.tolist() for name, values in self.joints.items()},
                "poses": {name: pose.matrix[:3].ravel().tolist() for name, pose in self.poses.items()},
                "attached": {
                    name: [a.frame, a.X_frame_body.matrix[:3].ravel().tolist()] for name, a in self.attached.items()
                },
                "signals": dict(self.signals),
            }
        ).decode()

    @classmethod
    def from_json(cls, text: str) -> CellState:
        """Read what :meth:`to_json` wrote."""
        try:
            data = _decode(text)
            return cls(
                data.time,
                data.joints,
                {name: Pose.from_rows(rows) for name, rows in data.poses.items()},
                {name: Attachment(frame, Pose.from_rows(rows)) for name, (frame, rows) in data.attached.items()},
                data.signals,
                data.clock,
            )
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise InvalidValue(f"The text is not a state of a cell: {error}.") from error

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A CellState is a frozen value; use with_({name}=…) to make another.")

    def __eq__(self, other: object) -> bool:
        return self.to_json() == other.to_json() if isinstance(other, CellState) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[object, ...]:
        return CellState.from_json, (self.to_json(),)

    def __repr__(self) -> str:
        return f"CellState(time={self.time:.6g}, joints of {sorted(self.joints)}, {len(self.poses)} free bodies)"


_FIELDS = frozenset(CellState.__slots__)
_MAPPINGS = frozenset({"poses", "attached", "signals"})


def _frozen(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InvalidValue(f"Joint values of {name!r} must be a row of finite numbers; found {array.tolist()}.")
    array.flags.writeable = False
    return array
