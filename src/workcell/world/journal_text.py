"""The history of a cell as text: one line of JSON for each step, and for each file that a command read.

It is a file of its own beside the text form, for those who want to keep it. Its first line names the text that
it belongs to. With another text, which somebody has edited or merged since, its steps can be read but not undone.
"""

from __future__ import annotations

import hashlib

import msgspec

from workcell.world.contents import Contents, Row, problems
from workcell.world.database import Database
from workcell.world.journal import FLOOR
from workcell.world.store import SCHEMA
from workcell.world.text_form import VERSION, check_head, refuse, text_of_rows, to_text
from workcell.world.text_form_1 import STEPS, journal_lines, read_rows
from workcell.world.text_lines import numbered


def to_journal_text(database: Database) -> str:
    """The history of a cell, for a file of its own."""
    head = {"cell": _hash(to_text(database)), "schema": SCHEMA, "version": VERSION, "workcell": "journal"}
    return "".join(f"{line}\n" for line in (msgspec.json.encode(head).decode(), *journal_lines(database)))


def with_journal(contents: Contents, text: str, name: str) -> str:
    """Add their history to the rows of a text form; return a sentence if it does not fit them.

    Args:
        contents: the rows; those of the history are added to them.
        text: the output of :func:`to_journal_text`.
        name: the name of the file, for messages.
    """
    (_, first), *lines = numbered(text)
    check_head(first, "journal", name)
    found = read_rows(lines, STEPS)
    wrong = [(found.places[one.table][one.place], one.text) for one in problems(found.contents)]
    refuse(name, [*found.faults, *wrong])
    rows = found.contents.rows
    fits = msgspec.json.decode(first).get("cell") == _hash(text_of_rows(contents))
    steps = [row for row in rows["journal"] if fits or not row[7]]
    floors: list[Row] = rows["setting"]
    last = max((row[0] for row in steps), default=0)
    if not fits and last:
        floors = [(FLOOR, str(last))]
    settings = [row for row in contents.rows["setting"] if row[0] != FLOOR]
    contents.rows |= {"setting": [*settings, *floors], "journal": steps, "blob": rows["blob"]}
    if fits or not last:
        return ""
    return f"{name} is the history of another version of the cell: its steps up to {last} can be read but not undone."


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
