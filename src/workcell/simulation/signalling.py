"""A plant with signals: those that programs set, and those that sensors, grippers, stations and belts give."""

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
    """Gives signals values, and lets sensors and belts do so.

    Args:
        snapshot: what exists.
        state: where everything is.
        recorder: where to write what happens.
        mode: how moves are made.
    """

    def __init__(self, snapshot: Snapshot, state: CellState, recorder: Recorder, mode: Mode) -> None:
        super().__init__(snapshot, state, recorder, mode)
        self.signals: dict[str, float] = signals_of(snapshot)
        """The signals of the cell with their initial values."""
        self._sensing: Sensing | None = None
        self._transport: Transport | None = None
        self._waiting: list[Planned | Glide] | None = None
        """The moves that are to start together, while these are commanded."""
        self._among = False
        """Whether programs run side by side, so that moves begin and others go on."""

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
        """Whether programs run side by side, so that nobody lets time pass alone."""
        return self._among

    def alone(self, what: str) -> None:
        """Refuse what is not a move between moves that start together."""
        if self._waiting is not None:
            raise Refused(f"Only moves can start together; {what} before or after.")

    def note(self, event: Event) -> None:
        """Record that something happened now which changes no state."""
        self.alone("note something")
        self.sense_now()
        self.recorder.event(event)
        self._tell()

    def set_signal(self, signal: str, value: float) -> None:
        """Give a signal of the cell a value."""
        self._known_signal(signal)
        if self._is_sensor(signal):
            raise Refused(f"{signal!r} is a sensor: it says what it senses, and nobody sets it.", signal=signal)
        if signal in gripper_signals(self.snapshot):
            raise Refused(f"{signal!r} says how a gripper is; `close-gripper` and `open-gripper` change it.")
        if signal in self.snapshot.station_signals:
            raise Refused(f"{signal!r} says what a station did, and nobody sets it.", signal=signal)
        if signal in self.snapshot.conveyor_signals:
            raise Refused(f"{signal!r} says how fast a conveyor runs; `run-conveyor` and `stop-conveyor` change it.")
        if not math.isfinite(required_number(value, f"The value of signal {signal!r}")):
            raise InvalidValue(f"A signal has a finite value; found {value}.")
        self.alone("set a signal")
        self.sense_now()
        self.recorder.event(SignalSet(self.now, signal, float(value)))
        self.apply(Signalled(self.now, signal, float(value)))

    def wait_for(self, signal: str, value: float = 1.0) -> None:
        """Go on only when a signal has a value.

        A program that runs alone has nobody who could set it later, so waiting for what is not so is refused.
        """
        self.alone("wait for a signal")
        if self._among:
            raise Refused(f"A program among others waits for a signal by `yield Seen({signal!r})`.")
        found = self.signal(signal)
        if found != value:
            raise Refused(
                f"Signal {signal!r} is {found:g} and nothing else runs that could make it {value:g}; "
                f"set it before it is waited for.",
                signal=signal,
                value=found,
            )
        self.recorder.event(SignalSeen(self.now, signal, float(value)))

    def signal(self, signal: str) -> float:
        """The value of a signal now."""
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
        """Record what sensors read where something has changed since they were looked at.

        Every command ends with this, so that it does not matter who looks at the recording between two.
        """
        if self._unseen and self.snapshot.sensors:
            self.sensing.note()

    def sense(self) -> None:
        """Record what sensors read now, and locate when they change."""
        if self.snapshot.sensors:
            self.sensing.look()

    def sense_over(self, time: float) -> None:
        """Record what sensors do until the clock of the thesis shows a time."""
        if self.snapshot.sensors:
            self.sensing.over(time)

    def convey(self) -> None:
        """Let parts on belts begin or cease to ride, and find when one comes to something."""
        if self.snapshot.conveyor_signals:
            self.transport.look()

    @property
    def conveyed_until(self) -> float:
        """Up to when parts go on with what they go with now [s]."""
        return math.inf if self._transport is None else self._transport.next

    def reached(self) -> None:
        """All that happened until now is in the recording, also what sensors read."""
        if self.snapshot.sensors:
            self.sensing.note()
        super().reached()
