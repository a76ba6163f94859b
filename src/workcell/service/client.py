"""The Python client: the same calls over the wire."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qs, quote, urlsplit

import msgspec
import numpy as np

from workcell import errors
from workcell.errors import InvalidValue, ServiceError, UnknownName, WorkcellError
from workcell.service import connections, frames, protocol
from workcell.service.guard import TOKEN_HEADER, TOKEN_VARIABLE
from workcell.service.last_reads import read_to_the_end
from workcell.service.mirror import Mirror
from workcell.service.patience import PATIENCE
from workcell.service.remote_cells import RemoteCells
from workcell.service.remote_robot import RemoteRobot
from workcell.service.unix_socket import refuse_impostor
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from websockets.sync.client import ClientConnection

    from workcell.robots.robot import Robot
    from workcell.simulation.recording import Recording
    from workcell.world.state import CellState

M = TypeVar("M")


def connect(url: str | None = None, token: str | None = None, timeout: float = 10.0) -> Client:
    """Connect to a running server; notes on its cell are issued as warnings (``client.hello.notes``).

    Args:
        url: as the server printed it: ``http://127.0.0.1:8765/``, with or without ``?token=…``, or ``unix:///path`` of
            its socket. Without one, the only server that this account runs on this machine. ``cell=ID`` after the
            question mark names one of its cells; otherwise it is the first one.
        token: the token of the server, if it is not in the address. Without one, that of the environment variable
        ``WORKCELL_TOKEN`` or of a server that this account runs at the address.
        timeout: how long to wait for the server to answer [s].
    """
    from websockets.exceptions import InvalidHandshake, InvalidStatus

    stack = contextlib.ExitStack()
    address, opened = _way(url, token, timeout)
    try:
        socket = stack.enter_context(opened())
    except InvalidStatus as error:
        reason = (error.response.body or b"").decode(errors="replace")
        raise ServiceError(f"The server at {address} refused: {reason or error}", url=address) from error
    except (OSError, TimeoutError, InvalidHandshake, ValueError) as error:
        raise ServiceError(
            f"No server answers at {address}: {error}. Start one with `workcell serve`.", url=address
        ) from error
    client = Client(socket, stack, timeout)
    for note in client.hello.notes:
        warnings.warn(note, stacklevel=2)
    return client


def _way(url: str | None, token: str | None, timeout: float) -> tuple[str, Callable[[], ClientConnection]]:
    """Return the address of a server without its token, and a function that opens a connection."""
    from websockets.sync.client import connect as open_socket
    from websockets.sync.client import unix_connect

    options: dict[str, Any] = {"open_timeout": timeout, "max_size": None, "compression": None, "ping_timeout": PATIENCE}
    if url is None:
        url = connections.only_one().url
    try:
        parts = urlsplit(url if "//" in url else f"http://{url}")
    except ValueError:
        parts = urlsplit("")
    if parts.scheme == "unix" and parts.path and not parts.netloc:
        refuse_impostor(parts.path)
        return f"unix://{parts.path}", lambda: unix_connect(parts.path, uri="ws://localhost/ws", **options)
    if parts.scheme not in ("http", "https", "ws", "wss") or not parts.netloc:
        raise ServiceError(
            "Expected the address of a server, such as http://127.0.0.1:8765/ or unix:///path/to/socket; found "
            f"{url!r}."
        )
    given = token or next(iter(parse_qs(parts.query).get("token", [])), None)
    shown = given or os.environ.get(TOKEN_VARIABLE) or connections.token_for(parts.geturl())
    cell = next(iter(parse_qs(parts.query).get("cell", [])), "")
    wire = f"cells/{quote(cell, safe='')}/ws" if cell else "ws"
    address = f"{'wss' if parts.scheme in ('https', 'wss') else 'ws'}://{parts.netloc}/{wire}"
    headers = {TOKEN_HEADER: shown} if shown else {}
    return address, lambda: open_socket(address, additional_headers=headers, proxy=None, **options)


class Reply(msgspec.Struct, frozen=True):
    """The answer to a command: ``value`` of the type ``kind``, and its text as ``str(reply)``."""

    value: Any
    text: str
    kind: str = ""

    def __str__(self) -> str:
        return self.text


class Client:
    """A connection to a server; one call at a time, from any thread.

    Use it as a context manager, or call :meth:`close`.
    """

    def __init__(self, socket: ClientConnection, stack: contextlib.ExitStack, timeout: float) -> None:
        self._socket = socket
        self._stack = stack  # closes the socket
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._progress: Callable[[float | None, str], None] | None = None
        self._job: str | None = None
        self._mirror = Mirror()
        self.hello = self._first(timeout)

    def _first(self, timeout: float) -> protocol.Hello:
        try:
            message = self._next(timeout)
        except ServiceError:
            self.close()
            raise
        if not isinstance(message, protocol.Hello):
            self.close()
            raise ServiceError(f"Expected a greeting from the server; found {type(message).__name__}.")
        if message.version != protocol.VERSION:
            self.close()
            raise ServiceError(
                f"The server uses protocol {message.version}, this client {protocol.VERSION}. Use the same version "
                "of Workcell on both ends.",
                server=message.version,
                client=protocol.VERSION,
            )
        return message

    # ---- calls -------------------------------------------------------------------------------------------

    def do(self, line: str, progress: Callable[[float | None, str], None] | None = None) -> Reply:
        """Carry out one command line, as ``cell.do`` does; it raises the same errors.

        Args:
            line: the command.
            progress: called with the fraction done (None if unknown) and a label, in this thread.
        """
        return self._carry_out(lambda number: protocol.Command(number, line), progress)

    def do_together(
        self,
        lines: Sequence[str],
        progress: Callable[[float | None, str], None] | None = None,
        each: bool = False,
    ) -> Reply:
        """Carry out several command lines as one step of the history; if one is refused, none takes effect.

        Args:
            lines: the commands.
            progress: as in :meth:`do`.
            each: leave refused lines out; the others take effect.
        """
        return self._carry_out(lambda number: protocol.Lines(number, list(lines), each), progress)

    def call(
        self, name: str, /, progress: Callable[[float | None, str], None] | None = None, **parameters: Any
    ) -> Reply:
        """Carry out a command by its words with parameters by name, as ``cell.call`` does; numbers are SI.

        Args:
            name: the words of the command, such as ``create block``.
            progress: as in :meth:`do`.
            parameters: the values, as JSON can hold them.
        """
        return self._carry_out(lambda number: protocol.Call(number, name, parameters), progress)

    def add_robot(
        self, model: str | Robot, name: str | None = None, at: Pose | None = None, joints: ArrayLike | None = None
    ) -> Reply:
        """Put a robot into the scene, as ``cell.add_robot`` does; a robot made in Python travels with all its shapes.

        Args:
            model: a name of the library, or a robot made in Python.
            name: its name in the cell; the name of the robot by default.
            at: where its base stands; the origin by default.
            joints: initial joint values [rad|m]; its home by default.
        """
        from workcell.commands.given_robots import robot_text
        from workcell.robots.robot import Robot

        if not isinstance(model, str | Robot):
            raise InvalidValue(
                f"Expected a robot: a name of the library, such as 'puma560', or a `wc.Robot`; found {model!r}."
            )
        given: dict[str, Any] = {"name": name if name is not None else model if isinstance(model, str) else model.name}
        given["model"] = model if isinstance(model, str) else {"file": robot_text(model)}
        if at is not None:
            given["pose"] = at.matrix.tolist()
        if joints is not None:
            given["joints"] = np.asarray(joints, dtype=float).tolist()
        return self.call("create robot", **given)

    def __getattr__(self, name: str) -> Any:
        # Only for missing attributes: mostly methods that a local cell has.
        raise AttributeError(
            f"A client has no `{name}`; use `client.do(LINE)` or `client.call(COMMAND, …)`, which carry out every "
            "command of the cell."
        )

    def _carry_out(
        self,
        message: Callable[[int], protocol.ClientMessage],
        progress: Callable[[float | None, str], None] | None,
    ) -> Reply:
        with self._lock:
            self._progress = progress
            try:
                result = self._ask(protocol.Result, message(next(self._numbers)))
            finally:
                self._progress, self._job = None, None
        return Reply(msgspec.json.decode(result.value), result.text, result.kind)

    def look(self) -> Mirror:
        """Return the cell as it is now: its picture, its recording, and the jobs in progress."""
        with self._lock:
            self._ask(protocol.State, protocol.FetchState(next(self._numbers)))  # after all earlier requests
            self._ask(protocol.Status, protocol.FetchStatus(next(self._numbers)))
            if self._mirror.missed:
                self._send(protocol.FetchScene())
                while self._mirror.missed:
                    self._take(self._next(None))
            return self._mirror

    def cancel(self) -> None:
        """Cancel the command that runs in another thread, once it has reported progress; it raises Cancelled."""
        if self._job is not None:
            self._send(protocol.Cancel(self._job))

    @property
    def cells(self) -> RemoteCells:
        """The cells of the server: list, open, save and close them."""
        return RemoteCells(self)

    def ask(self, kind: type[M], message: Callable[[int], protocol.ClientMessage]) -> M:
        """Send a message with a number of its own; return the answer, which must be of this kind."""
        with self._lock:
            return self._ask(kind, message(next(self._numbers)))

    def robot(self, name: str) -> RemoteRobot:
        """Return a robot of the cell, with the calls of ``Simulator.robot``."""
        known = self.state.joints
        if name not in known:
            raise UnknownName.among("robot", name, known)
        return RemoteRobot(self, name)

    @property
    def recording(self) -> Recording:
        """The recording of the server; its bytes are those of the recording there."""
        from workcell.simulation.recording import Recording

        with self._lock:
            frame = self._ask_frame(protocol.FetchRecording(next(self._numbers)))
        return Recording.from_bytes(frames.read_recording(frame))

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.state.shown_time

    @property
    def state(self) -> CellState:
        """Where everything is now."""
        with self._lock:
            return state_of(self._ask(protocol.State, protocol.FetchState(next(self._numbers))))

    def poses(self, start: float, step: float, count: int, bodies: Sequence[str] = ()) -> Any:
        """Return poses [count, bodies, 7] along the recording: x y z [m], then w x y z; of all bodies or some ids."""
        with self._lock:
            frame = self._ask_frame(protocol.Poses(next(self._numbers), start, step, count, list(bodies)))
        return frames.read_poses(frame)[2]

    def complete(self, text: str) -> list[protocol.Completion]:
        """Return the completions of a command line."""
        with self._lock:
            asked = protocol.Complete(next(self._numbers), text)
            return self._ask(protocol.Completions, asked).options

    def play(self) -> protocol.RecordingInfo:
        """Return the recording to play; if there is none, the server simulates first."""
        with self._lock:
            return self._ask(protocol.RecordingInfo, protocol.Play(next(self._numbers)))

    def status(self, reset: bool = False) -> protocol.Status:
        """Return the status of the server; ``reset`` resets its longest pause."""
        with self._lock:
            return self._ask(protocol.Status, protocol.FetchStatus(next(self._numbers), reset))

    def close(self) -> None:
        """End the connection."""
        with read_to_the_end(self._socket):
            self._stack.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # ---- frames ------------------------------------------------------------------------------------------

    def _ask(self, kind: type[M], message: protocol.ClientMessage) -> M:
        answer = self._exchange(message)
        if not isinstance(answer, kind):
            raise ServiceError(f"The server answered a request for {kind.__name__} with {type(answer).__name__}.")
        return answer

    def _ask_frame(self, message: protocol.ClientMessage) -> bytes:
        answer = self._exchange(message)
        if not isinstance(answer, bytes):
            raise ServiceError(f"The server answered a request for bytes with {type(answer).__name__}.")
        return answer

    def _exchange(self, message: protocol.ClientMessage) -> protocol.ServerMessage | bytes:
        """Send a request and wait for its answer; other messages of the server go to the mirror."""
        request = getattr(message, "request", 0)
        self._send(message)
        while True:
            answer = self._next(None)
            if isinstance(answer, bytes):
                if frames.frame_head(answer)[1] == request:
                    return answer
            elif isinstance(answer, protocol.Progress):
                self._take(answer)
                self._note(answer, request)
            elif getattr(answer, "request", 0) == request:
                if isinstance(answer, protocol.Failure):
                    raise rebuilt(answer)
                return answer
            else:
                self._take(answer)

    def _take(self, answer: protocol.ServerMessage | bytes) -> None:
        if not isinstance(answer, bytes):
            self._mirror.receive(answer)

    def _note(self, progress: protocol.Progress, request: int) -> None:
        if progress.request == request and not progress.done:
            self._job = progress.job
            if self._progress is not None:
                self._progress(progress.fraction, progress.label or progress.title)

    def _send(self, message: protocol.ClientMessage) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            self._socket.send(protocol.encode(message).decode())
        except ConnectionClosed as error:
            raise ServiceError(f"The server has closed the connection: {error}.") from error

    def _next(self, timeout: float | None) -> protocol.ServerMessage | bytes:
        from websockets.exceptions import ConnectionClosed

        try:
            frame = self._socket.recv(timeout)
        except ConnectionClosed as error:
            raise ServiceError(f"The server has closed the connection: {error}.") from error
        except TimeoutError as error:
            raise ServiceError(f"The server did not answer within {timeout} s.") from error
        if isinstance(frame, bytes):
            frame = frames.unpacked(frame)
        return frame if isinstance(frame, bytes) else protocol.decode_server(frame)


def state_of(message: protocol.State) -> CellState:
    """Return the state that a message describes."""
    from workcell.world.state import Attachment, CellState

    poses = {name: Pose.from_rows(rows) for name, rows in message.poses.items()}
    attached = {name: Attachment(held.frame, Pose.from_rows(held.pose)) for name, held in message.attached.items()}
    return CellState(message.time, message.joints, poses, attached, message.signals, message.clock)


def rebuilt(failure: protocol.Failure) -> WorkcellError:
    """Return the error of the server, as the class that it has there."""
    kind = getattr(errors, failure.kind, None)
    if not (isinstance(kind, type) and issubclass(kind, WorkcellError)):
        kind = ServiceError
    error = kind.__new__(kind)
    WorkcellError.__init__(error, failure.message, **failure.evidence)
    return error
