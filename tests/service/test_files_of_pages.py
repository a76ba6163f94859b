"""Files that a page fetches from the folder of the cell."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from workcell.commands.cell import Cell
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
    server: Server, name: str, token: bool = True, method: str = "GET", **headers: str
) -> tuple[int, bytes, dict[str, str]]:
    place, _, query = server.url.partition("?")
    address = f"{place}files/{quote(name, safe='/')}" + (f"?{query}" if token else "")
    data = b"x" if method == "PUT" else None
    request = urllib.request.Request(address, data, headers, method=method)
    try:
        with OPENER.open(request, timeout=30) as answer:
            return answer.status, answer.read(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read(), dict(error.headers)


def test_a_file_comes_from_the_folder_of_the_cell_and_only_as_a_download(server: Server, tmp_path: Path) -> None:
    data = bytes(range(256)) * 3000
    (tmp_path / "home" / "my part.bin").write_bytes(data)
    status, found, headers = ask(server, "my part.bin")
    assert (status, found == data) == (200, True)
    assert headers["content-type"] == "application/octet-stream"  # a page of somebody else never runs here
    assert headers["content-disposition"].startswith("attachment")
    assert "sandbox" in headers["content-security-policy"]


def test_a_command_writes_what_is_fetched(server: Server) -> None:
    with connect(server.url) as client:
        client.do("create block brick box 10 10 10")
        client.do("save copy.cell")
    assert ask(server, "copy.cell")[1].startswith(b"SQLite format 3")


def test_nothing_is_written_through_this_door(server: Server, tmp_path: Path) -> None:
    assert ask(server, "out.txt", method="PUT")[0] == 405
    assert not (tmp_path / "home" / "out.txt").exists()


@pytest.mark.parametrize("name", ["../secret.txt", "/etc/hostname", "a.cell", "none.txt", "link.txt"])
def test_nothing_is_given_from_elsewhere(server: Server, tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "home" / "link.txt").symlink_to(tmp_path / "secret.txt")
    status, text, _ = ask(server, name)
    assert status == 404
    assert text != b"secret"


def test_the_token_is_needed(server: Server, tmp_path: Path) -> None:
    (tmp_path / "home" / "a.txt").write_text("x")
    assert ask(server, "a.txt", token=False)[0] == 403
    assert ask(server, "a.txt", origin="http://elsewhere.example")[0] == 403
