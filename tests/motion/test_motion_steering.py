"""Superseding and stopping: continuous from any state, limits and ranges kept at every instant, at rest at the end."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from workcell.errors import InvalidValue, JointLimit
from workcell.motion.limits import Limits, violations
from workcell.motion.profiles import linear
from workcell.motion.steering import stop, supersede
from workcell.motion.trajectory import Trajectory

State = tuple[np.ndarray, np.ndarray, np.ndarray]


def random_limits(rng: np.random.Generator, jerk: bool) -> Limits:
    n = int(rng.integers(1, 8))
    box = np.stack([-rng.uniform(1.0, 3.0, n), rng.uniform(1.0, 3.0, n)], axis=1)
    return Limits(rng.uniform(0.2, 3.0, n), rng.uniform(0.5, 9.0, n), rng.uniform(3.0, 90.0, n) if jerk else None, box)


def random_state(rng: np.random.Generator, limits: Limits) -> State:
    """Speeds and accelerations within, near, exactly at and above their limits."""
    n = limits.n
    assert limits.position is not None
    assert limits.acceleration is not None
    q = rng.uniform(limits.position[:, 0], limits.position[:, 1])
    share = rng.choice([0.3, 0.9, 1.0, 1.3], (2, n)) * rng.uniform(-1.0, 1.0, (2, n))
    share = np.where(rng.random((2, n)) < 0.2, np.sign(share), share)
    calm = rng.random(n) < 0.4
    return q, np.where(calm, 0.1, 1.0) * share[0] * limits.speed, share[1] * limits.acceleration


def time_above(v: float, a: float, top_v: float, top_a: float, jerk: float) -> float:
    """How long a joint needs to come back within its limits when it brakes with all it has: by bisection."""
    if not math.isfinite(jerk):
        return max(abs(v) - top_v, 0.0) / top_a
    late = max(abs(a) - top_a, 0.0) / jerk
    side = math.copysign(1.0, v + a * abs(a) / (2.0 * jerk))
    v, a = side * v, side * a
    if v <= top_v and v + (a * a / (2.0 * jerk) if a > 0.0 else 0.0) <= top_v:
        return late

    def speed(t: float) -> float:
        turn = abs(a + top_a) / jerk
        u = min(t, turn)
        drive = -math.copysign(jerk, a + top_a)
        return v + a * u + 0.5 * drive * u * u - top_a * (t - u)

    low, high = 0.0, 1e3
    if a > 0.0:
        low = a / jerk  # the speed rises until then
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if speed(middle) > top_v else (low, middle)
    return max(late, high)


def time_a_stop_is_above(v: float, a: float, top_v: float, top_a: float, jerk: float) -> float:
    """The same for a joint that brakes to rest, which may have to ease off earlier."""
    motion = stop([0.0], [v], [a], Limits([top_v], [top_a], [jerk] if math.isfinite(jerk) else None))
    times = np.linspace(0.0, motion.duration, 20_001)
    above = np.flatnonzero(np.abs(motion.sample(times, 1)[:, 0]) > top_v)
    return float(times[above[-1] + 1]) if above.size else 0.0


def check_to_rest(motion: Trajectory, state: State, limits: Limits) -> None:
    """The laws that superseding and stopping share, read off the polynomials."""
    q, v, a = state
    jerk = limits.jerk
    assert limits.acceleration is not None
    assert np.allclose(motion.start, q, rtol=0.0, atol=1e-15)
    end = motion.duration
    if end == 0.0:
        assert not v.any()
        return
    assert np.array_equal(motion.velocity(0.0), v)
    scale = 1.0 + np.abs(v)
    jumps = motion.velocity_jumps()
    assert (np.abs(jumps[1:]) <= 1e-10 * scale).all()
    if jerk is not None:
        assert np.array_equal(motion.acceleration(0.0), a)
        assert (np.abs(motion.acceleration_jumps()) <= 1e-9 * (1.0 + np.abs(a))).all()
        assert np.abs(motion.acceleration(end)).max() < 1e-10
        assert (motion.max_jerk() <= jerk * (1.0 + 1e-12)).all()
    jerks = np.full(limits.n, math.inf) if jerk is None else jerk
    for j in range(limits.n):
        top_v, top_a = limits.speed[j], limits.acceleration[j]
        case = float(v[j]), float(a[j]), float(top_v), float(top_a), float(jerks[j])
        late = min(time_above(*case) * (1.0 + 2e-6) + 1e-12, end)
        if motion.max_speed(late)[j] > top_v * (1.0 + 1e-9):
            late = min(time_a_stop_is_above(*case), end)
        assert motion.max_speed(late)[j] <= top_v * (1.0 + 1e-9)
        assert motion.max_acceleration(late)[j] <= top_a * (1.0 + 1e-9)
        peak = max(top_v, abs(v[j]), abs(v[j] + a[j] * abs(a[j]) / (2.0 * jerks[j])))
        assert motion.max_speed()[j] <= peak * (1.0 + 1e-5)
        assert motion.max_acceleration()[j] <= max(top_a, 0.0 if jerk is None else abs(a[j])) * (1.0 + 1e-12)


def check_by_differences(motion: Trajectory, state: State, limits: Limits) -> None:
    """The same again without the polynomials' own derivatives: differences of dense samples."""
    times = np.linspace(0.0, motion.duration, 20001)
    step = times[1]
    if step < 1e-6:
        return
    speeds = np.diff(motion.sample(times), axis=0) / step
    peak = np.maximum(limits.speed, np.abs(state[1]))
    assert limits.acceleration is not None
    top = limits.acceleration
    if limits.jerk is not None:
        peak = np.maximum(peak, np.abs(state[1] + state[2] * np.abs(state[2]) / (2.0 * limits.jerk)))
        top = np.maximum(top, np.abs(state[2]))
    assert (np.abs(speeds) <= peak * (1.0 + 1e-5) + 1e-12 / step).all()
    assert (np.abs(np.diff(speeds, axis=0)) <= (top * (1.0 + 1e-5)) * step + 1e-14 / step).all()


