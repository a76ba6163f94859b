"""Two clients of a server: each undoes what it did itself, and hears what the other undid."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from workcell.commands.cell import Cell
from workcell.errors import Refused
from workcell.service.client import connect
from workcell.service.server import Server


@contextmanager
def session():
    with Cell() as cell:
        cell.do("create robot Puma puma560")
        yield cell.session


def test_a_window_undoes_its_own_step_and_the_other_hears_of_it():
    with Server(session) as server, connect(server.url) as one, connect(server.url) as two:
        one.do("create block mine")
        two.do("move-joints-relative Puma 10,0,0,0,0,0")
        time = two.time
        one.do("undo")
        assert two.time == time
        assert "mine" not in str(two.do("list block"))
        (undone,) = [change for change in two.look().changes if change.line == "undo"]
        assert (undone.who, undone.undone.label, undone.undone.who) == (
            one.hello.client,
            "create block mine",
            one.hello.client,
        )
        with pytest.raises(Refused, match=f"by {two.hello.client}"):
            one.do("undo")
        one.do("undo --any")
        assert one.time == 0.0


def test_who_is_left_alone_may_undo_everything():
    with Server(session) as server, connect(server.url) as one:
        with connect(server.url) as two:
            two.do("create block theirs")
        two_gone = False
        for _ in range(200):
            two_gone = one.status().clients == 1
            if two_gone:
                break
        assert two_gone
        one.do("undo")
        assert "theirs" not in str(one.do("list block"))
