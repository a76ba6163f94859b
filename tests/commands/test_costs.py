"""Every command counts its work before it begins, keeps a bound, and can be stopped."""

from __future__ import annotations

import threading
import tracemalloc
from contextlib import suppress

import pytest

from workcell.commands.cell import Cell
from workcell.cost import STEPS, Bound
from workcell.errors import Cancelled, Refused, TooCostly

PUMA = "create robot Puma puma560 joints 0,0,-90,0,90,0"
MOVE = "move-joints-relative Puma 30,0,0,0,0,0"
BOX = "add solid box box 10 10 10 --movable"
HOSTILE = {
    "tiny steps": ([PUMA, "step 1e-7deg"], MOVE),
    "tiny steps on a curved profile": ([PUMA, "profile Puma trapezoid", "step 1e-7deg"], MOVE),
    "tiny steps on a line": ([PUMA, "step 1e-9deg"], "move-hand Puma 0,0,-20"),
    "a row every nanosecond": ([PUMA, MOVE], "export-recording a.csv every 1e-9s"),
    "rows of a wait for ever": ([PUMA, "wait 1e9"], "export-recording a.csv every 1s"),
    "a solid over a kilometre": ([BOX], "move-solid box through 1000000,0,0 speed 1"),
    "a solid over ten kilometres in a second": ([BOX], "move-solid box through 10000000,0,0 in 1s"),
    "a film of a wait for ever": ([PUMA, MOVE, "wait 1e9"], "film a.gif"),
    "an animation of a wait for ever": ([PUMA, MOVE, "wait 1e9"], "export-animation a.glb"),
    "a picture of 64 million pixels": ([PUMA], "render a.png size 8000 8000"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_costs_too_much_is_refused_before_it_is_paid(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before, line = HOSTILE[name]
    with Cell() as cell:
        for one in before:
            cell.do(one)
        rows = cell.database.rows()
        tracemalloc.start()
        with pytest.raises(TooCostly, match=r"would be [\d.e+]+ \w+; at most \d+ are allowed\. [A-Z]") as refused:
            cell.do(line)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert refused.value.evidence["asked"] > refused.value.evidence["most"]
        assert peak < 200e6
        assert cell.database.rows() == rows
        assert not list(tmp_path.iterdir())


def test_programs_that_call_programs_are_bounded_and_nothing_stays(cell, monkeypatch):
    monkeypatch.setattr("workcell.simulation.thread_runner.STEPS", STEPS._replace(most=50))
    cell.do("create program p0")
    cell.do('modify p0 text "wait 1"')
    for number in range(1, 12):
        cell.do(f"create program p{number}")
        cell.do(f'modify p{number} text "call p{number - 1}%0Acall p{number - 1}"')
    rows = cell.database.rows()
    with pytest.raises(TooCostly, match="at most 50 are allowed"):
        cell.do("run p11")
    assert cell.database.rows() == rows
    assert "p3: " in str(cell.do("run p3"))


def test_parts_that_share_parts_are_counted_before_they_are_made(cell):
    cell.do("create block b0 box 1 1 1")
    for number in range(1, 50):
        cell.do(f"create object o{number}")
    cell.do("attach block b0 to object:o1 as x")
    for number in range(2, 50):
        for name in "xy":
            with suppress(Refused, TooCostly):
                cell.do(f"attach object:o{number - 1} to object:o{number} as {name} translate 10,0,0")
    cell.do("create block c0 box 1 1 1")
    for number in range(1, 50):
        cell.do(f"create block c{number}")
        for name in "xy":
            cell.do(f"attach c{number - 1} to block:c{number} as {name} translate 10,0,0")
    with pytest.raises(TooCostly, match="at most 20000 are allowed"):
        cell.do("measure c49")


def test_a_number_that_is_none_is_refused():
    bound = Bound(3, "things", "Take fewer.")
    bound.check(3, "This")
    for asked in (3.5, float("nan"), float("inf"), 1e300):
        with pytest.raises(TooCostly):
            bound.check(asked, "This")


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ([PUMA, "create program p", 'modify p text "' + "%0A".join(["wait 1"] * 50) + '"'], "run p"),
        ([PUMA, MOVE], "export-recording a.csv every 0.001s"),
        ([BOX], "move-solid box through 5000,0,0 speed 100"),
        ([PUMA, "add solid post box 50 50 900 at 600,257.5,450", "watch certified"], MOVE),
    ],
)
def test_what_was_cancelled_stops_and_leaves_nothing(before, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Cell() as cell:
        for one in before:
            cell.do(one)
        rows = cell.database.rows()
        cell.session.cancel = _Soon(1)
        with pytest.raises(Cancelled):
            cell.do(line)
        cell.session.cancel = None
        assert cell.database.rows() == rows
        assert not list(tmp_path.iterdir())
        cell.do(line)


class _Soon(threading.Event):
    """Cancelled once it has been asked a few times: in the middle of the work, whatever the machine."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self._left = times

    def is_set(self) -> bool:
        self._left -= 1
        return self._left < 0
