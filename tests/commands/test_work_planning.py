"""The commands that plan work: `plan order` and `plan program`."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import Refused, Unreachable, WorkcellError

PUMA = (
    "create robot Puma puma560 joints -70,0,-90,0,90,0",
    "add solid post box 100 100 2000 at 600,0,0",
)
HOLES = (
    "create robot Arm irb1600",
    "add solid plate box 400 600 20 at 700,0,300",
    "targets grid 2x2 to holes pitch 200,300 on plate at -100,-150,180 rotate 180,0,0",
)


def cell_of(*lines: str) -> wc.Cell:
    cell = wc.Cell()
    for line in lines:
        cell.do(line)
    return cell


def text_of(cell: wc.Cell, program: str) -> str:
    return "\n".join(row[1] for row in cell.do(f"steps {program}").rows)


def proved(cell: wc.Cell, program: str) -> None:
    """Run a program and prove that nothing touched."""
    cell.do(f"run {program}")
    assert cell.do("check recording").proved


# ---- plan program --------------------------------------------------------------------------------------


def test_a_transit_that_touches_is_replaced_and_everything_else_stays():
    lines = [
        "# there and back",
        "speed Puma 0.8rad/s",
        "for i from 1 to 2",
        "  move-joints-absolute Puma 70,0,-90,0,90,0",
        "  move-joints-relative Puma 5,0,0,0,0,0",
        "  retract Puma by 20",
        "  home Puma",
        "end",
    ]
    cell = cell_of(*PUMA)
    cell.do('write program demo "' + "%0A".join(lines) + '"')
    before = text_of(cell, "demo")
    dry = cell.do("plan program demo --dry")
    assert text_of(cell, "demo") == before
    assert not dry.written
    found = cell.do("plan program demo")
    assert found.written
    assert found.difference == dry.difference
    after = text_of(cell, "demo").split("\n")
    assert [one.line for one in found.transits] == [4, 5, 7]
    assert [one.replaced for one in found.transits] == [True, False, True]
    assert "post" in found.transits[0].problem
    kept = [k for k, line in enumerate(lines) if k not in (3, 6)]
    assert [after[k] for k in kept] == [lines[k] for k in kept]
    assert after[3].startswith("  find-path Puma joints 70,0,-90,0,90,0")
    assert after[6].startswith("  find-path Puma joints")
    proved(cell, "demo")
    end = cell.state.joints["Puma"]
    assert np.allclose(np.degrees(end), [-70, 0, -90, 0, 90, 0], atol=1e-6)
    cell.undo()
    cell.undo()
    assert text_of(cell, "demo") == before


def test_a_free_program_is_not_changed():
    cell = cell_of(*PUMA, 'write program demo "move-joints-absolute Puma -40,0,-90,0,90,0%0Ahome Puma"')
    before = text_of(cell, "demo")
    found = cell.do("plan program demo")
    assert not found.written
    assert found.difference == ""
    assert found.before == found.after
    assert text_of(cell, "demo") == before


def written(name: str, *lines: str) -> str:
    return f'write program {name} "' + "%0A".join(lines) + '"'


def test_transits_of_called_programs_are_planned_and_their_callers_named():
    across = ("move-joints-absolute Puma 70,0,-90,0,90,0", "retract Puma by 20", "home Puma")
    cell = cell_of(
        *PUMA,
        written("inner", *across),
        written("main", "speed Puma 0.8rad/s", "call inner", "call inner"),
        written("other", "call inner"),
    )
    texts = {name: text_of(cell, name) for name in ("inner", "main", "other")}
    found = cell.do("plan program main")
    assert [(one.program, one.line, one.replaced) for one in found.transits] == [("inner", 1, True), ("inner", 3, True)]
    assert [(one.program, one.line, one.why) for one in found.left] == [("inner", 2, "`retract` is taught")]
    assert found.shared == (("inner", ("other",)),)
    assert "program 'inner' is also called by other: plan these too" in str(found)
    assert text_of(cell, "inner").split("\n")[0].startswith("find-path Puma joints 70,0,-90,0,90,0")
    assert text_of(cell, "main") == texts["main"]
    proved(cell, "main")
    cell.undo()
    cell.undo()
    assert {name: text_of(cell, name) for name in texts} == texts


def test_a_called_relative_move_that_ends_elsewhere_each_time_is_left_and_named():
    cell = cell_of(
        *PUMA,
        written("turn", "move-joints-relative Puma 140,0,0,0,0,0"),
        written("main", "call turn", "move-joints-absolute Puma -75,0,-90,0,90,0", "call turn"),
    )
    found = cell.do("plan program main")
    assert [(one.program, one.line, one.replaced) for one in found.transits] == [("main", 2, True)]
    left = found.left[-1]
    assert (left.program, left.line, left.robot) == ("turn", 1, "Puma")
    assert "ends elsewhere each time" in left.why
    assert "post" in left.problem
    assert "1 move left may touch" in str(found)
    assert text_of(cell, "turn") == "move-joints-relative Puma 140,0,0,0,0,0"


def test_moves_of_a_together_block_are_reported_one_by_one():
    cell = cell_of(
        *PUMA,
        "create robot Other puma560 at 0,3000,0",
        written(
            "demo",
            "together move-joints-absolute Puma 70,0,-90,0,90,0 & move-joints-relative Other 10,0,0,0,0,0",
            "if 1 = 2",
            "  home Puma",
            "end",
        ),
    )
    found = cell.do("plan program demo")
    assert not found.written
    assert [(one.line, one.robot, bool(one.problem)) for one in found.left] == [
        (1, "Other", False),
        (1, "Puma", True),
        (3, "", False),
    ]
    assert "timing of its `together` block" in found.left[0].why
    assert found.left[2].why == "nothing moved there in this run"


@pytest.mark.parametrize("given", ["", " branch nearest"])
def test_a_replaced_move_to_a_target_still_follows_the_target(given):
    cell = cell_of(
        *PUMA,
        "add target drop 300,500,300 rotate 180,0,0",
        written("demo", f"move-end-effector Puma drop translate 0,0,150 along world{given}", "home Puma"),
    )
    found = cell.do("plan program demo")
    assert found.transits[0].replaced
    line = text_of(cell, "demo").split("\n")[0]
    assert line.startswith("find-path Puma to drop translate 0,0,150 along world branch ")
    assert line.endswith(given)
    cell.do("place drop at 350,450,250 rotate 180,0,0")
    cell.do("run demo")
    recording, snapshot = cell.session.recording, cell.snapshot()
    times = np.linspace(0.0, recording.duration, 2000)
    hands = np.array([snapshot.tool_pose(recording.state_at(float(t)), "Puma").xyz for t in times])
    assert np.linalg.norm(hands - [0.35, 0.45, 0.4], axis=1).min() < 0.005
    assert np.linalg.norm(hands - [0.3, 0.5, 0.45], axis=1).min() > 0.02
    assert cell.do("check recording").proved


def test_a_program_with_mistakes_is_refused():
    cell = cell_of(*PUMA, 'write program demo "move-joints-absolute Nobody 1,2,3"')
    with pytest.raises(WorkcellError, match="Nobody"):
        cell.do("plan program demo")


# ---- plan order ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", ["", "spin 180 --one-way", "approach 40 spin 90"])
def test_the_program_visits_every_target_and_touches_nothing(options):
    cell = cell_of(*HOLES)
    found = cell.do(f"plan order holes by Arm to drill {options}")
    assert sorted(found.targets) == [f"holes-{k}" for k in range(1, 5)]
    assert found.certified
    assert found.bound <= found.time
    home = cell.state.joints["Arm"]
    proved(cell, "drill")
    assert cell.session.recording.duration == pytest.approx(found.time, abs=1e-6), (
        "the program takes as long as planned"
    )
    back = np.allclose(cell.state.joints["Arm"], home, atol=1e-9)
    assert back == ("--one-way" not in options)
    snapshot = cell.snapshot()
    recording = cell.session.recording
    times = np.linspace(0.0, recording.duration, 4000)
    hands = np.array([snapshot.tool_pose(recording.state_at(float(t)), "Arm").xyz for t in times[::8]])
    for name in found.targets:
        there = snapshot.place_pose(snapshot.initial, name).xyz
        assert np.linalg.norm(hands - there, axis=1).min() < 0.03
    cell.undo()
    cell.undo()
    with pytest.raises(WorkcellError):
        cell.do("steps drill")


def test_the_same_seed_writes_the_same_lines():
    texts = []
    for _ in range(2):
        cell = cell_of(*HOLES)
        cell.do("plan order holes by Arm to drill spin 180 seed 3")
        texts.append(text_of(cell, "drill"))
    assert texts[0] == texts[1]


def test_strokes_are_proved_where_samples_see_nothing(monkeypatch):
    """A wire across the approach; samples are taken only at its beginning, so that only the proof can find it."""
    monkeypatch.setattr("workcell.planning.work._LOOKS", 1)
    cell = cell_of("create robot Arm irb1600", "targets grid 1x1 to work pitch 10,10 at 800,0,500 rotate 180,0,0")
    cell.do("plan order work by Arm to drill approach 300")
    cell.undo()
    cell.do("add solid wire box 4 400 4 at 800,0,537")
    with pytest.raises(Refused, match=r"between the approach and the target work-1.*wire"):
        cell.do("plan order work by Arm to drill approach 300")


def test_targets_that_cannot_be_worked_at_are_named():
    cell = cell_of(*HOLES, "place plate at 5000,0,300")
    with pytest.raises(Unreachable, match="holes-1"):
        cell.do("plan order holes by Arm to drill")
    cell = cell_of(*HOLES, "add solid lid box 600 800 300 at 700,0,480")
    with pytest.raises(Refused, match="lid"):
        cell.do("plan order holes by Arm to drill")


def test_the_answer_is_not_above_the_nearest_neighbour_and_the_bound_is_of_the_best():
    cell = cell_of(
        "create robot Arm irb1600",
        "create tool sp glue-gun",
        "fit tool sp to Arm",
        "targets grid 2x3 to holes pitch 120,130 at 680,-130,425 rotate 180,0,0",
    )
    for options in ("", "--unproved"):
        found = cell.do(f"plan order holes by Arm to visit approach 40 spin 90 {options}")
        assert found.time <= found.neighbour + 1e-9
        assert f"nearest neighbour, contacts ignored: {found.neighbour:.4f} s" in str(found)
        assert f"at most {100.0 * (found.time - found.bound) / found.bound:.1f} % above" in str(found)


@pytest.mark.parametrize("seed", ["-1", "9223372036854775808", "99999999999999999999"])
@pytest.mark.parametrize("asked", ["plan order holes by Arm to drill", "find-path Arm joints 10,0,0,0,20,0"])
def test_a_seed_that_is_none_is_refused_with_its_limit(asked, seed):
    cell = cell_of(*HOLES)
    with pytest.raises(WorkcellError, match=r"0 or more and below 2\^63"):
        cell.do(f"{asked} seed {seed}")


def test_a_great_seed_is_one():
    cell = cell_of("create robot Arm irb1600", "targets grid 1x2 to holes pitch 100,100 at 700,0,500 rotate 180,0,0")
    assert cell.do("plan order holes by Arm to drill seed 9007199254740993").certified
