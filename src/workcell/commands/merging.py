"""Merging cells: two versions with their common base; every program keeps its meaning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from workcell.commands.converting import database_of
from workcell.commands.session import Session
from workcell.errors import Refused, WorkcellError
from workcell.wording import quoted
from workcell.world.conflict import OURS, Conflict
from workcell.world.contents import Contents, Row
from workcell.world.database import Database
from workcell.world.facts import NAME, Facts, Side
from workcell.world.journal import FLOOR
from workcell.world.row_change import row_before
from workcell.world.row_writer import Writer
from workcell.world.store import COLUMNS
from workcell.world.three_way import Merged, three_way

_ROUNDS = 1000
"""How often clashing names are resolved before the merge is refused."""


def merged(base: Contents, ours: Contents, theirs: Contents, prefer: str = OURS) -> Merged:
    """Merge two versions of a cell; a name that one side changed is first changed on the other side.

    So a program of one side uses the name that the other side gave to a robot. If both sides have a thing of the same
    name, both are kept, and that of the side that is not preferred is renamed.
    """
    versions = [_Version(one) for one in (base, ours, theirs)]
    clashes: list[Conflict] = []
    for _ in range(_ROUNDS):
        _align(versions)
        found = three_way(versions[0].side, versions[1].side, versions[2].side, prefer)
        names = [one for one in found.conflicts if one.what == "name"]
        if not names:
            return Merged(found.contents, (*clashes, *found.conflicts))
        for one in names:
            version = versions[2 if prefer == OURS else 1]
            new = _free(one.name.rpartition("/")[2], versions)
            version.rename({one.id: new})
            if version.name_of(one.id) != new:
                raise Refused(f"The two versions do not fit together: two things are called {one.name!r}.")
            clashes.append(msgspec.structs.replace(one, base=new))
    raise Refused("The two versions do not fit together: too many things have the same names.")


class _Version:
    """One version of a cell, whose things can be renamed."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self.side = Side.of(contents)

    def facts(self, number: int) -> Facts | None:
        """Return the facts of an entity or a relation."""
        return self.side.entities.get(number) or self.side.relations.get(number)

    def name_of(self, number: int) -> str | None:
        """Return the name of an entity or a relation."""
        facts = self.facts(number)
        return None if facts is None else str(facts[NAME])

    def rename(self, names: dict[int, str]) -> None:
        """Rename things, everywhere; one that cannot get its new name keeps the old one."""
        wanted = {number: name for number, name in names.items() if self.name_of(number) not in (None, name)}
        if not wanted:
            return
        database = database_of(Contents({**self._contents.rows, "journal": [], "blob": []}))
        session = Session(database, "merge")
        try:
            late = {number: name for number, name in wanted.items() if not _renamed(session, number, name)}
            if len(late) > 1:  # two that exchange names
                before = {number: str(self.name_of(number)) for number in late}
                for number in late:
                    _renamed(session, number, f"renamed-{number:x}")
                for number, name in late.items():
                    if not _renamed(session, number, name):
                        _renamed(session, number, before[number])
            self._contents = Contents({**Contents.empty().rows, **database.rows()})
        finally:
            database.close()
        self.side = Side.of(self._contents)


def _renamed(session: Session, number: int, name: str) -> bool:
    """Rename an entity or a relation; return whether it was possible."""
    database = session.database
    entity = database.with_ids([number]).get(number)
    if entity is not None:
        called = f"{entity[0].kind}:{quoted(entity[0].name)}"
    else:
        relation = next(one for one in database.all_relations() if one.id == number)
        parent = database.by_id(relation.parent)
        called = f"{parent.kind}:{quoted(parent.name)}/{quoted(relation.name)}"
    try:
        session.do(f'modify {called} name "{name}"')
    except WorkcellError:
        return False
    return True


def _align(versions: list[_Version]) -> None:
    """Rename everything that one side renamed on the other side too, and in the base."""
    base, ours, theirs = versions
    new: dict[int, str] = {}
    for number in (*base.side.entities, *base.side.relations):
        was, mine, other = (version.name_of(number) for version in versions)
        if mine is None or other is None:
            continue
        if mine != other and was in (mine, other):
            new[number] = str(other if mine == was else mine)
        elif mine == other != was:
            new[number] = mine
    for version in (base, ours, theirs):
        version.rename(new)


def _free(name: str, versions: Iterable[_Version]) -> str:
    taken = {
        str(facts[NAME])
        for one in versions
        for table in (one.side.entities, one.side.relations)
        for facts in table.values()
    }
    count = 2
    while f"{name}-{count}" in taken:
        count += 1
    return f"{name}-{count}"


