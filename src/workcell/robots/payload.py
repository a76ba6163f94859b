"""The load of an arm compared with its limits: masses with its payload, moments with those of its wrist's axes.

A mass that nobody states is reported as not known; nothing is assumed instead. The moment about an axis is that
of a load at rest in the worst pose: its weight times the greatest distance of its centre from the axis while
the joints after it turn through their ranges. Makers' tables of allowed moments have this meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.spatial.units import GRAVITY

Array = NDArray[np.float64]

_SLACK = 1e-9
"""A load may exceed its limit by this fraction, so that rounding does not refuse a load that equals the limit."""
_LOOKS = 5000
"""The approximate number of poses of the joints after an axis that are tried before the farthest is refined."""


@dataclass(frozen=True)
class Load:
    """Something that an arm carries.

    Attributes:
        name: its name.
        mass: [kg], or None if it is not known.
        centre: its centre of mass [m], in the frame of the flange when it is carried; None if it is not known.
        source: the origin of the mass, or why it is not known.
    """

    name: str
    mass: float | None
    centre: tuple[float, float, float] | None = None
    source: str = ""

    def moved(self, X_new_old: Pose) -> Load:
        """The same load in another frame."""
        if self.centre is None:
            return self
        x, y, z = X_new_old.apply(np.array(self.centre)).tolist()
        return replace(self, centre=(x, y, z))

    def __str__(self) -> str:
        if self.mass is None:
            return f"{self.name} not known ({self.source})" if self.source else f"{self.name} not known"
        return f"{self.name} {self.mass:.4g} kg" + (f" ({self.source})" if self.source else "")


@dataclass(frozen=True)
class JointMoment:
    """The greatest moment of a load at rest about a joint's axis, and the moment that the joint allows [N·m]."""

    joint: int
    moment: float
    allowed: float

    @property
    def excess(self) -> float:
        """The excess moment [N·m]; 0 if there is none."""
        return self.moment - self.allowed if self.moment > self.allowed * (1.0 + _SLACK) else 0.0


@dataclass(frozen=True)
class PayloadCheck:
    """The load of an arm compared with what it may carry.

    Attributes:
        robot: the name of the arm.
        payload: the rated payload of the arm [kg], or None if its file does not state one.
        loads: the tool first, then the parts.
        moments: the moments about joints whose allowed moment is known.
    """

    robot: str
    payload: float | None
    loads: tuple[Load, ...]
    moments: tuple[JointMoment, ...] = ()

    @property
    def mass(self) -> float:
        """The sum of the known masses [kg]."""
        return float(sum(load.mass for load in self.loads if load.mass is not None))

    @property
    def unknown(self) -> tuple[str, ...]:
        """The names of the loads without a known mass."""
        return tuple(load.name for load in self.loads if load.mass is None)

    @property
    def _least(self) -> tuple[str, str]:
        """The words before a mass and before a moment: either may lack a load."""
        placed = all(load.mass is not None and load.centre is not None for load in self.loads)
        return "at least " if self.unknown else "", "" if placed else "at least "

    @property
    def excess(self) -> float:
        """The excess of the known masses over the payload [kg]; 0 if there is none, or if the payload is not known."""
        if self.payload is None or self.mass <= self.payload * (1.0 + _SLACK):
            return 0.0
        return self.mass - self.payload

    @property
    def overloaded(self) -> bool:
        """Whether the known masses are too much for the arm or for an axis of its wrist."""
        return self.excess > 0.0 or any(moment.excess > 0.0 for moment in self.moments)

    @property
    def decided(self) -> bool:
        """Whether the check has a result: too much, or all masses known and not too much."""
        return self.overloaded or (self.payload is not None and not self.unknown)

    def __str__(self) -> str:
        if not self.loads:
            return f"{self.robot} carries nothing"
        listed = ", ".join(str(load) for load in self.loads)
        least, about_least = self._least
        if self.overloaded:
            return f"Overload: {'; '.join(self._too_much())}. Carried: {listed}"
        if self.payload is None:
            return (
                f"Load not checked: the file of {self.robot} states no payload; it carries {least}{self.mass:.4g} kg. "
                f"Carried: {listed}"
            )
        if self.unknown:
            whose = " and ".join(self.unknown)
            return (
                f"Load not checked: {self.robot} may carry {self.payload:.4g} kg, but the mass of {whose} is not "
                f"known. Carried: {listed}"
            )
        about = "".join(
            f", {about_least}{one.moment:.4g} of {one.allowed:.4g} N·m about joint {one.joint}" for one in self.moments
        )
        return f"{self.robot} carries {self.mass:.4g} of {self.payload:.4g} kg{about}: {listed}"

    def _too_much(self) -> list[str]:
        excesses = []
        least, about_least = self._least
        if self.excess > 0.0:
            excesses.append(
                f"{self.robot} carries {least}{self.mass:.4g} kg, {self.excess:.4g} kg more than its payload of "
                f"{self.payload:.4g} kg"
            )
        excesses += [
            f"{'' if excesses else f'{self.robot} carries '}{about_least}{one.moment:.4g} N·m about joint {one.joint}, "
            f"{one.excess:.4g} N·m more than the {one.allowed:.4g} N·m allowed"
            for one in self.moments
            if one.excess > 0.0
        ]
        return excesses


