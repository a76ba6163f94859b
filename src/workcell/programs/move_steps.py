"""The steps that move joints, and hands of robots."""

from __future__ import annotations

from workcell.programs import wants as w
from workcell.programs.base_step import Base


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
