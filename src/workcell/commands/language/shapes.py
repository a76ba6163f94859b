"""Shapes as words: ``box 800 600 40``, ``cylinder r=20 h=100``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.language.choices import beginnings
from workcell.commands.language.numbers import Number, Vector, bare_numbers, read_number, scaled
from workcell.commands.language.texts import escape, unescape
from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.language.value import Value
from workcell.errors import InvalidValue, WorkcellError
from workcell.geometry.checks import coordinates
from workcell.geometry.recipe import encode
from workcell.spatial.units import Units, tidy
from workcell.wording import an

if TYPE_CHECKING:
    from workcell.commands.session import Session

SHAPES: dict[str, tuple[tuple[str, ...], str]] = {
    "box": (("x", "y", "z"), "the sizes along x, y and z"),
    "cylinder": (("r", "h"), "radius and height"),
    "cone": (("r", "h"), "radius at the bottom and height"),
    "truncated-cone": (("top", "bottom", "h"), "the radii at the top and the bottom, and the height"),
    "sphere": (("r",), "the radius"),
    "ellipsoid": (("a", "b", "c"), "the three semi-axes"),
    "torus": (("ring", "tube"), "the radii of the ring and the tube"),
    "wedge": (("x", "y", "z"), "the sizes along x, y and z; the top is an edge"),
    "pyramid": (("x", "y", "z"), "the two sides of the base and the height"),
    "recipe": ((), "a recipe as the cell stores it, in quotes"),
}
"""The names of the sizes of each shape, in order, and one line of help."""

_KEYED = re.compile(r"([a-z]+)=(.+)")


_MEANT = beginnings(SHAPES)
"""For every beginning of the name of a shape, the shapes that it may mean."""


@cache
def _factory(word: str) -> Callable[..., Any]:
    from workcell.geometry import solids

    factory: Callable[..., Any] = getattr(solids, word.replace("-", "_"))
    return factory


class Shape(Value):
    """A shape with its sizes."""

    label = "SHAPE"
    help = f"a shape with its sizes: {', '.join(SHAPES)}"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read the name, then the sizes in order or by name; return a solid."""
        at = tokens.at
        text = tokens.words[at]
        found = _MEANT.get(text, ()) if text is not None else ()
        if len(found) != 1:
            known = {word: help for word, (_, help) in SHAPES.items() if not found or word in found}
            raise tokens.fail(f"Expected a shape: {', '.join(known)}.", known)
        tokens.at = at + 1
        word = found[0]
        if word == "recipe":
            return self._from_recipe(tokens)
        names, _ = SHAPES[word]
        sizes = self._bare(tokens, session, len(names)) or self._sizes(tokens, session, word, names)
        try:
            return _factory(word)(*sizes)
        except WorkcellError as error:
            raise tokens.fail(str(error), [self.label], tokens.column_of(at)) from None

    def _bare(self, tokens: Tokens, session: Session, count: int) -> tuple[float, ...]:
        """Read sizes that are plain positive numbers; return nothing if they are not."""
        at, words = tokens.at, tokens.words
        end = at + count
        if end < len(words):
            bare = bare_numbers(count).match(",".join(words[at:end]))  # type: ignore[arg-type]
            if bare is not None and words[end] not in (known := session.sizes()["length"]):
                sizes = scaled(bare, known[""])
                if min(sizes) > 0.0 and isfinite(sum(sizes)):
                    tokens.at = end
                    return sizes
        return ()

    def _sizes(self, tokens: Tokens, session: Session, shape: str, names: tuple[str, ...]) -> tuple[float, ...]:
        """Read the sizes of a shape in any notation; return them in order."""
        sizes: dict[str, float] = {}
        for name in names:
            while name not in sizes:
                at = tokens.at
                text = tokens.words[at] or ""
                if "=" in text and at not in tokens.quoted:
                    keyed = _KEYED.match(text)
                    if keyed and keyed[1] in names and keyed[1] not in sizes:
                        tokens.at = at + 1
                        column = tokens.column_of(at)
                        value = Tokens(" " * (column + keyed.start(2)) + keyed[2])
                        sizes[keyed[1]] = size = read_number(value, session, "length", f"LENGTH {keyed[1]}")
                        _refuse_size(tokens, shape, keyed[1], size, keyed[2], column)
                        continue
                if text[:1] in ("(", "[") and not sizes:
                    inside: tuple[float, ...] = Vector("length", len(names)).parse(tokens, session, {})
                    return inside
                sizes[name] = size = read_number(tokens, session, "length", f"LENGTH {name}")
                if size <= 0.0:
                    _refuse_size(tokens, shape, name, size, text, tokens.column_of(at))
        return tuple([sizes[name] for name in names])

    def _from_recipe(self, tokens: Tokens) -> Any:
        from workcell.geometry.recipe import decode
        from workcell.geometry.solid import Solid

        token = tokens.peek()
        if token is None:
            raise tokens.fail("Expected a recipe in quotes.", {"RECIPE": "a recipe in quotes"})
        tokens.take()
        try:
            return Solid(decode(unescape(unquote(token.text)).encode()))
        except WorkcellError as error:
            raise tokens.fail(str(error), ["RECIPE"], token.start) from None

    def checked(self, value: Any) -> Any:
        """A solid."""
        from workcell.geometry.solid import Solid

        if not isinstance(value, Solid):
            raise InvalidValue(f"Expected a solid, or a text such as 'box 10 10 10'; found {value!r}.")
        return value

    def text(self, value: Any) -> str:
        """Write the recipe, which every solid has."""
        return f'recipe "{escape(encode(value.recipe).decode())}"'

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """The name with its sizes; a shape without a name is not written out."""
        from workcell.geometry.sizes import sizes_of

        found = sizes_of(value.recipe)
        if found is None:
            return "recipe …"
        name, sizes = found
        return " ".join([name, *(tidy(units.from_si(size, "length")) for size in sizes)])

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The shapes."""
        return [(word, help) for word, (_, help) in SHAPES.items() if word.startswith(prefix)]

    def accepts(self, text: str) -> bool:
        """A shape's word."""
        return text in _MEANT


