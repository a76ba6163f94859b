"""Arms of the library as chains of generalised links: which joint is which length, twist or rotation.

A generalised link is a length along its x axis, a twist about that axis, and a turn about the z axis at its end. A row
of a Denavit–Hartenberg table is cut into such parts: a shift along the axis of a joint is a link, and the joint its
twist; a joint without a shift turns what follows. What lies between two parts is a fixed rotation, and becomes part of
the twists and turns beside it. Every link that is not clamped has to have a length, since the method divides by it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import Refused
from workcell.kinematics.dh import Chain
from workcell.planning.guidance.links import LinkArm, frozen
from workcell.spatial.pose import Pose

Array = NDArray[np.float64]

_DIVIDES = "the guidance of the thesis divides by the length of a link; use `method jacobian`"
_NONE = 1e-9
"""Lengths below this are none [m]; angles below it are none [rad]."""


@dataclass(frozen=True)
class _Value:
    """A number that a joint may add to: ``constant + sign · q[joint]``."""

    constant: float = 0.0
    joint: int = -1
    sign: int = 1

    @property
    def moves(self) -> bool:
        """Whether a joint changes it."""
        return self.joint >= 0

    def __neg__(self) -> _Value:
        return _Value(-self.constant, self.joint, -self.sign)

    def __add__(self, other: _Value) -> _Value:
        total = self.constant + other.constant
        if self.moves and other.moves:
            raise Refused(
                f"Joints {self.joint + 1} and {other.joint + 1} move about one line, so they are no two parameters.",
                joints=(self.joint + 1, other.joint + 1),
            )
        moving = self if self.moves else other
        return _Value(total, moving.joint, moving.sign)


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of a chain: a link along x with its twist, or a joint that turns about z.

    Attributes:
        turned: how it is turned in the frame after the part before (3, 3).
        is_link: whether it is a link.
        turn: its twist about x, or its turn about z.
        length: of a link.
    """

    turned: Array
    is_link: bool
    turn: _Value = _Value()
    length: _Value = _Value()


@dataclass(frozen=True, eq=False)
class Mapped:
    """An arm of the library as an arm of generalised links.

    Attributes:
        arm: the links, with the ranges of the joints as bounds.
        X_base_arm: the frame of link 1 in the base of the robot.
        joints: for each parameter the joint that moves it, −1 for none (3N+3,).
        signs: by how much it grows with the joint (3N+3,): 1 or −1, for lengths in the unit of the arm.
        constants: the parameters where all joints are zero (3N+3,).
        carried: for each link how many joints come before it (N+1,).
    """

    arm: LinkArm
    X_base_arm: Pose
    joints: NDArray[np.int64]
    signs: Array
    constants: Array
    carried: tuple[int, ...]

    def parameters(self, q: ArrayLike) -> Array:
        """Return the parameters of the links at joint values (3N+3,)."""
        values = np.asarray(q, dtype=float)
        return np.where(self.joints >= 0, self.constants + self.signs * values[self.joints], self.constants)

    def joint_rates(self, rates: ArrayLike, n: int) -> Array:
        """Return the rates of ``n`` joints by those of the parameters (n,)."""
        out, given = np.zeros(n), np.asarray(rates, dtype=float)
        moved = self.joints >= 0
        out[self.joints[moved]] = given[moved] / self.signs[moved]
        return out

    def speeds(self, most: ArrayLike) -> Array:
        """Return the greatest rates of the parameters by those of the joints; infinite where nothing moves (3N+3,)."""
        return np.where(self.joints >= 0, np.abs(self.signs) * np.asarray(most, dtype=float)[self.joints], math.inf)

    def in_units(self, unit: float, half_thickness: ArrayLike) -> Mapped:
        """Return the same arm with its lengths in another unit [m], and links of a thickness in that unit."""
        n = self.arm.n
        scale = np.ones(3 * n + 3)
        scale[: n + 1] = scale[-2:] = 1.0 / unit
        arm = LinkArm(self.arm.low * scale, self.arm.high * scale, np.asarray(half_thickness, dtype=float))
        return replace(self, arm=arm, signs=frozen(self.signs * scale), constants=frozen(self.constants * scale))


