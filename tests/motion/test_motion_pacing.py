"""Hold, resume, override and stop along the path: on the path by construction, within the limits, as soon as they allow."""

from __future__ import annotations

import math

import numpy as np
import pytest

from workcell.errors import InvalidValue
from workcell.motion.limits import Limits, violations
from workcell.motion.pacing import RateChange, change_rate
from workcell.motion.path import JointPath
from workcell.motion.profiles import jerk_limited, linear, linear_through, polynomial, spline, trapezoid
from workcell.motion.steering import supersede
from workcell.motion.time_law import PacedMotion, TimeLaw, whole_nanoseconds
from workcell.motion.timing import time_optimal
from workcell.motion.trajectory import Trajectory

KINDS = ("trapezoid", "spline", "fastest", "linear", "jerk", "polynomial", "superseding")


def random_path(rng: np.random.Generator, kind: str) -> tuple[Trajectory, Limits]:
    n = int(rng.integers(1, 7))
    a, b, c = rng.uniform(-2.0, 2.0, (3, n))
    smooth = kind in ("jerk", "polynomial", "superseding")
    jerk = rng.uniform(8.0, 90.0, n) if smooth else None
    limits = Limits(rng.uniform(0.4, 3.0, n), rng.uniform(1.0, 9.0, n), jerk)
    if kind == "trapezoid":
        return trapezoid(a, b, limits, str(rng.choice(["path", "time"]))), limits
    if kind == "spline":
        return spline([a, b, c], limits), limits
    if kind == "fastest":
        return time_optimal(JointPath.polyline([a, b, c], 0.1), limits, intervals=60), limits
    if kind == "linear":
        return linear_through([a, b, c], limits.speed), limits
    if kind == "jerk":
        return jerk_limited(a, b, limits, str(rng.choice(["path", "time"]))), limits
    if kind == "polynomial":
        return polynomial(a, b, limits), limits
    return supersede(a, 0.5 * limits.speed, None, b, limits), limits


def check_limits(motion: PacedMotion, limits: Limits, end: float, dense: int) -> None:
    """Speed, acceleration and jerk up to ``end``, by samples of the composed motion and by its interval bounds."""
    if end <= 0.0:
        return
    assert limits.acceleration is not None
    assert motion.law.rate(0.0) >= 0.0
    times = np.linspace(0.0, end, dense)
    assert (np.abs(motion.sample(times, 1)) <= limits.speed * (1.0 + 1e-9)).all()
    assert (np.abs(motion.sample(times, 2)) <= limits.acceleration * (1.0 + 1e-9)).all()
    edges = np.unique(np.concatenate([times, motion.law.curve.breaks[motion.law.curve.breaks < end]]))
    for derivative, top in ((1, limits.speed), (2, limits.acceleration)):
        # Products of ranges are too wide on long intervals: those that prove nothing are halved.
        starts, ends = edges[:-1], edges[1:]
        for _ in range(16):
            low, high = motion.ranges(starts, ends, derivative)
            open_ = (np.maximum(-low, high) > top * 1.001).any(axis=1)
            starts, ends = starts[open_], ends[open_]
            if not starts.size:
                break
            middle = 0.5 * (starts + ends)
            starts, ends = np.concatenate([starts, middle]), np.concatenate([middle, ends])
        assert not starts.size
    if limits.jerk is not None:
        step = 1e-5
        inside = times[times + step < end]
        slope = (motion.sample(inside + step, 2) - motion.sample(inside, 2)) / step
        assert (np.abs(slope) <= limits.jerk * (1.0 + 1e-4) + 1e-4).all()


