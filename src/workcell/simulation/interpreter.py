"""The interpreter: carries out programs on one clock.

Every program is a thread, and so is every branch of a parallel block. At one instant moves come first, then threads go
on in the order in which they were declared, each as far as it can. A program is steps as data, or a generator written
in Python. A run can be stopped before any step, gone on with, and gone back to (:meth:`Run.moment`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from workcell.cost import STEPS, go_on
from workcell.errors import (
    Cancelled,
    DeadLock,
    FileProblem,
    InvalidValue,
    MotionError,
    MotionStop,
    Refused,
    TooCostly,
    WorkcellError,
)
from workcell.programs import steps as s
from workcell.programs.code import Instruction
from workcell.programs.evaluate import Value, evaluate
from workcell.programs.expressions import Number
from workcell.programs.program import Program
from workcell.simulation.events import Issued, SignalSeen, Waited
from workcell.simulation.instants import later
from workcell.simulation.interlocks import Interlocks
from workcell.simulation.operations import ISSUED, OPERATIONS, STEPPED, begin_at, equals
from workcell.simulation.performing import Kept, Settings
from workcell.simulation.refusals import issued, told
from workcell.simulation.routines import Callback, Enter, Function, Leave, Routine, Seen, Yields, checked_yield
from workcell.simulation.run_moments import Moment
from workcell.simulation.saved_runs import SavedRun
from workcell.simulation.scopes import FrameScope, typed
from workcell.simulation.threads import Frame, Thread, Waiting, copied
from workcell.simulation.waits import Waits
from workcell.wording import counted

if TYPE_CHECKING:
    from workcell.simulation.recording import Recording
    from workcell.simulation.simulator import Simulator

ENDLESS = 10_000
"""After so many steps without time passing a program is taken for an endless loop."""
MOST_LOOKS = 20_000_000
"""How often conditions that depend on time or motion are looked at in one run."""
Startable: TypeAlias = "Program | Routine | Callback | Function"
"""A program as data, or one written in Python."""
Pause: TypeAlias = Callable[[Thread, Instruction], bool]
"""Asked before each step: whether to stand there."""


class Run(Waits):
    """Programs being carried out on a simulator.

    Args:
        simulator: where; it must not run other programs.
        programs: what to start, in the order in which they go on at one instant: programs as data, callbacks, and
            functions that give a generator.
        known: every program that may be called, by name; those to start are known anyway.
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
        super().__init__(simulator)
        self.known = {**(known or {}), **{one.name: one for one in programs if isinstance(one, Program)}}
        self.files = dict(files or {})
        self.kept: Kept = {}
        self.steps = 0
        """How many steps were carried out."""
        self.ended: dict[str, float] = {}
        """When each program was over [s]."""
        self.stopped = False
        """Whether a step ended the whole run."""
        self.position = 0
        """How many steps were come to, those of conditions and loops included; counted where it may be stood."""
        self._time = simulator.time
        self._standing: Thread | None = None
        self._going = True
        """Whether any thread has gone on in this round."""
        self._busy: set[Thread] = set()
        """Threads that have counted steps since time last passed."""
        self._looks = 0
        self.interlocks = Interlocks(self)
        self._inside: ExitStack | None = None
        self._open()
        try:
            for place, one in enumerate(programs):
                self.begin(self._thread(place, one, arguments or {}))
            if start:
                begin_at(self, self.threads[0], start)
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        """Let moves begin at once and go on while time passes."""
        if self._inside is None:
            self._inside = ExitStack()
            if self.known:  # what a program in Python sets stays, as that of any other call
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
        """The thread that stands before a step, while the run is paused."""
        return self._standing

    def go(self, pause: Pause | None = None) -> Thread | None:
        """Carry out what is left, up to a step before which ``pause`` gives true; the thread that stands there.

        Raises:
            WorkcellError: a step was refused and no handler took it; moves that have begun are finished.
        """
        try:
            while not self.over:
                paused = self._instant(pause)
                if paused is not None:
                    return paused
                if not self.over:
                    self._pass_time()
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
        """Let every thread go on until all wait."""
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
        """Whether to stand before the step that comes next; not twice before the same one."""
        if thread.waiting is not None or thread.frame.instruction.operation not in STEPPED:
            return False
        if self._standing is thread:
            return False
        self.position += 1
        if not pause(thread, thread.frame.instruction):
            return False
        self._standing = thread
        return True

    def _carry_out(self, thread: Thread) -> None:
        try:
            self._next(thread)
            self._check_waiting(thread)
        except (Cancelled, TooCostly):
            raise
        except WorkcellError as error:
            self.simulator.sense_now()
            self._refused(thread, error)
        self.simulator.sense_now()

    def _check_waiting(self, thread: Thread) -> None:
        """Refuse to let a thread wait for ever; a program written in Python may do something else then."""
        try:
            self.interlocks.require_no_dead_lock(thread)
        except DeadLock as error:
            if thread.python is None:
                raise
            self._turn(thread, error)
            self._check_waiting(thread)

    def rouse(self, thread: Thread) -> None:
        """Let a thread that sleeps look again whether it may go on."""
        self._sleepers.rouse(thread)

    def _pass_time(self) -> None:
        """Let time pass up to the next instant at which a thread may go on."""
        go_on(self.simulator.cancel, "The run")
        self._looks += 1
        if self._looks > MOST_LOOKS:
            raise TooCostly(f"The run waits by looking at conditions more than {MOST_LOOKS:,} times; give a time-out.")
        until = self._sleepers.wake
        if self._turns.awake:
            until = min([until, *(self._next_look(thread) for thread in self._turns.awake)])
        if math.isinf(until):
            until = self._next_event()
        try:
            self.simulator.advance(max(until, self.simulator.time))
        except MotionError as error:
            self._stopped_moving(error)
        if self.simulator.time > self._time:
            self._time = self.simulator.time
            for thread in self._busy:
                thread.idle = 0
            self._busy.clear()

    def _ready_or_refused(self, thread: Thread) -> bool:
        """Whether a thread can go on; a condition that cannot be evaluated is a refusal of its step."""
        try:
            return self._ready(thread)
        except WorkcellError as error:
            self._refused(thread, error)
            return thread in self.threads

    # ---- one instruction --------------------------------------------------------------------------------

    def _next(self, thread: Thread) -> None:
        waiting, frame = thread.waiting, thread.frame
        if waiting is not None and waiting.numbers and self.simulator.given_up:
            try:
                self.simulator.require_made(waiting.numbers)
            except MotionStop as error:
                if thread.python is None:
                    raise
                self._turn(thread, error)
                return
        if thread.python is not None:
            self._turn(thread)
            return
        if waiting is not None and self._still_waits(waiting):
            return
        if waiting is not None and waiting.stays:
            thread.waiting = None
            return
        if waiting is not None:
            thread.waiting = None
            if waiting.condition is not None and not self.holds(thread, waiting.condition):
                self._too_late(thread, waiting)
                return
            step = frame.instruction.step
            if isinstance(step, s.WaitFor):
                seen = self._signal(thread, waiting.condition)
                assert seen is not None
                self.simulator.note(SignalSeen(self.simulator.now, *seen))
            elif isinstance(step, s.Wait):
                self.simulator.note(Waited(self.simulator.now, waiting.timeout))
            frame.at += 1
            return
        self._count(thread)
        instruction = frame.instruction
        if instruction.operation in ISSUED and not isinstance(instruction.step, s.Let):
            self.simulator.recorder.source(issued(self.simulator.now, thread.frames))
        OPERATIONS[instruction.operation](self, thread, frame, instruction)

    def _turn(self, thread: Thread, error: MotionError | DeadLock | None = None) -> None:
        """Let a program written in Python go on to where it waits; it may take a stop or a dead-lock there."""
        python = thread.python
        assert python is not None
        self._count(thread)
        before = self.simulator.issued
        self.simulator.recorder.source(Issued(self.simulator.now, thread.name))
        if isinstance(python, Callback):
            found = python.go_on(self.simulator) if error is None else python.stopped(self.simulator, error)
        else:
            found = next(python, None) if error is None else _thrown(python, error)
        if found is None:
            thread.waiting = None
            self.end(thread)
            return
        wanted_now = checked_yield(thread.name, found)
        if isinstance(wanted_now, Enter):
            self.interlocks.enter(thread, wanted_now.zone)
        elif isinstance(wanted_now, Leave):
            thread.waiting = None
            self.interlocks.leave(thread, wanted_now.zone)
        elif isinstance(wanted_now, Seen):
            self.simulator.signal(wanted_now.signal)
            thread.waiting = Waiting(condition=equals(wanted_now.signal, Number(wanted_now.value)))
        else:
            until, begun = later(self.simulator.time, wanted_now), self.simulator.begun_since(before)
            # Whoever waits just as long as its moves take waits for them, however their speed is changed.
            longest = max((drive.rests for drive in self.simulator.moving(begun)), default=-math.inf)
            numbers = begun if until == longest else ()
            thread.waiting = Waiting(until, timeout=wanted_now, numbers=numbers, moved=bool(begun))

    def _still_waits(self, waiting: Waiting) -> bool:
        """Whether moves that follow each other have one left; it begins then."""
        if waiting.moves is None or waiting.begun >= waiting.moves.count:
            return False
        waiting.begun += 1
        before = self.simulator.issued
        waiting.until = later(self.simulator.time, waiting.moves.begin(self.simulator, waiting.begun - 1))
        waiting.numbers = self.simulator.begun_since(before)
        return True

    def _too_late(self, thread: Thread, waiting: Waiting) -> None:
        frame = thread.frame
        if waiting.otherwise >= 0:
            frame.at = waiting.otherwise
            return
        raise Refused(f"The condition did not hold within {waiting.timeout:g} s.", timeout=waiting.timeout)

    def _count(self, thread: Thread) -> None:
        go_on(self.simulator.cancel, "The run")
        STEPS.check(self.steps, "The run")
        thread.idle += 1
        self._busy.add(thread)
        if thread.idle > ENDLESS:
            frame = thread.frame
            raise Refused(
                f"Program {frame.program.name!r} goes round without time passing: {ENDLESS:,} steps at "
                f"{self.simulator.time:.4f} s, the last in line {frame.place.line}; let it wait or move inside its "
                "loop.",
                endless=True,
                program=frame.program.name,
                line_number=frame.place.line,
            )

    def begin(self, thread: Thread) -> None:
        """A thread begins."""
        self.threads.append(thread)
        self._turns.begin(thread)

    def end(self, thread: Thread) -> None:
        """A thread is over."""
        thread.ended = self.simulator.time
        self.interlocks.give_up([thread])
        self._forget(thread)
        if thread.parent is None:
            self.ended[thread.name] = self.simulator.time

    def _forget(self, thread: Thread) -> None:
        self.threads.remove(thread)
        self._turns.end(thread)

    # ---- refusals ---------------------------------------------------------------------------------------

    def _refused(self, thread: Thread, error: WorkcellError) -> None:
        """Give a refusal to the nearest handler; without one it ends the run."""
        self._sleepers.clear()
        if thread.python is not None:
            raise error
        refused = told(error, thread.frames)
        until = self.simulator.time
        while True:
            thread.waiting = Waiting(until, stays=True) if until > self.simulator.time else None
            while thread.frames:
                frame = thread.frames[-1]
                if frame.guards:
                    guard = frame.guards.pop()
                    if guard.variable:
                        frame.variables[guard.variable] = str(error)
                    frame.at = guard.handler
                    return
                thread.frames.pop()
            if thread.parent is None:
                raise refused from error
            thread = thread.parent
            given_up = [one for one in self.threads if one.descends(thread)]
            until = max(
                [until, *(one.waiting.until for one in given_up if one.waiting is not None and self._moves(one))]
            )
            self.interlocks.give_up(given_up)
            for one in given_up:
                self._forget(one)

    def _stopped_moving(self, error: MotionError) -> None:
        """A motion was stopped: everything that waited for it hears of it."""
        self._sleepers.clear()
        concerned = [thread for thread in self.threads if thread.waiting is not None and self._moves(thread)]
        if not concerned:
            raise error
        for thread in concerned:
            if thread.python is not None:
                self._turn(thread, error)
            elif thread in self.threads:
                self._refused(thread, error)

    def _moves(self, thread: Thread) -> bool:
        if thread.python is not None:
            return thread.waiting is not None and thread.waiting.moved
        step = thread.frame.instruction.step
        return isinstance(step, (*s.MOVES, s.Together, s.Weld, s.MoveAlong))

    # ---- moments ----------------------------------------------------------------------------------------

    def moment(self) -> Moment:
        """The run as it stands before a step, to come back to.

        Raises:
            Refused: a program written in Python is under way, which nobody can copy.
        """
        for thread in self.threads:
            if isinstance(thread.python, Generator):
                raise Refused(
                    f"Program {thread.name!r} is a generator written in Python: where it stands cannot be kept, so the "
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
        """Stand where the run stood at a moment; what was recorded since is forgotten, unless a recording is given."""
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
        """The run, which stands before a step, as data; ``about`` is what whoever began it wants to know later.

        Raises:
            Refused: it does not stand, or has something that is no data: a generator, a watch set in Python.
        """
        if self.standing is None:
            raise Refused("Only a run that stands before a step can be saved; pause it first.")
        return SavedRun.of(self.moment(), self.simulator, self.known, self.files, about or {})

    @classmethod
    def restored(cls, saved: SavedRun, simulator: Simulator) -> Run:
        """A run that was saved, on a simulator of the same cell; it stands where it stood.

        Raises:
            Refused: the cell is another one; the sentence names what differs.
            FileProblem: what was saved is damaged.
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
        """Write the run, which stands before a step, to a file; see :mod:`~workcell.simulation.saved_runs`."""
        self.saved().save(path)

    @classmethod
    def load(cls, path: str | Path, simulator: Simulator) -> Run:
        """A run that was saved, on a simulator of the same cell; it stands where it stood."""
        return cls.restored(SavedRun.load(path), simulator)

    # ---- inside -----------------------------------------------------------------------------------------

    def frame(self, program: Program, given: Sequence[Value], caller: Frame | None = None) -> Frame:
        """A frame for a program with values for its parameters."""
        frame = Frame(program, settings=caller.settings.copy() if caller is not None else Settings())
        scope = FrameScope(self.simulator, frame)
        parameters = program.parameters
        if len(given) > len(parameters):
            has, found = counted(len(parameters), "parameter"), counted(len(given), "value")
            raise Refused(f"Program {program.name!r} has {has}; found {found}.")
        for place, parameter in enumerate(parameters):
            if place < len(given):
                value = given[place]
            elif parameter.default is not None:
                value = evaluate(parameter.default, scope)
            else:
                raise Refused(f"Program {program.name!r} needs a value for its parameter {parameter.name!r}.")
            frame.variables[parameter.name] = typed(value, parameter.type, scope, parameter.name)
        return frame


def _thrown(steps: Generator[Yields, None, None], error: MotionError | DeadLock) -> Yields | None:
    """What a generator waits for after an error was raised where it stands; None when it ends."""
    try:
        return steps.throw(error)
    except StopIteration:
        return None
