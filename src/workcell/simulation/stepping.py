"""A run with a debugger: paused, stepped forward, and stepped back.

Before each step that the run reaches, a moment of it is kept: states are frozen and shared, frames are copied, and
the recording is only marked. What comes from outside during a pause (signals set by hand) is kept with the position
at which it came, so that the run can be repeated.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from workcell.errors import Cancelled, MotionStop, Refused, WorkcellError
from workcell.programs.code import Instruction, instructions
from workcell.programs.evaluate import wanted
from workcell.programs.expressions import Expression
from workcell.programs.steps import Step
from workcell.simulation.actions import act
from workcell.simulation.interpreter import Pause, Run
from workcell.simulation.operations import STEPPED
from workcell.simulation.performing import Doing, Settings
from workcell.simulation.run_moments import Moment
from workcell.simulation.scopes import TRUTH, FrameScope, StartScope
from workcell.simulation.threads import Frame, Thread
from workcell.spatial.units import Units
from workcell.wording import joined

if TYPE_CHECKING:
    from workcell.programs.evaluate import Value
    from workcell.programs.program import Program
    from workcell.simulation.recording import Recording

MOST_MOMENTS = 10_000
"""The greatest number of steps that a run can be stepped back."""


class Input(msgspec.Struct, frozen=True):
    """A step that came from outside during a pause, such as a signal that was set, and the position of the run."""

    position: int
    step: Step


@dataclass(frozen=True)
class Breakpoint:
    """Where a run pauses: before a line of a program, if a condition is true."""

    line: int
    condition: Expression | None = None

    def holds(self, run: Run, frame: Frame) -> tuple[bool, str]:
        """Return whether to pause a run that reaches this line, and why the condition cannot be evaluated if it cannot.

        A condition that has no value here counts as true, so that the user sees it.
        """
        if self.condition is None:
            return True, ""
        try:
            return bool(wanted(self.condition, TRUTH, FrameScope(run.simulator, frame))), ""
        except WorkcellError as error:
            return True, error.message


Breakpoints: TypeAlias = Mapping[tuple[str, int], Breakpoint]


@dataclass(frozen=True)
class Where:
    """The position of one thread of a run."""

    name: str
    program: str
    line: int
    doing: str
    """``stands``, ``waits`` or ``goes on``, with the shared zones that it waits for and holds."""
    callers: tuple[tuple[str, int], ...]
    variables: Mapping[str, Value]
    stands: bool = False
    """Whether the run is paused before this thread's next step."""


