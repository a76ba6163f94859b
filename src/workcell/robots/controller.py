"""The map between the joint values of a vendor's controller and DH joint values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.robots._values import ArrayValue
from workcell.spatial.rotations import finite


@dataclass(frozen=True, eq=False)
class ControllerMap(ArrayValue):
    """``q_dh = S @ q_controller + o``: axis signs, zeros, and couplings such as Fanuc's J2–J3.

    Attributes:
        matrix: S (n, n), read-only; a plain arm has ±1 on the diagonal, a coupled arm also another ±1 beside it.
        zeros: o (n,) [rad|m], the DH values when the controller shows zero, read-only.
        names: the controller's names of the joints.
        source: the source of the map.
    """

    matrix: NDArray[np.float64]
    zeros: NDArray[np.float64]
    names: tuple[str, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        n = np.size(self.zeros)
        matrix = finite(self.matrix, (n, n), "The matrix of a controller map")
        zeros = finite(self.zeros, (n,), "The zeros of a controller map")
        if abs(float(np.linalg.det(matrix))) < 1e-9:
            raise InvalidValue("The matrix of a controller map is singular: two controller joints move one DH joint.")
        if self.names and len(self.names) != n:
            raise InvalidValue(f"A controller map of {n} joints needs {n} names; found {len(self.names)}.")
        self._freeze(matrix=matrix, zeros=zeros)

    @classmethod
    def from_signs(
        cls,
        signs: ArrayLike,
        zeros: ArrayLike,
        coupling: tuple[tuple[int, int, float], ...] = (),
        names: tuple[str, ...] = (),
        source: str = "",
    ) -> ControllerMap:
        """A map from axis signs (n,), zeros (n,) [rad|m] and couplings (dh joint, controller joint, factor).

        Joints are counted from 1 in ``coupling``: ``(3, 2, -1.0)`` adds −q2 of the controller to DH joint 3.
        """
        diagonal = np.atleast_1d(np.asarray(signs, dtype=np.float64))
        n = diagonal.size
        if not np.isin(diagonal, (-1.0, 1.0)).all():
            raise InvalidValue(f"The signs of a controller map are 1 or −1; found {diagonal.tolist()}.")
        matrix = np.diag(diagonal)
        for dh, other, factor in coupling:
            if not (1 <= dh <= n and 1 <= other <= n):
                raise InvalidValue(f"A coupling names joints 1…{n}; found {dh} and {other}.")
            matrix[dh - 1, other - 1] += factor
        return cls(matrix, np.asarray(zeros, dtype=np.float64), names, source)

    @property
    def n(self) -> int:
        """The number of joints."""
        return int(self.zeros.size)

    def to_dh(self, controller: ArrayLike) -> NDArray[np.float64]:
        """DH joint values [rad|m] of controller values (…, n) [rad|m]."""
        return np.asarray(self._checked(controller) @ self.matrix.T + self.zeros)

    def from_dh(self, q: ArrayLike) -> NDArray[np.float64]:
        """Controller values [rad|m] of DH joint values (…, n) [rad|m]."""
        return np.asarray((self._checked(q) - self.zeros) @ np.linalg.inv(self.matrix).T)

    def _checked(self, values: ArrayLike) -> NDArray[np.float64]:
        array = np.asarray(values, dtype=np.float64)
        if array.ndim == 0 or array.shape[-1] != self.n or not np.isfinite(array).all():
            raise InvalidValue(f"Joint values for this map are {self.n} finite numbers; found {array.tolist()}.")
        return array
