"""The thesis' timing and sampling (Kahloun 1987, section 4.4)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.errors import InvalidValue
from workcell.motion.frames import frame_times, joint_by_joint
from workcell.motion.profiles import linear
from workcell.motion.trajectory import Trajectory

laws = settings(derandomize=True, deadline=None, max_examples=60)

HOME = np.radians([0, 0, -90, 0, 90, 0])
SECOND = HOME + np.radians([-70, -10, 10, 30, -20, -10])
THIRD = np.radians([-60, 0, -70, 0, 90, 30])


def test_the_example_of_the_thesis_takes_its_corrected_time() -> None:
    moves = [linear(HOME, SECOND, 0.3), linear(SECOND, THIRD, 0.3), linear(THIRD, HOME, 0.3)]
    assert [round(move.duration, 4) for move in moves] == [4.0724, 2.3271, 3.4907]
    whole = moves[0].then(moves[1]).then(moves[2])
    assert whole.duration == pytest.approx(9.8902, abs=5e-5)
    assert np.allclose(whole.max_speed().max(), 0.3)
    assert np.allclose(whole.end, HOME)


@pytest.mark.parametrize(("travel", "frames"), [(65, 7), (70, 7), (5, 1), (10, 1), (70.001, 8), (0.3, 1)])
def test_frames_are_whole_steps_and_a_remainder_that_is_not_zero(travel: float, frames: int) -> None:
    move = linear([0.0, 0.0], np.radians([travel, -travel / 3]), 0.3)
    times = frame_times(move, np.radians(10))
    assert len(times) == frames
    assert times[-1] == move.duration
    whole = times[: int(travel // 10)]
    assert np.allclose(whole, np.radians(10) / 0.3 * np.arange(1, len(whole) + 1))


@laws
@given(st.integers(1, 400), st.floats(1e-3, 1.0), st.floats(0.01, 5.0), st.floats(-3.0, 3.0))
def test_a_whole_number_of_steps_never_gets_a_frame_of_rounding(k: int, step: float, speed: float, q: float) -> None:
    assert len(frame_times(linear([q], [q + k * step], speed), step)) == k


def test_joint_by_joint_moves_one_joint_at_a_time_and_ends_on_the_same_clock() -> None:
    times, rows = joint_by_joint(HOME, SECOND, 0.3, np.radians(10))
    assert len(rows) == 7 + 1 + 1 + 3 + 2 + 1
    steps = np.diff(np.vstack([HOME, rows]), axis=0)
    assert (np.count_nonzero(steps, axis=1) == 1).all()
    assert times[6] == times[-1] == linear(HOME, SECOND, 0.3).duration
    assert np.array_equal(rows[-1], SECOND)
    assert joint_by_joint(HOME, HOME, 0.3, 0.1)[1].shape == (0, 6)


def test_the_clock_waits_for_the_joint_with_most_travel() -> None:
    times, _ = joint_by_joint([0.0, 0.0], [0.1, 0.2], 1.0, 0.1)
    assert times.tolist() == [0.0, 0.1, 0.2]


def test_no_travel_takes_no_time_and_no_frames() -> None:
    still = linear(HOME, HOME, 0.3)
    assert still.duration == 0.0
    assert frame_times(still, 0.1).shape == (0,)
    assert frame_times(Trajectory.constant(HOME, 2.0), 0.1).tolist() == [2.0]


def test_one_speed_a_joint_is_exceeded_by_none_and_reached_by_one() -> None:
    move = linear([0.0, 0.0], [1.0, 1.0], [2.0, 0.5])
    assert move.duration == 2.0
    assert move.max_speed().tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("speed", "words"),
    [
        (0.0, "A joint speed must be above 0 rad/s, not 0"),
        (-1.0, "must be above 0 rad/s, not -1"),
        (float("nan"), "must be above 0 rad/s, not nan"),
        ("fast", "must be a number of rad/s, not 'fast'"),
        ([1.0, 0.0], "joint 2 has 0"),
        ([1.0], "must be 2 numbers; found 1"),
    ],
)
def test_a_speed_that_cannot_be_is_refused(speed: object, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        linear([0.0, 0.0], [1.0, 1.0], speed)  # type: ignore[arg-type]


def test_wrong_joints_and_steps_are_refused() -> None:
    with pytest.raises(InvalidValue, match="must be 2 numbers; found 3"):
        linear([0.0, 0.0], [1.0, 1.0, 1.0], 1.0)
    with pytest.raises(InvalidValue, match="must be finite"):
        linear([0.0], [float("inf")], 1.0)
    with pytest.raises(InvalidValue, match="A step between frames must be above 0 rad, not -"):
        frame_times(linear([0.0], [1.0], 1.0), -0.1)
