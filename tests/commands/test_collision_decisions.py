"""Decisions about pairs: each can be taken back, keeps its evidence, and what is answered is what holds."""

from __future__ import annotations

import pytest

from workcell.errors import WorkcellError

CELL = [
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "add solid table box 560 800 30 at 780,-100,385",
    "add solid box box 100 100 100 at 1000,150,440 --movable",
]


@pytest.fixture
def puma(cell):
    for line in CELL:
        cell.do(line)
    return cell


def table_of(cell):
    return [row for row in cell.do("pairs").rows if row[0] != "proposed"]


@pytest.mark.parametrize(
    "decision", ["allow box with table because rests", "test box with table", "margin 5 between box and table"]
)
def test_a_decision_is_forgotten(puma, decision):
    puma.do(decision)
    assert len(table_of(puma)) == 1
    puma.do("forget table with box")
    assert table_of(puma) == []
    assert puma.replayed().database.rows() == puma.database.rows()
    puma.do("undo")
    assert len(table_of(puma)) == 1
    with pytest.raises(WorkcellError, match="no decision called 'Puma – box'; there is \"box – table\""):
        puma.do("forget Puma with box")


def test_what_is_not_there_now_is_forgotten_too(puma):
    puma.do("allow box with table because rests")
    puma.do("ignore body box")
    puma.do("remove box --deep")
    puma.do("forget box with table")
    puma.do("use body box")
    assert table_of(puma) == []


@pytest.mark.parametrize("line", ["test-self Puma yes", "test Puma with Puma", "forget Puma with Puma"])
def test_an_allowance_of_a_robot_with_itself_is_taken_back(puma, line):
    puma.do("allow Puma with Puma because x")
    assert not puma.do('why "Puma/link 1" with "Puma/link 4"').pairs[0][2]
    puma.do(line)
    assert table_of(puma) == []
    assert puma.do('why "Puma/link 1" with "Puma/link 4"').pairs[0][2]


def test_testing_a_robot_with_itself_is_the_self_test(puma):
    puma.do("test-self Puma no")
    assert str(puma.do("test Puma with Puma")) == "Puma is tested against itself"
    assert table_of(puma) == []
    assert not puma.do('why "Puma/link 1" with "Puma/link 2"').pairs[0][2]


@pytest.mark.parametrize("line", ["allow {0} with {0} because x", "test {0} with {0}", "margin 5 between {0} and {0}"])
def test_one_body_twice_is_refused(puma, line):
    for name in ("box", '"Puma/link 2"'):
        with pytest.raises(
            WorkcellError, match=r"A body is never tested against itself; found '.*' twice. Name two bodies, or a robot"
        ):
            puma.do(line.format(name))
    puma.do(line.format("Puma"))


def test_an_allowance_keeps_the_evidence_of_the_proposal(puma):
    (proposed,) = [row for row in puma.do("pairs").rows if row[0] == "proposed"]
    evidence = proposed[3].split(";")[0]
    assert "mm deep at home" in evidence
    puma.do('allow table with box because "it lies there"')
    assert table_of(puma) == [("allowed", "table", "box", f"it lies there ({evidence})")]
    puma.do("allow Puma with box because near")
    assert table_of(puma)[1] == ("allowed", "Puma", "box", "near")
