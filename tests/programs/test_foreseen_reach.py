"""Reach is tested before a run for every pose of its loops, and what only the run decides is reported as such.

The interpreter is the judge: a program that the checker finds without fault, and without anything left open, is never
refused for its reach, and one that it finds at fault is refused where it says.
"""

from __future__ import annotations

import random
import re

import pytest

import workcell as wc
from workcell.commands.language.program_reader import read_program
from workcell.commands.program_store import names_of
from workcell.errors import CommandSyntaxError, KinematicsError, Refused, WorkcellError
from workcell.programs.checker import checkup
from workcell.programs.foresight import MOST
from workcell.simulation.interpreter import Run
from workcell.simulation.refusals import StepRefused

CELL = [
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "add solid pallet box 900 400 40 at 600,0,-20",
    "targets grid 4x2 to spots pitch 200,150 on pallet at -300,-75,220 rotate 180,0,0",
    "add solid box box 60 60 60 at 450,100,30 --movable",
    "add target top 450,100,200 rotate 180,0,0 on box",
    "add target far 2000,0,200 on box",
    "add target home-spot 450,0,250 rotate 180,0,0",
    "add frame fixture 400,0,250 rotate 180,0,0 on pallet",
    "create signal ready",
    'write program place "parameter p pose%0Aparameter h length = 50%0Amove-end-effector Puma p translate 0,0,-h"',
]


@pytest.fixture(scope="module")
def cell():
    with wc.Cell() as cell:
        for line in CELL:
            cell.do(line)
        yield cell


def looked_at(cell, text):
    read = read_program("p", text)
    assert not read.problems, read.problems
    return checkup(read.program, names_of(cell.session), read.mentions, text)


def reported(cell, text):
    """The line and message of every mistake, and the line and message of all that is left open."""
    found = looked_at(cell, text)
    assert not [one for one in found.problems if "cannot reach" not in one.message and not one.warning]
    return (
        [(one.line, one.message) for one in found.problems if not one.warning],
        [(one.line, one.message) for one in found.open],
    )


FAR = {
    "for s in spots\n  move-end-effector Puma s translate 0,0,-20\nend": (
        2, "Puma cannot reach 900, -75, 220 mm in this orientation, in round 4 of 8 (s is spots-4) and in other rounds."),
    "for i from 1 to 4\n  wait 1\n  move-straight-line Puma home-spot translate 150*i,0,0\nend": (
        3, "Puma cannot reach 900, 0, 250 mm in this orientation, in round 3 of 4 (i = 3) and in other rounds."),
    "for i from 0 to 1\n  for j from 0 to 2\n    approach Puma (400 + 250*j, 200*i, 200) rotate 180,0,0 by 30\n  end\nend": (
        3, "in round 3 of 3 (j = 2) of round 1 of 2 (i = 0) and in other rounds."),
    "for k from 1 to count(spots)\n  move-end-effector Puma target(spots, k)\nend": (2, "in round 4 of 8 (k = 4)"),
    "let n = 0\nwhile n < 5\n  let n = n + 1\n  move-end-effector Puma home-spot translate 150*n,0,0\nend": (
        4, "in round 3 and in other rounds."),
    "let p = home-spot translate 800,0,0\nmove-end-effector Puma p": (2, "Puma cannot reach 1250, 0, 250 mm"),
    "move-end-effector Puma fixture translate 900,0,0": (1, "Puma cannot reach 1300, 0, 250 mm"),
    "frame fixture\nmove-end-effector Puma 900,0,0": (2, "Puma cannot reach 1300, 0, 250 mm"),
    "tool Puma 0,0,900\nmove-end-effector Puma 450,0,250 rotate 180,0,0": (2, "Puma cannot reach"),
    "for s in spots\n  call place s, 20\nend": (
        2, "Line 3 of program 'place': Puma cannot reach 900, -75, 220 mm in this orientation, in round 4 of 8"),
    "repeat 3\n  move-end-effector Puma top translate 0,0,-2000\nend": (2, "in round 1 of 3 and in other rounds."),
    "if ready\n  move-end-effector Puma fixture translate 900,0,0\nend": (2, "Puma cannot reach"),
    "move-along Puma spots speed 50": (
        1, "Puma cannot reach 900, -75, 200 mm in this orientation, nor other poses of this step."),
    "for i from 1 to 3\n  move-joints-absolute Puma 70*i,0,-90,0,90,0\nend": (2, "in round 3 of 3 (i = 3)"),
    "move-end-effector Puma far": (1, "Puma cannot reach 2000, 0, 200 mm"),
    "grip box with Puma\nmove-end-effector Puma spots-4": (2, "Puma cannot reach 900, -75, 200 mm"),
}  # fmt: skip


