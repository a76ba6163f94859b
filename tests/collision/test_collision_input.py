"""Bad input: one clear line each; and swept volumes, joint cells, the study of the positioner."""

from __future__ import annotations

import importlib.util
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from collision_cells import arm, ball_mesh, box_mesh, cell_of, mesh_of

from workcell.collision.batch import check_batch
from workcell.collision.bodies import ImplausibleSize, collision_model
from workcell.collision.check import check
from workcell.collision.clearance import clearance
from workcell.collision.pairs import PairTable
from workcell.collision.selfcells import proved_cells
from workcell.collision.swept import swept_volume
from workcell.collision.tree import tree_of
from workcell.errors import InvalidValue, Refused, UnknownName
from workcell.motion.curve import HandCurve
from workcell.motion.pose_motion import PoseMotion
from workcell.motion.profiles import linear
from workcell.spatial.pose import Pose
from workcell.world.state import Attachment, CellState


def model_of(mesh, **more):
    snapshot, meshes = cell_of(
        {}, {"thing": (mesh, Pose.identity()), "other": (box_mesh(1, 1, 1), Pose.from_xyz(3, 0, 0))}, ("thing",)
    )
    return collision_model(snapshot, meshes=meshes, **more)


def test_triangles_without_area_are_left_out_and_said():
    box = box_mesh(1, 1, 1)
    with_flat = mesh_of(box.vertices, [*box.triangles.tolist(), (0, 0, 1), (1, 2, 2)])
    model = model_of(with_flat)
    assert "2 triangles of thing have no area and are left out." in model.notes
    assert clearance(model, model.snapshot.initial).distance == pytest.approx(2.0)
    with pytest.raises(InvalidValue, match="None of the 1 triangles of 'thing' has an area"):
        model_of(mesh_of([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)]))
    with pytest.raises(InvalidValue, match="'thing' has no triangles"):
        model_of(mesh_of(np.empty((0, 3)), np.empty((0, 3))))


def test_a_body_without_volume_is_refused():
    flat = mesh_of([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 1)])
    with pytest.raises(InvalidValue, match="'thing' closes but has no volume"):
        model_of(flat)


def test_units_off_by_a_thousand_are_warned_of():
    with pytest.warns(ImplausibleSize, match="thing is 500 m long: was it given in millimetres"):
        model_of(box_mesh(500, 1, 1))
    with pytest.warns(ImplausibleSize, match="thing is 5e-05 m long"):
        model_of(box_mesh(5e-5, 5e-5, 5e-5))


def test_states_that_do_not_fit_are_refused():
    snapshot, meshes = cell_of(
        {"Arm": (arm("planar"), Pose.identity())}, {"thing": (box_mesh(1, 1, 1), Pose.from_xyz(9, 0, 0))}
    )
    model = collision_model(snapshot, meshes=meshes)
    with pytest.raises(InvalidValue, match="Arm has 3 joints; the state has 2 values"):
        check(model, CellState(0.0, {"Arm": [0.0, 0.0]}, snapshot.initial.poses))
    with pytest.raises(InvalidValue, match="finite"):
        check(model, CellState(0.0, {"Arm": [0.0, math.nan, 0.0]}, snapshot.initial.poses))
    with pytest.raises(InvalidValue, match="finite"):
        check(model, snapshot.initial.with_(poses={"thing": Pose(np.full((4, 4), math.nan))}))
    with pytest.raises(UnknownName, match="no body called 'thin'"):
        check(model, snapshot.initial.with_(attached={"thin": Attachment("world", Pose.identity())}))
    with pytest.raises(
        UnknownName, match=r"no robot called 'Am'; did you mean Arm\? The state has joint values for it"
    ):
        check(model, snapshot.initial.with_joints("Am", [0.1, 0.2, 0.3]))
    with pytest.raises(UnknownName, match="no robot called 'Am'"):
        check_batch(model, [snapshot.initial.with_joints("Am", [0.1, 0.2, 0.3])])
    with pytest.raises(UnknownName, match="no robot called 'Am'"):
        clearance(model, snapshot.initial.with_joints("Am", [0.1, 0.2, 0.3]))
    with pytest.raises(UnknownName, match="no body called 'thin'; did you mean thing"):
        check(model, snapshot.initial.with_(poses={**snapshot.initial.poses, "thin": Pose.identity()}))
    with pytest.raises(InvalidValue, match="'thing' stands on something that is carried by itself"):
        check(model, snapshot.initial.with_(attached={"thing": Attachment("thing", Pose.identity())}))
    with pytest.raises(InvalidValue, match="must be finite; row 1"):
        check_batch(model, {"Arm": [[0, 0, 0], [0, math.inf, 0]]})
    with pytest.raises(InvalidValue, match=r"shape \(N, 3\)"):
        check_batch(model, {"Arm": np.zeros((4, 2))})
    with pytest.raises(UnknownName, match="no robot called 'Leg'"):
        check_batch(model, {"Leg": np.zeros((1, 3))})
    with pytest.raises(InvalidValue, match="at least one thread"):
        check_batch(model, {"Arm": np.zeros((1, 3))}, threads=0)
    with pytest.raises(InvalidValue, match="above 0 m"):
        collision_model(snapshot, meshes=meshes, tolerance=0.0)
    with pytest.raises(UnknownName, match="no body called 'ghost'"):
        collision_model(snapshot, meshes={**meshes, "ghost": box_mesh(1, 1, 1)})


