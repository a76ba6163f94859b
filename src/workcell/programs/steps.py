"""The steps of a program: one frozen struct for each kind, and those that control other steps.

A step holds what was written, not where it was written, so that two readings of the same program are equal
whatever the layout. Blocks are tuples of steps. The types of the fields declare what each expression must give
(:mod:`~workcell.programs.wants`). Steps of other kinds are in files of their own and are named here too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import msgspec

from workcell.programs import wants as w
from workcell.programs.base_step import Base
from workcell.programs.move_steps import (
    Approach as Approach,
)
from workcell.programs.move_steps import (
    FindPath as FindPath,
)
from workcell.programs.move_steps import (
    FollowFunction as FollowFunction,
)
from workcell.programs.move_steps import (
    FollowTable as FollowTable,
)
from workcell.programs.move_steps import (
    Guide as Guide,
)
from workcell.programs.move_steps import (
    Home as Home,
)
from workcell.programs.move_steps import (
    MoveAlong as MoveAlong,
)
from workcell.programs.move_steps import (
    MoveCircular as MoveCircular,
)
from workcell.programs.move_steps import (
    MoveEndEffector as MoveEndEffector,
)
from workcell.programs.move_steps import (
    MoveHand as MoveHand,
)
from workcell.programs.move_steps import (
    MoveJointsAbsolute as MoveJointsAbsolute,
)
from workcell.programs.move_steps import (
    MoveJointsRelative as MoveJointsRelative,
)
from workcell.programs.move_steps import (
    MovePath as MovePath,
)
from workcell.programs.move_steps import (
    MoveStraightLine as MoveStraightLine,
)
from workcell.programs.move_steps import (
    Retract as Retract,
)
from workcell.programs.move_steps import (
    SetJoints as SetJoints,
)
from workcell.programs.move_steps import (
    Weld as Weld,
)
from workcell.programs.object_steps import (
    HandOver as HandOver,
)
from workcell.programs.object_steps import (
    MoveAbove as MoveAbove,
)
from workcell.programs.object_steps import (
    Pick as Pick,
)
from workcell.programs.object_steps import (
    Put as Put,
)
from workcell.programs.part_steps import (
    CloseGripper as CloseGripper,
)
from workcell.programs.part_steps import (
    GripPart as GripPart,
)
from workcell.programs.part_steps import (
    MoveSolid as MoveSolid,
)
from workcell.programs.part_steps import (
    OpenGripper as OpenGripper,
)
from workcell.programs.part_steps import (
    ReleasePart as ReleasePart,
)
from workcell.programs.part_steps import (
    Ride as Ride,
)
from workcell.programs.remark_steps import Comment as Comment
from workcell.programs.remark_steps import Message as Message
from workcell.programs.remark_steps import Verbatim as Verbatim
from workcell.programs.setting_steps import (
    Branch as Branch,
)
from workcell.programs.setting_steps import (
    Frame as Frame,
)
from workcell.programs.setting_steps import (
    Process as Process,
)
from workcell.programs.setting_steps import (
    Profile as Profile,
)
from workcell.programs.setting_steps import (
    Rounding as Rounding,
)
from workcell.programs.setting_steps import (
    Speed as Speed,
)
from workcell.programs.setting_steps import (
    Tool as Tool,
)
from workcell.programs.signal_steps import (
    ClearFault as ClearFault,
)
from workcell.programs.signal_steps import (
    EnterZone as EnterZone,
)
from workcell.programs.signal_steps import (
    InjectFault as InjectFault,
)
from workcell.programs.signal_steps import (
    LeaveZone as LeaveZone,
)
from workcell.programs.signal_steps import (
    SetSignal as SetSignal,
)
from workcell.programs.signal_steps import (
    Wait as Wait,
)
from workcell.programs.signal_steps import (
    WaitFor as WaitFor,
)
from workcell.programs.steering_steps import (
    EmergencyStop as EmergencyStop,
)
from workcell.programs.steering_steps import (
    HoldMotion as HoldMotion,
)
from workcell.programs.steering_steps import (
    Override as Override,
)
from workcell.programs.steering_steps import (
    ResumeMotion as ResumeMotion,
)
from workcell.programs.steering_steps import (
    RunConveyor as RunConveyor,
)
from workcell.programs.steering_steps import (
    StopConveyor as StopConveyor,
)
from workcell.programs.steering_steps import (
    StopMotion as StopMotion,
)
from workcell.programs.steering_steps import (
    SupersedeJoints as SupersedeJoints,
)


class Let(Base, frozen=True, tag="let"):
    """Give a variable a value."""

    variable: str
    value: w.Any


class Arm(msgspec.Struct, frozen=True):
    """A condition and the block to run if it is true."""

    condition: w.Truth
    body: tuple[Step, ...]


class If(Base, frozen=True, tag="if"):
    """Run the block of the first condition that is true, or the `else` block."""

    arms: tuple[Arm, ...]
    otherwise: tuple[Step, ...] = ()


class While(Base, frozen=True, tag="while"):
    """Repeat while a condition is true."""

    condition: w.Truth
    body: tuple[Step, ...]


class For(Base, frozen=True, tag="for"):
    """Repeat for each number from the first to the last."""

    variable: str
    first: w.Plain
    last: w.Plain
    body: tuple[Step, ...]
    by: w.Plain | None = None


class ForEach(Base, frozen=True, tag="for-each"):
    """Repeat for each target of a path; the variable is that target."""

    variable: str
    path: w.Path
    body: tuple[Step, ...]


class Repeat(Base, frozen=True, tag="repeat"):
    """Repeat a number of times."""

    count: w.Count
    body: tuple[Step, ...]


class Call(Base, frozen=True, tag="call"):
    """Run another program, with arguments for its parameters."""

    program: w.ProgramName
    arguments: tuple[w.Any, ...] = ()


class Return(Base, frozen=True, tag="return"):
    """End this program."""


class Stop(Base, frozen=True, tag="stop"):
    """End the whole run."""


class Together(Base, frozen=True, tag="together"):
    """Start moves at the same instant; the next step waits for the slowest."""

    moves: tuple[Step, ...]


class Parallel(Base, frozen=True, tag="parallel"):
    """Run branches in parallel; the next step waits for all of them."""

    branches: tuple[tuple[Step, ...], ...]


class Try(Base, frozen=True, tag="try"):
    """Run steps and, if one is refused, another block; the variable then holds the reason."""

    body: tuple[Step, ...]
    handler: tuple[Step, ...]
    variable: str = ""


class WaitUntil(Base, frozen=True, tag="wait-until"):
    """Wait until a condition is true; on a timeout, run another block or stop with an error.

    Attributes:
        otherwise: the block to run on a timeout; None makes the timeout an error.
    """

    condition: w.Truth
    timeout: w.Seconds | None = None
    otherwise: tuple[Step, ...] | None = None


Step: TypeAlias = (
    MoveJointsAbsolute
    | MoveJointsRelative
    | SetJoints
    | Home
    | FollowTable
    | FollowFunction
    | MoveEndEffector
    | MoveStraightLine
    | MoveCircular
    | MovePath
    | MoveHand
    | Approach
    | Retract
    | FindPath
    | MoveAlong
    | Weld
    | Guide
    | MoveSolid
    | CloseGripper
    | OpenGripper
    | GripPart
    | ReleasePart
    | Ride
    | Pick
    | Put
    | HandOver
    | MoveAbove
    | SetSignal
    | WaitFor
    | Wait
    | WaitUntil
    | EnterZone
    | LeaveZone
    | Speed
    | Profile
    | Branch
    | Rounding
    | Frame
    | Tool
    | Process
    | Override
    | HoldMotion
    | ResumeMotion
    | StopMotion
    | EmergencyStop
    | SupersedeJoints
    | RunConveyor
    | StopConveyor
    | InjectFault
    | ClearFault
    | Let
    | If
    | While
    | For
    | ForEach
    | Repeat
    | Call
    | Return
    | Stop
    | Together
    | Parallel
    | Try
    | Message
    | Comment
    | Verbatim
)
Block: TypeAlias = tuple[Step, ...]

MOVES = (
    MoveJointsAbsolute,
    MoveJointsRelative,
    Home,
    FollowTable,
    FollowFunction,
    MoveEndEffector,
    MoveStraightLine,
    MoveCircular,
    MovePath,
    MoveHand,
    Approach,
    Retract,
    MoveSolid,
)
"""The kinds of step that are one motion."""
HANDLING = (Pick, Put, HandOver, MoveAbove)
"""The kinds of step in which robots handle a part by name, in several motions."""
BEGIN_TOGETHER = (*MOVES, FindPath)
"""The kinds of step of which several can start together."""
STEERING = (Override, HoldMotion, ResumeMotion, StopMotion, EmergencyStop, SupersedeJoints, RunConveyor, StopConveyor)
"""The kinds of step that change moves under way."""
GIVEN = (*STEERING, InjectFault, ClearFault)
"""The kinds of step that may come from outside while a run is paused."""


_BLOCKS: dict[type, Callable[[Any], tuple[Block, ...]]] = {
    If: lambda step: (*(arm.body for arm in step.arms), step.otherwise),
    While: lambda step: (step.body,),
    For: lambda step: (step.body,),
    ForEach: lambda step: (step.body,),
    Repeat: lambda step: (step.body,),
    Try: lambda step: (step.body, step.handler),
    Parallel: lambda step: step.branches,
    WaitUntil: lambda step: () if step.otherwise is None else (step.otherwise,),
    Together: lambda step: (step.moves,),
}


def blocks(step: Step) -> tuple[Block, ...]:
    """Return the blocks inside a step, in the order written."""
    inner = _BLOCKS.get(type(step))
    return () if inner is None else inner(step)


def walk(block: Block) -> Iterator[Step]:
    """Yield all steps of a block and of the blocks inside it, in the order written."""
    waiting = [iter(block)]
    while waiting:
        for step in waiting[-1]:
            yield step
            inner = _BLOCKS.get(type(step))
            if inner is not None:
                waiting += map(iter, reversed(inner(step)))
                break
        else:
            waiting.pop()
