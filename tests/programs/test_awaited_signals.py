"""A run that waits for a signal that nobody sets: it pauses where somebody can set it, and is refused in a script."""

from __future__ import annotations

import pytest

from workcell.commands.cell import Cell
from workcell.errors import Refused

WAITING = "move-joints-relative Puma 10,0,0,0,0,0%0Await-for ready%0Amove-joints-relative Puma 10,0,0,0,0,0"


@pytest.fixture
def cell():
    found = Cell()
    found.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
    found.do("create signal ready")
    found.do("create signal other")
    found.do(f'write program work "{WAITING}"')
    return found


def recorded(cell: Cell) -> bytes:
    return cell.session.recording.to_bytes()


def test_without_anybody_the_run_is_refused_and_discarded(cell):
    with pytest.raises(Refused, match=r"waits for a signal that nothing sets \(work in line 2 for ready = 1\)"):
        cell.do("run work")
    assert cell.session.paused is None


def test_an_attended_run_pauses_in_the_line_that_waits_and_continues_after_the_signal(cell):
    cell.session.attended = True
    answer = cell.do("run work")
    assert str(answer).split("\n") == [
        f"in line 2 of 'work' at {answer.time:.4f} s: wait-for ready",
        "It waits for signal ready: set it and `resume`.",
    ]
    assert answer.time == cell.state.time > 0.0
    (where,) = cell.session.paused.stepped.where()
    assert (where.line, where.doing, where.stands) == (2, "waits", True)
    assert cell.do("resume") == answer  # nothing was set
    cell.do("set-signal other 1")
    assert cell.do("step-over") == answer
    cell.do("set-signal ready 1")
    assert cell.session.paused.stepped.awaited == ()
    assert cell.do("resume").commands == 3
    assert cell.session.paused is None
    assert recorded(cell.replayed()) == recorded(cell)


def test_each_wait_of_a_run_is_repeated_with_its_own_signals(cell):
    cell.session.attended = True
    lines = [
        "wait-for ready",
        "wait 0.1",
        "set-signal ready 0",
        "wait-until ready or other",
        "wait 0.1",
        "wait-for ready 0",
    ]
    cell.do(f'write program twice "{"%0A".join(lines)}"')
    assert cell.do("run twice").line == 1
    cell.do("set-signal ready 1")
    answer = cell.do("resume")
    assert (answer.line, answer.awaits, answer.time) == (4, ("ready", "other"), 0.1)
    cell.do("set-signal ready 1")
    assert cell.do("resume").line == 6
    cell.do("set-signal ready 0")
    cell.do("resume")
    assert cell.session.paused is None
    assert recorded(cell.replayed()) == recorded(cell)


def test_stepping_back_from_a_wait_comes_before_its_step_and_a_refusal_does_not_lose_it(cell):
    cell.session.attended = True
    cell.do("debug work")
    waits = cell.do("resume")
    assert (waits.line, waits.awaits) == (2, ("ready",))
    before = cell.do("step-back")
    assert (before.line, before.awaits, before.time) == (2, (), waits.time)
    assert cell.do("resume") == waits
    cell.do("set-signal ready 1")
    assert cell.do("step-over").line == 3


def test_a_script_that_is_loaded_is_not_attended(cell, tmp_path):
    cell.session.attended = True
    script = tmp_path / "script.wcl"
    script.write_text("run work\n")
    with pytest.raises(Refused, match="waits for a signal that nothing sets"):
        cell.do(f'load "{script}"')
    assert cell.session.paused is None


def test_zones_that_nobody_leaves_and_conditions_without_signals_are_refused(cell):
    cell.session.attended = True
    cell.do('write program never "wait-until false"')
    with pytest.raises(Refused, match="waits for a signal that nothing sets"):
        cell.do("run never")
    assert cell.session.paused is None


BELT = (
    "add conveyor Belt 2000 at 0,1500,0",
    "modify Belt runs 0.1m/s",
    "add solid cube box 40 40 40 at 300,1500,720 --movable",
)


def test_a_wait_for_a_hand_pauses_at_once_though_a_belt_runs(cell):
    cell.session.attended = True
    without = cell.do("run work")
    cell.do("stop-run")
    for line in BELT:
        cell.do(line)
    answer = cell.do("run work")
    assert (answer.line, answer.awaits, answer.time) == (2, ("ready",), without.time)
    assert cell.do("resume") == answer
    cell.do("set-signal ready 1")
    cell.do("resume")
    assert recorded(cell.replayed()) == recorded(cell)


def test_a_wait_that_something_on_a_belt_may_end_goes_on(cell):
    cell.session.attended = True
    for line in (*BELT, "add light-barrier eye from 1000,1200,740 to 1000,1800,740"):
        cell.do(line)
    cell.do('write program sees "wait-until eye or ready%0Amove-joints-relative Puma 10,0,0,0,0,0"')
    answer = cell.do("run sees")
    assert cell.session.paused is None
    assert cell.state.time > 6.0, answer
