"""A plant with signals: those that programs set, and those of sensors, grippers, stations and belts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from workcell.errors import InvalidValue, Refused, UnknownName
from workcell.simulation.called_back import CalledBack
from workcell.simulation.events import Event, SignalSeen, SignalSet
from workcell.simulation.gliding import Glide
from workcell.simulation.happenings import Signalled
from workcell.simulation.modes import Mode
from workcell.simulation.planned import Planned
from workcell.simulation.recorder import Recorder
from workcell.simulation.required import required_number
from workcell.world.inventory import gripper_signals, signals_of
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.sensing import Sensing
    from workcell.simulation.transport import Transport


class Signalling(CalledBack):
    """Gives signals their values, and lets sensors and belts do so.

    Args:
        snapshot: what exists.
        state: where everything is.
        recorder: records what happens.
        mode: how moves are made.
    """

    def __init__(self, snapshot: Snapshot, state: CellState, recorder: Recorder, mode: Mode) -> None:
        super().__init__(snapshot, state, recorder, mode)
        self.signals: dict[str, float] = signals_of(snapshot)
        """The signals of the cell with their initial values."""
        self._sensing: Sensing | None = None
        self._transport: Transport | None = None
        self._waiting: list[Planned | Glide] | None = None
        """The moves that will start together, while they are being commanded."""
        self._among = False
        """Whether programs run in parallel, so that a move begins and returns at once."""

    @property
    def sensing(self) -> Sensing:
        """The sensors of the cell."""
        raise NotImplementedError

    @property
    def transport(self) -> Transport:
        """The belts of the cell, and what happens to parts on them."""
        raise NotImplementedError

    @property
    def among(self) -> bool:
        """Whether programs run in parallel, so that no caller may advance the time alone."""
        return self._among

    def alone(self, what: str) -> None:
        """Begin what is no move: refuse it among moves that start together, and record what sensors read by now."""
        if self._waiting is not None:
            raise Refused(f"Only moves can start together; {what} before or after.")
        self.sense_now()

    def note(self, event: Event) -> None:
        """Record an event that happens now and changes no state."""
        self.alone("note something")
        self.recorder.event(event)
        self._share_state()

    def set_signal(self, signal: str, value: float) -> None:
        """Give a signal of the cell a value."""
        self._known_signal(signal)
        if self._is_sensor(signal):
            raise Refused(f"{signal!r} is a sensor: it shows what it senses and cannot be set.", signal=signal)
        if signal in gripper_signals(self.snapshot):
            raise Refused(f"{signal!r} shows the state of a gripper; `close-gripper` and `open-gripper` change it.")
        if signal in self.snapshot.station_signals:
            raise Refused(f"{signal!r} shows what a station did and cannot be set.", signal=signal)
        if signal in self.snapshot.conveyor_signals:
            raise Refused(f"{signal!r} shows how fast a conveyor runs; `run-conveyor` and `stop-conveyor` change it.")
        if not math.isfinite(required_number(value, f"The value of signal {signal!r}")):
            raise InvalidValue(f"The value of a signal must be finite; found {value}.")
        self.alone("set a signal")
        self.recorder.event(SignalSet(self.now, signal, float(value)))
        self.apply(Signalled(self.now, signal, float(value)))

    def wait_for(self, signal: str, value: float = 1.0) -> None:
        """Wait until a signal has a value.

        Nothing can set the signal while a program runs alone, so waiting for another value is refused.
        """
        self.alone("wait for a signal")
        if self._among:
            raise Refused(f"A program that runs beside others waits with `yield Seen({signal!r})`.")
        found = self.signal(signal)
        if found != value:
            raise Refused(
                f"Signal {signal!r} is {found:g} and nothing else runs that could make it {value:g}; "
                f"set it before this step.",
                signal=signal,
                value=found,
            )
        self.recorder.event(SignalSeen(self.now, signal, float(value)))

    def signal(self, signal: str) -> float:
        """Return the value of a signal now."""
        if self._is_sensor(signal):
            return self.sensing.value(signal)
        self._known_signal(signal)
        return self.signal_values.get(signal, self.signals.get(signal, 0.0))

    def _is_sensor(self, signal: str) -> bool:
        return bool(self.snapshot.sensors) and signal in self.sensing

    def _known_signal(self, signal: str) -> None:
        if signal not in self.signal_values and signal not in self.signals:
            raise UnknownName.among("signal", signal, self.signals, "Make one with `create signal NAME`.")

    def sense_first(self) -> None:
        """Record what sensors read before anything happens."""
        if self.snapshot.sensors:
            self.sensing.note()

    def sense_now(self) -> None:
        """Record what sensors read if something has changed since they were last read.

        Commands begin and end with this, so that reading the recording between them makes no difference.
        """
        if self._unseen and self.snapshot.sensors:
            self.sensing.note()

    def sense(self) -> None:
        """Record what sensors read now, and locate their changes."""
        if self.snapshot.sensors:
            self.sensing.look()

    def sense_over(self, time: float) -> None:
        """Record what sensors do until the clock of the thesis shows a time."""
        if self.snapshot.sensors:
            self.sensing.over(time)

    def convey(self) -> None:
        """Let parts on belts begin or stop riding, and find when one meets something."""
        if self.snapshot.conveyor_signals:
            self.transport.look()

    @property
    def conveyed_until(self) -> float:
        """Until when parts move with their present carriers [s]."""
        return math.inf if self._transport is None else self._transport.next

    def reached(self) -> None:
        """Note that everything until now is recorded, including what sensors read."""
        if self.snapshot.sensors:
            self.sensing.note()
        super().reached()
