"""Fingers are bodies: the opening decides their place, they hold parts, collide, and disappear with their tool."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.collision.arrangement import Arrangement
from workcell.collision.bodies import collision_model
from workcell.collision.check import check
from workcell.errors import GraspFailed, InvalidValue, Refused
from workcell.spatial.pose import Pose
from workcell.world.expand import colour_of
from workcell.world.gripper_names import finger_names

ABOVE = "move-end-effector Puma 500,-150,120 euler fanuc_wpr 180,0,180 of grip"
DOWN = "move-straight-line Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip"


@pytest.fixture
def cell():
    with wc.Cell() as made:
        made.do("create robot Puma puma560")
        made.do("add solid cube box 40 30 40 at 500,-150,20 --movable")
        yield made


def pads(cell: wc.Cell) -> tuple[np.ndarray, np.ndarray]:
    snapshot, state = cell.snapshot(), cell.state
    poses = dict(zip((body.name for body in snapshot.bodies), snapshot.body_poses(state), strict=True))
    right, left = (poses[name] for name in finger_names("Puma"))
    return right, left


def test_the_pads_are_as_far_apart_as_the_part_is_wide_and_the_grip_is_between_them(cell):
    for line in (ABOVE, DOWN):
        cell.do(line)
    right, left = pads(cell)
    assert np.linalg.norm(right[:3, 3] - left[:3, 3]) == pytest.approx(0.08, abs=1e-12)
    cell.do("close-gripper Puma")
    right, left = pads(cell)
    grip = cell.session.simulator.robot("Puma").grip_pose
    assert np.allclose((right[:3, 3] + left[:3, 3]) / 2.0, grip.xyz, atol=1e-12)
    assert np.linalg.norm(right[:3, 3] - left[:3, 3]) == pytest.approx(0.04, abs=1e-9)
    # Each pad lies in a side of the cube and looks at it.
    middle = np.array([0.5, -0.15, 0.02])
    for pad in (right, left):
        assert abs(abs(pad[0, 3] - middle[0]) - 0.02) < 1e-6
        assert float(pad[:3, 0] @ (middle - pad[:3, 3])) < 0.0
    cell.do("open-gripper Puma to 60mm")
    right, left = pads(cell)
    assert np.linalg.norm(right[:3, 3] - left[:3, 3]) == pytest.approx(0.06, abs=1e-12)


def test_a_narrow_opening_does_not_take_a_wide_part(cell):
    for line in ("open-gripper Puma to 35mm", ABOVE, DOWN):
        cell.do(line)
    with pytest.raises(GraspFailed, match=r"40 mm wide between the fingers, 5 mm more than they open \(35 mm\)"):
        cell.do("close-gripper Puma")
    with pytest.raises(InvalidValue, match="opens from 0 to 80 mm; 90 mm was asked"):
        cell.do("open-gripper Puma to 90mm")


def test_fingers_collide_and_stop_a_watched_move(cell):
    cell.do("watch yes")
    with pytest.raises(wc.errors.CollisionStop, match="finger and cube"):
        cell.do("move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip")


def test_what_the_fingers_hold_may_touch_them_and_the_table_says_why(cell):
    for line in (ABOVE, DOWN, "close-gripper Puma"):
        cell.do(line)
    model = collision_model(cell.snapshot())
    assert not check(model, cell.state).contacts
    arrangement = Arrangement(model, cell.state)
    for finger in finger_names("Puma"):
        assert arrangement.reason(finger, "cube") == "a part and what holds or carries it"
    assert arrangement.reason(finger_names("Puma")[0], "Puma/link 3") == "tested"


def test_a_fitted_tool_takes_the_place_of_the_gripper(cell):
    names = {body.name for body in cell.snapshot().bodies}
    assert set(finger_names("Puma")) <= names
    cell.do("create tool torch")
    cell.do("fit tool torch to Puma tcp 0,0,120")
    assert not set(finger_names("Puma")) & {body.name for body in cell.snapshot().bodies}
    with pytest.raises(Refused, match="has no gripper"):
        cell.do("close-gripper Puma")
    with pytest.raises(Refused, match="take-off Puma"):
        cell.do("fit tool torch to Puma")
    cell.do("take-off Puma")
    assert set(finger_names("Puma")) <= {body.name for body in cell.snapshot().bodies}


def test_the_gripper_comes_off_and_back(cell):
    cell.do("take-off Puma")
    assert not set(finger_names("Puma")) & {body.name for body in cell.snapshot().bodies}
    with pytest.raises(Refused, match="There is nothing on the flange"):
        cell.do("take-off Puma")
    cell.do("put-back Puma")
    assert set(finger_names("Puma")) <= {body.name for body in cell.snapshot().bodies}
    with pytest.raises(Refused, match="was not taken off"):
        cell.do("put-back Puma")


def test_a_gripper_of_ones_own_has_its_opening_and_reach(cell):
    cell.do("create gripper hand")
    with pytest.raises(
        Refused, match=r"`opening` and `reach` are not set\. Set it, for example with `modify hand opening 100mm`"
    ):
        cell.do("fit tool hand to Puma")
    cell.do("modify hand opening 120mm")
    cell.do("modify hand reach 150mm")
    cell.do("fit tool hand to Puma")
    right, left = pads(cell)
    assert np.linalg.norm(right[:3, 3] - left[:3, 3]) == pytest.approx(0.12, abs=1e-12)
    flange = Pose(cell.snapshot().link_frames(cell.state, "Puma")[-1])
    assert np.allclose((flange.inverse() @ Pose(right)).xyz, [0.06, 0.0, 0.15], atol=1e-12)


def test_no_gripper_of_the_library_touches_its_own_arm_at_home():
    touching = []
    for name in wc.robots():
        with wc.Cell() as cell:
            cell.do(f"create robot R {name}")
            snapshot = cell.snapshot()
            if finger_names("R")[0] not in {body.name for body in snapshot.bodies}:
                continue
            found = check(collision_model(snapshot), cell.state).contacts
            touching += [(name, c.first, c.second) for c in found if "finger" in c.first + c.second]
    assert touching == []


def test_a_half_open_gripper_opens_as_far_as_it_goes(cell):
    cell.do("create robot Pan panda")
    cell.do("open-gripper Pan to 42")
    cell.do("open-gripper Pan")
    assert cell.state.signals["Pan/opening"] == pytest.approx(0.08)
    before = cell.session.recording.to_bytes()
    assert str(cell.do("open-gripper Pan")) == "The gripper of Pan is open and holds nothing"
    assert cell.session.recording.to_bytes() == before


@pytest.mark.parametrize("how", ["yes", "certified"])
def test_fingers_do_not_open_into_a_wall_that_is_watched(how):
    cell = wc.Cell()
    for line in (
        "create robot Pan panda",
        "add solid table box 500 600 100 at 500,0,50",
        "add solid p1 box 40 40 40 at 450,0,120 --movable",
        "add solid w1 box 20 100 50 at 395,0,125",
        f"watch {how}",
        "open-gripper Pan to 42",
        "move-end-effector Pan 450,0,300 rotate 0,180,0 of grip",
        "move-straight-line Pan 450,0,125 rotate 0,180,0 of grip",
        "close-gripper Pan",
    ):
        cell.do(line)
    state = cell.state
    with pytest.raises(Refused, match="finger would touch w1"):
        cell.do("open-gripper Pan")
    assert cell.state == state
    cell.do("open-gripper Pan to 42")
    assert cell.state.attached == {}


def test_a_robot_wears_the_colour_that_it_is_given(cell):
    cell.do("create robot Pan panda")
    cell.do("modify Pan colour red")
    bodies = [body for body in cell.snapshot().bodies if body.owner == "Pan" and "finger" not in body.name]
    assert {piece.colour for body in bodies for piece in body.pieces[:1]} == {colour_of(cell.database, "red")}
