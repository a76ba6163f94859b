"""Three and four robots around one place, and robots that hold parts: motions that start together and never touch."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.collision.batch import check_batch
from workcell.collision.bodies import collision_model

LOW = np.radians([-60, 20, -120, 0, 60, 0])


def ring(count):
    """Arms in a ring, all of which reach the middle; so wide that their goals leave room for each other."""
    cell, radius = wc.Cell(), 0.55 + 0.1 * count
    for number in range(count):
        base = wc.Pose.from_axis_angle((0, 0, 1), 2.0 * np.pi * number / count) @ wc.Pose.from_xyz(-radius, 0.0, 0.0)
        cell.add_robot("puma560", name=f"R{number + 1}", at=base, joints=LOW)
    return cell


def touches(cell, motions, samples=600):
    """Whether anything touches at samples of motions that run together, by the batch check, held parts included."""
    times = np.linspace(0.0, max(one.duration for one in motions.values()), samples)
    rows = {name: one.sample(times) for name, one in motions.items()}
    return bool(check_batch(collision_model(cell.snapshot(), warn=False), rows, cell.state).touching.any())


def straight(cell, goals):
    return {name: wc.find_path(cell, name, goal, allow=_all(cell, name)).trajectory for name, goal in goals.items()}


def _all(cell, name):
    return tuple((name, one.name) for one in cell.snapshot().robots if one.name != name)


@pytest.mark.parametrize("count", [3, pytest.param(4, marks=pytest.mark.soak)])
def test_arms_in_a_ring_swing_through_the_middle_and_never_touch(count):
    rng, cell = np.random.default_rng(7), ring(count)
    goals = {
        f"R{k + 1}": LOW + np.radians([rng.uniform(90, 120), *rng.uniform(-10, 10, 2), *rng.uniform(-20, 20, 3)])
        for k in range(count)
    }
    order = list(goals)
    assert touches(cell, straight(cell, goals))  # there is something to avoid
    plan = wc.find_paths(cell, goals, priorities=order, seed=1)
    assert plan.order == tuple(order)
    assert plan.proof.free
    assert not touches(cell, plan.motions)
    for name, goal in goals.items():
        assert np.allclose(plan.motions[name].end, goal)
        assert plan.motions[name].duration == pytest.approx(plan.duration)
    assert plan.alone <= plan.duration <= plan.in_turn
    again = wc.find_paths(cell, goals, priorities=order, seed=1)
    assert all(np.array_equal(again.motions[name].coefficients, plan.motions[name].coefficients) for name in goals)


@pytest.mark.parametrize("count", [3, 4])
def test_the_command_takes_as_many_and_the_recording_is_proved(count):
    with ring(count) as cell:
        goal = "joints 40,20,-120,0,60,0"
        cell.do("together " + " & ".join(f"find-path R{k + 1} {goal} priority {k}" for k in range(count)))
        assert "nothing touches" in str(cell.do("check recording"))
        after = cell.state.to_json()
        cell.do("undo")
        cell.do("redo")
        assert cell.state.to_json() == after


@pytest.mark.parametrize("holders", [("A",), ("A", "B")])
def test_parts_in_the_hands_count(holders):
    """Long rods in the hands: the motions without rods would touch with them; those that are planned do not."""
    with wc.Cell() as cell:
        cell.do("create robot A puma560 joints -50,20,-120,0,60,0")
        cell.do("create robot B puma560 at 1450,0,0 rotate 0,0,180 joints -50,20,-120,0,60,0")
        bare = {name: np.radians([50, 20, -120, 0, 60, 0]) for name in "AB"}
        without = wc.find_paths(cell, bare, priorities=["A", "B"]).motions
        for name in holders:
            x, y, z = cell.snapshot().tool_pose(cell.state, name).xyz * 1e3
            cell.do(f"add solid rod{name} box 30 30 500 at {x:.2f},{y:.2f},{z - 255:.2f} --movable")
            cell.do(f"grip rod{name} with {name}")
        plan = wc.find_paths(cell, bare, priorities=["A", "B"])
        assert plan.proof.free
        assert not touches(cell, plan.motions)
        assert plan.duration >= max(one.duration for one in without.values()) - 1e-9
        cell.do(
            "together find-path A joints 50,20,-120,0,60,0 priority 0 & find-path B joints 50,20,-120,0,60,0 priority 1"
        )
        assert "nothing touches" in str(cell.do("check recording"))
