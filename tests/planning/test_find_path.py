"""Paths that are found: they begin and end where they should, touch nothing, keep the limits, and come again."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from planning_cells import free_configurations, pillars, touches_somewhere

import workcell as wc
from workcell.collision import _coal
from workcell.collision.bodies import collision_model
from workcell.errors import GoalBlocked, InvalidValue, JointLimit, NoPath, StartBlocked, Unreachable
from workcell.planning.find_path import find_path
from workcell.planning.goals import AllGoals, AnyGoal, JointGoal, PoseGoal, RegionGoal
from workcell.planning.planners import rrt_connect


@pytest.fixture(scope="module")
def cell():
    with pillars() as made:
        yield made


@pytest.fixture(scope="module")
def free(cell):
    return free_configurations(cell, 24, seed=3)


def found(cell, goal, **options):
    return find_path(cell.snapshot(), cell.state, "Arm", goal, **options)


def test_every_path_is_free_begins_and_ends_right_and_keeps_the_limits(cell, free):
    robot = cell.snapshot().robot("Arm").robot
    searched = 0
    for start, goal in zip(free[::2], free[1::2], strict=True):
        plan = found(cell, goal, start=start, budget=20.0)
        searched += plan.method != "direct"
        assert plan.proof.free
        assert not touches_somewhere(cell, plan)
        np.testing.assert_allclose(plan.waypoints[[0, -1]], [start, goal], atol=1e-12)
        np.testing.assert_allclose(plan.trajectory.start, start, atol=1e-9)
        np.testing.assert_allclose(plan.trajectory.end, goal, atol=1e-9)
        low, high = plan.trajectory.range()
        assert (low >= robot.limits[:, 0] - 1e-9).all()
        assert (high <= robot.limits[:, 1] + 1e-9).all()
        assert (plan.trajectory.max_speed() <= robot.speeds * (1 + 1e-9)).all()
        assert (plan.trajectory.max_acceleration() <= robot.accelerations * (1 + 1e-9)).all()
    assert searched >= 2


def test_no_path_touches_anything_by_another_engine(cell, free):
    snapshot, state = cell.snapshot(), cell.state
    model = collision_model(snapshot, warn=False)
    arrangement = model.arrangement(state)
    plan = next(
        one for k in range(0, 24, 2) if (one := found(cell, free[k + 1], start=free[k], budget=20.0)).method != "direct"
    )
    for q in plan.trajectory.sample(np.linspace(0.0, plan.duration, 60)):
        poses = arrangement.placed(state.with_joints("Arm", q))
        for a, b in zip(arrangement.first, arrangement.second, strict=True):
            X_a, X_b = poses[arrangement.frame[a]], poses[arrangement.frame[b]]
            assert not _coal.touching(model.bodies[a].tree, X_a, model.bodies[b].tree, X_b)


def test_the_same_seed_gives_the_same_path_and_another_seed_may_give_another(free):
    def path(seed):
        with pillars() as fresh:
            for k in range(0, 24, 2):
                plan = found(fresh, free[k + 1], start=free[k], seed=seed, budget=20.0)
                if plan.method != "direct":
                    return plan
        raise AssertionError("every motion is direct")

    one, again, other = path(5), path(5), path(6)
    assert one.waypoints.tobytes() == again.waypoints.tobytes()
    assert one.trajectory == again.trajectory
    assert one.waypoints.tobytes() != other.waypoints.tobytes()


def test_a_pose_is_reached_in_whatever_branch_is_free(cell, free):
    robot = cell.snapshot().robot("Arm").robot
    pose = robot.fk(free[1])
    plan = found(cell, pose, start=free[0], budget=20.0)
    assert robot.fk(plan.waypoints[-1]).is_close(pose, 1e-6, 1e-6)
    assert not touches_somewhere(cell, plan)


def test_a_free_spin_lets_the_tool_turn_about_its_axis_only(cell, free):
    robot = cell.snapshot().robot("Arm").robot
    pose = robot.fk(free[1])
    plan = found(cell, PoseGoal(pose, free=("rz",)), start=free[0], budget=20.0)
    hand = robot.fk(plan.waypoints[-1])
    np.testing.assert_allclose(hand.xyz, pose.xyz, atol=1e-6)
    np.testing.assert_allclose(hand.rotation[:, 2], pose.rotation[:, 2], atol=1e-6)


def test_tolerances_bound_how_far_the_tool_is_off(cell, free):
    robot = cell.snapshot().robot("Arm").robot
    pose = robot.fk(free[1])
    plan = found(cell, PoseGoal(pose, tolerance=0.01, turn_tolerance=0.1), start=free[0], budget=20.0)
    metres, radians = robot.fk(plan.waypoints[-1]).distance(pose)
    assert metres <= 0.01 + 1e-6
    assert radians <= 0.1 + 1e-6


def test_a_region_is_entered(cell, free):
    robot = cell.snapshot().robot("Arm").robot
    centre = robot.fk(free[1]).xyz
    goal = RegionGoal(tuple(centre - 0.05), tuple(centre + 0.05))
    plan = found(cell, goal, start=free[0], budget=20.0)
    assert (np.abs(robot.fk(plan.waypoints[-1]).xyz - centre) <= 0.05 + 1e-6).all()


def test_one_of_several_goals_is_reached_and_named(cell, free):
    goals = [free[1], free[3], free[5]]
    plan = found(cell, goals, start=free[0], budget=20.0)
    np.testing.assert_allclose(plan.waypoints[-1], goals[plan.goal], atol=1e-12)


def test_goals_that_are_out_of_range_are_left_out_where_another_will_do(cell, free):
    goal = AnyGoal((JointGoal([9.0] * 6), JointGoal(free[1])))
    plan = found(cell, goal, start=free[0], budget=20.0)
    assert plan.goal == 1


def test_the_robot_that_is_there_stays(cell, free):
    plan = found(cell, free[0], start=free[0])
    assert plan.duration == 0.0
    assert plan.path is None


def test_a_target_is_gone_to_by_its_name():
    with pillars() as cell:
        robot = cell.snapshot().robot("Arm").robot
        cell.do("set joints Arm -110,-30,-70,0,50,0")
        cell.do("learn target there from Arm")
        cell.do("set joints Arm 0,-40,-60,0,60,0")
        plan = found(cell, "there", budget=20.0)
        goal = robot.fk(np.radians([-110, -30, -70, 0, 50, 0]))
        assert robot.fk(plan.waypoints[-1]).is_close(goal, 1e-6, 1e-6)
        with pytest.raises(wc.WorkcellError, match="there"):
            found(cell, "ther")


# ---- bad input ----------------------------------------------------------------------------------------


def test_a_goal_out_of_range_is_refused_with_the_joint(cell):
    with pytest.raises(JointLimit, match=r"Joint 1 .* out of its range"):
        found(cell, [9.0, 0, 0, 0, 0, 0])


def test_a_pose_out_of_reach_is_refused_with_the_reason(cell):
    with pytest.raises(Unreachable, match="out of the arm's reach"):
        found(cell, wc.Pose.from_xyz(5.0, 0.0, 0.0))


def test_a_start_in_contact_is_refused_with_what_it_touches_and_a_way_out(cell):
    inside = _in_contact(cell)
    with pytest.raises(StartBlocked, match=r"Arm cannot start: .*pillar.* Free joint values nearby are") as caught:
        found(cell, cell.state.joints["Arm"], start=inside)
    assert not _touches(cell, caught.value.free)


def test_a_goal_in_contact_is_refused_with_what_it_touches(cell):
    with pytest.raises(GoalBlocked, match="pillar") as caught:
        found(cell, _in_contact(cell))
    assert caught.value.depth > 0.0


@pytest.mark.parametrize("budget", [0.0, -1.0, float("nan"), float("inf"), "soon"])
def test_a_budget_must_be_a_time(cell, free, budget):
    with pytest.raises(InvalidValue, match="budget of a search must be above 0 s"):
        found(cell, free[1], budget=budget)


def test_numbers_that_are_none_are_refused(cell):
    with pytest.raises(InvalidValue):
        found(cell, [float("nan")] * 6)


def test_goals_that_contradict_are_refused(cell, free):
    robot = cell.snapshot().robot("Arm").robot
    pose = robot.fk(free[1])
    far = RegionGoal(tuple(pose.xyz + 0.2), tuple(pose.xyz + 0.3))
    with pytest.raises(Unreachable, match="The goals contradict each other"):
        found(cell, AllGoals((PoseGoal(pose), far)), start=free[0])


def test_an_unknown_planner_is_refused_with_those_there_are(cell, free):
    with pytest.raises(wc.WorkcellError, match="rrt-connect"):
        found(cell, free[1], planner="rrt-conect")


def test_what_is_in_the_way_is_named_when_the_time_is_used_up(cell, free):
    start, goal = next(
        (free[k], free[k + 1])
        for k in range(0, 24, 2)
        if found(cell, free[k + 1], start=free[k], budget=20.0).method != "direct"
    )
    with pytest.raises(NoPath, match=r"No path of Arm was found in 1e-09 s\..*most") as caught:
        found(cell, goal, start=start, budget=1e-9)
    assert caught.value.obstacles[0][1] > 0


def _touches(cell, q):
    from workcell.collision.check import check

    state = cell.state.with_joints("Arm", q)
    return bool(check(collision_model(cell.snapshot(), warn=False), state))


def _in_contact(cell):
    robot = cell.snapshot().robot("Arm").robot
    solutions = robot.ik(wc.Pose.from_xyz(0.5, 0.3, 0.3) @ wc.Pose.from_axis_angle((1, 0, 0), np.pi))
    return solutions.q[int(np.argmax(solutions.within_limits))]


def test_the_same_question_with_kept_work_has_the_same_proved_path_until_the_scene_changes(free):
    start, goal = free[0], free[1]
    with pillars() as cell:
        first = found(cell, goal, start=start, budget=60.0, keep=True)
        again = found(cell, goal, start=start, budget=60.0, keep=True)
        assert again.method == "roadmap"
        assert again.states < first.states or first.method == "direct"
        np.testing.assert_array_equal(again.waypoints, first.waypoints)
        assert again.proof == first.proof
        middle = first.path.position(first.path.length / 2)
        hand = cell.snapshot().robot("Arm").robot.fk(middle)
        cell.add_solid(wc.solids.box(0.06, 0.06, 0.06), name="new", at=wc.Pose.from_xyz(*hand.matrix[:3, 3]))
        other = found(cell, goal, start=start, budget=60.0, keep=True)
        assert not touches_somewhere(cell, other)
        assert not np.array_equal(other.path.position(other.path.length / 2), middle)
        cell.do("undo")
        back = found(cell, goal, start=start, budget=60.0, keep=True)
        np.testing.assert_array_equal(back.waypoints, first.waypoints)
        slower = wc.Limits(speed=first.trajectory.max_speed() * 0 + 0.1, acceleration=np.full(6, 1.0))
        slow = found(cell, goal, start=start, budget=60.0, keep=True, limits=slower)
        assert (slow.trajectory.max_speed() <= 0.1 + 1e-9).all()


def test_loading_the_compiled_loops_does_not_count_as_searching(monkeypatch):
    """A slow first use, as after an installation, finds the same path as later ones within a small budget."""
    from workcell.planning import find_path as module

    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 joints -70,0,-90,0,90,0")
        cell.do("add solid post box 100 100 2000 at 600,0,0")
        goal = np.radians([70, 0, -90, 0, 90, 0])
        expected = wc.find_path(cell, "Puma", goal, keep=False)
        loads = []

        def slow(query):
            loads.append(query.effort)
            time.sleep(0.6)
            return rrt_connect(query)

        monkeypatch.setattr(module, "_ready", threading.Event())
        monkeypatch.setattr(module, "rrt_connect", slow)
        found = wc.find_path(cell, "Puma", goal, keep=False, budget=0.5)
        assert loads == [0.0]
        np.testing.assert_array_equal(found.waypoints, expected.waypoints)
        wc.find_path(cell, "Puma", goal, keep=False)
        assert loads == [0.0]  # once in a process
