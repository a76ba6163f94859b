"""A robot inside a simulator: every move that it can make."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, LimitStop, MotionError, Refused, Unreachable
from workcell.kinematics.singularity import is_singular
from workcell.motion.curve import HandCurve
from workcell.motion.follow import Followed, follow, follow_sampled
from workcell.motion.frames import positive
from workcell.motion.limits import Limits, require, violations
from workcell.motion.path import JointPath
from workcell.motion.profiles import linear_through
from workcell.motion.trajectory import Trajectory
from workcell.robots.robot import Robot
from workcell.simulation import branch_policy, steering
from workcell.simulation.events import StoppedAtLimit
from workcell.simulation.instants import later, not_after
from workcell.simulation.pieces import jump
from workcell.simulation.planned import Planned, one_by_one
from workcell.simulation.required import required_pose, required_poses, shortly
from workcell.simulation.sampling import require_frames
from workcell.simulation.simulator import Simulator
from workcell.simulation.steered import Steered
from workcell.simulation.tethers import follows
from workcell.simulation.timing import (
    along,
    bound_by,
    checked_profile,
    joint_line,
    limiting,
    limits_of,
    required_speeds,
)
from workcell.spatial.pose import Pose
from workcell.world.axes_text import Axes, is_held, require_held
from workcell.world.snapshot import PlacedRobot, no_hand_text

if TYPE_CHECKING:
    from workcell.simulation.grasping import Held
    from workcell.simulation.machine_moves import HandMove

Array = NDArray[np.float64]
Point: TypeAlias = Literal["tool", "grip"] | Pose
"""What a pose of the hand is about: the tool of the robot, the grip point between the fingers, or any point in the
frame of the flange (X_flange_point)."""

SLOWEST = 1e-6
"""The least speed of a joint that can be set [rad/s or m/s]."""
TOLERANCE = 1e-6
"""How far the hand may leave its curve unless told [m]."""
_THERE = 1e-12
"""Joint values nearer than this are the same [rad or m]."""
_LOOKS = 8
"""At how many places of every polynomial of a path the speed of the hand is looked at."""
_TURN = 1e-5
"""How far its orientation may be off [rad]."""


class SimulatedRobot:
    """A robot inside a simulator."""

    def __init__(self, simulator: Simulator, placed: PlacedRobot) -> None:
        self._simulator = simulator
        self._placed = placed
        self._speed, self._profile, self._branch = self.nominal
        self._track: tuple[tuple[float, float], Limits] | None = None
        self.robot = placed.robot

    @property
    def nominal(self) -> tuple[float, str, str]:
        """The speed, profile and branch that the cell gives it."""
        return self._placed.speed, self._placed.profile, self._placed.branch

    @property
    def settings(self) -> tuple[float, str, str]:
        """The speed, profile and branch of the moves to come."""
        return self._speed, self._profile, self._branch

    @settings.setter
    def settings(self, settings: tuple[float, str, str]) -> None:
        self._speed, self._profile, self._branch = settings

    # ---- asking -----------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Its name in the cell."""
        return self._placed.name

    @property
    def has_hand(self) -> bool:
        """Whether its hand can be moved to a pose; a rail, positioner or conveyor has joints only."""
        return branch_policy.has_hand(self.robot)

    @property
    def joints(self) -> Array:
        """Joint values now, as it reads them [rad or m]; where it drifts they are not what is true."""
        simulator = self._simulator
        drift = None if simulator.faults is None else simulator.faults.drift(self.name)
        true = simulator.joints_of(self.name)
        return true if drift is None else true - drift

    @property
    def limits(self) -> Limits:
        """The speeds, none above the one set, and accelerations of its joints."""
        found = limits_of(self.robot, self._speed)
        return Limits(found.speed, found.acceleration)

    @property
    def tool_pose(self) -> Pose:
        """``X_world_tool`` now, by the joint values that it reads."""
        return self._simulator.snapshot.tool_pose(self._simulator.believed, self.name)

    def hand_pose(self, point: Point = "tool") -> Pose:
        """``X_world_hand`` now: of the tool, or of the grip point between the fingers."""
        return self.tool_pose @ self._X_tool_hand(point)

    @property
    def grip_pose(self) -> Pose:
        """``X_world_grip`` now, where it truly is: z the direction of approach, x the direction of closing."""
        true = self._simulator.snapshot.tool_pose(self._simulator.state, self.name)
        return true @ self._X_tool_hand("grip")

    # ---- setting ----------------------------------------------------------------------------------------

    def speed(self, rad_per_s: float) -> None:
        """The speed of the joint that moves most, for the moves to come [rad/s, or m/s for a sliding one]."""
        if not (
            isinstance(rad_per_s, int | float | np.integer | np.floating)
            and math.isfinite(rad_per_s)
            and rad_per_s > 0.0
        ):
            raise InvalidValue(f"The speed of {self.name} must be more than zero; found {rad_per_s}.")
        if rad_per_s < SLOWEST:
            raise InvalidValue(f"The speed of {self.name} must be at least {SLOWEST:g} rad/s; found {rad_per_s:g}.")
        self._speed = float(rad_per_s)

    def profile(self, name: str) -> None:
        """How position grows with time in the moves to come: linear, 345, trapezoid, jerk or time-optimal."""
        self._profile = checked_profile(name)

    def branch(self, policy: str | int | tuple[int, int, int]) -> None:
        """Which inverse solution the moves to come take: nearest, roomiest, agent, agent:60, 0…7 or Ding's signs.

        ``frozen`` keeps the branch that the arm stands in now.
        """
        branch_policy.require_hand(self.robot, self.name)
        self._branch = self._resolved(policy)

    def _resolved(self, policy: str | int | tuple[int, int, int]) -> str:
        return branch_policy.resolved(self.robot, self.name, branch_policy.checked_policy(policy), self.joints)

    def set_joints(self, q: ArrayLike) -> None:
        """Put the robot there at once: no motion, no time; where collisions are watched nothing may touch there."""
        values = self._checked(q)
        simulator = self._simulator
        simulator.alone("set joints")
        simulator.require_idle(self.name, "set its joints")
        simulator.begin_recording()
        before = simulator.joints_of(self.name)
        there = simulator.state.with_joints(self.name, values + (before - self.joints))
        if simulator.watch is not None:
            simulator.watch.require_clear(there, self.name)
        simulator.state = there
        simulator.changed()
        simulator.recorder.drive(self.name, jump(simulator.now, before, simulator.joints_of(self.name)))
        simulator.sense_now()
        simulator.recorder.reached(simulator.state)

    # ---- moves of the joints ----------------------------------------------------------------------------

    def move_joints_relative(self, dq: ArrayLike, profile: str = "") -> float:
        """Move all joints by ``dq``; returns the duration [s]."""
        return self.move_joints_absolute(self.joints + self.robot.checked(dq), profile)

    def move_joints_absolute(self, q: ArrayLike, profile: str = "") -> float:
        """Move all joints to ``q``; the joint that moves most has the set speed. Returns the duration [s]."""
        return self._move_joints(self._checked(q), profile or self._profile, "joints")

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
        """Bring the hand to a pose in the world, the joints going straight there; returns the duration [s].

        Args:
            pose: ``X_world_hand``.
            branch: which inverse solution: nearest, roomiest, agent, agent:60, frozen, 0…7 or Ding's signs.
            near: joint values that the solution is to be near to; the present ones unless given.
            profile: how position grows with time.
            point: whether the pose is that of the tool or of the grip point.
            on: a belt or part to meet where it will be and to follow then; the pose is in its frame.
            when: the reading of the belt at which the pose was in the world as given [m or rad].
            axes: where the axes that carry the arm or its work are to be: held, best, or a value for each.
            work: the object that the pose goes with while axes move; it stands still in the world unless given.
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
        try:
            beside = self.joints if near is None else self.robot.checked(near)
            q = branch_policy.chosen(self.robot, self._in_base(pose, point), policy, beside, exact=near is not None)
        except Unreachable as error:
            raise self._unreachable(error, point) from error
        return self._move_joints(q, profile or self._profile, "end effector")

    def follow(
        self, trajectory: Trajectory, kind: str = "table", stop_at_limit: bool = False, any_acceleration: bool = False
    ) -> float:
        """Do what a trajectory says: a table, a function of time, any polynomials; returns the duration [s].

        It must start where the robot is and keep its ranges, speeds and accelerations at every instant; a step of the
        speed between two pieces is allowed, as in moves of constant speed. Where it does not, it is refused as a whole.

        Args:
            trajectory: joint values over time.
            kind: what it is called.
            stop_at_limit: make it up to the last good instant before the error is raised.
            any_acceleration: let accelerations be what they are.
        """
        if trajectory.n != self.robot.n:
            raise InvalidValue(f"{self.name} has {self.robot.n} joints; the trajectory has {trajectory.n}.")
        gap = np.abs(trajectory.start - self.joints)
        if gap.max() > 1e-6:
            joint = int(gap.argmax())
            size, unit = (1e3, " mm") if self.robot.rows[joint].prismatic else (180.0 / np.pi, "°")
            raise MotionError(
                f"The {kind} starts with joint {joint + 1} at {trajectory.start[joint] * size:.6g}{unit} and "
                f"{self.name} has it at {self.joints[joint] * size:.6g}{unit}; move there first, or say in which units "
                f"the {kind} is.",
                joint=joint + 1,
            )
        slides = tuple(row.prismatic for row in self.robot.rows)
        accelerations = None if any_acceleration else self.robot.accelerations
        limits = Limits(self.robot.speeds, accelerations, position=self.robot.limits, slides=slides)
        broken = violations(trajectory, limits)
        if not broken or not stop_at_limit:
            require(trajectory, limits, f"This motion of {self.name}")
            return self._simulator.perform(self._planned(trajectory, kind, "table"))
        self._simulator.alone("stop at a limit")
        first = broken[0]
        begin, now, good = self._simulator.time, self._simulator.now, not_after(first.time)
        planned = self._planned(trajectory, kind, "table")
        if good > 0.0:
            self._simulator.perform(planned.until(good))
        stopped, last = later(begin, good), later(now, good)
        self._simulator.recorder.event(
            StoppedAtLimit(last, self.name, first.joint, first.limit, first.value, first.allowed, first.slides)
        )
        raise LimitStop(
            f"{self.name} stopped at {stopped:.4f} s: {first}.",
            robot=self.name,
            joint=first.joint,
            limit=first.limit,
            time=stopped,
            stopped=stopped,
        )

    # ---- moves of the hand ------------------------------------------------------------------------------

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
        """Bring the hand to a pose in the world along a straight line; returns the duration [s].

        Args:
            pose: ``X_world_hand``.
            orientation: 'interpolate' turns the hand evenly to the pose's orientation, 'keep' does not turn it.
            tolerance: how far the hand may leave the line [m].
            step: with a step, the thesis' way: inverse kinematics every so many metres and straight joint lines
                between; the error is in the recording's report of the move [m].
            hand_speed: the greatest speed of the hand [m/s; rad/s where it only turns].
            profile: how the way grows with time.
            point: whether the pose is that of the tool or of the grip point.
            on: a belt or part to meet where it will be and to follow then; the pose and the line are in its frame.
            when: the reading of the belt at which the pose was in the world as given [m or rad].
            axes: where the axes that carry the arm or its work are to be at the end; they go there evenly.
            work: the object that the line goes with while axes move; it stands still in the world unless given.
        """
        required_pose(pose, "A straight line")
        start = self.hand_pose(point)
        if on or when is not None:
            if step is not None:
                raise Refused(f"A straight line on {on} is made in no steps; leave `every` out.")
            require_held(axes, work)
            top = math.inf if hand_speed is None else positive(hand_speed, "The speed of the hand", "m/s")
            return self._meet(pose, on, when, point, profile, line=(orientation == "keep", tolerance, top))
        if self._follows:
            kept = pose if orientation == "interpolate" else Pose.from_rotation(start.rotation, pose.xyz)
            return self._straight_away(kept, tolerance, profile, point, "line")
        if _same(start, pose, orientation):
            return self._simulator.perform(self._standing("line"))
        curve = HandCurve.line(start, pose, orientation)
        if step is not None:
            if not is_held(axes):
                raise Refused("The thesis' straight line holds all axes; leave `every` out to let axes move.")
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
        """Bring the hand to a pose on the circle through the position of ``via``; returns the duration [s].

        With the orientation ``via`` the hand also goes smoothly through the orientation of that pose.
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
        """Move the hand straight from pose to pose, corners rounded by a radius [m]; returns the duration [s].

        Without a blending radius the corners are sharp; all profiles but ``linear`` stop in them.
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
        """Shift and turn the hand from where it is, in a straight line; returns the duration [s].

        Args:
            by: the shift [m] and the turn.
            frame: whether they are along the axes of the hand or of the world; turns are about the hand's origin.
            tolerance: how far the hand may leave the line [m].
            hand_speed: the greatest speed of the hand [m/s; rad/s where it only turns].
            profile: how the way grows with time.
            point: which point of the hand.
            axes: where the axes that carry the arm or its work are to be at the end; they go there evenly.
            work: the object that the line goes with while axes move; it stands still in the world unless given.
        """
        required_pose(by, "A shift of the hand")
        if frame not in ("hand", "world"):
            raise InvalidValue(f"A shift of the hand is along the axes of the 'hand' or the 'world', not {frame!r}.")
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

    # ---- steering ---------------------------------------------------------------------------------------

    @property
    def velocities(self) -> Array:
        """Joint velocities now (n,) [rad/s or m/s]."""
        return self._simulator.velocities_of(self.name)

    def supersede(self, q: ArrayLike) -> Steered:
        """Go to other joint values from the middle of a move; one of the hand stops on its path first.

        Where collisions are watched it is done only if the whole way to rest is free; ``refused`` says why not.
        """
        drive, rate = self._simulator.drive_of(self.name, "supersede"), self._simulator.paces.get(self.name, 1.0)
        slowing = self._simulator.slowing
        return steering.supersede(self._simulator, drive, self._placed, self._true(q), self._speed, rate, slowing)

    def track(self, q: ArrayLike) -> bool:
        """Give the robot a set-point: it goes there from where it is and as it moves; whether that was accepted."""
        rate = self._simulator.paces.get(self.name, 1.0)
        if self._track is None or self._track[0] != (self._speed, rate):
            slides = tuple(row.prismatic for row in self.robot.rows)
            found = limits_of(self.robot, self._speed)
            limits = Limits(rate * found.speed, found.acceleration, found.jerk, self.robot.limits, slides)
            self._track = (self._speed, rate), limits
        return steering.track(self._simulator, self._placed, self._true(q), self._track[1], self._simulator.slowing)

    def _true(self, q: ArrayLike) -> ArrayLike:
        """Where the joints truly go that are to be read as these; refused where a fault stops the robot."""
        faults = self._simulator.faults
        if faults is None:
            return q
        faults.require_going(self.name)
        drift = faults.drift(self.name)
        return q if drift is None else self.robot.checked(q) + drift

    def hold(self) -> Steered:
        """Stop on the path as soon as the limits allow; `resume` goes on."""
        return self._simulator.hold(self.name)[0]

    def resume(self) -> Steered:
        """Go on with a move that is held, at the speed of the override."""
        return self._simulator.resume(self.name)[0]

    def override(self, percent: float) -> Steered | None:
        """Run the present move and those to come at a part of their speed, from 1 to 100 %; the path stays the same."""
        found = self._simulator.override(percent, self.name)
        return found[0] if found else None

    def stop(self) -> Steered:
        """Stop on the path as soon as the limits allow, and give the move up."""
        return self._simulator.stop(self.name)

    def emergency_stop(self) -> Steered:
        """Come to rest as fast as the limits allow, each joint on its own, and give the move up."""
        return self._simulator.emergency_stop(self.name)[0]

    # ---- the gripper ------------------------------------------------------------------------------------

    def close_gripper(self, distance: float | None = None, angle: float | None = None) -> Held:
        """Take the part that the fingers are around; refused with the test that the nearest part failed.

        Args:
            distance: how far the grip point may be from the part [m].
            angle: how far the approach may be from an axis of the part [rad].
        """
        from workcell.simulation.grasping import close

        self._simulator.take(self.gripper_time(closing=True), "close a gripper")
        return close(self._simulator, self._placed, self.grip_pose, distance, angle)

    def open_gripper(self, settle: bool = False, opening: float | None = None, on: str = "") -> str:
        """Let the part go: it stays where it is, or settles on what is below; returns its name or ''.

        A part that falls too far, lands elsewhere than planned or cannot stand is an event, and a stop where collisions
        are watched.

        Args:
            settle: whether the part falls straight down on what is below.
            opening: how far the pads are apart then [m]; as far as they can be where not given.
            on: the object or body that the part is to come to stand on; it falls then.
        """
        from workcell.simulation.grasping import release

        self._simulator.take(self.gripper_time(closing=False), "open a gripper")
        return release(self._simulator, self._placed, settle, opening, on)

    def grip(self, part: str) -> Held:
        """Attach a part to the flange as it is, without a test: for hooks, needles and whatever else holds it.

        Args:
            part: the object or body.
        """
        from workcell.simulation.attaching import attach

        return attach(self._simulator, self._part(part), self.name)

    def release(self, part: str, settle: bool = False, on: str = "") -> None:
        """Let go one part that it holds: what was attached, or one of several that cups or magnets hold.

        Args:
            part: the object or body.
            settle: whether the part falls straight down on what is below.
            on: the object or body that the part is to come to stand on; it falls then.
        """
        from workcell.simulation.attaching import detach

        if self._part(part) not in self.held:
            raise Refused(f"{self.name} does not hold {part}.", part=part)
        detach(self._simulator, self._part(part), settle, on)

    def _part(self, name: str) -> str:
        snapshot = self._simulator.snapshot
        return name if any(body.name == name for body in snapshot.bodies) else snapshot.object_body(name)

    def gripper_time(self, closing: bool) -> float:
        """How long its gripper takes to hold a part or let it go [s]; a program among others waits so long first."""
        gripper = self.robot.gripper
        return 0.0 if gripper is None else gripper.time(closing)

    @property
    def holds(self) -> str:
        """The part that it holds, the first of several, or ''."""
        from workcell.simulation.grasping import held_by

        return held_by(self._simulator.state, self._placed.name, self._simulator.snapshot)

    @property
    def held(self) -> tuple[str, ...]:
        """The parts that it holds."""
        from workcell.simulation.grasping import held_parts

        return held_parts(self._simulator.state, self._placed.name, self._simulator.snapshot)

    # ---- inside -----------------------------------------------------------------------------------------

    def _move_joints(self, values: Array, profile: str, kind: str) -> float:
        simulator = self._simulator
        start = self.joints
        if self._follows:
            from workcell.simulation.tracked_moves import leaving
            from workcell.simulation.tracking import joints_from

            checked_profile(profile)

            def away(rate: float) -> Planned:
                motion = joints_from(simulator, self._placed, values, self._speed, profile, rate)
                return self._planned(motion, kind, profile, values)

            return simulator.perform(leaving(simulator, self.name, away))
        if np.abs(values - start).max() <= _THERE:
            checked_profile(profile)
            return simulator.perform(self._standing(kind, None))
        if simulator.mode == "joint-by-joint":
            checked_profile(profile)
            planned = one_by_one(self.name, start, values, self._speed, simulator.step, kind)
            assert isinstance(planned.motion, Trajectory)
            required_speeds(self.robot, planned.motion, self._speed)
        else:
            trajectory = joint_line(self.robot, start, values, profile, self._speed)
            planned = self._planned(trajectory, kind, profile, values)
        return simulator.perform(planned)

    @property
    def _follows(self) -> bool:
        """Whether it follows something, so that its next move begins from how it moves now."""
        return follows(self._simulator.drives.get(self.name))

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
        """Meet a belt or part and follow it; along a line where its orientation, tolerance and speed are given."""
        from workcell.simulation.tracked_moves import meeting_move

        if not on:
            raise InvalidValue("The reading `when` is one of a belt; name the belt with `on`.")
        branch_policy.require_hand(self.robot, self.name)
        settings = self._speed, checked_profile(profile or self._profile), branch or self._branch
        keep, tolerance, top = line or (False, TOLERANCE, math.inf)
        X_tool_hand = self._X_tool_hand(point)
        planned = meeting_move(
            self._simulator, self._placed, pose, on, when, X_tool_hand, straight=line is not None, keep=keep,
            tolerance=positive(tolerance, "A tolerance", "m"), hand_speed=top, settings=settings,
        )  # fmt: skip
        return self._simulator.perform(planned)

    def _straight_away(self, pose: Pose, tolerance: float, profile: str, point: Point, kind: str) -> float:
        """Go straight to a pose in the world from how the hand moves while it follows something."""
        from workcell.simulation.tracked_moves import leaving
        from workcell.simulation.tracking import straight_from

        used = checked_profile(profile or self._profile)

        def away(rate: float) -> Planned:
            found = straight_from(
                self._simulator, self._placed, self._X_tool_hand(point), pose, speed=self._speed, profile=used,
                tolerance=tolerance, rate=rate,
            )  # fmt: skip
            return self._planned(found.motion, kind, used, None, found.deviation)

        return self._simulator.perform(leaving(self._simulator, self.name, away))

    def _planned(
        self,
        trajectory: Trajectory,
        kind: str,
        profile: str,
        end: Array | None = None,
        deviation: float | None = None,
        hand_speed: float | None = None,
    ) -> Planned:
        simulator = self._simulator
        require_frames(trajectory, simulator.step)
        last = trajectory.end if end is None else end
        found = () if profile == "table" else bound_by(self.robot, trajectory, profile, self._speed)
        limited = "its table" if profile == "table" else limiting(trajectory, found, hand_speed)
        bound = tuple((joint, limit, start, end) for joint, limit, start, end in found)
        return Planned(
            self.name, trajectory, self.joints, last, simulator.step, simulator.resolution, kind, profile, limited,
            deviation, bound,
        )  # fmt: skip

    def _standing(self, kind: str, deviation: float | None = 0.0) -> Planned:
        """A move to where the robot is already."""
        return self._planned(Trajectory.constant(self.joints), kind, self._profile, deviation=deviation)

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
            positive(hand_speed, "The speed of the hand", "m/s")
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
            hand_speed /= _quickest(forward, followed.path) if curve.pace[0] > 0.0 else 1.0
        trajectory = along(self.robot, followed.path, profile, self._speed, hand_speed)
        self._inside(trajectory)
        return self._simulator.perform(self._planned(trajectory, kind, profile, None, followed.deviation, hand_speed))

    def _with_axes(self, point: Point, axes: Axes, work: str) -> HandMove:
        """A move of the hand in which axes go along."""
        from workcell.simulation.machine_moves import HandMove

        return HandMove(self._simulator, self._placed, self._X_tool_hand(point).inverse(), axes, work)

    def _sampled(self, curve: HandCurve, step: float, point: Point) -> float:
        """The thesis' straight line: many short joint moves."""
        solve, forward = self._solver(point)
        rows, followed = follow_sampled(curve, solve, forward, self.joints, step=step)
        self._continues(followed)
        trajectory = required_speeds(self.robot, linear_through(rows, self._speed), self._speed)
        self._inside(trajectory)
        planned = self._planned(trajectory, "line", "linear", deviation=followed.deviation)
        return self._simulator.perform(planned)

    def _solver(self, point: Point) -> tuple[_Solve, _Forward]:
        branch_policy.require_hand(self.robot, self.name)
        X_hand_tool = self._X_tool_hand(point).inverse()
        X_base_world = self._simulator.snapshot.base_pose(self._simulator.state, self.name).inverse()
        return _Solve(self.robot, X_base_world, X_hand_tool), _Forward(self.robot, X_base_world, X_hand_tool)

    def _continues(self, followed: Followed) -> None:
        """Refuse a path that does not begin with the joints as they are."""
        off = np.abs(followed.path.start - self.joints)
        if off.max() > 1e-6:
            joint = int(off.argmax())
            why = (
                f"stands at a singularity, where joint {joint + 1} can have many values for this pose"
                if is_singular(self.robot.chain, self.joints)
                else f"has joint {joint + 1} elsewhere than inverse kinematics puts it for this pose"
            )
            raise MotionError(
                f"{self.name} {why}; move its joints a little first.",
                joint=joint + 1,
                off=float(off[joint]),
            )

    def _inside(self, trajectory: Trajectory) -> None:
        slack = 1e-9 * (1.0 + np.abs(self.robot.limits))
        box = self.robot.limits + slack * np.array([-1.0, 1.0])
        slides = tuple(row.prismatic for row in self.robot.rows)
        limits = Limits(np.full(self.robot.n, 1e12), position=box, slides=slides)
        require(trajectory, limits, f"This move of {self.name}")

    def _in_base(self, pose: Pose, point: Point) -> Pose:
        base = self._simulator.snapshot.base_pose(self._simulator.state, self.name)
        return base.inverse() @ pose @ self._X_tool_hand(point).inverse()

    def _unreachable(self, error: Unreachable, point: Point) -> Unreachable:
        """The refusal with the nearest pose that can be reached, in the world."""
        nearest = error.evidence.get("nearest")
        if not isinstance(nearest, Pose):
            return error
        base = self._simulator.snapshot.base_pose(self._simulator.state, self.name)
        q, home = np.array(error.evidence["q"]), self.robot.home
        for inwards in (0.0, 1e-5, 1e-4, 1e-3, 1e-2):
            # What is at the edge of the range is offered a little inside, so that it holds when it is typed back.
            there = base @ self.robot.fk(q + inwards * (home - q)) @ self._X_tool_hand(point)
            millimetres = [round(1e3 * value, 3) + 0.0 for value in there.xyz.tolist()]
            degrees = [round(math.degrees(angle), 4) + 0.0 for angle in there.angles("fanuc_wpr")]
            typed = Pose.from_xyz_angles(np.array(millimetres) * 1e-3, np.radians(degrees), "fanuc_wpr")
            if self.robot.ik(self._in_base(typed, point)).within_limits.any():
                break
        x, y, z, w, p, r = (f"{value:.10g}" for value in (*millimetres, *degrees))
        text = f"{error.message} That pose is {x},{y},{z} mm euler fanuc_wpr {w},{p},{r} degrees in the world."
        return Unreachable(text, **{**error.evidence, "nearest": there})

    def _X_tool_hand(self, point: Point) -> Pose:
        if isinstance(point, Pose):
            return self.robot.X_flange_tool.inverse() @ point
        if point == "tool":
            return Pose.identity()
        if point != "grip":
            raise InvalidValue(f"The hand's point is 'tool' or 'grip', not {point!r}.")
        gripper = self.robot.gripper
        if gripper is None:
            raise Refused(no_hand_text(self._placed))
        return self.robot.X_flange_tool.inverse() @ gripper.X_flange_grip

    def _checked(self, q: ArrayLike) -> Array:
        values = self.robot.checked(q)
        self.robot.require_limits(values)
        return values