_MAY_BE_ZERO = ("top", "bottom")
"""The sizes that may be zero: the radii of a truncated cone, which then ends in a point."""


def _refuse_size(tokens: Tokens, shape: str, name: str, size: float, typed: str, column: int) -> None:
    """Refuse a size that is zero or negative, at its place and as it was typed."""
    if size < 0.0 or (size == 0.0 and name not in _MAY_BE_ZERO):
        raise tokens.fail(f"The size {name} of {an(shape)} must be more than zero; found {typed}.", ["LENGTH"], column)


class Points(Value):
    """A contour: corners, and arcs through a point to a point: ``(0,0) (1,0) arc (2,1) (1,2) (0,2)``."""

    label = "(X,Y) (X,Y) …"
    typescript = "number[][]"
    _pair = Vector("length", 2)

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read corners and arcs; return a contour."""
        points: list[Any] = []
        arcs: dict[int, Any] = {}
        start = tokens.column
        while (token := tokens.peek()) is not None and (token.text[0] in "([" or (points and token.text == "arc")):
            if token.text == "arc":
                tokens.take()
                arcs[len(points)] = self._pair.parse(tokens, session, seen)
            points.append(self._pair.parse(tokens, session, seen))
        if len(points) + len(arcs) < 3:
            wanted = f"A contour needs three points or more, such as (0,0) (1,0) (1,1); found {len(points)}"
            raise tokens.fail(f"{wanted}.", {self.label: wanted})
        try:
            return _contour(points, arcs)
        except WorkcellError as error:
            raise tokens.fail(str(error), [self.label], start) from None

    def checked(self, value: Any) -> Any:
        """A list of pairs in SI."""
        try:
            points = msgspec.convert(value, list[tuple[float, float]])
        except msgspec.ValidationError as error:
            raise InvalidValue(f"Expected points as pairs of numbers: {error}.") from None
        return _contour(points, {})

    def text(self, value: Any) -> str:
        """In brackets."""
        return self._written(value, self._pair.text)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """In brackets, in the unit of the cell."""
        return self._written(value, lambda point: f"({self._pair.shown(point, units, given)})")

    def _written(self, value: Any, text: Callable[[Any], str]) -> str:
        from workcell.geometry.contour import ArcTo, Polygon

        if isinstance(value, Polygon):
            return " ".join(text(point) for point in value.corners)
        words = [text(value.start)]
        for segment in value.segments:
            if isinstance(segment, ArcTo):
                words.append(f"arc {text(segment.through)}")
            words.append(text(segment.to))
        return " ".join(words)

    def schema(self) -> dict[str, Any]:
        """Pairs of numbers."""
        return {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}

    def accepts(self, text: str) -> bool:
        """A bracket."""
        return text[0] in "(["


def _contour(points: list[Any], arcs: dict[int, Any]) -> Any:
    """Return a polygon; with arcs, a path."""
    from workcell.geometry.contour import ArcTo, LineTo, Path, polygon

    if not arcs:
        return polygon(points)
    segments = [ArcTo(arcs[i], point) if i in arcs else LineTo(point) for i, point in enumerate(points) if i]
    return Path(points[0], tuple(segments))


class CircleValue(Value):
    """A circle: its radius and, if it is not the origin, its centre: ``30 at 100,0``."""

    label = "RADIUS [at X,Y]"
    _radius = Number("length", positive=True)
    _centre = Vector("length", 2)

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read a radius, and a centre behind the word ``at``; return a contour."""
        from workcell.geometry.contour import Circle

        radius = self._radius.parse(tokens, session, seen)
        following = tokens.peek()
        centre = (0.0, 0.0)
        if following is not None and following.text == "at":
            tokens.take()
            centre = self._centre.parse(tokens, session, seen)
        return Circle(centre, radius)

    def text(self, value: Any) -> str:
        """The radius and the centre."""
        return f"{self._radius.text(value.radius)} at {self._centre.text(value.centre)}"

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """The radius and the centre."""
        radius = self._radius.shown(value.radius, units, given)
        return f"{radius} at {self._centre.shown(value.centre, units, given)}" if any(value.centre) else radius

    def accepts(self, text: str) -> bool:
        """A number."""
        return self._radius.accepts(text)


