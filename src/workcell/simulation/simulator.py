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
        """The flattened cell."""
        ...


class Simulator(MoveMaking):
    """Runs motions on a snapshot of a cell in simulated time; the cell itself is not changed.

    Args:
        cell: a cell, or a snapshot of one.
        mode: ``path`` moves all joints together, ``joint-by-joint`` one after the other, ``playback`` records
            like ``path`` and is shown afterwards; the mode of the cell unless given.
        state: where to start; the initial state of the cell unless given.
        recorder: where to write, such as a :class:`~workcell.simulation.recording_file.RecordingWriter`, or a recording
            to go on with; a new recording in memory unless given.
        faults: whether the faults of the cell happen; unless given they do where it starts in the initial state.
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
        """Whether it begins a recording of its own, and does not go on where another was."""
        self._robots: dict[str, SimulatedRobot] = {}
        if self.snapshot.conveyor_signals:
            begin_running(self)
        if self.snapshot.stations:
            self.changed()
        if self.snapshot.faults and (state is None if faults is None else faults):
            self._take_faults()

    @property
    def memory(self) -> Recording:
        """What was recorded in memory up to the last command; empty beside a recorder of its own."""
        return self._memory

    @property
    def recording(self) -> Recording:
        """What was recorded in memory; a recorder of its own is read by itself."""
        if self._recorder is not self._memory:
            raise Refused("This simulator records to a file; read it with `RecordingFile`.")
        if self._begins:
            self.begin_recording()
        if self._begun:  # else a look at a cell that is edited would record what sensors read meanwhile
            self.sense_now()
        if self.drives:
            self.write()
            self._memory.ends(self.now)
        return self._memory

    def robot(self, name: str) -> SimulatedRobot:
        """The robot of that name, to be commanded."""
        if name not in self._robots:
            self._robots[name] = SimulatedRobot(self, self.snapshot.robot(name))
        return self._robots[name]

    def machine(self, name: str) -> SimulatedMachine:
        """The machine of that name, to be commanded."""
        return SimulatedMachine(self, self.snapshot.machine(name))

    def device(self, name: str) -> SimulatedRobot | SimulatedMachine:
        """The robot, mechanism or machine of that name, to be commanded."""
        return self.machine(name) if any(one.name == name for one in self.snapshot.machines) else self.robot(name)

    def conveyor(self, name: str) -> SimulatedConveyor:
        """The conveyor of that name, to be run."""
        return SimulatedConveyor(self, self.snapshot.robot(name))

    @contextmanager
    def own_settings(self) -> Iterator[None]:
        """Speeds, overrides, profiles and branches that are set inside hold there only."""
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
        """Moves commanded inside begin at once and go on while :meth:`advance` lets time pass; used by ``programs``."""
        self.alone("begin programs")
        if self._calling:
            raise Refused("A callback cannot run programs; let a program wait for a signal that the callback sets.")
        if self._among:
            raise Refused("Programs run side by side already.")
        self._among = True
        try:
            yield
        except GeneratorExit:  # whoever began the programs has left them behind
            self.halt()
            self._among = False
            raise
        finally:
            # Moves that have begun are finished, also when a program was refused something.
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
        """The moves that have begun and are not over, by who moves."""
        return self.drives

    def moment(self) -> Moment:
        """Where everything stands while programs run, to come back to."""
        under_way = {name: replace(drive) for name, drive in self.drives.items()}
        self.begin_recording()
        mark = self.recording.mark()  # what sensors read now is in it, and then in the state
        return Moment(
            self.state, under_way, dict(self.settings), mark, dict(self.rates), dict(self.given_up), self.issued,
            Recurring.copied(self._called_in_order()), {} if self.faults is None else self.faults.copied(),
        )  # fmt: skip

    def take_back(self, moment: Moment) -> None:
        """Stand as before a command that was refused; nothing of it is recorded."""
        self.return_to(moment)
        self._among = False

    def return_to(self, moment: Moment, recording: Recording | None = None) -> None:
        """Stand as at a moment, in a run; what was recorded since is forgotten, unless a recording is given."""
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
