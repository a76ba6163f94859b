"""What is known before a step of a program that has not run: variables, what may have moved, and settings."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from workcell.programs.foreseen import Foreseen, Unknown
from workcell.spatial.pose import Pose


class State(msgspec.Struct):
    """What is known before a step: variables, what may have moved, and the settings of the program."""

    variables: dict[str, Foreseen]
    moved: frozenset[str]
    frame: Pose | Unknown | None = None
    tools: dict[str, Pose | Unknown | None] = {}
    callers_tool: Unknown | None = None
    """The tool of robots for which the program has set none; None for the robots' own."""

    def copy(self) -> State:
        """Return a copy, for another path through the program."""
        return State(dict(self.variables), self.moved, self.frame, dict(self.tools), self.callers_tool)

    def merge(self, others: Iterable[State]) -> None:
        """Keep only what is the same on all paths that join here."""
        for other in others:
            for name in {*self.variables, *other.variables}:
                if self.variables.get(name) != other.variables.get(name):
                    self.variables[name] = Unknown(f"variable {name}")
            self.moved |= other.moved
            if self.frame != other.frame:
                self.frame = Unknown("the frame")
            for robot in {*self.tools, *other.tools}:
                if self.tools.get(robot, robot) != other.tools.get(robot, robot):
                    self.tools[robot] = Unknown(f"the tool of {robot}")
