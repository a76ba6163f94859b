"""Convex pieces as a quick test: they hold every corner, and what they show of two bodies is true of the surfaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from collision_cells import (
    ball_mesh,
    beam_mesh,
    box_mesh,
    brute_distance,
    brute_inside,
    cell_of,
    clutter,
    mesh_of,
    placed_triangles,
    prism_mesh,
)
from scipy.optimize import linprog

from shares import share
from workcell.collision._kernels_convex import APART, MEET, UNSURE, gap_of, pieces_gap, pieces_meet
from workcell.collision._kernels_meshes import new_small, new_tools, pair_within
from workcell.collision.bodies import CollisionModel, collision_model
from workcell.collision.pieces import hull_corners
from workcell.collision.tree import tree_of
from workcell.geometry.mesh import Mesh, merge
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


def given(model: CollisionModel) -> tuple[Any, Any]:
    """The packed meshes of a model, and its bodies as the kernels take them."""
    mesh, roots = model.packed
    return mesh, (roots, np.zeros(len(roots), dtype=np.int32), *model.seeds, model.pieces)


def as_row(pose: Pose) -> np.ndarray:
    return np.concatenate([pose.matrix[:3, :3].reshape(9), pose.matrix[:3, 3]])


def somewhere(rng: np.random.Generator, reach: float) -> Pose:
    turn = Pose.from_axis_angle(rng.normal(size=3), rng.uniform(0, 3))
    return Pose.from_xyz(*rng.uniform(-reach, reach, 3)) @ turn


def inside(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether a corner of the first triangles lies inside the second ones."""
    return brute_inside(one[0, 0], other)


def solids(rng: np.random.Generator) -> dict[str, Mesh]:
    """Closed shapes, convex and not, in one piece and in several, small ones that fit into large ones among them."""
    hollow, cavity = box_mesh(0.5, 0.5, 0.5), box_mesh(0.4, 0.4, 0.4)
    inward = mesh_of(cavity.vertices, cavity.triangles[:, ::-1])
    return {
        "box": box_mesh(*rng.uniform(0.02, 0.3, 3)),
        "large": box_mesh(0.6, 0.5, 0.4),
        "ball": ball_mesh(0.12, 4),
        "small ball": ball_mesh(0.03, 4),
        "notched": prism_mesh([(0, 0), (0.3, 0), (0.08, 0.08), (0, 0.3)], 0.2),
        "cross": merge(
            [box_mesh(0.5, 0.06, 0.06), box_mesh(0.06, 0.5, 0.06), beam_mesh((0, 0, -0.2), (0, 0, 0.2), 0.05)]
        ),
        "hollow": merge([hollow, inward]),
    }


@pytest.mark.sampled
@pytest.mark.parametrize("need", [2e-9, 0.03])
def test_pieces_that_are_found_apart_belong_to_bodies_that_are(need: float) -> None:
    rng = np.random.default_rng(3)
    snapshot, meshes = cell_of({}, clutter(rng, 12))
    model = collision_model(snapshot, meshes=meshes)
    _, bodies = given(model)
    tools = new_tools()
    apart = close = 0
    for _ in range(share(150)):
        a, b = rng.choice(len(model.bodies), 2, replace=False)
        pose = somewhere(rng, 0.3)
        rel = as_row(pose)
        one, other = (meshes[model.bodies[k].name] for k in (a, b))
        distance = brute_distance(placed_triangles(one, np.eye(4)), placed_triangles(other, pose.matrix))
        found = pieces_gap(bodies, a, b, rel, np.abs(rel[:9]), 2.0 * need, need, tools[7])
        assert found <= distance + 1e-12
        if found > need:
            apart += 1
            assert distance > need
        close += distance <= need
    assert apart > share(20)
    assert close > share(10)