def _place(via: object) -> Pose:
    """A place on the way as a pose: three numbers [m]."""
    try:
        xyz = np.asarray(via, dtype=float)
    except (TypeError, ValueError):
        xyz = np.empty(0)
    if xyz.shape != (3,):
        raise InvalidValue(f"A circle goes through a Pose or a place of three numbers; found {shortly(via)}.")
    return Pose.from_xyz(*xyz.tolist())


class _Solve:
    """Inverse kinematics of a hand in the world, near known joints."""

    def __init__(self, robot: Robot, X_base_world: Pose, X_hand_tool: Pose) -> None:
        self._robot, self._X_base_world, self._X_hand_tool = robot, X_base_world, X_hand_tool

    def __call__(self, pose: Pose, near: Array, /) -> Array:
        return branch_policy.nearest(self._robot, self._X_base_world @ pose @ self._X_hand_tool, near)


class _Forward:
    """Forward kinematics of a hand in the world, for many joint vectors."""

    def __init__(self, robot: Robot, X_base_world: Pose, X_hand_tool: Pose) -> None:
        self._robot = robot
        self._X_world_base = X_base_world.inverse().matrix
        self._X_tool_hand = X_hand_tool.inverse().matrix

    def __call__(self, Q: Array) -> Array:
        return np.asarray(self._X_world_base @ self._robot.fk_batch(Q) @ self._X_tool_hand)


def _quickest(forward: _Forward, path: JointPath) -> float:
    """How fast the hand goes at most for each unit of s: its way on joint polynomials is a little longer than s."""
    breaks, step = path.curve.breaks, 1e-6 * path.length
    shares = np.linspace(0.0, 1.0, _LOOKS, endpoint=False)
    s = (breaks[:-1, None] + np.diff(breaks)[:, None] * shares).ravel()
    low, high = np.maximum(s - step, 0.0), np.minimum(s + step, path.length)
    ways = forward(path.curve.sample(high))[:, :3, 3] - forward(path.curve.sample(low))[:, :3, 3]
    return max(float((np.linalg.norm(ways, axis=1) / (high - low)).max()) * (1.0 + 1e-6), 1.0)


def _same(one: Pose, other: Pose, orientation: str) -> bool:
    metres, radians = one.distance(other)
    return bool(metres < 1e-9 and (radians < 1e-9 or orientation == "keep"))
