"""Commands that move the hand of a robot: to a pose, in a line, on a circle, along a path, by an offset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.branches import Branch
from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref, Target
from workcell.commands.language.registry import command
from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import Choice, Length, Number, Value
from workcell.commands.moved import Moved, moved
from workcell.commands.moves import PROFILE
from workcell.errors import InvalidValue
from workcell.programs import steps as s
from workcell.world.axes_text import BEST, HELD, checked_axes
from workcell.world.target_wishes import recalled, wished_axes

if TYPE_CHECKING:
    from workcell.commands.session import Session

_PUMA = "> create robot Puma puma560 joints 0,60,-190,0,40,0"
RAILED = ("> add rail track 3000", "> mount Puma on track", "> create machine Cell of track of Puma")
_ORIENTATION = Choice(
    {"interpolate": "turn evenly to the orientation of the pose, the default", "keep": "do not turn"},
    "interpolate|keep",
)
_THROUGH = Choice(
    {**_ORIENTATION.words, "via": "turn smoothly through the orientation of the via pose"}, "interpolate|keep|via"
)
POINT = Choice({"tool": "the TCP of the robot, the default", "grip": "the grip point of its gripper"}, "tool|grip")
_HAND_SPEED = "the highest speed of the hand; default: as fast as the joints allow"
_TOLERANCE = "how far the hand may leave the line; default 0.001 mm"


_ON = "a belt, another mechanism or a part that moves: the hand meets it and then follows it"
_WHEN = "the reading of the belt's encoder at which the pose was valid in the world [m or rad]"


class AxesWish(Value):
    """Where external axes should be."""

    label = "AXES"
    help = "held, best, or a value for each axis, such as 1200mm,best"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """One word, with commas between the axes."""
        if tokens.done:
            raise tokens.fail(f"Expected axes: {self.help}.", {self.label: self.help})
        token = tokens.take()
        try:
            return checked_axes(unquote(token.text))
        except InvalidValue as error:
            raise tokens.fail(str(error), [self.label], token.start) from None

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> list[tuple[str, str]]:
        """The words."""
        known = {HELD: "stay where they are", BEST: "where the arm reaches best"}
        return [(word, help) for word, help in known.items() if word.startswith(prefix)]


class HandTarget(Target):
    """A pose in the world or a target; the wishes of a target for branch and external axes apply to the move.

    Args:
        chooses: whether the move chooses a branch; a learned target then gives its own.
    """

    def __init__(self, chooses: bool = False) -> None:
        self._chooses = chooses

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read it as any target."""
        named = self.named_here(tokens, session)
        found = super().parse(tokens, session, seen)
        name = unquote(named.removeprefix("target:")) if named is not None else ""
        target = session.database.find("target", name) if name else None
        if target is None:
            return found
        spot = session.snapshot().places.spot(name, "target")
        wishes: dict[str, Any] = {}
        if self._chooses and "robot" in seen and not _gives(tokens, "branch"):
            wishes |= recalled(spot, seen["robot"].name)
        if "axes=" not in tokens.line:
            wishes |= wished_axes(session.snapshot(), spot)
        if "work" in wishes:
            wishes["work"] = session.database.find("object", wishes["work"])
        for parameter, value in wishes.items():
            if value is not None:
                seen.setdefault(parameter, value)
        return found


def _gives(tokens: Tokens, parameter: str) -> bool:
    """Whether a line gives a parameter itself, by its key or after the pose."""
    return f"{parameter}=" in tokens.line or parameter in tokens.words[tokens.at : -1]


AXES_HELP = {
    "axes": "for a machine: where its other axes should be: held, best, or values such as 1200mm,best; default: as "
    "the target asks, else held",
    "work": "the object that carries the pose while axes move",
}


NEAR_HELP = {
    "near": "joint values that the solution should be near; default: those of a learned target, else the current ones",
}


class Via(Target):
    """A point or a pose on a circle."""

    label = "POINT|POSE|TARGET"
    help = "a point or a pose on the circle, or the name of a target"

    def checked(self, value: Any) -> Any:
        """Accept three numbers as a point."""
        from workcell.spatial.pose import Pose

        return super().checked(Pose.from_xyz(*value) if isinstance(value, list | tuple) and len(value) == 3 else value)


