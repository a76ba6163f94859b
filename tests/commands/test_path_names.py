"""The targets of a path that are called by it follow when the path gets another name."""

from __future__ import annotations

import pytest

import workcell as wc

TEXT = "for p in spots%0A  approach Arm p by 50%0Aend%0Aapproach Arm spots-2 by 50%0Alet q = spots-3%0Amessage x(q)"


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in (
            "create robot Arm irb1600",
            "add solid pallet box 600 400 144 at 900,0,-72",
            "targets grid 2x2 to spots pitch 200,200 on pallet at -100,-100,272 rotate 180,0,0",
            f'write program go "{TEXT}"',
        ):
            cell.do(line)
        yield cell


def names(cell, path):
    return [row[0] for row in cell.do(f"targets of {path}").rows]


def test_the_targets_follow_and_programs_name_them_by_their_new_names(cell):
    cell.do("run go")
    before = cell.session.recording.to_bytes()
    answer = cell.do("modify path:spots name places")
    assert str(answer) == "name of 'spots' changed; its targets are now called places-1 to places-4"
    assert names(cell, "places") == ["places-1", "places-2", "places-3", "places-4"]
    path = cell.database.entity("path", "places")
    assert [one.name for one in cell.database.relations(path)] == names(cell, "places")
    assert cell.database.names("target") == names(cell, "places")
    text = cell.database.entity("program", "go").properties["text"]
    assert "spots" not in text
    assert "approach Arm places-2 by 50" in text
    cell.do("run go")
    assert cell.session.recording.to_bytes() == before
    assert cell.replayed().session.recording.to_bytes() == before


def test_undo_gives_all_of_them_their_old_names(cell):
    rows = cell.database.rows_after(cell.database.history.revision)
    cell.do("modify path:spots name places")
    cell.undo()
    assert cell.database.rows_after(cell.database.history.revision) == rows
    cell.redo()
    assert names(cell, "places")[0] == "places-1"


def test_targets_with_names_of_their_own_and_taken_names_stay(cell):
    cell.do("modify target:spots-1 name corner")
    cell.do("add target places-3 900,0,300")
    cell.do("add target spots-9 900,0,300")
    answer = str(cell.do("modify path:spots name places"))
    assert answer == (
        "name of 'spots' changed; its targets are now called places-2 to places-4; spots-3 keeps its name, because the new one is taken"
    )
    assert names(cell, "places") == ["corner", "places-2", "spots-3", "places-4"]
    assert cell.database.find("target", "spots-9") is not None, "a target of no path is not called by it"


def test_a_new_name_that_is_too_long_for_numbers_leaves_the_targets(cell):
    long = "p" * 79
    cell.do(f"modify path:spots name {long}")
    assert names(cell, long) == ["spots-1", "spots-2", "spots-3", "spots-4"]


def test_the_way_through_targets_is_named_as_such(cell):
    answer = str(cell.do("targets grid 2x3 to others pitch 100,50"))
    assert answer.endswith("in a grid of 2 by 3; the way from target to target is 523.606798 mm long")
    assert str(cell.do("targets grid 1x1 to single pitch 100,50")) == "path 'single': 1 target in a grid of 1 by 1"
