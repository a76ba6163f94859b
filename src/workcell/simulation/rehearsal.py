"""A rehearsal: a run that goes on after a refused step as if it had been done, and reports every problem at once.

It runs on a simulator of its own. A step that handles a part leaves the part where it was asked to, so that the steps
after it are judged as they would be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workcell.errors import WorkcellError
from workcell.programs import steps as s
from workcell.programs.evaluate import Value
from workcell.programs.program import Program
from workcell.simulation.guarding import proving_watch
from workcell.simulation.handling.assuming import assume
from workcell.simulation.interpreter import Run
from workcell.simulation.performing import Doing
from workcell.simulation.scopes import FrameScope
from workcell.simulation.threads import Frame, Thread

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

MOST = 50
"""How many problems are reported."""
MOST_STEPS = 20_000
"""How many steps are rehearsed."""


@dataclass(frozen=True)
class Mishap:
    """A step that was refused in a rehearsal.

    Attributes:
        program: the program.
        line: of the step, counted from 1; 0 if it has none.
        column: where it begins.
        step: the step.
        error: why it was refused.
    """

    program: str
    line: int
    column: int
    step: s.Step
    error: WorkcellError


class Rehearsal(Run):
    """A run that notes refusals and goes on.

    Args:
        simulator: a simulator of its own.
        programs: what to run.
        known: every program that may be called, by name.
        arguments: values for the parameters.
        files: the bytes of the tables that steps read, by name.
    """

    def __init__(
        self,
        simulator: Simulator,
        programs: Sequence[Program],
        known: Mapping[str, Program],
        arguments: Mapping[str, Sequence[Value]],
        files: Mapping[str, bytes],
    ) -> None:
        self.mishaps: dict[tuple[str, int, str], Mishap] = {}
        """The refusals, each once, whatever the round of a loop."""
        self._beyond: set[str] = set()
        """Parts that are where they could not be, so that nothing is known about what follows with them."""
        self._handled = frozenset[str]()
        """The parts that are handled now."""
        simulator.watch = proving_watch(simulator.snapshot)
        super().__init__(simulator, programs, known, arguments, files)

    def rehearse(self) -> bool:
        """Go through the programs; return whether they came to their end within the steps that are rehearsed."""
        paused = self.go(lambda _thread, _one: self.steps >= MOST_STEPS)
        if paused is not None:
            self.close()
        return paused is None

    def _carry_out(self, thread: Thread) -> None:
        """Carry out the next step of a thread, with every motion watched; a hand may touch the part it handles."""
        handled = frozenset(self._parts_handled())
        if handled != self._handled:
            self._handled = handled
            self.simulator.watch = proving_watch(self.simulator.snapshot, handled)
        super()._carry_out(thread)

    def _parts_handled(self) -> Iterator[str]:
        """Yield the parts of the steps at which the threads are."""
        for thread in self.threads:
            if thread.python is None and thread.frames:
                step = thread.frame.instruction.step
                if isinstance(step, s.HANDLING) and not isinstance(step, s.MoveAbove):
                    with suppress(WorkcellError):  # the step is refused with a better sentence
                        yield self.simulator.snapshot.object_body(step.part)

    def _refused(self, thread: Thread, error: WorkcellError) -> None:
        """Note a refusal and let the thread go on behind the step, unless the program handles it."""
        guarded = any(frame.guards for frame in thread.frames)
        if guarded or thread.python is not None or error.evidence.get("endless") or len(self.mishaps) >= MOST:
            super()._refused(thread, error)
            return
        self._sleepers.clear()
        frame = thread.frame
        one, place = frame.instruction, frame.place
        key = (frame.program.name, one.number, error.message)
        if getattr(one.step, "part", "") not in self._beyond:
            self.mishaps.setdefault(key, Mishap(frame.program.name, place.line, place.column, one.step, error))
        self._assume(frame, one.step)
        thread.waiting = None
        frame.at = one.to if one.operation in ("unless", "loop", "fork") else frame.at + 1

    def _assume(self, frame: Frame, step: s.Step) -> None:
        """Leave what a step handles as it would be after it, as far as that is known."""
        if not isinstance(step, s.HANDLING):
            return
        try:
            doing = Doing(self.simulator, FrameScope(self.simulator, frame), frame.settings)
            real = assume(step, doing.values(step), doing)
        except WorkcellError:
            real = False  # what is not known stays as it is
        if real:
            self._beyond.discard(step.part)
        else:
            self._beyond.add(step.part)
