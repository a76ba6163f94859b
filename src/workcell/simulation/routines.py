"""Programs written in Python: generators that command robots and yield what they wait for."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from workcell.errors import InvalidValue

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator


@dataclass(frozen=True)
class Seen:
    """Wait until a signal has a value."""

    signal: str
    value: float = 1.0


Yields: TypeAlias = float | Seen
"""What a program written in Python waits for: seconds, or a signal."""
Function: TypeAlias = "Callable[[Simulator], Generator[Yields, None, None]]"


@dataclass(frozen=True)
class Routine:
    """A program written in Python, under a name."""

    name: str
    function: Function

    def begin(self, simulator: Simulator) -> Generator[Yields, None, None]:
        """Its steps on a simulator; none has been made."""
        steps: object = self.function(simulator)
        if not isinstance(steps, Generator):
            raise InvalidValue(
                f"Program {self.name!r} is no generator: it has to `yield` what it waits for, such as the duration of "
                "a move."
            )
        return steps


def checked_yield(name: str, wanted: object) -> Yields:
    """What a program yielded, refused where nobody can wait for it."""
    if isinstance(wanted, Seen):
        return wanted
    if isinstance(wanted, int | float) and math.isfinite(wanted) and wanted >= 0.0:
        return float(wanted)
    raise InvalidValue(
        f"Program {name!r} yields {wanted!r}; a program waits for seconds, zero or more, or for a Seen signal."
    )
