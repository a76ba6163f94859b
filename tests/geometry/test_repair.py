"""Repaired meshes: what was broken is whole again, what was whole stays as it is."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from workcell.geometry import solids
from workcell.geometry.hole_filling import filled, loops
from workcell.geometry.mesh import Mesh
from workcell.geometry.properties import of_mesh
from workcell.geometry.repair import repaired


def sphere() -> Mesh:
    return solids.sphere(0.1).mesh(2e-3)


def box() -> Mesh:
    return solids.box(0.3, 0.2, 0.1).mesh()


def only(mesh: Mesh, kept: np.ndarray) -> Mesh:
    return dataclasses.replace(mesh, triangles=mesh.triangles[kept], face_of_triangle=mesh.face_of_triangle[kept])


def with_more(mesh: Mesh, triangles: np.ndarray) -> Mesh:
    faces = np.concatenate([mesh.face_of_triangle, np.zeros(len(triangles), dtype=np.int32)])
    return dataclasses.replace(mesh, triangles=np.concatenate([mesh.triangles, triangles]), face_of_triangle=faces)


@pytest.mark.parametrize("make", [sphere, box])
def test_a_mesh_without_faults_comes_back_as_it_is(make) -> None:
    mesh = make()
    again, changes = repaired(mesh)
    assert again == mesh
    assert changes.remarks == ()


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_broken_at_once_is_whole_again(seed: int) -> None:
    """Triangles taken out, doubled, turned and loosened in a box: its volume and its box come back."""
    rng = np.random.default_rng(seed)
    mesh = solids.box(*rng.uniform(0.05, 0.4, 3)).mesh()
    count = len(mesh.triangles)
    gone = rng.choice(count, 2, replace=False)
    broken = only(mesh, np.setdiff1d(np.arange(count), gone))
    twice = broken.triangles[rng.choice(len(broken.triangles), 3, replace=False)]
    broken = with_more(broken, np.concatenate([twice, twice[:1, ::-1]]))
    turned = rng.random(len(broken.triangles)) < 0.4
    triangles = np.where(turned[:, None], broken.triangles[:, ::-1], broken.triangles)
    loose = broken.vertices[triangles].reshape(-1, 3)
    loose = loose + rng.uniform(-1, 1, loose.shape) * 1e-10
    soup = Mesh(loose, np.arange(len(loose)).reshape(-1, 3), broken.face_of_triangle, broken.face_names)
    whole, changes = repaired(soup)
    assert whole.closed
    assert of_mesh(whole).volume == pytest.approx(of_mesh(mesh).volume, rel=1e-6)
    assert whole.bounds == pytest.approx(np.array(mesh.bounds), abs=1e-9)
    assert changes.merged > 0
    assert changes.doubled == 4
    assert changes.holes
    assert changes.left == 0
    again, none = repaired(whole)
    assert none.remarks == ()
    assert again == whole


def test_a_large_round_hole_and_a_large_flat_one_are_closed() -> None:
    ball = sphere()
    centres = ball.vertices[ball.triangles].mean(axis=1)
    cut, changes = repaired(only(ball, centres[:, 2] < 0.05))
    assert cut.closed
    assert len(changes.holes) == 1
    assert of_mesh(cut).volume < of_mesh(ball).volume
    disc = solids.cylinder(0.1, 0.05).mesh(1e-6)
    top = np.array([name == "top" for name in disc.face_names])[disc.face_of_triangle]
    lidless = only(disc, ~top)
    assert max(map(len, loops(lidless))) > 120
    lid, changes = repaired(lidless)
    assert lid.closed
    assert of_mesh(lid).volume == pytest.approx(of_mesh(disc).volume, rel=1e-9)


def test_two_holes_that_touch_in_a_corner_are_two() -> None:
    mesh = box()
    corner = mesh.triangles[0, 0]
    around = np.flatnonzero((mesh.triangles == corner).any(axis=1))
    shared = [
        (a, b) for a in around for b in around if a < b and len(set(mesh.triangles[a]) & set(mesh.triangles[b])) == 1
    ]
    a, b = shared[0]
    holed = only(mesh, np.setdiff1d(np.arange(len(mesh.triangles)), [a, b]))
    assert sorted(map(len, loops(holed))) == [3, 3]
    patches, holes = filled(holed)
    assert holes == (3, 3)
    assert {tuple(sorted(t)) for t in patches.tolist()} == {tuple(sorted(mesh.triangles[i].tolist())) for i in (a, b)}


def test_a_sheet_that_two_solids_share_is_left_and_reported() -> None:
    mesh = box()
    fin = np.array([[*mesh.triangles[0, :2], len(mesh.vertices)]])
    odd = with_more(dataclasses.replace(mesh, vertices=np.vstack([mesh.vertices, [0.0, 0.0, 1.0]])), fin)
    whole, changes = repaired(odd)
    assert changes.left
    assert "left open" in changes.remarks[-1]
    assert len(whole.triangles) == len(odd.triangles)
