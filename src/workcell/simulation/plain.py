"""Values of a run as bytes and back, by a table of classes. What is read is data, never code.

Every class that a run may hold is in the table. Its fields are written in order, numbers with all their bits. Shared
values stay shared. A value of any other class cannot be written.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, get_args

import msgspec
import numpy as np

from workcell.errors import InvalidValue, Refused, WorkcellError
from workcell.motion import curve
from workcell.motion.pose_motion import PoseMotion
from workcell.motion.seam import Seam
from workcell.motion.time_law import PacedMotion, TimeLaw
from workcell.motion.trajectory import Trajectory
from workcell.planning.guidance.arms import ArmConstants
from workcell.planning.guidance.progress import Progress
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.base_step import Base
from workcell.programs.evaluate import JointValues, Numbers
from workcell.programs.measures import Measure
from workcell.programs.program import Parameter, Place, Program
from workcell.simulation import coordinated, curve_move, guided_wish, guiding, machine_seams, planned_along, threads
from workcell.simulation.drives import Follow
from workcell.simulation.faults import FaultState
from workcell.simulation.gliding import Glide
from workcell.simulation.handling import stages
from workcell.simulation.performing import Grip, Settings
from workcell.simulation.planned import Planned
from workcell.simulation.recurring import Recurring
from workcell.simulation.routines import Callback
from workcell.simulation.tethers import Tether
from workcell.spatial.pose import Pose
from workcell.spatial.units import Units
from workcell.world.state import Attachment, CellState

_ATOMS = (bool, int, float, str, bytes)
_PROGRAMS: tuple[type, ...] = (
    *get_args(s.Step), s.Arm, *get_args(e.Expression), e.Form, Measure, JointValues, Numbers, Units, Parameter, Place,
    Program,
)  # fmt: skip
_CURVES = tuple(one for one in vars(curve).values() if isinstance(one, type) and dataclasses.is_dataclass(one))
_RUNS: tuple[type, ...] = (
    threads.Thread, threads.Frame, threads.Waiting, threads.Loop, threads.Guard, Settings, Grip, Follow, Planned, Glide,
    PoseMotion, Trajectory, PacedMotion, TimeLaw, Tether, Recurring, FaultState, Seam, *_CURVES,
    coordinated.Coordinated, coordinated.WeldMoves, coordinated.SeamMoves, machine_seams.MachineSeamMoves,
    stages.Handling, stages.Go, stages.LetGo, stages.GripperTime, stages.GripperActs,
    planned_along.PlannedMoves, curve_move.CurveMove, guiding.Guiding, guided_wish.Wish, ArmConstants, Progress,
    CellState, Attachment,
)  # fmt: skip


def to_bytes(value: object) -> bytes:
    """Return a value as bytes.

    Raises:
        Refused: something in it cannot be written, such as a function; the message names it.
    """
    return msgspec.msgpack.encode(_Writer().written(value))


def from_bytes(data: bytes) -> Any:
    """Return the value from what :func:`to_bytes` returned.

    Raises:
        InvalidValue: the bytes are not a value.
    """
    try:
        return _Reader().read(msgspec.msgpack.decode(data))
    except (msgspec.MsgspecError, TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise InvalidValue(f"The bytes are not a value of a run: {error}.") from error
    except WorkcellError as error:
        if isinstance(error, Refused):
            raise
        raise InvalidValue(f"The bytes are not a value of a run: {error}") from error


@lru_cache(maxsize=1)
def _classes() -> dict[str, type]:
    return {_key(one): one for one in (*_PROGRAMS, *_RUNS)}


def kinds() -> tuple[type, ...]:
    """Return every class that a run may hold."""
    return tuple(_classes().values())


def _key(kind: type) -> str:
    module = "steps" if issubclass(kind, Base) else kind.__module__.rpartition(".")[2]  # steps may move between files
    return f"{module}.{kind.__qualname__}"


def _fields(kind: type[Any]) -> tuple[str, ...]:
    if issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__
    if kind is CellState:
        return CellState.__slots__
    return tuple(field.name for field in dataclasses.fields(kind) if field.init)


class _Writer:
    def __init__(self) -> None:
        self._known: dict[int, int] = {}
        self._alive: list[object] = []

    def written(self, value: Any) -> Any:
        if value is None or type(value) in _ATOMS:
            return value
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, tuple):
            return ["t", *map(self.written, value)]
        if isinstance(value, np.ndarray):
            order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
            return ["a", str(value.dtype), order, list(value.shape), value.tobytes(order="A" if order == "F" else "C")]
        if isinstance(value, Pose):
            return ["p", value.matrix[:3].tobytes()]
        if id(value) in self._known:
            return ["r", self._known[id(value)]]
        self._known[id(value)] = len(self._known)
        self._alive.append(value)  # keeps its id from being reused
        if isinstance(value, Mapping):
            return ["d", *([self.written(key), self.written(one)] for key, one in value.items())]
        if isinstance(value, list):
            return ["l", *map(self.written, value)]
        if isinstance(value, Callback):
            return ["c", value.registered_name, *([key, self.written(one)] for key, one in vars(value).items())]
        kind: type[Any] = type(value)
        key = _key(kind)
        if _classes().get(key) is not kind:
            raise Refused(f"{_shown(value)} cannot be saved: it is neither data nor a registered callback.")
        return ["o", key, *(self.written(getattr(value, name)) for name in _fields(kind))]


def _shown(value: object) -> str:
    return repr(getattr(value, "__qualname__", None) or type(value).__name__)


class _Reader:
    def __init__(self) -> None:
        self._known: list[Any] = []
        self._kinds: dict[str, Callable[..., Any]] = {
            "t": lambda *items: tuple(map(self.read, items)),
            "a": _array,
            "p": lambda rows: Pose.from_rows(np.frombuffer(rows)),
            "r": lambda number: self._known[number],
            "d": self._mapping,
            "l": self._list,
            "c": self._callback,
            "o": self._object,
        }

    def read(self, data: Any) -> Any:
        return self._kinds[data[0]](*data[1:]) if isinstance(data, list) else data

    def _mapping(self, *pairs: Any) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        self._known.append(found)
        found.update((self.read(key), self.read(value)) for key, value in pairs)
        return found

    def _list(self, *items: Any) -> list[Any]:
        found: list[Any] = []
        self._known.append(found)
        found.extend(map(self.read, items))
        return found

    def _callback(self, name: str, *pairs: Any) -> Callback:
        found = Callback.called(name)
        self._known.append(found)
        vars(found).update((key, self.read(value)) for key, value in pairs)
        return found

    def _object(self, key: str, *values: Any) -> Any:
        kind = _classes()[key]
        place = len(self._known)
        self._known.append(None)
        fields = dict(zip(_fields(kind), map(self.read, values), strict=True))
        self._known[place] = kind(**fields)
        return self._known[place]


def _array(dtype: str, order: str, shape: list[int], data: bytes) -> Any:
    if dtype not in ("float64", "int64", "bool"):
        raise ValueError(f"an array of {dtype}")
    array = np.frombuffer(data, dtype).reshape(shape, order="F" if order == "F" else "C").copy(order="K")
    array.flags.writeable = False
    return array
