"""What all messages of the wire have in common."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Effect = Literal["reads", "edits", "simulates", "view"]


Number = Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]
"""What a binary frame can carry: the number of a request, the place of a body."""


class Message(msgspec.Struct, frozen=True, rename="camel", tag_field="type", tag=str.lower):
    """What every message has: its ``type``, the class name in lower case."""


class MessageValue(msgspec.Struct, frozen=True, rename="camel"):
    """A value inside a message."""
