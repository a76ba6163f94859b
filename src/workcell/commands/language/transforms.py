"""Transformations and poses as words: scale, rotate, translate, euler, axis, points, quaternion, matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.commands.language.choices import Choice, beginnings, match_word
from workcell.commands.language.numbers import Number, Vector, read_number
from workcell.commands.language.tokens import Tokens
from workcell.commands.language.value import Value
from workcell.errors import WorkcellError
from workcell.geometry.checks import coordinates
from workcell.spatial.pose import Pose
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
ALONG = "along"
"""The word before the axes of a transformation."""
_MEANT = beginnings(FORMS)
"""For every beginning of such a word, the words that it may mean."""
_lengths = Vector("length")
_angles = Vector("angle", 3, "A,B,C")
_factors = Vector("number")
_ROWS: dict[str, tuple[Callable[[Any], AnyStep], Vector]] = {
    "translate": (Translate, _lengths), "rotate": (Rotate, _angles), "scale": (Scale, _factors),
    "quaternion": (Quaternion, Vector("number", 4)),
}  # fmt: skip
"""The steps that are a word and one row of numbers."""
_WRITTEN = {quantity: Vector(quantity, None) for quantity in ("length", "angle", "number")}


def begins_pose(tokens: Tokens) -> bool:
    """Whether the next two words begin a pose that is written in numbers."""
    word, after = tokens.words[tokens.at], tokens.words[tokens.at + 1 if not tokens.done else tokens.at]
    if word is None:
        return False
    numbers = after is not None and tokens.at + 1 not in tokens.quoted and _lengths.accepts(after)
    if word not in _MEANT:
        return "," in word or word[0] in "([" or numbers
    return numbers or ("euler" in _MEANT[word] and bool(match_word(after or " ", CONVENTIONS)))


def read_transform(tokens: Tokens, session: Session, position_first: bool) -> Transform:
    """Read a transformation; a pose may begin with its position, which is applied last."""
    steps: list[AnyStep] = []
    last: list[AnyStep] = []
    start = tokens.words[tokens.at]
    if start is None:
        raise tokens.fail(f"Expected a transformation: {', '.join(FORMS)}.", FORMS)
    if position_first and _lengths.accepts(start):
        last = [Translate(_lengths.parse(tokens, session, {}))]
    words = tokens.words
    while (word := words[at := tokens.at]) is not None:
        found = _MEANT.get(word)  # which nothing in quotes is in
        if found is None or len(found) != 1:
            break
        tokens.at = at + 1
        try:
            steps.append(read_step(found[0], tokens, session))
        except WorkcellError as error:
            if "column" not in error.evidence:
                raise tokens.fail(str(error), [found[0]], tokens.column_of(at)) from None
            raise
    if not steps and not last:
        raise tokens.fail(f"Expected a transformation: {', '.join(FORMS)}.", FORMS)
    return Transform((*steps, *last))


def read_offsets(tokens: Tokens, session: Session, base: Pose | None, axes: Callable[[Tokens, Session], Pose]) -> Pose:
    """Read a position and transformations, each in the axes of the pose or along others; return the pose.

    Args:
        tokens: the line.
        session: gives the units.
        base: the pose that they start from; None for the world, or the position that comes first.
        axes: reads what follows `along`.
    """
    from workcell.spatial.offsets import offset, own_offset

    def here() -> Pose:
        return Transform((*steps, *last)).pose() if pose is None else own_offset(pose, steps)

    steps: list[AnyStep] = []
    last: list[AnyStep] = []
    pose = base
    if base is None and _lengths.accepts(tokens.words[tokens.at] or ""):
        last = [Translate(_lengths.parse(tokens, session, {}))]
    while (word := tokens.words[tokens.at]) is not None:
        found = _MEANT.get(word)
        if found is None or len(found) != 1:
            break
        tokens.skip()
        step = read_step(found[0], tokens, session)
        if tokens.words[tokens.at] == ALONG:
            tokens.skip()
            pose = offset(here(), Transform((step,)).pose(), axes(tokens, session))
            steps = []
        else:
            steps.append(step)
    return here()


def read_step(form: str, tokens: Tokens, session: Session) -> AnyStep:
    """Read what follows the word of a step."""
    if form in _ROWS:
        made, row = _ROWS[form]
        return made(row.parse(tokens, session, {}))
    if form == "euler":
        convention = Choice(CONVENTIONS, "CONVENTION").parse(tokens, session, {})
        return Euler(convention, _angles.parse(tokens, session, {}))
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
    """Return a transformation as text: canonical in SI, or in display units."""
    if not transform.steps:
        return "translate (0.0, 0.0, 0.0) m" if units is None else "none"
    return " ".join([_step_text(step, units) for step in transform.steps])


_PLAIN: dict[type[AnyStep], tuple[str, str, str, str]] = {
    Translate: ("translate", "xyz", "length", " m"), Rotate: ("rotate", "angles", "angle", " rad"),
    Scale: ("scale", "factors", "number", ""), Quaternion: ("quaternion", "wxyz", "number", ""),
}  # fmt: skip
"""How the steps of one row are written: the word, the field, the quantity of the numbers and their SI unit."""


def _row(values: tuple[float, ...], quantity: str, units: Units | None) -> str:
    if units is None:
        return _WRITTEN[quantity].text(values)
    return ",".join(tidy(units.from_si(v, quantity)) for v in values)


def _step_text(step: AnyStep, units: Units | None) -> str:
    plain = _PLAIN.get(type(step))
    if plain is not None:
        word, field, quantity, unit = plain
        if units is None:
            return f"{word} {tuple(map(float, getattr(step, field)))}{unit}"
        return f"{word} {_row(getattr(step, field), quantity, units)}"
    if isinstance(step, Euler):
        return f"euler {step.convention} {_row(step.angles, 'angle', units)}"
    if isinstance(step, AxisAngle):
        angle = Number("angle").text(step.angle) if units is None else units.show(step.angle, "angle").replace(" ", "")
        return f"axis {_row(step.axis, 'number', units)} point {_row(step.point, 'length', units)} angle {angle}"
    if isinstance(step, ThreePoints):
        sides = (" ".join(_row(p, "length", units) for p in side) for side in (step.before, step.after))
        return f"points {' to '.join(sides)}"
    assert isinstance(step, MatrixStep)
    # Lengths in a matrix are in the display unit, so the canonical text gives the shift separately.
    size = 1.0 if units is None else units.size("length", "")
    rows = tuple(v / size if i % 4 == 3 else v for i, v in enumerate(step.rows12))
    return f"matrix {_row(rows, 'number', None) if units is None else '(' + ', '.join(tidy(v) for v in rows) + ')'}"


def near(pose: Transform) -> Transform:
    """Return a pose; refuse one that is farther from the origin than the largest shape."""
    coordinates(pose.matrix[:3, 3], 3, "A place")
    return pose


class PoseValue(Value):
    """A rigid pose: ``X,Y,Z`` and, if it is turned, transformations behind it."""

    label = "POSE"
    help = "X,Y,Z and turns, such as 100,0,50 rotate 0,0,90"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """A position, then turns; or transformation words alone."""
        at = tokens.at
        transform = read_transform(tokens, session, position_first=True)
        if not transform.is_rigid:
            raise tokens.fail("A pose must be rigid; this one scales or mirrors.", [self.label], tokens.column_of(at))
        return near(transform)

    def checked(self, value: Any) -> Any:
        """A pose, or a 4×4 matrix in SI."""
        if isinstance(value, Transform):
            return near(value)
        return near(Transform.from_pose(value if isinstance(value, Pose) else Pose(value)))

    def text(self, value: Any) -> str:
        """Transformation words."""
        return transform_text(value)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """The position, with the turns behind it."""
        pose = value.pose()
        place = _row(tuple(pose.xyz), "length", units)
        if np.allclose(pose.rotation, np.eye(3), atol=1e-12):
            return place
        return f"{place} rotate {_row(tuple(pose.angles('fanuc_wpr')), 'angle', units)}"

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The words of transformations."""
        return [(word, help) for word, help in FORMS.items() if word.startswith(prefix)]

    def words_inside(self) -> Mapping[str, str]:
        """The words of transformations."""
        return FORMS

    def schema(self) -> dict[str, Any]:
        """Text, or a matrix."""
        return {"description": "transformation words, or a 4×4 matrix in SI"}

    def accepts(self, text: str) -> bool:
        """A number, a bracket or a transformation word."""
        return text in _MEANT or _lengths.accepts(text)


class TransformValue(PoseValue):
    """A transformation, which may scale and mirror."""

    label = "TRANSFORMATION"
    help = "steps such as rotate 0,0,90 translate 100,0,50"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Transformation words."""
        return read_transform(tokens, session, position_first=False)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """Transformation words."""
        return transform_text(value, units)

    def accepts(self, text: str) -> bool:
        """A transformation word."""
        return text in _MEANT
