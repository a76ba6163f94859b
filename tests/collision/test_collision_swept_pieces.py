"""Distances by convex pieces are those of the triangles, and what pieces keep along a step is kept by the triangles."""

from __future__ import annotations

import numpy as np
import pytest
from collision_cells import (
    ball_mesh,
    beam_mesh,
    box_mesh,
    brute_distance,
    cell_of,
    mesh_of,
    placed_triangles,
    prism_mesh,
)

from shares import share
from workcell.collision._kernels_distances import body_gap
from workcell.collision._kernels_meshes import new_small, new_tools
from workcell.collision._kernels_swept import cap_for, widen
from workcell.collision._kernels_swept_pieces import ASK_TRIANGLES, TOO_NEAR, pieces_kept
from workcell.collision.bodies import CollisionModel, collision_model
from workcell.collision.proof_codes import LEAST_MET, TIGHTNESS
from workcell.geometry.mesh import Mesh, merge
from workcell.spatial.pose import Pose

CONVEX = ("box", "large", "ball", "beam")


def solids() -> dict[str, Mesh]:
    """Closed shapes: convex ones, one with a notch, one of three pieces, and one with a cavity."""
    hollow, cavity = box_mesh(0.5, 0.5, 0.5), box_mesh(0.4, 0.4, 0.4)
    return {
        "box": box_mesh(0.2, 0.05, 0.1),
        "large": box_mesh(0.6, 0.5, 0.4),
        "ball": ball_mesh(0.12, 4),
        "beam": beam_mesh((0, 0, -0.3), (0, 0.1, 0.3), 0.05),
        "notched": prism_mesh([(0, 0), (0.3, 0), (0.08, 0.08), (0, 0.3)], 0.2),
        "cross": merge(
            [box_mesh(0.5, 0.06, 0.06), box_mesh(0.06, 0.5, 0.06), beam_mesh((0, 0, -0.2), (0, 0, 0.2), 0.05)]
        ),
        "hollow": merge([hollow, mesh_of(cavity.vertices, cavity.triangles[:, ::-1])]),
    }


def some() -> tuple[CollisionModel, dict[str, Mesh], tuple[object, ...], tuple[object, ...]]:
    snapshot, meshes = cell_of({}, {name: (mesh, Pose.identity()) for name, mesh in solids().items()})
    model = collision_model(snapshot, meshes=meshes)
    mesh, roots = model.packed
    return model, meshes, mesh, (roots, np.zeros(len(roots), dtype=np.int32), *model.seeds, model.pieces)


def somewhere(rng: np.random.Generator, reach: float) -> Pose:
    return Pose.from_xyz(*rng.uniform(-reach, reach, 3)) @ Pose.from_axis_angle(rng.normal(size=3), rng.uniform(0, 3))


def as_row(pose: Pose) -> np.ndarray:
    return np.concatenate([pose.matrix[:3, :3].reshape(9), pose.matrix[:3, 3]])


def test_the_distance_of_two_bodies_is_that_of_their_triangles() -> None:
    rng = np.random.default_rng(2)
    model, meshes, mesh, bodies = some()
    tools, out = new_tools(), new_small()[3]
    by_pieces = by_triangles = beyond = 0
    for _ in range(300):
        a, b = rng.choice(len(model.bodies), 2, replace=False)
        pose = somewhere(rng, 0.5)
        one, other = (meshes[model.bodies[k].name] for k in (a, b))
        distance = brute_distance(placed_triangles(one, np.eye(4)), placed_triangles(other, pose.matrix))
        cap = float(rng.choice([0.05, 0.3, np.inf]))
        found, apart = body_gap(mesh, bodies, a, b, as_row(pose), cap, tools, out)
        assert apart <= distance + 1e-12
        if distance > cap:
            beyond += 1
            assert found == cap
            continue
        assert abs(found - distance) <= 1e-12
        assert abs(np.linalg.norm(out[3:6] - out[:3]) - distance) <= 1e-11
        if distance > 0.0:
            by_pieces += out[7] < 0
            by_triangles += out[7] >= 0
    assert by_pieces > 40
    assert by_triangles > 20
    assert beyond > 20


def moved(triangles: np.ndarray, field: np.ndarray, part: float) -> np.ndarray:
    return triangles + part * (field[:3] + np.cross(field[3:], triangles))


@pytest.mark.sampled
def test_what_pieces_keep_along_their_steps_the_triangles_keep() -> None:
    rng = np.random.default_rng(4)
    model, meshes, _, bodies = some()
    tools, out = new_tools(), new_small()[3]
    ways = rng.normal(size=(3000, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    kept_some = too_near = asked = 0
    for _ in range(share(250)):
        a, b = rng.choice(len(model.bodies), 2, replace=False)
        names = [model.bodies[k].name for k in (a, b)]
        pose, both = somewhere(rng, 0.6), bool(rng.integers(2))
        flow = np.zeros(33)
        flow[:6] = rng.uniform(-0.08, 0.08, 6)
        flow[6:12] = rng.uniform(-0.08, 0.08, 6) if both else 0.0
        rel = as_row(pose)
        widen(rel, flow, both)
        aim = np.array([rng.choice([0.01, 0.1]), 0.5, 1e-5, np.inf, 0.0, np.inf, np.inf])
        kept = pieces_kept(bodies, a, b, rel, flow, both, 0.0, aim, 0.0, 0.0, False, tools, out)
        need = cap_for(aim, 0.0, 0.0, False)
        assert aim[TIGHTNESS] == 0.5
        one = placed_triangles(meshes[names[0]], np.eye(4)).reshape(-1, 3, 3)
        other = placed_triangles(meshes[names[1]], pose.matrix).reshape(-1, 3, 3)
        asked += kept == ASK_TRIANGLES
        if kept >= 0.0:
            kept_some += 1
            assert kept >= need
            for part in (-1.0, -0.4, 0.0, 0.7, 1.0):
                apart = brute_distance(moved(one, flow[:6], part), moved(other, flow[6:12], part))
                assert apart >= kept - 1e-12
        elif kept == TOO_NEAR:
            too_near += 1
            assert brute_distance(one, other) <= out[6] + 1e-12
            assert aim[LEAST_MET] <= out[6]
            if names[0] in CONVEX and names[1] in CONVEX:
                # No direction shows the whole of the two apart over the whole of their steps.
                ends = [
                    (moved(one, flow[:6], s).reshape(-1, 3), moved(other, flow[6:12], s).reshape(-1, 3))
                    for s in (-1.0, 1.0)
                ]
                shown = np.min([(q @ ways.T).min(axis=0) - (p @ ways.T).max(axis=0) for p, q in ends], axis=0)
                assert shown.max() < need * 1.02 + 1e-9
    assert kept_some > share(60)
    assert too_near > share(15)
    assert asked > share(10)
