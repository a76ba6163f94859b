"""What one client selects is shown to the others, for as long as it is there."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from websockets.asyncio.client import connect

from workcell.service.server import Server


def test_selections_reach_the_others_and_end_with_their_window(server: Server) -> None:
    address = server.url.replace("http", "ws", 1).replace("/?", "/ws?")

    async def next_selected(socket: Any) -> dict[str, Any]:
        while True:
            frame = await asyncio.wait_for(socket.recv(), 20)
            if isinstance(frame, str) and (message := json.loads(frame))["type"] == "selected":
                return dict(message)

    async def story() -> None:
        async with connect(address, proxy=None) as one, connect(address, proxy=None) as two:
            first = json.loads(await one.recv())["client"]
            await one.send(json.dumps({"type": "select", "things": ["o7", "r12.5#2"]}))
            assert await next_selected(two) == {"type": "selected", "who": first, "things": ["o7", "r12.5#2"]}
            async with connect(address, proxy=None) as late:  # somebody who comes later sees it too
                assert (await next_selected(late))["things"] == ["o7", "r12.5#2"]
            await one.close()
            assert await next_selected(two) == {"type": "selected", "who": first, "things": []}

    asyncio.run(story())
