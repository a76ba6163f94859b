"""Contacts and distances against brute force on triangles and against python-fcl."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from collision_cells import (
    arm,
    ball_mesh,
    box_mesh,
    brute_distance,
    brute_inside,
    cell_of,
    clutter,
    placed_triangles,
    prism_mesh,
)

from workcell.collision.batch import check_batch, first_contact
from workcell.collision.bodies import collision_model
from workcell.collision.check import check
from workcell.collision.clearance import clearance, clearance_of, clearances, distance_between
from workcell.collision.pairs import PairTable
from workcell.spatial.pose import Pose
from workcell.world.state import Attachment, CellState

CLOSE = 1e-6


def random_cell(kind, seed, count=8):
    rng = np.random.default_rng(seed)
    robot = arm(kind)
    snapshot, meshes = cell_of({"Arm": (robot, Pose.identity())}, clutter(rng, count))
    table = PairTable()
    for i in range(robot.n - 1):
        names = [body.name for body in snapshot.bodies]
        table = table.allow(names[i], names[i + 2], "their joints lie on one point")
    return collision_model(snapshot, table, meshes=meshes), meshes, rng


def joint_samples(model, rng, count):
    limits = model.snapshot.robots[0].robot.limits
    return rng.uniform(limits[:, 0], limits[:, 1], (count, len(limits)))


def oracle(model, meshes, state):
    """Every tested pair and its brute-force distance."""
    arrangement = model.arrangement(state)
    X = model.snapshot.body_poses(state)
    T = [placed_triangles(meshes[body.name], X[place]) for place, body in enumerate(model.bodies)]
    out = {}
    for a, b in zip(arrangement.first, arrangement.second, strict=True):
        distance = brute_distance(T[a], T[b])
        if distance > 0 and (brute_inside(T[a][0, 0], T[b]) or brute_inside(T[b][0, 0], T[a])):
            distance = 0.0
        out[model.bodies[a].name, model.bodies[b].name] = distance
    return out


@pytest.mark.parametrize("kind", ["elbow", "scara", "planar"])
def test_contacts_and_distances_agree_with_brute_force(kind):
    model, meshes, rng = random_cell(kind, 7, 4)
    for q in joint_samples(model, rng, 3):
        state = model.snapshot.initial.with_joints("Arm", q)
        wanted = oracle(model, meshes, state)
        found = {c.pair: c.distance for c in clearances(model, state)}
        assert found.keys() == wanted.keys()
        for pair, distance in wanted.items():
            assert found[pair] == pytest.approx(distance, abs=CLOSE), pair
        assert {c.pair for c in check(model, state).contacts} == {p for p, d in wanted.items() if d == 0.0}
        least = clearance(model, state)
        assert least.distance == pytest.approx(min(wanted.values()), abs=CLOSE)
        assert np.linalg.norm(least.points[0] - least.points[1]) == pytest.approx(least.distance, abs=CLOSE)


def fcl_scene(model):
    fcl = pytest.importorskip("fcl", reason="python-fcl is only a second oracle")
    objects = []
    for body in model.bodies:
        shape = fcl.BVHModel()
        T = body.tree.corners()
        shape.beginModel(len(T), 3 * len(T))
        shape.addSubModel(T.reshape(-1, 3), np.arange(3 * len(T)).reshape(-1, 3))
        shape.endModel()
        objects.append(fcl.CollisionObject(shape))
    return fcl, objects


def against_fcl(kind, seed, count):
    model, meshes, rng = random_cell(kind, seed)
    fcl, objects = fcl_scene(model)
    Q = joint_samples(model, rng, count)
    batch = check_batch(model, {"Arm": Q})
    arrangement = model.arrangement(model.snapshot.initial)
    poses = model.snapshot.body_poses_batch({"Arm": Q}, model.snapshot.initial)
    wrong = []
    for row, q in enumerate(Q):
        for place, thing in enumerate(objects):
            thing.setTransform(fcl.Transform(poses[row, place, :3, :3], poses[row, place, :3, 3]))
        touching = any(
            fcl.collide(objects[a], objects[b], fcl.CollisionRequest(), fcl.CollisionResult()) > 0
            for a, b in zip(arrangement.first, arrangement.second, strict=True)
        )
        if touching != batch.touching[row]:
            state = model.snapshot.initial.with_joints("Arm", q)
            # They may differ when one body is inside another, which FCL does not see, and within rounding.
            inside = any(c.kind == "inside" for c in check(model, state).contacts)
            least = min(oracle(model, meshes, state).values())
            if not (inside and not touching) and not (touching and least < CLOSE):
                wrong.append(row)
    assert wrong == []


@pytest.mark.parametrize("kind", ["elbow", "scara", "planar"])
def test_batches_agree_with_fcl(kind):
    against_fcl(kind, 11, 150)


@pytest.mark.soak
@pytest.mark.parametrize(("kind", "seed"), [*itertools.product(["elbow", "scara", "planar"], [1, 2])])
def test_batches_agree_with_fcl_on_twenty_thousand_states(kind, seed):
    against_fcl(kind, seed, 3334)


def test_distances_agree_with_coal():
    from workcell.collision import _coal

    model, _, rng = random_cell("elbow", 3)
    for q in joint_samples(model, rng, 10):
        state = model.snapshot.initial.with_joints("Arm", q)
        arrangement = model.arrangement(state)
        poses = arrangement.placed(state)
        for found in clearances(model, state):
            a, b = model.index[found.first], model.index[found.second]
            X_a, X_b = poses[arrangement.frame[a]], poses[arrangement.frame[b]]
            least, _, _ = _coal.distance(model.bodies[a].tree, X_a, model.bodies[b].tree, X_b)
            inside = found.distance == 0.0 and not _coal.touching(model.bodies[a].tree, X_a, model.bodies[b].tree, X_b)
            assert inside or found.distance == pytest.approx(least, abs=CLOSE)


def test_batch_single_and_states_give_the_same_answers():
    model, _, rng = random_cell("elbow", 5)
    Q = joint_samples(model, rng, 600)
    batch = check_batch(model, {"Arm": Q})
    assert 0 < batch.touching.sum() < len(Q)
    threads = check_batch(model, {"Arm": Q}, threads=2)
    assert np.array_equal(batch.touching, threads.touching)
    assert np.array_equal(batch.pairs, threads.pairs)
    states = [model.snapshot.initial.with_joints("Arm", q) for q in Q[:60]]
    assert np.array_equal(check_batch(model, states).touching, batch.touching[:60])
    for row, state in enumerate(states):
        first = check(model, state, first=True)
        assert bool(first) == batch.touching[row]
        if first:
            assert first.contacts[0].pair == batch.pair(row)
    row, found = first_contact(model, states)
    assert row == int(batch.touching[:60].argmax())
    assert found.contacts


# ---- two bodies ---------------------------------------------------------------------------------------


def two(first, second, at):
    snapshot, meshes = cell_of({}, {"one": (first, Pose.identity()), "other": (second, at)}, movable=("one",))
    return collision_model(snapshot, meshes=meshes), snapshot.initial


def test_one_inside_the_other_is_contact():
    for at in (Pose.identity(), Pose.from_xyz(0.1, -0.05, 0.02)):
        model, state = two(ball_mesh(0.05), box_mesh(1, 1, 1), at)
        found = check(model, state).contacts
        assert [c.kind for c in found] == ["inside"]
        assert clearance(model, state).distance == 0.0
        model, state = two(box_mesh(1, 1, 1), ball_mesh(0.05), at)
        assert [c.kind for c in check(model, state).contacts] == ["inside"]


def test_every_piece_of_a_body_counts_for_being_inside():
    from workcell.geometry.mesh import merge

    far = box_mesh(0.1, 0.1, 0.1, (3.0, 0.0, 0.0))
    near = box_mesh(0.1, 0.1, 0.1)
    model, state = two(merge([far, near]), box_mesh(1, 1, 1), Pose.identity())
    assert [c.kind for c in check(model, state).contacts] == ["inside"]


def test_a_body_in_a_cavity_is_free():
    from workcell.geometry.mesh import Mesh, merge

    hole = box_mesh(0.5, 0.5, 0.5)
    hole = Mesh(hole.vertices, hole.triangles[:, ::-1], hole.face_of_triangle)
    hollow = merge([box_mesh(1, 1, 1), hole])
    model, state = two(hollow, box_mesh(0.1, 0.1, 0.1), Pose.identity())
    assert check(model, state).free
    assert clearance(model, state).distance == pytest.approx(0.2, abs=1e-12)
    model, state = two(hollow, box_mesh(0.1, 0.1, 0.1), Pose.from_xyz(0.375, 0, 0))
    assert [c.kind for c in check(model, state).contacts] == ["inside"]


def test_a_concave_body_is_not_filled():
    ell = prism_mesh([(0, 0), (1, 0), (0.2, 0.2), (0, 1)], 0.5)
    model, state = two(ell, box_mesh(0.2, 0.2, 0.2), Pose.from_xyz(0.4, 0.4, 0.25))
    assert check(model, state).free
    assert clearance(model, state).distance > 0.05
    model, state = two(ell, box_mesh(0.2, 0.2, 0.2), Pose.from_xyz(0.25, 0.25, 0.25))
    assert check(model, state).contacts[0].kind == "surfaces"


def test_an_open_mesh_is_a_surface_and_said_to_be():
    from workcell.geometry.mesh import Mesh

    box = box_mesh(1, 1, 1)
    lid_off = Mesh(box.vertices, box.triangles[:-2], box.face_of_triangle[:-2])
    model, state = two(lid_off, box_mesh(0.1, 0.1, 0.1), Pose.identity())
    assert check(model, state).free
    assert model.notes == ("one is an open mesh: it is treated as a surface, without an inside.",)
    assert check(model, state).notes == model.notes


@pytest.mark.parametrize("gap", [-1e-3, -1e-6, 0.0, 1e-6, 1e-3])
def test_touching_is_contact_and_a_micrometre_apart_is_not(gap):
    model, state = two(box_mesh(0.2, 0.2, 0.2), box_mesh(0.2, 0.2, 0.2), Pose.from_xyz(0.2 + gap, 0.03, 0.01))
    assert bool(check(model, state)) == (gap <= 0.0)
    assert clearance(model, state).distance == pytest.approx(max(gap, 0.0), abs=1e-9)


def test_a_contact_says_where_how_deep_and_along_which_normal():
    model, state = two(box_mesh(0.2, 0.2, 0.2), box_mesh(0.2, 0.2, 0.2), Pose.from_xyz(0.19, 0.03, 0.01))
    (found,) = check(model, state).contacts
    assert found.pair == ("one", "other")
    assert (found.first_link, found.second_link) == (-1, -1)
    assert found.depth == pytest.approx(0.01, abs=2e-7)
    assert np.allclose(found.direction, [1, 0, 0], atol=1e-9)
    assert np.abs(found.points[:, 0] - 0.095).max() < 0.011
    assert np.abs(found.points[:, 1] - 0.015).max() < 0.12
    lengths = np.abs(found.normals).max(axis=1)
    assert np.allclose(lengths, 1.0)
    assert str(found) == "one touches other"


def test_margins_make_a_near_miss_an_answer():
    model, state = two(box_mesh(0.2, 0.2, 0.2), box_mesh(0.2, 0.2, 0.2), Pose.from_xyz(0.21, 0, 0))
    assert check(model, state).free
    near = model.with_pairs(model.pairs.require(0.02))
    (found,) = check(near, state).contacts
    assert (found.kind, found.depth) == ("margin", pytest.approx(-0.01, abs=1e-9))
    assert not clearance(near, state).kept
    assert check(model.with_pairs(model.pairs.require(0.02).require(0.005, "one", "other")), state).free
    assert "nearer than the 20 mm required" in str(clearance(near, state))


def test_clearance_per_robot_and_between_names():
    rng = np.random.default_rng(2)
    robots = {"A": (arm("elbow"), Pose.identity()), "B": (arm("planar"), Pose.from_xyz(2.5, 0, 0))}
    snapshot, meshes = cell_of(robots, clutter(rng, 4))
    model = collision_model(snapshot, meshes=meshes)
    state = snapshot.initial
    for name in robots:
        found = clearance_of(model, state, name)
        wanted = [c.distance for c in clearances(model, state) if any(n.startswith(name + "/") for n in c.pair)]
        assert found.distance == min(wanted)
    between = distance_between(model, state, "A", "B")
    assert between.distance == min(
        c.distance for c in clearances(model, state) if {n[:2] for n in c.pair} == {"A/", "B/"}
    )
    assert clearance(model, state, within=1e-6) is None or clearance(model, state, within=1e-6).distance < 1e-6


def test_poses_equal_those_of_the_snapshot_also_for_what_is_carried():
    rng = np.random.default_rng(4)
    snapshot, meshes = cell_of(
        {"Arm": (arm("elbow"), Pose.from_xyz(0.3, 0, 0.1))}, clutter(rng, 3), movable=("thing 0",)
    )
    hold = Attachment("Arm/link 6", Pose.from_xyz_angles((0, 0, 0.1), (0.1, 0.2, 0.3), "xyz_intrinsic"))
    state = CellState(0.0, {"Arm": rng.uniform(-1, 1, 6)}, snapshot.initial.poses, {"thing 0": hold})
    model = collision_model(snapshot, meshes=meshes)
    arrangement = model.arrangement(state)
    poses = arrangement.placed(state)[arrangement.frame]
    wanted = snapshot.body_poses(state)
    assert np.abs(poses[:, :9].reshape(-1, 3, 3) - wanted[:, :3, :3]).max() < 1e-12
    assert np.abs(poses[:, 9:] - wanted[:, :3, 3]).max() < 1e-12
    assert math.isclose(arrangement.reach, 1e-8)