def test_a_body_without_shape_is_not_tested_and_said():
    snapshot, meshes = cell_of(
        {"Arm": (arm("planar"), Pose.identity())}, {"thing": (box_mesh(1, 1, 1), Pose.from_xyz(1, 0, 0))}
    )
    del meshes["thing"]
    model = collision_model(snapshot, PairTable().test_self("Arm", False), meshes=meshes)
    assert "thing has no shape and is not tested." in model.notes
    assert check(model, snapshot.initial).free


def test_a_model_and_its_answers_can_be_sent_to_another_process():
    model = model_of(ball_mesh(1.0))
    again = pickle.loads(pickle.dumps(model))
    assert clearance(again, again.snapshot.initial).distance == clearance(model, model.snapshot.initial).distance


# ---- proved cells -------------------------------------------------------------------------------------


def test_joints_in_a_proved_cell_never_touch():
    snapshot, meshes = cell_of({"Arm": (arm("elbow"), Pose.identity())}, {})
    model = collision_model(snapshot, meshes=meshes)
    arrangement = model.arrangement(snapshot.initial)
    dims, columns, least, scale, counts, starts, proved, _ = proved_cells(arrangement, *arrangement.moving[2:5])
    assert (dims > 0).sum() >= 5
    assert 0 < proved.mean() < 1
    rng = np.random.default_rng(0)
    limits = snapshot.robots[0].robot.limits
    Q = rng.uniform(limits[:, 0], limits[:, 1], (3000, 6))
    plain = [check(model, snapshot.initial.with_joints("Arm", q)) for q in Q[:300]]
    touching = [{frozenset(c.pair) for c in found.contacts} for found in plain]
    first, second = arrangement.moving[2:4]
    for k in np.flatnonzero(dims):
        n = dims[k]
        cell = np.floor((Q[:300, columns[k, :n]] - least[k, :n]) * scale[k, :n]).astype(int)
        flat = np.ravel_multi_index(tuple(cell.T), tuple(counts[k, :n]))
        pair = frozenset((model.bodies[first[k]].name, model.bodies[second[k]].name))
        for row in np.flatnonzero(proved[starts[k] + flat]):
            assert pair not in touching[row]
    batch = check_batch(model, {"Arm": Q})
    assert model.arrangement(snapshot.initial)._cells_proved
    assert np.array_equal(batch.touching[:300], [bool(found) for found in plain])


# ---- swept volumes ------------------------------------------------------------------------------------


