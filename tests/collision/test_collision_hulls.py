"""Convex hulls as a quick test: they hold every corner, and what they separate is apart."""

from __future__ import annotations

import numpy as np
import pytest
from collision_cells import ball_mesh, box_mesh, brute_distance, cell_of, clutter, mesh_of, placed_triangles, prism_mesh

from workcell.collision._kernels_hulls import hulls_apart
from workcell.collision.bodies import collision_model
from workcell.collision.hulls import hull_corners
from workcell.geometry.mesh import Mesh
from workcell.spatial.pose import Pose


def shapes() -> dict[str, Mesh]:
    rng = np.random.default_rng(0)
    lumps = ball_mesh(1.0, 12)
    corners = lumps.vertices * rng.uniform(0.4, 1.0, (len(lumps.vertices), 1))
    notched = prism_mesh([(0, 0), (1, 0), (0.25, 0.25), (0, 1)], 0.3)
    flat = mesh_of([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)])
    many = rng.normal(size=(30, 3))
    fan = mesh_of(np.column_stack([many[:, :2], np.zeros(30)]), [(0, k, k + 1) for k in range(1, 29)])
    ball, box = ball_mesh(2.0, 8), box_mesh(1, 2, 3)
    return {
        "lumps": mesh_of(corners, lumps.triangles),
        "notched": notched,
        "flat": flat,
        "fan": fan,
        "ball": ball,
        "box": box,
    }


@pytest.mark.parametrize("name", sorted(shapes()))
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_hull_reaches_as_far_as_the_mesh_in_every_direction(name: str, scale: float) -> None:
    mesh = shapes()[name]
    triangles = scale * mesh.vertices[mesh.triangles].reshape(-1, 9)
    found = hull_corners(triangles)
    assert len(found) % 4 == 0
    corners = triangles.reshape(-1, 3)
    ways = np.random.default_rng(1).normal(size=(2000, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    assert np.abs((found @ ways.T).max(axis=0) - (corners @ ways.T).max(axis=0)).max() <= 1e-11 * scale


def test_a_concave_mesh_has_a_hull_of_fewer_corners() -> None:
    mesh = shapes()["lumps"]
    found = hull_corners(mesh.vertices[mesh.triangles].reshape(-1, 9))
    assert 4 <= len(np.unique(found, axis=0)) < 0.6 * len(mesh.vertices)


@pytest.mark.parametrize("need", [2e-9, 0.03])
def test_hulls_that_are_found_apart_belong_to_bodies_that_are(need: float) -> None:
    rng = np.random.default_rng(3)
    snapshot, meshes = cell_of({}, clutter(rng, 12))
    model = collision_model(snapshot, meshes=meshes)
    mesh, roots = model.packed
    bodies = (roots, np.zeros(len(roots), dtype=np.int32), *model.seeds, *model.hulls)
    apart = close = 0
    for _ in range(400):
        a, b = rng.choice(len(roots), 2, replace=False)
        pose = Pose.from_xyz(*rng.uniform(-0.3, 0.3, 3)) @ Pose.from_axis_angle(rng.normal(size=3), rng.uniform(0, 3))
        rel = np.concatenate([pose.matrix[:3, :3].reshape(9), pose.matrix[:3, 3]])
        one, other = (meshes[model.bodies[k].name] for k in (a, b))
        distance = brute_distance(placed_triangles(one, np.eye(4)), placed_triangles(other, pose.matrix))
        if hulls_apart(bodies, mesh[0], a, b, rel, need):
            apart += 1
            assert distance > need
        close += distance <= need
    assert apart > 60
    assert close > 30
