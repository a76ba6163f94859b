"""Arrays of numbers from users: finite, float64, with the required axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.spatial.rotations import finite

Array = NDArray[np.float64]


def joint_values(q: ArrayLike, what: str, n: int | None = None) -> Array:
    """Return a vector of joint values; refuse one that is not finite, not a vector or not of ``n`` joints."""
    values = numbers(q, 1, what)
    if values.shape[0] == 0 or (n is not None and values.shape[0] != n):
        raise InvalidValue(f"{what} must be {n if n is not None else 'at least 1'} numbers; found {values.shape[0]}.")
    return values


def numbers(values: ArrayLike, axes: int, what: str) -> Array:
    """A new contiguous float64 array with the given number of axes."""
    try:
        array = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InvalidValue(f"{what} must be numbers; found {values!r}.") from error
    if array.ndim != axes:
        raise InvalidValue(f"{what} must have {axes} axes; found the shape {array.shape}.", shape=array.shape)
    return array if np.isfinite(array).all() else finite(array, array.shape, what)  # which refuses it
