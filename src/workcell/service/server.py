"""The server: the page, the shapes and the wire of its cells, on this machine by default."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from workcell.service.agent_lines import AgentSpeech
from workcell.service.application import Application
from workcell.service.cell_thread import OpenSession
from workcell.service.command_lines import CommandSpeech
from workcell.service.gate import Gate
from workcell.service.guard import Guard, checked_token, is_loopback
from workcell.service.http_connection import connections_of
from workcell.service.line_doors import LineDoors
from workcell.service.listening import bound
from workcell.service.patience import PATIENCE
from workcell.service.samples import Samples
from workcell.service.static_page import PAGE
from workcell.service.strangers import Strangers
from workcell.service.switching import quick_switching
from workcell.service.unix_socket import UnixSocket
from workcell.service.uvicorn_server import Uvicorn
from workcell.service.wire import MAX_MESSAGE
from workcell.service.wire_connection import WireConnection


class Server:
    """Serves a session to any number of clients, and other cells that they open.

    ``with Server(open_session) as server: …`` runs it in its own thread; :meth:`run` runs it in the caller's thread
    until Ctrl-C.

    Args:
        open_session: opens the session, in the cell thread, while the server starts; a context manager, left
            at the end in the same thread.
        host: the address to bind.
        port: the port; 0 for a free one, which :attr:`url` states.
        token: the token that clients need; the server makes one by default.
        page: the folder of the built page.
        allow: folders whose files clients may use, in addition to the folder of the cell.
        socket: the path of a Unix socket to serve, too; programs that may open it need no token.
        lines: where programs send commands as lines: port numbers (0 for a free one) and paths of Unix sockets.
        agent: where programs send lines of the Agent language, likewise.
        samples: the sample cells that clients may open.
        recent: the file that remembers which cells were open; None for none.
        framed: whether notebooks of this machine may show the page in a frame.
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
        lines: Sequence[str] = (),
        agent: Sequence[str] = (),
        samples: Samples | None = None,
        recent: Path | None = None,
        framed: bool = False,
    ) -> None:
        self.token = checked_token(token)
        self._app = Application(
            open_session,
            page=page,
            allow=allow,
            samples=samples,
            recent=recent,
            framed=framed,
            lifespan=self._lifespan,
        )
        self.hub, self.cells = self._app.hub, self._app.cells
        self._socket = bound(host, port)
        self._unix = _beside(self._socket, socket)
        self.doors = LineDoors(self.hub, host, self.token)
        try:
            self.doors.add(CommandSpeech, lines)
            self.doors.add(AgentSpeech, agent)
        except BaseException:
            self._close_sockets()
            raise
        self.host, self.port = host, int(self._socket.getsockname()[1])
        self._uvicorn = Uvicorn(
            uvicorn.Config(
                Gate(self._app, Guard(is_loopback(host), self.token)),
                log_config=None,
                log_level="warning",
                access_log=False,
                lifespan="on",
                http=connections_of(Strangers()),
                ws=WireConnection,
                ws_per_message_deflate=False,
                ws_max_size=MAX_MESSAGE,
                ws_ping_timeout=PATIENCE,
                timeout_graceful_shutdown=2,
                server_header=False,
                proxy_headers=False,
            )
        )
        self._uvicorn.on_stopping = self.cells.begin_close
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None

    @property
    def url(self) -> str:
        """The address to open, with the token."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/?token={self.token}"

    # ---- life --------------------------------------------------------------------------------------------

    def run(self, ready: Callable[[str], None] | None = None) -> None:
        """Serve until Ctrl-C or :meth:`stop`; ``ready`` is called with the address once it can be opened.

        Raises what ``open_session`` raised, after cleaning up.
        """
        self._uvicorn.on_started = (lambda: ready(self.url)) if ready else None
        self.hub.open()
        self.hub.cell.opened.add_done_callback(self._opened)
        try:
            with quick_switching():
                self._uvicorn.run(sockets=[self._socket, *([self._unix.socket] if self._unix else [])])
        finally:
            self._close_sockets()
        if self._failure is not None:
            raise self._failure

    def _close_sockets(self) -> None:
        self._socket.close()
        self.doors.release()
        if self._unix is not None:
            self._unix.close()

    def _opened(self, _opened: object) -> None:
        self._failure = self.hub.cell.opened.exception()
        if self._failure is not None:
            self._uvicorn.should_exit = True

    def start(self) -> Server:
        """Serve in its own thread; return once the cell is open and clients can connect."""
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
        """Disconnect all clients and end every thread."""
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
        async with self._app.serving():
            await self.doors.open()
            try:
                yield
            finally:
                await self.doors.close()


def _worth_a_line(record: logging.LogRecord) -> bool:
    """Whether a log record is worth a line in the terminal: mistakes of clients are not, they get an answer.

    A frame that is not UTF-8 disconnects its client. Uvicorn decodes the frame itself, so the traceback of such an
    error ends where it is logged. A socket without the right token is refused before its handshake.
    """
    if record.funcName == "run_asgi" and not record.exc_info:
        return False
    error = record.exc_info[1] if record.exc_info else None
    own = error is not None and error.__traceback__ is not None and error.__traceback__.tb_next is not None
    return own or not isinstance(error, UnicodeDecodeError)


logging.getLogger("uvicorn.error").addFilter(_worth_a_line)


def _beside(tcp: socket.socket, path: Path | None) -> UnixSocket | None:
    """Return the Unix socket, if one is asked for; if it fails, the TCP socket is closed."""
    try:
        return None if path is None else UnixSocket(path)
    except BaseException:
        tcp.close()
        raise
