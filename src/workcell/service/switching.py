"""How long a working thread may block the others."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

SWITCH_INTERVAL = 0.0002
"""How long a working thread may block the others [s]; short, so that the loop answers at once."""
_lock = threading.Lock()
_before: list[float] = []
"""The interval before each server that runs; only the first of them changed it."""


@contextlib.contextmanager
def quick_switching() -> Iterator[None]:
    """Inside, threads of this process take turns quickly; several servers may be inside."""
    with _lock:
        _before.append(_before[0] if _before else sys.getswitchinterval())
        sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        yield
    finally:
        with _lock:
            interval = _before.pop()
            if not _before:
                sys.setswitchinterval(interval)
