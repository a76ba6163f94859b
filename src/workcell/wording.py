"""Articles, plurals and lists for messages."""

from __future__ import annotations

from collections.abc import Sequence

_NAMED_WITH_A_VOWEL = frozenset("AEFHILMNORSX")
"""Capitals whose names begin with a vowel: an STL file."""


_LIKE_A_CONSONANT = ("union", "unit", "unif", "uniq", "univ", "use", "eu", "one")
"""Beginnings that sound like a consonant: a union."""


def an(words: str) -> str:
    """Return words with their article: ``an angle``, ``a robot or mechanism``, ``an STL``."""
    first = words.split(None, 1)[0] if words else ""
    spelled = first.isupper() and len(first) > 1
    sounds = first[:1].lower() in tuple("aeiou") and not first.lower().startswith(_LIKE_A_CONSONANT)
    vowel = first[0] in _NAMED_WITH_A_VOWEL if spelled else sounds
    return f"{'an' if vowel else 'a'} {words}"


def capital(sentence: str) -> str:
    """Return a sentence that begins with a capital; the rest is unchanged."""
    return sentence[:1].upper() + sentence[1:]


def one_line(text: object) -> str:
    """Return a text with all white space as single blanks."""
    return " ".join(str(text).split())


def counted(number: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun: ``1 joint``, ``6 joints``. Give ``nouns`` if the plural is irregular."""
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"


def either(words: Sequence[str]) -> str:
    """Return words as a choice: ``a``, ``a or b``, ``a, b or c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def joint_words(number: int, name: str) -> str:
    """Return how a sentence begins about a joint, counted from 1: with its name if that says more than the number."""
    return f"Joint {number}" if name == f"joint {number}" else f"Joint {number} ({name})"


def quoted(name: str) -> str:
    """A name as it stands in a command: in quotes when it has a blank."""
    return f'"{name}"' if " " in name else name


def path_instead(name: str) -> str:
    """Return what to write where the name of a path was given for a pose."""
    return (
        f"{name!r} is a path: `move-along ROBOT {quoted(name)} speed SPEED` follows it, and `for VARIABLE in "
        f"{quoted(name)}` visits its targets one by one."
    )


def joined(words: Sequence[str]) -> str:
    """Return words as a list: ``a``, ``a and b``, ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
