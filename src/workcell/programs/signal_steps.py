"""The steps that set signals, wait, take turns in zones, and begin and end faults."""

from __future__ import annotations

from workcell.programs import wants as w
from workcell.programs.base_step import Base


class SetSignal(Base, frozen=True, tag="set-signal"):
    """Give a signal a value."""

    signal: w.Signal
    value: w.Plain


class WaitFor(Base, frozen=True, tag="wait-for"):
    """Wait until a signal has a value; 1 if none is given."""

    signal: w.Signal
    value: w.Plain | None = None


class Wait(Base, frozen=True, tag="wait"):
    """Let time pass."""

    seconds: w.Seconds


class EnterZone(Base, frozen=True, tag="enter-zone"):
    """Wait until a shared zone has room, and enter it."""

    zone: w.Zone


class LeaveZone(Base, frozen=True, tag="leave-zone"):
    """Leave a shared zone; the next program may enter it."""

    zone: w.Zone


class InjectFault(Base, frozen=True, tag="inject-fault"):
    """Begin a fault of the cell now."""

    fault: w.Fault


class ClearFault(Base, frozen=True, tag="clear-fault"):
    """End a fault: repair what it affects."""

    fault: w.Fault
