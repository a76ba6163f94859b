"""A transformation as typed: a sequence of steps, and their product as a matrix.

Relations between entities carry one. Unlike a :class:`~workcell.spatial.pose.Pose` it may scale and mirror.
The steps are kept, so that they can be shown and changed as typed; the matrix follows from them. Steps apply
from left to right: ``scale … rotate … translate`` scales first. The arithmetic is plain Python on purpose: a
4×4 product takes 3 µs in plain Python, and each small NumPy call costs as much.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.spatial import rotations
from workcell.spatial.pose import Pose

Triple: TypeAlias = tuple[float, float, float]
Rows: TypeAlias = tuple[float, ...]
"""The upper three rows of a 4×4 matrix: 12 numbers."""

IDENTITY: Rows = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
_TOLERANCE = 1e-6
_FARTHEST = 1e7
"""How far from the origin points may lie, so that their products are numbers [m]."""


class Step(msgspec.Struct, frozen=True, tag_field="form"):
    """One typed factor of a transformation."""

    def rows(self) -> Rows:
        """The upper three rows of its matrix."""
        raise AssertionError("each form has its own rows")

    def applied_to(self, before: Rows) -> Rows:
        """The upper three rows of the matrix of ``before`` followed by this step."""
        return multiply(self.rows(), before)


class Scale(Step, frozen=True, tag="scale"):
    """Scale factors along x, y, z; negative ones mirror."""

    factors: Triple

    def __post_init__(self) -> None:
        _finite(self.factors, "Scale factors")
        if 0.0 in self.factors:
            raise InvalidValue("A scale factor of zero flattens the shape; use a small number if you mean thin.")

    def rows(self) -> Rows:
        """The diagonal matrix."""
        x, y, z = self.factors
        return (x, 0.0, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, 0.0, z, 0.0)


class Rotate(Step, frozen=True, tag="rotate"):
    """Turns about the fixed axes x, then y, then z [rad]."""

    angles: Triple

    def __post_init__(self) -> None:
        _finite(self.angles, "Rotation angles")

    def rows(self) -> Rows:
        """Rz·Ry·Rx."""
        a, b, c = self.angles
        sa, ca = _sin_cos(a)
        sb, cb = _sin_cos(b)
        sc, cc = _sin_cos(c)
        return (
            cc * cb, cc * sb * sa - sc * ca, cc * sb * ca + sc * sa, 0.0,
            sc * cb, sc * sb * sa + cc * ca, sc * sb * ca - cc * sa, 0.0,
            -sb, cb * sa, cb * ca, 0.0,
        )  # fmt: skip


class Euler(Step, frozen=True, tag="euler"):
    """Three angles [rad] in a named convention."""

    convention: str
    angles: Triple

    def __post_init__(self) -> None:
        rotations.from_angles(self.angles, self.convention)

    def rows(self) -> Rows:
        """The rotation."""
        return _rows(rotations.from_angles(self.angles, self.convention), (0.0, 0.0, 0.0))


class AxisAngle(Step, frozen=True, tag="axis"):
    """A turn by ``angle`` [rad] about the axis through ``point`` [m]."""

    axis: Triple
    point: Triple
    angle: float

    def __post_init__(self) -> None:
        Pose.from_axis_angle(self.axis, self.angle, self.point)

    def rows(self) -> Rows:
        """The rotation about the axis."""
        return rows_of(Pose.from_axis_angle(self.axis, self.angle, self.point))


class ThreePoints(Step, frozen=True, tag="points"):
    """The rigid motion that takes three points to three points [m]."""

    before: tuple[Triple, Triple, Triple]
    after: tuple[Triple, Triple, Triple]

    def __post_init__(self) -> None:
        _between(self.before, self.after)

    def rows(self) -> Rows:
        """The rigid motion."""
        return rows_of(_between(self.before, self.after))


class Quaternion(Step, frozen=True, tag="quaternion"):
    """A rotation as w, x, y, z."""

    wxyz: tuple[float, float, float, float]

    def __post_init__(self) -> None:
        rotations.from_quaternion(self.wxyz)

    def rows(self) -> Rows:
        """The rotation."""
        return _rows(rotations.from_quaternion(self.wxyz), (0.0, 0.0, 0.0))


class Translate(Step, frozen=True, tag="translate"):
    """A shift [m]."""

    xyz: Triple

    def __post_init__(self) -> None:
        _finite(self.xyz, "A translation")

    def rows(self) -> Rows:
        """The shift."""
        x, y, z = self.xyz
        return (1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, y, 0.0, 0.0, 1.0, z)

    def applied_to(self, before: Rows) -> Rows:
        """The same as the product with the matrix, but without minus zeros."""
        x, y, z = self.xyz
        a, b, c, s, d, e, f, t, g, h, i, u = before
        return (
            a + 0.0, b + 0.0, c + 0.0, s + x, d + 0.0, e + 0.0, f + 0.0, t + y, g + 0.0, h + 0.0, i + 0.0, u + z,
        )  # fmt: skip


class MatrixStep(Step, frozen=True, tag="matrix"):
    """The upper three rows of a 4×4 matrix, row by row; lengths [m]. It may scale and mirror, not shear."""

    rows12: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.rows12) != 12:
            raise InvalidValue(f"A matrix is typed as 12 numbers (3 rows of 4); found {len(self.rows12)}.")
        _finite(self.rows12, "Matrix entries")
        if abs(determinant(self.rows12)) < 1e-12:
            raise InvalidValue("The matrix is singular: it flattens the shape, so nothing solid would be left.")
        reason = shear_of(self.rows12)
        if reason:
            raise InvalidValue(f"The matrix shears: {reason}. Only scale, rotation and mirroring are allowed.")

    def rows(self) -> Rows:
        """As typed."""
        return self.rows12


AnyStep: TypeAlias = Scale | Rotate | Euler | AxisAngle | ThreePoints | Quaternion | Translate | MatrixStep

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(tuple[AnyStep, ...])
_PACK = struct.Struct("<16d")


class Transform(msgspec.Struct, frozen=True):
    """A sequence of typed steps, applied from left to right."""

    steps: tuple[AnyStep, ...] = ()

    @classmethod
    def of(cls, *steps: AnyStep) -> Transform:
        """The steps as one transformation."""
        return cls(tuple(steps))

    @classmethod
    def from_pose(cls, pose: Pose) -> Transform:
        """A rigid pose, kept as a quaternion and a translation."""
        x, y, z = (float(v) for v in pose.xyz)
        turn = () if np.array_equal(pose.rotation, np.eye(3)) else (Quaternion(_four(pose.quaternion)),)
        shift = () if x == y == z == 0.0 else (Translate((x, y, z)),)
        return cls((*turn, *shift))

    @classmethod
    def exact(cls, pose: Pose) -> Transform:
        """A rigid pose, kept exactly as its matrix."""
        return cls((MatrixStep(tuple(float(v) for v in pose.matrix[:3].ravel())),))

    @classmethod
    def from_json(cls, text: str | bytes) -> Transform:
        """Read what :meth:`to_json` wrote."""
        return cls(_decoder.decode(text))

    def to_json(self) -> str:
        """The steps, for the database."""
        return _encoder.encode(self.steps).decode()

    def rows(self) -> Rows:
        """The upper three rows of the matrix."""
        if not self.steps:
            return IDENTITY
        total: Rows | None = None
        for step in self.steps:
            total = step.rows() if total is None else step.applied_to(total)
        assert total is not None
        return total

    def packed(self) -> bytes:
        """The 4×4 matrix as 128 bytes, for the database."""
        return packed(self.rows())

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The 4×4 matrix, read-only."""
        return unpacked(self.packed())

    @property
    def is_rigid(self) -> bool:
        """Whether it neither scales, shears nor mirrors."""
        return rigid(self.rows())

    def pose(self) -> Pose:
        """The pose, if it is rigid."""
        return Pose(self.matrix)

    def then(self, later: Transform) -> Transform:
        """This transformation first, then the other."""
        return Transform(self.steps + later.steps)


