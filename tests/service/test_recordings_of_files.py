"""The recording of a cell file over the wire: closed and opened again, saved as another file, too large, damaged."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from workcell.commands import kept_recording
from workcell.commands.cell import Cell
from workcell.commands.session import Session
from workcell.service import protocol
from workcell.service.client import Client, connect
from workcell.service.server import Server


def on_file(path: Path) -> Callable[[], AbstractContextManager[Session]]:
    @contextmanager
    def session() -> Iterator[Session]:
        with Cell.open(path) if path.exists() else Cell.create(path) as cell:
            yield cell.session

    return session


def joined(server: Server, cell: protocol.CellInfo) -> Client:
    return connect(f"{server.url}&cell={cell.id}")


def run(client: Client) -> None:
    client.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
    client.do("program demo\nmove-joints-relative Puma 20,0,0,0,0,0\nwait 1\nend")
    client.do("run demo")


def test_a_server_that_is_started_again_shows_the_last_run_in_every_window(tmp_path: Path) -> None:
    path = tmp_path / "one.cell"
    with Server(on_file(path)) as server, connect(server.url) as client:
        run(client)
        kept, info = client.recording.to_bytes(), client.look().recording
    with Server(on_file(path)) as server, connect(server.url) as client, connect(server.url) as second:
        assert client.recording.to_bytes() == second.recording.to_bytes() == kept
        assert client.look().recording.duration == info.duration
        assert client.play().duration == info.duration
        client.do("move-joints-relative Puma 10,0,0,0,0,0")
        assert second.recording.duration > info.duration
        client.do("undo")
        assert second.recording.to_bytes() == kept


def test_a_cell_that_is_closed_and_opened_again_shows_its_run(tmp_path: Path) -> None:
    with Server(on_file(tmp_path / "first.cell")) as server, connect(server.url) as client:
        made = client.cells.new("other.cell")
        with joined(server, made) as own:
            run(own)
            kept = own.recording.to_bytes()
        client.cells.close(made.id)
        with joined(server, client.cells.open("other.cell")) as own:
            assert own.recording.to_bytes() == kept


def test_save_as_keeps_the_run_in_the_new_file_and_goes_on_with_a_loaded_one(tmp_path: Path) -> None:
    with Server(on_file(tmp_path / "first.cell")) as server, connect(server.url) as client:
        run(client)
        client.do("save-recording first.rec")
        loaded = client.recording.to_bytes()
        client.do("move-joints-relative Puma 10,0,0,0,0,0")
        own = client.recording.to_bytes()
        client.do("load-recording first.rec")
        with joined(server, client.cells.save_as("copy.cell")) as now:
            assert now.recording.to_bytes() == loaded
    with Cell.open(tmp_path / "copy.cell") as cell:
        assert cell.session.recording.to_bytes() == own


@pytest.mark.filterwarnings("ignore:The recording is not kept")  # when the cells are closed
def test_save_as_goes_on_with_a_run_that_is_too_large_for_the_file_and_states_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_recording, "MOST", 10)
    with Server(on_file(tmp_path / "first.cell")) as server, connect(server.url) as client:
        run(client)
        kept = client.recording.to_bytes()
        made = client.cells.save_as("copy.cell")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            now = joined(server, made)
        with now:
            assert now.recording.to_bytes() == kept
            (note,) = now.hello.notes
            assert note.startswith("The recording is not kept in the file")


@pytest.mark.filterwarnings("ignore:The recording in")
def test_a_damaged_recording_is_a_note_of_the_greeting(tmp_path: Path) -> None:
    path = tmp_path / "one.cell"
    with Server(on_file(path)) as server, connect(server.url) as client:
        run(client)
    with sqlite3.connect(path) as found:
        found.execute("UPDATE recording SET data = substr(data, 1, 100)")
    found.close()
    with Server(on_file(path)) as server, connect(server.url) as client:
        (note,) = client.hello.notes
        assert note.startswith("The recording in one.cell is not shown: the recording is damaged")
        assert client.recording.duration == 0.0
        client.do("run demo")
        assert client.recording.duration > 1.0
