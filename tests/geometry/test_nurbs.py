from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import BSpline, make_interp_spline

from workcell.errors import InvalidValue
from workcell.geometry.nurbs.curve import NurbsCurve, averaged_knots, interpolation, join
from workcell.geometry.nurbs.surface import NurbsSurface, compatible
from workcell.geometry.surface import disc, rectangle

T = np.linspace(0.0, 1.0, 41)


def some_curve(seed, n=7, degree=3):
    rng = np.random.default_rng(seed)
    inner = np.sort(rng.uniform(0.05, 0.95, n - degree - 1))
    knots = np.concatenate([np.zeros(degree + 1), inner, np.ones(degree + 1)])
    return NurbsCurve(rng.normal(size=(n, 3)), rng.uniform(0.3, 3.0, n), knots, degree)


curves = st.builds(some_curve, st.integers(0, 10_000), st.integers(6, 9), st.integers(1, 4))
law = settings(max_examples=40, deadline=None, derandomize=True)


@law
@given(curves)
def test_evaluation_agrees_with_an_independent_spline_library(curve):
    lifted = BSpline(curve.knots, curve.lifted, curve.degree)(T)
    assert curve.evaluate(T) == pytest.approx(lifted[:, :3] / lifted[:, 3:], abs=1e-12)


@law
@given(st.integers(0, 10_000), st.integers(6, 60), st.integers(1, 5))
def test_interpolation_agrees_with_an_independent_spline_library(seed, n, degree):
    rng = np.random.default_rng(seed)
    t, values = np.cumsum(rng.uniform(0.5, 2.0, n)), rng.normal(size=(n, 2, 2))
    knots = averaged_knots(t, degree)
    found = interpolation(t, knots, degree, values)
    other = make_interp_spline(t, values, k=degree, t=knots).c
    assert found == pytest.approx(other, rel=1e-9, abs=1e-9 * np.abs(other).max())


def test_interpolation_at_places_that_do_not_determine_a_curve_is_refused():
    crowded = np.array([0.0, 0.01, 0.02, 0.03, 0.04, 1.0])
    with pytest.raises(InvalidValue, match="must increase"):
        interpolation(crowded, np.array([0.0, 0.0, 0.3, 0.5, 0.7, 0.8, 1.0, 1.0]), 1, crowded)


@law
@given(curves, st.floats(0.01, 0.99))
def test_refining_does_not_move_the_curve(curve, t):
    before = curve.evaluate(T)
    for same in (curve.insert_knot(t), curve.insert_knot(t, 2), curve.elevate(), curve.elevate(2)):
        assert same.evaluate(T) == pytest.approx(before, abs=1e-9)
    assert curve.elevate().degree == curve.degree + 1
    assert curve.reversed().evaluate(1.0 - T) == pytest.approx(before, abs=1e-9)


@law
@given(curves, st.floats(0.05, 0.95))
def test_the_parts_of_a_split_are_the_curve(curve, t):
    first, second = curve.split(t)
    assert first.evaluate(t * T) == pytest.approx(curve.evaluate(t * T), abs=1e-9)
    assert second.evaluate(t + (1 - t) * T) == pytest.approx(curve.evaluate(t + (1 - t) * T), abs=1e-9)
    pieces = curve.bezier_pieces()
    assert all(len(piece.control) == curve.degree + 1 for piece in pieces)


@law
@given(curves)
def test_the_curve_stays_in_the_box_of_its_control_points_and_boxes_shrink(curve):
    low, high = curve.bounds
    points = curve.evaluate(T)
    assert (points >= low - 1e-12).all()
    assert (points <= high + 1e-12).all()
    first, second = curve.subdivide()
    for half in (first, second):
        assert (half.bounds[0] >= low - 1e-12).all()
        assert (half.bounds[1] <= high + 1e-12).all()


@law
@given(curves)
def test_derivatives_are_the_limits_of_differences(curve):
    breaks = np.unique(curve.knots)
    t = (breaks[1:] + breaks[:-1]) / 2.0
    t = t[np.diff(breaks) > 1e-2]
    h = 1e-6
    numeric = (curve.evaluate(t + h) - curve.evaluate(t - h)) / (2 * h)
    found = curve.derivatives_at(t, 2)
    assert found[1] == pytest.approx(numeric, rel=1e-4, abs=1e-4)
    slope = (curve.derivatives_at(t + h, 1)[1] - curve.derivatives_at(t - h, 1)[1]) / (2 * h)
    assert found[2] == pytest.approx(slope, rel=1e-3, abs=1e-3 * np.abs(slope).max() + 1e-6)


