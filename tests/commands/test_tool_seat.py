"""Tools point out of the arm, whichever way the z axis of its flange points."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.robots.gripper import Gripper

FLIPPED = "arcmate120il"
HALF = np.diag([1.0, -1.0, -1.0, 1.0])
ARMS = [name for name in wc.robots() if wc.robot(name).n == 6]


def made(*lines):
    cell = wc.Cell()
    for line in lines:
        cell.do(line)
    return cell


def placed(cell, name="Arm"):
    return cell.snapshot().robot(name).robot


def beyond(cell):
    """How far the middle of the tool is beyond the flange, seen from the wrist [m]."""
    snapshot = cell.snapshot()
    frames = snapshot.link_frames(snapshot.initial, "Arm")
    out = frames[-1][:3, 3] - frames[-2][:3, 3]
    out = np.asarray(frames[-1])[:3, 2] * np.sign(out @ frames[-1][:3, 2])
    X = snapshot.body_pose(snapshot.initial, "Arm/thing")
    middle = X.apply(snapshot.body("Arm/thing").mesh().vertices).mean(axis=0)
    return float((middle - frames[-1][:3, 3]) @ out)


@pytest.mark.parametrize("arm", ARMS)
def test_a_tool_is_on_the_side_of_the_flange_that_is_away_from_the_wrist(arm):
    """The truth is the geometry of the arm: from its last but one frame to its flange is out."""
    with made(f"create robot Arm {arm}", "create tool thing vacuum-2x2", "fit tool thing to Arm") as cell:
        if abs(wc.robot(arm).rows[-1].d) > 1e-6:
            assert beyond(cell) > 0.02
        assert placed(cell).gripper.approach == pytest.approx(placed(cell).X_flange_tool.rotation[:, 2], abs=1e-12)


@pytest.mark.parametrize("name", wc.tools())
def test_on_a_flipped_flange_every_tool_has_its_tip_and_its_hand_half_a_turn_about_x(name):
    tool = wc.tool(name)
    with made(f"create robot Arm {FLIPPED}", f"create tool thing {name}", "fit tool thing to Arm") as cell:
        arm = placed(cell)
        assert arm.X_flange_tool.matrix == pytest.approx(HALF @ tool.X_flange_tcp.matrix, abs=1e-12)
        assert beyond(cell) > 0.0
        if tool.hand is not None:
            assert arm.gripper.X_flange_grip.matrix == pytest.approx(HALF @ tool.hand.X_flange_grip.matrix, abs=1e-12)


def test_fingers_that_are_turned_about_their_axis_are_so_on_a_flipped_flange():
    figures = ("modify hand opening 80mm", "modify hand reach 150mm", "modify hand turn 30deg")
    with made(f"create robot Arm {FLIPPED}", "create gripper hand", *figures, "fit tool hand to Arm") as cell:
        plain = Gripper(0.08, 0.15, turn=np.radians(30.0))
        hand = placed(cell).gripper
        assert hand.X_flange_grip.matrix == pytest.approx(HALF @ plain.X_flange_grip.matrix, abs=1e-12)
        assert placed(cell).X_flange_tool.is_close(hand.X_flange_grip, 1e-12, 1e-9)
        cell.do("modify hand reach 170mm")  # the tip follows
        assert placed(cell).X_flange_tool.xyz == pytest.approx([0, 0, -0.17], abs=1e-12)


def test_a_tip_that_is_given_is_in_the_frame_of_the_flange_also_where_that_is_flipped():
    with made(f"create robot Arm {FLIPPED}", "create tool torch") as cell:
        cell.do("fit tool torch to Arm tcp 10,20,-300 rotate 0,150,0")
        given = placed(cell).X_flange_tool
        cell.do("take-off Arm")
        cell.do("create robot Other irb1600 at 3000,0,0")
        cell.do("create tool torch2")
        cell.do("fit tool torch2 to Other tcp 10,20,-300 rotate 0,150,0")
        assert given.is_close(placed(cell, "Other").X_flange_tool, 1e-12, 1e-9)


def test_a_flipped_tool_lives_through_undo_text_a_copy_a_replay_and_another_arm(tmp_path):
    with made(f"create robot Arm {FLIPPED}", "create tool thing vacuum-2x2", "fit tool thing to Arm") as cell:
        tip, before = placed(cell).X_flange_tool, cell.snapshot().hash
        cell.do("replace robot Arm with irb1600")
        assert placed(cell).X_flange_tool.is_close(wc.tool("vacuum-2x2").X_flange_tcp, 1e-12, 1e-9)
        assert beyond(cell) > 0.02
        cell.do(f"replace robot Arm with {FLIPPED}")
        assert placed(cell).X_flange_tool.is_close(tip, 1e-12, 1e-9)
        assert beyond(cell) > 0.02
        cell.do("undo 2")
        assert cell.snapshot().hash == before
        cell.do("copy Arm as Twin")
        cell.do("place Twin at 3000,0,0")
        assert placed(cell, "Twin").X_flange_tool.is_close(tip, 1e-12, 1e-9)
        cell.do("undo 2")
        with cell.replayed() as again:
            assert again.snapshot().hash == before
        for file in ("one.cell", "one.celltext"):
            cell.do(f"save {tmp_path / file}")
            with wc.Cell() as other:
                other.do(f"load {tmp_path / file}")
                assert placed(other).X_flange_tool.is_close(tip, 1e-12, 1e-9)


def test_an_arm_with_a_flipped_flange_picks_and_places_with_cups():
    lines = (
        "create tool vac vacuum-2x2",
        "fit tool vac to Arm",
        "add solid box1 box 300 200 150 at 1000,0,75 --movable",
    )
    with made(f"create robot Arm {FLIPPED}", *lines, "modify box1 mass 3kg") as cell:
        cell.do("move-end-effector Arm 1000,0,150 euler fanuc_wpr 180,0,0")
        assert cell.do("close-gripper Arm").holds[0].pads == (1, 2, 3, 4)
        cell.do("retract Arm by 100")
        assert cell.snapshot().body_pose(cell.state, "box1").xyz == pytest.approx([1.0, 0.0, 0.175], abs=1e-6)
        assert not cell.do("contacts").contacts