def packed(rows: Rows) -> bytes:
    """The 4×4 matrix of these upper three rows as 128 bytes."""
    return _PACK.pack(*rows, 0.0, 0.0, 0.0, 1.0)


def unpacked(data: bytes) -> NDArray[np.float64]:
    """The 4×4 matrix of :meth:`Transform.packed`, read-only."""
    return np.frombuffer(data, dtype="<f8").reshape(4, 4)


def rows_of(pose: Pose) -> Rows:
    """The upper three rows of a pose's matrix."""
    return tuple(float(v) for v in pose.matrix[:3].ravel())


def multiply(a: Rows, b: Rows) -> Rows:
    """The product of two matrices given by their upper three rows."""
    a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11 = a
    b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11 = b
    return (
        a0 * b0 + a1 * b4 + a2 * b8, a0 * b1 + a1 * b5 + a2 * b9,
        a0 * b2 + a1 * b6 + a2 * b10, a0 * b3 + a1 * b7 + a2 * b11 + a3,
        a4 * b0 + a5 * b4 + a6 * b8, a4 * b1 + a5 * b5 + a6 * b9,
        a4 * b2 + a5 * b6 + a6 * b10, a4 * b3 + a5 * b7 + a6 * b11 + a7,
        a8 * b0 + a9 * b4 + a10 * b8, a8 * b1 + a9 * b5 + a10 * b9,
        a8 * b2 + a9 * b6 + a10 * b10, a8 * b3 + a9 * b7 + a10 * b11 + a11,
    )  # fmt: skip


