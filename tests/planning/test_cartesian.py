"""Paths of the tool along curves: the branch chosen over the whole, freedom of the tool, and where they fail first."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import workcell as wc
from workcell.collision.batch import check_batch
from workcell.collision.bodies import collision_model
from workcell.errors import InvalidValue, Refused, Unreachable
from workcell.motion.curve import HandCurve
from workcell.planning.cartesian import cartesian_path
from workcell.planning.ladder import Rung, best_way
from workcell.planning.tool_freedom import FREE_SPIN, ToolFreedom


def down(x: float, y: float, z: float) -> wc.Pose:
    return wc.Pose.from_xyz_angles((x, y, z), (np.pi, 0.0, 0.0), "xyz_intrinsic")


def scene(*boxes) -> wc.Snapshot:
    cell = wc.Cell()
    cell.add_robot("irb1600", name="Arm")
    for k, (size, at) in enumerate(boxes):
        cell.add_solid(wc.solids.box(*size), name=f"box{k + 1}", at=wc.Pose.from_xyz(*at))
    return cell.snapshot()


@pytest.fixture(scope="module")
def empty():
    return scene()


def test_the_tool_stays_on_its_line_and_keeps_its_speed(empty):
    curve = HandCurve.line(down(0.7, -0.3, 0.4), down(0.7, 0.3, 0.4))
    plan = cartesian_path(empty, empty.initial, "Arm", curve, speed=0.1)
    times = np.linspace(0.0, plan.duration, 300)
    X = empty.base_pose(empty.initial, "Arm").matrix @ empty.robot("Arm").robot.fk_batch(plan.trajectory.sample(times))
    assert np.allclose(X[:, [0, 2], 3], [0.7, 0.4], atol=1e-5)
    assert np.allclose(X[:, :3, :3], curve.start.rotation, atol=1e-4)
    assert np.linalg.norm(np.diff(X[:, :3, 3], axis=0), axis=1).max() <= 0.1 * times[1] * 1.001
    assert plan.held > 0.9
    assert plan.proof is not None
    assert plan.proof.free
    limits = empty.robot("Arm").robot.limits
    low, high = plan.trajectory.range()
    assert (low >= limits[:, 0] - 1e-9).all()
    assert (high <= limits[:, 1] + 1e-9).all()


def test_a_free_spin_gets_clear_of_what_a_fixed_tool_hits():
    # The gripper is wider than the gap along one direction only.
    walls = [((0.7, 0.04, 0.3), (0.75, -0.075, 0.15)), ((0.7, 0.04, 0.3), (0.75, 0.075, 0.15))]
    snapshot = scene(*walls)
    across = wc.Pose.from_rotation(wc.Pose.from_axis_angle((0, 0, 1), math.pi / 2).rotation)
    for turn in (wc.Pose.identity(), across):
        curve = HandCurve.line(down(0.6, 0.0, 0.38) @ turn, down(0.85, 0.0, 0.38) @ turn)
        plan = cartesian_path(snapshot, snapshot.initial, "Arm", curve, freedom=FREE_SPIN)
        samples = plan.trajectory.sample(np.linspace(0.0, plan.duration, 200))
        assert not check_batch(collision_model(snapshot, warn=False), {"Arm": samples}).touching.any()
        X = snapshot.base_pose(snapshot.initial, "Arm").matrix @ snapshot.robot("Arm").robot.fk_batch(samples)
        assert np.allclose(X[:, 1:3, 3], [0.0, 0.38], atol=1e-5)
        assert np.allclose(X[:, :3, 2], [0.0, 0.0, -1.0], atol=1e-4), "only the spin is free"


def test_the_first_place_of_a_failure_is_named_with_its_reason(empty):
    state = empty.initial
    with pytest.raises(Unreachable, match="% of its way") as far:
        cartesian_path(empty, state, "Arm", HandCurve.line(down(0.7, 0.0, 0.4), down(2.7, 0.0, 0.4)))
    reach = far.value.evidence["s"]
    arm, base = empty.robot("Arm").robot, empty.base_pose(state, "Arm").inverse()
    assert not arm.ik(base @ down(0.7 + reach, 0.0, 0.4)).within_limits.any()
    assert arm.ik(base @ down(0.7 + reach - 0.03, 0.0, 0.4)).within_limits.any()
    blocked = scene(((0.3, 0.04, 0.6), (0.7, 0.15, 0.3)))
    line = HandCurve.line(down(0.7, -0.3, 0.35), down(0.7, 0.4, 0.35))
    with pytest.raises(Refused, match="box1") as hit:
        cartesian_path(blocked, blocked.initial, "Arm", line)
    assert 0.2 < hit.value.evidence["s"] < 0.5
    assert "box1" in hit.value.evidence["pair"]
    assert cartesian_path(blocked, blocked.initial, "Arm", line, certified=False).proof is None
    with pytest.raises(InvalidValue, match="speed"):
        cartesian_path(empty, state, "Arm", line, speed=0.0)


@pytest.mark.parametrize("seed", range(6))
def test_the_way_along_a_ladder_is_the_cheapest_of_all(seed):
    rng = np.random.default_rng(seed)
    rungs = [Rung(rng.uniform(-1, 1, (3, 2)), rng.integers(0, 2, 3), 3, 3, None) for _ in range(5)]
    vectors, speeds = np.array([[0.0, 0, 0], [0, 0, 0.3]]), np.array([1.0, 2.0])
    way = best_way(rungs, vectors, speeds, 1.6, 1.0, None)

    def cost(rows) -> float:
        total = 0.0
        for (a, i), (b, j) in itertools.pairwise(list(zip(rungs, rows, strict=True))):
            travel = np.abs(b.Q[j] - a.Q[i])
            if travel.max() > 1.6:
                return math.inf
            total += (travel / speeds).max() + 0.2 * np.linalg.norm(vectors[b.turn[j]] - vectors[a.turn[i]])
        return total

    best = min(cost(rows) for rows in itertools.product(range(3), repeat=5))
    if len(way.rows) == 5:
        assert way.cost == pytest.approx(best)
        assert cost(way.rows) == pytest.approx(best)
    else:
        assert best == math.inf


def test_a_jump_ends_the_way():
    rungs = [Rung(np.array([[0.0]]), np.array([0]), 1, 1, None), Rung(np.array([[2.0]]), np.array([0]), 1, 1, None)]
    assert len(best_way(rungs, np.zeros((1, 3)), np.ones(1), 0.6, 1.0, None).rows) == 1


def test_a_tilt_reaches_where_the_tool_cannot_stand_straight(empty):
    curve = HandCurve.line(down(1.21, -0.2, 0.25), down(1.21, 0.2, 0.25))
    with pytest.raises(Unreachable):
        cartesian_path(empty, empty.initial, "Arm", curve, certified=False)
    freedom = ToolFreedom(tilt=math.radians(40.0), step=math.radians(20.0))
    plan = cartesian_path(empty, empty.initial, "Arm", curve, freedom=freedom, certified=False)
    samples = plan.trajectory.sample(np.linspace(0.0, plan.duration, 100))
    X = empty.base_pose(empty.initial, "Arm").matrix @ empty.robot("Arm").robot.fk_batch(samples)
    assert np.allclose(X[:, 0, 3], 1.21, atol=1e-5)
    assert (X[:, 2, 2] <= -math.cos(math.radians(40.5))).all()