def run_changes(seed: int, changes: int = 50, dense: int = 200) -> tuple[int, int]:
    """One move with many changes at random instants; the greatest number of pieces of its laws, and how many reached."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    path, limits = random_path(rng, kind)
    motion = PacedMotion.at_full_speed(path)
    most = reached = 0
    for count in range(changes):
        share = float(rng.choice([rng.uniform(0.0, 0.02), rng.uniform(0.0, 0.2)]))
        if motion.law.rate(0.0) == 0.0 or rng.random() < 0.1:
            share = float(rng.uniform(0.0, 1.0)) * 0.1
        t = share * motion.duration
        rate = float(rng.choice([0.0, 1.0, 0.01, rng.uniform(0.01, 1.0)]))
        if count == changes - 1:
            rate = 1.0
        check_limits(motion, limits, t, dense)
        change = change_rate(motion, t, rate, limits)
        check_change(motion, t, change, limits)
        most, reached = max(most, change.motion.law.pieces), reached + change.reached
        motion = change.motion
    check_limits(motion, limits, motion.duration, 10 * dense)
    assert motion.law.end == pytest.approx(path.duration, abs=1e-12)
    assert np.allclose(motion.end, path.end, rtol=0.0, atol=1e-12)
    return most, reached


def check_change(old: PacedMotion, t: float, change: RateChange, limits: Limits) -> None:
    new, law = change.motion, change.motion.law
    assert new.path is old.path
    assert law.pieces <= 200
    assert np.allclose(new.start, old.position(t), rtol=0.0, atol=1e-12)
    moving = t < old.duration
    if new.duration > 0.0:
        assert np.allclose(new.velocity(0.0), old.velocity(t) if moving else 0.0, rtol=0.0, atol=1e-9)
        if limits.jerk is not None:
            assert np.allclose(new.acceleration(0.0), old.acceleration(t) if moving else 0.0, rtol=0.0, atol=1e-8)
            assert np.abs(law.curve.acceleration_jumps()).max(initial=0.0) < 1e-9
        assert np.abs(law.curve.velocity_jumps()[1:-1]).max(initial=0.0) < 1e-9
    (slow,), (fast,) = law.curve.ranges([0.0], [law.duration], 1)
    assert slow[0] >= -1e-12
    assert fast[0] <= 1.0 + 1e-9
    if change.reached and change.delay < law.duration:
        after = law.curve.sample(np.linspace(change.delay + 1e-12, law.duration, 9)[:-1], 1)
        assert np.abs(after - change.rate).max() < 1e-9
    assert change.span[0] <= change.span[1] <= old.path.duration
    low, high = new.range(0.0, change.delay)
    assert np.allclose(change.travel, high - low, rtol=0.0, atol=1e-9)


def test_fifty_changes_in_one_move_keep_the_path_and_the_limits() -> None:
    found = [run_changes(seed) for seed in range(14)]
    assert sum(reached for _, reached in found) > 300


@pytest.mark.soak
def test_ten_thousand_changes() -> None:
    found = [run_changes(seed, dense=100) for seed in range(100, 300)]
    pieces, reached = max(most for most, _ in found), sum(count for _, count in found)
    print(f"changes of the rate: 10,000 in 200 moves, {reached} reached before the path's end, laws of at most {pieces} "
          f"pieces, 0 beyond a limit")  # fmt: skip
    assert len(found) == 200


def soonest(path: Trajectory, limits: Limits, s: float, rate: float, goal: float) -> float:
    """The delay of pushing as hard as each instant allows, in steps of 0.2 ms: another way to the same law."""
    assert limits.acceleration is not None
    t, step = 0.0, 2e-4
    side = 1.0 if goal > rate else -1.0
    while (goal - rate) * side > 1e-9 and s < path.duration:
        slope, bend = path.velocity(s), path.acceleration(s) * rate**2
        way = side * slope
        with np.errstate(divide="ignore", invalid="ignore"):
            up = np.where(way > 0.0, (limits.acceleration - bend) / way, math.inf)
            down = np.where(way < 0.0, (limits.acceleration + bend) / -way, math.inf)
        push = max(min(float(up.min()), float(down.min()), 1e4), 0.0)
        rate += side * min(push * step, abs(goal - rate))
        s += rate * step
        t += step
    return t


@pytest.mark.parametrize("kind", ["trapezoid", "spline", "fastest"])
def test_a_change_without_jerk_limit_is_nearly_the_soonest(kind: str) -> None:
    rng = np.random.default_rng(7)
    for _ in range(3):
        path, limits = random_path(rng, kind)
        full = PacedMotion.at_full_speed(path)
        t = float(rng.uniform(0.1, 0.6)) * path.duration
        change = change_rate(full, t, 0.0, limits)
        best = soonest(path, limits, t, 1.0, 0.0)
        assert change.delay <= 1.15 * best + 0.03 * path.duration
        assert change.delay >= best - 0.01 * path.duration - 1e-3


def test_stopping_from_a_steady_speed_takes_the_closed_form() -> None:
    limits = Limits.of(2, 2.0, 4.0)
    path = linear([0.0, 0.0], [10.0, -5.0], 2.0)
    change = change_rate(PacedMotion.at_full_speed(path), 1.0, 0.0, limits)
    assert change.reached
    assert change.delay == pytest.approx(0.5, rel=1e-9)
    assert change.travel.tolist() == pytest.approx([0.5, 0.25], rel=1e-9)
    assert change.span == pytest.approx((1.0, 1.25))
    again = change_rate(change.motion, 3.0, 1.0, limits)
    assert again.delay == pytest.approx(0.5, rel=1e-9)
    assert again.motion.end.tolist() == pytest.approx([10.0, -5.0])
    smooth = Limits.of(2, 2.0, 4.0, 40.0)
    eased = change_rate(PacedMotion.at_full_speed(path), 1.0, 0.0, smooth)
    assert 0.6 <= eased.delay <= 0.7  # v/a + a/j is the least


def test_where_a_joint_brakes_at_its_limit_the_motion_runs_on_and_the_report_shows_it() -> None:
    limits = Limits.of(1, 1.0, 2.0)
    full = PacedMotion.at_full_speed(trapezoid([0.0], [2.0], limits))
    change = change_rate(full, full.duration - 0.2, 0.0, limits)
    assert not change.reached
    assert change.delay == pytest.approx(0.2)
    assert change.motion.end.tolist() == pytest.approx([2.0])


def test_a_path_beyond_the_limits_can_still_be_stopped() -> None:
    path = trapezoid([0.0], [4.0], Limits.of(1, 2.0, 20.0))
    change = change_rate(PacedMotion.at_full_speed(path), 1.0, 0.0, Limits.of(1, 1.0, 2.0))
    assert change.reached
    assert change.motion.end[0] < 4.0


def test_derivatives_agree_with_differences_and_bounds_hold_the_samples() -> None:
    rng = np.random.default_rng(3)
    for kind in KINDS:
        path, limits = random_path(rng, kind)
        if kind == "linear":
            continue
        motion = change_rate(PacedMotion.at_full_speed(path), 0.2 * path.duration, 0.4, limits).motion
        times = np.linspace(0.0, motion.duration, 400)[1:-1]
        h = 1e-6
        speed = (motion.sample(times + h) - motion.sample(times - h)) / (2.0 * h)
        assert np.allclose(speed, motion.sample(times, 1), atol=1e-4)
        assert np.array_equal(motion.position(times[5]), motion.sample(times[5:6])[0])
        for derivative, single in enumerate((motion.position, motion.velocity, motion.acceleration)):
            values = motion.sample(times, derivative)
            assert np.allclose([single(t) for t in times[::40]], values[::40], atol=1e-12)
            edges = np.sort(rng.uniform(0.0, motion.duration, 12))
            low, high = motion.ranges(edges[:-1], edges[1:], derivative)
            for i in range(11):
                inside = values[(times >= edges[i]) & (times <= edges[i + 1])]
                assert (inside >= low[i] - 1e-12).all()
                assert (inside <= high[i] + 1e-12).all()


def test_a_paced_motion_survives_its_bytes() -> None:
    limits = Limits.of(2, 1.0, 2.0, 9.0)
    motion = change_rate(
        PacedMotion.at_full_speed(jerk_limited([0.0, 0.0], [1.0, 2.0], limits)), 0.7, 0.3, limits
    ).motion
    data = motion.to_bytes()
    assert PacedMotion.from_bytes(data) == motion
    assert PacedMotion.from_bytes(data).to_bytes() == data
    for broken in (b"", data[:10], data[:100], data[:-1], b"x" + data):
        with pytest.raises(InvalidValue, match="These bytes are not"):
            PacedMotion.from_bytes(broken)


def test_what_is_no_rate_or_no_law_is_refused() -> None:
    limits = Limits.of(1, 1.0, 2.0)
    motion = PacedMotion.at_full_speed(trapezoid([0.0], [1.0], limits))
    for rate in (-0.1, 0.005, 1.01, math.nan):
        with pytest.raises(InvalidValue, match="A rate must be 0 \\(hold\\) or from 1 % to 100 %"):
            change_rate(motion, 0.1, rate, limits)
    with pytest.raises(InvalidValue, match="finite number of seconds"):
        change_rate(motion, math.nan, 0.5, limits)
    with pytest.raises(InvalidValue, match="needs a limit of the acceleration"):
        change_rate(motion, 0.1, 0.5, Limits.of(1, 1.0))
    with pytest.raises(InvalidValue, match="has 1 joints and the limits are for 2"):
        change_rate(motion, 0.1, 0.5, Limits.of(2, 1.0, 2.0))
    with pytest.raises(InvalidValue, match="must not run backwards"):
        TimeLaw(linear([1.0], [0.0], 1.0))
    with pytest.raises(InvalidValue, match="one function of time; found 2"):
        TimeLaw(linear([0.0, 0.0], [1.0, 1.0], 1.0))


def test_a_motion_that_takes_no_time_can_be_held_and_resumed() -> None:
    limits = Limits.of(1, 1.0, 2.0)
    motion = PacedMotion.at_full_speed(Trajectory.constant([0.5]))
    for rate in (0.0, 1.0):
        change = change_rate(motion, 0.0, rate, limits)
        assert change.motion.duration == 0.0
        assert change.motion.end.tolist() == [0.5]


def test_whole_nanoseconds_keep_the_limits_and_add_less_than_one() -> None:
    rng = np.random.default_rng(11)
    for index in range(300):
        kind = KINDS[index % len(KINDS)]
        path, limits = random_path(rng, kind)
        for keep_start in (False, True):
            whole, count = whole_nanoseconds(path, keep_start)
            assert whole.duration == count / 1e9
            assert 0.0 <= whole.duration - path.duration < 1.01e-9
            assert np.allclose(whole.start, path.start, rtol=0.0, atol=0.0)
            assert np.allclose(whole.end, path.end, rtol=0.0, atol=1e-12)
            assert violations(whole, limits) == ()
            if keep_start:
                assert np.array_equal(whole.velocity(0.0), path.velocity(0.0))
            assert whole_nanoseconds(whole) == (whole, count)
    assert whole_nanoseconds(Trajectory.constant([1.0]))[1] == 0
