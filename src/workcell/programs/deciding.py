"""The values of expressions that can be decided before a program runs: written numbers, and counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from workcell.programs import expressions as e
from workcell.programs.cell_names import CellNames
from workcell.programs.evaluate import Value, evaluate
from workcell.programs.functions import numbered
from workcell.programs.measures import Measure
from workcell.spatial.units import Units

SIMPLE = frozenset({e.Number, e.Truth, e.Text, e.Name})
"""The kinds of expression that are not made of others."""


class Undecided(Exception):
    """The value of an expression depends on the run; the message names what it depends on, if known."""


class StillScope:
    """What names and functions mean while nothing runs. Almost all of them are undecided.

    Args:
        names: what exists.
        units: what a bare number means.
    """

    def __init__(self, names: CellNames, units: Units) -> None:
        self.units = units
        self._names = names

    def named(self, name: str, kind: str = "") -> Value:
        """Variables, signals and places change, so they are undecided."""
        raise Undecided

    def asked(self, function: str, arguments: Sequence[Any]) -> Value:
        """Return how many targets a path has. Refuse joints and targets that do not exist."""
        if function == "count":
            return Measure(float(self._targets(arguments[0])))
        if function == "target":
            numbered(arguments[1], self._targets(arguments[0]), "target")
        if function == "grasp":
            self._names.snapshot.grasp(*arguments)
        if function == "joint":
            numbered(arguments[1], len(self.slides(arguments[0])), "joint")
        raise Undecided

    def slides(self, robot: str) -> Sequence[bool]:
        """Return for each joint of a robot whether it slides."""
        if robot not in self._names.robots:
            raise Undecided
        return tuple(row.prismatic for row in self._names.robots[robot].robot.rows)

    def _targets(self, path: str) -> int:
        places = self._names.snapshot.places
        if path not in places.paths:
            raise Undecided
        return len(places.path(path).poses)


def decided(expression: e.Expression, scope: StillScope) -> Value | None:
    """Return the value of an expression, or None if it depends on the run; its operands are then checked.

    Raises:
        WorkcellError: the expression, or an operand in it, can never have a value, such as ``1/0``.
    """
    if type(expression) is e.Name:
        return None
    named = isinstance(expression, e.Binary) and (type(expression.left) is e.Name or type(expression.right) is e.Name)
    if not named:
        try:
            return evaluate(expression, scope)
        except Undecided:
            pass
    for part in _inner(expression):
        if type(part) not in SIMPLE:
            decided(part, scope)
    return None


def _inner(expression: e.Expression) -> Iterator[e.Expression]:
    """Yield the operands of an expression, one level down."""
    if isinstance(expression, e.Unary):
        yield expression.operand
    elif isinstance(expression, e.Binary):
        yield expression.left
        yield expression.right
    elif isinstance(expression, e.Call):
        yield from expression.arguments
    elif isinstance(expression, e.Row):
        yield from expression.items
    elif isinstance(expression, e.Posed) and expression.base is not None:
        yield expression.base
        yield e.Posed(None, expression.position, expression.forms)
    elif isinstance(expression, e.Posed):
        yield from [] if expression.position is None else [expression.position]
        for form in expression.forms:
            yield from form.rows
            yield from [] if form.angle is None else [form.angle]
            yield from [] if form.along is None else [form.along]
