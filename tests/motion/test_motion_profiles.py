"""Profiles between two joint vectors: closed-form durations, ends, limits kept at every instant."""

from __future__ import annotations

import ast
import inspect
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.errors import InvalidValue, MotionError
from workcell.motion import jerk
from workcell.motion.jerk import state_to_state
from workcell.motion.limits import Limits, bindings, violations
from workcell.motion.profiles import (
    jerk_limited,
    linear,
    linear_through,
    polynomial,
    spline,
    trapezoid,
    trapezoid_duration,
)
from workcell.motion.trajectory import Trajectory

laws = settings(derandomize=True, deadline=None, max_examples=40)
seeds = st.integers(0, 10**6)

PROFILES = {
    "polynomial": polynomial,
    "trapezoid by path": trapezoid,
    "trapezoid by time": lambda a, b, limits: trapezoid(a, b, limits, "time"),
    "jerk-limited by path": jerk_limited,
    "jerk-limited by time": lambda a, b, limits: jerk_limited(a, b, limits, "time"),
}


def random_case(seed: int) -> tuple[np.ndarray, np.ndarray, Limits]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    a, b = rng.uniform(-3.0, 3.0, (2, n))
    b = np.where(rng.uniform(size=n) < 0.2, a, b)
    v, acc, j = rng.uniform(0.2, 3.0, n), rng.uniform(0.5, 9.0, n), rng.uniform(3.0, 90.0, n)
    return a, b, Limits(v, acc, j)


def without_jerk(limits: Limits) -> Limits:
    return Limits(limits.speed, limits.acceleration)


def s_curve_duration(travel: float, v: float, a: float, j: float) -> float:
    """Rest to rest with limited jerk: the textbook cases, written down independently of Ruckig."""
    if travel == 0.0:
        return 0.0
    ramp = a / j  # time to full acceleration
    if v * j >= a * a:
        rise = v / a + ramp
    else:
        rise = 2.0 * math.sqrt(v / j)
    if v * rise <= travel:  # a stretch at full speed
        return travel / v + rise
    if travel >= 2.0 * a**3 / j**2:  # full acceleration is reached, full speed is not
        return ramp + math.sqrt(ramp**2 + 4.0 * travel / a)
    return 4.0 * (travel / (2.0 * j)) ** (1.0 / 3.0)


@pytest.mark.parametrize("name", PROFILES)
@laws
@given(seed=seeds)
def test_every_profile_joins_its_ends_at_rest_and_keeps_the_limits(name: str, seed: int) -> None:
    a, b, limits = random_case(seed)
    kept = without_jerk(limits) if "trapezoid" in name else limits
    motion = PROFILES[name](a, b, kept)
    assert np.allclose(motion.start, a, atol=1e-12)
    assert np.allclose(motion.end, b, atol=1e-9)
    assert violations(motion, kept) == ()
    for derivative, _, values in kept.derivatives():
        (low,), (high,) = motion.ranges([0.0], [motion.duration], derivative)
        assert (np.maximum(-low, high) <= values * (1.0 + 1e-12)).all()
    assert np.abs(motion.velocity_jumps()).max() < 1e-8
    if (a != b).any():
        # Nobody could go faster: some joint is at some limit at some time.
        assert bindings(motion, kept)


@laws
@given(seed=seeds)
def test_path_synchronised_profiles_stay_on_the_straight_joint_line(seed: int) -> None:
    a, b, limits = random_case(seed)
    for profile in (linear_at_speed, polynomial, trapezoid, jerk_limited):
        motion = profile(a, b, limits)
        q = motion.sample(np.linspace(0.0, motion.duration, 33))
        travel = b - a
        share = (q - a) @ travel / max(travel @ travel, 1e-300)
        assert np.abs(q - a - share[:, None] * travel).max() < 1e-9


def linear_at_speed(a: np.ndarray, b: np.ndarray, limits: Limits) -> Trajectory:
    return linear(a, b, limits.speed)


