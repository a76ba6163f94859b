"""The doors of a server: files, tokens, the Unix socket, and requests that are no requests."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from fake_session import FakeSession

from child_process import child
from file_attacks import state_of, ways_out
from workcell.commands.cell import Cell
from workcell.commands.language.registry import Command, registry
from workcell.commands.language.values import File
from workcell.errors import FileProblem, ServiceError, WorkcellError
from workcell.service import connections
from workcell.service.client import connect
from workcell.service.server import Server
from workcell.world.entities import Entity

NAMING = [c for c in registry().commands if any(isinstance(value, File) for value in c.syntax.params.values())]
SAMPLE = (
    "save",
    "load-program",
    "save-program",
    "load-recording",
    "render",
    "export solid",
    "import robot",
    "import-way",
)
NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another account")


@contextlib.contextmanager
def serving(file: Path, **options: object) -> Iterator[Server]:
    @contextlib.contextmanager
    def session():
        with Cell.open(file) if file.exists() else Cell.create(file) as cell:
            yield cell.session

    with Server(session, **options) as server:
        yield server


# ---- files -----------------------------------------------------------------------------------------------


class Use:
    """The first use of a command in its examples, ready to be tried with other paths.

    Attributes:
        stage: the lines before it.
        files: the paths that it names there, by parameter.
    """

    def __init__(self, command: Command, folder: Path) -> None:
        self.command = command
        self.stage: list[str] = []
        with Cell() as cell:
            cell.session.files = cell.session.files.confined_to([folder])
            for example in command.examples:
                line = example.removeprefix("> ")
                parsed, self._values = registry().tree.parse(line, cell.session)
                if parsed is command:
                    break
                self.stage.append(line)
                cell.do(line)
        kinds = command.syntax.params
        self.files = {
            name: _first(self._values[name])
            for name, kind in kinds.items()
            if isinstance(kind, File) and name in self._values
        }
        flags = {group.flag for group in command.syntax.groups}
        self._values |= {"replace": True} if "replace" in flags else {}

    def line(self, parameter: str, path: str) -> str:
        """The command with another path, replacing what is there."""

        def text_of(name: str, value: object) -> str:
            return f'"{value.name}"' if isinstance(value, Entity) else self.command.syntax.params[name].text(value)

        value = [path] if isinstance(self._values[parameter], list | tuple) else path
        return self.command.syntax.canonical({**self._values, parameter: value}, text_of)


def _first(value: object) -> str:
    """A name of a file, or the first of several."""
    return str(value[0] if isinstance(value, list | tuple) else value)


def attack(command: Command, folder: Path, seed: int = 0, more: int = 0) -> int:
    """Try a command from a network client with every way out; the number of lines that were refused."""
    generator, count = random.Random(seed), 0
    rehearsal = folder / "rehearsal"
    rehearsal.mkdir()
    use = Use(command, rehearsal)
    numbered = ".0" if command in map(registry().named, ("export links", "import links")) else ""
    for parameter, named in use.files.items():
        inside, outside = folder / parameter / "inside", folder / parameter / "outside"
        for place in (inside, outside):
            place.mkdir(parents=True)
        ending, original = Path(named).suffix or ".0", rehearsal / named
        # What is outside is good for the command, so that only the guard can refuse it.
        (outside / f"secret{ending}").write_bytes(original.read_bytes() if original.exists() else b"precious")
        paths = [path for path in ways_out(inside, outside, ending) if "\udcff" not in path]  # JSON does not carry it
        paths += [mixed(generator, outside, ending) for _ in range(more)]
        with serving(inside / "line.cell") as server, connect(server.url) as client:
            for line in use.stage:
                client.do(line)
            before, history = state_of(folder), client.do("history").text
            for path in paths:
                if not path and parameter == "second":
                    continue  # that is the present recording
                with pytest.raises(WorkcellError) as caught:
                    client.do(use.line(parameter, path.removesuffix(numbered)))
                assert "fault of Workcell" not in str(caught.value), path
                count += 1
            assert client.do("history").text == history, "a refused command changed the cell"
            changed = {name for name, was in state_of(folder).items() if before.get(name) != was}
            assert all(name.startswith(f"{parameter}/inside/line.cell") for name in changed), changed
    return count


def mixed(generator: random.Random, outside: Path, ending: str) -> str:
    """A path out of the folder with parts mixed in that lead nowhere."""
    parts = generator.choice([str(outside), f"../{outside.name}", "folder", f"up/{outside.name}"]).split("/")
    for _ in range(generator.randrange(4)):
        at = generator.randrange(1, len(parts) + 1)
        parts.insert(at, generator.choice([".", "", "./.", "missing/.."]))
    return "/".join([*parts, generator.choice([f"secret{ending}", f"new{ending}", f"./secret{ending}"])])


def test_every_command_that_names_a_file_is_known():
    assert len(NAMING) >= 19


@pytest.mark.parametrize("name", SAMPLE)
def test_a_network_client_stays_in_the_folder_of_the_cell(name: str, tmp_path: Path) -> None:
    assert attack(registry().named(name), tmp_path) > 50


@pytest.mark.soak
def test_no_command_of_a_network_client_gets_out(tmp_path: Path) -> None:
    total = 0
    for number, command in enumerate(NAMING):
        folder = tmp_path / str(number)
        folder.mkdir()
        total += attack(command, folder, number, more=200)
    print(f"doors: {len(NAMING)} commands that name files, {total} lines from a network client, none got out or hung")


def test_relative_paths_are_those_of_the_cell_and_allowed_folders_are_open(tmp_path: Path, monkeypatch) -> None:
    cell, other, elsewhere = (tmp_path / name for name in ("cell", "other", "elsewhere"))
    for folder in (cell, other, elsewhere):
        folder.mkdir()
    monkeypatch.chdir(elsewhere)
    with serving(cell / "a.cell", allow=[other]) as server, connect(server.url) as client:
        client.do("create program demo")
        client.do("save-program demo here.txt")
        client.do(f"save-program demo {other}/there.txt")
        client.do("save-program demo ../other/too.txt")
        assert "here.txt" in {option.text for option in client.complete("load-program again ")}
        assert client.complete("load-program again /etc/") == []
        with pytest.raises(FileProblem, match="--allow FOLDER"):
            client.do(f"save-program demo {elsewhere}/x.txt")
        with pytest.raises(FileProblem, match="belongs to the open cell"):
            client.do("save-program demo a.cell --replace")
        client.do('modify demo text "save-program demo ../elsewhere/by-program.txt"')
        with pytest.raises(WorkcellError):
            client.do("run demo")
        with pytest.raises(WorkcellError):
            client.play()
    assert sorted(one.name for one in other.iterdir()) == ["there.txt", "too.txt"]
    assert not list(elsewhere.iterdir())


def test_a_folder_that_is_not_there_cannot_be_allowed(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="there is no folder"):
        Server(FakeSession, allow=[tmp_path / "nowhere"])


def test_the_one_who_serves_keeps_the_rights_of_the_user(tmp_path: Path) -> None:
    with Cell() as cell:
        server = Server(lambda: contextlib.nullcontext(cell.session))
        with server, connect(server.url) as client:
            cell.do("create program demo")
            with pytest.raises(FileProblem):
                client.do(f"save-program demo {tmp_path}/x.txt")
        cell.do(f"save-program demo {tmp_path}/x.txt")
    assert server.hub.left_files is None


def test_a_cell_without_a_file_has_a_private_folder_that_stays_when_it_is_used() -> None:
    with Server(lambda: contextlib.nullcontext(Cell().session)) as server, connect(server.url) as client:
        client.do("create program demo")
        client.do("save-program demo demo.txt")
    folder = server.hub.left_files
    assert folder is not None
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [one.name for one in folder.iterdir()] == ["demo.txt"]
    (folder / "demo.txt").unlink()
    folder.rmdir()


# ---- tokens ----------------------------------------------------------------------------------------------


def test_a_program_of_the_same_account_finds_the_token(server: Server, runtime_folder: Path, monkeypatch) -> None:
    bare = server.url.partition("?")[0]
    with pytest.raises(ServiceError, match="needs its token"):
        connect(bare)
    with pytest.raises(ServiceError, match="No server of this account"):
        connect()
    facts = connections.Connection(server.host, server.port, server.token, os.getpid())
    with connections.announced(facts) as page:
        for file in (runtime_folder / "workcell").iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert server.token not in page
        assert server.token in Path(page.removeprefix("file://")).read_text()
        for way in (bare, bare.removeprefix("http://"), None, f"http://localhost:{server.port}/"):
            with connect(way) as client:
                assert client.hello.cell
        with pytest.raises(ServiceError, match="needs its token"):
            connect(bare, token="wrong-token")
        assert connections.token_for(f"http://127.0.0.1:{server.port + 1}/") is None
        assert connections.token_for(f"http://evil.example:{server.port}/") is None
        assert connections.token_for("http://[::1") is None
        monkeypatch.setattr(socket, "gethostname", lambda: "another-machine")
        assert connections.running() == []
    assert not list((runtime_folder / "workcell").iterdir())


def test_a_wrong_token_prints_nothing_in_the_terminal(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ServiceError, match="needs its token"):
        connect(f"http://127.0.0.1:{server.port}/", token="wrong-token")
    with connect(server.url):  # the refusal is over
        assert caplog.records == []


def test_the_token_of_the_environment_is_shown(server: Server, monkeypatch) -> None:
    monkeypatch.setenv("WORKCELL_TOKEN", server.token)
    with connect(server.url.partition("?")[0]) as client:
        assert client.hello.cell


def test_what_a_killed_server_left_is_passed_over(runtime_folder: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    folder = connections.runtime_folder()
    gone = connections.Connection("127.0.0.1", 8765, "no-longer-used", ended.pid)
    (folder / "server-8765.json").write_bytes(msgspec.json.encode(gone))
    (folder / "server-1.json").write_text("{ damaged")
    assert connections.running() == []
    assert connections.token_for("http://127.0.0.1:8765/") is None


def test_several_servers_are_named(server: Server) -> None:
    first = connections.Connection("127.0.0.1", 1, "first-token", os.getpid())
    second = connections.Connection("127.0.0.1", 2, "second-token", os.getpid())
    with connections.announced(first), connections.announced(second):
        with pytest.raises(ServiceError, match=r"choose one: http://127.0.0.1:1/, http://127.0.0.1:2/") as caught:
            connect()
        assert "token" not in str(caught.value)


@contextlib.contextmanager
def workcell(*arguments: str, cwd: Path, runtime: Path, **variables: str) -> Iterator[str]:
    """The program itself; the first line that it prints."""
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "PYTHONWARNINGS": "ignore", **variables}
    with child("-m", "workcell", *arguments, cwd=cwd, env=environment) as process:
        yield process.line()
        process.signalled(signal.SIGINT)
        process.ended(30)
        assert process.process.returncode == 0


def test_serve_prints_the_token_and_leaves_a_private_file(tmp_path: Path, runtime_folder: Path) -> None:
    path = tmp_path / "run" / "cell.sock"
    path.parent.mkdir(mode=0o700)
    arguments = ("serve", "a.cell", "--port", "0", "--socket", str(path))
    with workcell(*arguments, cwd=tmp_path, runtime=runtime_folder) as line:
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]{32,})", line)
        assert found, line
        bare = f"http://127.0.0.1:{found[1]}/"
        for way in (found[0], bare, None, f"unix://{path}"):
            with connect(way) as client:
                assert client.do("list")
        file = runtime_folder / "workcell" / f"server-{found[1]}.json"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        if os.geteuid() == 0:
            assert other_account(bare, file, path) == "refused denied denied"
    assert not path.exists()
    assert not list((runtime_folder / "workcell").iterdir())


OTHER = """
import encodings.idna, http.client, json, os, socket, sys, urllib.error, urllib.request
os.setgroups([]); os.setgid(65534); os.setuid(65534)
url, file, path = sys.argv[1:]
said = []
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    opener.open(url + "glb/x", timeout=10)
    said.append("let in")
