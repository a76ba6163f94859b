"""`guide` in the plant: typed, in programs, held, stopped, saved, undone, replayed; parts on belts; dead ends."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.collision.bodies import collision_model
from workcell.collision.clearance import clearance_of
from workcell.errors import DeadEnd, InvalidValue, MotionStop, Refused, UnknownName, Unreachable, WorkcellError
from workcell.planning.guidance.arms import ArmConstants
from workcell.simulation.events import GuidanceEnded
from workcell.simulation.guided_reach import require_reach
from workcell.simulation.guided_wish import Wish

DOWN = "euler fanuc_wpr 180,0,180"
GUIDE = f"guide Puma 550,250,450 {DOWN} tolerance 2"


@pytest.fixture
def cell():
    made = wc.Cell()
    made.do("create robot Puma puma560 joints 0,60,-190,0,40,0")
    made.do("add solid ball sphere 60 at 620,60,420")
    return made


def test_a_typed_line_guides_the_hand_and_reports_the_miss(cell):
    found = cell.do(GUIDE)
    assert found.miss <= 2e-3
    assert found.clearance is not None
    assert 0.0 < found.clearance < 0.1
    assert "missed by" in str(found)
    tool = cell.snapshot().tool_pose(cell.state, "Puma")
    assert np.linalg.norm(tool.xyz - [0.55, 0.25, 0.45]) < 4e-3
    (event,) = (one for one in cell.session.simulator.recording.events if isinstance(one, GuidanceEnded))
    assert (event.robot, event.outcome) == ("Puma", "arrived")


def test_nothing_comes_near_at_any_instant_of_the_recording(cell):
    cell.do(GUIDE)
    recording, model = cell.session.simulator.recording, collision_model(cell.snapshot(), warn=False)
    least = min(
        clearance_of(model, recording.state_at(time), "Puma", own=False).distance
        for time in np.linspace(0.0, recording.duration, 60)
    )
    assert least > 0.01
    assert "no contact" in str(cell.do("check recording")) or cell.do("check recording")


def test_undo_redo_and_replay_give_the_same_bytes(cell, tmp_path):
    before = cell.state
    cell.do(GUIDE)
    after = cell.state.to_json()
    cell.undo()
    assert cell.state.to_json() == before.to_json()
    cell.redo()
    assert cell.state.to_json() == after
    assert cell.replayed().database.rows() == cell.database.rows()


def program(cell, *lines):
    text = "%0A".join(lines)
    cell.do(f'write program go "{text}"')


def test_a_step_of_a_program_does_what_the_typed_line_does(cell):
    program(cell, GUIDE)
    assert "no mistakes" in str(cell.do("check program go"))
    cell.do("run go")
    stepped = cell.state.joints["Puma"]
    cell.undo()
    cell.do(GUIDE)
    np.testing.assert_array_equal(stepped, cell.state.joints["Puma"])


def test_a_program_is_checked_before_it_runs(cell):
    for line, words in [
        (f"guide Nobody 550,250,450 {DOWN}", "Nobody"),
        (f"guide Puma 550,250,450 {DOWN} on nothing", "nothing"),
        (f"guide Puma 550,250,450 {DOWN} speed 3s", "speed"),
        (f"guide Puma 550,250,450 {DOWN} keep -5mm", ""),
    ]:
        with pytest.raises(WorkcellError) as caught:
            cell.do(line)
        assert words in str(caught.value)
        assert "\n" not in caught.value.message
    program(cell, f"guide Puma 550,250,450 {DOWN} on nothing")
    assert "nothing" in str(cell.do("check program go"))


def test_it_is_held_and_resumed_by_another_branch(cell):
    program(
        cell,
        "parallel",
        f"  {GUIDE}",
        "and",
        "  wait 0.5",
        "  hold-motion Puma",
        "  wait 1",
        "  resume-motion Puma",
        "end",
    )
    cell.do("run go")
    held = cell.session.simulator.recording
    a, b = (held.state_at(time).joints["Puma"] for time in (1.2, 1.45))
    np.testing.assert_array_equal(a, b)  # it stood
    tool = cell.snapshot().tool_pose(cell.state, "Puma")
    assert np.linalg.norm(tool.xyz - [0.55, 0.25, 0.45]) < 4e-3


def test_it_is_stopped_by_another_branch_and_the_refusal_can_be_taken(cell):
    program(
        cell, "parallel", "  try", f"    {GUIDE}", "  on-error why", "    message why", "  end", "and", "  wait 0.5",
        "  stop-motion Puma", "end",
    )  # fmt: skip
    cell.do("run go")
    tool = cell.snapshot().tool_pose(cell.state, "Puma")
    assert np.linalg.norm(tool.xyz - [0.55, 0.25, 0.45]) > 0.02
    cell.undo()
    program(cell, "parallel", f"  {GUIDE}", "and", "  wait 0.5", "  stop-motion Puma", "end")
    with pytest.raises(MotionStop, match="stopped on its way"):
        cell.do("run go")


def test_a_run_that_is_saved_in_the_middle_goes_on_to_the_same_bytes(cell, tmp_path):
    program(cell, "parallel", f"  {GUIDE}", "and", "  wait 0.7", "  wait 0.1", "end")
    cell.do("run go")
    whole = cell.state.to_json()
    cell.undo()
    cell.do("break go 5")
    cell.do("run go")
    assert cell.session.paused is not None
    path = tmp_path / "half.run"
    cell.do(f"save-run {path}")
    cell.do("resume")
    assert cell.state.to_json() == whole
    cell.undo()
    cell.do(f"load-run {path}")
    cell.do("resume")
    assert cell.state.to_json() == whole


def test_going_back_a_step_and_on_again_gives_the_same(cell):
    program(cell, "parallel", f"  {GUIDE}", "and", "  wait 0.3", "  wait 0.3", "  wait 0.3", "end")
    cell.do("run go")
    whole = cell.state.to_json()
    cell.undo()
    cell.do("break go 5")
    cell.do("run go")
    cell.do("step-over")
    cell.do("step-back")
    cell.do("clear-breaks") if "clear-breaks" in cell.session.registry else None
    cell.do("resume")
    while cell.session.paused is not None:
        cell.do("resume")
    assert cell.state.to_json() == whole


def test_a_watched_cell_accepts_only_free_set_points(cell):
    cell.do("watch yes")
    found = cell.do(GUIDE)
    assert found.miss <= 2e-3


def test_a_hand_behind_a_wall_stalls_and_says_what_is_near(cell):
    cell.do("remove ball --deep")
    cell.do("add solid wall box 20 1600 1600 at 760,0,400")
    with pytest.raises(DeadEnd) as caught:
        cell.do("guide Puma 860,0,450 --position within 20s")
    assert caught.value.evidence["outcome"] in ("stalled", "time over")
    assert "wall" in str(caught.value)
    assert f"Puma stopped {caught.value.evidence['distance'] * 1e3:.4g} mm short of its destination: " in str(
        caught.value
    )
    assert not cell.do("contacts").contacts if hasattr(cell.do("contacts"), "contacts") else True
    assert cell.session.simulator.recording.duration > 0.5  # what was made is kept


@pytest.mark.parametrize(
    "asked", ["2550,350,450 --position", "2550,350,450 --position of grip", f"850,350,450 {DOWN}", f"2550,0,0 {DOWN}"]
)
def test_a_destination_out_of_reach_is_refused_before_anything_moves(cell, asked):
    before = cell.state.to_json()
    with pytest.raises(Unreachable, match="Puma cannot reach the destination"):
        cell.do(f"guide Puma {asked}")
    assert cell.state.to_json() == before


def test_no_place_where_the_hand_can_be_is_refused(cell):
    """Whatever joint values: the pose that they give the hand is in reach, also at the limits."""
    rng, simulator = np.random.default_rng(5), cell.session.simulator
    placed = cell.snapshot().robot("Puma")
    low, high = placed.robot.limits.T
    for number in range(40):
        q = rng.uniform(low, high) if number % 2 else np.where(rng.random(6) < 0.5, low, high)
        pose = cell.snapshot().tool_pose(cell.state.with_joints("Puma", q), "Puma")
        for position in (False, True):
            require_reach(simulator, Wish("Puma", pose, position=position))


def test_a_joint_at_its_limit_is_named():
    cell = wc.Cell()
    cell.do("create robot Puma puma560 joints 150,60,-190,0,40,0")
    x, y, z = cell.snapshot().tool_pose(cell.state, "Puma").xyz * 1e3
    turn = np.radians(40.0)  # 30° beyond the limit of joint 1
    c, s = np.cos(turn), np.sin(turn)
    with pytest.raises(DeadEnd, match="joint 1 is at its upper limit"):
        cell.do(f"guide Puma {c * x - s * y:.3f},{s * x + c * y:.3f},{z:.3f} --position within 20s")


def test_a_part_on_a_belt_is_met():
    cell = wc.Cell()
    cell.do("create robot Puma puma560 joints 0,60,-190,0,40,0")
    cell.do("add conveyor Belt 2400 at 550,-900,-600 rotate 0,0,90")
    cell.do("add solid part box 60 60 40 at 550,-400,120 --movable")
    cell.do("ride part on Belt")
    program(
        cell,
        "run-conveyor Belt 80mm/s",
        f"guide Puma 0,0,150 {DOWN} on part tolerance 2 --position",
        "stop-conveyor Belt",
    )
    cell.do("run go")
    (event,) = (one for one in cell.session.simulator.recording.events if isinstance(one, GuidanceEnded))
    assert event.outcome == "arrived"
    assert event.miss <= 2e-3
    recording = cell.session.simulator.recording
    state = recording.state_at(event.time)
    assert cell.snapshot().body_pose(state, "part").xyz[1] > -0.38  # the part had gone on


@pytest.mark.parametrize(
    ("wishes", "error", "words"),
    [
        ({"period": 0.0}, InvalidValue, "The period of a guided motion must be above zero"),
        ({"period": 5.0}, InvalidValue, "from 1 ms to 1 s"),
        ({"tolerance": float("nan")}, InvalidValue, "The tolerance of a guided motion"),
        ({"time": -1.0}, InvalidValue, "The time of a guided motion"),
        ({"resolution": -1.0}, InvalidValue, "The resolution of encoders"),
        ({"ignoring": ("nobody",)}, UnknownName, "nobody"),
        ({"on": "nobody"}, WorkcellError, "nobody"),
        ({"point": "thumb"}, InvalidValue, "The point of the hand"),
    ],
)
def test_wrong_wishes_are_refused_in_one_sentence(cell, wishes, error, words):
    with pytest.raises(error) as caught:
        wc.Simulator(cell).robot("Puma").guide(wc.Pose.from_xyz(0.5, 0, 0.5), **wishes)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mechanism_has_no_hand_to_guide(cell):
    cell.do("add conveyor Belt 2000 at 900,0,0")
    with pytest.raises(WorkcellError, match="robot"):
        cell.do("guide Belt 0,0,0")
    with pytest.raises(Refused, match="mode path"):
        wc.Simulator(cell, mode="joint-by-joint").robot("Puma").guide(wc.Pose.from_xyz(0.5, 0, 0.5))


def test_coarse_encoders_still_lead_there(cell):
    pose = wc.Pose.from_xyz(0.55, 0.25, 0.45)
    found = wc.Simulator(cell).robot("Puma").guide(pose, position=True, tolerance=3e-3, resolution=5e-4)
    assert found.outcome == "arrived"


def test_a_plan_helps_out_of_a_dead_end_and_guidance_goes_on(cell):
    cell.do("remove ball --deep")
    cell.do("add solid wall box 20 600 300 at 620,-100,200")
    cell.do(f"guide Puma 480,-150,330 {DOWN}")
    line = f"guide Puma 730,-100,300 {DOWN} within 40s"
    with pytest.raises(DeadEnd):
        cell.do(line)
    cell.undo()
    found = cell.do(f"{line} --plan")
    assert found.plans >= 1
    assert found.miss <= 1e-3
    recording = cell.session.simulator.recording
    assert any(move.kind == "planned" for move in recording.moves)
    model = collision_model(cell.snapshot(), warn=False)
    for time in np.linspace(0.0, recording.duration, 80):
        nearest = clearance_of(model, recording.state_at(time), "Puma")
        assert nearest is None or nearest.distance > 0.0


def test_the_plugged_gap_of_the_thesis_is_got_through():
    """With rates bounded by distances and not by forces alone, the arm finds the way that the thesis' forces close."""
    cell = wc.Cell()
    cell.add_robot("loeff6", name="Arm")
    for number, (x, y, radius) in enumerate([(4.4, 5, 1.5), (9, 5.5, 1.5), (7.5, 1.5, 1.5), (6.7, 4.2, 0.5)]):
        cell.add_solid(wc.solids.cylinder(radius, 1.0), name=f"post{number}", at=wc.Pose.from_xyz(x, y, 0.0))
    simulator = wc.Simulator(cell)
    found = simulator.robot("Arm").guide(
        wc.Pose.from_xyz(6.8, 8.0, 0.0), position=True, tolerance=0.02, time=120.0, plans=True,
        constants=ArmConstants(speed=0.8, reach=0.2),
    )  # fmt: skip
    assert found.outcome == "arrived"
    assert 0.0 < found.clearance < 0.2
