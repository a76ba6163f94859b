"""A name in the text of a program, so that a rename can follow it."""

from __future__ import annotations

import msgspec


class Mention(msgspec.Struct, frozen=True, order=True, gc=False):
    """A name in a text: its place, the name, and the kinds that it can be of."""

    start: int
    end: int
    name: str
    kinds: tuple[str, ...]
