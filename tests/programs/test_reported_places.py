"""Messages, refusals and endless waits of a run name their line; also what a called program inherits."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.errors import CommandSyntaxError, Refused, WorkcellError
from workcell.simulation.events import Released

HOME = "0,0,-90,0,90,0"


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        cell.do(f"create robot Puma puma560 joints {HOME}")
        cell.do("create signal ready")
        yield cell


def write(cell, name, text):
    return cell.do(f"program {name}\n{text}\nend")


# ---- messages ---------------------------------------------------------------------------------------------


def test_a_message_names_its_program_and_line(cell):
    write(cell, "sub", 'wait 1\nmessage "below"')
    write(cell, "demo", 'message "one"\n\nmessage "two"\ncall sub\nrepeat 2\n  message "again"\nend')
    ran = cell.do("run demo")
    assert ran.lines == (
        "line 1 of 'demo'",
        "line 3 of 'demo'",
        "line 2 of 'sub'",
        "line 6 of 'demo'",
        "line 6 of 'demo'",
    )
    assert "at 0.0000 s, line 3 of 'demo': two" in str(ran)
    together = cell.do("run-together demo sub")
    assert together.lines[:2] == ("line 1 of 'demo'", "line 3 of 'demo'")
    assert "line 2 of 'sub'" in together.lines


def test_a_message_that_was_refused_gives_no_line_to_another(cell):
    text = 'let k = 9\ntry\n  message joint(Puma, k)\non-error why\n  message "handled"\nend\nmessage "end"'
    write(cell, "demo", text)
    ran = cell.do("run demo")
    assert ran.messages == ("handled", "end")
    assert all(line in ("", f"line {number} of 'demo'") for line, number in zip(ran.lines, (5, 7), strict=True))


def test_a_refused_run_shows_the_messages_before(cell):
    write(
        cell,
        "demo",
        'message "picked"\nwait 1\nmessage "placed"\nlet far = 900*cos(0*joint(Puma, 1))\nmove-joints-absolute Puma far,0,0,0,0,0',
    )
    with pytest.raises(Refused, match="Line 5 of program 'demo'") as refused:
        cell.do("run demo")
    assert refused.value.message.split("\n")[1:] == [
        "Messages before that:",
        "at 0.0000 s, line 1 of 'demo': picked",
        "at 1.0000 s, line 3 of 'demo': placed",
    ]
    assert len(refused.value.messages) == 2
    assert cell.state.time == 0.0


def test_a_refused_step_of_a_paused_run_shows_the_messages_since_it_stood(cell):
    write(
        cell,
        "demo",
        'message "picked"\nlet far = 900*cos(0*joint(Puma, 1))\nmessage "placed"\nmove-joints-absolute Puma far,0,0,0,0,0',
    )
    cell.do("debug demo")
    cell.do("step-into")
    with pytest.raises(Refused) as refused:
        cell.do("resume")
    assert "placed" in refused.value.message
    assert "picked" not in refused.value.message


# ---- waits and loops without end --------------------------------------------------------------------------


def test_a_wait_without_end_names_the_lines(cell):
    write(cell, "inner", "wait 1\nwait-for ready")
    write(cell, "main", "wait 1\n\ncall inner")
    write(cell, "other", "wait-until ready > 2")
    with pytest.raises(Refused, match=r"main in line 2 of 'inner' for ready = 1; other in line 1\)"):
        cell.do("run-together main other")


def test_a_loop_without_end_names_its_line(cell):
    write(cell, "spin", "let n = 0\nwhile true\n  let n = n + 1\nend")
    with pytest.raises(Refused, match=r"'spin' loops without .*, the last in line [23]; let it wait"):
        cell.do("run spin")


# ---- steps as they are written ----------------------------------------------------------------------------


def test_a_run_stands_before_a_step_as_it_is_written(cell):
    write(cell, "demo", "let i = 1\n\n  move-joints-relative Puma 5*i,0,0,0,0,0   # turn\nset-signal ready \\\n  i")
    cell.do("debug demo")
    stood = cell.do("step-into")
    assert stood.step == "move-joints-relative Puma 5*i,0,0,0,0,0   # turn"
    assert cell.do("step-into").step.split() == ["set-signal", "ready", "i"]


def test_a_step_is_printed_where_the_program_was_written_anew_meanwhile(cell):
    write(cell, "demo", "let i = 1\nmove-joints-relative Puma 5*i,0,0,0,0,0")
    cell.do("debug demo")
    write(cell, "demo", "wait 1\nwait 2")
    assert cell.do("step-into").step == "move-joints-relative Puma (5 * i, 0, 0, 0, 0, 0)"


@pytest.mark.parametrize("line", ["break demo 2", "break demo line 2", "break demo line=2"])
def test_a_breakpoint_is_set_with_and_without_the_word(cell, line):
    write(cell, "demo", "wait 1\nwait 2")
    assert "before line 2 of 'demo'" in str(cell.do(line))
    assert cell.do("run demo").line == 2
    cell.do("stop-run")
    cell.do("unbreak demo line 2")
    assert cell.do("debug demo from line 2").line == 2


def test_an_integer_that_is_missing_has_an_integer_as_its_example(cell):
    write(cell, "demo", "wait 1")
    with pytest.raises(CommandSyntaxError, match=r"Expected INTEGER, such as 3; found 'here'\."):
        cell.do("break demo here")


# ---- grippers ---------------------------------------------------------------------------------------------


def test_a_program_may_open_a_gripper_that_is_open(cell):
    write(cell, "demo", "open-gripper Puma\nwait 1\nopen-gripper Puma")
    ran = cell.do("run demo")
    assert ran.time == 1.0
    assert ran.messages == ()
    assert not [event for event in cell.session.recording.events if isinstance(event, Released)]
    assert cell.state.signals.get("Puma/gripper", 0.0) == 0.0


def test_a_half_open_gripper_is_opened_by_a_program(cell):
    write(cell, "demo", "open-gripper Puma to 10mm\nopen-gripper Puma")
    cell.do("run demo")
    assert len([event for event in cell.session.recording.events if isinstance(event, Released)]) == 2


def test_a_program_that_closes_on_nothing_is_refused(cell):
    write(cell, "demo", "close-gripper Puma")
    with pytest.raises(WorkcellError, match="closes on nothing"):
        cell.do("run demo")


# ---- what a called program inherits -----------------------------------------------------------------------


POSE = "400,0,200 rotate 180,0,0"
SET = "frame 0,100,50\ntool Puma 0,0,30\nspeed Puma 10deg/s"


def run(cell, text):
    """Where the robot is after a program, and when."""
    write(cell, "main", text)
    cell.do("run main")
    return cell.state.joints["Puma"], cell.state.time


def test_a_called_program_begins_with_frame_tool_and_speed_of_its_caller(cell):
    write(cell, "place", f"move-end-effector Puma {POSE}")
    joints, time = run(cell, f"{SET}\nmove-end-effector Puma {POSE}")
    called, later = run(cell, f"{SET}\ncall place")
    assert called == pytest.approx(joints)
    assert later == pytest.approx(time)
    alone, sooner = run(cell, "call place")
    assert alone != pytest.approx(joints)
    assert sooner < time


def test_frame_and_tool_that_a_called_program_sets_end_with_it_and_its_speed_stays(cell):
    write(cell, "own", "frame world\ntool Puma\nrounding Puma 5mm\nspeed Puma 90deg/s")
    joints, time = run(cell, f"{SET}\nmove-end-effector Puma {POSE}")
    again, sooner = run(cell, f"{SET}\ncall own\nmove-end-effector Puma {POSE}")
    assert again == pytest.approx(joints)
    assert sooner < time / 3
    _, next_run = run(cell, "move-joints-relative Puma 40,0,0,0,0,0")
    _, as_own = run(cell, "speed Puma 90deg/s\nmove-joints-relative Puma 40,0,0,0,0,0")
    assert next_run != pytest.approx(as_own)


def test_branches_begin_with_the_settings_of_their_program_and_keep_frames_to_themselves(cell):
    joints, _ = run(cell, f"{SET}\nmove-end-effector Puma {POSE}")
    branch = f"parallel\n  move-end-effector Puma {POSE}\nand\n  frame world\n  wait 1\nend"
    found, _ = run(cell, f"{SET}\n{branch}")
    assert found == pytest.approx(joints)


def test_a_program_begins_independent_with_frame_world_and_its_own_tool(cell):
    write(cell, "own", f"frame world\ntool Puma\nmove-end-effector Puma {POSE}")
    alone, _ = run(cell, f"move-end-effector Puma {POSE}")
    called, _ = run(cell, f"{SET}\ncall own")
    assert called == pytest.approx(alone)
