"""A program as a list of instructions with jumps, so that one number is the place where a run is.

The interpreter keeps plain data only (a place in the list, variables, loops), which is why a run can be paused, saved
and continued in another process. Every instruction knows the step that it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import msgspec

from workcell.programs import steps as s
from workcell.programs.expressions import Expression
from workcell.programs.program import Program

Operation: TypeAlias = Literal[
    "do",
    "jump",
    "unless",
    "also-unless",
    "loop",
    "again",
    "until",
    "fork",
    "leave",
    "guard",
    "unguard",
    "call",
    "return",
    "stop",
]


class Instruction(msgspec.Struct, frozen=True, omit_defaults=True):
    """One instruction.

    Attributes:
        operation: ``do`` a step; ``jump``; jump ``unless`` a condition holds, or ``also-unless``, which is the same
            for a later condition of one step; enter a ``loop`` or begin its next round (``again``); wait ``until`` a
            condition holds, else jump; ``fork`` into branches; ``leave`` a branch; ``guard`` what follows with a
            handler, and ``unguard``; ``call``, ``return``, ``stop``.
        step: the step.
        number: which step of the program it is, in the order written.
        to: where it jumps.
        starts: where the branches of a ``fork`` begin.
        condition: of an ``unless`` or ``also-unless``.
    """

    operation: Operation
    step: s.Step
    number: int
    to: int = -1
    starts: tuple[int, ...] = ()
    condition: Expression | None = None


_MOST_KEPT = 256
_laid_out: dict[int, tuple[Program, tuple[Instruction, ...]]] = {}
"""Instructions by the identity of their program. Hashing a long program at every step would cost more than the step."""


def instructions(program: Program) -> tuple[Instruction, ...]:
    """Return the instructions of a program; the last one returns."""
    found = _laid_out.get(id(program))
    if found is None or found[0] is not program:
        if len(_laid_out) >= _MOST_KEPT:
            _laid_out.clear()
        layout = _Layout()
        layout.block(program.body)
        layout.add("return", s.Return(), layout.count)
        _laid_out[id(program)] = found = program, tuple(layout.row)
    return found[1]


class _Layout:
    def __init__(self) -> None:
        self.row: list[Instruction] = []
        self.count = 0

    def add(self, operation: Operation, step: s.Step, number: int, condition: Expression | None = None) -> int:
        """Append an instruction and return its place."""
        self.row.append(Instruction(operation, step, number, condition=condition))
        return len(self.row) - 1

    def aim(self, place: int, to: int | None = None, starts: tuple[int, ...] = ()) -> None:
        """Set where an instruction jumps; by default, behind the last instruction so far."""
        there = len(self.row) if to is None else to
        self.row[place] = msgspec.structs.replace(self.row[place], to=there, starts=starts)

    def block(self, block: s.Block) -> None:
        for step in block:
            number = self.count
            self.count += 1
            special = _LAY.get(type(step))
            if special is not None:
                special(self, step, number)
            else:
                self.add("do", step, number)

    def if_(self, step: s.If, number: int) -> None:
        ends: list[int] = []
        for arm in step.arms:
            test = self.add("also-unless" if ends else "unless", step, number, arm.condition)
            self.block(arm.body)
            ends.append(self.add("jump", step, number))
            self.aim(test)
        self.block(step.otherwise)
        for end in ends:
            self.aim(end)

    def while_(self, step: s.While, number: int) -> None:
        test = self.add("unless", step, number, step.condition)
        self.block(step.body)
        self.aim(self.add("jump", step, number), test)
        self.aim(test)

    def loop(self, step: s.For | s.ForEach | s.Repeat, number: int) -> None:
        begin = self.add("loop", step, number)
        self.block(step.body)
        again = self.add("again", step, number)
        self.aim(again, begin)
        self.aim(begin)

    def wait_until(self, step: s.WaitUntil, number: int) -> None:
        wait = self.add("until", step, number)
        if step.otherwise is None:
            return
        over = self.add("jump", step, number)
        self.aim(wait)
        self.block(step.otherwise)
        self.aim(over)

    def parallel(self, step: s.Parallel, number: int) -> None:
        fork = self.add("fork", step, number)
        starts = []
        for branch in step.branches:
            starts.append(len(self.row))
            self.block(branch)
            self.add("leave", step, number)
        self.aim(fork, starts=tuple(starts))

    def try_(self, step: s.Try, number: int) -> None:
        guard = self.add("guard", step, number)
        self.block(step.body)
        over = self.add("unguard", step, number)
        self.aim(guard)
        self.block(step.handler)
        self.aim(over)

    def together(self, step: s.Together, number: int) -> None:
        self.count += len(step.moves)
        self.add("do", step, number)

    def call(self, step: s.Call, number: int) -> None:
        self.add("call", step, number)

    def return_(self, step: s.Return, number: int) -> None:
        self.add("return", step, number)

    def stop(self, step: s.Stop, number: int) -> None:
        self.add("stop", step, number)

    def nothing(self, step: s.Step, number: int) -> None:
        """Comments and lines of other languages give no instructions."""


_LAY: dict[type, Callable[[_Layout, Any, int], None]] = {
    s.If: _Layout.if_,
    s.While: _Layout.while_,
    s.For: _Layout.loop,
    s.ForEach: _Layout.loop,
    s.Repeat: _Layout.loop,
    s.WaitUntil: _Layout.wait_until,
    s.Parallel: _Layout.parallel,
    s.Try: _Layout.try_,
    s.Together: _Layout.together,
    s.Comment: _Layout.nothing,
    s.Verbatim: _Layout.nothing,
    s.Call: _Layout.call,
    s.Return: _Layout.return_,
    s.Stop: _Layout.stop,
}
