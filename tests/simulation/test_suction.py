"""Suction tools: which cups hold which part, with what force, and the message if they do not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import GraspFailed, InvalidValue, Refused
from workcell.robots.suction import Cup, Suction
from workcell.simulation.events import Gripped, Released
from workcell.spatial.units import GRAVITY

DOWN = "euler fanuc_wpr 180,0,0"


def made(*lines):
    cell = wc.Cell()
    for line in ("create robot Arm ur10e", "create tool vac vacuum-2x2", "fit tool vac to Arm", *lines):
        cell.do(line)
    return cell


def on(x, y, z, *lines, box="300 200 150", mass="3kg"):
    """A cell whose tool is over a box in the middle of which the world's 600,0 is, its top at z = 150."""
    cell = made(
        f"add solid box1 box {box} at 600,0,75 --movable", *([f"modify box1 mass {mass}"] if mass else []), *lines
    )
    cell.do(f"move-end-effector Arm {x},{y},{z} {DOWN}")
    return cell


def failed(cell, line="close-gripper Arm"):
    with pytest.raises(GraspFailed) as caught:
        cell.do(line)
    return caught.value


# ---- laws -----------------------------------------------------------------------------------------------------


def test_the_force_of_a_cup_is_vacuum_times_area_as_computed_by_hand():
    tool = Suction(cups=(Cup((0, 0, 0.1), 0.040, 0.01, 0.002),), vacuum=60e3)
    assert tool.force(tool.cups[0]) == pytest.approx(60e3 * math.pi * 0.018**2)  # 61.07 N
    assert tool.force(tool.cups[0]) == pytest.approx(61.073, abs=1e-3)


@given(
    st.floats(0.01, 50.0), st.floats(0.0, math.pi), st.floats(0.1, 1.0), st.floats(1.0, 4.0), st.floats(0.0, 20.0)
)  # fmt: skip
def test_the_force_that_a_part_needs_balances_weight_and_acceleration_with_friction(
    mass, lean, friction, safety, shake
):
    """Coulomb's law, tried out: with the needed force no direction of the acceleration tears the part off or slides it."""
    tool = Suction(cups=(Cup((0, 0, 0.1), 0.04),), friction=friction, safety=safety, acceleration=shake)
    down = np.array([math.sin(lean), 0.0, math.cos(lean)])
    needed = tool.needed_force(mass, down) / safety
    worst = -math.inf
    for angle in np.linspace(0.0, 2 * math.pi, 721):
        pull = mass * (GRAVITY * down + shake * np.array([math.sin(angle), 0.0, math.cos(angle)]))
        worst = max(worst, pull[2] + abs(pull[0]) / friction)
    assert needed == pytest.approx(max(0.0, worst), rel=1e-4, abs=1e-9 + 1e-4 * mass * (GRAVITY + shake) / friction)


@settings(max_examples=40, deadline=None)
@given(st.floats(-0.2, 0.2), st.floats(-0.15, 0.15))
def test_each_cup_holds_exactly_where_its_whole_rim_is_over_the_box(x, y):
    """The oracle is the drawing: four circles of 40 mm at the corners of a square of 120 mm, a box of 300 by 200."""
    from workcell.simulation.clinging import pad_fits

    cell = _CELL
    sim = cell.session.simulator
    X = wc.Pose.from_xyz_angles((0.6 + x, y, 0.150), np.radians([180, 0, 0]), "fanuc_wpr")
    q = sim.snapshot.robot("Arm").robot.ik(X)
    assume(len(q) > 0)
    state = sim.state.with_(joints={"Arm": np.array(q[0].q)})
    hand = sim.snapshot.robot("Arm").robot.gripper
    # The tool looks down: its y is turned round.
    wanted, near = [], []
    for cx, cy, _ in hand.places:
        px, py = x + cx, y - cy
        room = min(0.150 - abs(px), 0.100 - abs(py))
        wanted.append(room >= 0.020)
        near.append(abs(room - 0.020) < 1e-6)
    assume(not any(near))
    fits = pad_fits(sim.snapshot, state, "Arm", hand, None, math.radians(5))
    assert [not fit.problem for fit in fits] == wanted
    for fit in fits:
        assert fit.test in ("", "edge", "nothing")


