"""Warns of shared zones that are not left on every path through a program, and of orders that can cause a deadlock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.calling import Numbered, numbered
from workcell.programs.program import Program

Held: TypeAlias = frozenset[str]
Ways: TypeAlias = frozenset[Held]
"""The sets of zones that may be held at a step, one for each path to it."""
_NOTHING: Ways = frozenset({frozenset()})
_NO_WAY: Ways = frozenset()
_MOST_WAYS = 64
"""The greatest number of paths to a step for which anything is reported about it."""
_MOST_STEPS = 200_000
"""The greatest number of steps that are examined; those of loops and calls count more than once."""
_DEEPEST = 20
"""The greatest depth of calls that are followed."""


@dataclass(frozen=True)
class _Entry:
    """A zone that is entered while another is held; ``branch`` distinguishes the threads of one program."""

    first: str
    second: str
    number: int
    branch: tuple[int, ...]


@dataclass
class _Thread:
    """What is found along the steps of one thread: the program itself, or a branch."""

    number: int = 0
    """The step of the program that is examined; inside called programs, the step that calls."""
    branch: tuple[int, ...] = ()
    above: Held = frozenset()
    """The zones that the threads hold which wait for this one."""
    ends: set[Held] = field(default_factory=set)


def kept_out(zone: str) -> str:
    """Return the message for a program that enters a keep-out zone."""
    return (
        f"Nothing may enter zone {zone!r}, which is a keep-out zone; `modify zone:{zone} rule shared` lets programs "
        "take turns in it."
    )


def zone_warnings(program: Program, known: Mapping[str, Program]) -> list[tuple[int, str, str]]:
    """Return what may go wrong with the zones of a program: the number of a step, the message, and the zone.

    Args:
        program: the program.
        known: the programs of the cell, by name.
    """
    everything = {**known, program.name: program}
    if not any(type(step) is s.EnterZone for one in everything.values() for step in one.steps):
        return []
    walk = _Walk(everything)
    found = walk.program(program)
    called = {step.program for one in everything.values() for step in one.steps if isinstance(step, s.Call)}
    if program.name in called:
        found = [one for one in found if one[1] != _unleft(one[2])]  # the callers may leave the zone
    others = _orders(everything, program.name) if walk.entries else {}
    for mine in walk.entries:
        other = "another branch" if _beside(mine, walk.entries) else others.get((mine.second, mine.first))
        if other is not None:
            message = (
                f"Zone {mine.second!r} is entered here while {mine.first!r} is held, and {other} enters them in the "
                "opposite order, so both can wait for each other; enter them in the same order everywhere."
            )
            found.append((mine.number, message, mine.second))
    return list(dict.fromkeys(found))


def _beside(mine: _Entry, own: Iterable[_Entry]) -> bool:
    """Return whether a parallel branch enters the two zones in the opposite order."""
    for other in own:
        depth = min(len(mine.branch), len(other.branch))
        turned = (other.first, other.second) == (mine.second, mine.first)
        if turned and mine.branch[:depth] != other.branch[:depth]:
            return True
    return False


def _orders(known: Mapping[str, Program], without: str) -> dict[tuple[str, str], str]:
    """Return which zones the other programs enter while they hold which others, each with the name of one program."""
    found: dict[tuple[str, str], str] = {}
    for name, program in known.items():
        if name != without:
            walk = _Walk(known)
            walk.program(program)
            for one in walk.entries:
                found.setdefault((one.first, one.second), f"program {name!r}")
    return found


def _unleft(zone: str) -> str:
    return f"Zone {zone!r} is entered here but not left on every path; `leave-zone` must come before the program ends."


class _Walk:
    """Goes along all paths through a program and keeps the zones that are held on them."""

    def __init__(self, known: Mapping[str, Program]) -> None:
        self.entries: list[_Entry] = []
        self._known = known
        self._found: list[tuple[int, str, str]] = []
        self._entered: dict[str, int] = {}
        self._calls: list[str] = []
        self._left = _MOST_STEPS

    def program(self, program: Program) -> list[tuple[int, str, str]]:
        """Examine all paths through a program."""
        self._calls = [program.name]
        self._thread(numbered(program.body, iter(range(len(program.steps)))), _Thread())
        return self._found

    def _thread(self, block: list[Numbered], thread: _Thread) -> None:
        ends = {*self._block(block, _NOTHING, thread), *thread.ends}
        for zone in sorted({zone for held in ends for zone in held}):
            self._found.append((self._entered[zone], _unleft(zone), zone))

    def _block(self, block: list[Numbered], ways: Ways, thread: _Thread, seen: set[Held] | None = None) -> Ways:
        """Return the zones that may be held after a block; ``seen`` collects those held before each of its steps."""
        for one in block:
            if seen is not None:
                seen |= ways
            if len(self._calls) == 1:
                thread.number = one.number
            ways = self._step(one, ways, thread, seen)
            if len(ways) > _MOST_WAYS:
                return _NOTHING
        return ways

    def _step(self, one: Numbered, ways: Ways, thread: _Thread, seen: set[Held] | None) -> Ways:
        step, blocks = one.step, one.blocks
        self._left -= 1
        if self._left < 0:
            return ways
        if isinstance(step, s.EnterZone):
            return self._enter(step.zone, ways, thread)
        if isinstance(step, s.LeaveZone):
            return frozenset(held - {step.zone} for held in ways)
        if isinstance(step, s.Return):
            thread.ends |= ways
            return _NO_WAY
        if isinstance(step, s.Stop):
            return _NO_WAY
        if isinstance(step, s.Call):
            return self._call(step.program, ways, thread)
        if isinstance(step, s.Parallel):
            above = _always(ways) | thread.above
            for place, branch in enumerate(blocks):
                self._thread(branch, _Thread(thread.number, (*thread.branch, one.number, place), above))
            return ways
        if isinstance(step, s.Try):
            before: set[Held] = set()
            after = self._block(blocks[0], ways, thread, before)
            return after | self._block(blocks[1], frozenset(before) | after, thread, seen)
        if isinstance(step, s.If):  # the last block is the `else`
            return frozenset().union(*(self._block(block, ways, thread, seen) for block in blocks))
        if isinstance(step, s.Repeat) and isinstance(step.count, e.Number) and step.count.value >= 1.0:
            once = self._block(blocks[0], ways, thread, seen)
            return once if once == ways else self._block(blocks[0], once, thread, seen)
        if isinstance(step, s.While | s.For | s.ForEach | s.Repeat | s.WaitUntil) and blocks:
            once = ways | self._block(blocks[0], ways, thread, seen)
            return once if once == ways else once | self._block(blocks[0], once, thread, seen)
        return ways

    def _enter(self, zone: str, ways: Ways, thread: _Thread) -> Ways:
        self._entered.setdefault(zone, thread.number)
        if zone in thread.above:
            message = f"The program holds zone {zone!r} while its branches run, so this branch would wait forever."
            self._found.append((thread.number, message, zone))
        elif zone in _always(ways):
            message = f"Zone {zone!r} has already been entered here; leave it with `leave-zone` first."
            self._found.append((thread.number, message, zone))
        held = {one for way in ways for one in way} | thread.above
        self.entries += [_Entry(one, zone, thread.number, thread.branch) for one in sorted(held - {zone})]
        return frozenset(way | {zone} for way in ways)

    def _call(self, name: str, ways: Ways, thread: _Thread) -> Ways:
        """Return the zones that may be held after a called program.

        What it enters counts for the step that calls it.
        """
        called = self._known.get(name)
        if called is None or name in self._calls or len(self._calls) >= _DEEPEST:
            return ways
        if not any(isinstance(step, s.EnterZone | s.LeaveZone | s.Call) for step in called.steps):
            return ways
        self._calls.append(name)
        inner = _Thread(thread.number, thread.branch, thread.above)
        after = self._block(numbered(called.body, iter(range(len(called.steps)))), ways, inner)
        self._calls.pop()
        return after | inner.ends


def _always(ways: Ways) -> Held:
    """Return the zones that are held on every path."""
    return frozenset.intersection(*ways) if ways else frozenset()
