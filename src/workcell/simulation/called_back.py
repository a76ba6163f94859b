"""A plant in which functions are called again and again while time passes."""

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
    """Calls functions at their periods; one that raises an error is called no more, and its device stops.

    Args:
        snapshot: what exists.
        state: where everything is.
        recorder: where to write what happens.
        mode: how moves are made.
    """

    def __init__(self, snapshot: Snapshot, state: CellState, recorder: Recorder, mode: Mode) -> None:
        super().__init__(snapshot, state, recorder, mode)
        self.callbacks: list[Recurring] = []
        """What is called again and again."""
        self._watchdog = Watchdog()
        self._calling = False
        """Whether a callback runs: moves begin and others go on, and nobody may wait."""

    def every(
        self, period: float, function: Called, *, phase: float = 0.0, device: str = "", name: str = ""
    ) -> Recurring:
        """Call a function with this simulator again and again while time passes.

        It sees the past and the present, and may command what is to come: set-points, signals, holds. One that raises
        an error is called no more, and its device stops on its path.

        Args:
            period: between two calls [s], to whole nanoseconds.
            function: what to call.
            phase: how long after now the first call comes [s].
            device: the robot or solid that it is about; everything unless given.
            name: what people call it.
        """
        if self.mode == "joint-by-joint":
            raise Refused("Callbacks need a clock that never stands; `mode path` has one.")
        if device:
            self._require_device(device)
        one = recurring(function, period, phase, device, name, self.time_ns)
        self.callbacks.append(one)
        self._call_back(one)
        return one

    def _called_in_order(self) -> list[Recurring]:
        """What is called again and again, in the order in which the queue would call it at one instant."""
        return [one for action in self._agenda.actions if (one := _called(action)) is not None and not one.over]

    def _call_back(self, one: Recurring) -> None:
        self.schedule_ns(one.next, Kind.CALLBACK, partial(self._call, one))

    def _call(self, one: Recurring) -> None:
        if one.over:
            self.callbacks.remove(one)
            return
        one.calls += 1
        one.next += one.period
        self._call_back(one)
        self._watchdog.begin()
        self._calling = True
        try:
            one.function(self)
        except Exception as error:  # whatever a stranger's code raises
            self._failed(one, error)
        finally:
            self._calling = False
            self._watchdog.end()

    def _failed(self, one: Recurring, error: Exception) -> None:
        """A callback raised an error: its device stops on its path, and the recording stays whole."""
        one.over = True
        reason = str(error) or type(error).__name__
        self.recorder.event(CallbackFailed(self.now, one.name, one.device, reason))
        for drive in firsts(self.drives.values()):
            concerned = self.snapshot.members(one.device) if one.device else names_of(drive.planned)
            if not set(concerned).isdisjoint(names_of(drive.planned)) and drive.number not in self.given_up:
                set_rate(self, drive, 0.0, give_up=f"callback {one.name} failed ({reason})", force=True)


def _called(action: Action) -> Recurring | None:
    """What an entry of the queue calls back, if it does."""
    (first, *_) = action.args if isinstance(action, partial) and action.args else (None,)
    return first if isinstance(first, Recurring) else None