_CELL = made("add solid box1 box 300 200 150 at 600,0,75 --movable", "modify box1 mass 1kg")


@settings(max_examples=60, deadline=None)
@given(st.floats(-0.015, 0.008), st.floats(0.0, math.radians(9)), st.floats(0, 2 * math.pi))
def test_a_cup_seals_within_its_stroke_and_an_angle_and_nowhere_else(gap, tilt, way):
    """Every point of the rim must be between the stroke inside and 1 mm outside, and the axis within 5 degrees."""
    from workcell.simulation.clinging import pad_fits

    sim = _CELL.session.simulator
    lean = wc.Pose.from_axis_angle((math.cos(way), math.sin(way), 0.0), tilt)
    down = wc.Pose.from_axis_angle((1, 0, 0), math.pi)
    hand = Suction(cups=(Cup((0, 0, 0.14), 0.040, 0.010, 0.002),))
    X_cup = wc.Pose.from_xyz(0.6, 0.0, 0.150) @ down @ lean @ wc.Pose.from_xyz(0, 0, -gap)
    robot = sim.snapshot.robot("Arm").robot
    X_flange = X_cup @ wc.Pose.from_xyz(0, 0, -0.14)
    q = robot.ik(X_flange @ robot.X_flange_tool)
    assume(len(q) > 0)
    fit = pad_fits(sim.snapshot, sim.state.with_(joints={"Arm": np.array(q[0].q)}), "Arm", hand, None, math.radians(5))[
        0
    ]
    angles = np.linspace(0, 2 * math.pi, 721)
    rim = np.column_stack([0.02 * np.cos(angles), 0.02 * np.sin(angles), np.zeros(721)])
    top, axis = np.array([0.0, 0.0, 0.150]), X_cup.rotation[:, 2]
    heights = [(top[2] - point[2]) / axis[2] for point in np.array([X_cup.apply(p) for p in rim])]
    low, high = min(heights), max(heights)
    assume(all(abs(value) > 1e-5 for value in (high - 0.001, low + 0.010)) and abs(tilt - math.radians(5)) > 1e-5)
    assert (not fit.problem) == (high <= 0.001 and low >= -0.010 and tilt <= math.radians(5))


# ---- what happens ---------------------------------------------------------------------------------------------


def test_a_vacuum_tool_picks_and_places_typed():
    with on(600, 0, 150, "add solid stage box 400 400 20 at 600,-500,10") as cell:
        taken = cell.do("close-gripper Arm")
        assert taken.part == "box1"
        assert taken.holds[0].pads == (1, 2, 3, 4)
        assert taken.holds[0].force == pytest.approx(4 * 60e3 * math.pi * 0.018**2)
        assert taken.holds[0].needed == pytest.approx(2 * 3 * (GRAVITY + 5 * math.sqrt(5)))
        hand = cell.snapshot().body_pose(cell.state, "Arm/vac").inverse() @ cell.snapshot().body_pose(
            cell.state, "box1"
        )
        cell.do("retract Arm by 200")
        cell.do(f"move-end-effector Arm 600,-500,180 {DOWN}")
        still = cell.snapshot().body_pose(cell.state, "Arm/vac").inverse() @ cell.snapshot().body_pose(
            cell.state, "box1"
        )
        assert still.is_close(hand, 1e-12, 1e-12)
        gone = cell.do("open-gripper Arm on stage")
        assert (gone.part, gone.falls) == ("box1", ())
        box = cell.snapshot().body_pose(cell.state, "box1")
        assert box.xyz == pytest.approx([0.6, -0.5, 0.095], abs=1e-6)


def test_it_takes_its_build_up_time_and_then_holds_and_its_release_time_and_then_lets_go():
    with on(600, 0, 150) as cell:
        go = f"move-end-effector Arm 600,0,150 {DOWN}"
        cell.do(f"program work\n{go}\nclose-gripper Arm\nretract Arm by 50\nopen-gripper Arm\nend")
        assert cell.do("check program work").problems == ()
        cell.do("run work")
        recording = cell.session.simulator.recording
        grip, release = (one for one in recording.events if isinstance(one, Gripped | Released))
        assert (grip.by, grip.pads, release.by) == ("suction", (1, 2, 3, 4), "suction")
        first, second = recording.moves[-2:]
        assert grip.time - first.end == pytest.approx(0.25, abs=1e-9)
        assert second.start == grip.time
        assert release.time - second.end == pytest.approx(0.1, abs=1e-9)


