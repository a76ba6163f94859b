"""A group belongs to its client: nobody else's command enters it, it ends with the client, and a kill loses nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from kills import CLIENTS, killed_round

from workcell.commands.cell import Cell
from workcell.commands.session import Session
from workcell.errors import Refused
from workcell.service.client import Client, connect
from workcell.service.server import Server


@contextmanager
def session() -> Iterator[Session]:
    with Cell() as cell:
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


def commands(client: Client) -> list[str]:
    return [row[-1] for row in client.do("history").value["rows"]]


def test_others_work_on_and_undo_while_a_group_is_open(ann: Client, bob: Client) -> None:
    ann.do("group")
    ann.do("create block one")
    bob.do("create block bobs")
    bob.do("undo")
    for line in ("end", "cancel-group"):
        with pytest.raises(Refused, match="There is no group"):
            bob.do(line)
    bob.do("create block again")
    ann.do("create block two")
    ann.do("create block three")
    assert "as 2 steps" in ann.do("end").text
    assert commands(bob) == ["create block one", "create block again", "create block two and 1 more"]
    bob.do("undo 3 --any")
    assert commands(bob) == ["create block one", "create block again", "create block two and 1 more"]
    assert "no entities" in bob.do("list").text or "0" in bob.do("list").text


def test_an_undo_of_another_client_leaves_an_open_group_alone(ann: Client, bob: Client) -> None:
    ann.do("create robot Puma puma560")
    ann.do("group")
    ann.do("create block one")
    ann.do("move-joints-relative Puma 5,0,0,0,0,0")
    with pytest.raises(Refused, match=r"move-joints-relative .*belongs to an open group of"):
        bob.do("undo --any")
    assert "group of 2 commands committed" in ann.do("end").text
    assert "create block one and 1 more" in bob.do("undo --any").text


def test_a_cancelled_group_goes_from_between_the_commands_of_others(ann: Client, bob: Client) -> None:
    ann.do("group")
    ann.do("create block one")
    bob.do("group")
    bob.do("create block bobs")
    ann.do("create block two")
    bob.do("create block again")
    assert "2 commands forgotten" in ann.do("cancel-group").text
    assert commands(bob) == ["create block bobs", "create block again"]
    assert "group of 2 commands committed" in bob.do("end").text  # it follows the new numbers of its steps
    assert commands(bob) == ["create block bobs and 1 more"]
    assert "bobs" in bob.do("undo").text
    assert "no entities" in bob.do("list").text or "0" in bob.do("list").text


def test_a_group_that_somebody_built_on_cannot_be_cancelled_and_ends(ann: Client, bob: Client) -> None:
    ann.do("group")
    ann.do("create block one")
    bob.do("create block bobs")
    bob.do("modify one colour red")
    with pytest.raises(Refused, match=f"`modify .*one colour red` .by {bob.hello.client}. was given after it began"):
        ann.do("cancel-group")
    assert "group of 1 command committed" in ann.do("end").text
    ann.do("create block later")
    assert "create block later" in ann.do("undo").text
    assert "bobs" in str(ann.do("list block"))


def test_a_group_ends_with_its_client(server: Server, bob: Client) -> None:
    with connect(server.url) as ann:
        ann.do("group")
        ann.do("create block one")
        ann.do("create block two")
    until = time.monotonic() + 10.0
    while len(commands(bob)) > 1 and time.monotonic() < until:
        time.sleep(0.01)
    assert commands(bob) == ["create block one and 1 more"]
    with connect(server.url) as ann, pytest.raises(Refused, match="There is no group"):
        ann.do("end")


@pytest.mark.parametrize("seed", range(5))
def test_a_killed_server_loses_no_acknowledged_command(seed, tmp_path):
    outcome = killed_round(tmp_path, seed)
    assert outcome.acknowledged >= CLIENTS
    assert not outcome.lost


@pytest.mark.soak
def test_two_hundred_kills_with_ten_clients_and_groups_open(tmp_path):
    outcomes = [killed_round(tmp_path, seed) for seed in range(1000, 1200)]
    acknowledged = sum(outcome.acknowledged for outcome in outcomes)
    groups = sum(outcome.open_groups for outcome in outcomes)
    lost = [name for outcome in outcomes for name in outcome.lost]
    print(
        f"\n200 kills, 10 clients each, {groups} groups open: {len(lost)} of {acknowledged} acknowledged commands lost"
    )
    assert groups > 200
    assert not lost
