"""The outline of a program's text: its rows, the blocks that they form, and edits of whole steps.

A row is one line as it is read: a step, a line that opens, divides or ends a block, a comment, or a blank line. Edits
work on rows, so comments, blank lines and the layout of all other lines stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

from workcell.commands.language.program_lines import code_end, joined_lines
from workcell.errors import Refused
from workcell.wording import counted

Role: TypeAlias = Literal["step", "opens", "part", "end", "parameter", "comment", "blank"]
INDENT = "  "
_OPENS = ("if", "while", "for", "repeat", "parallel", "try")
_PARTS = {"else": "if", "and": "parallel", "on-error": "try"}
"""The words that divide a block, each with the word that opens such a block."""


@dataclass(frozen=True)
class Row:
    """One line of a program as it is read.

    Attributes:
        line: the number of its first line in the text, from 1.
        last: the number of its last line; greater if lines are joined, or for the lines of another language.
        end: the last line of everything that belongs to it: of its block, or of one part of a block.
        depth: how many blocks are around it.
        role: what it is.
        word: its first word; '' for a blank line.
        code: the line without its comment and the blanks around it.
        comment: its comment with the blanks before it; '' if there is none.
        indent: the blanks before it.
        fits: false for a line that opens a block without an end, or divides or ends a block that is not there.
    """

    line: int
    last: int
    end: int
    depth: int
    role: Role
    word: str
    code: str
    comment: str
    indent: str
    fits: bool = True

    @property
    def whole(self) -> bool:
        """Whether it is a step that can be moved and removed with everything inside it."""
        return self.role in ("step", "opens", "comment", "parameter", "blank")


@lru_cache(maxsize=64)
def outline(text: str) -> tuple[Row, ...]:
    """Return the rows of a program, in the order of its lines; none for an empty text."""
    if not text:
        return ()
    rows: list[Row] = []
    opened: list[int] = []
    parts: list[int] = []
    lines = list(joined_lines(text))
    ends = [first - 1 for first, _, _ in lines[1:]] + [text.count("\n") + 1]
    spans = zip(lines, ends, strict=True)
    for (number, _, line), last in spans:
        row = _row(number, last, len(opened), line)
        if row.word == "verbatim":
            for (_, _, raw), last in spans:
                row = replace(row, last=last, end=last)
                if raw.strip() == "end":
                    break
        fits = bool(opened) and (row.word == "end" or rows[opened[-1]].word == _PARTS.get(row.word))
        if row.word in ("end", *_PARTS):
            row = replace(row, depth=max(0, len(opened) - 1), fits=fits)
            if fits and parts[-1] != opened[-1]:
                rows[parts[-1]] = replace(rows[parts[-1]], end=row.line - 1)
        if row.word == "end" and fits:
            parts.pop()
            at = opened.pop()
            rows[at] = replace(rows[at], end=row.last)
        elif row.role == "part" and fits:
            parts[-1] = len(rows)
        elif row.role == "opens":
            opened.append(len(rows))
            parts.append(len(rows))
        rows.append(row)
    for at in {*opened, *parts}:  # blocks without an end
        rows[at] = replace(rows[at], end=rows[-1].last, fits=False)
    return tuple(rows)


def _row(number: int, last: int, depth: int, line: str) -> Row:
    stripped = line.strip()
    indent = line[: len(line) - len(line.lstrip())]
    if not stripped or stripped[0] == "#":
        role: Role = "comment" if stripped else "blank"
        return Row(number, last, last, depth, role, stripped[:1], stripped, "", indent)
    end = code_end(line)
    code = line[:end].strip()
    word = code.split(None, 1)[0].lower()
    if word in _OPENS or (word == "wait-until" and code.split()[-1] == "else"):
        role = "opens"
    elif word in _PARTS:
        role = "part"
    else:
        role = "end" if word == "end" else "parameter" if word == "parameter" else "step"
    return Row(number, last, last, depth, role, word, code, line[len(line[:end].rstrip()) :].rstrip(), indent)


def row_at(text: str, line: int) -> Row:
    """Return the row that a line belongs to.

    Raises:
        Refused: the program has no such line.
    """
    rows = outline(text)
    for row in rows:
        if row.line <= line <= row.last:
            return row
    raise Refused(f"The program has {counted(len(lines_of(text)), 'line')}; found line {line}.", line=line)


def lines_of(text: str) -> list[str]:
    """Return the lines of a program; an empty program has none."""
    return text.split("\n") if text else []


def inserted(text: str, line: int, new: str) -> str:
    """Return the text with new lines before a line, indented as that place wants; at the end, behind the last line."""
    lines = lines_of(text)
    if not 1 <= line <= len(lines) + 1:
        raise Refused(f"A step can be inserted before line 1 to {len(lines) + 1}; found {line}.", line=line)
    line = _outside(text, line)
    indent = _indent_at(text, line)
    if new.split(None, 1)[:1] and new.split(None, 1)[0].lower() in _PARTS:
        indent = _opener_indent(text, line)
    lines[line - 1 : line - 1] = _indented(new.split("\n"), indent)
    return "\n".join(lines)


def removed(text: str, lines: Sequence[int]) -> tuple[str, list[Row]]:
    """Return the text without some steps and everything inside them, and their rows in order."""
    rows = _chosen(text, lines)
    left = lines_of(text)
    for row in reversed(rows):
        if row.role == "end":
            raise Refused(
                f"Line {row.line} ends a block; remove the line that opens the block, and the whole block goes.",
                line=row.line,
            )
        del left[row.line - 1 : row.end]
    return "\n".join(left), rows


def moved(text: str, lines: Sequence[int], to: int) -> tuple[str, int]:
    """Return the text with some steps and everything inside them before another line, and the line of the first."""
    rows, left = _chosen(text, lines), lines_of(text)
    if not 1 <= to <= len(left) + 1:
        raise Refused(f"A step can be moved before line 1 to {len(left) + 1}; found {to}.", line=to)
    to = _outside(text, to)
    indent, block, before = _indent_at(text, to), list[str](), 0
    for row in rows:
        if not row.whole:
            raise Refused(
                f"Line {row.line} (`{row.word}`) belongs to its block; move the line that opens the block.",
                line=row.line,
            )
        if row.line < to <= row.end:
            raise Refused(f"The step in line {row.line} cannot be moved into itself.", line=row.line)
        block += _indented(left[row.line - 1 : row.end], indent)
        before += row.end - row.line + 1 if row.end < to else 0
    for row in reversed(rows):
        del left[row.line - 1 : row.end]
    at = to - before
    left[at - 1 : at - 1] = block
    return "\n".join(left), at


def _chosen(text: str, lines: Sequence[int]) -> list[Row]:
    """Return the steps in some lines, in order; one that is inside another of them goes with that one."""
    rows: list[Row] = []
    for row in sorted((row_at(text, line) for line in set(lines)), key=lambda row: row.line):
        if not rows or row.line > rows[-1].end:
            rows.append(row)
    return rows


def changed(text: str, line: int, code: str) -> tuple[str, Row]:
    """Return the text with other code in a line, and the row before.

    Indentation and block stay, and so does the comment behind the step, unless the code has its own.
    """
    row, lines = row_at(text, line), lines_of(text)
    if row.role in ("end", "blank"):
        raise Refused(f"Line {row.line} has no step.", line=row.line)
    comment = "" if outline(code)[0].comment or row.role == "comment" else row.comment
    lines[row.line - 1 : row.last] = [f"{row.indent}{code}{comment}"]
    return "\n".join(lines), row


def enclosed(text: str, first: int, last: int, opening: str) -> str:
    """Return the text with a block around the steps from one line to another; ``opening`` opens it."""
    begin, stop = row_at(text, first), row_at(text, last)
    end = max(begin.end, stop.end)
    rows = [row for row in outline(text) if begin.line <= row.line <= end]
    if begin.line > stop.line or not begin.whole or rows[0].role == "parameter":
        raise Refused(f"Steps from line {first} to line {last} cannot be enclosed; give the first and the last step.")
    if any(row.depth < begin.depth or row.end > end for row in rows):
        raise Refused(f"Lines {first} to {last} are not whole blocks; a new block can only enclose whole blocks.")
    lines = lines_of(text)
    inside = [f"{INDENT}{one}" if one.strip() else one for one in lines[begin.line - 1 : end]]
    lines[begin.line - 1 : end] = [f"{begin.indent}{opening}", *inside, f"{begin.indent}end"]
    return "\n".join(lines)


def _outside(text: str, line: int) -> int:
    """Return the line of a gap; a gap between joined lines or lines of another language is before all of them."""
    rows = outline(text)
    return next((row.line for row in rows if row.line < line <= row.last), line)


def _indent_at(text: str, line: int) -> str:
    """Return the indentation of a step that comes before a line."""
    rows = [row for row in outline(text) if row.role != "blank"]
    here = next((row for row in rows if row.line >= line), None)
    depth = 0 if here is None else here.depth + (here.role in ("end", "part"))
    for row in reversed([row for row in rows if row.line < line]):
        if row.depth == depth and row.role not in ("end", "part"):
            return row.indent
        if row.depth < depth:
            return row.indent + INDENT
    return here.indent if here is not None and here.role not in ("end", "part") else INDENT * depth


def _opener_indent(text: str, line: int) -> str:
    """Return the indentation of the line that opens the innermost block around a gap."""
    around = [row for row in outline(text) if row.role == "opens" and row.line < line <= row.end]
    return around[-1].indent if around else ""


def _indented(lines: Sequence[str], indent: str) -> list[str]:
    """Return lines with another indentation; the first line decides by how much all of them are shifted."""
    held = len(lines[0]) - len(lines[0].lstrip())
    shifted = []
    for line in lines:
        own = len(line) - len(line.lstrip())
        shifted.append(f"{indent}{line[min(held, own) :]}" if line.strip() else line)
    return shifted
