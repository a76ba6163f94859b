"""The rules for names."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from workcell.errors import InvalidValue

_ALLOWED = re.compile(r"[^\W_][\w\-+ ]{0,79}\Z")
RESERVED: set[str] = {"world", "of", "to", "as", "at", "and", "or", "not", "all"}
"""Words with a meaning of their own in commands and queries; the kinds are added by ``kinds``."""


def is_name(name: str) -> bool:
    """Whether a text has the form of a name; words of the language do too, because new versions bring new ones."""
    return name == name.strip() and bool(_ALLOWED.match(name))


@lru_cache(maxsize=4096)
def check_name(name: str) -> str:
    """Return the name; refuse one that is not possible, with the reason."""
    if not name or name != name.strip():
        raise InvalidValue(f"A name must not be empty, or begin or end with a blank; found {name!r}.")
    if not _ALLOWED.match(name):
        raise InvalidValue(
            f"The name {name!r} cannot be used: a name begins with a letter or a digit, contains letters, "
            "digits, _, -, + or blanks, and has at most 80 characters."
        )
    if name.lower() in RESERVED:
        raise InvalidValue(f"The name {name!r} is a word of the command language; choose another.")
    return name


def legal_name(text: str, otherwise: str = "part") -> str:
    """A name for something with another name elsewhere: its letters and digits, other characters as ``-``.

    Args:
        text: its name there, in any alphabet.
        otherwise: the name if nothing of it is left.
    """
    letters = unicodedata.normalize("NFC", text)
    kept = "".join(
        "" if unicodedata.category(c)[0] == "M" else c if c.isalnum() or c in "_+ " else "-" for c in letters
    )
    kept = re.sub(r"-+", "-", re.sub(r"\s+", " ", kept)).strip(" -_+")[:_LONGEST].strip(" -_+")
    name = kept if is_name(kept) else otherwise
    return f"{name}-1" if name.lower() in RESERVED else name


_LONGEST = 60