class SpacePoints(Value):
    """Points in space: ``(0,0,0) (100,0,50) (200,0,0)``."""

    label = "(X,Y,Z) (X,Y,Z) …"
    typescript = "number[][]"
    _triple = Vector("length", 3)

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read points in brackets."""
        points = []
        while (token := tokens.peek()) is not None and token.text[0] in "([":
            points.append(_near(self._triple.parse(tokens, session, seen)))
        if len(points) < 2:
            wanted = f"two points or more, such as (0,0,0) (0,0,100); found {len(points)}"
            raise tokens.fail(f"Expected {wanted}.", {self.label: wanted})
        return tuple(points)

    def checked(self, value: Any) -> Any:
        """A list of triples in SI."""
        try:
            points = msgspec.convert(value, tuple[tuple[float, float, float], ...])
        except msgspec.ValidationError as error:
            raise InvalidValue(f"Expected points as triples of numbers: {error}.") from None
        return tuple(_near(self._triple.checked(point)) for point in points)

    def text(self, value: Any) -> str:
        """In brackets."""
        return " ".join(self._triple.text(point) for point in value)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """In brackets, in the unit of the cell."""
        return " ".join(f"({self._triple.shown(point, units, given)})" for point in value)

    def schema(self) -> dict[str, Any]:
        """Triples of numbers."""
        return {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}

    def accepts(self, text: str) -> bool:
        """A bracket."""
        return text[0] in "(["


def _near(point: tuple[float, ...]) -> tuple[float, ...]:
    """Return a point in space; refuse one that is farther from the origin than the largest shape."""
    return coordinates(point, 3, "A point")
