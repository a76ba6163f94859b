"""Replacing a robot: what is kept, what is carried over, what fits no longer; and labels that no longer lie."""

from __future__ import annotations

import itertools
import json
import threading

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import Cancelled, InvalidValue, Refused, WorkcellError
from workcell.robots.catalogue import robot as library
from workcell.robots.reaching import fit, taught_way, ways_to
from workcell.spatial.pose import Pose
from workcell.world.robot_shape import robot_of

ARMS = ("puma560", "kr16", "ur5e", "ur10e", "irb140", "irb6700", "cobra600", "iiwa14", "planar3r", "stanford")
DOWN = "euler fanuc_wpr 180,0,180"


@pytest.fixture
def puma(cell):
    cell.do("create robot Puma puma560 at 100,0,0 joints 0,0,-90,0,90,0")
    return cell


def rows(answer, kind):
    return {one.name: one for one in answer.checked if one.kind == kind}


def arm(cell, name="Puma"):
    return robot_of(cell.database.entity("robot", name))


# ---- the arm is another one, everything else stays -----------------------------------------------------------


def test_the_arm_is_another_one_in_the_same_place(puma):
    answer = puma.do("replace robot Puma with kr16")
    assert answer.model == "kr16"
    assert "kr16" in str(answer)
    assert np.array_equal(arm(puma).limits, library("kr16").limits)
    placed = puma.session.snapshot().robot("Puma")
    assert placed.X_parent_base == Pose.from_xyz(0.1, 0.0, 0.0)
    assert np.allclose(placed.robot.fk(placed.robot.home).matrix, library("kr16").fk(library("kr16").home).matrix)
    assert puma.database.entity("robot", "Puma").properties["model"] == "kr16"


def test_a_label_no_longer_lies(puma):
    with pytest.raises(Refused, match="`replace robot Puma with kr16` replaces it"):
        puma.do("modify Puma model kr16")
    assert puma.database.entity("robot", "Puma").properties["model"] == "puma560"
    puma.do("add rail track 2000")
    with pytest.raises(Refused, match="remove it and add another"):
        puma.do("modify track model other")


@settings(max_examples=12)
@given(st.lists(st.sampled_from(ARMS), min_size=1, max_size=3))
def test_undo_gives_the_same_cell_back_and_a_replay_makes_it_again(models):
    with wc.Cell() as cell:
        cell.do("create robot R puma560 joints 0,0,-90,0,90,0")
        cell.do(f"add target T 600,-150,500 {DOWN}")
        cell.do("create program P")
        cell.do('modify P text "move-joints-absolute R 0,0,-90,0,90,0%0Amove-end-effector R T"')
        cell.do("move-joints-absolute R 10,0,-90,0,90,0")
        for model in (new for old, new in itertools.pairwise(["puma560", *models]) if new != old):
            before = cell.database.rows()
            answer = cell.do(f"replace robot R with {model}")
            msgspec.json.encode(answer)
            after = cell.database.rows()
            cell.do("undo")
            assert cell.database.rows() == before
            cell.do("redo")
            assert cell.database.rows() == after
            state = cell.session.state.joints["R"]
            assert arm(cell, "R").within_limits(state)
            assert arm(cell, "R").within_limits(cell.session.snapshot().initial.joints["R"])
        assert cell.replayed().database.rows() == cell.database.rows()


def test_the_same_model_again_changes_nothing_but_the_words(puma):
    puma.do(f"add target T 600,-150,500 {DOWN}")
    before = puma.session.snapshot()
    answer = puma.do("replace robot Puma with puma560")
    assert answer.misfits == 0
    after = puma.session.snapshot()
    assert [body.hash for body in after.bodies] == [body.hash for body in before.bodies]
    assert after.initial == before.initial


