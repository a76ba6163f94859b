"""One step of the guidance of any arm, through its Jacobian: joint rates that draw the hand and keep every link away.

The pull is that of the thesis. Every pair of bodies within reach pushes as its obstacles do, at the nearest points of
the pair, and bounds how fast the pair may close, so that no distance is used up within one period. The rates are those
nearest to pull and pushes that keep the bounds, the joints' speeds and their ranges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.planning.guidance import _kernels_bounded as kernels
from workcell.planning.guidance.destinations import soonest
from workcell.planning.guidance.nearby import Near

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ArmConstants:
    """Constants of the guidance of an arm of the cell.

    Attributes:
        speed: how fast the hand is drawn to its destination [m/s].
        turn: how fast it turns to its attitude [rad/s].
        reach: the distance from obstacles at which their push begins [m].
        gain: how fast the last of the way is used up [1/s].
        caution: how fast a distance to an obstacle may be used up [1/s].
        damping: how much large joint rates are avoided near singular postures, as a part of what joints move the hand.
        lever: what one radian of attitude counts beside one metre of position [m].
    """

    speed: float = 0.25
    turn: float = 1.5
    reach: float = 0.05
    gain: float = 4.0
    caution: float = 4.0
    damping: float = 0.03
    lever: float = 0.2

    def __post_init__(self) -> None:
        for name, words in _WORDS.items():
            value = getattr(self, name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not math.isfinite(value) or value <= 0.0:
                raise InvalidValue(f"{words} of a guided hand is a number above zero; found {value!r}.")


_CUSHION = 0.1
"""How far things are kept apart beyond what is required, as a part of the reach."""

_WORDS = {
    "speed": "The speed",
    "turn": "The speed of turning",
    "reach": "The distance to keep",
    "gain": "The gain",
    "caution": "The caution",
    "damping": "The damping",
    "lever": "The lever",
}


@dataclass(frozen=True, eq=False)
class Aim:
    """Where the hand is to go from here.

    Attributes:
        away: from the hand to its destination (3,) [m].
        turn: the rotation vector from its attitude to the wanted one (3,) [rad]; None for any attitude.
        velocity: of the destination (3,) [m/s].
        spin: of the destination (3,) [rad/s].
    """

    away: Array
    turn: Array | None = None
    velocity: Array | None = None
    spin: Array | None = None

    @property
    def distance(self) -> float:
        """How far the hand is from its destination [m]."""
        return float(np.linalg.norm(self.away))

    @property
    def angle(self) -> float:
        """How far it is from its attitude [rad]."""
        return 0.0 if self.turn is None else float(np.linalg.norm(self.turn))


def pull(aim: Aim, constants: ArmConstants) -> Array:
    """Return the velocity that the hand is drawn with (3,), or with its angular velocity (6,)."""
    moves = np.zeros(3) if aim.velocity is None else aim.velocity
    rate = constants.gain
    if aim.distance > 0.0:
        time = soonest(aim.away, moves, constants.speed)
        rate = min(rate, 1.0 / time) if time > 0.0 else rate
    velocity = moves + rate * aim.away
    if aim.turn is None:
        return velocity
    size = aim.angle
    turning = aim.turn * min(constants.gain, constants.turn / size) if size > 0.0 else aim.turn
    return np.concatenate([velocity, turning if aim.spin is None else turning + aim.spin])


def arm_rates(
    jacobian: Array,
    aim: Aim,
    near: Sequence[Near],
    room: tuple[Array, Array],
    speeds: Array,
    period: float,
    constants: ArmConstants,
    moving: Array | None = None,
    accelerations: Array | None = None,
) -> Array:
    """Return joint rates (n,) [rad/s or m/s].

    Args:
        jacobian: of the hand in the world (6, n).
        aim: where it is to go.
        near: what is near the arm.
        room: how far each joint may still go down and up, both zero or more (n,).
        speeds: the greatest rates (n,).
        period: how long the rates will hold [s].
        constants: of the guidance.
        moving: the rates that the joints have now (n,), where it takes time to change them.
        accelerations: how fast they can change (n,).
    """
    n = len(speeds)
    wanted = pull(aim, constants)
    scale = np.array([1.0] * 3 + [constants.lever] * 3)[: len(wanted)]
    J = jacobian[: len(wanted)] * scale[:, None]
    pushes = [one for one in near if not one.own and one.distance < constants.reach]
    closing = [one for one in near if one.distance > 0.0]
    caution = min(constants.caution, 0.3 / period)
    low, high = _box(room, speeds, caution, period, moving, accelerations)
    approach = _rows(closing, n)
    left = np.array([one.distance - _least(one, constants) for one in closing])
    if moving is not None and closing:
        left += period * np.minimum(approach @ moving - np.array([one.comes for one in closing]), 0.0)
    bound = [
        one.comes + (-caution * d if d > 0.0 else 0.0 if one.own else _recovery(d, constants))
        for one, d in zip(closing, left.tolist(), strict=True)
    ]
    found = np.empty(n)
    kernels.rates(
        np.ascontiguousarray(J),
        wanted * scale,
        # On the last of the way obstacles beside the destination only bound how fast they are approached.
        min(1.0, aim.distance / (2.0 * constants.reach)),
        _rows(pushes, n),
        np.array([_push(one, constants) for one in pushes]),
        constants.damping**2 * (float((J * J).sum()) / n + 1e-6),
        approach,
        np.array(bound),
        low,
        high,
        found,
    )
    return found


def _rows(near: Sequence[Near], n: int) -> Array:
    return np.array([one.row for one in near]) if near else np.empty((0, n))


def _box(
    room: tuple[Array, Array],
    speeds: Array,
    caution: float,
    period: float,
    moving: Array | None,
    accelerations: Array | None,
) -> tuple[Array, Array]:
    """Return the least and the greatest rates: by speeds, ranges, and how much rates can change in a period."""
    low = -np.minimum(speeds, caution * np.maximum(room[0], 0.0))
    high = np.minimum(speeds, caution * np.maximum(room[1], 0.0))
    if moving is None or accelerations is None:
        return low, high
    least, most = moving - accelerations * period, moving + accelerations * period
    return np.clip(low, least, most), np.clip(high, least, most)


def _least(near: Near, constants: ArmConstants) -> float:
    """Return the distance that a pair is kept apart [m]: what is required and a part of the reach."""
    return near.safe if near.own else near.safe + _CUSHION * constants.reach


def _recovery(inside: float, constants: ArmConstants) -> float:
    """Return how fast a pair that is nearer than it may be has to part [m/s]."""
    return min(-constants.caution * inside, 0.1 * constants.speed)


def _push(near: Near, constants: ArmConstants) -> float:
    """Return how fast an obstacle pushes: f(d) of A-4, scaled to the reach, no faster than is needed."""
    reach = constants.reach
    d = max(near.distance - near.safe, 1e-9)
    if d >= reach:
        return 0.0
    relative = d / reach
    most = min(constants.speed, constants.caution * (reach - d))
    return min(2.0 * (1.0 - relative) / relative**3 * constants.speed, most)