@laws
@given(seed=seeds)
def test_a_trapezoid_takes_the_time_of_its_closed_form(seed: int) -> None:
    a, b, limits = random_case(seed)
    size = np.abs(b - a)
    own = [trapezoid_duration(*case) for case in zip(size, limits.speed, limits.acceleration, strict=True)]
    assert trapezoid(a, b, limits, "time").duration == pytest.approx(max(own), rel=1e-12)
    if size.any():
        moving = size > 0
        v, acc = (limits.speed[moving] / size[moving]).min(), (limits.acceleration[moving] / size[moving]).min()
        expected = 1 / v + v / acc if v * v <= acc else 2 / math.sqrt(acc)
        assert trapezoid(a, b, limits).duration == pytest.approx(expected, rel=1e-12)


@laws
@given(seed=seeds)
def test_a_jerk_limited_move_takes_the_time_of_its_closed_form(seed: int) -> None:
    a, b, limits = random_case(seed)
    size = np.abs(b - a)
    own = [s_curve_duration(*c) for c in zip(size, limits.speed, limits.acceleration, limits.jerk, strict=True)]
    assert jerk_limited(a, b, limits, "time").duration == pytest.approx(max(own), rel=1e-8)
    if size.any():
        moving = size > 0
        unit = [(values[moving] / size[moving]).min() for _, _, values in limits.derivatives()]
        assert jerk_limited(a, b, limits).duration == pytest.approx(s_curve_duration(1.0, *unit), rel=1e-8)


def test_the_3_4_5_polynomial_takes_the_time_of_its_tightest_limit() -> None:
    assert polynomial([0.0], [1.0], Limits.of(1, 2.0)).duration == pytest.approx(1.875 / 2.0)
    by_acceleration = polynomial([0.0], [1.0], Limits.of(1, 100.0, 3.0)).duration
    assert by_acceleration == pytest.approx(math.sqrt(10.0 / math.sqrt(3.0) / 3.0))
    by_jerk = polynomial([0.0], [1.0], Limits.of(1, 100.0, 100.0, 7.5)).duration
    assert by_jerk == pytest.approx(2.0)
    motion = polynomial([0.0, 1.0], [1.0, 0.5], Limits.of(2, 1.0, 2.0))
    assert np.abs(motion.acceleration(0.0)).max() < 1e-12
    assert np.abs(motion.acceleration(motion.duration)).max() < 1e-12


@laws
@given(seed=seeds)
def test_a_spline_passes_its_points_smoothly_within_the_limits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, count = int(rng.integers(1, 5)), int(rng.integers(2, 9))
    points = rng.uniform(-2.0, 2.0, (count, n))
    limits = Limits.of(n, rng.uniform(0.5, 3.0, n), rng.uniform(1.0, 9.0, n))
    motion = spline(points, limits)
    assert np.allclose(motion.sample(motion.breaks), points, atol=1e-9)
    assert np.abs(motion.velocity_jumps()).max() < 1e-9
    for t in motion.breaks[1:-1]:
        assert np.allclose(motion.acceleration(np.nextafter(t, 0)), motion.acceleration(t), atol=1e-6)
    assert violations(motion, limits) == ()
    assert bindings(motion, limits)


def test_a_spline_with_given_times_keeps_them_or_is_refused() -> None:
    points = [[0.0], [1.0], [0.5]]
    loose, tight = Limits.of(1, 10.0, 50.0), Limits.of(1, 0.5, 50.0)
    assert spline(points, loose, times=[0.0, 1.0, 2.0]).duration == 2.0
    with pytest.raises(MotionError, match="The spline with the given times cannot be made: joint 1 passes its speed"):
        spline(points, tight, times=[0.0, 1.0, 2.0])
    with pytest.raises(InvalidValue, match="must start at 0 and rise"):
        spline(points, loose, times=[0.0, 2.0, 1.0])


def test_linear_moves_go_through_every_point_at_the_speed() -> None:
    motion = linear_through([[0.0, 0.0], [1.0, 0.5], [0.0, 2.0]], 0.5)
    assert motion.duration == pytest.approx(2.0 + 3.0)
    assert motion.position(2.0).tolist() == [1.0, 0.5]
    assert motion.max_speed().max() == pytest.approx(0.5)


