"""Reports of runs in which parts are gripped and released, of stopped moves, and of moves that go nowhere."""

from __future__ import annotations

import pytest

from workcell.errors import CollisionStop

DOWN = "euler fanuc_wpr 180,0,180 of grip"


def test_the_move_that_ends_at_a_grip_comes_to_a_part_that_is_not_held_yet(pick):
    for line in (
        f"move-end-effector Puma 500,-150,150 {DOWN}",
        f"move-straight-line Puma 500,-150,20 {DOWN}",
        "close-gripper Puma",
        "move-hand Puma 0,0,100 along world",
        "move-hand Puma 0,200,0 along world",
        "move-hand Puma 0,0,-100 along world",
        "open-gripper Puma",
        "move-hand Puma 0,0,100 along world",
    ):
        pick.do(line)
    moves = pick.do("report --clearance").moves
    assert len(moves) == 6
    above, onto, lift, across, down, away = moves
    for free in (above, onto, across, away):
        assert free.clearance > 2e-3
        assert free is across or {"cube", "table"} != set(free.nearest)
    assert (across.clearance, set(across.nearest)) == (pytest.approx(0.1, abs=1e-3), {"cube", "table"})
    # The cube leaves the table with the hand, and comes to it with the hand.
    assert (lift.clearance, set(lift.nearest), lift.nearest_at) == (
        pytest.approx(0, abs=1e-6),
        {"cube", "table"},
        lift.start,
    )
    assert (down.clearance, set(down.nearest)) == (pytest.approx(0, abs=1e-6), {"cube", "table"})
    assert down.nearest_at == pytest.approx(down.start + down.duration)
    recording = pick.session.recording
    end = onto.start + onto.duration
    assert "cube" in recording.state_before(end).poses
    assert "cube" in recording.state_at(end).attached


def test_clearance_is_reported_where_something_touches_and_things_go_on(pick):
    for line in (
        f"move-end-effector Puma 500,-150,20 {DOWN}",
        "close-gripper Puma",
        "open-gripper Puma",
        "move-hand Puma 0,0,100 along world",
        "set joints Puma 0,0,-90,0,90,0",
    ):
        pick.do(line)
    first, second = pick.do("report --clearance").moves
    assert first.clearance == 0.0
    assert second.clearance > 0.0
    # The jump at its end is not where the move came to.
    end = second.start + second.duration
    before, after = (pick.session.recording.state_before(end), pick.session.recording.state_at(end))
    assert before.joints["Puma"].tolist() != after.joints["Puma"].tolist()
    assert before.time == after.time


def test_a_solid_that_stops_is_where_it_stops_before_it_is_reported_as_put_down(pick):
    pick.do("move-solid cube through 500,-250,20 speed 100mm/s")
    recording = pick.session.recording
    assert recording.state_before(1.0).poses["cube"].xyz[1] == pytest.approx(-0.25)
    assert recording.state_before(0.5).poses["cube"].xyz[1] == pytest.approx(-0.2)
    assert "cube" in pick.do("report --clearance").moves[0].robot


def test_limits_of_a_stopped_move_end_where_it_stopped(pick):
    pick.do("add solid post box 60 60 900 at 500,150,450")
    pick.do("watch yes")
    pick.do("set joints Puma 0,0,-90,0,90,0")
    with pytest.raises(CollisionStop):
        pick.do("move-joints-relative Puma 100,0,0,0,0,0 profile trapezoid")
    report = pick.do("report --limits")
    (move,) = report.moves
    assert move.limited == "stopped"
    assert move.bound
    assert all(0.0 <= first < last <= move.duration + 1e-12 for _, _, first, last in move.bound)
    assert "limit from 0.0000 to" in str(report)
    assert all(
        line.endswith("s after the start of the move") for line in str(report).splitlines() if " at its " in line
    )


def test_a_move_to_where_the_robot_stands_has_no_singularity_to_tell(pick):
    pick.do("move-joints-relative Puma 0,0,0,0,0,0")
    report = pick.do("report")
    assert "nan" not in str(report)
    assert report.moves[0].singularity is None
