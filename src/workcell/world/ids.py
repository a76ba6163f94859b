"""Ids: immutable, unique across files, in order of creation.

An id is a 63-bit number. The first one after a cell is opened is the second of the clock followed by 32
random bits; the next ones count up. So ids of one file grow with time (which keeps the database's trees
compact), and two files never share any. On the wire and in text, an id is 16 hexadecimal digits.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable

_EPOCH = 1_704_067_200  # 2024-01-01, so that 31 bits of seconds last until 2092


class Ids:
    """Allocates ids: fresh ones, or in a replay those that the journal recorded."""

    def __init__(self, after: int = 0) -> None:
        self._next = 0
        self._after = after
        self._recorded: list[int] = []

    def new(self) -> int:
        """The next id."""
        if self._recorded:
            number = self._recorded.pop(0)
        else:
            if not self._next:
                start = (int(time.time()) - _EPOCH) << 32 | secrets.randbits(32)
                # Two openings of one file in the same second must not continue from the same number.
                self._next = max(start, self._after + 1 + secrets.randbits(32))
            number = self._next
            self._next += 1
        return number

    def replay(self, recorded: Iterable[int]) -> None:
        """Allocate these next."""
        self._recorded = list(recorded)


def id_text(number: int) -> str:
    """The id as 16 hexadecimal digits."""
    return f"{number:016x}"


def id_number(text: str) -> int:
    """The number of an id in text form."""
    return int(text, 16)
