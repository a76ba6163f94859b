"""A plant with the equipment of its cell: a watch, slow-down zones, sensors, belts, grasps and faults."""

from __future__ import annotations

import math
from types import EllipsisType
from typing import TYPE_CHECKING

from workcell.errors import NameTaken
from workcell.simulation.falling import FALL
from workcell.simulation.modes import Mode
from workcell.simulation.recorder import Recorder
from workcell.simulation.sampling import RESOLUTION
from workcell.simulation.signalling import Signalling
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.faults import Faults
    from workcell.simulation.sensing import Sensing
    from workcell.simulation.slowing import Slowing
    from workcell.simulation.transport import Transport
    from workcell.simulation.watching import Watch
    from workcell.world.fault_places import FaultPlace
    from workcell.world.grasps import Grasps

STEP = math.radians(1.0)
"""The default step of the joint that moves most between two recorded samples [rad]."""


class Equipped(Signalling):
    """Prepares the equipment of the cell when it is first needed.

    Args:
        snapshot: what exists.
        state: where everything is.
        recorder: records what happens.
        mode: how moves are made.
    """

    def __init__(self, snapshot: Snapshot, state: CellState, recorder: Recorder, mode: Mode) -> None:
        super().__init__(snapshot, state, recorder, mode)
        self.step = snapshot.setup.step or STEP
        self.resolution = RESOLUTION
        fall = snapshot.setup.fall
        self.allowed_fall = FALL if fall is None else fall
        """How far a part may fall when it is released [m]."""
        self.settings: dict[str, tuple[float, str, str]] = {}
        """The speed, profile and branch of robots for later moves, if they differ from those of the cell."""
        self._watch: Watch | EllipsisType | None = ...
        self._slowing: Slowing | EllipsisType | None = ...
        self.set_by_hand: frozenset[str] = frozenset()
        """What was set in Python and differs from the cell: the watch, the slowing."""
        self.grasps: Grasps = snapshot.grasps
        """Where objects may be held, by the name of the body; other objects may be held wherever the tests allow."""

    @property
    def watch(self) -> Watch | None:
        """The watch that looks for collisions while robots move, as the cell or a caller set it.

        None if there is none.
        """
        if self._watch is ...:
            from workcell.simulation.guarding import watch_of

            self._watch = watch_of(self.snapshot)
        return self._watch

    @watch.setter
    def watch(self, watch: Watch | None) -> None:
        self._watch = watch
        self.set_by_hand |= {"watch"}
        self.changed()

    @property
    def slowing(self) -> Slowing | None:
        """What slows robots down in zones: the slow-down zones of the cell, or what a caller set."""
        if self._slowing is ...:
            from workcell.simulation.guarding import slowing_of

            self._slowing = slowing_of(self.snapshot)
        return self._slowing

    @slowing.setter
    def slowing(self, slowing: Slowing | None) -> None:
        self._slowing = slowing
        self.set_by_hand |= {"slowing"}

    @property
    def sensing(self) -> Sensing:
        """The sensors of the cell."""
        if self._sensing is None:
            from workcell.simulation.sensing import Sensing

            self._sensing = Sensing(self)
        return self._sensing

    @property
    def transport(self) -> Transport:
        """The belts of the cell, and what happens to parts on them."""
        if self._transport is None:
            from workcell.simulation.transport import Transport

            self._transport = Transport(self)
        return self._transport

    def inject_fault(self, fault: str | FaultPlace) -> FaultPlace:
        """Begin a fault now: one of the cell by its name, or one that the cell does not have."""
        faults = self.faults or self._take_faults()
        if isinstance(fault, str):
            return faults.inject(fault)
        if fault.name in faults.places:
            raise NameTaken(f"There is already a fault called {fault.name!r}; choose another name.", name=fault.name)
        faults.add(fault)
        self.set_by_hand |= {"fault"}
        return faults.inject(fault.name)

    def clear_fault(self, fault: str) -> FaultPlace:
        """End a fault that has begun: repair what it affects."""
        return (self.faults or self._take_faults()).clear(fault)

    def end_faults(self) -> None:
        """End all faults at the end of a run. Sensors read correctly when something moves again."""
        if self.faults is not None:
            self.faults.places.clear()
            self.faults = None
            self._unseen = bool(self.drives)

    def _take_faults(self) -> Faults:
        from workcell.simulation.faults import Faults

        self.faults = Faults(self, self.snapshot.faults)
        return self.faults

    @property
    def believed(self) -> CellState:
        """The state by what devices read of their joints: the true state, unless they drift."""
        state = self.state
        for name, drift in () if self.faults is None else self.faults.drifting.items():
            state = state.with_joints(name, state.joints[name] - drift)
        return state
