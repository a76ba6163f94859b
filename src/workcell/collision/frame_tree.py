"""The kinematic tree of an arrangement: its frames, how deep they are, and where two branches meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Frame:
    """A frame of the kinematic tree: where it is in its parent (−1 the world) as a function of one number."""

    parent: int
    kind: int
    column: int
    theta: float
    d: float
    after: NDArray[np.float64]


def depth_of(parents: NDArray[np.int32], frame: int) -> int:
    """How many frames there are from a frame to the world."""
    steps = 0
    while frame >= 0:
        steps += 1
        frame = int(parents[frame])
    return steps


def common(parents: NDArray[np.int32], first: int, second: int) -> int:
    """The nearest frame that both frames hang on or are, −1 for the world."""
    above = set()
    while first >= 0:
        above.add(first)
        first = int(parents[first])
    while second >= 0 and second not in above:
        second = int(parents[second])
    return second


def frozen(*arrays: Any) -> tuple[Any, ...]:
    """The arrays, contiguous and read-only, so that every kernel sees one type."""
    out = tuple(np.ascontiguousarray(array) for array in arrays)
    for array in out:
        array.flags.writeable = False
    return out
