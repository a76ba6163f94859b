"""The cells of a server: each has its own hub and cell thread. Only the event loop uses them, unless stated otherwise.

The first cell is there as long as the server; line ports belong to it.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from workcell.errors import CellLocked, NotACell, Refused, ServiceError, UnknownName
from workcell.service.cell_address import FIRST, CellAddress
from workcell.service.cell_messages import CellInfo, CellList, CellMoved, FolderList
from workcell.service.cell_thread import OpenSession, settled
from workcell.service.cell_work import stop_cad_worker
from workcell.service.client_files import ClientFiles
from workcell.service.hub import Hub
from workcell.service.recent_files import RecentFiles
from workcell.service.samples import Samples
from workcell.service.uploads import DROPPED

if TYPE_CHECKING:
    from workcell.commands.cell import Cell
    from workcell.commands.session import Session

MOST = 16
"""The most cells at a time."""
CELL = ".cell"
_COPIED = (".celltext", ".wld", ".robosim")
"""Files that are read into a cell in memory."""


@dataclass
class Hosted:
    """A cell of the server."""

    hub: Hub
    sample: str = ""
    life: asyncio.Task[None] | None = None
    ending: asyncio.Task[None] | None = None
    """Ends the cell; None while it is open."""


class Cells:
    """Opens and closes cells, and lists them.

    Args:
        first: the hub of the first cell.
        allow: folders whose files clients may use.
        samples: the sample cells.
        recent: the files that were open lately.
    """

    def __init__(self, first: Hub, allow: Sequence[Path], samples: Samples, recent: RecentFiles) -> None:
        self.samples = samples
        self.left_files: list[Path] = []
        """After the end: the private folders of cells without a file, if clients wrote something there."""
        self._allow = tuple(allow)
        self._recent = recent
        self._hosted = {FIRST: Hosted(first)}
        self._numbers = itertools.count(2)
        self._opening = 0
        self._ending: set[asyncio.Task[None]] = set()
        self._turns: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()
        """Held while a file is opened as a cell."""

    # ---- life --------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to serve the first cell."""
        first = self._hosted[FIRST]
        first.life = asyncio.create_task(first.hub.run())
        self._task(self._remember_first(first.hub))

    async def _remember_first(self, hub: Hub) -> None:
        with contextlib.suppress(Exception):  # the server reports why the first cell cannot be opened
            await asyncio.wrap_future(hub.ready)
            self._remember(hub)

    def begin_close(self) -> None:
        """Cancel everything in progress and disconnect the clients."""
        for hosted in self._hosted.values():
            hosted.hub.begin_close()

    async def close(self) -> None:
        """End all cells."""
        await asyncio.gather(*self._ending, return_exceptions=True)
        for hosted in list(self._hosted.values()):
            await self._end(hosted)
        stop_cad_worker()

    async def _end(self, hosted: Hosted) -> None:
        hosted.hub.begin_close()
        if hosted.life is not None:
            hosted.life.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await hosted.life
        await asyncio.to_thread(hosted.hub.close)
        if hosted.hub.left_files is not None:
            self.left_files.append(hosted.hub.left_files)

    # ---- which there are ---------------------------------------------------------------------------------

    def hub(self, cell: str) -> Hub:
        """Return the hub of a cell by its id."""
        return self._open_one(cell).hub

    def _open_one(self, cell: str) -> Hosted:
        found = self._hosted.get(cell)
        if found is None or found.ending:
            raise UnknownName.among(
                "open cell", cell, [one for one, hosted in self._hosted.items() if not hosted.ending]
            )
        return found

    def info(self, cell: str) -> CellInfo:
        """Return a cell as a message value."""
        hosted = self._hosted[cell]
        hub, path = hosted.hub, hosted.hub.path
        return CellInfo(
            cell,
            hub.name,
            f"/cells/{cell}/",
            "" if path is None else str(path),
            hosted.sample,
            len(hub.audience),
            cell == FIRST,
            str(_files(hub).home),
            hub.paused,
        )

    def listed(self, request: int, asked_by: Hub) -> CellList:
        """Return the open cells, and the files that clients of a hub may open again."""
        cells = [self.info(cell) for cell, hosted in self._hosted.items() if not hosted.ending]
        files = asked_by.files
        recent = [] if files is None else [str(path) for path in self._recent.paths() if files.may_use(path)]
        return CellList(request, cells, recent)

    def folder(self, request: int, asked_by: Hub, name: str) -> FolderList:
        """Return what can be opened in a folder that clients of a hub may use; any thread may ask."""
        return _files(asked_by).listed(request, name, (CELL, *_COPIED))

    def _announce(self) -> None:
        """Send everybody the list, which has changed."""
        for hosted in self._hosted.values():
            if hosted.hub.ready.done():
                message = self.listed(0, hosted.hub)
                for client in hosted.hub.audience.shown:
                    client.send(message)

    # ---- opening -----------------------------------------------------------------------------------------

    async def new(self, asked_by: Hub, file: str = "") -> CellInfo:
        """Make a cell in memory or, if a file is named, as a new file."""
        from workcell.commands.cell import Cell

        if not file:
            return await self._open(Cell, asked_by)
        if Path(file).suffix != CELL:
            raise NotACell(f"A new cell is a file that ends in {CELL}; found {Path(file).name!r}.")
        path = await asyncio.to_thread(_files(asked_by).new_path, file)
        async with self._turn(path):
            return await self._open(partial(Cell.create, path), asked_by)

    async def open_file(self, asked_by: Hub, file: str) -> CellInfo:
        """Open a file; a cell that is open already is not opened again."""
        from workcell.commands.cell import Cell

        files, ending = _files(asked_by), Path(file).suffix.lower()
        path = await asyncio.to_thread(files.path, file)
        dropped = file.startswith(DROPPED)  # it is kept until the server ends, so it cannot be edited in place
        if ending == CELL and not dropped:
            async with self._turn(path):
                for cell, hosted in self._hosted.items():
                    if hosted.hub.path == path:
                        return self.info(cell)
                return await self._open(partial(Cell.open, path), asked_by)
        if ending in (_COPIED if not dropped else (CELL, *_COPIED)):
            return await self._open(partial(_copy, files, file), asked_by, title=path.name)
        raise NotACell(f"{path.name} is not a cell ({CELL}, {', '.join(_COPIED)}); import it into an open cell.")

    async def open_sample(self, asked_by: Hub, name: str) -> CellInfo:
        """Open a sample as a new cell in memory."""
        found = next((one for one in self.samples.infos() if one.name == name), None)
        if found is None:
            raise UnknownName.among("sample cell", name, [one.name for one in self.samples.infos()])
        return await self._open(partial(self.samples.open, name), asked_by, title=found.title, sample=name)

    async def save(self, asked_by: Hub, file: str, replace: bool = False) -> CellInfo:
        """Save a cell as a file and go on with that one, with the same recording."""
        if Path(file).suffix != CELL:
            raise NotACell(f"A cell is saved as a file that ends in {CELL}; found {Path(file).name!r}.")
        self._require_room()
        files = _files(asked_by)
        self._require_closed(await asyncio.to_thread(files.access.located, file))

        def saved(session: Session) -> Callable[[Session], None]:
            if session.paused is not None:
                raise Refused(
                    f"The cell cannot continue as another file while {session.paused.called} is paused; resume the run "
                    "to its end or stop it first."
                )
            with files.confining(session):
                session.call("save", {"file": file, "replace": replace})
            return _carrying(session)

        carry = await asyncio.wrap_future(asked_by.cell.submit(saved))
        path = await asyncio.to_thread(files.path, file)
        async with self._turn(path):
            made = await self._open(partial(_going_on, path, carry), asked_by)
        self.hub(made.id).audience.names.adopt(asked_by.audience.names)
        for client in asked_by.audience.shown:
            client.send(CellMoved(made))
        if asked_by.at.id != FIRST:
            asyncio.get_running_loop().call_later(1.0, self._close_soon, asked_by.at.id)
        return made

    async def _open(self, make: Callable[[], Cell], asked_by: Hub, title: str = "", sample: str = "") -> CellInfo:
        self._require_room()
        cell = str(next(self._numbers))
        files = _files(asked_by)
        title = self._free_title(title)
        at = CellAddress(cell, title, files.shared[0] if files.shared else None)
        hub = Hub(_session_of(make), [*self._allow, *files.shared], at)
        hub.desk = asked_by.desk
        self._opening += 1
        try:
            hub.open()
            life = asyncio.create_task(hub.run())
            try:
                for opened in (hub.cell.opened, hub.ready):
                    await settled(opened)
            except BaseException:
                await self._end(Hosted(hub, life=life))
                raise
        finally:
            self._opening -= 1
        self._hosted[cell] = Hosted(hub, sample, life)
        self._remember(hub)
        self._announce()
        return self.info(cell)

    @asynccontextmanager
    async def _turn(self, path: Path) -> AsyncIterator[None]:
        """Inside, nobody else opens a file, and no cell that is being closed still has it."""
        turn = self._turns.setdefault(path, asyncio.Lock())
        async with turn:
            leaving = [one.ending for one in self._hosted.values() if one.ending and one.hub.path == path]
            if leaving:
                await asyncio.wait(leaving)
            yield

    def _require_closed(self, path: Path) -> None:
        """Refuse to replace the file of an open cell."""
        for cell, hosted in self._hosted.items():
            if hosted.hub.path == path and not hosted.ending:
                close = "" if cell == FIRST else ", or close that tab first"  # the first one stays open
                raise CellLocked(
                    f"{path.name} is open in the tab {hosted.hub.name!r} of this workbench; choose another name{close}."
                )

    def _free_title(self, wanted: str) -> str:
        """Return a title that no open cell has: the second one of a sample gets a number."""
        taken = {hosted.hub.at.title for hosted in self._hosted.values() if not hosted.ending}
        title, count = wanted, 1
        while title and title in taken:
            count += 1
            title = f"{wanted} {count}"
        return title

    def _require_room(self) -> None:
        if len(self._hosted) + self._opening >= MOST:
            raise ServiceError(f"The server already has {MOST} cells open; close one of them.")

    def _remember(self, hub: Hub) -> None:
        if hub.path is not None:
            self._recent.add(hub.path)

    # ---- closing -----------------------------------------------------------------------------------------

    async def close_one(self, cell: str) -> None:
        """Close a cell; its clients are disconnected, and what they began is cancelled."""
        if cell == FIRST and cell in self._hosted:
            raise Refused(
                "The first cell of the server stays open as long as the server runs; stop the server to close it."
            )
        hosted = self._open_one(cell)
        hosted.ending = self._task(self._finish(cell, hosted))
        self._announce()
        await asyncio.shield(hosted.ending)  # the one who asked may be disconnected by it

    async def _finish(self, cell: str, hosted: Hosted) -> None:
        try:
            await self._end(hosted)
        finally:
            del self._hosted[cell]
            gc.unfreeze()  # what the closed cell had frozen can be collected again

    def _close_soon(self, cell: str) -> None:
        async def close() -> None:
            with contextlib.suppress(UnknownName):
                await self.close_one(cell)

        self._task(close())

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin something that nobody needs to wait for; the end of the server does."""
        task = asyncio.get_running_loop().create_task(work)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        return task


def _files(hub: Hub) -> ClientFiles:
    """Return the files that clients of an open cell may use."""
    assert hub.files is not None
    return hub.files


def _session_of(make: Callable[[], Cell]) -> OpenSession:
    """Return how the session of a cell is opened and closed, in its thread."""

    @contextmanager
    def session() -> Iterator[Session]:
        with make() as cell:
            yield cell.session

    return session


def _copy(files: ClientFiles, file: str) -> Cell:
    from workcell.commands.cell import Cell

    with files.reading.readable(file) as path:
        return Cell.copy_of(path)


def _carrying(session: Session) -> Callable[[Session], None]:
    """Return what shows a session of the saved file what this one shows and the file does not hold.

    That is a loaded recording, and one that is too large for the file; a note states the latter.
    """
    from workcell.commands.kept_recording import to_keep
    from workcell.simulation.ongoing import Ongoing

    _, left_out = to_keep(session)
    large = session.ongoing.simulator.recording.copy() if left_out else None
    loaded = session.ongoing.shown

    def carry(other: Session) -> None:
        if left_out:
            other.ongoing = Ongoing(other.present, large)
            other.database.store.note = left_out
        other.ongoing.show(loaded)

    return carry


def _going_on(path: Path, carry: Callable[[Session], None]) -> Cell:
    """Open a cell that was saved, with what it showed before."""
    from workcell.commands.cell import Cell

    cell = Cell.open(path)
    carry(cell.session)
    return cell
