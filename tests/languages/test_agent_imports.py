"""Agent files as programs: the same motion as line by line, the same lines, and the life of a program."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from workcell.commands.cell import Cell
from workcell.commands.session import Session
from workcell.errors import FileProblem, Refused
from workcell.languages.agent.stream import AgentStream
from workcell.service.client import connect
from workcell.service.server import Server
from workcell.world.database import Database
from workcell.world.store import Store
from workcell.world.text_form import from_text, to_text

EXAMPLES = Path(__file__).parents[2] / "examples" / "programs"
TWO = """make-agent left PUMA 560
make-agent right PUMA 560 ; a comment with %0A, "one quote and a # sign
translate-object right x=3000
"""
JOB = (
    TWO
    + """
start: drive left 10 0 -90 0 90 \\
  0
load part.cmd
move-inter left 500 -150 300 0 0 180
freeze-solution left
shift left y=20
get-position left
drive left 0 0 -90 0 90 0, drive right 1.1 0 -90 0 90 0
load part.cmd
set-solution left -1
end
drive left 500 0 -90 0 90 0
"""
)
PART = "; a part\ndrive left 30 0 -90 0 90 0\ndrive left 31.7 0 -90 0 90 0\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(text: str, name: str = "job.agent") -> str:
    Path(name).write_text(text)
    return name


def by_lines(cell: Cell, text: str) -> None:
    """Carry out a file as `workcell run` does."""
    cell.do("reset")
    stream = AgentStream(cell.session)
    for line in text.splitlines():
        assert not any(out.startswith("***") for out in stream.line(line)), line
    stream.close()


def same_motion(text: str, units: str = "") -> None:
    with Cell() as one, Cell() as other:
        if units:
            other.do(units)
        by_lines(one, text)
        other.do(f"import agent job {write(text)}")
        assert "no mistakes" in str(other.do("check program job"))
        other.do("run job")
        a, b = one.session.recording, other.session.recording
        assert b.duration == pytest.approx(a.duration, abs=1e-9)
        assert set(a.robots) == set(b.robots) != set()
        times = np.union1d(a.times, np.linspace(0.0, a.duration, 200))
        mine, theirs = a.joints_at(times), b.joints_at(times)
        for robot in a.robots:
            assert np.allclose(mine[robot], theirs[robot], rtol=0.0, atol=1e-9)
        last, then = a.poses_at(a.duration), b.poses_at(b.duration)
        assert last.keys() == then.keys()
        assert all(np.allclose(last[body].matrix, then[body].matrix, atol=1e-9) for body in last)


def random_job(seed: int) -> str:
    chance = random.Random(seed)

    def joints() -> str:
        return " ".join(f"{base + chance.uniform(-20, 20):.3f}" for base in (0, 0, -90, 0, 45, 0))

    def line(agent: str) -> str:
        axis, far = chance.choice("xyz"), chance.uniform(-8, 8)
        return chance.choice(
            [
                f"drive {agent} {joints()}",
                f"translate-agent {agent} {axis}={far:.2f}",
                f"rotate-agent {agent} {axis}={far / 2:.2f}",
                f"drive {agent} {joints()}",
            ]
        )

    lines = ["drive left 0 0 -90 0 45 0, drive right 0 0 -90 0 45 0"]
    for _ in range(8):
        how = chance.randrange(4)
        if how == 0:
            lines.append(f"{line('left')}, {line('right')}")
        elif how == 1:
            lines.append(f"drive2 left right {joints()} {joints()}")
        elif how == 2:
            lines.append(f"shift {chance.choice(('left', 'right'))} x={chance.uniform(-5, 5):.2f}")
        else:
            lines.append(line(chance.choice(("left", "right"))))
    with Cell() as cell:
        by_lines(cell, TWO)
        stream = AgentStream(cell.session)
        kept = [one for one in lines if not stream.line(one)]  # a line out of reach does nothing
    assert len(kept) > len(lines) // 2
    return TWO + "\n".join(kept) + "\n"


@pytest.mark.parametrize("seed", range(6))
def test_a_random_file_moves_as_it_does_line_by_line(seed):
    same_motion(random_job(seed), "units inch rad" if seed % 2 else "")


def test_the_documented_file_moves_as_it_does_line_by_line():
    same_motion((EXAMPLES / "pick.agent").read_text())


def test_loaded_files_are_called_and_every_line_keeps_its_number():
    write(PART, "part.cmd")
    same_motion(JOB)
    with Cell() as cell:
        answer = cell.do(f"import agent job {write(JOB)}")
        assert answer.called == ("part",)
        assert answer.reports == ("line 11 of job.agent",)
        rows = dict(cell.do("steps job").rows)
        lines = JOB.splitlines()
        assert len(rows) == len(lines)
        for number, line in enumerate(lines, start=1):
            assert rows[number].endswith(line.strip().rstrip("\\").strip())
        assert rows[5].startswith("move-joints-absolute left 10,0,-90,0,90,0 deg ")
        assert all(rows[number].startswith("call part ") for number in (7, 13))
        assert rows[12].startswith("together ")
        assert cell.do("steps part").rows[1][1].startswith("move-joints-absolute left 30,")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TWO + "drive left 1 0 -90 0 90 0\nmake-object late box 10 10 10\n", "Line 5 of job.agent.*first motion"),
        (TWO + "drive left 1 0 -90 0 90 0\nrecord-angles v left\n", "Line 5 of job.agent"),
        (TWO + "drive left 500 0 -90 0 90 0\n", "Line 4 of job.agent.*Joint violation: left 1"),
        (TWO + "juggle left\n", "Line 4 of job.agent.*Undefined command"),
        (TWO + "load part.cmd\n", "Line 2 of part.cmd.*Joint violation"),
        (TWO, "has no motion"),
        ("", "has no motion"),
    ],
)
def test_what_cannot_be_a_program_is_refused_and_nothing_is_left(text, words):
    write("; first\ndrive left 500 0 -90 0 90 0\n", "part.cmd")
    with Cell() as cell:
        before = to_text(cell.database)
        with pytest.raises(FileProblem, match=words):
            cell.do(f"import agent job {write(text)}")
        assert to_text(cell.database) == before
        assert not cell.journal


def test_saving_positions_writes_no_file_at_an_import():
    with Cell() as cell:
        write(TWO + "save-positions v.txt\ndrive left 1 0 -90 0 90 0\n")
        answer = cell.do("import agent job job.agent")
        assert answer.reports == ("line 4 of job.agent",)
        assert not Path("v.txt").exists()


def test_an_import_is_one_step_and_lives_as_other_programs_do():
    write(PART, "part.cmd")
    with Cell() as cell:
        empty = to_text(cell.database)
        cell.do(f"import agent job {write(JOB)}")
        with pytest.raises(Refused, match="already a program 'job'"):
            cell.do("import agent job job.agent")
        made = to_text(cell.database)
        cell.undo()
        assert to_text(cell.database) == empty
        cell.redo()
        assert to_text(cell.database) == made
        assert to_text(cell.replayed().database) == made
        cell.do("modify robot:left name first")
        assert "no mistakes" in str(cell.do("check program job"))
        assert dict(cell.do("steps job").rows)[5].startswith("move-joints-absolute first ")
        cell.do("run job")
        store = Store.memory()
        from_text(to_text(cell.database), Database(store))
        with Cell(Database(store)) as copy:
            copy.do("run job")
            assert copy.session.simulator_time == cell.session.simulator_time


@contextmanager
def session() -> Iterator[Session]:
    with Cell() as cell:
        yield cell.session


def test_two_clients_know_the_line_of_an_agent_file(tmp_path):
    write(PART, "part.cmd")
    write(JOB.replace("part.cmd", f"{tmp_path}/part.cmd"))
    with Server(session, allow=[tmp_path]) as server, connect(server.url) as one, connect(server.url) as other:
        one.do(f"import agent job {tmp_path}/job.agent")
        other.do("break job 8")
        stood = one.do("run job")
        assert (stood.value["program"], stood.value["line"]) == ("job", 8)
        assert stood.value["step"].endswith("# move-inter left 500 -150 300 0 0 180")
        assert other.do("pause").value["line"] == 8
        other.do("step-over")
        assert one.do("pause").value["line"] == other.do("pause").value["line"] == 9
        one.do("step-back")
        assert other.do("pause").value["line"] == 8
        other.do("stop-run")
        one.do("unbreak")
        one.do("debug job")
        lines = [one.do("pause").value["line"]]
        while (answer := other.do("step-over").value).get("line"):
            lines.append(one.do("pause").value["line"])
            assert answer["line"] == lines[-1]
        assert lines == [5, 7, 8, 9, 10, 12, 13, 14]
        assert one.do("report").value == other.do("report").value
