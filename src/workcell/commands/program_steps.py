"""Commands that are steps of programs: home, approach, retract, process, message, rounding, tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.hand_moves import AXES_HELP, NEAR_HELP, POINT, AxesWish, HandTarget
from workcell.commands.language.branches import Branch
from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import Choice, Length, Number, Text
from workcell.commands.moved import Moved, moved
from workcell.commands.moves import PROFILE
from workcell.commands.results import Done
from workcell.commands.typed_steps import carried_out
from workcell.errors import Refused
from workcell.programs import steps as s

if TYPE_CHECKING:
    from workcell.commands.session import Session

_PUMA = "> create robot Puma puma560 joints 0,60,-190,0,40,0"
_IN_PROGRAM = 'write program demo "{}%0Await 1"'


@command(
    "home {robot} [profile {profile}]",
    help="move all joints of a robot to their values in the initial state",
    effect="simulates",
    robot=Ref("robot", "mechanism", "machine"),
    profile=PROFILE,
    param_help={"profile": "the speed profile of this move; default: that of the robot"},
    examples=[_PUMA, "> move-joints-relative Puma 10,0,0,0,0,0", "home Puma"],
)
def home(session: Session, **given: Any) -> Moved:
    """`keep state` sets the initial state."""
    return moved(session, s.Home, given)


@command(
    "approach {robot} {pose} by {distance} [branch {branch}] [near {near}] [profile {profile}] [of {point}] "
    "[axes {axes}] [with {work}]",
    help="move the hand to a point before a pose, back along the z axis of the hand",
    effect="simulates",
    robot=Ref("robot"),
    pose=HandTarget(chooses=True),
    distance=Length(positive=True),
    branch=Branch(),
    near=JointVector(),
    profile=PROFILE,
    point=POINT,
    axes=AxesWish(),
    work=Ref("object"),
    param_help={
        "pose": "in the world",
        "distance": "how far before the pose",
        **NEAR_HELP,
        **AXES_HELP,
        "branch": "the branch of inverse kinematics; default: that of a learned target, else that of the robot",
        "profile": "the speed profile of this move; default: that of the robot",
    },
    examples=[_PUMA, "approach Puma 500,-150,450 euler fanuc_wpr 180,0,180 by 50"],
)
def approach(session: Session, **given: Any) -> Moved:
    """The joints go directly there. Then use `move-straight-line` to the pose."""
    return moved(session, s.Approach, given)


@command(
    "retract {robot} by {distance} [speed {speed}] [profile {profile}] [of {point}]",
    help="move the hand straight back along its own z axis",
    effect="simulates",
    robot=Ref("robot"),
    distance=Length(positive=True),
    speed=Number("speed", positive=True),
    profile=PROFILE,
    point=POINT,
    param_help={
        "speed": "the highest speed of the hand; default: as fast as the joints allow",
        "distance": "how far back",
        "profile": "the speed profile of this move; default: that of the robot",
    },
    examples=[_PUMA, "> move-end-effector Puma 500,-150,450 euler fanuc_wpr 180,0,180", "retract Puma by 50"],
)
def retract(session: Session, **given: Any) -> Moved:
    """The orientation of the hand stays."""
    return moved(session, s.Retract, given)


@command(
    "process {robot} {on} [{process}]",
    help="record that a process such as welding or gluing is switched on or off",
    effect="simulates",
    robot=Ref("robot"),
    on=Choice({"on": "the process begins", "off": "the process ends"}),
    process=Text(),
    param_help={"process": "the name of the process"},
    examples=[_PUMA, "process Puma on weld", "process Puma off weld"],
)
def process(session: Session, **given: Any) -> Done:
    """Nothing moves."""
    return Done(carried_out(session, s.Process, given).found)


@command(
    "message {text}",
    help="record a message",
    effect="simulates",
    text=Text(),
    param_help={"text": "in quotes if it has blanks; in a program, any value"},
    examples=['message "the pallet is full"'],
)
def message(session: Session, text: str) -> Done:
    """The recording holds the message with the current time."""
    carried_out(session, s.Message, {"text": text})
    return Done(text)


def _only_in_programs(what: str) -> Refused:
    return Refused(f"`{what}` applies to the steps after it in a program; typed alone it does nothing.")


@command(
    "rounding {robot} {radius}",
    help="round the corners of the paths that follow, in a program",
    effect="simulates",
    robot=Ref("robot"),
    radius=Length(),
    param_help={"radius": "how far from a corner the rounding begins; 0 makes corners sharp"},
    examples=[_PUMA, _IN_PROGRAM.format("rounding Puma 20"), "run demo"],
)
def rounding(_: Session, **given: Any) -> Done:
    """A `move-path` with its own radius keeps it."""
    del given
    raise _only_in_programs("rounding")


@command(
    "tool {robot} [{tcp}]",
    help="choose the TCP for the moves that follow, in a program",
    effect="simulates",
    robot=Ref("robot"),
    tcp=PoseValue(),
    param_help={"tcp": "in the frame of the flange; default: the TCP of the robot's tool"},
    examples=[_PUMA, _IN_PROGRAM.format("tool Puma 0,0,120"), "run demo"],
)
def tool(_: Session, **given: Any) -> Done:
    """The tool on the flange stays; `fit tool` changes it."""
    del given
    raise _only_in_programs("tool")
