"""The difference that a command makes to one row of a table: its values before and after."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from workcell.world.store import COLUMNS

Row: TypeAlias = tuple[object, ...]
RowChange: TypeAlias = tuple[str, tuple[str, ...], Row | None, Row | None]
"""Table, columns (the key first), their values before (None if the row is new) and after (None if it was removed).

A changed row names only its changed columns, so that a robot's speed does not include the robot's shape.
"""

encode = msgspec.msgpack.Encoder().encode
"""Row changes as bytes."""
decode = msgspec.msgpack.Decoder(list[RowChange]).decode
"""Row changes from bytes."""

INSERT = {table: f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})" for table, columns in COLUMNS.items()}
DELETE = {table: f"DELETE FROM {table} WHERE {columns[0]} = ?" for table, columns in COLUMNS.items()}


def put(
    execute: Callable[..., sqlite3.Cursor], table: str, columns: tuple[str, ...], before: Row | None, after: Row | None
) -> int:
    """Turn the values ``before`` into the values ``after``; return the number of changed rows."""
    if before is None and after is not None:
        return execute(INSERT[table], after).rowcount
    if after is None and before is not None:
        return execute(DELETE[table], (before[0],)).rowcount
    if after is None:
        return 0
    assigned = ", ".join(f"{name} = ?" for name in columns[1:])
    return execute(f"UPDATE {table} SET {assigned} WHERE {columns[0]} = ?", (*after[1:], after[0])).rowcount


def row_before(change: RowChange, row: Row | None) -> Row | None:
    """A row before a change, from the row after it; None if there was none."""
    table, columns, before, after = change
    if before is None or after is None:
        return None if before is None else tuple(before)
    if row is None:
        return None
    values = dict(zip(COLUMNS[table], row, strict=True)) | dict(zip(columns, before, strict=True))
    return tuple(values[name] for name in COLUMNS[table])


def change_problem(change: RowChange) -> str:
    """Why a row difference cannot belong to a cell; '' if it can."""
    table, columns, before, after = change
    known = COLUMNS.get(table)
    if known is None:
        return f"it changes a table {table!r}, which a cell does not have"
    if before is None and after is None:
        return ""
    if before is None or after is None:
        row = after if before is None else before
        return "" if row is not None and len(row) == len(known) else f"its row of the table {table} is not complete"
    if not columns or columns[0] != known[0] or not set(columns) <= set(known):
        return f"it changes columns of the table {table} that do not exist"
    return "" if len(before) == len(after) == len(columns) else f"its row of the table {table} is not complete"
