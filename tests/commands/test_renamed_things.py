"""Messages name things as they are called now, although the relations in the scene keep the names of the beginning."""

from __future__ import annotations

import pytest

from workcell import Cell
from workcell.errors import Refused


@pytest.fixture
def cell():
    with Cell() as cell:
        cell.do("add solid base box 400 400 20 at 900,0,10")
        cell.do("add solid peg box 50 50 50")
        cell.do("face attach peg bottom to base top")
        cell.do("modify object:base name table")
        cell.do("modify object:peg name pin")
        yield cell


def test_what_stands_on_a_face_is_called_by_its_present_name(cell):
    for command, subject in (("remove table --deep", "table"), ("detach scene:main/base", "table")):
        with pytest.raises(Refused, match=f"^'{subject}' carries 'pin' on a face"):
            cell.do(command)
    assert "lies on face 'top' of 'table'" in str(cell.do("show main/peg"))
    cell.do("place pin at 900,0,500")
    assert str(cell.do("send-home pin")) == "pin is on table as it was attached"
    assert str(cell.do("remove table --keep-children")) == "object 'table' removed; pin stays where it stood"


def test_a_face_that_an_edit_takes_away_is_reported_with_the_present_name(cell):
    assert "but 'pin' stands on a face that no longer exists" in str(
        cell.do("modify block:base-solid shape sphere 100")
    )


def test_a_thing_that_the_scene_has_twice_is_called_by_its_place_there(cell):
    cell.do("attach object:table to scene:main as second translate 0,900,10")
    with pytest.raises(Refused, match=r"^'base' carries 'pin' on a face"):
        cell.do("detach scene:main/base")