def test_tool_colour_zones_views_and_pairs_stay(puma):
    puma.do("modify Puma colour red")
    puma.do("create gripper claw")
    puma.do("modify claw opening 60mm")
    puma.do("modify claw reach 150mm")
    puma.do("fit tool claw to Puma")
    puma.do("add zone gate box 100 100 100 at 0,900,500 for Puma")
    puma.do("add solid table box 300 300 20 at 800,0,0")
    puma.do('allow Puma with table because "as built"')
    puma.do("replace robot Puma with ur5e")
    placed = puma.session.snapshot().robot("Puma")
    assert placed.robot.gripper.opening == pytest.approx(0.06)
    assert placed.robot.X_flange_tool.xyz == pytest.approx([0.0, 0.0, 0.15])
    assert puma.database.entity("robot", "Puma").colour == "red"
    assert puma.database.entity("zone", "gate").properties["robots"] == "Puma"
    assert "allowed" in [row[0] for row in puma.do("pairs").rows]


def test_a_robot_on_a_rail_stays_on_it_and_what_is_mounted_on_a_robot_goes_to_the_last_link(cell):
    cell.do("add rail track 3000")
    cell.do("create robot Carrier irb6700")
    cell.do("mount Carrier on track")
    cell.do("create robot Small ur3e")
    cell.do("mount Small on Carrier")
    cell.do("move-joints-absolute track 500")
    base = cell.session.snapshot().base_pose(cell.session.state, "Carrier")
    cell.do("replace robot Carrier with iiwa14")
    flat, state = cell.session.snapshot(), cell.session.state
    assert flat.base_pose(state, "Carrier").is_close(base, 1e-12, 1e-12)
    small = flat.robot("Small")
    assert (small.parent, small.parent_link) == ("Carrier", 7)
    answer = cell.do("replace robot Carrier with cobra600")
    assert cell.session.snapshot().robot("Small").parent_link == 4
    assert rows(answer, "mount")["Small"].fits


def test_a_mount_on_a_link_that_is_gone_is_told(cell):
    cell.do("create robot Arm iiwa14")
    cell.do("create robot Small ur3e")
    cell.do("mount Small on Arm link 6")
    found = rows(cell.do("replace robot Arm with cobra600"), "mount")["Small"]
    assert not found.fits
    assert "no link 6" in found.problem
    assert cell.session.snapshot().robot("Small").parent_link == 4


# ---- what fits no longer -------------------------------------------------------------------------------------


def judged(before, after, seed):
    """What is said of a pose that the arm before takes, and whether a move of the new arm takes it."""
    old = library(before)
    pose = old.fk(np.random.default_rng(seed).uniform(old.limits[:, 0], old.limits[:, 1]))
    place = ",".join(f"{value:.9f}" for value in pose.xyz * 1e3)
    turn = ",".join(f"{value:.9f}" for value in np.degrees(pose.angles("fanuc_wpr")))
    with wc.Cell() as cell:
        cell.do(f"create robot R {before}")
        cell.do(f"add target T {place} euler fanuc_wpr {turn}")
        found = rows(cell.do(f"replace robot R with {after}"), "target").get("T")
        try:
            cell.do("move-end-effector R T")
        except WorkcellError:
            return found, False
        return found, True


@settings(max_examples=30)
@given(st.sampled_from(ARMS), st.sampled_from(ARMS), st.integers(0, 2**32 - 1))
def test_a_verdict_is_what_a_move_finds(before, after, seed):
    """Poses that the arm before takes: those called reachable are taken by a move, the others are refused."""
    found, reached = judged(before, after, seed)
    assert (found is not None and found.fits) == reached
    assert found is None or found.fits == (not found.problem)


@pytest.mark.soak
def test_verdicts_are_what_moves_find_for_every_pair_of_arms():
    wrong, reached, total = [], 0, 0
    for number, (before, after) in enumerate(itertools.product(ARMS, ARMS)):
        for seed in range(3 * number, 3 * number + 3):
            found, took = judged(before, after, seed)
            total, reached = total + 1, reached + took
            if (found is not None and found.fits) != took:
                wrong.append((before, after, seed))
    print(f"replace: {total} poses, {len(ARMS)}x{len(ARMS)} arms, {reached} reached, {len(wrong)} wrong verdicts")
    assert not wrong


