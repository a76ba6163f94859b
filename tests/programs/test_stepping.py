"""Runs that are stepped through: paused, continued, stepped back, saved; and what the history keeps of them."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

import workcell as wc
from workcell.errors import CommandSyntaxError, FileProblem, NothingToUndo, Refused, UnknownName, WorkcellError

STAGE = (
    "create robot A puma560 joints 0,0,-90,0,90,0",
    "create robot B puma560 at 0,2000,0 joints 0,0,-90,0,90,0",
    "create signal ready",
    "create signal placed",
    "create frame pallet",
    "place pallet at 450,-60,250 rotate 180,0,0",
    "program visit\nparameter spot pose\nparameter up length = 30mm\n"
    "move-end-effector A spot translate 0,0,-up\nmove-hand A translate 0,0,up\nend",
    """program work
    let count = 0
    parallel
      for row from 0 to 2
        for column from 0 to 3
          call visit (pallet translate column*20,row*20,0)
          let count = count + 1
          set-signal placed count
        end
      end
      set-signal ready 1
    and
      wait-until ready = 1 timeout 0.5s else
        message "B waits no longer"
      end
      move-joints-relative B 10,0,0,0,0,0
    end
    message count
    end""",
)


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in STAGE:
            cell.do(line)
        yield cell


@pytest.fixture
def small():
    with wc.Cell() as cell:
        for line in (
            STAGE[0],
            "create signal ready",
            "program sub\nparameter n number\nmove-joints-relative A n,0,0,0,0,0\nwait n * 0.1\nend",
            "program main\nlet n = 1\nrepeat 2\n  call sub n\n  let n = n + 1\nend\nwait-for ready\nwait n\nend",
        ):
            cell.do(line)
        yield cell


def recorded(cell):
    return cell.session.recording.to_bytes(sources=True)


def place(answer):
    return answer.program, answer.line


def test_a_run_pauses_once_before_an_if_however_many_conditions_it_has(small):
    small.do("program chain\nif ready\n  wait 1\nelse if ready\n  wait 2\nelse\n  wait 3\nend\nend")
    small.do("debug chain")
    assert place(small.do("step-into")) == ("chain", 6)
    small.do("stop-run")
    small.do("break chain 1")
    small.do("debug chain")
    assert small.do("resume").time == 3


def test_the_pallet_program_printed_and_read_back_has_the_same_steps(cell):
    from workcell.commands.language.program_printer import program_text
    from workcell.commands.language.program_reader import read_program
    from workcell.commands.program_store import stored

    for name in ("work", "visit"):
        program = stored(cell.database.entity("program", name)).program
        again = read_program(name, program_text(program))
        assert not again.problems
        assert again.program == program
    assert str(cell.do("check program work")) == "program 'work': no mistakes"


def test_the_pallet_program_run_paused_stepped_saved_resumed_elsewhere_and_replayed(tmp_path):
    with wc.Cell.create(tmp_path / "one.cell") as cell:
        for line in STAGE:
            cell.do(line)
        answer = cell.do("run work")
        assert answer.messages == ("B waits no longer", "12")
        whole, end = recorded(cell), cell.state
        assert [move.device for move in cell.session.recording.moves].count("A") == 24
        cell.do("undo")
        assert place(cell.do("debug work")) == ("work", 1)
        cell.do("break work 6 when count = 5")
        assert place(cell.do("resume")) == ("work", 6)
        assert cell.do("run-status").rows[1][-1] == "count = 5, row = 1, column = 1"
        assert place(cell.do("step-over")) == ("work", 7)
        assert place(cell.do("step-over")) == ("work", 5)
        assert place(cell.do("step-into")) == ("visit", 3)
        assert cell.state.signals["placed"] == 6.0
        assert place(cell.do("step-back 2")) == ("work", 7)
        assert cell.state.signals["placed"] == 5.0
        cell.do(f"save-run {tmp_path / 'half.run'}")
    code = (
        "import sys, workcell as wc\n"
        "with wc.Cell.open(sys.argv[1]) as cell:\n"
        "    print(cell.do(f'load-run {sys.argv[2]}'))\n"
        "    print(cell.do('resume'))\n"
        "    cell.do(f'save-recording {sys.argv[3]}')\n"
    )
    files = [str(tmp_path / name) for name in ("one.cell", "half.run", "whole.rec")]
    done = subprocess.run([sys.executable, "-c", code, *files], check=True, timeout=300, capture_output=True, text=True)
    assert done.stdout.startswith("before line 7 of 'work' at")
    assert done.stdout.endswith(" s, line 17 of 'work': 12\n")
    assert (tmp_path / "whole.rec").read_bytes() == whole
    with wc.Cell.open(tmp_path / "one.cell") as cell:
        entry = list(cell.journal)[-1]
        assert (entry.command, entry.label) == ("run program:work", "debug work")
        assert cell.state == end
        again = cell.replayed()
        assert again.state == end
        assert recorded(again) == whole


def test_pauses_steps_back_and_saves_anywhere_leave_the_same_bytes(cell, tmp_path):
    cell.do("run work")
    whole, rng = recorded(cell), random.Random(11)
    cell.do("undo")
    cell.do("debug work")
    for _ in range(60):
        way = rng.choice(["step-into", "step-into", "step-over", "step-out", "step-back", "save"])
        if way == "save":
            cell.do(f"save-run {tmp_path / 'half.run'} --replace")
            cell.do("stop-run")
            cell.do(f"load-run {tmp_path / 'half.run'}")
            continue
        if way == "step-back" and cell.session.paused.stepped.steps_kept == 0:
            with pytest.raises(Refused, match="can be stepped back by 0 steps"):
                cell.do(way)
            continue
        answer = cell.do(way)
        if cell.session.paused is None:
            assert recorded(cell) == whole
            cell.do("undo")
            answer = cell.do("debug work")
        assert answer.time == cell.state.time
    if cell.session.paused is not None:
        cell.do("resume")
    assert recorded(cell) == whole


def test_steps_into_over_and_out_of_a_call(small):
    cell = small
    assert str(cell.do("debug main")) == "before line 1 of 'main' at 0.0000 s: let n = 1"
    assert [place(cell.do("step-into")) for _ in range(3)] == [("main", 2), ("main", 3), ("sub", 2)]
    assert place(cell.do("step-out")) == ("main", 4)
    assert [place(cell.do("step-over")) for _ in range(3)] == [("main", 3), ("main", 4), ("main", 6)]
    assert cell.do("resume").awaits == ("ready",)
    assert cell.session.paused is not None
    cell.do("set-signal ready 1")
    assert place(cell.do("step-over")) == ("main", 7)
    answer = cell.do("step-over")
    assert answer.time == cell.state.time == pytest.approx(cell.session.recording.end)
    assert list(cell.journal)[-1].command.startswith('run program:main inputs "')
    assert recorded(cell.replayed()) == recorded(cell)


def test_stepping_back_gives_the_state_the_variables_and_the_recording_of_then(small):
    cell = small
    cell.do("debug main")
    seen = []
    for _ in range(9):
        run = cell.session.paused.stepped
        seen.append((run.where(), cell.state, recorded(cell)))
        cell.do("step-into")
    for where, state, data in reversed(seen):
        cell.do("step-back")
        assert cell.session.paused.stepped.where() == where
        assert cell.state == state
        assert recorded(cell) == data
    with pytest.raises(Refused, match="can be stepped back by 0 steps; found 1"):
        cell.do("step-back")
    cell.do("break main 6")
    cell.do("resume")
    assert place(cell.do("step-back to 3")) == ("main", 3)
    assert cell.do("run-status").rows[0][-1] == "n = 2"
    with pytest.raises(Refused, match="has not been before line 7 of program 'main'"):
        cell.do("step-back to 7")


def test_a_run_that_pauses_at_a_breakpoint_can_be_stepped_back_from_there(small):
    cell = small
    cell.do("break main 4")
    assert place(cell.do("run main")) == ("main", 4)
    at, data = cell.state, recorded(cell)
    assert place(cell.do("step-back")) == ("sub", 3)
    assert place(cell.do("step-back 4")) == ("main", 1)
    assert cell.state.time == 0.0
    assert place(cell.do("resume")) == ("main", 4)
    assert (cell.state, recorded(cell)) == (at, data)


def test_a_run_with_breakpoints_that_is_refused_before_them_leaves_nothing(small):
    small.do("program odd\nmove-joints-relative A 5,0,0,0,0,0\nmove-joints-relative A 999,0,0,0,0,0\nwait 1\nend")
    small.do("break odd 3")
    with pytest.raises(WorkcellError) as refused:
        small.do("run odd")
    assert "step-back" not in str(refused.value)
    assert small.session.paused is None
    assert small.state.time == 0.0


def test_a_signal_set_by_hand_goes_with_a_step_back_before_it(small):
    cell = small
    cell.do("debug main")
    cell.do("step-into")
    cell.do("set-signal ready 1")
    cell.do("step-into")
    cell.do("step-back")
    assert cell.state.signals["ready"] == 1.0  # set while it stood here
    cell.do("step-back")
    assert cell.state.signals["ready"] == 0.0
    assert cell.session.paused.stepped.inputs == []
    cell.do("set-signal ready 1")
    cell.do("resume")
    assert recorded(cell.replayed()) == recorded(cell)


def test_breakpoints_hold_plain_runs_and_belong_to_the_session(small):
    cell = small
    steps = len(cell.journal)
    cell.do("break main 3 when n = 2")
    cell.do("break sub 1")
    assert [row[1] for row in cell.do("breakpoints").rows] == [3, 2]
    cell.do("unbreak sub")
    with pytest.raises(UnknownName, match="no breakpoint of 'main' at line called '9'"):
        cell.do("unbreak main 9")
    answer = cell.do("run main")
    assert str(answer).startswith("before line 3 of 'main' at")
    assert ", breakpoint when n = 2: call sub n" in str(answer)
    assert len(cell.journal) == steps
    with pytest.raises(CommandSyntaxError):
        cell.do("break main 3 when")
    cell.do("set-signal ready 1")
    cell.do("resume")
    assert len(cell.journal) == steps + 1
    assert recorded(cell.replayed()) == recorded(cell)  # breakpoints do not hold a replay


def test_breakpoints_follow_a_program_that_is_renamed_and_go_with_one_that_is_removed(small):
    cell = small
    cell.do("break sub 2")
    cell.do("debug main")
    cell.do("modify program:sub name lower")
    assert place(cell.do("resume")) == ("sub", 2)  # the run knows it under its old name
    cell.do("stop-run")
    assert [row[0] for row in cell.do("breakpoints").rows] == ["lower"]
    assert place(cell.do("run main")) == ("lower", 2)
    cell.do("stop-run")
    cell.do("undo")
    assert place(cell.do("run main")) == ("sub", 2)
    cell.do("stop-run")
    cell.do("remove program:sub")
    assert cell.do("breakpoints").rows == ()
    cell.do("undo")
    assert len(cell.do("breakpoints").rows) == 1


def test_a_run_from_a_line_begins_in_the_first_round_of_its_loops(small):
    cell = small
    cell.do(
        'write program loop "for i from 3 to 5%0A  try%0A    message i%0A    '
        'move-joints-absolute A 900,0,0,0,0,0%0A  on-error why%0A    wait 1%0A  end%0Aend%0Await 2"'
    )
    answer = cell.do("run loop from 4")
    assert answer.messages == ("4", "5")
    assert answer.time == 5.0
    assert list(cell.journal)[-1].command == "run program:loop from 4"
    assert recorded(cell.replayed()) == recorded(cell)
    assert cell.do("run loop from 9").time == 2.0
    with pytest.raises(Refused, match="has no step at line 10 or after it"):
        cell.do("run loop from 10")
    cell.do('write program both "parallel%0A  wait 1%0Aand%0A  wait 2%0Aend"')
    with pytest.raises(Refused, match="cannot begin inside a `parallel` block"):
        cell.do("run both from 2")
    assert place(cell.do("debug loop from 3")) == ("loop", 3)


def test_edits_while_paused_apply_to_the_next_run_and_the_replay_knows(small):
    cell = small
    cell.do("set-signal ready 1")
    cell.do("keep state")
    cell.do("run main")
    whole, time = recorded(cell), cell.state.time
    cell.do("undo")
    cell.do("break main 4")
    cell.do("run main")
    cell.do("program sub\nparameter n number\nwait 7\nend")
    cell.do("speed A 0.01rad/s")
    cell.do("modify robot:A name Arm")
    cell.do("unbreak")
    answer = cell.do("resume")
    assert "The cell was edited since the run began. The edits apply to the next run" in str(answer)
    assert answer.time == time
    assert "Arm" in cell.state.joints
    assert cell.session.recording.robots == ("Arm",)
    assert list(cell.journal)[-1].command.startswith("as-of ")
    again = cell.replayed()
    assert again.state == cell.state
    assert recorded(again) == recorded(cell)
    assert cell.do("run main").time == pytest.approx(14 + 3)
    cell.do("undo 5")  # both runs and the three edits between
    assert cell.do("run main").time == time
    assert recorded(cell) == whole


def test_while_a_run_is_paused_questions_see_it_and_motions_are_refused(small):
    cell = small
    kept = cell.state
    cell.do("break sub 3")
    cell.do("run main")
    assert cell.state.joints["A"][0] > 0.01
    assert cell.session.simulator_time == cell.state.time > 0
    assert "A" in cell.session.recording.robots
    assert cell.session.beside().state == cell.state
    for line in ("move-joints-relative A 1,0,0,0,0,0", "run main", "reset", "debug main", "wait 1"):
        with pytest.raises(Refused, match="is not possible while the run of 'main' is paused"):
            cell.do(line)
    with pytest.raises(Refused, match="A group cannot begin while the run of 'main' is paused"):
        cell.do("group")
    # An edit: it sees what is kept, not the run.
    assert str(cell.do("keep state")).startswith("the state before the run of 'main' is now the initial state")
    assert "A" in cell.session.recording.robots
    assert cell.snapshot().initial.joints["A"][0] == kept.joints["A"][0]
    time = cell.state.time
    assert str(cell.do("stop-run")) == f"The run of 'main' has ended at {time:.4f} s and is discarded."
    assert cell.state == kept
    with pytest.raises(Refused, match="No run is paused"):
        cell.do("resume")


def test_undo_while_paused_keeps_the_run_and_reverts_edits_of_the_pause(small):
    cell = small
    cell.do("create signal other")
    cell.do("debug main")
    before = "`create signal other` cannot be undone now: the run of 'main' is paused and began after it; `resume`"
    with pytest.raises(Refused, match=before):
        cell.do("undo")
    cell.do("create signal third")
    cell.do("create signal fourth")
    assert str(cell.do("undo")).startswith("undone: create signal fourth")
    lines = str(cell.do("undo 5")).split("\n")
    assert lines[0].startswith("`create signal other` cannot be undone now")
    assert lines[1].startswith("undone: create signal third")
    assert place(cell.do("step-into")) == ("main", 2)
    assert cell.session.paused is not None
    cell.do("stop-run")
    assert str(cell.do("undo")).startswith("undone: create signal other")


def test_undo_of_anything_discards_the_paused_run_first(small):
    cell = small
    cell.do("create signal other")
    steps = len(cell.journal)
    cell.do("debug main")
    heard = []
    stop = cell.session.on_change(heard.append)
    assert str(cell.do("undo --any")) == (
        "The run of 'main' has ended at 0.0000 s and is discarded. The next `undo` reverts `create signal other`."
    )
    stop()
    assert "simulates" in {change.effect for change in heard}  # what clients show of the run is gone
    assert cell.session.paused is None
    assert len(cell.journal) == steps
    cell.do("debug main")
    cell.do("create signal third")  # edits in a pause come before the run in the history
    lines = str(cell.do("undo 2 --any")).split("\n")
    assert lines[0] == "The run of 'main' has ended at 0.0000 s and is discarded."
    assert lines[1].startswith("undone: create signal third")
    cell.do("debug main")
    cell.do("undo 1000 --any")
    assert len(cell.journal) == 0
    with pytest.raises(NothingToUndo):
        cell.do("undo")


def test_undo_that_is_refused_leaves_the_paused_run(small, tmp_path):
    cell, script = small, tmp_path / "script.txt"
    script.write_text("create signal other\nundo\n")
    cell.do("debug main")
    with pytest.raises(WorkcellError, match="A script cannot undo"):
        cell.do(f"load {script}")
    assert cell.session.paused is not None
    assert "other" not in cell.state.signals
    assert place(cell.do("step-into")) == ("main", 2)


def test_a_breakpoint_of_an_edited_program_pauses_a_run_at_the_line_that_it_had(small):
    cell = small
    cell.do("program plain\nwait 1\nwait 2\nwait 3\nend")
    cell.do("break plain 3")
    cell.do("debug plain")
    cell.session.call("write program", {"name": "plain", "text": "wait 9\nwait 8\nwait 1\nwait 2\nwait 3"})
    assert str(cell.do("breakpoints")).count("5") >= 1  # now the fifth line
    answer = cell.do("resume")
    assert answer.time == 3.0
    assert place(answer) == ("plain", 3)  # of the lines that run
    cell.do("break plain 1")  # a line that the run does not have
    cell.do("resume")
    assert cell.session.paused is None


def test_a_wish_to_pause_from_another_thread_lets_a_run_stand(small):
    cell = small
    cell.do("program long\nrepeat 1000\n  wait 1\nend\nend")
    session = cell.session
    cell.do("break long 2")
    cell.do("run long")
    cell.do("unbreak")
    session.paused.stepped.pause_asked.set()
    answer = cell.do("resume")
    assert place(answer) == ("long", 2)
    assert answer.time == 1.0
    cell.do("stop-run")


def test_saved_runs_know_their_cell_and_say_what_is_wrong(small, tmp_path):
    cell, file = small, tmp_path / "half.run"
    cell.do("debug main")
    cell.do("step-into")
    cell.do("set-signal ready 1")
    cell.do(f"save-run {file}")
    cell.do("resume")
    whole = recorded(cell)
    cell.do("undo")
    cell.do(f"load-run {file}")
    cell.do("resume")
    assert recorded(cell) == whole
    assert recorded(cell.replayed()) == whole
    cell.do("create signal other")
    with pytest.raises(Refused, match="saved on another cell: signals differ here"):
        cell.do(f"load-run {file}")
    file.write_bytes(file.read_bytes()[:-3])
    with pytest.raises(FileProblem, match="The saved run is damaged"):
        cell.do(f"load-run {file}")
    assert cell.session.paused is None
    cell.do("debug main")
    cell.do("create signal third")
    with pytest.raises(Refused, match="The cell was edited since the run began"):
        cell.do(f"save-run {tmp_path / 'two.run'}")


_THIRTY = "program simple\nmove-joints-relative A 30,0,0,0,0,0\nend"


@pytest.fixture
def simple(tmp_path):
    """A cell with a program of two moves, a run of which was saved after the first and given up."""
    with wc.Cell() as cell:
        for line in (
            STAGE[0],
            "program turn\nparameter by number\nmove-joints-relative A by,0,0,0,0,0\nend",
            "program simple\nmove-joints-relative A 10,0,0,0,0,0\ncall turn 10\nend",
            "create task shift",
            "attach simple to task:shift as first",
        ):
            cell.do(line)
        for name in ("simple", "task:shift"):
            cell.do(f"debug {name}")
            cell.do("step-into")
            cell.do(f"save-run {tmp_path / name.removeprefix('task:')}.run")
            cell.do("stop-run")
        yield cell


@pytest.mark.parametrize(
    ("edits", "named"),
    [
        ((_THIRTY,), "program 'simple'"),
        (("remove task:shift", "remove program:simple"), "program 'simple'"),
        (("modify program:simple name other",), "program 'simple'"),
        (("program turn\nparameter by number\nwait by\nend",), "program 'turn'"),
        (("program turn\nparameter by number\nmove-joints-relative A by,0,0,0,0,0\nno step\nend",), "program 'turn'"),
        (("program turn\nparameter by number\n\nmove-joints-relative A by,0,0,0,0,0\nend",), "program 'turn'"),
        ((_THIRTY, "remove program:turn"), "programs 'simple' and 'turn'"),
    ],
)
def test_a_saved_run_is_refused_where_its_programs_are_others_now(simple, tmp_path, edits, named):
    cell = simple
    for line in edits:
        cell.do(line)
    steps = len(cell.journal)
    with pytest.raises(Refused, match=f"Since the run was saved, {named} changed or w"):
        cell.do(f"load-run {tmp_path / 'simple.run'}")
    assert cell.session.paused is None
    assert len(cell.journal) == steps
    cell.do(f"undo {len(edits)}")
    cell.do(f"load-run {tmp_path / 'simple.run'}")
    cell.do("resume")
    assert cell.state.joints["A"][0] == pytest.approx(0.349066, abs=1e-6)
    again = cell.replayed()
    assert again.state == cell.state
    assert recorded(again) == recorded(cell)


@pytest.mark.parametrize(
    "edits",
    [
        ("attach turn to task:shift as second",),
        ("remove task:shift",),
        ("remove task:shift", "program shift\ncall simple\nend"),
        ("program shift\nwait 1\nend",),
    ],
)
def test_a_saved_run_of_a_task_is_refused_where_the_task_is_another_now(simple, tmp_path, edits):
    cell = simple
    for line in edits:
        cell.do(line)
    with pytest.raises(Refused, match="Since the run was saved, program 'shift' changed or was removed"):
        cell.do(f"load-run {tmp_path / 'shift.run'}")
    cell.do(f"undo {len(edits)}")
    cell.do(f"load-run {tmp_path / 'shift.run'}")
    cell.do("resume")
    assert recorded(cell.replayed()) == recorded(cell)


def test_a_saved_run_goes_on_beside_edits_of_programs_that_it_does_not_have(simple, tmp_path):
    cell = simple
    cell.do("program other\nwait 1\nend")
    cell.do("units inch deg")
    cell.do(f"load-run {tmp_path / 'simple.run'}")
    cell.do(_THIRTY)  # after it was taken up: an edit in a pause
    cell.do("resume")
    assert list(cell.journal)[-1].command.startswith("as-of ")
    assert recorded(cell.replayed()) == recorded(cell)


def test_a_saved_run_with_values_in_other_units_is_refused(simple, tmp_path):
    cell = simple
    cell.do("debug turn with 10")
    cell.do(f"save-run {tmp_path / 'turn.run'}")
    cell.do("stop-run")
    cell.do("units mm rad")
    with pytest.raises(Refused, match="began with values in other units than the cell has now"):
        cell.do(f"load-run {tmp_path / 'turn.run'}")
    assert cell.session.paused is None
    cell.do("units mm deg")
    cell.do(f"load-run {tmp_path / 'turn.run'}")
    cell.do("resume")
    assert recorded(cell.replayed()) == recorded(cell)


@pytest.mark.parametrize(
    ("condition", "sentence"),
    [
        ("q = 2", "no variable, signal, target or frame called 'q'"),
        ("n = 2 and q", "no variable, signal, target or frame called 'q'"),
        ("ready + 5mm", r"Expected a condition; found a number \(length\)"),
        ("n = 5mm and spot", "Expected a condition; found a pose"),
        ("spot", "Expected a condition; found a pose"),
        ('"yes"', "Expected a condition; found a text"),
        ("time() = 5mm", "cannot be added or compared"),
        ("signal(nothing) = 1", "no signal called 'nothing'"),
    ],
)
def test_the_condition_of_a_breakpoint_is_checked_when_it_is_set(small, condition, sentence):
    cell = small
    cell.do("create target spot")
    cell.do("break main 3 when n = 1")
    with pytest.raises(WorkcellError, match=f"The condition of a breakpoint in 'main': .*{sentence}"):
        cell.do(f"break main 3 when {condition}")
    assert [row[2] for row in cell.do("breakpoints").rows] == ["n = 1"]  # what was there stays
    cell.do("debug main")
    with pytest.raises(WorkcellError, match=sentence):  # while a run is paused too
        cell.call("break", program="main", line=3, condition=condition)


@pytest.mark.parametrize("condition", ["ready", "not ready", "n = 2 or ready > 0", "time() > 1s", "x(spot) < 5mm", "n"])
def test_conditions_of_variables_signals_and_targets_are_accepted(small, condition):
    cell = small
    cell.do("create target spot")
    assert condition in str(cell.do(f"break main 3 when {condition}"))


def test_a_condition_that_has_no_value_where_the_run_comes_to_it_says_so(small):
    cell = small
    cell.do("break main 1 when n = 2")  # given in this line
    answer = cell.do("run main")
    assert place(answer) == ("main", 1)
    assert ", breakpoint when n = 2: let n = 1\nIt paused because the condition cannot be evaluated: " in str(answer)
    assert "'n'" in answer.unclear
    cell.do("stop-run")
    cell.do("unbreak")
    cell.do("break main 3 when ready = 1")
    cell.do("modify signal:ready name go")
    assert "the condition cannot be evaluated" in str(cell.do("run main"))
    answer = cell.do("step-over")
    assert (answer.breakpoint, answer.unclear) == (False, "")
    cell.do("break main 3 when n = 2")
    answer = cell.do("resume")
    assert (answer.breakpoint, answer.condition, answer.unclear) == (True, "n = 2", "")


def test_a_second_breakpoint_in_a_line_says_that_it_replaces_the_first(small):
    cell = small
    assert "replaces" not in str(cell.do("break main 3"))
    assert str(cell.do("break main 3 when n = 2")).endswith("it replaces the breakpoint there")
    assert str(cell.do("break main 3")).endswith("it replaces the breakpoint there when n = 2")
    assert "replaces" not in str(cell.do("break main 4"))
    assert len(cell.do("breakpoints").rows) == 2