@pytest.mark.parametrize("text", FAR)
def test_a_pose_that_a_loop_comes_to_and_nobody_reaches_is_a_mistake_with_its_round(cell, text):
    line, words = FAR[text]
    mistakes = [one for one in looked_at(cell, text).problems if not one.warning]
    assert [one.line for one in mistakes] == [line]
    assert words in mistakes[0].message
    cell.do(f'write program p "{text.replace(chr(10), "%0A")}"')
    assert mistakes[0].message in str(cell.do("check program p"))
    with pytest.raises(Refused, match="has a mistake and cannot run"):
        cell.do("run p")
    cell.undo()


REACHED = [
    "for s in spots\n  if x(s) < 850mm\n    move-end-effector Puma s translate 0,0,-20\n  end\nend",
    "for i from 1 to 3\n  move-straight-line Puma home-spot translate 50*i,0,0\nend",
    "for i from 5 to 1\n  move-end-effector Puma home-spot translate 1000*i,0,0\nend",
    "let i = 3\nif i > 5\n  move-end-effector Puma home-spot translate 500*i,0,0\nend",
    "try\n  move-end-effector Puma far\non-error why\n  message why\nend",
    "let n = 9\nreturn\nmove-end-effector Puma home-spot translate 500*n,0,0",
    "frame fixture\nmove-end-effector Puma 0,0,0\nframe world\nmove-end-effector Puma home-spot",
    "tool Puma 0,0,100\nmove-end-effector Puma home-spot\ntool Puma\nmove-end-effector Puma top",
    "repeat 1000000\n  move-end-effector Puma top\nend",
    "while 1\n  move-end-effector Puma top translate 0,0,-20\nend",
    "call place home-spot\ncall place home-spot, 20mm",
]


@pytest.mark.parametrize("text", REACHED)
def test_what_is_reached_in_every_round_is_no_mistake_and_leaves_nothing_open(cell, text):
    found = looked_at(cell, text)
    assert not [one for one in found.problems if not one.warning]
    assert not found.open


OPEN = {
    "move-end-effector Puma home-spot translate ready,0,0": (1, "signal ready"),
    "grip box with Puma\nmove-end-effector Puma far": (2, "where box is then"),
    "close-gripper Puma\nhome Puma\nmove-end-effector Puma top": (3, "where box is then"),
    "parameter h length\nmove-end-effector Puma home-spot translate 0,0,h": (2, "parameter h"),
    "let n = 0\nwhile ready\n  let n = n + 500\n  move-end-effector Puma home-spot translate n,0,0\nend": (4, "variable n"),
    "move-end-effector Puma tool(Puma) translate 0,0,20": (1, "tool(Puma)"),
    "let n = 0\nparallel\n  wait ready\n  let n = 900\nand\n  move-end-effector Puma home-spot translate n,0,0\nend": (
        6, "variable n"),
    "move-straight-line Puma home-spot orientation keep": (1, "how the hand of Puma is turned then"),
    "frame home-spot translate ready,0,0\nmove-end-effector Puma 0,0,0": (2, "signal ready"),
    f"for i from 1 to {2 * MOST}\n  move-end-effector Puma home-spot translate i/{MOST},0,0\nend": (2, "were not checked"),
}  # fmt: skip


