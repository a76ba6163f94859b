"""The steps that set signals, wait, take turns in zones, and begin and end faults."""

from __future__ import annotations

from workcell.programs import wants as w
from workcell.programs.base_step import Base


class SetSignal(Base, frozen=True, tag="set-signal"):
    """Give a signal a value."""

    signal: w.Signal
    value: w.Plain


class WaitFor(Base, frozen=True, tag="wait-for"):
    """Go on when a signal has a value; 1 where none is given."""

    signal: w.Signal
    value: w.Plain | None = None


class Wait(Base, frozen=True, tag="wait"):
    """Let time pass."""

    seconds: w.Seconds


class EnterZone(Base, frozen=True, tag="enter-zone"):
    """Wait until a shared zone has room, and enter it."""

    zone: w.Zone


class LeaveZone(Base, frozen=True, tag="leave-zone"):
    """Let the next one into a shared zone."""

    zone: w.Zone


class InjectFault(Base, frozen=True, tag="inject-fault"):
    """Let a fault of the cell begin now."""

    fault: w.Fault


class ClearFault(Base, frozen=True, tag="clear-fault"):
    """End a fault: what it is of is repaired."""

    fault: w.Fault