except urllib.error.HTTPError as error:
    said.append("refused" if error.code == 403 else str(error.code))
for attempt in (lambda: open(file), lambda: socket.socket(socket.AF_UNIX).connect(path)):
    try:
        attempt()
        said.append("let in")
    except PermissionError:
        said.append("denied")
print(*said)
"""


def other_account(url: str, file: Path, path: Path) -> str:
    """What another account of the machine reaches, although it may enter the folders."""
    for folder in (*file.parents, *path.parents):
        if str(folder).startswith("/tmp/"):
            folder.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-I", "-c", OTHER, url, str(file), str(path)], capture_output=True, text=True, timeout=60,
        check=False, cwd="/",
    )  # fmt: skip
    return done.stdout.strip() or done.stderr


def test_an_empty_token_does_not_switch_it_off(tmp_path: Path, runtime_folder: Path) -> None:
    for arguments, variables in ((("--token", ""), {}), ((), {"WORKCELL_TOKEN": "abc"})):
        done = subprocess.run(
            [sys.executable, "-m", "workcell", "serve", "--port", "0", *arguments], capture_output=True, text=True,
            env={**os.environ, **variables}, cwd=tmp_path, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 1
        assert done.stderr.startswith("A token has 8 to 200")
        assert done.stderr.count("\n") == 1


# ---- the Unix socket -------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "private").mkdir(mode=0o700)
    return tmp_path / "private" / "w.sock"


def test_a_program_on_the_unix_socket_needs_no_token_and_is_confined(path: Path) -> None:
    cell = path.parent.parent / "cell"
    cell.mkdir()
    with serving(cell / "a.cell", socket=path) as server, connect(f"unix://{path}") as client:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        client.do("create program demo")
        client.do("save-program demo demo.txt")
        with pytest.raises(FileProblem, match="outside"):
            client.do(f"save-program demo {path.parent}/demo.txt")
        with connect(server.url) as other:
            assert "demo" in other.do("list").text
    assert not path.exists()
    with pytest.raises(ServiceError, match="No server answers"):
        connect(f"unix://{path}")


def test_a_socket_that_is_left_is_replaced_only_when_nobody_listens(path: Path) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.listen()
    with pytest.raises(ServiceError, match="Another server listens"):
        Server(FakeSession, socket=path)
    left.close()
    with Server(FakeSession, socket=path), connect(f"unix://{path}") as client:
        assert client.hello.cell
    path.write_text("precious")
    with pytest.raises(ServiceError, match="is not a socket"):
        Server(FakeSession, socket=path)
    with pytest.raises(ServiceError, match="is not a socket"):
        connect(f"unix://{path}")
    assert path.read_text() == "precious"


def test_a_socket_stands_where_nobody_can_replace_it(path: Path) -> None:
    path.parent.chmod(0o777)
    with pytest.raises(ServiceError, match="could replace the socket"):
        Server(FakeSession, socket=path)
    with pytest.raises(ServiceError, match="no folder"):
        Server(FakeSession, socket=path.parent / "nowhere" / "w.sock")
    with pytest.raises(ServiceError, match="cannot be opened"):
        Server(FakeSession, socket=path.parent.parent / ("x" * 150))


@as_root
def test_a_socket_of_another_account_is_not_trusted(path: Path, monkeypatch) -> None:
    with socket.socket(socket.AF_UNIX) as theirs:
        theirs.bind(str(path))
        theirs.listen()
        os.chown(path, NOBODY, NOBODY)
        with pytest.raises(ServiceError, match="another account"):
            connect(f"unix://{path}")
        with pytest.raises(ServiceError, match="another account"):
            Server(FakeSession, socket=path)


def test_a_request_cannot_claim_to_come_by_the_socket(server: Server) -> None:
    for head in (b"GET /glb/x HTTP/1.1\r\nHost: localhost\r\n", b"GET unix:///glb/x HTTP/1.1\r\nHost: localhost\r\n"):
        assert asked(server, head + b"X-Forwarded-For: unix\r\nForwarded: for=unix\r\n\r\n") in (400, 403, 404)


# ---- requests that are no requests -----------------------------------------------------------------------


def asked(server: Server, request: bytes) -> int:
    """The status of the answer to some bytes; 0 when the connection is closed or kept waiting for more."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as wire:
        wire.sendall(request)
        wire.settimeout(0.5)
        answer = b""
        with contextlib.suppress(TimeoutError, ConnectionError):
            while b"\r\n\r\n" not in answer and (more := wire.recv(4096)):
                answer += more
    match = re.match(rb"HTTP/1\.[01] (\d{3}) ", answer)
    return int(match[1]) if match else 0


