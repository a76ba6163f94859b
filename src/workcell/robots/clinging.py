"""The common base of hands that hold a part on one side only, with suction cups or magnets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.robots.gripper import GRIPPER_TIMES
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import finite
from workcell.spatial.units import GRAVITY

Array = NDArray[np.float64]
Triple = tuple[float, float, float]
FARTHEST = 10.0
"""The greatest distance of a pad from the flange [m]."""
WIDEST = 1.0
"""The greatest width of a pad [m]."""
_TOUCH = 1e-9
"""Pads that overlap by no more than this count as touching [m]."""


@dataclass(frozen=True, kw_only=True)
class ClingingHand:
    """A hand that holds parts on one side: its pads face along z of its mounting frame.

    Attributes:
        name: its name.
        X_flange_mount: its own mounting face in the flange frame, z out of the arm.
        mass: the mass of the whole hand [kg], or None if it is not known.
        safety: the safety factor on the force that a part needs.
        friction: the friction between pad and part, against sliding along the face.
        acceleration: the greatest acceleration of moves, in the worst direction [m/s²].
        close_time: the time to close [s].
        open_time: the time to release a part [s].
        build_up: the time in which the force builds up after closing [s].
    """

    name: str
    X_flange_mount: Pose = field(default_factory=Pose.identity)
    mass: float | None = None
    safety: float = 2.0
    friction: float = 0.5
    acceleration: float = 0.0
    close_time: float = 0.0
    open_time: float = 0.0
    build_up: float = 0.0

    def _require(self, what: str) -> None:
        """Refuse wrong figures that all such hands have."""
        if self.mass is not None:
            above(self.mass, 0.0, f"The mass of {what}")
        above(self.safety, 1.0, f"The safety factor of {what}", equal=True)
        above(self.friction, 0.0, f"The friction of {what}")
        above(self.acceleration, 0.0, f"The acceleration of {what}", equal=True)
        for name in GRIPPER_TIMES:
            above(getattr(self, name), 0.0, f"The {name} of {what}", equal=True)

    def _require_pads(self, pads: Sequence[tuple[Triple, float]], one: str) -> None:
        """Refuse pads that are too far out, too wide or in the same place: each of them would count.

        Args:
            pads: the place of each pad, and its diameter [m].
            one: the word for a pad; its plural is the property with the places.
        """
        for number, (place, diameter) in enumerate(pads, 1):
            far = math.hypot(*place)
            if far > FARTHEST:
                raise InvalidValue(
                    f"{one.capitalize()} {number} of {self.name!r} is {far:g} m from the flange; the limit is "
                    f"{FARTHEST:g} m. Change `{one}s`."
                )
            if diameter > WIDEST:
                raise InvalidValue(
                    f"{one.capitalize()} {number} of {self.name!r} has a diameter of {diameter:g} m; the "
                    f"limit is {WIDEST:g} m. Change `diameter`."
                )
        flat, radii = np.array([place[:2] for place, _ in pads]), np.array([size / 2.0 for _, size in pads])
        for first in range(len(pads) - 1):
            apart = np.hypot(*(flat[first + 1 :] - flat[first]).T)
            wide = radii[first + 1 :] + radii[first]
            near = np.flatnonzero(apart < wide - _TOUCH)
            if near.size:
                k = int(near[0])
                raise InvalidValue(
                    f"{one.capitalize()}s {first + 1} and {first + k + 2} of {self.name!r} overlap: their middles are "
                    f"{apart[k] * 1e3:.4g} mm apart, and they need {wide[k] * 1e3:.4g} mm; change `{one}s` or "
                    "`diameter`."
                )

    @property
    def places(self) -> Array:
        """The places where its pads touch a part (n, 3), in its mounting frame [m]."""
        raise NotImplementedError

    @property
    def X_flange_grip(self) -> Pose:
        """The grip frame in the flange frame: in the middle of the pads, z the direction of approach."""
        x, y, z = self.places.mean(axis=0).tolist()
        return self.X_flange_mount @ Pose.from_xyz(x, y, z)

    @property
    def approach(self) -> Array:
        """The direction of approach (3,) in the flange frame."""
        return self.X_flange_mount.rotation[:, 2]

    def time(self, closing: bool) -> float:
        """The time until a part is held, or released [s]."""
        return self.close_time + self.build_up if closing else self.open_time

    def needed_force(self, mass: float, down: ArrayLike) -> float:
        """The force that the pads need to hold a part, with the safety factor [N].

        The part's weight pulls it off the pads or slides it along them, where only friction holds it. The
        acceleration of a move does the same, in the worst direction: S·m·(g·n + g·t/μ + a·√(1 + 1/μ²)), not below zero.

        Args:
            mass: the mass of the part [kg].
            down: the direction of gravity (3,) in the mounting frame.
        """
        direction = finite(down, (3,), "The direction of gravity")
        direction = direction / np.linalg.norm(direction)
        off, along = float(direction[2]), float(math.hypot(direction[0], direction[1]))
        shaken = self.acceleration * math.sqrt(1.0 + 1.0 / self.friction**2)
        return max(0.0, self.safety * mass * (GRAVITY * (off + along / self.friction) + shaken))


def above(value: float, bound: float, what: str, equal: bool = False) -> float:
    """Return a finite number above a bound, or equal to it; refuse any other."""
    if math.isfinite(value) and (value > bound or (equal and value == bound)):
        return float(value)
    words = f"{bound:g} or more" if equal else f"greater than {'zero' if bound == 0.0 else f'{bound:g}'}"
    raise InvalidValue(f"{what} must be {words}; found {value:g}.")


def each(values: Sequence[float], count: int, what: str) -> tuple[float, ...]:
    """One value for every pad, from one value for all or one for each."""
    if len(values) == 1:
        return (float(values[0]),) * count
    if len(values) != count:
        raise InvalidValue(f"{what}: give one value for all, or {count} values; found {len(values)}.")
    return tuple(float(value) for value in values)


def triples(values: Sequence[float], what: str) -> tuple[Triple, ...]:
    """Places from a row of numbers, three coordinates each."""
    if not values or len(values) % 3:
        raise InvalidValue(f"{what} need three coordinates each: x,y,z,x,y,z,…; found {len(values)} numbers.")
    rows = np.reshape(np.asarray(values, dtype=float), (-1, 3)).tolist()
    return tuple((float(x), float(y), float(z)) for x, y, z in rows)


def frozen(rows: Sequence[Triple]) -> Array:
    """Places as a read-only array (n, 3)."""
    found = np.array(rows, dtype=float).reshape(-1, 3)
    found.flags.writeable = False
    return found
