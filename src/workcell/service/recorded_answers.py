"""Answers from the recording: poses and motions at asked times, and the recording as a whole."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from workcell.service import frames
from workcell.service.answers import result_of
from workcell.service.audience import Client
from workcell.service.cell_thread import CellThread
from workcell.service.publishing import Publisher
from workcell.service.shown import Shown


class RecordedAnswers:
    """Answers questions about the recording; used by the event loop.

    Args:
        cell: the thread of the cell.
        publisher: publishes the changes.
        shown: returns what clients are shown now.
    """

    def __init__(self, cell: CellThread, publisher: Publisher, shown: Callable[[], Shown]) -> None:
        self._cell, self._publisher, self._shown = cell, publisher, shown
        self.pool = ThreadPoolExecutor(1, "workcell-poses")
        """The thread that computes poses."""

    async def whole(self, client: Client, request: int) -> None:
        """Send the recording, once the client can receive it."""
        await client.outbox.has_room()
        answer = self._cell.submit(
            lambda session: frames.packed(frames.recording_frame(request, session.recording.to_bytes()), request),
            client,
        )
        await _answer(client, request, answer)

    async def take(self, client: Client, request: int, work: Callable[[Shown], bytes]) -> None:
        """Answer from the recording after all earlier requests, once the client can receive it."""
        await client.outbox.has_room()
        if self._publisher.changes:
            await asyncio.wrap_future(self._cell.submit(self._publisher.flush))
        await _answer(client, request, self.pool.submit(work, self._shown()))


async def _answer(client: Client, request: int, answer: Future[Any]) -> None:
    """Send the result of a thread, or its error."""
    with contextlib.suppress(Exception):  # it is in the future, too
        await asyncio.wrap_future(answer)
    client.answer(result_of(request, answer))
