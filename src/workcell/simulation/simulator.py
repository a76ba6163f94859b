"""The simulator: a state, a clock, a recording, and robots that move."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

from workcell.errors import Refused
from workcell.simulation.conveyors import SimulatedConveyor, begin_running
from workcell.simulation.drives import Follow
from workcell.simulation.modes import Mode, checked_mode
from workcell.simulation.moments import Moment
from workcell.simulation.move_making import MoveMaking
from workcell.simulation.rate_changes import set_rate
from workcell.simulation.recorder import Recorder
from workcell.simulation.recording import Recording
from workcell.simulation.recurring import Recurring
from workcell.simulation.simulated_machine import SimulatedMachine
from workcell.simulation.simulated_robot import SimulatedRobot
from workcell.simulation.tethers import follows
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState


class HasSnapshot(Protocol):
    """Anything that can be flattened, such as a cell."""

    def snapshot(self) -> Snapshot:
        """Return the flattened cell."""
        ...


class Simulator(MoveMaking):
    """Runs motions on a snapshot of a cell in simulated time; the cell itself does not change.

    Args:
        cell: a cell, or a snapshot of one.
        mode: ``path`` moves all joints together, ``joint-by-joint`` one after the other, ``playback`` records
            like ``path`` and is shown afterwards; by default, the mode of the cell.
        state: where to start; by default, the initial state of the cell.
        recorder: the recorder, such as a :class:`~workcell.simulation.recording_file.RecordingWriter`, or a recording
            to continue; by default, a new recording in memory.
        faults: whether the faults of the cell occur; by default, if it starts in the initial state.
    """

    def __init__(
        self,
        cell: HasSnapshot | Snapshot,
        mode: Mode | None = None,
        state: CellState | None = None,
        recorder: Recorder | None = None,
        faults: bool | None = None,
    ) -> None:
        snapshot = cell if isinstance(cell, Snapshot) else cell.snapshot()
        begin = snapshot.initial if state is None else state
        self._memory = recorder if isinstance(recorder, Recording) else Recording(begin)
        super().__init__(
            snapshot,
            begin,
            self._memory if recorder is None else recorder,
            checked_mode(mode or snapshot.setup.mode or "path"),
        )
        self._recorder.made_in = self.snapshot
        self._begins = state is None and recorder is None
        """Whether it begins its own recording and does not continue another."""
        self._robots: dict[str, SimulatedRobot] = {}
        if self.snapshot.conveyor_signals:
            begin_running(self)
        if self.snapshot.stations:
            self.changed()
        if self.snapshot.faults and (state is None if faults is None else faults):
            self._take_faults()

    @property
    def memory(self) -> Recording:
        """The recording in memory up to the last command; empty if another recorder is used."""
        return self._memory

    @property
    def recording(self) -> Recording:
        """The recording in memory; another recorder is read separately."""
        if self._recorder is not self._memory:
            raise Refused("This simulator records to a file; read it with `RecordingFile`.")
        if self._begins:
            self.begin_recording()
        if self._begun:  # otherwise, reading a cell that is being edited would record sensor values
            self.sense_now()
        if self.drives:
            self.write()
            self._memory.ends(self.now)
        return self._memory

    def robot(self, name: str) -> SimulatedRobot:
        """Return the robot with this name, to command it."""
        if name not in self._robots:
            self._robots[name] = SimulatedRobot(self, self.snapshot.robot(name))
        return self._robots[name]

    def machine(self, name: str) -> SimulatedMachine:
        """Return the machine with this name, to command it."""
        return SimulatedMachine(self, self.snapshot.machine(name))

    def device(self, name: str) -> SimulatedRobot | SimulatedMachine:
        """Return the robot, mechanism or machine with this name, to command it."""
        return self.machine(name) if any(one.name == name for one in self.snapshot.machines) else self.robot(name)

    def conveyor(self, name: str) -> SimulatedConveyor:
        """Return the conveyor with this name, to run it."""
        return SimulatedConveyor(self, self.snapshot.robot(name))

    @contextmanager
    def own_settings(self) -> Iterator[None]:
        """Speeds, overrides, profiles and branches that are set inside hold only there."""
        before, rates = dict(self.settings), dict(self.rates)
        try:
            yield
        finally:
            changed = [name for name in self.drives if self.rates.get(name, 1.0) != rates.get(name, 1.0)]
            self.rates = rates
            for drive in [self.drives[name] for name in changed if self.drives[name].endless]:
                set_rate(self, drive, rates.get(drive.name, 1.0), force=True)
            self.settings = before

    # ---- programs side by side --------------------------------------------------------------------------

    @contextmanager
    def side_by_side(self) -> Iterator[None]:
        """Moves commanded inside begin and return at once, and :meth:`advance` lets time pass; used by ``programs``."""
        self.alone("begin programs")
        if self._calling:
            raise Refused("A callback cannot run programs; let a program wait for a signal that the callback sets.")
        if self._among:
            raise Refused("Programs are already running in parallel.")
        self._among = True
        try:
            yield
        except GeneratorExit:  # the caller has abandoned the programs
            self.halt()
            self._among = False
            raise
        finally:
            # Moves that have begun are finished, even if a step of a program was refused.
            if self._among:
                self._among = False
                try:
                    moves = [drive for drive in self.drives.values() if not (drive.runs or follows(drive))]
                    self._finish([drive for drive in moves if not math.isinf(drive.end)])
                finally:
                    self.halt(conveyors=False)
                    self.reached()

    @property
    def under_way(self) -> Mapping[str, Follow]:
        """The unfinished moves, by device."""
        return self.drives

    def moment(self) -> Moment:
        """Return the present moment while programs run, to return to."""
        under_way = {name: replace(drive) for name, drive in self.drives.items()}
        self.begin_recording()
        mark = self.recording.mark()  # includes what sensors read now, which is then in the state
        return Moment(
            self.state, under_way, dict(self.settings), mark, dict(self.rates), dict(self.given_up), self.issued,
            Recurring.copied(self._called_in_order()), {} if self.faults is None else self.faults.copied(),
        )  # fmt: skip

    def take_back(self, moment: Moment) -> None:
        """Return to the moment before a command that was refused; nothing of it is recorded."""
        self.return_to(moment)
        self._among = False

    def return_to(self, moment: Moment, recording: Recording | None = None) -> None:
        """Return to a moment of a run. What was recorded since is forgotten, unless a recording is given."""
        memory = self.recording.cut(moment.mark) if recording is None else recording
        self._recorder = self._memory = memory
        self._begun = True
        memory.made_in = self.snapshot
        self.state = moment.state
        self.rates, self.given_up, self.issued = dict(moment.rates), dict(moment.given_up), moment.issued
        self.stand({name: replace(drive) for name, drive in moment.under_way.items()})
        self.callbacks = list(Recurring.copied(moment.callbacks))
        for one in self.callbacks:
            self._call_back(one)
        if moment.faults or self.faults is not None:
            (self.faults or self._take_faults()).return_to(moment.faults)
        self._among = True
        self.settings = dict(moment.settings)
