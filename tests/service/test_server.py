from __future__ import annotations

import gzip
import json
import os
import re
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
from fake_session import FakeSession
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as open_socket

from child_process import child
from workcell.errors import (
    Cancelled,
    CommandSyntaxError,
    FileProblem,
    NothingToUndo,
    ServiceError,
    UnknownName,
)
from workcell.service import frames, protocol
from workcell.service.client import Client, connect
from workcell.service.server import Server
from workcell.spatial.pose import Pose


def get(url: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    request = urllib.request.Request(url, headers=headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as answer:
            return answer.status, {k.lower(): v for k, v in answer.headers.items()}, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, {k.lower(): v for k, v in error.headers.items()}, error.read()


def raw(server: Server, **options: object) -> AbstractContextManager[ClientConnection]:
    address = f"ws://127.0.0.1:{server.port}/ws?token={server.token}"
    return open_socket(address, proxy=None, max_size=None, **options)


def messages(wire: ClientConnection, until: Callable[[dict], bool]) -> list[dict]:
    found: list[dict] = []
    while not (found and until(found[-1])):
        frame = wire.recv(10)
        found.append(json.loads(frame if isinstance(frame, str) else frames.unpacked(frame)))
    return found


def first(wire: ClientConnection) -> dict[str, dict]:
    return {message["type"]: message for message in messages(wire, lambda m: m["type"] == "status")}


# ---- what a client sees ----------------------------------------------------------------------------------


def test_a_client_is_greeted_and_shown_the_cell(server: Server) -> None:
    with raw(server) as wire:
        seen = first(wire)
    assert seen["hello"]["version"] == protocol.VERSION
    assert seen["hello"]["cell"] == "fake cell"
    scene = seen["scene"]
    assert scene["facts"]["units"] == {
        "length": "mm",
        "angle": "deg",
        "lengthSize": 0.001,
        "angleSize": np.pi / 180,
    }
    assert [body["name"] for body in scene["bodies"]] == [
        "Arm/base",
        "Arm/link 1",
        "Arm/link 2",
        "table",
        "box1",
    ]
    assert len(scene["bodies"][1]["pieces"]) == 2
    assert scene["bodies"][4]["pieces"][0]["colour"] == [0.3, 0.5, 0.8]
    assert scene["bodies"][4]["pose"] == [0.9, 0.2, 0.46, 1, 0, 0, 0]
    assert [(node["kind"], node["name"]) for node in scene["nodes"]] == [
        ("robot", "Arm"),
        ("object", "table"),
        ("object", "box1"),
        ("program", "demo"),
    ]
    owners = {node["name"]: node["id"] for node in scene["nodes"]}
    assert [body["owner"] for body in scene["bodies"]] == [
        owners[name] for name in ("Arm", "Arm", "Arm", "table", "box1")
    ]
    assert seen["recording"]["duration"] == 0.0
    assert seen["recording"]["moving"] == []


def test_commands_answer_with_text_and_value(client: Client) -> None:
    reply = client.do("box box2")
    assert str(reply) == "done: box box2"
    assert reply.value == {"done": "box box2"}


def test_a_call_answers_with_text_value_and_type(client: Client) -> None:
    reply = client.call("box", name="box2")
    assert str(reply) == "done: box box2"
    assert (reply.kind, reply.value) == ("FakeResult", {"done": "box box2"})


def test_an_edit_is_answered_and_then_shown_to_every_client(server: Server) -> None:
    with raw(server) as one, raw(server) as other:
        first(one), first(other)
        one.send('{"type":"command","request":5,"line":"box box2"}')
        seen = messages(one, lambda m: m["type"] == "difference")
        assert [m["type"] for m in seen] == ["result", "change", "difference"]
        assert seen[0]["request"] == 5
        assert (seen[1]["line"], seen[1]["who"]) == ("box box2", "program 1")
        assert seen[2]["facts"]["undo"] == "box box2"
        assert (seen[2]["before"], seen[2]["after"]) == (1, 2)
        assert [body["name"] for body in seen[2]["bodies"]["appeared"]] == ["box2"]
        assert messages(other, lambda m: m["type"] == "difference")[-1] == seen[2]


def test_an_undo_tells_the_others_whose_step_it_took_back(server: Server) -> None:
    with raw(server) as one, raw(server) as other:
        first(one), first(other)
        one.send('{"type":"command","request":5,"line":"box box2"}')
        messages(other, lambda m: m["type"] == "difference")
        other.send('{"type":"call","request":1,"command":"undo"}')
        change = messages(one, lambda m: m["type"] == "change" and m["line"] == "undo")[-1]
        assert (change["who"], change["undone"]) == ("program 2", {"label": "box box2", "who": "program 1"})
        other.send('{"type":"call","request":2,"command":"redo"}')
        change = messages(one, lambda m: m["type"] == "change" and m["line"] == "redo")[-1]
        assert (change["undone"], change["redone"]) == (None, {"label": "box box2", "who": "program 1"})


def test_a_script_is_shown_in_a_few_steps_and_to_its_end(server: Server, client: Client) -> None:
    with raw(server) as watcher:
        seen = first(watcher)
        known = {body["id"] for body in seen["scene"]["bodies"]}
        for number in range(40):
            client.do(f"box part{number}")
        found: list[dict] = []
        while len(known) < 45:
            found += messages(watcher, lambda m: m["type"] == "difference")
            known |= {body["id"] for body in found[-1].get("bodies", {}).get("appeared", [])}
    assert sum(m["type"] == "change" for m in found) == 40
    assert sum(m["type"] == "difference" for m in found) < 20
    client.close()
    assert client._socket.close_code == 1000, "messages that it has not read hold up its end"


def test_errors_cross_as_the_class_they_are(client: Client) -> None:
    with pytest.raises(CommandSyntaxError) as caught:
        client.do("fly away")
    assert caught.value.pointed() == "fly away\n^\nThere is no such command."
    with pytest.raises(NothingToUndo):
        client.do("undo")
    with pytest.raises(UnknownName, match="free name") as unknown:
        client.do("box box1")
    assert unknown.value.closest == ["box2"]


def test_a_fault_of_ours_is_said_and_survived(client: Client) -> None:
    with pytest.raises(ServiceError, match="ZeroDivisionError: a fault of ours"):
        client.do("crash")
    assert client.do("box b").text == "done: box b"


def test_the_recording_crosses_byte_by_byte(client: Client) -> None:
    local = FakeSession()
    for line in ("turn 30", "turn -80.5", "undo", "turn 7"):
        local.do(line)
        client.do(line)
    assert client.recording.to_bytes() == local.recording.to_bytes()
    assert client.state.joints["Arm"].tolist() == local.state.joints["Arm"].tolist()
    assert client.state.poses["box1"] == Pose.from_xyz(0.9, 0.2, 0.46)
    assert client.state.signals == {"start": 1.0}


def test_poses_are_of_the_newest_recording(client: Client) -> None:
    client.do("turn 45")
    client.do("turn 45")  # a moment after the other: not shown yet when its poses are asked for
    poses = client.poses(0.0, 0.1, 40)
    assert poses.shape == (40, 5, 7)
    np.testing.assert_allclose(poses[-1, 1, 3:], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)], atol=1e-6)