@pytest.mark.parametrize("text", OPEN)
def test_what_only_the_run_decides_is_reported_with_the_reason(cell, text):
    line, words = OPEN[text]
    mistakes, left = reported(cell, text)
    assert not mistakes
    assert [one for one, _ in left] == [line]
    assert words in left[0][1]
    cell.do(f'write program p "{text.replace(chr(10), "%0A")}"')
    answer = str(cell.do("check program p"))
    assert f"p:{line}" in answer
    assert words in answer
    cell.undo()


def test_a_part_that_another_program_may_move_makes_it_a_warning(cell):
    cell.do('write program other "grip box with Puma"')
    try:
        (found,) = looked_at(cell, "move-end-effector Puma far").problems
        assert found.warning
        assert found.message.endswith("; another program may have moved box by then.")
    finally:
        cell.undo()


# ---- the interpreter as the judge -------------------------------------------------------------------------------

POSES = [
    "home-spot", "spots-1", "spots-4", "top", "fixture", "target(spots, 3)", "(400,0,200) rotate 180,0,0",
    "pose(box) rotate 180,0,0 translate 0,0,-150", "far", "p", "q",
]  # fmt: skip
NUMBERS = ["0", "50", "150", "n", "m*40", "n + 20", "100 - n", "x(p)", "ready*900"]


def drawn(chance: random.Random, depth: int = 0) -> list[str]:
    """Lines of a random program over the cell."""
    lines = []
    for _ in range(chance.randrange(1, 4)):
        kind = chance.random()
        pose, number = chance.choice(POSES), chance.choice(NUMBERS)
        offset = chance.choice(["", f" translate ({number}, 0, 0)", f" translate (0, {number}, -20) along world"])
        if kind < 0.4 or depth > 2:
            lines.append(f"move-end-effector Puma {pose}{offset}")
        elif kind < 0.5:
            lines.append(f"let {chance.choice('nm')} = {chance.choice(['1', '3', 'n + 1', 'm * 2', 'ready', '120'])}")
        elif kind < 0.6:
            lines.append(f"let {chance.choice('pq')} = {chance.choice([one for one in POSES if one not in 'pq'])}")
        elif kind < 0.64:
            lines.append(chance.choice(["frame world", "frame home-spot rotate 180,0,0", "frame 0,100,0"]))
        elif kind < 0.67:
            lines.append(chance.choice(["tool Puma", "tool Puma 0,0,60", "tool Puma 0,0,900"]))
        elif kind < 0.7:
            lines.append("grip box with Puma" if "grip box with Puma" not in lines and depth == 0 else "wait 0.1")
        elif kind < 0.76:
            lines.append(f"call place ({chance.choice(POSES)}), {chance.choice(['20', '10*m', '300'])}")
        else:
            head = chance.choice(
                ["repeat 2", "for n from 1 to 3", "for m from 4 to 0 by -2", "for p in spots", "if n > 2", "if ready"]
            )
            inner = ["  " + line for line in drawn(chance, depth + 1)]
            lines += [head, *inner, "end"]
    return lines


@pytest.mark.parametrize("seed", range(80))
def test_the_interpreter_refuses_what_the_checker_finds_and_nothing_else(cell, seed):
    head = ["let n = 1", "let m = 2", "let p = home-spot", "let q = fixture"]
    text = "\n".join([*head, *drawn(random.Random(seed))])
    found = looked_at(cell, text)
    names = names_of(cell.session)
    read = read_program("p", text)
    refused = refusal(Run(wc.Simulator(cell), [read.program], {**names.programs, "p": read.program}))
    assert refused is None or isinstance(refused.evidence["reason"], KinematicsError), refused
    mistakes = {one.line for one in found.problems if not one.warning}
    left = {one.line for one in found.open}
    if refused is None:
        taken_by_chance = "if ready" in text
        assert not mistakes or taken_by_chance, (text, found.problems)
        return
    lines = {refused.evidence["line_number"], *_callers(refused)}
    assert lines & (mistakes | left), (text, refused.message, found)


def refusal(run: Run) -> StepRefused | None:
    try:
        run.go()
    except StepRefused as error:
        return error
    return None


def _callers(refused: StepRefused) -> set[int]:
    words = refused.message.partition(": ")[0].partition("called in line ")[2]
    return {int(words.split()[0])} if words else set()


