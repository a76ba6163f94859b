"""A free solid that moves along a curve: a move like that of a robot, with a pose in place of joint values."""

from __future__ import annotations

import dataclasses
import itertools
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
from workcell.simulation.columns import between
from workcell.simulation.required import required_poses
from workcell.spatial.pose import Pose
from workcell.world.snapshot import WORLD

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

Array = NDArray[np.float64]

STEP = 0.01
"""How far a solid goes [m] or turns [rad] between two recorded samples at most."""
_LOOKS = (0.25, 0.5, 0.75)
"""Where between two samples it is looked how far a straight and evenly turning way is off."""


@dataclass(frozen=True, eq=False)
class Glide:
    """A move of one free solid, worked out and not yet made.

    Attributes:
        body: which solid.
        motion: its pose over time.
        start: the pose before it.
        end: the pose after it.
        shown: when it is recorded after its start (N,) [s], the last one its end.
        limited: for the report.
    """

    body: str
    motion: PoseMotion
    start: Pose
    end: Pose
    shown: Array
    limited: str = ""
    kind: str = "solid"
    profile: str = "linear"
    deviation: float | None = None
    bound: tuple[tuple[int, str, float, float], ...] = ()

    @property
    def name(self) -> str:
        """Which solid."""
        return self.body

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.motion.duration

    @property
    def times(self) -> Array:
        """When it is recorded (N,) [s]."""
        return self.shown

    @cached_property
    def rows(self) -> Array:
        """The upper three rows of the pose at those times (N, 12)."""
        return self.at_shown(self.shown)

    @property
    def first(self) -> Array:
        """The upper three rows of the pose before it (12,)."""
        return self.start.matrix[:3].ravel()

    def at(self, time: float) -> Pose:
        """The pose so much after the start [s]."""
        if time <= 0.0 or time >= self.duration:
            return self.end if time >= self.duration else self.start
        return self.motion.pose(time)

    @property
    def looks(self) -> Array:
        """When it is looked at for collisions (N,) [s]."""
        return self.shown

    def at_shown(self, shown: Array) -> Array:
        """The upper three rows of the pose at times (N, 12)."""
        rows = self.motion.sample(shown)[:, :3].reshape(-1, 12)
        rows[shown >= self.duration] = self.end.matrix[:3].ravel()
        return np.asarray(rows)

    def until(self, shown: float) -> Glide:
        """The move up to a time [s], stopped there."""
        if shown >= self.duration:
            return self
        kept = self.shown[self.shown < shown]
        return dataclasses.replace(
            self,
            motion=PoseMotion(self.motion.curve, self.motion.progress.part(0.0, shown)),
            end=self.at(shown),
            shown=np.append(kept, shown) if shown > 0.0 else np.empty(0),
            limited="stopped",
        )


def glide(
    simulator: Simulator,
    body: str,
    curve: HandCurve | Sequence[Pose],
    *,
    speed: float | None = None,
    duration: float | None = None,
    acceleration: float | None = None,
    blend: float = 0.0,
) -> Glide:
    """Work out the move of a free solid along a curve or straight from pose to pose.

    Args:
        simulator: where the solid is.
        body: which solid; it must be movable and held by nobody.
        curve: where it goes, from where it is.
        speed: its greatest speed [m/s; rad/s where it only turns].
        duration: how long it is to take [s]; refused when that needs more than the speed, if one is given.
        acceleration: its greatest acceleration [m/s²]; it starts and stops at once unless given.
        blend: how far from a corner its rounding begins [m]; sharp unless given.
    """
    now = _free_pose(simulator, body)
    if not isinstance(curve, HandCurve):
        if not curve:
            raise InvalidValue(f"The move of {body} needs at least one pose to go to.")
        required_poses(curve, f"The way of {body}")
        curve = HandCurve.polyline([now, *curve], blend)
    metres, radians = curve.start.distance(now)
    if metres > 1e-6 or radians > 1e-6:
        raise MotionError(
            f"The path starts {metres * 1e3:.6g} mm and {np.degrees(radians):.4g}° from where {body} stands; "
            f"begin it there.",
            body=body,
        )
    if speed is None and duration is None:
        raise InvalidValue(f"The move of {body} needs a speed or a time.")
    if duration is not None:
        positive(duration, "The time of a move", "s")
    if speed is not None:
        positive(speed, "The speed of a solid", "m/s")
    motion = PoseMotion.along(
        curve, curve.length / duration if speed is None and duration else speed or 1.0, acceleration
    )
    limited = "its speed" if duration is None else "the time asked for"
    if duration is not None:
        if speed is not None and motion.duration > duration * (1.0 + 1e-9):
            raise MotionError(
                f"{body} takes {motion.duration:.4f} s for {curve.length * 1e3:.6g} mm at no more than "
                f"{speed * 1e3:.6g} mm/s; asked for {duration:.4f} s.",
                body=body,
                duration=motion.duration,
                speed=speed,
            )
        if acceleration is None or speed is not None:
            motion = PoseMotion(curve, motion.progress.stretched(duration / motion.duration))
        elif motion.duration != duration:
            motion = _in_time(curve, duration, acceleration, body)
    return Glide(body, motion, now, curve.end, _samples(motion, simulator), limited)


