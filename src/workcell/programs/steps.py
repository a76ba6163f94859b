"""The steps of a program: one frozen struct for each kind.

A step holds what was written and nothing of where it was written, so that two readings of the same program are equal
however it was laid out. Blocks are tuples of steps. The types of the fields say what each expression must give
(:mod:`~workcell.programs.wants`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import msgspec

from workcell.programs import wants as w
from workcell.programs.expressions import Expression


class Base(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What all steps have in common."""


# ---- moves of joints --------------------------------------------------------------------------------------


class MoveJointsAbsolute(Base, frozen=True, tag="move-joints-absolute"):
    """All joints to these values."""

    robot: w.Jointed
    joints: w.Joints
    profile: str = ""


class MoveJointsRelative(Base, frozen=True, tag="move-joints-relative"):
    """All joints by these amounts."""

    robot: w.Jointed
    joints: w.Joints
    profile: str = ""


class SetJoints(Base, frozen=True, tag="set-joints"):
    """The joints at these values at once, without a motion."""

    robot: w.Jointed
    joints: w.Joints


class Home(Base, frozen=True, tag="home"):
    """All joints to where the robot begins in the cell."""

    robot: w.Jointed
    profile: str = ""


class FollowTable(Base, frozen=True, tag="follow-table"):
    """The joints as a table over time says."""

    robot: w.Device
    file: str
    joint: w.Count | None = None
    units: str = "radians"
    between: str = "cubic"
    until_limit: bool = False
    any_acceleration: bool = False


class FollowFunction(Base, frozen=True, tag="follow-function"):
    """One joint as a function of time says."""

    robot: w.Device
    joint: w.Count
    function: str
    duration: w.PositiveSeconds
    units: str = "degrees"
    until_limit: bool = False
    any_acceleration: bool = False


# ---- moves of the hand ------------------------------------------------------------------------------------


class MoveEndEffector(Base, frozen=True, tag="move-end-effector"):
    """The hand to a pose, the joints going straight there."""

    robot: w.Arm
    pose: w.Pose
    branch: str = ""
    near: w.Joints | None = None
    profile: str = ""
    point: str = "tool"
    on: w.Support | None = None
    when: w.Reading | None = None
    axes: str = ""
    work: w.Solid | None = None


class MoveStraightLine(Base, frozen=True, tag="move-straight-line"):
    """The hand to a pose along a straight line."""

    robot: w.Arm
    pose: w.Pose
    orientation: str = "interpolate"
    tolerance: w.PositiveLength | None = None
    step: w.PositiveLength | None = None
    speed: w.HandSpeed | None = None
    profile: str = ""
    point: str = "tool"
    on: w.Support | None = None
    when: w.Reading | None = None
    axes: str = ""
    work: w.Solid | None = None


class MoveCircular(Base, frozen=True, tag="move-circular"):
    """The hand to a pose on the circle through a point."""

    robot: w.Arm
    via: w.Point
    pose: w.Pose
    orientation: str = "interpolate"
    speed: w.HandSpeed | None = None
    profile: str = ""
    point: str = "tool"
    axes: str = ""
    work: w.Solid | None = None


class MovePath(Base, frozen=True, tag="move-path"):
    """The hand straight from pose to pose, corners rounded."""

    robot: w.Arm
    poses: tuple[w.Pose, ...] = ()
    radius: w.PositiveLength | None = None
    orientation: str = "interpolate"
    speed: w.HandSpeed | None = None
    profile: str = ""
    point: str = "tool"
    axes: str = ""
    work: w.Solid | None = None


class MoveHand(Base, frozen=True, tag="move-hand"):
    """The hand shifted and turned from where it is."""

    robot: w.Arm
    by: w.Pose
    frame: str = "hand"
    speed: w.HandSpeed | None = None
    profile: str = ""
    point: str = "tool"
    axes: str = ""
    work: w.Solid | None = None


class Approach(Base, frozen=True, tag="approach"):
    """The hand to a place before a pose, back along its own z."""

    robot: w.Arm
    pose: w.Pose
    distance: w.PositiveLength
    branch: str = ""
    near: w.Joints | None = None
    profile: str = ""
    point: str = "tool"
    axes: str = ""
    work: w.Solid | None = None


class Retract(Base, frozen=True, tag="retract"):
    """The hand straight back along its own z."""

    robot: w.Arm
    distance: w.PositiveLength
    speed: w.HandSpeed | None = None
    profile: str = ""
    point: str = "tool"


class MoveAlong(Base, frozen=True, tag="move-along"):
    """The hand smoothly along the targets of a path."""

    robot: w.Arm
    path: w.Path
    speed: w.HandSpeed
    tolerance: w.PositiveLength | None = None
    approach: w.PositiveLength | None = None
    axes: str = ""