@pytest.mark.parametrize("run", [0.3, math.pi / 2, 2.0, math.pi, 5.0, 2 * math.pi, -1.0])
def test_arcs_are_exact_circles(run):
    arc = NurbsCurve.arc((1, 2, 3), 0.7, 0.4, run, (0, 1, 0), (0, 0, 1))
    points = arc.evaluate(T)
    assert np.linalg.norm(points - [1, 2, 3], axis=1) == pytest.approx(np.full(len(T), 0.7), abs=1e-14)
    assert points[:, 0] == pytest.approx(np.ones(len(T)))
    assert arc.length() == pytest.approx(0.7 * abs(run), rel=1e-12)
    last = 0.7 * np.array([0, math.cos(0.4 + run), math.sin(0.4 + run)]) + [1, 2, 3]
    assert points[-1] == pytest.approx(last)


def test_lines_blends_and_joins_make_a_smooth_path():
    first = NurbsCurve.line((0, 0, 0), (1, 0, 0))
    second = NurbsCurve.line((2, 1, 0), (2, 3, 0))
    blend = NurbsCurve.blend(first, second)
    path = join([first, blend, second])
    assert path.at(0.0) == pytest.approx([0, 0, 0])
    assert path.at(3.0) == pytest.approx([2, 3, 0])
    for t in (1.0, 2.0):
        before = path.derivatives(t - 1e-9, 1)[1]
        after = path.derivatives(t + 1e-9, 1)[1]
        assert np.cross(before, after) == pytest.approx([0, 0, 0], abs=1e-6)
    with pytest.raises(InvalidValue, match=r"Curve 1 ends 1414\.21 mm from the start of curve 2"):
        join([first, second])


def test_interpolation_goes_through_its_points():
    points = np.random.default_rng(2).normal(size=(9, 3))
    curve = NurbsCurve.through(points)
    where = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    assert curve.evaluate(where / where[-1]) == pytest.approx(points, abs=1e-10)
    grid = np.random.default_rng(3).normal(size=(5, 6, 3))
    surface = NurbsSurface.through(grid)
    corners = surface.evaluate([0, 0, 1, 1], [0, 1, 0, 1])
    assert corners == pytest.approx(grid[[0, 0, -1, -1], [0, -1, 0, -1]])
    with pytest.raises(InvalidValue, match="Points 1 and 2 are the same"):
        NurbsCurve.through([(0, 0, 0), (0, 0, 0), (1, 0, 0)])


def test_moving_a_control_point_or_a_weight_changes_the_curve_there_and_only_there():
    curve = NurbsCurve.clamped(np.column_stack([np.arange(10.0), np.zeros(10), np.zeros(10)]), 3)
    moved = curve.with_control(2, (2, 5, 0))
    assert moved.evaluate(T[-10:]) == pytest.approx(curve.evaluate(T[-10:]))
    assert np.abs(moved.evaluate(T) - curve.evaluate(T)).max() > 1.0
    pulled = moved.with_weight(2, 50.0)
    far = lambda c: np.linalg.norm(c.evaluate(np.linspace(0, 1, 400)) - [2, 5, 0], axis=1).min()
    assert far(pulled) < far(moved) / 3
    with pytest.raises(InvalidValue, match="control points are numbered 0…9; found 10"):
        curve.with_control(10, (0, 0, 0))
    with pytest.raises(InvalidValue, match="greater than zero"):
        curve.with_weight(0, -1.0)


@pytest.mark.parametrize(
    ("knots", "degree", "said"),
    [
        ([0, 0, 0, 1, 1], 2, "need 6 knots; found 5"),
        ([0, 0, 1, 0, 1, 1], 2, "must not decrease"),
        ([0, 0.5, 0.5, 1, 1, 1], 2, "repeated 3 times"),
        ([0, 0, 0, 0], 0, "at least 1"),
    ],
)
def test_knots_that_do_not_fit_are_refused(knots, degree, said):
    with pytest.raises(InvalidValue, match=said):
        NurbsCurve(np.eye(3), np.ones(3), np.array(knots, dtype=float), degree)


def some_surface(seed):
    rng = np.random.default_rng(seed)
    return NurbsSurface.clamped(rng.normal(size=(5, 6, 3)), (3, 2), rng.uniform(0.3, 3, (5, 6)))


