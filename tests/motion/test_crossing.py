"""When a way first comes to a length, compared with the way itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workcell.motion.crossing import Going, first_at, turns_at
from workcell.motion.limits import Limits
from workcell.motion.running import running

SPEEDS = st.floats(-1.0, 1.0)
JERKS = st.one_of(st.none(), st.floats(1.0, 20.0))


def going(v: float, speed: float, jerk: float | None, own: float, factor: float = 1.0) -> Going:
    return Going(
        running([0.0], [v], [0.0], [speed], Limits([9.0], [1.0], None if jerk is None else [jerk])), own, factor
    )


def grown(ways: list[Going], times: np.ndarray) -> np.ndarray:
    return sum(one.factor * (one.motion.sample(one.own + times) - one.motion.position(one.own))[:, 0] for one in ways)


@given(SPEEDS, SPEEDS, SPEEDS, SPEEDS, JERKS, st.floats(0.0, 1.5), st.floats(1e-6, 2.0))
@example(0.5, 0.15625, 0.0, 0.0, None, 0.09, 1.0)  # 0.34375 − 0.09 + 0.09 is less than 0.34375
def test_the_first_instant_is_neither_early_nor_late(v0, v1, w0, w1, jerk, own, length):
    ways = [going(v0, v1, jerk, own), going(w0, w1, jerk, own, -0.7)]
    found = first_at(ways, length)
    if math.isinf(found):
        assert (grown(ways, np.linspace(0.0, 50.0, 2000)) < length).all()
        return
    assert grown(ways, np.array([found]))[0] == pytest.approx(length, abs=1e-7)
    assert (grown(ways, np.linspace(0.0, found, 500)[:-1]) < length + 1e-7).all()


@given(SPEEDS, SPEEDS, JERKS)
def test_a_motion_turns_where_its_speed_changes_its_sign(v0, v1, jerk):
    found = turns_at([going(v0, v1, jerk, 0.0)])
    if v0 * v1 < -1e-6:
        assert going(v0, v1, jerk, 0.0).motion.velocity(found)[0] == pytest.approx(0.0, abs=1e-6)
    elif v0 * v1 > 1e-6:
        assert math.isinf(found)
