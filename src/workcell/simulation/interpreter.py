"""The interpreter: carries out programs on one clock.

Every program is a thread, and so is every branch of a parallel block. At one instant moves come first, then threads go
on in the order in which they were declared, each as far as it can. A program is steps as data, or a generator written
in Python. A run can be stopped before any step, gone on with, and gone back to (:meth:`Run.moment`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from workcell.cost import STEPS, go_on
from workcell.errors import Cancelled, DeadLock, MotionError, MotionStop, Refused, TooCostly, WorkcellError
from workcell.programs import steps as s
from workcell.programs.code import Instruction, instructions
from workcell.programs.evaluate import Value, evaluate, wanted
from workcell.programs.expressions import Binary, Call, Expression, Name, Number, parts
from workcell.programs.program import Program
from workcell.programs.wants import Wants
from workcell.simulation.events import Issued, SignalSeen, Waited
from workcell.simulation.instants import later
from workcell.simulation.interlocks import Interlocks
from workcell.simulation.operations import ISSUED, OPERATIONS, STEPPED, begin_at, equals
from workcell.simulation.performing import Kept, Settings
from workcell.simulation.routines import Callback, Enter, Function, Leave, Routine, Seen, Yields, checked_yield
from workcell.simulation.scopes import MOVING, TRUTH, FrameScope, typed
from workcell.simulation.sleepers import Sleepers
from workcell.simulation.threads import Frame, Thread, Waiting, copied
from workcell.simulation.turns import Turns
from workcell.wording import counted, joined

if TYPE_CHECKING:
    from workcell.simulation.moments import Moment as PlantMoment
    from workcell.simulation.recording import Recording
    from workcell.simulation.simulator import Simulator

ENDLESS = 10_000
"""After so many steps without time passing a program is taken for an endless loop."""
LOOK_EVERY = 1e-3
"""How often a condition that depends on time or motion is looked at [s]."""
MOST_LOOKS = 20_000_000
"""How often conditions that depend on time or motion are looked at in one run."""
QUIET = 3600.0
"""After so long without anything happening, while conveyors run, nothing is taken to go on [s]."""
Startable: TypeAlias = "Program | Routine | Callback | Function"
"""A program as data, or one written in Python."""
Pause: TypeAlias = Callable[[Thread, Instruction], bool]
"""Asked before each step: whether to stand there."""


class StepRefused(Refused):
    """A step of a program was refused; ``program`` and ``line_number`` say which, ``reason`` is the error itself."""


@dataclass(frozen=True)
class Moment:
    """A run as it stands, as plain data: what :meth:`Run.return_to` needs.

    Attributes:
        threads: what is under way.
        round: the threads that are still to go on in this round of the instant, the first is the one that stands.
        going: whether any thread has gone on in this round.
        position: how many steps were come to.
        steps: how many were carried out.
        looks: how often conditions were looked at.
        time: when time last passed [s].
        ended: when each program was over [s].
        plant: the simulator.
    """

    threads: list[Thread]
    round: list[Thread]
    going: bool
    position: int
    steps: int
    looks: int
    time: float
    ended: dict[str, float]
    plant: PlantMoment


class Run:
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
        self.simulator = simulator
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
        self._sleepers = Sleepers(simulator)
        self._turns = Turns(self._sleepers)
        self._busy: set[Thread] = set()
        """Threads that have counted steps since time last passed."""
        self._looks = 0
        self._quiet = -1, 0.0
        """How often something had happened, and since when nothing has [s]."""
        self.threads: list[Thread] = []
        """What is under way."""
        self.interlocks = Interlocks(self)
        """The zones that the programs share."""
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

    def _next_event(self) -> float:
        """When something may happen that a program waits for, where all wait for signals [s]."""
        simulator = self.simulator
        happened = simulator.happened - simulator.in_vain
        if happened != self._quiet[0]:
            self._quiet = happened, simulator.time
        until = simulator.next_event
        if math.isinf(until) and simulator.unseen and simulator.drives:
            return simulator.time  # what runs is looked at first: sensors may change
        if math.isinf(until) or (simulator.time - self._quiet[1] > QUIET and not simulator.callbacks):
            raise self._deadlock()
        return until

    def _deadlock(self) -> Refused:
        """Why nothing goes on: what is held, and what every program waits for."""
        held = [drive.name for drive in self.simulator.drives.values() if drive.rate == 0.0]
        waits = "; ".join(self._waits())
        if not held:
            zones = any(one.waiting is not None and one.waiting.zone for one in self.threads)
            what = "a signal that nobody gives" + (" or a zone that nobody leaves" if zones else "")
            return Refused(f"Nothing goes on: every program waits for {what} ({waits}).")
        also = f", and others wait for signals that nobody gives ({waits})" if waits else ""
        are, them = ("is", "it") if len(held) == 1 else ("are", "them")
        fault = "" if self.simulator.faults is None else self.simulator.faults.stopped(held)
        does = f"clear-fault {fault}" if fault else f"resume-motion {held[0]}"
        return Refused(
            f"Nothing goes on: {' and '.join(held)} {are} held on the way, and no program is left that could let "
            f"{them} go on{also}; `{does}` does.",
            held=held,
        )

    def _next_look(self, thread: Thread) -> float:
        waiting = thread.waiting
        assert waiting is not None
        if waiting.branches or waiting.zone:
            return math.inf
        if waiting.numbers:
            return max((drive.end for drive in self.simulator.moving(waiting.numbers)), default=self.simulator.time)
        if waiting.condition is None:
            return waiting.until
        if self._changes_with_time(thread, waiting.condition):
            return min(waiting.deadline, later(self.simulator.time, LOOK_EVERY))
        return waiting.deadline

    def _changes_with_time(self, thread: Thread, condition: Expression) -> bool:
        """Whether a condition may come to hold while nothing happens but time and motion."""
        snapshot, variables = self.simulator.snapshot, thread.frame.variables
        places, sensed = snapshot.places.spots, bool(snapshot.sensors)
        for one in parts(condition):
            if isinstance(one, Call) and one.function in MOVING:
                return True
            if sensed and isinstance(one, Name) and self.simulator.sensing.runs_on(one.name):
                return True
            named = isinstance(one, Name) and (one.kind or one.name not in variables)
            if isinstance(one, Name) and named and (("target", one.name) in places or ("frame", one.name) in places):
                return True
        return False

    def _waits(self) -> Iterator[str]:
        """For each thread that waits for a condition: its name, its line, and the signal if it waits for one."""
        for thread in self.threads:
            waiting = thread.waiting
            if waiting is None or (waiting.condition is None and not waiting.zone):
                continue
            line, program = (thread.frame.place.line, thread.frame.program.name) if thread.python is None else (0, "")
            where = f" in line {line}{f' of {program!r}' if program != thread.name else ''}" if line else ""
            if waiting.zone:
                holders = joined([one.label for one in self.interlocks.holders(waiting.zone)])
                yield f"{thread.label}{where} for zone {waiting.zone}, which {holders} holds"
                continue
            signal = self._signal(thread, waiting.condition)
            yield f"{thread.name}{where}{f' for {signal[0]} = {signal[1]:g}' if signal else ''}"

    def _signal(self, thread: Thread, condition: Expression | None) -> tuple[str, float] | None:
        """The signal and the value that a thread waits for, where it waits for nothing else."""
        step = thread.frame.instruction.step
        if thread.python is not None:
            assert isinstance(condition, Binary)
            assert isinstance(condition.left, Call)
            (name,) = condition.left.arguments
            value = condition.right
        elif isinstance(step, s.WaitFor):
            name, value = Name(step.signal), Number(1.0) if step.value is None else step.value
        else:
            return None
        assert isinstance(name, Name)
        return name.name, float(self.wanted(thread, value, Wants("number")))

    def _ready_or_refused(self, thread: Thread) -> bool:
        """Whether a thread can go on; a condition that cannot be evaluated is a refusal of its step."""
        try:
            return self._ready(thread)
        except WorkcellError as error:
            self._refused(thread, error)
            return thread in self.threads

    def _ready(self, thread: Thread) -> bool:
        waiting, now = thread.waiting, self.simulator.time
        if waiting is None:
            return True
        if waiting.branches:
            return not self._turns.branches(thread)
        if waiting.zone:
            return waiting.zone in thread.holds
        if waiting.numbers:
            return not self.simulator.moving(waiting.numbers)
        if waiting.condition is None:
            return waiting.until <= now
        return waiting.deadline <= now or self.holds(thread, waiting.condition)

    def holds(self, thread: Thread, condition: Expression) -> bool:
        """Whether a condition holds in a thread."""
        return bool(self.wanted(thread, condition, TRUTH))

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
            self.simulator.recorder.source(_issued(self.simulator.now, thread.frames))
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

    def save(self, path: str | Path) -> None:
        """Write the run, which stands before a step, to a file; see :mod:`~workcell.simulation.saved_runs`."""
        from workcell.simulation.saved_runs import SavedRun

        SavedRun.of(self).save(path)

    @classmethod
    def load(cls, path: str | Path, simulator: Simulator) -> Run:
        """A run that was saved, on a simulator of the same cell; it stands where it stood."""
        from workcell.simulation.saved_runs import SavedRun

        return SavedRun.load(path).on(simulator)

    # ---- inside -----------------------------------------------------------------------------------------

    def wanted(self, thread: Thread, expression: Expression, wants: Wants) -> Any:
        """The value of an expression in a thread."""
        return wanted(expression, wants, FrameScope(self.simulator, thread.frame))

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


def told(error: WorkcellError, frames: Sequence[Frame]) -> WorkcellError:
    """A refusal with the line of the program that asked for it, and who called that; a stop stays what it is."""
    if isinstance(error, StepRefused) or error.evidence.get("endless"):
        return error
    frame = frames[-1]
    program, place = frame.program.name, frame.place
    where = f"Line {place.line} of program {program!r}" if place.line else f"Program {program!r}"
    callers = [f"line {one.program.place(_last(one).number).line} of {one.program.name!r}" for one in frames[-2::-1]]
    via = f" (called in {', '.join(callers[:3])})" if callers else ""
    message = f"{where}{via}: {error}"
    if isinstance(error, MotionStop):
        return type(error)(message, **{**error.evidence, "line_number": place.line, "program": program})
    kept = {name: value for name, value in error.evidence.items() if name == "chain"}
    return StepRefused(message, line_number=place.line, program=program, reason=error, **kept)


def _issued(time: float, frames: Sequence[Frame]) -> Issued:
    """Which line issues the step that comes next, and who called its program."""
    frame = frames[-1]
    callers = tuple((one.program.name, one.program.place(_last(one).number).line) for one in frames[-2::-1])
    return Issued(time, frame.program.name, frame.place.line, callers)


def _last(frame: Frame) -> Instruction:
    """The instruction of a frame that called the one above it."""
    return instructions(frame.program)[frame.at - 1]
