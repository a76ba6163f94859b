"""A free solid that moves along a curve: a move like that of a robot, with a pose instead of joint values."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.cost import PLACES, go_on
from workcell.errors import InvalidValue, MotionError, Refused
from workcell.motion.curve import HandCurve
from workcell.motion.frames import positive
from workcell.motion.pose_motion import PoseMotion
from workcell.motion.speeds import required_speed
from workcell.motion.time_law import TimeLaw, whole_nanoseconds
from workcell.simulation.required import required_poses
from workcell.simulation.sampling import POSE_STEP, pose_times
from workcell.spatial.pose import Pose
from workcell.world.places import WORLD

if TYPE_CHECKING:
    from workcell.simulation.equipped import Equipped

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Glide:
    """A move of one free solid, planned and not yet made.

    Attributes:
        body: the solid.
        motion: its pose over time.
        start: the pose before it.
        end: the pose after it.
        resolution: the tolerance of linear interpolation between two frames [m or rad].
        limited: what limits it, for the report.
        full: the motion at its own speed, if that was changed on the way.
        law: the time of `full` at each time of the present motion.
        goal: the pose at the end of its whole way if it is held before that; ``end`` if None.
    """

    body: str
    motion: PoseMotion
    start: Pose
    end: Pose
    resolution: float
    limited: str = ""
    kind: str = "solid"
    profile: str = "linear"
    deviation: float | None = None
    bound: tuple[tuple[int, str, float, float], ...] = ()
    full: PoseMotion | None = None
    law: TimeLaw | None = None
    goal: Pose | None = None

    @property
    def name(self) -> str:
        """The name of the solid."""
        return self.body

    def whole(self) -> Glide:
        """Return the move extended to whole nanoseconds."""
        progress, _ = whole_nanoseconds(self.motion.progress)
        if progress is self.motion.progress:
            return self
        return dataclasses.replace(self, motion=PoseMotion(self.motion.curve, progress))

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.motion.duration

    @cached_property
    def looks(self) -> Array:
        """The times at which it is tested for collisions (N,) [s]."""
        return pose_times(self.motion, self.resolution)

    def looks_within(self, first: float, last: float) -> Array:
        """Return the test times between two times of the motion (N,) [s]."""
        return np.asarray(self.looks[(self.looks > first) & (self.looks < last)])

    def clock(self, shown: Array) -> Array:
        """Return the shown clock at times of the motion, from 0 at the start (N,) [s]."""
        return shown

    def at(self, time: float) -> Pose:
        """Return the pose at a time after the start [s]."""
        if time <= 0.0 or time >= self.duration:
            return self.end if time >= self.duration else self.start
        return self.motion.pose(time)

    def until(self, shown: float) -> Glide:
        """Return the move up to a time [s], stopped there."""
        if shown >= self.duration:
            return self
        return dataclasses.replace(
            self,
            motion=PoseMotion(self.motion.curve, self.motion.progress.part(0.0, shown)),
            end=self.at(shown),
            limited="stopped",
        )


@dataclass(frozen=True)
class Pace:
    """How fast a solid moves.

    Attributes:
        speed: its greatest speed [m/s; rad/s if it only turns].
        duration: the duration [s]; refused if that needs more than the given speed.
        acceleration: its greatest acceleration [m/s²]; by default, it starts and stops at once.
    """

    speed: float | None = None
    duration: float | None = None
    acceleration: float | None = None

    def require(self, body: str) -> None:
        """Refuse a pace without a speed or time, or with an impossible one."""
        if self.speed is None and self.duration is None:
            raise InvalidValue(f"The move of {body} needs a speed or a time.")
        if self.duration is not None:
            positive(self.duration, "The time of a move", "s")
        if self.speed is not None:
            required_speed(self.speed, "The speed of a solid")

    def along(self, curve: HandCurve, body: str) -> PoseMotion:
        """Return the motion along a curve at this pace."""
        speed, duration, acceleration = self.speed, self.duration, self.acceleration
        motion = PoseMotion.along(
            curve, curve.length / duration if speed is None and duration else speed or 1.0, acceleration
        )
        if duration is None:
            return motion
        if speed is not None and motion.duration > duration * (1.0 + 1e-9):
            raise MotionError(
                f"{body} needs {motion.duration:.4f} s for {curve.length * 1e3:.6g} mm at no more than "
                f"{speed * 1e3:.6g} mm/s; asked for {duration:.4f} s.",
                body=body,
                duration=motion.duration,
                speed=speed,
            )
        if acceleration is None or speed is not None:
            return PoseMotion(curve, motion.progress.stretched(duration / motion.duration))
        return motion if motion.duration == duration else _in_time(curve, duration, acceleration, body)


def glide(simulator: Equipped, body: str, curve: HandCurve | Sequence[Pose], pace: Pace, blend: float = 0.0) -> Glide:
    """Plan the move of a free solid along a curve, or straight from pose to pose with corners rounded by ``blend``."""
    go_on(simulator.cancel, "The move")
    now = _free_pose(simulator, body)
    if not isinstance(curve, HandCurve):
        if not curve:
            raise InvalidValue(f"The move of {body} needs at least one pose to go to.")
        required_poses(curve, f"The way of {body}")
        curve = HandCurve.polyline([now, *curve], blend)
    metres, radians = curve.start.distance(now)
    if metres > 1e-6 or radians > 1e-6:
        raise MotionError(
            f"The path starts {metres * 1e3:.6g} mm and {np.degrees(radians):.4g}° from where {body} is; "
            f"begin it there.",
            body=body,
        )
    pace.require(body)
    motion = pace.along(curve, body)
    limited = "its speed" if pace.duration is None else "the requested time"
    PLACES.check(curve.length * max(curve.pace) / POSE_STEP, f"A path of {curve.length:.6g} m")
    return Glide(body, motion, now, curve.end, simulator.resolution, limited)


def _in_time(curve: HandCurve, duration: float, acceleration: float, body: str) -> PoseMotion:
    """Return the motion that accelerates, runs and slows down in just that time: the speed solves v·(T − v/a) = s."""
    a, s, T = positive(acceleration, "The acceleration of a solid", "m/s²"), curve.length, duration
    inner = T * T - 4.0 * s / a
    if inner < 0.0:
        straight = curve.pace[0] > 0.0  # otherwise it only turns
        way = f"go {s * 1e3:.6g} mm" if straight else f"turn {np.degrees(s):.6g}°"
        unit = "m/s²" if straight else "rad/s²"
        raise MotionError(
            f"{body} cannot {way} in {T:.4f} s with {a:.6g} {unit}; it takes {2.0 * np.sqrt(s / a):.4f} s.",
            body=body,
            duration=float(2.0 * np.sqrt(s / a)),
        )
    return PoseMotion.along(curve, float(0.5 * a * (T - np.sqrt(inner))), a)


def _free_pose(simulator: Equipped, body: str) -> Pose:
    solid, state = simulator.snapshot.body(body), simulator.state
    if solid.link >= 0:
        raise Refused(f"{body} is a link of {solid.owner}; move its joints.", body=body)
    if not solid.movable:
        raise Refused(f"{body} is not movable; `modify {solid.owner} movable yes` lets it move.", body=body)
    held = state.attached.get(body)
    if held is not None and held.frame != WORLD:
        raise Refused(f"{body} moves with {held.frame}; it can move on its own only if nothing holds it.", body=body)
    return state.poses[body] if held is None else held.X_frame_body
