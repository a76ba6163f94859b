"""Python that is called again and again while simulated time passes: controllers, guidance, observers."""

from __future__ import annotations

import ctypes
import threading
import time as clock
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from workcell.errors import InvalidValue, TooCostly
from workcell.simulation.instants import nanoseconds
from workcell.simulation.required import required_number
from workcell.simulation.routines import Callback

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

Called: TypeAlias = "Callable[[Simulator], object]"

LONGEST = 10.0
"""How long one call may take in real time [s]."""


@dataclass(eq=False)
class Recurring:
    """A call that comes back at a period.

    Attributes:
        function: what is called with the simulator.
        name: what people call it.
        device: the robot or solid that is stopped on its path when it fails; everything that moves when ''.
        period: between two calls [ns].
        next: when it is called next [ns].
        calls: how often it was called.
        over: whether it is called no more.
    """

    function: Callable[..., object]
    name: str
    device: str
    period: int
    next: int
    calls: int = 0
    over: bool = field(default=False)

    @staticmethod
    def copied(calls: Sequence[Recurring]) -> tuple[Recurring, ...]:
        """The same calls as they are now; what registered callbacks know is copied, and shared where it was shared."""
        known: dict[int, Any] = {}
        functions = [
            deepcopy(one.function, known) if isinstance(one.function, Callback) else one.function for one in calls
        ]
        return tuple(replace(one, function=function) for one, function in zip(calls, functions, strict=True))

    def cancel(self) -> None:
        """Let it be called no more."""
        self.over = True


def recurring(function: Called, period: float, phase: float, device: str, name: str, now: int) -> Recurring:
    """A call that comes back, from a phase after now on."""
    if not callable(function):
        raise InvalidValue(f"A callback is a function of the simulator; found {type(function).__name__}.")
    every = nanoseconds(_finite(period, "The period of a callback"))
    if every <= 0:
        raise InvalidValue(f"The period of a callback is at least 1 ns; found {period:g} s.")
    first = nanoseconds(_finite(phase, "The phase of a callback"))
    if first < 0:
        raise InvalidValue(f"The phase of a callback is zero or more; found {phase:g} s.")
    called = name or str(getattr(function, "__name__", type(function).__name__))
    return Recurring(function, called, device, every, now + first)


def _finite(value: float, what: str) -> float:
    number = required_number(value, what)
    if not abs(number) < 1e9:
        raise InvalidValue(f"{what} is a finite number of seconds below 1e9; found {number:g}.")
    return number


class Watchdog:
    """Ends calls that take for ever: an error is raised in them, in the thread in which they run."""

    def __init__(self, longest: float = LONGEST) -> None:
        self._longest = longest
        self._began: float | None = None
        self._thread = 0
        self._running: threading.Thread | None = None

    def begin(self) -> None:
        """A call begins."""
        if self._running is None:
            self._running = threading.Thread(target=self._look, daemon=True, name="watchdog of callbacks")
            self._thread = threading.get_ident()
            self._began = clock.monotonic()
            self._running.start()
        self._thread, self._began = threading.get_ident(), clock.monotonic()

    def end(self) -> None:
        """The call is over."""
        self._began = None

    def stop(self) -> None:
        """Watch no more."""
        self._running = None

    def _look(self) -> None:
        me = threading.current_thread()
        while self._running is me:
            clock.sleep(min(0.25, self._longest / 4.0))
            began = self._began
            if began is not None and clock.monotonic() - began > self._longest:
                self._began = None
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread), ctypes.py_object(CallTookTooLong)
                )


class CallTookTooLong(TooCostly):
    """A call of a callback took longer than it may."""

    def __init__(self) -> None:
        super().__init__(f"The call took more than {LONGEST:g} s; let a callback do little, and often.")