def least_room(v: float, a: float, top_v: float, top_a: float, jerk: float) -> float:
    """How far a joint goes before it turns, whatever it does: bang-bang braking in small steps."""
    if not math.isfinite(jerk):
        return max(v, 0.0) ** 2 / (2.0 * top_a)
    q, most, dt = 0.0, 0.0, 1e-3
    for _ in range(40_000):
        # Push down unless that would run back faster than the speed limit, or above the acceleration limit.
        down = v - a * a / (2.0 * jerk) * math.copysign(1.0, -a) > -top_v if a < 0.0 else True
        drive = -jerk if down and a > -top_a else (jerk if a < -top_a or not down else 0.0)
        after = max(a + drive * dt, -top_a) if drive < 0.0 else a + drive * dt
        q, v, a = q + v * dt + 0.5 * a * dt * dt, v + a * dt, after
        most = max(most, q)
        if v <= 0.0 and a <= 0.0:
            break
    return most


def try_superseding(seed: int, dense: bool = False) -> str:
    rng = np.random.default_rng(seed)
    limits = random_limits(rng, jerk=seed % 3 != 0)
    assert limits.position is not None
    state = random_state(rng, limits)
    goal = rng.uniform(limits.position[:, 0], limits.position[:, 1])
    if seed % 5 == 0:
        # Hardly any way to go: the tolerances of the solver are coarse beside it.
        tiny = 10.0 ** rng.uniform(-12.0, -1.0)
        state = state[0], tiny ** (2 / 3) * state[1], tiny ** (1 / 3) * state[2]
        goal = np.clip(state[0] + tiny * rng.uniform(-1.0, 1.0, limits.n), limits.position[:, 0], limits.position[:, 1])
    try:
        motion = supersede(*state, goal, limits)
    except JointLimit as error:
        j = int(error.joint) - 1  # type: ignore[call-overload]
        args = (
            float(limits.speed[j]),
            float(limits.acceleration[j]),  # type: ignore[index]
            math.inf if limits.jerk is None else float(limits.jerk[j]),
        )
        up = least_room(float(state[1][j]), float(state[2][j]), *args) - (limits.position[j, 1] - state[0][j])
        down = least_room(-float(state[1][j]), -float(state[2][j]), *args) - (state[0][j] - limits.position[j, 0])
        assert max(up, down) > -0.02
        return "no room"
    check_to_rest(motion, state, limits)
    assert np.allclose(motion.end, goal, rtol=0.0, atol=1e-15)
    low, high = motion.range()
    assert (low >= limits.position[:, 0] - 1e-11).all()
    assert (high <= limits.position[:, 1] + 1e-11).all()
    if dense:
        check_by_differences(motion, state, limits)
    # A second superseding, from somewhere in the middle of the first.
    t = float(rng.uniform(0.0, motion.duration))
    middle = motion.position(t), motion.velocity(t), motion.acceleration(t)
    again = supersede(*middle, state[0], limits)
    check_to_rest(again, middle, limits)
    low, high = again.range()
    assert (low >= limits.position[:, 0] - 1e-11).all()
    assert (high <= limits.position[:, 1] + 1e-11).all()
    return "superseded"


