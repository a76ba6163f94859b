"""Joints that take on rates: each joint against its own law of motion, integrated by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workcell.motion.rate_following import take_on

numbers = st.floats(-3.0, 3.0)


def by_hand(q: float, v: float, rate: float, period: float, a: float, t: float) -> float:
    """The place of one joint: it ramps to its rate as fast as it may, keeps it, and brakes after the period."""
    ramp = min(abs(rate - v) / a, period)
    way = np.sign(rate - v)
    top = rate if ramp < period else v + way * a * ramp
    brake = abs(top) / a

    def integral(duration: float, speed: float, acceleration: float, until: float) -> float:
        s = min(max(until, 0.0), duration)
        return speed * s + 0.5 * acceleration * s * s

    return (
        q
        + integral(ramp, v, way * a, t)
        + integral(period - ramp, top, 0.0, t - ramp)
        + integral(brake, top, -np.sign(top) * a, t - period)
    )


@given(
    st.lists(st.tuples(numbers, numbers, numbers, st.floats(0.5, 20.0)), min_size=1, max_size=7),
    st.floats(0.001, 1.0),
    st.sampled_from([0.0, 0.5]),
)
def test_every_joint_follows_its_own_law(joints, period, tail):
    q, v, rates, a = (np.array(column) for column in zip(*joints, strict=True))
    motion = take_on(np.array([q, v, np.zeros(len(q))]), rates, period, a, tail)
    for t in np.linspace(0.0, motion.duration, 23):
        expected = [by_hand(*one, period, acc, t) for *one, acc in zip(q, v, rates, a, strict=True)]
        np.testing.assert_allclose(motion.position(float(t)), expected, atol=1e-9)
    np.testing.assert_allclose(motion.velocity(motion.duration), 0.0, atol=1e-9)
    assert motion.duration >= period + tail
