"""Faults of a run: when each begins and ends, and its effect on devices, sensors, grippers and parts.

Random numbers are drawn by number from a seed, so that the state of a fault is a few plain numbers. The same seed
gives the same faults however a run is made, paused or saved. The recording holds what truly happens.
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
from workcell.simulation.lies import false_value
from workcell.simulation.planned import Planned
from workcell.simulation.rate_changes import FAULT, set_rates
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
"""The faults of devices that move; a use is the beginning of a move."""
_ONCE = (SLIPS, KEEPS_OPEN)
"""The faults that a use begins for this use only, unless they last."""


@dataclass
class FaultState:
    """The state of a fault.

    Attributes:
        active: whether the fault is active now.
        until: when it ends [ns]; -1 if it lasts until it is cleared.
        next: when it begins [ns]; -1 if it does not begin by time.
        uses: how many uses there were.
        draws: how many numbers were drawn.
        times: how often it began since it was repaired; a drift adds up.
        value: the value of a sensor that sticks.
        held: whether its device was already held when it stopped.
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
    """Return the random number from 0 to 1 with this number in the series of a seed."""
    return random.Random(f"{seed}/{number}").random()


class Faults:
    """The faults of a simulator.

    Args:
        simulator: where they happen.
        places: the faults; those with a problem never begin by themselves.
    """

    def __init__(self, simulator: Equipped, places: Iterable[FaultPlace]) -> None:
        self._simulator = simulator
        self.places: dict[str, FaultPlace] = {}
        self.states: dict[str, FaultState] = {}
        for one in places:
            self.add(one)

    def add(self, place: FaultPlace) -> None:
        """Add a fault; its time begins to run."""
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
        """Return whether a fault of a device cannot occur because joints move one by one."""
        return place.does in _MOVERS and self._simulator.mode == "joint-by-joint"

    # ---- beginning and ending ---------------------------------------------------------------------------

    def inject(self, name: str) -> FaultPlace:
        """Begin a fault now, regardless of what else would begin it.

        Raises:
            UnknownName: there is no such fault.
            Refused: it cannot begin, or has begun; the message gives the reason.
        """
        place = self._place(name)
        if place.problem:
            raise Refused(place.problem, fault=name)
        if self._by_joints(place):
            raise Refused(f"Fault {name!r} affects moves, but joints move one by one; it needs `mode path`.")
        if self.states[name].active and place.does != DRIFTS:
            raise Refused(f"Fault {name!r} has already begun; `clear-fault {name}` ends it.", fault=name)
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
        """Return the last recorded reading of a sensor."""
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
        """Let devices and sensors follow a fault that has begun or ended."""
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
                set_rates(simulator, drive, rate, force=True, why=FAULT)

    # ---- time -------------------------------------------------------------------------------------------

    def _draw_next(self, place: FaultPlace) -> None:
        """Draw when a fault with a rate per hour begins next."""
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
        """Begin or end a fault if it is still due at this instant."""
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
        """Return moves that are about to begin, as they are truly made. Each is a use of its device.

        The joint readings of a device that drifts differ from where the joints are.
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
        """Count a use of a device that is about to move."""
        for place in self._of(device, _MOVERS):
            self._used(place)

    def sensing(self, sensor: str) -> None:
        """Count a use of a sensor that is about to change."""
        for place in self.places.values():
            if place.sensor == sensor:
                self._used(place)

    def closing(self, robot: str) -> None:
        """Count a use of a gripper that is about to close.

        Raises:
            GraspFailed: a fault keeps it open.
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
        """Count a use of a part that a gripper has taken."""
        for place in list(self.places.values()):
            if place.does == SLIPS and place.body == part and not self._used(place) and self.states[place.name].active:
                self._slip(place)

    def _used(self, place: FaultPlace) -> bool:
        """Count a use of something without an active fault; return whether its fault begins with it."""
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
        """Return overrides limited to the speeds of slow devices."""
        slow = list(self._active(SLOW))
        if not slow:
            return rates
        found = dict(rates)
        for place in slow:
            found[_device(place)] = max(LEAST_RATE, found.get(_device(place), 1.0) * place.part)
        return found

    def stopped(self, names: Iterable[str]) -> str:
        """Return the fault that stops one of these devices, or ''."""
        there = {*names}
        return next((place.name for place in self._active(STOPS) if _device(place) in there), "")

    def require_going(self, device: str) -> None:
        """Refuse to command a device that a fault stops."""
        fault = self.stopped([device])
        if fault:
            raise Refused(f"{device} is stopped by fault {fault!r}; `clear-fault {fault}` repairs it.", fault=fault)

    def hold_stopped(self) -> None:
        """Hold the moves of devices that a fault stops."""
        simulator = self._simulator
        for drive in firsts(simulator.drives.values()):
            if drive.rate > 0.0 and drive.number not in simulator.given_up and self.stopped(names_of(drive.planned)):
                set_rates(simulator, drive, 0.0, force=True, why=FAULT)

    def drift(self, robot: str) -> Array | None:
        """Return the offset between the true joints of a robot and their readings (n,); None if there is none."""
        off = [self.states[one.name].times * np.asarray(one.by) for one in self._active(DRIFTS) if one.thing == robot]
        return np.sum(off, axis=0) if off else None

    @property
    def drifting(self) -> dict[str, Array]:
        """Return the offset of each device that drifts."""
        found = ((one.thing, self.drift(one.thing)) for one in self._active(DRIFTS))
        return {name: drift for name, drift in found if drift is not None}

    def reported(self, sensor: str, true: Reading) -> Reading | None:
        """Return the reading of a sensor with its faults; None if it sticks."""
        for place in self.places.values():
            state = self.states[place.name]
            if place.sensor != sensor or not state.active:
                continue
            if place.does == STICKS:
                return None
            true = replace(true, value=false_value(place, true.value))
        return true

    def stuck(self, sensor: str) -> float | None:
        """Return the value at which a sensor sticks, if it does."""
        found = (self.states[one.name].value for one in self._active(STICKS) if one.sensor == sensor)
        return next(found, None)

    def _slip(self, place: FaultPlace) -> None:
        """Let a part slip if a robot holds it."""
        slipped = slip(self._simulator, place)
        if slipped is None:
            return
        if place.lasts is None:
            self._end(place)
        owner, falls = slipped
        stop_where_watched(self._simulator, owner, falls)

    # ---- moments ----------------------------------------------------------------------------------------

    def copied(self) -> dict[str, FaultState]:
        """Return the state of every fault."""
        return {name: replace(state) for name, state in self.states.items()}

    def return_to(self, states: Mapping[str, FaultState]) -> None:
        """Restore the state of all faults and enter what is due into the queue, which is empty."""
        for name, state in states.items():
            self.states[name] = replace(state)
            self._schedule(name)


def _device(place: FaultPlace) -> str:
    """Return the device of the plant that a fault affects."""
    return place.body or place.thing
