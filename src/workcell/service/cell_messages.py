"""Messages about the cells of a server: which are open, and opening, saving and closing them."""

from __future__ import annotations

from workcell.service.message import Message, MessageValue, Number
from workcell.service.samples import SampleInfo

# ---- requests --------------------------------------------------------------------------------------------


class ListCells(Message, frozen=True, tag="list-cells"):
    """Ask which cells are open and which files were open before; answered by ``cells``."""

    request: Number


class ListSamples(Message, frozen=True, tag="list-samples"):
    """Ask for the sample cells; answered by ``samples``."""

    request: Number


class ListFolder(Message, frozen=True, tag="list-folder"):
    """Ask what can be opened in a folder, by its path; "" is the one where names begin. Answered by ``folder``."""

    request: Number
    folder: str = ""


class NewCell(Message, frozen=True, tag="new-cell"):
    """Make a cell, in memory or as a new file; answered by ``opened``."""

    request: Number
    file: str = ""


class OpenCell(Message, frozen=True, tag="open-cell"):
    """Open a file; answered by ``opened``.

    A cell (.cell) is edited in place; if it is open already, that one is the answer. Anything else that is a whole cell
    (.celltext, .wld, .robosim) is read into a cell in memory. Paths begin in the folder of the cell of this
    connection.
    """

    request: Number
    file: str


class OpenSample(Message, frozen=True, tag="open-sample"):
    """Open a sample as a new cell in memory, ready to play; answered by ``opened``."""

    request: Number
    name: str


class SaveCell(Message, frozen=True, tag="save-cell"):
    """Save the cell of this connection as a file and go on with that; answered by ``opened``.

    All clients of the cell get ``moved``; then it is closed, unless it is the first one of the server.
    """

    request: Number
    file: str
    replace: bool = False


class CloseCell(Message, frozen=True, tag="close-cell"):
    """Close a cell; its clients are disconnected. Answered by ``cells``; the first cell cannot be closed."""

    request: Number
    cell: str


CellRequest = ListCells | ListSamples | ListFolder | NewCell | OpenCell | OpenSample | SaveCell | CloseCell

# ---- answers ---------------------------------------------------------------------------------------------


class CellInfo(MessageValue, frozen=True):
    """An open cell. Its wire is at ``address`` followed by ``ws``, its page at ``/?cell=`` followed by its id.

    ``file`` is the path of its file, empty for a cell in memory; ``sample`` is the name of the sample that it was made
    from; ``first`` is true for the cell of the address ``/``; relative names of files begin in ``folder``; ``paused``
    is true while a run is paused in it, which closing would discard.
    """

    id: str
    name: str
    address: str
    file: str
    sample: str
    clients: int
    first: bool
    folder: str
    paused: bool


class CellList(Message, frozen=True, tag="cells"):
    """The open cells; also sent to everybody, with request 0, when this list changes.

    ``recent`` are cell files that were open before, the last one first, if clients may open them.
    """

    request: int
    cells: list[CellInfo]
    recent: list[str]


class SampleList(Message, frozen=True, tag="samples"):
    """The sample cells, in the order of the gallery."""

    request: int
    samples: list[SampleInfo]


class FolderList(Message, frozen=True, tag="folder"):
    """The folders in a folder, and the files that can be opened as cells, by name.

    ``above`` is the path of the folder above, "" if clients may not use that; ``roots`` are all folders that they may
    use, with everything below.
    """

    request: int
    folder: str
    above: str
    roots: list[str]
    folders: list[str]
    files: list[str]


class CellOpened(Message, frozen=True, tag="opened"):
    """A cell that was opened; connect to its address to see it."""

    request: int
    cell: CellInfo


class CellMoved(Message, frozen=True, tag="moved"):
    """The cell of this connection was saved under another name and goes on there."""

    cell: CellInfo


CellAnswer = CellList | SampleList | FolderList | CellOpened | CellMoved


class Uploaded(MessageValue, frozen=True):
    """The JSON answer to an upload: the path of the file for commands, and its size [bytes]."""

    file: str
    size: int
