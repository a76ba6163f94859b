"""Connections that have not shown yet what they want: bounded for each address, so that they lock out nobody."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

MAX_STRANGERS = 16
"""The most connections of one address that have not spoken yet; one more, and the oldest of them has to go."""
MAX_IN_ALL = 256
"""The most of all addresses; one more, and the oldest of the address with the most has to go."""


class Strangers:
    """The strangers of one port, by address, in the order of their arrival. Only the event loop uses it."""

    def __init__(self) -> None:
        self._waiting: dict[str, dict[object, Callable[[], object]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def arrive(self, address: str, who: object, dismiss: Callable[[], object]) -> None:
        """Add a stranger; if there are too many, the one that has been silent for longest is dismissed.

        Args:
            address: where it comes from.
            who: the connection, for :meth:`leave`.
            dismiss: called if it has to go; it must not add strangers.
        """
        self._waiting.setdefault(address, {})[who] = dismiss
        crowd = self._waiting[address]
        if len(crowd) <= MAX_STRANGERS:
            if len(self) <= MAX_IN_ALL:
                return
            crowd = max(self._waiting.values(), key=len)
        crowd.pop(next(iter(crowd)))()

    def leave(self, address: str, who: object) -> None:
        """Remove a stranger that has spoken or gone; nothing happens if it was dismissed."""
        crowd = self._waiting.get(address, {})
        crowd.pop(who, None)
        if not crowd:
            self._waiting.pop(address, None)

    @contextlib.contextmanager
    def waiting(self, address: str, dismiss: Callable[[], object]) -> Iterator[None]:
        """Inside, a connection is a stranger."""
        who = object()
        self.arrive(address, who, dismiss)
        try:
            yield
        finally:
            self.leave(address, who)