def test_play_simulates_when_nothing_was_recorded(client: Client) -> None:
    info = client.play()
    assert info.duration == pytest.approx(np.pi)
    assert [event.text for event in info.events] == ["Arm turns by 45"] * 2
    assert client.play().duration == info.duration


def test_completion(client: Client) -> None:
    assert [option.text for option in client.complete("b")] == ["box", "busy"]


# ---- long jobs -------------------------------------------------------------------------------------------


def test_a_long_reading_job_lets_others_work_and_is_cancelled_at_once(server: Server, client: Client) -> None:
    with raw(server) as wire:
        first(wire)
        wire.send('{"type":"command","request":1,"line":"busy 60"}')
        progress = messages(wire, lambda m: m["type"] == "progress")[-1]
        assert (progress["request"], progress["title"]) == (1, "busy 60")
        assert client.do("turn 10").text == "done: turn 10"  # an edit, while the job runs
        wire.send(json.dumps({"type": "cancel", "job": progress["job"]}))
        seen = messages(wire, lambda m: m["type"] == "progress" and m["done"])
        error = next(m for m in seen if m["type"] == "error")
        assert (error["kind"], error["request"]) == ("Cancelled", 1)


def test_jobs_in_the_cell_thread_can_be_cancelled_running_or_waiting(server: Server) -> None:
    with raw(server) as wire:
        first(wire)
        wire.send('{"type":"command","request":1,"line":"hold 60"}')
        wire.send('{"type":"command","request":2,"line":"box never"}')
        jobs: dict[int, str] = {}
        while len(jobs) < 2:
            message = messages(wire, lambda _: True)[-1]
            if message["type"] == "progress":
                jobs[message["request"]] = message["job"]
        for number in (2, 1):
            wire.send(json.dumps({"type": "cancel", "job": jobs[number]}))
        errors = messages(wire, lambda m: m["type"] == "error" and m["request"] == 2)
        kinds = {m["request"]: m["kind"] for m in errors if m["type"] == "error"}
        assert kinds == {1: "Cancelled", 2: "Cancelled"}