class Weld(Base, frozen=True, tag="weld"):
    """The hand along a seam while a positioner holds it downhand."""

    robot: w.Arm
    mechanism: w.Device
    path: w.Path
    speed: w.HandSpeed
    tolerance: w.PositiveLength | None = None
    approach: w.PositiveLength | None = None
    downhand: w.Angle | None = None


# ---- parts and solids -------------------------------------------------------------------------------------


class MoveSolid(Base, frozen=True, tag="move-solid"):
    """A free solid from pose to pose."""

    solid: w.Solid
    poses: tuple[w.Pose, ...] = ()
    path: w.Path | None = None
    radius: w.PositiveLength | None = None
    speed: w.HandSpeed | None = None
    duration: w.PositiveSeconds | None = None
    acceleration: w.PositivePlain | None = None


class CloseGripper(Base, frozen=True, tag="close-gripper"):
    """Take the part that the fingers are around."""

    robot: w.Arm
    distance: w.SomeLength | None = None
    angle: w.SomeAngle | None = None


class OpenGripper(Base, frozen=True, tag="open-gripper"):
    """Let the part go."""

    robot: w.Arm
    opening: w.Length | None = None
    settle: bool = False
    on: w.Support | None = None


class GripPart(Base, frozen=True, tag="grip"):
    """Attach a part to an arm as it is, without a test; to the only one where none is named."""

    part: w.Solid
    robot: w.Arm | None = None


class ReleasePart(Base, frozen=True, tag="release"):
    """Let go one part that an arm holds."""

    part: w.Solid
    settle: bool = False
    on: w.Support | None = None


class Ride(Base, frozen=True, tag="ride"):
    """Let a part go with the last link of a mechanism."""

    part: w.Solid
    mechanism: w.Device


# ---- signals and time -------------------------------------------------------------------------------------


class SetSignal(Base, frozen=True, tag="set-signal"):
    """Give a signal a value."""

    signal: w.Signal
    value: w.Plain


class WaitFor(Base, frozen=True, tag="wait-for"):
    """Go on when a signal has a value; 1 where none is given."""

    signal: w.Signal
    value: w.Plain | None = None


class Wait(Base, frozen=True, tag="wait"):
    """Let time pass."""

    seconds: w.Seconds


class WaitUntil(Base, frozen=True, tag="wait-until"):
    """Go on when a condition holds; after the time-out do something else, or stop with an error.

    Attributes:
        otherwise: what to do when the time is out; None makes that an error.
    """

    condition: w.Truth
    timeout: w.Seconds | None = None
    otherwise: tuple[Step, ...] | None = None


# ---- zones that programs share ----------------------------------------------------------------------------


class EnterZone(Base, frozen=True, tag="enter-zone"):
    """Wait until a shared zone has room, and enter it."""

    zone: w.Zone


class LeaveZone(Base, frozen=True, tag="leave-zone"):
    """Let the next one into a shared zone."""

    zone: w.Zone


# ---- what holds for the steps to come ---------------------------------------------------------------------


class Speed(Base, frozen=True, tag="speed"):
    """The speed of the joint that moves most."""

    robot: w.Device
    speed: w.JointSpeed


class Profile(Base, frozen=True, tag="profile"):
    """How position grows with time."""

    robot: w.Device
    profile: str


class Branch(Base, frozen=True, tag="branch"):
    """Which inverse solution is taken."""

    robot: w.Arm
    branch: str


class Rounding(Base, frozen=True, tag="rounding"):
    """How far from a corner the rounding of paths begins; 0 is sharp."""

    robot: w.Arm
    radius: w.SomeLength


class Frame(Base, frozen=True, tag="frame"):
    """In which frame the poses of moves are; the world where there is none."""

    frame: w.Pose | None = None


class Tool(Base, frozen=True, tag="tool"):
    """The point of the hand that poses are about, in the frame of the flange; the robot's own where none is given."""

    robot: w.Arm
    tcp: w.Pose | None = None


class Process(Base, frozen=True, tag="process"):
    """A process such as welding or gluing, switched on or off."""

    robot: w.Arm
    on: str
    process: str = ""


# ---- steering what moves ----------------------------------------------------------------------------------


class Override(Base, frozen=True, tag="override"):
    """Run what moves now and what is to come at a part of its speed; everything where no device is given."""

    percent: w.Plain
    device: w.Moving | None = None


class HoldMotion(Base, frozen=True, tag="hold-motion"):
    """Stop a device on its path; its move can go on."""

    device: w.Moving


class ResumeMotion(Base, frozen=True, tag="resume-motion"):
    """Go on with a move that is held."""

    device: w.Moving


class StopMotion(Base, frozen=True, tag="stop-motion"):
    """Stop a device on its path and give its move up."""

    device: w.Moving


class EmergencyStop(Base, frozen=True, tag="emergency-stop"):
    """Bring a device to rest as fast as its limits allow, or everything, and give the moves up."""

    device: w.Moving | None = None


