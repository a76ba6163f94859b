"""Changes of a cell, and whoever wants to hear of them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec


class Change(msgspec.Struct, frozen=True):
    """A command changed something: the revision after it, its effect, its line and who gave it."""

    revision: str
    effect: str
    line: str
    who: str


class Listeners:
    """Whoever is called after every command that changed something."""

    def __init__(self) -> None:
        self._calls: list[Callable[[Change], None]] = []

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call ``listener`` from now on; returns how to stop it."""
        self._calls.append(listener)
        return lambda: self._calls.remove(listener)

    def tell(self, change: Change) -> None:
        """Call all of them."""
        for listener in list(self._calls):
            listener(change)