def test_reach_limits_and_numbers_of_joints_are_told_apart(puma):
    puma.do(f"add target near 450,-150,300 {DOWN}")
    puma.do(f"add target far 800,-150,600 {DOWN}")
    puma.do(f"add target nowhere 9000,0,0 {DOWN}")
    puma.do("create program demo")
    lines = (
        "move-joints-absolute Puma 0,0,-90,0,90,0",
        "move-joints-relative Puma 1,1,1,1,1,1",
        "move-end-effector Puma far",
        f"move-straight-line Puma 450,-100,300 {DOWN}",
    )
    text = "%0A".join(lines)
    puma.do(f'modify demo text "{text}"')
    answer = puma.do("replace robot Puma with ur3e")
    targets = rows(answer, "target")
    assert targets["near"].fits
    assert "out of reach by" in targets["far"].problem
    assert "nowhere" not in targets
    moves = rows(answer, "program")
    assert not moves["line 3 of demo: move-end-effector"].fits
    assert moves["line 4 of demo: move-straight-line"].fits
    answer = puma.do("replace robot Puma with cobra600")
    moves = rows(answer, "program")
    assert moves["line 1 of demo: move-joints-absolute"].problem == "another number of joints"
    assert not moves["line 2 of demo: move-joints-relative"].fits
    assert not rows(answer, "joints")["initial joint values"].fits
    assert answer.misfits == sum(not one.fits for one in answer.checked)


def test_what_only_a_run_decides_is_named_as_not_judged(puma):
    puma.do(f"add target near 450,-150,300 {DOWN}")
    texts = {
        "plain": "repeat 2%0Amove-end-effector Puma near%0Aend",
        "varied": "let t = near%0Amove-end-effector Puma t",
        "looped": "for i = 1 to 3%0Amove-joints-absolute Puma i*10,0,-90,0,90,0%0Aend",
        "framed": "frame 100,0,0%0Amove-end-effector Puma near",
        "away": "move-end-effector Puma near%0Amove-joints-relative Puma 1,0,0,0,0,0",
        "idle": "wait 1",
    }
    for name, text in texts.items():
        puma.do(f"create program {name}")
        puma.do(f'modify {name} text "{text}"')
    answer = puma.do("replace robot Puma with puma560")
    assert set(answer.run_dependent) == {"varied", "looped", "framed", "away"}
    head = str(answer).splitlines()[0]
    assert "4 programs depend on the run (" in head
    assert head.endswith("; collisions were not checked")


def test_joint_values_of_a_program_out_of_the_new_range_are_told(puma):
    puma.do("create program demo")
    puma.do('modify demo text "move-joints-absolute Puma 0,0,-100,0,90,0"')
    found = rows(puma.do("replace robot Puma with irb6400"), "program")["line 1 of demo: move-joints-absolute"]
    assert not found.fits
    assert "Joint 2" in found.problem
    assert "out of its range" in found.problem


def test_the_branch_that_a_target_was_taught_with_is_looked_for(puma):
    puma.do(f"add target T 400,-150,300 {DOWN}")
    old, pose = arm(puma), Pose.from_xyz_angles((0.3, -0.15, 0.3), (np.pi, 0.0, np.pi), "fanuc_wpr")
    solutions = [way for way in puma.do("ik Puma T").solutions if way.within_limits]
    for way in solutions:
        assert taught_way(old, way.joints) == way.label
    there = {way.label for way in ways_to(library("cobra600"), pose) if not way.outside}
    lost = [way for way in solutions if way.label not in there]
    assert there
    assert lost
    puma.do(f"modify T label {lost[0].label}")
    found = rows(puma.do("replace robot Puma with cobra600"), "target")["T"]
    assert not found.fits
    assert lost[0].label in found.problem
    puma.do("undo")
    puma.do("drop property label from T")
    puma.session.call("modify", {"thing": "T", "field": "joints", "value": lost[0].joints})
    assert lost[0].label in rows(puma.do("replace robot Puma with cobra600"), "target")["T"].problem
    puma.do("undo")
    puma.do("drop property joints from T")
    assert rows(puma.do("replace robot Puma with cobra600"), "target")["T"].fits
    puma.do("undo")
    puma.do(f"branch Puma {lost[0].label}")
    assert lost[0].label in rows(puma.do("replace robot Puma with cobra600"), "target")["T"].problem


