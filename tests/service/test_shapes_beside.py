"""The cell thread never waits for the CAD process: an edit that needs a shape is carried out when the shape is made."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

import workcell as wc
from workcell.commands.session import Session
from workcell.errors import Cancelled, WorkcellError
from workcell.geometry.kernel.worker import CadWorker
from workcell.service import protocol
from workcell.service.client import Client, connect
from workcell.service.server import Server

CELL = (
    "create block plate-1 box 200 100 20",
    "create block pin-1 cylinder 10 {0}",
    "create surface ring disc 60 bore {0}",
    "create surface profile contour (20,0) (60,0) (60,10) (30,40) (20,{0})",
    "create curve arch through (0,0,0) (0,0,900) (800,0,15{0}) (2000,0,2000)",
    "add solid plate box 200 100 {0}",
    "add solid pin cylinder 10 {0} at 50,0,0",
    "combine old difference plate-1 pin-1",
)
LINES = {
    "combine made union plate-1 pin-1 translate 50,0,0": "made",
    "extrude made ring along 30,0,{0}": "made",
    "revolve made profile 180": "made",
    "sweep made ring on arch": "made",
    "merge made difference of plate of pin": "made",
    "modify old/pin-1 transform translate 60,0,0": "",
    "reshape block old operation union": "",
    "modify pin-1 shape cylinder 10 {0}.5": "",
}
"""Lines that need the CAD process, and what they make."""
_numbers = itertools.count(41)


@pytest.fixture
def number() -> int:
    """A length that no other test has, so that no shape is made already [mm]."""
    return next(_numbers)


@contextmanager
def opened(number: int) -> Iterator[Session]:
    with wc.Cell() as cell:
        for line in CELL:
            cell.do(line.format(number))
        yield cell.session


@pytest.fixture
def clients(number: int) -> Iterator[tuple[Client, Client]]:
    with Server(lambda: opened(number)) as server, connect(server.url) as one, connect(server.url) as other:
        one.do("show plate")
        yield one, other


class Gate:
    """Holds requests to the CAD process until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.open, self.closed = threading.Event(), threading.Event(), False
        self.threads: set[str] = set()
        submit = CadWorker.submit

        def held(*given: object, **named: object) -> bytes:
            if self.closed:
                self.threads.add(threading.current_thread().name)
                self.begun.set()
                assert self.open.wait(60)
            return submit(*given, **named)

        monkeypatch.setattr(CadWorker, "submit", held)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, clients: object) -> Iterator[Gate]:
    made = Gate(monkeypatch)
    made.closed = True
    yield made
    made.open.set()


