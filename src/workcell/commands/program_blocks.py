"""Programs as blocks of lines in scripts, in the shell and in texts: ``program NAME`` … ``end``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workcell.commands.tokens import unquote
from workcell.commands.values import escape
from workcell.errors import CommandSyntaxError
from workcell.world.entities import quoted

WORD = "program"
ORDER = (
    "parameter", "let", "if", "else", "while", "repeat", "for", "parallel", "and", "try", "on-error", "wait-until",
    "call", "frame", "return", "stop", "verbatim",
)  # fmt: skip
"""Words that order the steps of a program, and stand in one only."""
_OPEN = ("if", "while", "for", "repeat", "parallel", "try", "verbatim")


def begins(line: str) -> bool:
    """Whether a line begins a program."""
    words = line.split(None, 1)
    return bool(words) and words[0] == WORD


def orders(lines: Iterable[str]) -> bool:
    """Whether lines outside of programs order steps, so that they are the steps of one."""
    return any(not begins(line) and line.split(None, 1)[0] in ORDER for _, line in gathered(lines) if line.strip())


class Block:
    """The lines of a program that is being typed; ``open`` until its own ``end`` has come."""

    def __init__(self, first: str) -> None:
        self.lines = [first]
        self.depth = 1
        self._verbatim = False
        self._joined = ""

    @property
    def open(self) -> bool:
        """Whether lines are to come."""
        return self.depth > 0

    def add(self, line: str) -> None:
        """Take the next line."""
        self.lines.append(line)
        if self._verbatim:
            if line.strip() == "end":
                self.depth -= 1
                self._verbatim = False
            return
        if line.endswith("\\"):
            self._joined += line[:-1] + " "
            return
        words, self._joined = (self._joined + line).split("#", 1)[0].split(), ""
        first = words[0].lower() if words else ""
        if first == "end":
            self.depth -= 1
        elif first in _OPEN or (first == "wait-until" and words[-1] == "else"):
            self.depth += 1
            self._verbatim = first == "verbatim"

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
        raise CommandSyntaxError(
            f"Program {name!r} has no `end`; write its lines between `program {name}` and `end`.",
            line=first, column=len(first),
        )  # fmt: skip
    return f'write program {quoted(name)} "{escape(dedented(block.lines[1:-1]))}"'


def dedented(lines: list[str]) -> str:
    """Lines without the indentation that all of them have."""
    import textwrap

    spread = [line[: len(line) - len(line.lstrip())].replace("\t", "    ") + line.lstrip() for line in lines]
    return textwrap.dedent("\n".join(spread))