@laws
@given(seed=seeds)
def test_from_any_state_to_any_state_with_limited_jerk(seed: int) -> None:
    a, b, limits = random_case(seed)
    rng = np.random.default_rng(seed + 1)
    # Speeds and accelerations from which the speed limit can still be kept.
    a0 = rng.uniform(-0.5, 0.5, a.size) * limits.acceleration
    room = np.maximum(limits.speed * 0.99 - a0**2 / (2 * limits.jerk), 0.0)
    a0 = np.where(room > 0, a0, 0.0)
    v0 = rng.uniform(-1.0, 1.0, a.size) * np.where(room > 0, room, 0.9 * limits.speed)
    motion = state_to_state(a, b, limits, v0=v0, a0=a0)
    assert np.allclose(motion.start, a, atol=1e-12)
    assert np.allclose(motion.velocity(0.0), v0, atol=1e-7)
    assert np.allclose(motion.acceleration(0.0), a0, atol=1e-5)
    assert np.allclose(motion.end, b, atol=1e-9)
    assert np.allclose(motion.velocity(motion.duration), 0.0, atol=1e-8)
    assert violations(motion, limits) == ()


def test_a_state_that_must_break_a_limit_is_refused() -> None:
    limits = Limits.of(1, 1.0, 2.0, 3.0)
    with pytest.raises(MotionError, match="no jerk-limited move between these two states: joint 1 passes its speed"):
        state_to_state([0.0], [1.0], limits, v0=[0.95], a0=[1.9])
    with pytest.raises(InvalidValue, match="velocities at the start must stay below the limits; joint 1 has 1"):
        state_to_state([0.0], [1.0], limits, v0=[1.5])


def test_ruckig_never_gets_intermediate_way_points() -> None:
    # They would leave the machine: the community build computes them on a server.
    names = {node.attr for node in ast.walk(ast.parse(inspect.getsource(jerk))) if isinstance(node, ast.Attribute)}
    assert "target_position" in names
    assert not [name for name in names if "intermediate" in name or "section" in name]


def test_bindings_say_which_joint_holds_the_move_back_and_when() -> None:
    limits = Limits.of(2, 1.0, 2.0)
    found = bindings(trapezoid([0.0, 0.0], [1.0, -0.2], limits), limits)
    assert [(b.joint, b.limit) for b in found] == [(1, "acceleration"), (1, "speed"), (1, "acceleration")]
    assert np.allclose([(b.start, b.end) for b in found], [(0.0, 0.5), (0.5, 1.0), (1.0, 1.5)], atol=1e-3)
    assert str(found[0]) == "joint 1 at its acceleration limit from 0 to 0.5 s"
    assert bindings(linear([0.0], [0.0], 1.0), Limits.of(1, 1.0)) == ()


def test_what_a_profile_needs_is_named() -> None:
    with pytest.raises(InvalidValue, match="A trapezoid needs a limit of the acceleration"):
        trapezoid([0.0], [1.0], Limits.of(1, 1.0))
    with pytest.raises(InvalidValue, match="A jerk-limited move needs a limit of the jerk"):
        jerk_limited([0.0], [1.0], Limits.of(1, 1.0, 1.0))
    with pytest.raises(InvalidValue, match="synchronised by 'path' or 'time', not by 'luck'"):
        trapezoid([0.0], [1.0], Limits.of(1, 1.0, 1.0), "luck")
    with pytest.raises(InvalidValue, match="must be 2 numbers; found 1"):
        polynomial([0.0], [1.0], Limits.of(2, 1.0))
    with pytest.raises(InvalidValue, match="Points 2 and 3 are the same"):
        spline([[0.0], [1.0], [1.0]], Limits.of(1, 1.0))
    with pytest.raises(InvalidValue, match="Point 2 is not finite"):
        spline([[0.0], [float("nan")]], Limits.of(1, 1.0))
    with pytest.raises(InvalidValue, match="At least two joint vectors of 1 joints"):
        spline([[0.0]], Limits.of(1, 1.0))
