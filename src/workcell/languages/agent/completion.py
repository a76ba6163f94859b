"""What may come next in Agent text: commands, and the names and words of their arguments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from workcell.commands.language.line_reader import Expectation
from workcell.languages.agent.lines import ENDINGS, LineReader, Words
from workcell.languages.agent.operands import FILE, operands_at, suggestions
from workcell.languages.agent.table import COMMANDS
from workcell.languages.agent.text_names import WORD, TextNames

if TYPE_CHECKING:
    from workcell.commands.session import Session

_ENDINGS = {"load": ENDINGS, "make-robosim-object": (".robosim",)}
"""The endings of the files that commands read; others read files of any name."""


def agent_completions(session: Session, text: str) -> list[Expectation]:
    """Return the completions of the last word of unfinished Agent text.

    Args:
        session: the session with the cell.
        text: the lines up to the place where somebody types.
    """
    *earlier, last = text.split("\n")
    reader, names = LineReader(), TextNames(session)
    for raw in earlier:
        for words in _commands(reader, raw):
            names.follow(words)
    if ";" in last or last.endswith("\\"):
        return []
    *others, typed = _commands(reader, last) or [Words("", ())]
    for words in others:
        names.follow(words)
    known = [typed.name, *typed.arguments]
    begins = last[-1:] in ("", " ", "\t") and typed.name != ""
    *before, prefix = [*known, ""] if begins else known
    found = _suggested(before, prefix, names) if before else _words()
    return list({one.text: one for one in found if prefix.lower() in one.text.lower()}.values())


def _commands(reader: LineReader, raw: str) -> tuple[Words, ...]:
    line = reader.read(raw)
    return () if line is None else line.commands


def _words() -> Iterator[Expectation]:
    for one in COMMANDS.values():
        yield Expectation(one.name, f"{one.form}: {one.help}" if one.form else one.help, True)


def _suggested(before: list[str], prefix: str, names: TextNames) -> Iterator[Expectation]:
    one = COMMANDS.get(before[0])
    if one is None:
        return
    for operand in operands_at(one.form, len(before) - 1):
        if operand == FILE:
            yield from _files(names.session, prefix, _ENDINGS.get(before[0], ()))
        for text, help in suggestions(operand, names, tuple(before[1:])):
            if text not in before:
                yield Expectation(text, help, True)


def _files(session: Session, prefix: str, endings: tuple[str, ...]) -> Iterator[Expectation]:
    """Yield the folders, and the files of some endings, in the folder that is typed, if their paths are one word."""
    for path, folder in session.files.matching(prefix):
        if WORD.match(path) and (folder or not endings or Path(path).suffix in endings):
            yield Expectation(f"{path}/" if folder else path, "a folder" if folder else "a file", True)