def test_what_is_too_heavy_is_refused_with_the_forces_and_nothing_is_changed():
    with on(600, 0, 150, mass="10kg") as cell:
        before = cell.state
        error = failed(cell)
        assert str(error) == (
            "Arm cannot hold box1: 4 cups hold 244.3 N, and it needs 419.7 N with a safety factor of 2."
        )
        assert error.evidence["test"] == "force"
        assert (cell.state.poses, cell.state.attached) == (before.poses, before.attached)


def test_a_part_of_unknown_mass_is_gripped_and_the_answer_reports_it():
    with on(600, 0, 150, mass=None) as cell:
        taken = cell.do("close-gripper Arm")
        assert taken.holds[0].needed is None
        assert "its mass is not known, so it is not known whether that is enough" in str(taken)


@pytest.mark.parametrize(
    ("place", "box", "says"),
    [
        (
            (600, 0, 153.2),
            "300 200 150",
            "each of cups 1, 2, 3 and 4 is 3.2 mm from box1, 2.2 mm more than the 1 mm allowed",
        ),
        ((600, 0, 138), "300 200 150", "is pressed 12 mm into box1, 2 mm more than its stroke"),
        ((600, 0, 150), "150 150 150", "covers an edge of box1, by 5 mm"),
        ((600, 0, 400), "300 200 150", "no cup touches anything"),
    ],
)
def test_the_answer_names_the_cup_and_what_is_wrong(place, box, says):
    with on(*place, box=box) as cell:
        assert says in str(failed(cell))


def test_a_tilted_tool_and_a_curved_face_are_named():
    with made("add solid box1 box 300 200 150 at 600,0,75 --movable") as cell:
        cell.do("move-end-effector Arm 600,0,152 euler fanuc_wpr 180,7,0")
        assert "is tilted 7° against box1, 2° more than the 5° allowed" in str(failed(cell))
    with made("add solid drum cylinder 100 400 at 600,0,100 rotate 90,0,0 --movable") as cell:
        cell.do(f"move-end-effector Arm 660,60,200 {DOWN}")
        assert "each of cups 1 and 3 is on a curved face of drum" in str(failed(cell, "close-gripper Arm within 20mm"))


def test_a_hole_under_a_cup_is_named():
    with made() as cell:
        cell.add_solid(
            wc.solids.box(0.3, 0.2, 0.02) - wc.solids.cylinder(0.01, 0.06).moved(wc.Pose.from_xyz(0.06, 0.06, 0)),
            name="plate", at=wc.Pose.from_xyz(0.6, 0, 0.01), movable=True,
        )  # fmt: skip
        cell.do("modify plate mass 2kg")
        cell.do(f"move-end-effector Arm 600,0,20 {DOWN}")
        taken = cell.do("close-gripper Arm")
        assert taken.holds[0].pads == (1, 3, 4)
        assert "is over a hole of plate, by 30 mm" in taken.idle


def test_what_is_not_movable_is_named():
    with made("add solid table box 800 800 20 at 600,0,10") as cell:
        cell.do(f"move-end-effector Arm 600,0,20 {DOWN}")
        assert "is on table, which is not movable" in str(failed(cell))


def test_one_tool_holds_a_row_of_boxes_and_lets_all_of_them_go():
    boxes = [f"add solid b{k} box 150 120 100 at 600,{y},50 --movable" for k, y in enumerate((-195, -65, 65, 195))]
    weights = [f"modify b{k} mass 0.5kg" for k in range(4)]
    with wc.Cell() as cell:
        for line in ("create robot Arm ur10e", "create tool bar vacuum-bar-4", "fit tool bar to Arm", *boxes, *weights):
            cell.do(line)
        cell.do("move-end-effector Arm 600,0,100 euler fanuc_wpr 180,0,90")
        taken = cell.do("close-gripper Arm")
        assert sorted((one.part, len(one.pads)) for one in taken.holds) == [(f"b{k}", 1) for k in range(4)]
        cell.do("retract Arm by 100")
        assert [cell.snapshot().body_pose(cell.state, f"b{k}").xyz[2] for k in range(4)] == pytest.approx([0.15] * 4)
        assert cell.do("open-gripper Arm --settle").part == "b0, b1, b2, b3"
        assert [cell.snapshot().body_pose(cell.state, f"b{k}").xyz[2] for k in range(4)] == pytest.approx([0.05] * 4)


