"""A step that is being carried out: its simulator, its settings, and the values of its fields in SI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from workcell.programs import steps as s
from workcell.programs.evaluate import Scope, wanted
from workcell.programs.expressions import Call, Name, parts
from workcell.programs.wants import Wants, fields_of
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.simulation.simulated_machine import SimulatedMachine
    from workcell.simulation.simulated_robot import SimulatedRobot
    from workcell.simulation.simulator import Simulator
    from workcell.simulation.threads import Moves
    from workcell.world.snapshot import Snapshot

Outcome: TypeAlias = "float | Moves | None"
"""The duration of a step [s], moves that follow each other, or None for a step that takes no time."""
Given: TypeAlias = dict[str, Any]
"""The fields of a step by name, with their values in SI; those not given are left out."""
Kept: TypeAlias = "dict[int, tuple[s.Step, Snapshot, Given]]"
"""Values by the identity of their step, with the step and the cell that they are valid for."""


@dataclass(frozen=True)
class Acted:
    """The result of a step: its duration, and what it found for the answer (a held part, a plan)."""

    takes: Outcome = None
    found: Any = None


@dataclass(frozen=True)
class Grip:
    """A gripper that closes or opens: first its time passes, then the part is held or released.

    Attributes:
        robot: the robot of the gripper.
        closing: whether it closes.
        options: how it is tested, or how the part is released.
    """

    robot: str
    closing: bool
    options: Given

    @property
    def count(self) -> int:
        """The number of stages: the time, and the action after it."""
        return 2

    def begin(self, simulator: Simulator, number: int) -> float:
        """Begin one of the stages, counted from 0; return its duration [s]."""
        if number == 0:
            return simulator.robot(self.robot).gripper_time(self.closing)
        self.act(simulator)
        return 0.0

    def act(self, simulator: Simulator) -> Any:
        """Close or open the gripper; return what it gripped or released."""
        robot = simulator.robot(self.robot)
        return robot.close_gripper(**self.options) if self.closing else robot.open_gripper(**self.options)


@dataclass
class Settings:
    """The settings for later steps of one program: the frame of poses, and tools and rounding by robot."""

    frame: Pose | None = None
    tools: dict[str, Pose] = field(default_factory=dict)
    blends: dict[str, float] = field(default_factory=dict)

    def copy(self) -> Settings:
        """Return a copy, for a branch or a called program."""
        return Settings(self.frame, dict(self.tools), dict(self.blends))


@dataclass(frozen=True)
class Doing:
    """A step that is being carried out: its simulator, its settings, and the meaning of its names."""

    simulator: Simulator
    scope: Scope
    settings: Settings
    files: Mapping[str, bytes] = field(default_factory=dict)
    kept: Kept = field(default_factory=dict)
    """The values of steps that are the same every time."""

    def robot(self, name: str) -> SimulatedRobot:
        """Return the robot with this name."""
        return self.simulator.robot(name)

    def device(self, name: str) -> SimulatedRobot | SimulatedMachine:
        """Return the robot, mechanism or machine with this name."""
        return self.simulator.device(name)

    def values(self, step: s.Step) -> Given:
        """Return the fields of a step with the values of their expressions, in SI; missing fields are left out."""
        known = self.kept.get(id(step))
        if known is not None and known[0] is step and known[1] is self.simulator.snapshot:
            return dict(known[2])
        out = self._values(step)
        if stays(step):
            self.kept[id(step)] = step, self.simulator.snapshot, dict(out)
        return out

    def _values(self, step: s.Step) -> Given:
        robot = getattr(step, "robot", "")
        out: Given = {}
        for one in fields_of(type(step)):
            value = getattr(step, one.name)
            if value is None:
                continue
            if isinstance(one.holds, Wants):
                wants = one.holds
                if one.several:
                    out[one.name] = [wanted(item, wants, self.scope, robot) for item in value]
                else:
                    out[one.name] = wanted(value, wants, self.scope, robot)
            else:
                out[one.name] = value
        return out

    def placed(self, pose: Pose) -> Pose:
        """Return a pose of a move in the world; it is given in the frame of the program."""
        return pose if self.settings.frame is None else self.settings.frame @ pose


def stays(step: s.Step) -> bool:
    """Return whether the values of a step are the same every time: they contain no name and no function."""
    for one in fields_of(type(step)):
        value = getattr(step, one.name)
        if value is not None and isinstance(one.holds, Wants):
            for item in value if one.several else (value,):
                if any(isinstance(part, Name | Call) for part in parts(item)):
                    return False
    return True