def mapped(chain: Chain, limits: ArrayLike, tip: ArrayLike, half_thickness: ArrayLike = 0.0) -> Mapped:
    """Return a chain as generalised links whose last end point is a point of the last link.

    Args:
        chain: the chain of the arm.
        limits: the ranges of its joints (n, 2).
        tip: the point in the frame of the last link (3,) [m].
        half_thickness: of every link, or of each (N+1,) [m].

    Raises:
        Refused: joints meet in a point, or move along one line; the sentence names them.
    """
    ranges = np.asarray(limits, dtype=float)
    parts = _parts(chain, np.asarray(tip, dtype=float), ranges)
    links, turns = _joined(parts)
    n = len(turns)
    values = [
        *(link.length for link in links),
        *(link.turn for link in links[:n]),
        *turns,
        _Value(),
        _Value(),
    ]
    bounds = [_bounds(value, ranges) for value in values]
    for number, (low, high) in enumerate(bounds[1 : n + 1], start=2):
        if low < _NONE:
            joint = links[number - 1].length.joint + 1
            raise Refused(f"Joint {joint} can draw its link in to nothing, and {_DIVIDES}.", joint=joint, most=high)
    low, high = np.array(bounds).T
    return Mapped(
        LinkArm(low, high, np.broadcast_to(np.asarray(half_thickness, dtype=float), (n + 1,))),
        chain.X_base_0 @ Pose.from_rotation(parts[0].turned),
        np.array([value.joint for value in values], dtype=np.int64),
        frozen([float(value.sign) for value in values]),
        frozen([value.constant for value in values]),
        _carried(links, turns),
    )


def _parts(chain: Chain, tip: Array, limits: Array) -> list[_Part]:
    """Return the parts of a chain, a link first; what lies between two of them is a fixed rotation."""
    parts: list[_Part] = []
    R = np.eye(3)
    last = len(chain.rows) - 1
    for number, row in enumerate(chain.rows):
        turn = _Value(row.theta, -1 if row.prismatic else number)
        shift = _Value(row.d, number if row.prismatic else -1)
        a, alpha = row.a, row.alpha
        if number == last:  # only the place of the tip counts beyond the last joint
            x, y, z = _about_x(alpha) @ tip + [a, 0.0, 0.0]
            a, alpha = math.hypot(x, y), 0.0
            turn, shift = turn + _Value(math.atan2(y, x) if a > _NONE else 0.0), shift + _Value(float(z))
        R = _joint(parts, R, turn, shift, a, limits)
        if abs(a) > _NONE:
            R = _link(parts, R, _Value(), _Value(a), limits)
        R = R @ _about_x(alpha)
    while not parts[-1].is_link:  # joints that do not move the tip
        parts.pop()
    return parts


def _joint(parts: list[_Part], R: Array, turn: _Value, shift: _Value, a: float, limits: Array) -> Array:
    """Add a joint to the parts; return how what follows is turned after it."""
    short = not shift.moves and abs(shift.constant) < _NONE
    if not short:
        return _link(parts, R @ _TO_Z, turn, shift, limits) @ _TO_Z.T
    if not turn.moves:
        return R @ _about_z(turn.constant)
    if not parts and abs(a) < _NONE:  # it turns the arm about the axis of the link that is clamped
        return _link(parts, R @ _TO_Z, turn, _Value(), limits) @ _TO_Z.T
    if not parts:
        parts.append(_Part(np.eye(3), True))
    before, along = parts[-1], R[:, 2]
    if before.is_link and abs(abs(along[0]) - 1.0) < _NONE and not before.turn.moves:  # it twists the link before
        parts[-1] = replace(before, turn=before.turn + (turn if along[0] > 0.0 else -turn))
        return R
    parts.append(_Part(R, False, turn))
    return np.eye(3)


