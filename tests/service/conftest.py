from __future__ import annotations

from collections.abc import Iterator

import pytest
from fake import COMMANDS, FakeSession

from workcell.service import hub, protocol
from workcell.service.client import Client, connect
from workcell.service.server import Server


@pytest.fixture
def vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [protocol.CommandInfo(word, word, f"to {word}", effect) for word, effect in COMMANDS.items()]
    monkeypatch.setattr(hub, "vocabulary", lambda: words)


@pytest.fixture
def server(vocabulary: None) -> Iterator[Server]:
    with Server(FakeSession) as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with connect(server.url) as connected:
        yield connected
