"""The name and sizes of a shape, read back from its recipe."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workcell.geometry import solids
from workcell.geometry.recipe import decode, encode
from workcell.geometry.sizes import sizes_of

COUNTS = {"box": 3, "cylinder": 2, "cone": 2, "truncated-cone": 3, "sphere": 1, "ellipsoid": 3, "torus": 2,
          "wedge": 3, "pyramid": 3}  # fmt: skip
LENGTHS = st.floats(1e-3, 10.0)


@pytest.mark.parametrize("shape", COUNTS)
@given(values=st.data())
def test_the_sizes_of_a_shape_make_the_same_shape(shape: str, values: st.DataObject) -> None:
    given_sizes = values.draw(st.lists(LENGTHS, min_size=COUNTS[shape], max_size=COUNTS[shape], unique=True))
    if shape == "torus":
        given_sizes.sort(reverse=True)
    made = getattr(solids, shape.replace("-", "_"))(*given_sizes)
    found = sizes_of(decode(encode(made.recipe)))
    assert found is not None
    assert found[0] == shape
    np.testing.assert_allclose(found[1], given_sizes, rtol=1e-9)


def test_other_solids_have_no_sizes() -> None:
    box = solids.box(1.0, 2.0, 3.0)
    others = (
        box - solids.sphere(0.5),
        box.named("part"),
        box.transformed(np.diag([1.0, 2.0, 3.0, 1.0])),
        solids.wedge(2.0, 1.0, 1.0, x_top=1.0),
        solids.pyramid(2.0, 2.0, 1.0, x_top=1.0, y_top=1.0),
        solids.cylinder(1.0, 1.0, facets=8),
    )
    assert [sizes_of(one.recipe) for one in others] == [None] * len(others)
