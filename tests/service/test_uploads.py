"""Uploads: bytes arrive whole, stay in their folder, need the token, and can be imported."""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workcell.commands.cell import Cell
from workcell.errors import FileProblem, Refused, WorkcellError
from workcell.geometry import solids
from workcell.service import uploads
from workcell.service.client import Client, connect
from workcell.service.server import Server
from workcell.service.uploads import checked_name


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    @contextmanager
    def session():
        with Cell.create(tmp_path / "first.cell") as cell:
            yield cell.session

    with Server(session) as running:
        running.hub.ready.result()
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with connect(server.url) as connected:
        yield connected


def ask(server: Server, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        given = {"x-workcell-token": server.token, **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection.request(method, path, body, {name: value for name, value in given.items() if value})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_a_file_is_sent_imported_and_fetched_again(server: Server, client: Client, tmp_path: Path):
    part = tmp_path / "elsewhere"
    part.mkdir()
    solids.box(0.1, 0.2, 0.3).save(part / "b.stl")
    data = (part / "b.stl").read_bytes()
    status, answer = ask(server, "PUT", "/uploads/big%20box.stl", data)
    sent = json.loads(answer)
    assert (status, sent["size"]) == (201, len(data))
    assert sent["file"] == "dropped:/big box.stl"  # a name that can be typed, not a temporary path
    way = client.call("import-way", file=sent["file"]).value
    assert (way["command"], way["parameters"]["name"], way["placing"]) == ("import solid", '"big box"', "on")
    client.do(way["text"].split("`")[1])
    assert client.call("measure", thing='"big box"').value["volume"] == pytest.approx(0.006)
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".stl") == []  # nothing is left behind
    client.do("undo")  # one step
    assert "big box" not in str(client.do("list"))
    client.do("redo")  # the cell keeps the bytes; the upload is not needed again
    assert 'import solid "big box" "dropped:/big box.stl" mm --beside' in str(client.do("history"))


def test_a_name_belongs_to_the_bytes_that_were_first_sent_under_it(server: Server):
    assert ask(server, "PUT", "/uploads/part.stl", b"one")[0] == 201
    assert ask(server, "PUT", "/uploads/part.stl", b"one")[0] == 201
    status, answer = ask(server, "PUT", "/uploads/part.stl", b"two")
    assert (status, answer) == (409, b"Another file was sent as part.stl; choose another name, or a folder.")
    assert ask(server, "PUT", "/uploads/2/part.stl", b"two")[0] == 201
    folder = server.hub.files.uploads.folder()
    assert [(folder / name).read_bytes() for name in ("part.stl", "2/part.stl")] == [b"one", b"two"]
    assert not list(folder.rglob("*.part"))


def test_a_urdf_finds_its_meshes(server: Server, client: Client, tmp_path: Path):
    with Cell() as cell:
        cell.do("create robot Puma puma560")
        cell.do(f"export robot Puma {tmp_path / 'puma.urdf'}")
    files = [path for path in tmp_path.rglob("*") if path.suffix in (".urdf", ".stl", ".obj", ".dae", ".glb")]
    assert len(files) > 3
    for path in files:
        status, answer = ask(
            server, "PUT", f"/cells/1/uploads/{quote(str(path.relative_to(tmp_path)))}", path.read_bytes()
        )
        assert status == 201
        if path.suffix == ".urdf":
            urdf = json.loads(answer)["file"]
    way = client.call("import-way", file=urdf).value
    client.call(way["command"], **way["parameters"])
    assert "puma" in client.state.joints


def test_token_and_origin_are_needed(server: Server):
    assert ask(server, "PUT", "/uploads/a.stl", b"x", x_workcell_token="")[0] == 403
    assert ask(server, "PUT", "/cells/1/uploads/a.stl", b"x", x_workcell_token="wrong-token")[0] == 403
    assert ask(server, "PUT", "/uploads/a.stl", b"x", origin="http://evil.example")[0] == 403
    assert ask(server, "PUT", "/cells/9/uploads/a.stl", b"x")[0] == 404


def test_nothing_outside_the_folder_is_written(server: Server, tmp_path: Path):
    before = sorted(tmp_path.parent.rglob("*"))
    for name in (
        "../a.txt",
        "/etc/passwd",
        "a/../../b",
        ".hidden",
        "a/.b/c",
        "a//b",
        "a\\b",
        "x" * 300,
        "a/" * 9 + "b",
    ):
        status, reason = ask(server, "PUT", f"/uploads/{quote(name, safe='')}", b"x")
        assert (status, b"is not a name" in reason) == (400, True), name
    assert sorted(tmp_path.parent.rglob("*")) == before


def test_too_large_and_broken_uploads_leave_nothing(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(uploads, "LARGEST", 1000)
    assert ask(server, "PUT", "/uploads/big.stl", b"x" * 1001) == (
        400, b"big.stl has more than 0 MiB; reduce it, or split it."
    )  # fmt: skip
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.putrequest("PUT", "/uploads/big.stl")
    connection.putheader("x-workcell-token", server.token)
    connection.putheader("content-length", "900")
    connection.endheaders()
    connection.send(b"x" * 100)
    connection.close()  # cancelled in the middle
    folder = server.hub.files.uploads.folder()
    assert ask(server, "PUT", "/uploads/small.stl", b"x" * 900)[0] == 201
    for _ in range(100):
        if [path.name for path in folder.rglob("*")] == ["small.stl"]:
            break
        threading.Event().wait(0.02)
    assert [path.name for path in folder.rglob("*")] == ["small.stl"]


def test_old_uploads_make_room_and_the_folder_goes_at_the_end(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(uploads, "MOST_BYTES", 2500)
    folder = server.hub.files.uploads.folder()
    for number in range(4):
        assert ask(server, "PUT", f"/uploads/f{number}.stl", b"x" * 1000)[0] == 201
    assert sorted(path.name for path in folder.iterdir()) == ["f2.stl", "f3.stl"]
    server.stop()
    assert not folder.exists()


def test_a_file_that_goes_while_room_is_made_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    kept = uploads.Uploads()
    listed = [kept.folder() / "gone.stl.part", kept.folder() / "here.stl"]
    listed[1].write_bytes(b"x" * 100)
    monkeypatch.setattr(Path, "rglob", lambda folder, pattern: iter(listed))
    monkeypatch.setattr(uploads, "MOST_BYTES", 150)
    kept._make_room(100, kept.folder() / "new.stl")
    assert not listed[1].exists()
    kept.close()


def test_the_wire_answers_while_a_file_arrives(server: Server, client: Client):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.putrequest("PUT", "/uploads/slow.stl")
    connection.putheader("x-workcell-token", server.token)
    connection.putheader("content-length", "200")
    connection.endheaders()
    connection.send(b"x" * 100)
    client.do("create block meanwhile")
    assert ask(server, "PUT", "/uploads/slow.stl", b"y")[1] == (
        b"slow.stl is being sent already; wait until it has arrived."
    )
    connection.send(b"x" * 100)
    assert connection.getresponse().status == 201
    connection.close()


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_a_name_stays_below_its_folder(name: str):
    root = Path("/base/uploads")
    try:
        found = checked_name(name)
    except FileProblem:
        return
    assert root in (root / found).resolve().parents
    assert str(found) == name


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a/" + 101 * "ö" + "/b.step", "a part of it takes 202 bytes, and at most 200 are possible"),
        (600 * "x", "it has 600 characters, and at most 500 are possible"),
        (9 * "a/" + "b.step", "it has 9 folders, and at most 7 are possible"),
        ("a/.b.step", "'.b.step' begins with a dot"),
        ("a//b.step", "a folder or the file has no name"),
        ("a\\b.step", "/ stands between folders"),
        ("a\nb.step", "characters that cannot be shown"),
    ],
)
def test_a_refused_name_says_what_is_wrong_with_it(name: str, reason: str):
    with pytest.raises(FileProblem, match=re.escape(reason)):
        checked_name(name)


@pytest.mark.parametrize("ending", ["step", "STL", "glb", "urdf", "wld", "robosim", "cell", "rec"])
def test_every_kind_has_a_command_that_exists(ending: str):
    with Cell() as cell:
        way = cell.do(f"import-way part.{ending}")
        command = cell.session.registry.named(way.command)
        flags = {group.flag for group in command.syntax.groups}
        assert set(way.parameters) <= {*command.syntax.params, *flags}


def test_what_is_dropped_is_only_what_was_sent(server: Server, client: Client):
    with pytest.raises(WorkcellError, match="cannot be read"):
        client.do("import solid peg dropped:/peg.stl mm")
    for name in ("dropped:/../../b.step", "dropped:/a/../../b.stl", "dropped:/.hidden.stl"):
        with pytest.raises(WorkcellError, match=r"is not in dropped:|is hidden"):
            client.do(f"import solid peg {name} mm")


def test_a_dropped_cell_is_opened_as_a_copy(server: Server, client: Client, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere.cell"
    with Cell.create(elsewhere) as cell:
        cell.do("add solid peg cylinder 20 100")
    assert ask(server, "PUT", "/uploads/line.cell", elsewhere.read_bytes())[0] == 201
    assert client.call("import-way", file="dropped:/line.cell").value["whole"]
    opened = client.cells.open("dropped:/line.cell")
    assert (opened.name, opened.file) == ("line.cell", "")


def test_what_was_written_to_be_fetched_is_fetched_once(server: Server, client: Client, tmp_path: Path):
    client.do("add solid peg cylinder 20 100")
    before = sorted(path.name for path in tmp_path.iterdir())
    client.do("export solid peg download:/peg.stl")
    status, data = ask(server, "GET", "/files/download%3A/peg.stl")
    assert (status, len(data) > 84) == (200, True)
    assert ask(server, "GET", "/files/download%3A/peg.stl")[0] == 404
    assert sorted(path.name for path in tmp_path.iterdir()) == before  # the folder of the cell does not fill up
    folder = server.hub.files.downloads.folder()
    assert list(folder.iterdir()) == []
    server.stop()
    assert not folder.exists()


def test_other_kinds_and_taken_names():
    with Cell() as cell:
        with pytest.raises(Exception, match="kind of file to import"):
            cell.do("import-way notes.docx")
        with pytest.raises(Refused, match=r"photo\.png is a picture"):
            cell.do("import-way photo.png")
        cell.do("create block part")
        assert cell.do("import-way part.stl").parameters["name"] != "part"
        assert cell.do('import-way "é@#.stl"').parameters["name"]


TEXTS = {
    "create robot A puma560\nmove-joints-relative A 10,0,0,0,0,0": ("load", False),
    "program turns\n  repeat 2\n    home A\n  end\nend\nrun turns": ("load", False),
    "# a program\nrepeat 2\n  home A\nend": ("load-program", False),
    "parameter turn angle\nmove-joints-relative A turn,0,0,0,0,0": ("load-program", False),
    "home A\nhmoe A\nwait 1": ("load-program", True),
    "move-joints-relative A 10,0,0,0,0,0 \\\n  speed 50": ("load-program", True),
}


def test_a_text_is_a_program_or_a_script_by_the_words_of_its_lines(tmp_path: Path):
    with Cell() as cell:
        file = tmp_path / "lines.txt"
        for text, wanted in TEXTS.items():
            file.write_text(text)
            way = cell.do(f"import-way {file}")
            assert (way.command, way.script) == wanted, text
        file.write_text("Dear all,\nthese are the notes of Monday.\n")
        with pytest.raises(Refused, match=r"lines\.txt is neither a program nor a script"):
            cell.do(f"import-way {file}")


def test_a_file_with_a_quote_in_its_name_is_imported_by_the_proposed_line(
    server: Server, client: Client, tmp_path: Path
):
    solids.box(0.1, 0.2, 0.3).save(tmp_path / "b.stl")
    status, answer = ask(server, "PUT", "/uploads/" + quote('3" 50%22 (new).stl'), (tmp_path / "b.stl").read_bytes())
    assert status == 201
    way = client.call("import-way", file=json.loads(answer)["file"]).value
    client.do(way["text"].split("`")[1])
    assert way["parameters"]["name"].strip('"') in str(client.do("list block"))
