"""Targets learned and touched up from where a robot is: they keep the pose, the joints and the branch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import Refused, WorkcellError
from workcell.spatial.pose import Pose

PALLET = "add solid pallet box 600 400 100 at 900,100,-200 rotate 0,0,30 --movable"
GRID = "targets grid 3x2 to spots pitch 100,80 on pallet at -100,-40,50 rotate 180,0,0"
TWISTED = np.radians([30, -10, 10, 160, -50, 200])


@pytest.fixture
def cell():
    with wc.Cell() as made:
        for line in ("create robot Arm irb1600 joints 0,0,0,0,60,0", PALLET, GRID):
            made.do(line)
        yield made


def where(cell: wc.Cell, name: str) -> Pose:
    return Pose(np.array(cell.do(f"where {name}").matrix))


def joints(cell: wc.Cell, robot: str = "Arm") -> np.ndarray:
    return np.array(cell.do(f"where {robot}").joints)


def text(q) -> str:
    return ",".join(repr(float(one)) for one in np.degrees(q))


@settings(max_examples=12, deadline=None)
@given(share=st.lists(st.floats(0.05, 0.95), min_size=6, max_size=6), on=st.sampled_from(["", " on pallet"]))
def test_going_back_to_a_learned_target_gives_the_joints_that_it_was_learned_with(share, on):
    with wc.Cell() as cell:
        cell.do("create robot Arm irb1600 joints 0,0,0,0,60,0")
        cell.do(PALLET)
        limits = cell.session.snapshot().robot("Arm").robot.limits
        q = limits[:, 0] + np.array(share) * (limits[:, 1] - limits[:, 0])
        cell.do(f"set joints Arm {text(q)}")
        here = where(cell, "Arm")
        told = cell.do(f"learn target T{on}")
        assert where(cell, "T").is_close(here, 1e-9, 1e-9)
        assert np.allclose(told.joints, q)
        cell.do("set joints Arm 0,0,0,0,60,0")
        cell.do("move-end-effector Arm T")
        assert np.allclose(joints(cell), q, atol=1e-9), "also where the wrist is turned by more than half a turn"


def branch_of(cell: wc.Cell, robot: str, name: str) -> str:
    """The signs of the solution that the robot stands in, found by asking for all."""
    rows = cell.do(f"ik {robot} {name}").solutions
    gaps = [np.abs(np.angle(np.exp(1j * (np.array(one.joints) - joints(cell, robot))))).max() for one in rows]
    return rows[int(np.argmin(gaps))].label


def test_the_branch_stays_when_the_pallet_moves_and_another_may_be_asked_for(cell):
    cell.do(f"set joints Arm {text(TWISTED)}")
    cell.do("learn target T on pallet")
    learned = cell.do("show T").facts["properties"]["label"]
    before, pallet = where(cell, "T"), where(cell, "pallet")
    cell.do("place pallet at 920,60,-180 rotate 0,0,25")
    assert where(cell, "T").is_close(where(cell, "pallet") @ pallet.inverse() @ before, 1e-9, 1e-9)
    cell.do("set joints Arm 0,0,0,0,60,0")
    for line in ("move-end-effector Arm T", "move-end-effector Arm T translate 0,0,-5", "approach Arm T by 5"):
        cell.do("set joints Arm 0,0,0,0,60,0")
        cell.do(line)
        assert np.abs(joints(cell) - TWISTED).max() < np.radians(25), "the same turns of the wrist"
        cell.do("learn target probe")
        assert branch_of(cell, "Arm", "probe") == learned
        cell.do("undo")
    other = next(one.label for one in cell.do("ik Arm T").solutions if one.within_limits and one.label != learned)
    cell.do(f"move-end-effector Arm T branch {other}")
    assert branch_of(cell, "Arm", "T") == other


def test_programs_and_loops_go_to_learned_targets_in_the_same_way(cell):
    cell.do("branch Arm nearest")
    for number in range(1, 7):
        cell.do("set joints Arm 0,0,0,0,60,0")
        cell.do(f"move-end-effector Arm spots-{number}")
        turned = [*np.degrees(joints(cell))[:5], np.degrees(joints(cell))[5] - 360]
        cell.do(f"set joints Arm {','.join(repr(float(one)) for one in turned)}")
        cell.do(f"touch-up spots-{number}")
    kept = [cell.database.entity("target", f"spots-{n}").properties["joints"] for n in range(1, 7)]
    cell.do("set joints Arm 0,0,0,0,60,0")
    cell.do("program go\nfor t in spots\nmove-end-effector Arm t\nwait 1\nend\nmove-end-effector Arm spots-2\nend")
    cell.do("run go")
    moves = [move for move in cell.session.simulator.recording.moves if move.device == "Arm"]
    ends = [cell.session.simulator.recording.state_at(move.end).joints["Arm"] for move in moves]
    assert np.allclose(ends, [*kept, kept[1]], atol=1e-6)


def test_touching_up_moves_one_target_on_its_pallet(cell):
    others = [where(cell, f"spots-{n}") for n in (1, 3)]
    cell.do("move-end-effector Arm spots-2 translate 3,0,-4")
    hand = where(cell, "Arm")
    told = cell.do("touch-up spots-2 from Arm")
    assert told.moved == pytest.approx(0.005)
    assert told.carrier == "spots"
    assert where(cell, "spots-2").is_close(hand, 1e-9, 1e-9)
    assert all(where(cell, f"spots-{n}").is_close(pose, 0, 0) for n, pose in zip((1, 3), others, strict=True))
    X = where(cell, "pallet").inverse() @ hand
    cell.do("place pallet at 700,0,-100")
    assert where(cell, "spots-2").is_close(where(cell, "pallet") @ X, 1e-9, 1e-9)
    cell.undo()
    cell.undo()
    assert "robot" not in cell.database.entity("target", "spots-2").properties
    for line in (
        "add target free 700,0,400",
        "add frame F 0,0,100 on object:pallet",
        "add target hung 1,2,3 on frame:F",
    ):
        cell.do(line)
    for name in ("free", "hung"):
        cell.do(f"touch-up {name} of grip")
        grip = cell.session.simulator.robot("Arm").grip_pose
        assert where(cell, name).is_close(grip, 1e-9, 1e-9)


def test_in_a_paused_run_the_hand_and_the_pallet_are_where_they_are_in_the_run(cell):
    cell.do(
        "program go\nmove-solid pallet through 850,150,-150 rotate 0,0,80 speed 500mm/s\n"
        "move-end-effector Arm spots-1 translate 0,0,-5\nwait 1\nhome Arm\nend"
    )
    cell.do("break go 3")
    cell.do("run go")
    hand, pallet = where(cell, "Arm"), where(cell, "pallet")
    cell.do("touch-up spots-1")
    cell.do("learn target T on pallet")
    cell.do("resume")
    with cell.replayed() as again:
        assert again.database.rows() == cell.database.rows()
    cell.do("reset")
    X = where(cell, "pallet") @ pallet.inverse() @ hand
    assert where(cell, "spots-1").is_close(X, 1e-9, 1e-9)
    assert where(cell, "T").is_close(X, 1e-9, 1e-9)
    assert not X.is_close(hand, 1e-3, 1e-3)


def test_the_journal_the_file_and_the_text_keep_what_was_learned(cell, tmp_path):
    cell.do(f"set joints Arm {text(TWISTED)}")
    cell.do("learn target T on pallet")
    cell.do("touch-up spots-2")
    cell.do("reset")
    kept = [cell.database.entity("target", name).properties for name in ("T", "spots-2")]
    poses = [where(cell, name) for name in ("T", "spots-2")]
    cell.do(f"save {tmp_path / 'a.cell'}")
    with wc.Cell.copy_of(str(tmp_path / "a.cell")) as other:
        assert [other.database.entity("target", name).properties for name in ("T", "spots-2")] == kept
    with cell.replayed() as again:
        assert again.database.rows() == cell.database.rows()
        names = ("T", "spots-2")
        assert all(where(again, name).is_close(pose, 1e-12, 1e-12) for name, pose in zip(names, poses, strict=True))


def test_another_robot_goes_its_own_way_and_names_may_change(cell):
    cell.do("create robot Other irb1600 at 1700,0,0 rotate 0,0,180 joints 0,0,0,0,60,0")
    with pytest.raises(Refused, match="from Arm, from Other"):
        cell.do("learn target T")
    cell.do(f"set joints Arm {text(TWISTED)}")
    cell.do("learn target T from Arm")
    cell.do("branch Other roomiest")
    cell.do("modify robot:Arm name Roby")
    assert cell.database.entity("target", "T").properties["robot"] == "Roby"
    cell.do("set joints Roby 0,0,0,0,60,0")
    cell.do("move-end-effector Roby T")
    assert np.allclose(joints(cell, "Roby"), TWISTED)
    reach = {(one.target, one.robot): one for one in cell.do("check targets").checked}
    assert reach["T", "Roby"].reached
    assert ("T", "Other") in reach


def test_a_robot_that_takes_the_place_keeps_the_branch_and_not_the_joints(cell):
    cell.do(f"set joints Arm {text(np.radians([10, -20, 10, 20, 50, 30]))}")
    cell.do("learn target T")
    label = cell.database.entity("target", "T").properties["label"]
    cell.do("replace robot Arm with kr16")
    own = cell.database.entity("target", "T").properties
    assert "joints" not in own
    assert own.get("label") in (label, None)
    cell.do("move-end-effector Arm T")
    assert where(cell, "Arm").is_close(where(cell, "T"), 1e-6, 1e-6)


@pytest.mark.parametrize("line", ["learn target T from Arm at {}", "touch-up T at {}"])
def test_a_target_at_a_pose_keeps_joints_that_belong_to_the_pose(cell, line):
    cell.do("set joints Arm 30,-10,10,160,-50,200")
    if line.startswith("touch-up"):
        cell.do("learn target T")
    told = cell.do(line.format("700,300,600 rotate 180,0,0"))
    robot = cell.session.snapshot().robot("Arm").robot
    assert where(cell, "T").is_close(robot.fk(told.joints), 1e-6, 1e-6), "the base stands at the origin"
    assert np.allclose(cell.database.entity("target", "T").properties["joints"], told.joints)
    assert "at the pose given, with joint values of Arm for it" in str(told)
    assert "is, with its joint values" not in str(told)
    cell.do("move-end-effector Arm T")
    assert np.allclose(joints(cell), told.joints, atol=1e-6)
    count = len(cell.database.entities("target"))
    with pytest.raises(WorkcellError, match=r"reach|mm"):
        cell.do(line.replace("T ", "far " if "learn" in line else "T ").format("9000,0,0"))
    assert len(cell.database.entities("target")) == count


def test_reach_is_tested_again_when_something_moves(cell):
    assert not cell.do("check targets").unreached
    told = str(cell.do("place pallet at 2500,0,0"))
    assert "Arm no longer reaches spots-1, spots-2, spots-3, spots-4 and 2 more" in told
    checked = cell.do("check targets along spots by Arm")
    assert set(checked.unreached) == {f"spots-{n}" for n in range(1, 7)}
    assert all("out of reach by" in one.problem and one.carrier == "pallet" for one in checked.checked)
    solved = [bool(cell.session.snapshot().robot("Arm").robot.ik(where(cell, f"spots-{n}"))) for n in range(1, 7)]
    assert not any(solved), "the solver agrees"
    assert "no longer" not in str(cell.do("place pallet at 900,100,-200")), "what comes into reach is no news"
    assert "no longer" in str(cell.do("place Arm at 0,0,3000"))
    assert "no longer" not in str(cell.do("place Arm at 0,0,0"))
    cell.do("place pallet at 2500,0,0 --leave-targets")
    assert not cell.do("check targets").unreached


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("learn target spots-1", "spots-1"),
        ("learn target T link 2", "Only robots and mechanisms have links"),
        ("learn target T from Nobody", "Nobody"),
        ("learn target T to spots on pallet", "hangs where the path hangs"),
        ("learn target T joints 9,0,0,0,0,0", "Name the robot"),
        ("learn target T from Arm joints 900,0,0,0,0,0", "oint 1"),
        ("touch-up nobody", "nobody"),
        ("check targets along nothing", "nothing"),
    ],
)
def test_what_cannot_be_learned_is_refused(cell, line, told):
    before = len(cell.database.entities("target"))
    with pytest.raises(WorkcellError, match=told):
        cell.do(line)
    assert len(cell.database.entities("target")) == before


def test_where_list_and_show_name_what_a_place_hangs_on(cell):
    cell.do("add frame F 0,0,100 on object:pallet")
    cell.do("add target hung 1,2,3 on frame:F")
    cell.do("add target wrist 1,2,3 on robot:Arm")
    assert "on path spots on object pallet" in str(cell.do("show spots-1"))
    assert "on frame F on object pallet" in str(cell.do("show hung brief"))
    assert "on robot Arm link 6" in str(cell.do("list target"))
    assert "on object pallet" in str(cell.do("list path"))


def test_an_arm_of_a_machine_keeps_where_its_axes_stood():
    with wc.Cell() as cell:
        for line in ("add rail track 3000", "create robot Arm irb1600 joints 0,0,0,0,60,0", "mount Arm on track",
                     "create machine Whole of track of Arm", "move-joints-absolute track 700"):  # fmt: skip
            cell.do(line)
        cell.do("learn target T from Arm")
        kept = joints(cell)
        cell.do("set joints track 100")
        cell.do("move-end-effector Arm T")
        assert joints(cell, "track")[0] == pytest.approx(0.7)
        assert np.allclose(joints(cell), kept, atol=1e-6)


def test_reach_counts_the_axes_that_a_target_asks_for():
    with wc.Cell() as cell:
        for line in ("add rail track 3000", "create robot Arm irb1600 joints 0,0,0,0,60,0", "mount Arm on track",
                     "create machine Whole of track of Arm", "add target held 2800,700,900 rotate 180,0,0",
                     "add target T 2800,700,900 rotate 180,0,0", "add target far 9000,0,900 rotate 180,0,0",
                     "modify T axes best", "modify far axes best", "add target set 2800,700,900 rotate 180,0,0",
                     "modify set axes 2500mm"):  # fmt: skip
            cell.do(line)
        assert set(cell.do("check targets").unreached) == {"held", "far"}
        assert "no longer" not in str(cell.do("place T at 2700,700,900 rotate 180,0,0"))
        for name in ("T", "set"):
            cell.do(f"move-end-effector Arm {name}")
            assert where(cell, "Arm").is_close(where(cell, name), 1e-6, 1e-6)


def test_a_target_that_is_attached_to_the_scene_leaves_its_carrier_and_stays_where_it_is(cell):
    cell.do("create frame jig")
    cell.do("place jig at 100,0,0")
    cell.do("add target spot 300,200,700")
    cell.do("attach target:spot to jig")
    before = str(cell.do("where target:spot"))
    cell.do("attach target:spot to scene:main")
    assert str(cell.do("where target:spot")) == before
    cell.do("place jig at 500,0,0")
    assert str(cell.do("where target:spot")) == before, "it hangs on nothing any more"
    assert cell.replayed().database.rows() == cell.database.rows()
