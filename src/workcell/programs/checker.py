"""The checker: every mistake in a program that can be found without running it, with its place.

Names, types, units, numbers of joints and arguments; ranges of joints and reach, where the values are written out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workcell.errors import InvalidValue
from workcell.programs import expressions as e
from workcell.programs.cell_names import CellNames
from workcell.programs.measures import PLAIN
from workcell.programs.mention import Mention
from workcell.programs.problem import Problem
from workcell.programs.program import Program
from workcell.programs.program_check import ProgramCheck
from workcell.programs.types import require, type_of
from workcell.programs.wants import Wants


def check(program: Program, names: CellNames, mentions: Sequence[Mention] = (), text: str = "") -> list[Problem]:
    """All mistakes of a program, in the order of its lines.

    Args:
        program: the program.
        names: what exists.
        mentions: the names in its text, so that a mistake in a name has its column.
        text: its text.
    """
    return checkup(program, names, mentions, text).problems


@dataclass(frozen=True)
class Checkup:
    """What the checker found: the mistakes, and the steps whose reach only the run decides."""

    problems: list[Problem]
    open: list[Problem]


def checkup(program: Program, names: CellNames, mentions: Sequence[Mention] = (), text: str = "") -> Checkup:
    """All mistakes of a program, and what is left open, in the order of its lines; arguments as for `check`."""
    looked = ProgramCheck(program, names, mentions, text)
    return Checkup(looked.problems_found(), looked.open)


def require_condition(condition: e.Expression, program: Program, names: CellNames) -> None:
    """Refuse a condition about a program that names what is not there, or is none.

    Raises:
        UnknownName: a name that is no variable of the program and nothing of the cell has.
        InvalidValue: parts that do not go together, or no truth value; a plain number counts as one, as signals do.
    """
    found = type_of(condition, ProgramCheck(program, names, (), "").variables_given(), names)
    require(found, Wants("truth"))
    if found.dimension not in (None, PLAIN):
        raise InvalidValue(f"Expected a condition; found {found}.")
