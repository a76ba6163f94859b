"""Words of sentences: articles, plurals and lists, so that a message reads well whatever stands in it."""

from __future__ import annotations

from collections.abc import Sequence

_NAMED_WITH_A_VOWEL = frozenset("AEFHILMNORSX")
"""Capitals whose names begin with a vowel: an STL file."""


_LIKE_A_CONSONANT = ("union", "unit", "unif", "uniq", "univ", "use", "eu", "one")
"""Beginnings that sound like a consonant: a union."""


def an(words: str) -> str:
    """Words with their article: ``an angle``, ``a robot or mechanism``, ``an STL``."""
    first = words.split(None, 1)[0] if words else ""
    spelled = first.isupper() and len(first) > 1
    sounds = first[:1].lower() in tuple("aeiou") and not first.lower().startswith(_LIKE_A_CONSONANT)
    vowel = first[0] in _NAMED_WITH_A_VOWEL if spelled else sounds
    return f"{'an' if vowel else 'a'} {words}"


def capital(sentence: str) -> str:
    """A sentence with a capital at its beginning; the rest stays as it is."""
    return sentence[:1].upper() + sentence[1:]


def counted(number: int, noun: str, nouns: str = "") -> str:
    """A number with its noun: ``1 joint``, ``6 joints``; ``nouns`` where the plural is not the noun with an s."""
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"


def either(words: Sequence[str]) -> str:
    """A choice: ``a``, ``a or b``, ``a, b or c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def joined(words: Sequence[str]) -> str:
    """All of them: ``a``, ``a and b``, ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
