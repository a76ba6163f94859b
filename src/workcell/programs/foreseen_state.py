"""What is known before a step of a program that has not run: variables, joints, what may have moved, and settings."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from workcell.programs.foreseen import Foreseen, Unknown
from workcell.spatial.pose import Pose
from workcell.world.state import CellState


class Stand(msgspec.Struct, frozen=True):
    """Joint values that a device has before a step [rad or m], and whether they assume where it starts."""

    values: tuple[float, ...]
    assumed: bool = False


def starting(state: CellState) -> dict[str, Stand]:
    """Return the joint values with which devices are assumed to start."""
    return {name: Stand(tuple(values.tolist()), assumed=True) for name, values in state.joints.items()}


class State(msgspec.Struct):
    """What is known before a step: variables, what may have moved, joints, and the settings of the program."""

    variables: dict[str, Foreseen]
    moved: frozenset[str]
    frame: Pose | Unknown | None = None
    tools: dict[str, Pose | Unknown | None] = {}
    callers_tool: Unknown | None = None
    """The tool of robots for which the program has set none; None for the robots' own."""
    joints: dict[str, Stand] = {}
    """The joint values of the robots where they are known."""

    def moves(self, things: Iterable[str]) -> None:
        """Note that devices and parts move, and that their joint values are unknown after that."""
        self.moved |= frozenset(things)
        for name in things:
            self.joints.pop(name, None)

    def copy(self) -> State:
        """Return a copy, for another path through the program."""
        tools, joints = dict(self.tools), dict(self.joints)
        return State(dict(self.variables), self.moved, self.frame, tools, self.callers_tool, joints)

    def merge(self, others: Iterable[State]) -> None:
        """Keep only what is the same on all paths that join here."""
        for other in others:
            for name in {*self.variables, *other.variables}:
                if self.variables.get(name) != other.variables.get(name):
                    self.variables[name] = Unknown(f"variable {name}")
            self.moved |= other.moved
            for robot in [name for name, stand in self.joints.items() if other.joints.get(name) != stand]:
                del self.joints[robot]
            if self.frame != other.frame:
                self.frame = Unknown("the frame")
            for robot in {*self.tools, *other.tools}:
                if self.tools.get(robot, robot) != other.tools.get(robot, robot):
                    self.tools[robot] = Unknown(f"the tool of {robot}")
