"""One snapshot for all: a typed line, a simulator in Python and a run read the same set-up of the cell."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import workcell as wc
from workcell.errors import CollisionStop

HOME = "0,0,-90,0,90,0"


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        cell.do(f"create robot A puma560 joints {HOME}")
        yield cell


def with_a_post(cell):
    cell.do("add solid post box 60 60 2000 at 350,350,1000")


@pytest.mark.parametrize("how", ["yes", "certified"])
def test_a_watched_move_stops_at_the_same_instant_however_it_is_given(cell, how):
    with_a_post(cell)
    cell.do(f"watch {how}")
    cell.do("program go\n  move-joints-relative A 100,0,0,0,0,0\nend")
    stops = []
    for give in (
        lambda: cell.do("move-joints-relative A 100,0,0,0,0,0"),
        lambda: wc.Simulator(cell).robot("A").move_joints_relative(np.radians([100, 0, 0, 0, 0, 0])),
        lambda: wc.Simulator(cell.snapshot()).robot("A").move_joints_relative(np.radians([100, 0, 0, 0, 0, 0])),
        lambda: (
            wc.Simulator(pickle.loads(pickle.dumps(cell.snapshot())))
            .robot("A")
            .move_joints_relative(np.radians([100, 0, 0, 0, 0, 0]))
        ),
        lambda: cell.do("run go"),
    ):
        with pytest.raises(CollisionStop) as caught:
            give()
        stops.append(caught.value.stopped)
    assert len(set(stops)) == 1


def test_how_it_is_recorded_does_not_change_where_a_watched_move_stops(cell):
    with_a_post(cell)
    cell.do("watch yes")
    stops = []
    for step in ("1deg", "60deg", "7deg"):
        cell.do(f"step {step}")
        with pytest.raises(CollisionStop) as caught:
            cell.do("move-joints-relative A 100,0,0,0,0,0")
        stops.append(caught.value.stopped)
        cell.do("reset")
    assert len(set(stops)) == 1


@pytest.mark.parametrize("profile", ["linear", "trapezoid", "jerk"])
def test_a_profile_takes_the_same_time_however_the_move_is_given(cell, profile):
    cell.do(f"profile A {profile}")
    cell.do("program go\n  move-joints-relative A 30,20,10,0,0,5\nend")
    typed = cell.do("move-joints-relative A 30,20,10,0,0,5").duration
    sim = wc.Simulator(cell)
    python = sim.robot("A").move_joints_relative(np.radians([30, 20, 10, 0, 0, 5]))
    assert typed == python == cell.do("run go").time
    assert sim.recording.to_bytes() == cell.session.recording.to_bytes()


def test_mode_and_step_are_kept_and_replayed(cell):
    for line in ("mode joint-by-joint", "step 20deg", "move-joints-relative A 30,20,0,0,0,0", "mode path"):
        cell.do(line)
    cell.do("move-joints-relative A 30,20,0,0,0,0")
    again = cell.replayed()
    assert again.state == cell.state
    assert again.session.simulator.step == pytest.approx(np.radians(20))
    cell.do("undo")
    cell.do("undo")
    assert cell.session.simulator.mode == "joint-by-joint"
    assert wc.Simulator(cell).mode == "joint-by-joint"
    assert wc.Simulator(cell, "path").mode == "path"


def test_reading_a_line_changes_nothing_in_the_simulator(cell):
    robot = cell.session.simulator.robot("A")
    robot.profile("345")
    robot.branch("roomiest")
    robot.speed(0.123)
    before = robot.settings
    with pytest.raises(wc.WorkcellError):
        cell.do("move-joints-relative A 1,2,3,4,5,6 profile nothing")
    cell.session.complete("move-joints-relative A 1,2,3,4,5,6 ")
    assert robot.settings == before


def test_a_snapshot_holds_what_can_change_an_answer(cell):
    cell.do("create target spot")
    cell.do("place spot at 450,0,300")
    cell.do("add solid cube box 40 40 40 at 450,100,20 --movable")
    cell.do("create signal ready")
    cell.do("watch yes")
    cell.do("program go\n  wait 1\nend")
    snapshot = cell.snapshot()
    assert snapshot.place_pose(snapshot.initial, "spot").xyz == pytest.approx([0.45, 0, 0.3])
    assert snapshot.setup.watch == "yes"
    assert [one.name for one in snapshot.setup.programs] == ["go"]
    again = pickle.loads(pickle.dumps(snapshot))
    assert again.initial == snapshot.initial
    assert again.body_poses(again.initial) == pytest.approx(snapshot.body_poses(snapshot.initial))


LINES = (
    "speed A 0.4rad/s", "move-joints-relative A 20,5,0,0,0,0", "wait 0.25", "set-signal ready 1", "wait-for ready",
    "move-joints-absolute A 0,0,-90,0,90,0 profile jerk", "move-end-effector A 500,-150,500 euler fanuc_wpr 180,0,180",
    "move-straight-line A 500,50,450 orientation keep", "move-hand A 0,0,20", "home A", "home A",
)  # fmt: skip


@pytest.mark.parametrize("watch", ["no", "yes"])
def test_typed_lines_a_run_and_a_worker_give_the_same_bytes(watch):
    import concurrent.futures
    import multiprocessing

    with wc.Cell() as cell:
        cell.do(f"create robot A puma560 joints {HOME}")
        cell.do("create signal ready")
        cell.do(f"watch {watch}")
        text = "\n".join(LINES)
        cell.do(f"program go\n{text}\nend")
        cell.do("program idle\nwait 0\nend")
        cell.do("run go")
        run = cell.session.recording.to_bytes()
        cell.do("reset")
        cell.do("speed A 0.4rad/s")
        for line in LINES[1:]:
            cell.do(line)
        assert cell.session.recording.to_bytes() == run
        for _ in range(len(LINES)):
            cell.do("undo")
        snapshot = cell.snapshot()
        with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            assert pool.submit(_elsewhere, pickle.dumps(snapshot), text).result() == run


def _elsewhere(snapshot, text):
    """What another process records that was given the snapshot."""
    from workcell.commands.language.program_reader import read_program
    from workcell.simulation.interpreter import Run
    from workcell.simulation.simulator import Simulator

    simulator = Simulator(pickle.loads(snapshot))
    Run(simulator, [read_program("go", text).program]).go()
    return simulator.recording.to_bytes()
