"""Python functions that are called periodically while simulated time passes: controllers, guidance, observers."""

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
"""The greatest real time of one call [s]."""


@dataclass(eq=False)
class Recurring:
    """A periodic call.

    Attributes:
        function: the function, called with the simulator.
        name: its name in messages.
        device: the robot or solid that stops on its path if the function fails; '' for everything that moves.
        period: the time between two calls [ns].
        next: when it is called next [ns].
        calls: how often it was called.
        over: whether it is no longer called.
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
        """Return copies of calls. The fields of registered callbacks are copied too; shared ones stay shared."""
        known: dict[int, Any] = {}
        functions = [
            deepcopy(one.function, known) if isinstance(one.function, Callback) else one.function for one in calls
        ]
        return tuple(replace(one, function=function) for one, function in zip(calls, functions, strict=True))

    def cancel(self) -> None:
        """Stop calling the function."""
        self.over = True


def recurring(function: Called, period: float, phase: float, device: str, name: str, now: int) -> Recurring:
    """Return a periodic call that begins a phase after now."""
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
    """Ends calls that take too long by raising an error in their thread."""

    def __init__(self, longest: float = LONGEST) -> None:
        self._longest = longest
        self._began: float | None = None
        self._thread = 0
        self._running: threading.Thread | None = None

    def begin(self) -> None:
        """Note that a call begins."""
        if self._running is None:
            self._running = threading.Thread(target=self._look, daemon=True, name="watchdog of callbacks")
            self._thread = threading.get_ident()
            self._began = clock.monotonic()
            self._running.start()
        self._thread, self._began = threading.get_ident(), clock.monotonic()

    def end(self) -> None:
        """Note that the call is over."""
        self._began = None

    def stop(self) -> None:
        """Stop watching."""
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
    """A call of a callback took too long."""

    def __init__(self) -> None:
        super().__init__(f"The call took more than {LONGEST:g} s; a callback should do little work at a time.")
