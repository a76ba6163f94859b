"""Commands on the hand of a robot as it stands: hand, set hand, solutions, large-move-limit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from workcell.commands.hand_moves import POINT
from workcell.commands.language.branches import Branch
from workcell.commands.language.references import Ref, Target
from workcell.commands.language.registry import command
from workcell.commands.language.values import Number
from workcell.commands.results import Done, Result
from workcell.commands.shown_things import pose_text
from workcell.errors import InvalidValue
from workcell.simulation.branch_policy import large_move_rule, standing_branches
from workcell.simulation.in_scene import simulated
from workcell.spatial.transform import Transform
from workcell.wording import joined
from workcell.world.entities import Entity
from workcell.world.setup import LARGE_MOVE

if TYPE_CHECKING:
    from workcell.commands.session import Session

_PUMA = "> create robot Puma puma560 joints 0,0,-90,0,90,0"


class HandNow(Result, frozen=True):
    """The hand of a robot now.

    Attributes:
        robot: the robot.
        joints: its joint values [rad or m].
        slides: which joints slide.
        point: ``grip``, the grip point of its gripper, or ``tool`` if it has no gripper.
        matrix: the pose of this point in the world (4×4, SI).
        opening: the distance between the finger pads [m]; None for a hand without fingers.
        holds: the parts that it holds.
        branch: the rule or the branch that its moves use.
    """

    robot: str
    joints: list[float]
    slides: list[bool]
    point: str
    matrix: list[list[float]]
    opening: float | None
    holds: tuple[str, ...]
    branch: str
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "hand {robot}",
    help="show the hand of a robot: its grip point, its opening, what it holds and its branch",
    effect="reads",
    robot=Ref("robot"),
    examples=[_PUMA, "hand Puma"],
)
def hand(session: Session, robot: Entity) -> HandNow:
    """The pose is that of the grip point, or of the TCP if the robot has no gripper."""
    one, units = simulated(session.simulator, robot), session.units
    point, opening = one.own_point, one.opening
    pose = one.hand_pose(point)
    lines = [f"{robot.name}: {point} {pose_text(units, pose)}"]
    if opening is not None:
        lines.append(f"  {units.show(opening, 'length')} between the fingers")
    lines.append(f"  holds {joined(list(one.held)) if one.held else 'nothing'}; branch {one.branch_rule}")
    return HandNow(
        robot.name, one.joints.tolist(), [row.prismatic for row in one.robot.rows], point, pose.matrix.tolist(),
        opening, one.held, one.branch_rule, "\n".join(lines),
    )  # fmt: skip


@command(
    "set hand {robot} {pose} [branch {branch}] [of {point}] [--untested]",
    help="set the joints of a robot at once so that its hand is at a pose, without a motion",
    effect="simulates",
    robot=Ref("robot"),
    pose=Target(),
    branch=Branch(),
    point=POINT,
    param_help={
        "pose": "in the world, or the name of a target or frame",
        "branch": "the branch of inverse kinematics; default: that of the robot",
        "point": "what is brought to the pose: tool, the default, or the grip point",
        "untested": "do not test for collisions, even if they are watched",
    },
    examples=[
        _PUMA,
        "set hand Puma 500,-150,500 euler fanuc_wpr 180,0,180",
        "> watch yes",
        "set hand Puma 500,150,500 euler fanuc_wpr 180,0,180 branch nearest of grip --untested",
    ],
)
def set_hand(
    session: Session, robot: Entity, pose: Transform, branch: str = "", point: Any = "tool", untested: bool = False
) -> Done:
    """No time passes. This shows where a pose brings an arm; a robot that is connected does not move."""
    one = simulated(session.simulator, robot)
    one.set_joints(one.joints_for(pose.pose(), branch=branch, point=point), tested=not untested)
    return Done(f"{robot.name} set")


class Standing(Result, frozen=True):
    """The branches of inverse kinematics at the present pose of a robot: the one in use, and those in the limits."""

    robot: str
    index: int
    valid: tuple[int, ...]

    def __str__(self) -> str:
        valid = joined([str(index) for index in self.valid]) or "none"
        return f"{self.robot} is in branch {self.index}; within the limits here: {valid}"


@command(
    "solutions {robot}",
    help="show the branch of inverse kinematics that a robot is in, and those that it could be in here",
    effect="reads",
    robot=Ref("robot"),
    examples=[_PUMA, "solutions Puma"],
)
def solutions(session: Session, robot: Entity) -> Standing:
    """The index is 4 for the left arm, plus 2 for elbow up, plus 1 for wrist up. `branch` chooses one.

    This is refused for arms whose branches have no names.
    """
    one = simulated(session.simulator, robot)
    index, valid = standing_branches(one.robot, robot.name, one.joints)
    return Standing(robot.name, index, valid)


@command(
    "large-move-limit {angle}",
    help="set the change of a joint above which the rule `agent` takes the roomiest branch",
    effect="edits",
    angle=Number("angle"),
    param_help={"angle": "default 45°"},
    examples=[_PUMA, "> branch Puma agent", "large-move-limit 60deg"],
)
def large_move_limit(session: Session, angle: float) -> Done:
    """The limit is saved in the cell. It applies to all robots with this rule, and to those that get it later."""
    if not 0.0 <= angle <= 4.0 * math.pi:
        raise InvalidValue(f"The limit must be 0° to 720°; found {session.units.show(angle, 'angle')}.")
    database = session.database
    database.set_setting(session.rows, LARGE_MOVE, repr(float(angle)))
    rule = large_move_rule(angle)
    changed = [one for one in database.entities("robot") if str(one.properties.get("branch", "")).startswith("agent")]
    for one in changed:
        database.set_properties(session.rows, one, {"branch": rule})
    names = f"; {joined([one.name for one in changed])} uses it" if changed else ""
    return Done(f"large moves begin at {session.units.show(angle, 'angle')}{names}")
