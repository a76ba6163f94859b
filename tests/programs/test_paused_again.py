"""A complete run that is paused again: it is repeated up to a time, and can be stepped from there."""

from __future__ import annotations

import pytest

from workcell.commands.cell import Cell
from workcell.errors import MotionStop, Refused
from workcell.service.run_view import run_info

LINES = [
    "move-joints-relative Puma 20,0,0,0,0,0",
    "set-signal placed 1",
    "repeat 2",
    "  move-joints-relative Puma 10,0,0,0,0,0",
    "  wait 1",
    "end",
    "move-joints-relative Puma -40,0,0,0,0,0",
]


@pytest.fixture
def cell():
    found = Cell()
    found.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
    found.do("create signal ready")
    found.do("create signal placed")
    found.do(f'write program work "{"%0A".join(LINES)}"')
    return found


def recorded(cell: Cell) -> bytes:
    return cell.session.recording.to_bytes(sources=True)


def begins(cell: Cell) -> list[tuple[float, int]]:
    return [(one.start, one.line) for one in cell.do("line-times").lines]


def test_it_pauses_before_the_step_that_was_carried_out_then_and_goes_on_to_the_same_end(cell):
    cell.do("run work")
    whole, steps, state = recorded(cell), begins(cell), cell.state
    history = len(cell.database.history)
    for start, line in steps:
        answer = cell.do(f"pause-at {start + 1e-3}s")
        assert (answer.program, answer.line) == ("work", next(at for t, at in reversed(steps) if t <= start + 1e-3))
        assert answer.time == max(t for t, _ in steps if t <= start + 1e-3) == cell.state.time
        assert len(cell.database.history) == history - 1, line
        cell.do("resume")
        assert (recorded(cell), cell.state) == (whole, state)
    assert [entry.label for entry in cell.database.history][-1] == "run work"
    assert recorded(cell.replayed()) == whole


def test_steps_lead_on_and_back_from_there(cell):
    cell.do("run work")
    (second,) = [at for at, line in begins(cell) if line == 7]
    assert cell.do(f"pause-at {second - 0.5}s").line == 5
    assert cell.do("step-over").line == 7
    assert cell.do("step-back 2").line == 4
    assert cell.do("step-back").line == 5
    assert cell.do("step-back to 1").time == 0.0
    assert cell.do("pause-at 100s").line == 7
    assert "is discarded" in str(cell.do("stop-run"))
    assert cell.state.time == 0.0
    cell.do("redo")
    assert cell.state.time > 3.0


def test_what_came_from_outside_until_then_comes_again_and_what_came_later_does_not(cell):
    cell.do('write program wait "wait 1%0Await-for ready%0Await 1%0Await-for ready 0%0Await 1"')
    cell.session.attended = True
    cell.do("debug wait")
    cell.do("override 50")
    cell.do("resume")
    cell.do("set-signal ready 1")
    assert cell.do("resume").line == 4
    cell.do("set-signal ready 0")
    cell.do("resume")
    assert cell.session.paused is None
    whole = recorded(cell)
    assert cell.do("pause-at 1.5s").line == 3
    assert cell.state.signals["ready"] == 1.0
    answer = cell.do("resume")
    assert (answer.line, answer.awaits) == (4, ("ready",))
    cell.do("set-signal ready 0")
    cell.do("resume")
    assert recorded(cell) == whole == recorded(cell.replayed())


def test_a_run_that_is_paused_later_returns_to_an_earlier_time(cell):
    cell.do("break work 7")
    assert cell.do("run work").line == 7
    assert cell.do("pause-at 0.01s").line == 1
    assert cell.do("resume").breakpoint
    cell.do("resume")
    assert [entry.label for entry in cell.database.history][-1] == "run work"


def test_a_run_that_stopped_before_a_contact_pauses_before_the_step_that_stops(cell):
    cell.do("add solid wall box 800 50 800 at 300,600,400")
    cell.do("watch yes")
    cell.do('write program into "wait 1%0Amove-joints-relative Puma 90,0,0,0,0,0"')
    with pytest.raises(MotionStop, match="kept as one step"):
        cell.do("run into")
    length = cell.state.time
    assert cell.do(f"pause-at {length}s").line == 2
    assert cell.do("step-back").line == 1


def test_a_run_from_the_present_state_begins_there_again(cell):
    cell.do("move-joints-relative Puma 5,5,5,0,0,0")
    before = cell.state.joints["Puma"]
    cell.do("run work --from-present")
    whole = recorded(cell)
    assert cell.do("pause-at 0s").line == 1
    assert (cell.state.joints["Puma"] == before).all()
    cell.do("resume")
    assert recorded(cell) == whole


def test_programs_in_parallel_are_paused_together(cell):
    cell.do("create robot Other puma560 at 0,2000,0 joints 0,0,-90,0,90,0")
    cell.do('write program other "wait 0.1%0Amove-joints-relative Other 30,0,0,0,0,0%0Await 1"')
    cell.do("run-together work other")
    whole = recorded(cell)
    answer = cell.do("pause-at 0.2s")
    assert (answer.program, answer.line) == ("other", 2)
    cell.do("resume")
    assert recorded(cell) == whole


def test_only_the_last_step_of_the_history_can_be_paused_again(cell):
    with pytest.raises(Refused, match=r"Only a run that is the last step of the history .* is `write program work"):
        cell.do("pause-at 1s")
    cell.do("run work")
    cell.do("create object other")
    with pytest.raises(Refused, match="the last step is `create object other`"):
        cell.do("pause-at 1s")
    cell.do("debug work")
    cell.do("create object more")
    with pytest.raises(Refused, match=r"edited since the run of 'work' began.* `step-back`"):
        cell.do("pause-at 1s")
    assert cell.session.paused is not None


def test_a_refusal_leaves_the_complete_run_as_it_was(cell, monkeypatch):
    from workcell.commands import repeated_runs

    cell.do("run work")
    whole, history = recorded(cell), len(cell.database.history)

    def refuse(*_, **__):
        raise Refused("no")

    monkeypatch.setattr(repeated_runs, "begun", refuse)
    with pytest.raises(Refused, match="no"):
        cell.do("pause-at 1s")
    assert (recorded(cell), len(cell.database.history)) == (whole, history)


def test_the_run_of_somebody_else_is_left_alone(cell):
    cell.do("run work")
    cell.session.company = frozenset({cell.session.who})
    with pytest.raises(Refused, match="The last run is a step of"):
        cell.do("pause-at 1s")


def test_the_run_that_is_paused_again_is_not_redone_beside_itself_and_edits_are(cell):
    cell.do("run work")
    steps = len(cell.do("history").rows)
    cell.do("pause-at 0.5s")
    with pytest.raises(Refused, match=r"`run work` cannot be redone now: .* is paused; `resume` it"):
        cell.do("redo")
    assert cell.session.paused is not None
    cell.do("resume")
    assert len(cell.do("history").rows) == steps
    cell.do("pause-at 0.5s")
    cell.do("create signal other")
    cell.do("undo")
    assert "create signal other" in str(cell.do("redo"))
    assert cell.session.paused is not None


def test_windows_learn_whether_a_paused_run_can_be_stepped_back(cell):
    def back() -> bool:
        return run_info(cell.session).back

    assert not back()
    cell.do("debug work")
    assert not back()
    cell.do("step-over")
    assert back()
    cell.do("step-back")
    assert not back()
    cell.do("resume")
    assert not back()
