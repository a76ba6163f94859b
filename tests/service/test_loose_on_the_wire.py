"""A client fetches the shapes of what stands nowhere by the hashes that `loose-shapes` has, and no others."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from workcell.commands.cell import Cell
from workcell.commands.session import Session
from workcell.geometry.glb_hash import glb_hash
from workcell.geometry.solids import box
from workcell.service.client import connect
from workcell.service.server import Server


@contextmanager
def session() -> Iterator[Session]:
    with Cell() as cell:
        yield cell.session


def fetched(server: Server, name: str) -> bytes:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{server.port}/glb/{name}?token={server.token}", timeout=10) as answer:
        return answer.read()


def test_the_shape_of_a_loose_block_is_fetched_once_somebody_asked_for_it() -> None:
    with Server(session) as server, connect(server.url) as client:
        client.do("create block spare box 40 30 20")
        known = glb_hash(box(0.04, 0.03, 0.02))
        with pytest.raises(urllib.error.HTTPError, match="404"):
            fetched(server, known)
        (row,) = client.call("loose-shapes", {}).value["shapes"]
        assert [piece["glb"] for piece in row["pieces"]] == [known]
        assert fetched(server, known)[:4] == b"glTF"
