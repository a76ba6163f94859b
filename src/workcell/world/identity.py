"""The identity of a value by its content: the same in every process, for caches, saved runs and workers."""

from __future__ import annotations

import dataclasses
import hashlib
import struct
from collections.abc import Mapping, Sequence
from functools import singledispatch
from operator import is_
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.geometry.solid import Solid
from workcell.kinematics.dh import Chain
from workcell.robots._values import ArrayValue
from workcell.spatial.pose import Pose

Some = TypeVar("Some")
_KEPT = "_identity"


class Value:
    """A frozen dataclass that remembers its identity; the pickle does not contain it."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in _fields(self)}

    def __setstate__(self, fields: dict[str, Any]) -> None:
        for value in fields.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self.__dict__.update(fields)


def identity(value: object) -> str:
    """32 hex digits that follow only from the content of a value.

    Numbers count with all their bits, mappings without their order. A value whose type has no stated content is
    an error in Workcell.
    """
    return _digest(_written(value)).hex()


def shared(new: Some, old: Some | None) -> Some:
    """The old value if the new one has the same content, so that everything derived from it stays known."""
    return old if old is not None and identity(old) == identity(new) else new


def same(new: Sequence[object], old: Sequence[object]) -> bool:
    """Whether two rows contain the same objects."""
    return len(new) == len(old) and all(map(is_, new, old))


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16, person=b"workcell-value").digest()


def _fields(value: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(value)]


@singledispatch
def _written(value: Any) -> bytes:
    """The content of a value as bytes from which it could be read again."""
    if isinstance(value, Value | ArrayValue):
        kept = value.__dict__
        if _KEPT not in kept:
            kept[_KEPT] = b"#" + _digest(_record(value, _fields(value)))
        found: bytes = kept[_KEPT]
        return found
    if isinstance(value, msgspec.Struct):
        return _record(value, value.__struct_fields__)
    if not dataclasses.is_dataclass(value):
        raise TypeError(f"{type(value).__name__} has no stated content")
    return _record(value, _fields(value))


def _record(value: object, names: Sequence[str]) -> bytes:
    return _written(type(value).__name__) + _row([getattr(value, name) for name in names])


@_written.register(tuple)
@_written.register(list)
def _row(values: Sequence[object]) -> bytes:
    return b"(%d:" % len(values) + b"".join([_written(one) for one in values])


@_written.register
def _mapping(values: Mapping) -> bytes:  # type: ignore[type-arg]  # singledispatch asks for the bare type
    return b"{%d:" % len(values) + b"".join(sorted([_written(name) + _written(one) for name, one in values.items()]))


@_written.register(type(None))
def _nothing(_: None) -> bytes:
    return b"-"


@_written.register
def _truth(value: bool) -> bytes:
    return b"yes" if value else b"no"


@_written.register
def _whole(value: int) -> bytes:
    return b"i%d:" % value


@_written.register
def _number(value: float) -> bytes:
    return b"f" + struct.pack("<d", value)


@_written.register
def _text(value: str) -> bytes:
    data = value.encode(errors="surrogatepass")
    return b"s%d:" % len(data) + data


@_written.register
def _bytes(value: bytes) -> bytes:
    return b"b%d:" % len(value) + value


@_written.register
def _array(value: np.ndarray) -> bytes:  # singledispatch asks for the bare type
    return b"a" + _text(value.dtype.str) + _row(value.shape) + np.ascontiguousarray(value).tobytes()


@_written.register
def _pose(value: Pose) -> bytes:
    return b"X" + value.matrix.tobytes()


@_written.register
def _solid(value: Solid) -> bytes:
    return b"S" + value.hash.encode()


@_written.register
def _chain(value: Chain) -> bytes:
    table: NDArray[np.float64] = value.table
    return b"C" + _row((table, value.prismatic, value.X_base_0, value.X_n_tool))
