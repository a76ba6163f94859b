"""A rehearsal: a run that goes on after a refused step as if it had been done, and reports every problem at once.

It runs on a simulator of its own. A step that handles a part leaves the part where it was asked to, so that the steps
after it are judged as they would be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workcell.errors import CollisionStop, WorkcellError
from workcell.programs import steps as s
from workcell.programs.evaluate import Value
from workcell.programs.program import Program
from workcell.simulation.actions import perform
from workcell.simulation.guarding import proving_watch
from workcell.simulation.handling.assuming import assume
from workcell.simulation.interpreter import Run
from workcell.simulation.performing import Doing
from workcell.simulation.scopes import FrameScope
from workcell.simulation.threads import Frame, Thread
from workcell.world.state import CellState

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
        self._supposed: set[str] = set()
        """Bodies of parts that are only taken to be in a hand: what these touch on the way is no problem of its own."""
        self._begins: dict[Thread, CellState] = {}
        """Where everything was when each thread began its step."""
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
        if thread.waiting is None:
            self._begins[thread] = self.simulator.state
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
        if getattr(one.step, "part", "") not in self._beyond and self._supposed.isdisjoint(_pair_of(error)):
            self.mishaps.setdefault(key, Mishap(frame.program.name, place.line, place.column, one.step, error))
        if isinstance(one.step, (*s.MOVES, s.Together)) and isinstance(error, CollisionStop):
            with suppress(WorkcellError):  # where it would end is not known, so it stays where it stopped
                self._arrive(frame, one.step, self._begins[thread])
        self._assume(frame, one.step)
        thread.waiting = None
        frame.at = one.to if one.operation in ("unless", "also-unless", "loop", "fork") else frame.at + 1

    def _arrive(self, frame: Frame, step: s.Step, begin: CellState) -> None:
        """Put the robots of a move that was stopped where it would have ended, had nothing been in the way."""
        trial = type(self.simulator)(self.simulator.snapshot, mode="path", state=begin, faults=False)
        trial.watch = None
        perform(step, Doing(trial, FrameScope(trial, frame), frame.settings.copy(), self.files))
        for name, q in trial.state.joints.items():
            if not np.array_equal(q, begin.joints[name]):
                self.simulator.robot(name).set_joints(q, tested=False)

    def _assume(self, frame: Frame, step: s.Step) -> None:
        """Leave what a step handles as it would be after it, as far as that is known."""
        if not isinstance(step, s.HANDLING):
            return
        try:
            doing = Doing(self.simulator, FrameScope(self.simulator, frame), frame.settings)
            real = assume(step, doing.values(step), doing)
        except WorkcellError:
            real = False  # what is not known stays as it is
        if isinstance(step, s.Pick | s.HandOver | s.Put):
            with suppress(WorkcellError):
                part = {self.simulator.snapshot.object_body(step.part)}
                self._supposed = self._supposed - part if isinstance(step, s.Put) else self._supposed | part
        if real:
            self._beyond.discard(step.part)
        else:
            self._beyond.add(step.part)


def _pair_of(error: WorkcellError) -> tuple[str, ...]:
    """Return the two bodies before whose contact a motion stopped; none where the error has another reason."""
    pair = error.evidence.get("pair") if isinstance(error, CollisionStop) else None
    return pair if isinstance(pair, tuple) else ()
