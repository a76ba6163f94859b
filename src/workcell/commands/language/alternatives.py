"""Other ways to begin a command: a first word that means another command when a certain word follows.

`place` puts things into the model and `hand` shows a hand. With `on` or `with`, and with `to`, a robot is meant.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

_MARKED = {"place": ("put", frozenset({"on", "with"})), "hand": ("hand-over", frozenset({"to"}))}
"""First words, the command that they mean, and the words of which one must follow."""
IN_PROGRAMS = {word: command for word, (command, _) in _MARKED.items()}
"""First words that mean another command in a program, where nothing edits the cell and nothing is asked."""


def meant(words: Sequence[str | None], quoted: Collection[int]) -> str:
    """Return the first word of the command that a line means; '' if that is its own first word."""
    command, marks = _MARKED.get(words[0] or "", ("", frozenset()))
    if not command:
        return ""
    return command if any(w in marks and n not in quoted for n, w in enumerate(words) if n >= 2) else ""
