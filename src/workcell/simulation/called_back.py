"""A plant that calls functions periodically while time passes."""

from __future__ import annotations

from functools import partial

from workcell.errors import Refused
from workcell.simulation.agenda import Action, Kind
from workcell.simulation.company import firsts, names_of
from workcell.simulation.events import CallbackFailed
from workcell.simulation.modes import Mode
from workcell.simulation.rate_changes import set_rate
from workcell.simulation.recorder import Recorder
from workcell.simulation.recurring import Called, Recurring, Watchdog, recurring
from workcell.simulation.steerable import Steerable
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState


class CalledBack(Steerable):
    """Calls functions at their periods. If one raises an error, it is not called again, and its device stops.

    Args:
        snapshot: what exists.
        state: where everything is.
        recorder: records what happens.
        mode: how moves are made.
    """

    def __init__(self, snapshot: Snapshot, state: CellState, recorder: Recorder, mode: Mode) -> None:
        super().__init__(snapshot, state, recorder, mode)
        self.callbacks: list[Recurring] = []
        """The functions that are called periodically."""
        self._watchdog = Watchdog()
        self._calling = False
        """Whether a callback is running. It may begin moves, but must not wait."""

    def every(
        self, period: float, function: Called, *, phase: float = 0.0, device: str = "", name: str = ""
    ) -> Recurring:
        """Call a function with this simulator periodically while time passes.

        The function sees the past and the present, and may command the future: set-points, signals, holds. If it raises
        an error, it is not called again, and its device stops on its path.

        Args:
            period: between two calls [s], to whole nanoseconds.
            function: what to call.
            phase: the delay of the first call [s].
            device: the robot or solid that it controls; all by default.
            name: its name in messages.
        """
        if self.mode == "joint-by-joint":
            raise Refused("Callbacks need a clock that never stops; `mode path` has one.")
        if device:
            self._require_device(device)
        one = recurring(function, period, phase, device, name, self.time_ns)
        self.callbacks.append(one)
        self._call_back(one)
        return one

    def _called_in_order(self) -> list[Recurring]:
        """Return the periodic functions, in the order in which the queue would call them at one instant."""
        return [one for action in self._agenda.actions if (one := _called(action)) is not None and not one.over]

    def _call_back(self, one: Recurring) -> None:
        self.schedule_ns(one.next, Kind.CALLBACK, partial(self._call, one))

    def _call(self, one: Recurring) -> None:
        if one.over:
            self.callbacks.remove(one)
            return
        one.calls += 1
        one.next += one.period
        self._agenda.enter(one.next, Kind.CALLBACK, partial(self._call, one))
        self._watchdog.begin()
        self._calling = True
        try:
            one.function(self)
        except Exception as error:  # user code may raise anything
            self._failed(one, error)
        finally:
            self._calling = False
            self._watchdog.end()

    def _failed(self, one: Recurring, error: Exception) -> None:
        """Stop the device of a callback that raised an error on its path. The recording stays whole."""
        one.over = True
        reason = str(error) or type(error).__name__
        self.recorder.event(CallbackFailed(self.now, one.name, one.device, reason))
        for drive in firsts(self.drives.values()):
            concerned = self.snapshot.members(one.device) if one.device else names_of(drive.planned)
            if not set(concerned).isdisjoint(names_of(drive.planned)) and drive.number not in self.given_up:
                set_rate(self, drive, 0.0, give_up=f"callback {one.name} failed ({reason})", force=True)


def _called(action: Action) -> Recurring | None:
    """Return the periodic function of a queue entry, if it has one."""
    (first, *_) = action.args if isinstance(action, partial) and action.args else (None,)
    return first if isinstance(first, Recurring) else None
