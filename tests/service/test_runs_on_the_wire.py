"""Programs and runs on the wire: every window hears where runs stand, and completions know programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as open_socket

from workcell.commands.cell import Cell
from workcell.commands.session import Session
from workcell.errors import WorkcellError
from workcell.service import run_view
from workcell.service.server import Server
from workcell.workbench.gallery import Gallery

TEXT = "let n = 2\nrepeat n\n  wait-until ready timeout 5\n  move-joints-relative Puma 5,0,0,0,0,0\nend"


@contextmanager
def session() -> Iterator[Session]:
    with Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("create signal ready")
        cell.session.call("write program", {"name": "demo", "text": TEXT})
        yield cell.session


class Window:
    """A page: it sends requests and keeps the messages about runs."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket, self.runs, self._number = socket, list[dict](), 0

    def take(self) -> dict:
        while True:
            data = self.socket.recv(timeout=20)
            message = unpacked(data)
            if message.get("type") == "run":
                self.runs.append(message)
            return message

    def ask(self, **message: object) -> dict:
        self._number += 1
        self.socket.send(json.dumps({**message, "request": self._number}))
        while True:
            found = self.take()
            if found.get("request") == self._number and found["type"] != "progress":
                return found

    def until(self, holds) -> dict:
        while not (self.runs and holds(self.runs[-1])):
            self.take()
        return self.runs[-1]


def unpacked(data: str | bytes) -> dict:
    import gzip

    if isinstance(data, str):
        return json.loads(data)
    start = data.find(b"\x1f\x8b")
    try:
        return json.loads(gzip.decompress(data[start:]))
    except (OSError, ValueError):
        return {"type": "binary"}


@pytest.fixture
def windows() -> Iterator[tuple[Window, Window]]:
    with Server(session) as server:
        url = server.url.replace("http", "ws").partition("?")
        place = f"{url[0].rstrip('/')}/ws{url[1]}{url[2]}"
        with open_socket(place) as one, open_socket(place) as other:
            yield Window(one), Window(other)


GO = """parameter n number
parameter h length = 5cm
parameter q joints = 10,0,-90,0,90,0
parameter what robot = Puma
move-joints-absolute Puma q
wait n
message what"""


def test_a_program_has_its_parameters_with_the_unit_in_which_a_value_is_given():
    with session() as one:
        one.call("write program", {"name": "go", "text": GO})
        one.do("units m rad")
        demo, go = run_view.run_info(one).programs
        assert demo.parameters == []
        assert [(each.name, each.required, each.unit, each.default, each.kinds) for each in go.parameters] == [
            ("n", True, "", "", []),
            ("h", False, "m", "0.05", []),
            ("q", False, "", "(10, 0, -90, 0, 90, 0)", []),
            ("what", False, "", "Puma", ["robot", "mechanism"]),
        ]
        one.do("modify program:go name went")
        assert [each.id for each in run_view.run_info(one).programs] == [demo.id, go.id]


@pytest.mark.parametrize(
    ("given", "parameter", "message"),
    [
        ([], "n", "Program 'go' needs a value for its parameter 'n'."),
        (["2 +"], "n", "Expected a value."),
        (["nosuch"], "n", "There is no variable, signal or target called 'nosuch'"),
        (["1", "3deg"], "h", "Expected a length; found an angle."),
        (["1", "50", "true"], "q", "Parameter 'q': Expected joint values"),
        (["1", "50", "0,0,-90,0,90,0", "Pma"], "what", "Parameter 'what': There is no robot called 'Pma'"),
    ],
)
def test_a_value_that_is_refused_is_named_with_its_program(given, parameter, message):
    with session() as one:
        one.call("write program", {"name": "go", "text": GO})
        one.call("write program", {"name": "beside", "text": "wait 1"})
        for command, programs in (("run", {"program": "go"}), ("run-together", {"programs": ["go", "beside"]})):
            with pytest.raises(WorkcellError, match=re.escape(message)) as refused:
                one.call(command, {**programs, "arguments": given})
            assert refused.value.evidence["parameter"] == parameter
            assert refused.value.evidence["program"] == "go"


def test_values_come_one_by_one_and_a_row_of_numbers_needs_no_brackets():
    with session() as one:
        one.call("write program", {"name": "go", "text": GO})
        one.call("run", {"program": "go", "arguments": ["0.5 * 2", "50", "0,0,-90,0,90,0"]})
        assert one.database.history.last_command == "run program:go with 0.5 * 2, 50, (0, 0, -90, 0, 90, 0)"