def test_superseding_from_any_state_keeps_limits_and_ranges_on_the_polynomials() -> None:
    found = Counter(try_superseding(seed, dense=seed % 10 == 0) for seed in range(300))
    assert found["superseded"] > 150
    assert found["no room"] > 10


@pytest.mark.soak
def test_superseding_from_ten_thousand_states() -> None:
    found = Counter(try_superseding(seed, dense=seed % 100 == 0) for seed in range(1000, 11_000))
    print(
        f"superseding: {found['superseded']} of 10,000 states superseded twice, {found['no room']} had no room, 0 wrong"
    )
    assert found.total() == 10_000


def test_a_stop_is_the_soonest_of_each_joint() -> None:
    for seed in range(300):
        rng = np.random.default_rng(seed)
        limits = random_limits(rng, jerk=seed % 3 != 0)
        state = random_state(rng, limits)
        motion = stop(*state, limits)
        check_to_rest(motion, state, limits)
        for j in range(limits.n):
            v, a = float(state[1][j]), float(state[2][j])
            top = float(limits.acceleration[j])  # type: ignore[index]
            # The independent truth: the joint alone, whose own stop is over when its speed is zero for good.
            alone = Limits(limits.speed[j : j + 1], [top], None if limits.jerk is None else limits.jerk[j : j + 1])
            own = stop([0.0], [v], [a], alone).duration
            assert np.abs(motion.ranges([min(own, motion.duration)], [motion.duration], 1)).max(axis=(0, 1))[j] < 1e-9
            if limits.jerk is None:
                assert own == pytest.approx(abs(v) / top, rel=1e-9)
            else:
                assert own == pytest.approx(ruckigs_stop(v, a, top, float(limits.jerk[j])), rel=1e-6, abs=1e-7)


def ruckigs_stop(v: float, a: float, top: float, jerk: float) -> float:
    """Ruckig's control of the speed alone, as another's answer to the same question."""
    import ruckig

    request = ruckig.InputParameter(1)
    request.control_interface = ruckig.ControlInterface.Velocity
    request.current_velocity, request.current_acceleration = [v], [a]
    request.max_acceleration, request.max_jerk = [top], [jerk]
    answer = ruckig.Trajectory(1)
    ruckig.Ruckig(1).calculate(request, answer)
    return float(answer.duration)


def test_states_at_and_above_the_limits_brake_first() -> None:
    limits = Limits.of(1, 1.0, 2.0, 3.0)
    for v, a in [(1.0, 0.0), (1.0, 2.0), (0.95, 1.9), (1.5, 0.0), (1.5, -2.5), (0.0, 5.0), (-40.0, 1.0)]:
        state = np.array([0.0]), np.array([v]), np.array([a])
        motion = supersede(*state, [1.0], limits)
        check_to_rest(motion, state, limits)
        assert motion.end.tolist() == pytest.approx([1.0], abs=1e-15)


