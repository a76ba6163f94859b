"""Words of sentences: articles, plurals and lists, so that a message reads well whatever stands in it."""

from __future__ import annotations

from collections.abc import Sequence


def an(words: str) -> str:
    """Words with their article: ``an angle``, ``a robot or mechanism``."""
    return f"{'an' if words[:1].lower() in tuple('aeiou') else 'a'} {words}"


def counted(number: int, noun: str, nouns: str = "") -> str:
    """A number with its noun: ``1 joint``, ``6 joints``; ``nouns`` where the plural is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def either(words: Sequence[str]) -> str:
    """A choice: ``a``, ``a or b``, ``a, b or c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
