"""The steps that move joints and hands."""

from __future__ import annotations

from workcell.programs import wants as w
from workcell.programs.base_step import Base


class MoveJointsAbsolute(Base, frozen=True, tag="move-joints-absolute"):
    """Move all joints to these values."""

    robot: w.Jointed
    joints: w.Joints
    profile: str = ""


class MoveJointsRelative(Base, frozen=True, tag="move-joints-relative"):
    """Move all joints by these amounts."""

    robot: w.Jointed
    joints: w.Joints
    profile: str = ""


class SetJoints(Base, frozen=True, tag="set-joints"):
    """Set the joints to these values at once, without a motion."""

    robot: w.Jointed
    joints: w.Joints


class Home(Base, frozen=True, tag="home"):
    """Move all joints to the robot's initial state."""

    robot: w.Jointed
    profile: str = ""


class FollowTable(Base, frozen=True, tag="follow-table"):
    """Move the joints by a table over time."""

    robot: w.Device
    file: str
    joint: w.Count | None = None
    units: str = "radians"
    between: str = "cubic"
    until_limit: bool = False
    any_acceleration: bool = False


class FollowFunction(Base, frozen=True, tag="follow-function"):
    """Move one joint by a function of time."""

    robot: w.Device
    joint: w.Count
    function: str
    duration: w.PositiveSeconds
    units: str = "degrees"
    until_limit: bool = False
    any_acceleration: bool = False


class MoveEndEffector(Base, frozen=True, tag="move-end-effector"):
    """Move the hand to a pose; all joints move in one timing."""

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
    """Move the hand to a pose along a straight line."""

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
    """Move the hand to a pose on the circle through a point."""

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
    """Move the hand in straight lines from pose to pose, with rounded corners."""

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
    """Shift and turn the hand from where it is."""

    robot: w.Arm
    by: w.Pose
    frame: str = "hand"
    speed: w.HandSpeed | None = None
    profile: str = ""
    point: str = "tool"
    axes: str = ""
    work: w.Solid | None = None


class Approach(Base, frozen=True, tag="approach"):
    """Move the hand to a place before a pose, back along the z axis of the pose."""

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
    """Move the hand straight back along its own z axis."""

    robot: w.Arm
    distance: w.PositiveLength
    speed: w.HandSpeed | None = None
    profile: str = ""
    point: str = "tool"


class FindPath(Base, frozen=True, tag="find-path"):
    """The robot to a goal by a path that touches nothing, looked for when the step is carried out.

    Attributes:
        joints: joint values to arrive at.
        poses: poses of the hand, any of which will do.
        free: the axis of the goal frame along or about which the hand may be anywhere.
        tolerance: how far off the position may be.
        low: the least corner of a box in which the hand is to be.
        high: its greatest corner.
        seed: the same seed gives the same path.
        budget: how much to search.
        planner: the name of the planner.
        touching: what the robot may touch during this move.
        upright: how far the hand may lean away from how it stands at the start.
        plane: the normal of a plane through the start, in which the hand stays.
        line: the direction of a line through the start, on which the hand stays.
        surface: a solid from whose surface the hand stays as far as at the start.
        one_part: whether both arms of a machine hold one part between their hands.
        beside: whether motions of other robots that are under way count over time.
        priority: who goes first among paths that begin together; the least.
        display_tries: whether what was tried is recorded.
        point: what is brought to the poses: ``tool``, or ``grip`` for the grip point.
        branch: the branch of inverse kinematics at a pose; '' for any.
    """

    robot: w.Jointed
    joints: w.Joints | None = None
    poses: tuple[w.Pose, ...] = ()
    free: str = ""
    tolerance: w.PositiveLength | None = None
    low: w.Point | None = None
    high: w.Point | None = None
    seed: w.Count | None = None
    budget: w.PositiveSeconds | None = None
    planner: str = ""
    touching: w.Solid | None = None
    upright: w.SomeAngle | None = None
    plane: w.Point | None = None
    line: w.Point | None = None
    surface: w.Solid | None = None
    one_part: bool = False
    beside: bool = False
    priority: w.Count | None = None
    display_tries: bool = False
    point: str = "tool"
    branch: str = ""


class MoveAlong(Base, frozen=True, tag="move-along"):
    """Move the hand smoothly along the targets of a path.

    Attributes:
        spin: how far the tool may spin about its own z, to either side; the motion is then planned as a whole.
        tilt: how far that axis may lean to all sides; the motion is then planned as a whole.
        touching: what the robot may touch on a motion that is planned.
        proved: whether the motion is planned as a whole and proved free, its way to the start included.
    """

    robot: w.Arm
    path: w.Path
    speed: w.HandSpeed
    tolerance: w.PositiveLength | None = None
    approach: w.PositiveLength | None = None
    axes: str = ""
    spin: w.SomeAngle | None = None
    tilt: w.SomeAngle | None = None
    touching: w.Solid | None = None
    proved: bool = False


class Guide(Base, frozen=True, tag="guide"):
    """The hand to a pose between obstacles, deciding at every period where to go next."""

    robot: w.Arm
    pose: w.Pose
    on: w.Solid | None = None
    speed: w.HandSpeed | None = None
    keep: w.PositiveLength | None = None
    tolerance: w.PositiveLength | None = None
    within: w.PositiveSeconds | None = None
    period: w.PositiveSeconds | None = None
    ignoring: w.Support | None = None
    method: str = "jacobian"
    resolution: w.PositiveAngle | None = None
    gain: w.PositivePlain | None = None
    caution: w.PositivePlain | None = None
    damping: w.PositivePlain | None = None
    point: str = "tool"
    position: bool = False
    plan: bool = False


class Weld(Base, frozen=True, tag="weld"):
    """Move the hand along a seam while a positioner keeps the seam downhand."""

    robot: w.Arm
    mechanism: w.Device
    path: w.Path
    speed: w.HandSpeed
    tolerance: w.PositiveLength | None = None
    approach: w.PositiveLength | None = None
    downhand: w.Angle | None = None
