"""A group belongs to its client: nobody else's command enters it, it ends with the client, and a kill loses nothing."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from kills import CLIENTS, killed_round

from workcell.commands.cell import Cell
from workcell.commands.script import carry_out_together
from workcell.commands.session import Session
from workcell.errors import Cancelled, Refused, WorkcellError
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


def test_ones_own_step_is_undone_while_another_client_has_a_group_open(ann: Client, bob: Client) -> None:
    bob.do("create block bobs")
    ann.do("group")
    ann.do("create block one")
    assert "bobs" in bob.do("undo").text
    ann.do("create block two")
    assert "group of 2 commands committed" in ann.do("end").text
    assert commands(bob) == ["create block one and 1 more"]
    assert "one" in ann.do("undo").text
    assert "no entities" in bob.do("list").text or "0" in bob.do("list").text


def test_a_group_is_cancelled_after_another_client_has_undone_a_step_before_it(ann: Client, bob: Client) -> None:
    bob.do("create block bobs")
    ann.do("group")
    ann.do("create block one")
    bob.do("undo")
    ann.do("create block two")
    assert "2 commands forgotten" in ann.do("cancel-group").text
    assert commands(bob) == []


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


def test_lines_that_are_sent_together_are_one_step(ann: Client, bob: Client) -> None:
    bob.do("create block before")
    reply = ann.do_together([f"create block b{i}" for i in range(50)])
    assert len(reply.value["texts"]) == 50
    assert commands(bob) == ["create block before", "create block b0 and 49 more"]
    assert "b0" in ann.do("undo").text
    assert commands(bob)[:1] == ["create block before"]
    assert "b7" not in str(bob.do("list block"))
    ann.do("redo")
    assert "b49" in str(bob.do("list block"))


def test_of_lines_that_are_sent_together_none_takes_effect_if_one_is_refused(ann: Client, bob: Client) -> None:
    ann.do("create robot Puma puma560")
    before, steps = ann.state.joints["Puma"], commands(bob)
    for wrong in ("create block one", "group", "end", "cancel-group", "undo", "no such command"):
        lines = ["create block one", "move-joints-relative Puma 5,0,0,0,0,0", wrong]
        with pytest.raises(WorkcellError) as refused:
            ann.do_together(lines)
        assert refused.value.evidence["place"] == 2
        assert commands(bob) == steps
        assert ann.state.joints["Puma"] == pytest.approx(before)
        assert "one" not in str(ann.do("list block"))
    assert ann.recording.duration == 0.0
    ann.do("move-joints-relative Puma 5,0,0,0,0,0")  # the simulator goes on from where the cell is
    assert ann.state.joints["Puma"][0] == pytest.approx(before[0] + math.radians(5))


def test_refused_lines_are_left_out_if_each_line_counts_alone(ann: Client, bob: Client) -> None:
    reply = ann.do_together(["create block one", "create block one", "no such command", "create block two"], each=True)
    assert reply.value["refused"] == [1, 2]
    assert "one" in reply.value["texts"][1]
    assert commands(bob) == ["create block one and 1 more"]
    ann.do("undo")
    assert "two" not in str(bob.do("list block"))


def test_a_script_among_lines_is_loaded_whole_or_not_at_all(tmp_path) -> None:
    (tmp_path / "good.cellscript").write_text("create block good\ncreate block better\n")
    (tmp_path / "bad.cellscript").write_text("create block half\nno such command\n")
    with Cell() as cell:
        lines = [f"load {tmp_path / name}" for name in ("good.cellscript", "bad.cellscript")]
        done = carry_out_together(cell.session, [*lines, "create block last"], each=True)
        assert done.refused == (1,)
        assert [entity.name for entity in cell.database.entities("block")] == ["good", "better", "last"]
        cell.do("undo")
        assert not cell.database.entities("block")
        cell.do("redo")
        assert len(cell.database.entities("block")) == 3


def test_cancelling_lines_that_are_sent_together_takes_all_of_them_back(ann: Client, bob: Client) -> None:
    seen: list[tuple[float | None, str]] = []

    def progress(fraction: float | None, label: str) -> None:
        seen.append((fraction, label))
        if label.startswith("2 of 3") and (fraction or 0.0) > 0.35:
            ann.cancel()

    with pytest.raises(Cancelled):
        ann.do_together(["create block one", "exercise-kernel 10s", "create block two"], progress, each=True)
    assert all(1 / 3 <= (fraction or 0.0) <= 2 / 3 for fraction, label in seen if label.startswith("2 of 3"))
    assert commands(bob) == []
    assert "one" not in str(bob.do("list block"))


def test_lines_that_are_sent_together_belong_to_an_open_group(ann: Client, bob: Client) -> None:
    ann.do("group")
    ann.do("create block one")
    ann.do_together(["create block two", "create block three"])
    assert "group of 3 commands committed" in ann.do("end").text
    assert commands(bob) == ["create block one and 2 more"]


def test_lines_are_not_sent_together_while_a_run_is_paused(ann: Client) -> None:
    ann.do("create robot Puma puma560")
    ann.do('write program demo "move-joints-relative Puma 5,0,0,0,0,0"')
    ann.do("debug demo")
    with pytest.raises(Refused, match=r"while .*demo.* is paused"):
        ann.do_together(["create block one", "create block two"])
    ann.do("stop-run")
    ann.do_together(["create block one", "create block two"])


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
