"""Trajectories: exact polynomials, exact bounds, and what can be made from them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.errors import InvalidValue, MotionError
from workcell.motion.trajectory import Trajectory

laws = settings(derandomize=True, deadline=None, max_examples=40)


def random_motion(seed: int, pieces: int = 3, degree: int = 5, n: int = 3) -> Trajectory:
    """Any continuous motion: random polynomials, each starting where the one before it ends."""
    rng = np.random.default_rng(seed)
    steps = rng.uniform(0.05, 1.5, pieces)
    coefficients = rng.normal(size=(pieces, degree + 1, n))
    for i in range(1, pieces):
        powers = steps[i - 1] ** np.arange(degree + 1)
        coefficients[i, 0] = powers @ coefficients[i - 1]
    return Trajectory(np.concatenate([[0.0], np.cumsum(steps)]), coefficients)


motions = st.builds(random_motion, st.integers(0, 10**6), st.integers(1, 5), st.integers(0, 8), st.integers(1, 4))


@laws
@given(motions)
def test_the_kernel_and_the_single_answers_agree_and_match_numpy(motion: Trajectory) -> None:
    times = np.linspace(-0.1, motion.duration + 0.1, 101)
    for derivative, single in enumerate((motion.position, motion.velocity, motion.acceleration, motion.jerk)):
        batch = motion.sample(times, derivative)
        assert np.array_equal(batch, np.array([single(t) for t in times]))
    inside = np.linspace(0.0, motion.duration, 50, endpoint=False)
    for t in inside:
        piece = int(np.searchsorted(motion.breaks, t, side="right")) - 1
        for j in range(motion.n):
            p = np.polynomial.Polynomial(motion.coefficients[piece, :, j])
            assert motion.position(t)[j] == pytest.approx(p(t - motion.breaks[piece]), abs=1e-10)


@laws
@given(motions, st.floats(0, 1), st.floats(0, 1))
def test_ranges_hold_every_sample_and_are_attained(motion: Trajectory, a: float, b: float) -> None:
    t0, t1 = sorted((a * motion.duration, b * motion.duration))
    times = np.linspace(t0, t1, 4001)
    for derivative in range(3):
        values = motion.sample(times, derivative)
        (low,), (high,) = motion.ranges([t0], [t1], derivative)
        scale = 1.0 + np.abs(values).max()
        if derivative == 0:
            assert (values >= low - 1e-13 * scale).all()
            assert (values <= high + 1e-13 * scale).all()
            # Attained: the nearest sample is within half a step times the greatest slope.
            slack = motion.max_speed(t0, t1) * (t1 - t0) / 4000 + 1e-12 * scale
            assert (values.min(axis=0) - low <= slack).all()
            assert (high - values.max(axis=0) <= slack).all()
        else:
            assert (values[:-1] >= low - 1e-12 * scale).all()
            assert (values[:-1] <= high + 1e-12 * scale).all()


def test_extrema_of_a_chebyshev_polynomial_are_plus_and_minus_one() -> None:
    # T_9 on [-1, 1] touches ±1 ten times: every root of its derivative has to be found.
    t9 = np.polynomial.Chebyshev.basis(9).convert(kind=np.polynomial.Polynomial)
    shifted = t9(np.polynomial.Polynomial([-1.0, 1.0]))
    motion = Trajectory([0.0, 2.0], shifted.coef[None, :, None])
    low, high = motion.range()
    assert low[0] == pytest.approx(-1.0, abs=1e-9)  # the powers of [0, 2] cancel five digits
    assert high[0] == pytest.approx(1.0, abs=1e-9)
    inner = motion.range(1.0 - np.cos(np.pi / 9) + 1e-3, 1.0)
    assert inner[0][0] == pytest.approx(-1.0, abs=1e-9)


@laws
@given(motions)
def test_backwards_twice_is_forwards(motion: Trajectory) -> None:
    back = motion.reversed()
    times = np.linspace(0.0, motion.duration, 57)
    scale = 1.0 + np.abs(motion.sample(times)).max()
    assert np.allclose(back.sample(motion.duration - times), motion.sample(times), atol=1e-9 * scale)
    assert np.allclose(back.reversed().coefficients, motion.coefficients, atol=1e-8 * scale)


@laws
@given(motions, st.floats(0.0, 3.0))
def test_delay_hold_part_and_stretch_show_the_same_positions(motion: Trajectory, wait: float) -> None:
    times = np.linspace(0.0, motion.duration, 31)
    here = motion.sample(times)
    scale = 1.0 + np.abs(here).max()
    # At a break the later piece holds, and rounding of the sum may fall on either side of it.
    assert np.allclose(motion.delayed(wait).sample(times + wait), here, atol=1e-8 * scale)
    assert motion.delayed(wait).duration == pytest.approx(motion.duration + wait)
    assert np.array_equal(motion.held(wait).sample(times), here)
    assert np.allclose(motion.held(wait).end, motion.end, atol=1e-9 * scale)
    assert np.allclose(motion.stretched(2.5).sample(2.5 * times), here, atol=1e-9 * scale)
    middle = 0.5 * motion.duration
    halves = motion.part(0.0, middle).then(motion.part(middle, motion.duration))
    assert np.allclose(halves.sample(times), here, atol=1e-9 * scale)
    assert np.allclose(motion.stretched(2.0).max_speed() * 2.0, motion.max_speed())


@laws
@given(motions)
def test_bytes_and_pickles_come_back_equal(motion: Trajectory) -> None:
    again = Trajectory.from_bytes(motion.to_bytes())
    assert again == motion
    assert hash(again) == hash(motion)
    assert pickle.loads(pickle.dumps(motion)) == motion
    assert motion.to_bytes() == again.to_bytes()


def test_the_arrays_cannot_be_written() -> None:
    motion = random_motion(1)
    with pytest.raises(ValueError, match="read-only"):
        motion.coefficients[0, 0, 0] = 1.0
    with pytest.raises(AttributeError):
        motion.breaks = np.zeros(2)  # type: ignore[misc]


def test_standing_still_takes_its_time_and_goes_nowhere() -> None:
    still = Trajectory.constant([1.0, 2.0], 3.0)
    assert still.duration == 3.0
    assert still.position(10.0).tolist() == [1.0, 2.0]
    assert still.max_speed().tolist() == [0.0, 0.0]
    assert still.then(Trajectory.constant([1.0, 2.0])) is still


def test_velocity_jumps_are_reported_at_every_break() -> None:
    motion = Trajectory([0.0, 1.0, 2.0], [[[0.0], [1.0]], [[1.0], [-2.0]]])
    assert motion.velocity_jumps().tolist() == [[1.0], [-3.0], [2.0]]


@pytest.mark.parametrize(
    ("breaks", "coefficients", "words"),
    [
        ([0.0, 1.0], [[0.0]], "must have 3 axes"),
        ([0.0], [[[0.0]]], "needs k\\+1 breaks"),
        ([1.0, 2.0], [[[0.0]]], "start at 0 and rise; found 1, 2"),
        ([0.0, 1.0, 1.0], [[[0.0]], [[0.0]]], "start at 0 and rise"),
        ([0.0, float("nan")], [[[0.0]]], "must be finite"),
        ([0.0, 1.0], "abc", "must be numbers"),
        ([0.0, 1.0, 2.0], [[[0.0]], [[0.5]]], "Joint 1 jumps from 0 to 0.5 at 1 s"),
    ],
)
def test_wrong_pieces_are_refused(breaks: object, coefficients: object, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        Trajectory(breaks, coefficients)  # type: ignore[arg-type]


def test_wrong_questions_are_refused() -> None:
    motion = random_motion(2)
    with pytest.raises(InvalidValue, match="finite number of seconds, not nan"):
        motion.position(float("nan"))
    with pytest.raises(InvalidValue, match="each end at or after its start"):
        motion.ranges([1.0], [0.5])
    with pytest.raises(InvalidValue, match="A derivative must be 0"):
        motion.sample([0.0], 4)
    with pytest.raises(InvalidValue, match="A part must lie within"):
        motion.part(0.0, motion.duration + 1.0)
    with pytest.raises(InvalidValue, match="factor above 0, not by -1"):
        motion.stretched(-1.0)
    with pytest.raises(InvalidValue, match="0 or more seconds, not -1"):
        motion.delayed(-1.0)
    with pytest.raises(MotionError, match="motions that follow each other must meet") as caught:
        motion.then(Trajectory.constant(motion.end + [0.0, 1.0, 0.0], 1.0))
    assert caught.value.joint == 2
    with pytest.raises(InvalidValue, match="3 joints cannot be followed by one of 2"):
        motion.then(Trajectory.constant([0.0, 0.0]))


def test_damaged_bytes_are_refused() -> None:
    data = random_motion(3).to_bytes()
    with pytest.raises(InvalidValue, match="begin with another mark"):
        Trajectory.from_bytes(b"something else entirely")
    with pytest.raises(InvalidValue, match="not a complete trajectory"):
        Trajectory.from_bytes(data[:-8])