def test_the_python_client_hears_progress_and_can_cancel(client: Client) -> None:
    heard: list[float | None] = []

    def note(fraction: float | None, label: str) -> None:
        heard.append(fraction)
        if len(heard) == 3:
            client.cancel()

    with pytest.raises(Cancelled):
        client.do("busy 60", progress=note)
    assert heard == sorted(heard)
    assert client.status().jobs == 0


def test_all_clients_see_a_job_and_any_of_them_may_cancel_it(server: Server) -> None:
    with raw(server) as asker, raw(server) as other:
        first(asker), first(other)
        asker.send('{"type":"command","request":7,"line":"busy 60"}')
        seen = messages(other, lambda m: m["type"] == "progress")[-1]
        assert (seen["request"], seen["title"], seen["who"], seen["done"]) == (0, "busy 60", "program 1", False)
        with raw(server) as late:
            assert first(late)["progress"]["job"] == seen["job"]
            late.send(json.dumps({"type": "cancel", "job": seen["job"]}))
            error = messages(asker, lambda m: m["type"] == "error")[-1]
            assert (error["kind"], error["request"]) == ("Cancelled", 7)
            assert messages(other, lambda m: m["type"] == "progress" and m["done"])[-1]["job"] == seen["job"]
            assert messages(late, lambda m: m["type"] == "progress" and m["done"])[-1]["job"] == seen["job"]


def test_cancelling_what_is_not_there_is_an_error(server: Server) -> None:
    with raw(server) as wire:
        first(wire)
        wire.send('{"type":"cancel","job":"job99"}')
        assert "no running job called 'job99'" in messages(wire, lambda m: m["type"] == "error")[-1]["message"]


def test_a_client_that_leaves_takes_its_reading_jobs_along(server: Server, client: Client) -> None:
    with raw(server) as wire:
        first(wire)
        wire.send('{"type":"command","request":1,"line":"busy 60"}')
        messages(wire, lambda m: m["type"] == "progress")
    until = time.monotonic() + 5
    while client.status().jobs and time.monotonic() < until:
        time.sleep(0.02)
    assert client.status().jobs == 0


def test_status_tells_the_longest_pause(client: Client) -> None:
    assert client.status(reset=True).longest_pause == 0.0
    time.sleep(0.05)
    status = client.status()
    assert 0.0 < status.longest_pause < 10.0
    assert status.clients == 1
    until = time.monotonic() + 30
    while not client.status().warm:
        assert time.monotonic() < until
        time.sleep(0.05)


# ---- bad input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "nonsense", '{"type":"fly"}', '{"type":"poses","request":3}', "[1,2,3]"])
def test_a_frame_that_is_no_message_is_answered_and_survived(server: Server, text: str) -> None:
    with raw(server) as wire:
        first(wire)
        wire.send(text)
        assert messages(wire, lambda m: m["type"] == "error")[-1]["kind"] == "ServiceError"
        wire.send('{"type":"fetch-status","request":9}')
        assert messages(wire, lambda m: m["type"] == "status" and m["request"] == 9)


def test_a_binary_frame_from_a_client_is_answered_and_survived(server: Server) -> None:
    with raw(server) as wire:
        first(wire)
        wire.send(b"\x00\x01")
        error = messages(wire, lambda m: m["type"] == "error")[-1]
        assert (error["kind"], error["message"]) == ("ServiceError", "A message is a text frame; found 2 binary bytes.")
        wire.send('{"type":"fetch-status","request":9}')
        assert messages(wire, lambda m: m["type"] == "status" and m["request"] == 9)


