"""What commands answer: frozen values that turn into JSON, and into text for people with ``str``."""

from __future__ import annotations

from typing import Any

import msgspec

from workcell.commands.language.line_reader import Expectation


class Result(msgspec.Struct, frozen=True):
    """An answer; ``str(answer)`` is for people."""


class Done(Result, frozen=True):
    """It is done, and this is what there is to say."""

    text: str

    def __str__(self) -> str:
        return self.text


class Made(Result, frozen=True):
    """Something new: its kind, name and id, and what it broke, if anything."""

    kind: str
    name: str
    id: str
    broken: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"{self.kind} {self.name!r} created", *self.broken])


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
