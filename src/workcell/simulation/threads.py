"""Programs under way as plain data: threads, their frames, and what they wait for.

Nothing here refers to anything that runs, but for generators written in Python. So a run can be copied,
gone back to, and saved.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

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
        """How many there are."""
        ...

    def begin(self, simulator: Simulator, number: int) -> float:
        """Begin the move of this number, counted from 0; returns its duration [s]."""
        ...


@dataclass
class Loop:
    """A loop that is being gone round: the number of the round, how many there are, and its numbers."""

    done: int
    rounds: int
    first: Measure | None = None
    by: Measure | None = None


@dataclass
class Guard:
    """A handler that waits for a refusal: where it is, and the variable for the reason."""

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

    def loop_targets(self, variable: str, snapshot: Snapshot) -> Iterator[str]:
        """The targets that the loops over paths with this variable are at."""
        for at, loop in self.loops.items():
            step = instructions(self.program)[at].step
            if isinstance(step, s.ForEach) and step.variable == variable and step.path in snapshot.places.paths:
                targets = snapshot.places.path(step.path).targets
                yield from targets[loop.done : loop.done + 1]

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
    moves: Moves | None = None
    """Moves that follow each other."""
    begun: int = 0
    """How many of them have begun."""
    numbers: tuple[int, ...] = ()
    """The moves that are to be over, by the numbers of the commands that began them."""
    moved: bool = False
    """Whether a program in Python began moves before it waited."""
    zone: str = ""
    """The shared zone that it waits for since ``until``; it goes on when it holds it."""
    ticket: int = 0
    """Its place among those who wait for that zone: who has the least enters first."""


@dataclass(eq=False)
class Thread:
    """A program or a branch of one.

    Attributes:
        name: of the program that was started.
        order: its place among the threads at one instant.
        frames: the programs that it carries out, the innermost last.
        parent: the thread that waits for it, if it is a branch.
        waiting: what it waits for, if it does.
        ended: when it was over [s], if it is.
        idle: steps since time last passed.
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
        """Its name, and which branch it is, for people and events."""
        branch = ".".join(str(place + 1) for place in self.order[1:])
        return f"{self.name} branch {branch}" if branch else self.name

    @property
    def frame(self) -> Frame:
        """The program that it is in."""
        return self.frames[-1]

    def descends(self, ancestor: Thread) -> bool:
        """Whether it is a branch of another thread, or of a branch of it."""
        above = self.parent
        while above is not None and above is not ancestor:
            above = above.parent
        return above is ancestor


def copied(threads: Sequence[Thread]) -> dict[Thread, Thread]:
    """For each thread a copy that goes its own way; branches share the variables of their program there too."""
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
                waiting=None if thread.waiting is None else replace(thread.waiting),
                python=deepcopy(thread.python) if isinstance(thread.python, Callback) else thread.python,
            )
        return copies[thread]

    for one in threads:
        copy_of(one)
    return copies
