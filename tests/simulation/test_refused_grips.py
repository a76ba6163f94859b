"""A grip that is refused changes nothing: no time passes, no step is made, and the journal can be replayed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import workcell as wc
from workcell.errors import GraspFailed, InvalidValue, Refused, WorkcellError
from workcell.robots.magnet import Magnet, Pole
from workcell.robots.suction import Cup, Suction

DOWN = "euler fanuc_wpr 180,0,0"
ARM = ("create robot Bob kr16", "create tool v vacuum-2x2", "fit tool v to Bob")
BOX = ("add solid box box 300 200 150 at 1200,0,75 --movable", "modify box mass 10kg")
OVER = f"move-end-effector Bob 1200,0,150 {DOWN}"
FINGERS = (
    "create robot Bob kr16",
    "create tool v two-finger-85",
    "fit tool v to Bob",
    "modify v close_time 0.3s",
)


def made(*lines):
    cell = wc.Cell()
    for line in lines:
        cell.do(line)
    return cell


def facts(cell):
    """All that a refused command may not change."""
    recording = cell.session.simulator.recording
    return (
        cell.state.to_json(),
        [entry.command for entry in cell.journal.entries()],
        recording.to_bytes(),
        cell.session.simulator.time,
    )


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (ARM, "no cup touches anything"),
        ((*ARM, *BOX, OVER, "grip box with Bob"), "already holds box"),
        ((*ARM, *BOX, OVER), "needs 419.7 N"),
        ((*ARM, *BOX, "wait 1.5"), "no cup touches anything"),
        (FINGERS, "no part of the cell is movable"),
        ((*FINGERS, *BOX), "closes on nothing; nearest is box"),
    ],
    ids=["nothing", "holds", "weak", "later", "fingers", "far"],
)
def test_a_refused_grip_changes_nothing_and_the_journal_replays(lines, says):
    with made(*lines) as cell:
        before = facts(cell)
        for _ in range(2):
            with pytest.raises(WorkcellError, match=says):
                cell.do("close-gripper Bob")
            assert facts(cell) == before
        cell.do("wait 0.5")
        with cell.replayed() as again:
            assert again.state.to_json() == cell.state.to_json()
            assert len(again.journal.entries()) == len(cell.journal.entries())


def test_a_refused_grip_in_a_group_is_no_part_of_it():
    with made(*ARM) as cell:
        for line in ("group", "wait 1"):
            cell.do(line)
        with pytest.raises(GraspFailed):
            cell.do("close-gripper Bob")
        cell.do("end")
        assert cell.state.time == 1.0
        assert cell.journal.entries()[-1].command.split("\n") == ["wait 1.0s"]
        with cell.replayed() as again:
            assert again.state.time == 1.0


def test_what_runs_goes_on_after_a_refused_grip_as_without_it():
    lines = (
        *ARM, "add conveyor belt 3000 at -1500,2700,0", "add solid part box 100 100 100 at -400,2700,750 --movable",
        "run-conveyor belt 100mm/s", "speed Bob 0.3rad/s", "wait 1",
    )  # fmt: skip
    with made(*lines) as cell, made(*lines) as plain:
        with pytest.raises(GraspFailed):
            cell.do("close-gripper Bob")
        for one in (cell, plain):
            one.do("wait 2")
            one.do("move-joints-relative Bob 10,0,0,0,0,0")
        assert cell.state.to_json() == plain.state.to_json()
        assert cell.session.simulator.recording.to_bytes() == plain.session.simulator.recording.to_bytes()
        moved = cell.snapshot().body_pose(cell.state, "part").xyz[0]
        assert moved > -0.4 + 0.25


def test_a_program_that_closes_on_nothing_is_refused_and_nothing_of_it_stays():
    with made(*ARM, "program work\nwait 1\nclose-gripper Bob\nend") as cell:
        before = facts(cell)
        with pytest.raises(Refused, match="no cup touches anything"):
            cell.do("run work")
        assert facts(cell) == before


def test_no_time_passes_in_python_where_the_hand_is_closed_already():
    with made(*ARM, *BOX, "modify box mass 1kg") as cell:
        sim = wc.Simulator(cell)
        arm = sim.robot("Bob")
        arm.grip("box")
        for given in ({}, {"distance": -1.0}):
            with pytest.raises(WorkcellError):
                arm.close_gripper(**given)
        assert sim.time == 0.0


# ---- pads -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("modify v cups 0,0,140,0,0,140", "Cups 1 and 2 of 'v' overlap: their middles are 0 mm apart"),
        ("modify v diameter 121mm", "Cups 1 and 2 of 'v' overlap: their middles are 120 mm apart, and they need 121"),
        ("modify v cups 1e9,0,140", "Cup 1 of 'v' is 1e[+]06 m from the flange; the limit is 10 m"),
        ("modify v diameter 1e6", "Cup 1 of 'v' has a diameter of 1000 m; the limit is 1 m"),
    ],
)
def test_cups_that_cannot_be_are_refused_when_they_are_set(line, says):
    with made(*ARM) as cell:
        before = cell.database.entity("gripper", "v").properties, len(cell.journal.entries())
        with pytest.raises(InvalidValue, match=says):
            cell.do(line)
        assert (cell.database.entity("gripper", "v").properties, len(cell.journal.entries())) == before


@pytest.mark.parametrize("apart", [0.0, 0.02, 0.0399, 0.04, 0.041, 0.2])
@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5])
def test_pads_may_touch_and_never_overlap(apart, angle):
    """The oracle is the area: round pads that share none are at least the sum of their radii apart."""
    places = [(0.01, 0.02, 0.1), (0.01 + apart * np.cos(angle), 0.02 + apart * np.sin(angle), 0.12)]
    makers = (
        lambda: Suction(cups=tuple(Cup(place, size) for place, size in zip(places, (0.03, 0.05), strict=True))),
        lambda: Magnet(
            magnets=tuple(Pole(place, size, 100.0) for place, size in zip(places, (0.03, 0.05), strict=True))
        ),
    )
    for make in makers:
        if apart >= 0.04:
            make()
        else:
            with pytest.raises(InvalidValue, match="overlap"):
                make()


def test_the_third_cup_is_found_whatever_the_order():
    row = [(0.0, 0.0, 0.1), (0.1, 0.0, 0.1), (0.105, 0.0, 0.1)]
    for places in itertools.permutations(row):
        with pytest.raises(InvalidValue, match=r"overlap: their middles are 5 mm apart, and they need 40 mm"):
            Suction(cups=tuple(Cup(place, 0.04) for place in places))


@pytest.mark.parametrize("model", [5, None, 2.5, ["kr16"]])
def test_what_is_no_robot_is_refused_in_one_sentence(model):
    with wc.Cell() as cell, pytest.raises(InvalidValue, match="Expected a robot: a name of the library"):
        cell.add_robot(model)