ADDING_UP = [
    ("home Puma\nrepeat 5\n  move-joints-relative Puma 60,0,0,0,0,0\nend", 3, "in round 3 of 5 and in other rounds"),
    (
        "move-joints-absolute Puma 100,0,-90,0,90,0\nfor i from 1 to 3\n  move-joints-relative Puma 20*i,0,0,0,0,0\nend",
        3, "in round 3 of 3 (i = 3)",
    ),
    (
        "home Puma\nfor a from 10deg to 90deg by 40deg\n  repeat 2\n    move-joints-relative Puma a,0,0,0,0,0\n  end\nend",
        4, "in round 1 of 2 of round 3 of 3 (a = 90 deg)",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "round_"), ADDING_UP)
def test_relative_moves_that_add_up_beyond_the_range_are_foreseen_in_the_round_in_which_the_run_is_refused(
    cell, text, line, round_
):
    (found,) = looked_at(cell, text).problems
    assert (found.line, found.warning) == (line, False)
    assert "out of its range" in found.message
    assert round_ in found.message
    with pytest.raises(StepRefused) as refused:
        Run(wc.Simulator(cell), [read_program("p", text).program]).go()
    words = round_.removeprefix("in ").removesuffix(" and in other rounds")
    assert f"Line {line} of program 'p', {words}: Joint 1" in refused.value.message


def test_a_loop_of_relative_moves_from_where_a_robot_starts_is_a_warning_that_names_the_assumption(cell):
    (found,) = looked_at(cell, "repeat 5\n  move-joints-relative Puma 60,0,0,0,0,0\nend").problems
    assert found.warning
    assert found.message.endswith(
        "in round 3 of 5 and in other rounds; this assumes that Puma starts with its initial joint values."
    )


def test_relative_moves_there_and_back_are_right_however_often(cell):
    there, back = "30,10,5,0.3,0,0", "-30,-10,-5,-0.3,0,0"
    text = f"repeat 100000\n  move-joints-relative Puma {there}\n  move-joints-relative Puma {back}\nend"
    found = looked_at(cell, text)
    assert (found.problems, found.open) == ([], [])


def test_a_relative_move_after_a_move_of_the_hand_is_not_reported(cell):
    text = "move-end-effector Puma home-spot\nrepeat 5\n  move-joints-relative Puma 60,0,0,0,0,0\nend"
    found = looked_at(cell, text)
    assert (found.problems, found.open) == ([], [])


def test_a_curve_along_a_path_is_left_open_and_a_path_is_no_pose():
    cell = wc.Cell()
    for line in ("create robot Puma puma560 joints 0,0,-90,0,90,0", "create path edge", "learn target T1 to edge"):
        cell.do(line)
    cell.do("move-joints-relative Puma 20,0,0,0,0,0")
    cell.do("learn target T2 to edge")
    cell.do('write program along "move-along Puma edge speed 100"')
    (left,) = cell.do("check program along").open
    assert left.message == (
        "Only the run, or `plan-step`, can decide whether the hand can follow edge between its targets."
    )
    advice = "'edge' is a path: `move-along ROBOT edge speed SPEED` follows it, and `for VARIABLE in edge` visits"
    with pytest.raises(CommandSyntaxError, match=re.escape(advice)):
        cell.do("move-path Puma through edge")
    cell.do('write program through "move-path Puma through edge"')
    (wrong,) = cell.do("check program through").problems
    assert advice in wrong.message


def test_the_kinds_of_step_that_plan_step_takes_are_those_that_say_so():
    cell = wc.Cell()
    cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
    kinds = cell.do("step-kinds").kinds
    for kind in kinds:
        if not kind.line or kind.opens or kind.group not in ("Moves", "Settings"):
            continue
        cell.session.call("write program", {"name": "one", "text": kind.line})
        try:
            cell.do("plan-step one 1")
            refused = ""
        except WorkcellError as error:
            refused = error.message
        assert ("is not a move" in refused) == (not kind.planned), (kind.kind, refused)
