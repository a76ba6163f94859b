"""The gate of the server, which every request of the page and of the wire passes."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from workcell.service.guard import Guard, Refusal

PRIVATE = ("/ws", "/glb/", "/files/", "/uploads/", "/cells/")
"""The paths that show a cell and need the token."""


class Gate:
    """Lets only allowed requests through."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer with the reason for the refusal."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send)
            return
        answer = PlainTextResponse(refusal.reason, status_code=refusal.status)
        if scope["type"] == "http":
            await answer(scope, receive, send)
        else:
            await WebSocket(scope, receive, send).send_denial_response(answer)

    def _refusal(self, scope: Scope) -> Refusal | None:
        path: str = scope["path"]
        if not path.isprintable():
            return Refusal(400, "The path of the request has characters that are not allowed in a path.")
        if _by_unix_socket(scope):
            return None  # only the user may open the file of the socket
        query = scope["query_string"].decode("latin-1")
        return self._guard.refusal(Headers(scope=scope).items(), query, public=not path.startswith(PRIVATE))


def _by_unix_socket(scope: Scope) -> bool:
    """Whether a request came through the Unix socket, which has a path and no port."""
    server = scope.get("server")
    return server is not None and server[1] is None
