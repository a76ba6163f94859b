"""What may come next in the text of a program: words of statements and steps, names of the cell, variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from workcell.commands.language.expression_text import is_bare
from workcell.commands.language.line_reader import Expectation
from workcell.commands.language.program_lines import code_end, joined_lines
from workcell.commands.language.program_outline import Row, outline
from workcell.commands.program_store import names_of
from workcell.commands.step_forms import Form, forms, variables_of
from workcell.commands.step_words import WORDS
from workcell.programs.functions import FUNCTIONS
from workcell.programs.program import PARAMETER_TYPES
from workcell.wording import an, quoted

if TYPE_CHECKING:
    from workcell.commands.session import Session

_INSIDE = {"for": ("to", "by"), "wait-until": ("timeout", "else"), "else": ("if",)}
"""The words inside statements."""
_VALUES = ("signal", "target", "frame")
"""The kinds of entity whose names stand for values in expressions."""
_JOINING = ("and", "or", "not", "true", "false")
_LAST = re.compile(r"(?:[^\W\d][\w-]*)?\Z")
"""The word that somebody types, which a completion replaces."""
IN_OTHER_LANGUAGES: dict[str, Callable[[Session, str], list[Expectation]]] = {}
"""What completes the lines between `verbatim LANGUAGE` and `end`; each language adds itself."""
_PARTS = {"if": ("else",), "parallel": ("and",), "try": ("on-error",)}


def program_completions(session: Session, text: str) -> list[Expectation]:
    """Return the completions of the last word of an unfinished program.

    Args:
        session: the session with the cell.
        text: the text of the program up to the place where somebody types.
    """
    *_, (number, _, line) = joined_lines(text)
    rows = outline(text)
    here = next((row for row in rows if row.line <= number <= row.last), None)
    if here is not None and here.word == "verbatim" and here.line < number:
        complete = IN_OTHER_LANGUAGES.get(here.code.split()[-1])
        return [] if complete is None else complete(session, "\n".join(text.split("\n")[here.line :]))
    if code_end(line) < len(line):
        return []
    last = _LAST.search(line)
    assert last is not None
    before, prefix = line[: last.start()], last[0].lower()
    found = _first_words(rows) if not before.strip() else _next_words(session, rows, line, before)
    return list({one.text: one for one in found if prefix in one.text.lower()}.values())


def _first_words(rows: tuple[Row, ...]) -> Iterator[Expectation]:
    """Yield the words that may begin a line."""
    around = [row for row in rows if row.role == "opens" and not row.fits]
    if around:
        for word in _PARTS.get(around[-1].word, ()):
            yield Expectation(word, f"the next part of `{around[-1].word}`", True)
        yield Expectation("end", f"ends `{around[-1].code}`", True)
    for word, about in WORDS.items():
        yield Expectation(word, about.help, True)
    for form in forms().values():
        if form.kind not in WORDS and form.kind.split()[0] not in WORDS:
            yield Expectation(form.kind, form.help, True)


def _next_words(session: Session, rows: tuple[Row, ...], line: str, before: str) -> Iterator[Expectation]:
    """Yield the words and names that may follow in a line."""
    words = before.split()
    variables = sorted(variables_of(rows[:-1]))
    if words[0] == "call" and len(words) == 1:
        yield from _named(session, ("program",))
        return
    if words[0] == "parameter":
        yield from (Expectation(one, "a type", True) for one in PARAMETER_TYPES)
        return
    if words[0] == "for" and words[-1] == "in":
        yield from _named(session, ("path",))
        return
    if words[0] == "for" and len(words) == 2:
        yield from (Expectation(one, "must follow", True) for one in ("from", "in"))
        return
    form = _form(words)
    if words[0] in WORDS or words[0] in _INSIDE:
        yield from (Expectation(one, "may follow", True) for one in _INSIDE.get(words[0], ()))
        yield from _values(session, variables)
        yield from (Expectation(one, "in a condition", True) for one in _JOINING)
    elif form is None:
        below = (one for one in forms().values() if list(one.syntax.words)[: len(words)] == words)
        yield from (Expectation(one.syntax.words[len(words)], one.help, True) for one in below)
    else:
        yield from _in_step(session, form, line, before, variables)


def _in_step(session: Session, form: Form, line: str, before: str, variables: Iterable[str]) -> Iterator[Expectation]:
    """Yield what may follow in the line of a step."""
    known = session.complete(line.lstrip()) if before[-1].isspace() else []
    yield from known
    words = before.split()
    if not known:  # inside or behind an expression, which the reader of commands does not know
        yield from _openers(form, words)
        yield from _values(session, variables)
    elif len(words) > len(form.syntax.words):
        yield from (Expectation(one, "a variable", True) for one in variables)


def _form(words: list[str]) -> Form | None:
    """Return the form of the step that a line begins with."""
    return next((one for one in forms().values() if list(one.syntax.words) == words[: len(one.syntax.words)]), None)


def _openers(form: Form, words: list[str]) -> Iterator[Expectation]:
    for group in form.syntax.groups:
        if group.parts[0].word and group.parts[0].word not in words:
            yield Expectation(group.parts[0].word, "may follow", True)


def _values(session: Session, variables: Iterable[str]) -> Iterator[Expectation]:
    yield from (Expectation(one, "a variable", True) for one in variables)
    yield from _named(session, _VALUES, in_expression=True)
    yield from (Expectation(f"{one}(", about.help, True) for one, about in sorted(FUNCTIONS.items()))


def _named(session: Session, kinds: tuple[str, ...], in_expression: bool = False) -> Iterator[Expectation]:
    names = names_of(session)
    for kind in kinds:
        for name in names.known((kind,)):
            text = quoted(name)
            if in_expression and not is_bare(name):
                text = f'{kind}:"{name}"'
            yield Expectation(text, an(kind), True)