@command(
    "move-end-effector {robot} {pose} [branch {branch}] [near {near}] [profile {profile}] [of {point}] [on {on}] "
    "[when {when}] [axes {axes}] [with {work}]",
    help="move the hand to a pose; the joints go directly there",
    effect="simulates",
    robot=Ref("robot"),
    pose=HandTarget(chooses=True),
    branch=Branch(),
    near=JointVector(),
    profile=PROFILE,
    point=POINT,
    on=Ref("object", "robot", "mechanism"),
    when=Number(),
    axes=AxesWish(),
    work=Ref("object"),
    param_help={
        "pose": "in the world, or the name of a target or frame; with `on`, in the frame of what moves",
        "point": "what is moved to the pose: tool, the default, or the grip point",
        "on": _ON,
        "when": _WHEN,
        **NEAR_HELP,
        **AXES_HELP,
        "profile": "the speed profile of this move; default: that of the robot",
        "branch": "the branch of inverse kinematics; default: that of a learned target, else that of the robot",
    },
    examples=[
        _PUMA,
        "move-end-effector Puma 500,-150,500 euler fanuc_wpr 180,0,180",
        "move-end-effector Puma 500,-150,500 euler fanuc_wpr 180,0,180 near 0,60,-190,0,40,-200",
        "move-end-effector Puma 500,100,500 euler fanuc_wpr 180,0,180 branch nearest of grip",
        "> add conveyor Belt 2000 at 500,0,-500",
        "move-end-effector Puma 0,0,800 euler fanuc_wpr 180,0,180 on Belt",
        "move-end-effector Puma 500,-100,400 euler fanuc_wpr 180,0,180 on Belt when 0.1",
        *RAILED,
        "move-end-effector Puma 2400,400,700 euler fanuc_wpr 180,0,0 axes best",
        "move-end-effector Puma 700,400,700 euler fanuc_wpr 180,0,0 axes 400mm",
    ],
)
def move_end_effector(session: Session, **given: Any) -> Moved:
    """A pose out of reach is refused. The message states the nearest pose in reach."""
    return moved(session, s.MoveEndEffector, given)


@command(
    "move-straight-line {robot} {pose} [orientation {orientation}] [tolerance {tolerance}] [every {step}] "
    "[speed {speed}] [profile {profile}] [of {point}] [on {on}] [when {when}] "
    "[axes {axes}] [with {work}]",
    help="move the hand to a pose in a straight line",
    effect="simulates",
    robot=Ref("robot"),
    pose=HandTarget(),
    orientation=_ORIENTATION,
    tolerance=Length(positive=True),
    step=Length(positive=True),
    speed=Number("speed", positive=True),
    profile=PROFILE,
    point=POINT,
    on=Ref("object", "robot", "mechanism"),
    when=Number(),
    axes=AxesWish(),
    work=Ref("object"),
    param_help={
        "pose": "in the world, or the name of a target or frame; with `on`, in the frame of what moves",
        "tolerance": _TOLERANCE,
        "on": _ON,
        "when": _WHEN,
        "step": "compute inverse kinematics only at this distance, with joint motions between, as in the thesis",
        "speed": _HAND_SPEED,
        **AXES_HELP,
        "profile": "the speed profile of this move; default: that of the robot",
    },
    examples=[
        _PUMA,
        "> move-end-effector Puma 500,-150,500 euler fanuc_wpr 180,0,180",
        "move-straight-line Puma 500,50,450 orientation keep",
        "move-straight-line Puma 500,-150,500 euler fanuc_wpr 180,0,180 every 10mm",
        *RAILED,
        "> move-end-effector Puma 300,500,700 euler fanuc_wpr 180,0,0 axes best",
        "move-straight-line Puma 2300,500,700 euler fanuc_wpr 180,0,0 axes best",
    ],
)
def move_straight_line(session: Session, **given: Any) -> Moved:
    """The answer states how far the hand leaves the line."""
    return moved(session, s.MoveStraightLine, given)


