"""Parts on parts: what stands on a part moves along, and nothing settles into anything."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import GraspFailed, Refused
from workcell.simulation.piles import stacked_on
from workcell.simulation.settling import vertical_gap

DOWN = "euler fanuc_wpr 180,0,180 of grip"


def place(cell, name):
    snapshot = cell.snapshot()
    return snapshot.body_poses(cell.state)[[body.name for body in snapshot.bodies].index(name)][:3, 3] * 1e3


@pytest.fixture
def table():
    with wc.Cell() as cell:
        for line in (
            "create robot A puma560 joints 0,60,-190,0,40,0",
            "add solid table box 600 800 50 at 550,0,-25",
            "add solid tray box 60 60 20 at 500,-150,10 --movable",
            "add solid nut box 20 20 10 at 510,-150,25 --movable",
            "add solid washer box 10 10 5 at 510,-150,32.5 --movable",
            "add solid aside box 60 60 20 at 560,-150,10 --movable",
        ):
            cell.do(line)
        yield cell


def test_what_stands_on_a_part_goes_with_the_gripper(table):
    table.do(f"move-end-effector A 500,-150,10 {DOWN}")
    table.do("close-gripper A")
    table.do("move-hand A 0,0,100 along world")
    assert place(table, "nut") == pytest.approx([510, -150, 125], abs=1e-3)
    assert place(table, "washer") == pytest.approx([510, -150, 132.5], abs=1e-3)
    assert place(table, "aside") == pytest.approx([560, -150, 10])
    table.do(f"move-end-effector A 500,100,30 {DOWN}")
    table.do("open-gripper A --settle")
    assert place(table, "tray") == pytest.approx([500, 100, 10], abs=1e-3)
    assert place(table, "nut") == pytest.approx([510, 100, 25], abs=1e-3)
    recording = table.session.recording
    assert recording.state_at(recording.end) == table.state
    assert table.replayed().state == table.state


def test_what_stands_on_a_solid_that_moves_goes_along_and_what_stands_on_two_stays(table):
    table.do("add solid bridge box 80 20 5 at 530,-150,42.5 --movable")  # in the air: stands on nothing
    table.do("add solid lid box 100 20 5 at 530,-170,22.5 --movable")  # on the tray and on what is aside
    table.do("move-solid tray through 500,-350,10 speed 100mm/s")
    assert place(table, "nut") == pytest.approx([510, -350, 25], abs=1e-3)
    assert place(table, "washer") == pytest.approx([510, -350, 32.5], abs=1e-3)
    assert place(table, "lid") == pytest.approx([530, -170, 22.5])
    assert place(table, "bridge") == pytest.approx([530, -150, 42.5])


def test_neighbours_and_equal_stacks():
    box = wc.solids.box(0.1, 0.1, 0.1).mesh(1e-4)
    here, above, beside = np.eye(4), np.eye(4), np.eye(4)
    above[2, 3] = 0.13
    beside[:3, 3] = (0.1, 0.0, 0.2)
    assert vertical_gap(box, above, box, here) == pytest.approx(0.03)
    assert vertical_gap(box, beside, box, here) == np.inf
    with wc.Cell() as cell:
        for k in range(4):
            cell.do(f"add solid b{k} box 50 50 50 at 0,0,{25 + 50 * k} --movable")
        found = stacked_on(cell.snapshot(), cell.state, "b1")
        assert [(upper, lower) for upper, lower, _ in found] == [("b2", "b1"), ("b3", "b2")]


def test_a_part_deep_in_something_does_not_settle(table):
    table.do("remove nut --deep")
    table.do("remove washer --deep")
    table.do(f"move-end-effector A 500,-150,10 {DOWN}")
    table.do("close-gripper A")
    table.do("move-hand A 0,0,100 along world")
    table.do(f"move-end-effector A 500,100,7 {DOWN}")
    state = table.state
    with pytest.raises(Refused, match=r"tray cannot settle: it is 3 mm inside table"):
        table.do("open-gripper A --settle")
    assert table.state == state
    table.do("move-hand A 0,0,2.5 along world")
    table.do("open-gripper A --settle")
    assert place(table, "tray")[2] == pytest.approx(9.5, abs=0.51)


@pytest.mark.parametrize("turn", [0, 3, 6, 9, 12])
def test_the_width_of_a_round_part_does_not_depend_on_its_facets(turn):
    with wc.Cell() as cell:
        cell.do("create robot A puma560 joints 0,60,-190,0,40,0")
        cell.do(f"add solid can cylinder 40.2 60 at 500,-150,30 rotate 0,0,{turn} --movable")
        sim = wc.Simulator(cell)
        robot = sim.robot("A")
        gripper = robot.robot.gripper
        assert gripper is not None
        assert gripper.opening == pytest.approx(0.08)
        robot.move_end_effector(
            wc.Pose.from_xyz_angles([0.5, -0.15, 0.03], np.radians([180.0, 0.0, 180.0]), "fanuc_wpr"), point="grip"
        )
        with pytest.raises(GraspFailed, match=r"80\.[34]\d* mm wide") as refused:
            robot.close_gripper()
        assert refused.value.evidence["width"] == pytest.approx(0.0804, abs=2e-5)


def test_edges_meet_edges_and_faces_meet_corners():
    bar = wc.solids.box(0.4, 0.02, 0.02).mesh(1e-4)
    half = 0.01 * np.sqrt(2.0)  # of the diamond that a bar on its edge is
    on_edge = wc.Pose.from_axis_angle([1, 0, 0], np.radians(45.0))
    lower = on_edge.matrix
    upper = (wc.Pose.from_axis_angle([0, 0, 1], np.radians(90.0)) @ on_edge).matrix.copy()
    upper[2, 3] = 0.5
    assert vertical_gap(bar, upper, bar, lower) == pytest.approx(0.5 - 2.0 * half, abs=1e-9)
    plate, pin = wc.solids.box(0.4, 0.4, 0.01).mesh(1e-4), wc.solids.pyramid(0.02, 0.02, 0.1).mesh(1e-4)
    top = float(pin.vertices[:, 2].max())
    raised = np.eye(4)
    raised[:3, 3] = (0.013, 0.021, 0.3)
    assert vertical_gap(plate, raised, pin, np.eye(4)) == pytest.approx(0.3 - 0.005 - top, abs=1e-9)
