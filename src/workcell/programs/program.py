"""A program: parameters and a block of steps, with their places in its text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import msgspec

from workcell.programs.expressions import Expression
from workcell.programs.steps import Block, Comment, Step, Verbatim, walk
from workcell.spatial.units import Units

ParameterType: TypeAlias = Literal[
    "number",
    "length",
    "angle",
    "time",
    "mass",
    "speed",
    "truth",
    "text",
    "joints",
    "pose",
    "target",
    "part",
    "robot",
    "place",
]
PARAMETER_TYPES: tuple[str, ...] = get_args(ParameterType)


class Parameter(msgspec.Struct, frozen=True):
    """A value that the caller of a program gives, or its default."""

    name: str
    type: ParameterType
    default: Expression | None = None


class Place(msgspec.Struct, frozen=True, gc=False):
    """The place of a step in its text: the line counts from 1, the column from 0."""

    line: int
    column: int = 0


@dataclass(frozen=True)
class Program:
    """A program as data. Two programs are equal if their steps are, wherever they are written.

    Attributes:
        name: its name.
        parameters: the values that it is given.
        body: its steps.
        units: what a bare number means in it.
        places: the place of each step, in the order of :func:`~workcell.programs.steps.walk`.
        heads: the place of each parameter.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    body: Block = ()
    units: Units = field(default_factory=Units)
    places: tuple[Place, ...] = field(default=(), compare=False, repr=False)
    heads: tuple[Place, ...] = field(default=(), compare=False, repr=False)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """All steps, those in blocks included, in the order written."""
        return tuple(walk(self.body))

    @cached_property
    def kinds(self) -> frozenset[type[Step]]:
        """The kinds of steps that occur, those in blocks included."""
        return frozenset(map(type, self.steps))

    @property
    def count(self) -> int:
        """How many steps there are to carry out; comments do not count."""
        if self.kinds.isdisjoint((Comment, Verbatim)):
            return len(self.steps)
        return sum(not isinstance(step, Comment | Verbatim) for step in self.steps)

    @cached_property
    def hash(self) -> str:
        """The hash of the steps; layout and places do not count."""
        data = msgspec.msgpack.encode((self.name, self.parameters, self.body, self.units))
        return hashlib.sha256(data).hexdigest()

    def place(self, number: int) -> Place:
        """Return the place of the step with this number; line 0 if the program has no text."""
        return self.places[number] if number < len(self.places) else Place(0)
