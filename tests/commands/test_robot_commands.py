"""Robots by commands: asked, built from nothing, given solids, mounted, read and written."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from workcell.errors import CycleRefused, FileProblem, InvalidValue, Refused, Unreachable, WorkcellError
from workcell.robots.catalogue import robot as library_robot
from workcell.spatial.pose import Pose
from workcell.world.robot_shape import robot_of

CASE_ONE = {1: (900, 188), 2: (0, -950), 3: (0, -225), 4: (1300, 0), 5: (0, 0), 6: (200, 0)}
"""Offsets and lengths of the IRB 6400 as Ding's file gives them [mm]."""
SELECTION = (12, 22, 34, 42, 51, 62, 72)


def test_fk_answers_where_the_tool_is(cell):
    cell.do("create robot arm irb6400 at 1000,0,0")
    at_home = cell.do("fk arm 0,90,0,0,0,180 in base")
    assert np.allclose(np.array(at_home.tool)[:3, 3], [1.688, 0.0, 2.075], atol=1e-9)
    assert len(at_home.links) == 7
    in_world = cell.do("fk arm 0,90,0,0,0,180")
    assert np.allclose(np.array(in_world.tool)[:3, 3], [2.688, 0.0, 2.075], atol=1e-9)
    assert "link 6" in str(at_home)


def test_ik_lists_every_branch_and_fk_of_each_is_the_pose(cell):
    cell.do("create robot arm irb6400 at 500,0,0 rotate 0,0,90")
    answer = cell.do("ik arm 400,1300,1500 euler ding_ypr 10,80,20")
    target = Pose.from_xyz_angles((0.4, 1.3, 1.5), np.radians([10, 80, 20]), "ding_ypr")
    assert [s.label for s in answer.solutions] == ["+++", "+-+", "-++", "--+", "++-", "+--", "-+-", "---"]
    base = cell.snapshot().base_pose(cell.state, "arm")
    for solution in answer.solutions:
        reached = base @ cell.snapshot().robot("arm").robot.fk(solution.joints)
        assert reached.is_close(target, 1e-9, 1e-9)
    assert {s.index for s in answer.solutions} == set(range(8))


def test_ik_turns_joints_as_near_to_their_present_values_as_the_limits_allow(cell):
    cell.do("create robot arm irb6400 joints 10,80,5,-20,30,250")  # joint 6 turns from -300 to 300 degrees
    tool = cell.do("fk arm").tool
    found = cell.session.call("ik", {"robot": "arm", "pose": tool}).solutions
    assert any(np.allclose(np.degrees(one.joints), [10, 80, 5, -20, 30, 250], atol=1e-6) for one in found)
    limits = cell.snapshot().robot("arm").robot.limits
    near = cell.state.joints["arm"]
    for one in [one for one in found if one.within_limits]:
        q = np.array(one.joints)
        other = q + np.where(q < near, 2, -2) * np.pi  # the next turn on the other side
        fits = (other >= limits[:, 0]) & (other <= limits[:, 1])
        assert np.all(~fits | (np.abs(q - near) <= np.abs(other - near) + 1e-9))


def test_an_unreachable_pose_says_how_far_and_why(cell):
    cell.do("create robot arm irb6400")
    with pytest.raises(Unreachable, match=r"nearest reachable pose is .* mm") as refused:
        cell.do("ik arm 6000,0,1000")
    assert refused.value.metres > 2.0


def test_the_jacobian_equals_a_finite_difference(cell):
    cell.do("create robot arm puma560")
    answer = cell.do("jacobian arm 10,20,-80,30,40,50")
    q, step = np.radians([10, 20, -80, 30, 40, 50]), 1e-6
    robot = library_robot("puma560")
    columns = []
    for joint in range(6):
        shift = np.eye(6)[joint] * step
        columns.append((robot.fk(q + shift).xyz - robot.fk(q - shift).xyz) / (2 * step))
    assert np.allclose(np.array(answer.jacobian)[:3], np.array(columns).T, atol=1e-8)
    assert {"wrist", "elbow", "shoulder"} <= set(answer.singularities)


def test_case_one_of_ding_is_built_from_nothing(cell):
    cell.do("draft robot irb 6")
    assert "joint 1 has no frame" in str(cell.do("check robot irb"))
    with pytest.raises(Refused, match=r"not finished|stands in no scene"):
        cell.do("finish robot irb")
    with pytest.raises(WorkcellError, match=r"not finished|stands in no scene"):
        cell.do("place irb at 0,0,0") and cell.do("fk irb")
    for code in SELECTION:
        cell.do(f"draft frame irb {code}")
    for joint, (d, a) in CASE_ONE.items():
        cell.do(f"draft lengths irb {joint} {d} {a}")
    cell.do("draft limits irb 1 -180 180")
    cell.do("create block tube cylinder 100 400")
    cell.do("assign link irb 2 tube translate 0,0,200")
    cell.do("finish robot irb")
    made = robot_of(cell.database.entity("robot", "irb"))
    reference = library_robot("irb6400")
    for q in np.random.default_rng(1).uniform(-1.0, 1.0, (20, 6)):
        assert np.allclose(made.fk(q).matrix, reference.fk(q).matrix, atol=1e-9)
    home = cell.do("fk irb 0,90,0,0,0,180 in base")
    assert np.allclose(np.array(home.tool)[:3, 3], [1.688, 0.0, 2.075], atol=1e-9)
    (given,) = (body for body in cell.snapshot().bodies if body.owner == "irb" and body.link == 2)
    assert given.solid.volume == pytest.approx(np.pi * 0.1**2 * 0.4, rel=1e-9)
    assert "puma" in str(cell.do("check robot irb"))
    assert cell.replayed().database.rows() == cell.database.rows()
    cell.do("undo 100")
    assert not cell.database.entities()


