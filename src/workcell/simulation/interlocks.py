"""Shared zones: programs take turns in them, first come first served. Deadlocks are found when they arise.

The thread that entered a zone holds it: a program or a branch. The threads themselves keep what they hold and since
when they wait, so that a run that is copied, rewound or saved has it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from workcell.errors import Deadlock, Refused, UnknownName
from workcell.programs import steps as s
from workcell.programs.expressions import Call, Expression, Name, parts
from workcell.programs.program import Program
from workcell.programs.zone_order import kept_out
from workcell.simulation.event_text import text_of
from workcell.simulation.events import Deadlocked, Stuck, ZoneAwaited, ZoneEntered, ZoneLeft
from workcell.simulation.threads import Thread, Waiting
from workcell.wording import capital, joined
from workcell.world.zone_places import KEEP_OUT, ZonePlace

if TYPE_CHECKING:
    from workcell.simulation.thread_runner import ThreadRunner


class Interlocks:
    """The shared zones of a run.

    Args:
        run: the run whose threads enter and leave them.
    """

    def __init__(self, run: ThreadRunner) -> None:
        self._run = run
        self._setters: dict[str, dict[str, bool]] = {}
        """For each signal and program, whether the program may set the signal."""

    # ---- entering and leaving ---------------------------------------------------------------------------

    def holders(self, zone: str) -> list[Thread]:
        """Return the threads in a zone, in their order."""
        return sorted((one for one in self._run.threads if zone in one.holds), key=lambda one: one.order)

    def waiters(self, zone: str) -> list[Thread]:
        """Return the threads that wait for a zone, the next to enter first."""
        waiting = [
            one
            for one in self._run.threads
            if one.waiting is not None and one.waiting.zone == zone and zone not in one.holds
        ]
        return sorted(waiting, key=_ticket)

    def enter(self, thread: Thread, zone: str) -> None:
        """Let a thread enter a zone, or wait for it behind earlier threads.

        Raises:
            Refused: it is already in the zone, or the zone is a keep-out zone.
        """
        place, holders, simulator = self._zone(zone), self.holders(zone), self._run.simulator
        if thread in holders:
            raise Refused(
                f"{thread.label} is already in zone {zone!r}; it must `leave-zone {zone}` before it enters again.",
                zone=zone,
            )
        waiters = self.waiters(zone)
        if len(holders) < place.capacity and not waiters:
            thread.waiting = None
            self._let_in(thread, zone, 0.0)
            return
        last = max((_ticket(one) for one in waiters), default=0)
        thread.waiting = Waiting(simulator.time, zone=zone, ticket=last + 1)
        simulator.note(ZoneAwaited(simulator.now, zone, thread.label, tuple(one.label for one in holders)))

    def leave(self, thread: Thread, zone: str, ended: bool = False) -> None:
        """Let a thread leave a zone; the thread that has waited longest enters at the same instant.

        Raises:
            Refused: it is not in the zone.
        """
        place, simulator = self._zone(zone), self._run.simulator
        if zone not in thread.holds:
            holders = [one.label for one in self.holders(zone)]
            who = f"{joined(holders)} {'is' if len(holders) == 1 else 'are'}" if holders else "nobody is"
            raise Refused(
                f"{thread.label} is not in zone {zone!r}, {who}; only who entered a zone can leave it.", zone=zone
            )
        thread.holds = tuple(one for one in thread.holds if one != zone)
        simulator.note(ZoneLeft(simulator.now, zone, thread.label, ended))
        for follower in self.waiters(zone)[: place.capacity - len(self.holders(zone))]:
            assert follower.waiting is not None
            self._let_in(follower, zone, simulator.time - follower.waiting.until)
            self._run.rouse(follower)

    def give_up(self, threads: Sequence[Thread]) -> None:
        """Let finished threads leave the zones that they are in."""
        for thread in threads:
            thread.waiting = None
        for thread in threads:
            for zone in thread.holds:
                self.leave(thread, zone, ended=True)

    def _let_in(self, thread: Thread, zone: str, waited: float) -> None:
        thread.holds = (*thread.holds, zone)
        self._run.simulator.note(ZoneEntered(self._run.simulator.now, zone, thread.label, waited))

    def _zone(self, name: str) -> ZonePlace:
        zones = {one.entity: one for one in self._run.simulator.snapshot.zones}
        found = zones.get(name)
        if found is None:
            raise UnknownName.among("zone", name, zones, "A shared zone must be in the scene.")
        if found.rule == KEEP_OUT:
            raise Refused(kept_out(name), zone=name)
        return found

    # ---- deadlocks --------------------------------------------------------------------------------------

    def require_no_deadlock(self, thread: Thread) -> None:
        """Refuse what a thread has begun to wait for if, through others, it waits for itself.

        Raises:
            Deadlock: no thread of a ring can continue; the ring is recorded, and the message names it.
        """
        waiting = thread.waiting
        if waiting is None or not (waiting.zone or waiting.condition):
            return
        if not self._run.simulator.snapshot.zones or not any(one.holds for one in self._run.threads):
            return
        stuck = self._stuck()
        if thread not in stuck:
            return
        ring = self._ring(thread, stuck)
        if not any(one.waiting is not None and one.waiting.zone for one in ring):
            return  # all wait for signals, which may come from outside
        simulator = self._run.simulator
        event = Deadlocked(simulator.now, tuple(self._described(one) for one in ring))
        simulator.note(event)
        raise Deadlock(
            f"{capital(text_of(event))}. Let all programs enter zones in the same order, and leave a zone before "
            "waiting for a program that needs it.",
            programs=tuple(one.label for one in ring),
            zones=tuple(one.holds for one in ring),
        )

    def _stuck(self) -> set[Thread]:
        """Return the threads that cannot continue whatever happens in time, as far as known."""
        threads = self._run.threads
        going = {one for one in threads if not self._needs(one)}
        while True:
            more = {one for one in threads if one not in going and self._may_go_on(one, going)}
            if not more:
                return set(threads) - going
            going |= more

    def _needs(self, thread: Thread) -> bool:
        """Return whether a thread continues only if another one does something."""
        waiting = thread.waiting
        if waiting is None:
            return False
        if waiting.branches:
            return True
        if waiting.zone:
            return waiting.zone not in thread.holds
        if waiting.condition is None or not math.isinf(waiting.deadline) or not any(self._for(thread)):
            return False
        return not self._run.holds(thread, waiting.condition)

    def _may_go_on(self, thread: Thread, going: set[Thread]) -> bool:
        assert thread.waiting is not None
        needed = list(self._for(thread))
        return all(one in going for one in needed) if thread.waiting.branches else any(one in going for one in needed)

    def _for(self, thread: Thread) -> Iterator[Thread]:
        """Yield the threads that could let another one continue."""
        waiting = thread.waiting
        assert waiting is not None
        if waiting.branches:
            yield from (one for one in self._run.threads if one.parent is thread)
        elif waiting.zone:
            yield from self.holders(waiting.zone)
        elif waiting.condition is not None:
            signals = self._signals(thread, waiting.condition)
            yield from (one for one in self._run.threads if one is not thread and self._may_set(one, signals))

    def _signals(self, thread: Thread, condition: Expression) -> set[str]:
        """Return the signals that alone decide a condition, if only programs set them; else an empty set."""
        simulator, found = self._run.simulator, set()
        if simulator.callbacks or any(one.python is not None for one in self._run.threads if one is not thread):
            return set()  # a program written in Python may set any signal
        for one in parts(condition):
            if isinstance(one, Call) and one.function != "signal":
                return set()
            if isinstance(one, Name):
                known = one.name in simulator.signals and not (one.kind == "" and one.name in thread.frame.variables)
                if not known or any(one.name == sensor.name for sensor in simulator.snapshot.sensors):
                    return set()
                found.add(one.name)
        return found

    def _may_set(self, thread: Thread, signals: set[str]) -> bool:
        return any(self._sets(frame.program, one) for frame in thread.frames for one in signals)

    def _sets(self, program: Program, signal: str) -> bool:
        known = self._setters.setdefault(signal, {})
        if program.name not in known:
            known[program.name] = False  # while its calls are examined
            known[program.name] = any(
                (isinstance(step, s.SetSignal) and step.signal == signal)
                or (
                    isinstance(step, s.Call)
                    and step.program in self._run.known
                    and self._sets(self._run.known[step.program], signal)
                )
                for step in program.steps
            )
        return known[program.name]

    def _ring(self, thread: Thread, stuck: set[Thread]) -> list[Thread]:
        """Return threads that wait for each other in a ring. The start of the search may be outside the ring."""
        way = [thread]
        while True:
            after = next(one for one in sorted(self._for(way[-1]), key=lambda one: one.order) if one in stuck)
            if after in way:
                return way[way.index(after) :]
            way.append(after)

    def _described(self, thread: Thread) -> Stuck:
        waiting = thread.waiting
        assert waiting is not None
        if waiting.zone:
            return Stuck(thread.label, thread.holds, "zone", waiting.zone)
        if waiting.branches:
            return Stuck(thread.label, thread.holds, "branches", "")
        assert waiting.condition is not None
        return Stuck(
            thread.label, thread.holds, "signal", " or ".join(sorted(self._signals(thread, waiting.condition)))
        )


def _ticket(thread: Thread) -> int:
    return 0 if thread.waiting is None else thread.waiting.ticket
