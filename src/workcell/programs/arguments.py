"""The values that a caller gives for the parameters of a program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from workcell.errors import InvalidValue, WorkcellError
from workcell.programs.evaluate import Scope, Value, converted, described
from workcell.programs.measures import DIMENSIONS, Measure
from workcell.programs.wants import Wants
from workcell.spatial.pose import Pose
from workcell.wording import an


@contextmanager
def about(program: str, parameter: str) -> Iterator[None]:
    """Inside, errors carry the program and the parameter that they are about: a form shows them at its field."""
    try:
        yield
    except WorkcellError as error:
        error.evidence.update(program=program, parameter=parameter)
        raise


def as_parameter(value: Value, kind: str, scope: Scope, name: str) -> Value:
    """Return a value as the type of a parameter; a value of another type is refused."""
    try:
        if kind in DIMENSIONS:
            quantity = converted(value, Wants("number", kind), scope)
            return Measure(float(quantity), DIMENSIONS[kind])
        if kind in ("pose", "target"):
            found: Value = converted(value, Wants("pose"), scope)
            return found
        if kind == "truth":
            return bool(converted(value, Wants("truth"), scope))
        if kind == "joints" and isinstance(value, Measure | bool | str | Pose):
            raise InvalidValue(f"Expected joint values; found {described(value)}.")
        if kind in ("text", "part", "robot", "place") and not isinstance(value, str):
            raise InvalidValue(f"Expected {an('text' if kind == 'text' else 'name')}; found {described(value)}.")
    except InvalidValue as error:
        raise InvalidValue(f"Parameter {name!r}: {error.message}", **error.evidence) from error
    return value