def test_a_mounted_robot_moves_with_its_carrier(cell):
    cell.do("create robot axis gantry")
    cell.do("create robot arm puma560 at 5000,0,0")
    cell.do("mount arm on axis link 1 at 0,0,100 rotate 180,0,0")
    snapshot, state = cell.snapshot(), cell.state
    frames = snapshot.link_frames(state, "axis")
    expected = Pose(frames[1]) @ Pose.from_xyz_angles((0, 0, 0.1), (np.pi, 0, 0), "xyz_extrinsic")
    assert snapshot.base_pose(state, "arm").is_close(expected, 1e-9, 1e-9)
    before = snapshot.tool_pose(state, "arm")
    cell.do("move-joints-relative axis 200,0,0" + ",0" * (snapshot.robot("axis").robot.n - 3))
    after = cell.snapshot().tool_pose(cell.state, "arm")
    assert np.linalg.norm(after.xyz - before.xyz) == pytest.approx(0.2, abs=1e-9)
    with pytest.raises(CycleRefused):
        cell.do("mount axis on arm")
    with pytest.raises(InvalidValue, match="links 0"):
        cell.do("mount arm on axis link 44")
    cell.do("unmount arm")
    assert cell.snapshot().tool_pose(cell.state, "arm").is_close(after, 1e-9, 1e-9)
    assert cell.replayed().database.rows() == cell.database.rows()


@pytest.mark.parametrize("ending", ["urdf", "toml", "wld"])
def test_a_robot_written_and_read_is_the_same_arm(cell, tmp_path, ending):
    cell.do("create robot arm irb6400")
    path = tmp_path / f"arm.{ending}"
    cell.do(f"export robot arm {path}")
    cell.do(f"import robot again {path}")
    original = library_robot("irb6400")
    again = robot_of(cell.database.entity("robot", "again"))
    for q in np.random.default_rng(2).uniform(-1.0, 1.0, (5, 6)):
        if ending == "urdf":
            assert np.allclose(again.fk(q).xyz, original.fk(q).xyz, atol=1e-5)
        else:
            assert np.allclose(again.fk(q).matrix, original.fk(q).matrix, atol=1e-6)
    path.unlink()
    assert cell.replayed().database.rows() == cell.database.rows()
    with pytest.raises(FileProblem, match="written as"):
        cell.do(f"export robot arm {tmp_path / 'arm.xyz'}")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<robot name='x'><link name='a'/>", "cut off|cannot be read|not.*XML|ends|XML"),
        ("<robot name='x'></robot>", "link"),
        ("// Version: 100\nC6RRobot {\nName <x", "line|ends|cut"),
        ("just words", "robot file|cannot be read|not"),
    ],
)
def test_damaged_robot_files_are_one_clear_line(cell, tmp_path, text, words):
    path = tmp_path / "bad.urdf"
    path.write_text(text)
    before = cell.database.rows()
    with pytest.raises(WorkcellError, match=words) as refused:
        cell.do(f"import robot bad {path}")
    assert "\n" not in str(refused.value)
    assert cell.database.rows() == before


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "workcell", *arguments], capture_output=True, text=True, check=False)


def test_the_command_line_prints_tables_and_json():
    table = run("ik", "irb6400", "1688,0,2075", "euler", "ding_ypr", "0,90,0")
    assert table.returncode == 0, table.stderr
    assert "8 solutions" in table.stdout
    answer = json.loads(run("fk", "irb6400", "0,90,0,0,0,180", "--json").stdout)
    assert np.allclose(np.array(answer["tool"])[:3, 3], [1.688, 0, 2.075])
    wrong = run("fk", "irb64", "0")
    assert wrong.returncode == 1
    assert "did you mean irb6400" in wrong.stderr
    assert run("fk").returncode == 2
    listed = run("robots")
    assert "puma560" in listed.stdout
    assert "41 robots" in listed.stdout or "robots" in listed.stdout


