from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_session import FakeSession

from workcell.service.client import Client, connect
from workcell.service.server import Server


@pytest.fixture(autouse=True)
def runtime_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Connection files of tests are in a folder of their own, and no token comes from outside."""
    folder = tmp_path_factory.mktemp("runtime")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.delenv("WORKCELL_TOKEN", raising=False)
    return folder


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(FakeSession) as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with connect(server.url) as connected:
        yield connected
