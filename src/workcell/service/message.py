"""The base of all messages of the wire."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Effect = Literal["reads", "edits", "simulates", "view"]


Number = Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]
"""A number that fits into a binary frame, such as that of a request."""


class Message(msgspec.Struct, frozen=True, rename="camel", tag_field="type", tag=str.lower):
    """A message; its ``type`` is the class name in lower case."""


class MessageValue(msgspec.Struct, frozen=True, rename="camel"):
    """A value inside a message."""
