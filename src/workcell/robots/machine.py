"""The joints of several robots and mechanisms in one row: an arm on a rail, with a positioner under the work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, JointLimit
from workcell.kinematics.dh import DHRow
from workcell.robots.robot import Robot
from workcell.spatial.message_units import message_unit
from workcell.spatial.units import tidy
from workcell.wording import counted, joint_words

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Machine:
    """Robots and mechanisms that move in one timing, with their joints in one row.

    Attributes:
        name: its name.
        members: its robots and mechanisms in the order of its joints: names in the cell and robots.
        top: the greatest speeds of the joints, if they are below the joints' own (n,).
    """

    name: str
    members: tuple[tuple[str, Robot], ...]
    top: Array | None = None

    @property
    def n(self) -> int:
        """The number of joints."""
        return sum(robot.n for _, robot in self.members)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its members."""
        return tuple(name for name, _ in self.members)

    @cached_property
    def rows(self) -> tuple[DHRow, ...]:
        """The DH rows of all joints."""
        return tuple(row for _, robot in self.members for row in robot.rows)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """The name of each joint, with the name of its member."""
        return tuple(f"{one} of {name}" for name, robot in self.members for one in robot.joint_names)

    @cached_property
    def limits(self) -> Array:
        """The ranges of the joints (n, 2) [rad or m]."""
        return np.concatenate([robot.limits for _, robot in self.members])

    @cached_property
    def speeds(self) -> Array:
        """The greatest speeds of the joints (n,) [rad/s or m/s]."""
        found = np.concatenate([robot.speeds for _, robot in self.members])
        return found if self.top is None else np.minimum(found, self.top)

    @cached_property
    def accelerations(self) -> Array:
        """The greatest accelerations of the joints (n,) [1/s²]."""
        return np.concatenate([robot.accelerations for _, robot in self.members])

    @property
    def home(self) -> Array:
        """The home values of all joints (n,)."""
        return np.concatenate([robot.home for _, robot in self.members])

    def checked(self, q: ArrayLike) -> Array:
        """Return joint values (n,) as an array; refuse wrong counts and numbers that are not finite."""
        try:
            values = np.asarray(q, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidValue(f"The joint values of {self.name} must be numbers; found {q!r}.") from error
        if values.shape != (self.n,):
            raise InvalidValue(f"{self.name} has {counted(self.n, 'joint')}; found the shape {values.shape}.")
        if not np.isfinite(values).all():
            raise InvalidValue(f"The joint values of {self.name} must be finite; found {values.tolist()}.")
        return values

    def require_limits(self, q: ArrayLike) -> None:
        """Refuse joint values out of range, with the first such joint and its excess."""
        for joint, (value, (low, high)) in enumerate(zip(self.checked(q), self.limits, strict=True)):
            if not low <= value <= high:
                size, unit = message_unit(self.rows[joint].prismatic)
                excess = float(value - (low if value < low else high))
                raise JointLimit(
                    f"{joint_words(joint + 1, self.joint_names[joint])} of {self.name} would be "
                    f"{abs(excess) * size:.6g} {unit} out of its range "
                    f"{tidy(round(low * size, 9))} … {tidy(round(high * size, 9))} {unit}.",
                    joint=joint + 1,
                    excess=excess,
                )

    @property
    def slices(self) -> tuple[tuple[str, slice], ...]:
        """The position of each member's joints in the row."""
        found, first = [], 0
        for name, robot in self.members:
            found.append((name, slice(first, first + robot.n)))
            first += robot.n
        return tuple(found)

    def parts(self, q: Array) -> dict[str, Array]:
        """The joint values of each member, from those of all (…, n)."""
        return {name: q[..., place] for name, place in self.slices}

    def whole(self, values: Mapping[str, Array]) -> Array:
        """The joint values of all (n,), from those of each member."""
        return np.concatenate([values[name] for name, _ in self.members])
