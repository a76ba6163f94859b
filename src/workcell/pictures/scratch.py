"""Large arrays that are kept from one picture to the next, because fresh memory costs more than drawing into it."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_BYTES = 192 * 2**20
"""The number of bytes that one thread keeps; the arrays of a larger picture are freed when it is done."""

_LINE = 64
"""The alignment of arrays to lines of the processor's cache [byte]."""

_threads = threading.local()


class Scratch:
    """Arrays by name, each as large as the largest picture needed; one set per thread.

    ``extents`` belong to the last scenes: their content and poses, and the lowest and highest corner.
    """

    def __init__(self) -> None:
        self._kept: dict[str, NDArray[np.uint8]] = {}
        self.extents: dict[int, tuple[object, bytes, NDArray[np.float64], NDArray[np.float64]]] = {}

    @classmethod
    def here(cls) -> Scratch:
        """The set of this thread."""
        kept = getattr(_threads, "scratch", None)
        if kept is None or sum(array.nbytes for array in kept._kept.values()) > _MOST_BYTES:
            kept = _threads.scratch = cls()
        return kept

    def empty(self, name: str, shape: tuple[int, ...], kind: type[np.generic]) -> NDArray[Any]:
        """An array with its last content, zero at first; valid until the same name is requested again."""
        size = math.prod(shape) * np.dtype(kind).itemsize
        raw = self._kept.get(name)
        if raw is None or raw.nbytes < size:
            raw = np.zeros(size + _LINE, dtype=np.uint8)
            raw = self._kept[name] = raw[-raw.ctypes.data % _LINE :]
        return raw[:size].view(kind).reshape(shape)

    def full(self, name: str, shape: tuple[int, ...], kind: type[np.generic], value: float) -> NDArray[Any]:
        """An array of one value, valid until the same name is requested again."""
        array = self.empty(name, shape, kind)
        array.fill(value)
        return array
