"""Converting cell files: a database to its text form and back, with the history in a separate file."""

from __future__ import annotations

from pathlib import Path

from workcell.commands.file_access import FileAccess
from workcell.errors import FileProblem
from workcell.world.contents import Contents
from workcell.world.database import Database
from workcell.world.journal_text import to_journal_text, with_journal
from workcell.world.store import is_database
from workcell.world.text_form import contents_of, read_source, text_of, text_of_rows, to_text

_ENDINGS = (".cell", ".celltext")


def contents_in(path: Path) -> Contents:
    """Return the rows of a cell file in either form, with its history if it has one."""
    return contents_of(text_of(read_source(path), path.name), path.name)


def database_of(contents: Contents) -> Database:
    """Return a database in memory with these rows."""
    database = Database.memory()
    contents.write_to(database.store)
    return Database(database.store)


def text_to_print(source: Path) -> str:
    """Return the text form of a cell file, without the history."""
    return text_of_rows(contents_in(source))


def convert(source: Path, target: Path, journal: Path | None = None, replace: bool = False) -> str:
    """Write a cell file in the form that the ending of the target asks for; return a note, or ''.

    Args:
        source: a cell in either form.
        target: a ``.cell`` or ``.celltext`` file.
        journal: the file of the history: written with a text, read with a database.
        replace: whether existing files are replaced.
    """
    if target.suffix not in _ENDINGS:
        raise FileProblem(f"A cell can be converted to a .cell, .celltext or .wld file; found {target.name!r}.")
    files, note = FileAccess(), ""
    if journal is not None:
        for cell in (source, target):
            files.refuse_twice(cell, journal)
    contents = contents_in(source)
    files.check_output(target, replace)
    if journal is not None and not is_database(source):
        note = with_journal(contents, text_of(files.read(journal), journal.name), journal.name)
    database = database_of(contents)
    try:
        if journal is not None and is_database(source):
            files.write(journal, to_journal_text(database).encode(), replace)
        if target.suffix == ".cell":
            with files.written(target, replace) as path:
                database.store.save_as(path)
            return note
        files.write(target, to_text(database).encode(), replace)
        return note
    finally:
        database.close()
