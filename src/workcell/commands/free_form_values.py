"""Points of free forms as parameters, and the answers of commands on free forms."""

from __future__ import annotations

from workcell.commands.language.shapes import CircleValue, Points
from workcell.commands.language.values import Number, Vector
from workcell.commands.results import Result

Triple = tuple[float, float, float]


class Evaluated(Result, frozen=True):
    """A point of a curve or patch [m] and the derivatives there.

    ``derivatives`` are those of a curve by order, or those of a patch in the order u, v, uu, uv, vv and so on;
    ``labels`` names them. Only a patch has a normal.
    """

    name: str
    parameters: tuple[float, ...]
    point: Triple
    labels: tuple[str, ...]
    derivatives: tuple[Triple, ...]
    normal: Triple | None
    text: str

    def __str__(self) -> str:
        return self.text


class Net(Result, frozen=True):
    """The control points [m] of a curve (one row) or patch, with weights, knots, and the box that they span [m]."""

    name: str
    degrees: tuple[int, ...]
    control: tuple[tuple[Triple, ...], ...]
    weights: tuple[tuple[float, ...], ...]
    knots: tuple[tuple[float, ...], ...]
    low: Triple
    high: Triple
    text: str

    def __str__(self) -> str:
        return self.text


class ParameterPoints(Points):
    """A contour in the parameters of a patch: ``(0.1,0.1) (0.9,0.1) (0.5,0.9)``."""

    label = "(U,V) (U,V) …"
    _pair = Vector("number", 2)


class ParameterCircle(CircleValue):
    """A circle in the parameters of a patch: ``0.3 at 0.5,0.5``."""

    label = "RADIUS [at U,V]"
    _radius = Number("number", positive=True)
    _centre = Vector("number", 2)