@pytest.mark.parametrize(
    "host", ["[::1", "[", "]", "[]", "::1", "a b", "", "localhost:99999999", "\xff", "a@localhost"]
)
@pytest.mark.parametrize("path", ["/", "/glb/x", "/ws"])
def test_a_malformed_host_is_a_bad_request(server: Server, host: str, path: str) -> None:
    text = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    assert asked(server, text.encode("latin-1")) == 400


ODD = [
    "",
    "[::1",
    "%",
    "%00",
    "%ff",
    "\xff",
    "\x00",
    "..",
    "//",
    "[::1]:x",
    "é",
    "a" * 3000,
    "=",
    "&" * 400,
    ";",
    "\t",
    "null",
    "-1",
    "*",
]
UPGRADE = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {'A' * 22}==")
NAMES = (
    "Host", "Origin", "Cookie", "X-Workcell-Token", "Authorization", "Content-Length", "Transfer-Encoding", "Range", "Upgrade",
    "If-None-Match", "If-Modified-Since", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Protocol", "Accept",
)  # fmt: skip


def malformed(generator: random.Random, server: Server) -> bytes:
    """A good request with one to three things wrong in it."""
    parts = {"method": "GET", "path": generator.choice(["/", "/ws", "/glb/x", "/assets/x"]), "version": "HTTP/1.1"}
    parts["query"] = generator.choice([f"token={server.token}", ""])
    headers = ["Host: localhost", *generator.choice([(), UPGRADE])]
    word = lambda: "".join(generator.choice(ODD) for _ in range(generator.randrange(1, 3)))
    cut = 100_000
    for _ in range(generator.randrange(1, 4)):
        match generator.randrange(8):
            case 0:
                parts["method"] = generator.choice(
                    ["HEAD", "POST", "PUT", "OPTIONS", "TRACE", "CONNECT", "BREW", word()]
                )
            case 1:
                parts["path"] = generator.choice([parts["path"] + word(), word(), "*", "http://[::1", "/glb/" + word()])
            case 2:
                parts["query"] += generator.choice(["token=", "&token=", "&", ""]) + word()
            case 3:
                parts["version"] = generator.choice(["HTTP/1.0", "HTTP/9", "HTTX/1.1", word()])
            case 4:
                headers[0] = generator.choice([f"Host: {word()}", f"Host: localhost:{word()}", f"Hos{word()}"])
            case 5:
                cut = generator.choice([30, 100_000, 100_000])
            case _:
                headers.append(f"{generator.choice(NAMES)}: {word()}")
    generator.shuffle(headers)
    query = f"?{parts['query']}" if parts["query"] else ""
    text = "\r\n".join([f"{parts['method']} {parts['path']}{query} {parts['version']}", *headers, "", ""])
    return text.encode("latin-1", "replace")[:cut]


def fuzz(server: Server, count: int, seed: int) -> dict[int, int]:
    generator, found = random.Random(seed), {}
    for _ in range(count):
        request = malformed(generator, server)
        status = asked(server, request)
        assert status < 500, request
        found[status] = found.get(status, 0) + 1
    with connect(server.url) as client:
        assert client.hello.cell
    return found


def test_malformed_requests_are_refused_and_the_server_goes_on(server: Server, capfd) -> None:
    found = fuzz(server, 150, 16)
    assert found[400] > 10
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.soak
def test_many_malformed_requests_are_refused(server: Server, capfd) -> None:
    found = fuzz(server, 6000, 17)
    assert "Traceback" not in capfd.readouterr().err
    told = ", ".join(f"{count} × {status or 'closed'}" for status, count in sorted(found.items()))
    print(f"doors: {sum(found.values())} malformed HTTP requests, none answered with 5xx: {told}")
