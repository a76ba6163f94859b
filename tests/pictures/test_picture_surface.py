from __future__ import annotations

import gc
import math
import weakref

import numpy as np
from hand_made import make_box, make_cylinder, make_sphere
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.geometry.mesh import SWEPT, Mesh
from workcell.pictures.surface import FEATURE, INNER, SMOOTH, STEP, mesh_table, surface_of


def unnamed(mesh: Mesh) -> Mesh:
    """The same triangles as one face without named edges, as a scanned file has them."""
    return Mesh(mesh.vertices, mesh.triangles, np.zeros(len(mesh.triangles)))


@given(st.integers(16, 48), st.floats(0.1, 2.0), st.floats(0.1, 2.0))
@settings(max_examples=20)
def test_normals_of_a_cylinder_are_radial_on_its_side_and_level_on_its_ends(n: int, r: float, h: float) -> None:
    for mesh in (make_cylinder(r, h, n), unnamed(make_cylinder(r, h, n))):
        normals = surface_of(mesh).normals.astype(float)
        points = mesh.vertices[mesh.triangles]
        flat = np.abs(mesh.normals[:, 2]) > 0.5
        assert np.allclose(normals[flat], mesh.normals[flat][:, None], atol=1e-6)
        radial = points[~flat] * (1.0, 1.0, 0.0) / r
        assert np.allclose(normals[~flat], radial, atol=1e-6)


def test_normals_of_a_sphere_are_radial() -> None:
    mesh = make_sphere(0.5, 48)
    normals = surface_of(mesh).normals.astype(float)
    radial = mesh.vertices[mesh.triangles] / 0.5
    assert np.einsum("ijk,ijk->ij", normals, radial).min() > math.cos(math.radians(1.5))


def test_a_box_has_twelve_edges_and_six_diagonals() -> None:
    for mesh in (make_box(), unnamed(make_box())):
        surface = surface_of(mesh)
        assert (surface.kinds == FEATURE).sum() == 12
        assert (surface.kinds == INNER).sum() == 6
        assert (surface.sides >= 0).all()
        assert surface.closed
        assert np.allclose(surface.normals, mesh.normals[:, None])


def test_a_cylinder_has_two_rims_and_smooth_seams() -> None:
    surface = surface_of(make_cylinder(sides=24))
    assert (surface.kinds == FEATURE).sum() == 48
    assert (surface.kinds == SMOOTH).sum() == 24


def test_open_edges_and_edges_of_three_triangles_are_features() -> None:
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, -1, 0]], dtype=float)
    fan = Mesh(vertices, [[0, 1, 2], [1, 0, 3], [0, 1, 4]], [0, 0, 0])
    surface = surface_of(fan)
    assert not surface.closed
    assert (surface.kinds == FEATURE).all()
    assert len(surface.segments) == 8  # six open ones, and the shared one as a pair and a rest
    assert sorted(surface.sides.max(axis=1).tolist()) == [0, 0, 1, 1, 1, 2, 2, 2]


def test_feature_edges_that_are_no_triangle_edges_are_drawn_too() -> None:
    mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 5]], [[0, 1, 2]], [0], edges=[[2, 3], [0, 1]])
    surface = surface_of(mesh)
    loose = (surface.sides < 0).all(axis=1)
    assert surface.segments[loose].tolist() == [[2, 3]]
    only_edges = Mesh([[0, 0, 0], [1, 0, 0]], np.empty((0, 3)), np.empty(0), edges=[[0, 1]])
    assert surface_of(only_edges).kinds.tolist() == [FEATURE]


def test_a_mesh_table_is_shared_and_lets_its_meshes_go() -> None:
    one, two = make_box(), make_cylinder()
    both = mesh_table([one, two, one])
    assert mesh_table([one, two, one]) is both
    assert len(both.triangles) == 2 * 12 + len(two.triangles)
    assert both.item_of_triangle[[0, 12, -1]].tolist() == [0, 1, 2]
    part = slice(both.triangle_starts[2], both.triangle_starts[3])
    assert np.array_equal(both.vertices[both.triangles[part]], one.vertices[one.triangles])
    watch = weakref.ref(two)
    del two, both
    for _ in range(4):
        mesh_table([make_box(), make_box()])
    gc.collect()
    assert watch() is None


def test_a_triangle_of_no_area_draws_no_edges() -> None:
    """A face cut at a point on its border leaves a sliver whose three corners lie on a line."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 1, 0], [1, -1, 0]], dtype=float)
    mesh = Mesh(vertices, [[0, 2, 3], [0, 1, 2], [0, 4, 1], [1, 4, 2]], np.zeros(4), edges=[[2, 3], [3, 0]])
    surface = surface_of(mesh)
    kinds = {tuple(sorted(s)): k for s, k in zip(surface.segments.tolist(), surface.kinds.tolist(), strict=True)}
    assert kinds[0, 2] == kinds[0, 1] == kinds[1, 2] == INNER
    assert kinds[2, 3] == kinds[0, 3] == kinds[0, 4] == FEATURE
    inner = [i for i, s in enumerate(surface.segments.tolist()) if sorted(s) == [0, 2]]
    assert surface.sides[inner[0]].tolist() == [0, -1]


def test_the_creases_of_a_swept_face_are_no_edges() -> None:
    box = make_box()
    swept = Mesh(box.vertices, box.triangles, np.zeros(len(box.triangles)), (SWEPT,))
    assert (surface_of(unnamed(box)).kinds == FEATURE).sum() == 12
    found = surface_of(swept)
    assert (found.kinds == STEP).all()
    corner = box.vertices[box.triangles[0, 0]]
    assert np.allclose(found.normals[0, 0], corner / np.linalg.norm(corner), atol=1e-6)
