"""Reading expressions: numbers, names, rows and poses in the command language.

A number may be an expression with blanks around its operators (``2 * gap``). In a row of numbers an expression has no
blanks (``0,0,2*gap``), unless the row is in brackets. A hyphen between letters belongs to a name, unless a variable
stands before it (``n-1``).
"""

from __future__ import annotations

import math
import re

from workcell.commands.language.choices import match_word
from workcell.commands.language.lexemes import LEXEME, SIGNED, UNIT, LexemeReader
from workcell.commands.language.texts import unescape
from workcell.commands.language.transforms import ALONG, FORMS
from workcell.programs import expressions as e
from workcell.spatial.rotations import CONVENTIONS
from workcell.wording import an, counted
from workcell.world.kinds import KINDS

_LONGEST = 300
"""In a shorter row, no number can be too large."""
DEEPEST = 60
"""How deep brackets and signs may be nested."""
MOST_OPERATORS = 200
"""How many operators an expression may have."""
WORDS = frozenset({"and", "or", "not", "true", "false", *FORMS})
_ROW = re.compile(rf"\s*({SIGNED}(?:,{SIGNED})+)(?=\s|\Z)(?!\s*,)")
_IN_BRACKETS = re.compile(rf"\s*\(\s*({SIGNED}(?:\s*,\s*{SIGNED})+)\s*\)(?!\s*,)")
_WITH_BLANKS = {
    count: re.compile(rf"\s*({SIGNED}(?:\s+{SIGNED}){{{'1,' if count is None else count - 1}}})(?=\s|\Z)(?!\s*,)")
    for count in (None, 3, 4, 12)
}
"""Rows of plain numbers: with commas, in brackets, or with blanks only."""
_ITEM = re.compile(rf"([-+]?[\d.]+(?:[eE][-+]?\d+)?)({UNIT})?")
UNIT_ALONE = re.compile(rf"\s*({UNIT})(?![\w-])")
_DIGITS = re.compile(r"[-+.\d]+(?:,[-+.\d]+)+(?=\s|\Z)(?!\s*,)")
"""A row without units and exponents, which is read at once if every number can be converted."""
WHOLE_NAME = re.compile(r"[\w+-]+")
_COUNTS = {"translate": 3, "rotate": 3, "scale": 3, "euler": 3, "quaternion": 4, "matrix": 12}


PLACES = ("target", "frame")
READ = ("signal", *PLACES)
"""The kinds of entity that a name in an expression can be."""


