"""Offsets where a pose is asked for: in the axes of the pose, of a thing, or of the world; grasps as poses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import workcell as wc
from workcell.commands.language.program_printer import program_text
from workcell.commands.language.program_reader import read_program
from workcell.errors import CommandSyntaxError, InvalidValue, UnknownName, WorkcellError
from workcell.simulation.events import Message
from workcell.spatial.offsets import offset
from workcell.spatial.pose import Pose

numbers = st.floats(-1.0, 1.0, allow_nan=False)
PALLET = "add solid pallet box 600 400 100 at 700,100,50 rotate 0,0,30 --movable"
GRID = "targets grid 3x2 to spots pitch 200,150 on pallet at -200,-75,50 rotate 180,0,0"


@st.composite
def poses(draw) -> Pose:
    x, y, z, a, b, c = (draw(numbers) for _ in range(6))
    return Pose.from_xyz_angles((x, y, z), (a, b, c), "fanuc_wpr")


@pytest.fixture
def cell():
    with wc.Cell() as made:
        for line in ("create robot Arm irb1600 at -300,0,0 rotate 0,0,90", PALLET, GRID):
            made.do(line)
        yield made


def at(cell: wc.Cell, text: str) -> Pose:
    """Where a pose that is typed is."""
    cell.do(f"add target probe {text}")
    found = Pose(np.array(cell.do("where probe").matrix))
    cell.undo()
    return found


def in_program(cell: wc.Cell, text: str) -> Pose:
    """Where a program sees the same pose."""
    cell.do(f"program look\nlet p = {text}\nmessage x(p) / 1m\nmessage y(p) / 1m\nmessage z(p) / 1m\nend")
    return Pose.from_xyz(*_messages(cell, "look"))


def _messages(cell: wc.Cell, program: str) -> list[float]:
    cell.do(f"run {program}")
    events = cell.session.simulator.recording.events
    return [float(event.text) for event in events if isinstance(event, Message)]


@settings(max_examples=50, deadline=None)
@given(pose=poses(), by=poses(), axes=poses())
def test_an_offset_along_axes_is_what_the_axes_see(pose, by, axes):
    found = offset(pose, by, axes)
    R = Rotation.from_matrix(axes.rotation)
    assert np.allclose(found.xyz, pose.xyz + R.apply(by.xyz.copy()))
    turn = R * Rotation.from_matrix(by.rotation) * R.inv()
    assert np.allclose(found.rotation, (turn * Rotation.from_matrix(pose.rotation)).as_matrix())
    assert offset(pose, by, pose).is_close(pose @ by, 1e-9, 1e-9), "its own axes are what it has without `along`"


def test_the_three_axes_that_an_offset_may_be_in(cell):
    spot = at(cell, "spots-1")
    assert np.allclose(at(cell, "spots-1 translate 0,0,-100").xyz, spot.xyz + [0, 0, 0.1]), "its z points down"
    assert np.allclose(at(cell, "spots-1 translate 0,0,100 along world").xyz, spot.xyz + [0, 0, 0.1])
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    for thing in ("pallet", "object:pallet"):
        found = at(cell, f"spots-1 translate 100,0,0 along {thing}")
        assert np.allclose(found.xyz, spot.xyz + [0.1 * c, 0.1 * s, 0.0])
        assert np.allclose(found.rotation, spot.rotation)
    assert np.allclose(at(cell, "spots-1 translate 100,0,0 along Arm").xyz, spot.xyz + [0, 0.1, 0])
    turned = at(cell, "spots-1 rotate 90,0,0 along world")
    assert np.allclose(turned.xyz, spot.xyz), "turns are about the place itself"
    assert np.allclose(turned.rotation, Rotation.from_euler("x", 90, degrees=True).as_matrix() @ spot.rotation)


@pytest.mark.parametrize("text", ["tt translate 0,0,100 rotate 180,0,0", "tt translate 0,0,100 along world rotate 180,0,0",
                                  "tt translate 0,0,100 along tt rotate 180,0,0", "tt rotate 180,0,0 translate 0,0,-100",
                                  "tt rotate 180,0,0 translate 0,0,100 along world"])  # fmt: skip
def test_a_turn_is_about_the_place_and_swings_no_shift_round(cell, text):
    cell.do("add target tt 500,0,880")
    down = Pose.from_rotation(np.diag([1.0, -1.0, -1.0]), (0.5, 0.0, 0.98))
    assert at(cell, text).is_close(down, 1e-9, 1e-9)
    assert np.allclose(in_program(cell, text).xyz, down.xyz, atol=1e-6)
    cell.do("move-end-effector Arm tt translate 0,0,100 rotate 180,0,0")
    assert Pose(np.array(cell.do("where Arm").matrix)).is_close(down, 1e-6, 1e-6)


def test_offsets_behind_a_thing_in_a_program_turn_about_the_place(cell):
    cell.do("add solid base box 10 10 10 at 100,0,500")
    found = in_program(cell, "pose(base) translate 1000,0,0 rotate 0,0,90")
    assert np.allclose(found.xyz, [1.1, 0.0, 0.5], atol=1e-6)


_words = st.sampled_from(["translate", "rotate"])
_rows = st.tuples(*[st.integers(-90, 90)] * 3)


@settings(max_examples=15, deadline=None)
@given(first=st.tuples(_words, _rows), second=st.tuples(_words, _rows))
def test_two_offsets_are_what_two_lines_with_a_place_between_are(first, second):
    one, two = (f"{word} {row[0]},{row[1]},{row[2]}" for word, row in (first, second))
    with wc.Cell() as cell:
        for line in ("add target tt 300,200,880 rotate 20,30,40", f"add target between tt {one}"):
            cell.do(line)
        together = at(cell, f"tt {one} {two}")
        assert together.is_close(at(cell, f"between {two}"), 1e-9, 1e-9)
        assert together.is_close(at(cell, f"tt {one} along tt {two} along between"), 1e-9, 1e-9)


def test_a_transformation_without_a_place_keeps_its_order(cell):
    cell.do("add solid base box 10 10 10")
    cell.do("place base at 0,0,500 translate 1000,0,0 rotate 0,0,90")
    assert np.allclose(np.array(cell.do("where base").matrix)[:3, 3], [0.0, 1.0, 0.5])


def test_the_check_before_a_run_sees_offsets_as_the_run_does(cell):
    """`low` turned after its shift is in reach; were the shift swung round, it would be far below the floor."""
    cell.do("add target low 500,0,-700")
    cell.do("program there\nmove-end-effector Arm low translate 0,0,1500 rotate 180,0,0\nend")
    cell.do("run there")
    assert np.allclose(np.array(cell.do("where Arm").matrix)[:3, 3], [0.5, 0.0, 0.8], atol=1e-6)


def test_offsets_follow_each_other_each_in_its_axes(cell):
    spot = at(cell, "spots-1")
    found = at(cell, "spots-1 translate 0,0,-10 rotate 0,0,90 along world translate 100,0,0")
    up = Pose.from_xyz(*spot.xyz) @ Pose.from_xyz(0, 0, 0.01) @ Pose.from_rotation(spot.rotation)
    turned = Pose.from_rotation(Rotation.from_euler("z", 90, degrees=True).as_matrix() @ spot.rotation, up.xyz)
    assert found.is_close(turned @ Pose.from_xyz(0.1, 0, 0), 1e-9, 1e-9)
    free = at(cell, "100,0,0 rotate 0,0,90 translate 10,0,0 along world")
    assert np.allclose(free.xyz, [0.11, 0, 0])
    assert np.allclose(free.rotation, Rotation.from_euler("z", 90, degrees=True).as_matrix())


@pytest.mark.parametrize(
    "text",
    [
        "spots-1 translate 0,0,-100",
        "spots-1 translate 0,0,100 along world",
        "spots-1 translate 10,20,30 along pallet",
        "spots-1 translate 10,20,30 along object:pallet translate 1,2,3",
        "spots-1 rotate 10,0,0 along world translate 0,0,30 translate 1,2,3 along Arm",
        "(100, 0, 0) rotate 0,0,90 translate 10,0,0 along spots-2",
    ],
)
def test_a_program_sees_an_offset_as_a_typed_line_does(cell, text):
    typed = at(cell, text.replace("(100, 0, 0)", "100,0,0"))
    assert np.allclose(in_program(cell, text).xyz, typed.xyz, atol=1e-6)


def test_moves_ik_and_place_take_offsets(cell):
    goal = at(cell, "spots-1 translate 0,0,300 along world")
    cell.do("move-end-effector Arm spots-1 translate 0,0,300 along world")
    assert Pose(np.array(cell.do("where Arm").matrix)).is_close(goal, 1e-9, 1e-9)
    assert cell.do("ik Arm spots-1 translate 0,0,300 along world").solutions
    cell.do("add solid probe box 10 10 10")
    cell.do("place probe at spots-1 translate 0,0,300 along world")
    assert Pose(np.array(cell.do("where object:probe").matrix)).is_close(goal, 1e-9, 1e-9)


def test_axes_of_a_part_that_moves_are_those_of_the_instant(cell):
    move = "move-end-effector Arm 700,100,500 rotate 180,0,0 translate 50,0,0 along pallet"
    tell = "message round(x(tool(Arm)) / 1mm)"
    turn = "move-solid pallet through 700,100,50 rotate 0,0,90 speed 500mm/s"
    cell.do("\n".join(["program go", move, tell, turn, move, tell, "end"]))
    first, second = _messages(cell, "go")
    assert first == round(700 + 50 * np.cos(np.pi / 6))
    assert second == 700.0


def test_the_hand_keeps_its_own_word_for_axes(cell):
    cell.do("program shift\nmove-hand Arm rotate 0,0,20 along world\nend")
    step = read_program("shift", "move-hand Arm rotate 0,0,20 along world").program.body[0]
    assert step.frame == "world"
    assert step.by.forms[0].along is None


def test_printing_and_reading_an_offset_gives_the_same_program():
    text = (
        "for t in spots\n  move-end-effector Arm t translate 0,0,h along world\n"
        '  move-straight-line Arm t translate 0,0,-5 rotate 0,0,9 along "big pallet" translate 1,2,3 along frame:corner\n'
        "  let q = pose(pallet)\n  move-end-effector Arm grasp:box/top translate 0,0,h along q\nend"
    )
    once = read_program("go", text).program
    again = read_program("go", program_text(once)).program
    assert list(once.body) == list(again.body)
    assert "along world" in program_text(once)


def test_every_name_in_an_offset_follows_a_rename(cell):
    cell.do("create grasp top")
    cell.do("attach grasp:top to pallet translate 0,0,50 rotate 180,0,0")
    cell.do("add frame corner 500,0,100 on object:pallet")
    cell.do(
        "program go\nmove-end-effector Arm spots-1 translate 0,0,300 along pallet\n"
        "move-end-effector Arm grasp:pallet/top translate 0,0,300 along frame:corner\n"
        "move-end-effector Arm grasp(pallet, top) translate 0,0,300 along corner\nend"
    )
    before = cell.do("run go").time
    for old, new in (("object:pallet", "palette"), ("grasp:top", "upper"), ("frame:corner", "my edge")):
        cell.do(f'modify {old} name "{new}"')
    text = cell.database.entity("program", "go").properties["text"]
    assert "along palette" in text
    assert "grasp:palette/upper" in text
    assert 'along frame:"my edge"' in text
    assert "grasp(palette, upper)" in text
    assert not cell.do("check program go").problems
    assert cell.do("run go").time == before


def test_a_grasp_is_a_pose_that_goes_with_its_part(cell):
    cell.do("create grasp top")
    cell.do("attach grasp:top to pallet rotate 180,0,0 translate 0,0,50")
    for place in ("700,100,50 rotate 0,0,30", "500,300,150 rotate 0,20,0"):
        cell.do(f"place pallet at {place}")
        X_pallet = Pose(np.array(cell.do("where pallet").matrix))
        hand = X_pallet @ Pose.from_xyz(0, 0, 0.05) @ Pose.from_axis_angle((1, 0, 0), np.pi)
        assert at(cell, "grasp:pallet/top").is_close(hand, 1e-9, 1e-9)
        assert np.allclose(in_program(cell, "grasp:pallet/top").xyz, hand.xyz, atol=1e-6)
        cell.do("remove program:look")


@pytest.mark.parametrize(
    ("text", "error", "told"),
    [
        ("grasp:pallet/topp", UnknownName, "grasp of pallet called 'topp'"),
        ("grasp:palet/top", UnknownName, "did you mean pallet"),
        ("nothere", CommandSyntaxError, "no target or frame called 'nothere'"),
        ("grasp:pallet", InvalidValue, "such as grasp:box/top"),
        ("spots-1 translate 0,0,1 along", CommandSyntaxError, "Expected axes"),
        ("spots-1 translate 0,0,1 along nobody", UnknownName, "nobody"),
        ("spots-1 scale 2,2,2 along world", WorkcellError, "must be rigid"),
        ("spots-1 scale 1,1,-1 translate 0,0,1 along world", WorkcellError, "rigid|mirror"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_done(cell, text, error, told):
    cell.do("create grasp top")
    cell.do("attach grasp:top to pallet rotate 180,0,0 translate 0,0,50")
    with pytest.raises(error, match=told):
        cell.do(f"add target T {text}")
    assert cell.database.find("target", "T") is None


def test_the_checker_knows_grasps_and_axes(cell):
    cell.do("create grasp top")
    cell.do("attach grasp:top to pallet rotate 180,0,0 translate 0,0,50")
    cell.do("add solid other box 10 10 10 --movable")
    cell.do("add target still 700,0,500 rotate 180,0,0")
    made = cell.do(
        "program bad\nmove-end-effector Arm grasp:other/top\nmove-end-effector Arm spots-1 translate 0,0,1 along nobody\n"
        "move-end-effector Arm still translate 0,0,9000 along world\n"
        "move-end-effector Arm still translate 0,0,90 along 5\nend"
    )
    told = str(made)
    lines = {line[:6]: line for line in told.splitlines() if line.startswith("bad:")}
    assert "other has no grasps" in lines["bad:1:"]
    assert "nobody" in lines["bad:2:"]
    assert "cannot reach 700, 0, 9500 mm" in lines["bad:3:"]
    assert "bad:4:" in lines
