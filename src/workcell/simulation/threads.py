"""Programs under way as plain data: threads, their frames, and what they wait for.

Nothing here refers to anything that runs, except generators written in Python. So a run can be copied,
rewound and saved.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, Self

from workcell.programs import steps as s
from workcell.programs.code import Instruction, instructions
from workcell.programs.evaluate import Value
from workcell.programs.expressions import Expression
from workcell.programs.measures import Measure
from workcell.programs.program import Place, Program
from workcell.simulation.performing import Settings
from workcell.simulation.routines import Callback, Yields

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator
    from workcell.world.snapshot import Snapshot


class Moves(Protocol):
    """Moves that follow each other, as data: those of a weld or along a curve."""

    @property
    def count(self) -> int:
        """The number of moves."""
        ...

    def begin(self, simulator: Simulator, number: int) -> float:
        """Begin the move of this number, counted from 0; return its duration [s]."""
        ...


class Lasting:
    """Moves that remember what they did so far; a copy of a run has a copy of them."""

    def copied(self) -> Self:
        """Return the same moves, which go their own way."""
        raise NotImplementedError


@dataclass
class Loop:
    """A loop under way: the number of the round, how many there are, and its numbers."""

    done: int
    rounds: int
    first: Measure | None = None
    by: Measure | None = None


@dataclass
class Guard:
    """A handler for refusals: where it is, and the variable for the reason."""

    handler: int
    variable: str


@dataclass
class Frame:
    """A program under way: its position, and its variables."""

    program: Program
    at: int = 0
    variables: dict[str, Value] = field(default_factory=dict)
    loops: dict[int, Loop] = field(default_factory=dict)
    guards: list[Guard] = field(default_factory=list)
    settings: Settings = field(default_factory=Settings)

    @property
    def instruction(self) -> Instruction:
        """The next instruction."""
        return instructions(self.program)[self.at]

    @property
    def loops_around(self) -> list[tuple[s.Step, Loop]]:
        """The loops around the next instruction that are counted, outermost first; a refusal may leave others."""
        row = instructions(self.program)
        return [(row[at].step, loop) for at, loop in sorted(self.loops.items()) if at < self.at < row[at].to]

    def loop_targets(self, variable: str, snapshot: Snapshot) -> Iterator[str]:
        """Yield the present targets of the loops over paths with this variable."""
        for at, loop in self.loops.items():
            step = instructions(self.program)[at].step
            if isinstance(step, s.ForEach) and step.variable == variable and step.path in snapshot.places.paths:
                targets = snapshot.places.path(step.path).targets
                yield from targets[loop.done : loop.done + 1]

    @property
    def place(self) -> Place:
        """The place of the next instruction in the text."""
        return self.program.place(self.instruction.number)


@dataclass
class Waiting:
    """What a thread waits for: an instant, a condition with a deadline, or its branches."""

    until: float = -math.inf
    condition: Expression | None = None
    otherwise: int = -1
    """Where to jump when the deadline passes; -1 makes that an error."""
    deadline: float = math.inf
    branches: bool = False
    stays: bool = False
    """Whether the next step has not begun: a handler waits until moves of others are over."""
    timeout: float = math.inf
    """The duration of the wait, or the longest wait for the condition [s]."""
    moves: Moves | None = None
    """Moves that follow each other."""
    begun: int = 0
    """How many of the moves have begun."""
    numbers: tuple[int, ...] = ()
    """The moves that it waits for, by the numbers of the commands that began them."""
    moved: bool = False
    """Whether a program in Python began moves before it waited."""
    zone: str = ""
    """The shared zone that it has waited for since ``until``; it continues when it holds the zone."""
    ticket: int = 0
    """Its place among those that wait for that zone: the least enters first."""

    def copied(self) -> Waiting:
        """Return the same wait, for a copy of its thread."""
        return replace(self, moves=self.moves.copied() if isinstance(self.moves, Lasting) else self.moves)


@dataclass(eq=False)
class Thread:
    """A program or a branch of a program.

    Attributes:
        name: the name of the program that was started.
        order: its place among the threads at one instant.
        frames: the programs that it carries out, the innermost last.
        parent: the thread that waits for it, if it is a branch.
        waiting: what it waits for, if it does.
        ended: when it ended [s], if it has.
        idle: the steps since the clock last advanced.
        python: a program written in Python; its frame is that of an empty program.
        holds: the shared zones that it is in, in the order in which it entered them.
    """

    name: str
    order: tuple[int, ...]
    frames: list[Frame]
    parent: Thread | None = None
    waiting: Waiting | None = None
    ended: float | None = None
    idle: int = 0
    python: Generator[Yields, None, None] | Callback | None = None
    holds: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Its name and branch, for people and events."""
        branch = ".".join(str(place + 1) for place in self.order[1:])
        return f"{self.name} branch {branch}" if branch else self.name

    @property
    def frame(self) -> Frame:
        """The innermost program."""
        return self.frames[-1]

    def descends(self, ancestor: Thread) -> bool:
        """Return whether it is a branch of another thread, directly or through branches."""
        above = self.parent
        while above is not None and above is not ancestor:
            above = above.parent
        return above is ancestor


def copied(threads: Sequence[Thread]) -> dict[Thread, Thread]:
    """Return for each thread an independent copy; branches share the variables of their program there too."""
    variables: dict[int, dict[str, Value]] = {}
    copies: dict[Thread, Thread] = {}

    def copy_of(thread: Thread) -> Thread:
        if thread not in copies:
            copies[thread] = replace(
                thread,
                frames=[
                    Frame(
                        one.program,
                        one.at,
                        variables.setdefault(id(one.variables), dict(one.variables)),
                        {at: replace(loop) for at, loop in one.loops.items()},
                        list(one.guards),
                        one.settings.copy(),
                    )
                    for one in thread.frames
                ],
                parent=None if thread.parent is None else copy_of(thread.parent),
                waiting=None if thread.waiting is None else thread.waiting.copied(),
                python=deepcopy(thread.python) if isinstance(thread.python, Callback) else thread.python,
            )
        return copies[thread]

    for one in threads:
        copy_of(one)
    return copies