class ExpressionReader(LexemeReader):
    """Reads expressions from a line; the arguments are those of every reader."""

    __slots__ = ()

    def expression(self, binding: int = 0) -> e.Expression:
        """Read an expression whose operators bind more strongly than ``binding``."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise self.fail(
                f"An expression may be nested at most {DEEPEST} deep; put a part of it into a variable.", []
            )
        left, compared = self._operand(), False
        while (found := self._look()) is not None:
            operator = found["operator"] or found["word"] or ""
            strength = e.PRECEDENCE.get(operator, 0)
            if strength <= binding:
                break
            self.at += len(operator)
            self._operators += 1
            if self._operators > MOST_OPERATORS:
                raise self.fail(
                    f"An expression may have at most {MOST_OPERATORS} operators; put a part of it into a variable.", []
                )
            if compared and operator in e.COMPARING:
                raise self.fail("Comparisons cannot follow each other; join two of them with `and`.", ["and"])
            left, compared = e.Binary(operator, left, self.expression(strength)), operator in e.COMPARING
        self._depth -= 1
        return left

    def value(self) -> e.Expression:
        """Read a value: an expression, or a row of numbers, with transformations behind it."""
        first = self.expression()
        if not self._sees(","):
            return first
        items = [first]
        self._placing = False
        while self._sees(","):
            self.take(",")
            items.append(self.expression())
        self._placing = True
        return self._with_forms(e.Row(tuple(items), self._common_unit()))

    def _operand(self) -> e.Expression:
        found = self._look()
        if found is None:
            raise self.fail("Expected a value.", ["VALUE"])
        if found["operator"] == "-" or found["operator"] == "+":
            self.at += 1
            operand = self.expression(e.SIGN)
            return operand if found["operator"] == "+" else _negative(operand)
        if found["word"] == "not":
            self.at += 3
            return e.Unary("not", self.expression(e.NOT))
        return self._with_forms(self._primary(found))

    def _primary(self, found: re.Match[str]) -> e.Expression:
        if found["number"]:
            self.at = found.end()
            return e.Number(self._finite(found["number"]), found["unit"] or "")
        if found["text"] is not None:
            self.at = found.end()
            return e.Text(unescape(found["text"][1:-1]))
        if found["kind"] == "grasp":
            return self._grasp(found)
        if found["kind"] and found["kind"] in KINDS:
            self.at = found.end()
            name = found["quoted"].strip('"')
            self.mention(found.start("quoted"), found.end(), name, (found["kind"],))
            return e.Name(name, found["kind"])
        if found["operator"] == "(":
            return self._bracket()
        if found["word"]:
            return self._word(found["word"])
        raise self.fail(f"Expected a value; found {found[0]!r}.", ["VALUE"])

    def _word(self, word: str) -> e.Expression:
        start = self.at
        if word in ("true", "false"):
            self.at += len(word)
            return e.Truth(word == "true")
        if word not in self.variables:
            word = self._before_minus(word)
        self.at = start + len(word)
        if self.at < self.end and self.line[self.at] == "(":
            return self._call(word)
        if word in WORDS:
            named = f"; a target of that name is written target:{word}" if word in FORMS else ""
            raise self.fail(f"Expected a value; found the word {word!r}{named}.", ["VALUE"], start)
        if word not in self.variables:
            self.mention(start, self.at, word, READ)
        return e.Name(word)

    def _before_minus(self, word: str) -> str:
        """Return the variable before a minus sign, if a word with hyphens is one; else the word."""
        place = word.find("-")
        while place > 0:
            if word[:place] in self.variables:
                return word[:place]
            place = word.find("-", place + 1)
        return word

    def _call(self, function: str) -> e.Expression:
        from workcell.programs.functions import FUNCTIONS
        from workcell.programs.wants import Entity

        known = FUNCTIONS.get(function)
        if known is None:
            from workcell.errors import UnknownName

            unknown = UnknownName.among("function", function, FUNCTIONS)
            raise self.fail(str(unknown), sorted(FUNCTIONS), self.at - len(function))
        self.take("(")
        placing, self._placing = self._placing, True
        arguments: list[e.Expression] = []
        while not self._sees(")"):
            if arguments:
                self.take(",")
            wants = known.takes[min(len(arguments), len(known.takes) - 1)] if known.takes else None
            arguments.append(self._entity(wants.kinds) if isinstance(wants, Entity) else self.expression())
        self.take(")")
        self._placing = placing
        return e.Call(function, tuple(arguments))

    def _entity(self, kinds: tuple[str, ...]) -> e.Expression:
        """Read the name of an entity; in quotes if it has blanks, with its kind if that is ambiguous."""
        found = self._look()
        if found is not None and found["kind"] in kinds:
            name = found["quoted"].strip('"')
            self.mention(found.start("quoted"), found.end(), name, (found["kind"],))
            self.at = found.end()
            return e.Name(name, found["kind"])
        whole = WHOLE_NAME.match(self.line, self.at, self.end)
        if found is not None and (found["text"] or (whole is not None and whole[0][0].isalnum())):
            named = found if whole is None else whole
            name = found["text"][1:-1] if whole is None else whole[0]
            self.mention(self.at, named.end(), name, kinds)
            self.at = named.end()
            return e.Name(name)
        raise self.fail(f"Expected the name of {an(' or '.join(kinds))}{self.found()}.", ["NAME"])

    def _grasp(self, found: re.Match[str]) -> e.Expression:
        """Read a grasp of a part as a pose: ``grasp:box/top``, which is ``grasp(box, top)``."""
        name = found["quoted"].strip('"')
        self.mention(found.start("quoted"), found.end(), name, ("object",))
        self.at = found.end()
        self.take("/")
        return e.Call("grasp", (e.Name(name), self._entity(("grasp",))))

    def _bracket(self) -> e.Expression:
        """Read an expression in brackets, or a row of several."""
        self.take("(")
        placing, self._placing = self._placing, True
        items = [self.expression()]
        while self._sees(","):
            self.take(",")
            items.append(self.expression())
        self.take(")")
        self._placing = placing
        return items[0] if len(items) == 1 else e.Row(tuple(items), self._common_unit())

    def _common_unit(self) -> str:
        """Read a unit behind a row, for all of its numbers."""
        if self.at >= self.end:
            return ""
        found = UNIT_ALONE.match(self.line, self.at, self.end)
        if found is None:
            return ""
        self.at = found.end()
        return found[1]

    # ---- rows and poses ---------------------------------------------------------------------------------

    def _with_forms(self, base: e.Expression) -> e.Expression:
        """Read transformations behind a place, which make it a pose."""
        if not self._placing or not isinstance(base, e.Name | e.Row | e.Call):
            return base
        forms = self.forms()
        if not forms:
            return base
        if isinstance(base, e.Row):
            return e.Posed(None, base, forms)
        return e.Posed(base, None, forms)

    def forms(self, along: bool = True) -> tuple[e.Form, ...]:
        """Read the transformations that come next, if any, each with its axes."""
        forms: list[e.Form] = []
        while (word := self.word()) and word not in self.variables:
            if word not in FORMS:
                if not is_form(word):
                    break
                self.at += len(word)
                word = match_word(word, FORMS)[0]
            else:
                self.at += len(word)
            form = self._form(word)
            if along and self.takes(ALONG):
                form = e.Form(form.word, form.rows, form.convention, form.angle, self._axes())
            forms.append(form)
        return tuple(forms)

    def _form(self, word: str) -> e.Form:
        convention = ""
        if word == "euler":
            name, start = self.take_word(), self.at
            found = [name] if name in CONVENTIONS else match_word(name, CONVENTIONS)
            if len(found) != 1:
                raise self.fail(
                    f"{name!r} is not a convention of angles; there is {', '.join(CONVENTIONS)}.",
                    list(CONVENTIONS), start - len(name),
                )  # fmt: skip
            convention = found[0]
        if word == "axis":
            rows = [self.row(3)]
            if self.word() == "point":
                self.take_word()
                rows.append(self.row(3))
            if self.word() != "angle":
                raise self.fail(f"Expected `angle`{self.found()}.", ["angle"])
            self.take_word()
            return e.Form(word, tuple(rows), "", self.glued())
        if word == "points":
            before = [self.row(3) for _ in range(3)]
            if self.word() != "to":
                raise self.fail(f"Expected `to`{self.found()}.", ["to"])
            self.take_word()
            return e.Form(word, (*before, *(self.row(3) for _ in range(3))))
        return e.Form(word, (self.row(_COUNTS[word]),), convention)

    def _axes(self) -> e.Expression:
        """Read what follows `along`: the world, a variable that holds a pose, or a thing."""
        from workcell.programs.functions import THING

        word = self.word()
        if word == "world":
            self.take_word()
            return e.Posed()
        if word in self.variables:
            self.take_word()
            return e.Name(word)
        return e.Call("pose", (self._entity(THING.kinds),))

    def row(self, count: int | None) -> e.Row:
        """Read a row: ``1,2,3``, ``(1, 2, 3)`` or ``1 2 3``, each a number or an expression."""
        start = self.at
        self._skip()
        digits = _DIGITS.match(self.line, self.at, self.end)
        if digits is not None and (row := self._digits(digits[0])) is not None:
            return self._counted(row, count, start)
        self.at = start
        plain = (
            _ROW.match(self.line, self.at, self.end)
            or _IN_BRACKETS.match(self.line, self.at, self.end)
            or _WITH_BLANKS[count].match(self.line, self.at, self.end)
        )
        if plain is not None:
            self.at = plain.end()
            number = float if len(plain[1]) < _LONGEST else self._finite
            numbers = tuple([e.Number(number(value), unit) for value, unit in _ITEM.findall(plain[1])])
            return self._counted(e.Row(numbers, self._common_unit()), count, start)
        if self._sees("("):
            inside = self._bracket()
            if self._sees(","):  # (a+b),2,3: the first bracket is only the first number
                self.at = start
            else:
                row = inside if isinstance(inside, e.Row) else e.Row((inside,), self._common_unit())
                return self._counted(row, count, start)
        items = [self.glued()]
        while True:
            if self._sees(","):
                self.take(",")
                items.append(self.glued())
            elif (count is None or len(items) < count) and (literal := self._literal()) is not None:
                items.append(literal)
            else:
                break
        return self._counted(e.Row(tuple(items), self._common_unit()), count, start)

    def _digits(self, text: str) -> e.Row | None:
        """Read a row of plain numbers; None if one of them is not a number."""
        if len(text) > _LONGEST:
            return None
        try:
            items = tuple([e.Number(float(one)) for one in text.split(",")])
        except ValueError:
            return None
        self.at += len(text)
        return e.Row(items, self._common_unit())

    def _counted(self, row: e.Row, count: int | None, start: int) -> e.Row:
        if count is not None and len(row.items) != count:
            raise self.fail(f"Expected {counted(count, 'number')}; found {len(row.items)}.", ["NUMBERS"], start)
        return row

    def _finite(self, text: str) -> float:
        value = float(text)
        if not math.isfinite(value):
            raise self.fail(f"{text} is too large to be a number.", ["NUMBER"])
        return value

    def _literal(self) -> e.Expression | None:
        """Read a single number with its sign, as in ``1 2 -3``; None if there is none."""
        self._skip()
        sign = self.line[self.at : self.at + 1]
        start = self.at + (sign in ("-", "+"))
        found = LEXEME.match(self.line, start, self.end)
        if found is None or not found["number"]:
            return None
        self.at = found.end()
        number = e.Number(self._finite(found["number"]), found["unit"] or "")
        return _negative(number) if sign == "-" else number

    def glued(self) -> e.Expression:
        """Read an expression without blanks, or one in brackets."""
        self._skip()
        start, depth, at = self.at, 0, self.at
        while at < self.end and (depth or not (self.line[at].isspace() or self.line[at] == ",")):
            if self.line[at] == '"':
                closing = self.line.find('"', at + 1, self.end)
                at = closing if closing > 0 else at
            depth += {"(": 1, ")": -1}.get(self.line[at], 0)
            if depth < 0:
                break
            at += 1
        if at == start:
            raise self.fail(f"Expected a number{self.found()}.", ["NUMBER"])
        inner = ExpressionReader(self.line, start, at, self.variables, self.offset)
        inner._depth = self._depth
        expression = inner.expression()
        if not inner.done:
            raise inner.fail(f"Expected an operator{inner.found()}.", ["OPERATOR"])
        self.mentions += inner.mentions
        self.at = at
        return expression


def is_form(word: str) -> bool:
    """Whether a word begins a transformation; three letters of it are enough."""
    return word in FORMS or (len(word) >= 3 and len(match_word(word, FORMS)) == 1)


def _negative(operand: e.Expression) -> e.Expression:
    if isinstance(operand, e.Number):
        return e.Number(-operand.value, operand.unit)
    return e.Unary("-", operand)
