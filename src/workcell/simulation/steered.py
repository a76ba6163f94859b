"""The result of a change of a move under way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Steered:
    """The result of a change.

    Attributes:
        device: the robot or solid.
        delay: the time until the new speed or rest is reached [s].
        travel: how far each joint moves meanwhile (n,) [rad or m]; along its curve for a solid (1,) [m].
        reached: whether the speed is reached before the move is over.
        refused: why the change was not made, if collisions are watched; '' if it was made.
    """

    device: str
    delay: float
    travel: Array
    reached: bool = True
    refused: str = ""
