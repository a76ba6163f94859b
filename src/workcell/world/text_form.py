"""The cell as text that git can diff: one line of JSON a row, sorted, without loss.

The first line names the format. Then come the settings, the entities by kind and name, the relations by owner
and order, the state, the journal and the files that commands read. Converting there and back gives the same rows.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

import msgspec

from workcell.errors import FileProblem, NewerFile, NotACell
from workcell.spatial.transform import Transform
from workcell.world.database import Database
from workcell.world.ids import id_number, id_text
from workcell.world.store import SCHEMA

_encode = msgspec.json.Encoder(order="sorted").encode
_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder().decode
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
    for seq, who, when, command, typed, difference, world, undone in execute("SELECT * FROM journal ORDER BY seq"):
        changes = [
            [table, columns, _plain(before), _plain(after)] for table, columns, before, after in _unpack(difference)
        ]
        lines.append(
            {
                "step": seq, "who": who, "time": when, "command": command.split("\n"),
                "typed": typed.split("\n"), "changes": changes,
                "world": world, "undone": undone,
            }
        )  # fmt: skip
    for digest, data in execute("SELECT * FROM blob ORDER BY hash"):
        lines.append({"blob": digest, "data": base64.b64encode(data).decode()})
    return "".join(_encode(line).decode() + "\n" for line in lines)


def from_text(text: str, database: Database) -> None:
    """Fill an empty database with what :func:`to_text` wrote."""
    lines = text.splitlines()
    _check_head(lines[0] if lines else "")
    execute = database.store.connection.execute
    execute("BEGIN IMMEDIATE")
    try:
        for number, line in enumerate(lines[1:], start=2):
            if line.strip():
                try:
                    _row(execute, msgspec.json.decode(line))
                except (msgspec.MsgspecError, KeyError, TypeError, ValueError) as error:
                    raise FileProblem(f"Line {number} of the text form cannot be read: {error}.") from error
        execute("COMMIT")
    except BaseException:
        execute("ROLLBACK")
        raise


def _check_head(line: str) -> None:
    try:
        head = msgspec.json.decode(line)
    except msgspec.MsgspecError:
        head = None
    if not isinstance(head, dict) or head.get("workcell") != "text":
        raise NotACell("This is not the text form of a cell: its first line does not say so.")
    if head.get("version", 0) > 1 or head.get("schema", 0) > SCHEMA:
        raise NewerFile("This text form was written by a later Workcell: update Workcell to read it.")


def _row(execute: Any, data: dict[str, Any]) -> None:
    if "entity" in data:
        kind, _, name = data["entity"].partition(":")
        shape = _compact(data["shape"]) if data["shape"] is not None else None
        row = (
            id_number(data["id"]), kind, name, data["description"], data["colour"], data["movable"], shape,
            _compact(data["properties"]),
        )  # fmt: skip
        execute("INSERT INTO entity VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    elif "relation" in data:
        form = _compact(data["form"])
        relation = (
            id_number(data["id"]), data["kind"], data["name"], id_number(data["parent"]), id_number(data["child"]),
            data["position"], form, Transform.from_json(form).packed(), data["description"],
            _compact(data["properties"]),
        )  # fmt: skip
        execute("INSERT INTO relation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", relation)
    elif "setting" in data:
        execute("INSERT INTO setting VALUES (?, ?)", (data["setting"], data["value"]))
    elif "state" in data:
        execute("INSERT INTO state VALUES (1, ?)", (_compact(data["state"]),))
    elif "step" in data:
        changes = [(table, columns, _rich(before), _rich(after)) for table, columns, before, after in data["changes"]]
        step = (
            data["step"], data["who"], float(data["time"]), "\n".join(data["command"]), "\n".join(data["typed"]),
            _pack(changes), data["world"],
            data["undone"],
        )  # fmt: skip
        execute("INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?)", step)
    elif "blob" in data:
        content = base64.b64decode(data["data"])
        if hashlib.sha256(content).hexdigest() != data["blob"]:
            raise ValueError("the bytes of a kept file do not have the hash that names them")
        execute("INSERT INTO blob VALUES (?, ?)", (data["blob"], content))
    else:
        raise KeyError(f"a row of unknown kind with the fields {sorted(data)}")


def _compact(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _plain(row: list[object] | None) -> object:
    if row is None:
        return None
    return [{"bytes": base64.b64encode(v).decode()} if isinstance(v, bytes) else v for v in row]


def _rich(row: list[Any] | None) -> object:
    if row is None:
        return None
    return [base64.b64decode(v["bytes"]) if isinstance(v, dict) else v for v in row]


def read_source(path: Path) -> bytes:
    """A cell file in either form, as the bytes of its text form."""
    try:
        with path.open("rb") as file:
            start = file.read(16)
    except OSError as error:
        raise FileProblem(f"Cannot read {path}: {error.strerror}.") from error
    if start.startswith(b"SQLite format 3"):
        database = Database.open(path, read_only=True)
        try:
            return to_text(database).encode()
        finally:
            database.close()
    data = path.read_bytes()
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise NotACell(f"{path.name} is neither a cell nor the text form of one.") from None
    _check_head(text.partition("\n")[0])
    return data
