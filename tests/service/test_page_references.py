"""The page names things with their kinds: every command that it sends takes such names, whatever else is called so."""

from __future__ import annotations

import pytest

from workcell.commands.cell import Cell


@pytest.fixture
def cell():
    """A cell in which nearly everything is called gate."""
    with Cell() as made:
        made.do("create robot gate puma560 joints 0,0,-90,0,90,0")
        made.do("create block gate box 100 100 100")
        made.do("create block other box 100 100 100")
        made.do("create object gate")
        made.do("attach block:other to object:gate as part")
        made.do("place object:gate at 1500,0,50")
        made.do("add solid box box 100 100 100 at 1500,500,50")
        made.do("create signal gate")
        made.do("look gate from 3000,0,1000 at 0,0,0")
        made.do('write program gate "wait 1"')
        made.do("add target gate 600,-150,700")
        made.do("add frame gate 600,-150,700")
        made.do("create light gate")
        made.do("place light:gate at 0,0,3000")
        yield made


@pytest.mark.parametrize(
    "line",
    [
        "show object:gate",
        "where object:gate",
        "moves-with object:gate",
        "moves-with light:gate",
        "query-relations of object:gate",
        "query-relations to block:gate",
        "place object:gate at 1500,0,60 taking object:box",
        "place light:gate at 1000,0,2000",
        "modify object:gate colour red",
        "modify view:gate name other",
        "copy object:gate as gate-1 --deep",
        "copy target:gate as gate-1",
        "remove object:gate with view:gate with program:gate with signal:gate --deep",
        "remove view:gate --deep",
        "remove program:gate --deep",
        "home robot:gate",
        "compose whole of object:gate of object:box --remove-parts",
        "merge whole union of object:gate of object:box",
        "face attach object:box bottom to object:gate top",
        "size-grips object:box",
        "resize object:box box 200 100 100",
        "modify robot:gate tool_point flange",
        "set-signal gate 1",
        "series robot:gate position",
    ],
)
def test_a_thing_is_handled_whatever_else_has_its_name(cell, line):
    if line.startswith("series"):
        cell.do("move-joints-relative robot:gate 10,0,0,0,0,0")
    cell.do(line)
    if line.startswith("remove object"):
        for kind in ("object", "view", "program", "signal"):
            assert cell.session.database.find(kind, "gate") is None
        assert cell.session.database.find("robot", "gate") is not None
    if line.startswith("copy object"):
        assert cell.session.database.find("object", "gate-1") is not None


@pytest.mark.parametrize(
    "line", ["show", "where", "moves-with", "query-relations of", "query-relations to", "size-grips"]
)
def test_a_name_in_quotes_follows_its_kind(line):
    with Cell() as cell:
        cell.do('add solid "big crate" box 100 100 100 at 1500,0,50')
        assert "big crate" in str(cell.do(f'{line} object:"big crate"'))
