"""The world database: entities and explicit, named relations, changed only in journalled transactions."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

import msgspec

from workcell.errors import FileProblem, Refused
from workcell.geometry.kernel.cache import MeshCache, default_cache
from workcell.world.edits import Edit, Pending, Preview, Step
from workcell.world.entry import Entry
from workcell.world.group import Group
from workcell.world.ids import Ids
from workcell.world.journal import FLOOR, Journal
from workcell.world.modelling import Modelling
from workcell.world.own_steps import own_last
from workcell.world.row_change import RowChange, row_before
from workcell.world.store import Store
from workcell.world.transaction import Transaction

if TYPE_CHECKING:
    from workcell.world.flatten import Flattener

MOST_STATES = 32 * 1024 * 1024
"""The number of bytes of states of runs and moves that the history keeps for undo."""
KEPT = 20
"""The number of last steps that can be undone, however large their states are."""


class Compacted(msgspec.Struct, frozen=True):
    """What `compact` removed from a cell.

    Attributes:
        steps: the number of steps that lost their states.
        states: the size of these states [bytes].
        undone: the number of undone steps that can no longer be redone.
        files: the number of stored files that nothing referred to.
        before: the size of the database before [bytes].
        after: the size after [bytes].
        undoable: the number of steps that can still be undone.
    """

    steps: int
    states: int
    undone: int
    files: int
    before: int
    after: int
    undoable: int


class Database(Modelling):
    """A cell's database, in memory or in a file.

    Reading is free; changes go through :meth:`edit`, with one transaction and one journal entry per command.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.history = Journal(store.connection)
        self._groups: WeakSet[Group] = WeakSet()
        (top,) = self._execute(
            "SELECT max(coalesce((SELECT max(id) FROM entity), 0), coalesce((SELECT max(id) FROM relation), 0))"
        ).fetchone()
        self.ids = Ids(after=max([top, *self.history.undone_ids()]))
        self.meshes: MeshCache = default_cache().beside(_meshes_of(store.path))
        """The meshes of its solids: beside the file, or in the user's cache for a cell in memory."""
        self.flattener: Flattener | None = None
        """The maker of its snapshots, after the first request."""
        self._pending = Pending()

    @classmethod
    def memory(cls) -> Database:
        """A database that lives in memory."""
        return cls(Store.memory())

    @classmethod
    def create(cls, path: str | os.PathLike[str], settings: Mapping[str, str] | None = None) -> Database:
        """Create a file with the settings that the cell begins with; they are not a step of its history."""
        return cls(Store.create(Path(path), settings))

    @classmethod
    def open(cls, path: str | os.PathLike[str], read_only: bool = False) -> Database:
        """Open an existing file; a file that is not a cell is refused."""
        from workcell.world import contents  # late, because a new cell does not need it

        store = Store.open(Path(path), read_only)
        try:
            database = cls(store)
            if not store.sound:
                contents.refuse_damaged(store)
                store.sound = True
            return database
        except BaseException:
            store.close()
            raise

    def as_of(self, step: int) -> Database:
        """A copy in memory of the cell after a step of its history."""
        store = Store.memory()
        self.store.connection.backup(store.connection)
        other = Database(store)
        while other.history.revision > step:
            other.history.undo()
        return other

    def close(self) -> None:
        """Close the file; an unfinished step is rolled back."""
        self.cancel_step()
        self.store.close()

    @property
    def revision(self) -> tuple[int, int]:
        """Changes with every step of the history; equal revisions mean equal rows."""
        return self.history.revision, self._pending.dirty

    @property
    def world_revision(self) -> tuple[int, int]:
        """Changes with what exists, not with the state; equal ones mean an equal snapshot."""
        return self.history.world_revision, self._pending.world_dirty

    @property
    def unsettled(self) -> list[RowChange]:
        """The changes that are visible now and may still be rolled back: those of a step, a command or a preview."""
        return self._pending.changes

    @property
    def writing(self) -> bool:
        """Whether an unfinished command or preview has changed anything."""
        return self._pending.writing

    def first_rows(self) -> dict[str, list[tuple[object, ...]]]:
        """The rows with which the cell began, before the first step of its history.

        A new cell begins with its settings, one from a text form with everything in the text.
        """
        return self.rows_after(0)

    def rows_after(self, step: int) -> dict[str, list[tuple[object, ...]]]:
        """The rows of the cell after a step; without a state if that is no longer known."""
        rows = {table: {row[0]: row for row in found} for table, found in self.rows().items()}
        steps = [entry.changes for entry in self.history.entries() if entry.seq > step and not entry.undone]
        for change in reversed([*chain(*steps), *self.unsettled]):
            key = (change[2] or change[3] or (None,))[0]
            row = row_before(change, rows[change[0]].pop(key, None))
            if row is not None:
                rows[change[0]][key] = row
        rows["setting"].pop(FLOOR, None)  # how far this history can be undone does not apply to another
        if self.setting(FLOOR).isdecimal() and int(self.setting(FLOOR)) > step:
            rows["state"].clear()  # the states of steps up to there no longer exist
        return {table: list(known.values()) for table, known in rows.items()}

    def first_settings(self) -> dict[str, str]:
        """The settings with which the cell began."""
        return {str(name): str(value) for name, value in self.first_rows()["setting"]}

    # ---- changing -------------------------------------------------------------------------------------

    def begin_with(self, rows: Mapping[str, Iterable[tuple[object, ...]]]) -> None:
        """Give a new cell its first rows; they are not a step of its history."""
        assert not self.history.revision, "a cell that has a history is changed by commands"
        with Transaction(self.store.connection):
            for table, found in rows.items():
                for row in found:
                    self._execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)

    def edit(
        self, command: Callable[[], str], who: str, when: float | None = None, typed: str = "", always: bool = False
    ) -> Edit:
        """A transaction: ``with database.edit(lambda: line, who) as rows``; the line is requested at its end.

        It becomes a step of the history if it changes something, or if ``always``.
        """
        self.require_writable()
        return Edit(self, self.history, self._pending, command, who, when, typed, always)

    def preview(self) -> Preview:
        """Changes that are visible inside the ``with`` block and rolled back after it."""
        return Preview(self, self._pending)

    def undo(self, count: int = 1) -> list[Entry]:
        """Undo the last steps, up to a count, and return them. A count of 0 only checks whether that is possible.

        Raises:
            Refused: one of them belongs to an open group; nothing is undone then.
        """
        self.require_no_step("undo")
        steps = self.history.next_undo(count)
        self._refuse_grouped(steps)
        return [self.history.undo() for _ in range(max(min(count, 1), len(steps)))]

    def undo_own(self, company: Collection[str]) -> Entry:
        """Undo the last step that nobody of the company made, and return it; see :mod:`workcell.world.own_steps`.

        Raises:
            Refused: there is none, a later step depends on it, or it belongs to an open group.
        """
        self.require_no_step("undo")
        entry, later = own_last(self.history, company)
        self._refuse_grouped([entry])
        if later:
            self._renumber_groups(self.history.put_last(entry.seq))
        return self.history.undo()

    def _renumber_groups(self, renumbered: Mapping[int, int]) -> None:
        """Let open groups follow entries that got new numbers."""
        for group in self._groups:
            group.renumber(renumbered)

    def _refuse_grouped(self, steps: list[Entry]) -> None:
        """Refuse to undo steps of an open group."""
        for step in steps:
            for group in self._groups:
                if group.holds(step.seq):
                    raise Refused(
                        f"`{step.label}` cannot be undone: it belongs to an open group of {group.who}. "
                        "When that group has ended, `undo` takes all of it back.",
                        step=step.seq, who=group.who,
                    )  # fmt: skip

    def redo(self) -> Entry:
        """Redo the last undone step and return it."""
        self.require_no_step("redo")
        return self.history.redo()

    def bound_states(self) -> int:
        """Keep no more states of runs and moves than :data:`MOST_STATES`; return how many steps lost theirs."""
        if self.history.states_grown < MOST_STATES // 4 or self._pending.step is not None or self.store.read_only:
            return 0
        return self.history.forget_states(self._before_groups(self.history.states_below(MOST_STATES // 2, KEPT)))[0]

    def compact(self, keep: int = KEPT) -> Compacted:
        """Remove what the cell does not need: old states, undone steps, files that nothing refers to, free pages.

        Args:
            keep: the number of last steps that can still be undone.
        """
        self.require_no_step("compact the cell")
        self.require_writable()
        pages = "PRAGMA page_count", "PRAGMA page_size"
        count, size = (int(self._execute(one).fetchone()[0]) for one in pages)
        undone, files = self.history.forget_undone()
        steps, gone = self.history.forget_states(self._before_groups(self.history.states_below(-1, keep)))
        self._execute("VACUUM")
        after = int(self._execute(pages[0]).fetchone()[0])
        return Compacted(steps, gone, undone, files, count * size, after * size, len(self.history.next_undo(keep + 1)))

    def _before_groups(self, step: int) -> int:
        """A step, or the one before the first of an open group, which may still be cancelled."""
        return min([step, *(group.first - 1 for group in self._groups if group.first is not None)])

    def begin_group(self, who: str) -> Group:
        """Begin a group for one session: its commands are stored one by one and become one step when it ends."""
        self.require_no_step("begin a group")
        self.require_writable()
        group = Group(self.history, who)
        self._groups.add(group)
        return group

    def cancel_group(self, group: Group) -> str:
        """Undo and forget the commands of a group; return what happened.

        Raises:
            Refused: a command of somebody else may depend on one of them.
        """
        self.require_no_step("cancel a group")
        answer, renumbered = group.cancel()
        self._renumber_groups(renumbered)
        return answer

    def begin_step(self, who: str, when: float | None = None) -> None:
        """Begin one transaction and one step of the history, until :meth:`end_step`: a script."""
        self.require_no_step("begin another step")
        self.require_writable()
        self._execute("BEGIN IMMEDIATE")
        self._pending.step = Step(who, when)

    def end_step(self, typed: str = "") -> None:
        """Commit the step with all its commands; the history shows what was typed, or each command."""
        step = self._pending.step
        assert step is not None
        try:
            if step.changes or step.always:
                shown = "\n".join([typed, *[""] * (len(step.typed) - 1)] if typed else step.typed)
                seq = self.history.append(step.who, "\n".join(step.commands), step.changes, step.when, shown)
                self._execute("COMMIT")
                self.history.appended(seq)
            else:
                self.store.connection.rollback_if_open()
        except BaseException:
            self.cancel_step()
            raise
        self._pending.end_step()

    def cancel_step(self) -> None:
        """Roll the step back."""
        if self._pending.step is not None:
            self._pending.end_step()
            self.history.settings_stamp += 1
            self.store.connection.rollback_if_open()

    @property
    def in_step(self) -> bool:
        """Whether a step has begun that has not ended."""
        return self._pending.step is not None

    @contextmanager
    def part_of_step(self) -> Iterator[None]:
        """Inside an unfinished step: if an error ends the block, its changes are undone, and the step can go on."""
        step, connection = self._pending.step, self.store.connection
        assert step is not None
        mark = step.mark()
        self._execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            connection.roll_back_to("part")
            step.forget(mark)
            self._pending.dirty = self._pending.world_dirty = self._pending.touched()
            self.history.settings_stamp += 1
            raise
        self._execute("RELEASE part")

    def keep_aside(self, name: str, value: str) -> None:
        """Keep a text in the file that is no step of the history, and that undo leaves alone; '' removes it.

        A file that is open read-only is left as it is.
        """
        if self.store.read_only:
            return
        if value:
            self._execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (name, value))
        else:
            self._execute("DELETE FROM setting WHERE name = ?", (name,))

    def require_no_step(self, what: str) -> None:
        """Refuse something that cannot be done inside a step, such as a script."""
        if self._pending.step is not None:
            raise Refused(f"A script cannot {what}: everything that it does is already one step of the history.")

    def require_writable(self) -> None:
        """Refuse to change a file that is open read-only."""
        if self.store.read_only:
            raise FileProblem(f"{self.store.path} is open read-only; open it for writing to change it.")


def _meshes_of(path: Path | None) -> Path:
    if path is not None:
        return path.with_name(path.name + ".cache")
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "workcell" / "meshes"
