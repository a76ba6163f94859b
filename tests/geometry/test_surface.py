from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.errors import InvalidShape, InvalidValue
from workcell.geometry.contour import ArcTo, Circle, LineTo, Path, SplineTo, polygon, signed_area
from workcell.geometry.surface import Surface, disc, rectangle, surface

L_SHAPE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]


def test_a_self_crossing_contour_is_refused_with_the_edges_and_the_place():
    with pytest.raises(
        InvalidShape, match=r"Edge 1 of the main contour crosses edge 3 of the main contour at \(0.5, 0.5\)"
    ) as caught:
        surface([(0, 0), (1, 1), (1, 0), (0, 1)])
    assert caught.value.faults[0][2] == pytest.approx((0.5, 0.5))


@pytest.mark.parametrize(
    ("main", "holes", "said"),
    [
        (L_SHAPE, [[(3, 3), (4, 3), (4, 4)]], r"The hole lies outside the main contour, at \(3, 3\)"),
        (L_SHAPE, [Circle((1.0, 1.0), 0.3)], r"Edge \d of the main contour crosses edge 1 of the hole"),
        (L_SHAPE, [Circle((0.5, 0.5), 0.3), Circle((0.5, 0.5), 0.1)], "Hole 2 lies inside hole 1"),
        (L_SHAPE, [Circle((0.4, 0.5), 0.3), Circle((0.8, 0.5), 0.3)], "Edge 1 of hole 1 crosses edge 1 of hole 2"),
        ([(0, 0), (1, 0), (2, 0)], [], "crosses|encloses no area"),
        ([(0, 0), (1, 0), (1, 0), (0, 1)], [], r"Edge 2 of the main contour has no length, at \(1, 0\)"),
        ([(0, 0), (1, 0)], [], "at least three points; found 2"),
        ([(0, 0), (1, 0), (np.nan, 1)], [], "finite"),
        # a spike that runs back on itself
        ([(0, 0), (2, 0), (2, 2), (2, 1), (0, 1)], [], "Edge 2 of the main contour crosses edge 3"),
    ],
)
def test_bad_surfaces_are_refused_in_one_clear_line(main, holes, said):
    with pytest.raises((InvalidShape, InvalidValue), match=said) as caught:
        surface(main, holes)
    assert "\n" not in str(caught.value)


def test_concave_contours_holes_and_islands_are_fine():
    shape = surface(L_SHAPE, [Circle((0.5, 0.5), 0.2)])
    assert shape.edge_count == 7
    main, hole = shape.loops()
    assert signed_area(main) == pytest.approx(3.0)
    assert signed_area(hole) < 0.0
    two = Surface((polygon(L_SHAPE), Circle((5.0, 5.0), 1.0)), (Circle((5.0, 5.0), 0.5),))
    assert [len(holes) for _, holes in two.regions] == [0, 1]


def test_either_sense_of_the_points_is_the_same_region():
    assert signed_area(surface(L_SHAPE[::-1]).loops()[0]) == pytest.approx(3.0)
    assert surface([*L_SHAPE, L_SHAPE[0]]) == surface(L_SHAPE)


def test_paths_of_lines_arcs_and_splines_close_themselves():
    half = Path((1.0, 0.0), (ArcTo((0.0, 1.0), (-1.0, 0.0)),))
    assert isinstance(half.segments[-1], LineTo)
    assert signed_area(half.edges(0.001)[0]) == pytest.approx(math.pi / 2, rel=1e-6)
    with pytest.raises(InvalidValue, match="is straight: its points lie on one line"):
        Path((0.0, 0.0), (ArcTo((1.0, 0.0), (2.0, 0.0)), LineTo((1.0, 1.0))))
    bulge = Path((0.0, 0.0), (SplineTo(((1.0, -1.0), (2.0, 0.0)), 2), LineTo((1.0, 1.0))))
    assert Surface((bulge,)).edge_count == 3


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.floats(0.5, 2.0), min_size=3, max_size=40), st.integers(0, 10_000))
def test_star_shaped_polygons_are_accepted_and_swapping_two_far_corners_is_not(radii, seed):
    n = len(radii)
    angle = 2 * math.pi * np.arange(n) / n
    points = np.array(radii)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    assert abs(signed_area(surface(points).loops()[0])) > 0.0
    if n >= 6:
        i = seed % n
        swapped = points.copy()
        swapped[[i, (i + n // 2) % n]] = swapped[[(i + n // 2) % n, i]]
        with pytest.raises(InvalidShape, match="crosses"):
            surface(swapped)


def test_ready_made_ones():
    assert signed_area(rectangle(2, 3).loops()[0]) == pytest.approx(6.0)
    assert len(disc(1.0, 0.5).holes) == 1
    with pytest.raises(InvalidShape, match="lies outside"):
        disc(1.0, 2.0)
