"""What the threads of a run wait for: whether each may continue, when to test again, and why none can."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from workcell.errors import Refused
from workcell.programs import steps as s
from workcell.programs.evaluate import wanted
from workcell.programs.expressions import Binary, Call, Expression, Name, Number, parts
from workcell.programs.wants import Wants
from workcell.simulation.instants import later
from workcell.simulation.interlocks import Interlocks
from workcell.simulation.scopes import MOVING, TRUTH, FrameScope
from workcell.simulation.sleepers import Sleepers
from workcell.simulation.threads import Thread
from workcell.simulation.turns import Turns
from workcell.wording import joined

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator


LOOK_EVERY = 1e-3
"""How often a condition that depends on time or motion is tested [s]."""
QUIET = 3600.0
"""If nothing happens for this long while conveyors run, nothing is assumed to continue [s]."""


class Waits:
    """Threads on a simulator, and what each waits for.

    Args:
        simulator: the simulator.
    """

    interlocks: Interlocks
    """The zones that the programs share."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.threads: list[Thread] = []
        """The threads under way."""
        self._sleepers = Sleepers(simulator)
        self._turns = Turns(self._sleepers)
        self._quiet = -1, 0.0
        """How often something had happened, and since when nothing has [s]."""

    def _next_event(self) -> float:
        """Return when something may happen that a program waits for, if all wait for signals [s]; infinity if never."""
        simulator = self.simulator
        happened = simulator.happened - simulator.in_vain
        if happened != self._quiet[0]:
            self._quiet = happened, simulator.time
        until = simulator.next_event
        if math.isinf(until) and simulator.unseen and simulator.drives:
            return simulator.time  # test what runs first: sensors may change
        quiet = simulator.time - self._quiet[1] > QUIET and not simulator.callbacks
        return math.inf if quiet else until

    def _by_hand(self) -> Thread | None:
        """Return the first thread that waits for a signal that somebody could set; None if something is held."""
        if any(drive.rate == 0.0 for drive in self.simulator.drives.values()):
            return None
        return next((one for one in sorted(self.threads, key=lambda one: one.order) if self.awaited(one)), None)

    def _needs_a_hand(self) -> bool:
        """Return whether only belts run, and nothing that they do can let a thread continue.

        Then every condition depends on signals that programs set, and all programs wait.
        """
        simulator = self.simulator
        if (
            simulator.callbacks
            or simulator.faults is not None
            or not all(one.runs for one in simulator.drives.values())
        ):
            return False
        waits = [one for one in self.threads if one.waiting is not None and one.waiting.condition is not None]
        return bool(waits) and all(map(self._set_by_programs, waits))

    def _set_by_programs(self, thread: Thread) -> bool:
        """Return whether the condition of a waiting thread depends on nothing but signals that programs set."""
        assert thread.waiting is not None
        assert thread.waiting.condition is not None
        names = {one.name for one in parts(thread.waiting.condition) if isinstance(one, Name)}
        sensors = {sensor.name for sensor in self.simulator.snapshot.sensors}
        known = set(thread.frame.variables).union(self.awaited(thread)) - sensors
        return names <= known and not self._changes_with_time(thread, thread.waiting.condition)

    def awaited(self, thread: Thread) -> tuple[str, ...]:
        """Return the signals of the cell that the condition of a waiting thread depends on."""
        if thread.waiting is None or thread.waiting.condition is None:
            return ()
        own = set(self.simulator.snapshot.names.signals.values())
        names = [one.name for one in parts(thread.waiting.condition) if isinstance(one, Name) and one.name in own]
        return tuple(dict.fromkeys(names))

    def _deadlock(self) -> Refused:
        """Return the error if nothing can continue: what is held, and what every program waits for."""
        held = [drive.name for drive in self.simulator.drives.values() if drive.rate == 0.0]
        waits = "; ".join(self._waits())
        if not held:
            zones = any(one.waiting is not None and one.waiting.zone for one in self.threads)
            what = "a signal that nothing sets" + (" or a zone that nothing leaves" if zones else "")
            return Refused(f"The run cannot continue: every program waits for {what} ({waits}).")
        also = f", and others wait for signals that nothing sets ({waits})" if waits else ""
        are, them = ("is", "it") if len(held) == 1 else ("are", "them")
        fault = "" if self.simulator.faults is None else self.simulator.faults.stopped(held)
        does = f"clear-fault {fault}" if fault else f"resume-motion {held[0]}"
        return Refused(
            f"The run cannot continue: {' and '.join(held)} {are} held, and no program is left that could resume "
            f"{them}{also}; `{does}` does.",
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
        """Return whether a condition may become true through time and motion alone."""
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
        """Yield for each thread that waits for a condition its name, its line, and the signal if it waits for one."""
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
        """Return the signal and the value that a thread waits for, if it waits for nothing else."""
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
        """Return whether a condition is true in a thread."""
        return bool(self.wanted(thread, condition, TRUTH))

    def wanted(self, thread: Thread, expression: Expression, wants: Wants) -> Any:
        """Return the value of an expression in a thread."""
        return wanted(expression, wants, FrameScope(self.simulator, thread.frame))
