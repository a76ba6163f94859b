"""A page gets its own name again, from the same server and from one that was started anew; never another's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.sync.client import connect as open_socket

from workcell.commands.cell import Cell
from workcell.commands.session import Session
from workcell.service.client_names import ClientNames
from workcell.service.server import Server


class Page:
    """The wire of a page, which keeps its identity as a tab does."""

    def __init__(self, server: Server, stack: ExitStack, identity: str = "", cell: str = "") -> None:
        place = f"cells/{cell}/ws" if cell else "ws"
        address = f"ws://127.0.0.1:{server.port}/{place}?token={server.token}"
        address += f"&client={identity}" if identity else ""
        self._socket = stack.enter_context(open_socket(address, origin=f"http://127.0.0.1:{server.port}", proxy=None))
        hello = json.loads(self._socket.recv(20.0))
        self.name, self.identity = hello["client"], hello["identity"]

    def do(self, line: str) -> str:
        answer = self._ask("result", type="command", line=line)
        return str(answer.get("text") or answer.get("message"))

    def save_as(self, file: str) -> str:
        """Save the cell as another file; return the id of the cell in which the page goes on."""
        return str(self._ask("opened", type="save-cell", file=file)["cell"]["id"])

    def _ask(self, answered: str, **question: str) -> dict[str, Any]:
        self._socket.send(json.dumps({"request": 7, **question}))
        while True:
            frame = self._socket.recv(20.0)
            answer: dict[str, Any] = json.loads(frame) if isinstance(frame, str) else {}
            if answer.get("request") == 7 and answer["type"] in (answered, "error"):
                return answer


@contextmanager
def serving(path: Path) -> Iterator[Server]:
    @contextmanager
    def session() -> Iterator[Session]:
        with Cell.open(path) if path.exists() else Cell.create(path) as cell:
            yield cell.session

    with Server(session) as server:
        yield server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "one.cell"


def test_after_a_restart_each_window_undoes_its_own_step_whoever_comes_first(path: Path) -> None:
    with serving(path) as server, ExitStack() as stack:
        ann, bob = Page(server, stack), Page(server, stack)
        assert (ann.name, bob.name) == ("window 1", "window 2")
        ann.do("create block anns")
        bob.do("create block bobs")
    with serving(path) as server, ExitStack() as stack:
        new = Page(server, stack)
        bob_again, ann_again = Page(server, stack, bob.identity), Page(server, stack, ann.identity)
        assert (ann_again.name, bob_again.name, new.name) == ("window 1", "window 2", "window 3")
        assert "made no step that can be undone" in new.do("undo")
        assert "create block anns" in ann_again.do("undo")
        assert "create block bobs" in bob_again.do("undo")


def test_without_the_kept_names_nobody_gets_a_name_of_the_history(path: Path, runtime_folder: Path) -> None:
    with serving(path) as server, ExitStack() as stack:
        ann = Page(server, stack)
        ann.do("create block anns")
    for file in runtime_folder.rglob("names-*.json"):
        file.unlink()
    with serving(path) as server, ExitStack() as stack:
        assert Page(server, stack).name == "window 2"
        again = Page(server, stack, ann.identity)
        assert (again.name, again.identity) == ("window 3", ann.identity)


def test_each_window_goes_on_under_its_name_when_the_cell_is_saved_as_another_file(path: Path) -> None:
    with serving(path) as server, ExitStack() as stack:
        ann, bob = Page(server, stack), Page(server, stack)
        ann.do("create block anns")
        bob.do("create block bobs")
        cell = bob.save_as("two.cell")
        new = Page(server, stack, cell=cell)
        bob_again, ann_again = Page(server, stack, bob.identity, cell), Page(server, stack, ann.identity, cell)
        assert (ann_again.name, bob_again.name, new.name) == ("window 1", "window 2", "window 3")
        assert "create block anns" in ann_again.do("undo")


def test_a_duplicated_tab_gets_an_identity_of_its_own(path: Path) -> None:
    with serving(path) as server, ExitStack() as stack:
        one = Page(server, stack)
        two = Page(server, stack, one.identity)
        assert one.name != two.name
        assert one.identity != two.identity


@pytest.mark.parametrize("identity", ["x", "%22%0A", "a" * 2000, "../../etc"])
def test_an_odd_identity_is_replaced(path: Path, identity: str) -> None:
    with serving(path) as server, ExitStack() as stack:
        assert Page(server, stack, identity).identity not in ("", identity)


@given(st.lists(st.tuples(st.sampled_from(["window", "program"]), st.sampled_from(["", "i" * 8, "j" * 8, "k" * 8]))))
def test_two_identities_never_share_a_name(joins: list[tuple[str, str]]) -> None:
    names, owners = ClientNames(), {"window 4": "history", "program 2": "history"}
    names.begin(None, owners)
    for number, (kind, identity) in enumerate(joins):
        found, name = names.given(kind, identity, ())
        assert owners.setdefault(name, found or str(number)) == (found or str(number))
