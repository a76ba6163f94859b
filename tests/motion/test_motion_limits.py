"""Limits: what they refuse, and when and by how much a motion leaves them."""

from __future__ import annotations

import numpy as np
import pytest

from workcell.errors import InvalidValue, JointLimit, MotionError
from workcell.motion.limits import Limits, require, violations
from workcell.motion.profiles import jerk_limited, linear, polynomial
from workcell.motion.trajectory import Trajectory
from workcell.robots.catalogue import robot


def test_a_violation_says_joint_time_value_and_limit() -> None:
    box = Limits([1.0, 1.0], position=np.array([[-1.0, 1.0], [-1.0, 0.25]]))
    motion = linear([0.0, 0.0], [0.5, 1.0], 0.5)
    (found,) = violations(motion, box)
    assert (found.joint, found.limit, found.allowed) == (2, "position", 0.25)
    assert found.time == pytest.approx(0.5, abs=1e-9)
    assert found.value == pytest.approx(1.0)
    with pytest.raises(JointLimit, match=r"joint 2 passes its position limit 0\.25 at 0\.5 s and reaches 1") as caught:
        require(motion, box)
    assert caught.value.joint == 2
    assert caught.value.excess == pytest.approx(0.75)


def test_a_peak_between_samples_is_found() -> None:
    # A bump of 1 ms in a motion of 10 s: samples every 10 ms would not see it.
    bump = Trajectory(
        [0.0, 5.0005, 5.001, 10.0], [[[0.0], [0.0], [0.0]], [[0.0], [0.0], [100.0]], [[2.5e-5], [0.0], [0.0]]]
    )
    (found,) = violations(bump, Limits.of(1, 0.05))
    assert found.limit == "speed"
    assert found.value == pytest.approx(0.1)
    assert found.time == pytest.approx(5.00075, abs=1e-6)


def test_a_motion_within_its_limits_is_returned_unchanged() -> None:
    limits = Limits([1.0], [2.0], position=[[0.0, 1.0]])
    motion = polynomial([0.0], [1.0], limits)
    assert require(motion, limits) is motion
    with pytest.raises(MotionError, match="The lift cannot be made: joint 1 passes its acceleration limit 2 at 0"):
        require(motion.stretched(0.5), limits, "The lift")


def test_scaled_limits_scale_the_time() -> None:
    limits = Limits.of(2, 1.0, 2.0)
    slow = limits.scaled(0.5, 0.25)
    assert slow.speed.tolist() == [0.5, 0.5]
    assert slow.acceleration is not None
    assert slow.acceleration.tolist() == [0.5, 0.5]
    ratio = polynomial([0, 0], [1, 1], slow).duration / polynomial([0, 0], [1, 1], limits).duration
    assert ratio == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"speed": [0.0, 1.0]}, "A limit of the speed must be above 0 rad/s; joint 1 has 0"),
        ({"speed": [1.0, 1.0], "acceleration": [1.0]}, "must be 2 numbers; found 1"),
        ({"speed": [1.0, 1.0], "jerk": [1.0, -2.0]}, "A limit of the jerk must be above 0 rad/s³; joint 2 has -2"),
        ({"speed": [1.0], "position": [[1.0, 0.0]]}, "1 pairs \\(least, greatest\\)"),
        ({"speed": [1.0], "position": "wide"}, "joint ranges must be numbers"),
    ],
)
def test_limits_that_cannot_be_are_refused(kwargs: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        Limits(**kwargs)  # type: ignore[arg-type]


def test_the_limits_of_a_robot_are_its_own() -> None:
    puma = robot("puma560")
    limits = Limits.of_robot(puma, jerk=100.0)
    assert np.array_equal(limits.speed, puma.speeds)
    assert np.array_equal(limits.position, puma.limits)
    motion = jerk_limited(puma.home, puma.home + 0.1, limits)
    assert violations(motion, limits) == ()
    with pytest.raises(JointLimit, match="joint 1 passes its position limit"):
        require(linear(puma.home, puma.home + [9.0, 0, 0, 0, 0, 0], 0.1), limits)


def test_limits_of_another_arm_are_refused() -> None:
    with pytest.raises(InvalidValue, match="The motion has 1 joints and the limits are for 2"):
        violations(linear([0.0], [1.0], 1.0), Limits.of(2, 1.0))