@settings(max_examples=40)
@given(st.sampled_from(["puma560", "kr16", "ur5e", "irb140"]), st.integers(0, 2**32 - 1))
def test_a_fit_names_a_branch_that_is_there(model, seed):
    robot = library(model)
    q = np.random.default_rng(seed).uniform(robot.limits[:, 0], robot.limits[:, 1])
    pose = robot.fk(q)
    found = fit(robot, pose)
    assert found.fits
    assert found.branch in [way.name for way in ways_to(robot, pose) if not way.outside]
    branch = taught_way(robot, q)
    if branch:
        assert fit(robot, pose, branch).fits
    missing = {"+++", "---", "+-+", "-+-"} - {way.label for way in ways_to(robot, pose)}
    for label in missing:
        other = fit(robot, pose, label)
        assert other.reached
        assert not other.kept
        assert label in other.problem


def test_a_load_that_is_too_heavy_is_told(puma):
    puma.do("replace robot Puma with kr16")
    puma.do("create tool press")
    puma.do("modify press payload 10kg")
    puma.do("fit tool press to Puma tcp 0,0,100")
    assert rows(puma.do("replace robot Puma with irb6700"), "load")["what it carries"].fits
    found = rows(puma.do("replace robot Puma with ur3e"), "load")["what it carries"]
    assert not found.fits
    assert "7 kg more than its payload of 3 kg" in found.problem


def test_pairs_of_links_that_are_gone_wait_and_are_told(cell):
    cell.do("create robot Arm iiwa14")
    cell.do("add solid table box 300 300 20 at 900,0,0")
    link = cell.session.snapshot().bodies[cell.session.snapshot().robot("Arm").bodies[7]].name
    cell.do(f'allow "{link}" with table because "as built"')
    answer = cell.do("replace robot Arm with cobra600")
    assert f"there is no {link}" in rows(answer, "pair")[f"{link} with table"].problem
    cell.do("contacts")


# ---- the state: joints, held parts, recordings ---------------------------------------------------------------

HOLD = (
    "add solid cube box 40 40 40 at 500,-150,20 --movable",
    f"move-end-effector Puma 500,-150,20 {DOWN} of grip",
    "close-gripper Puma",
)


def test_a_held_part_stays_in_the_hand_about_the_grip_point(puma):
    for line in HOLD:
        puma.do(line)
    sim = puma.session.simulator
    grip = sim.robot("Puma").grip_pose.inverse() @ _body(puma, "cube")
    answer = puma.do("replace robot Puma with kr16")
    assert rows(answer, "part")["cube"].fits
    assert puma.session.simulator.robot("Puma").holds == "cube"
    again = puma.session.simulator.robot("Puma").grip_pose.inverse() @ _body(puma, "cube")
    assert again.is_close(grip, 1e-9, 1e-9)
    puma.do("open-gripper Puma")
    puma.do("undo")
    puma.do("undo")
    assert puma.session.simulator.robot("Puma").holds == "cube"
    assert puma.database.entity("robot", "Puma").properties["model"] == "puma560"


def _body(cell, name):
    flat = cell.session.snapshot()
    return Pose(flat.body_poses(cell.session.state)[[one.name for one in flat.bodies].index(name)])


def test_a_part_that_the_new_hand_cannot_hold_is_left_where_it_is(puma):
    puma.do("replace robot Puma with kr210")
    wide = min(0.15, arm(puma).gripper.opening)
    puma.do(f"add solid crate box {wide * 1e3 - 1:.3f} 40 40 at 1500,0,820 --movable")
    X = Pose.from_xyz(1.5, 0.0, 0.82)
    puma.session.call("move-end-effector", {"robot": "Puma", "pose": _from_above(X), "point": "grip"})
    puma.do("close-gripper Puma")
    before = _body(puma, "crate")
    found = rows(puma.do("replace robot Puma with cobra600"), "part")["crate"]
    assert not found.fits
    assert "wide" in found.problem
    assert _body(puma, "crate").is_close(before, 1e-12, 1e-12)
    assert puma.session.simulator.robot("Puma").holds == ""


def _from_above(pose):
    from workcell.spatial.transform import Transform

    return Transform.from_pose(pose @ Pose.from_axis_angle((0.0, 1.0, 0.0), np.pi))


