"""The cell as text that git can diff: one line of JSON a row, sorted, without loss.

The first line names the format. Then come the settings, the entities by kind and name, the relations by owner
and order, the state, the journal and the files that commands read. Converting there and back gives the same rows.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import msgspec

from workcell.errors import DamagedCell, FileProblem, NewerFile, NotACell, WorkcellError
from workcell.spatial.transform import Transform
from workcell.wording import an
from workcell.world.contents import TABLES, Contents, problems
from workcell.world.database import Database
from workcell.world.ids import id_number, id_text
from workcell.world.store import SCHEMA, is_database, not_a_cell

_encode = msgspec.json.Encoder(order="sorted").encode
_pack = msgspec.msgpack.Encoder().encode
_HEAD = {"workcell": "text", "version": 1, "schema": SCHEMA}


def to_text(database: Database) -> str:
    """The whole cell, journal included."""
    names = {entity.id: (entity.kind, entity.name) for entity in database.entities()}
    lines: list[dict[str, Any]] = [_HEAD]
    execute = database.store.connection.execute
    lines += [{"setting": name, "value": value} for name, value in execute("SELECT * FROM setting ORDER BY name")]
    for entity in sorted(database.entities(), key=lambda e: (e.kind, e.name)):
        lines.append(
            {
                "entity": f"{entity.kind}:{entity.name}", "id": id_text(entity.id), "description": entity.description,
                "colour": entity.colour, "movable": entity.movable,
                "shape": msgspec.Raw(entity.shape.encode()) if entity.shape else None,
                "properties": msgspec.Raw(entity.raw_properties.encode()),
            }
        )  # fmt: skip
    for relation in sorted(database.all_relations(), key=lambda r: (*names[r.parent], r.position, r.id)):
        parent, child = names[relation.parent], names[relation.child]
        lines.append(
            {
                "relation": f"{parent[0]}:{parent[1]}/{relation.name}", "to": f"{child[0]}:{child[1]}",
                "id": id_text(relation.id), "kind": relation.kind, "position": relation.position,
                "parent": id_text(relation.parent), "child": id_text(relation.child),
                "form": msgspec.Raw(relation.form.encode()), "description": relation.description,
                "properties": msgspec.Raw(relation.raw_properties.encode()), "name": relation.name,
            }
        )  # fmt: skip
    state = database.state_json()
    if state:
        lines.append({"state": msgspec.Raw(state.encode())})
    for step in database.history.entries():
        changes = [[table, columns, _plain(before), _plain(after)] for table, columns, before, after in step.changes]
        lines.append(
            {
                "step": step.seq, "who": step.who, "time": step.time, "command": step.command.split("\n"),
                "typed": step.typed.split("\n"), "changes": changes, "world": int(step.world),
                "undone": int(step.undone),
            }
        )  # fmt: skip
    for digest, data in execute("SELECT * FROM blob ORDER BY hash"):
        lines.append({"blob": digest, "data": base64.b64encode(data).decode()})
    return "".join(_line(line) + "\n" for line in lines)


_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
"""What JSON may hold as it is and what some programs take for the end of a line, or for nothing."""


def _line(row: dict[str, Any]) -> str:
    """One line, whoever reads it: every break is written as an escape."""
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", _encode(row).decode())


def from_text(text: str, database: Database) -> None:
    """Fill an empty database with what :func:`to_text` wrote; what is wrong is reported before anything is written."""
    contents_of(text).write_to(database)


def contents_of(text: str) -> Contents:
    """The rows of a text form; refused with a line number and a sentence for everything that is wrong."""
    _check_head(text.removeprefix("\ufeff").partition("\n")[0])
    parsed = _parsed(text)
    faults = [*parsed.faults, *((parsed.places[one.table][one.place], one.text) for one in problems(parsed.contents))]
    faults += _misnamed(parsed)
    if faults:
        _refuse(sorted(faults))
    return parsed.contents


def readable(text: str) -> tuple[Contents, list[tuple[int, str]]]:
    """The rows of the lines that can be read, whatever they are, and what is wrong with the other lines."""
    parsed = _parsed(text)
    return parsed.contents, parsed.faults


class _Parsed(NamedTuple):
    contents: Contents
    places: dict[str, list[int]]
    """The line of every row."""
    relations: list[dict[str, Any]]
    faults: list[tuple[int, str]]


def _parsed(text: str) -> _Parsed:
    parsed = _Parsed(Contents.empty(), {table: [] for table in TABLES}, [], [])
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n")[1:], start=2):
        if not line.strip():
            continue
        try:
            data = msgspec.json.decode(line)
            if not isinstance(data, dict):
                raise TypeError("a line is one JSON object")
            table, row = _row(data)
        except KeyError as error:
            parsed.faults.append((number, f"the field {error.args[0]!r} is missing"))
        except RecursionError:
            parsed.faults.append((number, "it is nested too deeply"))
        except (msgspec.MsgspecError, WorkcellError, TypeError, ValueError, AttributeError) as error:
            parsed.faults.append((number, str(error).rstrip(".")))
        else:
            parsed.contents.rows[table].append(row)
            parsed.places[table].append(number)
            if table == "relation":
                parsed.relations.append(data)
    return parsed


def _refuse(faults: list[tuple[int, str]]) -> NoReturn:
    (first, text), *others = faults
    shown = [f"Line {first} of the text form cannot be read: {text}."]
    shown += [f"Line {number}: {text}." for number, text in others[:4]]
    if len(others) > 4:
        shown.append(f"{len(others) - 4} more lines are wrong.")
    raise DamagedCell(
        " ".join(shown),
        problems=[f"line {number}: {text}" for number, text in faults],
        lines=[number for number, _ in faults],
    )


def _misnamed(parsed: _Parsed) -> Iterator[tuple[int, str]]:
    """Relations whose names for people are not those of their ids: one of the two was changed by hand."""
    names = {row[0]: f"{row[1]}:{row[2]}" for row in parsed.contents.rows["entity"]}
    rows = zip(parsed.places["relation"], parsed.relations, parsed.contents.rows["relation"], strict=True)
    for number, data, row in rows:
        parent, child = names.get(row[3]), names.get(row[4])
        if parent and child and (data["relation"], data["to"]) != (f"{parent}/{row[2]}", child):
            yield number, f"it names {data['relation']!r} and {data['to']!r}, its ids {parent}/{row[2]!r} and {child!r}"


def _check_head(line: str) -> None:
    try:
        head = msgspec.json.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        head = None
    if not isinstance(head, dict) or head.get("workcell") != "text":
        raise NotACell("This is not the text form of a cell: its first line does not say so.")
    version, schema = head.get("version"), head.get("schema")
    if type(version) is not int or type(schema) is not int or version < 1 or schema < 1:
        raise DamagedCell(
            f"The first line of the text form names version {version!r} and schema {schema!r}; no Workcell writes it."
        )
    if version > 1 or schema > SCHEMA:
        raise NewerFile("This text form was written by a later Workcell: update Workcell to read it.")


_FIELDS = {
    "entity": {"entity", "id", "description", "colour", "movable", "shape", "properties"},
    "relation": {
        "relation", "to", "id", "kind", "position", "parent", "child", "form", "description", "properties", "name",
    },
    "setting": {"setting", "value"},
    "state": {"state"},
    "step": {"step", "who", "time", "command", "typed", "changes", "world", "undone"},
    "blob": {"blob", "data"},
}  # fmt: skip


def _row(data: dict[str, Any]) -> tuple[str, tuple[Any, ...]]:
    """The table and the row that a line holds."""
    what = next((field for field in _FIELDS if field in data), "")
    if not what:
        raise ValueError(f"a row of unknown kind with the fields {sorted(data)}")
    for field in sorted(_FIELDS[what] - data.keys()):
        raise KeyError(field)
    for field in sorted(data.keys() - _FIELDS[what]):
        raise ValueError(f"the field {field!r} is not one of a line for {an(what)}")
    if what == "entity":
        kind, _, name = data["entity"].partition(":")
        shape = _compact(data["shape"]) if data["shape"] is not None else None
        return "entity", (
            _id(data["id"]), kind, name, data["description"], data["colour"], data["movable"], shape,
            _compact(data["properties"]),
        )  # fmt: skip
    if what == "relation":
        form = _compact(data["form"])
        return "relation", (
            _id(data["id"]), data["kind"], data["name"], _id(data["parent"]), _id(data["child"]), data["position"],
            form, Transform.from_json(form).packed(), data["description"], _compact(data["properties"]),
        )  # fmt: skip
    if what == "setting":
        return "setting", (data["setting"], data["value"])
    if what == "state":
        return "state", (1, _compact(data["state"]))
    if what == "step":
        changes = [(table, columns, _rich(before), _rich(after)) for table, columns, before, after in data["changes"]]
        return "journal", (
            data["step"], data["who"], float(data["time"]), "\n".join(data["command"]), "\n".join(data["typed"]),
            _pack(changes), data["world"], data["undone"],
        )  # fmt: skip
    return "blob", (data["blob"], base64.b64decode(data["data"], validate=True))


_ID = re.compile(r"[0-9a-f]{1,16}\Z")


def _id(text: object) -> int:
    if not isinstance(text, str) or not _ID.match(text):
        raise ValueError(f"an id is 16 hexadecimal digits; found {text!r}")
    return id_number(text)


def _compact(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _plain(row: tuple[object, ...] | None) -> object:
    if row is None:
        return None
    return [{"bytes": base64.b64encode(v).decode()} if isinstance(v, bytes) else v for v in row]


def _rich(row: list[Any] | None) -> object:
    if row is None:
        return None
    return [base64.b64decode(v["bytes"]) if isinstance(v, dict) else v for v in row]


def read_source(path: Path) -> bytes:
    """A cell file in either form, as the bytes of its text form."""
    if is_database(path):
        database = Database.open(path, read_only=True)
        try:
            return to_text(database).encode()
        finally:
            database.close()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileProblem(f"{path.name} cannot be read: {error.strerror or error}.") from error
    if b"\0" in data:
        raise not_a_cell(path)
    _check_head(text_of(data, path.name).removeprefix("\ufeff").partition("\n")[0])
    return data


def text_of(data: bytes, name: str = "This") -> str:
    """The text of a file that is no database."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise NotACell(f"{name} is neither a cell nor the text form of one.") from None