# ---- the common base --------------------------------------------------------------------------------------


def common_base(ours: Database, theirs: Contents) -> Contents | None:
    """Return the version that this cell and another one began with, as far as it is known; None if they share nothing.

    It follows from the steps that both histories begin with. If they begin differently, a thing that both have is
    known if one side has it as it once was in the history of the other side.
    """
    if not {row[0] for row in theirs.rows["entity"]} & _ids(ours):
        return None
    other = database_of(theirs)
    try:
        mine, there = ours.history.entries(), other.history.entries()
        shared = 0
        for first, second in zip(mine, there, strict=False):
            if _step(first) != _step(second) or first.undone or second.undone:
                break
            shared = first.seq
        if shared or ours.first_rows()["entity"]:
            base = ours.rows_after(shared)
            if shared or base["entity"] == other.first_rows()["entity"]:
                return Contents({**Contents.empty().rows, **base})
        return _pieced(ours, other)
    finally:
        other.close()


def _ids(database: Database) -> set[int]:
    """Return the ids that this cell has or had."""
    known = {entity.id for entity in database.entities()}
    return known | {number for entry in database.history.entries() for number in entry.new_ids}


def _step(entry: Any) -> tuple[Any, ...]:
    return entry.seq, entry.who, entry.time, entry.command


def _pieced(ours: Database, theirs: Database) -> Contents | None:
    """Return a base from the rows of which one side has an older version of the other's."""
    contents = Contents.empty()
    mine, other = ours.rows(), theirs.rows()
    for table in ("entity", "relation"):
        here, there = ({row[0]: row for row in rows[table]} for rows in (mine, other))
        ids = {int(str(number)) for number in (*here, *there)}
        past, past_there = _versions(ours, table, ids), _versions(theirs, table, ids)
        for number in ids:
            left, right = here.get(number), there.get(number)
            if left == right or (right is not None and right in past.get(number, ())):
                contents.rows[table].append(right)  # type: ignore[arg-type]  # one of them is there
            elif left is not None and left in past_there.get(number, ()):
                contents.rows[table].append(left)
    contents.rows["setting"], contents.rows["state"] = other["setting"], other["state"]  # these stay as they are here
    return contents if contents.rows["entity"] else None


def _versions(database: Database, table: str, ids: Iterable[int]) -> dict[int, list[Row]]:
    """Return the earlier rows in a history, by id."""
    wanted = set(ids)
    rows: dict[Any, Row] = {row[0]: row for row in database.rows()[table] if row[0] in wanted}
    found: dict[int, list[Row]] = {}
    for entry in reversed(database.history.entries()):
        for change in () if entry.undone else reversed(entry.changes):
            number = (change[2] or change[3] or (None,))[0]
            row = row_before(change, rows.pop(number, None)) if change[0] == table and number in wanted else None
            if row is not None:
                rows[number] = row
                found.setdefault(int(str(number)), []).append(row)
    return found


# ---- writing ----------------------------------------------------------------------------------------------


def apply(database: Database, rows: Writer, result: Contents) -> list[Row]:
    """Replace the rows of a cell by those of a merge; return the new entities."""
    before = database.rows()
    added: list[Row] = []
    plans = {}
    for table in ("relation", "entity"):
        had, has = ({row[0]: row for row in found[table]} for found in (before, result.rows))
        for number in had.keys() - has.keys():
            rows.delete(table, number)
        plans[table] = had, has
    for table, owner in (("entity", "kind"), ("relation", "parent")):
        had, has = plans[table]
        columns = COLUMNS[table]
        called = columns.index(owner), columns.index("name")
        changed = {number: row for number, row in has.items() if number in had and had[number] != row}
        for number, row in changed.items():
            if any(had[number][at] != row[at] for at in called):
                rows.update(table, number, name=f"merged-{number:x}")  # two may exchange names
        for number, row in changed.items():
            rows.update(table, number, **dict(zip(columns[1:], row[1:], strict=True)))
        new = [row for number, row in sorted(has.items()) if number not in had]
        for row in new:
            rows.insert(table, row)
        added += new if table == "entity" else []
    settings: dict[str, str] = dict(result.rows["setting"])
    for name, value in settings.items():
        database.set_setting(rows, name, value)
    for gone in {row[0] for row in before["setting"]} - {*settings, FLOOR}:
        rows.delete("setting", gone)
    database.set_state(rows, result.rows["state"][0][1] if result.rows["state"] else "")
    return added
