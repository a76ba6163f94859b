"""What is wrong with a program, and where."""

from __future__ import annotations

import msgspec

from workcell.errors import Refused
from workcell.wording import counted


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """One mistake, with its place (the line from 1, the column from 0).

    Attributes:
        program: the program.
        line: the line; 0 for the program as a whole.
        column: the column.
        message: one sentence.
        warning: whether the program can run anyway.
    """

    program: str
    line: int
    column: int
    message: str
    warning: bool = False

    def __str__(self) -> str:
        where = f"{self.program}:{self.line}:{self.column + 1}: " if self.line else f"{self.program}: "
        return where + ("warning: " if self.warning else "") + self.message


class ProgramProblems(Refused):
    """A program with mistakes was to run; ``problems`` lists them all."""

    @classmethod
    def of(cls, name: str, problems: tuple[Problem, ...]) -> ProgramProblems:
        """Return the error that lists all mistakes."""
        wrong = tuple(one for one in problems if not one.warning)
        many = "a mistake" if len(wrong) == 1 else counted(len(wrong), "mistake")
        listed = "\n".join(str(one) for one in wrong)
        return cls(f"Program {name!r} has {many} and cannot run:\n{listed}", problems=wrong, program=name)
