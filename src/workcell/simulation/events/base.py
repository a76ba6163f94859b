"""The base of all events."""

from __future__ import annotations

import msgspec


class Base(msgspec.Struct, frozen=True, tag_field="kind"):
    """The base of all events: when they happened [s]."""

    time: float
