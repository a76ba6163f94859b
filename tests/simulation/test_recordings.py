"""Recordings on disk, compared, exported, played and reported."""

from __future__ import annotations

import csv
import math
import os
import time

import msgspec
import numpy as np
import pytest

import workcell as wc
from child_process import child
from workcell.errors import FileProblem, InvalidValue, NotACell, UnknownName
from workcell.simulation.clock import play, steps
from workcell.simulation.comparison import first_difference
from workcell.simulation.export import save_table, table
from workcell.simulation.gantt import gantt
from workcell.simulation.happenings import Attached, Placed, Signalled, after, twelve
from workcell.simulation.plots import joint_plot
from workcell.simulation.recording import Recording
from workcell.simulation.recording_file import RecordingFile, RecordingWriter
from workcell.simulation.report import report
from workcell.spatial.pose import Pose
from workcell.world.state import CellState

HOME = np.radians([0, 0, -90, 0, 90, 0])
MOVES = (np.radians([-70, -10, 10, 30, -20, -10]), np.radians([10, 10, 10, -30, 20, 40]))


@pytest.fixture
def cell():
    with wc.Cell() as made:
        made.do("default-profile linear")
        made.add_robot("puma560", name="Puma", joints=HOME)
        made.do("create signal ready")
        yield made


def example(cell, recorder=None, rounds=1):
    sim = wc.Simulator(cell, recorder=recorder)
    puma = sim.robot("Puma")
    puma.speed(0.3)
    for count in range(rounds):
        puma.move_joints_relative(MOVES[0])
        sim.set_signal("ready", float(count % 2))
        puma.move_joints_relative(MOVES[1])
        sim.wait(0.5)
        puma.move_joints_absolute(HOME)
    return sim


def test_a_file_written_as_it_happens_holds_the_same_run(cell, tmp_path):
    with RecordingWriter(tmp_path / "run.rec", cell.snapshot().initial, every=0.0) as writer:
        example(cell, writer, rounds=3)
    memory = example(cell, rounds=3).recording
    assert writer.segments > 10
    loaded = Recording.load(tmp_path / "run.rec")
    assert loaded.to_bytes() == memory.to_bytes()
    assert first_difference(loaded, memory, 0.0) is None
    with RecordingFile(tmp_path / "run.rec") as file:
        assert file.whole
        assert file.duration == pytest.approx(memory.duration)
        for at in np.linspace(0.0, memory.end, 23):
            mine, theirs = file.state_at(float(at)), memory.state_at(float(at))
            assert np.allclose(mine.joints["Puma"], theirs.joints["Puma"], atol=1e-12)
            assert mine.signals == theirs.signals
        with pytest.raises(InvalidValue, match="is outside"):
            file.state_at(1e6)


def test_memory_is_bounded_however_long_the_run(cell, tmp_path, monkeypatch):
    size = 8192
    monkeypatch.setattr("workcell.simulation.recording_file.SIZE", size)
    writer = RecordingWriter(tmp_path / "long.rec", cell.snapshot().initial, every=1e9)
    most = 0
    sim = wc.Simulator(cell, recorder=writer)
    sim.step = math.radians(0.02)
    puma = sim.robot("Puma")
    for _ in range(300):
        puma.move_joints_relative(MOVES[0])
        puma.move_joints_relative(-MOVES[0])
        most = max(most, writer._held)
    writer.close()
    assert most < 3 * size
    with RecordingFile(tmp_path / "long.rec") as file:
        assert len(file) > 20
        assert file.duration == pytest.approx(sim.time)
    with pytest.raises(FileProblem, match="already exists"):
        RecordingWriter(tmp_path / "long.rec", cell.snapshot().initial)


