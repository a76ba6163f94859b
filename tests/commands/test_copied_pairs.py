"""The copy of a robot gets what was decided about pairs of the robot's bodies."""

from __future__ import annotations

import workcell as wc
from workcell.collision.pairs import PairTable

CELL = (
    "create robot Puma puma560",
    "create robot Pumas puma560 at 0,3000,0",
    "add solid post box 60 60 900 at 600,700,450",
    'allow "Puma/link 1" with post because "it is bolted on"',
    'allow Pumas with post because "they are far apart"',
    "margin 5 between Puma and post",
    "test-self Puma no",
)


def table(cell):
    return PairTable.from_json(cell.snapshot().setup.pairs)


def made(*lines):
    cell = wc.Cell()
    for line in (*CELL, *lines):
        cell.do(line)
    return cell


def test_a_copy_of_a_robot_has_the_decisions_and_margins_of_the_robot():
    with made() as cell:
        before = table(cell)
        cell.do("copy Puma as Second")
        after = table(cell)
        new = [(one.first, one.second, one.reason) for one in after.decisions if one not in before.decisions]
        assert new == [("Second/link 1", "post", "it is bolted on")]
        assert [(one.first, one.second, one.margin) for one in after.margins if one not in before.margins] == [
            ("Second", "post", 0.005)
        ]
        assert after.self_off == ("Puma", "Second")
        cell.do("undo")
        assert table(cell) == before


def test_the_copy_is_tested_as_the_robot_is():
    with made("copy Puma as Second", "place Second at 0,0,0") as cell:
        for link in ("link 1", "link 2"):
            one, other = (str(cell.do(f'why "{robot}/{link}" with post')) for robot in ("Puma", "Second"))
            assert other.partition(":")[2] == one.partition(":")[2]


def test_copies_of_what_nothing_was_decided_about_leave_the_table_alone():
    with made() as cell:
        before = table(cell)
        cell.do("copy object:post as pillar")
        assert table(cell) == before
