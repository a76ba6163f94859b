from __future__ import annotations

import asyncio

from workcell.errors import CommandSyntaxError
from workcell.service.hub import MAX_OUTBOX, Client, public_kind
from workcell.service.jobs import Job
from workcell.service.protocol import Progress


def test_a_client_that_does_not_read_is_let_go() -> None:
    async def fill() -> Client:
        client = Client("slow", asyncio.get_running_loop())
        for _ in range(MAX_OUTBOX + 50):
            client.put("x")
        return client

    client = asyncio.run(fill())
    assert client.closed
    assert client.outbox.qsize() == MAX_OUTBOX + 1
    frames = [client.outbox.get_nowait() for _ in range(MAX_OUTBOX + 1)]
    assert frames[-1] is None  # good-bye


def test_an_error_of_a_room_crosses_as_its_public_ancestor() -> None:
    class Special(CommandSyntaxError):
        pass

    assert public_kind(Special) == "CommandSyntaxError"


def test_a_job_that_was_not_announced_ends_in_silence() -> None:
    told: list[Progress] = []
    job = Job("job1", 1, "quick", told.append)
    job.finish()
    assert told == []
    job.announce()
    job.announce()
    job.report(7.0, "late")
    job.finish()
    assert [(message.fraction, message.done) for message in told] == [(None, False), (1.0, False), (1.0, True)]
