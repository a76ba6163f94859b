"""The cell of the Python interface: the database with its own session, and shortcuts."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workcell.commands.kept_recording import keep_recording, show_kept
from workcell.commands.replaying import replay
from workcell.commands.session import Session
from workcell.errors import InvalidValue, NotACell
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.world.database import Database
from workcell.world.entities import Entity
from workcell.world.entry import Entry
from workcell.world.journal import Journal
from workcell.world.setup import FIRST_SETTINGS
from workcell.world.store import Store

if TYPE_CHECKING:
    from workcell.geometry.solid import Solid
    from workcell.robots.robot import Robot
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState


WORLD = ".wld"
"""The ending of Ding's work cell files."""
ROBOSIM = ".robosim"
"""The ending of ROBOSIM source."""
_READ_BY = {WORLD: "import world", ROBOSIM: "import robosim"}
"""Files that are not cells but can be read into one, and the command that does."""


class Cell:
    """A robotic workcell: in memory, or a ``.cell`` file that every command saves.

    ``Cell()`` lives in memory, :meth:`create` makes a file, :meth:`open` opens one; use it in a ``with`` block.
    """

    def __init__(self, database: Database | None = None, who: str = "python") -> None:
        self.database = _in_memory() if database is None else _database(database)
        self.session = Session(self.database, who)
        self.before_close: list[Callable[[], object]] = []
        """Called when the cell is closed, before anything else: the end of what uses it."""
        if self.path is not None:
            show_kept(self.session)

    @classmethod
    def create(cls, path: str | os.PathLike[str], who: str = "python") -> Cell:
        """Make a new file."""
        return cls(Database.create(path, FIRST_SETTINGS), who)

    @classmethod
    def open(cls, path: str | os.PathLike[str], read_only: bool = False, who: str = "python") -> Cell:
        """Open an existing file; warns of programs that edit the cell, as older versions allowed."""
        ending = Path(path).suffix.lower()
        if ending in _READ_BY:
            what = "one of Ding's work cell files" if ending == WORLD else "ROBOSIM source"
            raise NotACell(
                f"{Path(path).name} is {what}; `Cell.copy_of({os.fspath(path)!r})` reads it "
                "into memory, and `workcell convert` makes a cell file from it."
            )
        cell = cls(Database.open(path, read_only), who)
        for note in cell.notes:
            warnings.warn(note, stacklevel=2)
        return cell

    @property
    def notes(self) -> list[str]:
        """Notes for the person who opens the file: on its drive and recording, and on programs of older versions."""
        from workcell.commands.program_store import opening_notes

        return opening_notes(self.database)

    @classmethod
    def copy_of(cls, path: str | os.PathLike[str], who: str = "python") -> Cell:
        """Return a copy of a file in memory; the file never changes.

        Work cell files (.wld) and ROBOSIM source (.robosim) can be read too.
        """
        from workcell.world.text_form import from_text, read_source

        reader = _READ_BY.get(Path(path).suffix.lower())
        if reader is not None:
            cell = cls(who=who)
            cell.session.call(reader, {"file": str(path)})
            return cell
        store = Store.memory()
        from_text(read_source(Path(path)).decode(), Database(store))
        return cls(Database(store), who)

    def __enter__(self) -> Cell:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, which keeps the recording; an open group ends, and a paused run is discarded."""
        while self.before_close:
            self.before_close.pop()()
        try:
            self.session.end_paused()
            self.session.leave_group()
            self.session.leave_robots()
            left_out = keep_recording(self.session)
            if left_out:
                warnings.warn(left_out, stacklevel=2)
        finally:
            self.database.close()

    # ---- the language -----------------------------------------------------------------------------------

    def do(self, line: str) -> Any:
        """Carry out one command line and return its result; a refused command raises a WorkcellError."""
        return self.session.do(line)

    def call(self, name: str, /, **arguments: Any) -> Any:
        """Carry out a command by its words, with parameters by name; numbers are SI."""
        return self.session.call(name, arguments)

    def undo(self) -> Entry | None:
        """Undo the last step and return it. While a run is paused, only end that run and return None."""
        entries, _ = self.session.undo()
        return entries[0] if entries else None

    def redo(self) -> Entry:
        """Redo the last undone step and return it."""
        self.session.outside_group("redo")
        return self.database.redo()

    @property
    def journal(self) -> Journal:
        """The history."""
        return self.database.history

    # ---- shortcuts --------------------------------------------------------------------------------------

    def add_robot(
        self, model: str | Robot, name: str | None = None, at: Pose | None = None, joints: Any = None
    ) -> Entity:
        """Put a robot into the scene; the cell keeps its whole description.

        Args:
            model: a name of the library, or a robot made in Python. If it has a tool, that becomes a tool of the cell
                on its flange; links without a shape are drawn from the dimensions of the arm.
            name: its name in the cell; the name of the robot by default.
            at: where its base stands; the origin by default.
            joints: initial joint values [rad|m]; its home by default.
        """
        from workcell.robots.robot import Robot

        if not isinstance(model, str | Robot):
            raise InvalidValue(
                f"Expected a robot: a name of the library, such as 'puma560', or a `wc.Robot`; found {model!r}."
            )
        name = name if name is not None else model if isinstance(model, str) else model.name
        arguments: dict[str, Any] = {"name": name, "model": model}
        if at is not None:
            arguments["pose"] = at
        if joints is not None:
            arguments["joints"] = joints
        self.session.call("create robot", arguments)
        return self.database.entity("robot", name)

    def add_solid(
        self,
        solid: Solid,
        name: str,
        at: Pose | None = None,
        movable: bool = False,
        colour: str = "",
        ghost: bool = False,
    ) -> Entity:
        """Put a solid into the scene as an object; a ghost is only to look at."""
        arguments: dict[str, Any] = {
            "name": name,
            "shape": solid,
            "pose": at or Pose.identity(),
            "movable": movable,
            "ghost": ghost,
        }
        if colour:
            arguments["colour"] = colour
        self.session.call("add solid", arguments)
        return self.database.entity("object", name)

    def place(self, name: str, at: Pose) -> None:
        """Move something in the scene."""
        self.session.call("place", {"thing": name, "pose": Transform.from_pose(at)})

    # ---- asking -----------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The cell flattened: immutable, for engines."""
        return self.session.snapshot()

    @property
    def state(self) -> CellState:
        """Where everything is."""
        return self.session.state

    @property
    def path(self) -> Path | None:
        """The file; None for a cell in memory."""
        return self.database.store.path

    def replayed(self) -> Cell:
        """Return a new cell in memory that repeats the journal of this one; it answers in the same units."""
        from workcell.spatial.units import SI

        other = Cell(_begun_with(self.database.first_rows()))
        for data in self.database.blobs():
            other.database.keep_blob(data)
        other.session = Session(other.database, self.session.who, SI)
        for entry in self.database.history.entries():
            if not entry.undone:
                replay(other.session, entry)
        other.session.display.choose(self.session.display.own)
        return other

    def __repr__(self) -> str:
        where = f"{self.path}" if self.path else "in memory"
        return f"<Cell {where}: {len(self.database.entities())} entities, {len(self.journal)} steps>"


def _database(found: object) -> Database:
    """Return the database; anything else is refused, with the call that opens a file."""
    if isinstance(found, Database):
        return found
    name = str(found) if isinstance(found, str | os.PathLike) else "line.cell"
    raise InvalidValue(
        f"`Cell()` makes a cell in memory and takes no file; found {found!r}. `Cell.open({name!r})` opens a file, "
        f"`Cell.create({name!r})` makes a new one."
    )


def _in_memory() -> Database:
    return _begun_with({"setting": FIRST_SETTINGS.items()})


def _begun_with(rows: Mapping[str, Iterable[tuple[object, ...]]]) -> Database:
    database = Database.memory()
    database.begin_with(rows)
    return Database(database.store)
