"""A name in the text of a program, so that a rename can follow it."""

from __future__ import annotations

import msgspec


class Mention(msgspec.Struct, frozen=True, order=True, gc=False):
    """A name in a text: where it stands, what it is, and of which kinds it can be."""

    start: int
    end: int
    name: str
    kinds: tuple[str, ...]
