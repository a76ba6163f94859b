"""The interpreter: carries out programs on one clock.

Every program is a thread, and so is every branch of a parallel block. A thread keeps plain data only: a stack of
frames, each with the place in the row of instructions, variables, loops and handlers. At one instant threads go on
in the order in which they were declared. A run can be stopped before any step and gone on with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workcell.cost import STEPS, go_on
from workcell.errors import (
    Cancelled,
    CollisionStop,
    InvalidValue,
    MotionError,
    Refused,
    TooCostly,
    UnknownName,
    WorkcellError,
)
from workcell.programs import steps as s
from workcell.programs.code import Instruction, instructions
from workcell.programs.evaluate import JointValues, Value, converted, described, evaluate, wanted
from workcell.programs.expressions import Binary, Call, Expression, Name, Number, parts
from workcell.programs.measures import DIMENSIONS, Measure
from workcell.programs.program import Place, Program
from workcell.programs.wants import Wants
from workcell.simulation.performing import Doing, Settings, perform
from workcell.spatial.pose import Pose
from workcell.spatial.units import Units

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

ENDLESS = 10_000
"""After so many steps without time passing a program is taken for an endless loop."""
LOOK_EVERY = 1e-3
"""How often a condition that depends on time or motion is looked at [s]."""
DEEPEST = 100
"""How deep programs may call each other."""
_TRUTH = Wants("truth")
MOST_LOOKS = 20_000_000
"""How often conditions that depend on time or motion are looked at in one run."""
MOST_THREADS = 1000
"""How many branches may be under way."""
_MOVING = ("time", "joints", "joint", "tool", "target")
"""Functions whose value changes while time passes."""


@dataclass
class Loop:
    """A loop that is being gone round: the number of the round, how many there are, and its numbers."""

    done: int
    rounds: int
    first: Measure | None = None
    by: Measure | None = None


@dataclass
class Guard:
    """A handler that waits for a refusal: where it is, the variable for the reason, and how deep loops were."""

    handler: int
    variable: str


@dataclass
class Frame:
    """A program that is being carried out: where it stands, and what it knows."""

    program: Program
    at: int = 0
    variables: dict[str, Value] = field(default_factory=dict)
    loops: dict[int, Loop] = field(default_factory=dict)
    guards: list[Guard] = field(default_factory=list)
    settings: Settings = field(default_factory=Settings)

    @property
    def instruction(self) -> Instruction:
        """What comes next."""
        return instructions(self.program)[self.at]

    @property
    def place(self) -> Place:
        """Where that stands in the text."""
        return self.program.place(self.instruction.number)


@dataclass
class Waiting:
    """What a thread waits for: an instant, a condition with a deadline, or its branches."""

    until: float = -math.inf
    condition: Expression | None = None
    otherwise: int = -1
    """Where to go when the deadline passes; -1 makes that an error."""
    deadline: float = math.inf
    branches: bool = False
    stays: bool = False
    """Whether the step that comes next has not begun: a handler that waits for moves of others to be over."""
    timeout: float = math.inf
    """How long is waited, or was to be waited for the condition [s]."""
    moves: Iterator[float] | None = None
    """Moves that follow, one after the other."""


@dataclass
class Thread:
    """A program or a branch of one.

    Attributes:
        name: of the program that was started.
        order: its place among the threads at one instant.
        frames: the programs that it carries out, the innermost last.
        parent: the thread that waits for it, if it is a branch.
        waiting: what it waits for, if it does.
        ended: when it was over [s], if it is.
    """

    name: str
    order: tuple[int, ...]
    frames: list[Frame]
    parent: Thread | None = None
    waiting: Waiting | None = None
    ended: float | None = None
    idle: int = 0
    """Steps since time last passed."""

    @property
    def frame(self) -> Frame:
        """The program that it is in."""
        return self.frames[-1]


class StartScope:
    """What names mean before a run: signals, targets and frames of a simulator."""

    def __init__(self, simulator: Simulator, units: Units) -> None:
        self._simulator = simulator
        self._variables: Mapping[str, Value] = {}
        self.units = units

    def named(self, name: str, kind: str = "") -> Value:
        """A variable, a signal, or a target or frame."""
        if not kind and name in self._variables:
            return self._variables[name]
        simulator = self._simulator
        if kind in ("", "signal") and (name in simulator.state.signals or name in simulator.signals):
            return Measure(simulator.signal(name))
        places = simulator.snapshot.places
        if any((one, name) in places.spots for one in ([kind] if kind else ["target", "frame"])):
            return simulator.snapshot.place_pose(simulator.state, name, kind)
        known = [*self._variables, *simulator.signals, *(spot for _, spot in places.spots)]
        raise UnknownName.among("variable, signal or target", name, known)

    def slides(self, robot: str) -> Sequence[bool]:
        """For each joint of a robot, whether it slides."""
        return tuple(row.prismatic for row in self._simulator.snapshot.robot(robot).robot.rows)

    def asked(self, function: str, arguments: Sequence[Any]) -> Value:
        """The answers to the functions about the state."""
        return _ASKED[function](self._simulator, *arguments)


class _Scope(StartScope):
    """What names mean in a frame: its variables first."""

    def __init__(self, run: Run, frame: Frame) -> None:
        super().__init__(run.simulator, frame.program.units)
        self._variables = frame.variables


def _joint(simulator: Simulator, robot: str, number: float) -> Value:
    values = simulator.state.joints[simulator.snapshot.robot(robot).name]
    place = _counted(number, len(values), "joint")
    slides = simulator.snapshot.robot(robot).robot.rows[place].prismatic
    return Measure(float(values[place]), DIMENSIONS["length" if slides else "angle"])


def _target(simulator: Simulator, path: str, number: float) -> Value:
    poses = simulator.snapshot.path_poses(simulator.state, path)
    return poses[_counted(number, len(poses), "target")]


def _counted(number: float, count: int, what: str) -> int:
    if number != int(number) or not 1 <= number <= count:
        raise InvalidValue(f"There are {what}s 1 to {count}; found {number:g}.")
    return int(number) - 1


def _length(value: float) -> Measure:
    return Measure(float(value), DIMENSIONS["length"])


_ASKED: dict[str, Callable[..., Value]] = {
    "time": lambda sim: Measure(sim.time, DIMENSIONS["time"]),
    "signal": lambda sim, name: Measure(sim.signal(name)),
    "joints": lambda sim, robot: JointValues(tuple(sim.state.joints[sim.snapshot.robot(robot).name].tolist())),
    "joint": _joint,
    "tool": lambda sim, robot: sim.snapshot.tool_pose(sim.state, robot),
    "holds": lambda sim, robot: sim.robot(robot).holds,
    "count": lambda sim, path: Measure(float(len(sim.snapshot.places.path(path).poses))),
    "target": _target,
    "x": lambda _, pose: _length(pose.xyz[0]),
    "y": lambda _, pose: _length(pose.xyz[1]),
    "z": lambda _, pose: _length(pose.xyz[2]),
    "distance": lambda _, one, other: _length(one.distance(other)[0]),
}


class StepRefused(Refused):
    """A step of a program was refused; ``program`` and ``line_number`` say which, ``reason`` is the error itself."""


class Run:
    """Programs being carried out on a simulator.

    Args:
        simulator: where; it must not run other programs.
        programs: what to start, in the order in which they go on at one instant.
        known: every program that may be called, by name; those to start are known anyway.
        arguments: values for the parameters of the programs to start.
        files: the bytes of the tables that steps read, by name.
    """

    def __init__(
        self,
        simulator: Simulator,
        programs: Sequence[Program],
        known: Mapping[str, Program] | None = None,
        arguments: Mapping[str, Sequence[Value]] | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> None:
        self.simulator = simulator
        self.known = {**(known or {}), **{one.name: one for one in programs}}
        self.files = dict(files or {})
        self.steps = 0
        """How many steps were carried out."""
        self.ended: dict[str, float] = {}
        """When each program was over [s]."""
        self.stopped = False
        """Whether a step ended the whole run."""
        self._time = simulator.time
        self._stood: tuple[Thread, int, int] | None = None
        self._looks = 0
        self._inside = ExitStack()
        self._inside.enter_context(simulator.own_settings())
        self._inside.enter_context(simulator.side_by_side())
        self.threads = [
            Thread(one.name, (place,), [self._frame(one, (arguments or {}).get(one.name, ()))])
            for place, one in enumerate(programs)
        ]

    # ---- going on ---------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether nothing is left to do."""
        return self.stopped or not self.threads

    def go(self, pause: Callable[[Thread, Instruction], bool] | None = None) -> Thread | None:
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
        self.threads = []
        self._inside.close()

    def _instant(self, pause: Callable[[Thread, Instruction], bool] | None) -> Thread | None:
        """Let every thread go on until all wait."""
        going = True
        while going and not self.over:
            going = False
            for thread in sorted(self.threads, key=lambda one: one.order):
                while thread in self.threads and not self.over and self._ready_or_refused(thread):
                    going = True
                    if pause is not None and self._pauses(thread, pause):
                        return thread
                    self._carry_out(thread)
        return None

    def _pauses(self, thread: Thread, pause: Callable[[Thread, Instruction], bool]) -> bool:
        """Whether to stand before the step that comes next; not twice before the same one."""
        here = (thread, thread.frame.at, len(thread.frames))
        if thread.waiting is not None or thread.frame.instruction.operation not in _STEPS:
            return False
        if self._stood == here:
            self._stood = None
            return False
        if not pause(thread, thread.frame.instruction):
            return False
        self._stood = here
        return True

    def _carry_out(self, thread: Thread) -> None:
        try:
            self._next(thread)
        except (Cancelled, TooCostly):
            raise
        except WorkcellError as error:
            self._refused(thread, error)

    def _pass_time(self) -> None:
        """Let time pass up to the next instant at which a thread may go on."""
        go_on(self.simulator.cancel, "The run")
        self._looks += 1
        if self._looks > MOST_LOOKS:
            raise TooCostly(f"The run waits by looking at conditions more than {MOST_LOOKS:,} times; give a time-out.")
        instants = [self._next_look(thread) for thread in self.threads]
        until = min(instants, default=math.inf)
        if math.isinf(until):
            raise Refused(f"Nothing goes on: every program waits for a signal that nobody gives ({self._waits()}).")
        try:
            self.simulator.advance(max(until, self.simulator.time))
        except MotionError as error:
            self._stopped_moving(error)
        if self.simulator.time > self._time:
            self._time = self.simulator.time
            for thread in self.threads:
                thread.idle = 0

    def _next_look(self, thread: Thread) -> float:
        waiting = thread.waiting
        assert waiting is not None
        if waiting.branches:
            return math.inf
        if waiting.condition is None:
            return waiting.until
        if self._changes_with_time(thread, waiting.condition):
            return min(waiting.deadline, self.simulator.time + LOOK_EVERY)
        return waiting.deadline

    def _changes_with_time(self, thread: Thread, condition: Expression) -> bool:
        """Whether a condition may come to hold while nothing happens but time and motion."""
        places, variables = self.simulator.snapshot.places.spots, thread.frame.variables
        for one in parts(condition):
            if isinstance(one, Call) and one.function in _MOVING:
                return True
            named = isinstance(one, Name) and (one.kind or one.name not in variables)
            if isinstance(one, Name) and named and (("target", one.name) in places or ("frame", one.name) in places):
                return True
        return False

    def _waits(self) -> str:
        told = []
        for thread in self.threads:
            waiting = thread.waiting
            if waiting is None or waiting.condition is None:
                continue
            step = thread.frame.instruction.step
            if isinstance(step, s.WaitFor):
                told.append(f"{thread.name} for {self._seen(thread)}")
            else:
                place = thread.frame.place
                told.append(f"{thread.name} in line {place.line}" if place.line else thread.name)
        return "; ".join(told)

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
            return not any(other.parent is thread for other in self.threads)
        if waiting.condition is None:
            return waiting.until <= now
        return waiting.deadline <= now or self._holds(thread, waiting.condition)

    def _holds(self, thread: Thread, condition: Expression) -> bool:
        return bool(self._wanted(thread, condition, _TRUTH))

    # ---- one instruction --------------------------------------------------------------------------------

    def _next(self, thread: Thread) -> None:
        waiting, frame = thread.waiting, thread.frame
        if waiting is not None and self._still_waits(thread, waiting):
            return
        if waiting is not None and waiting.stays:
            thread.waiting = None
            return
        if waiting is not None:
            thread.waiting = None
            if waiting.condition is not None and not self._holds(thread, waiting.condition):
                self._too_late(thread, waiting)
                return
            step = frame.instruction.step
            if isinstance(step, s.WaitFor):
                self.simulator.note("signal seen", self._seen(thread))
            elif isinstance(step, s.Wait):
                self.simulator.note("waited", f"{waiting.timeout:g} s")
            frame.at += 1
            return
        self._count(thread)
        instruction = frame.instruction
        _OPERATIONS[instruction.operation](self, thread, frame, instruction)

    def _still_waits(self, thread: Thread, waiting: Waiting) -> bool:
        """Whether moves that follow each other have one left; it begins then."""
        if waiting.moves is None:
            return False
        duration = next(waiting.moves, None)
        if duration is None:
            return False
        waiting.until = self.simulator.time + duration
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
        if thread.idle > ENDLESS:
            frame = thread.frame
            raise Refused(
                f"Program {frame.program.name!r} goes round without time passing: {ENDLESS:,} steps at "
                f"{self.simulator.time:.4f} s; let it wait or move inside its loop.",
                endless=True,
            )

    def _do(self, thread: Thread, frame: Frame, one: Instruction) -> None:
        self.steps += 1
        if isinstance(one.step, s.Let):
            frame.variables[one.step.variable] = evaluate(one.step.value, _Scope(self, frame))
            frame.at += 1
            return
        if isinstance(one.step, s.WaitFor):
            wanted_value = Number(1.0) if one.step.value is None else one.step.value
            thread.waiting = Waiting(condition=Binary("=", Call("signal", (Name(one.step.signal),)), wanted_value))
            self.simulator.signal(one.step.signal)
            return
        outcome = perform(one.step, self._doing(frame))
        if outcome is None:
            frame.at += 1
        elif isinstance(outcome, int | float):
            thread.waiting = Waiting(self.simulator.time + float(outcome), timeout=float(outcome))
        else:
            thread.waiting = Waiting(self.simulator.time, moves=outcome)

    def _seen(self, thread: Thread) -> str:
        step = thread.frame.instruction.step
        assert isinstance(step, s.WaitFor)
        value = 1.0 if step.value is None else self._wanted(thread, step.value, Wants("number"))
        return f"{step.signal} = {value:g}"

    def _jump(self, thread: Thread, frame: Frame, one: Instruction) -> None:
        frame.at = one.to

    def _unless(self, thread: Thread, frame: Frame, one: Instruction) -> None:
        assert one.condition is not None
        frame.at = frame.at + 1 if self._wanted(thread, one.condition, _TRUTH) else one.to

    def _loop(self, thread: Thread, frame: Frame, one: Instruction) -> None:
        loop = self._new_loop(thread, one.step)
        if loop.rounds <= 0:
            frame.at = one.to
            return
        frame.loops[frame.at] = loop
        self._set_round(frame, one.step, loop)
        frame.at += 1

    def _again(self, thread: Thread, frame: Frame, one: Instruction) -> None:
        loop = frame.loops.get(one.to)
        if loop is None:  # a run that began inside the loop
            loop = frame.loops[one.to] = self._new_loop(thread, one.step)
        loop.done += 1
        if loop.done < loop.rounds:
            self._set_round(frame, one.step, loop)
            frame.at = one.to + 1
        else:
            del frame.loops[one.to]
            frame.at += 1

    def _new_loop(self, thread: Thread, step: s.Step) -> Loop:
        if isinstance(step, s.Repeat):
            return Loop(0, int(self._wanted(thread, step.count, Wants("number", whole=True))))
        if isinstance(step, s.ForEach):
            return Loop(0, len(self.simulator.snapshot.path_poses(self.simulator.state, step.path)))
        assert isinstance(step, s.For)
        scope = _Scope(self, thread.frame)
        numbers = []
        for expression in (step.first, step.last, step.by):
            value = Measure(1.0) if expression is None else evaluate(expression, scope)
            if isinstance(value, bool) or not isinstance(value, Measure):
                raise InvalidValue(f"A loop counts with numbers; found {described(value)}.")
            numbers.append(value)
        from workcell.programs.measures import aligned

        first, last, by = numbers
        a, b, dimension = aligned(first, last, scope.units)
        c = aligned(by, Measure(0.0, dimension), scope.units)[0]
        if c == 0.0:
            raise InvalidValue("A loop cannot count by zero.")
        rounds = (b - a) / c + 1e-9
        STEPS.check(rounds, "This loop")
        return Loop(0, math.floor(rounds) + 1, Measure(a, dimension), Measure(c, dimension))

    def _set_round(self, frame: Frame, step: s.Step, loop: Loop) -> None:
        if isinstance(step, s.For):
            assert loop.first is not None
            assert loop.by is not None
            value = loop.first.value + loop.done * loop.by.value
            frame.variables[step.variable] = Measure(value, loop.first.dimension)
        elif isinstance(step, s.ForEach):
            poses = self.simulator.snapshot.path_poses(self.simulator.state, step.path)
            frame.variables[step.variable] = poses[loop.done]

    def _until(self, thread: Thread, frame: Frame, one: Instruction) -> None:
        step = one.step
        assert isinstance(step, s.WaitUntil)
        self.steps += 1
        timeout = math.inf
        if step.timeout is not None:
            timeout = self._wanted(thread, step.timeout, Wants("number", "time", least=0.0))
        thread.waiting = Waiting(
            condition=step.condition, deadline=self.simulator.time + timeout, otherwise=one.to, timeout=timeout
        )

    def _fork(self, thread: Thread, frame: Frame, one: Instruction) -> None:
        self.steps += 1
        self._require_depth(thread)
        if len(self.threads) + len(one.starts) > MOST_THREADS:
            raise Refused(f"At most {MOST_THREADS} branches can be under way at once.")
        for place, start in enumerate(one.starts):
            # Branches share the variables of their program; at one instant they go on in the order written.
            branch = Frame(frame.program, start, frame.variables, {}, [], frame.settings.copy())
            self.threads.append(Thread(thread.name, (*thread.order, place), [branch], thread))
        frame.at = one.to - 1
        thread.waiting = Waiting(branches=True)

    def _leave(self, thread: Thread, frame: Frame, one: Instruction) -> None:
        self._end(thread)

    def _guard(self, thread: Thread, frame: Frame, one: Instruction) -> None:
        step = one.step
        assert isinstance(step, s.Try)
        frame.guards.append(Guard(one.to, step.variable))
        frame.at += 1

    def _unguard(self, thread: Thread, frame: Frame, one: Instruction) -> None:
        frame.guards.pop()
        frame.at = one.to

    def _call(self, thread: Thread, frame: Frame, one: Instruction) -> None:
        step = one.step
        assert isinstance(step, s.Call)
        self.steps += 1
        if step.program not in self.known:
            raise UnknownName.among("program", step.program, self.known)
        self._require_depth(thread, step.program)
        scope = _Scope(self, frame)
        given = [evaluate(argument, scope) for argument in step.arguments]
        inner = self._frame(self.known[step.program], given, frame)
        frame.at += 1
        thread.frames.append(inner)

    def _require_depth(self, thread: Thread, called: str = "") -> None:
        """Refuse calls and branches inside each other beyond a depth."""
        names: list[str] = []
        above: Thread | None = thread
        while above is not None:
            names = [*(frame.program.name for frame in above.frames), *names]
            above = above.parent
        if len(names) >= DEEPEST:
            chain = [*names[names.index(called) :], called] if called in names else names[-3:]
            raise Refused(f"Programs call each other {DEEPEST} deep: {' → '.join(chain[:8])}.", chain=chain)

    def _return(self, thread: Thread, frame: Frame, one: Instruction) -> None:
        thread.frames.pop()
        if not thread.frames:
            thread.frames.append(frame)  # for whoever asks where it ended
            self._end(thread)

    def _stop(self, thread: Thread, frame: Frame, one: Instruction) -> None:
        self.steps += 1
        self.stopped = True
        for other in self.threads:
            root = other
            while root.parent is not None:
                root = root.parent
            self.ended.setdefault(root.name, self.simulator.time)

    def _end(self, thread: Thread) -> None:
        thread.ended = self.simulator.time
        self.threads.remove(thread)
        if thread.parent is None:
            self.ended[thread.name] = self.simulator.time

    # ---- refusals ---------------------------------------------------------------------------------------

    def _refused(self, thread: Thread, error: WorkcellError) -> None:
        """Give a refusal to the nearest handler; without one it ends the run."""
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
            given_up = [one for one in self.threads if _descends(one, thread)]
            until = max(
                [until, *(one.waiting.until for one in given_up if one.waiting is not None and self._moves(one))]
            )
            self.threads = [one for one in self.threads if one not in given_up]

    def _stopped_moving(self, error: MotionError) -> None:
        """A motion was stopped: everything that waited for it hears of it."""
        concerned = [thread for thread in self.threads if thread.waiting is not None and self._moves(thread)]
        if not concerned:
            raise error
        for thread in concerned:
            if thread in self.threads:
                self._refused(thread, error)

    def _moves(self, thread: Thread) -> bool:
        step = thread.frame.instruction.step
        return isinstance(step, (*s.MOVES, s.Together, s.Weld, s.MoveAlong))

    # ---- inside -----------------------------------------------------------------------------------------

    def _doing(self, frame: Frame) -> Doing:
        return Doing(self.simulator, _Scope(self, frame), frame.settings, self.files)

    def _wanted(self, thread: Thread, expression: Expression, wants: Wants) -> Any:
        return wanted(expression, wants, _Scope(self, thread.frame))

    def _frame(self, program: Program, given: Sequence[Value], caller: Frame | None = None) -> Frame:
        """A frame for a program with values for its parameters."""
        frame = Frame(program, settings=caller.settings.copy() if caller is not None else Settings())
        scope = _Scope(self, frame)
        parameters = program.parameters
        if len(given) > len(parameters):
            raise Refused(f"Program {program.name!r} has {len(parameters)} parameters; found {len(given)} values.")
        for place, parameter in enumerate(parameters):
            if place < len(given):
                value = given[place]
            elif parameter.default is not None:
                value = evaluate(parameter.default, scope)
            else:
                raise Refused(f"Program {program.name!r} needs a value for its parameter {parameter.name!r}.")
            frame.variables[parameter.name] = typed(value, parameter.type, scope, parameter.name)
        return frame


