"""Meeting something that moves: the shortest motion of an arm that arrives with its speed."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from workcell.errors import KinematicsError, MotionError, Unreachable
from workcell.motion.jerk import state_to_state
from workcell.motion.limits import Limits
from workcell.motion.moving_frame import Approach, Blend, MovingPose, eased_to
from workcell.motion.nanoseconds import ending_at
from workcell.motion.soonest import LEAST, Fails, Met, require, require_hand, soonest
from workcell.motion.tracking_hand import TrackingHand, quintic
from workcell.motion.trajectory import Trajectory

Array = NDArray[np.float64]

HORIZON = 60.0
"""How far into the future a meeting is searched for [s]."""
_COARSE = 20
"""The number of polynomials of a trial."""
_EASE = 0.02
"""The time in which a moving arm without a jerk limit brings its acceleration to zero [s]."""
_KEPT = (1.0, 0.5, 0.0)
"""The share of its speed that an arm keeps when it eases before it goes elsewhere."""
_LOOKS = 200
"""The number of instants at which a hand that follows a braking pose is compared with its limits."""
_CLEARLY = 1.0 + 1e-6
"""The share of a limit above which it is broken beyond rounding."""
Choose = Callable[[Array, Array], Array]
"""The joint values (n,) that bring the tool to a pose (4, 4) in the base, near given ones, or a refusal."""


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
    """The shortest motion of the hand straight from one moving pose to another, as seen from each of them.

    Args:
        hand: the arm.
        present: its joint values, velocities and accelerations (3, n): the hand is at ``first``.
        first: the pose that the hand comes from, at time 0 and later.
        goal: the pose that it goes to.
        limits: the limits of the joints.
        tolerance: the greatest distance of the hand from its path [m].
        angle_tolerance: the greatest angle from its orientation [rad].
        horizon: the longest duration [s].
        hand_speed: the greatest speed of the hand in the world [m/s].

    Raises:
        Unreachable: no motion within the horizon keeps the limits; the message states until when the goal is in reach.
    """
    braking = bool((first.steps > 0.0).any())
    followed = _followed(hand, present, first, limits, (tolerance, angle_tolerance), horizon)

    def trial(took: float, share: float, fine: bool) -> Met:
        if took * (1.0 - share) > followed:  # while it waits, the hand follows the first pose
            raise Fails("acceleration", shorter=True)
        blend = Blend(first, goal, took * (1.0 - share), took * share)
        led = hand.led(
            blend, 0.0, took, present[0], tolerance=tolerance, angle_tolerance=angle_tolerance,
            knots=0 if fine else math.ceil(_COARSE / share), refine=fine,
        )  # fmt: skip
        try:
            require(led.motion, limits)
        except Fails as fails:
            # A hand that is already braking may have to come to rest before it goes elsewhere.
            fails.shorter = fails.shorter or braking
            raise
        require_hand(blend, took, hand_speed)
        return Met(led.motion, led.deviation)

    return soonest(hand, goal, trial, horizon)


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
    """The shortest motion of a moving hand onto a moving pose, straight as seen from that pose.

    Args:
        hand: the arm.
        present: its joint values, velocities and accelerations (3, n).
        start: the pose, velocity and acceleration of the hand (3, 7).
        goal: the pose that it goes to.
        limits: the limits of the joints.
        tolerance: the greatest distance of the hand from its path [m].
        angle_tolerance: the greatest angle from its orientation [rad].
        horizon: the longest duration [s].
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
        require(led.motion, limits)
        require_hand(approach, took, hand_speed)
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

    Each joint uses its speed, acceleration and jerk as in the fastest move from state to state. If the jerk is not
    limited, full acceleration is reached in 20 ms, so that accelerations do not step.

    Args:
        hand: the arm.
        present: its joint values, velocities and accelerations (3, n).
        goal: the pose that the hand goes to.
        choose: selects the joint values there.
        limits: the limits of the joints; a joint that is already faster brakes first.
        horizon: the longest duration [s].
        quintic: whether each joint follows one quintic instead.

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
            raise Fails("range")
        wait = took * (1.0 - share)
        motion = to_goal(hand, present, goal, choose, limits, took, took - wait)
        if wait > 0.0:
            motion = ending_at(motion.delayed(wait), took)
        require(motion, within)
        return Met(motion)

    def on_the_way(took: float, ease: float, kept: float, fine: bool) -> Met:
        if ease == 0.0:
            return trial(took, 1.0, fine)
        rows = np.zeros((1, 6, len(present[0])))
        rows[0, :5] = eased_to(present, ease, kept)
        first = Trajectory(np.array([0.0, ease]), rows)
        state = np.stack([first.end, kept * present[1], np.zeros(len(first.end))])
        motion = first.then(_by_quintics(hand, state, goal, choose, limits, took, took - ease))
        motion = ending_at(motion, took)
        require(motion, limits)
        return Met(motion)

    if rests or not quintic:
        return soonest(hand, goal, trial, horizon)
    return _eased(hand, present, goal, limits, on_the_way, horizon)


