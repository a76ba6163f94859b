"""Changes of a cell, and the listeners that are notified of them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec


class Change(msgspec.Struct, frozen=True):
    """A command changed something: the revision after it, its effect, its line in SI units and who gave it."""

    revision: str
    effect: str
    line: str
    who: str
    ended: str = ""
    """The run that it discarded; '' for none."""
    whose: str = ""
    """Who began that run."""
    label: str = ""
    """The line for people, as it was typed; of a call, as one would type it. '' if it has no line of its own."""


class Listeners(list[Callable[[Change], None]]):
    """The functions that are called after every command that changed something."""

    def add(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call ``listener`` from now on; return a function that stops it."""
        self.append(listener)
        return lambda: self.remove(listener)

    def tell(self, change: Change) -> None:
        """Call all of them."""
        for listener in list(self):
            listener(change)