def determinant(m: Rows) -> float:
    """The determinant, the factor by which volumes change."""
    return (
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8])
    )


def shear_of(m: Rows) -> str:
    """Return why the matrix is not a rotation after a scaling along the axes; empty if it is one."""
    a, b, c, _, d, e, f, _, g, h, k, _ = m
    if a * b + d * e + g * h == a * c + d * f + g * k == b * c + e * f + h * k == 0.0:
        return ""
    one, two, three = (a * a + d * d + g * g) ** 0.5, (b * b + e * e + h * h) ** 0.5, (c * c + f * f + k * k) ** 0.5
    cosines = (
        ((0, 1), (a * b + d * e + g * h) / (one * two)),
        ((0, 2), (a * c + d * f + g * k) / (one * three)),
        ((1, 2), (b * c + e * f + h * k) / (two * three)),
    )
    for (i, j), cosine in cosines:
        if abs(cosine) > _TOLERANCE:
            angle = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
            return f"its columns {i + 1} and {j + 1} are at {angle:.6g}° instead of 90°"
    return ""


def rigid(m: Rows) -> bool:
    """Whether the rows are a rotation and a shift."""
    for i in range(3):
        for j in range(i, 3):
            dot = m[i] * m[j] + m[4 + i] * m[4 + j] + m[8 + i] * m[8 + j]
            if abs(dot - (1.0 if i == j else 0.0)) > _TOLERANCE:
                return False
    return determinant(m) > 0.0


def _between(before: Sequence[Triple], after: Sequence[Triple]) -> Pose:
    """The rigid motion from one triangle to another; refused if a triangle is flat or their shapes differ."""
    triangles = []
    for points, when in ((before, "before"), (after, "after")):
        p = rotations.finite(points, (3, 3), f"The three points {when}")
        far = float(np.abs(p).max())
        if far > _FARTHEST:
            raise InvalidValue(
                f"The three points {when} must lie within {_FARTHEST / 1e3:g} km of the origin, "
                f"not {far / 1e3:g} km away."
            )
        u, v = p[1] - p[0], p[2] - p[0]
        normal = np.cross(u, v)
        size = max(float(u @ u), float(v @ v))
        if float(np.linalg.norm(normal)) <= 1e-9 * size or size == 0.0:
            raise InvalidValue(f"The three points {when} lie on one line, so they do not fix an orientation.")
        x = u / np.linalg.norm(u)
        z = normal / np.linalg.norm(normal)
        triangles.append((p, np.column_stack([x, np.cross(z, x), z])))
    (p, frame_before), (q, frame_after) = triangles
    for i, j in ((0, 1), (1, 2), (0, 2)):
        first, second = float(np.linalg.norm(p[i] - p[j])), float(np.linalg.norm(q[i] - q[j]))
        if abs(first - second) > 1e-6 * max(first, second):
            raise InvalidValue(
                f"The points {i + 1} and {j + 1} are {first:.6g} m apart before and {second:.6g} m after; "
                "a rigid motion keeps distances."
            )
    rotation = frame_after @ frame_before.T
    return Pose.from_rotation(rotation, q[0] - rotation @ p[0])


def _rows(rotation: NDArray[np.float64], xyz: Triple) -> Rows:
    r = rotation
    return (
        float(r[0, 0]), float(r[0, 1]), float(r[0, 2]), xyz[0],
        float(r[1, 0]), float(r[1, 1]), float(r[1, 2]), xyz[1],
        float(r[2, 0]), float(r[2, 1]), float(r[2, 2]), xyz[2],
    )  # fmt: skip


def _four(values: NDArray[np.float64]) -> tuple[float, float, float, float]:
    w, x, y, z = (float(v) for v in values)
    return w, x, y, z


_QUARTERS = {
    0.0: (0.0, 1.0),
    math.pi / 2: (1.0, 0.0),
    -math.pi / 2: (-1.0, 0.0),
    math.pi: (0.0, -1.0),
    -math.pi: (0.0, -1.0),
}


def _sin_cos(angle: float) -> tuple[float, float]:
    """Sine and cosine, exact at quarter turns so that a cube's corners meet exactly."""
    return _QUARTERS.get(angle) or (math.sin(angle), math.cos(angle))


def _finite(values: Sequence[float], what: str) -> None:
    if not all(map(math.isfinite, values)):
        raise InvalidValue(f"{what} must be finite numbers; found {list(values)}.")
