"""What new steps name: parts that robots may handle, the nearest first, and what the steps before leave."""

from __future__ import annotations

import pytest

import workcell as wc

CELL = (
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "add solid table box 500 900 200 at 550,0,100",
    "add solid far box 40 60 30 at 0,2000,15 --movable",
    "add solid brick box 40 60 30 at 450,100,215 --movable",
    "add solid bolt box 40 60 30 at 450,-200,215 --movable",
)


@pytest.fixture
def cell():
    found = wc.Cell()
    for line in CELL:
        found.do(line)
    found.do('write program demo ""')
    return found


def proposed(cell, *kinds, before=None):
    place = "" if before is None else f" before {before}"
    lines = {one.kind: one.line for one in cell.do(f"step-kinds demo{place}").kinds}
    return [lines[kind] for kind in kinds]


def write(cell, *lines):
    cell.session.call("edit program", {"program": "demo", "text": "\n".join(lines)})


def test_a_new_step_on_a_part_names_the_nearest_movable_object_and_never_a_fixed_one(cell):
    named = ["pick brick", "grip brick", "put brick on table", "move Puma above brick"]
    assert proposed(cell, "pick", "grip", "put", "move") == named
    assert cell.do("step-kinds demo").names["pick part"] == ("bolt", "brick", "far")
    cell.do("place brick at 0,-3000,15")
    assert proposed(cell, "pick") == ["pick bolt"]


def test_the_first_lines_can_be_run(cell):
    write(cell, *proposed(cell, "pick"))
    write(cell, "pick brick", *proposed(cell, "put", "home"))
    assert cell.do("run demo").commands == 3


def test_a_part_that_the_program_has_taken_is_put_and_another_one_is_picked_next(cell):
    write(cell, "pick bolt")
    assert proposed(cell, "put", "release", "pick") == ["put bolt on table", "release bolt", "pick brick"]
    write(cell, "pick brick", "put brick on table")
    assert proposed(cell, "pick", "put") == ["pick bolt", "put bolt on table"]


def test_a_part_that_a_robot_holds_is_put_and_not_picked(cell):
    cell.do("grip brick with Puma")
    assert proposed(cell, "pick", "put") == ["pick bolt", "put brick on table"]


def test_without_a_movable_object_the_page_says_what_is_needed(cell):
    for name in ("far", "brick", "bolt"):
        cell.do(f"modify {name} movable no")
    lacks = {one.kind: one.lacks for one in cell.do("step-kinds demo").kinds if not one.line}
    assert {lacks[kind] for kind in ("pick", "put", "grip", "release", "hand-over")} == {"movable object"}
    assert proposed(cell, "move") == ["move Puma above brick"]


def test_a_part_is_put_at_a_pose_if_there_is_nothing_to_put_it_on():
    cell = wc.Cell()
    cell.do(CELL[0])
    cell.do(CELL[3])
    cell.do('write program demo ""')
    assert proposed(cell, "put")[0].startswith("put brick at ")


def test_of_several_robots_the_one_of_the_last_step_is_named_and_a_part_is_handed_to_another(cell):
    cell.do("create robot Arm puma560 at 0,1600,0 joints 0,0,-90,0,90,0")
    cell.do("add conveyor belt 2000 at 0,-2000,0")
    assert proposed(cell, "pick", "hand-over") == ["pick brick with Puma", "hand-over brick to Arm"]
    write(cell, "home Arm")
    assert proposed(cell, "pick", "home") == ["pick far with Arm", "home Arm"]
    write(cell, "pick far with Arm")
    assert proposed(cell, "hand-over", "put") == ["hand-over far to Puma", "put far on table with Arm"]


def test_a_step_in_the_middle_goes_on_from_the_steps_before_it(cell):
    cell.do("create robot Arm puma560 at 0,1600,0 joints 0,0,-90,0,90,0")
    write(cell, "wait 1", "pick brick with Puma", "wait 1", "put brick on table with Puma", "home Arm")
    assert proposed(cell, "home", before=3) == ["home Puma"]
    assert proposed(cell, "home", "put", before=4) == ["home Puma", "put brick on table with Puma"]
    assert proposed(cell, "home", before=6) == proposed(cell, "home") == ["home Arm"]
    assert proposed(cell, "home", before=1) == ["home Puma"]
    write(cell, "wait 1", "home Arm", "home Puma")
    assert proposed(cell, "home", before=2) == ["home Arm"]  # the first step that follows, if none comes before


def test_an_arm_is_named_before_a_mechanism_that_is_older():
    cell = wc.Cell()
    cell.do("add conveyor belt 2000 at 0,-2000,0")
    for line in (*CELL, 'write program demo ""'):
        cell.do(line)
    assert proposed(cell, "pick", "home", "ride") == ["pick brick", "home Puma", "ride brick on belt"]
