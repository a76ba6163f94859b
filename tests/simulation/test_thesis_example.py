"""Example 1 of the thesis, its recording, and the same bytes from every front end."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

import workcell as wc
from workcell.commands.cell import Cell
from workcell.errors import InvalidValue, JointLimit, NotACell, UnknownName, WorkcellError
from workcell.simulation.playback import body_poses
from workcell.simulation.recording import Recording

SETUP = ["create robot Puma puma560 joints 0,0,-90,0,90,0", "speed Puma 0.3rad/s", "profile Puma linear"]
MOVES = [
    "move-joints-relative Puma -70,-10,10,30,-20,-10",
    "move-joints-absolute Puma -60,0,-70,0,90,30",
    "move-joints-absolute Puma 0,0,-90,0,90,0",
]
DURATIONS = [4.0724, 2.3271, 3.4907]


def test_the_durations_of_the_thesis(cell):
    for line in SETUP:
        cell.do(line)
    found = [cell.do(line).duration for line in MOVES]
    assert found == pytest.approx(DURATIONS, abs=5e-5)
    assert sum(found) == pytest.approx(9.8902, abs=5e-5)
    assert cell.state.time == pytest.approx(170 * math.pi / 180 / 0.3, abs=3e-9)
    assert np.allclose(np.degrees(cell.state.joints["Puma"]), [0, 0, -90, 0, 90, 0])


@pytest.mark.parametrize("mode", ["path", "joint-by-joint", "playback"])
def test_all_modes_take_the_same_simulated_time(cell, mode):
    for line in [*SETUP, f"mode {mode}", "step 10deg", *MOVES]:
        cell.do(line)
    assert cell.session.simulator_time == pytest.approx(9.8902, abs=5e-5)
    times, rows = cell.session.recording.column("Puma")
    assert (np.diff(times) >= 0.0).all()
    assert np.allclose(rows[-1], rows[0])
    if mode == "path":
        # 70°, 40° and 60° in steps of 10°: 7 + 4 + 6 frames, and the start of each move
        assert len(times) == 1 + (1 + 7) + (1 + 4) + (1 + 6)


def in_python() -> bytes:
    cell = wc.Cell()
    cell.add_robot("puma560", name="Puma", joints=np.radians([0, 0, -90, 0, 90, 0]))
    sim = wc.Simulator(cell, mode="path")
    puma = sim.robot("Puma")
    puma.speed(0.3)
    puma.profile("linear")
    puma.move_joints_relative(np.radians([-70, -10, 10, 30, -20, -10]))
    puma.move_joints_absolute(np.radians([-60, 0, -70, 0, 90, 30]))
    puma.move_joints_absolute(np.radians([0, 0, -90, 0, 90, 0]))
    return sim.recording.to_bytes()


def test_python_shell_run_and_wire_give_the_same_bytes(tmp_path):
    python = in_python()
    program = "\n".join([*SETUP, *MOVES]) + "\n"
    with Cell() as cell:
        for line in program.splitlines():
            cell.do(line)
        language = cell.session.recording.to_bytes()
    file = tmp_path / "program.txt"
    file.write_text(program)
    subprocess.run(
        [sys.executable, "-m", "workcell", "run", str(file), "--record", str(tmp_path / "run.rec")],
        check=True, capture_output=True,
    )  # fmt: skip
    piped = subprocess.run(
        [sys.executable, "-m", "workcell", "shell"],
        input=program + f'save-recording "{tmp_path / "shell.rec"}"\n', text=True, check=True, capture_output=True,
    )  # fmt: skip
    assert "9.8902" in piped.stdout
    from contextlib import contextmanager

    from workcell.service.server import Server

    @contextmanager
    def session():
        with Cell() as served:
            yield served.session

    with Server(session) as server, wc.connect(server.url) as client:
        for line in program.splitlines():
            client.do(line)
        wire = client.recording.to_bytes()
    # Files also keep who issued which step, which is not the same for all.
    run, shell = (Recording.load(tmp_path / name).to_bytes() for name in ("run.rec", "shell.rec"))
    assert python == language == run == shell == wire
    assert in_python() == python


def test_a_recording_read_back_is_the_same(tmp_path):
    recording = Recording.from_bytes(in_python())
    assert recording.to_bytes() == in_python()
    recording.save(tmp_path / "a.rec")
    assert Recording.load(tmp_path / "a.rec").to_bytes() == in_python()
    data = in_python()
    with pytest.raises(NotACell, match="not a recording"):
        Recording.from_bytes(b"something else")
    for cut in (9, 20, 200, len(data) - 1):
        with pytest.raises(NotACell):
            Recording.from_bytes(data[:cut])


def test_states_along_the_recording_are_the_linear_motion():
    recording = Recording.from_bytes(in_python())
    first = np.radians([0, 0, -90, 0, 90, 0])
    move = np.radians([-70, -10, 10, 30, -20, -10])
    duration = math.radians(70) / 0.3
    for share in (0.0, 0.123, 0.5, 0.987, 1.0):
        assert np.allclose(recording.state_at(share * duration).joints["Puma"], first + share * move, atol=1e-12)
    with pytest.raises(InvalidValue, match=r"runs from 0 to 9\.89"):
        recording.state_at(11.0)


def test_poses_of_bodies_along_a_recording_equal_forward_kinematics(cell):
    for line in [*SETUP, *MOVES]:
        cell.do(line)
    snapshot, recording = cell.snapshot(), cell.session.recording
    times = np.linspace(0.0, recording.duration, 7)
    poses = body_poses(snapshot, recording, times)
    robot = snapshot.robot("Puma")
    for time, matrices in zip(times, poses, strict=True):
        frames = robot.robot.frames(recording.state_at(time).joints["Puma"])
        for link, place in enumerate(robot.bodies):
            assert np.allclose(matrices[place], frames[link], atol=1e-12)


def test_refusals_move_nothing(cell):
    for line in SETUP:
        cell.do(line)
    before = cell.state, len(cell.journal), cell.session.recording.to_bytes()
    for line, error, words in [
        ("move-joints-relative Puma 500,0,0,0,0,0", JointLimit, "Joint 1"),
        ("move-joints-absolute Puma 1,2,3", WorkcellError, "has 6 joints; found 3"),
        ("move-joints-absolute Pumo 0,0,0,0,0,0", UnknownName, "did you mean Puma"),
        ("speed Puma 0", WorkcellError, "more than zero"),
        ("speed Puma -1", WorkcellError, "more than zero"),
        ("wait -1", InvalidValue, "zero to"),
    ]:
        with pytest.raises(error, match=words):
            cell.do(line)
        assert (cell.state, len(cell.journal), cell.session.recording.to_bytes()) == before, line


def test_keep_state_makes_the_present_state_the_initial_one(cell):
    for line in [*SETUP, "move-joints-relative Puma 20,0,0,0,0,0", "keep state"]:
        cell.do(line)
    assert cell.state.time == 0.0
    assert np.degrees(cell.snapshot().initial.joints["Puma"])[0] == pytest.approx(20.0)
    cell.do("undo")
    assert cell.state.time > 0.0


def test_a_program_of_the_cell_runs_from_the_initial_state(cell):
    for line in [*SETUP, "create program demo", f'modify demo text "{"%0A".join(MOVES)}"']:
        cell.do(line)
    assert cell.do("run demo").time == pytest.approx(9.8902, abs=5e-5)
    assert cell.do("run demo").time == pytest.approx(9.8902, abs=5e-5)
    cell.do('modify demo text "wait 1%0Amove-joints-absolute Puma 1,2"')
    with pytest.raises(WorkcellError, match=r"demo:2:1: Puma has 6 joints; found 2 values"):
        cell.do("run demo")


def test_the_state_follows_what_is_added_moved_and_removed_after_a_run(cell):
    for line in [*SETUP, "add solid box box 100 100 100 at 900,0,50", MOVES[0]]:
        cell.do(line)
    moved = cell.state.joints["Puma"]
    cell.do("create robot Second puma560 at 2000,0,0")
    assert np.array_equal(cell.state.joints["Puma"], moved)
    cell.do("move-joints-relative Second 10,0,0,0,0,0")
    cell.do("place box at 900,300,50")
    assert cell.state.poses["box"].xyz == pytest.approx([0.9, 0.3, 0.05])
    cell.do("modify Puma joints 10,0,-90,0,90,0")
    assert np.degrees(cell.state.joints["Puma"])[0] == pytest.approx(10.0)
    cell.do("detach main/Second")
    assert set(cell.state.joints) == {"Puma"}
    cell.do("undo")
    assert set(cell.state.joints) == {"Puma", "Second"}
    assert cell.replayed().database.rows() == cell.database.rows()
