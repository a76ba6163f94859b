"""How far a tool may turn from a given pose and still do its work: a spin about its axis, a tilt of the axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.spatial import rotations

Array = NDArray[np.float64]

_MOST_TURNS = 512
"""How many turns of the tool are looked at in one place."""
_ROUNDED = 1e-4
"""How far above the greatest angle a rounded one may be, such as 3.1416 [rad]; it counts as the greatest."""


@dataclass(frozen=True)
class ToolFreedom:
    """How far a tool may turn from a given pose. Its axis is the z axis of the tool frame.

    Attributes:
        spin: how far the tool may spin about its axis, to either side [rad]; π lets it spin freely.
        tilt: how far its axis may lean away, to all sides [rad]: the half-angle of a cone.
        step: the greatest angle between neighbouring turns that are looked at [rad].
    """

    spin: float = 0.0
    tilt: float = 0.0
    step: float = math.radians(45.0)

    def __post_init__(self) -> None:
        for value, what, most in ((self.spin, "spin", math.pi), (self.tilt, "tilt", 0.5 * math.pi)):
            if not 0.0 <= value <= most + _ROUNDED:
                raise InvalidValue(
                    f"The {what} of a tool is free from 0° to {math.degrees(most):g}° to each side; found "
                    f"{math.degrees(value):.10g}°."
                )
            object.__setattr__(self, what, min(value, most))
        if not self.step >= math.radians(1.0):
            raise InvalidValue(
                f"The step between turns of a tool must be at least 1°; found {math.degrees(self.step):g}°."
            )
        if self.count > _MOST_TURNS:
            raise InvalidValue(
                f"This freedom of the tool has {self.count} turns to look at in each place; at most {_MOST_TURNS} are "
                f"possible. Use a greater step or less freedom."
            )

    @property
    def is_none(self) -> bool:
        """Whether the tool may not turn at all."""
        return self.spin == 0.0 and self.tilt == 0.0

    @property
    def spins(self) -> Array:
        """The angles about the axis that are looked at [rad], 0 first, then by size."""
        if self.spin >= math.pi:
            count = max(math.ceil(2.0 * math.pi / self.step - 1e-9), 1)
            angles = 2.0 * math.pi * np.arange(count) / count
            angles = np.where(angles > math.pi + 1e-9, angles - 2.0 * math.pi, angles)
        else:
            side = math.ceil(self.spin / self.step - 1e-9)
            angles = np.linspace(-self.spin, self.spin, 2 * side + 1) if side else np.zeros(1)
        return np.asarray(angles[np.argsort(np.abs(angles), kind="stable")])

    @property
    def leans(self) -> Array:
        """Rotation vectors (K, 3) that lean the axis, none first: rings about it out to the tilt."""
        found = [np.zeros(3)]
        rings = math.ceil(self.tilt / self.step - 1e-9)
        for ring in range(1, rings + 1):
            angle = self.tilt * ring / rings
            around = max(math.ceil(2.0 * math.pi * math.sin(angle) / self.step - 1e-9), 4)
            for k in range(around):
                way = 2.0 * math.pi * k / around
                found.append(angle * np.array([math.cos(way), math.sin(way), 0.0]))
        return np.array(found)

    @property
    def count(self) -> int:
        """How many turns are looked at in one place."""
        return len(self.spins) * len(self.leans)

    def turns(self) -> Array:
        """The turns of the tool (K, 4, 4) in its own frame, the given pose first."""
        spins, leans = self.spins, self.leans
        out = np.zeros((len(leans) * len(spins), 4, 4))
        out[:, 3, 3] = 1.0
        for k, lean in enumerate(leans):
            for m, spin in enumerate(spins):
                out[k * len(spins) + m, :3, :3] = _rotation(lean) @ _rotation(np.array([0.0, 0.0, spin]))
        return out

    def allows(self, turn: Array) -> bool:
        """Whether a turn of the tool in its own frame (3, 3) is within the freedom."""
        lean = math.acos(min(max(float(turn[2, 2]), -1.0), 1.0))
        if lean > self.tilt + 1e-7:
            return False
        axis = np.array([-turn[1, 2], turn[0, 2], 0.0])
        size = float(np.linalg.norm(axis))
        level = turn if size < 1e-12 else _rotation(-lean * axis / size) @ turn
        return abs(math.atan2(level[1, 0], level[0, 0])) <= self.spin + 1e-7


NO_FREEDOM = ToolFreedom()
"""A tool that has to be turned exactly as its pose."""
FREE_SPIN = ToolFreedom(math.pi)
"""A tool that may spin about its axis: a drill, a welding torch, a suction cup."""


def _rotation(vector: Array) -> Array:
    size = float(np.linalg.norm(vector))
    return np.eye(3) if size == 0.0 else rotations.about_vector(vector, size)