@law
@given(st.integers(0, 1000), st.floats(0.1, 0.9))
def test_surfaces_keep_still_while_refined_and_split(seed, t):
    surface = some_surface(seed)
    u, v = np.random.default_rng(seed).uniform(0, 1, (2, 30))
    before = surface.evaluate(u, v)
    refined = (surface.insert_knot(t, "u"), surface.insert_knot(t, "v"), surface.elevate("u"), surface.elevate("v"))
    for same in refined:
        assert same.evaluate(u, v) == pytest.approx(before, abs=1e-9)
    for direction in "uv":
        first, second = surface.split(t, direction)
        uu, vv = (u * t, v) if direction == "u" else (u, v * t)
        assert first.evaluate(uu, vv) == pytest.approx(surface.evaluate(uu, vv), abs=1e-9)
        uu, vv = (t + u * (1 - t), v) if direction == "u" else (u, t + v * (1 - t))
        assert second.evaluate(uu, vv) == pytest.approx(surface.evaluate(uu, vv), abs=1e-9)
    assert len(surface.subdivide()) == 4
    low, high = surface.bounds
    assert (before >= low - 1e-9).all()
    assert (before <= high + 1e-9).all()


def test_surface_derivatives_are_the_limits_of_differences():
    surface = some_surface(5)
    u, v = np.random.default_rng(1).uniform(0.05, 0.95, (2, 20))
    h = 1e-6
    d = surface.derivatives_at(u, v, 1)
    assert d[1, 0] == pytest.approx((surface.evaluate(u + h, v) - surface.evaluate(u - h, v)) / 2 / h, abs=1e-6)
    assert d[0, 1] == pytest.approx((surface.evaluate(u, v + h) - surface.evaluate(u, v - h)) / 2 / h, abs=1e-6)
    assert np.einsum("ij,ij->i", surface.normals(u, v), d[1, 0]) == pytest.approx(np.zeros(20), abs=1e-12)
    assert surface.isocurve(u=0.3).evaluate(v) == pytest.approx(surface.evaluate(np.full(20, 0.3), v))
    assert surface.isocurve(v=0.3).evaluate(u) == pytest.approx(surface.evaluate(u, np.full(20, 0.3)))


def test_ruled_and_blended_surfaces_meet_their_edges():
    bottom = NurbsCurve.arc((0, 0, 0), 1.0, 0, math.pi / 2)
    top = NurbsCurve.line((1, 0, 1), (0, 1, 1))
    ruled = NurbsSurface.ruled(bottom, top)
    a, b = compatible(bottom, top)
    assert ruled.evaluate(T, np.zeros(41)) == pytest.approx(a.evaluate(T), abs=1e-12)
    assert ruled.evaluate(T, np.ones(41)) == pytest.approx(b.evaluate(T), abs=1e-12)
    flat = NurbsSurface.ruled(NurbsCurve.line((0, 0, 0), (1, 0, 0)), NurbsCurve.line((0, 1, 0), (1, 1, 0)))
    wall = NurbsSurface.ruled(NurbsCurve.line((0, 2, 1), (1, 2, 1)), NurbsCurve.line((0, 2, 2), (1, 2, 2)))
    blend = NurbsSurface.blend(flat, wall)
    assert blend.evaluate(T, np.zeros(41)) == pytest.approx(flat.evaluate(T, np.ones(41)))
    assert blend.evaluate(T, np.ones(41)) == pytest.approx(wall.evaluate(T, np.zeros(41)))
    assert np.abs(blend.normals([0.5], [0.0])) == pytest.approx(np.abs(flat.normals([0.5], [1.0])), abs=1e-9)
    assert np.abs(blend.normals([0.5], [1.0])) == pytest.approx(np.abs(wall.normals([0.5], [0.0])), abs=1e-9)


def test_patches_keep_surfaces_and_trims_must_fit():
    surface = some_surface(8).trimmed(rectangle(0.4, 0.4).__class__((disc(0.2).main[0].__class__((0.5, 0.5), 0.2),)))
    again = NurbsSurface.from_patch(surface.patch)
    assert again.patch == surface.patch
    with pytest.raises(InvalidValue, match="leave the parameter range"):
        some_surface(8).trimmed(disc(0.5))
    with pytest.raises(InvalidValue, match="cannot be split"):
        surface.split(0.5)
