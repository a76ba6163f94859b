"""Answers of commands: frozen values that become JSON, and text with ``str``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from workcell.commands.language.line_reader import Expectation


class Result(msgspec.Struct, frozen=True):
    """An answer; ``str(answer)`` is its text."""


class Done(Result, frozen=True):
    """An answer that is only a text."""

    text: str

    def __str__(self) -> str:
        return self.text


class Made(Result, frozen=True):
    """Something new: its kind, name and id, and lines on what it broke, if anything."""

    kind: str
    name: str
    id: str
    broken: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"{self.kind} {self.name!r} created", *self.broken])


def with_lines(result: Any, lines: Sequence[str]) -> Any:
    """Return the answer to an edit with lines on what the edit broke; other answers stay as they are."""
    if lines and isinstance(result, Made):
        return msgspec.structs.replace(result, broken=(*result.broken, *lines))
    if lines and isinstance(result, Done):
        return msgspec.structs.replace(result, text="\n".join([result.text, *lines]))
    return result


def with_note(result: Any, note: str) -> Any:
    """Return an answer with one more sentence, if it can hold one."""
    if note and isinstance(result, Done):
        return msgspec.structs.replace(result, text=f"{result.text}\n{note}")
    if note and "notes" in getattr(result, "__struct_fields__", ()):
        return msgspec.structs.replace(result, notes=(*result.notes, note))
    return result


class NextWords(Result, frozen=True):
    """What may come next at a place of a line."""

    expected: tuple[Expectation, ...]

    def __str__(self) -> str:
        width = max((len(item.text) for item in self.expected), default=0)
        return "\n".join(f"  {item.text.ljust(width)}  {item.help}".rstrip() for item in self.expected)


class Table(Result, frozen=True):
    """Rows under headings."""

    headings: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    caption: str = ""

    def __str__(self) -> str:
        cells = [self.headings, *([_cell(v) for v in row] for row in self.rows)]
        widths = [max(len(str(row[i])) for row in cells) for i in range(len(self.headings))]
        lines = ["  ".join(str(v).ljust(w) for v, w in zip(row, widths, strict=True)).rstrip() for row in cells]
        return "\n".join([*lines, *([self.caption] if self.caption else [])])


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else str(value)
