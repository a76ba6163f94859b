"""What a robot does to handle a part, stage by stage, as data: motions that were proved, and what grippers do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from workcell.motion.trajectory import Trajectory
from workcell.simulation.attaching import detach
from workcell.simulation.performing import Grip
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator


@dataclass(frozen=True, eq=False)
class Go:
    """A motion of a robot.

    Attributes:
        robot: the robot.
        motion: its joint values over time.
    """

    robot: str
    motion: Trajectory

    def begin(self, simulator: Simulator) -> float:
        """Begin the motion; return its duration [s]."""
        return simulator.robot(self.robot).follow_path(self.motion)


@dataclass(frozen=True)
class LetGo:
    """A part that was attached without a gripper is released.

    Attributes:
        part: the body.
        on: what it stands on then; '' for whatever is below.
    """

    part: str
    on: str

    def begin(self, simulator: Simulator) -> float:
        """Release the part; this takes no time."""
        detach(simulator, self.part, True, self.on)
        return 0.0


@dataclass(frozen=True)
class GripperTime:
    """The time that passes before a gripper has closed or opened."""

    grip: Grip

    def begin(self, simulator: Simulator) -> float:
        """Return the time [s]; a robot that is alone lets it pass when the gripper acts."""
        return self.grip.begin(simulator, 0) if simulator.among else 0.0


@dataclass(frozen=True)
class GripperActs:
    """A gripper that closes on a part or releases it, after its time."""

    grip: Grip

    def begin(self, simulator: Simulator) -> float:
        """Let it act; return the time that passed meanwhile [s]."""
        takes = 0.0 if simulator.among else self.grip.begin(simulator, 0)
        self.grip.act(simulator)
        return takes


Stage: TypeAlias = Go | LetGo | GripperTime | GripperActs


def gripping(robot: str, closing: bool, **options: Any) -> tuple[Stage, Stage]:
    """Return the stages of a gripper that closes or opens."""
    grip = Grip(robot, closing, options)
    return GripperTime(grip), GripperActs(grip)


@dataclass(frozen=True, eq=False)
class Handling:
    """Stages that follow each other, and what they do for the answer.

    Attributes:
        part: the part that is handled.
        robot: the robot that handles it, or holds it in the end.
        stages: what happens.
        grasp: the name of the grasp that is used; '' where the part has none or none is needed.
        on: what the part stands on in the end; '' where it is held.
    """

    part: str
    robot: str
    stages: tuple[Stage, ...]
    grasp: str = ""
    on: str = ""

    @property
    def count(self) -> int:
        """The number of stages."""
        return len(self.stages)

    def begin(self, simulator: Simulator, number: int) -> float:
        """Begin a stage, counted from 0; return its duration [s]."""
        return self.stages[number].begin(simulator)


@dataclass(frozen=True, eq=False)
class Course:
    """A handling that was planned, and where everything is after it."""

    handling: Handling
    state: CellState
