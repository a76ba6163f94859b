"""A robot in a simulator: the moves of its hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, MotionError, Refused, Unreachable
from workcell.kinematics.singularity import is_singular
from workcell.motion.curve import HandCurve
from workcell.motion.follow import Followed, follow, follow_sampled
from workcell.motion.frames import positive
from workcell.motion.named_profiles import (
    along,
    checked_profile,
    required_speeds,
)
from workcell.motion.profiles import linear_through
from workcell.motion.speeds import required_speed
from workcell.simulation import branch_policy
from workcell.simulation.hand import Hand, Point
from workcell.simulation.hand_solver import Forward, Solve, quickest
from workcell.simulation.planned import Planned
from workcell.simulation.required import required_pose, required_poses, shortly
from workcell.spatial.pose import Pose
from workcell.world.axes_text import Axes, is_held, require_held

if TYPE_CHECKING:
    from workcell.simulation.machine_moves import HandMove


Array = NDArray[np.float64]
TOLERANCE = 1e-6
"""The default tolerance of the hand from its curve [m]."""
_TURN = 1e-5
"""The tolerance of its orientation [rad]."""


class HandMover(Hand):
    """The moves of the hand of a robot."""

    def branch(self, policy: str | int | tuple[int, int, int]) -> None:
        """Set the inverse solution of later moves: nearest, roomiest, agent, agent:60, 0…7 or Ding's signs.

        ``frozen`` keeps the branch that the arm is in now.
        """
        branch_policy.require_hand(self.robot, self.name)
        self._set(branch=self._resolved(policy))

    @property
    def branch_rule(self) -> str:
        """The rule or the branch that its moves use."""
        return self._branch

    def _resolved(self, policy: str | int | tuple[int, int, int]) -> str:
        return branch_policy.resolved(self.robot, self.name, branch_policy.checked_policy(policy), self.joints)

    def move_end_effector(
        self,
        pose: Pose,
        *,
        branch: str | int | tuple[int, int, int] = "",
        near: ArrayLike | None = None,
        profile: str = "",
        point: Point = "tool",
        on: str = "",
        when: float | None = None,
        axes: Axes = "",
        work: str = "",
    ) -> float:
        """Move the hand to a pose in the world, with all joints in one timing; return the duration [s].

        Args:
            pose: ``X_world_hand``.
            branch: the inverse solution: nearest, roomiest, agent, agent:60, frozen, 0…7 or Ding's signs.
            near: joint values that the solution should be near to; by default, the present ones.
            profile: how the speed grows and falls.
            point: whether the pose is of the tool or of the grip point.
            on: a belt or part to meet and then follow; the pose is in its frame.
            when: the reading of the belt at which the pose was measured in the world [m or rad].
            axes: the axes that carry the arm or its work: held, best, or a value for each.
            work: the object that the pose moves with while axes move; by default, it is fixed in the world.
        """
        required_pose(pose, "A move of the hand")
        branch_policy.require_hand(self.robot, self.name)
        policy = self._resolved(branch if branch != "" else self._branch)
        if on or when is not None:
            require_held(axes, work)
            return self._meet(pose, on, when, point, profile, branch=policy)
        if not is_held(axes):
            took = self._with_axes(point, axes, work).to_pose(pose, policy, profile or self._profile)
            if took is not None:
                return took
        q = self._joints_for(pose, policy, point, near)
        return self._move_joints(q, profile or self._profile, "end effector")

    def joints_for(self, pose: Pose, *, branch: str | int | tuple[int, int, int] = "", point: Point = "tool") -> Array:
        """Return the joint values with which the hand is at a pose in the world, by a branch or that of the robot."""
        required_pose(pose, "A hand")
        branch_policy.require_hand(self.robot, self.name)
        return self._joints_for(pose, self._resolved(branch if branch != "" else self._branch), point)

    def _joints_for(self, pose: Pose, policy: str, point: Point, near: ArrayLike | None = None) -> Array:
        try:
            beside = self.joints if near is None else self.robot.checked(near)
            return branch_policy.chosen(self.robot, self._in_base(pose, point), policy, beside, exact=near is not None)
        except Unreachable as error:
            raise self._unreachable(error, point) from error

    def move_straight_line(
        self,
        pose: Pose,
        *,
        orientation: str = "interpolate",
        tolerance: float = TOLERANCE,
        step: float | None = None,
        hand_speed: float | None = None,
        profile: str = "",
        point: Point = "tool",
        on: str = "",
        when: float | None = None,
        axes: Axes = "",
        work: str = "",
    ) -> float:
        """Move the hand to a pose in the world along a straight line; return the duration [s].

        Args:
            pose: ``X_world_hand``.
            orientation: 'interpolate' turns the hand evenly to the pose's orientation, 'keep' does not turn it.
            tolerance: the tolerance of the hand from the line [m].
            step: with a step, the method of the thesis: inverse kinematics at this distance and straight joint lines
                between; the recording reports the error of the move [m].
            hand_speed: the greatest speed of the hand [m/s; rad/s if it only turns].
            profile: how the speed grows and falls.
            point: whether the pose is of the tool or of the grip point.
            on: a belt or part to meet and then follow; the pose and the line are in its frame.
            when: the reading of the belt at which the pose was measured in the world [m or rad].
            axes: the axes that carry the arm or its work, at the end; they move there evenly.
            work: the object that the line moves with while axes move; by default, it is fixed in the world.
        """
        required_pose(pose, "A straight line")
        start = self.hand_pose(point)
        if on or when is not None:
            if step is not None:
                raise Refused(f"A straight line on {on} cannot be made in steps; leave `every` out.")
            require_held(axes, work)
            top = math.inf if hand_speed is None else required_speed(hand_speed, "The speed of the hand")
            return self._meet(pose, on, when, point, profile, line=(orientation == "keep", tolerance, top))
        if self._follows:
            kept = pose if orientation == "interpolate" else Pose.from_rotation(start.rotation, pose.xyz)
            return self._straight_away(kept, tolerance, profile, point, "line")
        if _same(start, pose, orientation):
            return self._simulator.perform(self._standing("line"))
        curve = HandCurve.line(start, pose, orientation)
        if step is not None:
            if not is_held(axes):
                raise Refused("A straight line in steps (`every`) holds all axes; leave `every` out to let axes move.")
            return self._sampled(curve, step, point)
        return self._along(curve, tolerance, hand_speed, profile, point, "line", axes, work)

    def move_circular(
        self,
        via: Pose | ArrayLike,
        pose: Pose,
        *,
        orientation: str = "interpolate",
        tolerance: float = TOLERANCE,
        hand_speed: float | None = None,
        profile: str = "",
        point: Point = "tool",
        axes: Axes = "",
        work: str = "",
    ) -> float:
        """Move the hand to a pose on the circle through the position of ``via``; return the duration [s].

        With the orientation ``via``, the hand also moves smoothly through the orientation of that pose.
        """
        required_pose(pose, "A circle")
        through = via if isinstance(via, Pose) else _place(via)
        curve = HandCurve.arc(self.hand_pose(point), through, pose, orientation)
        return self._along(curve, tolerance, hand_speed, profile, point, "circle", axes, work)

    def move_path(
        self,
        poses: Sequence[Pose],
        *,
        blend: float = 0.0,
        orientation: str = "interpolate",
        tolerance: float = TOLERANCE,
        hand_speed: float | None = None,
        profile: str = "",
        point: Point = "tool",
        axes: Axes = "",
        work: str = "",
    ) -> float:
        """Move the hand straight from pose to pose, with corners rounded by a radius [m]; return the duration [s].

        Without a blending radius, the corners are sharp; all profiles but ``linear`` stop in them.
        """
        required_poses(poses, "A path")
        if not poses:
            raise InvalidValue("A path needs at least one pose to go to.")
        if not (math.isfinite(blend) and blend >= 0.0):
            raise InvalidValue(f"A blending radius must be zero or more; found {blend * 1e3:g} mm.")
        curve = HandCurve.polyline([self.hand_pose(point), *poses], blend, orientation)
        return self._along(curve, tolerance, hand_speed, profile, point, "path", axes, work)

    def move_hand(
        self,
        by: Pose,
        *,
        frame: Literal["hand", "world"] = "hand",
        tolerance: float = TOLERANCE,
        hand_speed: float | None = None,
        profile: str = "",
        point: Point = "tool",
        axes: Axes = "",
        work: str = "",
    ) -> float:
        """Shift and turn the hand from where it is, in a straight line; return the duration [s].

        Args:
            by: the shift [m] and the turn.
            frame: whether they are along the axes of the hand or of the world; turns are about the hand's origin.
            tolerance: the tolerance of the hand from the line [m].
            hand_speed: the greatest speed of the hand [m/s; rad/s if it only turns].
            profile: how the speed grows and falls.
            point: the point of the hand.
            axes: the axes that carry the arm or its work, at the end; they move there evenly.
            work: the object that the line moves with while axes move; by default, it is fixed in the world.
        """
        required_pose(by, "A shift of the hand")
        if frame not in ("hand", "world"):
            raise InvalidValue(f"A shift of the hand must be along the axes of 'hand' or 'world'; found {frame!r}.")
        now = self.hand_pose(point)
        if frame == "hand":
            goal = now @ by
        else:
            goal = Pose.from_rotation(by.rotation @ now.rotation, now.xyz + by.xyz)
        if self._follows:
            return self._straight_away(goal, tolerance, profile, point, "hand")
        if _same(now, goal, "interpolate"):
            return self._simulator.perform(self._standing("hand"))
        curve = HandCurve.line(now, goal)
        return self._along(curve, tolerance, hand_speed, profile, point, "hand", axes, work)

    def _meet(
        self,
        pose: Pose,
        on: str,
        when: float | None,
        point: Point,
        profile: str,
        branch: str = "",
        line: tuple[bool, float, float] | None = None,
    ) -> float:
        """Meet a belt or part and follow it; along a line if its orientation, tolerance and speed are given."""
        from workcell.simulation.tracked_moves import meeting_move

        if not on:
            raise InvalidValue("`when` is the reading of a belt; name the belt with `on`.")
        branch_policy.require_hand(self.robot, self.name)
        settings = self._speed, checked_profile(profile or self._profile), branch or self._branch
        keep, tolerance, top = line or (False, TOLERANCE, math.inf)
        X_tool_hand = self.point_of_hand(point)
        planned = meeting_move(
            self._simulator, self._placed, pose, on, when, X_tool_hand, straight=line is not None, keep=keep,
            tolerance=positive(tolerance, "A tolerance", "m"), hand_speed=top, settings=settings,
        )  # fmt: skip
        return self._simulator.perform(planned)

    def _straight_away(self, pose: Pose, tolerance: float, profile: str, point: Point, kind: str) -> float:
        """Move straight to a pose in the world from the present motion of a hand that follows something."""
        from workcell.simulation.meetings import straight_from
        from workcell.simulation.tracked_moves import leaving

        used = checked_profile(profile or self._profile)

        def away(rate: float) -> Planned:
            found = straight_from(
                self._simulator, self._placed, self.point_of_hand(point), pose, speed=self._speed, profile=used,
                tolerance=tolerance, rate=rate,
            )  # fmt: skip
            return self._planned(found.motion, kind, used, None, found.deviation)

        return self._simulator.perform(leaving(self._simulator, self.name, away))

    def _along(
        self,
        curve: HandCurve,
        tolerance: float,
        hand_speed: float | None,
        profile: str,
        point: Point,
        kind: str,
        axes: Axes = "",
        work: str = "",
    ) -> float:
        profile = checked_profile(profile or self._profile)
        if hand_speed is not None:
            required_speed(hand_speed, "The speed of the hand")
        if not is_held(axes):
            branch_policy.require_hand(self.robot, self.name)
            took = self._with_axes(point, axes, work).along(curve, tolerance, hand_speed, profile, kind)
            if took is not None:
                return took
        solve, forward = self._solver(point)
        followed = follow(
            curve,
            solve,
            forward,
            self.joints,
            tolerance=tolerance,
            angle_tolerance=max(_TURN, tolerance),
            limits=self.robot.limits,
        )
        self._continues(followed)
        if hand_speed is not None:
            hand_speed /= quickest(forward, followed.path) if curve.pace[0] > 0.0 else 1.0
        trajectory = along(self.robot, followed.path, profile, self._speed, hand_speed)
        self._inside(trajectory)
        return self._simulator.perform(self._planned(trajectory, kind, profile, None, followed.deviation, hand_speed))

    def _with_axes(self, point: Point, axes: Axes, work: str) -> HandMove:
        """Return a move of the hand in which axes move along."""
        from workcell.simulation.machine_moves import HandMove

        return HandMove(self._simulator, self._placed, self.point_of_hand(point).inverse(), axes, work)

    def _sampled(self, curve: HandCurve, step: float, point: Point) -> float:
        """Make the straight line of the thesis: many short joint moves."""
        solve, forward = self._solver(point)
        rows, followed = follow_sampled(curve, solve, forward, self.joints, step=step)
        self._continues(followed)
        trajectory = required_speeds(self.robot, linear_through(rows, self._speed), self._speed)
        self._inside(trajectory)
        planned = self._planned(trajectory, "line", "linear", deviation=followed.deviation)
        return self._simulator.perform(planned)

    def _solver(self, point: Point) -> tuple[Solve, Forward]:
        branch_policy.require_hand(self.robot, self.name)
        X_hand_tool = self.point_of_hand(point).inverse()
        X_base_world = self._simulator.snapshot.base_pose(self._simulator.state, self.name).inverse()
        return Solve(self.robot, X_base_world, X_hand_tool), Forward(self.robot, X_base_world, X_hand_tool)

    def _continues(self, followed: Followed) -> None:
        """Refuse a path that does not begin at the present joint values."""
        off = np.abs(followed.path.start - self.joints)
        if off.max() > 1e-6:
            joint = int(off.argmax())
            why = (
                f"is at a singularity, where joint {joint + 1} can have many values for this pose"
                if is_singular(self.robot.chain, self.joints)
                else f"has joint {joint + 1} at another value than inverse kinematics gives for this pose"
            )
            raise MotionError(
                f"{self.name} {why}; move its joints a little first.",
                joint=joint + 1,
                off=float(off[joint]),
            )


def _place(via: object) -> Pose:
    """Return a place on the way as a pose; it may be three numbers [m]."""
    try:
        xyz = np.asarray(via, dtype=float)
    except (TypeError, ValueError):
        xyz = np.empty(0)
    if xyz.shape != (3,):
        raise InvalidValue(f"A circle goes through a Pose or a place of three numbers; found {shortly(via)}.")
    return Pose.from_xyz(*xyz.tolist())


def _same(one: Pose, other: Pose, orientation: str) -> bool:
    metres, radians = one.distance(other)
    return bool(metres < 1e-9 and (radians < 1e-9 or orientation == "keep"))
