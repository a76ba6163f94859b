"""The statements of ROBOSIM source: one a line, a word with arguments such as ``X=10.0, Y=0.`` or with a name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from workcell.cost import Bound
from workcell.errors import FileProblem, UnknownName
from workcell.wording import capital

if TYPE_CHECKING:
    from lark import Lark

SOURCE = Bound(20_000_000, "characters", "Split it into several files.")
"""The length of one source."""
_GRAMMAR = r"""
    start: (_LINE | statement _LINE)* statement?
    statement: WORD (argument ("," argument)* | NAME)?
    argument: KEY "=" NUMBER
    WORD.3: /(?<![^\n \t])[A-Za-z][A-Za-z]*(-[A-Za-z]+)*(\+1)?(?=[ \t\r]*(\n|;|\Z)|[ \t]+[^ \t\r\n;])/
    KEY.2: /[A-Za-z][A-Za-z0-9]*(?=[ \t]*=)/
    NUMBER: /[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?(?![A-Za-z0-9.])/
    NAME.1: /[A-Za-z0-9_][A-Za-z0-9_.\-]*(?![A-Za-z0-9_.=\-]|[ \t]*=)/
    _LINE: /\r?\n/
    COMMENT: /;[^\n]*/
    BLANKS: /[ \t\f]+/
    %ignore COMMENT
    %ignore BLANKS
"""


class Form(NamedTuple):
    """What stands behind a word: arguments that it needs, arguments that it may have, and what its name names."""

    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    name: str = ""

    def shown(self, word: str) -> str:
        """Return an example of the statement."""
        keys = ", ".join(f"{key}=…" for key in self.needs or self.may)
        return " ".join(part for part in (word, keys or self.name.upper()) if part)


_XYZ = ("X", "Y", "Z")
FORMS: dict[str, Form] = {
    "BOX": Form(_XYZ),
    "CYLINDER": Form(("R", "H")),
    "CONE": Form(("R", "H")),
    "TRUNCATED-CONE": Form(("R1", "R2", "H")),
    "SPHERE": Form(("R",)),
    "MOVE": Form(may=_XYZ),
    "DRAW": Form(may=_XYZ),
    "EXTRUDE-SURFACE": Form(("Z",)),
    "REV-SURFACE": Form(),
    "ROTATE": Form(may=_XYZ),
    "TRANSLATE": Form(may=_XYZ),
    **{f"{kind}-JOINT-{place}": Form() for kind in "RPF" for place in ("I", "I+1")},
    "STORE": Form(name="register"),
    "LOAD": Form(name="register"),
    "ADD": Form(name="register"),
    "CLEAR": Form(),
    "STORE-LINK": Form(name="name.extension"),
    "STORE-FILE": Form(name="name"),
    "LOOK-FROM": Form(may=_XYZ),
    "LOOK-AT": Form(may=_XYZ),
    "VIEW": Form(),
    "END": Form(),
}
"""Every statement of the language."""


class Statement(NamedTuple):
    """One statement: its word in capitals, its arguments in their order, its name, and where it stands."""

    word: str
    arguments: tuple[tuple[str, float], ...]
    name: str
    line: int
    column: int

    def values(self, *keys: str) -> tuple[float, ...]:
        """Return the values of arguments; those that are not given are 0."""
        given = dict(self.arguments)
        return tuple(given.get(key, 0.0) for key in keys)


def problem(where: str, line: int, column: int, sentence: str) -> FileProblem:
    """Return an error that names the place."""
    return FileProblem(f"{where}, line {line}, column {column}: {sentence}", path=where, line=line, column=column)


def parse(text: str, where: str = "the text") -> list[Statement]:
    """Return the statements of a source up to END; ``where`` is its name in messages."""
    import lark

    SOURCE.check(len(text), capital(where))
    try:
        tree = _parser().parse(text)
    except lark.exceptions.UnexpectedInput as error:
        raise _complaint(text, where, error) from error
    found: list[Statement] = []
    for child in tree.children:
        found.append(_statement(child, where))
        if found[-1].word == "END":
            break
    return found


@lru_cache(maxsize=1)
def _parser() -> Lark:
    import lark

    return lark.Lark(_GRAMMAR, parser="lalr", lexer="contextual", maybe_placeholders=False)


def _statement(node: Any, where: str) -> Statement:
    token, *rest = node.children
    word, line, column = str(token).upper(), token.line, token.column
    if word not in FORMS:
        near = UnknownName.among("statement of ROBOSIM", word, FORMS)
        raise problem(where, line, column, str(near)) from None
    form = FORMS[word]
    named = bool(rest) and not hasattr(rest[0], "data")
    name = str(rest[0]) if named else ""
    arguments: list[tuple[str, float]] = []
    for one in [] if named else rest:
        key, number = one.children
        _check_key(word, form, str(key).upper(), dict(arguments), where, key)
        arguments.append((str(key).upper(), _finite(number, where)))
    if bool(form.name) != named or (named and arguments):
        if named:
            raise problem(where, line, rest[0].column, f"{word} takes no name; found {name!r}. {_right(word)}")
        if form.name:
            raise problem(where, line, column, f"{word} needs a name. {_right(word)}")
    missing = [key for key in form.needs if key not in dict(arguments)]
    if missing or (form.may and not arguments):
        what = " and ".join(f"{key}=" for key in missing) or "at least one of X=, Y= and Z="
        raise problem(where, line, column, f"{word} needs {what}. {_right(word)}")
    return Statement(word, tuple(arguments), name, line, column)


def _check_key(word: str, form: Form, key: str, before: dict[str, float], where: str, token: Any) -> None:
    if key in before:
        raise problem(where, token.line, token.column, f"{word} has {key}= twice.")
    allowed: Sequence[str] = form.needs or form.may
    if key not in allowed:
        which = f"it takes {', '.join(f'{one}=' for one in allowed)}" if allowed else "it takes no arguments"
        raise problem(where, token.line, token.column, f"{word} does not take {key}=; {which}.")


def _finite(token: Any, where: str) -> float:
    value = float(token)
    if abs(value) > 1e9:
        raise problem(where, token.line, token.column, f"the number {token} is too large; at most 1e9 is possible.")
    return value


def _right(word: str) -> str:
    return f"Write `{FORMS[word].shown(word)}`."


def _complaint(text: str, where: str, error: Any) -> FileProblem:
    lines = text.splitlines()
    line = min(max(int(error.line or 1), 1), max(len(lines), 1))
    whole = lines[line - 1] if lines else ""
    column = max(int(error.column or 1), 1)
    rest = whole[column - 1 :].strip()
    head = whole.split(";")[0].split()
    word = head[0].upper() if head else ""
    found = f"found {rest[:40]!r}" if rest else "the line ends there"
    if word in FORMS:
        return problem(where, line, column, f"{word} cannot be read here; {found}. {_right(word)}")
    return problem(where, line, column, f"expected a statement such as BOX X=…, Y=…, Z=…; {found}.")
