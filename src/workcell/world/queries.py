"""Questions to the database: a small language of conditions, each answered by SQL, combined as sets.

    query   = either [("or" either) …]
    either  = one [("and" one) …]
    one     = "not" one | "(" query ")" | condition
    condition over entities:
        kind WORD | level WORD | name PATTERN | label PATTERN | movable | colour WORD | description PATTERN
        uses WHAT [count]        made of it at any depth; the count is of instances
        made-of WHAT [count]     the same, one level down only
        used-by WHAT             part of it at any depth
        part-of WHAT             part of it directly
        parts COUNT | pointed_by COUNT
        PROPERTY [comparison]    has the property, or its value compares like this
    condition over relations:
        kind WORD | name PATTERN | label PATTERN | of WHAT | to WHAT | PROPERTY [comparison]

``WHAT`` is a name, a pattern with ``*``, ``kind:name``, or a kind. ``count`` and ``comparison`` are ``>= 2`` and the
like, with a unit where the property has one.
"""

from __future__ import annotations

import difflib
import json
import operator
import re
from collections.abc import Callable
from typing import NamedTuple, cast

from workcell.errors import CommandSyntaxError
from workcell.spatial.units import SCALES, Units
from workcell.world.database import Database
from workcell.world.entities import ENTITY_COLUMNS, RELATION_COLUMNS, Entity, Relation
from workcell.world.kinds import KINDS, RELATION_KINDS

_WORD = r'(?P<word>[^\s()<>=!"]+(?:(?<=:)"[^"]*")?)'
_TOKEN = re.compile(rf'\s*(?:(?P<string>"[^"]*")|(?P<op>>=|<=|!=|=|<|>)|(?P<mark>[()])|{_WORD})')
_COMPARISONS = (">=", "<=", "!=", "=", "<", ">")
_NUMBER = re.compile(r"([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(.*)")
MOST_CONDITIONS = 1000
"""The most conditions in a question."""
LONGEST = 10_000
"""The most characters in one word of a question; SQLite accepts five times as many in a pattern."""
CONDITIONS = (
    "kind", "level", "name", "label", "movable", "colour", "description", "uses", "made-of", "used-by", "part-of",
    "parts", "pointed_by",
)  # fmt: skip


class Sql(NamedTuple):
    """A SELECT of ids, and its values."""

    text: str
    values: tuple[object, ...] = ()


class _Token(NamedTuple):
    text: str
    start: int
    string: bool


