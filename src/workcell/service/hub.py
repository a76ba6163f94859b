"""The clients of a server, and how their messages are handled.

Everything here runs in the event loop, unless stated otherwise. The loop only hands work on: commands to the cell
thread, long reading commands and pictures to worker threads, poses to their own thread.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workcell.errors import Cancelled, ServiceError, WorkcellError
from workcell.service import protocol
from workcell.service.answers import called_text, failure, paused, result_of, text_of, title_of
from workcell.service.audience import Audience, Client
from workcell.service.cell_address import CellAddress
from workcell.service.cell_thread import CellThread, OpenSession, Settled, chain, settled
from workcell.service.cell_work import REFUSED, STATE, Answer, CellWork, Later, after, receive_no_more
from workcell.service.jobs import Job, Jobs
from workcell.service.loop_door import LoopDoor
from workcell.service.monitor import LoopMonitor
from workcell.service.publishing import Publisher, log_error
from workcell.service.recorded_answers import RecordedAnswers
from workcell.service.shapes import Shapes
from workcell.service.shown import Shown, rehearse
from workcell.service.whole import Whole

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.service.client_files import ClientFiles
    from workcell.service.desk import Desk

STATUS_EVERY = 2.0
"""How often clients get the status of the server, if it changed [s]."""
LONG_PAUSE = 0.05
"""Clients are told of a pause of the loop that is longer by so much than those before [s]."""
LOOKS = 20
"""How often the hub looks for jobs that take a while, in this time."""
REHEARSE_AFTER = 1.5
"""How long the first client may draw the cell before the engines are loaded [s]."""
PAUSE = "pause"
"""The command that does not wait for its turn: it pauses the run in progress."""
MAX_REQUESTS = 200
"""The most requests that one client may have in progress."""


class Hub:
    """One session and all its clients."""

    def __init__(self, open_session: OpenSession, allow: Sequence[Path] = (), at: CellAddress = CellAddress()) -> None:
        self.at = at
        self.desk: Desk | None = None
        """Answers requests about the cells of the server."""
        self.cell = CellThread(open_session)
        self.left_files: Path | None = None
        """After the end: the private folder of a cell without a file, if clients wrote something there."""
        self.shapes = Shapes()
        self.jobs = Jobs()
        self.monitor = LoopMonitor()
        self.audience = Audience()
        self._shape_pool = ThreadPoolExecutor(2, "workcell-shapes")
        self._whole = Whole()
        self._door = LoopDoor()
        self._publisher = Publisher(self.shapes, self._door, self._show, self.changed)
        self._work = CellWork(allow, self._publisher, at.beside)
        self._recorded = RecordedAnswers(self.cell, self._publisher, self._shown_now)
        self._shown: Shown | None = None
        """What clients that are not behind have once they have read everything; used by the loop."""
        self._session: Session | None = None
        self.ready: Future[None] = Future()
        """Done once the cell is open."""
        self._started_at = time.monotonic()
        self._rehearsed = self._warm = False

    # ---- life --------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Begin to open the session in its thread; call it once, from any thread."""
        self.cell.start()
        chain(self.cell.submit(self._first_view), self.ready)

    async def run(self) -> None:
        """Measure the pauses of the loop and send the status to clients, until cancelled."""
        self._door.loop = asyncio.get_running_loop()
        async with asyncio.TaskGroup() as group:
            group.create_task(self.monitor.run())
            group.create_task(self._send_status())

    async def _send_status(self) -> None:
        told: object = None
        while True:
            for _ in range(LOOKS):
                await asyncio.sleep(STATUS_EVERY / LOOKS)
                self.jobs.announce_late()
            self.audience.names.keep(self.path)  # the cell may have got a file
            now = self.status(0)
            news = now.clients, now.jobs, now.warm, int(now.longest_pause / LONG_PAUSE)
            if news != told:  # while nothing happens, nothing is sent
                told = news
                self.audience.broadcast(text_of(now))

    def begin_close(self) -> None:
        """Cancel everything in progress and disconnect the clients."""
        self._door.closed = True
        self.jobs.cancel_all()
        self.audience.close()

    def close(self, timeout: float = 5.0) -> bool:
        """End every thread; return whether all ended in time [s]. It blocks, so call it outside the loop."""
        ended = self.cell.stop(timeout)
        self.left_files = self._work.close()
        pools = (self._recorded.pool, self._shape_pool, self._work.pool, self._whole.pool)
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        waiters = [threading.Thread(target=pool.shutdown, daemon=True) for pool in pools]
        for waiter in waiters:
            waiter.start()
        for waiter in waiters:
            waiter.join(timeout)
        return ended and not any(waiter.is_alive() for waiter in waiters)

    @property
    def name(self) -> str:
        """The name of the cell: its title, its file or its scene."""
        hello = self._publisher.hello
        return self.at.title or ("" if hello is None else hello.cell)

    @property
    def path(self) -> Path | None:
        """The file of the cell, without links."""
        return None if self.files is None else self.files.cell

    @property
    def paused(self) -> bool:
        """Whether a run is paused in the cell."""
        session = self._session
        return session is not None and session.paused is not None and session.going is None

    @property
    def files(self) -> ClientFiles | None:
        """The files that clients may use; None before the cell is open."""
        return self._work.files

    # ---- clients -----------------------------------------------------------------------------------------

    async def join(self, kind: str, identity: str = "") -> Client:
        """Return a new client and send it the cell; waits until the cell is open.

        Args:
            kind: ``window`` for a page, ``program`` for anything else; clients are numbered by kind.
            identity: what the client kept of its last greeting; '' for a new one.
        """
        self.audience.require_room()
        await settled(self.ready)
        if self._publisher.changes:
            await asyncio.wrap_future(self.cell.submit(self._publisher.flush))
        client = self.audience.new(kind, identity, self.path)
        client.send(self._publisher.greeting(client.name, client.identity, self.name, self.at.id))
        self.audience.admit(client)
        await self._whole.show(client, self._shown_now)
        for job in self.jobs:
            if job.announced:
                client.send(job.for_others())
        client.send(self.status(0))
        if not self._rehearsed:
            self._rehearsed = True
            asyncio.get_running_loop().call_later(REHEARSE_AFTER, self.cell.submit, self._rehearse)
        return client

    async def visit(self) -> Client:
        """Return a new client that is not shown the cell: a program that sends lines; waits until the cell is open."""
        await settled(self.ready)
        self.audience.require_room()
        assert self._session is not None
        return self.audience.visited_by_a_program(self._session.receiving)

    def _shown_now(self) -> Shown:
        assert self._shown is not None
        return self._shown

    def leave(self, client: Client) -> None:
        """Remove a client; its reading commands are cancelled, and a group that it left open ends."""
        self.audience.remove(client)
        for job in client.jobs:
            if job.background:
                job.cancel.set()
        for task in list(client.tasks):
            task.cancel()
        self.cell.submit(partial(self._work.end_group, client=client, submit=self.cell.submit), client)

    def receive(self, client: Client, text: str) -> None:
        """Begin the work that a message of a client asks for."""
        try:
            message = protocol.decode_client(text)
            if client.busy >= MAX_REQUESTS:
                raise ServiceError(
                    f"This client already has {MAX_REQUESTS} requests in progress; wait for some of them."
                )
            self.begin(client, message)
        except WorkcellError as error:
            client.send(failure(protocol.request_in(text), error))

    def begin(self, client: Client, message: protocol.ClientMessage) -> None:
        """Begin the work of a message; its answer goes to the outbox of the client."""
        match message:
            case protocol.Command(request=request, line=line) if line.strip() == PAUSE and self._pause_run():
                client.send(paused(request))
            case protocol.Command(request=request, line=line):
                self._job(client, request, line, partial(self._work.line, line=line), self._is_quick(client, line))
            case protocol.Lines(request=request, lines=lines, each=each):
                self._job(client, request, title_of(lines), partial(self._work.lines, lines=lines, each=each))
            case protocol.Call(request=request, command="pause") if self._pause_run():
                client.send(paused(request))
            case protocol.Call(request=request, command=command, parameters=given):
                title = called_text(command, given)
                self._job(client, request, title, partial(self._work.call, command=command, given=given))
            case protocol.Play(request=request):
                self._job(client, request, "play", partial(self._work.play, request=request))
            case protocol.Complete(request=request, text=text, program=program):
                self._ask(client, request, partial(self._work.complete, request=request, text=text, program=program))
            case protocol.Poses(request=request):
                client.spawn(self._recorded.take(client, request, lambda shown: shown.poses(message)))
            case protocol.Motion(request=request):
                client.spawn(self._recorded.take(client, request, lambda shown: shown.motion(message)))
            case protocol.FetchScene():
                client.spawn(self._whole.show(client, self._shown_now))
            case protocol.FetchRecording(request=request):
                client.spawn(self._recorded.whole(client, request))
            case protocol.FetchState(request=request):
                quick = not self._publisher.changes and self._is_quick(client, STATE)
                self._ask(client, request, partial(self._work.state, request=request), quick)
            case protocol.FetchStatus(request=request, reset=reset):
                if reset:
                    self.monitor.reset()
                client.send(self.status(request))
            case protocol.Cancel(job=job):
                self.jobs.cancel(job)
            case protocol.Select(things=things):
                self.audience.select(client, things)
            case _ if self.desk is not None:
                client.spawn(self.desk.answer(self, client, message))

    def speak(self, client: Client, request: int, line: str, speak: Callable[[Session], tuple[str, str]]) -> None:
        """Begin the work of a line of another language; ``speak`` returns its output and its errors."""

        def work(session: Session, job: Job) -> str:
            answer, refused = self._work.spoken(session, job, speak)
            if refused:
                failed = protocol.Failure(request, REFUSED, refused, {})
                self._door.do(lambda: self.audience.notify(client, line, failed))
            return answer

        self._job(client, request, line, work)

    def _is_quick(self, client: Client, line: str) -> bool:
        """Whether a line may be carried out at once, without the cell thread; a client's answers keep their order."""
        return not client.busy and self._session is not None and self._work.is_quick(self._session, line)

    def _pause_run(self) -> bool:
        """Ask the run in the cell thread to pause; return whether there is one."""
        going = self._session.going if self._session is not None else None
        if going is None:
            return False
        going.set()
        return True

    def status(self, request: int) -> protocol.Status:
        """Return the status of the server."""
        return protocol.Status(
            request=request,
            longest_pause=self.monitor.longest,
            recent_pause=self.monitor.recent,
            clients=len(self.audience),
            jobs=len(self.jobs),
            uptime=time.monotonic() - self._started_at,
            warm=self._warm,
        )

    def _start_counting(self) -> None:
        self.monitor.reset()
        self._warm = True

    def _ask(self, client: Client, request: int, work: Callable[[Session], str], quick: bool = False) -> None:
        """Ask the cell thread for something short, and send it."""
        client.asked += 1
        if quick and (settled := self.cell.at_once(work)) is not None:
            self._asked(client, request, settled)
        else:
            self.cell.hand(work, partial(self._door.do, self._asked, client, request), client)

    def _asked(self, client: Client, request: int, settled: Settled) -> None:
        client.asked -= 1
        client.answer(result_of(request, settled))

    def _job(
        self,
        client: Client,
        request: int,
        title: str,
        work: Callable[[Session, Job], Answer],
        quick: bool = False,
    ) -> None:
        """Do work in the cell thread that reports progress and can be cancelled; quick work may be done at once."""
        job = self.jobs.start(request, title, client.name, client.post, partial(self._send_to_others, client))
        client.jobs.add(job)
        self._hand(client, job, work, quick)

    def _hand(
        self, client: Client, job: Job, work: Callable[[Session, Job], Answer], quick: bool = False, again: bool = False
    ) -> None:
        """Hand the work of a job to the cell thread; ``again`` if it was there before."""

        def in_cell_thread(session: Session) -> Answer:
            if job.cancel.is_set():
                raise Cancelled(f"«{job.title}» was cancelled before it began.")
            if not again and (before := client.waits) is not None:
                client.last = job
                return after(before, work)
            who, session.who, session.group = session.who, client.name, client.group
            session.company = self.audience.others(client)
            begun = time.thread_time()
            try:
                return work(session, job)
            finally:
                client.group, session.group, session.who, session.company = session.group, None, who, frozenset()
                client.spent += time.thread_time() - begun
                if job.awaits and client.waits is None:
                    client.last = job

        if quick and (settled := self.cell.at_once(in_cell_thread)) is not None:
            self._carried_out(client, job, settled)
            return
        # Callbacks in place of a task: an answer leaves as soon as the loop hears of it.
        self.cell.hand(in_cell_thread, partial(self._door.do, self._carried_out, client, job), client)

    def _carried_out(self, client: Client, job: Job, answer: Settled | Future[Any]) -> None:
        """Send the answer of a job, or hear of it again when another thread has it."""
        found = result_of(job.request, answer)
        if isinstance(found, Future):  # handed on to a job thread
            found.add_done_callback(partial(self._door.do, self._carried_out, client, job))
            return
        if isinstance(found, Later):
            self._hand(client, job, found.work, again=True)
            return
        client.answer(found)
        if isinstance(found, protocol.Failure) and client.kind == "program":
            self.audience.notify(client, job.title, found)
        self._publisher.answered()
        job.finish()
        self.jobs.end(job)
        client.jobs.discard(job)

    def program_ended(self, program: Client) -> bool:
        """Stop waiting for a program if this one was interpreted; return whether it was."""
        if program.interpreted:
            program.interpreted = False
            self.cell.submit(receive_no_more)
            return True
        return False

    def _send_to_others(self, asker: Client, progress: protocol.Progress) -> None:
        """Send the progress of a job to all clients but one; call it from any thread."""
        self._door.do(lambda: self.audience.broadcast(text_of(progress), leaving_out=asker))

    def changed(self) -> None:
        """Have the cell thread show what changed; nobody waits for it, so an error is logged here."""
        self.cell.submit(self._publisher.flush).add_done_callback(log_error)

    def _show(self, shown: Shown, messages: list[str]) -> None:
        self._shown = shown
        for client in list(self.audience.shown):
            client.show(messages, shown.picture.number)

    # ---- in other threads --------------------------------------------------------------------------------

    def _first_view(self, session: Session) -> None:
        """Prepare the first messages for a client; runs in the cell thread."""
        self._session = session
        self._work.begin(session)
        self.audience.names.begin(self.path, session.database.history.authors())
        self._shown = self._publisher.shown

    def _rehearse(self, session: Session) -> None:
        """Load the engines in the cell thread, once a client can see the cell and before anybody waits for them.

        Loading stops every thread for a moment, so the pauses of the loop count from here.
        """
        rehearse(session.snapshot())
        self._door.later(0.1, self._start_counting)  # after the loop has noted its last pause

    async def glb(self, names: str, *, gzipped: bool = False) -> bytes:
        """Return the GLBs of shapes (hashes, separated by commas), compressed or not; waits while they are made."""
        make = self.shapes.gzipped if gzipped else self.shapes.glb
        return await asyncio.wrap_future(self._shape_pool.submit(make, names))
