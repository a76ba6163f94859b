"""Merging three files of a cell into one, for git when two branches changed a cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from workcell.commands.conflicts import sentence
from workcell.commands.converting import contents_in, database_of
from workcell.commands.file_access import FileAccess
from workcell.commands.merging import merged
from workcell.commands.session import Session
from workcell.errors import FileProblem
from workcell.world.conflict import OURS, Conflict
from workcell.world.contents import Contents
from workcell.world.ids import id_text
from workcell.world.kept_files import BLOB
from workcell.world.store import is_database
from workcell.world.text_form import text_of_rows


class MergedFile(msgspec.Struct, frozen=True):
    """The result of merging three files.

    Attributes:
        conflicts: what both sides changed differently.
        sentences: a sentence for each conflict.
        taken: the side that was taken for conflicts; empty if they are open.
        output: the file that was written; empty for none.
    """

    conflicts: tuple[Conflict, ...]
    sentences: tuple[str, ...]
    taken: str
    output: str

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values, with ids as text."""
        found = []
        for one, text in zip(self.conflicts, self.sentences, strict=True):
            fields = {**msgspec.structs.asdict(one), "id": id_text(one.id) if one.id else "", "text": text}
            if one.what == "name":
                fields |= {"ours": id_text(one.ours), "theirs": id_text(one.theirs)}
            found.append(fields)
        return {"conflicts": found, "taken": self.taken, "output": self.output, "open": self.open}

    @property
    def open(self) -> bool:
        """Whether there are conflicts that a person must resolve."""
        return bool(self.conflicts) and not self.taken


def merge_files(
    base: Path, ours: Path, theirs: Path, output: Path | None = None, take: str = "", replace: bool = False
) -> MergedFile:
    """Merge two versions of a cell with the same base; each file may be a database or a text form.

    The output has the form of ours, unless its ending asks for the other one. It holds the changes of both sides. What
    both sides changed is taken from the side ``take``, by default from ours. A database keeps the history of ours and
    one more step, which can be undone.
    """
    files = FileAccess()
    if output is not None:
        files.check_output(output, replace)
    was, mine, other = _read(base, empty=True), _read(ours), _read(theirs)
    found = merged(was, mine, other, take or OURS)
    database = database_of(mine)
    try:
        session = Session(database, "merge")
        texts = tuple(sentence(session.units, one, mine, other) for one in found.conflicts)
        if output is not None:
            form = output.suffix if output.suffix in (".cell", ".celltext") else ""
            if form == ".cell" or (not form and is_database(ours)):
                _step(session, was, other, take or OURS)
                with files.written(output, replace) as path:
                    database.store.save_as(path)
            else:
                files.write(output, text_of_rows(found.contents).encode(), replace)
    finally:
        database.close()
    return MergedFile(found.conflicts, texts, take, "" if output is None else str(output))


def _read(path: Path, empty: bool = False) -> Contents:
    """Return the rows of a file; an empty file is a missing base, as git gives it for a file that both sides added."""
    if empty and path.is_file() and not path.stat().st_size:
        return Contents.empty()
    if not path.exists():
        raise FileProblem(f"There is no file {path} to merge.")
    return contents_in(path)


def _step(session: Session, base: Contents, theirs: Contents, take: str) -> None:
    """Merge with a command, so that the merge is a step of the history that can be undone and replayed."""
    if not theirs.rows["entity"] and not base.rows["entity"]:
        return
    keep = session.database.keep_blob
    files = {"file": theirs, "base": base}
    kept = {name: BLOB + keep(text_of_rows(contents).encode()) for name, contents in files.items()}
    session.do_as(session.written("load", {**kept, "take": take}), "merge")
