"""The shortest motion that meets a moving pose: durations are tried from short to long.

A part on a belt moves away, so a longer motion is not always easier. The first duration that keeps all limits is
shortened as far as possible. Limits are checked on the polynomials.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import KinematicsError, MotionError, Unreachable, WorkcellError
from workcell.motion.limits import Limits
from workcell.motion.moving_frame import MovingPose, StandingPose
from workcell.motion.tracking_hand import TrackingHand
from workcell.motion.trajectory import Trajectory

Array = NDArray[np.float64]

LEAST = 0.01
_GROWTH = 1.15
_CLOSE = 1e-3
"""A duration is found to this share of itself."""
_SHARES = (1.0, 0.65, 0.42, 0.27, 0.18, 0.12, 0.08, 0.05, 0.03)
"""The shares of the time until the meeting in which the arm moves; before that it waits."""
_LIMITS = ("speed", "acceleration", "jerk", "hand speed")
_HAND_LOOKS = 500
"""The number of instants at which the speed of the hand is computed."""
_BLOCKED = 12
"""The number of successive durations without a possible path after which the search for a standing pose gives up."""
_LOOK = 0.02
"""The resolution of the time at which something comes into reach [s]."""
_MARGIN = 1e-9


@dataclass(frozen=True)
class Met:
    """A motion that ends on a moving pose, with its speed and acceleration.

    Attributes:
        motion: joint values from now until the meeting.
        deviation: the distance of the hand from its path [m]; None if only the path of the joints matters.
    """

    motion: Trajectory
    deviation: float | None = None


class Fails(Exception):
    """A trial that does not keep the limits: the reason, and whether less time could help."""

    def __init__(self, why: str, shorter: bool = False) -> None:
        super().__init__(why)
        self.why, self.shorter = why, shorter


def soonest(
    hand: TrackingHand,
    goal: MovingPose,
    trial: Callable[[float, float, bool], Met],
    horizon: float,
) -> Met:
    """The shortest trial that keeps the limits, to a thousandth of its duration."""
    why = ""
    reach = reach_of(hand, goal, horizon)
    if reach is None:
        raise _refusal(goal, reach, horizon, "")

    def tried(took: float, fine: bool = False) -> tuple[Met, float] | None:
        nonlocal why
        for share in _SHARES:
            try:
                return trial(took, share, fine), share
            except Fails as fails:
                # A trial that fails only for the speed of the hand shows what to change; later ones may fail for more.
                why = fails.why if share == 1.0 and why != "hand speed" else why
                if not fails.shorter:
                    return None
            except (KinematicsError, MotionError) as error:
                why = _reason(error) if share == 1.0 and why != "hand speed" else why
                if took * share < 0.05:
                    return None
        return None

    low, took, blocked = 0.0, max(LEAST, reach[0]), 0
    while tried(took) is None:
        # The path to a standing pose does not come into reach by waiting; more time helps only against the limits.
        blocked = blocked + 1 if isinstance(goal, StandingPose) and why not in _LIMITS else 0
        if blocked > _BLOCKED:
            raise _refusal(goal, reach, horizon, why)
        low, took = took, took * _GROWTH if took * (_GROWTH - 1.0) < 0.5 else took + 0.5
        if took > min(horizon, reach[1] + 1e-6):
            if math.isfinite(reach[1]) and low < reach[1] < horizon:
                took = reach[1]
                if tried(took) is not None:
                    break
            raise _refusal(goal, reach, horizon, why)
    while took - low > _CLOSE * took:
        middle = 0.5 * (low + took)
        low, took = (low, middle) if tried(middle) is not None else (middle, took)
    for _ in range(40):
        took = math.ceil(took * 1e9) / 1e9
        found = tried(took, fine=True)
        if found is not None:
            return found[0]
        took *= 1.0 + _CLOSE
    raise _refusal(goal, reach, horizon, why)


def reach_of(hand: TrackingHand, goal: MovingPose, horizon: float) -> tuple[float, float, Array] | None:
    """When a moving pose is first in reach within the horizon, from and until [s], and its position then (3,) [m]."""
    times = np.linspace(0.0, horizon, math.ceil(horizon / _LOOK) + 1)
    seen = _reachable(hand, goal, times)
    if not seen.any():
        return None
    first = int(seen.argmax())
    gone = np.flatnonzero(~seen[first:])
    if not len(gone):
        return float(times[first]), math.inf, goal.states(times[-1:], np.array([False]))[0, 0, :3]
    low, high = float(times[first + gone[0] - 1]), float(times[first + gone[0]])
    for _ in range(24):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _reachable(hand, goal, np.array([middle]))[0] else (low, middle)
    return float(times[first]), low, goal.states(np.array([low]), np.array([False]))[0, 0, :3]


def _reachable(hand: TrackingHand, goal: MovingPose, times: Array) -> NDArray[np.bool_]:
    tools = hand.tools(goal.states(times, np.zeros(len(times), dtype=np.bool_)))[0]
    _, valid = hand.robot.ik_batch(tools, within_limits=True, threads=1)
    return np.asarray(valid.any(axis=1))


def require(motion: Trajectory, limits: Limits) -> None:
    """Raise ``Fails`` for a trial that breaks a limit, or that leaves no room to brake afterwards."""
    for derivative, kind, top in limits.derivatives():
        if (motion.peaks[derivative - 1] > top * (1.0 + _MARGIN)).any():
            raise Fails(kind)
    if limits.position is None:
        return
    low, high = motion.range()
    end = motion.duration
    v, top = motion.velocity(end), limits.required("acceleration", "A meeting")
    room = 0.5 * v * np.abs(v) / top
    if limits.jerk is not None:
        room = room + v * top / limits.jerk
    last = motion.position(end) + room
    slack = 1e-9 * (1.0 + np.abs(limits.position))
    least, most = limits.position[:, 0] - slack[:, 0], limits.position[:, 1] + slack[:, 1]
    if (np.minimum(low, last) < least).any() or (np.maximum(high, last) > most).any():
        raise Fails("range", shorter=True)


def require_hand(way: MovingPose, took: float, top: float) -> None:
    """Raise ``Fails`` for a trial whose hand would move along a moving pose faster than allowed [m/s]."""
    if math.isinf(top):
        return
    times = np.linspace(0.0, took, _HAND_LOOKS)
    speeds = np.linalg.norm(way.states(times, np.zeros(len(times), dtype=np.bool_))[1, :, :3], axis=1)
    if speeds.max() > top * (1.0 + _MARGIN):
        raise Fails("hand speed")


def _point(*xyz: float) -> str:
    """A position in words; a position farther away than anything can be gets few digits."""
    return f"({', '.join(f'{v:.1f}' if abs(v) < 1e9 else f'{v:.3g}' for v in xyz)})"


def _reason(error: WorkcellError) -> str:
    return str(error.evidence.get("why", "")) or "a singularity"


def _refusal(goal: MovingPose, reach: tuple[float, float, Array] | None, horizon: float, why: str) -> Unreachable:
    if reach is None:
        x, y, z = goal.states(np.zeros(1), np.zeros(1, dtype=np.bool_))[0, 0, :3] * 1e3
        return Unreachable(
            f"it is out of reach for the next {horizon:g} s; now it is at {_point(x, y, z)} mm",
            why="reach", horizon=horizon,
        )  # fmt: skip
    begin, end, place = reach
    x, y, z = place * 1e3
    held = {
        "": "no motion of the arm is that quick", "speed": "the speeds of the arm are too low for that",
        "acceleration": "the accelerations of the arm are too low for that", "reach": "the path to it leaves the reach",
        "hand speed": "the speed set for the hand is too low for that",
        "jerk": "the jerk of the arm is too low for that", "range": "a joint would leave its range",
    }.get(why, f"on the way there is {why}")  # fmt: skip
    from_when = f"from {begin:.3f} s from now " if begin > 0.0 else ""
    until = f"until {end:.3f} s from now, at {_point(x, y, z)} mm" if math.isfinite(end) else "all the time"
    return Unreachable(
        f"it is in reach {from_when}{until}, and {held}", why=why or "time", begin=begin, until=end,
        place=place.tolist(),
    )  # fmt: skip
