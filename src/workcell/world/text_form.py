"""The cell as text that git can merge: one fact per line, in a stable order, without the history.

The first line names the form. Then come the settings, the entities by kind and id, each with its relations in their
order, the state, and the files that shapes use, each once under its hash. A name is on one line only, so
that a new name changes one line. Reading the text gives the same rows. The history has a text of its own
(:mod:`workcell.world.journal_text`); both together are the whole cell.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from workcell.errors import DamagedCell, FileProblem, NewerFile, NotACell, WorkcellError
from workcell.world.contents import Contents, Problem, Row, problems
from workcell.world.database import Database
from workcell.world.ids import id_text
from workcell.world.journal import FLOOR
from workcell.world.kinds import KINDS
from workcell.world.lock import is_locked
from workcell.world.reader import copy_with_logs
from workcell.world.store import SCHEMA, is_database, not_a_cell
from workcell.world.text_form_1 import Lines, journal_lines, read_rows
from workcell.world.text_lines import fact, field, json_text, numbered, text_lines
from workcell.world.text_reading import STATE, read_blocks

VERSION = 2
_sorted = msgspec.json.Encoder(order="sorted").encode
_LONGEST = 200
"""Longer texts in a shape go to the files."""
_WORD = re.compile(r"[a-z]+\Z")
_ORDER = {kind: place for place, kind in enumerate(KINDS)}


# ---- writing ----------------------------------------------------------------------------------------------


def to_text(database: Database, journal: bool = False) -> str:
    """What exists and where it is; with ``journal`` also the history, so that nothing is left out."""
    text = text_of_rows(Contents({**Contents.empty().rows, **database.rows()}))
    steps = "".join(f"{line}\n" for line in journal_lines(database)) if journal else ""
    return f"{text}\n{steps}" if steps else text


def text_of_rows(contents: Contents) -> str:
    """The text form of the rows of a cell, without its history."""
    lines: list[str] = [json_text({"schema": SCHEMA, "version": VERSION, "workcell": "text"})]
    files: dict[str, str] = {}
    rows = contents.rows
    lines += _settings(rows["setting"])
    parts: dict[int, list[Row]] = {}
    for row in sorted(rows["relation"], key=lambda row: (row[5], row[0])):
        parts.setdefault(row[3], []).append(row)
    for row in sorted(rows["entity"], key=lambda row: (_ORDER[row[1]], row[0])):
        lines += _entity(row, files)
        for relation in parts.get(row[0], ()):
            lines += _relation(relation)
    for _, data in rows["state"]:
        lines += _state(data)
    for digest, text in sorted(files.items()):
        lines += ["", f"[file {digest}]", *text_lines("text", text, wrapped=True)]
    return "".join(f"{line}\n" for line in lines)


def _settings(rows: list[Row]) -> Iterator[str]:
    known = sorted(row for row in rows if row[0] != FLOOR)  # how far the history can be undone is part of the history
    tables = {name: parts for name, value in known if (parts := _parts(name, value))}
    plain = [(name, value) for name, value in known if name not in tables]
    if plain:
        yield from ("", "[cell]", *(fact(field("setting", name), value) for name, value in plain))
    for name, parts in tables.items():
        yield from ("", f"[setting {name}]")
        for key, value in parts.items():
            if isinstance(value, list) and value:
                yield from (fact(f"{field('value', key)}[]", item) for item in value)
            else:
                yield fact(field("value", key), value)


def _parts(name: str, value: str) -> dict[str, Any] | None:
    """The entries of a setting that is an object in JSON, like the table of pairs."""
    try:
        parts = msgspec.json.decode(value, type=dict[str, Any]) if value and _WORD.match(name) else None
    except (msgspec.MsgspecError, RecursionError):
        return None
    return parts if parts and msgspec.json.encode(parts).decode() == value else None


def _entity(row: Row, files: dict[str, str]) -> Iterator[str]:
    number, kind, name, description, colour, movable, shape, properties = row
    yield from ("", f"[{kind} {id_text(number)}]", fact("name", name))
    yield from _described(description)
    if colour is not None:
        yield fact("colour", colour)
    if movable:
        yield fact("movable", True)
    yield from _properties(properties, kind)
    if shape is not None:
        value = _filed(msgspec.json.decode(shape), files)
        if isinstance(value, dict) and value and "" not in value and "@" not in value:
            yield from (fact(field("shape", key), one) for key, one in value.items())
        else:
            yield fact("shape", value)


def _relation(row: Row) -> Iterator[str]:
    number, _, name, parent, child, position, form, _, description, properties = row
    yield from ("", f"[relation {id_text(number)} of {id_text(parent)}]", fact("name", name))
    yield fact("to", id_text(child))
    if position != number:
        yield fact("position", position)
    if form != "[]":
        yield fact("transform", msgspec.Raw(form.encode()))
    yield from _described(description)
    yield from _properties(properties)


def _described(description: str) -> Iterator[str]:
    if "\n" in description:
        yield from text_lines("description", description)
    elif description:
        yield fact("description", description)


def _properties(text: str, kind: str = "") -> Iterator[str]:
    for key, value in sorted(msgspec.json.decode(text).items()):
        if isinstance(value, str) and ("\n" in value or (kind == "program" and key == "text")):
            yield from text_lines(field("property", key), value)
        else:
            yield fact(field("property", key), msgspec.Raw(_sorted(value)))


def _state(data: str) -> Iterator[str]:
    yield from ("", "[state]")
    state = msgspec.json.decode(data)
    lines = [fact(name, state[name]) for name in ("time", "clock") if name in state]
    for word, part in STATE.items():
        if isinstance(state.get(part), dict):
            lines += [fact(field(word, name), value) for name, value in sorted(state[part].items())]
    known = {"time", "clock", *STATE.values()}
    yield from lines if state.keys() <= known and set(STATE.values()) <= state.keys() else [fact("data", state)]


def _filed(value: Any, files: dict[str, str]) -> Any:
    """A value of a shape with its long texts replaced by the hashes of files."""
    if isinstance(value, str) and len(value) > _LONGEST:
        digest = hashlib.sha256(value.encode()).hexdigest()
        files[digest] = value
        return {"@": digest}
    if isinstance(value, list):
        return [_filed(one, files) for one in value]
    if isinstance(value, dict):
        return {f"@{key}" if key.startswith("@") else key: _filed(one, files) for key, one in value.items()}
    return value


# ---- reading ----------------------------------------------------------------------------------------------


def from_text(text: str, database: Database) -> None:
    """Fill an empty database with the output of :func:`to_text`; faults are reported before anything is written."""
    contents_of(text).write_to(database.store)


def contents_of(text: str, name: str = "the text form") -> Contents:
    """The rows of a text form; refused with a line number and a sentence for every fault."""
    found = parsed(text, name)
    refuse(name, [*found.faults, *((_line_of(found, one), one.text) for one in problems(found.contents))])
    return found.contents


def parsed(text: str, name: str = "the text form") -> Lines:
    """The rows of a text form and its unreadable lines; the rows are not checked."""
    first, lines = _body(text)
    version = check_head(first, "text", name)
    return read_rows(lines) if version == 1 else read_blocks(lines)


def readable(text: str) -> tuple[Contents, list[tuple[int, str]]]:
    """The rows of the readable lines, whatever they are, and the faults of the other lines."""
    first, lines = _body(text)
    try:
        old = check_head(first, "text", "") == 1
    except WorkcellError:
        old = sum(line.startswith("{") for _, line in lines) > len(lines) / 2
    found = read_rows(lines) if old else read_blocks(lines)
    return found.contents, found.faults


def refuse(name: str, faults: list[tuple[int, str]]) -> None:
    """Refuse a text with faults."""
    if not faults:
        return
    (first, text), *others = sorted(faults)
    shown = [f"Line {first} of {name} cannot be read: {text}."]
    shown += [f"Line {number}: {text}." for number, text in others[:4]]
    if len(others) > 4:
        shown.append(f"{len(others) - 4} more lines are wrong.")
    raise DamagedCell(
        " ".join(shown),
        problems=[f"line {number}: {text}" for number, text in sorted(faults)],
        lines=[number for number, _ in sorted(faults)],
    )


def check_head(line: str, what: str, name: str) -> int:
    """The version in the first line of a text; refused if it is another text or a later one."""
    try:
        head = msgspec.json.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        head = None
    if not isinstance(head, dict) or head.get("workcell") != what:
        called = name if name.endswith((".celltext", ".celljournal")) else "This"
        whole = "the text form of a cell" if what == "text" else "the history of a cell"
        raise NotACell(f"{called} is not {whole}: its first line does not name it.")
    version, schema = head.get("version"), head.get("schema")
    if type(version) is not int or type(schema) is not int or version < 1 or schema < 1:
        raise DamagedCell(
            f"The first line of {name} names version {version!r} and schema {schema!r}; no Workcell writes these."
        )
    if version > VERSION or schema > SCHEMA:
        raise NewerFile("This text form was written by a later Workcell: update Workcell to read it.")
    return version


def _body(text: str) -> tuple[str, list[tuple[int, str]]]:
    (_, first), *lines = numbered(text)
    return first, lines


def _line_of(found: Lines, problem: Problem) -> int:
    """The line of a problem: that of a fact if the problem names it, otherwise that of its block."""
    facts = found.facts.get((problem.table, problem.place), {})
    at = next((line for key, line in facts.items() if key and problem.text.startswith(f"the {key} of ")), None)
    return found.places[problem.table][problem.place] if at is None else at


def read_source(path: Path) -> bytes:
    """A cell file in either form, as the bytes of its text form; that of a database includes its history."""
    if is_database(path):
        if is_locked(path):
            return _text_with_journal(path)
        # SQLite makes files beside a database that it reads, and a reader cannot remove them, so a copy is read.
        with tempfile.TemporaryDirectory(prefix="workcell-") as folder:
            copy = Path(folder) / path.name
            copy_with_logs(path.resolve(), copy)
            return _text_with_journal(copy)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileProblem(f"{path.name} cannot be read: {error.strerror or error}.") from error
    if b"\0" in data:
        raise not_a_cell(path)
    check_head(_body(text_of(data, path.name))[0], "text", path.name)
    return data


def _text_with_journal(path: Path) -> bytes:
    database = Database.open(path, read_only=True)
    try:
        return to_text(database, journal=True).encode()
    finally:
        database.close()


def text_of(data: bytes, name: str = "This") -> str:
    """The text of a file that is not a database."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise NotACell(f"{name} is neither a cell nor the text form of one.") from None
