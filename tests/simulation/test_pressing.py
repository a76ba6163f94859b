"""Parts that a hand presses into something when it releases them: cups yield, everything else is reported."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import FallStop, Refused
from workcell.simulation.event_text import text_of
from workcell.simulation.events import FALLS, PressedIn, Settled, TippedOver
from workcell.spatial.pose import Pose

TABLE, HIGH, STROKE = 0.1, 0.15, 0.010
"""The top of the table, the height of the box, and the stroke of the cups of vacuum-2x2 [m]."""
DOWN = Pose.from_xyz_angles((0.0, 0.0, 0.0), np.radians([180, 0, 0]), "fanuc_wpr")
LINES = (
    "create robot Arm ur10e",
    "create tool vac vacuum-2x2",
    "fit tool vac to Arm",
    "add solid table box 900 900 100 at 600,-200,50",
    "add solid box1 box 300 200 150 at 600,0,175 --movable",
    "modify box1 mass 3kg",
)


def made(*lines):
    cell = wc.Cell()
    for line in lines:
        cell.do(line)
    return cell


_CELL = made(*LINES)


def lifted(cell=_CELL, squeezed=0.0):
    """A simulator whose arm holds the box, the cups pressed on it by so much [m], and 100 mm over the table."""
    sim = wc.Simulator(cell)
    arm = sim.robot("Arm")
    at(arm, 0.0, TABLE + HIGH - squeezed)
    arm.close_gripper()
    at(arm, 0.0, TABLE + HIGH - squeezed + 0.1)
    return sim, arm


def at(arm, y, z):
    """Bring the tip of the tool to a place [m], looking down."""
    arm.move_end_effector(Pose.from_xyz(0.6, y, z) @ DOWN)


def bottom(sim, part="box1"):
    """How high the lowest point of the box is over the table [m]."""
    return float(sim.snapshot.body_pose(sim.state, part).xyz[2]) - HIGH / 2 - TABLE


def falls(sim):
    return [one for one in sim.recording.events if isinstance(one, FALLS)]


@settings(max_examples=25, deadline=None)
@given(st.floats(0.0, 0.008), st.floats(-0.005, 0.016), st.booleans())
def test_a_part_rests_on_the_table_where_the_cups_yield_and_is_reported_inside_it_where_they_cannot(
    squeezed, depth, settle
):
    """The oracle is arithmetic: cups of 10 mm that are pressed together by so much already yield by the rest."""
    assume(abs(depth - (STROKE - squeezed)) > 2e-4)
    assume(not 0.0 < depth < 2e-4)
    assume(abs(depth - 1e-3) > 2e-4)
    sim, arm = lifted(squeezed=squeezed)
    at(arm, -0.3, TABLE + HIGH - squeezed - depth)
    assert bottom(sim) == pytest.approx(-depth, abs=1e-6)
    if depth > STROKE - squeezed and settle:
        with pytest.raises(Refused, match="inside table"):
            arm.open_gripper(settle=True)
        assert arm.held == ("box1",)
        return
    arm.open_gripper(settle=settle)
    came = [one for one in sim.recording.events if isinstance(one, Settled)]
    if depth <= 0.0:
        assert bottom(sim) == pytest.approx(0.0 if settle else -depth, abs=1e-6)
        assert not falls(sim)
    elif depth < STROKE - squeezed:
        assert bottom(sim) == pytest.approx(0.0, abs=1e-6)
        assert [(one.part, one.on) for one in came] == [("box1", "table")]
        assert came[0].fall == pytest.approx(-depth, abs=1e-6)
        assert not falls(sim)
    else:
        assert bottom(sim) == pytest.approx(-depth, abs=1e-6)
        assert [(type(one), one.part, one.on) for one in falls(sim)] == [(PressedIn, "box1", "table")]
        assert falls(sim)[0].depth == pytest.approx(depth, abs=1e-5)
    assert arm.held == ()


def test_what_stands_on_a_pressed_part_comes_up_with_it():
    with made(*LINES, "add solid cap box 20 20 20 at 735,85,260 --movable") as cell:
        sim, arm = lifted(cell)
        at(arm, -0.3, TABLE + HIGH - 0.004)
        before = sim.snapshot.body_pose(sim.state, "cap")
        arm.open_gripper()
        assert sim.snapshot.body_pose(sim.state, "cap").xyz - before.xyz == pytest.approx([0, 0, 0.004], abs=1e-6)
        assert "cap" not in sim.state.attached


def test_a_pressed_part_whose_centre_is_beside_the_table_tips_over():
    sim, arm = lifted()
    at(arm, -0.68, TABLE + HIGH - 0.004)
    arm.open_gripper()
    assert bottom(sim) == pytest.approx(0.0, abs=1e-6)
    assert [type(one) for one in falls(sim)] == [TippedOver]


@pytest.mark.parametrize("depth", [0.0005, 0.003])
@pytest.mark.parametrize("how", ["fingers", "magnet", "attached"])
def test_what_else_holds_a_part_does_not_yield_and_reports_how_deep_it_is(how, depth):
    tool = {"fingers": (), "magnet": ("create tool mag magnet-2x2", "fit tool mag to Arm"), "attached": ()}[how]
    size = "200 200" if how == "magnet" else "40 40"
    part = (f"add solid box1 box {size} 150 at 600,0,175 --movable", "modify box1 ferromagnetic yes")
    with made(LINES[0], *tool, LINES[3], *part, "modify box1 mass 0.3kg") as cell:
        z = 1e3 * (TABLE + HIGH) if how == "magnet" else 240
        cell.do(f"move-end-effector Arm 600,0,{z} euler fanuc_wpr 180,0,0 of grip")
        cell.do("grip box1" if how == "attached" else "close-gripper Arm")
        cell.do(f"move-end-effector Arm 600,-300,{z - 1e3 * depth} euler fanuc_wpr 180,0,0 of grip")
        answer = cell.do("release box1" if how == "attached" else "open-gripper Arm")
        sim = cell.session.simulator
        assert bottom(sim) == pytest.approx(-depth, abs=1e-6)
        found = falls(sim)
        if depth < 1e-3:
            assert not found
            assert not answer.falls
            return
        assert [(one.part, one.on) for one in found] == [("box1", "table")]
        assert found[0].depth == pytest.approx(depth, abs=1e-5)
        assert text_of(found[0]) == "box1 was released 3 mm inside table"
        assert "box1 was released 3 mm inside table" in str(answer)
        assert "box1 was released 3 mm inside table" in str(cell.do("report"))


def test_a_part_that_is_pressed_into_the_side_of_something_stays_and_is_reported():
    with made(*LINES, "add solid wall box 900 100 400 at 600,-500,300") as cell:
        sim, arm = lifted(cell)
        at(arm, -0.346, TABLE + HIGH + 0.05)  # the face of the box is at −446 mm, that of the wall at −450
        arm.open_gripper()
        assert not falls(sim)
        arm.close_gripper()
        at(arm, -0.353, TABLE + HIGH + 0.05)
        arm.open_gripper()
        assert [(one.part, one.on) for one in falls(sim)] == [("box1", "wall")]
        assert falls(sim)[0].depth == pytest.approx(0.003, abs=1e-5)


def test_where_collisions_are_watched_a_part_inside_something_is_a_stop():
    with made(*LINES) as cell:
        sim, arm = lifted(cell)
        at(arm, -0.3, TABLE + HIGH - 0.013)
        sim.watch = wc.Watch(sim.snapshot)
        with pytest.raises(FallStop, match="box1 was released 13 mm inside table") as caught:
            arm.open_gripper()
        assert (caught.value.part, caught.value.on) == ("box1", "table")
        assert arm.held == ()


def test_a_part_that_slips_while_it_is_inside_the_table_does_not_fall_through_it():
    with made(*LINES, "add fault loose of box1 slips") as cell:
        sim, arm = lifted(cell)
        at(arm, -0.3, TABLE + HIGH - 0.013)
        sim.inject_fault("loose")
        assert arm.held == ()
        assert bottom(sim) == pytest.approx(-0.013, abs=1e-6)
        assert [type(one) for one in falls(sim)] == [PressedIn]


def test_a_part_that_touches_something_above_it_settles():
    """The bottom of the shelf lies in the plane of the top of the part, beside the cups."""
    cell = made(*LINES, f"add solid shelf box 60 100 20 at 720,-300,{1e3 * (TABLE + HIGH + 0.1) + 10:g}")
    sim, arm = lifted(cell)
    at(arm, -0.3, TABLE + HIGH + 0.1)
    arm.open_gripper(settle=True)
    assert arm.held == ()
    assert bottom(sim) == pytest.approx(0.0, abs=1e-6)


def test_a_part_inside_something_above_it_is_refused_with_its_true_depth():
    cell = made(*LINES, f"add solid shelf box 60 100 20 at 720,-300,{1e3 * (TABLE + HIGH + 0.1) + 7:g}")
    _sim, arm = lifted(cell)
    at(arm, -0.3, TABLE + HIGH + 0.1)
    with pytest.raises(Refused, match="it is 3 mm inside shelf"):
        arm.open_gripper(settle=True)
