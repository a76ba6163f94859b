"""A paused run belongs to the client that began it: nobody else discards it by `undo`, and its owner hears of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from workcell.commands.cell import Cell
from workcell.commands.session import Session
from workcell.errors import Refused
from workcell.service.client import Client, connect
from workcell.service.server import Server


@contextmanager
def session() -> Iterator[Session]:
    with Cell() as cell:
        cell.do("create robot Puma puma560")
        cell.do('write program py "wait 1%0Await 1%0Await 1"')
        yield cell.session


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(session) as running:
        yield running


@pytest.fixture
def ann(server: Server) -> Iterator[Client]:
    with connect(server.url) as client:
        yield client


@pytest.fixture
def bob(server: Server) -> Iterator[Client]:
    with connect(server.url) as client:
        yield client


def pause(client: Client) -> str:
    client.do("debug py")
    client.do("step-over")
    return str(client.do("run-status"))


def test_an_edit_after_the_pause_is_undone_beside_the_run(ann: Client, bob: Client) -> None:
    before = pause(ann)
    bob.do("create block bb")
    assert bob.do("undo").text == f"undone: create block bb (by {bob.hello.client})"
    assert str(ann.do("run-status")) == before
    ann.do("resume")
    assert ann.time == 3.0
    assert "undone: debug py" in ann.do("undo").text
    ann.do("redo")
    assert ann.time == 3.0


def test_an_edit_before_the_run_is_not_undone_while_it_is_paused(ann: Client, bob: Client) -> None:
    bob.do("create block bb")
    before = pause(ann)
    with pytest.raises(Refused, match=f"create block bb.*{ann.hello.client} has paused the run of 'py'"):
        bob.do("undo")
    assert str(ann.do("run-status")) == before


def test_ones_own_run_and_the_steps_of_others_stay(ann: Client, bob: Client) -> None:
    ann.do("create block aa")
    before = pause(ann)
    bob.do("create block bb")
    with pytest.raises(Refused, match=r"create block aa.*the run of 'py' is paused"):
        ann.do("undo")
    ann.do("create block cc")
    assert "create block cc" in ann.do("undo").text
    assert str(ann.do("run-status")).startswith(before)
    assert "bb" in str(ann.do("list block"))


def test_the_owner_hears_who_discarded_its_run(ann: Client, bob: Client) -> None:
    pause(ann)
    assert "is discarded" in bob.do("undo --any").text
    assert ann.time == 0.0
    (ended,) = [change for change in ann.look().changes if change.ended is not None]
    assert (ended.who, ended.ended.label, ended.ended.who) == (bob.hello.client, "the run of 'py'", ann.hello.client)
