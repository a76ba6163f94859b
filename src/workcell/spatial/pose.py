"""A rigid pose: where something is and how it is turned."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.spatial import rotations

_WRITTEN = 1e-12
"""A written rotation closer to a true one than this counts as exact, up to rounding."""
_BOTTOM = np.array([0.0, 0.0, 0.0, 1.0])


class Pose:
    """A rigid pose as a read-only 4×4 matrix: ``X_AB`` takes coordinates in B to coordinates in A.

    ``X_world_tool @ X_tool_part`` is the part in the world. Lengths are metres.

    Args:
        matrix: 4×4, the upper left 3×3 a rotation, the last row 0 0 0 1. A matrix that scales, shears or
            mirrors is refused with the reason. Rounding to six printed decimals is accepted.
    """

    __slots__ = ("_matrix",)
    _matrix: NDArray[np.float64]

    def __init__(self, matrix: ArrayLike) -> None:
        array = rotations.finite(matrix, (4, 4), "A pose matrix")
        if not np.array_equal(array[3], _BOTTOM):
            raise InvalidValue(f"The last row of a pose matrix must be 0 0 0 1; found {array[3].tolist()}.")
        array[:3, :3] = rotations.checked(array[:3, :3], "The upper left 3×3 of the pose matrix")
        self._adopt(array)

    def _adopt(self, array: NDArray[np.float64]) -> None:
        array.flags.writeable = False
        object.__setattr__(self, "_matrix", array)

    @classmethod
    def _trusted(cls, rotation: NDArray[np.float64], xyz: ArrayLike) -> Pose:
        array = np.empty((4, 4))
        array[:3, :3] = rotation
        array[:3, 3] = xyz
        array[3] = _BOTTOM
        pose = object.__new__(cls)
        pose._adopt(array)
        return pose

    # ---- making one -----------------------------------------------------------------------------------

    @classmethod
    def identity(cls) -> Pose:
        """No translation, no rotation."""
        return cls._trusted(np.eye(3), np.zeros(3))

    @classmethod
    def from_rows(cls, rows: ArrayLike) -> Pose:
        """A pose from the upper three rows of its matrix. A true rotation is kept bit for bit."""
        array = np.eye(4)
        array[:3] = np.reshape(rotations.finite(np.ravel(rows), (12,), "The rows of a pose"), (3, 4))
        pose = cls(array)
        if np.abs(pose._matrix - array).max() < _WRITTEN:
            return cls._trusted(array[:3, :3], array[:3, 3])
        return pose

    @classmethod
    def from_xyz(cls, x: float, y: float, z: float) -> Pose:
        """A translation [m] without rotation."""
        return cls._trusted(np.eye(3), rotations.finite((x, y, z), (3,), "A position"))

    @classmethod
    def from_xyz_angles(cls, xyz: ArrayLike, angles: ArrayLike, convention: str) -> Pose:
        """A position [m] and three angles [rad] in a named convention.

        Conventions: ``ding_ypr``, ``agent_rpy``, ``kuka_abc``, ``fanuc_wpr``, ``ur_rotvec``, ``urdf_rpy``,
        ``xyz_intrinsic`` … (``workcell.spatial.rotations.CONVENTIONS``). There is no default, because a guessed
        convention is wrong sooner or later.
        """
        position = rotations.finite(xyz, (3,), "A position")
        return cls._trusted(rotations.from_angles(angles, convention), position)

    @classmethod
    def from_quaternion(cls, xyz: ArrayLike, wxyz: ArrayLike) -> Pose:
        """A position [m] and a quaternion (w, x, y, z) of any non-zero length."""
        position = rotations.finite(xyz, (3,), "A position")
        return cls._trusted(rotations.from_quaternion(wxyz), position)

    @classmethod
    def from_axis_angle(cls, axis: ArrayLike, angle: float, point: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """A rotation by ``angle`` [rad] about the axis through ``point`` [m]."""
        rotation = rotations.about_vector(axis, angle)
        p = rotations.finite(point, (3,), "A point of the axis")
        return cls._trusted(rotation, p - rotation @ p)

    @classmethod
    def from_rotation(cls, rotation: ArrayLike, xyz: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """A 3×3 rotation matrix and a position [m]."""
        array = rotations.finite(rotation, (3, 3), "A rotation matrix")
        return cls._trusted(rotations.checked(array), rotations.finite(xyz, (3,), "A position"))

    # ---- reading it -----------------------------------------------------------------------------------

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The 4×4 matrix, read-only."""
        return self._matrix

    @property
    def rotation(self) -> NDArray[np.float64]:
        """The 3×3 rotation, read-only."""
        return self._matrix[:3, :3]

    @property
    def xyz(self) -> NDArray[np.float64]:
        """The position [m], read-only."""
        return self._matrix[:3, 3]

    @property
    def quaternion(self) -> NDArray[np.float64]:
        """The unit quaternion (w, x, y, z) with w ≥ 0."""
        return rotations.to_quaternion(self.rotation)

    def angles(self, convention: str) -> NDArray[np.float64]:
        """Three angles [rad] in a named convention."""
        return rotations.to_angles(self.rotation, convention)

    # ---- using it -------------------------------------------------------------------------------------

    def __matmul__(self, other: Pose) -> Pose:
        """``X_AB @ X_BC`` is ``X_AC``."""
        if not isinstance(other, Pose):
            return NotImplemented
        return Pose._trusted(self.rotation @ other.rotation, self.rotation @ other.xyz + self.xyz)

    def inverse(self) -> Pose:
        """``X_AB.inverse()`` is ``X_BA``."""
        back = self.rotation.T
        return Pose._trusted(back, -(back @ self.xyz))

    def apply(self, points: ArrayLike) -> NDArray[np.float64]:
        """Points (…, 3) given in B, expressed in A [m]."""
        array = np.asarray(points, dtype=np.float64)
        if array.ndim == 0 or array.shape[-1] != 3:
            raise InvalidValue(f"Points must have shape (…, 3); found {array.shape}.")
        return np.asarray(array @ self.rotation.T + self.xyz)

    def distance(self, other: Pose) -> tuple[float, float]:
        """Return the distance between two poses: (metres, radians)."""
        turn = rotations.to_rotation_vector(self.rotation.T @ other.rotation)
        return float(np.linalg.norm(self.xyz - other.xyz)), float(np.linalg.norm(turn))

    def interpolate(self, other: Pose, s: float) -> Pose:
        """The pose at the fraction ``s`` of the way: the position on a line, the rotation about one axis."""
        turn = rotations.to_rotation_vector(self.rotation.T @ other.rotation)
        angle = float(np.linalg.norm(turn))
        part = rotations.about_vector(turn, s * angle) if angle > 0.0 else np.eye(3)
        return Pose._trusted(self.rotation @ part, (1.0 - s) * self.xyz + s * other.xyz)

    def is_close(self, other: Pose, metres: float = 1e-9, radians: float = 1e-9) -> bool:
        """Whether both distances are within the tolerances."""
        far, turned = self.distance(other)
        return far <= metres and turned <= radians

    # ---- being a value --------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A Pose is a frozen value; make a new one instead of setting {name!r}.")

    def __eq__(self, other: object) -> bool:
        return np.array_equal(self._matrix, other._matrix) if isinstance(other, Pose) else NotImplemented

    def __hash__(self) -> int:
        return hash((self._matrix + 0.0).tobytes())

    def __reduce__(self) -> tuple[object, ...]:
        return _from_bytes, (self._matrix.tobytes(),)

    def __repr__(self) -> str:
        w, x, y, z = (f"{value:.6g}" for value in self.quaternion)
        px, py, pz = (f"{value:.6g}" for value in self.xyz)
        return f"Pose.from_quaternion(({px}, {py}, {pz}), ({w}, {x}, {y}, {z}))"

    def describe(self) -> str:
        """For people: millimetres and degrees, with the convention named."""
        a, b, c = (round(math.degrees(angle), 3) + 0.0 for angle in self.angles("fanuc_wpr"))
        x, y, z = (round(float(value) * 1000.0, 3) + 0.0 for value in self.xyz)
        return f"x {x:.3f} y {y:.3f} z {z:.3f} mm, fanuc_wpr {a:.3f} {b:.3f} {c:.3f} deg"


def _from_bytes(data: bytes) -> Pose:
    pose = object.__new__(Pose)
    pose._adopt(np.frombuffer(data).reshape(4, 4).copy())
    return pose