def test_poses_that_cannot_be_had_are_refused(server: Server) -> None:
    with raw(server) as wire:
        first(wire)
        wire.send('{"type":"poses","request":4,"start":0,"step":-1,"count":3}')
        error = messages(wire, lambda m: m["type"] == "error")[-1]
    assert (error["kind"], error["request"]) == ("InvalidValue", 4)


# ---- who may come in -------------------------------------------------------------------------------------


def test_a_foreign_origin_is_refused_on_the_wire_and_on_http(server: Server) -> None:
    url = f"http://127.0.0.1:{server.port}"
    assert get(f"{url}/glb/x", Origin="http://evil.example")[0] == 403
    assert get(f"{url}/", Host="evil.example")[0] == 403
    with pytest.raises(Exception, match="403"), raw(server, origin="http://evil.example"):
        pass
    with raw(server, origin=url) as wire:
        assert first(wire)


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1", "localhost"])
def test_a_token_is_made_for_every_address(host: str) -> None:
    with Server(FakeSession, host=host) as server:
        assert server.token
        assert len(server.token) >= 20
        local = f"http://127.0.0.1:{server.port}/"
        with pytest.raises(ServiceError, match="needs its token"):
            connect(local)
        with pytest.raises(ServiceError, match="needs its token"):
            connect(local, token="wrong")
        assert get(f"{local}glb/abc")[0] == 403
        assert get(f"{local}glb/abc?token={server.token}")[0] == 404
        with connect(local, token=server.token) as client:
            assert client.hello.cell == "fake cell"
        with connect(f"{local}?token={server.token}") as client:
            assert client.hello.cell == "fake cell"


def test_a_token_given_is_asked_for_on_this_machine_too() -> None:
    with Server(FakeSession, token="given-by-the-user") as server:
        with pytest.raises(ServiceError, match="needs its token"):
            connect(server.url.split("?")[0])
        with connect(server.url) as client:
            assert client.hello.program


# ---- shapes and page -------------------------------------------------------------------------------------


def test_shapes_are_served_by_hash_and_kept_for_ever(server: Server) -> None:
    with raw(server) as wire:
        bodies = first(wire)["scene"]["bodies"]
    url = f"http://127.0.0.1:{server.port}/glb/"
    tail = f"?token={server.token}"
    status, headers, data = get(url + bodies[0]["pieces"][0]["glb"] + tail)
    assert status == 200
    assert data[:4] == b"glTF"
    assert "immutable" in headers["cache-control"]
    assert headers["content-type"] == "model/gltf-binary"
    assert get(url + bodies[0]["pieces"][0]["glb"] + tail)[2] == data
    assert get(url + bodies[0]["pieces"][0]["glb"])[0] == 403
    status, _, text = get(url + "0" * 32 + tail)
    assert status == 404
    assert b"No shape of this cell" in text


def test_shapes_and_the_page_are_sent_compressed_to_who_can_read_that(tmp_path: Path) -> None:
    script = b"const a = 1;\n" * 5000
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<title>W</title>")
    (tmp_path / "assets" / "a-1.js").write_bytes(script)
    (tmp_path / "assets" / "a-1.png").write_bytes(script)
    with Server(FakeSession, page=tmp_path) as server, raw(server) as wire:
        shape = first(wire)["scene"]["bodies"][0]["pieces"][0]["glb"]
        url, tail = f"http://127.0.0.1:{server.port}/", f"?token={server.token}"
        for path, plain in ((f"glb/{shape}{tail}", None), ("assets/a-1.js", script), ("", b"<title>W</title>")):
            status, headers, data = get(url + path, **{"Accept-Encoding": "gzip, br"})
            assert (status, headers["content-encoding"], headers["vary"]) == (200, "gzip", "accept-encoding")
            assert int(headers["content-length"]) == len(data)
            _, headers, whole = get(url + path)
            assert "content-encoding" not in headers
            assert gzip.decompress(data) == whole
            assert plain in (None, whole)
        assert "content-encoding" not in get(url + "assets/a-1.png", **{"Accept-Encoding": "gzip"})[1]
        tag = get(url + "assets/a-1.js", **{"Accept-Encoding": "gzip"})[1]["etag"]
        assert get(url + "assets/a-1.js", **{"Accept-Encoding": "gzip", "If-None-Match": tag})[0] == 304
        for _ in range(2):
            _, headers, data = get(url + "assets/a-1.js", **{"Accept-Encoding": "gzip"})
            assert len(data) < len(script) / 20
            assert "immutable" in headers["cache-control"]
            assert "default-src 'self'" in headers["content-security-policy"]


