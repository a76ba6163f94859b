"""Several cells in one server: opened, edited side by side, saved under another name and closed."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect as raw

from workcell.commands.cell import Cell
from workcell.errors import (
    CellLocked,
    DamagedCell,
    FileProblem,
    NotACell,
    Refused,
    ServiceError,
    UnknownName,
)
from workcell.service import cells as hosting
from workcell.service import protocol
from workcell.service.client import Client, connect
from workcell.service.recent_files import RecentFiles
from workcell.service.server import Server
from workcell.service.shapes import Shapes
from workcell.workbench.gallery import Gallery


@contextmanager
def in_memory():
    with Cell() as cell:
        yield cell.session


def on_file(path: Path):
    @contextmanager
    def session():
        with Cell.open(path) if path.exists() else Cell.create(path) as cell:
            yield cell.session

    return session


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    path = tmp_path / "home" / "first.cell"
    path.parent.mkdir()
    with Server(on_file(path), samples=Gallery(), recent=tmp_path / "recent.json") as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with connect(server.url) as connected:
        yield connected


def joined(server: Server, cell: protocol.CellInfo) -> Client:
    return connect(f"{server.url}&cell={cell.id}")


def test_the_first_cell_is_at_the_old_address(server: Server, client: Client):
    (first,) = client.cells.listed().cells
    assert (first.id, first.name, first.first, first.clients) == ("1", "first.cell", True, 1)
    assert client.hello.id == "1"
    with joined(server, first) as same:
        same.do("create block here")
        assert same.hello.cell == "first.cell"
        assert "here" in str(client.do("list block"))


def test_a_sample_opens_ready_to_play(server: Server, client: Client):
    names = [one.name for one in client.cells.samples()]
    assert "hand-over" in names
    made = client.cells.open_sample("hand-over")
    assert (made.name, made.sample, made.file) == ("Two Pumas hand over a sphere", "hand-over", "")
    with joined(server, made) as seen:
        assert seen.hello.cell == made.name
        assert seen.look().recording.duration == pytest.approx(26.763, abs=1e-3)
        assert seen.play().duration == pytest.approx(26.763, abs=1e-3)
        assert seen.poses(12.0, 0.5, 3).shape[0] == 3
        (shape, *_) = {piece.glb for body in seen.look().picture.bodies.values() for piece in body.pieces}
    address = server.url.split("?")[0] + made.address.lstrip("/")
    asked = Request(f"{address}glb/{shape}", headers={"x-workcell-token": server.token})
    with urlopen(asked) as answer:
        assert answer.read(4) == b"glTF"
    with urlopen(f"{server.url.split('?')[0]}samples/hand-over.webp") as answer:  # without a token
        assert answer.read()[8:12] == b"WEBP"
    with pytest.raises(UnknownName, match="hand-over"):
        client.cells.open_sample("handover")


def test_shapes_that_wait_while_their_cell_is_closed_are_refused_in_one_sentence(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    made = client.cells.new()
    began, closed = threading.Semaphore(0), threading.Event()

    def slow(_: Shapes, names: str) -> bytes:
        began.release()
        closed.wait(30)
        return names.encode()

    monkeypatch.setattr(Shapes, "glb", slow)
    address = f"{server.url.split('?')[0]}{made.address.lstrip('/')}glb/"

    def answer(number: int) -> str:
        try:
            with urlopen(Request(f"{address}{number}", headers={"x-workcell-token": server.token})) as found:
                return found.read().decode()
        except HTTPError as error:
            return f"{error.code} {error.read().decode()}"

    with ThreadPoolExecutor(5) as pool:
        answers = [pool.submit(answer, number) for number in range(4)]
        for _ in range(2):  # two are made at once; the others wait
            assert began.acquire(timeout=30)
        closing = pool.submit(client.cells.close, made.id)
        done, _ = wait(answers, 30, FIRST_COMPLETED)
        closed.set()
        closing.result(30)
        found = sorted(one.result(30) for one in answers)
    assert done
    assert all(one.startswith("404 ") for one in found[2:]), found  # one that comes late finds no cell
    assert not caplog.records


def test_two_cells_are_edited_side_by_side(server: Server, client: Client):
    """Each client's commands arrive in its own cell, whatever the other does meanwhile."""
    made = client.cells.new()
    failed: list[BaseException] = []

    def work(url: str, prefix: str) -> None:
        try:
            with connect(url) as own:
                for number in range(30):
                    own.do(f"add solid {prefix}{number} box 10 10 10 at {number * 20},0,5")
                for _ in range(5):
                    own.do("undo")
        except BaseException as error:
            failed.append(error)

    threads = [
        threading.Thread(target=work, args=(url, prefix))
        for url, prefix in ((server.url, "a"), (f"{server.url}&cell={made.id}", "b"))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed
    with joined(server, made) as second:
        for seen, prefix in ((client, "a"), (second, "b")):
            assert sorted(body.name for body in seen.look().picture.bodies.values()) == sorted(
                f"{prefix}{number}" for number in range(25)
            )


def test_a_long_command_in_one_cell_does_not_hold_up_another(server: Server, client: Client):
    made = client.cells.new()
    begun = threading.Event()
    with joined(server, made) as other:
        busy = threading.Thread(
            target=lambda: other.do("exercise-kernel 2", progress=lambda *_: begun.set()), daemon=True
        )
        busy.start()
        for number in range(5):
            client.do(f"create block quick{number}")
        assert busy.is_alive()
        busy.join()


def test_everybody_hears_of_new_and_closed_cells(server: Server, client: Client):
    with raw(server.url.replace("http", "ws").replace("/?", "/ws?")) as window:
        made = client.cells.new()
        assert [one.id for one in next_of(window, protocol.CellList).cells] == ["1", made.id]
        client.cells.close(made.id)
        assert [one.id for one in next_of(window, protocol.CellList).cells] == ["1"]


def next_of(window, kind):
    from workcell.service.frames import unpacked

    while True:
        frame = window.recv(5)
        frame = unpacked(frame) if isinstance(frame, bytes) else frame
        message = None if isinstance(frame, bytes) else protocol.decode_server(frame)
        if isinstance(message, kind):
            return message


def test_closing_a_cell_disconnects_its_clients_and_nobody_else(server: Server, client: Client):
    made = client.cells.new()
    threads = threading.active_count()
    own = joined(server, made)
    own.do("create block gone")
    left = client.cells.close(made.id)
    assert [one.id for one in left.cells] == ["1"]
    with pytest.raises(ServiceError, match="closed"):
        own.do("list")
    client.do("create block stays")
    for refused in (lambda: client.cells.close(made.id), lambda: joined(server, made)):
        with pytest.raises((UnknownName, ServiceError), match=rf"{made.id}"):
            refused()
    with pytest.raises(Refused, match="first cell"):
        client.cells.close("1")
    assert threading.active_count() <= threads
    assert gc.get_freeze_count() == 0


def test_a_client_may_close_the_cell_that_it_is_in(server: Server, client: Client):
    made = client.cells.new()
    own = joined(server, made)
    with contextlib.suppress(ServiceError):  # the answer may come before the end, or not
        own.cells.close(made.id)
    with pytest.raises(ServiceError, match="closed"):
        own.do("list")
    assert [one.id for one in client.cells.listed().cells] == ["1"]


def test_files_are_opened_once_and_only_where_clients_may_read(server: Server, client: Client, tmp_path: Path):
    home = tmp_path / "home"
    with Cell.create(home / "second.cell") as cell:
        cell.do("create block there")
    with Cell.create(tmp_path / "outside.cell"):
        pass
    (home / "link.cell").symlink_to(tmp_path / "outside.cell")
    made = client.cells.open("second.cell")
    assert made.file == str(home / "second.cell")
    assert client.cells.open(str(home / "second.cell")).id == made.id
    assert client.cells.open("first.cell").id == "1"
    with joined(server, made) as second:
        assert "there" in str(second.do("list block"))
        assert second.cells.open("first.cell").id == "1"
    for outside in ("../outside.cell", str(tmp_path / "outside.cell"), "link.cell", ".hidden.cell"):
        with pytest.raises(FileProblem, match=r"outside|hidden"):
            client.cells.open(outside)
        with pytest.raises(FileProblem, match=r"outside|hidden"):
            client.cells.new(outside.replace("link", "../new"))
    with pytest.raises(FileProblem, match="no file"):
        client.cells.open("missing.cell")
    (home / "part.stl").write_bytes(b"solid")
    with pytest.raises(NotACell, match="import"):
        client.cells.open("part.stl")


def test_files_that_are_damaged_locked_or_taken_are_refused_in_one_sentence(client: Client, tmp_path: Path):
    home = tmp_path / "home"
    (home / "bad.cell").write_bytes(b"SQLite format 3\0" + bytes(5000))
    (home / "text.cell").write_text("not a cell")
    before = threading.active_count()
    for name in ("bad.cell", "text.cell"):
        with pytest.raises((DamagedCell, NotACell)) as refused:
            client.cells.open(name)
        assert "\n" not in str(refused.value)
    with Cell.create(home / "busy.cell"), pytest.raises(CellLocked):
        client.cells.open("busy.cell")
    with pytest.raises(FileProblem, match="already exists"):
        client.cells.new("busy.cell")
    assert [one.id for one in client.cells.listed().cells] == ["1"]
    assert threading.active_count() <= before + 1
    assert client.cells.open("busy.cell").name == "busy.cell"


def test_other_forms_of_cells_are_read_into_memory(server: Server, client: Client, tmp_path: Path):
    client.do("create block kept box 10 10 10")
    client.do("save copy.celltext")
    made = client.cells.open("copy.celltext")
    assert (made.file, made.name) == ("", "copy.celltext")
    with joined(server, made) as seen:
        assert "kept" in str(seen.do("list block"))


def test_save_as_goes_on_with_the_new_file_and_its_run(server: Server, client: Client, tmp_path: Path):
    made = client.cells.open_sample("thesis-example-one")
    with joined(server, made) as own, joined(server, made) as other:
        duration = own.recording.duration
        kept = own.cells.save_as("kept.cell")
        assert kept.file == str(tmp_path / "home" / "kept.cell")
        assert next_of(other._socket, protocol.CellMoved).cell.id == kept.id
        with joined(server, kept) as now:
            assert now.recording.duration == pytest.approx(duration)
            now.do("create block more")
            now.do("undo")
        with pytest.raises(FileProblem):
            own.cells.save_as("kept.cell")
        with pytest.raises(ConnectionClosed):
            next_of(other._socket, protocol.Hello)  # which never comes
    assert {one.id for one in client.cells.listed().cells} == {"1", kept.id}
    with pytest.raises(NotACell, match="ends in"):
        client.cells.save_as("kept.txt")


def test_a_cell_with_a_paused_run_is_not_saved_as_another(server: Server, client: Client, tmp_path: Path):
    with connect(f"{server.url}&cell={client.cells.new().id}") as own:
        own.do('write program waits "wait 1%0Await 1"')
        own.do("run waits")
        own.do("pause-at 0.5s")
        with pytest.raises(Refused, match=r"while .*waits.* is paused"):
            own.cells.save_as("paused.cell")
        assert [one.paused for one in client.cells.listed().cells] == [False, True]
        assert not (tmp_path / "home" / "paused.cell").exists()
        own.do("resume")
        own.cells.save_as("paused.cell")


def test_the_first_cell_stays_when_it_is_saved_as_another(server: Server, client: Client):
    client.do("create block kept")
    made = client.cells.save_as("other.cell")
    assert [one.id for one in client.cells.listed().cells] == ["1", made.id]
    client.do("create block only_here")
    with joined(server, made) as other:
        assert "only_here" not in str(other.do("list block"))


def test_a_cell_is_not_saved_over_one_that_is_open_and_the_refusal_names_its_tab(server: Server, client: Client):
    made = client.cells.new("press.cell")
    sentence = (
        "press.cell is open in the tab 'press.cell' of this workbench; choose another name, or close that tab first."
    )
    for replace in (False, True):
        with pytest.raises(CellLocked) as refused:
            client.cells.save_as("press.cell", replace)
        assert str(refused.value) == sentence
    with joined(server, made) as other, pytest.raises(CellLocked, match=r"in the tab 'first\.cell' .*another name\.$"):
        other.cells.save_as("first.cell", replace=True)


def test_recent_files_are_those_that_clients_may_open(server: Server, client: Client, tmp_path: Path):
    home = tmp_path / "home"
    client.cells.close(client.cells.new("one.cell").id)
    recent = RecentFiles(tmp_path / "recent.json")
    with Cell.create(tmp_path / "outside.cell"):
        recent.add(tmp_path / "outside.cell")
    assert client.cells.listed().recent == [str(home / "one.cell"), str(home / "first.cell")]
    (home / "one.cell").unlink()
    assert client.cells.listed().recent == [str(home / "first.cell")]
    (tmp_path / "recent.json").write_text("{nonsense")
    assert client.cells.listed().recent == [str(home / "first.cell")]  # what this server remembers itself


def test_there_is_a_most_number_of_cells(client: Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(hosting, "MOST", 3)
    client.cells.new()
    client.cells.new()
    for one_more in (client.cells.new, lambda: client.cells.save_as("more.cell")):
        with pytest.raises(ServiceError, match="already has 3 cells open; close one"):
            one_more()


def test_a_cell_needs_the_token(server: Server, client: Client):
    made = client.cells.new()
    with pytest.raises(ServiceError, match="token"):
        connect(f"{server.url.split('?')[0]}?cell={made.id}", token="x" * 12)


def test_a_server_without_samples_says_so():
    with Server(in_memory) as server, connect(server.url) as client:
        assert client.cells.samples() == []
        with pytest.raises(UnknownName):
            client.cells.open_sample("hand-over")


def test_clients_that_open_and_close_one_file_at_once_do_not_hinder_each_other(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    """Whoever opens gets the cell that is open, or waits until the one that is being closed has let the file go."""
    with Cell.create(tmp_path / "home" / "shared.cell") as made:
        made.do("create block brick box 10 10 10")
    failed: list[BaseException] = []
    begin = threading.Barrier(4)

    def work() -> None:
        try:
            with connect(server.url) as own:
                begin.wait()
                for _ in range(6):
                    found = own.cells.open("shared.cell")
                    with contextlib.suppress(UnknownName):  # another one may close it first
                        own.cells.close(found.id)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    gc.collect()  # an error that nobody retrieved is logged now
    assert not caplog.records
    with connect(server.url) as client:
        assert [one.name for one in client.cells.listed().cells] == ["first.cell"]


def test_a_cell_that_is_being_closed_is_not_suggested(server: Server, client: Client, monkeypatch: pytest.MonkeyPatch):
    made = client.cells.new()
    asked, close = threading.Event(), hosting.Hub.close
    monkeypatch.setattr(hosting.Hub, "close", lambda hub: asked.wait(30) and close(hub))
    closing = threading.Thread(target=client.cells.close, args=(made.id,))
    closing.start()
    try:
        with connect(server.url) as other:
            while made.id in [one.id for one in other.cells.listed().cells]:
                pass
            with pytest.raises(UnknownName) as refused:
                other.cells.close(made.id)
        assert "did you mean" not in str(refused.value)
    finally:
        asked.set()
        closing.join()


def test_a_cell_in_memory_is_saved_in_the_first_folder_that_is_allowed(tmp_path: Path):
    with Server(in_memory, allow=[tmp_path]) as server, connect(server.url) as client:
        (first,) = client.cells.listed().cells
        assert first.folder == str(tmp_path.resolve())
        client.do("add solid peg cylinder 30 200 at 0,0,100")
        made = client.cells.save_as("kept.cell")
        assert Path(made.file) == tmp_path / "kept.cell"
        assert client.cells.new().folder == first.folder
    with Server(in_memory) as server, connect(server.url) as client:
        assert "workcell-files-" in client.cells.listed().cells[0].folder


def test_files_that_are_gone_take_no_place_among_the_recent_ones(tmp_path: Path):
    recent = RecentFiles(tmp_path / "recent.json")
    kept = tmp_path / "kept.cell"
    kept.touch()
    recent.add(kept)
    for number in range(30):
        recent.add(tmp_path / f"gone{number}.cell")
    assert recent.paths() == [kept]


def test_folders_are_listed_within_what_clients_may_use(server: Server, client: Client, tmp_path: Path):
    home = tmp_path / "home"
    (home / "lines" / "old").mkdir(parents=True)
    (home / ".hidden").mkdir()
    for name in ("lines/a.cell", "lines/b.wld", "lines/notes.txt", "lines/.c.cell"):
        (home / name).touch()
    (home / "lines" / "away").symlink_to(tmp_path)
    first = client.cells.folder()
    assert (first.folder, first.above, first.folders) == (str(home), "", ["lines"])
    assert "first.cell" in first.files
    lines = client.cells.folder(str(home / "lines"))
    assert (lines.above, lines.folders, lines.files) == (str(home), ["old"], ["a.cell", "b.wld"])
    for outside in (str(tmp_path), str(home / ".."), str(home / "lines" / "away"), str(home / ".hidden")):
        with pytest.raises(FileProblem, match=r"outside|hidden"):
            client.cells.folder(outside)
    with pytest.raises(FileProblem, match="cannot be read"):
        client.cells.folder(str(home / "missing"))


def test_a_sample_that_is_opened_twice_has_two_names(client: Client):
    name = client.cells.samples()[0].name
    one, two = client.cells.open_sample(name), client.cells.open_sample(name)
    assert two.name == f"{one.name} 2"