def meanwhile(one: Client, gate: Gate, line: str, work):
    """Begin a line, do something while its shape is made, and return its answer."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(one.do, line)
        try:
            assert gate.begun.wait(60)
            work()
        finally:
            gate.open.set()
        return answer.result(60)


@pytest.mark.parametrize("line", LINES)
def test_others_edit_while_a_shape_is_made_and_the_edit_is_one_step_afterwards(clients, gate, number, line):
    one, other = clients
    answer = meanwhile(one, gate, line.format(number), lambda: other.do("add solid post box 50 50 50 at 900,0,0"))
    with opened(number) as session:
        assert answer.text == str(session.do(line.format(number)))
        kept = session.database.history.entries()[-1].label
    steps = one.do("history").value["rows"]
    assert [steps[-2][-1].split()[:2], steps[-1][-1]] == [["add", "solid"], kept]
    assert not any(name.startswith("workcell-cell") for name in gate.threads)
    one.do("undo")
    one.do("show post")
    if LINES[line]:
        with pytest.raises(WorkcellError, match=LINES[line]):
            one.do(f"show {LINES[line]}")
    one.do("redo")


def test_a_shape_that_changed_meanwhile_is_made_as_it_is_then(clients, gate, number):
    one, other = clients
    meanwhile(one, gate, "merge made difference of plate of pin", lambda: other.do("place pin at 95,0,0"))
    with opened(number) as session:
        session.do("place pin at 95,0,0")
        session.do("merge made difference of plate of pin")
        assert one.do("measure made").text == str(session.do("measure made"))


def test_a_shape_that_cannot_be_made_is_refused_with_the_same_sentence(clients, gate, number):
    one, other = clients
    line = "combine made intersection plate-1 pin-1 translate 900,0,0"
    with pytest.raises(WorkcellError) as beside:
        meanwhile(one, gate, line, lambda: other.do("create signal ready"))
    with opened(number) as session, pytest.raises(WorkcellError) as on_the_spot:
        session.do(line)
    assert (type(beside.value), str(beside.value)) == (type(on_the_spot.value), str(on_the_spot.value))
    assert one.do("history").value["rows"][-1][-1].startswith("create signal")


def test_the_commands_of_a_client_that_does_not_wait_keep_their_order(clients, gate):
    one, other = clients
    for number, line in enumerate(("combine made union plate-1 pin-1", "modify made colour red", "show made"), 100):
        one._send(protocol.Command(number, line))
    one._send(protocol.Lines(103, ["modify made name kept", "create signal last"]))
    assert gate.begun.wait(60)
    other.do("create signal ready")
    gate.open.set()
    answered = []
    while len(answered) < 4:
        message = one._next(60)
        if isinstance(message, protocol.Result | protocol.Failure):
            answered.append((message.request, type(message)))
    assert answered == [(number, protocol.Result) for number in range(100, 104)]
    assert other.do("show kept").text


def test_making_a_shape_reports_progress_and_can_be_cancelled(clients, gate):
    one, other = clients

    def report(_fraction: float | None, _label: str) -> None:
        one.cancel()
        gate.open.set()

    with pytest.raises(Cancelled):
        one.do("combine made union plate-1 pin-1", progress=report)
    with pytest.raises(WorkcellError, match="made"):
        other.do("show made")
    one.do("combine made union plate-1 pin-1")


def test_an_edit_of_a_client_that_left_is_carried_out(number, gate, clients):
    one, other = clients
    one._send(protocol.Command(100, "combine made union plate-1 pin-1"))
    one._send(protocol.Command(101, "group"))
    one._send(protocol.Command(102, "create signal last"))
    assert gate.begun.wait(60)
    one.close()
    gate.open.set()
    for _ in range(600):
        if any(row[-1] == "create signal last" for row in other.do("history").value["rows"]):
            break
        threading.Event().wait(0.05)
    assert other.do("show made").text
    other.do("undo --any")
    with pytest.raises(WorkcellError, match="last"):
        other.do("show last")


def test_in_a_group_it_keeps_its_place_and_holds_up_nobody(clients, gate):
    one, other = clients
    one.do("group")
    meanwhile(one, gate, "combine made union plate-1 pin-1", lambda: other.do("create signal ready"))
    one.do("modify made colour red")
    one.do("end")
    one.do("undo")
    with pytest.raises(WorkcellError, match="made"):
        one.do("show made")
    one.do("show ready")


def test_in_a_script_it_is_made_on_the_spot(number, tmp_path, monkeypatch):
    (tmp_path / "made.txt").write_text("combine made union plate-1 pin-1\nmodify made colour red\n")
    with Server(lambda: opened(number), allow=(tmp_path,)) as server, connect(server.url) as one:
        one.do("show plate")
        gate = Gate(monkeypatch)
        gate.closed = True
        gate.open.set()
        one.do(f"load {tmp_path}/made.txt")
        assert gate.threads == {"workcell-cell"}
        one.do("undo")
        with pytest.raises(WorkcellError, match="made"):
            one.do("show made")


def test_among_lines_that_are_one_step_it_is_made_on_the_spot(clients):
    one, _ = clients
    one.do_together(["combine made union plate-1 pin-1", "modify made colour red"])
    one.do("undo")
    with pytest.raises(WorkcellError, match="made"):
        one.do("show made")


def test_an_edit_that_would_never_end_waits_at_last(clients, monkeypatch):
    one, _ = clients
    monkeypatch.setattr("workcell.service.cell_work.MOST_ANSWERS", 1)
    one.do("combine made union plate-1 pin-1")
    one.do("show made")
