"""What engines make of snapshots, kept as long as the sections that they read stay the same."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Some = TypeVar("Some")
_KEPT = 6
"""How many things of one kind are kept before the one that was not asked for longest is let go."""


class Derived:
    """Things by their kind and what they were made from; handed on from a snapshot to the next one of its cell."""

    def __init__(self) -> None:
        self._found: dict[str, OrderedDict[Hashable, Any]] = defaultdict(OrderedDict)
        self._lock = threading.Lock()

    def of(self, kind: str, made_from: Hashable, make: Callable[[], Some]) -> Some:
        """What is known, or what ``make`` returns."""
        with self._lock:
            known = self._found[kind]
            if made_from in known:
                known.move_to_end(made_from)
                found: Some = known[made_from]
                return found
        return self.put(kind, made_from, make())  # in two threads at once it may be made twice, which is no harm

    def get(self, kind: str, made_from: Hashable) -> Any:
        """What is known, or None."""
        with self._lock:
            return self._found[kind].get(made_from)

    def put(self, kind: str, made_from: Hashable, thing: Some) -> Some:
        """Keep a thing; returns it."""
        with self._lock:
            known = self._found[kind]
            known[made_from] = thing
            known.move_to_end(made_from)
            while len(known) > _KEPT:
                known.popitem(last=False)
        return thing
