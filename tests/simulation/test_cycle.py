"""Where the time of a run went: the shares add up, and each agrees with the motion and the program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.simulation.cycle import Cycle, cycles

ARM = "create robot A puma560 joints 0,0,-90,0,90,0"


def cell_with(*lines: str) -> wc.Cell:
    cell = wc.Cell()
    for line in (ARM, *lines):
        cell.do(line)
    return cell


def cycle_of(cell: wc.Cell, robot: str = "A") -> Cycle:
    found = {one.robot: one for one in cycles(cell.snapshot(), cell.session.recording)}
    for one in found.values():
        assert sum(cause.seconds for cause in one.causes) == pytest.approx(cell.session.recording.duration, abs=1e-9)
        assert all(cause.seconds > 0.0 for cause in one.causes)
    return found[robot]


def seconds(cycle: Cycle, what: str) -> float:
    return sum(cause.seconds for cause in cycle.causes if what in cause.what)


def test_a_trapezoid_is_its_ramps_and_its_speed() -> None:
    """One joint over an angle: v/a up, v/a down and the rest at full speed, by hand."""
    cell = cell_with("speed A 0.5rad/s")
    cell.do("move-joints-relative A 1rad,0,0,0,0,0 profile trapezoid")
    robot = cell.snapshot().robot("A").robot
    ramp = 0.5 / robot.accelerations[0]
    cycle = cycle_of(cell)
    assert cycle.duration == pytest.approx(1.0 / 0.5 + ramp, abs=1e-6)
    # A limit counts from a little before it on, and where two are kept at once each has half.
    assert seconds(cycle, "acceleration of joint 1") == pytest.approx(2.0 * ramp, rel=1e-2)
    assert seconds(cycle, "speed of joint 1") == pytest.approx(1.0 / 0.5 - ramp, rel=1e-2)
    assert {cause.joint for cause in cycle.causes} == {1}
    assert {cause.limit for cause in cycle.causes} == {"speed", "acceleration"}


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.floats(-9.0, 9.0), min_size=6, max_size=6).filter(lambda v: max(map(abs, v)) > 1.0),
    st.sampled_from(["linear", "345", "trapezoid", "jerk", "time-optimal", "spline"]),
    st.floats(0.0, 1.5),
)
def test_the_parts_add_up_for_any_move(by: list[float], profile: str, pause: float) -> None:
    cell = cell_with()
    cell.do(f"move-joints-relative A {','.join(f'{v:.6f}' for v in by)} profile {profile}")
    if pause:
        cell.do(f"wait {pause:.6f}")
    cell.do("move-joints-absolute A 0,0,-90,0,90,0")
    cycle = cycle_of(cell)
    assert cycle.of("wait") == pytest.approx(round(pause, 6), abs=1e-6)
    moved = sum(move.duration for move in cell.session.recording.moves)
    assert cycle.of("joint", "motion") == pytest.approx(moved, abs=1e-6)


def test_programs_wait_for_what_their_lines_say() -> None:
    cell = cell_with(
        "modify A open_time 0.3",
        "modify A close_time 0.4",
        "create signal ready",
        "add solid cube box 40 40 40 at 432,-150,400 --movable",
        "add rail R 2000 at 0,2000,0",
        "program P\nmove-joints-relative A 5,0,0,0,0,0\nopen-gripper A to 50\nwait 0.5\n"
        "move-joints-relative A 5,0,0,0,0,0\nwait-until ready\nmove-joints-relative A -5,0,0,0,0,0\nend",
        "program Q\nmove-joints-absolute R 500\nwait 3\nset-signal ready 1\nend",
        "run-together P Q",
    )
    cycle = cycle_of(cell)
    assert cycle.of("gripper") == pytest.approx(0.3, abs=1e-6)
    assert seconds(cycle, "`wait 0.5`") == pytest.approx(0.5, abs=1e-6)
    (signal,) = [one for one in cycle.causes if "wait-until" in one.what]
    assert (signal.program, signal.line) == ("P", 5)
    moves = [move for move in cell.session.recording.moves if move.device == "A"]
    assert signal.seconds == pytest.approx(moves[2].start - moves[1].end, abs=1e-9)
    rail = cycle_of(cell, "R")
    assert seconds(rail, "`wait 3`") == pytest.approx(3.0, abs=1e-6)
    assert rail.of("stand") == pytest.approx(moves[2].duration, abs=1e-6)  # its program is over


def test_what_slows_a_move_down_otherwise_is_named() -> None:
    cell = cell_with()
    cell.do("set joints A 0,30,-120,0,90,0")
    cell.do("move-hand A 0,0,50 speed 10mm/s")
    last = cell.session.recording.moves[-1]
    assert seconds(cycle_of(cell), "speed of the hand") > 0.9 * last.duration
    slow = cell_with("program P\noverride 20\nmove-joints-relative A 10,0,0,0,0,0\nend", "run P")
    assert seconds(cycle_of(slow), "the override") == pytest.approx(slow.session.recording.duration, abs=1e-6)
    zone = cell_with("add zone door box 3000 3000 3000 rule slow-down speed 0.2", "move-joints-relative A 10,0,0,0,0,0")
    assert seconds(cycle_of(zone), "slow-down zone door") > 0.5 * zone.session.recording.duration


def test_the_report_tells_it_to_people_and_to_programs() -> None:
    cell = cell_with("move-joints-relative A 10,0,0,0,0,0", "wait 1")
    found = cell.do("report")
    assert "time of A: waits 1.0000 s" in str(found)
    (line,) = found.cycles
    assert line.robot == "A"
    assert sum(one.seconds for one in line.causes) == pytest.approx(line.duration)
    cell.do("modify A name B")
    assert "time of B: waits 1.0000 s" in str(cell.do("report"))
    assert cycles(wc.Cell().snapshot(), wc.Cell().session.recording) == ()


def test_what_has_no_hand_has_no_singularity() -> None:
    cell = cell_with("add rail R 2000 at 0,2000,0", "add positioner T at 0,-2000,0")
    cell.do("move-joints-absolute R 500")
    cell.do("move-joints-absolute T 10,20")
    cell.do("move-joints-relative A 10,0,0,0,0,0")
    figures = {line.robot: line.singularity for line in cell.do("report").moves}
    assert figures["R"] is None
    assert figures["T"] is None
    assert figures["A"] is not None
    assert np.isfinite(figures["A"])
