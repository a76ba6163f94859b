"""Joint paths and the fastest motions along them."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.errors import InvalidValue, MissingDependency, MotionError, UnknownName
from workcell.motion import timing
from workcell.motion.limits import Limits, bindings, violations
from workcell.motion.path import JointPath
from workcell.motion.profiles import excess, trapezoid
from workcell.motion.timing import time_optimal
from workcell.motion.trajectory import Trajectory

laws = settings(derandomize=True, deadline=None, max_examples=30)
seeds = st.integers(0, 10**6)


def random_path(seed: int) -> tuple[JointPath, Limits, np.random.Generator]:
    rng = np.random.default_rng(seed)
    n, count = int(rng.integers(1, 7)), int(rng.integers(2, 8))
    points = rng.uniform(-2.0, 2.0, (count, n))
    limits = Limits.of(n, rng.uniform(0.5, 3.0, n), rng.uniform(1.0, 10.0, n))
    shortest = float(np.sqrt((np.diff(points, axis=0) ** 2).sum(axis=1)).min())
    path = [
        JointPath.spline(points),
        JointPath.polyline(points),
        JointPath.polyline(points, blend=0.45 * shortest, corner="smooth"),
        JointPath.polyline(points, blend=0.2 * shortest, corner="parabolic"),
    ][int(rng.integers(0, 4))]
    return path, limits, rng


def distance_to_path(path: JointPath, q: np.ndarray) -> float:
    dense = path.sample(np.linspace(0.0, path.length, 4001))
    return float(np.sqrt(((q[:, None] - dense[None]) ** 2).sum(axis=2)).min(axis=1).max())


@laws
@given(seed=seeds)
def test_the_fastest_motion_keeps_every_limit_at_every_instant(seed: int) -> None:
    path, limits, _ = random_path(seed)
    motion = time_optimal(path, limits)
    assert (motion.max_speed() <= limits.speed).all()
    assert (motion.max_acceleration() <= limits.acceleration).all()
    assert violations(motion, limits) == ()
    # The margin is untouched: the bounds on whole intervals were enough and nothing had to be stretched.
    assert excess(motion, limits) < 1.0 - 1e-12
    assert np.abs(motion.velocity_jumps()).max() < 1e-6
    assert np.allclose(motion.start, path.start)
    assert np.allclose(motion.end, path.end, atol=1e-9)
    step = np.sqrt((path.curve.max_speed() ** 2).sum()) * path.length / 4000
    assert distance_to_path(path, motion.sample(np.linspace(0.0, motion.duration, 101))) <= step


@pytest.mark.soak
def test_thousands_of_paths_keep_every_limit_and_are_nearly_optimal() -> None:
    ratios = []
    for seed in range(2500):
        path, limits, _ = random_path(seed)
        motion = time_optimal(path, limits)
        assert (motion.max_speed() <= limits.speed).all()
        assert (motion.max_acceleration() <= limits.acceleration).all()
        if seed % 10 == 0:
            ratios.append(motion.duration / time_optimal(path, limits, intervals=3000).duration)
    assert max(ratios) < 1.01
    assert np.median(ratios) < 1.001


@laws
@given(seed=seeds)
def test_some_joint_is_at_a_limit_nearly_all_the_time(seed: int) -> None:
    path, limits, _ = random_path(seed)
    motion = time_optimal(path, limits, intervals=600)
    spans = sorted((b.start, b.end) for b in bindings(motion, limits, share=0.97))
    covered, reach = 0.0, 0.0
    for start, end in spans:
        covered += max(0.0, end - max(start, reach))
        reach = max(reach, end)
    assert covered >= 0.9 * motion.duration


@laws
@given(seed=seeds)
def test_along_a_straight_line_it_is_the_trapezoid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    a, b = rng.uniform(-2.0, 2.0, (2, n))
    limits = Limits.of(n, rng.uniform(0.5, 3.0, n), rng.uniform(1.0, 10.0, n))
    best = trapezoid(a, b, limits).duration
    motion = time_optimal(JointPath.polyline([a, b]), limits)
    assert best * (1.0 - 1e-9) <= motion.duration <= best * 1.002


@laws
@given(seed=seeds)
def test_finer_intervals_change_little(seed: int) -> None:
    path, limits, _ = random_path(seed)
    usual, fine = time_optimal(path, limits).duration, time_optimal(path, limits, intervals=3000).duration
    assert fine * 0.999 <= usual <= fine * 1.01


def test_a_sharp_corner_is_a_stop_and_a_rounded_one_is_not() -> None:
    points = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
    limits = Limits.of(2, 1.0, 2.0)
    sharp = JointPath.polyline(points)
    assert sharp.corners().tolist() == [1.0]
    stopped = time_optimal(sharp, limits)
    assert stopped.duration == pytest.approx(2 * trapezoid([0.0], [1.0], Limits.of(1, 1.0, 2.0)).duration, rel=2e-3)
    rounded = JointPath.polyline(points, blend=0.2)
    assert rounded.corners().size == 0
    going = time_optimal(rounded, limits)
    assert going.duration < stopped.duration - 0.2
    speeds = np.abs(going.sample(np.linspace(0.3, going.duration - 0.3, 200), 1)).max(axis=1)
    assert speeds.min() > 0.3


@pytest.mark.parametrize("corner", ["smooth", "parabolic"])
def test_a_rounded_corner_leaves_and_meets_the_segments_where_it_was_asked_to(corner: str) -> None:
    path = JointPath.polyline([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]], blend=0.25, corner=corner)
    assert path.curve.breaks.tolist() == [0.0, 0.75, 1.25, 3.0]
    assert np.allclose(path.position(0.75), [0.75, 0.0])
    assert np.allclose(path.position(1.25), [1.0, 0.25])
    assert np.allclose(path.end, [1.0, 2.0])
    assert np.abs(path.curve.velocity_jumps()[1:-1]).max() < 1e-12
    bend = path.curve.sample([0.75, np.nextafter(1.25, 0)], 2)
    assert (np.abs(bend).max() < 1e-9) == (corner == "smooth")


def test_a_path_speed_is_kept_and_reached() -> None:
    path = JointPath.polyline([[0.0, 0.0], [2.0, 1.0]])
    motion = time_optimal(path, Limits.of(2, 5.0, 50.0), path_speed=0.1, path_acceleration=0.4)
    speed = np.sqrt((motion.sample(np.linspace(0.0, motion.duration, 1000), 1) ** 2).sum(axis=1))
    assert speed.max() == pytest.approx(0.1, rel=1e-6)
    assert motion.duration == pytest.approx(path.length / 0.1 + 0.1 / 0.4, rel=1e-3)


def test_reversing_and_joining_paths() -> None:
    there = JointPath.spline([[0.0, 0.0], [1.0, 0.5], [0.5, 1.0]])
    assert np.allclose(there.reversed().start, there.end)
    both = there.then(JointPath.polyline([[0.5, 1.0], [0.0, 0.0]]))
    assert both.length == pytest.approx(there.length + np.hypot(0.5, 1.0))
    limits = Limits.of(2, 1.0, 3.0)
    times = [time_optimal(path, limits).duration for path in (there, there.reversed())]
    assert times[0] == pytest.approx(times[1], rel=1e-3)


@pytest.mark.skipif(importlib.util.find_spec("toppra") is None, reason="toppra is not installed")
@pytest.mark.filterwarnings("ignore")
def test_toppra_by_name_keeps_the_limits_and_is_no_faster() -> None:
    path = JointPath.spline(np.random.default_rng(5).uniform(-1.0, 1.0, (5, 4)))
    limits = Limits.of(4, 2.0, 6.0)
    theirs, ours = time_optimal(path, limits, method="toppra"), time_optimal(path, limits)
    assert violations(theirs, limits) == ()
    assert ours.duration <= 1.01 * theirs.duration


def test_toppra_is_asked_for_by_a_clear_line_when_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "toppra", None)
    with pytest.raises(MissingDependency, match="toppra is not installed; install it with"):
        time_optimal(JointPath.polyline([[0.0], [1.0]]), Limits.of(1, 1.0, 1.0), method="toppra")


def test_what_cannot_be_timed_is_refused() -> None:
    path, limits = JointPath.polyline([[0.0], [1.0]]), Limits.of(1, 1.0, 1.0)
    with pytest.raises(UnknownName, match="no way of time-optimal scaling called 'topra'; did you mean toppra"):
        time_optimal(path, limits, method="topra")
    with pytest.raises(InvalidValue, match="A time-optimal motion needs a limit of the acceleration"):
        time_optimal(path, Limits.of(1, 1.0))
    with pytest.raises(InvalidValue, match="A path speed must be above 0 m/s, not 0"):
        time_optimal(path, limits, path_speed=0.0)
    with pytest.raises(InvalidValue, match="The path has 1 joints and the limits are for 2"):
        time_optimal(path, Limits.of(2, 1.0, 1.0))
    with pytest.raises(InvalidValue, match="at least 1 interval, not 0"):
        time_optimal(path, limits, intervals=0)
    still = JointPath(Trajectory([0.0, 1.0, 2.0], [[[0.0], [1.0]], [[1.0], [0.0]]]))
    with pytest.raises(InvalidValue, match="No joint moves on the path at s = 1"):
        time_optimal(still, limits)
    with pytest.raises(InvalidValue, match="this one has no length"):
        JointPath(Trajectory.constant([0.0]))


def test_a_blend_that_does_not_fit_names_the_segment_and_the_largest_that_does() -> None:
    points = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.5], [2.0, 0.5]]
    with pytest.raises(MotionError, match=r"segment 2 is 0\.5 rad long and is cut at both ends, so at most 0\.25") as e:
        JointPath.polyline(points, blend=0.3)
    assert e.value.largest == 0.25
    assert JointPath.polyline(points, blend=0.25).corners().size == 0
    with pytest.raises(InvalidValue, match="A blending radius must be above 0 rad, not -"):
        JointPath.polyline(points, blend=-0.1)
    with pytest.raises(InvalidValue, match="'smooth' or 'parabolic', not 'round'"):
        JointPath.polyline(points, blend=0.1, corner="round")
    with pytest.raises(InvalidValue, match="needs as many parameters, rising from 0"):
        JointPath.spline(points, parameters=[0.0, 1.0, 0.5, 2.0])


@pytest.mark.parametrize("method", ["own", "toppra"])
def test_a_path_beside_a_singular_wrist_is_timed_or_refused_in_one_sentence(method: str) -> None:
    """Joints 4 and 6 flip within a way that shrinks to nothing."""
    if method == "toppra":
        pytest.importorskip("toppra", reason="toppra is not installed")
    answers = set()
    for small in 10.0 ** np.arange(-13.0, -1.0):
        near = small * 2.0 ** np.arange(-3.0, 25.0)
        s = np.unique(np.clip(np.concatenate([np.linspace(0.0, 0.1, 11), 0.05 - near, 0.05 + near]), 0.0, 0.1))
        flip = np.arctan2(s - 0.05, small)
        path = JointPath.spline(np.column_stack([s, flip, -flip, np.hypot(s - 0.05, small)]), s)
        limits = Limits.of(4, 1.0, 5.0)
        try:
            assert not violations(time_optimal(path, limits, method=method), limits)
            answers.add("timed")
        except MotionError:
            answers.add("refused")
    assert "timed" in answers


def test_a_speed_of_zero_on_the_way_is_refused_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """toppra gives such speeds beside a singular wrist; they were divided by."""
    path = JointPath.polyline([[0.0], [1.0]])

    def stuck(path: JointPath, limits: Limits, grid: np.ndarray, along: object) -> tuple[np.ndarray, np.ndarray]:
        squares, local = timing._own(path, limits, grid, along)
        squares[100:102] = 0.0
        return squares, local

    monkeypatch.setitem(timing._scaled_by, "toppra", stuck)
    with pytest.raises(
        MotionError, match=r"No speed above 0 keeps the limits near s = 0\.\d+ of the path[.] .*use the method 'own'"
    ):
        time_optimal(path, Limits.of(1, 1.0, 1.0), method="toppra")
