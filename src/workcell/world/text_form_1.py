"""The first text form of a cell, one line of JSON per row: it can still be read, and journals use its step lines."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from workcell.errors import WorkcellError
from workcell.spatial.transform import Transform
from workcell.wording import an
from workcell.world.contents import TABLES, Contents
from workcell.world.database import Database
from workcell.world.entry import Entry
from workcell.world.ids import id_number
from workcell.world.journal import FLOOR
from workcell.world.text_lines import json_text

_pack = msgspec.msgpack.Encoder().encode
_sorted = msgspec.json.Encoder(order="sorted").encode
Faults = list[tuple[int, str]]
STEPS = ("floor", "step", "blob")
"""The kinds of lines in a history."""


class Lines(msgspec.Struct):
    """Rows, each with its line."""

    contents: Contents = msgspec.field(default_factory=Contents.empty)
    places: dict[str, list[int]] = msgspec.field(default_factory=lambda: {table: [] for table in TABLES})
    """The line of every row."""
    facts: dict[tuple[str, int], dict[str, int]] = {}
    """The lines of the facts of a row, by table and place."""
    faults: Faults = []
    """What cannot be read, with its line."""

    def put(self, table: str, row: tuple[Any, ...], line: int, facts: dict[str, int] | None = None) -> None:
        """Add a row."""
        if facts:
            self.facts[table, len(self.contents.rows[table])] = facts
        self.contents.rows[table].append(row)
        self.places[table].append(line)


def journal_lines(database: Database) -> Iterator[str]:
    """The lines of a history."""
    if database.setting(FLOOR).isdecimal():
        yield _line({"floor": int(database.setting(FLOOR))})
    yield from (_step_line(step) for step in database.history.entries())
    for digest, data in database.store.connection.execute("SELECT * FROM blob ORDER BY hash"):
        yield _line({"blob": digest, "data": base64.b64encode(data).decode()})


def _step_line(step: Entry) -> str:
    """A step of the history on one line."""
    changes = [[table, columns, _plain(before), _plain(after)] for table, columns, before, after in step.changes]
    return _line(
        {
            "step": step.seq, "who": step.who, "time": step.time, "command": step.command.split("\n"),
            "typed": step.typed.split("\n"), "changes": changes, "world": int(step.world), "undone": int(step.undone),
        }
    )  # fmt: skip


def _line(row: dict[str, Any]) -> str:
    return json_text(msgspec.Raw(_sorted(row)))


def read_rows(lines: list[tuple[int, str]], kinds: tuple[str, ...] = ()) -> Lines:
    """The rows of lines of JSON; only those of some kinds, if these are given."""
    found, relations = Lines(), []
    for number, line in lines:
        if not line.strip():
            continue
        try:
            data = msgspec.json.decode(line)
            if not isinstance(data, dict):
                raise TypeError("a line must be one JSON object")
            table, row = _row(data, kinds)
        except KeyError as error:
            found.faults.append((number, f"the field {error.args[0]!r} is missing"))
        except RecursionError:
            found.faults.append((number, "it is nested too deeply"))
        except (msgspec.MsgspecError, WorkcellError, TypeError, ValueError, AttributeError, OverflowError) as error:
            found.faults.append((number, str(error).rstrip(".")))
        else:
            found.put(table, row, number)
            if table == "relation":
                relations.append(data)
    found.faults += _misnamed(found, relations)
    return found


def _misnamed(found: Lines, relations: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """Relations whose names for people do not belong to their ids: one of the two was changed by hand."""
    names = {row[0]: f"{row[1]}:{row[2]}" for row in found.contents.rows["entity"]}
    rows = zip(found.places["relation"], relations, found.contents.rows["relation"], strict=True)
    for number, data, row in rows:
        parent, child = names.get(row[3]), names.get(row[4])
        if parent and child and (data["relation"], data["to"]) != (f"{parent}/{row[2]}", child):
            yield (
                number,
                f"it names {data['relation']!r} and {data['to']!r}, but its ids are {parent}/{row[2]!r} and {child!r}",
            )


_FIELDS = {
    "entity": {"entity", "id", "description", "colour", "movable", "shape", "properties"},
    "relation": {
        "relation", "to", "id", "kind", "position", "parent", "child", "form", "description", "properties", "name",
    },
    "setting": {"setting", "value"},
    "floor": {"floor"},
    "state": {"state"},
    "step": {"step", "who", "time", "command", "typed", "changes", "world", "undone"},
    "blob": {"blob", "data"},
}  # fmt: skip


def _row(data: dict[str, Any], kinds: tuple[str, ...]) -> tuple[str, tuple[Any, ...]]:
    """The table and the row of a line."""
    what = next((field for field in kinds or _FIELDS if field in data), "")
    if not what:
        raise ValueError(f"a row of unknown kind with the fields {sorted(data)}")
    for field in sorted(_FIELDS[what] - data.keys()):
        raise KeyError(field)
    for field in sorted(data.keys() - _FIELDS[what]):
        raise ValueError(f"the field {field!r} does not belong to a line for {an(what)}")
    if what == "entity":
        kind, _, name = data["entity"].partition(":")
        shape = _compact(data["shape"]) if data["shape"] is not None else None
        return "entity", (
            id_of(data["id"]), kind, name, data["description"], data["colour"], data["movable"], shape,
            _compact(data["properties"]),
        )  # fmt: skip
    if what == "relation":
        form = _compact(data["form"])
        return "relation", (
            id_of(data["id"]), data["kind"], data["name"], id_of(data["parent"]), id_of(data["child"]),
            data["position"], form, Transform.from_json(form).packed(), data["description"],
            _compact(data["properties"]),
        )  # fmt: skip
    if what == "floor":
        if type(data["floor"]) is not int:
            raise ValueError(f"the last step that cannot be undone must be a number; found {data['floor']!r}")
        return "setting", (FLOOR, str(data["floor"]))
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


def id_of(text: object) -> int:
    """The number of an id in a text form."""
    if not isinstance(text, str) or not _ID.match(text):
        raise ValueError(f"an id must be 16 hexadecimal digits; found {text!r}")
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
