"""Curves and patches by command: made, evaluated, refined, split, trimmed; the form stays, undo brings it back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.interpolate import BSpline

import workcell as wc
from workcell.errors import InvalidValue, Refused, WorkcellError
from workcell.geometry.nurbs.kept import curve_of, curve_text

ARCH = "create curve arch through (0,0,0) (50,0,80) (150,0,80) (200,0,0)"
SHEET = (
    "create patch sheet (0,0,0) (0,50,10) (0,100,0) row (50,0,5) (50,50,40) (50,100,0) "
    "row (100,0,0) (100,50,-5) (100,100,0) weights 1,1,1 weights 1,3,1 weights 1,1,2"
)


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        yield cell


def points(cell, name, parameters):
    return np.array([cell.do(f"evaluate {name} {t}").point for t in parameters])


def test_a_curve_goes_through_its_points_and_starts_and_ends_there(cell):
    cell.do(ARCH)
    assert cell.do("evaluate arch 0").point == pytest.approx((0, 0, 0))
    assert cell.do("evaluate arch 1").point == pytest.approx((0.2, 0, 0))
    assert "curve of 4 control points, degree 3" in str(cell.do("list curves"))


def test_control_points_knots_and_weights_give_the_spline_of_scipy(cell):
    cell.do("create curve c control (0,0,0) (10,20,0) (30,0,5) (40,10,0) (60,0,0) degree 2 knots 0,0,0,0.3,0.6,1,1,1")
    knots, control = cell.do("control-points c").knots[0], cell.do("control-points c").control[0]
    oracle = BSpline(np.array(knots), np.array(control), 2)
    for t in (0.0, 0.2, 0.3, 0.77, 1.0):
        found = cell.do(f"evaluate c {t} derivatives 2")
        assert found.point == pytest.approx(oracle(t), abs=1e-12)
        assert found.derivatives[0] == pytest.approx(oracle.derivative(1)(t), abs=1e-9)
        assert found.derivatives[1] == pytest.approx(oracle.derivative(2)(t), abs=1e-9)


def test_circles_and_arcs_are_exact(cell):
    cell.do("create curve ring circle 60 at 10,0,100")
    cell.do("create curve quarter circle 60 axis 0,1,0 from 90 by 90")
    cell.do("create curve bow arc (0,0,0) (50,20,0) (100,0,0)")
    ring = points(cell, "ring", np.linspace(0, 1, 17)) - (0.01, 0, 0.1)
    assert np.linalg.norm(ring, axis=1) == pytest.approx(0.06, abs=1e-15)
    quarter = points(cell, "quarter", np.linspace(0, 1, 9))
    assert np.linalg.norm(quarter, axis=1) == pytest.approx(0.06, abs=1e-15)
    assert quarter[:, 1] == pytest.approx(0.0, abs=1e-15)
    assert math.acos(quarter[0] @ quarter[-1] / 0.0036) == pytest.approx(math.pi / 2)
    bow = points(cell, "bow", np.linspace(0, 1, 9))
    centre = np.array([0.05, (0.02**2 - 0.05**2) / (2 * 0.02), 0])
    assert np.linalg.norm(bow - centre, axis=1) == pytest.approx(0.02 - centre[1], abs=1e-15)
    assert bow[:, 1].max() == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("thing", "change"),
    [
        ("arch", "insert knot arch 0.4"),
        ("arch", "insert knot arch 0.4 times 3"),
        ("arch", "elevate degree arch by 2"),
        ("arch", "subdivide arch"),
        ("sheet", "insert knot sheet 0.3 along v times 2"),
        ("sheet", "elevate degree sheet"),
        ("sheet", "elevate degree sheet along u"),
        ("sheet", "subdivide sheet"),
    ],
)
def test_refining_does_not_move_the_form_and_is_undone(cell, thing, change):
    cell.do(ARCH)
    cell.do(SHEET)
    at = ["0", "0.1", "0.4", "0.83", "1"] if thing == "arch" else ["0,0", "0.2,0.9", "0.5,0.5", "1,0.3"]
    before, rows, net = points(cell, thing, at), cell.database.rows(), cell.do(f"control-points {thing}")
    cell.do(change)
    assert points(cell, thing, at) == pytest.approx(before, abs=1e-14)
    after = cell.do(f"control-points {thing}")
    assert np.size(after.weights) > np.size(net.weights)
    assert (np.array(after.low) >= np.array(net.low) - 1e-15).all()
    assert (np.array(after.high) <= np.array(net.high) + 1e-15).all()
    cell.undo()
    assert cell.database.rows() == rows


def test_the_box_of_the_control_points_holds_the_form(cell):
    cell.do(ARCH)
    net = cell.do("control-points arch")
    found = points(cell, "arch", np.linspace(0, 1, 50))
    assert (found >= np.array(net.low) - 1e-15).all()
    assert (found <= np.array(net.high) + 1e-15).all()


def test_split_gives_two_parts_of_the_same_form(cell):
    cell.do(ARCH)
    cell.do("split arch into rise fall at 0.4")
    assert cell.do("evaluate rise 0.2").point == pytest.approx(cell.do("evaluate arch 0.2").point)
    assert cell.do("evaluate fall 0.7").point == pytest.approx(cell.do("evaluate arch 0.7").point)
    with pytest.raises(InvalidValue, match=r"A parameter must lie in 0…0\.4; found 0\.5"):
        cell.do("evaluate rise 0.5")
    cell.do("join curves whole rise fall")
    assert cell.do("evaluate whole 2").point == pytest.approx((0.2, 0, 0))
    cell.do(SHEET)
    cell.do("split sheet into left right along u")
    assert cell.do("evaluate right 0.8,0.1").point == pytest.approx(cell.do("evaluate sheet 0.8,0.1").point)
    with pytest.raises(InvalidValue, match="give `along u` or `along v`"):
        cell.do("split sheet into a b")


def test_blends_leave_along_both_tangents(cell):
    cell.do("create curve one line (0,0,0) (100,0,0)")
    cell.do("create curve two line (200,50,0) (200,150,0)")
    cell.do("blend bend one two")
    start, end = cell.do("evaluate bend 0"), cell.do("evaluate bend 1")
    assert start.point == pytest.approx((0.1, 0, 0))
    assert end.point == pytest.approx((0.2, 0.05, 0))
    assert np.cross(start.derivatives[0], (1, 0, 0)) == pytest.approx((0, 0, 0), abs=1e-12)
    assert np.cross(end.derivatives[0], (0, 1, 0)) == pytest.approx((0, 0, 0), abs=1e-12)
    cell.do(SHEET)
    with pytest.raises(InvalidValue, match="a curve and a surface"):
        cell.do("blend mixed one sheet")


def test_reshape_moves_a_control_point_and_a_weight_pulls(cell):
    cell.do("create curve c control (0,0,0) (50,100,0) (100,0,0)")
    low = cell.do("evaluate c 0.5").point[1]
    cell.do("reshape curve c 2 weight 5")
    assert cell.do("evaluate c 0.5").point[1] > low
    cell.do("reshape curve c 2 to 50,200,0 weight 1")
    assert cell.do("evaluate c 0.5").point[1] == pytest.approx(0.1)
    cell.do("reverse curve c")
    assert cell.do("evaluate c 0").point == pytest.approx((0.1, 0, 0))
    with pytest.raises(InvalidValue, match="has 3 control points; found 4"):
        cell.do("reshape curve c 4 weight 2")


def test_ruled_patches_lie_between_their_curves_and_isocurves_on_them(cell):
    cell.do(ARCH)
    cell.do("create curve edge line (0,100,0) (200,100,0)")
    cell.do("create ruled roof arch edge")
    assert cell.do("evaluate roof 0.3,0").point == pytest.approx(cell.do("evaluate arch 0.3").point)
    assert cell.do("evaluate roof 0.3,1").point == pytest.approx((0.06, 0.1, 0))
    cell.do("create isocurve rib roof v 0")
    assert cell.do("evaluate rib 0.3").point == pytest.approx(cell.do("evaluate arch 0.3").point)
    with pytest.raises(InvalidValue, match=r"u must lie in 0…1; found 2"):
        cell.do("create isocurve bad roof u 2")


def test_a_trimmed_patch_closes_a_block_and_weighs_right(cell):
    cell.do("create patch lid (-50,-50,20) (-50,50,20) row (50,-50,20) (50,50,20) degrees 1,1")
    cell.do("trim patch lid disc 0.4 at 0.5,0.5")
    assert "trimmed patch" in str(cell.do("list surfaces"))
    cell.do("trim patch lid")
    assert "trimmed" not in str(cell.do("list surfaces"))
    with pytest.raises(WorkcellError, match="leave the parameter range"):
        cell.do("trim patch lid disc 0.8 at 0.5,0.5")


def test_what_is_wrong_is_said(cell):
    cell.do("create surface flat disc 60")
    for line, told in [
        ("create curve c", "Give exactly one of `through`"),
        ("create curve c line (0,0,0) (1,0,0) (2,0,0)", "A line takes 2 points; found 3"),
        ("create curve c arc (0,0,0) (1,0,0) (2,0,0)", "lie on a straight line"),
        ("create curve c through (0,0,0) (1,0,0) degree 4", "allow a degree of 1 at most"),
        ("create curve c through (0,0,0) (1,0,0) weights 1,1", "are only for `control`"),
        ("create curve c line (0,0,0) (1,0,0) by 90", "are only for `circle`"),
        ("create curve c circle 10 by 500", "at most 360°; found 500°"),
        ("create curve c control (0,0,0) (1,0,0) weights 1,-1", "Weights must be positive"),
        ("create curve c through (0,0,0) (0,0,0)", "are the same"),
        ("evaluate flat 0,0", "is not a free-form patch"),
    ]:
        rows = cell.database.rows()
        with pytest.raises((InvalidValue, Refused), match=told):
            cell.do(line)
        assert cell.database.rows() == rows


def test_the_text_of_a_curve_is_read_back_as_it_was():
    curve = curve_of(curve_text(curve_of(
        '{"kind":"nurbs-curve","control":[[0,0,0],[1,2,3]],"weights":[1,2],"knots":[0,0,1,1],"degree":1}'
    )))  # fmt: skip
    assert curve.control.tolist() == [[0, 0, 0], [1, 2, 3]]
    with pytest.raises(InvalidValue, match="not a curve"):
        curve_of("{}")


def test_a_sweep_on_a_curve_follows_when_the_curve_is_changed(cell):
    cell.do("create surface ring disc 15 bore 11")
    cell.do("create curve path1 line (0,0,0) (0,0,200)")
    cell.do("sweep pipe ring on path1")
    area = math.pi * (0.015**2 - 0.011**2)
    assert cell.do("measure pipe").volume == pytest.approx(0.2 * area, rel=1e-6)
    assert str(cell.do("reshape curve path1 2 to 0,0,300")) == "control point 2 of 'path1' changed"
    assert cell.do("measure pipe").volume == pytest.approx(0.3 * area, rel=1e-6)
    with pytest.raises(WorkcellError, match="pipe"):
        cell.do("remove path1")
    cell.do("elevate degree path1 by 2")
    told = str(cell.do("reshape curve path1 2 to 20,0,100"))
    assert "cannot be made" not in told
    cell.do("create curve sharp through (0,0,0) (0,0,100) (5,0,0)")
    with pytest.raises(WorkcellError):
        cell.do("sweep bad ring on sharp")
    with pytest.raises(InvalidValue, match="or `on` with a curve"):
        cell.do("sweep bad ring")
    assert cell.replayed().database.rows() == cell.database.rows()


def test_a_knot_that_is_there_as_often_as_the_degree_is_refused():
    with wc.Cell() as cell:
        cell.do("create curve bl through (0,0,0) (50,0,80) (150,0,80) (200,0,0)")
        cell.do("insert knot bl 0.4 times 3")
        with pytest.raises(
            InvalidValue, match=r"as often as the degree, 3; 0\.4 has 3 already, and 1 more was asked for"
        ):
            cell.do("insert knot bl 0.4")
        with pytest.raises(
            InvalidValue, match=r"as often as the degree, 3; 0\.7 has 0 already, and 4 more were asked for"
        ):
            cell.do("insert knot bl 0.7 times 4")


def test_a_curve_whose_name_begins_a_word_is_told_to_be_a_curve():
    with wc.Cell() as cell:
        cell.do("create curve bl through (0,0,0) (50,0,80) (150,0,80) (200,0,0)")
        with pytest.raises(InvalidValue, match="Expected a surface; 'bl' is a curve"):
            cell.do("sweep sw bl on full")
