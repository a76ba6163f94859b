from __future__ import annotations

from collections.abc import Iterator

import pytest
from fake_session import FakeSession

from workcell.service.client import Client, connect
from workcell.service.server import Server


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(FakeSession) as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with connect(server.url) as connected:
        yield connected