def _followed(
    hand: TrackingHand,
    present: Array,
    first: MovingPose,
    limits: Limits,
    allowed: tuple[float, float],
    horizon: float,
) -> float:
    """Until when a hand can follow a pose that brakes without breaking a limit of the arm [s]."""
    end = min(float(first.steps.max(initial=0.0)), horizon)
    if end < LEAST:
        return math.inf
    try:
        led = hand.led(first, 0.0, end, present[0], tolerance=allowed[0], angle_tolerance=allowed[1])
    except (KinematicsError, MotionError):
        return math.inf
    times = np.linspace(0.0, end, _LOOKS)
    broken = np.zeros(len(times), dtype=np.bool_)
    for derivative, _, top in limits.derivatives():
        broken |= (np.abs(led.motion.sample(times, derivative)) > top * _CLEARLY).any(axis=1)
    return float(times[broken.argmax()]) if broken.any() else math.inf


def _smooth(limits: Limits) -> Limits:
    """The limits, with a jerk in every case."""
    top = limits.required("acceleration", "A meeting")
    jerk = top / _EASE if limits.jerk is None else limits.jerk
    return Limits(limits.speed, top, jerk, limits.position, limits.slides)


def _raised(limits: Limits, present: Array) -> Limits:
    """The limits, with room for joints that are already above them (3, n), or that must pass them."""
    v, a = present[1:]
    jerk = limits.required("jerk", "A meeting")
    top = np.maximum(limits.required("acceleration", "A meeting"), np.abs(a))
    gained = np.abs(v + a * np.abs(a) / (2.0 * jerk))
    speed = np.maximum(limits.speed, np.maximum(np.abs(v), gained))
    return Limits(speed, top, jerk, limits.position, limits.slides)


def _there(hand: TrackingHand, near: Array, goal: MovingPose, choose: Choose, when: float) -> tuple[Array, ...]:
    """Joint values, velocities and accelerations (1, n) that put the hand on a moving pose at a time."""
    tools, velocity, acceleration = hand.tools(goal.states(np.array([when]), np.array([False])))
    q = choose(tools[0], near)[None]
    return (q, *hand.rates(q, velocity, acceleration))


def _by_quintics(
    hand: TrackingHand, state: Array, goal: MovingPose, choose: Choose, _: Limits, when: float, took: float
) -> Trajectory:
    """One quintic for each joint from a state (3, n) to a moving pose at a time."""
    ends = [np.vstack([state[k], one]) for k, one in enumerate(_there(hand, state[0], goal, choose, when))]
    return Trajectory(np.array([0.0, took]), quintic(np.array([took]), *ends))


def _fastest(
    hand: TrackingHand, state: Array, goal: MovingPose, choose: Choose, limits: Limits, when: float, took: float
) -> Trajectory:
    """The motion from a state (3, n) to a moving pose at a time in which each joint uses its limits."""
    q, qd, qdd = (one[0] for one in _there(hand, state[0], goal, choose, when))
    for kind, values, top in (("speed", qd, limits.speed), ("acceleration", qdd, limits.acceleration)):
        assert top is not None
        if not (np.abs(values) < top * (1.0 - 1e-6)).all():
            raise Fails(kind)
    try:
        motion = state_to_state(
            state[0], q, limits, v0=state[1], a0=state[2], v1=qd, a1=qdd, duration=took,
            within=_raised(limits, state),
        )  # fmt: skip
    except MotionError as error:
        raise Fails(str(error.evidence.get("limit", "acceleration"))) from error
    return ending_at(motion, took)


def _eased(
    hand: TrackingHand,
    present: Array,
    goal: MovingPose,
    limits: Limits,
    trial: Callable[[float, float, float, bool], Met],
    horizon: float,
) -> Met:
    """The soonest trial of a moving arm: at once, or after it has eased off its acceleration and some speed.

    Without that, an arm that is speeding up or near its speed limit cannot take its time.
    """
    best: Met | None = None
    refused: Unreachable | None = None
    eases = [(0.0, 1.0)] + [(_easing(present, limits, kept), kept) for kept in _KEPT]
    for ease, kept in eases:

        def tried(took: float, share: float, fine: bool, ease: float = ease, kept: float = kept) -> Met:
            if share < 1.0 or took < ease + LEAST:
                raise Fails("range" if share < 1.0 else "speed")
            return trial(took, ease, kept, fine)

        try:
            found = soonest(hand, goal, tried, horizon)
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
    """The time in which an arm eases off its acceleration and a share of its speed, in whole nanoseconds [s]."""
    change, push = (1.0 - kept) * np.abs(present[1]), np.abs(present[2])
    took = max(_EASE, float((2.0 * change / limits.required("acceleration", "A meeting")).max()))
    if limits.jerk is not None:
        took = max(took, float((5.0 * push / limits.jerk).max()), float(np.sqrt(8.0 * change / limits.jerk).max()))
    return math.ceil(took * 1e9) / 1e9
