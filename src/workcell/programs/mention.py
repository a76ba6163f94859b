"""A name in the text of a program, so that a rename can follow it."""

from __future__ import annotations

from typing import NamedTuple


class Mention(NamedTuple):
    """A name in a text: where it stands, what it is, and of which kinds it can be."""

    start: int
    end: int
    name: str
    kinds: tuple[str, ...]
