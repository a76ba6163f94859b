"""Goes through a program before it runs, as far as the run can be foreseen, and collects every pose that it moves to.

Loops with a known number of rounds are repeated, variables get their values, and places are where they are as long as
nothing has moved them. A step that only the run can decide is noted with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from workcell.errors import WorkcellError
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.arguments import as_parameter
from workcell.programs.asked import PLACING, REACHING, Asked
from workcell.programs.calling import Numbered, numbered
from workcell.programs.cell_names import CellNames
from workcell.programs.deciding import Undecided
from workcell.programs.evaluate import Value, converted, evaluate, shown
from workcell.programs.foreseen import Foreseen, ForeseenScope, Standing, Unknown
from workcell.programs.foreseen_state import State, starting
from workcell.programs.measures import Measure
from workcell.programs.movers import Movers
from workcell.programs.program import Program
from workcell.programs.rounds import round_words, rounds_of
from workcell.programs.visits import Circumstance, Found, Visits
from workcell.programs.wants import Wants
from workcell.spatial.pose import Pose

MOST = 10_000
"""The greatest number of steps in loops and called programs that are examined."""
DEEPEST = 20
"""The greatest depth of calls that are followed."""
_POSE, _TRUTH = Wants("pose"), Wants("truth")


class Open(msgspec.Struct, frozen=True):
    """A step whose reach only the run decides: its number in the program, and what it depends on."""

    number: int
    reason: str


class _TooLong(Exception):
    """The program has more steps than are examined."""


class Foresight:
    """Examines one program.

    Args:
        program: the program.
        names: what exists.
        marked: the steps to be tested, each with its number; other steps are tested elsewhere or not at all.
        framed: whether a caller may have set a frame or a tool.
    """

    def __init__(self, program: Program, names: CellNames, marked: set[tuple[int, int]], framed: bool = False) -> None:
        self._program, self._names, self._marked = program, names, marked
        self._movers = Movers(names, program)
        self._standing = Standing(names, self._movers)
        self._visits = Visits(names.devices)
        self._asked = Asked(names, self._standing, self._visits, program.name in names.called)
        self._open: dict[int, str] = {}
        self._left = MOST
        self._rounds: list[str] = []
        self._calls: list[Program] = []
        self._number = 0
        """The number of the examined step in the program itself."""
        self._inner = 0
        """The number of the examined step in the innermost program."""
        self._laid_out: dict[int, list[Numbered]] = {}
        caller = Unknown("the frame and the tool of its caller") if framed else None
        variables: dict[str, Foreseen] = {one.name: Unknown(f"parameter {one.name}") for one in program.parameters}
        self._state = State(variables, self._movers.at_start, caller, {}, caller, starting(names.start))

    def found(self) -> Iterator[Found]:
        """Yield what cannot be reached, each step once."""
        try:
            self._block(self._steps_of(self._program))
        except _TooLong:
            self._note(f"rounds after the first {MOST:,} steps, which were not checked")
        yield from self._visits.found()
        for number in self._visits.left_out:
            self._open.setdefault(number, "more poses than are checked for an arm without six joints")

    @property
    def open(self) -> tuple[Open, ...]:
        """The steps whose reach only the run decides; call :meth:`found` first."""
        return tuple(Open(number, reason) for number, reason in sorted(self._open.items()))

    def _steps_of(self, program: Program) -> list[Numbered]:
        if id(program) not in self._laid_out:
            self._laid_out[id(program)] = numbered(program.body, iter(range(len(program.steps))))
        return self._laid_out[id(program)]

    def _note(self, reason: str) -> None:
        self._open.setdefault(self._number, reason)

    def _scope(self) -> ForeseenScope:
        units = self._calls[-1].units if self._calls else self._program.units
        return ForeseenScope(self._standing, units, self._state.variables, self._state.moved)

    def _value(self, expression: e.Expression) -> Foreseen:
        """Return the value of an expression, or what it depends on."""
        try:
            return evaluate(expression, self._scope())
        except Undecided as undecided:
            return Unknown(str(undecided))
        except WorkcellError:
            return Unknown("a value that is refused")

    def _truth(self, condition: e.Expression) -> bool | None:
        """Return whether a condition holds; None if only the run decides."""
        try:
            scope = self._scope()
            return bool(converted(evaluate(condition, scope), _TRUTH, scope))
        except (Undecided, WorkcellError):
            return None

    # ---- steps ------------------------------------------------------------------------------------------

    def _block(self, block: list[Numbered]) -> bool:
        """Go through the steps of a block; return whether the program continues after it."""
        for one in block:
            self._inner = one.number
            if not self._calls:
                self._number = one.number
            if self._rounds or self._calls:
                self._left -= 1
                if self._left < 0:
                    raise _TooLong
            special = _WAYS.get(type(one.step))
            if special is None:
                self._test(one.step)
                self._asked.straight(one.step, self._state, self._scope(), self._when(self._scope()))
                self._move(one.step)
            elif not special(self, one.step, one):
                return False
        return True

    def _test(self, step: s.Step) -> None:
        reason = self._asked.look(step, self._state, self._scope(), self._when) if self._tested(step) else ""
        if reason:
            self._note(reason)

    def _move(self, step: Any) -> None:
        """Note what a step moves, and where it leaves the joints of its robot."""
        stand = self._asked.after(step, self._state, self._scope())
        self._state.moves(self._movers.of(step))
        if stand is not None:
            self._state.joints[step.robot] = stand

    def _tested(self, step: s.Step) -> bool:
        """Return whether a step is tested here.

        In a called program, only if the step depends on values from the caller.
        """
        if not self._calls:
            return (self._number, id(step)) in self._marked
        if isinstance(step, s.MoveJointsRelative):
            return step.robot in self._state.joints
        if not isinstance(step, (*REACHING, *PLACING)):
            return False
        fields = [getattr(step, name, None) for name in ("pose", "joints", "distance")]
        given = [one for one in (*fields, *getattr(step, "poses", ())) if one is not None]
        names = (part.name for one in given for part in e.parts(one) if isinstance(part, e.Name) and not part.kind)
        settings = self._state.frame is not None or step.robot in self._state.tools
        return settings or any(name in self._state.variables for name in names)

    def _when(self, scope: ForeseenScope) -> Circumstance:
        called = ""
        if self._calls:
            program = self._calls[-1]
            line = program.place(self._inner).line
            called = f"Line {line} of program {program.name!r}" if line else f"Program {program.name!r}"
        return Circumstance(self._number, tuple(self._rounds), called, frozenset(scope.assumed))

    # ---- order of the steps -----------------------------------------------------------------------------

    def _let(self, step: s.Let, _: Numbered) -> bool:
        self._state.variables[step.variable] = self._value(step.value)
        return True

    def _frame(self, step: s.Frame, _: Numbered) -> bool:
        self._state.frame = None if step.frame is None else self._pose(step.frame)
        return True

    def _tool(self, step: s.Tool, _: Numbered) -> bool:
        self._state.tools[step.robot] = None if step.tcp is None else self._pose(step.tcp)
        return True

    def _pose(self, expression: e.Expression) -> Pose | Unknown:
        value = self._value(expression)
        if isinstance(value, Unknown):
            return value
        try:
            pose: Pose = converted(value, _POSE, self._scope())
        except WorkcellError as error:
            return Unknown(error.message)
        return pose

    def _ways(self, blocks: list[list[Numbered]], may_skip: bool) -> bool:
        """Go through blocks of which the run takes one, or none; return whether the program continues after them."""
        before, ends = self._state, []
        for block in blocks:
            self._state = before.copy()
            if self._block(block):
                ends.append(self._state)
        if may_skip:
            ends.append(before)
        self._state = ends[0] if ends else before
        self._state.merge(ends[1:])
        return bool(ends)

    def _if(self, step: s.If, one: Numbered) -> bool:
        blocks = []
        for arm, body in zip(step.arms, one.blocks, strict=False):
            holds = self._truth(arm.condition)
            if holds is not False:
                blocks.append(body)
            if holds:
                break
        else:
            blocks.append(one.blocks[-1])
        return self._ways(blocks, may_skip=False)

    def _round(self, words: str, one: Numbered) -> bool:
        self._rounds.append(words)
        goes_on = self._block(one.blocks[0])
        self._rounds.pop()
        return goes_on

    def _repeat(self, step: s.Repeat, one: Numbered) -> bool:
        count = self._value(step.count)
        if not isinstance(count, Measure):
            return self._some_rounds(step.body, one)
        for done in range(int(count.value)):
            before = self._state.copy()
            if not self._round(round_words(done + 1, count.value), one):
                return False
            if before == self._state:
                break  # all rounds are the same
        return True

    def _for(self, step: s.For, one: Numbered) -> bool:
        first, last, by = (self._value(part) for part in (step.first, step.last, step.by or e.Number(1.0)))
        if not isinstance(first, Measure) or not isinstance(last, Measure) or not isinstance(by, Measure):
            self._state.variables[step.variable] = Unknown(f"variable {step.variable}")
            return self._some_rounds(step.body, one)
        units = self._scope().units
        try:
            rounds = rounds_of(first, last, by, units)
        except WorkcellError:
            return True  # this is reported elsewhere
        done = 0
        while done < rounds.count:
            value = self._state.variables[step.variable] = rounds.number(done)
            done += 1
            about = f"{step.variable} = {shown(value, units)}"
            if not self._round(round_words(done, rounds.count, about), one):
                return False
        return True

    def _for_each(self, step: s.ForEach, one: Numbered) -> bool:
        places = self._names.snapshot.places
        if step.path not in places.paths:
            return True
        targets = places.path(step.path).targets
        for done, target in enumerate(targets):
            before = self._state.copy()
            place = e.Call("target", (e.Name(step.path), e.Number(float(done + 1))))
            self._state.variables[step.variable] = self._value(place)
            if not self._round(round_words(done + 1, len(targets), f"{step.variable} is {target}"), one):
                return False
            if before == self._state:
                break
        return True

    def _while(self, step: s.While, one: Numbered) -> bool:
        done = 0
        while (holds := self._truth(step.condition)) is True:
            done += 1
            before = self._state.copy()
            if not self._round(f"round {done}", one):
                return False
            if before == self._state:
                return False  # it repeats forever
        return True if holds is False else self._some_rounds(step.body, one)

    def _some_rounds(self, body: s.Block, one: Numbered) -> bool:
        """Go through a loop with an unknown number of rounds. What the rounds change is unknown in all of them."""
        self._blur(body)
        return self._ways(one.blocks, may_skip=True)

    def _blur(self, block: s.Block) -> None:
        """Forget what the steps of a block may change."""
        state = self._state
        for step in s.walk(block):
            state.moves(self._movers.of(step))
            variable = getattr(step, "variable", "")
            if variable:
                state.variables[variable] = Unknown(f"variable {variable}")
            if isinstance(step, s.Frame):
                state.frame = Unknown("the frame")
            if isinstance(step, s.Tool):
                state.tools[step.robot] = Unknown(f"the tool of {step.robot}")

    def _parallel(self, step: s.Parallel, one: Numbered) -> bool:
        before = self._state
        for branch, block in zip(step.branches, one.blocks, strict=True):
            self._state = before.copy()
            for other in step.branches:
                if other is not branch:
                    self._blur_beside(other)
            self._block(block)
        self._state = before
        for branch in step.branches:
            self._blur_beside(branch)
        return True

    def _blur_beside(self, branch: s.Block) -> None:
        """Forget what a branch may change for the other branches; its frame and tools are its own."""
        frame, tools = self._state.frame, dict(self._state.tools)
        self._blur(branch)
        self._state.frame, self._state.tools = frame, tools

    def _try(self, step: s.Try, one: Numbered) -> bool:
        self._blur(step.body)  # a step that is refused there is handled
        if step.variable:
            self._state.variables[step.variable] = Unknown(f"variable {step.variable}")
        return self._ways(one.blocks[1:], may_skip=True)

    def _wait_until(self, _: s.WaitUntil, one: Numbered) -> bool:
        return self._ways(one.blocks, may_skip=True) if one.blocks else True

    def _together(self, step: s.Together, _: Numbered) -> bool:
        for move in step.moves:
            self._test(move)
        for move in step.moves:
            self._move(move)
        return True

    def _call(self, step: s.Call, _: Numbered) -> bool:
        called = self._names.programs.get(step.program)
        if called is None or len(self._calls) >= DEEPEST:
            self._state.moves(self._movers.of(step))
            return True
        given = [self._value(argument) for argument in step.arguments]
        outside, number = self._state, self._inner
        joints = dict(outside.joints)
        self._state = State({}, outside.moved, outside.frame, dict(outside.tools), outside.callers_tool, joints)
        self._calls.append(called)
        for place, parameter in enumerate(called.parameters):
            value = given[place] if place < len(given) else Unknown("")
            if place >= len(given) and parameter.default is not None:
                value = self._value(parameter.default)
            self._state.variables[parameter.name] = self._as_parameter(value, parameter.type, parameter.name)
        self._block(self._steps_of(called))
        self._calls.pop()
        self._inner = number
        outside.moves(self._state.moved | self._movers.of(step))
        if not any(isinstance(one, s.Return) for one in called.steps):
            outside.joints |= self._state.joints
        self._state = outside
        return True

    def _as_parameter(self, value: Foreseen, kind: str, name: str) -> Foreseen:
        if isinstance(value, Unknown):
            return value
        try:
            found: Value = as_parameter(value, kind, self._scope(), name)
        except WorkcellError as error:
            return Unknown(error.message)
        return found

    def _over(self, _: s.Step, __: Numbered) -> bool:
        return False


_WAYS: dict[type, Callable[[Foresight, Any, Numbered], bool]] = {
    s.Let: Foresight._let,
    s.Frame: Foresight._frame,
    s.Tool: Foresight._tool,
    s.If: Foresight._if,
    s.While: Foresight._while,
    s.Repeat: Foresight._repeat,
    s.For: Foresight._for,
    s.ForEach: Foresight._for_each,
    s.Parallel: Foresight._parallel,
    s.Try: Foresight._try,
    s.WaitUntil: Foresight._wait_until,
    s.Together: Foresight._together,
    s.Call: Foresight._call,
    s.Return: Foresight._over,
    s.Stop: Foresight._over,
}
