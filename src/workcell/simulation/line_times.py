"""Which line of which program was carried out when, from a recording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from workcell.programs import steps as s
from workcell.programs.program import Program

if TYPE_CHECKING:
    from workcell.simulation.events import Issued

Lane: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]
"""For each program under way, the outermost first: its name, and the branches around its line."""


class LineTime(NamedTuple):
    """A line of a program while it was carried out.

    Attributes:
        start: when it began [s].
        end: when the next line of the same thread began, or the recording ended [s].
        program: the program.
        line: its line, counted from 1.
        callers: the programs and lines that called that program, the nearest first.
        number: the number of the step in the recording.
    """

    start: float
    end: float
    program: str
    line: int
    callers: tuple[tuple[str, int], ...]
    number: int


class Span(NamedTuple):
    """A step of a program while it was carried out: its source, its end [s], its lane, and that of the next step.

    ``then`` is None if no step of the same thread followed. ``number`` is that of the step in the recording.
    """

    source: Issued
    end: float
    lane: Lane
    then: Lane | None
    number: int


def line_times(sources: Sequence[Issued], programs: Mapping[str, Program], end: float) -> Iterator[LineTime]:
    """Yield the lines of a recording in the order in which they ended.

    Args:
        sources: which line issued each step.
        programs: the programs by name, to find the branches of their `parallel` blocks.
        end: when the recording ends [s].
    """
    for one in spans(sources, programs, end):
        source = one.source
        yield LineTime(source.time, max(source.time, one.end), source.program, source.line, source.callers, one.number)


def spans(sources: Sequence[Issued], programs: Mapping[str, Program], end: float) -> Iterator[Span]:
    """Yield the steps of a recording in the order in which they ended. Arguments as for :func:`line_times`."""
    under_way: dict[Lane, tuple[Issued, int]] = {}
    branches = {name: _branches(program) for name, program in programs.items()}
    for number, one in enumerate(sources):
        if not one.program or not one.line:
            continue
        lane = _lane(one, branches)
        for other in [other for other in under_way if _follows(other, lane)]:
            before, place = under_way.pop(other)
            yield Span(before, one.time, other, lane, place)
        under_way[lane] = (one, number)
    for lane, (one, number) in under_way.items():
        yield Span(one, end, lane, None, number)


def _lane(one: Issued, branches: Mapping[str, Mapping[int, tuple[int, ...]]]) -> Lane:
    frames = [(one.program, one.line), *one.callers][::-1]
    return tuple((name, branches.get(name, {}).get(line, ())) for name, line in frames)


def _follows(before: Lane, after: Lane) -> bool:
    """Whether a line in one lane ends when one in another lane begins: they are not in branches side by side."""
    if before[0][0] != after[0][0]:
        return False
    for (one, some), (other, more) in zip(before, after, strict=False):
        shared = min(len(some), len(more))
        if some[:shared] != more[:shared]:
            return False
        if one != other or some != more:
            return True
    return True


def _branches(program: Program) -> dict[int, tuple[int, ...]]:
    """Return the branches of `parallel` blocks around each line: for each block its number, and that of the branch."""
    found: dict[int, tuple[int, ...]] = {}
    number = 0

    def walk(block: s.Block, around: tuple[int, ...]) -> None:
        nonlocal number
        for step in block:
            at = number
            number += 1
            found.setdefault(program.place(at).line, around)
            parallel = isinstance(step, s.Parallel)
            for branch, inner in enumerate(s.blocks(step)):
                walk(inner, (*around, at, branch) if parallel else around)

    walk(program.body, ())
    return found
