"""The frames that show everything, made once for all clients that need them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from workcell.service.audience import Client
from workcell.service.shown import Shown


class Whole:
    """Makes the frames of everything that is shown, in a thread of its own."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(1, "workcell-whole")
        self._made: tuple[Shown, list[str | bytes]] | None = None
        """What was shown last, and its frames; used in the thread."""

    async def show(self, client: Client, now: Callable[[], Shown]) -> None:
        """Send a client everything; from then on it gets differences. ``now`` returns what is shown to clients."""
        if client.whole_due:
            return  # it asked twice
        client.whole_due = True
        await client.outbox.has_room()
        client.behind = True
        while client.behind and not client.closed:
            shown = now()
            made = await asyncio.wrap_future(self.pool.submit(self._frames, shown))
            if shown is now():  # otherwise something changed meanwhile
                for frame in made:
                    client.put(frame)
                client.behind = False
        client.whole_due = False

    def _frames(self, shown: Shown) -> list[str | bytes]:
        if self._made is None or self._made[0] is not shown:
            self._made = shown, shown.whole()
        return self._made[1]
