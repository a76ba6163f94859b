"""Programs as blocks of lines in scripts, in the shell and in texts: ``program NAME`` … ``end``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from workcell.commands.language.texts import escape
from workcell.commands.language.tokens import unquote
from workcell.errors import CommandSyntaxError
from workcell.wording import quoted

WORD = "program"
ORDER = (
    "parameter", "let", "if", "else", "while", "repeat", "for", "parallel", "and", "try", "on-error", "wait-until",
    "call", "frame", "return", "stop", "verbatim",
)  # fmt: skip
"""The words of statements, which occur only in programs."""
_OPEN = ("if", "while", "for", "repeat", "parallel", "try", "verbatim")


def begins(line: str) -> bool:
    """Whether a line begins a program."""
    words = line.split(None, 1)
    return bool(words) and words[0] == WORD


def orders(lines: Iterable[str]) -> bool:
    """Whether lines outside of programs have statements, so that they are the steps of a program."""
    return any(not begins(line) and line.split(None, 1)[0] in ORDER for _, line in gathered(lines) if line.strip())


class _Mark(NamedTuple):
    """A line that opens or ends a block: its number in the program, its column and its text."""

    line: int
    column: int
    text: str
    ends: bool = False
    verbatim: bool = False


class Block:
    """The lines of a program that is being typed; ``open`` until its own ``end`` has come."""

    def __init__(self, first: str) -> None:
        self.lines = [first]
        self.depth = 1
        self._verbatim = False
        self._joined = ""
        self._joined_lines = 0
        self._marks = [_Mark(0, _column(first), first.strip())]

    @property
    def open(self) -> bool:
        """Whether more lines must come."""
        return self.depth > 0

    def add(self, line: str) -> None:
        """Add the next line."""
        self.lines.append(line)
        if self._verbatim:
            if line.strip() == "end":
                self._end(line, verbatim=True)
                self._verbatim = False
            return
        if line.endswith("\\"):
            self._joined += line[:-1] + " "
            self._joined_lines += 1
            return
        whole, number = self._joined + line, len(self.lines) - 1 - self._joined_lines
        words, self._joined, self._joined_lines = whole.split("#", 1)[0].split(), "", 0
        first = words[0].lower() if words else ""
        if first == "end":
            self._end(whole)
        elif first in _OPEN or (first == "wait-until" and words[-1] == "else"):
            self.depth += 1
            self._verbatim = first == "verbatim"
            self._marks.append(_Mark(number, _column(whole), " ".join(words)))

    def _end(self, line: str, verbatim: bool = False) -> None:
        self.depth -= 1
        self._marks.append(_Mark(len(self.lines) - 1, _column(line), "end", True, verbatim))

    def unclosed(self) -> list[_Mark]:
        """The lines whose block has no ``end``, the program's own (line 0) included.

        Where every ``end`` stands under the line of a block, it ends that block. Else each ends the innermost one, but
        for an ``end`` in the last line, which is the program's.
        """
        found = self._by_columns()
        if found is not None:
            return found
        last = len(self.lines) - 1
        while last and not self.lines[last].strip():
            last -= 1
        whole = self._marks[-1].ends and self._marks[-1].line == last
        opened: list[_Mark] = []
        for mark in self._marks[:-1] if whole else self._marks:
            if mark.ends:
                opened.pop()
            else:
                opened.append(mark)
        return opened[1:] if whole else opened

    def _by_columns(self) -> list[_Mark] | None:
        """The lines whose block has no ``end`` by how the lines are indented; nothing where that does not tell."""
        opened: list[_Mark] = []
        found: list[_Mark] = []
        for mark in self._marks:
            if not mark.ends:
                opened.append(mark)
                continue
            if mark.verbatim:
                opened.pop()
                continue
            while opened and opened[-1].column > mark.column:
                found.append(opened.pop())
            if not opened or opened.pop().column != mark.column:
                return None
            if not opened:
                break
        if opened and any(mark.column <= self._marks[0].column for mark in self._marks[1:]):
            return None
        return sorted([*found, *opened])

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)


def gathered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, those of a program as one text."""
    block, start = None, 0
    for number, raw in enumerate(lines, start=1):
        line = raw.rstrip("\r\n")
        if block is not None:
            block.add(line)
        elif begins(line):
            block, start = Block(line), number
        else:
            yield number, line
            continue
        if not block.open:
            yield start, block.text
            block = None
    if block is not None:
        yield start, block.text


def as_command(text: str) -> str:
    """The command that a block of a program is: ``write program NAME "…"``."""
    first, *rest = text.strip().replace("\r\n", "\n").split("\n")
    words = first.split("#", 1)[0].split(None, 1)
    name = unquote(words[1].strip()) if len(words) > 1 else ""
    if not name:
        raise CommandSyntaxError("Expected a name: program NAME, its lines, end.", line=first, column=len(first))
    block = Block(first)
    for line in rest:
        if not block.open:
            raise CommandSyntaxError(f"Program {name!r} ends before {line.strip()!r}.", line=line, column=0)
        block.add(line)
    if block.open:
        raise _without_end(name, first, block.unclosed())
    return f'write program {quoted(name)} "{escape(dedented(block.lines[1:-1]))}"'


def _without_end(name: str, first: str, unclosed: list[_Mark]) -> CommandSyntaxError:
    """The refusal of a program that goes on where its text ends; it names every block that has no ``end``."""
    blocks = [one for one in unclosed if one.line]
    listed = ", ".join(f"`{one.text}` in line {one.line}" for one in blocks)
    if not blocks:
        message = f"Program {name!r} has no `end`; write its lines between `program {name}` and `end`."
    elif len(blocks) < len(unclosed):
        message = f"Program {name!r} has no `end`, nor {'has' if len(blocks) == 1 else 'have'} {listed}."
    elif len(blocks) == 1:
        message = f"{listed} of program {name!r} has no `end`; write one where that block ends."
    else:
        message = (
            f"{len(blocks)} blocks of program {name!r} have no `end`: {listed}; write one where each of them ends."
        )
    lines = [{"line": one.line, "text": one.text} for one in blocks]
    return CommandSyntaxError(message, line=first, column=len(first), blocks=lines)


def _column(line: str) -> int:
    return len(line) - len(line.lstrip())


def dedented(lines: list[str]) -> str:
    """Lines without the indentation that all of them have."""
    import textwrap

    text = "\n".join(lines)
    if "\t" in text:
        text = "\n".join(line[: _column(line)].replace("\t", "    ") + line.lstrip() for line in lines)
    return textwrap.dedent(text)
