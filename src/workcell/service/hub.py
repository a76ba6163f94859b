"""The clients of a server, and what is done with their messages.

Everything here runs in the event loop unless it says otherwise, and the loop only hands work on: commands to
the cell thread, long reading commands and pictures to worker threads, poses to a thread of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.program_blocks import as_command, begins
from workcell.commands.program_store import opening_notes
from workcell.commands.results import Done
from workcell.errors import Cancelled, ServiceError, WorkcellError
from workcell.service import poses, protocol, scene, view
from workcell.service.cell_thread import CellThread, OpenSession
from workcell.service.client_files import ClientFiles
from workcell.service.jobs import Job, Jobs
from workcell.service.monitor import LoopMonitor
from workcell.service.outbox import Frame, Outbox
from workcell.service.shapes import Shapes

if TYPE_CHECKING:
    from workcell.commands.session import Change, Session
    from workcell.world.group import Group

log = logging.getLogger("workcell.service")

ANNOUNCE_AFTER = 0.3
"""How long a command may take before the client is told of it [s]."""
STATUS_EVERY = 2.0
"""How often clients hear how the server is [s]."""
QUIET = 0.1
"""The least time between two showings of a cell that changes [s]."""
REHEARSE_AFTER = 1.5
"""How long the first client is left to draw the cell before the engines are loaded [s]."""
PAUSE = "pause"
"""The command that does not wait for its turn: it lets the run that goes on stand."""
MAX_REQUESTS = 200
"""The most requests that one client may have under way."""
MAX_CLIENTS = 64
"""The most clients at a time."""


class Client:
    """One connection: an outbox, and the requests under way."""

    def __init__(self, name: str, loop: asyncio.AbstractEventLoop) -> None:
        self.name = name
        self.outbox = Outbox()
        self.tasks: set[asyncio.Task[None]] = set()
        self.jobs: set[Job] = set()
        self.closed = False
        self.group: Group | None = None
        """The group that its commands belong to; touched in the cell thread only."""
        self._loop = loop

    def send(self, message: protocol.ServerMessage) -> None:
        """Queue a message."""
        self.put(protocol.encode(message).decode())

    def put(self, frame: Frame) -> None:
        """Queue a frame; who leaves too much unread is let go."""
        if self.closed:
            return
        if frame is None or self.outbox.overfull:
            self.closed = True
            frame = None
        self.outbox.put_nowait(frame)

    def post(self, message: protocol.ServerMessage) -> None:
        """Queue a message from any thread."""
        try:
            self._loop.call_soon_threadsafe(self.send, message)
        except RuntimeError:  # the loop has ended: nobody is listening
            log.debug("message for %s after the end: %s", self.name, message)


class Hub:
    """One session and all who watch it."""

    def __init__(self, open_session: OpenSession, allow: Sequence[Path] = ()) -> None:
        self.cell = CellThread(open_session)
        self.left_files: Path | None = None
        """After the end: the private folder of a cell without a file, when clients wrote something there."""
        self._allow = tuple(allow)
        self._files: ClientFiles | None = None
        self.shapes = Shapes()
        self.jobs = Jobs()
        self.monitor = LoopMonitor()
        self.clients: set[Client] = set()
        self._pose_pool = ThreadPoolExecutor(1, "workcell-poses")
        self._shape_pool = ThreadPoolExecutor(2, "workcell-shapes")
        self._job_pool = ThreadPoolExecutor(4, "workcell-job")
        self._changes: list[Change] = []
        self._view: view.View | None = None
        self._session: Session | None = None
        self._hello = ""
        self._noted = False
        """Whether the greeting has notes; an edit may have settled them."""
        self._ready: Future[None] = Future()
        self._started_at = time.monotonic()
        self._closing = False
        self._rehearsed = False
        self._warm = False
        self._quiet_until = 0.0
        self._flush_due = False
        self._loop: asyncio.AbstractEventLoop | None = None

    # ---- life --------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Begin to open the session, in its thread; from any thread, once."""
        self.cell.start()
        self._chain(self.cell.submit(self._first_view), self._ready)

    @staticmethod
    def _chain(source: Future[None], target: Future[None]) -> None:
        def done(future: Future[None]) -> None:
            error = future.exception()
            if error is None:
                target.set_result(None)
            else:
                target.set_exception(error)

        source.add_done_callback(done)

    async def run(self) -> None:
        """Measure the loop and tell the clients, until cancelled."""
        self._loop = asyncio.get_running_loop()
        async with asyncio.TaskGroup() as group:
            group.create_task(self.monitor.run())
            group.create_task(self._tell_status())

    async def _tell_status(self) -> None:
        while True:
            await asyncio.sleep(STATUS_EVERY)
            self._broadcast(protocol.encode(self.status(0)).decode())

    def begin_close(self) -> None:
        """Cancel everything under way and send the clients away."""
        self._closing = True
        self.jobs.cancel_all()
        for client in list(self.clients):
            client.put(None)

    def close(self, timeout: float = 5.0) -> bool:
        """End every thread; blocks, so it is called outside the loop. Whether all ended in time [s]."""
        ended = self.cell.stop(timeout)
        if self._files is not None:
            self.left_files = self._files.close()
        stop_cad_worker()
        pools = (self._pose_pool, self._shape_pool, self._job_pool)
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        waiters = [threading.Thread(target=pool.shutdown, daemon=True) for pool in pools]
        for waiter in waiters:
            waiter.start()
        for waiter in waiters:
            waiter.join(timeout)
        return ended and not any(waiter.is_alive() for waiter in waiters)

    # ---- clients -----------------------------------------------------------------------------------------

    async def join(self, name: str) -> Client:
        """A new client, with the messages that show it the cell; waits until the cell is open."""
        if len(self.clients) >= MAX_CLIENTS:
            raise ServiceError(f"The server has {MAX_CLIENTS} clients already; end one of them.")
        await asyncio.shield(asyncio.wrap_future(self._ready))
        if self._changes:
            await asyncio.wrap_future(self.cell.submit(self._flush))
        assert self._view is not None
        client = Client(name, asyncio.get_running_loop())
        client.put(self._hello)
        client.put(self._view.scene)
        client.send(self._view.info)
        client.send(self.status(0))
        self.clients.add(client)
        if not self._rehearsed:
            self._rehearsed = True
            asyncio.get_running_loop().call_later(REHEARSE_AFTER, self.cell.submit, self._rehearse)
        return client

    def leave(self, client: Client) -> None:
        """Forget a client; what it was only reading is stopped, and a group that it left open ends."""
        self.clients.discard(client)
        client.closed = True
        for job in client.jobs:
            if job.background:
                job.cancel.set()
        for task in list(client.tasks):
            task.cancel()
        self.cell.submit(partial(self._end_group, client=client))

    def receive(self, client: Client, text: str) -> None:
        """Begin what a client's message asks for."""
        request = 0
        try:
            request = protocol.request_in(text)
            message = protocol.decode_client(text)
            if len(client.tasks) >= MAX_REQUESTS:
                raise ServiceError(f"This client has {MAX_REQUESTS} requests under way already; wait for some.")
            self._begin(client, message)
        except WorkcellError as error:
            client.send(failure(request, error))

    def _begin(self, client: Client, message: protocol.ClientMessage) -> None:
        match message:
            case protocol.Command(request=request, line=line) if line.strip() == PAUSE and self._pause_run():
                said = Done("the run will stand before its next step")
                client.send(protocol.Result(request, str(said), msgspec.Raw(protocol.encode(said)), ""))
            case protocol.Command(request=request, line=line):
                self._job(client, request, line, partial(self._do, line=line))
            case protocol.Play(request=request):
                self._job(client, request, "play", partial(self._play, request=request))
            case protocol.Complete(request=request, text=text):
                answer = self.cell.submit(partial(self._complete, request=request, text=text))
                self._spawn(client, self._answer(client, request, answer))
            case protocol.Poses(request=request):
                self._spawn(client, self._sample(client, request, partial(self._poses, message)))
            case protocol.Joints(request=request):
                self._spawn(client, self._sample(client, request, partial(self._joints, message)))
            case protocol.FetchRecording(request=request):
                self._spawn(client, self._recording(client, request))
            case protocol.FetchState(request=request):
                answer = self.cell.submit(lambda session: text_of(scene.state_message(request, session.state)))
                self._spawn(client, self._answer(client, request, answer))
            case protocol.FetchStatus(request=request, reset=reset):
                if reset:
                    self.monitor.reset()
                client.send(self.status(request))
            case protocol.Cancel(job=job):
                self.jobs.cancel(job)

    def _pause_run(self) -> bool:
        """Ask a run that goes on in the cell thread to stand; whether one goes on."""
        going = self._session.going if self._session is not None else None
        if going is None:
            return False
        going.set()
        return True

    def status(self, request: int) -> protocol.Status:
        """How the server is."""
        return protocol.Status(
            request=request,
            longest_pause=self.monitor.longest,
            recent_pause=self.monitor.recent,
            clients=len(self.clients),
            jobs=len(self.jobs),
            uptime=time.monotonic() - self._started_at,
            warm=self._warm,
        )

    def _start_counting(self) -> None:
        self.monitor.reset()
        self._warm = True

    def _spawn(self, client: Client, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        client.tasks.add(task)
        task.add_done_callback(client.tasks.discard)

    async def _answer(self, client: Client, request: int, answer: Future[Any]) -> None:
        """Send what a thread hands back, or the reason why not."""
        try:
            frame = await asyncio.wrap_future(answer)
            if isinstance(frame, Future):  # handed on to a job thread
                frame = await asyncio.wrap_future(frame)
            client.put(frame)
        except WorkcellError as error:
            client.send(failure(request, error))
        except Exception as error:
            log.exception("A request failed in a way that nobody foresaw.")
            client.send(failure(request, unforeseen(error)))

    async def _recording(self, client: Client, request: int) -> None:
        await client.outbox.has_room()
        answer = self.cell.submit(lambda session: protocol.recording_frame(request, session.recording.to_bytes()))
        await self._answer(client, request, answer)

    async def _sample(self, client: Client, request: int, work: Callable[[], bytes]) -> None:
        """Answer from the recording as it is after all that was asked before, when the client can take it."""
        await client.outbox.has_room()
        if self._changes:
            await asyncio.wrap_future(self.cell.submit(self._flush))
        await self._answer(client, request, self._pose_pool.submit(work))

    def _job(self, client: Client, request: int, title: str, work: Callable[[Session, Job], str | Future[str]]) -> None:
        """Do something in the cell thread that reports progress and can be cancelled."""
        job = self.jobs.start(request, title, client.post)
        client.jobs.add(job)

        def in_cell_thread(session: Session) -> str | Future[str]:
            if job.cancel.is_set():
                raise Cancelled(f"«{title}» was cancelled before it began.")
            session.group = client.group
            try:
                return work(session, job)
            finally:
                client.group, session.group = session.group, None

        async def follow() -> None:
            timer = asyncio.get_running_loop().call_later(ANNOUNCE_AFTER, job.announce)
            try:
                await self._answer(client, request, self.cell.submit(in_cell_thread))
            finally:
                timer.cancel()
                job.finish()
                self.jobs.end(job)
                client.jobs.discard(job)

        self._spawn(client, follow())

    def _broadcast(self, frame: str) -> None:
        for client in list(self.clients):
            client.put(frame)

    # ---- in other threads --------------------------------------------------------------------------------

    def _first_view(self, session: Session) -> None:
        """In the cell thread: what a client gets first."""
        self._session = session
        self._files = ClientFiles(session, self._allow)
        session.on_change(self._changes.append)
        self._view = view.take(session, self.shapes, 1)
        self._greet(session)

    def _greet(self, session: Session) -> None:
        """In the cell thread: what clients that come from now on learn about the cell."""
        greeting = hello(session)
        self._hello, self._noted = text_of(greeting), bool(greeting.notes)

    def _rehearse(self, session: Session) -> None:
        """In the cell thread, once a client can see the cell: load the engines, before somebody waits for them.

        Loading one keeps every thread from running for a moment, so the pauses of the loop count from here.
        """
        view.rehearse(session.snapshot())
        gc.collect()
        gc.freeze()  # what is there to stay is not looked through again and again: that would be a pause, too
        if self._loop is not None and not self._closing:  # after the loop has noted what it missed
            self._loop.call_soon_threadsafe(self._loop.call_later, 0.1, self._start_counting)

    def _end_group(self, session: Session, client: Client) -> None:
        """In the cell thread, after all that a client asked for."""
        if client.group is not None:
            group, client.group = client.group, None
            group.end()
            self._publish(session)

    def _do(self, session: Session, job: Job, line: str) -> str | Future[str]:
        """In the cell thread: do a command, or hand it on when it only reads and takes long."""
        command, _ = session.registry.tree.parse(as_command(line) if begins(line) else line, session)
        if command.background:
            job.background = True
            return self._job_pool.submit(self._do_here, session.beside(), job, line)
        try:
            return self._do_here(session, job, line)
        finally:
            self._publish(session)

    def _do_here(self, session: Session, job: Job, line: str) -> str:
        with self._under(session, job):
            result = session.do(line)
        value = msgspec.Raw(protocol.encode(result))
        return text_of(protocol.Result(job.request, str(result), value, str(session.revision)))

    @contextlib.contextmanager
    def _under(self, session: Session, job: Job) -> Iterator[None]:
        """What the session does inside is a client's: its job reports and stops it, and its files are confined."""
        assert self._files is not None
        with under(session, job), self._files.confining(session):
            yield

    def _play(self, session: Session, job: Job, request: int) -> str:
        """In the cell thread: make sure that there is something to play."""
        if session.recording.duration == 0.0:
            try:
                with self._under(session, job):
                    for program in session.database.entities("program")[:1]:
                        session.call("run", {"program": program.name})
            finally:
                self._publish(session, now=True)
        else:
            self._publish(session, now=True)
        assert self._view is not None
        return text_of(msgspec.structs.replace(self._view.info, request=request))

    def _publish(self, session: Session, *, now: bool = False) -> None:
        """In the cell thread: tell every client what changed.

        Showing a large cell takes longer than most commands, so a script's steps are shown together: what
        changed a moment after the last time waits, unless ``now`` is said.
        """
        if not self._changes:
            return
        if not now and time.monotonic() < self._quiet_until:
            self._flush_soon()
            return
        begun = time.monotonic()
        changes, self._changes[:] = list(self._changes), []
        frames = [
            text_of(protocol.Change(change.revision, change.effect, change.line, change.who))
            for change in changes
            if change.effect != "reads"
        ]
        if any(change.effect in ("edits", "simulates") for change in changes):
            assert self._view is not None
            self._view = view.take(session, self.shapes, self._view.epoch + 1)
            frames += [self._view.scene, text_of(self._view.info)]
            if self._noted:
                self._greet(session)
        if self._loop is not None and not self._closing:
            for frame in frames:
                self._loop.call_soon_threadsafe(self._broadcast, frame)
        ended = time.monotonic()
        self._quiet_until = ended + max(QUIET, 4.0 * (ended - begun))

    def _flush_soon(self) -> None:
        if self._flush_due or self._loop is None or self._closing:
            return
        self._flush_due = True
        wait = max(0.0, self._quiet_until - time.monotonic())
        self._loop.call_soon_threadsafe(self._loop.call_later, wait, self.cell.submit, self._flush)

    def _flush(self, session: Session) -> None:
        self._flush_due = False
        self._publish(session, now=True)

    def _complete(self, session: Session, request: int, text: str) -> str:
        assert self._files is not None
        with self._files.confining(session):
            found = session.complete(text)
        options = [protocol.Completion(str(option.text), str(option.help)) for option in found]
        return text_of(protocol.Completions(request, options))

    def _poses(self, asked: protocol.Poses) -> bytes:
        """In the pose thread: a chunk of the recording."""
        now = self._view
        assert now is not None
        chunk = poses.along(now.snapshot, now.recording, asked.start, asked.step, asked.count, bodies=asked.bodies)
        return protocol.poses_frame(asked.request, asked.start, asked.step, chunk)

    def _joints(self, asked: protocol.Joints) -> bytes:
        """In the pose thread: joint values along the recording."""
        now = self._view
        assert now is not None
        chunk = poses.joints_along(now.snapshot, now.recording, asked.start, asked.step, asked.count)
        return protocol.joints_frame(asked.request, asked.start, asked.step, chunk)

    async def glb(self, name: str) -> bytes:
        """The picture of a shape; waits while it is made."""
        return await asyncio.wrap_future(self._shape_pool.submit(self.shapes.glb, name))


@contextlib.contextmanager
def under(session: Session, job: Job) -> Iterator[None]:
    """What the session does inside is told and stopped by the job."""
    before = session.progress, session.cancel
    session.progress, session.cancel = job.report, job.cancel
    try:
        yield
    finally:
        session.progress, session.cancel = before


def hello(session: Session) -> protocol.Hello:
    """Who is there."""
    from workcell import __version__

    units = session.units
    names = protocol.UnitNames(units.length, units.angle, units.size("length", ""), units.size("angle", ""))
    notes = opening_notes(session.database)
    return protocol.Hello(
        protocol.VERSION, __version__, cell_name(session), session.revision, names, vocabulary(session), notes
    )


def cell_name(session: Session) -> str:
    """The file, else the scene that is shown."""
    path = session.database.store.path
    return path.name if path else session.snapshot().scene or "untitled cell"


def vocabulary(session: Session) -> list[protocol.CommandInfo]:
    """Every command, in short."""
    return [
        protocol.CommandInfo(command.name, command.syntax.shown(), command.help, command.effect)
        for command in session.registry.commands
    ]


def text_of(message: protocol.ServerMessage) -> str:
    """A message as the text of its frame."""
    return protocol.encode(message).decode()


def failure(request: int, error: WorkcellError) -> protocol.Failure:
    """An error as it crosses the wire: by class name, sentence and facts."""
    line, column = error.evidence.get("line"), error.evidence.get("column")
    return protocol.Failure(
        request=request,
        kind=public_kind(type(error)),
        message=error.message,
        evidence=dict(error.evidence),
        line=line if isinstance(line, str) else None,
        column=column if isinstance(column, int) else None,
    )


def public_kind(kind: type[WorkcellError]) -> str:
    """The name of the class, or of its nearest ancestor in ``errors``: the other end knows only those."""
    return next(base.__name__ for base in kind.__mro__ if base.__module__ == WorkcellError.__module__)


def unforeseen(error: Exception) -> ServiceError:
    """An error of ours, said so."""
    return ServiceError(
        f"The server failed on this request: {type(error).__name__}: {error}. The cell is as it was; "
        "this is a fault of Workcell worth reporting."
    )


def stop_cad_worker() -> None:
    """End the CAD process, when one was started."""
    import sys

    if "workcell.geometry.kernel.worker" in sys.modules:
        from workcell.geometry.kernel.worker import shutdown

        shutdown()
