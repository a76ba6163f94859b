"""Refusals of steps, and the sources of steps: the line of the program, and its callers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workcell.errors import MotionStop, Refused, WorkcellError
from workcell.programs.code import Instruction, instructions
from workcell.simulation.events import Issued
from workcell.simulation.threads import Frame

if TYPE_CHECKING:
    pass


class StepRefused(Refused):
    """A step of a program was refused; ``program`` and ``line_number`` locate it, ``reason`` is the error itself."""


def located(error: WorkcellError, frames: Sequence[Frame]) -> WorkcellError:
    """Return an error with the line of the program that caused it and its callers; a stop keeps its type."""
    if isinstance(error, StepRefused) or error.evidence.get("endless"):
        return error
    frame = frames[-1]
    program, place = frame.program.name, frame.place
    where = f"Line {place.line} of program {program!r}" if place.line else f"Program {program!r}"
    callers = [f"line {one.program.place(_last(one).number).line} of {one.program.name!r}" for one in frames[-2::-1]]
    via = f" (called in {', '.join(callers[:3])})" if callers else ""
    message = f"{where}{via}: {error}"
    if isinstance(error, MotionStop):
        return type(error)(message, **{**error.evidence, "line_number": place.line, "program": program})
    kept = {name: value for name, value in error.evidence.items() if name == "chain"}
    return StepRefused(message, line_number=place.line, program=program, reason=error, **kept)


def issued(time: float, frames: Sequence[Frame]) -> Issued:
    """Return the line that issues the next step, and the callers of its program."""
    frame = frames[-1]
    callers = tuple((one.program.name, one.program.place(_last(one).number).line) for one in frames[-2::-1])
    return Issued(time, frame.program.name, frame.place.line, callers)


def _last(frame: Frame) -> Instruction:
    """Return the instruction of a frame that called the frame above it."""
    return instructions(frame.program)[frame.at - 1]
