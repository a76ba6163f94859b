"""find-path as a command and as a step of a program: recorded, undone, replayed, written, checked, saved."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.collision.batch import check_batch
from workcell.collision.bodies import collision_model
from workcell.errors import NoPath, StartBlocked
from workcell.planning.planners import rrt_connect
from workcell.simulation.events import PathTried

HERE, THERE = "-70,0,-90,0,90,0", "70,0,-90,0,90,0"


@pytest.fixture
def cell():
    with wc.Cell() as made:
        made.do(f"create robot Puma puma560 joints {HERE}")
        made.do("add solid post box 100 100 2000 at 600,0,0")
        yield made


def recorded_states(cell, samples=300):
    recording = cell.session.recording
    return [recording.state_at(t) for t in np.linspace(0.0, recording.end, samples)]


def test_the_robot_goes_round_what_stands_in_the_way_and_touches_nothing(cell):
    answer = cell.do(f"find-path Puma joints {THERE}")
    np.testing.assert_allclose(cell.state.joints["Puma"], np.radians([70, 0, -90, 0, 90, 0]), atol=1e-12)
    assert answer.path.method == "rrt-connect"
    assert answer.path.clearance > 0.0
    assert answer.duration == pytest.approx(answer.path.duration, abs=1e-8)
    assert not check_batch(collision_model(cell.snapshot(), warn=False), recorded_states(cell)).touching.any()


def test_the_straight_motion_would_have_touched(cell):
    proof = cell.do(f"certify Puma {THERE}")
    assert proof.verdict == "contact"


def test_what_is_found_is_what_was_told(cell):
    told = cell.do(f"plan-path Puma joints {THERE} seed 4")
    assert cell.state.joints["Puma"] == pytest.approx(np.radians([-70, 0, -90, 0, 90, 0]))
    done = cell.do(f"find-path Puma joints {THERE} seed 4")
    assert done.path.waypoints == told.waypoints


def test_a_path_is_undone_and_replayed_to_the_same_bytes(cell):
    before = cell.state
    cell.do(f"find-path Puma joints {THERE}")
    recorded = cell.session.recording.to_bytes()
    assert cell.replayed().session.recording.to_bytes() == recorded
    cell.undo()
    assert cell.state == before
    cell.redo()
    assert cell.state.joints["Puma"] == pytest.approx(np.radians([70, 0, -90, 0, 90, 0]))


def test_it_is_a_step_of_a_program_that_is_written_and_read_again(cell):
    cell.do(f"program go\n  find-path Puma joints {THERE}\n  find-path Puma joints {HERE} seed 2\nend")
    assert not cell.do("check program go").problems
    text = str(cell.do("show program go"))
    assert f"find-path Puma joints {THERE}" in text
    cell.do("run go")
    assert cell.state.joints["Puma"] == pytest.approx(np.radians([-70, 0, -90, 0, 90, 0]))
    recorded = cell.session.recording.to_bytes()
    assert cell.replayed().session.recording.to_bytes() == recorded


def test_a_program_is_checked_before_it_runs(cell):
    def problems(line):
        cell.do(f"program bad\n  {line}\nend")
        found = [str(one) for one in cell.do("check program bad").problems]
        cell.do("remove program bad")
        return found

    assert "needs a goal" in problems("find-path Puma")[0]
    assert "out of its range" in problems("find-path Puma joints 400,0,0,0,0,0")[0]
    assert "no planner called 'foo'" in problems(f"find-path Puma joints {THERE} planner foo")[0]
    assert "reach" in problems("find-path Puma to 5000,0,0")[0]
    assert not problems("find-path Puma to 5000,0,0 to 400,-300,500 euler fanuc_wpr 180,0,0")


def test_a_rename_reaches_the_step(cell):
    cell.do(f"program go\n  find-path Puma joints {THERE} touching post\nend")
    cell.do("modify Puma name Arm")
    cell.do("modify post name pillar")
    assert f"find-path Arm joints {THERE} touching pillar" in str(cell.do("show program go"))


def test_what_was_tried_is_recorded_when_asked_for(cell):
    cell.do(f"find-path Puma joints {THERE} --display-tries")
    tried = [one for one in cell.session.recording.events if isinstance(one, PathTried)]
    assert [one.how for one in tried] == ["direct", "rrt-connect"]
    assert tried[1].lines
    assert all(len(line) == 6 for line in tried[1].lines)


def test_contacts_can_be_allowed_for_one_move(cell):
    answer = cell.do(f"find-path Puma joints {THERE} touching post")
    assert answer.path.method == "direct"
    assert "touching nothing but post" in str(answer)
    assert "touching nothing:" in str(cell.do("find-path Puma joints 60,0,-90,0,90,0"))


def test_a_part_that_lies_on_something_is_lifted_while_constraints_hold():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("add solid table box 500 1400 40 at 500,0,-20")
        cell.do("add solid cube box 60 60 60 at 500,-300,30 --movable")
        cell.do("find-path Puma to 500,-300,170 rotate 180,0,0 free rz budget 20s")
        cell.do("grip cube with Puma")
        for height in (190, 170):  # above the table, and back onto it
            assert cell.do(f"find-path Puma to 500,100,{height} rotate 180,0,0 free rz upright 0").path.waypoints
        with pytest.raises(StartBlocked, match="too close to") as caught:
            cell.do("find-path Puma to 500,-300,170 rotate 180,0,0 free rz plane 0,0,1")
        assert {"cube", "table"} == set(caught.value.evidence["pairs"][0])
        words = str(caught.value)
        assert "cube lies on table, and no way off it keeps the constraints" in words
        cell.do(words.split("`")[1])  # what the message advises


def test_a_machine_on_a_rail_goes_round_with_all_its_joints():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        for line in ("add rail track 3000", "mount Puma on track", "create machine Line of track of Puma"):
            cell.do(line)
        cell.do("add solid post box 100 100 2000 at 1500,600,0")
        cell.do("set joints Line 200mm,90,0,-90,0,90,0")
        answer = cell.do("find-path Line joints 2600mm,90,0,-90,0,90,0")
        assert cell.state.joints["track"][0] == pytest.approx(2.6)
        assert not check_batch(collision_model(cell.snapshot(), warn=False), recorded_states(cell)).touching.any()
        assert answer.path.waypoints[-1][0] == pytest.approx(2.6)


def test_a_part_in_the_hand_counts():
    with wc.Cell() as cell:
        cell.do(f"create robot Puma puma560 joints {HERE}")
        cell.do("add solid post box 100 100 2000 at 1000,0,0")
        bare = cell.do(f"plan-path Puma joints {THERE}")
        assert bare.method == "direct"
        hand = cell.snapshot().robot("Puma").robot.fk(cell.state.joints["Puma"])
        x, y, z = 1e3 * (hand @ wc.Pose.from_xyz(0.0, 0.0, 0.02)).xyz
        cell.do(f"add solid bar box 900 20 20 at {x},{y},{z} --movable")
        cell.do("grip bar with Puma")
        held = cell.do(f"plan-path Puma joints {THERE}")
        assert held.method != "direct"


def test_a_part_is_lifted_off_its_table_and_put_down_elsewhere():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        robot = cell.snapshot().robot("Puma").robot
        down = wc.Pose.from_axis_angle((1.0, 0.0, 0.0), np.pi)
        cell.do("add solid table box 500 1400 40 at 500,0,-20")
        cell.do("add solid wall box 300 30 200 at 500,0,100")
        cell.do("add solid cube box 60 60 60 at 500,-300,30 --movable")
        near = np.radians([0, 0, -90, 0, 90, 0])
        for y in (-0.3, 0.3):
            poses = wc.Pose.from_xyz(0.5, y, 0.06 + 0.11) @ down
            assert robot.ik(poses, near).within_limits.any()
        found = cell.do("find-path Puma to 500,-300,170 rotate 180,0,0 free rz budget 20s")
        assert found.path.waypoints
        cell.do("grip cube with Puma")
        assert "cube" in cell.state.attached
        held = cell.do("find-path Puma to 500,300,170 rotate 180,0,0 free rz budget 20s")
        assert held.path.method != "direct"  # the wall stands between
        np.testing.assert_allclose(cell.snapshot().body_pose(cell.state, "cube").xyz, [0.5, 0.3, 0.03], atol=1e-6)
        assert cell.do("check recording").time is None


def test_it_works_from_python(cell):
    plan = wc.find_path(cell, "Puma", np.radians([70, 0, -90, 0, 90, 0]))
    assert isinstance(plan, wc.PathPlan)
    assert plan.proof.free
    assert cell.state.joints["Puma"] == pytest.approx(np.radians([-70, 0, -90, 0, 90, 0]))


def test_a_planner_is_a_plug_in(cell):
    wc.register_planner("mine", rrt_connect)
    plan = wc.find_path(cell, "Puma", np.radians([70, 0, -90, 0, 90, 0]), planner="mine", budget=20.0)
    assert plan.method == "mine"


def test_a_planner_that_is_wrong_is_refuted(cell):
    wc.register_planner("through walls", lambda query: np.array([query.start, query.goals[0]]))
    with pytest.raises(NoPath):
        wc.find_path(cell, "Puma", np.radians([70, 0, -90, 0, 90, 0]), planner="through walls", budget=0.5)


def test_later_queries_in_a_scene_use_the_paths_of_earlier_ones(cell):
    goal = np.radians([70, 0, -90, 0, 90, 0])
    first = wc.find_path(cell, "Puma", goal, budget=20.0)
    again = wc.find_path(cell, "Puma", goal + 0.02, budget=20.0)
    assert (first.method, again.method) == ("rrt-connect", "roadmap")
    assert again.states < first.states
    assert again.proof.free
    cell.do("add solid other box 50 50 50 at 900,900,0")
    assert wc.find_path(cell, "Puma", goal + 0.02, budget=20.0).method == "rrt-connect"
    cell.undo()
    assert wc.find_path(cell, "Puma", goal + 0.02, budget=20.0).method == "roadmap"


def test_what_is_kept_does_not_change_a_path_that_must_come_again(cell):
    goal = np.radians([70, 0, -90, 0, 90, 0])
    plain = wc.find_path(cell, "Puma", goal, budget=20.0, keep=False)
    wc.find_path(cell, "Puma", goal + 0.01, seed=3, budget=20.0)
    assert wc.find_path(cell, "Puma", goal, budget=20.0, keep=False).waypoints.tobytes() == plain.waypoints.tobytes()


def test_what_would_open_a_path_is_named(cell):
    x, y, z = cell.snapshot().robot("Puma").robot.fk(np.radians([70, 0, -90, 0, 90, 0])).xyz * 1e3
    cell.do(f"add solid lid box 400 400 20 at {x},{y},{z + 260}")
    with pytest.raises(NoPath, match="The search met") as caught:
        wc.find_path(cell, "Puma", np.radians([70, 0, -90, 0, 90, 0]), budget=1e-9)
    assert caught.value.obstacles
    assert set(caught.value.opened_by) <= {name for name, _ in caught.value.obstacles}
