"""Parts that robots pick, put down and hand over by name: where they end, that nothing touched, and why not."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import Refused, WorkcellError
from workcell.simulation.events import Gripped, Released

ARM = "create robot A puma560 joints 0,0,-90,0,90,0"
TABLE = "add solid table box 500 800 100 at 350,0,-50"


def made(*lines: str) -> wc.Cell:
    cell = wc.Cell()
    for line in lines:
        cell.do(line)
    return cell


def place_of(cell: wc.Cell, part: str) -> np.ndarray:
    snapshot = cell.snapshot()
    return snapshot.body_pose(cell.session.state, snapshot.object_body(part)).xyz * 1e3


def holder(cell: wc.Cell, robot: str) -> str:
    return wc.Simulator(cell, state=cell.session.state).robot(robot).holds


def proved(cell: wc.Cell) -> bool:
    return str(cell.do("check recording")).startswith("proved: nothing touches")


def refusal(cell: wc.Cell, line: str) -> str:
    state = cell.session.state
    with pytest.raises(WorkcellError) as caught:
        cell.do(line)
    assert cell.session.state == state, "a refused command left something behind"
    return str(caught.value)


@pytest.fixture
def brick():
    with made(
        ARM,
        TABLE,
        "add solid tray box 200 200 20 at 400,250,10",
        "add solid brick box 40 60 30 at 450,100,15 --movable",
        "watch certified",
    ) as cell:
        yield cell


def test_a_part_is_picked_and_rests_where_it_was_asked_and_nothing_touches(brick):
    answer = brick.do("pick brick with A")
    assert (answer.part, answer.robot, answer.action, holder(brick, "A")) == ("brick", "A", "picked", "brick")
    assert brick.do("put brick on tray").on == "tray"
    assert place_of(brick, "brick") == pytest.approx([400, 250, 35], abs=0.01)
    brick.do("put brick at 450,-100,15 with A")
    assert place_of(brick, "brick") == pytest.approx([450, -100, 15], abs=0.01)
    assert holder(brick, "A") == ""
    assert proved(brick)
    assert brick.replayed().state == brick.state
    for _ in range(3):
        brick.do("undo")
    assert place_of(brick, "brick") == pytest.approx([450, 100, 15], abs=1e-9)


def test_place_with_a_robot_means_put_and_without_one_it_is_an_edit(brick):
    brick.do("place brick at 450,-100,15")
    assert place_of(brick, "brick") == pytest.approx([450, -100, 15], abs=1e-9)
    assert brick.do("place brick on tray with A").action == "put"
    assert brick.do("place brick at 400,-200,15 with A").action == "put"
    assert brick.do("hand A").robot == "A"


def test_a_program_and_typed_commands_record_the_same_bytes(brick):
    lines = ["pick brick with A", "place brick on tray", "move A above brick 60mm"]
    for line in lines:
        brick.do(line)
    typed = brick.session.recording.to_bytes()
    brick.do("program job\n" + "\n".join(lines) + "\nend")
    assert not brick.do("check program job").problems
    brick.do("run job")
    assert brick.session.recording.to_bytes() == typed
    assert brick.replayed().state == brick.state


def test_a_program_follows_renames_and_prints_in_full(brick):
    brick.do("program job\n  pick brick with A\n  place brick on tray\nend")
    brick.do('modify brick name "red brick"')
    brick.do("modify A name Arm")
    assert [row[1].strip() for row in brick.do("steps job").rows] == [
        'pick "red brick" with Arm',
        'place "red brick" on tray',
    ]
    brick.do("tidy program job")
    assert brick.do("steps job").rows[1][1].strip() == 'put "red brick" on tray'
    brick.do("run job")
    brick.do("modify tray name plate")
    assert "on plate" in str(brick.do("steps job"))


def test_names_are_resolved_when_the_step_runs(brick):
    brick.do("program job\n  pick brick with A\nend")
    brick.do("place brick at 400,-200,15")
    brick.do("run job")
    assert place_of(brick, "brick")[:2] == pytest.approx([400, -200], abs=0.01)


def test_a_paused_run_in_the_middle_of_a_pick_is_saved_and_goes_on_alike(brick, tmp_path):
    brick.do("program job\n  pick brick with A\n  wait 0.1\n  place brick on tray\nend")
    brick.do("run job")
    whole = brick.session.recording.to_bytes()
    brick.do("program beside\n  wait 1\n  wait 1\nend")
    brick.do("debug job")
    brick.do("step-into")
    file = tmp_path / "half.run"
    brick.do(f'save-run "{file}"')
    brick.do("stop-run")
    brick.do(f'load-run "{file}"')
    brick.do("resume")
    assert brick.session.recording.to_bytes() == whole


def test_the_grasp_is_one_that_is_reachable_and_free():
    with made(
        ARM,
        "add solid board box 200 400 20 at 650,-100,90",
        "add solid top box 200 400 20 at 650,-100,450",
        "add solid back box 20 400 380 at 760,-100,270",
        "add solid can cylinder 25 120 at 620,-100,160 --movable",
        "set grasp can named above at 0,0,50 rotate 180,0,0",
        "set grasp can named front at 0,0,20 rotate 0,0,90 rotate 0,90,0",
        "watch certified",
    ) as cell:
        assert cell.do("pick can").grasp == "front"
        cell.do("put can on top")
        assert place_of(cell, "can")[2] == pytest.approx(520, abs=0.01)
        cell.do("put can on board with A")
        assert place_of(cell, "can")[2] == pytest.approx(160, abs=0.01)
        assert proved(cell)


def test_a_part_in_a_fixture_comes_out_and_goes_in_again():
    with made(
        ARM,
        TABLE,
        "add solid cube box 30 30 60 at 450,100,30 --movable",
        "add solid wall1 box 10 60 20 at 470.5,100,10",
        "add solid wall2 box 10 60 20 at 429.5,100,10",
        "watch certified",
    ) as cell:
        cell.do("pick cube")
        cell.do("put cube on table at 100,-200,80")
        assert place_of(cell, "cube") == pytest.approx([450, -200, 30], abs=0.01)
        cell.do("put cube at 450,100,30 with A")
        assert place_of(cell, "cube") == pytest.approx([450, 100, 30], abs=0.01)
        assert proved(cell)
        assert "falls 60 mm onto table" in refusal(cell, "put cube at 450,100,90 with A")
        assert "20 mm lower" in refusal(cell, "put cube at 450,-150,50 with A")


def test_a_part_takes_along_what_it_carries():
    with made(
        ARM,
        TABLE,
        "add solid base box 60 60 40 at 450,100,20 --movable",
        "add solid lid box 50 50 20 at 450,100,50 --movable",
        "watch certified",
    ) as cell:
        cell.do("pick base")
        cell.do("put base at 450,-100,20")
        assert place_of(cell, "lid") == pytest.approx([450, -100, 50], abs=0.01)
        cell.do("put lid on table with A")
        cell.do("put lid on base with A")
        assert place_of(cell, "lid") == pytest.approx([450, -100, 50], abs=0.05)
        assert proved(cell)
        assert "cannot be put on lid" in refusal(cell, "put base on lid with A")


@pytest.fixture
def pumas():
    with made(
        ARM,
        "create robot B puma560 at 1500,0,0 rotate 0,0,180 joints 0,0,-90,0,90,0",
        TABLE,
        "add solid table_2 box 500 800 100 at 1150,0,-50",
        "add solid ball sphere 30 at 500,-150,30 --movable",
        "watch certified",
    ) as cell:
        yield cell


def test_two_robots_hand_a_part_over_and_it_is_never_free(pumas):
    pumas.do("pick ball with A")
    answer = pumas.do("hand ball to B")
    assert (answer.robot, holder(pumas, "A"), holder(pumas, "B")) == ("B", "", "ball")
    pumas.do("put ball on table_2")
    assert place_of(pumas, "ball") == pytest.approx([1150, 0, 30], abs=0.01)
    assert proved(pumas)
    recording = pumas.session.recording
    events = [one for one in recording.events if isinstance(one, Gripped | Released) and getattr(one, "part", "")]
    assert [(type(one).__name__, one.robot) for one in events] == [
        ("Gripped", "A"),
        ("Gripped", "B"),
        ("Released", "B"),
    ]
    taken, put = events[0].time, events[-1].time
    for time in np.linspace(taken + 1e-6, put - 1e-6, 200):
        assert "ball" in recording.state_at(float(time)).attached
    assert pumas.replayed().state == pumas.state


def test_two_robots_pick_side_by_side(pumas):
    pumas.do("add solid cube box 40 40 40 at 1000,250,20 --movable")
    pumas.do("program both\nparallel\n  pick ball with A\nand\n  pick cube with B\nend\nend")
    pumas.do("run both")
    assert (holder(pumas, "A"), holder(pumas, "B")) == ("ball", "cube")
    assert proved(pumas)
    assert "not a move" in refusal(pumas, "together pick ball with A & pick cube with B")


REFUSED = [
    ("pick slab with A", "120 mm wide between the fingers, and they open only 80 mm"),
    ("pick table with A", "not movable"),
    ("pick far with A", "out of the arm's reach"),
    ("pick ball", "The cell has 2 robots"),
    ("put ball on table", "No robot holds ball; `pick ball with ROBOT` first"),
    ("put ball with A", "`on THING`, `at POSE`, or both"),
    ("hand ball to B", "No robot holds ball; `pick ball with B` takes it"),
    ("move B above far", "out of the arm's reach"),
]


@pytest.mark.parametrize(("line", "reason"), REFUSED)
def test_refusals_name_the_part_and_the_reason(pumas, line, reason):
    pumas.do("add solid slab box 120 120 120 at 300,-300,60 --movable")
    pumas.do("add solid far box 30 30 30 at 5000,0,15 --movable")
    text = refusal(pumas, line)
    assert reason in text
    assert text.count("\n") == 0


def test_refusals_about_who_holds_what(pumas):
    pumas.do("add solid cube box 40 40 40 at 450,100,20 --movable")
    pumas.do("pick ball with A")
    assert "A already holds ball, so it cannot take cube; `put ball on …` first" in refusal(pumas, "pick cube with A")
    assert "A already holds ball" in refusal(pumas, "pick ball with A")
    assert "A holds ball; `hand ball to B`" in refusal(pumas, "pick ball with B")
    assert "A holds ball, not B" in refusal(pumas, "put ball on table_2 with B")


def test_contacts_in_a_refusal_have_their_pair_and_depth():
    with made(ARM, TABLE, "add solid cube box 40 40 40 at 450,0,20 --movable") as cell:
        cell.do("set grasp cube named top at 0,0,0 rotate 180,0,0")
        cell.do("add solid lid box 300 300 20 at 450,0,80")
        with pytest.raises(Refused) as caught:
            cell.do("pick cube")
        assert set(caught.value.evidence["reasons"]) == {"grasp top"}
        assert "touches lid by" in str(caught.value)


def test_a_part_on_a_running_belt_is_not_picked_blindly():
    with made(
        "create robot A puma560 joints 0,0,-90,0,90,0 at 0,0,500",
        "add conveyor Belt 2000 at -500,500,0",
        "add solid cube box 40 40 40 at 200,500,720 --movable",
        "ride cube on Belt",
    ) as cell:
        cell.do("run-conveyor Belt 50mm/s")
        assert "cube moves with Belt" in refusal(cell, "pick cube")
        cell.do("stop-conveyor Belt --reached")
        assert cell.do("pick cube").action == "picked"


def test_cups_pick_and_put_too():
    with made(
        ARM,
        "create tool vac vacuum-2x2",
        "attach vac to A",
        "modify vac mass 0.5kg",
        "add solid table box 600 900 100 at 450,0,-50",
        "add solid carton box 200 200 80 at 500,100,40 --movable",
        "modify carton mass 1kg",
        "watch certified",
    ) as cell:
        cell.do("pick carton")
        cell.do("put carton at 450,-150,40")
        assert place_of(cell, "carton") == pytest.approx([450, -150, 40], abs=0.01)
        assert proved(cell)


@pytest.mark.parametrize("line", ["move Ann above nut 150", "pick nut with Ann"])
def test_a_branch_behind_many_whole_turns_of_another_is_found(line):
    cell = made(
        "create robot Ann ur5e joints 0,-90,90,-90,-90,0",
        "create tool jaws two-finger-85",
        "fit tool jaws to Ann",
        "add solid table box 700 900 40 at 550,0,-20",
        "add solid nut box 40 50 30 at 400,-250,15 --movable",
    )
    cell.do(line)
    assert proved(cell)
