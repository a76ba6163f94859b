"""Runs threads instruction by instruction: steps, programs in Python, refusals and their handlers."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workcell.cost import STEPS, go_on
from workcell.errors import (
    Cancelled,
    Deadlock,
    MotionError,
    MotionStop,
    Refused,
    TooCostly,
    WorkcellError,
)
from workcell.programs import steps as s
from workcell.programs.arguments import about, as_parameter
from workcell.programs.evaluate import Value, evaluate
from workcell.programs.expressions import Number
from workcell.programs.named_parameters import NAMED, bound, given_name, named
from workcell.programs.program import Program
from workcell.simulation.events import Issued, SignalSeen, Waited
from workcell.simulation.instants import later
from workcell.simulation.interlocks import Interlocks
from workcell.simulation.named_things import require_known
from workcell.simulation.operations import ISSUED, OPERATIONS, equals
from workcell.simulation.performing import Kept, Settings
from workcell.simulation.refusals import issued, located
from workcell.simulation.routines import Callback, Enter, Leave, Seen, Yields, checked_yield
from workcell.simulation.scopes import FrameScope
from workcell.simulation.threads import Frame, Lasting, Thread, Waiting
from workcell.simulation.waits import Waits
from workcell.wording import counted, joined

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

ENDLESS = 10_000
"""After this many steps at one instant, a program counts as an endless loop."""


class ThreadRunner(Waits):
    """Carries out the instructions of threads, one at a time.

    Args:
        simulator: the simulator.
        known: every program that may be called, by name.
        files: the bytes of the tables that steps read, by name.
    """

    def __init__(self, simulator: Simulator, known: Mapping[str, Program], files: Mapping[str, bytes]) -> None:
        super().__init__(simulator)
        self.known = dict(known)
        self.files = dict(files)
        self.kept: Kept = {}
        self.steps = 0
        """How many steps were carried out."""
        self.ended: dict[str, float] = {}
        """When each program ended [s]."""
        self.stopped = False
        """Whether a step ended the whole run."""
        self._busy: set[Thread] = set()
        """Threads that have counted steps since the clock last advanced."""
        self.interlocks = Interlocks(self)

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
        """Refuse to let a thread wait forever; a program written in Python may then do something else."""
        try:
            self.interlocks.require_no_deadlock(thread)
        except Deadlock as error:
            if thread.python is None:
                raise
            self._turn(thread, error)
            self._check_waiting(thread)

    def rouse(self, thread: Thread) -> None:
        """Let a sleeping thread test again whether it may continue."""
        self._sleepers.rouse(thread)

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

    def _turn(self, thread: Thread, error: MotionError | Deadlock | None = None) -> None:
        """Let a program written in Python continue to its next wait; it may catch a stop or a deadlock there."""
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
            # A program that waits as long as its moves take waits for the moves, even if their speed changes.
            longest = max((drive.rests for drive in self.simulator.moving(begun)), default=-math.inf)
            numbers = begun if until == longest else ()
            thread.waiting = Waiting(until, timeout=wanted_now, numbers=numbers, moved=bool(begun))

    def _still_waits(self, waiting: Waiting) -> bool:
        """Return whether moves that follow each other have one left; it then begins."""
        if waiting.moves is None or waiting.begun >= waiting.moves.count:
            return False
        waiting.begun += 1
        before = self.simulator.issued
        waiting.until = later(self.simulator.time, waiting.moves.begin(self.simulator, waiting.begun - 1))
        if not isinstance(waiting.moves, Lasting):  # these look again at every period, whatever moves
            waiting.numbers = self.simulator.begun_since(before)
        return True

    def _too_late(self, thread: Thread, waiting: Waiting) -> None:
        frame = thread.frame
        if waiting.otherwise >= 0:
            frame.at = waiting.otherwise
            return
        raise Refused(f"The condition was not true within {waiting.timeout:g} s.", timeout=waiting.timeout)

    def _count(self, thread: Thread) -> None:
        go_on(self.simulator.cancel, "The run")
        STEPS.check(self.steps, "The run")
        thread.idle += 1
        self._busy.add(thread)
        if thread.idle > ENDLESS:
            frame = thread.frame
            raise Refused(
                f"Program {frame.program.name!r} loops without time passing: {ENDLESS:,} steps at "
                f"{self.simulator.time:.4f} s, the last in line {frame.place.line}; let it wait or move inside its "
                "loop.",
                endless=True,
                program=frame.program.name,
                line_number=frame.place.line,
            )

    def begin(self, thread: Thread) -> None:
        """Begin a thread."""
        self.threads.append(thread)
        self._turns.begin(thread)

    def end(self, thread: Thread) -> None:
        """End a thread."""
        thread.ended = self.simulator.time
        self.interlocks.give_up([thread])
        self._forget(thread)
        if thread.parent is None:
            self.ended[thread.name] = self.simulator.time

    def _forget(self, thread: Thread) -> None:
        self.threads.remove(thread)
        self._turns.end(thread)

    def frame(self, program: Program, given: Sequence[Value], caller: Frame | None = None) -> Frame:
        """Return a frame for a program with values for its parameters."""
        frame = Frame(program, settings=caller.settings.copy() if caller is not None else Settings())
        scope = FrameScope(self.simulator, frame)
        parameters = program.parameters
        if len(given) > len(parameters):
            has, found = counted(len(parameters), "parameter"), counted(len(given), "value")
            raise Refused(f"Program {program.name!r} has {has}; found {found}.")
        missing = [one.name for one in parameters[len(given) :] if one.default is None]
        if missing:
            wants = "a value for its parameter" if len(missing) == 1 else "values for its parameters"
            needs = f"Program {program.name!r} needs {wants} {joined([repr(one) for one in missing])}."
            raise Refused(needs, program=program.name, parameter=missing[0])
        for place, parameter in enumerate(parameters):
            with about(program.name, parameter.name):
                if place < len(given):
                    value = given[place]
                else:
                    usual = parameter.default
                    assert usual is not None
                    value = given_name(usual, {}, parameter.name) if parameter.type in NAMED else evaluate(usual, scope)
                frame.variables[parameter.name] = as_parameter(value, parameter.type, scope, parameter.name)
        names = {name: str(frame.variables[name]) for name in named(program)}
        for name, value in names.items():
            with about(program.name, name):
                require_known(self.simulator.snapshot, name, named(program)[name].type, value)
        return replace(frame, program=bound(program, names))

    # ---- refusals ---------------------------------------------------------------------------------------

    def _refused(self, thread: Thread, error: WorkcellError) -> None:
        """Give a refusal to the nearest handler; without one it ends the run."""
        self._sleepers.clear()
        if thread.python is not None:
            raise error
        refused = located(error, thread.frames, self.simulator.snapshot)
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
        """Report a stopped motion to everything that waited for it."""
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
        return isinstance(step, (*s.MOVES, s.Together, s.Weld, s.MoveAlong, s.FindPath, s.Guide, *s.HANDLING))


def _thrown(steps: Generator[Yields, None, None], error: MotionError | Deadlock) -> Yields | None:
    """Return what a generator waits for after an error was raised at its yield; None if it ends."""
    try:
        return steps.throw(error)
    except StopIteration:
        return None
