"""The interpreter: runs programs on one clock.

Every program is a thread, and so is every branch of a parallel block. At one instant, moves come first; then threads
continue in the order in which they were declared, each as far as it can. A program is steps as data, or a generator
written in Python. A run can be paused before any step, continued, and rewound (:meth:`Run.moment`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from workcell.cost import go_on
from workcell.errors import (
    FileProblem,
    InvalidValue,
    MotionError,
    Refused,
    TooCostly,
    WorkcellError,
)
from workcell.programs.code import Instruction
from workcell.programs.evaluate import Value
from workcell.programs.program import Program
from workcell.simulation.operations import STEPPED, begin_at
from workcell.simulation.routines import Callback, Function, Routine
from workcell.simulation.run_moments import Moment
from workcell.simulation.saved_runs import SavedRun
from workcell.simulation.thread_runner import ThreadRunner
from workcell.simulation.threads import Frame, Thread, copied

if TYPE_CHECKING:
    from workcell.simulation.recording import Recording
    from workcell.simulation.simulator import Simulator

MOST_LOOKS = 20_000_000
"""How often one run may evaluate conditions that depend on time or motion."""
Startable: TypeAlias = "Program | Routine | Callback | Function"
"""A program as data, or one written in Python."""
Pause: TypeAlias = Callable[[Thread, Instruction], bool]
"""Called before each step: whether to pause there."""


class Run(ThreadRunner):
    """Programs that run on a simulator.

    Args:
        simulator: the simulator; it must not run other programs.
        programs: what to start, in their order at one instant: programs as data, callbacks, and
            functions that return a generator.
        known: every program that may be called, by name; those to start are included anyway.
        arguments: values for the parameters of the programs to start.
        files: the bytes of the tables that steps read, by name.
        start: the instruction at which the first program begins, for a run from a chosen step.
    """

    def __init__(
        self,
        simulator: Simulator,
        programs: Sequence[Startable],
        known: Mapping[str, Program] | None = None,
        arguments: Mapping[str, Sequence[Value]] | None = None,
        files: Mapping[str, bytes] | None = None,
        start: int = 0,
    ) -> None:
        super().__init__(simulator, known or {}, files or {})
        self.known.update({one.name: one for one in programs if isinstance(one, Program)})
        self.position = 0
        """The number of steps reached, including conditions and loops.

        It counts only places where the run can pause.
        """
        self.attended = False
        """Whether somebody may set signals by hand; then a run in which all wait for one pauses instead of failing."""
        self._time = simulator.time
        self._standing: Thread | None = None
        self._going = True
        """Whether any thread has continued in this round."""
        self._looks = 0
        self._inside: ExitStack | None = None
        self._open()
        ids = {name: one for one, name in simulator.snapshot.names.programs.items()}
        for stored in simulator.snapshot.setup.programs:
            if stored.name in self.known:
                simulator.recorder.text(stored.name, stored.text, stored.units, ids.get(stored.name, 0))
        try:
            for place, one in enumerate(programs):
                self.begin(self._thread(place, one, arguments or {}))
            if start:
                begin_at(self, self.threads[0], start)
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        """Let moves begin without waiting for their end."""
        if self._inside is None:
            self._inside = ExitStack()
            if self.known:  # settings of a program in Python stay, as those of any other call
                self._inside.enter_context(self.simulator.own_settings())
            self._inside.enter_context(self.simulator.side_by_side())

    def _thread(self, place: int, one: Startable, arguments: Mapping[str, Sequence[Value]]) -> Thread:
        if isinstance(one, Program):
            return Thread(one.name, (place,), [self.frame(one, arguments.get(one.name, ()))])
        if isinstance(one, Callback):
            return Thread(one.registered_name, (place,), [Frame(Program(one.registered_name))], python=one)
        routine = one if isinstance(one, Routine) else Routine(getattr(one, "__name__", repr(one)), one)
        steps = routine.begin(self.simulator)
        return Thread(routine.name, (place,), [Frame(Program(routine.name))], python=steps)

    # ---- going on ---------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether nothing is left to do."""
        return self.stopped or not self.threads

    @property
    def standing(self) -> Thread | None:
        """The thread that is paused before a step, or waits for a signal that somebody must set."""
        return self._standing

    def go(self, pause: Pause | None = None) -> Thread | None:
        """Run until the end, or until a step for which ``pause`` returns true; return the paused thread.

        If somebody attends the run, it also pauses when nothing can happen before a signal is set by hand. The thread
        that waits for it is returned.

        Raises:
            WorkcellError: a step was refused and not handled; moves that have begun are finished.
        """
        try:
            while not self.over:
                paused = self._instant(pause)
                if paused is not None:
                    return paused
                if not self.over and not self._pass_time():
                    return self._stand_and_wait()
        except BaseException:
            self.close()
            raise
        self.close()
        return None

    def close(self) -> None:
        """End the run; moves that have begun are finished."""
        self.threads, self._standing = [], None
        self._turns.reset(())
        inside, self._inside = self._inside, None
        if inside is not None:
            inside.close()

    def abandon(self) -> None:
        """End the run where it is; moves that have begun are not finished."""
        self.simulator.halt()
        self.close()

    def _instant(self, pause: Pause | None) -> Thread | None:
        """Let every thread continue until all wait."""
        sleepers, turns, awake = self._sleepers, self._turns, self._turns.awake
        sleepers.stir()
        while not self.over:
            while (thread := turns.take()) is not None:
                while thread in awake and not self.over and self._ready_or_refused(thread):
                    self._going = True
                    if pause is not None and self._pauses(thread, pause):
                        turns.stand(thread)
                        return thread
                    self._standing = None
                    self._carry_out(thread)
                    sleepers.stir()
                if thread in awake and not self.over:
                    turns.wait(thread)
            if not self._going or not awake:
                self._going = True
                return None
            self._going = False
            turns.begin_round()
        return None

    def _pauses(self, thread: Thread, pause: Pause) -> bool:
        """Return whether to pause before the next step, but not twice before the same one."""
        if thread.waiting is not None or thread.frame.instruction.operation not in STEPPED:
            return False
        if self._standing is thread:
            return False
        self.position += 1
        if not pause(thread, thread.frame.instruction):
            return False
        self._standing = thread
        return True

    def _stand_and_wait(self) -> Thread:
        """Pause where all threads wait, and return the one that waits for a signal that somebody could set.

        It counts as a step that is reached, so that what comes from outside has its position; but only once at one
        instant.
        """
        thread = self._by_hand() if self.attended else None
        if thread is None:
            raise self._deadlock()
        if self._standing is not thread:
            self.position += 1
        self._standing = thread
        self._turns.reset(self.threads, [thread])
        return thread

    def _pass_time(self) -> bool:
        """Let time pass up to the next instant at which a thread may continue; return whether there is one."""
        go_on(self.simulator.cancel, "The run")
        self._looks += 1
        if self._looks > MOST_LOOKS:
            raise TooCostly(f"The run has tested conditions more than {MOST_LOOKS:,} times; give a timeout.")
        until = self._sleepers.wake
        if self._turns.awake:
            until = min([until, *(self._next_look(thread) for thread in self._turns.awake)])
        if math.isinf(until) and not (self.attended and self._needs_a_hand()):
            until = self._next_event()
        if math.isinf(until):
            return False
        try:
            self.simulator.advance(max(until, self.simulator.time))
        except MotionError as error:
            self._stopped_moving(error)
        if self.simulator.time > self._time:
            self._time = self.simulator.time
            for thread in self._busy:
                thread.idle = 0
            self._busy.clear()
            self._standing = None
        return True

    def _ready_or_refused(self, thread: Thread) -> bool:
        """Return whether a thread can continue. A condition that cannot be evaluated is a refusal of its step."""
        try:
            return self._ready(thread)
        except WorkcellError as error:
            self._refused(thread, error)
            return thread in self.threads

    # ---- moments ----------------------------------------------------------------------------------------

    def moment(self) -> Moment:
        """Return the run as it is before a step, to return to.

        Raises:
            Refused: a program written in Python is under way, which cannot be copied.
        """
        for thread in self.threads:
            if isinstance(thread.python, Generator):
                raise Refused(
                    f"Program {thread.name!r} is a generator written in Python: its position cannot be saved, so the "
                    "run cannot be saved or stepped back. Write it as steps, or as a registered callback.",
                    program=thread.name,
                )
        left = self._turns.left(self.threads)
        copies = copied([*self.threads, *left])
        return Moment(
            [copies[one] for one in self.threads],
            [copies[one] for one in left],
            self._going,
            self.position,
            self.steps,
            self._looks,
            self._time,
            dict(self.ended),
            self.simulator.moment(),
        )

    def return_to(self, moment: Moment, recording: Recording | None = None) -> None:
        """Return to a moment. What was recorded since is forgotten, unless a recording is given."""
        self._open()
        copies = copied([*moment.threads, *moment.round])
        self.threads = [copies[one] for one in moment.threads]
        left = [copies[one] for one in moment.round]
        self._turns.reset(self.threads, left)
        self._busy = set(self.threads)
        self._standing = left[0] if left else None
        self._going, self.position, self.steps = moment.going, moment.position, moment.steps
        self._looks, self._time, self.ended, self.stopped = moment.looks, moment.time, dict(moment.ended), False
        self.simulator.return_to(moment.plant, recording)

    def saved(self, about: Mapping[str, Any] | None = None) -> SavedRun:
        """Return the paused run as data; ``about`` is information for whoever continues it.

        Raises:
            Refused: it is not paused, or holds something that is not data: a generator, a watch set in Python.
        """
        if self.standing is None:
            raise Refused("Only a run that is paused before a step can be saved; pause it first.")
        return SavedRun.of(self.moment(), self.simulator, self.known, self.files, about or {})

    @classmethod
    def restored(cls, saved: SavedRun, simulator: Simulator) -> Run:
        """Return a saved run on a simulator of the same cell, paused where it was.

        Raises:
            Refused: the cell is another one; the message names the difference.
            FileProblem: the saved run is damaged.
        """
        saved.require_same_cell(simulator.snapshot)
        try:
            saved.set_up(simulator)
            recording = saved.recorded()
            run = cls(simulator, (), saved.known, files=saved.files)
            run.return_to(saved.moment(recording.mark()), recording)
            return run
        except (KeyError, TypeError, ValueError, AttributeError, InvalidValue) as error:
            raise FileProblem(f"The saved run is damaged: {error}.") from error

    def save(self, path: str | Path) -> None:
        """Write the paused run to a file; see :mod:`~workcell.simulation.saved_runs`."""
        self.saved().save(path)

    @classmethod
    def load(cls, path: str | Path, simulator: Simulator) -> Run:
        """Return a saved run on a simulator of the same cell, paused where it was."""
        return cls.restored(SavedRun.load(path), simulator)
