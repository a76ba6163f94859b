"""Mistakes that can be decided before a program runs: each is reported once, with its line and column."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.commands.cell import Cell
from workcell.commands.language.program_reader import read_program
from workcell.commands.program_store import names_of
from workcell.errors import WorkcellError
from workcell.programs.checker import check
from workcell.simulation.interpreter import Run
from workcell.spatial.units import Units

CELL = [
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "create robot Scara cobra600",
    "take-off Scara",
    "create signal ready",
    "add target spot 500,0,200 rotate 180,0,0",
    "add target far 5000,0,200",
    "create path way",
    *(f"add target {name} 500,{20 * n},200 rotate 180,0,0 to way" for n, name in enumerate("abc")),
    "create path empty",
    "create path single",
    "add target alone 500,0,200 rotate 180,0,0 to single",
    'write program sub "parameter n number%0Aparameter p pose = spot%0Amessage n%0Amessage x(p)"',
]
MISTAKES = {
    # joints and targets that are not there
    "message joint(Puma, 9)": "There are joints 1 to 6; found 9.",
    "message joint(Puma, 0)": "There are joints 1 to 6; found 0.",
    "message joint(Puma, 1.5)": "There are joints 1 to 6; found 1.5.",
    "message joint(Scara, 2 + 3)": "There are joints 1 to 4; found 5.",
    "move-end-effector Puma target(way, 4)": "There are targets 1 to 3; found 4.",
    "move-end-effector Puma target(way, count(way) + 1) translate 0,0,-50": "There are targets 1 to 3; found 4.",
    "move-end-effector Puma target(single, 2)": "There is only target 1; found 2.",
    "move-end-effector Puma target(empty, 1)": "There is no target; found 1.",
    "move-along Puma empty speed 50": "Path 'empty' has no targets",
    "move-along Puma single speed 50": "A seam needs two or more targets; 'single' has 1.",
    "follow-function Puma joint 7 by t for 5": "There are joints 1 to 6; found 7.",
    # arithmetic that has no value
    "wait 1/0": "A number cannot be divided by zero.",
    "message 5 % 0": "There is no remainder of a division by zero.",
    "wait ready + 1/(2-2)": "A number cannot be divided by zero.",
    "message sqrt(-1)": "`sqrt` of -1 is not a number.",
    "message ready * asin(2)": "`asin` of 2 is not a number.",
    "wait 1e300*1e300": "The result is too large to be a number.",
    "call sub 1/0": "A number cannot be divided by zero.",
    "move-end-effector Puma spot quaternion 0,0,0,0": "quaternion",
    "move-end-effector Puma spot axis 0,0,0 angle 5": "axis",
    "move-joints-absolute Puma 0,0,1/0,0,0,0": "A number cannot be divided by zero.",
    # numbers that cannot be used
    "wait 1 - 3": "The time must be 0 or more; found -2",
    "wait -1": "The time must be 0 or more; found -1.",
    "wait-until ready timeout 1 - 2": "The time must be 0 or more",
    "wait-until ready timeout -1": "The time must be 0 or more; found -1.",
    "speed Puma 0": "The angular speed must be more than zero; found 0.",
    "speed Puma 3 - 3": "The angular speed must be more than zero",
    "rounding Puma -5": "The length must be 0 or more; found -5.",
    "rounding Puma 5 - 6": "The length must be 0 or more",
    "approach Puma spot by 0": "The length must be more than zero; found 0.",
    "retract Puma by 2-2": "The length must be more than zero",
    "close-gripper Puma within -1": "The length must be 0 or more; found -1.",
    "close-gripper Puma angle -1": "The angle must be 0 or more; found -1.",
    "open-gripper Puma to 900": "opens from",
    "open-gripper Puma to 500 + 400": "opens from",
    # units
    "wait 5mm": "Expected a time; found 5mm.",
    "approach Puma spot by 5deg": "Expected a length; found 5deg.",
    "approach Puma spot by 2 * 5deg": "Expected a length; found an angle.",
    "set-signal ready 5mm": "Expected a plain number; found 5mm.",
    "set-signal ready 2 * 5mm": "Expected a number; found a length.",
    "rounding Puma 5deg": "Expected a length; found 5deg.",
    # conditions
    "wait-until 3": "Expected a condition; found the number 3.",
    "wait-until ready and 3": "Expected a condition; found the number 3.",
    "wait-until not (ready or 2 + 2)": "Expected a condition; found the number 4.",
    "wait-until 5mm": "Expected a condition; found a number (length).",
    'wait-until "yes"': "Expected a condition; found a text.",
    "wait-until spot > 5": "`>` cannot be used between a pose and a number.",
    # reach and range
    "move-path Puma through far": "Puma cannot reach 5000, 0, 200 mm",
    "move-path Puma through spot through far": "Puma cannot reach 5000, 0, 200 mm",
    "move-circular Puma 400,0,200 to far": "Puma cannot reach 5000, 0, 200 mm",
    "move-joints-absolute Puma 2*300,0,0,0,0,0": "440 ° out of its range",
    "move-joints-relative Puma 0,0,0,0,0,-900": "Joint 6 (flange) of puma560 cannot move by -900 °",
    "move-joints-relative Puma 2*300,0,0,0,0,0": "cannot move by 600 °; its range is 320 °.",
    "move-joints-absolute Puma joints(Scara)": "Puma has 6 joints; found 4 values.",
    "move-joints-absolute Puma 1": "Puma has 6 joints; found 1 value.",
    # names
    "set-signal nosuch 1": "There is no signal called 'nosuch'",
    'set-signal signal:"Puma/gripper" 1': "'Puma/gripper' shows the state of a gripper; `close-gripper` and `open-gripper` change it.",
    "open-gripper Scara": "Scara has no gripper.",
    "home spot": "Expected a robot, mechanism or machine; 'spot' is a target.",
    "call nosuch": "There is no program called 'nosuch'",
    "call sub": "Program 'sub' needs a value for its parameter 'n'.",
    "call sub 1, spot, 3": "Program 'sub' has 2 parameters; found 3 values.",
    'call sub "one"': "Parameter 'n' of 'sub': Expected a number; found a text.",
    "call sub 1, 2": "Parameter 'p' of 'sub': Expected a pose; found a number.",
    "together home Puma & home Puma": "Puma cannot make two moves at once",
    "return 5": "Nothing more was expected; found '5'.",
    "break outer": "`break` is not a step of a program.",
}  # fmt: skip
BLOCKS = {
    "if 3": "Expected a condition; found the number 3.",
    "if 1/0 = 1": "A number cannot be divided by zero.",
    "while ready and 7": "Expected a condition; found the number 7.",
    "repeat 1/0": "A number cannot be divided by zero.",
    "repeat 2.5": "Expected a whole number; found 2.5.",
    "repeat 5/2": "Expected a whole number; found 2.5.",
    "repeat 1 - 2": "The number must be 0 or more; found -1.",
    "for i from 1 to 5 by 0": "A loop cannot count by zero.",
    "for i from 1 to 5 by 1-1": "A loop cannot count by zero.",
    "for i from 1mm to 5deg": "A length and an angle cannot be added or compared.",
    'for i from 1 to "a"': "Expected a number; found a text.",
    "for i in empty": "Path 'empty' has no targets",
    "for i in ready": "Expected a path; 'ready' is a signal.",
}
WARNINGS = {
    "for i from 5 to 1\n  message i\nend": "This loop has no rounds, because it counts in the other direction; write `by -1`",
    "for i from 1 to 5 by -1\n  message i\nend": "This loop has no rounds, because it counts in the other direction.",
    "wait-until 1 > 2": "This condition is never true",
    "wait-until false": "This condition is never true",
    "parallel\n  home Puma\nand\n  home Puma\nend": "Two branches move Puma",
    "move-joints-relative Puma 300,0,0,0,0,0": "140 ° out of its range -160 … 160 °; this assumes that Puma starts",
}
RIGHT = [
    "while 1\n  wait 1\nend", "if 0\n  wait 1\nend", "if ready\n  wait 1\nend", "let n = 3\nif n\n  wait 1\nend",
    "message joint(Puma, 6)", "let k = 9\nmessage joint(Puma, k)", "for i from 5 to 1 by -1\n  message i\nend",
    "try\n  wait 1/0\non-error\n  wait 1\nend", "try\n  repeat 1/0\n    wait 1\n  end\non-error\n  wait 1\nend",
    "try\n  move-end-effector Puma target(way, 9)\non-error why\n  message why\nend", "wait 0", "rounding Puma 0",
    "for i from 0 to 10 by 5mm\n  move-hand Puma translate 0,0,i\nend", "wait-until 1 > 2 timeout 5 else\n  wait 1\nend",
    "move-joints-absolute Puma -150,0,-90,0,90,0\nmove-joints-relative Puma 300,0,0,0,0,0", "let r = (0,0,-90,0,90,0)\nmove-joints-absolute Puma r",
    "let q = joints(Puma)\nmove-joints-absolute Puma q", "for p in way\n  approach Puma p by 20\nend",
    "message count(way) / 3", "for k from 1 to count(way)\n  approach Puma target(way, k) by 20\nend",
]  # fmt: skip


@pytest.fixture(scope="module")
def cell():
    with Cell() as cell:
        for line in CELL:
            cell.do(line)
        yield cell


@pytest.fixture(scope="module")
def names(cell):
    return names_of(cell.session)


def problems(names, text):
    read = read_program("p", text, Units())
    return [*read.problems, *check(read.program, names, read.mentions, text)]


@pytest.mark.parametrize("line", [*MISTAKES, *BLOCKS])
def test_a_mistake_is_reported_once_with_its_line_and_column(names, line):
    block = "\n    home Puma\n  end" if line in BLOCKS else ""
    found = problems(names, f"wait 1\n  {line}{block}")
    assert [one.message for one in found if (MISTAKES | BLOCKS)[line] in one.message], found
    assert len(found) == 1
    assert found[0].line == 2
    assert found[0].column >= 2
    assert not found[0].warning


@pytest.mark.parametrize("text", WARNINGS)
def test_what_is_odd_is_a_warning(names, text):
    found = problems(names, text)
    assert [one.warning for one in found] == [True], found
    assert WARNINGS[text] in found[0].message


@pytest.mark.parametrize("text", RIGHT)
def test_what_can_be_carried_out_is_not_reported(names, text):
    assert problems(names, text) == []


@pytest.mark.parametrize("line", ["parameter n number = 1/0", "parameter n number = 5mm", "parameter p pose = nosuch"])
def test_a_mistake_in_a_default_stands_in_the_line_of_its_parameter(names, line):
    found = problems(names, f"parameter a number\n  {line}\nmessage a")
    assert [one.line for one in found] == [2], found
    assert found[0].column >= 2


def test_all_of_them_at_once(names):
    lines = [*MISTAKES]
    found = problems(names, "\n".join(lines))
    reported = {one.line for one in found if not one.warning}
    assert reported == set(range(1, len(lines) + 1))


@pytest.mark.parametrize("line", [one for one in MISTAKES if not one.startswith("wait-until")])
def test_what_is_reported_is_refused_when_it_is_done(cell, names, line):
    """Conditions are left out: any number counts as one while a program runs."""
    read = read_program("p", line, Units())
    if not read.problems:
        run = Run(wc.Simulator(cell), [read.program], known=names.programs)
        with pytest.raises(WorkcellError):
            run.go()
