"""Parts of motions where rounding leaves hardly any time."""

from __future__ import annotations

import numpy as np
import pytest

from workcell.motion.trajectory import Trajectory


def test_a_part_whose_last_piece_rounding_swallows_is_still_a_part():
    breaks = np.array([0.0, 0.3, np.nextafter(0.3, 1.0), 1.0])
    coefficients = np.zeros((3, 2, 1))
    coefficients[:, 0, 0] = breaks[:-1]
    coefficients[:, 1, 0] = 1.0
    swallowed = [start for start in np.linspace(0.01, 0.29, 57).tolist() if breaks[1] - start == breaks[2] - start]
    for start in swallowed:
        part = Trajectory(breaks, coefficients).part(start, float(breaks[2]))
        assert part.duration == pytest.approx(0.3 - start)
        assert part.end[0] == pytest.approx(0.3)
    assert swallowed
