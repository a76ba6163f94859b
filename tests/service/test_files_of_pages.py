"""Files that a page sends to the folder of the cell and fetches from there."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from workcell.commands.cell import Cell
from workcell.service import file_door
from workcell.service.client import connect
from workcell.service.server import Server

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@contextmanager
def serving(file: Path) -> Iterator[Server]:
    @contextmanager
    def session():
        with Cell.create(file) as cell:
            yield cell.session

    with Server(session) as server:
        yield server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "home").mkdir()
    with serving(tmp_path / "home" / "a.cell") as running:
        yield running


def ask(
    server: Server, name: str, body: bytes | None = None, token: bool = True, **headers: str
) -> tuple[int, bytes, dict[str, str]]:
    place, _, query = server.url.partition("?")
    address = f"{place}files/{quote(name, safe='/')}" + (f"?{query}" if token else "")
    request = urllib.request.Request(address, body, headers, method="GET" if body is None else "PUT")
    try:
        with OPENER.open(request, timeout=30) as answer:
            return answer.status, answer.read(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read(), dict(error.headers)


def test_a_file_goes_to_the_folder_of_the_cell_and_comes_back(server: Server, tmp_path: Path) -> None:
    data = bytes(range(256)) * 3000
    assert ask(server, "my part.bin", data)[:2] == (200, b"my part.bin")
    assert (tmp_path / "home" / "my part.bin").read_bytes() == data
    status, back, headers = ask(server, "my part.bin")
    assert (status, back == data) == (200, True)
    assert headers["content-type"] == "application/octet-stream"  # a page of somebody else never runs here
    assert headers["content-disposition"].startswith("attachment")
    assert "sandbox" in headers["content-security-policy"]


def test_another_file_of_the_same_name_gets_a_number_and_the_same_file_does_not(server: Server, tmp_path: Path) -> None:
    names = [ask(server, "peg.stl", data)[1] for data in (b"one", b"two", b"one", b"two", b"three")]
    assert names == [b"peg.stl", b"peg-2.stl", b"peg.stl", b"peg-2.stl", b"peg-3.stl"]
    assert (tmp_path / "home" / "peg.stl").read_bytes() == b"one"


def test_a_command_reads_what_was_sent(server: Server) -> None:
    assert ask(server, "steps.txt", b"create block brick box 10 10 10\n")[0] == 200
    with connect(server.url) as client:
        client.do("load steps.txt")
        assert "brick" in str(client.do("show brick"))


@pytest.mark.parametrize("name", ["../out.txt", "sub/out.txt", ".hidden", "a.cell", "a.cell-wal", "a\\b.txt"])
def test_nothing_is_written_elsewhere_or_over_the_cell(server: Server, tmp_path: Path, name: str) -> None:
    before = sorted(path for path in tmp_path.rglob("*"))
    status, text, _ = ask(server, name, b"x")
    assert status in (400, 404)
    assert text.strip()
    assert sorted(path for path in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["../secret.txt", "/etc/hostname", "a.cell", "none.txt", "link.txt"])
def test_nothing_is_given_from_elsewhere(server: Server, tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "home" / "link.txt").symlink_to(tmp_path / "secret.txt")
    status, text, _ = ask(server, name)
    assert status == 404
    assert text != b"secret"


def test_the_token_is_needed(server: Server, tmp_path: Path) -> None:
    assert ask(server, "a.txt", b"x", token=False)[0] == 403
    assert not (tmp_path / "home" / "a.txt").exists()
    assert ask(server, "a.txt", b"x", origin="http://elsewhere.example")[0] == 403


def test_a_file_that_is_too_large_is_refused(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_door, "LARGEST", 2**20)
    status, text, _ = ask(server, "big.bin", bytes(2**20 + 1))
    assert (status, b"more than 1 MiB" in text) == (400, True)
    assert not (tmp_path / "home" / "big.bin").exists()
