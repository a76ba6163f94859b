"""Finds programs that call themselves without end, before they run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.program import Program


def endless_calls(program: Program, known: Mapping[str, Program]) -> list[tuple[int, list[str]]]:
    """Return the steps with which a program calls itself without end, each with the programs called on the way."""
    found = []
    for name, number in always_called(program).items():
        chain = _chain(name, program.name, {**known, program.name: program})
        if chain:
            found.append((number, [program.name, *chain]))
    return found


def _chain(start: str, end: str, known: Mapping[str, Program]) -> list[str]:
    """Return a chain of calls from one program to another that always happens; empty if there is none."""
    waiting, seen = [[start]], {start}
    while waiting:
        chain = waiting.pop(0)
        if chain[-1] == end:
            return chain
        for name in always_called(known[chain[-1]]) if chain[-1] in known else ():
            if name not in seen:
                seen.add(name)
                waiting.append([*chain, name])
    return []


def always_called(program: Program) -> dict[str, int]:
    """Return the programs that are always called unless a step is refused, each with the number of the step."""
    if not any(type(step) is s.Call for step in program.steps):
        return {}
    return _always(numbered(program.body, iter(range(len(program.steps)))))


class Numbered:
    """A step with its number and the numbered steps of its blocks."""

    def __init__(self, step: s.Step, numbers: Iterator[int]) -> None:
        self.step, self.number = step, next(numbers)
        self.blocks = [numbered(block, numbers) for block in s.blocks(step)]
        self.may_end: bool = isinstance(step, s.Return | s.Stop) or any(
            one.may_end for block in self.blocks for one in block
        )
        """Whether the step may end the program or the run."""


def numbered(block: s.Block, numbers: Iterator[int]) -> list[Numbered]:
    """Return the steps of a block, each with its number in the order written."""
    return [Numbered(step, numbers) for step in block]


def _always(block: list[Numbered]) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in block:
        for name, number in _by_step(one).items():
            found.setdefault(name, number)
        if one.may_end:
            break
    return found


def _by_step(one: Numbered) -> dict[str, int]:
    step, inner = one.step, [_always(block) for block in one.blocks]
    if isinstance(step, s.Call):
        return {step.program: one.number}
    if isinstance(step, s.If):  # the last block is the `else`
        return {name: number for name, number in inner[0].items() if all(name in other for other in inner)}
    if isinstance(step, s.Parallel):
        return {name: number for branch in inner for name, number in branch.items()}
    if isinstance(step, s.Repeat) and isinstance(step.count, e.Number) and step.count.value >= 1.0:
        return inner[0]
    return {}
