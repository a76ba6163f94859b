from __future__ import annotations

import asyncio

from workcell.errors import CommandSyntaxError
from workcell.service.answers import public_kind
from workcell.service.audience import SLOW_BYTES, Client
from workcell.service.jobs import Job
from workcell.service.outbox import MAX_BYTES, MAX_FRAMES, ROOM, Outbox
from workcell.service.protocol import Progress


def test_a_client_that_does_not_read_is_let_go() -> None:
    async def fill() -> Client:
        client = Client("window", "window 1", "", asyncio.get_running_loop())
        for _ in range(MAX_FRAMES + 50):
            client.put("x")
        return client

    client = asyncio.run(fill())
    assert client.closed
    assert client.outbox.qsize() == MAX_FRAMES + 1
    frames = [client.outbox.get_nowait() for _ in range(MAX_FRAMES + 1)]
    assert frames[-1] is None  # good-bye


def test_a_client_that_leaves_many_bytes_unread_is_let_go() -> None:
    async def fill() -> Client:
        client = Client("window", "window 1", "", asyncio.get_running_loop())
        frame = b"x" * 2**20
        for _ in range(2 * MAX_BYTES // 2**20):
            client.put(frame)
        return client

    client = asyncio.run(fill())
    assert client.closed
    assert client.outbox.waiting <= MAX_BYTES + 2**20


def test_a_client_that_reads_slowly_learns_once_that_it_is_behind() -> None:
    async def fill() -> Client:
        client = Client("window", "window 1", "", asyncio.get_running_loop())
        client.behind = False
        for number in range(200):
            client.show(["x" * 100_000], number)
        return client

    client = asyncio.run(fill())
    assert client.behind
    assert not client.closed
    assert client.outbox.waiting < SLOW_BYTES + 200_000
    frames = [client.outbox.get_nowait() for _ in range(client.outbox.qsize())]
    assert [frame[:16] for frame in frames if frame[0] != "x"] == ['{"type":"behind"']


def test_what_is_large_waits_until_a_client_has_read() -> None:
    async def read_slowly() -> list[str]:
        outbox, seen = Outbox(), []
        outbox.put_nowait(b"x" * (2 * ROOM))
        waiting = asyncio.create_task(outbox.has_room())
        await asyncio.sleep(0)
        seen.append("waits" if not waiting.done() else "goes on")
        await outbox.get()
        await waiting
        return [*seen, f"{outbox.waiting} bytes left"]

    assert asyncio.run(read_slowly()) == ["waits", "0 bytes left"]


def test_an_error_of_a_room_crosses_as_its_public_ancestor() -> None:
    class Special(CommandSyntaxError):
        pass

    assert public_kind(Special) == "CommandSyntaxError"


def test_a_job_that_was_not_announced_ends_in_silence() -> None:
    told: list[Progress] = []
    job = Job("job1", 1, "quick", "window 1", told.append, lambda _: None)
    job.finish()
    assert told == []
    job.announce()
    job.announce()
    job.report(7.0, "late")
    job.finish()
    assert [(message.fraction, message.done) for message in told] == [(None, False), (1.0, False), (1.0, True)]