def test_a_file_cut_anywhere_is_read_up_to_its_last_whole_segment(cell, tmp_path):
    with RecordingWriter(tmp_path / "run.rec", cell.snapshot().initial, every=0.0) as writer:
        sim = example(cell, writer)
    data = (tmp_path / "run.rec").read_bytes()
    ends = []
    for cut in (*range(60, len(data), len(data) // 37), len(data)):
        (tmp_path / "cut.rec").write_bytes(data[:cut])
        try:
            with RecordingFile(tmp_path / "cut.rec") as file:
                ends.append(file.end)
                assert file.whole == (
                    cut == len(data) or file._segments._places[-1][0] + file._segments._places[-1][1] == cut
                )
                assert file.recording().end == pytest.approx(file.end)
        except NotACell:
            ends.append(0.0)
    assert ends == sorted(ends)
    assert ends[-1] == pytest.approx(sim.time)
    spoiled = bytearray(data)
    spoiled[-20] ^= 1
    (tmp_path / "cut.rec").write_bytes(spoiled)
    with RecordingFile(tmp_path / "cut.rec") as file:
        assert not file.whole
    (tmp_path / "other.rec").write_bytes(b"something else altogether")
    with pytest.raises(NotACell, match="not a recording"):
        RecordingFile(tmp_path / "other.rec")


def test_a_killed_program_leaves_a_readable_recording(tmp_path):
    program = f"""
import numpy as np, workcell as wc
from workcell.simulation.recording_file import RecordingWriter
cell = wc.Cell()
cell.add_robot("puma560", name="Puma")
sim = wc.Simulator(cell, recorder=RecordingWriter({str(tmp_path / "killed.rec")!r}, cell.snapshot().initial, every=0.05))
puma = sim.robot("Puma")
while True:
    puma.move_joints_relative([0.3, 0, 0, 0, 0, 0])
    puma.move_joints_relative([-0.3, 0, 0, 0, 0, 0])
    print(sim.time, flush=True)
"""
    with child("-c", program) as running:
        for _ in range(200):
            running.line()
        time.sleep(0.1)
        running.kill()
    recording = Recording.load(tmp_path / "killed.rec")
    assert recording.end > 1.0
    assert recording.state_at(recording.end).joints["Puma"].shape == (6,)


def test_the_first_difference_is_found_where_it_is(cell):
    one, same = example(cell).recording, example(cell).recording
    assert first_difference(one, same, 0.0) is None
    sim = wc.Simulator(cell)
    puma = sim.robot("Puma")
    puma.speed(0.3)
    puma.move_joints_relative(MOVES[0])
    cut = sim.recording.copy()
    sim.wait(1.0)
    found = first_difference(one, sim.recording)
    assert found is not None
    assert found.time == pytest.approx(math.radians(70) / 0.3)
    assert "signal ready" in found.what
    slower = wc.Simulator(cell)
    slower.robot("Puma").speed(0.29)
    slower.robot("Puma").move_joints_relative(MOVES[0])
    found = first_difference(cut, slower.recording, 1e-3)
    assert found is not None
    # Joint 1 moves at 0.3 and at 0.29 rad/s: 1e-3 rad apart after 0.1 s, exactly, between two samples.
    assert found.what == "joint 1 of Puma"
    assert found.time == pytest.approx(0.1, abs=1e-9)
    assert str(found).startswith("They differ first at 0.100000 s: joint 1 of Puma by")
    with pytest.raises(InvalidValue, match="zero or more"):
        first_difference(one, one, -1.0)


def test_changes_apply_in_order_and_are_found_by_time():
    start = CellState(0.0, {}, {"cube": Pose.identity()}, {}, {"n": 0.0})
    recording = Recording(start)
    state = start
    for k in range(200):
        held = Attached(float(k), "cube", "hand", twelve(Pose.from_xyz(k, 0, 0)))
        for change in (
            held,
            Placed(k + 0.5, "cube", twelve(Pose.from_xyz(0, k, 0))),
            Signalled(k + 0.5, "n", float(k)),
        ):
            recording.change(change)
            state = after(state, change)
    assert recording.state_at(199.5) == state.with_(time=199.5)
    for k in (0, 1, 63, 64, 65, 128, 199):
        assert recording.state_at(k + 0.25).attached["cube"].X_frame_body.xyz[0] == k
        assert recording.state_at(k + 0.25).signals["n"] == max(k - 1, 0)
        assert recording.state_at(k + 0.5).poses["cube"].xyz[1] == k
        assert recording.state_at(k + 0.5).attached == {}
    again = Recording.from_bytes(recording.to_bytes())
    assert again.changes == recording.changes
    assert again.to_bytes() == recording.copy().to_bytes()
    with pytest.raises(InvalidValue, match="order of time"):
        recording.change(Signalled(1.0, "n", 1.0))


def test_a_table_has_every_sample_and_reads_back(cell, tmp_path):
    recording = example(cell).recording
    rows = save_table(recording, tmp_path / "run.csv")
    with open(tmp_path / "run.csv", newline="") as file:
        read = list(csv.reader(file))
    assert read[0] == ["time", *(f"Puma.{j}" for j in range(1, 7))]
    values = np.array(read[1:], dtype=float)
    assert rows == len(values) == len(recording.times)
    assert (values[:, 0] == recording.times).all()
    assert (values[:, 1:] == recording.joints["Puma"]).all()
    _, even = table(recording, 0.1)
    assert np.allclose(np.diff(even[:-1, 0]), 0.1)
    assert even[-1, 0] == recording.end
    with pytest.raises(InvalidValue, match=r"\.csv or \.parquet"):
        save_table(recording, tmp_path / "run.txt")
    with pytest.raises(InvalidValue, match="more than zero"):
        table(recording, 0.0)


def test_playing_keeps_pace_and_drops_what_is_late(cell):
    recording = example(cell).recording
    now = [100.0]

    def sleep(seconds):
        now[0] += seconds

    shown = list(play(recording, pace=2.0, rate=10.0, now=lambda: now[0], sleep=sleep))
    assert shown[-1].simulated == recording.end
    assert shown[-1].real == pytest.approx(recording.duration / 2.0, abs=0.1)
    assert np.allclose([tick.simulated for tick in shown[:-1]], [2.0 * tick.real for tick in shown[:-1]], atol=1e-9)
    now[0] = 0.0
    slow = []
    for tick in play(recording, pace=1.0, rate=25.0, now=lambda: now[0], sleep=sleep):
        slow.append(tick)
        now[0] += 1.0  # somebody who needs a second for each picture
    assert len(slow) < recording.duration + 3
    assert len(list(steps(recording))) == len(recording.times)
    assert len(list(play(recording, pace=math.inf))) == len(recording.times)
    with pytest.raises(InvalidValue, match="pace"):
        next(play(recording, pace=0.0))


def test_the_report_of_the_thesis_example(cell):
    sim = example(cell)
    found = report(sim.snapshot, sim.recording)
    assert found.cycle_time == pytest.approx(9.8902 + 0.5, abs=5e-5)
    assert [one.move.duration for one in found.moves] == pytest.approx([4.0724, 2.3271, 3.4907], abs=5e-5)
    assert [one.move.limited for one in found.moves] == ["speed of joint 1", "speed of joint 6", "speed of joint 1"]
    first = found.moves[0]
    assert np.allclose(first.travel, np.abs(MOVES[0]))
    assert np.allclose(first.peak_speed, np.abs(MOVES[0]) / math.radians(70) * 0.3)
    times = np.linspace(0.0, first.move.duration, 20001)
    hands = sim.snapshot.robot("Puma").robot.fk_batch(sim.recording.joints_at(times)["Puma"])[:, :3, 3]
    assert first.hand_path == pytest.approx(np.linalg.norm(np.diff(hands, axis=0), axis=1).sum(), rel=1e-4)
    assert found.robots[0].busy == pytest.approx(9.8902, abs=5e-5)
    assert first.singularity > 0.0


def test_plots_are_drawings_with_every_joint_and_move(cell, tmp_path):
    recording = example(cell).recording
    svg = joint_plot(recording, "Puma").svg()
    assert svg.count('stroke-width="2"') == 6
    assert "joints of Puma [degrees]" in svg
    chart = gantt(recording)
    assert chart.svg().count("<title>joints, ") == 3
    for plot in (joint_plot(recording, "Puma"), chart):
        for name in ("plot.svg", "plot.png"):
            plot.save(tmp_path / name)
            assert (tmp_path / name).stat().st_size > 500
    with pytest.raises(UnknownName, match="robot"):
        joint_plot(recording, "Pumo")
    with pytest.raises(InvalidValue, match=r"\.svg or \.png"):
        chart.save(tmp_path / "plot.gif")


@pytest.mark.soak
def test_four_hours_of_pick_and_place_run_in_bounded_memory(tmp_path):
    """A part goes to and fro for four simulated hours, recorded to disk; the resident memory is printed."""
    with wc.Cell() as made:
        made.do("create robot Puma puma560")
        made.do("add solid cube box 40 40 40 at 500,-150,20 --movable")
        down = Pose.from_axis_angle((0, 1, 0), math.pi)
        writer = RecordingWriter(tmp_path / "long.rec", made.snapshot().initial)
        sim = wc.Simulator(made, recorder=writer)
        puma = sim.robot("Puma")
        resident, last = [], 0.0
        places = (Pose.from_xyz(0.5, -0.15, 0.02) @ down, Pose.from_xyz(0.5, 0.15, 0.02) @ down)
        joints = []
        for place in places:
            puma.move_end_effector(place, point="grip")
            joints.append(puma.joints)
        turn = 0
        puma.move_joints_absolute(joints[0])
        while sim.time < 4 * 3600.0:
            puma.close_gripper()
            turn = 1 - turn
            puma.move_joints_absolute(joints[turn] + [0, -0.1, 0, 0, 0, 0])
            puma.move_joints_absolute(joints[turn])
            puma.open_gripper()
            sim.wait(1.0)
            if sim.time - last >= 600.0:
                last = sim.time
                with open("/proc/self/statm") as file:
                    resident.append(int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20)
        writer.close()
    print("\nresident memory [MiB] every ten minutes:", *(f"{size:.0f}" for size in resident))
    assert max(resident[2:]) - min(resident[2:]) < 30.0
    with RecordingFile(tmp_path / "long.rec") as file:
        assert file.duration >= 4 * 3600.0
        for at in (1.0, 7200.0, file.end):
            assert ("cube" in file.state_at(at).attached) != ("cube" in file.state_at(at).poses)


def test_seeking_is_the_same_as_interpolating_everything():
    from workcell.simulation.columns import Column

    rng = np.random.default_rng(5)
    times, rows = np.sort(np.round(rng.random(400) * 10.0, 2)), rng.random((400, 3))
    column = Column(3)
    column.add(times, rows)
    asked = np.concatenate([rng.random(200) * 12.0 - 1.0, times])
    expected = np.column_stack([np.interp(asked, times, one) for one in rows.T])
    assert np.abs(column.at(asked) - expected).max() < 1e-12
    assert np.array_equal(column.at(times[-1:])[0], rows[-1])


def test_any_changed_byte_of_a_saved_recording_is_found(puma, tmp_path):
    sim, robot = puma
    robot.move_joints_relative([0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
    path = tmp_path / "one.rec"
    sim.recording.save(path)
    data = path.read_bytes()
    with RecordingFile(path) as saved:
        assert saved.recording().to_bytes() == sim.recording.to_bytes()
        assert saved.recording().to_bytes(sources=True) == sim.recording.to_bytes(sources=True) == data
        assert saved.state_at(0.05) == sim.recording.state_at(0.05)
    for place in np.random.default_rng(2).integers(0, len(data), 60):
        broken = bytearray(data)
        broken[place] ^= 0x41
        path.write_bytes(bytes(broken))
        with pytest.raises(NotACell):
            wc.Recording.load(path)
    for length in (0, 5, 12, 30, len(data) - 1):
        path.write_bytes(data[:length])
        with pytest.raises(NotACell):
            wc.Recording.load(path)


def test_what_is_written_is_on_the_disk_at_once_where_that_is_asked_for(cell, tmp_path):
    with RecordingWriter(tmp_path / "run.rec", cell.snapshot().initial, every=0.0) as writer:
        sim = wc.Simulator(cell, recorder=writer)
        for _ in range(3):
            sim.robot("Puma").move_joints_relative([0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
            with RecordingFile(tmp_path / "run.rec") as read:  # the writer is still open
                assert read.end == sim.time
                assert read.state_at(read.end) == sim.state


def test_a_difference_of_the_moves_alone_is_found(cell):
    one, same = (wc.Simulator(cell) for _ in range(2))
    for sim in (one, same):
        sim.robot("Puma").move_joints_relative([0.1, 0, 0, 0, 0, 0])
    first, second = one.recording, same.recording
    assert first_difference(first, second, 0.0) is None
    second.moves[0] = msgspec.structs.replace(second.moves[0], limited="emergency stop")
    assert "what limited it" in first_difference(first, second).what
    second.moves[0] = msgspec.structs.replace(first.moves[0], end=first.moves[0].end - 0.01)
    assert first_difference(first, second).size == pytest.approx(0.01)
    second.moves[:] = [first.moves[0], first.moves[0]]
    found = first_difference(first, second)
    assert (found.only, found.what) == (2, "only in one of them: the move of Puma (joints)")
    other = msgspec.structs.replace(first.moves[0], device="B")
    first.moves.append(other)
    second.moves[:] = [other, first.moves[0]]
    assert "the move of Puma (joints) in the first, the move of B (joints) in the second" in str(
        first_difference(first, second)
    )


def test_a_recording_is_read_with_readers_that_were_made_before(monkeypatch):
    """Two threads that make the reader of a class at once for the first time crash msgspec."""
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560")
        cell.do("move-joints-relative Puma 10,0,0,0,0,0")
        kept = cell.session.recording.to_bytes()
    monkeypatch.setattr(msgspec.msgpack, "decode", None)
    assert Recording.from_bytes(kept).to_bytes() == kept
