"""A serial chain of joints as a table of Denavit–Hartenberg rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.spatial.pose import Pose

FloatArray = NDArray[np.float64]

_LONGEST = 100.0
"""A link longer than this [m] was probably typed in millimetres."""


class ImplausibleDH(UserWarning):
    """A DH table that is valid but whose units are probably wrong."""


@dataclass(frozen=True, slots=True)
class DHRow:
    """One joint and the link after it, in standard form: A = Tz(d)·Rz(theta)·Tx(a)·Rx(alpha).

    The joint value is added to ``theta`` [rad] of a revolute joint and to ``d`` [m] of a prismatic one.

    Attributes:
        theta: the rotation about z before the joint moves [rad].
        d: the shift along z before the joint moves [m].
        a: the shift along the turned x [m].
        alpha: the twist about that x [rad].
        prismatic: whether the joint slides along z; otherwise it turns about z.
    """

    theta: float
    d: float
    a: float
    alpha: float
    prismatic: bool = False


class Chain:
    """A serial chain: DH rows between a base frame and a tool frame. A frozen value.

    ``X_base_0`` places frame 0 (the first joint's axis is its z) in the base; ``X_n_tool`` places the tool in
    the last link's frame. Joint values are DH values.

    Args:
        rows: one row per joint: a ``DHRow``, a mapping with its field names, or a sequence
            (theta, d, a, alpha[, prismatic]).
        X_base_0: the first joint's frame in the base.
        X_n_tool: the tool in the last link's frame.
    """

    __slots__ = ("X_base_0", "X_n_tool", "_cache", "_hash", "prismatic", "rows", "table")
    rows: tuple[DHRow, ...]
    table: FloatArray
    """theta, d, a, alpha of each row, (n, 4), read-only."""
    prismatic: NDArray[np.bool_]
    """Which joints slide, (n,), read-only."""
    X_base_0: Pose
    X_n_tool: Pose
    _hash: int
    _cache: dict[str, Any]

    def __init__(
        self,
        rows: Iterable[DHRow | Sequence[float] | dict[str, Any]],
        X_base_0: Pose | None = None,
        X_n_tool: Pose | None = None,
    ) -> None:
        checked = tuple(_checked_row(row, number) for number, row in enumerate(_listed(rows), start=1))
        if not checked:
            raise InvalidValue("A chain needs at least one joint; the DH table is empty.")
        base = Pose.identity() if X_base_0 is None else X_base_0
        tool = Pose.identity() if X_n_tool is None else X_n_tool
        for name, pose in (("X_base_0", base), ("X_n_tool", tool)):
            if not isinstance(pose, Pose):
                raise InvalidValue(f"{name} must be a Pose; found {type(pose).__name__}.")
        table = np.array([(row.theta, row.d, row.a, row.alpha) for row in checked])
        prismatic = np.array([row.prismatic for row in checked])
        table.flags.writeable = False
        prismatic.flags.writeable = False
        values = {"rows": checked, "table": table, "prismatic": prismatic, "X_base_0": base, "X_n_tool": tool}
        for name, value in values.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_hash", hash((checked, base, tool)))
        object.__setattr__(self, "_cache", {})

    # ---- construction ---------------------------------------------------------------------------------

    @classmethod
    def from_modified(
        cls,
        rows: Iterable[DHRow | Sequence[float] | dict[str, Any]],
        X_base_0: Pose | None = None,
        X_n_tool: Pose | None = None,
    ) -> Chain:
        """A chain from modified (Craig) rows, A = Rx(alpha)·Tx(a)·Rz(theta)·Tz(d), converted.

        The first row's alpha and a become part of ``X_base_0``; each later pair moves to the row before. Tool
        poses are the same for the same joint values; link frames are at the far ends of their links.
        """
        given = [_checked_row(row, number) for number, row in enumerate(_listed(rows), start=1)]
        if not given:
            raise InvalidValue("A chain needs at least one joint; the DH table is empty.")
        first = Pose.from_axis_angle((1, 0, 0), given[0].alpha) @ Pose.from_xyz(given[0].a, 0, 0)
        after = [(row.a, row.alpha) for row in given[1:]] + [(0.0, 0.0)]
        moved = [DHRow(row.theta, row.d, a, alpha, row.prismatic) for row, (a, alpha) in zip(given, after, strict=True)]
        return cls(moved, first if X_base_0 is None else X_base_0 @ first, X_n_tool)

    @classmethod
    def from_axes(
        cls,
        points: ArrayLike,
        directions: ArrayLike,
        prismatic: Sequence[bool] | None = None,
        X_base_tool: Pose | None = None,
    ) -> Chain:
        """A chain from its joint axes, as they lie in the base when every joint value is zero.

        Args:
            points: a point of each axis (n, 3) [m].
            directions: the positive direction of each axis (n, 3), of any non-zero length.
            prismatic: which joints slide; none by default.
            X_base_tool: the tool in the base at zero joint values.
        """
        p = np.array(points, dtype=np.float64)
        z = np.array(directions, dtype=np.float64)
        if p.ndim != 2 or p.shape[1:] != (3,) or z.shape != p.shape or not len(p):
            raise InvalidValue(f"Axes need points and directions of shape (n, 3); found {p.shape}, {z.shape}.")
        lengths = np.linalg.norm(z, axis=1)
        if not (np.isfinite(p).all() and np.isfinite(z).all() and (lengths > 1e-12).all()):
            raise InvalidValue("Axes need finite points and non-zero directions.")
        slides = [False] * len(p) if prismatic is None else [bool(s) for s in prismatic]
        if len(slides) != len(p):
            raise InvalidValue(f"There are {len(p)} axes but {len(slides)} joint kinds.")
        tool = Pose.identity() if X_base_tool is None else X_base_tool
        frames = _frames_on_axes(p, z / lengths[:, None])
        rows = []
        for here, there, slide in zip(frames[:-1], frames[1:], slides[:-1], strict=True):
            rows.append(_row_between(here, there, slide))
        rows.append(DHRow(0.0, 0.0, 0.0, 0.0, slides[-1]))
        last = Pose.from_rotation(frames[-1][:3, :3], frames[-1][:3, 3])
        return cls(rows, Pose.from_rotation(frames[0][:3, :3], frames[0][:3, 3]), last.inverse() @ tool)

    def with_tool(self, X_n_tool: Pose) -> Chain:
        """The same chain with another tool frame."""
        return Chain(self.rows, self.X_base_0, X_n_tool)

    def with_base(self, X_base_0: Pose) -> Chain:
        """The same chain on another base."""
        return Chain(self.rows, X_base_0, self.X_n_tool)

    # ---- reading it -----------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """The number of joints."""
        return len(self.rows)

    def joints(self, q: ArrayLike) -> FloatArray:
        """Return the joint values as a float64 array (n,); refuse a wrong count or number."""
        try:
            array = np.asarray(q, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidValue(f"Joint values must be {self.n} numbers; found {q!r}.") from error
        if array.shape != (self.n,):
            raise InvalidValue(
                f"This arm has {self.n} joints and needs {self.n} joint values; found shape {array.shape}.",
                shape=array.shape,
            )
        if not all(map(math.isfinite, array.tolist())):
            raise InvalidValue(f"Joint values must be finite; found {array.tolist()}.")
        return array

    def joints_batch(self, Q: ArrayLike) -> FloatArray:
        """Return joint values (N, n) as a contiguous float64 array; refuse a wrong shape or number."""
        try:
            array = np.ascontiguousarray(Q, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidValue(f"A batch of joint values must be numbers (N, {self.n}).") from error
        if array.ndim != 2 or array.shape[1] != self.n:
            raise InvalidValue(
                f"A batch of joint values must have shape (N, {self.n}); found {array.shape}.",
                shape=array.shape,
            )
        with np.errstate(all="ignore"):  # a sum is not finite if a value is not: one quick pass for the usual case
            quick = bool(np.isfinite(array.sum()))
        if not quick and not np.isfinite(array).all():
            row = int(np.argmin(np.isfinite(array).all(axis=1)))
            raise InvalidValue(f"Joint values must be finite; row {row} is {array[row].tolist()}.", row=row)
        return array if array.flags.writeable else array.copy()  # one compiled variant serves both

    # ---- being a value --------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A Chain is a frozen value; make a new one instead of setting {name!r}.")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Chain):
            return NotImplemented
        return self is other or (
            self.rows == other.rows and self.X_base_0 == other.X_base_0 and self.X_n_tool == other.X_n_tool
        )

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return Chain, (self.rows, self.X_base_0, self.X_n_tool)

    def __repr__(self) -> str:
        kinds = "".join("P" if row.prismatic else "R" for row in self.rows)
        return f"<Chain {kinds}>"


def cache_of(chain: Chain) -> dict[str, Any]:
    """The place for data that this package derives from a chain (models, solvers); never part of its value."""
    return chain._cache


def arm_of(chain: Chain) -> tuple[FloatArray, NDArray[np.bool_], FloatArray, FloatArray]:
    """The arguments of compiled solvers: (theta, d, a, cos alpha, sin alpha) rows, slides, base and tool matrices."""
    found: tuple[FloatArray, NDArray[np.bool_], FloatArray, FloatArray] | None = chain._cache.get("arm")
    if found is None:
        table = chain.table
        arm = np.column_stack([table[:, :3], np.cos(table[:, 3]), np.sin(table[:, 3])])
        found = (np.ascontiguousarray(arm), chain.prismatic, chain.X_base_0.matrix, chain.X_n_tool.matrix)
        chain._cache["arm"] = found
    return found


def row_matrix(row: DHRow, q: float = 0.0) -> FloatArray:
    """The 4×4 of one row at a joint value."""
    theta = row.theta + (0.0 if row.prismatic else q)
    d = row.d + (q if row.prismatic else 0.0)
    c, s = math.cos(theta), math.sin(theta)
    ca, sa = math.cos(row.alpha), math.sin(row.alpha)
    return np.array(
        [
            [c, -s * ca, s * sa, row.a * c],
            [s, c * ca, -c * sa, row.a * s],
            [0.0, sa, ca, d],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def _listed(rows: object) -> list[Any]:
    if isinstance(rows, (str, bytes)) or not isinstance(rows, Iterable):
        raise InvalidValue(f"A DH table is a list of rows; found {type(rows).__name__}.")
    return list(rows)


def _checked_row(row: DHRow | Sequence[float] | dict[str, Any], number: int) -> DHRow:
    names = ("theta", "d", "a", "alpha")
    if isinstance(row, DHRow):
        values: tuple[Any, ...] = (row.theta, row.d, row.a, row.alpha)
        prismatic: Any = row.prismatic
    elif isinstance(row, dict):
        unknown = sorted(set(row) - {*names, "prismatic"})
        missing = [name for name in names if name not in row]
        if unknown or missing:
            found = f"unknown {', '.join(unknown)}" if unknown else f"no {', '.join(missing)}"
            raise InvalidValue(f"DH row {number} has {found}; it needs theta, d, a, alpha (and prismatic).")
        values = tuple(row[name] for name in names)
        prismatic = row.get("prismatic", False)
    else:
        entries: tuple[Any, ...] = tuple(row) if isinstance(row, Iterable) else (row,)
        if len(entries) not in (4, 5):
            raise InvalidValue(
                f"DH row {number} has {len(entries)} entries; it needs theta, d, a, alpha (and prismatic).",
                row=number,
            )
        values, prismatic = entries[:4], (entries[4] if len(entries) == 5 else False)
    try:
        theta, d, a, alpha = (float(value) for value in values)
    except (TypeError, ValueError) as error:
        raise InvalidValue(f"DH row {number} must hold numbers; found {values!r}.", row=number) from error
    for name, value in zip(names, (theta, d, a, alpha), strict=True):
        if not math.isfinite(value):
            raise InvalidValue(f"{name} of DH row {number} must be finite; found {value}.", row=number)
    if prismatic not in (True, False):
        raise InvalidValue(f"prismatic of DH row {number} must be true or false; found {prismatic!r}.")
    if not isinstance(row, DHRow):  # such a row has been read before, or follows from lengths whose unit was stated
        _warn_of_units(number, theta, d, a, alpha)
    return DHRow(theta, d, a, alpha, bool(prismatic))


def _warn_of_units(number: int, theta: float, d: float, a: float, alpha: float) -> None:
    for name, angle in (("alpha", alpha), ("theta", theta)):
        if abs(angle) > 2.0 * math.pi + 1e-9:
            warnings.warn(
                f"{name} of DH row {number} is {angle:g} rad; if degrees were meant, "
                f"it is {math.radians(angle):.6g} rad.",
                ImplausibleDH,
                stacklevel=4,
            )
    for name, length in (("d", d), ("a", a)):
        if abs(length) > _LONGEST:
            warnings.warn(
                f"{name} of DH row {number} is {length:g} m; if millimetres were meant, it is {length * 1e-3:g} m.",
                ImplausibleDH,
                stacklevel=4,
            )


# ---- frames on given axes -----------------------------------------------------------------------------


def _frames_on_axes(points: FloatArray, directions: FloatArray) -> list[FloatArray]:
    """A frame on each axis: z along it, with origin and x such that a DH row leads to the next frame.

    Frame i (for axis i) has its x along the common normal from axis i−1 to axis i. The first frame is turned
    so that its own row has no offset, if possible.
    """
    n = len(points)
    feet: list[tuple[FloatArray, FloatArray, FloatArray]] = []
    for i in range(n - 1):
        feet.append(_common_normal(points[i], directions[i], points[i + 1], directions[i + 1]))
    x_first = feet[0][2] if feet else _across(directions[0])
    o_first = feet[0][0] if feet else points[0]
    frames = [_frame(o_first, x_first, directions[0])]
    for i in range(1, n):
        _, foot, x = feet[i - 1]
        frames.append(_frame(foot, x, directions[i]))
    return frames


def _frame(origin: FloatArray, x: FloatArray, z: FloatArray) -> FloatArray:
    matrix = np.eye(4)
    matrix[:3, 0], matrix[:3, 1], matrix[:3, 2], matrix[:3, 3] = x, np.cross(z, x), z, origin
    return matrix


def _across(z: FloatArray) -> FloatArray:
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = helper - z * float(z @ helper)
    return np.asarray(x / np.linalg.norm(x))


def _common_normal(
    p1: FloatArray, z1: FloatArray, p2: FloatArray, z2: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The feet of the common normal on both axes, and its direction from the first to the second."""
    cross = np.cross(z1, z2)
    sine = float(np.linalg.norm(cross))
    between = p2 - p1
    if sine < 1e-9:  # parallel: the normal through the second axis' own point
        foot1 = p1 + z1 * float(between @ z1)
        gap = p2 - foot1
        length = float(np.linalg.norm(gap))
        return foot1, p2, gap / length if length > 1e-12 else _across(z1)
    s1 = float(np.linalg.det(np.stack([between, z2, cross]))) / sine**2
    s2 = float(np.linalg.det(np.stack([between, z1, cross]))) / sine**2
    foot1, foot2 = p1 + s1 * z1, p2 + s2 * z2
    gap = foot2 - foot1
    length = float(np.linalg.norm(gap))
    return foot1, foot2, gap / length if length > 1e-12 else cross / sine


def _row_between(here: FloatArray, there: FloatArray, prismatic: bool) -> DHRow:
    """The row that leads from one axis frame to the next (whose x is their common normal)."""
    x, z = there[:3, 0], there[:3, 2]
    theta = math.atan2(float(here[:3, 1] @ x), float(here[:3, 0] @ x))
    gap = there[:3, 3] - here[:3, 3]
    d, a = float(gap @ here[:3, 2]), float(gap @ x)
    alpha = math.atan2(float(np.cross(here[:3, 2], z) @ x), float(here[:3, 2] @ z))
    return DHRow(theta, d, a, alpha, prismatic)