@command(
    "move-circular {robot} {via} to {pose} [orientation {orientation}] [speed {speed}] [profile {profile}] "
    "[of {point}] "
    "[axes {axes}] [with {work}]",
    help="move the hand to a pose on the circle through a point",
    effect="simulates",
    robot=Ref("robot"),
    via=Via(),
    pose=HandTarget(),
    orientation=_THROUGH,
    speed=Number("speed", positive=True),
    profile=PROFILE,
    point=POINT,
    axes=AxesWish(),
    work=Ref("object"),
    param_help={
        "via": "a point on the circle in the world, or a pose; its orientation counts only with `orientation via`",
        "pose": "in the world",
        "speed": _HAND_SPEED,
        **AXES_HELP,
        "profile": "the speed profile of this move; default: that of the robot",
    },
    examples=[
        _PUMA,
        "> move-end-effector Puma 500,-150,500 euler fanuc_wpr 180,0,180",
        "move-circular Puma 550,-50,500 to 500,50,500 orientation keep",
        "move-circular Puma 550,-50,500 euler fanuc_wpr 180,0,160 to 500,-150,500 euler fanuc_wpr 180,0,180 "
        "orientation via",
    ],
)
def move_circular(session: Session, **given: Any) -> Moved:
    """The hand turns evenly to the orientation of the pose, or smoothly through that of the via pose."""
    return moved(session, s.MoveCircular, given)


@command(
    "move-path {robot} [through {poses}]* [blend {radius}] [orientation {orientation}] [speed {speed}] "
    "[profile {profile}] [of {point}] "
    "[axes {axes}] [with {work}]",
    help="move the hand straight from pose to pose, with rounded corners",
    effect="simulates",
    robot=Ref("robot"),
    poses=HandTarget(),
    radius=Length(positive=True),
    orientation=_ORIENTATION,
    speed=Number("speed", positive=True),
    profile=PROFILE,
    point=POINT,
    axes=AxesWish(),
    work=Ref("object"),
    param_help={
        "poses": "in the world, in order",
        "radius": "how far from a corner the rounding begins; default: sharp corners",
        "speed": _HAND_SPEED,
        **AXES_HELP,
        "profile": "the speed profile of this move; default: that of the robot",
    },
    examples=[
        _PUMA,
        "> move-end-effector Puma 500,-150,500 euler fanuc_wpr 180,0,180",
        "move-path Puma through 500,0,500 through 550,0,450 blend 20 orientation keep profile time-optimal",
    ],
)
def move_path(session: Session, **given: Any) -> Moved:
    """Without rounding, the hand stops at every corner, unless the profile is linear."""
    return moved(session, s.MovePath, given)


@command(
    "move-hand {robot} {by} [along {frame}] [speed {speed}] [profile {profile}] [of {point}] [axes {axes}] "
    "[with {work}]",
    help="shift and turn the hand from where it is, in a straight line",
    effect="simulates",
    robot=Ref("robot"),
    by=PoseValue(),
    frame=Choice({"hand": "along the axes of the hand", "world": "along the axes of the world"}, "hand|world"),
    speed=Number("speed", positive=True),
    profile=PROFILE,
    point=POINT,
    axes=AxesWish(),
    work=Ref("object"),
    param_help={
        "by": "the shift and the turn",
        "frame": "hand: along the axes of the hand, the default; world: along the axes of the world",
        "speed": _HAND_SPEED,
        **AXES_HELP,
        "profile": "the speed profile of this move; default: that of the robot",
    },
    examples=[
        _PUMA,
        "> move-end-effector Puma 500,-150,500 euler fanuc_wpr 180,0,180",
        "move-hand Puma 0,0,50",
        "move-hand Puma rotate 0,0,20",
        "move-hand Puma 0,0,-30 along world speed 100mm/s",
    ],
)
def move_hand(session: Session, **given: Any) -> Moved:
    """The hand turns about its TCP."""
    return moved(session, s.MoveHand, given)