def test_a_watched_arm_may_press_its_cups_on_the_part_by_their_stroke_and_no_farther():
    with made("add solid box1 box 300 200 150 at 600,0,75 --movable", "modify box1 mass 3kg") as cell:
        cell.do(f"move-end-effector Arm 600,0,250 {DOWN}")
        cell.do("watch yes")
        cell.do(f"move-straight-line Arm 600,0,142 {DOWN}")
        assert cell.do("close-gripper Arm").part == "box1"
        cell.do("retract Arm by 100")
        cell.do("open-gripper Arm")
        cell.do("retract Arm by 100")
        with pytest.raises(wc.WorkcellError, match="Arm/vac"):
            cell.do("move-end-effector Arm 600,0,230 euler fanuc_wpr 180,0,0")
        assert not cell.do("contacts").contacts


def test_a_contact_of_a_fitted_tool_names_the_tool():
    with made("add solid wall box 20 400 800 at 600,0,400") as cell:
        cell.do(f"move-end-effector Arm 600,0,500 {DOWN}")
        assert "Arm/vac" in str(cell.do("contacts"))


# ---- properties -----------------------------------------------------------------------------------------------


def test_a_suction_tool_of_ones_own_is_made_by_properties_and_lacks_none_at_the_end():
    with wc.Cell() as cell:
        for line in ("create robot Arm ur10e", "create gripper hand", "modify hand holds suction"):
            cell.do(line)
        with pytest.raises(Refused, match="`cups` and `diameter` are not set"):
            cell.do("fit tool hand to Arm")
        cell.do("fit tool hand to Arm tcp 0,0,80")
        with pytest.raises(
            Refused, match="The gripper 'hand' of Arm cannot grip: it lacks `cups` and `diameter`; for ex"
        ):
            cell.do("close-gripper Arm")
        cell.do("modify hand cups 0,0,80")
        with pytest.raises(Refused, match="it lacks `diameter`; for example `modify hand diameter 40` sets it"):
            cell.do("close-gripper Arm")
        cell.do("modify hand diameter 50")
        assert "no cup touches anything" in str(failed(cell))
        cell.do("modify hand cups 0,0,120")
        assert cell.snapshot().robot("Arm").robot.gripper.X_flange_grip.xyz == pytest.approx([0, 0, 0.12])
        with pytest.raises(InvalidValue, match="three coordinates each"):
            cell.do("modify hand cups 0,0")
        with pytest.raises(InvalidValue, match="one value for all, or 1"):
            cell.do("modify hand diameter 40,50")
        with pytest.raises(InvalidValue, match="more than the pressure of the air"):
            cell.do("modify hand vacuum 120")


def test_a_gripper_of_fingers_that_lacks_a_property_says_which_and_what_sets_it():
    with wc.Cell() as cell:
        for line in ("create robot Arm ur10e", "create gripper hand", "modify hand opening 80mm"):
            cell.do(line)
        cell.do("fit tool hand to Arm tcp 0,0,100")
        says = "The gripper 'hand' of Arm cannot grip: it lacks `reach`; for example `modify hand reach 120mm` sets it."
        for line in ("close-gripper Arm", "open-gripper Arm", "move-end-effector Arm 600,0,300 of grip"):
            with pytest.raises(Refused) as caught:
                cell.do(line)
            assert str(caught.value) == says
        cell.do("program work\nclose-gripper Arm\nend")
        assert says in str(cell.do("check program work"))


def test_fingers_to_a_distance_are_refused_for_a_vacuum_tool():
    with on(600, 0, 150) as cell, pytest.raises(Refused, match="has no fingers that open to a distance"):
        cell.do("open-gripper Arm to 50mm")
