"""Copies under a transformation: exact for blocks, surfaces and curves, whatever they are made of."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.commands.cell import Cell
from workcell.errors import Refused
from workcell.geometry.mapped import mapped
from workcell.geometry.nurbs.surface import NurbsSurface
from workcell.geometry.surface import NurbsPatch, Surface
from workcell.world.operations import surface_of

SLOT = "create surface slot contour (0,0) (0.8,0) arc (0.9,0.1) (0.8,0.2) (0,0.2) arc (-0.1,0.1) (0,0) bore 0.05 at 0.4,0.1"


@pytest.fixture
def metres(cell: Cell) -> Cell:
    cell.do("units m deg")
    return cell


def surface(cell: Cell, name: str) -> object:
    return surface_of(cell.database.entity("surface", name).shape)


@pytest.mark.parametrize(
    ("shape", "volume"),
    [
        ("box 1 2 3", 6.0),
        ("cylinder 0.5 2", math.pi / 2.0),
        ("cone 0.5 2", math.pi / 6.0),
        ("sphere 1", 4.0 / 3.0 * math.pi),
        ("torus 2 0.5", math.pi**2),
    ],
)
def test_a_scaled_copy_of_an_exact_primitive_is_the_primitive_scaled(metres, shape, volume):
    metres.do(f"create block one {shape}")
    metres.do("copy one as two scale 2,3,-1.5 rotate 0,0,40 translate 5,0,1")
    found = metres.do("measure block two")
    assert found.volume == pytest.approx(9.0 * volume, rel=1e-6)
    turned = np.array(metres.do("measure block one").centroid) * (2, 3, -1.5)
    c, s = math.cos(math.radians(40)), math.sin(math.radians(40))
    expected = (c * turned[0] - s * turned[1] + 5, s * turned[0] + c * turned[1], turned[2] + 1)
    assert found.centroid == pytest.approx(expected, abs=1e-6)
    assert metres.do("measure block one").volume == pytest.approx(volume, rel=1e-6)
    metres.do("undo")
    assert metres.database.find("block", "two") is None
    metres.do("redo")
    assert metres.do("measure block two").volume == pytest.approx(9.0 * volume, rel=1e-6)


def test_a_copy_of_a_copy_is_under_both_transformations(metres):
    metres.do("create block one box 1 1 1")
    metres.do("copy one as two translate 1,0,0")
    metres.do("copy two as three rotate 0,0,90")
    assert metres.do("measure block three").centroid == pytest.approx((0, 1, 0), abs=1e-9)


def test_a_surface_scaled_in_its_plane_stays_flat_and_its_circles_become_ellipses(metres):
    metres.do(SLOT)
    metres.do("copy slot as wide scale 2,3,1 rotate 0,0,30 translate 1,1,0")
    assert isinstance(surface(metres, "wide"), Surface)
    for name in ("slot", "wide"):
        metres.do(f"extrude {name}-bar {name} 1")
    exact = 0.8 * 0.2 + math.pi * 0.01 - math.pi * 0.0025
    assert metres.do("measure slot-bar").volume == pytest.approx(exact, rel=1e-6)
    assert metres.do("measure wide-bar").volume == pytest.approx(6.0 * exact, rel=1e-6)
    metres.do("copy slot as mirrored scale -1,1,1")
    metres.do("extrude mirrored-bar mirrored 1")
    assert metres.do("measure mirrored-bar").volume == pytest.approx(exact, rel=1e-6)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.floats(-3, 3), min_size=4, max_size=4).filter(lambda m: abs(m[0] * m[3] - m[1] * m[2]) > 0.05),
    st.tuples(st.floats(-2, 2), st.floats(-2, 2)),
)
def test_edges_of_a_mapped_surface_are_the_edges_mapped(linear, shift):
    from workcell.geometry.contour import ArcTo, Circle, LineTo, Path

    before = Surface(
        (Path((0.0, 0.0), (LineTo((0.8, 0.0)), ArcTo((0.9, 0.1), (0.8, 0.2)), LineTo((0.0, 0.2)))),),
        (Circle((0.4, 0.1), 0.05),),
    )
    matrix = np.eye(4)
    matrix[:2, :2] = np.array(linear).reshape(2, 2)
    matrix[:2, 3] = shift
    after = mapped(before, matrix)
    assert isinstance(after, Surface)
    back = np.linalg.inv(matrix)
    hole = after.holes[0].edges(0.1)[0]
    there = hole @ back[:2, :2].T + back[:2, 3]
    assert np.hypot(*(there - (0.4, 0.1)).T) == pytest.approx(0.05, rel=1e-6)
    rim = after.main[0].edges(0.1)[0] @ back[:2, :2].T + back[:2, 3]
    bulge = rim[rim[:, 0] > 0.8 + 1e-9]
    assert len(bulge)
    assert np.hypot(*(bulge - (0.8, 0.1)).T) == pytest.approx(0.1, rel=1e-6)


def test_a_surface_that_leaves_its_plane_becomes_a_trimmed_patch_in_the_same_place(metres):
    metres.do("create surface square contour (0,0) (1,0) (1,1) (0,1)")
    metres.do("create block cube")
    sides = ["rotate 90,0,0", "rotate 90,0,0 translate 0,1,0", "rotate 0,-90,0", "rotate 0,-90,0 translate 1,0,0",
             "translate 0,0,0.5", "translate 0,0,1.5"]  # fmt: skip
    for number, side in enumerate(sides):
        up = side if side.startswith("translate") else f"{side} translate 0,0,0.5"
        metres.do(f"copy square as side{number} {up}")
        assert isinstance(surface(metres, f"side{number}"), NurbsPatch)
        metres.do(f"attach side{number} to cube")
    assert metres.do("measure cube").volume == pytest.approx(1.0, rel=1e-6)
    assert metres.do("measure cube").centroid == pytest.approx((0.5, 0.5, 1.0))


def test_patches_and_curves_are_mapped_by_their_control_points(metres):
    metres.do("create patch sheet (0,0,0) (0,1,0) (0,2,0) row (1,0,0) (1,1,1) (1,2,0) row (2,0,0) (2,1,0) (2,2,0)")
    metres.do("trim patch sheet disc 0.4 at 0.5,0.5")
    metres.do("create curve arch through (0,0,0) (1,0,1) (2,0,0)")
    words = "scale 2,1,-1 rotate 0,90,0 translate 0,0,3"
    metres.do(f"copy sheet as sheet2 {words}")
    metres.do(f"copy arch as arch2 {words}")
    first, second = surface(metres, "sheet"), surface(metres, "sheet2")
    assert isinstance(first, NurbsPatch)
    assert isinstance(second, NurbsPatch)
    assert first.trim == second.trim

    def there(point):
        x, y, z = point
        return -z, y, -2 * x + 3

    one, two = NurbsSurface.from_patch(first), NurbsSurface.from_patch(second)
    for u, v in ((0.1, 0.7), (0.5, 0.5), (1.0, 0.0)):
        assert two.at(u, v) == pytest.approx(there(one.at(u, v)), abs=1e-12)
    for t in (0.0, 0.3, 1.0):
        at = metres.do(f"evaluate arch {t}").point
        assert metres.do(f"evaluate arch2 {t}").point == pytest.approx(there(at), abs=1e-12)


@pytest.mark.parametrize(
    "line",
    [
        "extrude thing ring 1",
        "sweep thing ring on arch",
        "combine thing union a b",
    ],
)
def test_a_copy_of_what_is_made_by_an_operation_is_moved_once(metres, line):
    for setting in (
        "create surface ring disc 0.3 bore 0.1",
        "create curve arch line (0,0,0) (0,0,2)",
        "create block a box 1 1 1",
        "create block b box 1 1 2",
        line,
        "copy thing as moved translate 10,0,0",
    ):
        metres.do(setting)
    before, after = metres.do("measure block thing"), metres.do("measure block moved")
    assert after.volume == pytest.approx(before.volume, rel=1e-6)
    assert np.array(after.centroid) - before.centroid == pytest.approx((10, 0, 0), abs=1e-6)


def test_what_has_no_shape_says_what_to_do(metres):
    metres.do("create block hollow")
    with pytest.raises(Refused, match="has no shape and no relations that a transformation could change; attach the"):
        metres.do("copy hollow as other scale 2,2,2")


def test_a_copy_survives_the_text_form(metres, tmp_path):
    metres.do("create block ball sphere 1")
    metres.do("copy ball as egg scale 1,2,3")
    metres.do(SLOT)
    metres.do("copy slot as tilted rotate 90,0,0")
    metres.do(f"save {tmp_path / 'a.celltext'}")
    subprocess.run(
        [sys.executable, "-m", "workcell", "convert", tmp_path / "a.celltext", tmp_path / "b.cell"],
        check=True, capture_output=True,
    )  # fmt: skip
    with Cell.open(tmp_path / "b.cell") as other:
        assert other.do("measure egg").volume == pytest.approx(8.0 * math.pi, rel=1e-6)
        assert surface(other, "tilted") == surface(metres, "tilted")


def test_the_patch_surface_of_a_faceted_solid_has_the_name_that_is_given(metres):
    made = metres.do("facet cylinder drum 1 2 8 patch stave")
    assert made.surfaces == ("stave", "drum-cap")
    assert metres.database.find("surface", "unit_square") is None
    metres.do("create surface profile contour (0,0) (1,0) (0,1)")
    assert metres.do("facet extrusion bar profile 2 patch stave").surfaces == ()
    assert metres.do("measure bar").volume == pytest.approx(1.0, rel=1e-9)
    metres.do("modify surface stave name plank")
    assert metres.do("measure drum").volume == pytest.approx(8 * math.sin(math.pi / 4), rel=1e-9)
    metres.do("create surface other disc 1")
    with pytest.raises(Refused, match=r"Surface 'other' is not a square of one metre.*give another name"):
        metres.do("facet cylinder tin 1 2 8 patch other")
    assert metres.database.find("block", "tin") is None


def test_the_scale_of_a_sweep_follows_a_curve(metres):
    metres.do("create surface disc1 disc 1")
    metres.do("sweep horn disc1 control (0,0,0) (0,0,2) scale-through (1,1,1) (2,2,1) (1,1,1)")
    # Through 1, 2, 1 at even parameters goes the parabola 1 + 4 t (1 − t); the radius is that.
    t = np.polynomial.Polynomial([1, 4, -4])
    volume = math.pi * 2.0 * ((t * t).integ()(1.0) - (t * t).integ()(0.0))
    assert metres.do("measure horn").volume == pytest.approx(volume, rel=1e-5)
    metres.do("reshape block horn end-scale 2,2,1")
    assert metres.do("measure horn").volume == pytest.approx(math.pi * 2.0 * 7.0 / 3.0, rel=1e-5)
    metres.do("reshape block horn scale-through (1,1,1) (2,2,1) (1,1,1)")
    assert metres.do("measure horn").volume == pytest.approx(volume, rel=1e-5)


def test_the_direction_of_a_sweep_follows_a_curve(metres):
    metres.do("create surface bar contour (-0.2,-0.1) (0.2,-0.1) (0.2,0.1) (-0.2,0.1)")
    metres.do("sweep plain bar control (0,0,0) (0,0,2) direction 1,0,0")
    metres.do("sweep turning bar control (0,0,0) (0,0,2) direction-through (1,0,0) (1,1,0)")
    assert metres.do("measure turning").volume == pytest.approx(metres.do("measure plain").volume, rel=1e-4)
    # Turned from 0 to 45° the bar is less slender about y than one that is not turned, and has a product of inertia.
    turned, plain = (np.array(metres.do(f"measure {name}").inertia) for name in ("turning", "plain"))
    assert abs(plain[0, 1]) < 1e-9 < 1e-4 < abs(turned[0, 1])
    with pytest.raises(Exception, match="Give either `direction` or `direction-through`"):
        metres.do("sweep both bar control (0,0,0) (0,0,2) direction 1,0,0 direction-through (1,0,0) (1,1,0)")


def test_an_oval_is_shown_with_its_curved_edges(metres):
    metres.do("create surface ring disc 1")
    metres.do("copy ring as oval scale 2,1,1")
    assert "contour: (2, 0) spline (2, 1) (0, 1) spline (-2, 1)" in str(metres.do("show oval"))
