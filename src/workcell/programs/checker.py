"""The checker: finds every mistake in a program that can be found without running it.

It checks names, types, units, numbers of joints and arguments, and, if the values are written out, ranges and reach.
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
    """Return all mistakes of a program, in the order of its lines.

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
    """Return all mistakes of a program and its undecided steps, in the order of its lines. Arguments as for `check`."""
    looked = ProgramCheck(program, names, mentions, text)
    return Checkup(looked.problems_found(), looked.open)


def require_condition(condition: e.Expression, program: Program, names: CellNames) -> None:
    """Refuse a condition that uses unknown names or is not a condition.

    Raises:
        UnknownName: a name that is neither a variable of the program nor in the cell.
        InvalidValue: operands that do not match, or not a truth value; a plain number counts as one, as signals do.
    """
    found = type_of(condition, ProgramCheck(program, names, (), "").variables_given(), names)
    require(found, Wants("truth"))
    if found.dimension not in (None, PLAIN):
        raise InvalidValue(f"Expected a condition; found {found}.")
