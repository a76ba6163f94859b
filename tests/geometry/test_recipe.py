from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.errors import InvalidValue
from workcell.geometry import recipe as r
from workcell.geometry import solids
from workcell.spatial.pose import Pose

sizes = st.floats(0.01, 10.0)
leaves = st.one_of(
    st.builds(r.Box, sizes, sizes, sizes),
    st.builds(r.Cylinder, sizes, sizes),
    st.builds(r.Sphere, sizes),
)
poses = st.builds(
    lambda xyz, angles: tuple(Pose.from_xyz_angles(xyz, angles, "kuka_abc").matrix[:3].reshape(-1).tolist()),
    st.tuples(sizes, sizes, sizes),
    st.tuples(sizes, sizes, sizes),
)
recipes = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(r.placed, inner, poses),
        st.builds(r.united, inner, inner),
        st.builds(r.cut, inner, inner),
        st.builds(r.intersected, inner, inner),
        st.builds(r.Named, inner, st.sampled_from(["base", "pin 2", "a_b"])),
    ),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(recipes)
def test_save_then_load_is_the_identity_and_keeps_the_hash(recipe):
    again = r.decode(r.encode(recipe))
    assert again == recipe
    assert r.encode(again) == r.encode(recipe)
    assert r.recipe_hash(again) == r.recipe_hash(recipe)


def test_whole_numbers_and_floats_make_the_same_shape():
    assert r.recipe_hash(r.Box(1, 2, 3)) == r.recipe_hash(r.Box(1.0, 2.0, 3.0))
    assert r.recipe_hash(r.Box(1, 2, 3)) != r.recipe_hash(r.Box(1, 2, 4))


@pytest.mark.parametrize("size", [0, -1, math.nan, math.inf, 1e9, "wide", True])
def test_a_size_that_is_none_is_refused_by_its_name(size):
    with pytest.raises(InvalidValue, match="The radius of a cylinder"):
        solids.cylinder(size, 1.0)


def test_text_that_is_no_recipe_is_refused_saying_where():
    with pytest.raises(InvalidValue, match="not a solid's recipe"):
        r.decode(b"hello")
    with pytest.raises(InvalidValue, match=r"radius"):
        r.decode(b'{"kind":"sphere"}')
    with pytest.raises(InvalidValue, match="greater than zero"):
        r.decode(b'{"kind":"sphere","radius":-1}')
    with pytest.raises(InvalidValue, match="wedge"):
        r.decode(b'{"kind":"sphere","radius":1,"wedge":2}')


def test_chains_of_equal_operations_are_fused():
    part = solids.box(1, 1, 1)
    for _ in range(3):
        part = part - solids.sphere(0.1)
    assert isinstance(part.recipe, r.Difference)
    assert len(part.recipe.tools) == 3
    assert len((solids.box(1, 1, 1) + solids.sphere(1) + solids.sphere(2)).recipe.members) == 3


def test_placing_twice_is_placing_once_and_placing_nowhere_is_nothing():
    a, b = Pose.from_xyz(1, 2, 3), Pose.from_axis_angle((0, 0, 1), 0.5)
    twice = solids.sphere(1).moved(a).moved(b)
    assert isinstance(twice.recipe, r.Placed)
    assert isinstance(twice.recipe.part, r.Sphere)
    assert twice.recipe.matrix == pytest.approx((b @ a).matrix[:3].reshape(-1))
    assert solids.sphere(1).moved(Pose.identity()) == solids.sphere(1)


def test_a_torus_that_would_cross_itself_and_a_flattening_placement_are_refused():
    with pytest.raises(InvalidValue, match="so that it does not cross itself"):
        solids.torus(1.0, 1.0)
    with pytest.raises(InvalidValue, match="determinant is zero"):
        r.Placed(r.Sphere(1.0), (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0))
    with pytest.raises(InvalidValue, match="determinant is zero"):
        r.Placed(r.Sphere(1.0), (1e3, 1e3, 0, 0, 1e3, 1e3, 0, 0, 0, 0, 1e3, 0))
    assert solids.ellipsoid(5e-5, 5e-5, 5e-5).volume == pytest.approx(4.0 / 3.0 * math.pi * 5e-5**3)


def test_making_a_solid_touches_no_kernel():
    import subprocess
    import sys

    code = (
        "import sys; from workcell.geometry import solids; s = solids.box(1,1,1) - solids.sphere(.2); s.hash\n"
        "bad = [m for m in ('OCP', 'scipy', 'numba', 'manifold3d', 'trimesh') if m in sys.modules]; print(bad)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "make",
    [
        lambda: solids.cylinder(1, 1, facets=100_000),
        lambda: solids.sphere(1, facets=(50, 50)),
        lambda: solids.torus(1, 0.2, facets=(100, 100)),
        lambda: solids.cone(1, 1, facets=3001),
    ],
)
def test_too_many_facets_are_refused_before_they_are_made(make):
    with pytest.raises(InvalidValue, match="at most 3000 facets; found"):
        make()