class SteppedRun:
    """A run that is stepped through.

    Args:
        run: the run, not begun or paused.
        keeps: whether to keep a moment before each step, to step back, and pause before a step that is refused.
        inputs: the inputs from outside so far.
        again: the inputs from outside that a repeated run will get.
    """

    def __init__(self, run: Run, keeps: bool = True, inputs: Sequence[Input] = (), again: Sequence[Input] = ()) -> None:
        self.run = run
        self.inputs = [*inputs, *again]
        self.breakpoints: Breakpoints = {}
        self.pause_asked = threading.Event()
        """Set from any thread to pause the run before the next step that it reaches."""
        self.hit: Breakpoint | None = None
        """The breakpoint at which the run is paused, if it is."""
        self.unclear = ""
        """Why the condition of that breakpoint cannot be evaluated, if it cannot."""
        self.attended = False
        """Whether somebody may set signals by hand while the run waits for one."""
        self.on_step: Callable[[], None] | None = None
        """Called before each step that the run reaches."""
        self._again = list(again)
        self._keeps = self._pauses_refused = keeps
        self._moments: deque[Moment] = deque(maxlen=MOST_MOMENTS)
        if run.standing is not None:
            self._keep_from_here()

    def _keep_from_here(self) -> None:
        """Keep moments from the first pause on, unless a program in Python is under way, whose position is unknown."""
        if not self._moments and not any(isinstance(one.python, Generator) for one in self.run.threads):
            self._keeps = True
            self._moments.append(self.run.moment())

    def keep(self) -> None:
        """Keep moments from the next step on, so that the run can be stepped back from its first pause."""
        self._keeps = True

    # ---- going on ---------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether nothing is left to do."""
        return self.run.over

    def resume(self) -> bool:
        """Continue to a breakpoint, a pause request, or the end; return whether the run is paused."""
        return self._go(lambda _thread, _one: False)

    def into(self) -> bool:
        """Carry out one step and pause before the next one, wherever it is; return whether the run is paused."""
        return self._go(lambda _thread, _one: True)

    def until(self, position: int) -> bool:
        """Continue until this many steps were reached; return whether the run is paused there."""
        return self._go(lambda _thread, _one: self.run.position >= position) and self.run.position == position

    def at(self, time: float) -> bool:
        """Continue to a time [s], and pause before the step that began last until then; return whether it is paused.

        A run that would end before, or be refused, pauses before its last step. Breakpoints on the way do not count.
        Inputs from outside after that step are discarded.
        """
        self.breakpoints = {}
        if not self.into():
            return False
        try:
            self._go(lambda _thread, _one: self.run.simulator.time > time)
        except Cancelled:
            raise
        except WorkcellError:  # the step that comes next: its refusal is reported when the run continues
            pass
        while len(self._moments) > 1 and self._moments[-1].time > time:
            self._moments.pop()
        self._return()
        self._again = []
        return True

    def over_step(self) -> bool:
        """Carry out one step with everything that it calls, and pause before the next one of the same program."""
        return self._same_program(0)

    def out(self) -> bool:
        """Carry out the rest of the innermost program, and pause before the next step of its caller."""
        return self._same_program(1)

    def _same_program(self, up: int) -> bool:
        here = self.run.standing
        if here is None:
            return self.into()
        depth = len(here.frames) - up

        def there(thread: Thread, _: Instruction) -> bool:
            if thread is here:
                return len(thread.frames) <= depth
            return here.descends(thread) or (here not in self.run.threads and here.parent is None)

        return self._go(there)

    def _go(self, there: Callable[[Thread, Instruction], bool]) -> bool:
        self.hit, self.unclear = None, ""
        paused_before = self.run.standing is not None or self._pauses_refused

        def pause(thread: Thread, one: Instruction) -> bool:
            if self._keeps:
                self._moments.append(self.run.moment())
            if self.on_step is not None:
                self.on_step()
            if self._again and self._again[0].position == self.run.position:
                return True
            return self._broken(thread) or self.pause_asked.is_set() or there(thread, one)

        try:
            while (thread := self._run_on(pause)) is not None and self._given_again(thread):
                if self._broken(thread) or self.pause_asked.is_set() or there(thread, thread.frame.instruction):
                    break
        except MotionStop:
            raise
        except BaseException:
            if self._moments and paused_before:  # pause before the step that was refused
                self.run.return_to(self._moments[-1])
            raise
        finally:
            self.pause_asked.clear()
        if thread is not None:
            self._keep_waiting(thread)
            self._keep_from_here()
        return thread is not None

    def _run_on(self, pause: Pause) -> Thread | None:
        """Run on to a pause; a repeated run waits for signals as long as it has inputs left."""
        self.run.attended = self.attended or bool(self._again)
        return self.run.go(pause)

    def _keep_waiting(self, thread: Thread) -> None:
        """Keep a moment of a run that waits for a signal; those before steps are kept as they are reached."""
        if thread.waiting is None or not self._moments:
            return
        if self._moments[-1].position == self.run.position:
            self._moments.pop()
        self._moments.append(self.run.moment())

    def _broken(self, thread: Thread) -> bool:
        """Return whether a breakpoint stops a thread before the next step."""
        if not self.breakpoints:
            return False
        frame = thread.frame
        found = self.breakpoints.get((frame.program.name, frame.place.line))
        if found is None:
            return False
        holds, unclear = found.holds(self.run, frame)
        if holds:
            self.hit, self.unclear = found, unclear
        return holds

    def _given_again(self, thread: Thread) -> bool:
        """Give the inputs from outside at this position, when the run is repeated; return whether there were any."""
        given = False
        while self._again and self._again[0].position == self.run.position:
            if not given:
                self._keep_waiting(thread)
            self._carried_out(self._again.pop(0).step)
            given = True
        if given and self._moments:
            self._moments[-1] = self.run.moment()
        return given

    def give(self, step: Step) -> Any:
        """Carry out a step from outside during a pause; return its result."""
        found = self._carried_out(step)
        self.inputs.append(Input(self.run.position, step))
        if self._moments:
            self._moments[-1] = self.run.moment()
        return found

    def _carried_out(self, step: Step) -> Any:
        simulator = self.run.simulator
        doing = Doing(simulator, StartScope(simulator, Units()), Settings())
        return act(type(step), doing.values(step), doing).found

    @property
    def steps_kept(self) -> int:
        """By how many steps the run can be stepped back."""
        return max(0, len(self._moments) - 1)

    # ---- going back -------------------------------------------------------------------------------------

    def back(self, count: int = 1, line: int | None = None) -> None:
        """Return to the pause some steps ago, or to the last one before a line of this program.

        Raises:
            Refused: there are not as many steps, or it did not pause before that line.
        """
        if not self._moments:
            self.run.moment()  # refuses with the reason
        moments = list(self._moments)
        if line is None:
            place = len(moments) - 1 - count
            if place < 0:
                kept = self.steps_kept
                raise Refused(f"The run can be stepped back by {kept} step{'s' * (kept != 1)}; found {count}.")
        else:
            program = moments[-1].round[0].frame.program
            places = [at for at, one in enumerate(moments[:-1]) if _stands(one, program, line)]
            if not places:
                raise Refused(f"The run has not been before line {line} of program {program.name!r}.")
            place = places[-1]
        while len(self._moments) > place + 1:
            self._moments.pop()
        self._return()

    def _return(self) -> None:
        """Return to the last moment that is kept."""
        self.run.return_to(self._moments[-1])
        self.hit, self.unclear = None, ""
        # Inputs at the position itself belong to the moment, which was taken after them.
        self.inputs = [one for one in self.inputs if one.position <= self.run.position]

    # ---- looking ----------------------------------------------------------------------------------------

    @property
    def awaited(self) -> tuple[str, ...]:
        """The signals for which the paused run waits; empty if it is paused before a step, or can continue."""
        run, standing = self.run, self.run.standing
        if standing is None or standing.waiting is None or standing.waiting.condition is None:
            return ()
        return () if run.holds(standing, standing.waiting.condition) else run.awaited(standing)

    def where(self) -> list[Where]:
        """Return the position of every thread, in the order in which they continue."""
        found = []
        for thread in sorted(self.run.threads, key=lambda one: one.order):
            frame = thread.frame
            doing = "waits" if thread.waiting else "stands" if thread is self.run.standing else "goes on"
            zone = thread.waiting.zone if thread.waiting is not None else ""
            if zone and zone not in thread.holds:
                doing += f" for zone {zone}, held by {joined([one.label for one in self.run.interlocks.holders(zone)])}"
            if thread.holds:
                doing += f"; holds {joined(thread.holds)}"
            callers = tuple((one.program.name, _called_at(one)) for one in thread.frames[-2::-1])
            line = frame.place.line
            stands = thread is self.run.standing
            found.append(Where(thread.name, frame.program.name, line, doing, callers, dict(frame.variables), stands))
        return found

    @property
    def recording(self) -> Recording:
        """Its recording."""
        return self.run.simulator.recording


def _stands(moment: Moment, program: Program, line: int) -> bool:
    frame = moment.round[0].frame
    return frame.program.name == program.name and frame.place.line == line


def _called_at(frame: Frame) -> int:
    return frame.program.place(instructions(frame.program)[frame.at - 1].number).line


def start_at(program: Program, line: int) -> int:
    """Return the instruction at which a run from a line begins: the first step at that line or after it."""
    for at, one in enumerate(instructions(program)):
        if one.operation in STEPPED and program.place(one.number).line >= line:
            return at
    raise Refused(f"Program {program.name!r} has no step at line {line} or after it.")
