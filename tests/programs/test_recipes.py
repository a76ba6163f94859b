"""Recipes: programs whose parameters are parts, robots and places, called by name and checked as a whole."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import msgspec
import numpy as np
import pytest

import workcell as wc
from workcell.commands.session import Session
from workcell.errors import WorkcellError
from workcell.programs.problem import ProgramProblems
from workcell.service.client import connect
from workcell.service.server import Server

CELL = (
    "create robot A puma560 joints 0,0,-90,0,90,0",
    "create robot B puma560 at 1500,0,0 rotate 0,0,180 joints 0,0,-90,0,90,0",
    "add solid table box 500 800 100 at 350,0,-50",
    "add solid base box 80 80 40 at 350,300,20 --movable",
    "add solid cover box 40 60 30 at 450,100,15 --movable",
    "add solid slab box 120 120 120 at 300,-300,60 --movable",
    "add solid far box 30 30 30 at 5000,0,15 --movable",
    "add target spot 450,-100,15",
    "program stack\n  parameter bottom part\n  parameter top part\n  parameter arm robot = A\n"
    "  pick top with arm\n  place top on bottom\nend",
    "program away\n  parameter what part\n  parameter there place = spot\n  parameter arm robot = A\n"
    "  if holds(arm) = \"\"\n    pick what with arm\n  end\n  place what at there\n  message what\nend",
)  # fmt: skip


@pytest.fixture
def cell():
    with wc.Cell() as made:
        for line in CELL:
            made.do(line)
        yield made


def place_of(cell: wc.Cell, part: str) -> np.ndarray:
    snapshot = cell.snapshot()
    return snapshot.body_pose(cell.session.state, snapshot.object_body(part)).xyz * 1e3


def test_a_recipe_does_what_the_same_steps_with_names_do(cell):
    cell.do("run stack with base, cover, A")
    ran = cell.session.recording.to_bytes()
    assert place_of(cell, "cover") == pytest.approx([350, 300, 55], abs=0.01)
    for line in (
        "stack base cover with A",
        "stack base cover",
        "stack base, cover, A",
        "stack base and cover by A",
        'stack "base" "cover" A',
    ):
        cell.do(line)
        assert cell.session.recording.to_bytes() == ran, line
    cell.do("program plain\n  pick cover with A\n  place cover on base\nend")
    cell.do("run plain")
    assert cell.session.recording.to_bytes() == ran
    assert list(cell.journal)[-3].command == 'run program:stack with "base", "cover", A'
    assert cell.replayed().state == cell.state


def test_places_and_names_in_conditions_and_messages(cell):
    answer = cell.do("away cover")
    assert answer.messages == ("cover",)
    assert place_of(cell, "cover") == pytest.approx([450, -100, 15], abs=0.01)
    cell.do("add frame corner 400,-200,15")
    cell.do("away cover to corner")
    assert place_of(cell, "cover") == pytest.approx([400, -200, 15], abs=0.01)
    cell.do("place spot at 420,-150,15")
    cell.do("away cover")
    assert place_of(cell, "cover") == pytest.approx([420, -150, 15], abs=0.01)


def test_recipes_call_recipes_with_their_own_parameters(cell):
    cell.do('program outer\n  parameter who robot\n  call stack base, "cover", who\n  call away cover, spot, who\nend')
    assert not cell.do("check program outer").problems
    cell.do("outer A")
    assert place_of(cell, "cover") == pytest.approx([450, -100, 15], abs=0.01)


def test_renames_follow_names_and_leave_parameters(cell):
    cell.do('program outer\n  call stack base, cover, A\n  call away "cover"\nend')
    before = [row[1] for row in cell.do("steps stack").rows]
    cell.do('modify cover name "top lid"')
    cell.do("modify base name bottom")
    cell.do("modify A name arm")
    assert [row[1].strip() for row in cell.do("steps outer").rows] == [
        'call stack bottom, object:"top lid", arm',
        'call away "top lid"',
    ]
    after = [row[1] for row in cell.do("steps stack").rows]
    assert [*after[:2], *after[3:]] == [*before[:2], *before[3:]]
    assert after[2].strip() == 'parameter arm robot = robot:"arm"'
    cell.do("run outer")
    cell.do("undo")
    for _ in range(3):
        cell.do("undo")
    assert [row[1] for row in cell.do("steps stack").rows] == before


def test_wrong_kinds_and_missing_values_are_found_before_a_run(cell):
    cell.do(
        "program odd\n  parameter p part\n  open-gripper p\n  call stack p, A, spot\n  call stack base\n  pick A with p\nend"
    )
    found = [(one.line, one.message) for one in cell.do("check program odd").problems]
    assert [line for line, _ in found] == [2, 3, 3, 4, 5, 5]
    assert found[0][1] == "Expected a robot; parameter 'p' is a part."
    assert "'A' is a robot" in found[1][1]
    assert "'spot' is a target" in found[2][1]
    assert "needs a value for its parameter 'top'" in found[3][1]


def test_all_problems_of_the_arguments_are_reported_at_once(cell):
    problems = cell.do("check task stack with bse, covr, Z").problems
    assert [one.message.split(":")[0] for one in problems] == [
        "Parameter 'bottom'",
        "Parameter 'top'",
        "Parameter 'arm'",
    ]
    with pytest.raises(WorkcellError) as caught:
        cell.do("stack bse covr with Z")
    assert all(one in str(caught.value) for one in ("'bse'", "'covr'", "'Z'"))


def test_too_many_values_missing_ones_and_missing_commas_are_named(cell):
    many = "Program 'stack' takes 3 values; found 4."
    assert [one.message for one in cell.do("check task stack with base, cover, A, A").problems] == [many]
    with pytest.raises(WorkcellError, match=many):
        cell.do("stack base cover with A with A")
    (missing,) = cell.do("check task stack").problems
    assert missing.message == "Program 'stack' needs values for its parameters 'bottom' and 'top'."
    with pytest.raises(WorkcellError, match="Commas stand between values; found 'cover'"):
        cell.do("check task stack with base cover A")


def test_the_rehearsal_of_an_endless_program_ends(cell):
    cell.do('write program forever "while 1 > 0%0A try%0A wait 1%0A on-error why%0A wait 1%0A end%0Aend"')
    (problem,) = cell.do("check task forever").problems
    assert "did not end within 20,000 steps" in problem.message


DAY = (
    "program day\n  call stack base, cover, A\n  call away far\n  pick slab with B\n  place slab on table\n"
    "  pick nothing with A\n  move A above far\n  try\n    pick far with A\n  on-error why\n    message why\n  end\nend"
)


def test_all_problems_of_a_task_are_reported_at_once_each_with_line_and_step(cell):
    state, revision = cell.session.state, cell.database.history.revision
    cell.do(DAY)
    found = cell.do("check task day")
    assert [(one.program, one.line, one.step) for one in found.problems] == [
        ("day", 5, ""),
        ("away", 5, "pick far with A"),
        ("day", 3, "pick slab with B"),
    ]
    assert "There is no object called 'nothing'" in found.problems[0].message
    assert "120 mm wide" in found.problems[2].message
    assert (cell.session.state, cell.database.history.revision) == (state, revision + 1)
    with pytest.raises(ProgramProblems) as caught:
        cell.do("run day")
    assert all(str(one) in str(caught.value) for one in found.problems)


def test_a_problem_that_is_mended_goes_and_the_others_stay(cell):
    cell.do("program two\n  call away far\n  pick slab with A\nend")
    assert len(cell.do("check task two").problems) == 2
    cell.do("place far at 450,-200,15")
    assert [one.line for one in cell.do("check task two").problems] == [2]
    cell.do("modify slab movable no")
    assert "not movable" in cell.do("check task two").problems[0].message


@pytest.mark.parametrize("x", [350, 420, 500, 900])
@pytest.mark.parametrize("robot", ["A", "B"])
def test_a_check_finds_no_problem_just_where_the_run_succeeds(cell, x, robot):
    cell.do(f"place cover at {x},100,15")
    cell.do("place base at 700,0,20")
    checked = cell.do(f"check task stack with base, cover, {robot}")
    try:
        cell.do(f"stack base cover with {robot}")
    except WorkcellError:
        assert checked.problems
    else:
        assert not checked.problems
        assert checked.duration == pytest.approx(cell.session.state.time, abs=1e-12)


def test_a_check_proves_plain_moves_though_the_cell_does_not_watch(cell):
    cell.do("remove B --deep")
    cell.do("add solid wall box 40 400 1200 at 450,400,600")
    cell.do("program sweep\n  move-joints-absolute A 90,0,-90,0,90,0\nend")
    (one,) = cell.do("check task sweep").problems
    assert one.line == 1
    assert "wall would touch" in one.message
    cell.do("remove wall --deep")
    assert not cell.do("check task sweep").problems


def test_a_check_goes_on_from_the_end_of_a_move_that_was_stopped(cell):
    cell.do("remove B --deep")
    cell.do("add solid post box 40 40 1200 at 450,300,600")
    cell.do(
        "program sweep\n  move-joints-absolute A 90,0,-90,0,90,0\n  move-joints-relative A 20,0,0,0,0,0\n"
        "  move-joints-absolute A 90,0,-90,0,90,0\nend"
    )
    assert [one.line for one in cell.do("check task sweep").problems] == [1]


def test_a_hand_may_touch_the_part_that_it_handles_where_the_run_lets_it(cell):
    cell.do("set grasp cover named tight at 0,0,0 rotate 180,0,0 opening 40 approach 40")
    cell.do("program tight\n  pick cover with A\nend")
    assert not cell.do("check task tight").problems
    cell.do("run tight")


def test_what_cannot_be_moved_is_not_taken_to_be_held_after_the_problem(cell):
    cell.do("program both\n  parameter arm robot\n  pick table with arm\n  pick cover with arm\nend")
    (one,) = cell.do("check task both with A").problems
    assert "table is not movable" in one.message


def test_what_a_part_touches_that_is_only_taken_to_be_held_is_no_problem_of_its_own(cell):
    cell.do("remove B --deep")
    cell.do("add solid pin box 10 10 10 at 864,-150,430")  # below the hand: only the slab would touch it
    cell.do("program wide\n  pick slab with A\n  move-joints-relative A 5,0,0,0,0,0\nend")
    assert [one.line for one in cell.do("check task wide").problems] == [1]


def test_a_task_of_programs_is_checked_too(cell):
    cell.do("program far_away\n  call away far\nend")
    cell.do("create task shift")
    cell.do("attach far_away to shift as first")
    found = cell.do("check task shift").problems
    assert [(one.program, one.line) for one in found] == [("away", 5)]


def test_names_complete(cell):
    assert "stack" in [one.text for one in cell.session.complete("stac")]
    assert [one.text for one in cell.session.complete("stack base cov")] == ["cover"]
    assert {one.text for one in cell.session.complete("stack base cover with ")} >= {"A", "B"}
    assert [one.text for one in cell.session.complete("stack base cover A ")] == []


def test_a_recipe_survives_text_and_file(cell, tmp_path):
    cell.do(f'save "{tmp_path / "a.celltext"}"')
    with wc.Cell() as other:
        other.do(f'load "{tmp_path / "a.celltext"}"')
        other.do("stack base cover")
        cell.do("stack base cover")
        assert other.session.recording.to_bytes() == cell.session.recording.to_bytes()


def test_a_paused_recipe_is_saved_and_goes_on(cell, tmp_path):
    cell.do("program outer\n  call stack base, cover, A\nend")
    cell.do("run outer")
    whole = cell.session.recording.to_bytes()
    cell.do("debug outer")
    cell.do("step-into")
    assert "put cover on base" in str(cell.do("step-into"))
    cell.do(f'save-run "{tmp_path / "half.run"}"')
    cell.do("stop-run")
    cell.do(f'load-run "{tmp_path / "half.run"}"')
    cell.do("resume")
    assert cell.session.recording.to_bytes() == whole


def test_over_the_wire_and_as_json(cell):
    cell.do("stack base cover with A")
    here = cell.session.recording.to_bytes()

    class Held:
        def __enter__(self) -> Session:
            return cell.session

        def __exit__(self, *_: object) -> None:
            return None

    cell.do("undo")
    with Server(Held) as server, connect(server.url) as client:
        reply = client.do("check task stack with base, far, A")
        assert reply.value["problems"][0]["step"] == "pick far with A"
        assert client.do("stack base cover with A").kind == "Ran"
        assert client.call("put", part="cover", on="table", robot="A").value["on"] == "table"
        client.do("undo")
    assert cell.session.recording.to_bytes() == here
    text = msgspec.json.encode(msgspec.to_builtins(cell.do("check task stack with base, slab, A")))
    assert b'"line":4' in text


def test_the_example_assembles_a_pump():
    path = Path(__file__).parents[2] / "examples" / "assemble_a_pump.py"
    spec = importlib.util.spec_from_file_location("assemble_a_pump", path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    assert spec.loader is not None
    spec.loader.exec_module(module)
    with module.main() as cell:
        snapshot = cell.snapshot()
        assert snapshot.body_pose(cell.session.state, "cover").xyz == pytest.approx([0.5, 0.15, 0.19], abs=1e-4)
        assert str(cell.do("check recording")).startswith("proved")


def blocks_of(page: str) -> list[list[str]]:
    text = (Path(__file__).parents[2] / "docs" / page).read_text(encoding="utf-8")
    return [block.strip("\n").split("\n") for block in text.split("```")[1::2]]


def test_the_page_can_be_followed_line_by_line():
    objects, _, task, *_ = blocks_of("objects-and-tasks.md")
    with wc.Cell() as cell:
        for line in objects:
            cell.do(line.removeprefix("> "))
    with wc.Cell() as cell:
        lines, answers = iter(task), []
        for line in lines:
            if line.startswith("program"):
                line = "\n".join([line, *iter(lambda: next(lines), "end"), "end"])
            answers.append(str(cell.do(line)))
        assert answers[-2].startswith("assemble: no problems; 3 steps")
        assert "cover is on base" in answers[-1]