def test_a_recording_that_another_arm_made_is_forgotten_and_undo_brings_it_back(puma):
    puma.do("move-joints-absolute Puma 20,0,-90,0,90,0")
    duration = puma.session.recording.duration
    answer = puma.do("replace robot Puma with kr16")
    assert not rows(answer, "recording")["what was recorded"].fits
    assert puma.session.recording.duration == 0.0
    puma.do("undo")
    assert puma.session.recording.duration == duration


# ---- robots of the cell, refusals ----------------------------------------------------------------------------


def test_a_robot_like_another_one_of_the_cell_has_its_shapes_too(puma, tmp_path):
    puma.do("create robot Plain ur5e at 3000,0,0")
    file = tmp_path / "arm.urdf"
    puma.do(f"export robot Plain {file}")
    puma.do(f"import robot Brought {file} at 0,3000,0")
    puma.do("create block shell box 100 100 100")
    puma.do("assign link Brought 2 shell")
    puma.do("replace robot Puma with robot:Brought")
    flat = puma.session.snapshot()
    assert [body.hash for body in flat.bodies if body.owner == "Puma"] == [
        body.hash for body in flat.bodies if body.owner == "Brought"
    ]
    answer = puma.do("replace robot Puma with kr16")
    assert puma.database.find("block", "shell") is not None
    assert answer.model == "kr16"
    assert any(body.owner == "Brought" for body in puma.session.snapshot().bodies)
    with pytest.raises(Refused, match="cannot be replaced by itself"):
        puma.do("replace robot Puma with robot:Puma")


def test_solids_assigned_to_links_of_the_arm_before_stay_in_the_cell_and_are_told(puma):
    puma.do("create block tube cylinder 50 400")
    puma.do("assign link Puma 3 tube")
    answer = puma.do("replace robot Puma with kr16")
    assert "block tube" in rows(answer, "link")
    assert puma.database.find("block", "tube") is not None
    assert not [r for r in puma.database.relations(puma.database.entity("robot", "Puma")) if r.kind == "link"]


def test_refusals_change_nothing(puma):
    before = puma.database.rows()
    puma.do("draft robot arm 2")
    for line, words in (
        ("replace robot Puma with nonsuch", "nonsuch"),
        ("replace robot Nobody with kr16", "Nobody"),
        ("replace robot arm with kr16", "not finished"),
        ("replace robot Puma with robot:arm", "not finished"),
    ):
        with pytest.raises(WorkcellError, match=words):
            puma.do(line)
    puma.do("undo")
    assert puma.database.rows() == before


def test_it_tells_how_far_it_is_and_can_be_cancelled(puma):
    puma.do("add solid Cube box 300 1100 350 at 650,0,300")
    puma.do("targets along-edge Cube left top to seam spacing 50")
    before, told = puma.database.rows(), []
    puma.session.progress = lambda fraction, label: told.append((fraction, label))
    puma.do("replace robot Puma with kr16")
    assert [one for one, _ in told] == sorted(one for one, _ in told)
    assert len(told) > 10
    puma.do("undo")
    puma.session.cancel = threading.Event()
    puma.session.progress = lambda fraction, label: puma.session.cancel.set()
    with pytest.raises(Cancelled, match="the robot is as it was"):
        puma.do("replace robot Puma with kr16")
    puma.session.cancel = None
    assert puma.database.rows() == before


def test_a_robot_that_stands_nowhere_is_replaced(puma):
    puma.do("detach main/Puma")
    answer = puma.do("replace robot Puma with kr16")
    assert answer.misfits == 0
    puma.do("place Puma at 0,0,0")
    assert puma.session.snapshot().robot("Puma").robot.n == 6


def test_the_answer_is_typed(puma):
    puma.do(f"add target T 600,-150,500 {DOWN}")
    data = json.loads(msgspec.json.encode(puma.do("replace robot Puma with cobra600")))
    assert data["robot"] == "Puma"
    assert {"kind", "name", "fits", "before", "now", "problem"} <= set(data["checked"][0])


# ---- removing ------------------------------------------------------------------------------------------------


