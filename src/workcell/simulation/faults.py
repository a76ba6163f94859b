"""Faults of a run: when each begins and ends, and what it does to devices, sensors, grippers and parts.

What is left to chance is drawn by number from a seed, so that the state of a fault is a few plain numbers: the same
seed gives the same faults however a run is made, paused or saved. The recording holds what truly happens.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import GraspFailed, Refused, UnknownName
from workcell.motion.override import LEAST_RATE
from workcell.simulation.agenda import Kind
from workcell.simulation.company import firsts, names_of, rate_of
from workcell.simulation.events import FaultBegan, FaultEnded
from workcell.simulation.falling import stop_where_watched
from workcell.simulation.gliding import Glide
from workcell.simulation.instants import SECOND, nanoseconds
from workcell.simulation.lies import lied
from workcell.simulation.planned import Planned
from workcell.simulation.rate_changes import set_rates
from workcell.simulation.sensors import Reading
from workcell.simulation.slipping import slip
from workcell.simulation.tethers import tethered
from workcell.world.fault_places import (
    DRIFTS,
    KEEPS_OPEN,
    SLIPS,
    SLOW,
    STICKS,
    STOPS,
    FaultPlace,
)  # fmt: skip

if TYPE_CHECKING:
    from workcell.simulation.equipped import Equipped

Array = NDArray[np.float64]

_HOUR = 3600.0
_MOVERS = (STOPS, SLOW, DRIFTS)
"""The faults of devices that move: a use is a move that begins."""
_ONCE = (SLIPS, KEEPS_OPEN)
"""The faults that a use begins for this use only, unless they last."""


@dataclass
class FaultState:
    """Where a fault stands.

    Attributes:
        active: whether it goes wrong now.
        until: when it ends [ns]; -1 where it lasts until it is cleared.
        next: when it begins [ns]; -1 where no time begins it.
        uses: how many uses there were.
        draws: how many numbers were drawn.
        times: how often it began since it was right; a drift adds up.
        value: what a sensor that sticks reads.
        held: whether its device was held already when it stopped.
    """

    active: bool = False
    until: int = -1
    next: int = -1
    uses: int = 0
    draws: int = 0
    times: int = 0
    value: float = 0.0
    held: bool = False


def drawn(seed: int, number: int) -> float:
    """The random number of a seed, from 0 to 1, by its number."""
    return random.Random(f"{seed}/{number}").random()


class Faults:
    """The faults of a simulator.

    Args:
        simulator: where they happen.
        places: what goes wrong; those with a problem never do by themselves.
    """

    def __init__(self, simulator: Equipped, places: Iterable[FaultPlace]) -> None:
        self._simulator = simulator
        self.places: dict[str, FaultPlace] = {}
        self.states: dict[str, FaultState] = {}
        for one in places:
            self.add(one)

    def add(self, place: FaultPlace) -> None:
        """Take up a fault; time begins to run for it."""
        self.places[place.name], state = place, FaultState()
        self.states[place.name] = state
        if place.problem or self._by_joints(place):
            return
        if place.at is not None and nanoseconds(place.at) <= self._simulator.time_ns:
            self._begin(place)
            return
        if place.at is not None:
            state.next = nanoseconds(place.at)
        self._draw_next(place)
        self._schedule(place.name)

    def _by_joints(self, place: FaultPlace) -> bool:
        """Whether a fault of a device cannot be where joints move one by one."""
        return place.does in _MOVERS and self._simulator.mode == "joint-by-joint"

    # ---- beginning and ending ---------------------------------------------------------------------------

    def inject(self, name: str) -> FaultPlace:
        """Let a fault begin now, whatever else would begin it.

        Raises:
            UnknownName: there is no such fault.
            Refused: it cannot begin, or has begun; the sentence says why.
        """
        place = self._place(name)
        if place.problem:
            raise Refused(place.problem, fault=name)
        if self._by_joints(place):
            raise Refused(f"Fault {name!r} is of a device that moves joint by joint; `mode path` has faults of moves.")
        if self.states[name].active and place.does != DRIFTS:
            raise Refused(f"Fault {name!r} has begun already; `clear-fault {name}` ends it.", fault=name)
        self._begin(place)
        return place

    def clear(self, name: str) -> FaultPlace:
        """End a fault.

        Raises:
            Refused: it has not begun.
        """
        place = self._place(name)
        if not self.states[name].active:
            raise Refused(f"Fault {name!r} has not begun; there is nothing to clear.", fault=name)
        self._end(place)
        return place

    def _place(self, name: str) -> FaultPlace:
        if name not in self.places:
            raise UnknownName.among("fault", name, self.places, "Make one with `add fault NAME …`.")
        return self.places[name]

    def _begin(self, place: FaultPlace) -> None:
        simulator, state = self._simulator, self.states[place.name]
        if place.sensor:
            state.value = self._reads(place.sensor)
        drive = simulator.drives.get(_device(place))
        state.active, state.times, state.next = True, state.times + 1, -1
        state.held = drive is not None and drive.rate == 0.0
        state.until = -1 if place.lasts is None else simulator.time_ns + max(1, nanoseconds(place.lasts))
        if place.does in (DRIFTS, SLIPS):
            self._draw_next(place)
        self._schedule(place.name)
        simulator.recorder.event(
            FaultBegan(simulator.now, place.name, place.does, place.body or place.thing, place.sensor)
        )
        self._take_effect(place)
        if place.does == SLIPS:
            self._slip(place)

    def _reads(self, sensor: str) -> float:
        """What a sensor reads now, as it was recorded last."""
        sensing = self._simulator.sensing
        known = None if sensing.runs_on(sensor) else self._simulator.signal_values.get(sensor)
        return sensing.value(sensor) if known is None else known

    def _end(self, place: FaultPlace) -> None:
        simulator, state = self._simulator, self.states[place.name]
        held = state.held
        self.states[place.name] = state = replace(state, active=False, until=-1, times=0, held=False)
        simulator.recorder.event(
            FaultEnded(simulator.now, place.name, place.does, place.body or place.thing, place.sensor)
        )
        if state.next < 0:
            self._draw_next(place)
            self._schedule(place.name)
        self._take_effect(place, held)

    def _take_effect(self, place: FaultPlace, held: bool = False) -> None:
        """Let what moves or senses follow a fault that has begun or ended."""
        simulator = self._simulator
        simulator.happened += 1
        if place.sensor or place.does == DRIFTS:
            if place.does == DRIFTS:
                simulator.changed()
            if simulator.snapshot.sensors:
                simulator.sensing.note()
        elif place.does in (STOPS, SLOW):
            drive = simulator.drives.get(_device(place))
            if drive is None or drive.number in simulator.given_up or held:
                return
            rate = 0.0 if self.stopped(names_of(drive.planned)) else rate_of(simulator.paces, drive.planned)
            ended = not self.states[place.name].active
            if (rate != drive.rate or drive.runs) and (drive.rate > 0.0 or (ended and place.does == STOPS)):
                set_rates(simulator, drive, rate, force=True)

    # ---- time -------------------------------------------------------------------------------------------

    def _draw_next(self, place: FaultPlace) -> None:
        """Draw when a fault that comes so often an hour begins next."""
        if place.per_hour is None:
            return
        state = self.states[place.name]
        wait = -math.log(1.0 - self._drawn(place)) / place.per_hour * _HOUR
        state.next = self._simulator.time_ns + max(1, math.ceil(wait * SECOND))

    def _drawn(self, place: FaultPlace) -> float:
        state = self.states[place.name]
        state.draws += 1
        return drawn(place.seed, state.draws)

    def _schedule(self, name: str) -> None:
        state = self.states[name]
        for instant in (state.next, state.until):
            if instant >= 0:
                self._simulator.schedule_ns(instant, Kind.FAULT, partial(self._due, name, instant))

    def _due(self, name: str, instant: int) -> None:
        """A fault begins or ends, if that is still to come at this instant."""
        place = self.places.get(name)
        if place is None:
            return
        if self.states[name].active and self.states[name].until == instant:
            self._end(place)
        if self.states[name].next == instant:
            self.states[name].next = -1
            if not self.states[name].active or place.does == DRIFTS:
                self._begin(place)

    # ---- uses -------------------------------------------------------------------------------------------

    def at_work(self, moves: Sequence[Planned | Glide]) -> Sequence[Planned | Glide]:
        """Moves that are about to begin, each a use of its device, as they are truly made.

        What a device that drifts reads of its joints is not where they are.
        """
        made = []
        for move in moves:
            if self.drift(move.name) is not None and isinstance(move, Planned) and not tethered(move):
                move = move.off(self._simulator.joints_of(move.name) - move.start)
            made.append(move)
        for move in moves:
            if move.name not in self._simulator.drives:
                self.moving(move.name)
        return made

    def moving(self, device: str) -> None:
        """A device is about to move: a use of it."""
        for place in self._of(device, _MOVERS):
            self._used(place)

    def sensing(self, sensor: str) -> None:
        """A sensor is about to change: a use of it."""
        for place in self.places.values():
            if place.sensor == sensor:
                self._used(place)

    def closing(self, robot: str) -> None:
        """A gripper is about to close.

        Raises:
            GraspFailed: it does not.
        """
        for place in self._of(robot, (KEEPS_OPEN,)):
            by_use = self._used(place)
            if self.states[place.name].active:
                if by_use and place.lasts is None:
                    self._end(place)
                raise GraspFailed(
                    f"The gripper of {robot} does not close: fault {place.name!r}.", test="fault", fault=place.name
                )

    def gripped(self, part: str) -> None:
        """A gripper has taken a part: a use of it."""
        for place in list(self.places.values()):
            if place.does == SLIPS and place.body == part and not self._used(place) and self.states[place.name].active:
                self._slip(place)

    def _used(self, place: FaultPlace) -> bool:
        """Count a use of something that is right; whether its fault begins with it."""
        state = self.states[place.name]
        if place.problem or (state.active and place.does != DRIFTS) or self._by_joints(place):
            return False
        state.uses += 1
        begins = place.uses is not None and state.uses == place.uses + 1
        if place.chance is not None:
            begins = self._drawn(place) < place.chance
        if begins:
            self._begin(place)
        return begins

    def _of(self, name: str, kinds: tuple[str, ...]) -> Iterator[FaultPlace]:
        for place in list(self.places.values()):
            if place.does in kinds and _device(place) == name:
                yield place

    def _active(self, *kinds: str) -> Iterator[FaultPlace]:
        return (one for one in self.places.values() if one.does in kinds and self.states[one.name].active)

    # ---- what they do -----------------------------------------------------------------------------------

    def paces(self, rates: Mapping[str, float]) -> Mapping[str, float]:
        """Overrides with the speeds that slow devices keep."""
        slow = list(self._active(SLOW))
        if not slow:
            return rates
        found = dict(rates)
        for place in slow:
            found[_device(place)] = max(LEAST_RATE, found.get(_device(place), 1.0) * place.part)
        return found

    def stopped(self, names: Iterable[str]) -> str:
        """The fault that stops one of some devices, or ''."""
        there = {*names}
        return next((place.name for place in self._active(STOPS) if _device(place) in there), "")

    def require_going(self, device: str) -> None:
        """Refuse to command a device that a fault stops."""
        fault = self.stopped([device])
        if fault:
            raise Refused(f"{device} is stopped by fault {fault!r}; `clear-fault {fault}` repairs it.", fault=fault)

    def hold_stopped(self) -> None:
        """Hold the moves that have begun of devices which do not move."""
        simulator = self._simulator
        for drive in firsts(simulator.drives.values()):
            if drive.rate > 0.0 and drive.number not in simulator.given_up and self.stopped(names_of(drive.planned)):
                set_rates(simulator, drive, 0.0, force=True)

    def drift(self, robot: str) -> Array | None:
        """By how much the joints of a robot are off what is read of them (n,); nothing where they are not."""
        off = [self.states[one.name].times * np.asarray(one.by) for one in self._active(DRIFTS) if one.thing == robot]
        return np.sum(off, axis=0) if off else None

    @property
    def drifting(self) -> dict[str, Array]:
        """How far each device that drifts is off."""
        found = ((one.thing, self.drift(one.thing)) for one in self._active(DRIFTS))
        return {name: drift for name, drift in found if drift is not None}

    def told(self, sensor: str, true: Reading) -> Reading | None:
        """What a sensor says where it reads something; nothing where it sticks."""
        for place in self.places.values():
            state = self.states[place.name]
            if place.sensor != sensor or not state.active:
                continue
            if place.does == STICKS:
                return None
            true = replace(true, value=lied(place, true.value))
        return true

    def stuck(self, sensor: str) -> float | None:
        """The value at which a sensor sticks, if it does."""
        found = (self.states[one.name].value for one in self._active(STICKS) if one.sensor == sensor)
        return next(found, None)

    def _slip(self, place: FaultPlace) -> None:
        """Let a part slip, if a robot holds it."""
        slipped = slip(self._simulator, place)
        if slipped is None:
            return
        if place.lasts is None:
            self._end(place)
        owner, falls = slipped
        stop_where_watched(self._simulator, owner, falls)

    # ---- moments ----------------------------------------------------------------------------------------

    def copied(self) -> dict[str, FaultState]:
        """Where every fault stands."""
        return {name: replace(state) for name, state in self.states.items()}

    def return_to(self, states: Mapping[str, FaultState]) -> None:
        """Stand where all faults stood; what is to come is put into the queue, which is empty."""
        for name, state in states.items():
            self.states[name] = replace(state)
            self._schedule(name)


def _device(place: FaultPlace) -> str:
    """The device of the plant that a fault is of."""
    return place.body or place.thing
