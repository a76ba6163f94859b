"""A robot in a simulator: its settings, and the moves of its joints."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, LimitStop, MotionError
from workcell.motion.limits import Limits, require, violations
from workcell.motion.named_profiles import (
    asked_speeds,
    bound_by,
    checked_profile,
    joint_line,
    limiting,
    limits_of,
    required_speeds,
)
from workcell.motion.speeds import required_speed
from workcell.motion.trajectory import Trajectory
from workcell.simulation.events import StoppedAtLimit
from workcell.simulation.instants import later, not_after
from workcell.simulation.move_making import MoveMaking
from workcell.simulation.pieces import jump
from workcell.simulation.planned import Planned, one_by_one
from workcell.simulation.sampling import require_frames
from workcell.simulation.tethers import may_be_left
from workcell.world.placed import PlacedRobot

Array = NDArray[np.float64]

_THERE = 1e-12
"""Joint values that differ by less are the same [rad or m]."""


class JointMover:
    """The joints of a robot.

    Args:
        simulator: the simulator.
        placed: the robot, and where it is.
    """

    def __init__(self, simulator: MoveMaking, placed: PlacedRobot) -> None:
        self._simulator = simulator
        self._placed = placed
        self.robot = placed.robot

    @property
    def settings(self) -> tuple[float, str, str]:
        """The speed, profile and branch of later moves."""
        placed = self._placed
        return self._simulator.settings.get(placed.name) or (placed.speed, placed.profile, placed.branch)

    def _set(self, *, speed: float | None = None, profile: str | None = None, branch: str | None = None) -> None:
        """Set another speed, profile or branch for later moves."""
        now = self.settings
        self._simulator.settings[self.name] = (
            now[0] if speed is None else speed,
            now[1] if profile is None else profile,
            now[2] if branch is None else branch,
        )

    @property
    def _speed(self) -> float:
        found = self._simulator.settings.get(self._placed.name)
        return self._placed.speed if found is None else found[0]

    @property
    def _profile(self) -> str:
        return self.settings[1]

    @property
    def _branch(self) -> str:
        return self.settings[2]

    @property
    def name(self) -> str:
        """Its name in the cell."""
        return self._placed.name

    @property
    def joints(self) -> Array:
        """Joint values now, as it reads them [rad or m]; if it drifts, they differ from the true ones."""
        return self._simulator.read_joints(self._placed.name)

    @property
    def limits(self) -> Limits:
        """The speeds, at most the set speed, and accelerations of its joints."""
        found = limits_of(self.robot, self._speed)
        return Limits(found.speed, found.acceleration)

    def speed(self, rad_per_s: float) -> None:
        """Set the speed of the joint that moves most, for later moves [rad/s, or m/s for a sliding joint]."""
        if not (
            isinstance(rad_per_s, int | float | np.integer | np.floating)
            and math.isfinite(rad_per_s)
            and rad_per_s > 0.0
        ):
            raise InvalidValue(f"The speed of {self.name} must be more than zero; found {rad_per_s}.")
        self._set(speed=required_speed(float(rad_per_s), f"The speed of {self.name}", "rad/s or m/s"))

    def profile(self, name: str) -> None:
        """Set how the speed of later moves grows and falls: linear, 345, trapezoid, jerk or time-optimal."""
        self._set(profile=checked_profile(name))

    def set_joints(self, q: ArrayLike, tested: bool = True) -> None:
        """Set the joints at once, without a motion. If collisions are watched, nothing may touch there.

        Args:
            q: the joint values [rad or m].
            tested: whether a watch tests the new place.
        """
        values = self._checked(q)
        simulator = self._simulator
        simulator.alone("set joints")
        simulator.require_idle(self.name, "set its joints")
        simulator.begin_recording()
        before = simulator.joints_of(self.name)
        there = simulator.state.with_joints(self.name, values + (before - self.joints))
        if tested and simulator.watch is not None:
            simulator.watch.require_clear(there, self.name)
        simulator.state = there
        simulator.changed()
        simulator.recorder.drive(self.name, jump(simulator.now, before, simulator.joints_of(self.name)))
        simulator.sense_now()
        simulator.recorder.reached(simulator.state)

    def move_joints_relative(self, dq: ArrayLike, profile: str = "") -> float:
        """Move all joints by ``dq``; return the duration [s]."""
        return self.move_joints_absolute(self.joints + self.robot.checked(dq), profile)

    def move_joints_absolute(self, q: ArrayLike, profile: str = "") -> float:
        """Move all joints to ``q``; the joint that moves most has the set speed. Return the duration [s]."""
        return self._move_joints(self._checked(q), profile or self._profile, "joints")

    def follow(
        self, trajectory: Trajectory, kind: str = "table", stop_at_limit: bool = False, any_acceleration: bool = False
    ) -> float:
        """Follow a trajectory: a table, a function of time, any polynomials; return the duration [s].

        It must start where the robot is and keep its ranges, speeds and accelerations at every instant. A step of the
        speed between two pieces is allowed, as in moves of constant speed. Otherwise it is refused as a whole.

        Args:
            trajectory: joint values over time.
            kind: its kind, for reports.
            stop_at_limit: move up to the last good instant before the error is raised.
            any_acceleration: do not limit accelerations.
        """
        if trajectory.n != self.robot.n:
            raise InvalidValue(f"{self.name} has {self.robot.n} joints; the trajectory has {trajectory.n}.")
        gap = np.abs(trajectory.start - self.joints)
        if gap.max() > 1e-6:
            joint = int(gap.argmax())
            size, unit = (1e3, " mm") if self.robot.rows[joint].prismatic else (180.0 / np.pi, "°")
            raise MotionError(
                f"The {kind} starts with joint {joint + 1} at {trajectory.start[joint] * size:.6g}{unit}, but "
                f"{self.name} has it at {self.joints[joint] * size:.6g}{unit}; move there first, or give the units "
                f"of the {kind}.",
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

    def follow_path(self, trajectory: Trajectory, company: tuple[str, ...] = ()) -> float:
        """Go along a path that was found, timed within the limits; returns the duration [s].

        Args:
            trajectory: joint values over time.
            company: the devices that move in one timing with it, including itself.
        """
        self._simulator.require_idle(self.name, "follow a path")
        self._inside(trajectory)
        planned = self._planned(trajectory, "found path", "time-optimal")
        return self._simulator.perform(dataclasses.replace(planned, company=company))

    def _move_joints(self, values: Array, profile: str, kind: str) -> float:
        simulator = self._simulator
        start = self.joints
        if self._follows:
            from workcell.simulation.meetings import joints_from
            from workcell.simulation.tracked_moves import leaving

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
            top = asked_speeds(self.robot, self._speed)
            planned = one_by_one(self.name, start, values, top, simulator.step, kind)
            assert isinstance(planned.motion, Trajectory)
            required_speeds(self.robot, planned.motion, self._speed)
        else:
            trajectory = joint_line(self.robot, start, values, profile, self._speed)
            planned = self._planned(trajectory, kind, profile, values)
        return simulator.perform(planned)

    @property
    def _follows(self) -> bool:
        """Whether it follows something or comes to rest after that: its next move begins from its present motion."""
        return may_be_left(self._simulator.drives.get(self.name))

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
        """Return a move to where the robot already is."""
        return self._planned(Trajectory.constant(self.joints), kind, self._profile, deviation=deviation)

    def _inside(self, trajectory: Trajectory) -> None:
        slack = 1e-9 * (1.0 + np.abs(self.robot.limits))
        box = self.robot.limits + slack * np.array([-1.0, 1.0])
        slides = tuple(row.prismatic for row in self.robot.rows)
        limits = Limits(np.full(self.robot.n, 1e12), position=box, slides=slides)
        require(trajectory, limits, f"This move of {self.name}")

    def _checked(self, q: ArrayLike) -> Array:
        values = self.robot.checked(q)
        self.robot.require_limits(values)
        return values
