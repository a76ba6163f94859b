"""The command load for cells: merge another cell into this one, as one step of the history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from workcell.commands.conflicts import sentence
from workcell.commands.merging import apply, common_base, merged
from workcell.commands.prepared import FROM_FILE, prepared
from workcell.commands.program_names import follow_merge
from workcell.errors import Refused, WorkcellError
from workcell.wording import counted
from workcell.world.conflict import OURS, THEIRS, Conflict
from workcell.world.contents import Contents
from workcell.world.entities import Entity
from workcell.world.flatten import current_scene
from workcell.world.kept_files import BLOB
from workcell.world.merge import Taken, names_taken, take_copies
from workcell.world.text_form import contents_of, parsed, read_source, text_of, text_of_rows

if TYPE_CHECKING:
    from workcell.commands.session import Session

_SHOWN = 8


class OtherCell(NamedTuple):
    """The rows of another cell, without their history, which a merge does not need; and of the base, if it was given.

    The texts are what the journal keeps of both.
    """

    theirs: Contents
    text: bytes
    base: Contents | None
    base_text: bytes


def read_other(session: Session, file: str, base: str) -> OtherCell:
    """Read a cell file, or one that the journal keeps, and the base of a merge, if it is given."""
    session.progress(0.0, f"reading {Path(file).name}")
    theirs = contents_of(_text(session, file), Path(file).name if not file.startswith(BLOB) else "the text form")
    if not theirs.rows["entity"] and not base:
        raise Refused("The other cell is empty; there is nothing to merge.")
    known = None
    if base.startswith(BLOB):
        known = parsed(_text(session, base)).contents  # rows to compare with; they need not be a whole cell
    elif base:
        known = contents_of(_text(session, base), Path(base).name)
    return OtherCell(theirs, _rows(theirs), known, b"" if known is None else _rows(known))


def load_cell(session: Session, file: str, base: str, take: str, prefix: str, here: bool) -> str:
    """Merge a cell file, or one that the journal keeps, into the cell of a session; return the answer."""
    database, name = session.database, Path(file).name
    theirs, text, known, base_text = prepared(
        session, FROM_FILE, lambda: read_other(session, file, base), "the other cell"
    )
    if not file.startswith(BLOB):
        session.resolve(file=BLOB + database.keep_blob(text))
    if prefix:
        scenes = _scenes(session, theirs) if here else None
        return _answer(session, name, take_copies(database, session.rows, theirs, prefix, scenes), prefix)
    if not file.startswith(BLOB):
        if not base:
            known = common_base(database, theirs)
            base_text = b"" if known is None else _rows(known)
        if known is not None:
            session.resolve(base=BLOB + database.keep_blob(base_text))
    if known is None:  # an unrelated cell: its settings and state do not apply to this one
        known = Contents({**Contents.empty().rows, "setting": theirs.rows["setting"], "state": theirs.rows["state"]})
    ours = Contents({**Contents.empty().rows, **database.rows()})
    found = merged(known, ours, theirs, take or OURS)
    if found.conflicts and not take:
        raise refusal(session, found.conflicts, ours, theirs)
    relations = {row[0] for row in ours.rows["relation"]}
    added = apply(database, session.rows, found.contents)
    before = {row[0]: row for row in ours.rows["entity"]}
    changed = {row[0] for row in found.contents.rows["entity"] if row[0] in before and before[row[0]] != row}
    removed = len(before.keys() - {row[0] for row in found.contents.rows["entity"]})
    source = frozenset((row[1], row[2]) for row in theirs.rows["entity"])
    new = len({row[0] for row in found.contents.rows["relation"]} - relations)
    taken = Taken(tuple(Entity(*row) for row in added), new, source, frozenset(changed))
    also = [f"{len(changed)} changed"] * bool(changed) + [f"{removed} removed"] * bool(removed)
    answer = _answer(session, name, taken, "", f"; {', '.join(also)}" if also else "")
    settled = [f"{sentence(session.units, one, ours, theirs)} Taken: {take}." for one in found.conflicts]
    return "\n".join([answer, *settled])


def _scenes(session: Session, theirs: Contents) -> tuple[str, Entity] | None:
    """Return the scene that the other cell shows and the one that is shown here; None if there is none."""
    named = [row[2] for row in sorted(theirs.rows["entity"]) if row[1] == "scene"]
    settings = {row[0]: row[1] for row in theirs.rows["setting"]}
    if not named:
        return None
    chosen = settings.get("scene", "")
    database = session.database
    if not current_scene(database):
        database.add_entity(session.rows, "scene", "main")
    scene = database.entity("scene", current_scene(database))
    return chosen if chosen in named else named[0], scene


def _text(session: Session, file: str) -> str:
    if file.startswith(BLOB):
        return text_of(session.database.blob(file[len(BLOB) :]))
    with session.files.readable(file, ("-wal",)) as path:
        return text_of(read_source(path), Path(file).name)


def _rows(contents: Contents) -> bytes:
    return text_of_rows(contents).encode()


def _answer(session: Session, name: str, taken: Taken, prefix: str, also: str = "") -> str:
    notes = follow_merge(session, taken, prefix)
    many = f"{counted(len(taken.entities), 'entity', 'entities')} and {counted(taken.relations, 'relation')}"
    return "\n".join([f"{many} added from {name}{also}", *notes])


def refusal(session: Session, conflicts: tuple[Conflict, ...], ours: Contents, theirs: Contents) -> WorkcellError:
    """Return the error that names every conflict."""
    here = {row[0]: row for row in ours.rows["entity"]}
    if all(one.what == "name" and one.kind != "relation" for one in conflicts):
        return names_taken([f"{here[one.ours][1]} {here[one.ours][2]!r}" for one in conflicts])
    texts = [sentence(session.units, one, ours, theirs) for one in conflicts]
    more = f" {len(texts) - _SHOWN} more." if len(texts) > _SHOWN else ""
    return Refused(
        f"The other cell does not fit this one: {' '.join(texts[:_SHOWN])}{more} Add `take {OURS}` or "
        f"`take {THEIRS}` to resolve this, or `prefix NAME` to load it as a copy.",
        problems=texts,
    )
