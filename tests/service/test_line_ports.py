"""Programs that send lines of text: the command language and Agent at ports and Unix sockets, and `interpret`."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workcell.commands.cell import Cell
from workcell.errors import Refused, ServiceError
from workcell.service import line_port, strangers
from workcell.service.client import connect
from workcell.service.server import Server

PROGRAMS = Path(__file__).resolve().parents[2] / "examples" / "programs"
PUMA = ["create robot Puma puma560 joints 0,0,-90,0,90,0"]


def opening(lines: list[str]) -> Callable[[], contextlib.AbstractContextManager]:
    @contextlib.contextmanager
    def opened():
        with Cell() as cell:
            for line in lines:
                cell.do(line)
            yield cell.session

    return opened


@contextlib.contextmanager
def serving(setup: list[str], **options: object) -> Iterator[Server]:
    with Server(opening(setup), **options) as server:
        yield server


def ran(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)


class Peer:
    """A program that sends lines and reads answers, as docs/protocol.md describes it."""

    def __init__(self, address: str, token: str | None = None, comment: str = "#") -> None:
        if address.startswith("unix:"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(address.removeprefix("unix:"))  # without a deadline, it waits while others are let in
            self.socket.settimeout(60)
        else:
            host, port = address.rsplit(":", 1)
            self.socket = socket.create_connection((host, int(port)), timeout=60)
        self.file = self.socket.makefile("rb")
        if token is not None:
            self.send(f"{comment} token {token}")

    def send(self, line: str | bytes) -> None:
        self.socket.sendall((line.encode() if isinstance(line, str) else line) + b"\n")

    def answer(self) -> tuple[list[str], str]:
        """The text of the answer, and its last line; '' if the server has closed the connection."""
        text: list[str] = []
        while line := self.file.readline().decode():
            if not line.startswith("|"):
                return text, line.rstrip("\n")
            text.append(line[2:].rstrip("\n"))
        return text, ""

    def do(self, line: str) -> tuple[list[str], str]:
        self.send(line)
        return self.answer()

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.file.close()
        self.socket.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(PUMA, lines=["0", str(tmp_path / "lines.sock")], agent=[str(tmp_path / "agent.sock")]) as running:
        yield running


@pytest.fixture
def peer(server: Server) -> Iterator[Peer]:
    with Peer(server.doors.addresses[1]) as connected:
        yield connected


# ---- lines -----------------------------------------------------------------------------------------------


def test_an_answer_is_its_text_after_bars_and_then_ok(peer):
    text, last = peer.do("move-joints-relative Puma 10,0,0,0,0,0")
    assert last == "ok"
    assert text[0].startswith("Puma moved in ")


def test_an_error_is_one_line_with_its_class_and_sentence(peer):
    text, last = peer.do("move-joints-relative Pume 10,0,0,0,0,0")
    assert text == []
    assert last.startswith("error UnknownName ")
    assert "Puma" in last
    assert peer.do("list robot")[1] == "ok"  # the program may go on


def test_blank_lines_and_comments_have_no_answer(peer):
    peer.send("\n# a comment\n   \r\nlist robot")
    text, last = peer.answer()
    assert last == "ok"
    assert any("Puma" in line for line in text)


def test_a_line_in_braces_is_a_call_with_a_typed_answer(peer):
    peer.send(json.dumps({"command": "fk", "parameters": {"robot": "Puma", "joints": [0, 0, 0, 0, 0, 0]}}))
    answer = json.loads(peer.file.readline())
    assert answer["ok"] is True
    assert answer["kind"] == "HandPose" or "tool" in answer["value"]
    peer.send('{"command": "fk", "parameters": {"robot": "nobody"}}')
    answer = json.loads(peer.file.readline())
    assert (answer["ok"], answer["kind"]) == (False, "UnknownName")
    for wrong in ("{", '{"parameters": {}}', '{"command": 3}', "{" * 5000):
        peer.send(wrong)
        answer = json.loads(peer.file.readline())
        assert answer["ok"] is False
        assert "Expected a call" in answer["text"]


def test_lines_sent_at_once_are_answered_in_their_order(peer):
    peer.send("\n".join(f"create block b{k}" for k in range(20)))
    assert [peer.answer()[1] for _ in range(20)] == ["ok"] * 20


def test_a_last_line_without_an_end_is_carried_out(server):
    with Peer(server.doors.addresses[1]) as peer, connect(server.url) as client:
        peer.socket.sendall(b"create block last")
        peer.socket.shutdown(socket.SHUT_WR)
        assert peer.answer()[1] == "ok"
        assert "last" in str(client.do("list block"))


def test_a_program_is_sent_as_a_block_and_answered_once(peer):
    peer.send("program tidy\n  repeat 2\n    move-joints-relative Puma 5,0,0,0,0,0\n  end\nend\nrun tidy")
    assert peer.answer()[1] == "ok"
    text, last = peer.answer()
    assert last == "ok"
    assert "tidy" in "\n".join(text)
    before = peer.do("fk Puma")
    peer.send("program rest\n  home Puma\nend")
    assert peer.answer()[1] == "ok"
    assert peer.do("fk Puma") == before  # it was kept, not carried out line by line
    assert peer.do("list program")[1] == "ok"


def test_a_program_that_is_gone_is_not_worked_for(server, monkeypatch):
    monkeypatch.setattr(line_port, "KEEP_ALIVE", 0.1)
    with connect(server.url) as window:
        for wall in (
            "a box 3000 20 3000 at 0,300,500",
            "b box 3000 20 3000 at 0,-330,500",
            "c box 2700 500 10 at 0,0,1000",
        ):
            window.do(f"add solid {wall}")
        for address in server.doors.addresses[:2]:
            with Peer(address, server.token if address[0] == "1" else None) as peer:
                peer.send("find-path Puma joints 0,180,-90,0,90,0 budget 100000s")
                deadline = time.monotonic() + 60
                while not len(server.hub.jobs) and time.monotonic() < deadline:
                    time.sleep(0.02)
            assert window.do("list robot").value is not None  # in its turn, after the search has ended


# ---- who may connect -------------------------------------------------------------------------------------


def test_a_port_needs_the_token_and_a_unix_socket_does_not(server):
    port = server.doors.addresses[0]
    for offered in ("wrong", server.token[:-1], f"{server.token}x", "ü"):
        with Peer(port, offered) as peer:
            assert "needs the token of the server as its first line: # token …" in peer.answer()[1]
            assert peer.answer() == ([], "")
    with Peer(port) as peer:
        assert "needs the token" in peer.do("list")[1]
    with Peer(port, server.token) as peer:
        assert peer.do("list robot")[1] == "ok"


def test_a_program_that_never_sends_its_token_is_let_go(server, monkeypatch):
    monkeypatch.setattr(line_port, "TOKEN_WITHIN", 0.2)
    with Peer(server.doors.addresses[0]) as peer:
        assert "needs the token" in peer.answer()[1]


def test_strangers_cannot_fill_the_port(server):
    with contextlib.ExitStack() as stack:
        silent = [stack.enter_context(Peer(server.doors.addresses[0])) for _ in range(3 * strangers.MAX_STRANGERS)]
        for _ in range(20):  # one who speaks is let in at once, whoever else is silent
            with Peer(server.doors.addresses[0], server.token) as peer:
                assert peer.do("list robot")[1] == "ok"
        assert "needs the token" in silent[0].answer()[1]  # the oldest had to go
        silent[-1].send(f"# token {server.token}")
        assert silent[-1].do("list robot")[1] == "ok"


def test_ports_listen_on_this_machine_only(server):
    assert server.doors.addresses[0].startswith("127.0.0.1:")


def test_the_files_of_a_program_are_confined(peer):
    _, last = peer.do("load ../../etc/passwd")
    assert last.startswith("error FileProblem ")


def test_too_long_a_line_and_bytes_that_are_no_text_end_the_program_in_a_sentence(server):
    with Peer(server.doors.addresses[1]) as peer:
        with contextlib.suppress(OSError):
            peer.send(b"x" * (3 * line_port.MAX_LINE))
        assert f"at most {line_port.MAX_LINE} bytes" in peer.answer()[1]
    with Peer(server.doors.addresses[1]) as peer:
        peer.send(b"list \xff\xfe")
        assert "must be UTF-8; byte 6 of this one is not" in peer.answer()[1]
    with Peer(server.doors.addresses[1]) as peer:
        assert peer.do("list robot")[1] == "ok"


def test_a_taken_port_is_refused_and_leaves_no_socket_file(tmp_path, server):
    taken = server.doors.addresses[0].rsplit(":", 1)[1]
    with pytest.raises(ServiceError, match="cannot be opened"):
        Server(opening([]), lines=[str(tmp_path / "second.sock"), taken])
    assert not (tmp_path / "second.sock").exists()


# ---- interpret -------------------------------------------------------------------------------------------


def test_the_first_error_of_an_interpreted_program_ends_it_and_every_window_sees_it(server):
    with connect(server.url) as window:
        assert "waiting for a program at 127.0.0.1:" in str(window.do("interpret joint-by-joint"))
        with Peer(server.doors.addresses[1]) as peer:
            assert peer.do("move-joints-relative Puma 10,0,0,0,0,0")[1] == "ok"
            assert peer.do("move-joints-relative Puma 1000,0,0,0,0,0")[1].startswith("error JointLimit ")
            assert peer.answer() == ([], "")
        notice = window.look().notices[-1]
        assert notice.line == "move-joints-relative Puma 1000,0,0,0,0,0"
        assert notice.kind == "JointLimit"
        assert notice.message.endswith(f"{notice.who} has ended.")
        with Peer(server.doors.addresses[1]) as peer:  # nobody waits any more, so an error ends nothing
            assert peer.do("move-joints-relative Puma 1000,0,0,0,0,0")[1].startswith("error JointLimit ")
            assert peer.do("list robot")[1] == "ok"
            assert not window.look().notices[-1].message.endswith("has ended.")


def test_a_program_that_ends_ends_the_waiting_too(server):
    with connect(server.url) as window:
        window.do("interpret path")
        with Peer(server.doors.addresses[1]) as peer:
            assert peer.do("list robot")[1] == "ok"
        deadline = time.monotonic() + 20
        while server.hub._session.receiving and time.monotonic() < deadline:
            time.sleep(0.02)
        with pytest.raises(Refused, match="No program is awaited"):
            window.do("stop-interpreting")


def test_interpret_sets_the_mode_and_the_scene_and_can_be_undone(server):
    with connect(server.url) as window:
        window.do("create scene other")
        window.do("mode path")
        assert "playback" in str(window.do("interpret playback in other"))
        window.do("undo")
        assert "no program can connect here" in str(Cell().do("interpret path"))


# ---- the programs of the thesis --------------------------------------------------------------------------


def lines_of(name: str) -> list[str]:
    return [line for line in (PROGRAMS / name).read_text().splitlines() if line and not line.startswith("#")]


def local(program: str, setup: list[str]) -> bytes:
    """The recording of the same calls on a cell in this process."""
    import numpy as np

    sys.path.insert(0, str(PROGRAMS))
    try:
        import importlib

        module = importlib.import_module(program)
        communication = importlib.import_module("communication")
    finally:
        sys.path.remove(str(PROGRAMS))
    with Cell() as cell:
        for line in setup:
            cell.do(line)

        class Here:
            def call(self, command: str, **given: object) -> object:
                return cell.call(command, **given)

            def close(self) -> None: ...

        for name in ("init_comm",):
            setattr(module, name, lambda _address: communication._simulator.append(Here()))
        assert module.main() == 0
        assert np.isfinite(cell.session.recording.duration)
        return cell.session.recording.to_bytes()


@pytest.mark.parametrize(
    ("program", "setup"),
    [("program1", PUMA), ("program2", lines_of("workcell2.txt")), ("program3", lines_of("workcell3.txt"))],
)
def test_the_programs_of_the_thesis_give_the_same_recording_over_the_wire(program, setup):
    with serving(setup) as running:
        done = ran([sys.executable, str(PROGRAMS / f"{program}.py"), running.url])
        assert (done.returncode, done.stderr) == (0, "")
        with connect(running.url) as client:
            wire = client.recording.to_bytes()
    assert wire == local(program, setup)


def test_a_program_in_python_ends_with_the_error_of_the_simulator():
    with serving(["create robot Puma puma560 joints 0,0,-90,0,90,0", "modify Puma name Paul"]) as running:
        done = ran([sys.executable, str(PROGRAMS / "program1.py"), running.url])
    assert done.returncode == 4
    assert "Puma" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")
def test_the_program_in_c_gives_the_same_recording(tmp_path):
    made = tmp_path / "program1"
    strict = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *strict, "-o", str(made), str(PROGRAMS / "program1.c")], check=True)
    expected = local("program1", PUMA)
    for way in ("port", "socket"):
        with serving(PUMA, lines=["0", str(tmp_path / f"{way}.sock")]) as running:
            host, port = running.doors.addresses[0].rsplit(":", 1)
            given = [host, port, running.token] if way == "port" else [str(tmp_path / f"{way}.sock")]
            done = ran([str(made), *given])
            assert (done.returncode, done.stderr) == (0, "")
            with connect(running.url) as client:
                assert client.recording.to_bytes() == expected
    with serving([], lines=["0"]) as running:
        host, port = running.doors.addresses[0].rsplit(":", 1)
        done = ran([str(made), host, port, running.token])
    assert done.returncode == 4
    assert "error UnknownName" in done.stderr


# ---- Agent -----------------------------------------------------------------------------------------------


def test_agent_speaks_at_its_own_socket_and_windows_see_its_errors(server):
    with Peer(server.doors.addresses[2]) as peer, connect(server.url) as window:
        peer.send("begin: bogus")
        assert peer.file.readline().decode() == "*** Error in line begin:0 --- 1 Undefined command: bogus\n"
        notice = window.look().notices[-1]
        assert notice.line == "begin: bogus"
        assert notice.message.startswith("*** Error in line begin:0")


def test_exit_ends_the_conversation_of_an_agent(server):
    with Peer(server.doors.addresses[2]) as peer:
        peer.send("set-echo 0\nexit\nbogus")
        assert peer.file.read() == b""


# ---- fuzz ------------------------------------------------------------------------------------------------

WORDS = [
    "create",
    "block",
    "move-joints-relative",
    "Puma",
    "10,0,0,0,0,0",
    "undo",
    "list",
    "{",
    "}",
    '"',
    "\\",
    "?",
    "#",
]


def fuzz(server: Server, count: int, seed: int) -> None:
    """Send random, mutated and truncated lines to both ports; both keep answering."""
    chance = random.Random(seed)
    peers: list[Peer] = []

    def reconnect() -> None:
        for one in peers:
            one.__exit__()
        peers[:] = [Peer(server.doors.addresses[1]), Peer(server.doors.addresses[2])]

    reconnect()
    for number in range(count):
        kind = chance.random()
        if kind < 0.6:
            data = " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, 6))).encode()
        elif kind < 0.9:
            data = bytearray(b"move-joints-relative Puma 1,2,3,4,5,6")
            for _ in range(chance.randint(1, 4)):
                data[chance.randrange(len(data))] = chance.randrange(1, 256)
        else:
            data = chance.randbytes(chance.randint(1, 200))
        with contextlib.suppress(OSError):
            chance.choice(peers).socket.sendall(bytes(data) + (b"\n" if chance.random() < 0.95 else b""))
        if number % 40 == 39:
            reconnect()

    def listed() -> str:
        reconnect()
        with contextlib.suppress(OSError):
            return peers[0].do("list robot")[1]
        return ""

    # What programs that have gone sent is still carried out, and the server takes no more than 64 clients.
    end = time.monotonic() + 60
    while (answer := listed()) != "ok" and time.monotonic() < end:
        time.sleep(0.05)
    assert answer == "ok"
    peers[1].send("\nbegin: bogus")
    assert peers[1].file.readline().startswith(b"*** Error in line begin:0")
    for one in peers:
        one.__exit__()


def test_random_lines_harm_nobody(server, caplog):
    fuzz(server, 1000, 5)
    assert [one.message for one in caplog.records if one.exc_info] == []
    with connect(server.url) as client:
        assert "Puma" in str(client.do("list robot"))


@pytest.mark.soak
def test_fifty_thousand_random_lines_harm_nobody(server, caplog):
    fuzz(server, 50_000, 6)
    assert [one.message for one in caplog.records if one.exc_info] == []
