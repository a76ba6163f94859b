"""What a text of lines is: the steps of a program, the commands of a script, or lines that may be both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from workcell.commands.language.program_blocks import begins, orders
from workcell.commands.language.registry import registry
from workcell.commands.language.step_reader import step_plans
from workcell.commands.script import logical_lines

TextReading: TypeAlias = Literal["program", "script", "either", "neither"]
_TOGETHER = "together"
"""The step of several moves, which has a plan for each of them and none of its own."""


def reading_of(lines: Iterable[str]) -> TextReading:
    """Return what lines are, by the words with which they begin; what follows these words does not count.

    Statements such as `repeat` occur only in programs. A command that is no step, such as `create`, and a program
    between `program NAME` and `end` occur only in scripts. Moves and other steps may be in both. If there are
    statements and other commands too, the lines are a program, whose mistakes an editor can show.
    """
    known = list(lines)
    if orders(known):
        return "program"
    steps = 0
    for _, text in logical_lines(known):
        command = None if begins(text) else registry().tree.command_of(text)
        if begins(text) or (command is not None and command.name != _TOGETHER and command.name not in step_plans()):
            return "script"
        steps += command is not None
    return "either" if steps else "neither"
