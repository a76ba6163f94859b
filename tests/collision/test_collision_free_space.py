"""Yes or no about joint configurations and edges: the same answers as check, clearance and certify give."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from collision_cells import arm, box_mesh, cell_of, clutter

from workcell.collision.bodies import CollisionModel, collision_model
from workcell.collision.certify import certify
from workcell.collision.check import check
from workcell.collision.clearance import clearance_of
from workcell.collision.free_space import FreeSpace
from workcell.collision.pairs import PairTable
from workcell.collision.proof import Free
from workcell.errors import InvalidValue, UnknownName
from workcell.motion.profiles import linear
from workcell.spatial.pose import Pose


def two_arms(seed: int) -> CollisionModel:
    rng = np.random.default_rng(seed)
    robots = {"Left": (arm("elbow"), Pose.identity()), "Right": (arm("elbow"), Pose.from_xyz(0.9, 0.0, 0.0))}
    snapshot, meshes = cell_of(robots, clutter(rng, 6))
    table = PairTable()
    for name in robots:
        links = [body.name for body in snapshot.bodies if body.owner == name]
        for one, other in zip(links, links[2:], strict=False):
            table = table.allow(one, other, "their joints lie on one point")
    return collision_model(snapshot, table, meshes=meshes)


def random_joints(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.uniform(-2.5, 2.5, (count, 6))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("cells", [0, 2, 3])
def test_a_configuration_is_free_exactly_when_check_finds_nothing(seed: int, cells: int) -> None:
    model, rng = two_arms(seed), np.random.default_rng(seed)
    space = FreeSpace(model, model.snapshot.initial, cells=cells)
    answers = []
    for left, right in zip(random_joints(rng, 150), random_joints(rng, 150), strict=True):
        state = model.snapshot.initial.with_joints("Left", left).with_joints("Right", right)
        answers.append(space.free(np.concatenate([left, right])))
        assert answers[-1] == check(model, state).free
    assert 10 < sum(answers) < 140


@pytest.mark.parametrize("seed", range(3))
def test_only_pairs_that_the_moving_robot_changes_count(seed: int) -> None:
    model, rng = two_arms(seed), np.random.default_rng(seed)
    state = model.snapshot.initial.with_joints("Right", random_joints(rng, 1)[0])
    space = FreeSpace(model, state, ["Left"])
    for left in random_joints(rng, 100):
        contacts = check(model, state.with_joints("Left", left)).contacts
        own = [one for one in contacts if any(name.startswith("Left") for name in one.pair)]
        assert space.free(space.row(left, "Left")) == (not own)


def test_padding_asks_for_clearance_from_everything_but_own_links() -> None:
    model, rng = two_arms(1), np.random.default_rng(5)
    state = model.snapshot.initial.with_joints("Right", [1.0, -0.5, 0.3, 0.0, 0.2, 0.0])
    space = FreeSpace(model, state, ["Left"], padding=0.05)
    seen = set()
    for left in random_joints(rng, 150):
        here = state.with_joints("Left", left)
        own, others = (clearance_of(model, here, "Left", own=own) for own in (True, False))
        assert own is not None
        assert others is not None
        answer = space.free(space.row(left, "Left"))
        assert answer == (own.distance > 0.0 and others.distance > 0.05)
        seen.add(answer)
    assert seen == {True, False}


@pytest.mark.parametrize("cells", [0, 2, 3])
@pytest.mark.parametrize(("robots", "far"), [(["Left"], 0.6), (["Left"], 2.5), (None, 1.2)])
def test_an_edge_is_free_exactly_when_all_its_samples_are(robots: list[str] | None, far: float, cells: int) -> None:
    model, rng = two_arms(2), np.random.default_rng(2)
    space = FreeSpace(model, model.snapshot.initial, robots, padding=0.01, cells=cells)
    answers = []
    starts = [q for q in random_joints(rng, 400) if space.free(space.row(q, "Left"))]
    for start in starts[:150]:
        q0 = space.row(start, "Left")
        q1 = space.row(start + rng.uniform(-far, far, 6), "Left")
        if robots is None:
            q1[6:] += rng.uniform(-far, far, 6)
        # The edge is halved until no joint moves by more than the step.
        count = 1
        while np.abs(q1 - q0).max() / count > 0.05:
            count *= 2
        rows = [q0 + k / count * (q1 - q0) for k in range(1, count)] + [q1]
        answers.append(space.edge_free(q0, q1, 0.05))
        assert answers[-1] == all(space.free(row) for row in rows)
    assert 5 < sum(answers) < len(answers) - 5


def test_an_edge_between_very_many_things_is_looked_at_like_any_other() -> None:
    rng = np.random.default_rng(4)
    posts = {
        f"post{k}": (box_mesh(0.01, 0.01, 0.01), Pose.from_xyz(*rng.uniform((-0.9, 0.2, -0.9), (0.9, 0.9, 0.9))))
        for k in range(3000)
    }
    snapshot, meshes = cell_of({"Arm": (arm("elbow"), Pose.identity())}, posts)
    model = collision_model(snapshot, PairTable().test_self("Arm", False), meshes=meshes)
    space = FreeSpace(model, snapshot.initial)
    q0 = next(q for q in 0.1 * random_joints(rng, 500) if space.free(q))
    answers = []
    for way in rng.uniform(-0.5, 0.5, (60, 6)) * np.linspace(0.01, 1.0, 60)[:, None]:
        rows = [q0 + k / 64 * way for k in range(1, 65)]
        answers.append(space.edge_free(q0, q0 + way, np.abs(way).max() / 64 * 1.0001))
        assert answers[-1] == all(space.free(row) for row in rows)
    assert 0 < sum(answers) < 60


def test_what_meshes_lie_off_their_solids_counts_as_in_a_proof() -> None:
    rng = np.random.default_rng(0)
    post = (box_mesh(0.1, 0.1, 1.0), Pose.from_xyz(0.6, 0.3, 0.4))
    snapshot, meshes = cell_of({"Arm": (arm("planar"), Pose.identity())}, {"post": post})
    meshes = {name: dataclasses.replace(mesh, deviation=0.02) for name, mesh in meshes.items()}
    model = collision_model(snapshot, PairTable().test_self("Arm", False), meshes=meshes)
    strict, loose = (FreeSpace(model, snapshot.initial, exact=exact) for exact in (True, False))
    between = 0
    for q in rng.uniform(-2.0, 2.0, (300, 3)):
        proved = isinstance(certify(model, {"Arm": linear(q, q + 1e-6, 1.0)}), Free)
        assert strict.free(q) == proved
        between += loose.free(q) and not proved
    assert between > 3


def test_wrong_names_and_values_are_refused() -> None:
    model = two_arms(0)
    with pytest.raises(UnknownName, match="Middle"):
        FreeSpace(model, model.snapshot.initial, ["Middle"])
    space = FreeSpace(model, model.snapshot.initial, ["Left"])
    with pytest.raises(InvalidValue, match="Left has 6 joints"):
        space.row([0.0, 1.0], "Left")
    with pytest.raises(InvalidValue, match="Left has 6 joints"):
        space.row([0.0, 1.0, 2.0, 3.0, 4.0, float("nan")], "Left")
