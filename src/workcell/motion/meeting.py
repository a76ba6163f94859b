"""Meeting something that moves, and following it: the shortest motion of an arm that arrives with its speed.

A part on a belt runs away, so a longer motion is not always an easier one: durations are tried from short to long, and
the first one that keeps all limits is made as short as it can be. Limits are checked on the polynomials.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import KinematicsError, MotionError, Unreachable, WorkcellError
from workcell.motion import steering
from workcell.motion.jerk import state_to_state
from workcell.motion.limits import Limits
from workcell.motion.moving_frame import Approach, Blend, MovingPose, StandingPose, eased_to
from workcell.motion.time_law import whole_nanoseconds
from workcell.motion.tracking_hand import TrackingHand, quintic
from workcell.motion.trajectory import Trajectory

Array = NDArray[np.float64]

HORIZON = 60.0
"""How far into the future a meeting is looked for [s]."""
WINDOW = 10.0
"""How far into the future a motion is followed before it is planned on [s]."""
_LEAST = 0.01
_GROWTH = 1.15
_CLOSE = 1e-3
"""A duration is found to this part of itself."""
_SHARES = (1.0, 0.65, 0.42, 0.27, 0.18, 0.12, 0.08, 0.05, 0.03)
"""Which part of the time until the meeting the arm moves; before that it waits."""
_COARSE = 20
"""How many polynomials a trial has."""
_LIMITS = ("speed", "acceleration", "jerk", "hand speed")
_HAND_LOOKS = 500
"""At how many instants the speed of the hand is found."""
_EASE = 0.02
"""In how much time an arm on its way lets go of its acceleration where its jerk is not limited [s]."""
_KEPT = (1.0, 0.5, 0.0)
"""Which part of its speed an arm keeps that eases before it goes elsewhere."""
_BLOCKED = 12
"""After how many durations in a row whose way is not free the search for what stands is given up."""
_SAMPLE = 0.05
_LOOK = 0.02
"""How finely it is looked when something is in reach [s]."""
_MARGIN = 1e-9

Choose = Callable[[Array, Array], Array]
"""The joint values (n,) that bring the tool to a pose (4, 4) in the base, near given ones, or a refusal."""


@dataclass(frozen=True)
class Met:
    """A motion that ends on a moving pose, with its speed and acceleration.

    Attributes:
        motion: joint values from now until then.
        deviation: how far the hand leaves its way [m]; None where only the joints' way counts.
    """

    motion: Trajectory
    deviation: float | None = None


@dataclass(frozen=True)
class Pursuit:
    """A motion that follows a moving pose and comes to rest by itself.

    Attributes:
        motion: joint values over time.
        until: how long it follows; then it brakes [s].
        ends: why it follows no longer: 'reach', 'range', 'speed', 'acceleration', or '' where it could go on.
        place: where the hand is then (3,) [m].
    """

    motion: Trajectory
    until: float
    ends: str
    place: tuple[float, float, float]


class _Fails(Exception):
    """A trial that does not keep the limits: why, and whether less time could help."""

    def __init__(self, why: str, shorter: bool = False) -> None:
        super().__init__(why)
        self.why, self.shorter = why, shorter


def meet_along_line(
    hand: TrackingHand,
    present: Array,
    first: MovingPose,
    goal: MovingPose,
    limits: Limits,
    *,
    tolerance: float = 1e-6,
    angle_tolerance: float = 1e-5,
    horizon: float = HORIZON,
    hand_speed: float = math.inf,
) -> Met:
    """The shortest motion of the hand straight from one moving pose to another, seen from each of them.

    Args:
        hand: which arm.
        present: its joint values, velocities and accelerations (3, n): the hand is at ``first``.
        first: where the hand comes from, at time 0 and later.
        goal: where it goes.
        limits: what the joints may do.
        tolerance: how far the hand may be off its way [m].
        angle_tolerance: how far its orientation may be off [rad].
        horizon: how long it may take [s].
        hand_speed: the greatest speed of the hand in the world [m/s].

    Raises:
        Unreachable: no motion within the horizon keeps the limits; the sentence says until when the goal is in reach.
    """
    braking = bool((first.steps > 0.0).any())

    def trial(took: float, share: float, fine: bool) -> Met:
        blend = Blend(first, goal, took * (1.0 - share), took * share)
        led = hand.led(
            blend, 0.0, took, present[0], tolerance=tolerance, angle_tolerance=angle_tolerance,
            knots=0 if fine else math.ceil(_COARSE / share), refine=fine,
        )  # fmt: skip
        try:
            _require(led.motion, limits)
        except _Fails as fails:
            # Where the hand brakes already, it may have to come to rest before it goes elsewhere.
            fails.shorter = fails.shorter or braking
            raise
        _require_hand(blend, took, hand_speed)
        return Met(led.motion, led.deviation)

    return _soonest(hand, goal, trial, horizon)


def _require_hand(way: MovingPose, took: float, top: float) -> None:
    """Let a trial fail whose hand is led along a moving pose faster than it may be [m/s]."""
    if math.isinf(top):
        return
    times = np.linspace(0.0, took, _HAND_LOOKS)
    speeds = np.linalg.norm(way.states(times, np.zeros(len(times), dtype=np.bool_))[1, :, :3], axis=1)
    if speeds.max() > top * (1.0 + _MARGIN):
        raise _Fails("hand speed")


def meet_anew(
    hand: TrackingHand,
    present: Array,
    start: Array,
    goal: MovingPose,
    limits: Limits,
    *,
    tolerance: float = 1e-6,
    angle_tolerance: float = 1e-5,
    horizon: float = HORIZON,
    hand_speed: float = math.inf,
) -> Met:
    """The shortest motion of a hand that was on its way already onto a moving pose, straight as seen from it.

    Args:
        hand: which arm.
        present: its joint values, velocities and accelerations (3, n).
        start: the pose, velocity and acceleration of the hand (3, 7).
        goal: where it goes.
        limits: what the joints may do.
        tolerance: how far the hand may be off its way [m].
        angle_tolerance: how far its orientation may be off [rad].
        horizon: how long it may take [s].
        hand_speed: the greatest speed of the hand in the world [m/s].

    Raises:
        Unreachable: see :func:`meet_along_line`.
    """

    def trial(took: float, ease: float, kept: float, fine: bool) -> Met:
        approach = Approach(start, goal, took, ease, kept)
        led = hand.led(
            approach, 0.0, took, present[0], tolerance=tolerance, angle_tolerance=angle_tolerance,
            knots=0 if fine else _COARSE, refine=fine,
        )  # fmt: skip
        _require(led.motion, limits)
        _require_hand(approach, took, hand_speed)
        return Met(led.motion, led.deviation)

    return _eased(hand, present, goal, limits, trial, horizon)


def meet_by_joints(
    hand: TrackingHand,
    present: Array,
    goal: MovingPose,
    choose: Choose,
    limits: Limits,
    *,
    horizon: float = HORIZON,
    quintic: bool = False,
) -> Met:
    """The shortest motion of the joints that brings the hand to a moving pose.

    Each joint uses its speed, acceleration and jerk as in the fastest move from state to state. Where the jerk is not
    limited, full acceleration is reached in 20 ms, so that accelerations do not step.

    Args:
        hand: which arm.
        present: its joint values, velocities and accelerations (3, n).
        goal: where the hand goes.
        choose: which joint values it has there.
        limits: what the joints may do; a joint that is faster already brakes first.
        horizon: how long it may take [s].
        quintic: whether each joint goes along one quintic instead.

    Raises:
        Unreachable: see :func:`meet_along_line`.
    """
    rests = not present[1:].any()
    to_goal = _by_quintics if quintic else _fastest
    if not quintic:
        limits = _smooth(limits)
    within = limits if quintic else _raised(limits, present)

    def trial(took: float, share: float, fine: bool) -> Met:  # noqa: ARG001
        if share < 1.0 and not rests:
            raise _Fails("range")
        wait = took * (1.0 - share)
        motion = to_goal(hand, present, goal, choose, limits, took, took - wait)
        if wait > 0.0:
            motion = _ending_at(motion.delayed(wait), took)
        _require(motion, within)
        return Met(motion)

    def on_the_way(took: float, ease: float, kept: float, fine: bool) -> Met:
        if ease == 0.0:
            return trial(took, 1.0, fine)
        rows = np.zeros((1, 6, len(present[0])))
        rows[0, :5] = eased_to(present, ease, kept)
        first = Trajectory(np.array([0.0, ease]), rows)
        state = np.stack([first.end, kept * present[1], np.zeros(len(first.end))])
        motion = first.then(_by_quintics(hand, state, goal, choose, limits, took, took - ease))
        motion = _ending_at(motion, took)
        _require(motion, limits)
        return Met(motion)

    if rests or not quintic:
        return _soonest(hand, goal, trial, horizon)
    return _eased(hand, present, goal, limits, on_the_way, horizon)


def _smooth(limits: Limits) -> Limits:
    """The limits, with a jerk in any case."""
    top = limits.required("acceleration", "A meeting")
    jerk = top / _EASE if limits.jerk is None else limits.jerk
    return Limits(limits.speed, top, jerk, limits.position, limits.slides)


def _raised(limits: Limits, present: Array) -> Limits:
    """The limits, with room for joints that are above them already (3, n), or cannot but pass them."""
    v, a = present[1:]
    jerk = limits.required("jerk", "A meeting")
    top = np.maximum(limits.required("acceleration", "A meeting"), np.abs(a))
    gained = np.abs(v + a * np.abs(a) / (2.0 * jerk))
    speed = np.maximum(limits.speed, np.maximum(np.abs(v), gained))
    return Limits(speed, top, jerk, limits.position, limits.slides)


def _there(hand: TrackingHand, near: Array, goal: MovingPose, choose: Choose, when: float) -> tuple[Array, ...]:
    """Joint values, velocities and accelerations (1, n) with which the hand is on a moving pose at a time."""
    tools, velocity, acceleration = hand.tools(goal.states(np.array([when]), np.array([False])))
    q = choose(tools[0], near)[None]
    return (q, *hand.rates(q, velocity, acceleration))


def _by_quintics(
    hand: TrackingHand, state: Array, goal: MovingPose, choose: Choose, _: Limits, when: float, took: float
) -> Trajectory:
    """One quintic for each joint from a state (3, n) to a moving pose as it is at a time."""
    ends = [np.vstack([state[k], one]) for k, one in enumerate(_there(hand, state[0], goal, choose, when))]
    return Trajectory(np.array([0.0, took]), quintic(np.array([took]), *ends))


def _fastest(
    hand: TrackingHand, state: Array, goal: MovingPose, choose: Choose, limits: Limits, when: float, took: float
) -> Trajectory:
    """The motion from a state (3, n) to a moving pose as it is at a time, by which each joint uses its limits."""
    q, qd, qdd = (one[0] for one in _there(hand, state[0], goal, choose, when))
    for kind, values, top in (("speed", qd, limits.speed), ("acceleration", qdd, limits.acceleration)):
        assert top is not None
        if not (np.abs(values) < top * (1.0 - 1e-6)).all():
            raise _Fails(kind)
    try:
        motion = state_to_state(
            state[0], q, limits, v0=state[1], a0=state[2], v1=qd, a1=qdd, duration=took,
            within=_raised(limits, state),
        )  # fmt: skip
    except MotionError as error:
        raise _Fails(str(error.evidence.get("limit", "acceleration"))) from error
    return _ending_at(motion, took)


def _eased(
    hand: TrackingHand,
    present: Array,
    goal: MovingPose,
    limits: Limits,
    trial: Callable[[float, float, float, bool], Met],
    horizon: float,
) -> Met:
    """The soonest trial of an arm that moves: at once, or after it has let go of its acceleration and some speed.

    An arm that is speeding up, or near the limit of its speed, cannot take its time otherwise.
    """
    best: Met | None = None
    refused: Unreachable | None = None
    eases = [(0.0, 1.0)] + [(_easing(present, limits, kept), kept) for kept in _KEPT]
    for ease, kept in eases:

        def tried(took: float, share: float, fine: bool, ease: float = ease, kept: float = kept) -> Met:
            if share < 1.0 or took < ease + _LEAST:
                raise _Fails("range" if share < 1.0 else "speed")
            return trial(took, ease, kept, fine)

        try:
            found = _soonest(hand, goal, tried, horizon)
        except Unreachable as error:
            refused = refused or error
            continue
        if best is None or found.motion.duration < best.motion.duration:
            best, horizon = found, found.motion.duration
    if best is None:
        assert refused is not None
        raise refused
    return best


def _easing(present: Array, limits: Limits, kept: float) -> float:
    """How long an arm takes to let go of its acceleration and of a part of its speed, in whole nanoseconds [s]."""
    change, push = (1.0 - kept) * np.abs(present[1]), np.abs(present[2])
    took = max(_EASE, float((2.0 * change / limits.required("acceleration", "A meeting")).max()))
    if limits.jerk is not None:
        took = max(took, float((5.0 * push / limits.jerk).max()), float(np.sqrt(8.0 * change / limits.jerk).max()))
    return math.ceil(took * 1e9) / 1e9


def pursue(
    hand: TrackingHand,
    goal: MovingPose,
    begin: float,
    near: Array,
    limits: Limits,
    *,
    tolerance: float = 1e-6,
    angle_tolerance: float = 1e-5,
    window: float = WINDOW,
) -> Pursuit:
    """The motion that keeps the hand on a moving pose from a time on, as long as it can, and then brakes to rest.

    Args:
        hand: which arm.
        goal: where its hand shall be.
        begin: from when on [s]; the hand is there then, with the speed of the pose.
        near: joint values then (n,).
        limits: what the joints may do; the jerk counts for braking only.
        tolerance: how far the hand may be off [m].
        angle_tolerance: how far its orientation may be off [rad].
        window: how long to follow at most [s].
    """
    count = math.ceil(window / _SAMPLE)
    after = np.round(window / count * np.arange(count + 1.0) * 1e9) / 1e9
    times = begin + after
    states = goal.states(times, np.zeros(len(times), dtype=np.bool_))
    tools, velocity, acceleration = hand.tools(states)
    q, why = hand.along(tools, near)
    if not len(q):
        raise Unreachable("the pose is out of the arm's reach", time=begin)
    qd, qdd = hand.rates(q, velocity[: len(q)], acceleration[: len(q)])
    good = len(q)
    for rows, top, kind in ((qd, limits.speed, "speed"), (qdd, limits.acceleration, "acceleration")):
        if top is not None and (over := (np.abs(rows) > top * (1.0 + 1e-6)).any(axis=1)).any():
            at = int(over.argmax())
            if at < good:
                good, why = at, kind
    jumps = np.abs(np.diff(q[:good], axis=0)).max(axis=1, initial=0.0) > 0.5
    if jumps.any():
        good, why = int(jumps.argmax()) + 1, "reach"
    last = max(good - 1, 0)
    while True:
        until = float(after[last])
        if last == 0:
            state = np.stack([q[0], qd[0], qdd[0]])
            followed: Trajectory | None = None
        else:
            try:
                led = hand.led(
                    goal, begin, begin + until, near, tolerance=tolerance, angle_tolerance=angle_tolerance,
                    knots=max(4, last // 4),
                )  # fmt: skip
            except (KinematicsError, MotionError):
                last, why = last - max(1, last // 10), why or "reach"
                continue
            followed = _ending_at(led.motion, until)
            state = np.stack([followed.position(until), followed.velocity(until), followed.acceleration(until)])
        brake, _ = whole_nanoseconds(steering.stop(state[0], state[1], state[2], limits), keep_start=True)
        if last == 0 or _inside(brake, limits):
            break
        last, why = last - 1, why or "range"
    motion = brake if followed is None else followed if brake.duration == 0.0 else joined(followed, brake)
    x, y, z = states[0, last, :3].tolist()
    return Pursuit(motion, until, why, (x, y, z))


def reach_of(hand: TrackingHand, goal: MovingPose, horizon: float) -> tuple[float, float, Array] | None:
    """From when until when a moving pose is first in reach, within the horizon [s], and where it is then (3,) [m]."""
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


# ---- inside -------------------------------------------------------------------------------------------


def _reachable(hand: TrackingHand, goal: MovingPose, times: Array) -> NDArray[np.bool_]:
    tools = hand.tools(goal.states(times, np.zeros(len(times), dtype=np.bool_)))[0]
    _, valid = hand.robot.ik_batch(tools, within_limits=True, threads=1)
    return np.asarray(valid.any(axis=1))


def _soonest(
    hand: TrackingHand,
    goal: MovingPose,
    trial: Callable[[float, float, bool], Met],
    horizon: float,
) -> Met:
    """The shortest trial that keeps the limits, to a thousandth of its time."""
    why = ""
    reach = reach_of(hand, goal, horizon)
    if reach is None:
        raise _refusal(goal, reach, horizon, "")

    def tried(took: float, fine: bool = False) -> tuple[Met, float] | None:
        nonlocal why
        for share in _SHARES:
            try:
                return trial(took, share, fine), share
            except _Fails as fails:
                # A trial that only the hand is too fast for says what to change; later ones may fail for more.
                why = fails.why if share == 1.0 and why != "hand speed" else why
                if not fails.shorter:
                    return None
            except (KinematicsError, MotionError) as error:
                why = _reason(error) if share == 1.0 and why != "hand speed" else why
                if took * share < 0.05:
                    return None
        return None

    low, took, blocked = 0.0, max(_LEAST, reach[0]), 0
    while tried(took) is None:
        # The way to what stands does not come into reach by waiting; more time helps only against the limits.
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


def _point(*xyz: float) -> str:
    """A place for people; what is farther away than anything can be needs no digits."""
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
        "acceleration": "the accelerations of the arm are too low for that", "reach": "the way there leaves the reach",
        "hand speed": "the speed asked of the hand is too low for that",
        "jerk": "the jerk of the arm is too low for that", "range": "a joint would leave its range",
    }.get(why, f"on the way there is {why}")  # fmt: skip
    from_when = f"from {begin:.3f} s from now " if begin > 0.0 else ""
    until = f"until {end:.3f} s from now, at {_point(x, y, z)} mm" if math.isfinite(end) else "all the time"
    return Unreachable(
        f"it is in reach {from_when}{until}, and {held}", why=why or "time", begin=begin, until=end,
        place=place.tolist(),
    )  # fmt: skip


def _require(motion: Trajectory, limits: Limits) -> None:
    """Let a trial fail that breaks a limit, or after which there is no room to brake."""
    for derivative, kind, top in limits.derivatives():
        if (motion.peaks[derivative - 1] > top * (1.0 + _MARGIN)).any():
            raise _Fails(kind)
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
        raise _Fails("range", shorter=True)


def _inside(motion: Trajectory, limits: Limits) -> bool:
    if limits.position is None:
        return True
    low, high = motion.range()
    slack = 1e-9 * (1.0 + np.abs(limits.position))
    return bool(
        (low >= limits.position[:, 0] - slack[:, 0]).all() and (high <= limits.position[:, 1] + slack[:, 1]).all()
    )


def _ending_at(motion: Trajectory, duration: float) -> Trajectory:
    """A motion whose end is put on an instant from which rounding took it."""
    breaks = motion.breaks.copy()
    breaks[-1] = duration
    return Trajectory(breaks, motion.coefficients)


def joined(first: Trajectory, second: Trajectory) -> Trajectory:
    """One motion and after it another, in whole nanoseconds as both are."""
    whole = first.then(second)
    return _ending_at(whole, round(whole.duration * 1e9) / 1e9)
