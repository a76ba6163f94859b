"""What became of a change of what moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Steered:
    """What became of a change.

    Attributes:
        device: which robot or solid.
        delay: how long it takes until the change is done: the speed or rest is reached [s].
        travel: how far each joint goes meanwhile (n,) [rad or m]; along its curve for a solid (1,) [m].
        reached: whether the speed is reached before the move is over.
        refused: why the change was not made, where collisions are watched; '' where it was.
    """

    device: str
    delay: float
    travel: Array
    reached: bool = True
    refused: str = ""