@pytest.mark.sampled
@pytest.mark.parametrize("margin", [0.0, 0.02])
def test_what_pieces_show_is_true_of_the_surfaces(margin: float) -> None:
    rng = np.random.default_rng(5)
    shapes = solids(rng)
    snapshot, meshes = cell_of({}, {name: (mesh, Pose.identity()) for name, mesh in shapes.items()})
    model = collision_model(snapshot, meshes=meshes)
    _, bodies = given(model)
    tools = new_tools()
    counts = {APART: 0, MEET: 0, UNSURE: 0}
    for _ in range(share(250)):
        a, b = rng.choice(len(model.bodies), 2, replace=False)
        pose = somewhere(rng, 0.35)
        rel = as_row(pose)
        one = placed_triangles(meshes[model.bodies[a].name], np.eye(4))
        other = placed_triangles(meshes[model.bodies[b].name], pose.matrix)
        found = pieces_meet(bodies, a, b, rel, np.abs(rel[:9]), margin, tools[7])
        counts[found] += 1
        if found == APART:
            assert brute_distance(one, other) > margin
            assert not inside(one, other)
            assert not inside(other, one)
        elif found == MEET:
            assert brute_distance(one, other) <= margin
    assert min(counts.values()) > share(20)


def test_a_body_in_a_cavity_is_free_and_one_in_the_solid_is_inside() -> None:
    shapes = solids(np.random.default_rng(0))
    snapshot, meshes = cell_of({}, {name: (mesh, Pose.identity()) for name, mesh in shapes.items()})
    model = collision_model(snapshot, meshes=meshes)
    mesh, bodies = given(model)
    tools, small = new_tools(), new_small()

    def kind(one: str, other: str, x: float) -> int:
        a, b = model.index[one], model.index[other]
        rel = as_row(Pose.from_xyz(x, 0.0, 0.0))
        return pair_within(mesh, bodies, a, b, rel, small[1], 0.0, tools, small[2], small[3])

    assert kind("hollow", "small ball", 0.1) == 0
    assert kind("hollow", "small ball", 0.2) == 1
    assert kind("large", "small ball", 0.1) == 2
    assert kind("small ball", "large", 0.1) == 2
    assert kind("large", "small ball", 0.3) == 1


def test_a_shell_of_a_box_is_convex_and_a_notched_or_open_one_is_not() -> None:
    shapes = solids(np.random.default_rng(0))
    convex = {name: [piece.convex for piece in tree_of(mesh, name).pieces] for name, mesh in shapes.items()}
    assert convex["box"] == convex["ball"] == [True]
    assert convex["notched"] == [False]
    assert convex["cross"] == [True, True, True]
    # The wall of a cavity looks inward.
    assert convex["hollow"] == [True, False]
    opened = mesh_of(shapes["box"].vertices, shapes["box"].triangles[:-1])
    assert [piece.convex for piece in tree_of(opened, "opened").pieces] == [False]


@pytest.mark.parametrize("scale", [1e-3, 1.0, 100.0])
def test_the_distance_of_two_hulls_lies_between_what_was_found(scale: float) -> None:
    rng = np.random.default_rng(11)
    apart = meeting = 0
    for _ in range(100):
        one, other = (scale * rng.normal(size=(12, 3)) * rng.uniform(0.05, 1.0, 3) for _ in range(2))
        pose = Pose.from_xyz(*(scale * rng.uniform(-2, 2, 3))) @ somewhere(rng, 0.0)
        points = np.concatenate([one, other]).T.copy()
        S = np.zeros((6, 6))
        S[4, :3] = pose.matrix[:3, 3]
        low, high = gap_of(points, 0, 12, 12, 24, as_row(pose), np.inf, -1.0, 1e-9, S)
        assert low <= high * (1.0 + 1e-12)
        moved = other @ pose.matrix[:3, :3].T + pose.matrix[:3, 3]
        weights = linprog(
            np.zeros(24),
            A_eq=np.block(
                [
                    [one.T / scale, -moved.T / scale],
                    [np.ones((1, 12)), np.zeros((1, 12))],
                    [np.zeros((1, 12)), np.ones((1, 12))],
                ]
            ),
            b_eq=[0, 0, 0, 1, 1],
        )
        if high == 0.0:
            meeting += 1
            assert weights.success
        elif low > 1e-6 * scale:
            apart += 1
            assert not weights.success
            assert high - low <= 1e-6 * high
            way = S[4, :3]
            assert np.linalg.norm(way) == pytest.approx(1.0)
            assert (moved @ way).min() - (one @ way).max() == pytest.approx(low, rel=1e-9)
            # The point of the first hull, and that of the second, reach as far as the hulls do.
            assert S[5, 3:] @ way == pytest.approx((one @ way).max(), abs=1e-4 * scale)
            assert (S[5, 3:] + S[5, :3]) @ way == pytest.approx((moved @ way).min(), abs=1e-4 * scale)
    assert apart > 25
    assert meeting > 8
