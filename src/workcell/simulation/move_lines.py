"""Which line of which program made each move of a recording."""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from workcell.programs import steps as s
from workcell.programs.program import Program
from workcell.programs.wants import Entity, fields_of
from workcell.simulation.line_times import spans

if TYPE_CHECKING:
    from workcell.simulation.happenings import Move
    from workcell.simulation.line_times import Span
    from workcell.simulation.recording import Recording

_NEAR = 5e-10
"""Times that differ by less are the same [s]: the clock counts whole nanoseconds."""

MoveKey: TypeAlias = tuple[str, float, float]
"""A move by its device, its start and its end [s]; one that takes no time may begin with the next one."""


class MoveLine(NamedTuple):
    """The line that made a move: its program, its number from 1, and the number of the step in the recording."""

    program: str
    line: int
    number: int


def move_lines(
    recording: Recording, programs: Mapping[str, Program], members: Mapping[str, str]
) -> dict[MoveKey, MoveLine]:
    """Return the lines that made moves; typed moves have none.

    Args:
        recording: what happened.
        programs: the programs by name, as they were in the run.
        members: the machines of which devices are members, by the device.
    """
    steps = {name: steps_by_line(program) for name, program in programs.items()}
    typed = [number for number, one in enumerate(recording.sources) if not one.program]
    by_device: dict[str, list[Span]] = {}
    for one in sorted(spans(recording.sources, programs, recording.end), key=lambda span: span.source.time):
        step = steps.get(one.source.program, {}).get(one.source.line)
        for device in () if step is None else {*devices_of(step), getattr(step, "solid", "")}:
            by_device.setdefault(device, []).append(one)
    found: dict[MoveKey, MoveLine] = {}
    for move in recording.moves:
        own = by_device.get(move.device) or by_device.get(members.get(move.device, ""), [])
        maker = _making(own, move)
        if maker is None:
            continue
        later = typed[bisect.bisect_right(typed, maker.number) :]
        if later and recording.sources[later[0]].time <= move.start + _NEAR:
            continue  # the program was over
        found[key_of(move)] = MoveLine(maker.source.program, maker.source.line, maker.number)
    return found


def key_of(move: Move) -> MoveKey:
    """Return what a move is found by."""
    return move.device, move.start, move.end


def _making(own: list[Span], move: Move) -> Span | None:
    """Return the step that made a move, of those that move its device, in the order of their times.

    A step that takes no time, such as a path to where the robot already is, begins when the next one does. A move that
    takes no time is that of such a step, and any other move is not.
    """
    last = bisect.bisect_right(own, move.start + _NEAR, key=lambda span: span.source.time)
    first = bisect.bisect_left(own, move.start - _NEAR, hi=last, key=lambda span: span.source.time)
    brief = move.end <= move.start
    begun = [one for one in own[first:last] if (one.end <= one.source.time + _NEAR) == brief]
    one = begun[-1] if begun else own[last - 1] if last else None
    return None if one is None or move.start > one.end + _NEAR else one


def steps_by_line(program: Program) -> dict[int, s.Step]:
    """Return the steps of a program by their lines."""
    found: dict[int, s.Step] = {}
    for number, step in enumerate(program.steps):
        found.setdefault(program.place(number).line, step)
    return found


def devices_of(step: s.Step) -> set[str]:
    """Return the robots and mechanisms that a step moves."""
    inside = [device for one in step.moves for device in devices_of(one)] if isinstance(step, s.Together) else []
    own = {
        value
        for one in fields_of(type(step))
        if isinstance(one.holds, Entity) and "robot" in one.holds.kinds
        for value in [getattr(step, one.name)]
        if isinstance(value, str) and value
    }
    return own | set(inside)
