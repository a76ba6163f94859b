"""Targets whose names are letters, units, numbers or words of the language: they work wherever a pose is asked for.

Every line with such a name must do what the same line does with a name that collides with nothing.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.commands.language.program_reader import read_program
from workcell.commands.language.registry import registry
from workcell.errors import WorkcellError
from workcell.programs.functions import FUNCTIONS
from workcell.programs.measures import UNITS
from workcell.spatial.rotations import CONVENTIONS
from workcell.world.names import RESERVED

FORMS = ("translate", "rotate", "scale", "euler", "axis", "points", "quaternion", "matrix")
HOME = "0,60,-190,0,40,0"
PLACE = "500,-150,500 euler fanuc_wpr 180,0,180"
OFFSETS = [
    "", " translate 0,0,-40", " t 0,0,-40", " tra 0 0 -40", " rotate 0,0,20", " euler agent_rpy 0,0,10",
    " translate 0,0,40 along world", " translate 0,0,-10 along NAME rotate 0,0,5",
    " translate 5,0,0 along world translate 0,0,-10 along NAME",
]  # fmt: skip
TYPED = [
    "move-end-effector Puma NAME{}", "move-straight-line Puma NAME{} speed 100", "approach Puma NAME{} by 30",
    "move-end-effector Puma NAME{} branch nearest", "move-path Puma through NAME{} through 480,-80,480 rotate 180,0,0", "ik Puma NAME{}",
    "move-circular Puma 480,-80,480 to NAME{}", "add frame another NAME{}", "place Crate99 at NAME{}",
]  # fmt: skip


def _words() -> set[str]:
    """Words of commands, of their options and of expressions, units, functions, conventions, and beginnings of some."""
    language = {word for one in registry().commands for word in re.findall(r"[a-z][a-z-]*", one.syntax.shown())}
    begun = {form[:length] for form in FORMS for length in range(1, len(form) + 1)}
    return {*language, *begun, *UNITS, *FUNCTIONS, *CONVENTIONS, "true", "false", "along", "end", "if"}


NAMES = sorted(
    {
        *(word for word in _words() if re.fullmatch(r"\w[\w+-]*", word)),
        *"abcdefghijklmnopqrstuvwxyzTXYZ",
        *("12", "2nd", "1e5", "3mm", "5-3", "5+3", "0", "4x3", "x-1", "t-1", "m+m", "translate-1", "12-translate"),
    }
)


def made(name: str) -> wc.Cell | None:
    """A cell with a target of that name, and None where the name is refused with a sentence."""
    cell = wc.Cell()
    for line in (f"create robot Puma puma560 joints {HOME}", "add solid Crate99 box 50 50 50 at 0,900,25"):
        cell.do(line)
    if name.lower() in RESERVED:
        with pytest.raises(WorkcellError, match="word of the command language"), cell:
            cell.do(f"add target {name} {PLACE}")
        return None
    cell.do(f"add target {name} {PLACE}")
    return cell


def outcome(cell: wc.Cell, line: str) -> object:
    """What a typed line does, which is undone: where something is afterwards, what was recorded, or the answer."""
    answer = cell.do(line)
    if line.startswith("ik"):
        return str(answer)
    if line.startswith("add frame"):
        found = cell.snapshot().place_pose(cell.state, "another").matrix.tobytes()
    elif line.startswith("place"):
        found = cell.snapshot().body_poses(cell.state).tobytes()
    else:
        found = cell.session.recording.to_bytes()
    cell.undo()
    return found


class Plain(dict[str, object]):
    """What every line does with a name that collides with nothing; a test that fails need not print it."""

    def __repr__(self) -> str:
        return "plain"


@pytest.fixture(scope="module")
def plain() -> Plain:
    """What every line does with a name that collides with nothing."""
    lines = [line.format(offset) for line in TYPED for offset in OFFSETS]
    found = Plain()
    with made("somewhere") as cell:
        for line in lines:
            found[line] = outcome(cell, line.replace("NAME", "somewhere"))
    return found


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(NAMES), st.data())
def test_a_target_of_any_name_can_be_typed_where_a_pose_is_asked_for(plain, name, data):
    cell = made(name)
    if cell is None:
        return
    with cell:
        for line in data.draw(st.lists(st.sampled_from(sorted(plain)), min_size=4, max_size=6, unique=True)):
            assert outcome(cell, line.replace("NAME", name)) == plain[line], line.replace("NAME", name)


STEPS = [one for one in TYPED if not one.startswith(("ik", "add", "place"))]


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(NAMES), st.sampled_from(STEPS), st.sampled_from(OFFSETS))
def test_a_target_of_any_name_can_be_named_in_a_step(plain, name, step, offset):
    cell = made(name)
    if cell is None:
        return
    with cell:
        line = step.format(offset.replace(" t ", " translate "))
        cell.do(f'write program go "{line.replace("NAME", name)}"')
        assert not cell.do("check program go").problems
        cell.do("run go")
        assert cell.session.recording.to_bytes() == plain[step.format(offset)]
        cell.do("tidy program go")
        cell.do("run go")
        assert cell.session.recording.to_bytes() == plain[step.format(offset)]


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(NAMES))
def test_a_rename_to_any_name_keeps_what_a_program_does(plain, name):
    step = "move-end-effector Puma NAME translate 0,0,-40"
    with made("somewhere") as cell:
        cell.do(f'write program go "let p = somewhere%0A{step.replace("NAME", "somewhere")}%0Amessage x(p)"')
        if name.lower() in RESERVED:
            with pytest.raises(WorkcellError, match="word of the command language"):
                cell.do(f"modify target:somewhere name {name}")
            return
        cell.do(f"modify target:somewhere name {name}")
        assert not cell.do("check program go").problems
        cell.do("run go")
        x = cell.snapshot().place_pose(cell.state, name, "target").xyz[0]
        assert cell.session.recording.events[-1].text == f"{x * 1e3:g} mm"


def test_numbers_behind_a_word_are_those_of_a_transformation():
    """With a target `t` in the cell, `t 0,0,-40` is still a shift: a name has no numbers behind it."""
    with made("t") as cell:
        cell.do("add frame shifted t 10,20,30")
        assert np.allclose(cell.snapshot().place_pose(cell.state, "shifted").xyz, [0.01, 0.02, 0.03])
        cell.do("add frame there t t 0,0,-40")
        X_world_t = cell.snapshot().place_pose(cell.state, "t", "target")
        wanted = X_world_t @ wc.Pose.from_xyz(0, 0, -0.04)
        assert cell.snapshot().place_pose(cell.state, "there").is_close(wanted, 1e-12, 1e-12)


def test_a_lone_number_is_reported_as_no_position():
    with made("somewhere") as cell, pytest.raises(WorkcellError, match=r"Expected 3 numbers .* found 1"):
        cell.do("move-end-effector Puma 500")
    with made("somewhere") as cell:
        cell.do('write program go "move-end-effector Puma 500"')
        (problem,) = cell.do("check program go").problems
        assert problem.message.endswith("A position has three numbers: X,Y,Z."), problem.message


VALUES = {
    "325,100,380 rotate 180,0,0": "(325,100,380) rotate 180,0,0",
    "325,100,380": "(325,100,380)",
    "325, 100, 380 rotate 180,0,0": "(325,100,380) rotate 180,0,0",
    "h,100,2*h rotate 180,0,0": "(h,100,2*h) rotate 180,0,0",
    "325,100,h translate 0,0,-h along world": "(325,100,h) translate 0,0,-h along world",
    "325, 100 + h, max(h, 2) euler fanuc_wpr 180,0,0": "(325, 100 + h, max(h, 2)) euler fanuc_wpr 180,0,0",
    "0,0,-90,0,90,0": "(0,0,-90,0,90,0)",
    "0.3,0.1,0.4 m rotate 180,0,0": "(0.3,0.1,0.4) m rotate 180,0,0",
}


@pytest.mark.parametrize("typed", VALUES)
def test_a_value_may_be_a_position_without_brackets(typed):
    for line in ("let p = {}", "parameter p pose = {}"):
        head = "let h = 40\n" if line.startswith("let") else ""
        typed_now = typed if head else re.sub(r"\bh\b", "40", typed)
        wanted = VALUES[typed] if head else re.sub(r"\bh\b", "40", VALUES[typed])
        found, same = (read_program("p", head + line.format(one)) for one in (typed_now, wanted))
        assert not found.problems
        assert not same.problems
        assert (found.program.body, found.program.parameters) == (same.program.body, same.program.parameters)
