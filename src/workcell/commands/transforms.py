"""Transformations as words: scale, rotate, translate, euler, axis, points, quaternion, matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.tokens import Tokens
from workcell.commands.values import Choice, Number, Vector, match_word, read_number
from workcell.errors import WorkcellError
from workcell.spatial.rotations import CONVENTIONS
from workcell.spatial.transform import (
    AnyStep,
    AxisAngle,
    Euler,
    MatrixStep,
    Quaternion,
    Rotate,
    Scale,
    ThreePoints,
    Transform,
    Translate,
)
from workcell.spatial.units import Units, tidy

if TYPE_CHECKING:
    from workcell.commands.session import Session

FORMS = {
    "translate": "X,Y,Z: a shift",
    "rotate": "X,Y,Z: turns about the fixed axes x, then y, then z",
    "scale": "X,Y,Z: factors; negative ones mirror",
    "euler": "CONVENTION A,B,C: three angles in a named convention",
    "axis": "X,Y,Z [point X,Y,Z] angle A: a turn about any axis",
    "points": "P1 P2 P3 to Q1 Q2 Q3: the rigid motion between two triangles",
    "quaternion": "W,X,Y,Z: a rotation",
    "matrix": "(12 numbers): the upper three rows, lengths in the display unit",
}
_lengths = Vector("length")
_angles = Vector("angle", 3, "A,B,C")
_factors = Vector("number")
_four = Vector("number", 4)
_WRITTEN = {quantity: Vector(quantity, None) for quantity in ("length", "angle", "number")}


def read_transform(tokens: Tokens, session: Session, position_first: bool) -> Transform:
    """Read transformation words; a pose may begin with its position, which is applied last."""
    steps: list[AnyStep] = []
    last: list[AnyStep] = []
    start = tokens.peek()
    if start is None:
        raise tokens.fail(f"Expected a transformation: {', '.join(FORMS)}.", FORMS)
    if position_first and _lengths.accepts(start.text):
        last = [Translate(_lengths.parse(tokens, session, {}))]
    while (token := tokens.peek()) is not None and not token.quoted:
        found = [token.text] if token.text in FORMS else match_word(token.text, FORMS)
        if len(found) != 1:
            break
        tokens.take()
        try:
            steps.append(read_step(found[0], tokens, session))
        except WorkcellError as error:
            if "column" not in error.evidence:
                raise tokens.fail(str(error), [found[0]], token.start) from None
            raise
    if not steps and not last:
        raise tokens.fail(f"Expected a transformation: {', '.join(FORMS)}.", FORMS)
    return Transform((*steps, *last))


def read_step(form: str, tokens: Tokens, session: Session) -> AnyStep:
    """Read what stands behind the word of a step."""
    if form == "translate":
        return Translate(_lengths.parse(tokens, session, {}))
    if form == "rotate":
        return Rotate(_angles.parse(tokens, session, {}))
    if form == "scale":
        return Scale(_factors.parse(tokens, session, {}))
    if form == "euler":
        convention = Choice(CONVENTIONS, "CONVENTION").parse(tokens, session, {})
        return Euler(convention, _angles.parse(tokens, session, {}))
    if form == "quaternion":
        return Quaternion(_four.parse(tokens, session, {}))
    if form == "axis":
        axis = _factors.parse(tokens, session, {})
        point = (0.0, 0.0, 0.0)
        following = tokens.peek()
        if following is not None and following.text == "point":
            tokens.take()
            point = _lengths.parse(tokens, session, {})
        _expect_word(tokens, "angle")
        return AxisAngle(axis, point, read_number(tokens, session, "angle", "ANGLE"))
    if form == "points":
        before = tuple(_lengths.parse(tokens, session, {}) for _ in range(3))
        _expect_word(tokens, "to")
        after = tuple(_lengths.parse(tokens, session, {}) for _ in range(3))
        return ThreePoints(_three(before), _three(after))
    numbers = Vector("number", 12, "(12 numbers)").parse(tokens, session, {})
    size = session.units.size("length", "")
    scaled = [v * size if i % 4 == 3 else v for i, v in enumerate(numbers)]
    return MatrixStep(tuple(scaled))


def _three(points: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    a, b, c = points
    return a, b, c


def _expect_word(tokens: Tokens, word: str) -> None:
    token = tokens.peek()
    if token is None or token.text != word:
        raise tokens.fail(f"Expected `{word}`.", [word])
    tokens.take()


def transform_text(transform: Transform, units: Units | None = None) -> str:
    """The transformation in words: canonical in SI, or for people in their units."""
    return " ".join(_step_text(step, units) for step in transform.steps) or (
        "translate (0.0, 0.0, 0.0) m" if units is None else "none"
    )


def _step_text(step: AnyStep, units: Units | None) -> str:
    def row(values: tuple[float, ...], quantity: str) -> str:
        if units is None:
            return _WRITTEN[quantity].text(values)
        return ",".join(tidy(units.from_si(v, quantity)) for v in values)

    if isinstance(step, Translate):
        return f"translate {row(step.xyz, 'length')}"
    if isinstance(step, Rotate):
        return f"rotate {row(step.angles, 'angle')}"
    if isinstance(step, Scale):
        return f"scale {row(step.factors, 'number')}"
    if isinstance(step, Euler):
        return f"euler {step.convention} {row(step.angles, 'angle')}"
    if isinstance(step, Quaternion):
        return f"quaternion {row(step.wxyz, 'number')}"
    if isinstance(step, AxisAngle):
        angle = Number("angle").text(step.angle) if units is None else units.show(step.angle, "angle").replace(" ", "")
        return f"axis {row(step.axis, 'number')} point {row(step.point, 'length')} angle {angle}"
    if isinstance(step, ThreePoints):
        sides = (" ".join(row(p, "length") for p in side) for side in (step.before, step.after))
        return f"points {' to '.join(sides)}"
    # The words of a matrix read lengths in the display unit, so the canonical text spells the shift apart.
    size = 1.0 if units is None else units.size("length", "")
    rows = tuple(v / size if i % 4 == 3 else v for i, v in enumerate(step.rows12))
    return f"matrix {row(rows, 'number') if units is None else '(' + ', '.join(tidy(v) for v in rows) + ')'}"
