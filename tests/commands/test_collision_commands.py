"""Collisions by commands: contacts, clearance, the pair table, motions proved free."""

from __future__ import annotations

import numpy as np
import pytest

from workcell.errors import WorkcellError

CELL = [
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "add solid table box 560 800 30 at 780,-100,385",
    "add solid box box 100 100 100 at 800,-150,470 --movable",
]


@pytest.fixture
def puma(cell):
    for line in CELL:
        cell.do(line)
    return cell


def test_clearance_between_boxes_is_the_gap(puma):
    found = puma.do("clearance between box and table")
    assert found.distance == pytest.approx(0.02, abs=1e-9)
    assert set(found.pair) == {"box", "table"}
    assert puma.do("clearance of Puma").distance > 0.0


def test_contacts_name_the_pair_and_the_depth(puma):
    assert puma.do("contacts").contacts == []
    puma.do("place box at 800,-150,440")
    (contact,) = puma.do("contacts").contacts
    assert set(contact["pair"]) == {"box", "table"}
    assert contact["depth"] == pytest.approx(0.01, abs=1e-4)
    assert any(row[0] == "proposed" for row in puma.do("pairs").rows)
    puma.do('allow box with table because "it lies there"')
    assert puma.do("contacts").contacts == []
    puma.do("test box with table")
    assert len(puma.do("contacts").contacts) == 1
    puma.do("ignore body table")
    assert puma.do("contacts").contacts == []
    puma.do("undo")
    assert len(puma.do("contacts").contacts) == 1
    assert puma.replayed().database.rows() == puma.database.rows()


def test_a_margin_makes_a_near_miss_an_answer(puma):
    puma.do("margin 30mm")
    near = [c for c in puma.do("contacts").contacts if set(c["pair"]) == {"box", "table"}]
    assert [c["kind"] for c in near] == ["margin"]
    puma.do("margin 0")
    assert puma.do("contacts").contacts == []


def test_a_motion_is_proved_free_or_its_contact_found(puma):
    free = puma.do("certify Puma 40,0,-90,0,90,0")
    assert free.verdict == "free"
    assert free.bound > 0.0
    puma.do("add solid post box 60 60 1500 at 500,-500,750")
    hit = puma.do("certify Puma -80,0,-90,0,90,0")
    assert hit.verdict == "contact"
    assert "post" in hit.pair
    assert 0.0 < hit.last_free <= hit.time
    before = puma.state
    assert np.array_equal(before.joints["Puma"], puma.state.joints["Puma"])


def test_unknown_names_are_refused_with_the_closest(puma):
    with pytest.raises(WorkcellError, match="did you mean table"):
        puma.do("ignore body tabel")
    with pytest.raises(WorkcellError, match="did you mean box"):
        puma.do("clearance between Puma and bax")