def test_every_window_hears_which_programs_the_recording_shows():
    with session() as one:
        for name, text in (("a", "let n = 1\ncall b"), ("b", "wait 1"), ("c", "wait 2")):
            one.call("write program", {"name": name, "text": text})

        def ran() -> list[str]:
            return run_view.run_info(one).ran

        assert ran() == []
        one.do("run-together c a")
        assert ran() == ["c", "a"]  # not what they call
        one.do("modify program:a name main")
        assert ran() == ["c", "main"]
        one.do("move-joints-relative Puma 5,0,0,0,0,0")
        assert ran() == ["c", "main"]
        one.do("remove program:c")
        assert ran() == ["main"]
        one.do("run b")
        assert ran() == ["b"]
        one.do("undo 5")
        assert ran() == []


def test_the_pick_line_of_the_gallery_was_a_run_of_three_programs():
    with Gallery().open("conveyor-pick-line") as cell:
        assert run_view.run_info(cell.session).ran == ["belt", "one", "two"]


def test_every_window_hears_of_breakpoints_pauses_variables_and_signals(windows):
    mine, other = windows
    first = other.until(lambda _: True)
    assert [one["name"] for one in first["programs"]] == ["demo"]
    assert first["state"] == "none"
    assert [(one["name"], one["value"]) for one in first["signals"] if not one.get("fixed")] == [("ready", 0.0)]

    mine.ask(type="call", command="break", parameters={"program": "demo", "line": 4, "condition": "n = 2"})
    assert other.until(lambda run: run["breakpoints"])["breakpoints"] == [
        {"program": "demo", "line": 4, "when": "n = 2"}
    ]
    mine.ask(type="command", line="debug demo")
    stands = other.until(lambda run: run["state"] == "paused")
    assert [(one["program"], one["line"], one["stands"]) for one in stands["threads"]] == [("demo", 1, True)]
    mine.ask(type="command", line="step-into")
    assert other.until(lambda run: run["threads"][0]["line"] == 2)["threads"][0]["variables"] == {"n": "2"}
    mine.ask(type="command", line="set-signal ready 1")
    assert other.until(lambda run: run["signals"][-1]["value"] == 1.0)["state"] == "paused"
    mine.ask(type="command", line="resume")
    hit = other.until(lambda run: run.get("hit"))
    assert hit["threads"][0]["line"] == 4

    before = hit["programs"][0]["mark"]
    mine.ask(type="command", line='insert-step demo 1 "wait 0"')
    edited = other.until(lambda run: run["programs"][0]["mark"] != before)
    assert edited["breakpoints"][0]["line"] == 5
    assert edited["edited"]
    mine.ask(type="command", line="unbreak")
    mine.ask(type="command", line="resume")
    done = other.until(lambda run: run["state"] == "none")
    assert done["threads"] == []


def test_a_run_that_takes_long_is_shown_while_it_goes_on(windows, monkeypatch):
    monkeypatch.setattr(run_view, "EVERY", 0.0)
    mine, other = windows
    mine.ask(
        type="command",
        line='write program long "repeat 20%0A  move-joints-relative Puma 1,0,0,0,0,0%0A  home Puma%0Aend"',
    )
    mine.ask(type="command", line="run long")
    other.until(
        lambda run: (
            run["state"] == "none" and len(run["programs"]) == 2 and any(r["state"] == "goes" for r in other.runs)
        )
    )
    lines = {run["threads"][0]["line"] for run in other.runs if run["state"] == "goes"}
    assert {2, 3} <= lines


def test_a_run_that_is_refused_is_not_shown_as_going_on(windows, monkeypatch):
    monkeypatch.setattr(run_view, "EVERY", 0.0)
    mine, other = windows
    mine.ask(type="command", line='write program bad "wait 1%0Await-until ready timeout 1"')
    answer = mine.ask(type="command", line="run bad")
    assert answer["type"] == "error"
    other.until(lambda run: run["state"] == "none" and any(one["state"] == "goes" for one in other.runs))


def test_completion_of_a_program_knows_its_variables_and_blocks(windows):
    mine, _ = windows
    options = mine.ask(type="complete", text="let gap = 3\nif g", program=True)["options"]
    assert "gap" in [one["text"] for one in options]
    options = mine.ask(type="complete", text="if ready\n  ", program=True)["options"]
    assert [one["text"] for one in options[:2]] == ["else", "end"]
    assert mine.ask(type="complete", text="wait 1 # mo", program=True)["options"] == []
    assert "gap" not in [one["text"] for one in mine.ask(type="complete", text="sh")["options"]]
