"""Base of the frozen values of this room: read-only arrays, and pickles that stay read-only."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ArrayValue:
    """A frozen dataclass that holds arrays; pickled through its constructor, which freezes them again."""

    def _freeze(self, **arrays: NDArray[np.float64]) -> None:
        """Set fields to read-only copies of the arrays."""
        for name, array in arrays.items():
            copy = np.array(array, dtype=np.float64)
            copy.flags.writeable = False
            object.__setattr__(self, name, copy)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        names = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return hash(tuple(_hashable(getattr(self, name)) for name in names))

    def __reduce__(self) -> tuple[object, ...]:
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]
        plain = {name: dict(value) if isinstance(value, Mapping) else value for name, value in fields.items()}
        return _rebuilt, (type(self), plain)


def _equal(a: object, b: object) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(np.asarray(a), np.asarray(b))
    return bool(a == b)


def _hashable(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.shape, (value + 0.0).tobytes()
    return tuple(sorted(value.items())) if isinstance(value, Mapping) else value


def _rebuilt(cls: type[Any], fields: dict[str, object]) -> Any:
    return cls(**fields)
