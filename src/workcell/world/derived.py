"""Results that engines derive from snapshots, kept as long as the sections that they read stay the same."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Some = TypeVar("Some")
_KEPT = 6
"""The number of results of one kind that are kept; beyond it, the least recently used one is dropped."""


class Derived:
    """Results by their kind and inputs; passed on from a snapshot to the next one of its cell."""

    def __init__(self) -> None:
        self._found: dict[str, OrderedDict[Hashable, Any]] = defaultdict(OrderedDict)
        self._lock = threading.Lock()

    def of(self, kind: str, made_from: Hashable, make: Callable[[], Some]) -> Some:
        """The known result, or what ``make`` returns."""
        with self._lock:
            known = self._found[kind]
            if made_from in known:
                known.move_to_end(made_from)
                found: Some = known[made_from]
                return found
        return self.put(kind, made_from, make())  # two threads may make it at once, which is harmless

    def get(self, kind: str, made_from: Hashable) -> Any:
        """The known result, or None."""
        with self._lock:
            return self._found[kind].get(made_from)

    def put(self, kind: str, made_from: Hashable, thing: Some) -> Some:
        """Keep a result and return it."""
        with self._lock:
            known = self._found[kind]
            known[made_from] = thing
            known.move_to_end(made_from)
            while len(known) > _KEPT:
                known.popitem(last=False)
        return thing
