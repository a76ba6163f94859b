"""Refusals of steps, and the sources of steps: the line of the program, and its callers."""

from __future__ import annotations

from collections.abc import Sequence

from workcell.errors import MotionStop, Refused, WorkcellError
from workcell.programs import steps as s
from workcell.programs.code import Instruction, instructions
from workcell.programs.evaluate import shown
from workcell.programs.rounds import nested, round_words
from workcell.simulation.events import Issued
from workcell.simulation.threads import Frame
from workcell.world.snapshot import Snapshot


class StepRefused(Refused):
    """A step of a program was refused; ``program`` and ``line_number`` locate it, ``reason`` is the error itself."""


def located(error: WorkcellError, frames: Sequence[Frame], snapshot: Snapshot) -> WorkcellError:
    """Return an error with the line of the program that caused it, the rounds of its loops, and its callers.

    A stop keeps its type.
    """
    if isinstance(error, StepRefused) or error.evidence.get("endless"):
        return error
    frame = frames[-1]
    program, place = frame.program.name, frame.place
    where = f"Line {place.line} of program {program!r}" if place.line else f"Program {program!r}"
    callers = [
        f"line {one.program.place(_last(one).number).line} of {one.program.name!r}{_in_rounds(one, snapshot)}"
        for one in frames[-2::-1]
    ]
    via = f" (called in {', '.join(callers[:3])})" if callers else ""
    message = f"{where}{_in_rounds(frame, snapshot)}{via}: {error}"
    if isinstance(error, MotionStop):
        return type(error)(message, **{**error.evidence, "line_number": place.line, "program": program})
    kept = {name: value for name, value in error.evidence.items() if name == "chain"}
    return StepRefused(message, line_number=place.line, program=program, reason=error, **kept)


def issued(time: float, frames: Sequence[Frame]) -> Issued:
    """Return the line that issues the next step, and the callers of its program."""
    frame = frames[-1]
    callers = tuple((one.program.name, one.program.place(_last(one).number).line) for one in frames[-2::-1])
    return Issued(time, frame.program.name, frame.place.line, callers)


def _in_rounds(frame: Frame, snapshot: Snapshot) -> str:
    """Return the rounds of the loops that a frame is in, as the end of its place; '' if it is in none."""
    rounds = [
        round_words(loop.done + 1, loop.rounds, _about(frame, step, snapshot))
        for step, loop in frame.loops_around
    ]  # fmt: skip
    return f", {nested(rounds)}" if rounds else ""


def _about(frame: Frame, step: s.Step, snapshot: Snapshot) -> str:
    """Return the value of the variable of a loop, for a message."""
    if isinstance(step, s.ForEach):
        return "".join(f"{step.variable} is {target}" for target in frame.loop_targets(step.variable, snapshot))
    if isinstance(step, s.For) and step.variable in frame.variables:
        return f"{step.variable} = {shown(frame.variables[step.variable], frame.program.units)}"
    return ""


def _last(frame: Frame) -> Instruction:
    """Return the instruction of a frame that called the frame above it."""
    return instructions(frame.program)[frame.at - 1]