def test_mechanisms_move_as_they_are_built(cell):
    from workcell.robots.mechanism import conveyor, positioner, rail

    for line, device, values in [
        ("add rail track 3000 at 100,0,0", rail(3.0, "track"), [1.25]),
        ("add positioner table at 100,0,0", positioner("table"), [0.4, -1.1]),
        ("add conveyor belt 2000 at 100,0,0", conveyor(2.0, "belt"), [0.7]),
    ]:
        cell.do(line)
        placed = cell.snapshot().robot(device.name)
        state = cell.state.with_joints(device.name, values)
        frames = cell.snapshot().link_frames(state, device.name)
        zero = cell.snapshot().link_frames(cell.state.with_joints(device.name, [0.0] * len(values)), device.name)
        for number, (body, at_zero) in enumerate(
            zip(device.poses(values), device.poses([0.0] * len(values)), strict=True)
        ):
            moved = Pose(zero[number]).inverse() @ Pose.from_xyz(0.1, 0, 0) @ at_zero
            assert (Pose(frames[number]) @ moved).is_close(Pose.from_xyz(0.1, 0, 0) @ body, 1e-9, 1e-9)
        # A link without shape is a body too: parts ride on a belt.
        shown = [bool(cell.snapshot().bodies[place].pieces) for place in placed.bodies]
        assert shown == [bool(body.parts) for body in device.bodies]
    cell.do("create robot arm puma560")
    cell.do("mount arm on track")
    cell.do("move-joints-absolute track 500")
    assert cell.snapshot().base_pose(cell.state, "arm").xyz[0] == pytest.approx(0.6)
    assert cell.replayed().database.rows() == cell.database.rows()


def test_a_tool_moves_the_tool_frame_and_goes_with_the_flange(cell):
    cell.do("create robot arm puma560")
    before = cell.snapshot().tool_pose(cell.state, "arm")
    for line in ["create block rod cylinder 10 120", "create tool torch", "attach rod to torch translate 0,0,60"]:
        cell.do(line)
    with pytest.raises(Refused, match="TCP of 'torch' is not known"):
        cell.do("fit tool torch to arm")
    cell.do("fit tool torch to arm tcp 0,0,120 rotate 0,30,0")
    after = cell.snapshot().tool_pose(cell.state, "arm")
    tip = before @ Pose.from_xyz_angles((0, 0, 0.12), (0, np.radians(30), 0), "xyz_extrinsic")
    assert after.is_close(tip, 1e-9, 1e-9)
    tool = cell.snapshot().body("arm/torch")
    assert (tool.owner, tool.link) == ("arm", 6)
    assert any(piece.solid.volume == pytest.approx(np.pi * 0.01**2 * 0.12) for piece in tool.pieces)
    with pytest.raises(Refused, match="already has a tool"):
        cell.do("fit tool torch to arm")
    cell.do("detach arm/torch")
    assert cell.snapshot().tool_pose(cell.state, "arm").is_close(before, 1e-12, 1e-12)


def test_a_path_is_followed_on_one_branch_or_the_target_is_named(cell):
    cell.do("create robot arm irb6400")
    cell.do("create path edge")
    for number, y in enumerate(range(-600, 700, 200)):
        cell.do(f"add target {number} 1400,{y},900 euler ding_ypr 180,0,0 to edge")
    answer = cell.do("branches arm along edge")
    joints = np.array(answer.joints)
    assert len(set(answer.words)) == 1
    assert np.abs(np.diff(joints, axis=0)).max() < np.pi / 2
    for row, target in zip(joints, cell.database.relations(cell.database.entity("path", "edge")), strict=True):
        assert np.allclose(library_robot("irb6400").fk(row).matrix, target.matrix, atol=1e-9)
    cell.do("add target far 9000,0,0 to edge")
    with pytest.raises(Unreachable, match="target 'far'"):
        cell.do("branches arm along edge")


def test_dh_parameters_of_a_link_from_its_joint_frames(cell):
    answer = cell.do("dh-between 0,0,0 and 300,0,100 rotate 90,0,0")
    assert (answer.d, answer.a, answer.alpha) == pytest.approx((0.1, 0.3, np.pi / 2))
    assert answer.faults == []
    skewed = cell.do("dh-between 0,0,0 and 300,50,100 rotate 90,0,0")
    assert skewed.faults


def test_a_robot_on_a_rail_stands_upright_on_its_carriage(cell):
    cell.do("add rail track 3000 at 0,0,0 rotate 0,0,90")
    cell.do("create robot arm puma560")
    cell.do("mount arm on track")
    base = cell.snapshot().base_pose(cell.state, "arm")
    assert base.rotation[:, 2] == pytest.approx([0.0, 0.0, 1.0])
    assert base.xyz == pytest.approx([0.0, 0.0, 0.25], abs=1e-9)
    cell.do("move-joints-absolute track 500")
    assert cell.snapshot().base_pose(cell.state, "arm").xyz == pytest.approx([0.0, 0.5, 0.25], abs=1e-9)
    cell.do("unmount arm")
    cell.do("mount arm on track at 100,0,50 rotate 0,0,30")
    base = cell.snapshot().base_pose(cell.state, "arm")
    assert base.xyz == pytest.approx([0.0, 0.6, 0.3], abs=1e-9)
