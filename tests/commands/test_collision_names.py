"""Names in the pair table and in zones: they follow what is renamed, and everything is switched by them."""

from __future__ import annotations

import pytest

from workcell.errors import WorkcellError

CELL = [
    "create robot A puma560 joints 0,0,-90,0,90,0",
    "create robot B puma560 at 1500,0,0 joints 150,0,-90,0,90,0",
    "add solid table box 560 800 30 at 780,-100,385",
]
GATE = "add zone gate box 300 300 300 at 0,-900,500"


@pytest.fixture
def pair(cell):
    for line in CELL:
        cell.do(line)
    return cell


def contacts(cell):
    return {frozenset(contact["pair"]) for contact in cell.do("contacts").contacts}


def called(pairs, old, new):
    """The pairs after a rename."""
    return {frozenset(name.replace(old, new) for name in pair) for pair in pairs}


def test_the_pair_table_follows_what_is_renamed(pair):
    for line in (
        "margin 200 between A and table",
        "ignore body B",
        "test-self B no",
        'allow "A/link 2" with table because x',
        'test "A/link 3" with table',
    ):
        pair.do(line)
    before, rows = contacts(pair), pair.database.rows()
    assert before
    pair.do("modify table name bench")
    pair.do("modify A name Anton")
    pair.do("modify B name Berta")
    assert contacts(pair) == called(called(before, "table", "bench"), "A/", "Anton/")
    told = [row[:3] for row in pair.do("pairs").rows]
    assert told == [
        ("not used", "Berta", ""),
        ("not against itself", "Berta", ""),
        ("allowed", "Anton/link 2", "bench"),
        ("tested", "Anton/link 3", "bench"),
        ("margin", "Anton", "bench"),
    ]
    assert pair.replayed().database.rows() == pair.database.rows()
    for _ in range(3):
        pair.do("undo")
    assert pair.database.rows() == rows
    assert contacts(pair) == before


def test_what_stands_nowhere_is_followed_too(pair):
    pair.do("margin 200 between A and table")
    pair.do("detach main/table")
    pair.do("modify table name bench")
    pair.do("place bench at 780,-100,385")
    assert any("bench" in names for names in contacts(pair))


def test_the_second_of_two_of_a_kind_is_followed_by_its_relation(pair):
    pair.do("attach table to main as spare translate 0,0,2000")
    pair.do('ignore body "table spare"')
    pair.do("modify main/spare name shelf")
    assert pair.do("pairs").rows[0] == ("not used", "table shelf", "", "")


def test_zones_follow_the_robots_that_they_name(pair):
    pair.do("add zone g box 900 900 900 at 1500,0,500 for B")
    before = contacts(pair)
    assert before
    pair.do("modify B name C")
    assert contacts(pair) == called(before, "B/", "C/")
    assert pair.do("zones").rows[0][3] == "C"
    pair.do("undo")
    pair.do("remove B --deep")
    assert contacts(pair) == set()
    assert pair.do("zones").rows[0][3] == "B (does not exist now)"
    pair.do("pairs")
    pair.do("clearance of A")
    assert pair.do("certify A 2,0,-90,0,90,0").verdict == "free"
    pair.do("undo")
    assert contacts(pair) == before


def test_a_renamed_robot_may_still_be_in_the_volume_that_it_sweeps(pair):
    pair.do("add swept way of A 2,0,-90,0,90,0 tolerance 40mm")
    pair.do("modify A name C")
    assert pair.do("zones").rows[0][3] == "all but C"
    assert contacts(pair) == set()
    assert pair.do("contacts").notes == []


def test_a_renamed_robot_stays_where_it_moved(pair):
    pair.do("move-joints-absolute A 20,0,-90,0,90,0")
    before = pair.session.state.joints["A"].tolist()
    pair.do("modify A name C")
    assert pair.session.state.joints["C"].tolist() == before
    pair.do("undo")
    assert pair.session.state.joints["A"].tolist() == before


def test_the_scene_in_use_stays_in_use_when_it_is_renamed(pair):
    pair.do("create scene other")
    pair.do("use scene other")
    pair.do("modify scene:other name another")
    assert pair.snapshot().scene == "another"


def test_a_zone_is_called_as_it_is_named_now(pair):
    pair.do(GATE)
    pair.do("ignore body gate")
    pair.do("modify gate name door")
    assert pair.do("zones").rows[0][0] == "door"
    assert pair.do("pairs").rows[0] == ("not used", "door", "", "")
    pair.do("add solid door box 10 10 10 at 0,0,3000")
    assert [row[0] for row in pair.do("zones").rows] == ["door gate"]
    pair.do("contacts")


def test_zones_are_switched_and_given_margins_by_name(pair):
    pair.do("add zone gate box 300 300 300 at 400,-400,500")
    pair.do("add zone slow sphere 700 at 800,0,600 rule slow-down speed 0.3")
    near = pair.do("clearance between A and gate")
    assert near.distance == 0.0
    assert any("gate" in names for names in contacts(pair))
    pair.do("ignore body gate")
    assert contacts(pair) == set()
    assert not any(row[4] for row in pair.do("zones").rows if row[0] == "gate")
    pair.do("move-joints-absolute A 1,0,-90,0,90,0")  # slowed down by a zone that the table does not name
    pair.do("use body gate")
    assert any("gate" in names for names in contacts(pair))
    pair.do("allow A with gate because known")
    assert contacts(pair) == set()
    assert "allowed: known" in pair.do('why "A/link 3" with gate').text


def test_a_margin_to_a_zone_counts_everywhere(pair):
    pair.do(GATE)
    apart = pair.do("clearance between A and gate").distance
    assert apart > 0.1
    assert contacts(pair) == set()
    assert pair.do("certify A -1,0,-90,0,90,0").verdict == "free"
    pair.do(f"margin {apart * 1e3 + 20:.0f} between A and gate")
    assert any("gate" in names for names in contacts(pair))
    assert pair.do("certify A -1,0,-90,0,90,0").verdict == "contact"
    with pytest.raises(WorkcellError, match="no body, zone or robot called 'gat'"):
        pair.do("ignore body gat")
