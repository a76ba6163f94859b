"""A block that was placed and its object have one name, which means the object: what stands in the scene."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.errors import WorkcellError


@pytest.fixture
def cell(tmp_path):
    with wc.Cell() as made:
        made.do("create block peg cylinder 20 100")
        made.do(f"export solid peg {tmp_path / 'peg.step'}")
        made.do(f"import solid pin {tmp_path / 'peg.step'}")
        made.do("place pin at 0,0,100")
        yield made


def test_an_imported_solid_that_was_placed_is_moved_changed_shown_and_removed_by_its_name(cell, tmp_path):
    cell.do("place pin at 0,0,200")
    assert cell.state.poses["pin"].xyz == pytest.approx([0, 0, 0.2])
    cell.do("modify pin movable yes")
    assert cell.snapshot().body("pin").movable
    before = cell.snapshot().body("pin").colour
    cell.do("modify pin colour red")
    assert cell.snapshot().body("pin").colour != before
    assert str(cell.do("show pin")).startswith("object")
    cell.do(f"export solid pin {tmp_path / 'again.step'}")
    assert cell.replayed().state == cell.state
    assert "object:pin" in cell.journal.entries()[-1].command
    cell.do("remove pin --deep")
    with pytest.raises(WorkcellError):
        cell.do("show object:pin")


def test_the_block_is_named_with_its_kind_and_a_block_is_attached_only_where_it_is_meant(cell):
    assert str(cell.do("show block:pin")).startswith("block")
    assert str(cell.do("show block pin")).startswith("block")
    cell.do("create object rack")
    with pytest.raises(WorkcellError, match="'pin' could be block:pin or object:pin; type one of these"):
        cell.do("attach pin to rack")
    cell.do("attach block:pin to rack")


def test_a_block_and_another_object_of_the_same_name_are_two_things(cell):
    cell.do("create block lid box 10 10 10")
    cell.do("create object lid")
    with pytest.raises(WorkcellError, match="'lid' could be block:lid or object:lid; type one of these"):
        cell.do("show lid")
    cell.do("attach block:peg to object:lid")
    with pytest.raises(WorkcellError, match="type one of these"):
        cell.do("show lid")
