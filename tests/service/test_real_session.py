"""The wire on a real session: the same program, the same bytes; and the CAD kernel at work beside it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from websockets.sync.client import connect as open_socket

from workcell.commands.cell import Cell
from workcell.commands.listeners import Change
from workcell.commands.session import Session
from workcell.errors import Cancelled, Refused, WorkcellError
from workcell.service.client import Client, connect
from workcell.service.server import Server

SETTING = (
    "create scene cell",
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "speed Puma 0.3rad/s",
    "profile Puma linear",
)
PROGRAM = (
    "move-joints-relative Puma -70,-10,10,30,-20,-10",
    "move-joints-absolute Puma -60,0,-70,0,90,30",
    "move-joints-absolute Puma 0,0,-90,0,90,0",
)


@contextmanager
def session() -> Iterator[Session]:
    with Cell() as cell:
        for line in SETTING:
            cell.do(line)
        yield cell.session


@pytest.fixture
def client() -> Iterator[Client]:
    with Server(session) as server, connect(server.url) as connected:
        yield connected


def test_a_program_over_the_wire_gives_the_bytes_that_it_gives_here(client: Client) -> None:
    replies = [client.do(line) for line in PROGRAM]
    with session() as local:
        results = [local.do(line) for line in PROGRAM]
        assert client.recording.to_bytes() == local.recording.to_bytes()
        assert [reply.text for reply in replies] == [str(result) for result in results]
        assert client.state.time == local.state.time
        np.testing.assert_array_equal(client.state.joints["Puma"], local.state.joints["Puma"])
    assert [reply.value["duration"] for reply in replies] == pytest.approx([4.0724, 2.3271, 3.4907], abs=5e-5)
    assert client.play().duration == pytest.approx(9.8902, abs=1e-4)


def test_poses_along_the_recording_are_those_of_the_states(client: Client) -> None:
    client.do(PROGRAM[0])
    found = client.poses(0.0, 0.5, 9)
    with session() as local:
        local.do(PROGRAM[0])
        for i, time in enumerate(np.clip(0.5 * np.arange(9), 0.0, local.recording.end)):
            expected = local.snapshot().body_poses(local.recording.state_at(time))[:, :3, 3]
            np.testing.assert_allclose(found[i, :, :3], expected, atol=1e-6)


def test_errors_are_those_of_the_session(client: Client) -> None:
    lines = ("move-joints-relative Puma 1,2", "show Pumba", "create robot Two no-such-robot", "redo", "place Puma at 1")
    for line in lines:
        with session() as local, pytest.raises(WorkcellError) as here:
            local.do(line)
        with pytest.raises(WorkcellError) as there:
            client.do(line)
        assert there.value.message == here.value.message
        assert there.value.evidence.get("column") == here.value.evidence.get("column")
        assert isinstance(here.value, type(there.value))
        assert type(there.value) is not WorkcellError


def test_undo_over_the_wire(client: Client) -> None:
    before = client.state
    client.do(PROGRAM[0])
    assert client.state != before
    client.do("undo")
    assert client.state == before


def test_completion_is_that_of_the_session(client: Client) -> None:
    with session() as local:
        for text in ("", "mo", "create ", "move-joints-relative "):
            assert [o.text for o in client.complete(text)] == [o.text for o in local.complete(text)]


def test_the_cad_kernel_works_aside_and_is_stopped_on_request(client: Client) -> None:
    def stop(fraction: float | None, label: str) -> None:
        client.cancel()

    with pytest.raises(Cancelled):
        client.do("exercise-kernel 600s", progress=stop)
    assert client.do("exercise-kernel 0.01s").text.startswith("the CAD kernel worked")


def test_what_was_taken_of_a_recording_does_not_grow_with_it() -> None:
    with session() as local:
        local.do(PROGRAM[0])
        taken = local.recording.copy()
        before = taken.to_bytes()
        assert before == local.recording.to_bytes()
        local.do(PROGRAM[1])
        assert taken.to_bytes() == before != local.recording.to_bytes()


def test_another_client_pauses_a_run_that_goes_on() -> None:
    with Server(session) as server, connect(server.url) as ann, connect(server.url) as bob:
        ann.do('write program long "repeat 400000%0A  wait 1%0Aend"')
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(ann.do, "run long")
            while server.hub._session is None or server.hub._session.going is None:
                time.sleep(0.01)
            assert bob.do("pause").text == "the run will pause before its next step"
            reply = answer.result(timeout=60)
        assert reply.text.startswith("before line 2 of 'long' at ")
        assert bob.state.time == reply.value["time"] > 0.0
        assert bob.do("pause").text == reply.text
        with pytest.raises(Refused, match="paused"):
            bob.do("move-joints-relative Puma 1,0,0,0,0,0")
        assert bob.do("step-over").value["time"] == reply.value["time"] + 1.0
        ann.do("stop-run")
        assert bob.state.time == 0.0


@contextmanager
def old_session() -> Iterator[Session]:
    """A cell with a program as they once were."""
    with Cell() as cell:
        cell.do("create robot Puma puma560")
        cell.do('write program old "wait 1%0Acreate signal ready"')
        yield cell.session


@pytest.mark.filterwarnings("ignore:Program 'old' edits the cell")
def test_every_client_learns_of_programs_that_cannot_run_until_they_are_mended() -> None:
    with Server(old_session) as server:
        with pytest.warns(UserWarning, match=r"Program 'old' edits the cell \(`create signal` in line 2\)"):
            first = connect(server.url)
        with first, connect(server.url) as second:
            assert len(first.hello.notes) == 1
            assert second.hello.notes == first.hello.notes
            first.do('write program old "wait 1"')
            assert any(_has_no_notes(server.url) for _ in range(100))


def _has_no_notes(url: str) -> bool:
    time.sleep(0.02)  # the greeting follows an edit a moment later
    with connect(url) as later:
        return not later.hello.notes


def test_a_film_is_made_beside_the_cell_and_can_be_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While pictures are drawn another client edits, moves and asks; the film shows what was recorded at its start."""
    from workcell.simulation import film

    drawing, go_on, drawn = threading.Event(), threading.Event(), film.render

    def slowly(*arguments: object, **options: object) -> object:
        drawing.set()
        assert go_on.wait(60.0)
        return drawn(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(film, "render", slowly)
    told: list[tuple[float | None, str]] = []
    with (
        Server(session, allow=[tmp_path]) as server,
        connect(server.url) as maker,
        connect(server.url) as other,
        ThreadPoolExecutor(1) as pool,
    ):
        maker.do(PROGRAM[0])
        line = f'film "{tmp_path / "run.gif"}" fps 2 size 64 48'
        for cancelled in (False, True):
            drawing.clear()
            go_on.clear()
            answer = pool.submit(maker.do, line, lambda fraction, label: told.append((fraction, label)))
            assert drawing.wait(60.0)
            assert "moved in" in str(other.do(PROGRAM[1 + cancelled]))
            assert "created" in str(other.do(f"create block b{int(cancelled)} box 1 2 3"))
            assert not answer.done()
            if cancelled:
                maker.cancel()
                go_on.set()
                with pytest.raises(Cancelled):
                    answer.result(60.0)
            else:
                go_on.set()
                assert "10 pictures, 5.00 s for 4.07 simulated" in str(answer.result(60.0))
                (tmp_path / "run.gif").unlink()
        assert list(tmp_path.iterdir()) == []
        assert any("picture" in label for _, label in told)


def test_a_run_is_shown_before_its_answer_and_an_edit_after_it() -> None:
    with Server(session) as server:
        address = f"ws://127.0.0.1:{server.port}/ws?token={server.token}"
        with open_socket(address, proxy=None, max_size=None) as wire:
            while _type_of(wire.recv(10)) != "status":
                pass
            for line, wanted in (("move-joints-relative Puma 1,0,0,0,0,0", True), ("create block brick", False)):
                wire.send(json.dumps({"type": "command", "request": 1, "line": line}))
                seen: list[str] = []
                while not {"result", "change", "difference"} <= set(seen):
                    seen.append(_type_of(wire.recv(10)))
                assert (seen.index("change") < seen.index("result")) is wanted


def test_a_change_has_its_line_in_si_units_and_what_was_typed() -> None:
    with session() as local:
        heard: list[Change] = []
        local.on_change(heard.append)
        for line in ("move-joints-relative Puma 90,0,0,0,0,0", "create block brick"):
            local.do(line)
            assert heard[-1].label == line
        assert "1.57079" in heard[0].line
        local.call("create block", {"name": "stone"})
        assert heard[-1].label in ("", heard[-1].line)


def _type_of(frame: str | bytes) -> str:
    return str(json.loads(frame)["type"]) if isinstance(frame, str) else ""
