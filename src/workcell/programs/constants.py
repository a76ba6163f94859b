"""The values of expressions that need no cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workcell.errors import InvalidValue, UnknownName, WorkcellError
from workcell.programs import expressions as e
from workcell.programs.evaluate import Value, evaluate
from workcell.programs.functions import FUNCTIONS
from workcell.spatial.units import Units


class NoCell:
    """A scope without a cell. Only expressions without names have a value in it."""

    def __init__(self, units: Units) -> None:
        self.units = units

    def named(self, name: str, kind: str = "") -> Value:
        """Refuse every name: there is no cell."""
        raise UnknownName(f"There is no {name!r} here.")

    def asked(self, function: str, arguments: Sequence[Any]) -> Value:
        """Refuse every question: there is no cell."""
        raise InvalidValue(f"`{function}` needs a running program.")

    def slides(self, robot: str) -> Sequence[bool]:
        """No robot is known here."""
        return ()


def constant(expression: e.Expression, units: Units) -> Value | None:
    """Return the value of an expression without names, or None if it depends on the cell or cannot be computed."""
    if any(isinstance(one, e.Name) or (isinstance(one, e.Call) and _asks(one)) for one in e.parts(expression)):
        return None
    try:
        return evaluate(expression, NoCell(units))
    except WorkcellError:
        return None


def _asks(call: e.Call) -> bool:
    function = FUNCTIONS.get(call.function)
    return function is None or function.compute is None