class Query:
    """A parsed question over entities or over relations."""

    def __init__(self, database: Database, text: str, over: str = "entities", units: Units = Units()) -> None:
        self._database = database
        self._text = text
        self._over = over
        self._units = units
        self._tokens = _tokens(text)
        self._at = 0
        if not self._tokens:
            raise self._error("a condition such as `kind block` or `uses sphere`")
        self._postfix = self._parsed()

    def entities(self) -> list[Entity]:
        """The entities that satisfy it, in order of creation."""
        columns, chosen = ", ".join(ENTITY_COLUMNS), self._chosen()
        rows = self._database.store.connection.execute(
            f"SELECT {columns} FROM entity WHERE id IN ({chosen.text}) ORDER BY id", chosen.values
        )
        return [Entity(*row) for row in rows.fetchall()]

    def relations(self) -> list[Relation]:
        """The relations that satisfy it, in order of creation."""
        columns, chosen = ", ".join(RELATION_COLUMNS), self._chosen()
        rows = self._database.store.connection.execute(
            f"SELECT {columns} FROM relation WHERE id IN ({chosen.text}) ORDER BY id", chosen.values
        )
        return [Relation(*row) for row in rows.fetchall()]

    # ---- grammar ----------------------------------------------------------------------------------------

    def _parsed(self) -> tuple[Sql | str, ...]:
        """The question in postfix order, so that neither length nor depth needs a stack of calls."""
        out: list[Sql | str] = []
        waiting: list[str] = []
        conditions = opened = 0
        while True:
            if self._word_is("not"):
                waiting.append("not")
                continue
            if self._word_is("("):
                waiting.append("(")
                opened += 1
                continue
            conditions += 1
            if conditions > MOST_CONDITIONS:
                raise self._error(
                    "the end", f"a question may have at most {MOST_CONDITIONS:,} conditions; use several questions"
                )
            out.append(self._condition())
            _settle(waiting, out, "not")
            while opened and self._word_is(")"):
                opened -= 1
                _settle(waiting, out, "not", "and", "or")
                waiting.pop()
                _settle(waiting, out, "not")
            if self._word_is("and"):
                _settle(waiting, out, "and")
                waiting.append("and")
            elif self._word_is("or"):
                _settle(waiting, out, "and", "or")
                waiting.append("or")
            else:
                break
        if opened:
            raise self._error("`)`")
        if self._at < len(self._tokens):
            raise self._error("`and`, `or` or the end")
        return (*out, *reversed(waiting))

    def _condition(self) -> Sql:
        word = self._next("a condition")
        if self._over == "relations":
            return self._relation_condition(word)
        return self._entity_condition(word)

    def _chosen(self) -> Sql:
        """One SELECT of the ids that satisfy it."""
        if len(self._postfix) == 1:
            return cast(Sql, self._postfix[0])
        execute = self._database.store.connection.execute
        answers: dict[Sql, frozenset[int]] = {}
        everything = Sql(f"SELECT id FROM {'entity' if self._over == 'entities' else 'relation'}")

        def answer(sql: Sql) -> frozenset[int]:
            if sql not in answers:
                answers[sql] = frozenset(number for (number,) in execute(sql.text, sql.values))
            return answers[sql]

        stack: list[frozenset[int]] = []
        for item in self._postfix:
            if isinstance(item, Sql):
                stack.append(answer(item))
            elif item == "not":
                stack.append(answer(everything) - stack.pop())
            else:
                last = stack.pop()
                stack.append(stack.pop() & last if item == "and" else stack.pop() | last)
        return Sql("SELECT value FROM json_each(?)", (json.dumps(sorted(stack.pop())),))

    def _entity_condition(self, word: str) -> Sql:
        if word == "label":
            return self._label("entity")
        if word in ("kind", "level", "name", "description", "colour"):
            self._word_is("=")
        if word in ("kind", "level"):
            return Sql("SELECT id FROM entity WHERE kind = ?", (self._choice(tuple(KINDS)),))
        if word in ("name", "description"):
            return Sql(f"SELECT id FROM entity WHERE {word} GLOB ?", (self._next("a pattern"),))
        if word == "colour":
            return Sql("SELECT id FROM entity WHERE colour = ?", (self._next("a colour"),))
        if word == "movable":
            return Sql("SELECT id FROM entity WHERE movable")
        if word in ("uses", "made-of"):
            return self._counted(self._what(), deep=word == "uses")
        if word == "used-by":
            what = self._what()
            return Sql(
                f"WITH RECURSIVE below(id) AS (SELECT child FROM relation WHERE parent IN ({what.text}) UNION "
                "SELECT child FROM relation JOIN below ON parent = below.id) SELECT id FROM below",
                what.values,
            )
        if word == "part-of":
            what = self._what()
            return Sql(f"SELECT child FROM relation WHERE parent IN ({what.text})", what.values)
        if word in ("parts", "pointed_by"):
            comparison, number = self._comparison("number", required=True)
            side = "parent" if word == "parts" else "child"
            return Sql(
                f"SELECT id FROM entity WHERE (SELECT count(*) FROM relation WHERE {side} = entity.id) {comparison} ?",
                (number,),
            )
        return self._property("entity", word)

    def _relation_condition(self, word: str) -> Sql:
        if word == "kind":
            return Sql("SELECT id FROM relation WHERE kind = ?", (self._choice(RELATION_KINDS),))
        if word == "label":
            return self._label("relation")
        if word in ("name", "description"):
            return Sql(f"SELECT id FROM relation WHERE {word} GLOB ?", (self._next("a pattern"),))
        if word in ("of", "to"):
            what = self._what()
            side = "parent" if word == "of" else "child"
            return Sql(f"SELECT id FROM relation WHERE {side} IN ({what.text})", what.values)
        return self._property("relation", word)

    def _label(self, table: str) -> Sql:
        """A label, literal or as a pattern; without either, whether there is a label."""
        own = "json_extract(properties, '$.label')"
        compared = self._word_is("=")
        token = self._peek()
        if not compared and (token is None or (not token.string and token.text in ("and", "or", ")", "!="))):
            if not self._word_is("!="):
                return Sql(f"SELECT id FROM {table} WHERE {own} IS NOT NULL")
            return Sql(f"SELECT id FROM {table} WHERE {own} != ?", (self._next("a label"),))
        wanted = self._next("a label or a pattern")
        return Sql(f"SELECT id FROM {table} WHERE {own} = ? OR {own} GLOB ?", (wanted, wanted))

    def _property(self, table: str, name: str) -> Sql:
        declared = {p.name: p.quantity for kind in KINDS.values() for p in kind.properties}
        path = f'$."{name}"'
        known = self._database.store.connection.execute(
            f"SELECT json_extract(properties, ? || '.quantity') FROM {table}, json_each({table}.properties) "
            "WHERE key = ? LIMIT 1",
            (path, name),
        ).fetchone()
        if name not in declared and known is None:
            self._at -= 1
            raise self._error("a condition", f"{name!r} is neither a condition nor a property of anything")
        quantity = declared.get(name) or str(known[0] or "text")
        comparison, value = self._comparison(quantity, required=False)
        if not comparison:
            return Sql(f"SELECT id FROM {table} WHERE json_extract(properties, ?) IS NOT NULL", (path,))
        number = "coalesce(json_extract(properties, ? || '.si'), json_extract(properties, ?))"
        return Sql(f"SELECT id FROM {table} WHERE {number} {comparison} ?", (path, path, value))

    def _what(self) -> Sql:
        """The ids that the WHAT of a condition refers to."""
        token = self._peek()
        word = self._next("a name, a pattern or a kind")
        kind, _, name = word.partition(":")
        if name and kind in KINDS:
            return Sql("SELECT id FROM entity WHERE kind = ? AND name GLOB ?", (kind, _unquoted(name)))
        if word in KINDS and token is not None and not token.string:
            return Sql("SELECT id FROM entity WHERE kind = ?", (word,))
        if not any(c in word for c in "*?["):
            if not self._database.named(word):
                self._at -= 1
                close = self._database.names()
                raise self._error("a name", f"there is nothing called {word!r}", close)
            return Sql("SELECT id FROM entity WHERE name = ?", (word,))
        return Sql("SELECT id FROM entity WHERE name GLOB ?", (word,))

    def _counted(self, what: Sql, deep: bool) -> Sql:
        comparison, number = self._comparison("number", required=False)
        if not comparison:
            if not deep:
                return Sql(f"SELECT parent FROM relation WHERE child IN ({what.text})", what.values)
            return Sql(
                f"WITH RECURSIVE above(id) AS (SELECT parent FROM relation WHERE child IN ({what.text}) UNION "
                "SELECT parent FROM relation JOIN above ON child = above.id) SELECT id FROM above",
                what.values,
            )
        counts = self._instances(what, deep)
        test = _TESTS[comparison]
        wanted = float(str(number))
        chosen = [n for n, count in counts.items() if test(count, wanted)]
        if test(0, wanted):
            others = self._database.store.connection.execute("SELECT id FROM entity").fetchall()
            chosen += [n for (n,) in others if n not in counts]
        return Sql("SELECT value FROM json_each(?)", (json.dumps(chosen),))

    def _instances(self, what: Sql, deep: bool) -> dict[int, int]:
        """The number of instances in each entity, along every way down; sums, so sharing costs nothing."""
        execute = self._database.store.connection.execute
        totals: dict[int, int] = {}
        wave = {int(n): 1 for (n,) in execute(what.text, what.values)}
        while wave:
            rows = execute(
                "SELECT parent, child, count(*) FROM relation WHERE child IN (SELECT value FROM json_each(?)) "
                "GROUP BY parent, child",
                (json.dumps(list(wave)),),
            ).fetchall()
            above: dict[int, int] = {}
            for parent, child, count in rows:
                above[parent] = above.get(parent, 0) + count * wave[child]
            for parent, count in above.items():
                totals[parent] = totals.get(parent, 0) + count
            wave = above if deep else {}
        return totals

    # ---- tokens -----------------------------------------------------------------------------------------

    def _comparison(self, quantity: str, required: bool) -> tuple[str, object]:
        token = self._peek()
        if token is None or token.text not in _COMPARISONS or token.string:
            if required:
                raise self._error("a comparison such as `>= 2`")
            return "", None
        self._at += 1
        value = self._peek()
        word = self._next("a value")
        if value is not None and value.string:
            return token.text, word
        match = _NUMBER.fullmatch(word)
        if match is None:
            if quantity in ("text", "yes/no"):
                return token.text, {"yes": 1, "no": 0}.get(word, word)
            self._at -= 1
            raise self._error("a number")
        unit = match[2]
        following = self._peek()
        if not unit and following is not None and following.text in SCALES.get(quantity, {}):
            unit = self._next("a unit")
        known = quantity if quantity in SCALES else "number"
        return token.text, self._units.to_si(float(match[1]), known, unit)

    def _peek(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _next(self, expected: str) -> str:
        token = self._peek()
        if token is None or (not token.string and token.text in ("(", ")", *_COMPARISONS)):
            raise self._error(expected)
        self._at += 1
        return token.text

    def _choice(self, words: tuple[str, ...]) -> str:
        word = self._next("a kind")
        found = [w for w in words if w == word] or [w for w in words if w.startswith(word)]
        if len(found) != 1:
            self._at -= 1
            raise self._error(f"one of {', '.join(found or words)}")
        return found[0]

    def _word_is(self, word: str) -> bool:
        token = self._peek()
        if token is not None and not token.string and token.text == word:
            self._at += 1
            return True
        return False

    def _error(self, expected: str, problem: str = "", close: list[str] | None = None) -> CommandSyntaxError:
        token = self._peek()
        column = token.start if token else len(self._text)
        found = problem or (f"found {token.text!r}" if token else "the question ends here")
        near = difflib.get_close_matches(token.text, [*CONDITIONS, *(close or [])], 1) if token else []
        hint = f" (did you mean {near[0]}?)" if near else ""
        return CommandSyntaxError(
            f"Expected {expected}; {found}{hint}.", line=self._text, column=column, expected=[expected]
        )


_TESTS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}


def _settle(waiting: list[str], out: list[Sql | str], *operators: str) -> None:
    """Move the waiting operators that bind at least as strongly to the result."""
    while waiting and waiting[-1] in operators:
        out.append(waiting.pop())


def _tokens(text: str) -> list[_Token]:
    tokens = []
    at = 0
    stripped = len(text.rstrip())
    while at < stripped:
        match = _TOKEN.match(text, at)
        if match is None:
            raise CommandSyntaxError(
                f"Cannot read {text[at:].strip()!r} in the question.",
                line=text,
                column=at,
                expected=["a condition"],
            )
        name = str(match.lastgroup)
        token = match[name]
        if len(token) > LONGEST:
            raise CommandSyntaxError(
                f"A word of a question may have at most {LONGEST:,} characters; this one has {len(token):,}.",
                line=text, column=at, expected=["a shorter word"],
            )  # fmt: skip
        tokens.append(_Token(token[1:-1] if name == "string" else token, match.start(name), name == "string"))
        at = match.end()
    return tokens


def _unquoted(name: str) -> str:
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name
