"""What a run does for each instruction of a program, as a table of functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from workcell.cost import STEPS
from workcell.errors import InvalidValue, Refused, UnknownName
from workcell.programs import steps as s
from workcell.programs.code import Instruction, instructions
from workcell.programs.evaluate import described, evaluate
from workcell.programs.expressions import Binary, Call, Expression, Name, Number
from workcell.programs.measures import Measure
from workcell.programs.named_parameters import NAMED, given_name
from workcell.programs.rounds import rounds_of
from workcell.programs.wants import Wants
from workcell.simulation.actions import perform
from workcell.simulation.instants import later
from workcell.simulation.performing import Doing
from workcell.simulation.scopes import TRUTH, FrameScope
from workcell.simulation.threads import Frame, Guard, Loop, Thread, Waiting

if TYPE_CHECKING:
    from workcell.simulation.thread_runner import ThreadRunner

DEEPEST = 100
"""The greatest depth of calls between programs."""
MOST_THREADS = 1000
"""The greatest number of branches under way."""


def equals(signal: str, value: Expression) -> Binary:
    """Return the condition that a signal has a value."""
    return Binary("=", Call("signal", (Name(signal),)), value)


def _do(run: ThreadRunner, thread: Thread, frame: Frame, one: Instruction) -> None:
    run.steps += 1
    if isinstance(one.step, s.Let):
        frame.variables[one.step.variable] = evaluate(one.step.value, FrameScope(run.simulator, frame))
        frame.at += 1
        return
    if isinstance(one.step, s.WaitFor):
        wanted_value = Number(1.0) if one.step.value is None else one.step.value
        thread.waiting = Waiting(condition=equals(one.step.signal, wanted_value))
        run.simulator.signal(one.step.signal)
        return
    if isinstance(one.step, s.EnterZone):
        run.interlocks.enter(thread, one.step.zone)
        if thread.waiting is None:
            frame.at += 1
        return
    if isinstance(one.step, s.LeaveZone):
        run.interlocks.leave(thread, one.step.zone)
        frame.at += 1
        return
    scope = FrameScope(run.simulator, frame)
    before = run.simulator.issued
    outcome = perform(one.step, Doing(run.simulator, scope, frame.settings, run.files, run.kept))
    if outcome is None:
        frame.at += 1
    elif isinstance(outcome, int | float):
        until, numbers = later(run.simulator.time, float(outcome)), run.simulator.begun_since(before)
        thread.waiting = Waiting(until, timeout=float(outcome), numbers=numbers)
    else:
        thread.waiting = Waiting(run.simulator.time, moves=outcome)


def _jump(_run: ThreadRunner, _thread: Thread, frame: Frame, one: Instruction) -> None:
    frame.at = one.to


def _unless(run: ThreadRunner, thread: Thread, frame: Frame, one: Instruction) -> None:
    assert one.condition is not None
    frame.at = frame.at + 1 if run.wanted(thread, one.condition, TRUTH) else one.to


def _loop(run: ThreadRunner, thread: Thread, frame: Frame, one: Instruction) -> None:
    loop = _new_loop(run, thread, one.step)
    if loop.rounds <= 0:
        frame.at = one.to
        return
    frame.loops[frame.at] = loop
    _set_round(run, frame, one.step, loop)
    frame.at += 1


def _again(run: ThreadRunner, _thread: Thread, frame: Frame, one: Instruction) -> None:
    loop = frame.loops[one.to]
    loop.done += 1
    if loop.done < loop.rounds:
        _set_round(run, frame, one.step, loop)
        frame.at = one.to + 1
    else:
        del frame.loops[one.to]
        frame.at += 1


def _new_loop(run: ThreadRunner, thread: Thread, step: s.Step) -> Loop:
    if isinstance(step, s.Repeat):
        return Loop(0, int(run.wanted(thread, step.count, Wants("number", whole=True))))
    if isinstance(step, s.ForEach):
        return Loop(0, len(run.simulator.snapshot.path_poses(run.simulator.state, step.path)))
    assert isinstance(step, s.For)
    scope = FrameScope(run.simulator, thread.frame)
    numbers = []
    for expression in (step.first, step.last, step.by):
        value = Measure(1.0) if expression is None else evaluate(expression, scope)
        if isinstance(value, bool) or not isinstance(value, Measure):
            raise InvalidValue(f"A loop counts with numbers; found {described(value)}.")
        numbers.append(value)
    first, last, by = numbers
    rounds = rounds_of(first, last, by, scope.units)
    STEPS.check(rounds.count - 1, "This loop")
    return Loop(0, int(rounds.count), rounds.first, rounds.by)


def _set_round(run: ThreadRunner, frame: Frame, step: s.Step, loop: Loop) -> None:
    if isinstance(step, s.For):
        assert loop.first is not None
        assert loop.by is not None
        value = loop.first.value + loop.done * loop.by.value
        frame.variables[step.variable] = Measure(value, loop.first.dimension)
    elif isinstance(step, s.ForEach):
        poses = run.simulator.snapshot.path_poses(run.simulator.state, step.path)
        frame.variables[step.variable] = poses[loop.done]


def _until(run: ThreadRunner, thread: Thread, _frame: Frame, one: Instruction) -> None:
    step = one.step
    assert isinstance(step, s.WaitUntil)
    run.steps += 1
    timeout = math.inf
    if step.timeout is not None:
        timeout = run.wanted(thread, step.timeout, Wants("number", "time", least=0.0))
    thread.waiting = Waiting(
        condition=step.condition, deadline=later(run.simulator.time, timeout), otherwise=one.to, timeout=timeout
    )


def _fork(run: ThreadRunner, thread: Thread, frame: Frame, one: Instruction) -> None:
    run.steps += 1
    _require_depth(thread)
    if len(run.threads) + len(one.starts) > MOST_THREADS:
        raise Refused(f"At most {MOST_THREADS} branches can be under way at once.")
    for place, start in enumerate(one.starts):
        # Branches share the variables of their program. At one instant, they continue in the order written.
        branch = Frame(frame.program, start, frame.variables, {}, [], frame.settings.copy())
        run.begin(Thread(thread.name, (*thread.order, place), [branch], thread))
    frame.at = one.to - 1
    thread.waiting = Waiting(branches=True)


def begin_at(run: ThreadRunner, thread: Thread, at: int) -> None:
    """Let a program begin at an instruction: in the first round of the loops around it, inside the handlers there.

    Raises:
        Refused: it is inside a parallel block, or in a loop without rounds.
    """
    frame = thread.frame
    row = instructions(frame.program)
    for place, one in enumerate(row[:at]):
        if at >= one.to:
            continue
        if one.operation == "fork":
            raise Refused("A run cannot begin inside a `parallel` block; begin at its first line.")
        if one.operation == "loop":
            loop = frame.loops[place] = _new_loop(run, thread, one.step)
            if loop.rounds <= 0:
                raise Refused("A run cannot begin inside a loop that has no rounds.")
            _set_round(run, frame, one.step, loop)
        elif one.operation == "guard":
            assert isinstance(one.step, s.Try)
            frame.guards.append(Guard(one.to, one.step.variable))
    frame.at = at


def _leave(run: ThreadRunner, thread: Thread, _frame: Frame, _one: Instruction) -> None:
    run.end(thread)


def _guard(_run: ThreadRunner, _thread: Thread, frame: Frame, one: Instruction) -> None:
    step = one.step
    assert isinstance(step, s.Try)
    frame.guards.append(Guard(one.to, step.variable))
    frame.at += 1


def _unguard(_run: ThreadRunner, _thread: Thread, frame: Frame, one: Instruction) -> None:
    frame.guards.pop()
    frame.at = one.to


def _call(run: ThreadRunner, thread: Thread, frame: Frame, one: Instruction) -> None:
    step = one.step
    assert isinstance(step, s.Call)
    run.steps += 1
    if step.program not in run.known:
        raise UnknownName.among("program", step.program, run.known)
    _require_depth(thread, step.program)
    scope = FrameScope(run.simulator, frame)
    called = run.known[step.program]
    names = {one.name: str(frame.variables[one.name]) for one in frame.program.parameters if one.type in NAMED}
    types = [one.type for one in called.parameters]
    given = [
        given_name(argument, names, called.parameters[place].name)
        if place < len(types) and types[place] in NAMED
        else evaluate(argument, scope)
        for place, argument in enumerate(step.arguments)
    ]
    inner = run.frame(called, given, frame)
    frame.at += 1
    thread.frames.append(inner)


def _require_depth(thread: Thread, called: str = "") -> None:
    """Refuse calls and branches that are nested too deeply."""
    names: list[str] = []
    above: Thread | None = thread
    while above is not None:
        names = [*(frame.program.name for frame in above.frames), *names]
        above = above.parent
    if len(names) >= DEEPEST:
        chain = [*names[names.index(called) :], called] if called in names else names[-3:]
        raise Refused(f"Programs call each other over {DEEPEST} levels deep: {' → '.join(chain[:8])}.", chain=chain)


def _return(run: ThreadRunner, thread: Thread, frame: Frame, _one: Instruction) -> None:
    thread.frames.pop()
    if not thread.frames:
        thread.frames.append(frame)  # keeps the place where it ended
        run.end(thread)


def _stop(run: ThreadRunner, _thread: Thread, _frame: Frame, _one: Instruction) -> None:
    run.steps += 1
    run.stopped = True
    run.interlocks.give_up(run.threads)
    for other in run.threads:
        root = other
        while root.parent is not None:
            root = root.parent
        run.ended.setdefault(root.name, run.simulator.time)


ISSUED = ("do", "until", "fork", "call", "stop")
"""Instructions that do something in the cell, or start something that does."""
STEPPED = ("do", "unless", "loop", "until", "fork", "call", "stop")
"""Instructions that a person sees as a step."""
OPERATIONS: dict[str, Callable[[ThreadRunner, Thread, Frame, Instruction], None]] = {
    "do": _do,
    "jump": _jump,
    "unless": _unless,
    "also-unless": _unless,
    "loop": _loop,
    "again": _again,
    "until": _until,
    "fork": _fork,
    "leave": _leave,
    "guard": _guard,
    "unguard": _unguard,
    "call": _call,
    "return": _return,
    "stop": _stop,
}
