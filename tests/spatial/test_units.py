"""Units are converted in one place, both ways."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import InvalidValue, UnknownName
from workcell.spatial.units import SCALES, Units, tidy


def test_the_public_units():
    assert 5 * wc.mm == 0.005
    assert 180 * wc.deg == math.pi


@given(st.floats(-1e6, 1e6), st.sampled_from([q for q, sizes in SCALES.items() if sizes]))
def test_to_si_and_back(value, quantity):
    units = Units()
    for unit in SCALES[quantity]:
        assert units.to_si(value, quantity, unit) == pytest.approx(value * SCALES[quantity][unit])
    assert units.from_si(units.to_si(value, quantity), quantity) == pytest.approx(value, abs=1e-9)


def test_what_is_no_unit_is_refused():
    with pytest.raises(UnknownName, match="mm"):
        Units(length="mmm")
    with pytest.raises(UnknownName, match="deg"):
        Units().to_si(1.0, "angle", "degs")
    with pytest.raises(InvalidValue, match="finite"):
        Units().to_si(math.inf, "length")


def test_numbers_for_people_have_no_noise():
    assert tidy(0.1 + 0.2) == "0.3"
    assert tidy(-0.0) == "0"
    assert Units().show(0.25, "length") == "250 mm"