def payload_check(robot: Robot, loads: Sequence[Load], name: str = "") -> PayloadCheck:
    """Compare the load of a robot with its payload and with the moments that its wrist allows.

    Args:
        robot: the arm.
        loads: the tool and the parts, centres in the frame of the flange.
        name: the name of the arm in the answer; by default its own.
    """
    heavy = [load for load in loads if load.mass is not None and load.centre is not None]
    mass = sum(load.mass for load in heavy if load.mass is not None)
    moments = []
    if mass > 0.0:
        first = sum((load.mass * np.array(load.centre) for load in heavy if load.mass is not None), np.zeros(3))
        for joint, allowed in enumerate(robot.moments, start=1):
            if allowed is not None:
                moment = GRAVITY * mass * lever(robot, joint, first / mass)
                moments.append(JointMoment(joint, moment, allowed))
    return PayloadCheck(name or robot.name, robot.payload, tuple(loads), tuple(moments))


def lever(robot: Robot, joint: int, centre: Array) -> float:
    """The greatest distance of a point of the flange from a joint's axis while the joints after it turn [m].

    Args:
        robot: the arm.
        joint: counted from 1.
        centre: the point (3,) in the frame of the flange [m].
    """
    later = robot.n - joint
    low, high = robot.limits[joint:].T
    count = max(3, round(_LOOKS ** (1.0 / later))) if later else 1
    best, farthest = robot.home[joint:], 0.0
    span = (high - low) / 2.0
    middle = (high + low) / 2.0
    # The whole range first, then ever smaller ranges around the farthest place.
    for _ in range(8 if later else 1):
        axes = [np.clip(m + s * np.linspace(-1.0, 1.0, count), lo, hi) for m, s, lo, hi in zip(
            middle, span, low, high, strict=True
        )]  # fmt: skip
        places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, later) if later else np.zeros((1, 0))
        distances = _distances(robot, joint, centre, places)
        top = int(distances.argmax())
        if distances[top] >= farthest:
            best, farthest = places[top], float(distances[top])
        middle, span = best, span * (2.0 / (count - 1)) if later else span
        count = min(count, 9)
    return farthest


def _distances(robot: Robot, joint: int, centre: Array, places: Array) -> Array:
    """The distance of a point of the flange from a joint's axis for values (N, k) of the joints after it."""
    Q = np.tile(robot.home, (len(places), 1))
    Q[:, joint:] = places
    frames = robot.frames_batch(np.ascontiguousarray(Q))
    axis, origin = frames[:, joint - 1, :3, 2], frames[:, joint - 1, :3, 3]
    points = np.einsum("nij,j->ni", frames[:, -1, :3, :3], centre) + frames[:, -1, :3, 3]
    return np.asarray(np.linalg.norm(np.cross(points - origin, axis), axis=1))
