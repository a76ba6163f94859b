"""The server: the page, the shapes and the wire of one cell, on this machine by default."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import logging
import os
import signal
import socket
import sys
import threading
import time
import types
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from workcell.errors import ServiceError, UnknownName, WorkcellError
from workcell.service.audience import Client
from workcell.service.cell_thread import OpenSession
from workcell.service.client_files import checked_folders
from workcell.service.guard import Guard, Refusal, checked_token, is_loopback
from workcell.service.hub import Hub
from workcell.service.unix_socket import UnixSocket

PAGE = Path(__file__).resolve().parent.parent / "workbench" / "static"
"""Where the built page is."""
PRIVATE = ("/ws", "/glb/")
"""The paths that show the cell, and need the token."""
SWITCH_INTERVAL = 0.001
"""How long a working thread keeps the others from running when they want to [s]: the loop is to answer at once."""
MAX_MESSAGE = 4_000_000
"""The longest message a client may send [bytes]."""
MAX_RATE = 2000
"""How many messages of one client are taken a second."""
HEADERS = {
    "content-security-policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
UNBUILT = """<!doctype html><meta charset="utf-8"><title>Workcell</title>
<body style="font: 16px system-ui; margin: 4rem auto; max-width: 36rem">
<h1>The page is not built yet</h1><p>Run <code>make page</code> and reload.</p>"""


class Server:
    """Serves one session to any number of clients.

    ``with Server(open_session) as server: …`` runs it beside the caller's thread; :meth:`run` runs it in the
    caller's thread until Ctrl-C.

    Args:
        open_session: opens the session, in the cell thread, while the server starts; a context manager, left
            at the end in the same thread.
        host: the address to bind.
        port: 0 takes a free one; :attr:`url` has it.
        token: what clients must show; made when none is given.
        page: the folder of the built page.
        allow: folders whose files clients may use, beside that of the cell.
        socket: the path of a Unix socket that is served too; programs that may open it need no token.
    """

    def __init__(
        self,
        open_session: OpenSession,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str | None = None,
        page: Path = PAGE,
        allow: Sequence[Path] = (),
        socket: Path | None = None,
    ) -> None:
        self.token = checked_token(token)
        self.hub = Hub(open_session, checked_folders(allow))
        self._guard = Guard(is_loopback(host), self.token)
        self._page = page
        self._socket = bound(host, port)
        self._unix = _beside(self._socket, socket)
        self.host, self.port = host, int(self._socket.getsockname()[1])
        self._uvicorn = _Uvicorn(
            uvicorn.Config(
                self._app(),
                log_config=None,
                log_level="warning",
                access_log=False,
                lifespan="on",
                ws="websockets-sansio",
                ws_per_message_deflate=False,
                ws_max_size=MAX_MESSAGE,
                timeout_graceful_shutdown=2,
                server_header=False,
                proxy_headers=False,
            )
        )
        self._uvicorn.on_stopping = self.hub.begin_close
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None

    @property
    def url(self) -> str:
        """The address to open, with the token."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/?token={self.token}"

    # ---- life --------------------------------------------------------------------------------------------

    def run(self, ready: Callable[[str], None] | None = None) -> None:
        """Serve until Ctrl-C or :meth:`stop`; ``ready`` is called with the address when it can be opened.

        Raises what ``open_session`` raised, after cleaning up.
        """
        self._uvicorn.on_started = (lambda: ready(self.url)) if ready else None
        self.hub.open()
        self.hub.cell.opened.add_done_callback(self._opened)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL)
        try:
            self._uvicorn.run(sockets=[self._socket, *([self._unix.socket] if self._unix else [])])
        finally:
            sys.setswitchinterval(interval)
            self._close_sockets()
        if self._failure is not None:
            raise self._failure

    def _close_sockets(self) -> None:
        self._socket.close()
        if self._unix is not None:
            self._unix.close()

    def _opened(self, _opened: object) -> None:
        self._failure = self.hub.cell.opened.exception()
        if self._failure is not None:
            self._uvicorn.should_exit = True

    def start(self) -> Server:
        """Serve in a thread of its own; returns when the cell is open and clients can connect."""
        started = threading.Event()
        self._thread = threading.Thread(target=self._run_quietly, args=(started,), name="workcell-server", daemon=True)
        self._thread.start()
        started.wait()
        try:
            self.hub.cell.opened.result()
        except BaseException:
            self.stop()
            raise
        return self

    def _run_quietly(self, started: threading.Event) -> None:
        try:
            self.run(lambda _: started.set())
        except BaseException as error:
            self._failure = error
        finally:
            started.set()

    def stop(self) -> None:
        """Send everybody away and end every thread."""
        self._uvicorn.should_exit = True
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        else:
            self._close_sockets()

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.stop()

    @contextlib.asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        life = asyncio.create_task(self.hub.run())
        try:
            yield
        finally:
            life.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await life
            await asyncio.to_thread(self.hub.close)

    # ---- routes ------------------------------------------------------------------------------------------

    def _app(self) -> Starlette:
        routes: list[BaseRoute] = [
            WebSocketRoute("/ws", self._wire),
            Route("/glb/{name}", self._glb),
        ]
        if (self._page / "index.html").is_file():
            routes.append(Mount("/", _Page(directory=self._page, html=True)))
        else:
            routes.append(Route("/", lambda _request: HTMLResponse(UNBUILT, status_code=503)))
        return Starlette(routes=routes, lifespan=self._lifespan, middleware=[Middleware(_Gate, guard=self._guard)])

    async def _glb(self, request: Request) -> Response:
        gzipped = takes_gzip(request.headers)
        try:
            data = await self.hub.glb(request.path_params["name"], gzipped=gzipped)
        except UnknownName as error:
            return PlainTextResponse(str(error), status_code=404)
        except WorkcellError as error:
            return PlainTextResponse(str(error), status_code=500)
        headers = {"cache-control": "private, max-age=31536000, immutable", "vary": "accept-encoding"}
        if gzipped:
            headers["content-encoding"] = "gzip"
        return Response(data, media_type="model/gltf-binary", headers=headers)

    async def _wire(self, socket: WebSocket) -> None:
        await socket.accept()
        try:
            client = await self.hub.join("window" if "origin" in socket.headers else "program")
        except Exception as error:
            await socket.close(1011, reason=str(error)[:100])
            return
        writer = asyncio.create_task(_write(socket, client))
        pace = _Pace()
        try:
            while True:
                self.hub.receive(client, await socket.receive_text())
                await pace.keep()
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass  # gone, sent away, or it sent a binary frame, which no client does
        finally:
            self.hub.leave(client)
            writer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await writer


