"""The life of commands that plan and guide: over the wire with two clients, renamed, undone, replayed, saved, as text."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import workcell as wc
from workcell.commands.converting import database_of
from workcell.commands.session import Session
from workcell.service.client import Client, connect
from workcell.service.server import Server
from workcell.world.text_form import contents_of, to_text

CELL = (
    "create robot A puma560 joints -50,20,-120,0,60,0",
    "create robot B puma560 at 1300,0,0 rotate 0,0,180 joints -50,20,-120,0,60,0",
    "add solid post box 60 60 200 at 420,200,100",
    "create target spot",
    "place spot at 300,450,300 rotate 180,0,0",
    "targets along-curve arch normal 0,0,1 through (500,-100,300) (530,0,330) (500,100,300) spacing 60",
    'write program left "move-joints-absolute A -5,20,-120,0,60,0%0Await 0.5%0Ahome A"',
    'write program right "move-joints-absolute B -5,20,-120,0,60,0%0Await 0.5%0Ahome B"',
    'write program paths "find-path A joints 40,20,-120,0,60,0%0Aguide A 450,300,350 --position%0Ahome A"',
)
GOAL = "joints 50,20,-120,0,60,0"
LINES = {
    "find-path": f"find-path A {GOAL} seed 2 --display-tries",
    "find-path to a target": "find-path A to spot free rz",
    "plan-path": "plan-path A to spot",
    "guide": "guide A 450,300,350 --position",
    "plan order": "plan order arch by A to drill spin 90 --unproved",
    "plan program": "plan program left",
    "plan-along": "plan-along arch by A speed 50mm/s spin 90",
    "move-along": "move-along A arch speed 50mm/s spin 90 --proved",
    "together find-path": f"together find-path A {GOAL} & find-path B {GOAL}",
    "check together": "check together left right",
    "schedule": "schedule left right",
    "run": "run paths",
}
READS = ("plan-path", "plan-along", "check together")
_KEPT: list[wc.Cell] = []


@contextmanager
def session() -> Iterator[Session]:
    with wc.Cell() as cell:
        for line in CELL:
            cell.do(line)
        _KEPT.append(cell)
        yield cell.session


@pytest.fixture(scope="module")
def clients() -> Iterator[tuple[Client, Client]]:
    with Server(session) as server, connect(server.url) as one, connect(server.url) as other:
        yield one, other


@pytest.fixture(scope="module")
def local() -> Iterator[wc.Cell]:
    with wc.Cell() as cell:
        for line in CELL:
            cell.do(line)
        yield cell


def facts(cell: wc.Cell) -> tuple[str, str, bytes]:
    """What a cell is: what exists, where it is, what happened."""
    return cell.snapshot().hash, cell.state.to_json(), cell.session.recording.to_bytes()


@pytest.mark.parametrize("name", LINES)
def test_the_life_of_a_command(name: str, clients: tuple[Client, Client], local: wc.Cell) -> None:
    one, other = clients
    there = _KEPT[-1]
    line, before = LINES[name], facts(there)
    reply, here = one.do(line), local.do(line)
    assert str(reply) == str(here)
    assert json.loads(json.dumps(reply.value)) == reply.value
    assert facts(there) == facts(local)
    assert other.state.to_json() == there.state.to_json()
    assert other.recording.to_bytes() == there.session.recording.to_bytes()
    if name in READS:
        assert facts(there) == before
        return
    after = facts(there)
    other.do("modify A name Left")
    other.do("modify spot name there")
    assert "no mistakes" in str(one.do("check program left"))
    assert "A" not in str(one.do("steps paths")).replace("Axis", "").split()
    assert _lives_elsewhere(there)
    for _ in range(2):
        other.do("undo")
    assert facts(there)[:2] == after[:2]
    one.do("undo")
    assert facts(there)[:2] == before[:2]
    other.do("redo")
    assert facts(there)[:2] == after[:2]
    assert facts(there.replayed())[:2] == after[:2]
    one.do("undo")
    local.do("undo")


def _lives_elsewhere(cell: wc.Cell) -> bool:
    """Whether the text form of the cell is the same cell, in which every program runs as here."""
    with wc.Cell(database_of(contents_of(to_text(cell.database)))) as text:
        assert text.snapshot().hash == cell.snapshot().hash
        assert text.state.to_json() == cell.state.to_json()
        return [str(text.do(f"check program {one}")) for one in ("left", "right", "paths")] == [
            str(cell.do(f"check program {one}")) for one in ("left", "right", "paths")
        ]


def test_what_a_search_tried_reaches_every_page(clients: tuple[Client, Client]) -> None:
    """The lines of `--display-tries` travel with the events of the recording; other events have none."""
    one, other = clients
    one.do("add solid wall box 40 40 900 at 480,0,450")
    one.do(f"find-path A {GOAL} --display-tries")
    events = other.play().events
    tried = [event for event in events if event.kind == "path-tried"]
    assert any(event.lines for event in tried)
    assert all(event.robot == "A" and all(len(line) == 6 for line in event.lines) for event in tried)
    assert not any(event.lines or event.robot for event in events if event.kind != "path-tried")
    for _ in range(2):
        one.do("undo")


def test_two_clients_get_the_same_path(clients: tuple[Client, Client]) -> None:
    one, other = clients
    first = one.do(f"plan-path A {GOAL}")
    assert str(other.do(f"plan-path A {GOAL}")) == str(first)
    assert first.kind == "FoundPath"


def test_a_shell_with_json_answers_with_the_same_values(clients: tuple[Client, Client]) -> None:
    """Each command gives one object, with the fields that the wire sends."""
    asked = [line for name, line in LINES.items() if name != "run"]
    script = "\n".join([*CELL, *(text for line in asked for text in (line, "reset"))])
    done = subprocess.run(
        [sys.executable, "-m", "workcell", "shell", "--json"],
        input=script,
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()][len(CELL) :: 2]
    assert done.returncode == 0, done.stderr
    one, _ = clients
    for line, row in zip(asked, rows, strict=True):
        assert row["result"].keys() == one.do(line).value.keys(), line
        one.do("undo" if not any(line.startswith(word) for word in READS) else "list")
