"""The world database: entities and explicit, named relations, changed only in journalled transactions."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

import msgspec

from workcell.errors import CycleRefused, FileProblem, NameTaken, PointedTo, Refused, UnknownName
from workcell.geometry.kernel.cache import MeshCache, default_cache
from workcell.spatial.transform import Rows, Transform, packed, rigid, shear_of
from workcell.world.connection import damaged, naming
from workcell.world.entities import ENTITY_COLUMNS, RELATION_COLUMNS, Entity, Relation, quoted
from workcell.world.group import Group
from workcell.world.ids import Ids
from workcell.world.journal import FLOOR, Change, Entry, Journal, Transaction, Writer
from workcell.world.kinds import KINDS, SIGNALLING, kind_of, relation_kind
from workcell.world.known_names import KnownNames
from workcell.world.names import check_name
from workcell.world.store import Store

if TYPE_CHECKING:
    from workcell.world.flatten import Flattener

_encode = msgspec.json.Encoder(order="sorted").encode
SCALED = ("transform-surface", "transform-block", "operand")
"""The relations below the level of what moves: they may scale and mirror."""
_ENTITIES = f"SELECT {', '.join(ENTITY_COLUMNS)} FROM entity"
_USED = (
    f"SELECT {', '.join(ENTITY_COLUMNS)}, EXISTS (SELECT 1 FROM relation WHERE child = entity.id) FROM entity WHERE id"
)
_RELATIONS = f"SELECT {', '.join(RELATION_COLUMNS)} FROM relation"


MOST_STATES = 32 * 1024 * 1024
"""How many bytes of states of runs and moves the history keeps, so that they can be undone."""
KEPT = 20
"""How many of the last steps can be undone however large their states are."""


class Compacted(NamedTuple):
    """What a cell let go of.

    Attributes:
        steps: how many steps lost their states.
        states: of how many bytes those were.
        undone: how many undone steps can no longer be redone.
        files: how many kept files nothing named any more.
        before: the size of the database before [bytes].
        after: the size after [bytes].
        undoable: how many steps can be undone still.
    """

    steps: int
    states: int
    undone: int
    files: int
    before: int
    after: int
    undoable: int


class Database:
    """A cell's database, in memory or in a file.

    Reading is free; changing goes through :meth:`edit`, one transaction and one journal entry a command.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._execute: Callable[..., sqlite3.Cursor] = store.connection.execute
        self.named = KnownNames(store.connection, kept=not store.read_only)
        """``named(name)`` gives the entities of a name, of whatever kind."""
        self.history = Journal(store.connection)
        self._groups: WeakSet[Group] = WeakSet()
        (top,) = self._execute(
            "SELECT max(coalesce((SELECT max(id) FROM entity), 0), coalesce((SELECT max(id) FROM relation), 0))"
        ).fetchone()
        self.ids = Ids(after=max([top, *self.history.undone_ids()]))
        self.meshes: MeshCache = default_cache().beside(_meshes_of(store.path))
        """Where the meshes of its solids are kept: beside the file, or in the user's cache for a cell in memory."""
        self.flattener: Flattener | None = None
        """What makes snapshots of it, once one was asked for."""
        self._step: _Step | None = None
        self._writers: list[Writer] = []
        """Those of the command and the preview that are under way."""
        self._stamp = 0
        self._dirty = 0
        """Not 0 while what is seen is not what is committed (the replay of a group, a preview)."""
        self._world_dirty = 0
        """The same, for what exists: a run that only simulates leaves the snapshot as it is."""

    @classmethod
    def memory(cls) -> Database:
        """A database that lives in memory."""
        return cls(Store.memory())

    @classmethod
    def create(cls, path: str | os.PathLike[str], settings: Mapping[str, str] | None = None) -> Database:
        """A new file with the settings that the cell begins with; they are no step of its history."""
        return cls(Store.create(Path(path), settings))

    @classmethod
    def open(cls, path: str | os.PathLike[str], read_only: bool = False) -> Database:
        """An existing file; one whose content is not that of a cell is refused."""
        from workcell.world.contents import refuse_damaged  # which knows what databases hold

        store = Store.open(Path(path), read_only)
        try:
            database = cls(store)
            if not store.sound:
                refuse_damaged(database)
                store.sound = True
            return database
        except BaseException:
            store.close()
            raise

    def as_of(self, step: int) -> Database:
        """A copy in memory of what the cell was after a step of its history."""
        store = Store.memory()
        self.store.connection.backup(store.connection)
        other = Database(store)
        while other.history.revision > step:
            other.history.undo()
        return other

    def close(self) -> None:
        """Close the file; a step that did not end is given up."""
        self.cancel_step()
        self.store.close()

    @property
    def revision(self) -> tuple[int, int]:
        """Changes with every step of the history; equal revisions mean equal rows."""
        return self.history.revision, self._dirty

    @property
    def world_revision(self) -> tuple[int, int]:
        """Changes with what exists, not with the state; equal ones mean an equal snapshot."""
        return self.history.world_revision, self._world_dirty

    @property
    def unsettled(self) -> list[Change]:
        """The changes that are seen now and may be taken back yet: those of a step, a command or a preview."""
        written = [change for writer in self._writers for change in writer.changes]
        return written if self._step is None else [*self._step.changes, *written]

    @property
    def writing(self) -> bool:
        """Whether a command or a preview that is under way has changed anything."""
        return any(writer.changes for writer in self._writers)

    def _touched(self) -> int:
        self._stamp += 1
        return self._stamp

    # ---- asking ---------------------------------------------------------------------------------------

    def entity(self, kind: str, name: str) -> Entity:
        """The entity of that kind and name; a name that is not there is answered with the closest ones."""
        found = self.find(kind_of(kind).name, name)
        if found is None:
            raise UnknownName.among(kind, name, self.names(kind))
        return found

    def find(self, kind: str, name: str) -> Entity | None:
        """The entity, or nothing."""
        for entity in self.named(name):
            if entity.kind == kind:
                return entity
        return None

    def by_id(self, number: int) -> Entity:
        """The entity with that id."""
        return Entity(*self._execute(f"{_ENTITIES} WHERE id = ?", (number,)).fetchone())

    def with_ids(self, numbers: Iterable[int]) -> dict[int, tuple[Entity, bool]]:
        """The entities that have one of these ids, by id, each with whether it is part of something."""
        return {row[0]: (Entity(*row[:-1]), bool(row[-1])) for row in self._with(_USED, numbers)}

    def parents(self, relations: Iterable[int]) -> set[int]:
        """The entities that have the relations with these ids."""
        return {number for (number,) in self._with("SELECT parent FROM relation WHERE id", relations)}

    def _with(self, select: str, numbers: Iterable[int]) -> list[Any]:
        """The rows with these ids, which go as one JSON value: a command may change any number of rows."""
        wanted = list(numbers)
        if len(wanted) == 1:
            return self._execute(f"{select} = ?", wanted).fetchall()
        return self._execute(f"{select} IN (SELECT value FROM json_each(?))", (str(wanted),)).fetchall()

    def entities(self, kind: str | None = None) -> list[Entity]:
        """All entities, or all of a kind, in order of creation."""
        if kind is None:
            rows = self._execute(f"{_ENTITIES} ORDER BY id").fetchall()
        else:
            rows = self._execute(f"{_ENTITIES} WHERE kind = ? ORDER BY id", (kind,)).fetchall()
        return [Entity(*row) for row in rows]

    def names(self, kind: str | None = None, prefix: str = "", most: int = 200) -> list[str]:
        """Names in use that begin with ``prefix``."""
        pattern = prefix.replace("[", "[[]").replace("*", "[*]").replace("?", "[?]") + "*"
        chosen = "name GLOB ?" if kind is None else "kind = ? AND name GLOB ?"
        values = (pattern,) if kind is None else (kind, pattern)
        rows = self._execute(f"SELECT name FROM entity WHERE {chosen} ORDER BY name LIMIT {most}", values)
        return [name for (name,) in rows]

    def relations(self, parent: Entity | int) -> list[Relation]:
        """The relations of an entity to its parts, in order."""
        number = parent if isinstance(parent, int) else parent.id
        rows = self._execute(f"{_RELATIONS} WHERE parent = ? ORDER BY position, id", (number,)).fetchall()
        return [Relation(*row) for row in rows]

    def all_relations(self) -> list[Relation]:
        """Every relation, in order of creation."""
        return [Relation(*row) for row in self._execute(f"{_RELATIONS} ORDER BY id").fetchall()]

    def pointers(self, child: Entity | int) -> list[Relation]:
        """The relations that point to an entity."""
        number = child if isinstance(child, int) else child.id
        rows = self._execute(f"{_RELATIONS} WHERE child = ? ORDER BY id", (number,)).fetchall()
        return [Relation(*row) for row in rows]

    def relation(self, parent: Entity, name: str) -> Relation:
        """The relation of that name."""
        row = self._execute(f"{_RELATIONS} WHERE parent = ? AND name = ?", (parent.id, name)).fetchone()
        if row is None:
            known = [relation.name for relation in self.relations(parent)]
            raise UnknownName.among(f"relation of {parent.kind} {parent.name!r}", name, known)
        return Relation(*row)

    def pointed_by(self, entity: Entity | int) -> int:
        """How many relations point to it."""
        number = entity if isinstance(entity, int) else entity.id
        (count,) = self._execute("SELECT count(*) FROM relation WHERE child = ?", (number,)).fetchone()
        return int(count)

    def setting(self, name: str, default: str = "") -> str:
        """A setting of the cell."""
        row = self._execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else default

    def state_json(self) -> str:
        """The present state, or nothing when the cell is in its initial state."""
        row = self._execute("SELECT data FROM state WHERE id = 1").fetchone()
        return str(row[0]) if row else ""

    def blob(self, digest: str) -> bytes:
        """The bytes of a file that a command read."""
        row = self._execute("SELECT data FROM blob WHERE hash = ?", (digest,)).fetchone()
        if row is None:
            raise UnknownName(f"The cell has no file with the hash {digest}.")
        data = bytes(row[0])
        if hashlib.sha256(data).hexdigest() != digest:
            raise damaged(self.store.connection.file, f"the bytes that it keeps of the file {digest} are others")
        return data

    def blobs(self) -> list[bytes]:
        """The bytes of every file that the journal needs."""
        return [bytes(data) for (data,) in self._execute("SELECT data FROM blob ORDER BY hash")]

    def rows(self) -> dict[str, list[tuple[object, ...]]]:
        """Every row that commands make, table by table: what two equal cells have in common."""
        tables = {"entity": "id", "relation": "id", "setting": "name", "state": "id"}
        return {
            table: self._execute(f"SELECT * FROM {table} ORDER BY {key}").fetchall() for table, key in tables.items()
        }

    def first_settings(self) -> dict[str, str]:
        """The settings that the cell began with, before the first step of its history."""
        settings = dict(self._execute("SELECT name, value FROM setting").fetchall())
        for entry in reversed(self.history.entries()):
            for table, _, before, after in () if entry.undone else reversed(entry.changes):
                if table != "setting":
                    continue
                if before is None and after is not None:
                    del settings[str(after[0])]
                elif before is not None:
                    settings[str(before[0])] = str(before[1])
        settings.pop(FLOOR, None)  # how far this history can be undone says nothing of another
        return settings

    # ---- changing -------------------------------------------------------------------------------------

    def begin_with(self, settings: Mapping[str, str]) -> None:
        """Give a new cell its settings; they are no step of its history."""
        assert not self.history.revision, "a cell that has a history changes its settings by commands"
        with Transaction(self.store.connection):
            for setting in settings.items():
                self._execute("INSERT INTO setting VALUES (?, ?)", setting)

    def edit(
        self, command: Callable[[], str], who: str, when: float | None = None, typed: str = "", always: bool = False
    ) -> Edit:
        """A transaction: ``with database.edit(lambda: line, who) as rows``; the line is asked for at its end.

        It is a step of the history when it changes something, or ``always``.
        """
        self._writable()
        return Edit(self, command, who, when, typed, always)

    def preview(self) -> Preview:
        """Changes that are seen inside the ``with`` block and gone after it."""
        return Preview(self)

    def undo(self, count: int = 1) -> list[Entry]:
        """Take the last steps back, as many as there are; returns them. A count of 0 only looks whether it may.

        Raises:
            Refused: one of them belongs to a group that is open; nothing is taken back then.
        """
        self._not_in_step("undo")
        steps = self.history.next_undo(count)
        for step in steps:
            for group in self._groups:
                if group.holds(step.seq):
                    raise Refused(
                        f"`{step.label}` cannot be undone: it belongs to a group that {group.who} works on still; "
                        "once that group has ended, `undo` takes all of it back.",
                        step=step.seq, who=group.who,
                    )  # fmt: skip
        return [self.history.undo() for _ in range(max(min(count, 1), len(steps)))]

    def redo(self) -> Entry:
        """Do the last undone step again; returns it."""
        self._not_in_step("redo")
        return self.history.redo()

    def bound_states(self) -> int:
        """Keep no more states of runs and moves than :data:`MOST_STATES`; returns how many steps lost theirs."""
        if self.history.states_grown < MOST_STATES // 4 or self._step is not None or self.store.read_only:
            return 0
        return self.history.forget_states(self._before_groups(self.history.states_below(MOST_STATES // 2, KEPT)))[0]

    def compact(self, keep: int = KEPT) -> Compacted:
        """Let go of what the cell does not need: old states, what was undone, files that nothing names, free pages.

        Args:
            keep: how many of the last steps can be undone still.
        """
        self._not_in_step("compact the cell")
        self._writable()
        pages = "PRAGMA page_count", "PRAGMA page_size"
        count, size = (int(self._execute(one).fetchone()[0]) for one in pages)
        undone, files = self.history.forget_undone()
        steps, gone = self.history.forget_states(self._before_groups(self.history.states_below(-1, keep)))
        self._execute("VACUUM")
        after = int(self._execute(pages[0]).fetchone()[0])
        return Compacted(steps, gone, undone, files, count * size, after * size, len(self.history.next_undo(keep + 1)))

    def _before_groups(self, step: int) -> int:
        """A step, or the one before the first of an open group, which may be given up still."""
        return min([step, *(group.first - 1 for group in self._groups if group.first is not None)])

    def begin_group(self, who: str) -> Group:
        """A group for one session: its commands are kept one by one and are one step once it has ended."""
        self._not_in_step("begin a group")
        self._writable()
        group = Group(self.history, who)
        self._groups.add(group)
        return group

    def begin_step(self, who: str, when: float | None = None) -> None:
        """What follows is one transaction and one step of the history until :meth:`end_step`: a script."""
        self._not_in_step("begin another step")
        self._writable()
        self._execute("BEGIN IMMEDIATE")
        self._step = _Step(who, when)

    def end_step(self, typed: str = "") -> None:
        """Commit the step, with all of its commands; the history shows what was typed, or each of them."""
        step = self._step
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
        self._step, self._dirty, self._world_dirty = None, 0, 0

    def cancel_step(self) -> None:
        """Give the step up: nothing of it was done."""
        if self._step is not None:
            self._step, self._dirty, self._world_dirty = None, 0, 0
            self.history.settings_stamp += 1
            self.store.connection.rollback_if_open()

    def _not_in_step(self, what: str) -> None:
        if self._step is not None:
            raise Refused(f"A script cannot {what}: all that it does is one step of the history already.")

    def _writable(self) -> None:
        if self.store.read_only:
            raise FileProblem(f"{self.store.path} is open read-only; open it for writing to change it.")

    def keep_blob(self, data: bytes) -> str:
        """Keep the bytes of a file that a command read; returns their hash. Call inside an edit."""
        digest = hashlib.sha256(data).hexdigest()
        self._execute("INSERT OR IGNORE INTO blob VALUES (?, ?)", (digest, data))
        return digest

    # ---- the operations, each inside an edit -------------------------------------------------------------

    def add_entity(
        self,
        rows: Writer,
        kind: str,
        name: str,
        *,
        description: str = "",
        colour: str | None = None,
        movable: bool = False,
        shape: str | None = None,
        properties: dict[str, Any] | None = None,
    ) -> int:
        """A new entity; returns its id."""
        check_name(name)
        self._require_own_signal(kind, name)
        number = self.ids.new()
        text = _json(properties) if properties else "{}"
        try:
            rows.insert("entity", (number, kind, name, description, colour, int(movable), shape, text))
        except sqlite3.IntegrityError:
            raise NameTaken(f"There is a {kind} called {name!r} already; choose another name.", name=name) from None
        return number

    def attach(
        self,
        rows: Writer,
        parent: Entity,
        child: Entity,
        name: str,
        transform: Transform = Transform(),
        properties: dict[str, Any] | None = None,
    ) -> int:
        """A new relation from ``parent`` to its part ``child``; returns its id."""
        kind = relation_kind(parent.kind, child.kind)
        check_name(name)
        matrix = transform.rows()
        self._check_transform(kind, matrix)
        if child.kind in _ANCESTORS[child.kind] or parent.id == child.id:
            self._check_cycle(parent, child)
        number = self.ids.new()
        text = _json(properties) if properties else "{}"
        row = (
            number, kind, name, parent.id, child.id, number, transform.to_json(), packed(matrix), "", text,
        )  # fmt: skip
        try:
            rows.insert("relation", row)
        except sqlite3.IntegrityError:
            raise NameTaken(
                f"{parent.kind} {parent.name!r} has a relation called {name!r} already; choose another name.",
                name=name,
            ) from None
        return number

    def _check_transform(self, kind: str, matrix: Rows) -> None:
        if kind in SCALED:
            reason = shear_of(matrix)
            if reason:
                raise Refused(
                    f"This transformation shears: {reason}. Scale before you rotate, or scale all axes alike."
                )
        elif not rigid(matrix):
            raise Refused(
                f"A {kind} relation must be rigid: scale stops at object level, what moves keeps its size. "
                "Scale the block inside the object instead."
            )

    def _check_cycle(self, parent: Entity, child: Entity) -> None:
        if parent.id == child.id:
            raise CycleRefused(f"{parent.kind} {parent.name!r} cannot be part of itself.")
        below = self._execute(
            "WITH RECURSIVE below(id) AS (SELECT ? UNION SELECT child FROM relation JOIN below ON parent = below.id)"
            " SELECT 1 FROM below WHERE id = ?",
            (child.id, parent.id),
        ).fetchone()
        if below:
            raise CycleRefused(
                f"{parent.kind} {parent.name!r} is part of {child.kind} {child.name!r} already, so the second "
                "cannot become part of the first."
            )

    def detach(self, rows: Writer, relation: Relation) -> None:
        """Remove a relation; both entities stay."""
        rows.delete("relation", relation.id)

    def remove(self, rows: Writer, entity: Entity) -> None:
        """Remove an entity and its relations to its parts; refused while anything points to it."""
        pointers = self.pointers(entity)
        if pointers:
            who = [self.relation_path(relation) for relation in pointers]
            shown = ", ".join(who[:8]) + (f" and {len(who) - 8} more" if len(who) > 8 else "")
            raise PointedTo(
                f"{entity.kind} {entity.name!r} is used by {len(who)} relation{'s' if len(who) > 1 else ''}: "
                f"{shown}. Detach {'them' if len(who) > 1 else 'it'} first.",
                pointers=who,
                pointed_by=len(who),
            )
        for relation in reversed(self.relations(entity)):
            rows.delete("relation", relation.id)
        rows.delete("entity", entity.id)

    def rename(self, rows: Writer, thing: Entity | Relation, name: str) -> None:
        """Give another name; the id and everything that points to it stay."""
        check_name(name)
        if isinstance(thing, Entity):
            self._require_own_signal(thing.kind, name)
        table = "entity" if isinstance(thing, Entity) else "relation"
        try:
            rows.update(table, thing.id, name=name)
        except sqlite3.IntegrityError:
            where = f"{thing.kind}" if isinstance(thing, Entity) else "relation there"
            raise NameTaken(f"There is a {where} called {name!r} already; choose another name.") from None

    def retype(self, rows: Writer, entity: Entity, kind: str) -> None:
        """Make it an entity of another kind; refused where its relations would no longer fit."""
        kind_of(kind)
        self._require_own_signal(kind, entity.name, entity.id)
        renamed = [
            (relation, relation_kind(kind, self.by_id(relation.child).kind)) for relation in self.relations(entity)
        ]
        renamed += [
            (relation, relation_kind(self.by_id(relation.parent).kind, kind)) for relation in self.pointers(entity)
        ]
        try:
            rows.update("entity", entity.id, kind=kind)
        except sqlite3.IntegrityError:
            raise NameTaken(f"There is a {kind} called {entity.name!r} already; rename one of them.") from None
        for relation, name in renamed:
            rows.update("relation", relation.id, kind=name)

    def _require_own_signal(self, kind: str, name: str, but: int = 0) -> None:
        """Refuse one name for a sensor and a signal: a sensor is read as the signal of its name."""
        other = SIGNALLING.get(kind)
        found = self.find(other, name) if other is not None else None
        if found is not None and found.id != but:
            raise NameTaken(
                f"There is a {other} called {name!r} already, and a sensor is the signal of its name; choose another.",
                name=name,
            )

    def set_properties(self, rows: Writer, thing: Entity | Relation, changes: dict[str, Any]) -> None:
        """Set properties; a value of None takes the property away."""
        values = {**thing.properties, **changes}
        text = _json({name: value for name, value in values.items() if value is not None})
        rows.update("entity" if isinstance(thing, Entity) else "relation", thing.id, properties=text)

    def set_transform(self, rows: Writer, relation: Relation, transform: Transform) -> None:
        """Give a relation another transformation."""
        self._check_transform(relation.kind, transform.rows())
        rows.update("relation", relation.id, form=transform.to_json(), matrix=transform.packed())

    def free_relation_name(self, parent: Entity, wanted: str) -> str:
        """``wanted``, or with the next number when the parent has a relation of that name."""
        if not self._execute("SELECT 1 FROM relation WHERE parent = ? AND name = ?", (parent.id, wanted)).fetchone():
            return wanted
        taken = {name for (name,) in self._execute("SELECT name FROM relation WHERE parent = ?", (parent.id,))}
        name, count = wanted, 1
        while name in taken:
            count += 1
            name = f"{wanted}-{count}"
        return name

    def relation_path(self, relation: Relation) -> str:
        """How a command names a relation: ``cube1/side1``."""
        return f"{quoted(self.by_id(relation.parent).name)}/{quoted(relation.name)}"

    def set_setting(self, rows: Writer, name: str, value: str) -> None:
        """Set a setting of the cell."""
        if self._execute("SELECT 1 FROM setting WHERE name = ?", (name,)).fetchone():
            rows.update("setting", name, value=value)
        else:
            rows.insert("setting", (name, value))

    def set_state(self, rows: Writer, data: str) -> None:
        """Make this the present state; nothing means the initial one."""
        present = self.state_json()
        if present and data:
            rows.update("state", 1, data=data)
        elif present:
            rows.delete("state", 1)
        elif data:
            rows.insert("state", (1, data))


def _meshes_of(path: Path | None) -> Path:
    if path is not None:
        return path.with_name(path.name + ".cache")
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "workcell" / "meshes"


def _json(properties: dict[str, Any]) -> str:
    with naming(""):
        return _encode(properties).decode()


class _Step:
    def __init__(self, who: str, when: float | None) -> None:
        self.who = who
        self.when = when
        self.commands: list[str] = []
        self.typed: list[str] = []
        self.changes: list[Change] = []
        self.always = False


class Edit(Writer):
    """One command's transaction, and where it writes."""

    __slots__ = ("_always", "_command", "_database", "_typed", "_when", "_who")

    def __init__(
        self, database: Database, command: Callable[[], str], who: str, when: float | None, typed: str, always: bool
    ) -> None:
        super().__init__(database.store.connection, database.named)
        self._database = database
        self._always = always
        self._command = command
        self._who = who
        self._when = when
        self._typed = typed

    def __enter__(self) -> Writer:
        database = self._database
        self._write("BEGIN IMMEDIATE" if database._step is None else "SAVEPOINT command")
        database._writers.append(self)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        database, changes = self._database, self.changes
        database._writers.remove(self)
        if database._step is not None:
            self._end_in(database._step, kind is None)
        elif kind is None and (changes or self._always):
            history = database.history
            try:
                seq = history.append(self._who, self._command(), changes, self._when, self._typed)
                self._write("COMMIT")
            except BaseException:
                database.store.connection.rollback_if_open()
                raise
            history.appended(seq)
        else:
            database.store.connection.rollback_if_open()

    def _end_in(self, step: _Step, made: bool) -> None:
        """End as a part of a step, whose transaction goes on."""
        database = self._database
        if not made:
            database.store.connection.roll_back_to("command")
            return
        step.commands.append(self._command())
        step.typed.append(self._typed)
        step.changes += self.changes
        step.always |= self._always
        database._dirty = database._touched()
        if any(change[0] != "state" for change in self.changes):
            database._world_dirty = database._dirty
            database.history.settings_stamp += 1
        self._write("RELEASE command")


class Preview(Writer):
    """Changes that are seen inside and gone afterwards."""

    __slots__ = ("_before", "_database")

    def __init__(self, database: Database) -> None:
        super().__init__(database.store.connection, database.named)
        self._database = database

    def __enter__(self) -> Writer:
        self._write("SAVEPOINT preview")
        database = self._database
        self._before = database._dirty, database._world_dirty
        database._dirty = database._world_dirty = database._touched()
        database._writers.append(self)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        database = self._database
        database._writers.remove(self)
        database.store.connection.roll_back_to("preview")
        database._dirty, database._world_dirty = self._before


def _ancestors() -> dict[str, set[str]]:
    """For each kind, the kinds it may be part of, however indirectly."""
    above: dict[str, set[str]] = {name: set() for name in KINDS}
    for _ in KINDS:
        for kind in KINDS.values():
            for part in kind.parts:
                above[part] |= {kind.name, *above[kind.name]}
    return above


_ANCESTORS = _ancestors()
