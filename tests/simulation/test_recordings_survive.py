"""Recordings of parallel programs that are killed at random instants are readable up to the last moment; Parquet."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import numpy as np
import pytest

import workcell as wc
from child_process import child
from workcell.simulation.export import save_table
from workcell.simulation.recording import Recording
from workcell.simulation.recording_file import RecordingFile

_PROGRAM = """
import sys
import workcell as wc
from workcell.simulation.programs import run
from workcell.simulation.recording_file import RecordingWriter
from workcell.spatial.pose import Pose

cell = wc.Cell()
cell.do("create robot Puma puma560")
cell.do("add solid crate box 50 50 50 at 900,0,25 --movable")
sim = wc.Simulator(cell, recorder=RecordingWriter(sys.argv[1], cell.snapshot().initial, every=0.02))
print("ready", flush=True)

def arm(sim):
    while True:
        for way in (0.3, -0.3):
            yield sim.robot("Puma").move_joints_relative([way, 0, 0, 0, 0, 0], "345")

def belt(sim):
    while True:
        for place in (0.2, 0.0):
            yield sim.move_solid("crate", [Pose.from_xyz(0.9, place, 0.025)], speed=0.1)

run(sim, {"arm": arm, "belt": belt})
"""


def killed(path, after):
    with child("-c", _PROGRAM, str(path)) as running:
        assert running.line() == "ready\n"
        for _ in range(600):
            # A busy machine takes its time to load the engines.
            if path.stat().st_size > 20_000:
                break
            time.sleep(0.1)
        time.sleep(after)
    with RecordingFile(path) as file:
        for at in np.linspace(0.0, file.end, 40):
            state = file.state_at(float(at))
            assert abs(state.joints["Puma"][0] - file.start.joints["Puma"][0]) <= 0.3 + 1e-9
            assert -1e-9 <= state.poses["crate"].xyz[1] <= 0.2 + 1e-9
            # The crate goes to and fro at 100 mm/s, beside the robot.
            phase = at % 4.0
            assert state.poses["crate"].xyz[1] == pytest.approx(0.1 * min(phase, 4.0 - phase), abs=1e-6)
        return file.end


def test_programs_side_by_side_that_are_killed_leave_a_readable_recording(tmp_path):
    assert killed(tmp_path / "one.rec", 0.2) > 0.0


@pytest.mark.soak
def test_killed_at_random_instants_recordings_stay_readable(tmp_path):
    chance = random.Random(7)
    ends = [killed(tmp_path / f"{number}.rec", chance.uniform(0.0, 1.5)) for number in range(25)]
    print(f"\nkilled {len(ends)} runs; they are readable up to {min(ends):.0f} to {max(ends):.0f} simulated seconds")


def test_parquet_holds_what_was_recorded(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560")
        cell.do("move-joints-relative Puma 10,0,0,0,0,0 profile 345")
        recording = cell.session.recording
        rows = save_table(recording, tmp_path / "run.parquet")
        table = parquet.read_table(tmp_path / "run.parquet")
        assert table.num_rows == rows == len(recording.times)
        assert np.array_equal(np.array(table["Puma.1"]), recording.joints["Puma"][:, 0])


def _run(tmp_path, *lines, pace="max"):
    script = tmp_path / "script.txt"
    script.write_text("\n".join(lines) + "\n")
    record = tmp_path / "run.rec"
    command = [sys.executable, "-m", "workcell", "run", str(script), "--record", str(record), "--pace", pace]
    return command, record


MOVES = ("create robot A puma560 joints 0,0,-90,0,90,0", "move-joints-relative A 30,0,0,0,0,0")


def test_a_run_that_stops_leaves_what_it_recorded(tmp_path):
    command, record = _run(tmp_path, *MOVES, "move-joints-absolute A 1,2")
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "has 6 joints" in done.stdout + done.stderr
    assert [move.kind for move in Recording.load(record).moves] == ["joints"]


def test_a_run_that_is_killed_leaves_what_it_recorded(tmp_path):
    command, record = _run(tmp_path, *MOVES, "wait 1000", pace="real")
    with child(*command[1:]):
        for _ in range(600):
            time.sleep(0.1)
            if record.exists() and Recording.load(record).moves:
                break
    assert [move.kind for move in Recording.load(record).moves] == ["joints"]