def _worth_a_line(record: logging.LogRecord) -> bool:
    """A frame that is no UTF-8 is the client's fault and ends its connection; the console need not hear of it.

    Uvicorn decodes the frame itself, so the error has no frames below the one that logs it.
    """
    error = record.exc_info[1] if record.exc_info else None
    own = error is not None and error.__traceback__ is not None and error.__traceback__.tb_next is not None
    return own or not isinstance(error, UnicodeDecodeError)


logging.getLogger("uvicorn.error").addFilter(_worth_a_line)


class _Pace:
    """Lets one client send so many messages a second; the rest waits in its own socket."""

    def __init__(self) -> None:
        self._begun, self._count = time.monotonic(), 0

    async def keep(self) -> None:
        self._count += 1
        now = time.monotonic()
        if now - self._begun >= 1.0:
            self._begun, self._count = now, 0
        elif self._count >= MAX_RATE:
            await asyncio.sleep(self._begun + 1.0 - now)


async def _write(socket: WebSocket, client: Client) -> None:
    """Send a client what is in its outbox, in order."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
        while (frame := await client.outbox.get()) is not None:
            if isinstance(frame, str):
                await socket.send_text(frame)
            else:
                await socket.send_bytes(frame)
        await socket.close(1012, reason="The server let this client go.")


def _beside(tcp: socket.socket, path: Path | None) -> UnixSocket | None:
    """The Unix socket, if one is asked for; without it the other is not left open."""
    try:
        return None if path is None else UnixSocket(path)
    except BaseException:
        tcp.close()
        raise


def bound(host: str, port: int) -> socket.socket:
    """A listening socket; ServiceError when the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(128)
    except (OSError, OverflowError) as error:
        made.close()
        raise ServiceError(
            f"Port {port} of {host} cannot be opened: {error}. Choose another port, or 0 for a free one.",
            host=host,
            port=port,
        ) from error
    made.setblocking(False)
    return made


def takes_gzip(headers: Headers) -> bool:
    """Whether a client can read what is compressed."""
    return "gzip" in headers.get("accept-encoding", "")


class _Page(StaticFiles):
    """The built page: names with a hash are kept for ever, the rest is asked for again; text is sent compressed."""

    _made: ClassVar[dict[tuple[str, int, int], bytes]] = {}

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if isinstance(response, FileResponse) and takes_gzip(Headers(scope=scope)):
            response = await self._compressed(response)
        kept = path.startswith("assets/")
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if kept else "no-cache"
        for name, value in HEADERS.items():
            response.headers[name] = value
        return response

    async def _compressed(self, response: FileResponse) -> Response:
        """The same file, compressed once; pictures and fonts are compressed as they are."""
        if not response.media_type or not response.media_type.startswith(("text/", "application/j", "image/svg")):
            return response
        found = await asyncio.to_thread(os.stat, response.path)
        key = str(response.path), found.st_mtime_ns, found.st_size
        if key not in self._made:
            self._made[key] = await asyncio.to_thread(_gzipped, Path(response.path))
        headers = {name: response.headers[name] for name in ("etag", "last-modified") if name in response.headers}
        headers |= {"content-encoding": "gzip", "vary": "accept-encoding"}
        return Response(self._made[key], response.status_code, headers, response.media_type)


def _gzipped(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)


class _Gate:
    """Lets only allowed requests through, of the page and of the wire alike."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
            return Refusal(400, "The path of the request has characters that no path has.")
        if _by_unix_socket(scope):
            return None  # whoever may open the socket's file is the user
        query = scope["query_string"].decode("latin-1")
        return self._guard.refusal(Headers(scope=scope).items(), query, public=not path.startswith(PRIVATE))


def _by_unix_socket(scope: Scope) -> bool:
    """Whether a request came in by the Unix socket: such a server has a path and no port."""
    server = scope.get("server")
    return server is not None and server[1] is None


class _Uvicorn(uvicorn.Server):
    """Uvicorn that tells when it has started, and ends quietly on Ctrl-C."""

    on_started: Callable[[], None] | None = None
    on_stopping: Callable[[], None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self.on_started is not None:
            self.on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self.on_stopping is not None:
            self.on_stopping()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        kinds = (signal.SIGINT, signal.SIGTERM)
        before = {kind: signal.signal(kind, self._leave) for kind in kinds}
        try:
            yield
        finally:
            for kind, handler in before.items():
                signal.signal(kind, handler)

    def _leave(self, _kind: int, _frame: types.FrameType | None) -> None:
        self.should_exit = True