def _link(parts: list[_Part], R: Array, turn: _Value, length: _Value, limits: Array) -> Array:
    """Add a link along x to the parts, towards its end; return how what follows is turned after it."""
    if _bounds(length, limits)[1] < 0.0:
        parts.append(_Part(R @ _about_z(math.pi), True, -turn, -length))
        return _about_z(math.pi)
    parts.append(_Part(R, True, turn, length))
    return np.eye(3)


def _joined(parts: Sequence[_Part]) -> tuple[list[_Part], list[_Value]]:
    """Return links and the turns between them; fixed rotations become parts of twists and turns."""
    links, turns = [parts[0]], list[_Value]()
    for before, part in itertools.pairwise(parts):
        R = part.turned
        if before.is_link and part.is_link:
            first, middle, after = _x_z_x(R)
            links[-1] = replace(links[-1], turn=links[-1].turn + _Value(first))
            turns.append(_Value(middle))
            links.append(replace(part, turn=part.turn + _Value(after)))
        elif before.is_link:
            if abs(R[0, 2]) > _NONE:
                raise _refused(before, part, "is not square to the link before it, as the method needs")
            first = math.atan2(-R[1, 2], R[2, 2])
            links[-1] = replace(links[-1], turn=links[-1].turn + _Value(first))
            left = _about_x(-first) @ R
            turns.append(part.turn + _Value(math.atan2(left[1, 0], left[0, 0])))
        elif part.is_link:
            if abs(R[2, 0]) > _NONE:
                raise _refused(part, before, "is not square to the link after it, as the method needs")
            middle = math.atan2(R[1, 0], R[0, 0])
            turns[-1] = turns[-1] + _Value(middle)
            left = _about_z(-middle) @ R
            links.append(replace(part, turn=part.turn + _Value(math.atan2(left[2, 1], left[1, 1]))))
        else:
            raise _refused(before, part, "meets the joint before it in a point: a link between them has no length")
    return links, turns


def _refused(before: _Part, part: _Part, why: str) -> Refused:
    joint = max(before.turn.joint, part.turn.joint) + 1 if not part.is_link else before.turn.joint + 1
    joint = part.turn.joint + 1 if part.turn.moves and not part.is_link else joint
    return Refused(f"Joint {joint} {why}, and {_DIVIDES}.", joint=joint)


def _x_z_x(R: Array) -> tuple[float, float, float]:
    """Return the angles of turns about x, z and x that make a rotation."""
    sine = math.hypot(R[1, 0], R[2, 0])
    if sine < _NONE:
        half = R[0, 0] < 0.0
        return 0.0, math.pi if half else 0.0, math.atan2(-R[1, 2] if not half else R[1, 2], R[2, 2])
    return math.atan2(R[2, 0], R[1, 0]), math.atan2(sine, R[0, 0]), math.atan2(R[0, 2], -R[0, 1])


def _about_x(angle: float) -> Array:
    return Pose.from_axis_angle((1.0, 0.0, 0.0), angle).rotation


def _about_z(angle: float) -> Array:
    return Pose.from_axis_angle((0.0, 0.0, 1.0), angle).rotation


_TO_Z = Pose.from_axis_angle((0.0, 1.0, 0.0), -math.pi / 2.0).rotation
"""The rotation that brings x to z."""


def _bounds(value: _Value, limits: Array) -> tuple[float, float]:
    if not value.moves:
        return value.constant, value.constant
    ends = sorted(value.constant + value.sign * end for end in limits[value.joint])
    return float(ends[0]), float(ends[1])


def _carried(links: Sequence[_Part], turns: Sequence[_Value]) -> tuple[int, ...]:
    """Return for each link how many joints come before it, its own twist and length left out."""
    before, out = 0, []
    for number, link in enumerate(links):
        out.append(before)
        turn = turns[number].joint if number < len(turns) else -1
        before = max(before, 1 + max(link.turn.joint, link.length.joint, turn))
    return tuple(out)
