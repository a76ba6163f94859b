"""Laws of the Agent language: time, order of turns, branches, files, long sessions, peers, bad lines."""

from __future__ import annotations

import gc
import random
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import agent_transcripts as transcripts
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from child_process import child
from workcell.commands.cell import Cell
from workcell.languages.agent.lines import LineReader
from workcell.languages.agent.stream import AgentStream
from workcell.languages.agent.table import COMMANDS
from workcell.spatial.pose import Pose


@pytest.fixture
def stream(cell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return AgentStream(cell.session)


def told(stream: AgentStream, text: str) -> list[str]:
    return [out for line in text.strip().split("\n") for out in stream.line(line)]


TWO = """
make-agent left PUMA 560
make-agent right PUMA 560
translate-object right x=3000
set-collision-check 0
"""


def _time(lines: str) -> float:
    with Cell() as cell:
        assert told(AgentStream(cell.session), TWO + lines) == []
        return float(cell.session.simulator_time)


def test_commands_on_one_line_take_as_long_as_the_slower_and_on_two_lines_the_sum():
    left, right = "drive left 70 0 -90 0 90 0", "drive right 0 30 -90 0 90 0"
    one, other = _time(left), _time(right)
    assert one != pytest.approx(other)
    assert _time(f"{left}, {right}") == pytest.approx(max(one, other), abs=1e-9)
    assert _time(f"{left}\n{right}") == pytest.approx(one + other, abs=1e-9)
    assert _time("drive2 left right 70 0 -90 0 90 0 0 30 -90 0 90 0") == pytest.approx(max(one, other), abs=1e-9)


def test_one_step_moves_take_no_time_and_touch_nothing(stream, cell):
    told(stream, "make-agent arm PUMA 560\nmake-object wall box 20 2000 2000\ntranslate-object wall x=500")
    assert told(stream, "movexy arm 500 -150 300 0 0 180\nshift arm y=20") == []
    assert cell.session.simulator_time == 0.0


@given(st.permutations([("x", 30.0), ("y", -50.0), ("z", 110.0)]))
def test_turns_are_applied_in_the_order_of_the_arguments(turns):
    """About the axes of the workspace: each turn is multiplied from the left."""
    with Cell() as cell:
        stream = AgentStream(cell.session)
        words = " ".join(f"{axis}={angle}" for axis, angle in turns)
        told(stream, f"make-object b box 10 20 30\ntranslate-object b x=100 y=50\nrotate-object b {words}")
        expected = np.eye(3)
        for axis, angle in turns:
            c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
            turn = {
                "x": [[1, 0, 0], [0, c, -s], [0, s, c]],
                "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
                "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
            }
            expected = np.array(turn[axis]) @ expected
        found = np.array(cell.do("where b").matrix)
        assert np.allclose(found[:3, :3], expected, atol=1e-12)
        assert np.allclose(found[:3, 3], [0.1, 0.05, 0.0], atol=1e-12)  # about its own origin


def test_roll_pitch_and_yaw_are_turns_about_z_y_and_x(stream, cell):
    told(stream, "make-agent arm PUMA 560\nset-collision-check 0\nmovexy arm 500 -150 300 20 -10 170")
    roll, pitch, yaw = np.radians([20, -10, 170])
    expected = Pose.from_xyz_angles((0.5, -0.15, 0.3), (yaw, pitch, roll), "ding_ypr")
    assert Pose(cell.do("hand arm").matrix).is_close(expected, 1e-9, 1e-9)


def test_the_bits_of_a_solution_name_shoulder_elbow_and_wrist(stream, cell):
    """Every valid solution puts the hand at the same place, and is the one that is reported then."""
    told(stream, "make-agent arm PUMA 560\nset-collision-check 0\nmovexy arm 450 250 450 0 0 150")
    pose = Pose(cell.do("hand arm").matrix)
    (line,) = stream.line("get-valid-solutions arm")
    valid = line.partition("--- ")[2].split()
    assert len(valid) >= 2
    for index in valid:
        assert told(stream, f"set-solution arm {index}\nmovexy arm 450 250 450 0 0 150") == []
        assert stream.line("get-solution arm")[0].endswith(f"--- {index}")
        assert Pose(cell.do("hand arm").matrix).is_close(pose, 1e-9, 1e-9)
        words = {
            int(one.index): one.words
            for one in cell.session.call("ik", {"robot": "arm", "pose": cell.do("fk arm").tool}).solutions
        }
        left, up, wrist = (bool(int(index) & bit) for bit in (4, 2, 1))
        assert words[int(index)] == (
            f"{'left' if left else 'right'} arm, elbow {'up' if up else 'down'}, wrist {'up' if wrist else 'down'}"
        )


def test_vectors_are_saved_to_the_last_used_file_by_themselves(stream):
    told(stream, "make-agent arm PUMA 560\nrecord-angles arm a")
    assert not Path("v.txt").exists()
    told(stream, "save-positions v.txt\ndrive arm 5 0 -90 0 90 0\nrecord-angles arm b")
    assert [line.split()[0] for line in Path("v.txt").read_text().splitlines()[1:]] == ["a", "b"]


def test_setup_is_loaded_at_the_start(cell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert AgentStream(cell.session).begin() == []
    Path("setup.cmd").write_text("make-agent arm PUMA 560\nget-angles nobody\n")
    stream = AgentStream(cell.session)
    assert stream.begin() == ["*** Error in line 1 --- 2 Unknown object: get-angles nobody"]
    assert stream.line("get-angles arm") == ["position of agent arm in line 0 --- 0 0 -90 0 90 0"]


def test_a_session_of_two_thousand_lines_with_nested_loads(stream, cell):
    """Every file counts its own lines; what is printed names the place that the rules give."""
    Path("inner.cmd").write_text("".join(f"l{i}: translate-object b x=1\nget-angles arm\n" for i in range(100)))
    Path("outer.cmd").write_text("translate-object b y=1\nload inner.cmd\nnonsense\n" * 5)
    told(stream, "make-agent arm PUMA 560\nmake-object b box 10 10 10")
    printed = [out for _ in range(2) for out in stream.line("load outer.cmd")]
    angles = [f"position of agent arm in line l{i}:1 --- 0 0 -90 0 90 0" for i in range(100)]
    expected = [
        out for i in range(5) for out in (*angles, f"*** Error in line {3 * i + 2} --- 1 Undefined command: nonsense")
    ]
    assert printed == 2 * expected
    found = np.array(cell.do("where b").matrix)[:3, 3]
    assert np.allclose(found, [1.0, 0.01, 0.0], atol=1e-9)


def test_a_peer_in_another_process_talks_through_pipes(tmp_path):
    with child("-m", "workcell", "agent", cwd=tmp_path) as peer:

        def ask(line: str) -> str:
            peer.say(line)
            return peer.line()

        peer.say("make-agent arm PUMA 560")
        assert ask("get-angles arm") == "position of agent arm in line 1 --- 0 0 -90 0 90 0\n"
        assert ask("here: drive arm 0") == "*** Error in line here:0 --- 4 Missing argument(s)\n"
        peer.say("get-angles \\\narm\nexit\nget-angles arm")
        out, _ = peer.ended()
        assert out == "position of agent arm in line here:1 --- 0 0 -90 0 90 0\n"
        assert peer.process.returncode == 0


def test_run_carries_out_an_agent_file_on_a_copy_and_ends_with_the_report(tmp_path):
    program = tmp_path / "small.agent"
    program.write_text("make-agent arm PUMA 560\ndrive arm 10 0 -90 0 90 0\nget-angles arm\n")
    done = subprocess.run(
        [sys.executable, "-m", "workcell", "run", str(program)], capture_output=True, text=True, cwd=tmp_path,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("position of agent arm in line 2 --- 10 0 -90 0 90 0\n")
    assert "simulated time" in done.stdout


@given(st.lists(st.text(alphabet="ab:;,\\ =\t1", max_size=12), max_size=12))
def test_lines_are_counted_from_the_start_or_the_last_label(lines):
    """The number of a line is how many lines were read since the last line that had a label and began a command."""
    reader, since, label, begins = LineReader(), -1, "", True
    for text in lines:
        since += 1
        head = text.strip(" \t").partition(":")
        named = begins and head[1] and head[0] and not set(head[0]) & set(" \t;,=\\")
        if named:
            label, since = head[0], 0
        if begins:
            place = f"{label}:{since}" if label else str(since)
        line = reader.read(text)
        begins = line is not None
        if line is not None:
            assert line.place == place


NOISE = [
    "",
    " ",
    "\\",
    ",",
    ";",
    ":",
    "x:",
    "=",
    "\0",
    "é",
    "\u2028",
    "-1",
    "1e400",
    "nan",
    "0x10",
    "1" * 400,
    "a" * 90,
    "of",
    "object",
]


def _bad_lines(count: int, seed: int) -> list[str]:
    """Return random, mutated and truncated lines of the language."""
    chance = random.Random(seed)
    good = [line.strip()[2:] for text in transcripts.ALL for line in text.split("\n") if line.strip().startswith("> ")]
    good = [
        line
        for line in good
        if not line.startswith(("exit", "end", "save-positions", "load", "set-echo", "find", "drive-find", "move-to"))
    ]
    lines = []
    for _ in range(count):
        kind, line = chance.randrange(5), chance.choice(good)
        words = line.split(" ")
        if kind == 0:
            line = line[: chance.randrange(len(line) + 1)]
        elif kind == 1:
            words[chance.randrange(len(words))] = chance.choice([*NOISE, *chance.choice(good).split()])
            line = " ".join(words)
        elif kind == 2:
            searches = ("find-path", "find-path-to", "drive-find", "set-echo")
            names = [name for name in COMMANDS if name not in ("exit", "end", *searches)]
            line = " ".join(
                [
                    chance.choice(names),
                    *(chance.choice([*NOISE, "arm", "part", "5", "x=3"]) for _ in range(chance.randrange(9))),
                ]
            )
        elif kind == 3:
            line = "".join(chr(chance.randrange(1, 0x500)) for _ in range(chance.randrange(40)))
        else:
            line = f"{line}, {chance.choice(good)}"
        lines.append(line.replace("\n", " ").replace("\r", " "))
    return lines


def _survives(count: int, seed: int) -> None:
    with Cell() as cell:
        stream = AgentStream(cell.session)
        for number, line in enumerate(_bad_lines(count, seed)):
            if number % 500 == 0:
                told(
                    stream,
                    "set-echo 0\nclear\nmake-agent arm PUMA 560\nmake-object part box 40 40 40\nset-collision-check 0",
                )
            for out in stream.line(line):
                assert out.startswith(
                    ("*** Error in line ", "position of agent ", "solution of ", "valid solutions of ")
                )
                assert "\n" not in out
            stream.ended = False
        assert cell.session.group is None
        told(stream, "\nclear\nmake-agent arm PUMA 560")
        assert stream.line("get-angles arm")[0].endswith(" --- 0 0 -90 0 90 0")
        assert cell.replayed().database.rows() == cell.database.rows()


def test_bad_lines_never_break_a_stream_or_its_cell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _survives(2000, 1)


@pytest.mark.soak
def test_a_hundred_thousand_bad_lines_leave_memory_flat(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:  # where no other test has left anything
        assert pool.submit(_growth, 20).result() < 200_000  # KiB


def _growth(rounds: int) -> int:
    """By how much the memory of this process grows while it reads lines [KiB]."""
    import resource

    _survives(5000, 0)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for seed in range(1, rounds):
        _survives(5000, seed)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
