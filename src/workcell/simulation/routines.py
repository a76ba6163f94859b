"""Programs written in Python: generators that command robots and yield what they wait for, and callbacks.

The position of a generator cannot be read, so a run with one cannot be saved. A callback keeps its knowledge in
fields and is called repeatedly; it is saved by its registered name and those fields.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from workcell.errors import Deadlock, InvalidValue, MotionError, Refused
from workcell.simulation.required import LONGEST_WAIT

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator


@dataclass(frozen=True)
class Seen:
    """Wait until a signal has a value."""

    signal: str
    value: float = 1.0


@dataclass(frozen=True)
class Enter:
    """Enter a shared zone as soon as it has room."""

    zone: str


@dataclass(frozen=True)
class Leave:
    """Leave a shared zone; no time passes."""

    zone: str


Yields: TypeAlias = float | Seen | Enter | Leave
"""What a program written in Python waits for: seconds, a signal, or its turn in a shared zone."""
Function: TypeAlias = "Callable[[Simulator], Generator[Yields, None, None]]"


@dataclass(frozen=True)
class Routine:
    """A program written in Python, under a name."""

    name: str
    function: Function

    def begin(self, simulator: Simulator) -> Generator[Yields, None, None]:
        """Return its steps on a simulator, before the first one."""
        steps: object = self.function(simulator)
        if not isinstance(steps, Generator):
            raise InvalidValue(
                f"Program {self.name!r} is not a generator: it must `yield` what it waits for, such as the duration of "
                "a move."
            )
        return steps


class Callback:
    """A program written in Python that can be saved: a class with plain fields, registered under a name.

    ``class Feeder(Callback, name="feeder")`` registers it. ``go_on`` is called when its wait is over.
    """

    registered_name: ClassVar[str] = ""
    _registered: ClassVar[dict[str, type[Callback]]] = {}

    def __init_subclass__(cls, name: str = "", **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.registered_name = name or cls.__name__
        Callback._registered[cls.registered_name] = cls

    @classmethod
    def called(cls, name: str) -> Callback:
        """Return a callback of that name without fields."""
        kind = cls._registered.get(name)
        if kind is None:
            raise Refused(
                f"The run needs the callback {name!r}, which is not registered here; import its module.",
                callback=name,
            )
        return object.__new__(kind)

    def go_on(self, simulator: Simulator) -> Yields | None:
        """Command robots; return what to wait for before the next call, or None at the end."""
        raise NotImplementedError

    def stopped(self, simulator: Simulator, error: MotionError | Deadlock) -> Yields | None:
        """Handle a wait that cannot end; return what to wait for instead. By default, the run ends.

        Args:
            simulator: the simulator.
            error: a motion was stopped, or the wait for a zone would be a deadlock.
        """
        raise error


def checked_yield(name: str, wanted: object) -> Yields:
    """Return what a program yielded; anything that cannot be waited for is refused."""
    if isinstance(wanted, Seen | Enter | Leave):
        return wanted
    number = isinstance(wanted, int | float | np.integer | np.floating) and not isinstance(wanted, bool)
    seconds = float(wanted) if number else math.nan  # type: ignore[arg-type]
    if 0.0 <= seconds <= LONGEST_WAIT:
        return seconds
    raise InvalidValue(
        f"Program {name!r} yields {wanted!r}; a program can wait for zero to {LONGEST_WAIT:g} seconds, "
        "for a Seen signal, or to Enter or Leave a zone."
    )
