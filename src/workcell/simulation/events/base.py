"""What all events have in common."""

from __future__ import annotations

import msgspec


class Base(msgspec.Struct, frozen=True, tag_field="kind"):
    """What all events have in common: when they happened [s]."""

    time: float
