"""The law of sensors: readings are recorded at one place in the order, whatever runs a program or reads meanwhile."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.commands.language.program_reader import read_program
from workcell.simulation.comparison import first_difference
from workcell.simulation.happenings import Signalled
from workcell.simulation.interpreter import Run
from workcell.simulation.saved_runs import SavedRun
from workcell.simulation.stepping import SteppedRun

BARRIER = "add light-barrier eye from {0},-150,720 to {0},150,720"
BELT = "add conveyor Belt 2000 at -1000,0,0"
CASES = {
    "alone": ([BARRIER.format(300)], ["set-signal s 1", "wait 1"]),
    "later": ([BARRIER.format(300)], ['message "hello"', "wait 1", "set-signal s 1"]),
    "belt": (
        [BELT, "add encoder counts on Belt joint 1 resolution 0.05mm"],
        ["run-conveyor Belt 100mm/s", "wait 1", "stop-conveyor Belt", "set-signal s 1", "wait 1"],
    ),
    "put": (
        ["create robot A puma560", "add encoder turn on A joint 1 resolution 1"],
        ["wait 0.5", "set joints A 20,0,0,0,0,0", "set-signal s 1", "move-joints-relative A 5,0,0,0,0,0"],
    ),
    "source": (
        [BELT, "add solid q box 40 40 40 at 0,-2000,20 --movable", "add source feed of q on Belt every 1s stock 3",
         BARRIER.format(-950), "modify Belt runs 0.15m/s"],
        ["wait 0.5", "set-signal s 1", "wait 1"],
    ),
}  # fmt: skip


def built(lines) -> wc.Cell:
    cell = wc.Cell()
    for line in ("create signal s", *lines):
        cell.do(line)
    return cell


@pytest.mark.parametrize("name", CASES)
def test_what_sensors_read_is_recorded_at_one_place(name):
    lines, steps = CASES[name]
    cell, text = built(lines), "\n".join(steps)
    program = read_program("a", text).program

    def begun() -> Run:
        return Run(wc.Simulator(cell), [program])

    run = begun()
    run.go()
    whole = run.simulator.recording

    def same(way: str, found) -> None:
        assert found.to_bytes() == whole.to_bytes(), f"{way}: {first_difference(whole, found)}"

    for at in range(len(steps) + 1):
        run = begun()
        if run.go(lambda _thread, _one, run=run, at=at: run.position >= at) is not None:
            data = run.saved().to_bytes()
            run.abandon()
            again = Run.restored(SavedRun.from_bytes(data), wc.Simulator(cell))
            again.go()
            same(f"saved before step {at}", again.simulator.recording)
    for count in range(2, len(steps) + 1):
        stepped = SteppedRun(begun())
        for _ in range(count):
            stepped.into()
        stepped.back()
        stepped.resume()
        same(f"back from step {count}", stepped.recording)
    cell.do(f"program a\n{text}\nend")
    cell.do("run a")
    same("run", cell.session.recording)
    cell.do("run-together a")
    same("run-together", cell.session.recording)
    for looks in (False, True):
        cell.do("reset")
        for step in steps:
            cell.do(step)
            if looks:
                cell.do("sensors")
                assert cell.session.recording is not None
        same("typed", cell.session.recording)
    fresh = built(lines)
    for step in steps:
        fresh.do(step)
    same("typed in a new cell", fresh.session.recording)


def test_the_first_reading_comes_before_everything_else():
    cell = built([BARRIER.format(300)])
    sim = wc.Simulator(cell)
    sim.set_signal("s", 1)
    sim.wait(1.0)
    assert list(sim.recording.changes) == [Signalled(0.0, "eye", 0.0), Signalled(0.0, "s", 1.0)]
    cell.do("set-signal s 1")
    cell.do("wait 1")
    assert cell.session.recording.to_bytes() == sim.recording.to_bytes()


def test_to_look_at_a_cell_that_is_edited_records_nothing():
    cell = built([BARRIER.format(300)])
    cell.do("sensors")
    assert cell.session.recording.empty
    cell.do("add solid brick box 40 40 40 at 300,0,720")
    cell.do("sensors")
    assert cell.session.recording.empty
    cell.do("wait 1")
    assert list(cell.session.recording.changes) == [Signalled(0.0, "eye", 1.0)]
    assert [type(one).__name__ for one in cell.session.recording.events] == ["WaitBegan", "Waited"]


def test_an_arm_that_follows_is_stopped_alike_after_a_step_back():
    cell = wc.Cell()
    for line in (
        BELT, "create robot One puma560 at 0,-600,700 rotate 0,0,90 joints 0,60,-190,0,40,0",
        "default-profile trapezoid",
    ):  # fmt: skip
        cell.do(line)
    cell.do(
        "program a\nrun-conveyor Belt 50mm/s\n"
        "move-end-effector One 900,0,850 euler fanuc_wpr 0,180,90 of grip on Belt\n"
        "wait 0.1\nwait 0.1\nemergency-stop One\nend"
    )
    cell.do("run a")
    whole = cell.session.recording
    for line in ("reset", "debug a", "step-into", "step-into", "step-into", "step-back", "resume"):
        cell.do(line)
    assert cell.session.recording.moves == whole.moves
    assert cell.session.recording.to_bytes() == whole.to_bytes()
