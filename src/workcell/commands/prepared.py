"""Long work of editing commands, done beside the cell thread: the command itself then only keeps what came of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from workcell.errors import Refused

if TYPE_CHECKING:
    from workcell.commands.session import Session

T = TypeVar("T")
FROM_FILE: Hashable = "a file"
"""The basis of what comes from a file alone: no change of the cell makes it wrong."""


@dataclass(frozen=True)
class Prepared:
    """What came of the work, and what it was computed from."""

    value: Any
    basis: Hashable


def prepared(session: Session, basis: Hashable, work: Callable[[], T], what: str) -> T:
    """Return what was computed for the current command; if nothing was, do the work now.

    Args:
        session: the session.
        basis: what the work depends on, as it is now.
        work: computes the value.
        what: what is computed, for the refusal.

    Raises:
        Refused: it was computed beside the cell thread, and what it depends on changed meanwhile.
    """
    found = session.prepared
    if found is None:
        return work()
    if found.basis != basis:
        raise Refused(
            f"The cell changed while {what} was computed: bodies, robots, programs, the state or the recording are "
            "others now. Nothing was changed; give the command again."
        )
    value: T = found.value
    return value
