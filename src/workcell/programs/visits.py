"""The poses and joint values that the steps of a program move to in all rounds of its loops, tested at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import WorkcellError
from workcell.programs.reach import reachable
from workcell.programs.rounds import nested
from workcell.spatial.message_units import said_point
from workcell.spatial.pose import Pose
from workcell.world.placed import PlacedMachine, PlacedRobot

_ONE_BY_ONE = 300
"""How many different poses are tested for an arm whose poses cannot be tested all at once."""


@dataclass(frozen=True)
class Circumstance:
    """When a step is reached.

    Attributes:
        number: the number of the step in the program that is checked.
        rounds: the rounds of the loops around it, outermost first, in words.
        called: the program and line of a step in a called program; '' for a step of the program itself.
        assumed: what is assumed not to move, although other programs may move it.
        starts: the device that is assumed to start with its initial joint values.
        sampled: whether a motion was tested at places of its way only.
    """

    number: int
    rounds: tuple[str, ...] = ()
    called: str = ""
    assumed: frozenset[str] = frozenset()
    starts: str = ""
    sampled: bool = False

    @property
    def certain(self) -> bool:
        """Whether nothing is assumed, and everything is tested."""
        return not (self.assumed or self.starts or self.sampled)


@dataclass(frozen=True)
class Found:
    """Something that cannot be done: when, what, by which robot, and whether the step asks too much again later."""

    when: Circumstance
    what: str
    robot: str = ""
    again: str = ""

    @property
    def message(self) -> str:
        """The message, in one sentence."""
        text = f"{self.when.called}: {self.what}" if self.when.called else self.what
        text = text.rstrip(".")
        if self.when.rounds:
            text += f", in {nested(self.when.rounds)}"
        text += self.again
        if self.when.assumed:
            text += f"; another program may have moved {' or '.join(sorted(self.when.assumed))} by then"
        if self.when.starts:
            text += f"; this assumes that {self.when.starts} starts with its initial joint values"
        return f"{text}."


class Visits:
    """Collects what the steps of one program ask robots to reach, visit by visit.

    Args:
        devices: the robots, mechanisms and machines of the cell, by name.
    """

    def __init__(self, devices: Mapping[str, PlacedRobot | PlacedMachine]) -> None:
        self._devices = devices
        self._poses: dict[str, list[tuple[Circumstance, Pose, Pose]]] = {}
        self._refused: list[Found] = []
        self.left_out: set[int] = set()
        """The numbers of steps some of whose poses were not tested."""

    def add_pose(self, when: Circumstance, robot: str, X_world_tool: Pose, X_world_base: Pose) -> None:
        """Add a pose of the tool that a robot moves to."""
        self._poses.setdefault(robot, []).append((when, X_world_tool, X_world_base))

    def add_joints(self, when: Circumstance, device: str, values: Sequence[float] | NDArray[np.float64]) -> None:
        """Add joint values that a device moves to [rad or m]."""
        try:
            self._devices[device].robot.require_limits(np.asarray(values))
        except WorkcellError as error:
            self.add_refusal(when, error.message, device)

    def add_refusal(self, when: Circumstance, what: str, robot: str = "") -> None:
        """Add something that is refused."""
        self._refused.append(Found(when, what, robot))

    def found(self) -> Iterator[Found]:
        """Yield for each step that asks too much the first time that it does, and whether it does so again."""
        found: dict[tuple[int, str], Found] = {}
        for one in (*self._refused, *self._out_of_reach()):
            key = one.when.number, one.when.called
            first = found.setdefault(key, one)
            if first is not one and not first.again:
                later = one.when.rounds != first.when.rounds
                again = " and in other rounds" if later else ", nor other poses of this step"
                found[key] = Found(first.when, first.what, first.robot, again)
        yield from found.values()

    def _out_of_reach(self) -> Iterator[Found]:
        for robot, visits in self._poses.items():
            inside = np.array([(base.inverse() @ pose).matrix for _, pose, base in visits])
            different, which = np.unique(inside.reshape(len(inside), 16), axis=0, return_inverse=True)
            arm = self._devices[robot].robot
            most = len(different) if arm.n == 6 else _ONE_BY_ONE
            try:
                reached = reachable(arm, np.ascontiguousarray(different[:most].reshape(-1, 4, 4)))
            except WorkcellError:
                continue  # a mechanism, or an arm without a closed-form inverse
            if most < len(different):
                self.left_out |= {visits[place][0].number for place in np.flatnonzero(which.ravel() >= most)}
                reached = np.concatenate([reached, np.ones(len(different) - most, dtype=bool)])
            for place in np.flatnonzero(~reached[which.ravel()]):
                when, pose, _ = visits[place]
                yield Found(when, f"{robot} cannot reach {said_point(pose.xyz, brackets=False)} in this orientation")