def _in_time(curve: HandCurve, duration: float, acceleration: float, body: str) -> PoseMotion:
    """Accelerating, going on and slowing down in just that time: the speed solves v·(T − v/a) = s."""
    a, s, T = positive(acceleration, "The acceleration of a solid", "m/s²"), curve.length, duration
    inner = T * T - 4.0 * s / a
    if inner < 0.0:
        straight = curve.pace[0] > 0.0  # else it only turns
        way = f"go {s * 1e3:.6g} mm" if straight else f"turn {np.degrees(s):.6g}°"
        unit = "m/s²" if straight else "rad/s²"
        raise MotionError(
            f"{body} cannot {way} in {T:.4f} s with {a:.6g} {unit}; it takes {2.0 * np.sqrt(s / a):.4f} s.",
            body=body,
            duration=float(2.0 * np.sqrt(s / a)),
        )
    return PoseMotion.along(curve, float(0.5 * a * (T - np.sqrt(inner))), a)


def _free_pose(simulator: Simulator, body: str) -> Pose:
    solid, state = simulator.snapshot.body(body), simulator.state
    if solid.link >= 0:
        raise Refused(f"{body} is a link of {solid.owner}; move its joints.", body=body)
    if not solid.movable:
        raise Refused(f"{body} is not movable; `modify {solid.owner} movable yes` lets it move.", body=body)
    held = state.attached.get(body)
    if held is not None and held.frame != WORLD:
        raise Refused(f"{body} goes with {held.frame}; it moves on its own only when nothing holds it.", body=body)
    return state.poses[body] if held is None else held.X_frame_body


def _samples(motion: PoseMotion, simulator: Simulator) -> Array:
    """The times [s] after the start at which poses read between two are within the resolution [m or rad]."""
    curve = motion.curve
    wanted = np.ceil(curve.length * max(curve.pace) / STEP)
    PLACES.check(float(wanted), f"A path of {curve.length:.6g} m")
    count = int(wanted)
    inner = np.union1d(curve.breaks[1:-1], curve.length * np.arange(1, count) / max(count, 1))
    knots = np.unique(np.concatenate([motion.progress.breaks, _when(motion, inner)]))
    done: list[float] = []
    open_spans = list(itertools.pairwise(knots.tolist()))
    while open_spans:
        go_on(simulator.cancel, "The move")
        PLACES.check(len(done) + len(open_spans), f"A path of {curve.length:.6g} m with these turns")
        a, b = open_spans.pop()
        times = np.array([a, *(a + (b - a) * share for share in _LOOKS), b])
        rows = motion.sample(times)[:, :3].reshape(-1, 12)
        off = max(
            float(np.abs(between(rows[0], rows[-1], share) - row).max())
            for share, row in zip(_LOOKS, rows[1:-1], strict=True)
        )
        if off > simulator.resolution and b - a > 1e-6 * motion.duration:
            open_spans += [(a, 0.5 * (a + b)), (0.5 * (a + b), b)]
        else:
            done.append(b)
    return np.array(sorted(done))


def _when(motion: PoseMotion, places: Array) -> Array:
    """When a solid passes places of its curve (K,), by bisection."""
    low, high = np.zeros(len(places)), np.full(len(places), motion.duration)
    for _ in range(60):
        middle = 0.5 * (low + high)
        before = motion.progress.sample(middle)[:, 0] < places
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return np.asarray(0.5 * (low + high))
