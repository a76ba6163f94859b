"""A line for people who wait while loops are compiled, which happens once on a machine."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

NOTICE = (
    "Loops are being compiled, once on this machine: the first search for a path takes up to four minutes; "
    "later ones take milliseconds."
)
_PATIENCE = 2.0
"""How long loops are compiled before anything is printed [s]."""
_LOOK = 0.5
"""The time between two looks [s]."""


@contextmanager
def noticed(out: TextIO) -> Iterator[None]:
    """Print one line if loops are compiled for more than a moment inside."""
    over = threading.Event()
    looking = threading.Thread(target=_look, args=(out, over), daemon=True, name="compile notice")
    looking.start()
    try:
        yield
    finally:
        over.set()
        looking.join()


def _look(out: TextIO, over: threading.Event) -> None:
    seen = 0.0
    while not over.wait(_LOOK):
        seen = seen + _LOOK if _is_compiling() else 0.0
        if seen >= _PATIENCE:
            print(NOTICE, file=out, flush=True)
            return


def _is_compiling() -> bool:
    """Whether another thread compiles now: it holds the lock of the compiler, if that is loaded at all."""
    module = sys.modules.get("numba.core.compiler_lock")
    lock = getattr(getattr(module, "global_compiler_lock", None), "_lock", None)
    if lock is None or not lock.acquire(blocking=False):
        return lock is not None
    lock.release()
    return False
