"""The journal: one linear history of commands, each with the rows that it changed.

An entry holds the resolved command, who gave it, and a row difference: the values of every changed row before
and after. A run of a program changes the row of the table ``state``, so the pair (state before, state after) is
a row difference like any other. Undo restores the values before, redo the values after.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator

from workcell.errors import NothingToUndo, Refused
from workcell.world.connection import Connection, damaged
from workcell.world.entry import Entry, entry_of
from workcell.world.own_steps import depends
from workcell.world.row_change import RowChange, change_problem, encode, put
from workcell.world.transaction import Transaction

FLOOR = "history-floor"
"""The setting that names the last entry that cannot be undone, after a recovery."""

_APPEND = "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, 0)"


class Journal:
    """The history of a cell."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._write = connection.write
        (top,) = self._execute("SELECT coalesce(max(seq), 0) FROM journal").fetchone()
        self._undone: int = 0
        self.touched: set[tuple[str, object]] | None = None
        """Table and key of the rows that were written since a follower last read them; None without a follower."""
        self.top: int = top
        """The highest number that an entry ever had."""
        self.floor = self._kept_floor()
        """The last entry that cannot be undone: the content of a sample cell, or what damage left."""
        self.world_revision: int = 0
        """The number of the last entry in force that changed what exists."""
        self.revision: int = 0
        """The number of the last entry that is in force; the same number means the same content."""
        self.states_grown = 0
        """The bytes of states that were added since the last call of :meth:`states_below`."""
        self.written = 0
        """The bytes of all changes since the cell was opened, including those that were undone or redone."""
        self.settings_stamp = 0
        """Changes when the settings of the cell may have changed."""
        self._find_revisions()

    def _kept_floor(self) -> int:
        row = self._execute("SELECT value FROM setting WHERE name = ?", (FLOOR,)).fetchone()
        return int(row[0]) if row and row[0].isdecimal() else 0

    def _find_revisions(self) -> None:
        self.settings_stamp += 1
        (self._undone,) = self._execute("SELECT count(*) FROM journal WHERE undone").fetchone()
        (self.revision,) = self._execute("SELECT coalesce(max(seq), 0) FROM journal WHERE NOT undone").fetchone()
        (self.world_revision,) = self._execute(
            "SELECT coalesce(max(seq), 0) FROM journal WHERE world AND NOT undone"
        ).fetchone()

    def append(
        self, who: str, command: str, changes: list[RowChange], when: float | None = None, typed: str = ""
    ) -> int:
        """Record a step; undone steps can no longer be redone. Call it inside its transaction."""
        if self._undone:
            self._execute("DELETE FROM journal WHERE undone")
        seq = self.top + 1
        world = settings = False
        for change in changes:
            world = world or change[0] != "state"
            settings = settings or change[0] == "setting"
        self._world, self._settings = world, settings
        if self.touched is not None:
            self.touch(changes)
        data = encode(changes)
        self.written += len(data)
        self._write(_APPEND, (seq, who, time.time() if when is None else when, command, typed, data, world))
        if not world:
            self.states_grown += len(data)
        if self._undone:
            self._forget_files()
        return seq

    def touch(self, changes: Iterable[RowChange]) -> None:
        """Remember that the rows of these changes may have changed."""
        if self.touched is not None:
            for table, _, before, after in changes:
                row = after if before is None else before
                if row is not None:
                    self.touched.add((table, row[0]))

    def continue_at(self, seq: int) -> None:
        """Number the next entry ``seq``; a replay keeps the numbers of the original."""
        self.top = seq - 1

    def appended(self, seq: int) -> None:
        """Note that the transaction of :meth:`append` was committed."""
        if self._undone:
            self._find_revisions()
        self.top = self.revision = seq
        if self._world:
            self.world_revision = seq
        if self._settings:
            self.settings_stamp += 1

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return self.revision > self.floor

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""
        return self._undone > 0

    @property
    def next_redo(self) -> Entry:
        """The step that would be redone, if there is one."""
        return entry_of(self._execute("SELECT * FROM journal WHERE undone ORDER BY seq LIMIT 1").fetchone())

    def next_undo(self, count: int = 1) -> list[Entry]:
        """The last steps that can be undone, in the order of undoing; fewer if there are no more."""
        found = self._execute(
            "SELECT * FROM journal WHERE NOT undone AND seq > ? ORDER BY seq DESC LIMIT ?", (self.floor, count)
        )
        return [entry_of(row) for row in found]

    def backwards(self) -> Iterator[Entry]:
        """The steps that can be undone, the last one first."""
        before = self.revision + 1
        while before > self.floor + 1:
            row = self._execute(
                "SELECT * FROM journal WHERE NOT undone AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT 1",
                (self.floor, before),
            ).fetchone()
            if row is None:
                return
            entry = entry_of(row)
            yield entry
            before = entry.seq

    def put_last(self, seq: int) -> dict[int, int]:
        """Make a step the last one in force, and return the new numbers of it and of all later ones; no row changes.

        No later step may depend on it. Numbers change because the same number means the same content.
        """
        moved = "SELECT seq FROM journal WHERE seq > ? ORDER BY undone, seq"
        later = [one for (one,) in self._execute(moved, (seq,)).fetchall()]
        in_force = len(later) - self._undone
        order = [*later[:in_force], seq, *later[in_force:]]
        renumbered = {one: number for number, one in enumerate(order, start=self.top + 1)}
        with self._transaction():
            for one, number in renumbered.items():
                self._execute("UPDATE journal SET seq = ? WHERE seq = ?", (number, one))
        self.top += len(order)
        self._find_revisions()
        return renumbered

    def undo(self) -> Entry:
        """Undo the last step, in one transaction."""
        if not self.can_undo:
            raise NothingToUndo(self.nothing_to_undo())
        entry = self.entry(self.revision)
        self.written += len(entry.difference)
        with self._transaction():
            for table, columns, before, after in reversed(entry.changes):
                self._turn(entry.seq, (table, columns, after, before))
            self._execute("UPDATE journal SET undone = 1 WHERE seq = ?", (entry.seq,))
        self._find_revisions()
        return entry

    def nothing_to_undo(self) -> str:
        """Why there is no step to undo."""
        if self.revision and self._kept_floor() >= self.revision:
            return f"There is nothing to undo: steps up to {self.floor} can be read and replayed, but not undone."
        return "There is nothing to undo."

    def redo(self) -> Entry:
        """Redo the last undone step, in one transaction."""
        if not self.can_redo:
            raise NothingToUndo("There is nothing to redo.")
        entry = self.next_redo
        self.written += len(entry.difference)
        with self._transaction():
            for change in entry.changes:
                self._turn(entry.seq, change)
            self._execute("UPDATE journal SET undone = 0 WHERE seq = ?", (entry.seq,))
        self._find_revisions()
        return entry

    def _turn(self, seq: int, change: RowChange) -> None:
        """Apply one row difference; a history that does not fit the rows is refused before it damages them."""
        if change[2] is None and change[3] is None:
            return
        self.touch([change])
        try:
            fits = not change_problem(change) and put(self._execute, *change) == 1
        except sqlite3.IntegrityError:
            fits = False
        if not fits:
            raise damaged(self._connection.file, f"step {seq} of its history does not fit its rows")

    def join(self, numbers: Collection[int], typed: str = "") -> tuple[int, int]:
        """Combine successive entries into one step; return the number of commands and of steps.

        Entries of others in between stay where they are, so that the entries before and after them become a step each.
        Undone entries stay as they are. No row and no revision changes. The history shows what was typed, or each
        command.
        """
        runs: list[list[int]] = []
        last = 0
        for (seq,) in self._execute(
            "SELECT seq FROM journal WHERE NOT undone AND seq >= ? ORDER BY seq", (min(numbers, default=self.top + 1),)
        ).fetchall():
            if seq in numbers:
                if not runs or runs[-1][-1] != last:
                    runs.append([])
                runs[-1].append(seq)
            last = seq
        commands = 0
        with self._transaction():
            for run in runs:
                commands += self._joined(run, typed)
        return commands, len(runs)

    def _joined(self, run: list[int], typed: str) -> int:
        """Replace several entries by one, with the last number and the first time; return the number of commands."""
        entries = [self.entry(seq) for seq in run]
        command = "\n".join(entry.command for entry in entries)
        count = command.count("\n") + 1
        if len(run) > 1 or typed:
            changes = _with_one_state([change for entry in entries for change in entry.changes])
            shown = [typed, *[""] * (count - 1)] if typed else [entry.typed for entry in entries]
            self._execute("DELETE FROM journal WHERE seq >= ? AND seq < ?", (run[0], run[-1]))
            self._execute(
                "UPDATE journal SET time = ?, command = ?, typed = ?, difference = ?, world = ? WHERE seq = ?",
                (
                    entries[0].time, command, "\n".join(shown), encode(changes),
                    any(entry.world for entry in entries), run[-1],
                ),
            )  # fmt: skip
        return count

    def drop(self, numbers: Collection[int]) -> tuple[int, dict[int, int]]:
        """Undo entries and forget them; return the number of commands, and the new numbers of later entries of others.

        Entries of others in between stay. They get new numbers, because the same number means the same content.

        Raises:
            Refused: one of those may depend on one of these.
        """
        found = self._execute(
            "SELECT * FROM journal WHERE NOT undone AND seq >= ? ORDER BY seq DESC",
            (min(numbers, default=self.top + 1),),
        )
        entries = [entry_of(row) for row in found]
        own = [entry for entry in entries if entry.seq in numbers]
        if not own:
            return 0, {}
        others = [entry for entry in reversed(entries) if entry.seq not in numbers and entry.seq > own[-1].seq]
        for other in others:
            if any(one.seq < other.seq and depends(other, one) for one in own):
                raise Refused(
                    f"The group cannot be cancelled: `{other.label}` (by {other.who}) was given after it began and "
                    "touches the same things. `end` keeps the group; after that, `undo` goes back step by step.",
                    steps=[other.seq],
                    who=other.who,
                )
        renumbered = {other.seq: number for number, other in enumerate(others, start=self.top + 1)}
        with self._transaction():
            for entry in own:
                self.written += len(entry.difference)
                for table, columns, before, after in reversed(entry.changes):
                    self._turn(entry.seq, (table, columns, after, before))
                self._execute("DELETE FROM journal WHERE seq = ?", (entry.seq,))
            self._execute("DELETE FROM journal WHERE undone")
            for old, new in renumbered.items():
                self._execute("UPDATE journal SET seq = ? WHERE seq = ?", (new, old))
            self._forget_files()
        self.top += len(renumbered)
        self._find_revisions()
        return sum(entry.command.count("\n") + 1 for entry in own), renumbered

    def _forget_files(self) -> None:
        """Remove the files that no command of the journal refers to."""
        self._execute("DELETE FROM blob WHERE NOT EXISTS (SELECT 1 FROM journal WHERE instr(command, hash))")

    # ---- what is not kept for ever ----------------------------------------------------------------------

    def states_below(self, most: int, least: int) -> int:
        """The step up to which states must be removed so that later ones take at most ``most`` bytes; 0 for none.

        The last ``least`` steps keep theirs, however large they are.
        """
        self.states_grown = 0
        kept = 0
        rows = self._execute(
            "SELECT seq, length(difference) FROM journal WHERE NOT undone AND seq > ? ORDER BY seq DESC", (self.floor,)
        ).fetchall()
        for place, (seq, size) in enumerate(rows):
            kept += size
            if kept > most and place >= least:
                return int(seq)
        return 0

    def forget_states(self, upto: int) -> tuple[int, int]:
        """Remove the states of steps up to a number; return the number of steps and of bytes.

        The commands stay, so that the history can be read and replayed. These steps can no longer be undone.
        """
        count = gone = 0
        with self._transaction():
            for (seq,) in self._execute(
                "SELECT seq FROM journal WHERE NOT undone AND seq > ? AND seq <= ?", (self.floor, upto)
            ).fetchall():
                entry = self.entry(seq)
                changes = [change for change in entry.changes if change[0] != "state"]
                if len(changes) < len(entry.changes):
                    data = encode(changes)
                    count, gone = count + 1, gone + len(entry.difference) - len(data)
                    self._execute("UPDATE journal SET difference = ? WHERE seq = ?", (data, seq))
            if upto > self.floor:
                self._execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (FLOOR, str(upto)))
        self.floor = max(self.floor, upto)
        return count, gone

    def forget_undone(self) -> tuple[int, int]:
        """Remove undone steps and files that nothing refers to; return the number of steps and of files."""
        with self._transaction():
            steps = self._execute("DELETE FROM journal WHERE undone").rowcount
            (before,) = self._execute("SELECT count(*) FROM blob").fetchone()
            self._forget_files()
            (after,) = self._execute("SELECT count(*) FROM blob").fetchone()
        self._find_revisions()
        return steps, before - after

    def _transaction(self) -> Transaction:
        return Transaction(self._connection)

    def undone_ids(self) -> list[int]:
        """The ids that a redo would restore."""
        if not self._undone:
            return []
        rows = self._execute("SELECT * FROM journal WHERE undone")
        return [number for row in rows for number in entry_of(row).new_ids]

    def entry(self, seq: int) -> Entry:
        """One entry."""
        return entry_of(self._execute("SELECT * FROM journal WHERE seq = ?", (seq,)).fetchone())

    @property
    def last_command(self) -> str:
        """The resolved command of the last step in force that can be undone; '' if there is none."""
        row = self._execute("SELECT command FROM journal WHERE seq = ?", (self.revision,)).fetchone()
        return str(row[0]) if row is not None and self.can_undo else ""

    def authors(self) -> list[str]:
        """Everybody who made a step, in force or undone."""
        return [who for (who,) in self._execute("SELECT DISTINCT who FROM journal")]

    def entries(self) -> list[Entry]:
        """All entries in order, the undone ones last."""
        return [entry_of(row) for row in self._execute("SELECT * FROM journal ORDER BY seq")]

    def __len__(self) -> int:
        (count,) = self._execute("SELECT count(*) FROM journal WHERE NOT undone").fetchone()
        return int(count)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries())


def _with_one_state(changes: list[RowChange]) -> list[RowChange]:
    """Return the changes of one step with a single one of the state, from its first value to its last."""
    states = [change for change in changes if change[0] == "state"]
    if len(states) < 2:
        return changes
    table, columns, before, _ = states[0]
    after = states[-1][3]
    whole: list[RowChange] = [] if before is None and after is None else [(table, columns, before, after)]
    return [*(change for change in changes if change[0] != "state"), *whole]