def test_removing_a_robot_leaves_its_tool_for_others(puma):
    puma.do("create gripper claw")
    puma.do("create block finger box 10 10 50")
    puma.do("attach finger to claw")
    puma.do("fit tool claw to Puma tcp 0,0,100")
    puma.do("create program demo")
    puma.do('modify demo text "move-joints-absolute Puma 0,0,-90,0,90,0"')
    answer = puma.do("remove Puma --deep")
    assert answer.removed == ("robot 'Puma'",)
    assert any("gripper 'claw' stays" in one for one in answer.stayed)
    assert any("program 'demo'" in one for one in answer.stayed)
    assert puma.database.find("block", "finger") is not None
    puma.do("create robot Other puma560")
    puma.do("fit tool claw to Other")
    puma.do("undo")
    puma.do("undo")
    puma.do("undo")
    assert puma.session.snapshot().robot("Puma").robot.X_flange_tool.xyz == pytest.approx([0, 0, 0.1])


def test_removing_a_rail_leaves_its_robot_where_it_stands_and_a_mounted_robot_can_be_removed(cell):
    cell.do("add rail track 3000")
    cell.do("create robot Arm ur5e")
    cell.do("mount Arm on track")
    cell.do("move-joints-absolute track 700")
    base = cell.session.snapshot().base_pose(cell.session.state, "Arm")
    answer = cell.do("remove track --deep")
    assert any("robot 'Arm' stays where it stands" in one for one in answer.stayed)
    assert cell.session.snapshot().base_pose(cell.session.state, "Arm").is_close(base, 1e-12, 1e-12)
    cell.do("undo")
    assert "robot 'Arm'" in cell.do("remove Arm --deep").removed
    assert [one.name for one in cell.session.snapshot().robots] == ["track"]


def test_a_part_that_something_else_uses_stays_and_its_user_is_named(cell):
    cell.do("add solid one box 10 10 10")
    cell.do("create object two")
    cell.do("attach one-solid to two")
    answer = cell.do("remove one --deep")
    assert answer.removed == ("object 'one'",)
    assert answer.stayed == ("block 'one-solid' stays because two/one-solid uses it",)


# ---- other properties that said `changed` and changed nothing ------------------------------------------------


def test_the_tip_of_a_gripper_goes_with_its_reach_unless_another_one_was_given(puma):
    puma.do("create gripper claw")
    puma.do("modify claw opening 60mm")
    puma.do("modify claw reach 150mm")
    puma.do("fit tool claw to Puma")
    puma.do("modify claw reach 200mm")
    robot = puma.session.snapshot().robot("Puma").robot
    assert robot.X_flange_tool.xyz == pytest.approx([0, 0, 0.2])
    assert robot.X_flange_tool.is_close(robot.gripper.X_flange_grip, 1e-9, 1e-9)
    puma.do("modify claw tcp 0,0,50")
    puma.do("modify claw reach 100mm")
    assert puma.session.snapshot().robot("Puma").robot.X_flange_tool.xyz == pytest.approx([0, 0, 0.05])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("modify gate rule maybe", "keep-out, slow-down"),
        ("modify gate speed 3", "share of the robot's speed, at most 1"),
        ("modify Puma branch sideways", "A branch is"),
        ("modify Puma hand left", "none, own"),
        ("modify Puma shapes round", "assigned, own"),
        ("modify Puma/Small link 9", "links 0 .base. to 6"),
    ],
)
def test_values_that_would_mean_nothing_are_refused(puma, line, words):
    puma.do("add zone gate box 100 100 100 at 0,900,500")
    puma.do("create robot Small ur3e")
    puma.do("mount Small on Puma")
    with pytest.raises((InvalidValue, WorkcellError), match=words):
        puma.do(line)


def test_a_mount_goes_to_another_link(puma):
    puma.do("create robot Small ur3e")
    puma.do("mount Small on Puma")
    puma.do("modify Puma/Small link 3")
    assert puma.session.snapshot().robot("Small").parent_link == 3


def test_the_pose_of_a_grasp_is_used(cell):

    cell.do("add solid cube box 40 40 40 --movable")
    cell.do("create grasp side")
    cell.do("modify side pose 0,0,10 rotate 180,0,0")
    cell.do("attach side to cube")
    (grasp,) = cell.snapshot().grasps["cube"]
    assert grasp.X_body_hand.xyz == pytest.approx([0, 0, 0.01])
