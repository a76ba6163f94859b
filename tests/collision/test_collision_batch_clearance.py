"""The least distance over many states: the same numbers as one state after the other."""

from __future__ import annotations

import numpy as np
import pytest
from collision_cells import arm, ball_mesh, box_mesh, cell_of, clutter
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.collision.batch_clearance import clearance_batch, least_clearance
from workcell.collision.bodies import collision_model
from workcell.collision.clearance import clearance, clearance_of
from workcell.collision.pairs import PairTable
from workcell.errors import InvalidValue, UnknownName
from workcell.motion.profiles import linear
from workcell.spatial.pose import Pose
from workcell.world.state import Attachment


def cluttered(seed, kind="elbow"):
    rng = np.random.default_rng(seed)
    robot = arm(kind)
    snapshot, meshes = cell_of({"Arm": (robot, Pose.identity())}, clutter(rng, 6))
    model = collision_model(snapshot, PairTable().test_self("Arm", False), meshes=meshes)
    ends = rng.uniform(robot.limits[:, 0], robot.limits[:, 1], (2, robot.n)) * 0.7
    return model, linear(*ends, 1.0)


@given(st.integers(0, 1000))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_a_batch_says_what_single_states_say(seed):
    model, motion = cluttered(seed, ("elbow", "scara", "planar")[seed % 3])
    Q = motion.sample(np.linspace(0.0, motion.duration, 40))
    single = [clearance(model, model.snapshot.initial.with_joints("Arm", q)) for q in Q]
    found = clearance_batch(model, {"Arm": Q})
    assert np.abs(found.distances - [one.distance for one in single]).max() <= 1e-12
    least = min(one.distance for one in single)
    only = clearance_batch(model, {"Arm": Q}, only_least=True)
    assert only.distances[-1] == pytest.approx(least, abs=1e-12)
    assert (np.diff(only.distances) <= 0.0).all()
    row, nearest = least_clearance(model, {"Arm": Q})
    assert nearest.distance == pytest.approx(least, abs=1e-12)
    assert single[row].distance == pytest.approx(least, abs=1e-12)
    capped = clearance_batch(model, {"Arm": Q}, within=0.1)
    near = found.distances < 0.1
    assert ((capped.pairs[:, 0] >= 0) == near).all()
    assert np.abs(capped.distances - np.minimum(found.distances, 0.1)).max() <= 1e-12


def test_one_thing_inside_another_is_distance_zero():
    things = {"shell": (box_mesh(3.0, 3.0, 3.0), Pose.identity()), "ball": (ball_mesh(0.1), Pose.from_xyz(5, 0, 0))}
    snapshot, meshes = cell_of({"Arm": (arm("planar"), Pose.identity())}, things)
    model = collision_model(snapshot, PairTable().test_self("Arm", False), meshes=meshes)
    found = clearance_batch(model, {"Arm": np.zeros((3, 3))})
    assert (found.distances == 0.0).all()
    assert "shell" in found.pair(0)


def test_states_may_differ_in_what_is_carried():
    things = {
        "plate": (box_mesh(0.001, 0.3, 0.3), Pose.from_xyz(1.45, 0.0, 0.32)),
        "rod": (box_mesh(0.3, 0.02, 0.02), Pose.from_xyz(0, 2, 0)),
    }
    snapshot, meshes = cell_of({"Arm": (arm("planar"), Pose.identity())}, things, ("rod",))
    model = collision_model(snapshot, PairTable().test_self("Arm", False), meshes=meshes)
    empty = snapshot.initial
    full = empty.with_(
        attached={"rod": Attachment("Arm/link 3", Pose.from_xyz(0.1, 0, 0))}, poses={"plate": things["plate"][1]}
    )
    states = [
        empty,
        full,
        empty.with_joints("Arm", np.array([0.1, 0, 0])),
        full.with_joints("Arm", np.array([0.2, 0, 0])),
    ]
    found = clearance_batch(model, states, robot="Arm")
    assert found.distances == pytest.approx([clearance_of(model, state, "Arm").distance for state in states])
    assert found.pair(1) == ("rod", "plate")
    row, nearest = least_clearance(model, states, robot="Arm")
    assert (row, nearest.pair) == (1, ("rod", "plate"))
    assert least_clearance(model, states, robot="Arm", within=1e-3) is None


def test_bad_requests_are_refused_in_one_line():
    model, motion = cluttered(1)
    with pytest.raises(InvalidValue, match="must be above 0 m"):
        clearance_batch(model, {"Arm": motion.start[None]}, within=0.0)
    with pytest.raises(UnknownName, match="did you mean Arm"):
        clearance_batch(model, {"Arm": motion.start[None]}, robot="Arn")
    with pytest.raises(InvalidValue):
        clearance_batch(model, {"Arm": motion.start[None] * np.nan})
