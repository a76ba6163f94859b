"""One command of an Agent stream while it is carried out: its arguments, and the calls that it makes."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workcell.errors import WorkcellError
from workcell.languages.agent import codes as c
from workcell.languages.agent.codes import AgentProblem
from workcell.languages.agent.lines import Words
from workcell.spatial.pose import Pose
from workcell.wording import quoted

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.languages.agent.settings import Settings

MILLIMETRE, DEGREE = 1e-3, math.pi / 180.0
ANGLES = "agent_rpy"
"""The convention of roll, pitch and yaw."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\Z")
_KEYED = re.compile(r"([xyzXYZ])=(.+)\Z")
THINGS = ("object", "robot", "mechanism")
"""The kinds that are objects of the workspace."""


@dataclass
class Turn:
    """The turn of one command.

    Attributes:
        session: carries out the commands of the registry.
        settings: what the stream has set.
        words: the command as it was written.
        onto: the commands of the registry that it may call.
        place: its line, as reports show it.
        suspect: the argument to blame if a value is refused, counted from 1.
        reports: the lines for the report stream.
        agents: the agents of a command for several, in the order of its moves.
        made: the kinds of names that earlier lines would make, by name; for lines that are only checked.
    """

    session: Session
    settings: Settings
    words: Words
    onto: tuple[str, ...]
    place: str
    suspect: int = 1
    reports: list[str] = field(default_factory=list)
    agents: tuple[str, ...] = ()
    made: Mapping[str, Collection[str]] = field(default_factory=dict)

    # ---- arguments --------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many arguments there are."""
        return len(self.words.arguments)

    def expect(self, least: int, most: int | None = None) -> None:
        """Refuse fewer or more arguments than these; without ``most``, any number above the least is right."""
        if self.count < least:
            raise AgentProblem(c.MISSING, f"{self.words.name} needs {least} arguments; found {self.count}.")
        if most is not None and self.count > most:
            raise AgentProblem(c.TOO_MANY, f"{self.words.name} takes {most} arguments at most; found {self.count}.")

    def word(self, index: int) -> str:
        """Return an argument, counted from 1."""
        self.suspect = index
        return self.words.arguments[index - 1]

    def number(self, index: int) -> float:
        """Return an argument that is a number."""
        return self._number(self.word(index), index)

    def _number(self, text: str, index: int) -> float:
        if not _NUMBER.match(text) or not math.isfinite(float(text)):
            raise AgentProblem(c.ILLEGAL, f"Argument {index} must be a number; found {text!r}.", index=index)
        return float(text)

    def is_number(self, index: int) -> bool:
        """Return whether an argument is written as a number."""
        return bool(_NUMBER.match(self.words.arguments[index - 1]))

    def numbers(self, first: int, count: int) -> tuple[float, ...]:
        """Return so many numbers from an argument on; they are the last arguments."""
        self.expect(first + count - 1, first + count - 1)
        return tuple(self.number(first + i) for i in range(count))

    def positive(self, index: int) -> float:
        """Return an argument that is a number above zero."""
        value = self.number(index)
        if value <= 0.0:
            raise self.illegal(index, f"Argument {index} must be more than zero; found {value:g}.")
        return value

    def flag(self, index: int) -> bool:
        """Return whether an argument is a number other than zero."""
        return self.number(index) != 0.0

    def keyed(self, first: int) -> list[tuple[str, float]]:
        """Return arguments such as x=5 from one on, in their order; a direction that is missing is zero."""
        self.expect(first - 1, first + 2)
        found: list[tuple[str, float]] = []
        for index in range(first, self.count + 1):
            match = _KEYED.match(self.word(index))
            axis = match[1].lower() if match else ""
            if match is None or axis in dict(found):
                raise self.illegal(index, f"Argument {index} must be x=, y= or z= with a number, each once.")
            found.append((axis, self._number(match[2], index)))
        return found

    def pose(self, first: int) -> Pose:
        """Return the pose that the last six arguments describe: x, y, z, roll, pitch, yaw."""
        x, y, z, roll, pitch, yaw = self.numbers(first, 6)
        angles = (roll * DEGREE, pitch * DEGREE, yaw * DEGREE)
        return Pose.from_xyz_angles((x * MILLIMETRE, y * MILLIMETRE, z * MILLIMETRE), angles, ANGLES)

    def illegal(self, index: int, reason: str) -> AgentProblem:
        """Return the error for an argument that cannot be used."""
        return AgentProblem(c.ILLEGAL, reason, index=index)

    # ---- names ------------------------------------------------------------------------------------------

    def agent(self, index: int = 1) -> str:
        """Return the name of a robot."""
        name = self.word(index)
        if self._is("robot", name):
            return name
        self.kind_of(index)
        raise AgentProblem(c.NO_AGENT, f"{name!r} is not a robot.")

    def kind_of(self, index: int) -> str:
        """Return the kind of an object of the workspace; refused if there is none of this name."""
        name = self.word(index)
        for kind in THINGS:
            if self._is(kind, name):
                return kind
        raise AgentProblem(c.UNKNOWN, f"There is no object or agent called {name!r}.")

    def thing(self, index: int) -> str:
        """Return an object or agent as commands name it, such as object:box1."""
        return f"{self.kind_of(index)}:{quoted(self.word(index))}"

    def plain(self, index: int) -> str:
        """Return an object that is not an agent, as commands name it."""
        if self.kind_of(index) != "object":
            raise self.illegal(index, f"{self.word(index)!r} is an agent; name an object.")
        return f"object:{quoted(self.word(index))}"

    def new(self, index: int) -> str:
        """Return the name of a new object; one that the workspace has already is refused."""
        name = self.word(index)
        if any(self.session.database.find(kind, name) is not None for kind in THINGS):
            raise self.illegal(index, f"There is already an object or agent called {name!r}.")
        return name

    def colour(self, index: int) -> str | None:
        """Return the colour that an optional last argument names; None if it is not there."""
        if self.count < index:
            return None
        name = self.word(index)
        if not self._is("colour", name) and name not in self.settings.colours:
            raise self.illegal(index, f"There is no colour called {name!r}; define-color makes one.")
        return quoted(name)

    def _is(self, kind: str, name: str) -> bool:
        return kind in self.made.get(name, ()) or self.session.database.find(kind, name) is not None

    # ---- calls ------------------------------------------------------------------------------------------

    def call(self, command: str, /, **parameters: Any) -> Any:
        """Carry out a command of the registry; parameters that are None are left out."""
        assert command in self.onto, f"{self.words.name} does not declare that it calls {command!r}"
        return self.session.call(command, given(parameters))

    def preview(self, command: str, /, **parameters: Any) -> None:
        """Read a call of the registry without carrying it out; refused as the call would be."""
        assert command in self.onto, f"{self.words.name} does not declare that it calls {command!r}"
        self.session.called(command, given(parameters))

    @contextmanager
    def group(self) -> Iterator[None]:
        """Inside, calls that edit become one step of the history; if one is refused, none of them has happened."""
        if self.session.group is not None:
            yield
            return
        self.session.call("group")
        try:
            yield
        except WorkcellError:
            self.session.call("cancel-group")
            raise
        self.session.call("end")

    def report(self, what: str, agent: str, values: object) -> None:
        """Write a line to the report stream."""
        self.reports.append(f"{what} of agent {agent} in line {self.place} --- {values}")

    def facts(self, error: WorkcellError) -> dict[str, object]:
        """Return what the message of an error may name."""
        from workcell.languages.agent.collisions import collision

        move = error.evidence.get("move")
        agents = self.agents or self.words.arguments[:1]
        return {
            "command": self.words.text,
            "agent": agents[move if isinstance(move, int) and move < len(agents) else 0] if agents else "",
            "index": self.suspect,
            "joint": c.joint_of(error),
            "collision": collision(self.session, error),
            "held": "",
        }


def given(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that are not None."""
    return {name: value for name, value in parameters.items() if value is not None}


def shown(values: Any, sizes: float | tuple[float, ...] = 1.0) -> str:
    """Return numbers with at most four decimals and one blank between; each is divided by its size."""
    scales = sizes if isinstance(sizes, tuple) else (sizes,) * len(values)
    return " ".join(_short(float(value) / size) for value, size in zip(values, scales, strict=True))


def _short(value: float) -> str:
    return f"{round(value, 4) + 0.0:.4f}".rstrip("0").rstrip(".")