def test_a_swept_volume_holds_every_body_at_every_instant_within_its_tolerance():
    snapshot, meshes = cell_of({"Arm": (arm("planar"), Pose.identity())}, {})
    model = collision_model(snapshot, meshes=meshes)
    motion = linear([0.0, 0.0, 0.0], [0.6, 0.3, -0.4], 1.0)
    swept = swept_volume(model, {"Arm": motion}, ("Arm/link 3",), tolerance=0.01)
    assert swept.mesh.closed
    assert swept.names == ("Arm/link 3",)
    zone = swept.zone("swept")
    for t in np.linspace(0.0, motion.duration, 13):
        q = motion.position(t)
        X = snapshot.body_poses(snapshot.initial.with_joints("Arm", q))[model.index["Arm/link 3"]]
        T = model.body("Arm/link 3").tree.corners().reshape(-1, 3) @ X[:3, :3].T + X[:3, 3]
        probes, names = {}, []
        for i, point in enumerate(T[:: max(1, len(T) // 8)]):
            probes[f"p{i}"] = (box_mesh(2e-3, 2e-3, 2e-3), Pose.from_xyz(*point))
            names.append(f"p{i}")
        things = {"volume": (swept.mesh, Pose.identity()), **probes}
        cell, cell_meshes = cell_of({}, things, tuple(names))
        small = collision_model(cell, meshes=cell_meshes)
        from workcell.collision.clearance import distance_between

        for name in names:
            assert distance_between(small, cell.initial, name, "volume").distance <= 0.01
    assert zone.rule == "keep out"
    with pytest.raises(Refused, match="None of the bodies named moves"):
        swept_volume(model, {"Arm": motion}, ("Arm/base",))
    with pytest.raises(Refused, match=r"allow a tolerance of more than 0\.001 mm"):
        swept_volume(model, {"Arm": motion}, tolerance=1e-6)


# ---- the study of the surgical positioner -------------------------------------------------------------


def test_the_positioner_reaches_the_head_without_touching_it():
    path = Path(__file__).parents[2] / "examples" / "surgical_positioner.py"
    spec = importlib.util.spec_from_file_location("surgical_positioner", path)
    import sys

    example = importlib.util.module_from_spec(spec)
    sys.modules["surgical_positioner"] = example
    spec.loader.exec_module(example)
    model = example.study_model()
    rows = example.study(model)
    poses = {(row.y, row.angle) for row in rows}
    usable = {(row.y, row.angle) for row in rows if row.usable}
    assert len(poses) == 791
    assert usable == poses
    touched = {row.contact for row in rows if row.contact}
    assert "link 3 – head" in touched
    # The error by finite differences: the worst case over all signs of one encoder step a joint, to first order.
    robot = model.snapshot.robots[0].robot
    X = model.snapshot.robots[0].X_parent_base.inverse() @ example.hand_pose(0.05, math.radians(60))
    solution = next(iter(robot.ik(X)))
    step = 2 * math.pi / 2**12
    moved = np.zeros(3)
    for joint in range(6):
        q = np.array(solution.q)
        q[joint] += 1e-6
        moved += np.abs((robot.fk(q).xyz - X.xyz) / 1e-6) * step
    wanted = [r.error_mm for r in rows if (r.y, r.angle, r.branch) == (5, 60, solution.words)]
    assert wanted[0] == pytest.approx(1e3 * np.linalg.norm(moved), rel=1e-3)


def test_a_triangle_without_an_area_does_not_open_a_closed_mesh():
    from collision_cells import box_mesh, mesh_of

    whole = box_mesh(1.0, 1.0, 1.0)
    more = mesh_of(whole.vertices, [*whole.triangles.tolist(), [0, 0, 1]])
    tree = tree_of(more, "box")
    assert tree.closed
    assert tree.dropped == 1
    assert tree.volume == pytest.approx(1.0)


def test_a_cavity_stays_open_in_a_swept_volume_where_nothing_passes():
    outer, inner, kernel = box_mesh(0.2, 0.2, 0.2), box_mesh(0.1, 0.1, 0.1), box_mesh(0.02, 0.02, 0.02)
    count = len(outer.vertices)
    triangles = [*outer.triangles.tolist(), *(inner.triangles[:, ::-1] + count).tolist()]
    triangles += (kernel.triangles + 2 * count).tolist()
    nested = mesh_of(np.concatenate([outer.vertices, inner.vertices, kernel.vertices]), triangles)
    model = model_of(nested)
    for way in (0.02, 0.3):
        motion = PoseMotion.along(HandCurve.line(Pose.identity(), Pose.from_xyz(way, 0.0, 0.0)), 0.1)
        swept = swept_volume(model, {"thing": motion}, tolerance=5e-3)
        free = max(0.0, 0.1 - way) * 0.1 * 0.1
        kept = (0.02 + way) * 0.02 * 0.02 if free else 0.0
        assert tree_of(swept.mesh, "swept").volume == pytest.approx((0.2 + way) * 0.04 - free + kept, rel=1e-6)