class SupersedeJoints(Base, frozen=True, tag="supersede-joints"):
    """Other joint values for a robot in the middle of a move."""

    robot: w.Jointed
    joints: w.Joints


class RunConveyor(Base, frozen=True, tag="run-conveyor"):
    """Let a conveyor run on at a speed, whose sign is the direction; over at once, or when the speed is reached."""

    conveyor: w.Device
    speed: w.BeltSpeed
    reached: bool = False


class StopConveyor(Base, frozen=True, tag="stop-conveyor"):
    """Let a conveyor come to rest; over at once, or when it rests."""

    conveyor: w.Device
    reached: bool = False


# ---- faults -----------------------------------------------------------------------------------------------


class InjectFault(Base, frozen=True, tag="inject-fault"):
    """Let a fault of the cell begin now."""

    fault: w.Fault


class ClearFault(Base, frozen=True, tag="clear-fault"):
    """End a fault: what it is of is repaired."""

    fault: w.Fault


# ---- order of the steps -----------------------------------------------------------------------------------


class Let(Base, frozen=True, tag="let"):
    """Give a variable a value."""

    variable: str
    value: w.Any


class Arm(msgspec.Struct, frozen=True):
    """A condition and what to do when it holds."""

    condition: w.Truth
    body: tuple[Step, ...]


class If(Base, frozen=True, tag="if"):
    """What to do under the first condition that holds, or otherwise."""

    arms: tuple[Arm, ...]
    otherwise: tuple[Step, ...] = ()


class While(Base, frozen=True, tag="while"):
    """Again and again as long as a condition holds."""

    condition: w.Truth
    body: tuple[Step, ...]


class For(Base, frozen=True, tag="for"):
    """Once for each number from the first to the last."""

    variable: str
    first: w.Plain
    last: w.Plain
    body: tuple[Step, ...]
    by: w.Plain | None = None


class ForEach(Base, frozen=True, tag="for-each"):
    """Once for each target of a path, the variable being that target."""

    variable: str
    path: w.Path
    body: tuple[Step, ...]


class Repeat(Base, frozen=True, tag="repeat"):
    """So many times."""

    count: w.Count
    body: tuple[Step, ...]


class Call(Base, frozen=True, tag="call"):
    """Another program, with arguments for its parameters."""

    program: w.ProgramName
    arguments: tuple[w.Any, ...] = ()


class Return(Base, frozen=True, tag="return"):
    """The end of this program."""


class Stop(Base, frozen=True, tag="stop"):
    """The end of the whole run."""


class Together(Base, frozen=True, tag="together"):
    """Moves that start at the same instant; the next step waits for the slowest."""

    moves: tuple[Step, ...]


class Parallel(Base, frozen=True, tag="parallel"):
    """Branches side by side; the next step waits for all of them."""

    branches: tuple[tuple[Step, ...], ...]


class Try(Base, frozen=True, tag="try"):
    """Steps, and what to do when one of them is refused; the variable then holds the reason."""

    body: tuple[Step, ...]
    handler: tuple[Step, ...]
    variable: str = ""


# ---- words ------------------------------------------------------------------------------------------------


class Message(Base, frozen=True, tag="message"):
    """Something for whoever watches."""

    text: w.Said


class Comment(Base, frozen=True, tag="comment"):
    """A remark for whoever reads."""

    text: str


class Verbatim(Base, frozen=True, tag="verbatim"):
    """Lines of another language, kept for its printer and not carried out."""

    language: str
    text: str


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
    | MoveAlong
    | Weld
    | MoveSolid
    | CloseGripper
    | OpenGripper
    | GripPart
    | ReleasePart
    | Ride
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
"""The kinds of step that are one motion, so that several can start together."""
STEERING = (Override, HoldMotion, ResumeMotion, StopMotion, EmergencyStop, SupersedeJoints, RunConveyor, StopConveyor)
"""The kinds of step that change what moves already."""
GIVEN = (*STEERING, InjectFault, ClearFault)
"""The kinds of step that may come from outside while a run stands."""


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
    """The blocks inside a step, in the order written."""
    inner = _BLOCKS.get(type(step))
    return () if inner is None else inner(step)


def walk(block: Block) -> Iterator[Step]:
    """All steps of a block and of the blocks inside, in the order written."""
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


def expressions(step: Step) -> Iterator[tuple[w.Wants, Expression]]:
    """The expressions of a step itself, each with what it must give; not those of the blocks inside."""
    for field in w.fields_of(type(step)):
        if not isinstance(field.holds, w.Wants):
            continue
        value = getattr(step, field.name)
        for one in value if field.several else (value,):
            if one is not None:
                yield field.holds, one
    if isinstance(step, If):
        for arm in step.arms:
            yield w.Wants("truth"), arm.condition
