"""Programs as data, run: order of steps, variables, waits, branches, errors, and what a run leaves behind."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import CollisionStop, CommandSyntaxError, Refused
from workcell.programs.problem import ProgramProblems
from workcell.simulation.events import Message

HOME = "0,0,-90,0,90,0"
FAR = "(800*cos(0*joint(A,1)))"
"""An angle out of range, which the checker cannot decide."""


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in (
            f"create robot A puma560 joints {HOME}",
            f"create robot B puma560 at 0,2000,0 joints {HOME}",
            "create signal ready",
            "create signal count",
        ):
            cell.do(line)
        yield cell


def write(cell, name, text):
    return cell.do(f"program {name}\n{text}\nend")


def messages_of(cell):
    return [event.text for event in cell.session.recording.events if isinstance(event, Message)]


def test_loops_conditions_and_variables_do_what_they_say(cell):
    write(
        cell, "demo",
        """
        let sum = 0
        for i from 1 to 4
          if i = 2
            let sum = sum + 10
          else if i > 3
            let sum = sum + 100
          else
            let sum = sum + i
          end
        end
        while sum > 100
          let sum = sum - 50
        end
        repeat 2
          let sum = sum * 2
        end
        for x from 10mm to 30mm by 10mm
          message x
        end
        for k from 3 to 1 by -1
          message k
        end
        for never from 2 to 1
          message "never"
        end
        message sum
        """,
    )  # fmt: skip
    answer = cell.do("run demo")
    # 1 + 10 + 3 + 100 = 114, less 50 until at most 100, doubled twice.
    assert messages_of(cell) == ["10 mm", "20 mm", "30 mm", "3", "2", "1", "256"]
    assert answer.messages == tuple(messages_of(cell))
    assert answer.time == 0.0


def test_a_pallet_a_counter_a_subprogram_with_parameters_and_two_arms(cell):
    cell.do("targets along-curve spots normal 0,0,1 through (450,-150,300) (450,150,300) spacing 75")
    write(
        cell, "visit",
        """
        parameter spot target
        parameter up length = 40mm
        move-end-effector A spot translate 0,0,-up
        let inner = 1
        """,
    )  # fmt: skip
    write(
        cell, "work",
        """
        parallel
          for spot in spots
            call visit spot, 60mm
            set-signal count count + 1
          end
          set-signal ready 1
        and
          wait-until ready = 1 timeout 0.5s else
            message "B waits no longer at " + time()
          end
          move-joints-relative B 20,0,0,0,0,0
        end
        message "after both"
        """,
    )  # fmt: skip
    assert "mistake" not in str(cell.do("check program work")).replace("no mistakes", "")
    cell.do("run work")
    assert cell.state.signals["count"] == 5.0
    assert messages_of(cell) == ["B waits no longer at 0.5 s", "after both"]
    moves = cell.session.recording.moves
    assert [move.device for move in moves].count("A") == 5
    b = next(move for move in moves if move.device == "B")
    assert b.start == pytest.approx(0.5)
    last = cell.session.simulator.robot("A").tool_pose
    assert np.allclose(last.xyz[:2], [0.45, 0.15], atol=1e-9)


def test_a_condition_on_motion_is_seen_while_the_arm_moves(cell):
    write(
        cell, "work",
        """
        parallel
          speed A 0.5rad/s
          profile A linear
          move-joints-relative A 60,0,0,0,0,0
        and
          wait-until joint(A, 1) > 30deg
          message time()
        end
        """,
    )  # fmt: skip
    cell.do("run work")
    seen = float(messages_of(cell)[0].split()[0])
    assert 0 <= seen - np.radians(30) / 0.5 <= 1e-3 + 1e-9


def test_an_error_goes_to_the_nearest_handler_and_else_names_its_line(cell):
    write(cell, "inner", f"move-joints-absolute A {FAR},0,0,0,0,0")
    write(
        cell, "outer",
        """
        try
          parallel
            call inner
          and
            wait 5
          end
        on-error why
          message why
        end
        wait 1
        """,
    )  # fmt: skip
    cell.do("run outer")
    assert "Joint 1" in messages_of(cell)[0]
    assert cell.state.time == pytest.approx(1.0)  # the other branch was given up
    write(cell, "alone", "wait 1\n\ncall inner")
    before, steps = cell.state, len(cell.journal)
    with pytest.raises(Refused, match=r"^Line 1 of program 'inner' \(called in line 3 of 'alone'\): Joint 1"):
        cell.do("run alone")
    assert (cell.state, len(cell.journal)) == (before, steps)


def test_a_stop_before_a_contact_can_be_handled(cell):
    cell.do("add solid wall box 2000 100 3000 at 0,500,0")
    cell.do("watch yes")
    write(cell, "go", "try\n  move-joints-relative A 120,0,90,0,0,0\non-error why\n  message why\n  home A\nend")
    cell.do("run go")
    assert "would touch" in messages_of(cell)[0]
    assert np.allclose(cell.state.joints["A"], np.radians([0, 0, -90, 0, 90, 0]))
    write(cell, "go", "wait 1\nmove-joints-relative A 120,0,90,0,0,0")
    with pytest.raises(CollisionStop, match=r"^Line 2 of program 'go': A stopped at"):
        cell.do("run go")


def test_an_endless_loop_is_named(cell):
    write(cell, "spin", "let n = 0\nwhile true\n  let n = n + 1\nend")
    with pytest.raises(Refused, match=r"'spin' loops without time passing: 10,000 steps at 0\.0000 s"):
        cell.do("run spin")
    write(cell, "self", "if ready = 0\n  call self\nend")
    with pytest.raises(Refused, match=r"call each other over 100 levels deep: self → self"):
        cell.do("run self")


def test_stop_ends_the_run_and_return_only_the_program(cell):
    write(cell, "sub", "wait 1\nreturn\nwait 100")
    write(cell, "main", "call sub\nparallel\n  wait 1\n  stop\nand\n  wait 50\nend\nwait 3")
    cell.do("run main")
    assert cell.state.time == pytest.approx(2.0)


def test_a_run_edits_nothing_and_is_one_step_that_replays(cell):
    write(cell, "demo", "parameter n number\nspeed A 0.3rad/s\nprofile A 345\nmove-joints-relative A 10*n,0,0,0,0,0")
    rows = [row for row in cell.database.rows() if row[0] in ("entity", "relation", "setting")]
    cell.do("run demo with 2")
    assert [row for row in cell.database.rows() if row[0] in ("entity", "relation", "setting")] == rows
    assert cell.state.joints["A"][0] == pytest.approx(np.radians(20))
    assert list(cell.journal)[-1].command == "run program:demo with 2"
    assert cell.replayed().state == cell.state
    with pytest.raises(Refused, match="needs a value for its parameter 'n'"):
        cell.do("run demo")
    faster = cell.do("move-joints-relative A 20,0,0,0,0,0")
    assert faster.duration < np.radians(20) / 0.3


def test_a_program_follows_what_is_renamed(cell):
    cell.do("create target spot")
    cell.do("place spot at 450,0,300 rotate 180,0,0")
    write(
        cell, "demo",
        """
        let A = 3
        wait-for ready
        if ready = 1 and signal(ready) = 1
          move-joints-relative A 10,0,0,0,0,0
          move-end-effector A spot translate 0,0,-50
          let p = spot translate 0,0,-20
          message joint(A, 1) + A
          message p
        end
        call other
        """,
    )  # fmt: skip
    write(cell, "other", "wait 1")
    cell.do("modify robot:A name Left")
    cell.do('modify signal:ready name "part here"')
    cell.do("modify spot name A")
    cell.do('modify other name "an other"')
    text = cell.database.entity("program", "demo").properties["text"]
    assert "move-joints-relative Left 10" in text
    assert "joint(Left, 1) + A" in text  # the variable stays
    assert 'if signal:"part here" = 1 and signal("part here") = 1' in text
    assert 'wait-for "part here"' in text
    assert 'call "an other"' in text
    assert 'target:"A"' in text
    assert str(cell.do("check program demo")) == "program 'demo': no mistakes"
    cell.do('set-signal "part here" 1')
    cell.do("keep state")
    cell.do("run demo")
    cell.do("undo")
    for _ in range(6):
        cell.do("undo")
    assert "move-joints-relative A 10" in cell.database.entity("program", "demo").properties["text"]


def test_the_units_of_a_program_stay_when_those_of_the_cell_change(cell):
    write(cell, "demo", "move-joints-relative A 10,0,0,0,0,0\nwait 1")
    cell.do("run demo")
    before = cell.state
    cell.do("units m rad")
    cell.do("run demo")
    assert cell.state == before


def test_ten_mistakes_get_ten_messages_with_line_and_column(cell):
    cell.do("create target spot")
    cell.do("place spot at 450,0,300")
    lines = (
        ("speed A 5mm", 0, "angular speed"),
        ("move-joints-absolute a 0,0,0,0,0,0", 21, "there is A or B"),
        ("move-joints-absolute A 0,0,0,0,0", 0, "A has 6 joints; found 5 values"),
        ("move-joints-absolute A 999,0,0,0,0,0", 21, "out of its range"),
        ("wait nothing", 5, "'nothing'"),
        ("set-signal redy 1", 11, "did you mean ready"),
        ("move-end-effector A 5000,0,0", 0, "cannot reach 5000, 0, 0"),
        ("move-end-effector A spto", 20, "did you mean spot"),
        ("call missing", 5, "no program called 'missing'"),
        ("let x = 5mm + 30deg", 0, "cannot be added"),
        ("wait x +", 8, "Expected"),
        ("create robot C puma560", 0, "edits the cell"),
        ("if 5 > \"a\"", 0, "cannot be used between"),
        ("  mvoe A", 2, "'mvoe'"),
        ("end", 0, ""),
    )  # fmt: skip
    write(cell, "bad", "\n".join(line for line, _, _ in lines))
    problems = [one for one in cell.do("check program bad").problems if not one.warning]
    expected = [(number, column, words) for number, (_, column, words) in enumerate(lines, 1) if words]
    assert [(one.line, one.column) for one in problems] == [(line, column) for line, column, _ in expected]
    for one, (_, _, words) in zip(problems, expected, strict=True):
        assert words in one.message
    with pytest.raises(ProgramProblems, match=f"has {len(expected)} mistakes and cannot run"):
        cell.do("run bad")


def test_frames_and_tools_hold_for_the_steps_that_follow(cell):
    cell.do("create frame fixture")
    cell.do("place fixture at 450,0,300 rotate 180,0,0")
    write(
        cell, "demo",
        """
        frame fixture
        tool A 0,0,100
        move-end-effector A 0,0,-20
        move-straight-line A 0,50,-20
        """,
    )  # fmt: skip
    cell.do("run demo")
    robot = cell.snapshot().robot("A").robot
    flange = cell.session.simulator.robot("A").tool_pose @ robot.X_flange_tool.inverse()
    tip = flange @ wc.Pose.from_xyz(0, 0, 0.1)
    assert np.allclose(tip.xyz, [0.45, -0.05, 0.32], atol=1e-6)


def test_tables_of_a_program_are_kept_with_the_journal(cell, tmp_path):
    table = tmp_path / "waves.csv"
    q = np.radians([0, 0, -90, 0, 90, 0])
    rows = [f"{t},{q[0] + 0.1 * t * t * (3 - 2 * t)},0,{q[2]},0,{q[4]},0" for t in np.linspace(0, 1, 11)]
    table.write_text("\n".join(rows))
    write(cell, "demo", f'follow-table A "{table}" --any-acceleration\nwait 1')
    cell.do("run demo")
    assert cell.state.joints["A"][0] == pytest.approx(0.1)
    table.unlink()
    assert cell.replayed().state == cell.state


def messages(cell, text):
    write(cell, "p", text)
    cell.do("run p")
    return messages_of(cell)


def test_a_move_that_takes_no_time_lets_the_next_one_begin(cell):
    write(
        cell,
        "p",
        "home A\nhome A\nmove-joints-relative A 0,0,0,0,0,0\nmove-joints-relative A 5,0,0,0,0,0\nhome A\nhome A",
    )
    cell.do("run p")
    run = cell.session.recording.to_bytes()
    cell.do("reset")
    for line in ("home A", "home A", "move-joints-relative A 0,0,0,0,0,0", "move-joints-relative A 5,0,0,0,0,0"):
        cell.do(line)
    cell.do("home A")
    cell.do("home A")
    assert cell.session.recording.to_bytes() == run


def test_loops_count_in_the_units_of_their_numbers(cell):
    assert messages(cell, "for i from 1deg to 3deg\n  message i\nend") == ["1 deg", "2 deg", "3 deg"]
    assert messages(cell, "for i from 1 to 3mm\n  message i\nend") == ["1 mm", "2 mm", "3 mm"]


def test_a_condition_on_a_target_that_rides_is_seen_while_it_moves(cell):
    cell.do("add solid peg box 10 10 10 at 0,900,500 --movable")
    cell.do("targets along-edge peg left top to seam spacing 5")
    start = cell.snapshot().place_pose(cell.state, "seam-1").xyz[0]
    found = messages(
        cell,
        "parallel\n  move-solid peg through 300,900,500 speed 100mm/s\nand\n  wait-until x(seam-1) > 100\n  message "
        "time()\nend",
    )
    expected = (0.1 - start) / 0.1
    assert 0.0 <= float(found[0].split()[0]) - expected <= 1.1e-3


def test_an_error_in_the_condition_of_a_wait_is_caught(cell):
    text = "try\n  wait-until 1/ready > 0\non-error e\n  message e\nend"
    assert messages(cell, text) == ["A number cannot be divided by zero."]
    write(cell, "p", "wait 1\nwait-until 1/ready > 0")
    with pytest.raises(Refused, match=r"^Line 2 of program 'p': A number cannot be divided by zero"):
        cell.do("run p")
    write(cell, "p", "wait-until ready = 1 timeout 0.5s")
    with pytest.raises(Refused, match=r"The condition was not true within 0\.5 s"):
        cell.do("run p")


def test_a_handler_waits_for_the_moves_of_branches_that_were_given_up(cell):
    text = """
        try
          parallel
            move-joints-relative A 20,0,0,0,0,0
          and
            wait 0.1
            move-joints-absolute B (2*400),0,0,0,0,0
          end
        on-error why
          home A
        end
    """
    write(cell, "p", text)
    cell.do("run p")
    assert np.allclose(cell.state.joints["A"], np.radians([0, 0, -90, 0, 90, 0]))


def test_nothing_runs_without_end_or_grows_without_bound(cell):
    import threading

    from workcell.errors import Cancelled, WorkcellError

    for text, words in (
        ('let a = "xxxxxxxxxx"\nrepeat 30\n  let a = a + a\nend', "at most 100,000 characters"),
        ("if ready = 0\n  parallel\n    call p\n  end\nend", "over 100 levels deep"),
        ("for i from 0 to 1e308 by 1e-300\nend", "at most"),
        ("wait 1e17", "A wait takes zero to"),
    ):
        write(cell, "p", text)
        with pytest.raises(WorkcellError, match=words):
            cell.do("run p")
    for text in ("repeat 1e999\nend", "message " + "+".join("1" * 3000), "if true\n" * 500 + "end\n" * 500):
        write(cell, "p", text)
        assert cell.do("check program p").problems
    write(cell, "p", "wait-until time() > 100000")
    cancel = cell.session.cancel = threading.Event()
    timer = threading.Timer(0.3, cancel.set)
    timer.start()
    with pytest.raises(Cancelled):
        cell.do("run p")
    timer.join()
    cell.session.cancel = None


def test_a_rename_keeps_what_every_name_means(cell):
    for new in ("a-4", "a", "tran", "5x", "x+y", "count 2"):
        text = 'let a = 10\nset-signal ready 3\nmessage "v" + (a + ready)\nmessage signal(ready) + a'
        before = messages(cell, text)
        cell.do(f'modify signal:ready name "{new}"')
        assert str(cell.do("check program p")) == "program 'p': no mistakes"
        cell.do("run p")
        assert messages_of(cell) == before
        cell.do(f'modify signal:"{new}" name ready')
    cell.do("create target spot")
    cell.do("place spot at 450,0,300 rotate 180,0,0")
    for new in ("rot", "euler", "5x", "a+b", "ready", "A"):
        write(cell, "p", "let A = 1\nmove-end-effector A spot translate 0,0,-20\nmessage x(spot) + A")
        cell.do(f'modify target:spot name "{new}"')
        assert str(cell.do("check program p")) == "program 'p': no mistakes"
        cell.do("run p")
        cell.do(f'modify target:"{new}" name spot')
    write(cell, "p", "message x(spot)")
    cell.do("modify signal:ready name spot")
    cell.do("run p")
    assert messages_of(cell) == ["450 mm"]


def test_arguments_of_a_run_may_name_targets_and_are_in_the_units_of_who_asks(cell):
    cell.do("create target spot")
    cell.do("place spot at 450,0,300 rotate 180,0,0")
    write(cell, "p", "parameter t target\nparameter d length\nmessage x(t) + d")
    cell.do("run p with spot, 5")
    assert messages_of(cell) == ["455 mm"]
    cell.do("units m rad")
    cell.do("run p with spot, 0.005")
    assert messages_of(cell) == ["455 mm"]


def test_reach_is_judged_for_the_grip_and_not_where_the_frame_is_the_callers(cell):
    write(cell, "far", "move-end-effector A 860,0,200 rotate 180,0,0 of grip")
    assert "cannot reach" in str(cell.do("check program far"))
    write(cell, "inner", "move-end-effector A 0,0,0")
    write(cell, "outer", "frame 450,0,300 rotate 180,0,0\ncall inner")
    cell.do("run outer")
    write(cell, "tried", "try\n  move-end-effector A 5000,0,0\non-error e\n  message e\nend")
    cell.do("run tried")
    for line in ("wait -1", "repeat 2.5\nend", "repeat -2\nend", "wait-until ready = 1 timeout -1s"):
        write(cell, "p", line)
        assert any(not one.warning for one in cell.do("check program p").problems), line


def test_a_refusal_in_a_called_program_names_its_callers(cell):
    write(cell, "inner", f"wait 1\nmove-joints-absolute A {FAR},0,0,0,0,0")
    write(cell, "outer", "wait 1\ncall inner")
    with pytest.raises(Refused, match=r"^Line 2 of program 'inner' \(called in line 2 of 'outer'\): Joint 1"):
        cell.do("run outer")


def test_what_can_start_together_in_a_program_can_when_it_is_typed(cell):
    lines = (
        "move-joints-relative A 5,0,0,0,0,0",
        'message "both"',
        "together home A & move-joints-relative B 9,0,0,0,0,0",
    )
    for line in lines:
        cell.do(line)
    typed = cell.session.recording.to_bytes()
    write(cell, "p", "\n".join(lines))
    cell.do("run p")
    assert cell.session.recording.to_bytes() == typed
    with pytest.raises(CommandSyntaxError, match="Only moves can start together; `set joints` is not a move"):
        cell.do("together home A & set joints B 0,0,-90,0,90,0")


def test_a_device_with_one_joint_takes_a_number(cell):
    cell.do("add rail track 2000 at 0,-3000,0")
    write(
        cell,
        "p",
        "let n = 100\nmove-joints-absolute track n\nmove-joints-relative track 2*n\nmove-joints-relative track -n",
    )
    assert str(cell.do("check program p")) == "program 'p': no mistakes"
    cell.do("run p")
    assert cell.state.joints["track"][0] == pytest.approx(0.2)
    for line, words in (
        ("move-joints-absolute track 5deg*2", "Expected a length"),
        ("home track\nmove-joints-absolute A 5*2", "6 joints; found 1"),
    ):
        write(cell, "p", line)
        assert words in str(cell.do("check program p"))


def test_a_typed_target_is_the_place_that_a_program_goes_to(cell):
    cell.do("create frame fixture")
    cell.do("place fixture at 430,-60,260 rotate 180,0,20")
    for line in ("move-end-effector A fixture", "move-straight-line A fixture translate 0,5,-20", "home A"):
        cell.do(line)
    typed = cell.session.recording.to_bytes()
    write(cell, "p", "move-end-effector A fixture\nmove-straight-line A fixture translate 0,5,-20\nhome A")
    cell.do("run p")
    assert cell.session.recording.to_bytes() == typed
    assert cell.replayed().session.recording.to_bytes() == typed


def test_a_program_that_calls_itself_without_end_is_found_before_it_runs(cell):
    write(cell, "a", "wait 1\nrepeat 2\n  call b\nend")
    write(cell, "b", "if ready = 1\n  wait 1\n  call a\nelse\n  call a\nend")
    found = [one for one in cell.do("check program a").problems if not one.warning]
    assert [(one.line, one.column, one.message) for one in found] == [
        (3, 7, "Program 'a' calls itself without end: a → b → a.")
    ]
    for text in (
        "if ready = 1\n  call a\nend",
        "if ready = 1\n  return\nend\ncall a",
        "repeat 2\n  stop\n  call a\nend",
        "while ready = 0\n  call a\nend",
        "try\n  call a\non-error\n  wait 1\nend",
        "stop\ncall a",
    ):
        write(cell, "b", text)
        assert not [one for one in cell.do("check program a").problems if not one.warning], text
    write(cell, "b", "parallel\n  wait 1\nand\n  call b\nend")
    assert "calls itself without end: b → b" in str(cell.do("check program b"))


def test_removing_what_programs_name_is_reported(cell):
    write(cell, "sub", "wait 1")
    write(cell, "main", "# call sub\nwait 1\ncall sub\nset-signal ready 1")
    assert str(cell.do("remove sub")) == "program 'sub' removed; program 'main' still names it in line 3"
    assert "program 'main' still names it in line 4" in str(cell.do("remove signal:ready"))


def test_a_changed_text_answers_with_its_mistakes(cell):
    write(cell, "p", "wait 1")
    answer = str(cell.do('modify p text "wait 1%0Amvoe A"'))
    assert "p:2:1: 'mvoe'" in answer


def test_programs_read_the_signals_of_grippers(cell):
    cell.do("add solid cube box 40 40 40 at 500,-150,20 --movable")
    write(
        cell, "p",
        """
        wait-for A/gripper 0
        move-end-effector A 500,-150,20 euler fanuc_wpr 180,0,180 of grip
        close-gripper A
        wait-until signal:"A/gripper" = 1 timeout 1s
        message signal("A/gripper")
        if signal:"A/opening" < 0.05
          open-gripper A
        end
        wait-for "A/gripper" 0
        """,
    )  # fmt: skip
    assert str(cell.do("check program p")) == "program 'p': no mistakes"
    cell.do("run p")
    assert messages_of(cell) == ["1"]
    cell.do("modify robot:A name Left")
    text = cell.database.entity("program", "p").properties["text"]
    assert "A/" not in text
    assert str(cell.do("check program p")) == "program 'p': no mistakes"
    cell.do("run p")
    write(cell, "p", 'set-signal "Left/gripper" 1')
    with pytest.raises(Refused, match="`close-gripper` and `open-gripper` change it"):
        cell.do("run p")


def test_a_run_that_the_watch_stopped_is_kept_and_the_answer_says_how_to_look_at_it(cell):
    cell.do("add solid wall box 800 50 800 at 300,600,400")
    cell.do("watch yes")
    write(cell, "p", 'message "off"\nmove-joints-relative A 90,0,0,0,0,0')
    steps = len(cell.journal)
    with pytest.raises(CollisionStop) as stop:
        cell.do("run p")
    assert stop.value.message.split("\n")[1] == (
        "The run up to there is kept as one step of the history: `report`, `check recording` and `film FILE` show "
        "it, `undo` discards it."
    )
    assert stop.value.evidence["kept"]
    assert len(cell.journal) == steps + 1
    recorded = cell.session.recording.to_bytes()
    assert cell.session.recording.duration > 0.0
    cell.do("report")
    assert cell.replayed().session.recording.to_bytes() == recorded
    cell.undo()
    assert cell.state.time == 0.0
    assert len(cell.journal) == steps


def test_typed_lines_and_a_run_differ_in_their_files_only_by_who_gave_the_steps(cell, tmp_path):
    lines = ("speed A 30", "move-end-effector A 450,0,300 rotate 180,0,0", "set-signal ready 1", "wait 0.5", "home A")
    for line in lines:
        cell.do(line)
    cell.do(f"save-recording {tmp_path}/typed.rec")
    write(cell, "p", "\n".join(lines))
    cell.do("reset")
    cell.do("run p")
    cell.do(f"save-recording {tmp_path}/run.rec")
    typed, run = (wc.Recording.load(tmp_path / f"{name}.rec") for name in ("typed", "run"))
    assert typed.to_bytes(sources=True) != run.to_bytes(sources=True)
    assert typed.to_bytes() == run.to_bytes()
    typed.sources, typed.texts = run.sources, run.texts
    assert typed.to_bytes(sources=True) == run.to_bytes(sources=True)
    answer = str(cell.do(f"compare-recordings {tmp_path}/typed.rec {tmp_path}/run.rec"))
    assert "are the same." in answer
    assert "The files differ in who gave the steps" in answer
    again = str(cell.do(f"compare-recordings {tmp_path}/run.rec {tmp_path}/run.rec"))
    assert "who gave" not in again
