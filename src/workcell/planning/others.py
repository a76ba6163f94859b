"""The motions of other robots that are already decided, beside which a path is looked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, Refused, UnknownName
from workcell.motion.chained import Chained, JointMotion
from workcell.motion.stacking import columns
from workcell.motion.time_law import PacedMotion
from workcell.motion.trajectory import Trajectory
from workcell.robots.machine import Machine
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Array = NDArray[np.float64]

_MEETS = 1e-6
"""How far a motion may begin from where its robot stands [rad or m]."""


@dataclass(frozen=True, eq=False)
class Others:
    """Robots whose motions are decided. All start now; each stands at its end afterwards.

    Attributes:
        motions: joint values over time, by robot.
    """

    motions: Mapping[str, JointMotion]

    @classmethod
    def of(
        cls, snapshot: Snapshot, state: CellState, motions: Mapping[str, JointMotion], movers: Iterable[str]
    ) -> Others:
        """Decided motions, checked: known robots other than those that a path is looked for, from where they stand."""
        movers = set(movers)
        found: dict[str, JointMotion] = {}
        for name, motion in motions.items():
            for member, part in _parts(snapshot, name, motion).items():
                if member in movers:
                    raise Refused(
                        f"{member} cannot move beside itself: a path is looked for it, and {name!r} moves it as well.",
                        robot=member,
                    )
                if member in found:
                    raise Refused(f"{member} has two motions at once; give it one.", robot=member)
                _require_start(snapshot, state, member, part)
                found[member] = part
        return cls(found)

    @property
    def names(self) -> tuple[str, ...]:
        """The robots that move."""
        return tuple(self.motions)

    @cached_property
    def duration(self) -> float:
        """When the last of them is at its end [s]."""
        return max((motion.duration for motion in self.motions.values()), default=0.0)

    def state_at(self, state: CellState, t: float) -> CellState:
        """A state with these robots where they are at a time [s]."""
        return state.with_(joints={**state.joints, **{name: m.position(t) for name, m in self.motions.items()}})

    def ended(self, state: CellState) -> CellState:
        """A state with these robots at the ends of their motions."""
        return self.state_at(state, self.duration)

    def after(self, seconds: float) -> Others:
        """The same motions from a later instant on [s]."""
        return Others({name: _rest(motion, seconds) for name, motion in self.motions.items()})


def _rest(motion: JointMotion, seconds: float) -> JointMotion:
    if seconds >= motion.duration:
        return Trajectory.constant(motion.end)
    return motion.part(seconds, motion.duration)


def _parts(snapshot: Snapshot, name: str, motion: JointMotion) -> Mapping[str, JointMotion]:
    """The motion of each member of a robot or machine."""
    if not isinstance(motion, Trajectory | PacedMotion | Chained):
        raise InvalidValue(f"The motion of {name!r} must be a Trajectory; found {type(motion).__name__}.", robot=name)
    known = [*(one.name for one in snapshot.robots), *(one.name for one in snapshot.machines)]
    if name not in known:
        raise UnknownName.among("robot", name, known)
    device = snapshot.device(name).robot
    if motion.n != device.n:
        raise InvalidValue(f"{name} has {device.n} joints; its motion has {motion.n}.", robot=name)
    if not isinstance(device, Machine):
        return {name: motion}
    if not isinstance(motion, Trajectory):
        raise InvalidValue(f"The motion of machine {name!r} must be a Trajectory.", robot=name)
    return {member: columns(motion, place.start, place.stop) for member, place in device.slices}


def _require_start(snapshot: Snapshot, state: CellState, name: str, motion: JointMotion) -> None:
    here = state.joints.get(name, snapshot.robot(name).robot.home)
    gap = np.abs(motion.start - here)
    if gap.max() > _MEETS:
        joint = int(gap.argmax())
        row = snapshot.robot(name).robot.rows[joint]
        size, unit = (1e3, " mm") if row.prismatic else (180.0 / np.pi, "°")
        raise InvalidValue(
            f"The motion of {name} starts with joint {joint + 1} at {motion.start[joint] * size:.6g}{unit}, but {name} "
            f"has it at {here[joint] * size:.6g}{unit}; give a motion from where it stands.",
            robot=name,
            joint=joint + 1,
        )