def test_a_superseded_linear_move_uses_the_accelerations_from_that_instant_on() -> None:
    move = linear([0.0, 0.0], [1.0, -0.5], 1.0)
    limits = Limits.of(2, 1.0, 4.0)
    state = move.position(0.5), move.velocity(0.5), move.acceleration(0.5)
    motion = supersede(*state, [0.0, 0.0], limits)
    check_to_rest(motion, state, limits)
    assert violations(motion, limits) == ()


def test_a_joint_at_rest_at_its_target_stays() -> None:
    assert supersede([1.0], None, None, [1.0], Limits.of(1, 1.0, 2.0, 3.0)).duration == 0.0
    assert stop([1.0], None, None, Limits.of(1, 1.0, 2.0)).duration == 0.0


def test_braking_first_keeps_a_range_that_the_fastest_motion_leaves() -> None:
    limits = Limits([2.0], [2.0], [20.0], [[-1.0, 1.0]])
    state = np.array([0.0]), np.array([1.85]), np.array([0.0])
    motion = supersede(*state, [0.95], limits)
    check_to_rest(motion, state, limits)
    assert motion.range()[1][0] <= 1.0


def test_what_cannot_be_superseded_is_refused_with_the_figures() -> None:
    limits = Limits([3.0, 3.0], [2.0, 2.0], [9.0, 9.0], [[-1.6, 1.6]] * 2, (False, True))
    with pytest.raises(
        JointLimit,
        match=r"^Joint 2 cannot stay within its range of -1600 mm to 1600 mm: at 1500 mm and 3000 mm/s it needs "
        r"\S+ mm to reverse, and 100 mm are left\.$",
    ):
        supersede([0.0, 1.5], [0.0, 3.0], None, [0.0, 0.0], limits)
    with pytest.raises(JointLimit, match=r"^Joint 1 cannot go to 114.592°: its range is -91.6732° to 91.6732°\.$"):
        supersede([0.0, 0.0], None, None, [2.0, 0.0], limits)
    with pytest.raises(InvalidValue, match="A move that supersedes another needs a limit of the acceleration"):
        supersede([0.0], [0.1], None, [1.0], Limits.of(1, 1.0))
    with pytest.raises(InvalidValue, match="present velocities"):
        supersede([0.0], [math.nan], None, [1.0], Limits.of(1, 1.0, 1.0))


def test_a_start_outside_the_range_may_come_back_and_go_no_farther() -> None:
    limits = Limits([1.0], [2.0], [9.0], [[-1.0, 1.0]])
    assert supersede([1.1], None, None, [0.5], limits).end.tolist() == pytest.approx([0.5], abs=1e-15)
    with pytest.raises(JointLimit, match="to reverse, and 0 are left"):
        supersede([1.1], [0.5], None, [0.5], limits)


def test_a_joint_about_to_reach_its_speed_limit_does_not_pass_it():
    # Joint 2 eases off towards the limit with all its jerk: a lower jerk takes it above.
    q = [
        -0.2987578985694184,
        0.1059805931043471,
        -1.6929314018082353,
        0.08533761200664661,
        1.1551942212378465,
        0.3177640083,
    ]
    v = [
        -0.08853439082672218,
        0.8309390746165973,
        -0.25779239884768146,
        0.4826739794376438,
        -0.7428410339720124,
        -0.6193751760785358,
    ]
    target = [
        -1.9852086661815993,
        0.3236012802909083,
        -1.9206865472121608,
        0.08176946118702633,
        -0.5579626487740614,
        3.172705445461129,
    ]
    top = np.array(
        [
            3.5779249665883754,
            2.356194490192345,
            5.323254218582704,
            9.948376736367678,
            10.515608743265835,
            9.948376736367678,
        ]
    )
    speed = np.full(6, 0.9424777960769379)
    motion = supersede(q, v, [0.0, 2.292626968885776, 0.0, 0.0, 0.0, 0.0], target, Limits(speed, top, 10.0 * top))
    assert (motion.max_speed() <= speed * (1.0 + 1e-9)).all()
    assert abs(motion.max_speed()[1] - speed[1]) < 1e-8
