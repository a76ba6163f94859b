"""The work that clients request; it runs in the cell thread, or in the thread of a job."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec

from workcell.awaited import Answers, Awaited
from workcell.commands.program_completion import program_completions
from workcell.commands.script import carry_out_together
from workcell.cost import cancelled_by
from workcell.service import protocol
from workcell.service.answers import state_message, text_of
from workcell.service.audience import Client
from workcell.service.client_files import ClientFiles
from workcell.service.jobs import Job
from workcell.service.publishing import Publisher
from workcell.service.quick_reads import QuickReads

if TYPE_CHECKING:
    from workcell.commands.language.registry import Command
    from workcell.commands.prepared import Prepared
    from workcell.commands.session import Session


STATE = "fetch-state"
"""The request for the state, among the lines that are quick."""
REFUSED = "Refused"
"""The kind of an answer in another language that has errors."""


MOST_ANSWERS = 100
"""How often an edit is carried out again; then the cell thread waits for the CAD process."""


class Later(NamedTuple):
    """Work that another thread has prepared, and that the cell thread does next."""

    work: Callable[[Session, Job], Any]


def after(job: Job, work: Callable[[Session, Job], Any]) -> Future[Later]:
    """Return the future of work that begins when another job has ended."""
    future: Future[Later] = Future()
    job.ended.add_done_callback(lambda _: future.set_result(Later(work)))
    return future


Answer: TypeAlias = "str | Future[str] | Future[Later]"
"""The answer to a request; or the future of it, or of the work that gives it, in another thread."""


class CellWork:
    """Carries out commands of clients, and publishes the changes.

    Args:
        allow: folders whose files clients may use, in addition to the folder of the cell.
        publisher: publishes the changes.
        beside: where relative paths of a cell without a file begin, if not in a private folder.
    """

    def __init__(self, allow: Sequence[Path], publisher: Publisher, beside: Path | None = None) -> None:
        self._allow = tuple(allow)
        self._beside = beside
        self._publisher = publisher
        self.files: ClientFiles | None = None
        """The files that clients may use; None before the cell is open."""
        self._quick = QuickReads()
        self.pool = ThreadPoolExecutor(4, "workcell-job")
        """The threads for long reading commands."""

    def begin(self, session: Session) -> None:
        """Confine the files of clients, and prepare the first messages for a client."""
        self.files = ClientFiles(session, self._allow, self._beside)
        self._publisher.begin(session)

    def close(self) -> Path | None:
        """End; return the private folder of a cell without a file, if clients wrote something there."""
        return None if self.files is None else self.files.close()

    def line(self, session: Session, job: Job, line: str) -> Answer:
        """Carry out a command line, which is read once."""
        return self._unless_awaited(session, job, lambda own, its: self._line(own, its, line))

    def _line(self, session: Session, job: Job, line: str) -> Answer:
        if line.endswith("?"):
            return self._carried_out(session, job, lambda own: own.do(line))
        begun = time.thread_time()
        with self._under(session, job):
            read = session.parsed(line)
        if read[0].prepares is not None:
            return self._prepare(session, job, read, lambda own: own.parsed(line))
        answer = self._do(session, job, *read)
        if read[0].effect == "reads" and not job.background:
            self._quick.note(line, session.database.history.written, time.thread_time() - begun)
        return answer

    def lines(self, session: Session, job: Job, lines: Sequence[str], each: bool) -> str:
        """Carry out lines as one step of the history; a refused one is left out if ``each``, else none takes effect."""
        with self._under(session, job):
            try:
                done = carry_out_together(session, lines, each)
            finally:
                self._quick.forget()
                self._publisher.publish(session)
        value = msgspec.Raw(protocol.encode(done))
        return text_of(protocol.Result(job.request, "Lines", str(done), value, str(session.revision)))

    def is_quick(self, session: Session, line: str) -> bool:
        """Whether a line takes only a moment; call it from any thread."""
        return self._quick.has(line, session.database.history.written)

    def call(self, session: Session, job: Job, command: str, given: dict[str, Any]) -> Answer:
        """Carry out a command by its words, with parameters by name."""
        return self._unless_awaited(session, job, lambda own, its: self._call(own, its, command, given))

    def _call(self, session: Session, job: Job, command: str, given: dict[str, Any]) -> Answer:
        with self._under(session, job):
            read = session.called(command, given)
        if read[0].prepares is not None:
            return self._prepare(session, job, read, lambda own: own.called(command, given))
        return self._do(session, job, *read)

    def spoken(self, session: Session, job: Job, speak: Callable[[Session], tuple[str, str]]) -> tuple[str, str]:
        """Carry out a line of another language; return the message with its output, and its errors."""
        try:
            with self._under(session, job):
                out, refused = speak(session)
        finally:
            self._publisher.publish(session)
        value = msgspec.Raw(protocol.encode(out))
        kind = REFUSED if refused else "Spoken"
        return text_of(protocol.Result(job.request, kind, out, value, str(session.revision))), refused

    def _do(
        self, session: Session, job: Job, command: Command, values: dict[str, Any], typed: str = ""
    ) -> str | Future[str]:
        """Carry out a command; a long reading command is handed to another thread."""
        if command.background:
            job.background = True
            beside = session.beside()
            return self.pool.submit(self._carried_out, beside, job, lambda own: own.carry_out(command, values, typed))
        before = session.database.history.revision
        try:
            return self._carried_out(session, job, lambda own: own.carry_out(command, values, typed))
        finally:
            if command.name in ("undo", "redo"):
                self._publisher.note_step(session, before, command.name == "undo")
            if command.effect == "simulates":  # whoever runs something plays it as soon as it has the answer
                self._quick.forget()
                self._publisher.publish(session)

    def _unless_awaited(
        self, session: Session, job: Job, work: Callable[[Session, Job], Answer], answers: Answers | None = None
    ) -> Answer:
        """Do work in the cell thread. If an edit needs the CAD process, another thread asks it, and all is done again.

        Args:
            session: the session of the cell.
            job: the job of the request.
            work: what is done.
            answers: what the CAD process answered so far.
        """
        known: Answers = {} if answers is None else answers
        session.answers = known if len(known) < MOST_ANSWERS else None
        try:
            return work(session, job)
        except Awaited as missing:
            question = missing
        finally:
            session.answers = None
        job.awaits = True

        def ask() -> Later:
            with cancelled_by(job.cancel):
                question.answer(known)
            return Later(lambda own, its: self._unless_awaited(own, its, work, known))

        return self.pool.submit(ask)

    def _prepare(
        self, session: Session, job: Job, read: tuple[Any, ...], again: Callable[[Session], tuple[Any, ...]]
    ) -> Future[Later]:
        """Do the long work of an editing command in another thread; the cell thread then keeps what came of it.

        Args:
            session: the session of the cell.
            job: the job of the request.
            read: the command and its values.
            again: reads them again, because names may have changed meanwhile.
        """
        job.background = True
        job.awaits = session.group is not None  # a group has an order
        beside, (command, values) = session.beside(), read[:2]

        def work() -> Later:
            with self._under(beside, job):
                found = command.prepares(beside, **values)
            keep = partial(self._keep, again=again, found=found)
            return Later(lambda own, its: self._unless_awaited(own, its, keep))

        return self.pool.submit(work)

    def _keep(
        self, session: Session, job: Job, again: Callable[[Session], tuple[Any, ...]], found: Prepared | None
    ) -> str | Future[str]:
        """Carry out an editing command whose long work is done; runs in the cell thread."""
        job.background = False  # from here on it is as any edit: it is carried out even if the client leaves
        session.prepared = found
        try:
            return self._do(session, job, *again(session))
        finally:
            session.prepared = None

    def _carried_out(self, session: Session, job: Job, work: Callable[[Session], Any]) -> str:
        with self._under(session, job):
            result = work(session)
        value = msgspec.Raw(protocol.encode(result))
        kind = type(result).__name__
        return text_of(protocol.Result(job.request, kind, str(result), value, str(session.revision)))

    @contextlib.contextmanager
    def _under(self, session: Session, job: Job) -> Iterator[None]:
        """Inside, the session works for a client: its job reports and cancels the work, and its files are confined."""
        assert self.files is not None
        with under(session, job), self.files.confining(session):
            yield

    def play(self, session: Session, job: Job, request: int) -> str:
        """Return the recording to play; if there is none, run the first program."""
        if session.recording.duration == 0.0:
            try:
                with self._under(session, job):
                    for program in session.database.entities("program")[:1]:
                        session.call("run", {"program": program.name})
            finally:
                self._publisher.publish(session, now=True)
        else:
            self._publisher.publish(session, now=True)
        return text_of(self._publisher.shown.track.info(request))

    def state(self, session: Session, request: int) -> str:
        """Return the state, after all earlier changes were published."""
        begun = time.thread_time()
        self._publisher.publish(session, now=True)
        answer = text_of(state_message(request, session.state))
        self._quick.note(STATE, session.database.history.written, time.thread_time() - begun)
        return answer

    def complete(self, session: Session, request: int, text: str, program: bool = False) -> str:
        """Return the completions of a line, or of a program up to a place."""
        assert self.files is not None
        with self.files.confining(session):
            found = program_completions(session, text) if program else session.complete(text)
        options = [protocol.Completion(str(option.text), str(option.help)) for option in found]
        return text_of(protocol.Completions(request, options))

    def end_group(self, session: Session, client: Client, submit: Callable[..., object]) -> None:
        """End the group that a client left open, after all its requests, and publish its last changes."""
        if (last := client.waits) is not None:
            later = partial(self.end_group, client=client, submit=submit)
            last.ended.add_done_callback(lambda _: submit(later, client))
            return
        if client.group is not None:
            group, client.group = client.group, None
            group.end()
        self._publisher.publish(session)


@contextlib.contextmanager
def under(session: Session, job: Job) -> Iterator[None]:
    """Inside, the job reports the progress of the session and can cancel its work."""
    before = session.progress, session.cancel
    session.progress, session.cancel = job.report, job.cancel
    try:
        yield
    finally:
        session.progress, session.cancel = before


def receive_no_more(session: Session) -> None:
    """Stop waiting for a program to interpret."""
    session.receiving = False


def stop_cad_worker() -> None:
    """End the CAD process, if one was started."""
    if "workcell.geometry.kernel.worker" in sys.modules:
        from workcell.geometry.kernel.worker import shutdown

        shutdown()
