"""Reading poses and single numbers in the fields of steps: a name or a position.

A word that could begin a transformation or a position is the name of a target or frame if no numbers follow it.
"""

from __future__ import annotations

import re

from workcell.commands.language.choices import match_word
from workcell.commands.language.expression_reader import PLACES, UNIT_ALONE, WHOLE_NAME, ExpressionReader, is_form
from workcell.commands.language.lexemes import SIGNED, UNIT
from workcell.commands.language.transforms import FORMS
from workcell.programs import expressions as e
from workcell.programs.measures import UNITS
from workcell.spatial.rotations import CONVENTIONS
from workcell.spatial.units import SCALES
from workcell.world.kinds import KINDS

_ONE = re.compile(rf"\s*([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)({UNIT})?(?=\s|\Z)")
_NUMERIC = frozenset("0123456789+-.")
_GOES_ON = re.compile(r"\s+(?:[+*/%=<>]|-\s)")
"""An operator with blanks around it: the expression continues."""
_NUMBERS_FOLLOW = re.compile(rf"\s*(?:[-+.\d(]|[^\W\d]\w*(?:-\w+)*(?:[,(*/%+]|(?:\s+{SIGNED}){{2}}))")
"""What follows the word of a transformation: a number, a bracket, or an expression that begins with a name."""
_NEXT_WORD = re.compile(r"\s*([^\W\d]\w*(?:-\w+)*)")
_NAME_ALONE = re.compile(r"[^\W_][\w+-]*(?=\s|\Z)(?!\s+[-+.\d(])")
"""A name that has digits and signs like an expression; a position would have more numbers behind it."""


class PlaceReader(ExpressionReader):
    """Reads the poses and numbers of steps; the arguments are those of every reader."""

    __slots__ = ()

    def number(self, quantity: str) -> e.Expression:
        """Read a number with or without a unit of its quantity, or an expression."""
        start = self.at
        plain = _ONE.match(self.line, self.at, self.end)
        if plain is not None:
            self.at = plain.end()
            expression: e.Expression = e.Number(self._finite(plain[1]), plain[2] or "")
        else:
            expression = self.glued()
        if _GOES_ON.match(self.line, self.at, self.end):
            self.at = start
            return self.expression()
        if self.at >= self.end or not isinstance(expression, e.Number) or expression.unit:
            return expression
        found = UNIT_ALONE.match(self.line, self.at, self.end)
        if found is not None and found[1] in SCALES.get(quantity, UNITS):
            self.at = found.end()
            return e.Number(expression.value, found[1])
        return expression

    def pose(self, along: bool = True) -> e.Expression:
        """Read a pose: a name or a position, then transformations, along other axes if ``along``."""
        self._skip()
        if self.line[self.at : self.at + 1] in _NUMERIC and self.at < self.end:
            return self._position(along)
        found = self._look()
        if found is None:
            raise self.fail("Expected a pose, a target or a frame.", ["POSE"])
        if found["text"] is not None:
            name = found["text"][1:-1]
            self.mention(self.at, found.end(), name, PLACES)
            self.at = found.end()
            return self._place(along, e.Name(name))
        word = found["word"] or ""
        if word and self.line[found.end() : found.end() + 1] in tuple(",*/%+"):
            return self._position(along)  # its first number is an expression
        if word and word in self.variables and not self._is_call(found):
            self.at = found.end()
            return self._place(along, e.Name(word))
        if word and not self._transforms(found) and not self._is_call(found):
            whole = WHOLE_NAME.match(self.line, self.at, self.end)
            assert whole is not None
            return self._place(along, self._place_name(whole))
        if word and not self._is_call(found):
            return e.Posed(None, None, self.forms(along))
        if (found["kind"] and found["kind"] in KINDS) or self._is_call(found):
            return self._place(along, self._primary(found))
        position = self.row(3)
        return e.Posed(None, position, self.forms(along))

    def _position(self, along: bool) -> e.Expression:
        """Read a position with what follows it, or a name that begins like a position."""
        named = _NAME_ALONE.match(self.line, self.at, self.end)
        if named is not None:
            return self._place(along, self._place_name(named))
        position = self.row(3)
        return e.Posed(None, position, self.forms(along))

    def _place(self, along: bool, base: e.Expression) -> e.Expression:
        forms = self.forms(along)
        return e.Posed(base, None, forms) if forms else base

    def _place_name(self, found: re.Match[str]) -> e.Name:
        """Return the name of a target or frame that a match found."""
        self.mention(self.at, found.end(), found[0], PLACES)
        self.at = found.end()
        return e.Name(found[0])

    def _transforms(self, found: re.Match[str]) -> bool:
        """Whether the next word begins a transformation and is not a name: its numbers follow."""
        word, end = found["word"], found.end()
        if not is_form(word):
            return False
        after = _NEXT_WORD.match(self.line, end, self.end)
        following = after[1] if after is not None else ""
        if following in self.variables:
            return True
        if match_word(word, FORMS) == ["euler"]:
            return bool(following) and bool(match_word(following, CONVENTIONS))
        return not (following and is_form(following)) and _NUMBERS_FOLLOW.match(self.line, end, self.end) is not None

    def _is_call(self, found: re.Match[str]) -> bool:
        return bool(found["word"]) and self.line[found.end() : found.end() + 1] == "("
