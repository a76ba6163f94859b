"""The long work of an editing command holds up no other client; the result is kept in a short step, or refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

import workcell as wc
from workcell.commands import program_planning, swept_volumes, work_planning
from workcell.commands.session import Session
from workcell.errors import Refused, WorkcellError
from workcell.service.client import Client, connect
from workcell.service.server import Server

CELL = (
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "add solid plate box 200 200 20 at 500,0,200",
    "targets grid 1x2 to holes pitch 50,50 on plate at 0,0,60 rotate 180,0,0",
    'write program demo "move-joints-relative Puma 5,0,0,0,0,0"',
    "move-joints-relative Puma 10,0,0,0,0,0",
)
HELD = {swept_volumes: ("_swept", "_swept_run"), work_planning: ("_ordered",), program_planning: ("_plan",)}
PLANNED = ("plan order holes by Puma to drill --unproved", "plan program demo")
SWEPT = ("add swept-run way of Puma tolerance 80mm as ghost", "add swept way of Puma 30,0,-90,0,90,0 tolerance 80mm")


@contextmanager
def session() -> Iterator[Session]:
    with wc.Cell() as cell:
        for line in CELL:
            cell.do(line)
        yield cell.session


@pytest.fixture
def clients() -> Iterator[tuple[Client, Client]]:
    with Server(session) as server, connect(server.url) as one, connect(server.url) as other:
        yield one, other


class Gate:
    """Holds the computing of a swept volume until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.open = threading.Event(), threading.Event()
        for module, names in HELD.items():
            for name in names:
                monkeypatch.setattr(module, name, self._held(getattr(module, name)))

    def _held(self, work):
        def held(own: Session, *given: object):
            self.begun.set()
            assert self.open.wait(60)
            return work(own, *given)

        return held


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    made = Gate(monkeypatch)
    yield made
    made.open.set()


def meanwhile(one: Client, gate: Gate, line: str, work):
    """Begin a line, do something while it is computed, and return its answer."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(one.do, line)
        try:
            assert gate.begun.wait(60)
            work()
        finally:
            gate.open.set()
        return answer.result(60)


@pytest.mark.parametrize("line", SWEPT)
def test_others_edit_while_it_is_computed_and_it_is_one_step_afterwards(clients, gate, line):
    one, other = clients
    meanwhile(one, gate, line, lambda: other.do("create signal ready"))
    steps = [row[-1] for row in one.do("history").value["rows"]]
    assert [step.split(maxsplit=2)[:2] for step in steps[-2:]] == [["create", "signal"], line.split()[:2]]
    assert "way" in str(one.do("show way").text)
    one.do("undo")
    with pytest.raises(WorkcellError, match="way"):
        one.do("show way")


@pytest.mark.parametrize("line", SWEPT)
@pytest.mark.parametrize("change", ["move-joints-relative Puma 10,0,0,0,0,0", "add solid post box 50 50 50 at 900,0,0"])
def test_it_is_refused_if_what_it_needs_changed_meanwhile(clients, gate, line, change):
    one, other = clients
    with pytest.raises(Refused, match="The cell changed while the swept volume was computed"):
        meanwhile(one, gate, line, lambda: other.do(change))
    with pytest.raises(WorkcellError, match="way"):
        one.do("show way")
    one.do(line)
    one.do("show way")


@pytest.mark.parametrize("line", PLANNED)
def test_plans_hold_up_nobody_and_are_refused_if_the_cell_changed(clients, gate, line):
    one, other = clients
    before = one.do("history").value["rows"][-1]
    with pytest.raises(Refused, match=r"The cell changed while the (order|plan) was computed"):
        meanwhile(one, gate, line, lambda: other.do("place plate at 550,0,200"))
    assert one.do("history").value["rows"][-1] != before  # the edit of the other client
    other.do("undo")
    one.do(line)
    assert one.do("history").value["rows"][-1][-1].startswith(line[:10])


def test_a_robot_that_is_gone_meanwhile_is_named(clients, gate):
    one, other = clients
    with pytest.raises(WorkcellError, match="Puma"):
        meanwhile(one, gate, SWEPT[1], lambda: other.do("modify robot:Puma name Arm"))


def test_in_a_group_it_keeps_its_place(clients):
    one, _ = clients
    one.do("group")
    one.do(SWEPT[0])
    one.do("show way")
    one.do("end")
    one.do("undo")
    with pytest.raises(WorkcellError, match="way"):
        one.do("show way")