def _descends(thread: Thread, ancestor: Thread) -> bool:
    above = thread.parent
    while above is not None and above is not ancestor:
        above = above.parent
    return above is ancestor


def typed(value: Value, kind: str, scope: Any, name: str) -> Value:
    """A value for a parameter of a type; refused where it is of another."""
    try:
        if kind in DIMENSIONS:
            quantity = converted(value, Wants("number", kind), scope)
            return Measure(float(quantity), DIMENSIONS[kind])
        if kind in ("pose", "target"):
            found: Value = converted(value, Wants("pose"), scope)
            return found
        if kind == "truth":
            return bool(converted(value, _TRUTH, scope))
        if kind == "joints" and isinstance(value, Measure | bool | str | Pose):
            raise InvalidValue(f"Expected joint values; found {described(value)}.")
        if kind == "text" and not isinstance(value, str):
            raise InvalidValue(f"Expected a text; found {described(value)}.")
    except InvalidValue as error:
        raise InvalidValue(f"Parameter {name!r}: {error.message}", **error.evidence) from error
    return value


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
    if isinstance(error, CollisionStop):
        return CollisionStop(message, **{**error.evidence, "line_number": place.line, "program": program})
    kept = {name: value for name, value in error.evidence.items() if name in ("stopped", "chain")}
    return StepRefused(message, line_number=place.line, program=program, reason=error, **kept)


def _last(frame: Frame) -> Instruction:
    """The instruction of a frame that called the one above it."""
    return instructions(frame.program)[frame.at - 1]


_STEPS = ("do", "unless", "loop", "until", "fork", "call", "stop")
"""Instructions that a person sees as a step."""
_OPERATIONS: dict[str, Callable[[Run, Thread, Frame, Instruction], None]] = {
    "do": Run._do,
    "jump": Run._jump,
    "unless": Run._unless,
    "loop": Run._loop,
    "again": Run._again,
    "until": Run._until,
    "fork": Run._fork,
    "leave": Run._leave,
    "guard": Run._guard,
    "unguard": Run._unguard,
    "call": Run._call,
    "return": Run._return,
    "stop": Run._stop,
}