def test_a_page_that_is_not_built_says_so(tmp_path: Path) -> None:
    with Server(FakeSession, page=tmp_path) as server:
        status, _, text = get(server.url)
    assert status == 503
    assert b"make page" in text


def test_the_page_is_served_with_its_rules(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<title>W</title>")
    (tmp_path / "assets" / "a-1234.js").write_text("1")
    (tmp_path.parent / "secret.txt").write_text("secret")
    with Server(FakeSession, page=tmp_path) as server:
        status, headers, text = get(server.url)
        assert (status, text) == (200, b"<title>W</title>")
        assert "default-src 'self'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-cache"
        assert "immutable" in get(server.url.split("?")[0] + "assets/a-1234.js")[1]["cache-control"]
        for path in ("../secret.txt", "%2e%2e/secret.txt", "assets/../../secret.txt"):
            assert get(server.url.split("?")[0] + path)[0] == 404


# ---- life ------------------------------------------------------------------------------------------------


def ours() -> set[str]:
    return {thread.name for thread in threading.enumerate() if thread.name.startswith("workcell")}


def test_nothing_is_left_after_stopping_even_with_work_under_way() -> None:
    sessions: list[FakeSession] = []

    def open_session() -> FakeSession:
        sessions.append(FakeSession())
        return sessions[0]

    before = ours()
    server = Server(open_session).start()
    with raw(server) as one, raw(server) as other, raw(server):
        first(one), first(other)
        one.send('{"type":"command","request":1,"line":"busy 60"}')
        other.send('{"type":"command","request":1,"line":"hold 60"}')
        messages(other, lambda m: m["type"] == "progress")
        server.stop()
    assert ours() == before
    assert sessions[0].closed_in is sessions[0].thread
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", server.port), timeout=1)


def test_a_cell_that_cannot_be_opened_ends_the_server_with_its_reason() -> None:
    def open_session() -> FakeSession:
        raise FileProblem("There is no file lost.cell.")

    before = ours()
    with pytest.raises(FileProblem, match=r"lost\.cell"):
        Server(open_session).start()
    with pytest.raises(FileProblem, match=r"lost\.cell"):
        Server(open_session).run()
    assert ours() == before


def test_a_port_in_use_is_said_so(server: Server) -> None:
    with pytest.raises(ServiceError, match=f"Port {server.port} of 127.0.0.1 cannot be opened"):
        Server(FakeSession, port=server.port)


def test_no_server_is_said_so() -> None:
    with pytest.raises(ServiceError, match="Start one with `workcell serve`"):
        connect("http://127.0.0.1:9/")
    with pytest.raises(ServiceError, match="Expected the address of a server"):
        connect("ftp://somewhere")


def test_a_server_of_another_protocol_is_refused(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    spoken = protocol.VERSION
    with connect(server.url):  # its greeting is made
        monkeypatch.setattr(protocol, "VERSION", 99)
    with pytest.raises(ServiceError, match=f"uses protocol {spoken}, this client 99"):
        connect(server.url)


def test_a_call_after_the_server_has_gone_says_so() -> None:
    with Server(FakeSession) as server:
        client = connect(server.url)
    with pytest.raises(ServiceError, match="closed the connection"):
        client.do("turn 1")
    client.close()


PROGRAM = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from fake_session import FakeSession
from workcell.service.server import Server
Server(FakeSession).run(lambda url: print(url, flush=True))
left = [t.name for t in threading.enumerate() if t is not threading.main_thread()]
print("left", left, flush=True)
"""


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_everything_quietly_with_a_client_at_work(kind: signal.Signals) -> None:
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    with child("-c", PROGRAM, str(Path(__file__).parent), env=environment) as process:
        url = process.address()
        assert re.match(r"http://127\.0\.0\.1:\d+/", url)
        with connect(url) as client:
            client.do("turn 20")
            process.signalled(kind)
            out, err = process.ended(20)
        assert process.process.returncode == 0
    assert out == "left []\n"
    assert err == ""


def test_the_printed_address_opens_the_gallery(tmp_path: Path):
    with child("-m", "workcell", "--no-browser", "--port", "0", cwd=tmp_path) as started:
        assert re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+#gallery ", started.line())
