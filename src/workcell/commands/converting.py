"""Converting cell files: a database to its text form and back, with the history in a separate file."""

from __future__ import annotations

from pathlib import Path

from workcell.commands.cell import ROBOSIM, WORLD, Cell
from workcell.commands.file_access import FileAccess
from workcell.commands.shape_files import READ
from workcell.errors import FileProblem
from workcell.world.contents import Contents
from workcell.world.database import Database
from workcell.world.flatten import current_scene
from workcell.world.journal_text import to_journal_text, with_journal
from workcell.world.names import legal_name
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
        raise FileProblem(
            f"A cell can be converted to a .cell, .celltext, .wld or .robosim file; found {target.name!r}."
        )
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


def convert_by_commands(source: Path, target: Path, unit: str | None = None, replace: bool = False) -> str | None:
    """Write a file of another kind with the commands that read and write it; return notes, or None for two cells.

    Shape files (.step, .stl …) become ROBOSIM source with the file that it stores. Work cell files and ROBOSIM source
    become cells, and a cell becomes one of them.
    """
    start, end = source.suffix.lower(), target.suffix.lower()
    if start in READ and end == ROBOSIM:
        with Cell() as cell:
            name = legal_name(source.stem, "part")
            given = {} if unit is None else {"unit": unit}
            read = cell.call("import solid", name=name, file=str(source), **given)
            done = cell.call("export robosim", thing=name, file=str(target), links=True, replace=replace)
        return f"{read}\n{done}"
    if not {start, end} & {WORLD, ROBOSIM}:
        return None
    with Cell.copy_of(source) as cell:
        if end == WORLD:
            done = cell.call("export world", file=str(target), replace=replace)
        elif end == ROBOSIM:
            done = cell.call("export robosim", thing=current_scene(cell.database), file=str(target), replace=replace)
        else:
            done = cell.call("save", file=str(target), replace=replace)
    return "\n".join(str(done).splitlines()[1:])
