"""Arms of the library guided through their Jacobians: rows, bounds, and runs that never touch."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.collision.bodies import collision_model
from workcell.collision.clearance import clearance_of
from workcell.errors import InvalidValue, UnknownName
from workcell.planning.guidance.arms import Aim, ArmConstants, arm_rates, pull
from workcell.planning.guidance.nearby import Surroundings
from workcell.spatial import rotations

ARMS = ["puma560", "ur10e", "stanford", "cobra600", "panda", "loeff_humanoid", "loeff_unimate", "planar3r"]


def cell_with(name: str) -> wc.Cell:
    cell = wc.Cell()
    cell.add_robot(name, name="Arm")
    return cell


def bent(robot, rng, most: float = 0.6):
    """Joint values near home, within the limits."""
    low, high = robot.limits.T
    slides = np.array([row.prismatic for row in robot.rows])
    return np.clip(robot.home + rng.uniform(-most, most, robot.n) * np.where(slides, 0.2, 1.0), low, high)


def guided(cell, goal, position=False, period=0.02, constants=None, time=20.0):
    """A run without dynamics: rates hold for a period. Yields the state and what was near."""
    known = constants or ArmConstants()
    snapshot, state = cell.snapshot(), cell.state
    robot, around = snapshot.robot("Arm").robot, Surroundings(collision_model(snapshot, warn=False), "Arm")
    R = snapshot.base_pose(state, "Arm").rotation
    for k in range(int(time / period)):
        q, tool = state.joints["Arm"], snapshot.tool_pose(state, "Arm")
        near = around.near(state, known.reach + known.speed / known.caution)
        aim = Aim(
            goal.xyz - tool.xyz, None if position else rotations.to_rotation_vector(goal.rotation @ tool.rotation.T)
        )
        yield state, near, aim
        if aim.distance < 1e-3 and aim.angle < 0.01:
            return
        own = robot.jacobian(q)
        J = np.vstack([R @ own[:3], R @ own[3:]])
        room = (q - robot.limits[:, 0], robot.limits[:, 1] - q)
        rates = arm_rates(J, aim, near, room, robot.speeds, period, known)
        state = state.with_joints("Arm", q + period * rates).with_(time=(k + 1) * period)


@pytest.mark.parametrize("name", ARMS)
def test_every_arm_gets_to_where_its_hand_can_be(name):
    cell = cell_with(name)
    snapshot, robot = cell.snapshot(), cell.snapshot().robot("Arm").robot
    there = bent(robot, np.random.default_rng(1), 0.4)
    goal = snapshot.tool_pose(cell.state.with_joints("Arm", there), "Arm")
    *_, (state, _, aim) = guided(cell, goal)
    assert aim.distance < 1e-3
    assert aim.angle < 0.01
    robot.require_limits(state.joints["Arm"])


@pytest.mark.parametrize("name", ["puma560", "stanford", "loeff_unimate"])
def test_rows_say_how_distances_change_with_the_joints(name):
    cell = cell_with(name)
    cell.add_solid(wc.solids.sphere(0.1), name="ball", at=wc.Pose.from_xyz(0.5, 0.2, 0.6))
    snapshot, rng = cell.snapshot(), np.random.default_rng(5)
    model, robot = collision_model(snapshot, warn=False), snapshot.robot("Arm").robot
    looked = 0
    for _ in range(4):
        q = bent(robot, rng)
        for one in Surroundings(model, "Arm").near(cell.state.with_joints("Arm", q), 1.0):
            if one.own or one.distance < 0.02:
                continue
            for j in range(robot.n):
                step = np.zeros(robot.n)
                step[j] = 1e-5
                apart = [
                    next(
                        c.distance
                        for c in Surroundings(model, "Arm").near(cell.state.with_joints("Arm", q + side * step), 1.0)
                        if (c.mine, c.other) == (one.mine, one.other)
                    )
                    for side in (1, -1)
                ]
                # Nearest points of meshes jump now and then: most rows have to agree, and by much.
                looked += abs((apart[0] - apart[1]) / 2e-5 - one.row[j]) < 2e-2
            break
    assert looked >= 0.8 * 4 * robot.n


@pytest.mark.parametrize("seed", range(3))
def test_no_link_touches_anything_on_the_way(seed):
    cell, rng = cell_with("puma560"), np.random.default_rng(seed)
    robot = cell.snapshot().robot("Arm").robot
    there = bent(robot, rng, 0.8)
    begin = cell.snapshot().tool_pose(cell.state, "Arm").xyz
    goal = cell.snapshot().tool_pose(cell.state.with_joints("Arm", there), "Arm")
    middle = (begin + goal.xyz) / 2
    cell.add_solid(wc.solids.sphere(0.06), name="ball", at=wc.Pose.from_xyz(*(middle + rng.uniform(-0.04, 0.04, 3))))
    cell.add_solid(wc.solids.box(2.0, 2.0, 0.02), name="floor", at=wc.Pose.from_xyz(0.0, 0.0, -0.7))
    model = collision_model(cell.snapshot(), warn=False)
    for state, _, _ in guided(cell, goal, position=True, time=12.0):
        nearest = clearance_of(model, state, "Arm")
        assert nearest is None or nearest.distance > 0.0


def test_a_bound_holds_whatever_the_pull_is():
    cell = cell_with("puma560")
    cell.add_solid(wc.solids.box(0.02, 2.0, 2.0), name="wall", at=wc.Pose.from_xyz(1.12, 0.0, 0.5))
    goal = wc.Pose.from_xyz(2.0, -0.15, 0.6)  # behind the wall
    known = ArmConstants(speed=1.0)
    distances = []
    for _, near, _ in guided(cell, goal, position=True, constants=known, time=6.0):
        distances += [min(one.distance for one in near if one.other == "wall")] if near else []
    assert min(distances) > 0.0
    assert min(distances) < 0.05  # it does go there


def test_a_body_that_comes_nearer_is_made_way_for():
    cell = cell_with("puma560")
    snapshot = cell.snapshot()
    tool = snapshot.tool_pose(cell.state, "Arm")
    cell.add_solid(wc.solids.sphere(0.05), name="ball", at=wc.Pose.from_xyz(*(tool.xyz + [0.3, 0, 0])), movable=True)
    snapshot, state = cell.snapshot(), cell.state
    around = Surroundings(collision_model(snapshot, warn=False), "Arm")
    moved = state.with_(time=0.1, poses={**state.poses, "ball": wc.Pose.from_xyz(*(tool.xyz + [0.28, 0, 0]))})
    first = around.near(state, 0.5)
    then = around.near(moved, 0.5)
    assert {one.comes for one in first if one.other == "ball"} == {0.0}
    nearest = min((one for one in then if one.other == "ball"), key=lambda one: one.distance)
    assert 0.1 < nearest.comes <= 0.2 + 1e-9
    rates = np.linalg.norm(nearest.row)
    assert rates > 0.0


def test_what_is_ignored_is_not_looked_at_and_unknown_names_are_refused():
    cell = cell_with("puma560")
    cell.add_solid(wc.solids.sphere(0.1), name="ball", at=wc.Pose.from_xyz(1.1, -0.15, 0.6))
    model = collision_model(cell.snapshot(), warn=False)
    assert any(one.other == "ball" for one in Surroundings(model, "Arm").near(cell.state, 0.5))
    assert not any(one.other == "ball" for one in Surroundings(model, "Arm", ("ball",)).near(cell.state, 0.5))
    with pytest.raises(UnknownName, match="bell"):
        Surroundings(model, "Arm", ("bell",))


def test_the_pull_meets_what_moves():
    known = ArmConstants(speed=0.5)
    away, moves = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.3, 0.0])
    velocity = pull(Aim(away, None, moves), known)
    assert np.linalg.norm(velocity) == pytest.approx(0.5)
    time = 1.0 / velocity[0]
    np.testing.assert_allclose(velocity * time, away + moves * time)  # both are there then
    beside = pull(Aim(np.array([1e-4, 0, 0]), None, moves), known)
    np.testing.assert_allclose(beside, moves + known.gain * np.array([1e-4, 0, 0]))


@pytest.mark.parametrize("name", ["speed", "reach", "caution", "gain", "turn", "damping", "lever"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), "fast"])
def test_constants_that_cannot_be_used_are_refused(name, value):
    with pytest.raises(InvalidValue, match="is a number above zero"):
        ArmConstants(**{name: value})
