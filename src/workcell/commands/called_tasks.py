"""Programs and tasks that are called by name, as commands are: `assemble base cover with left`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.line_reader import Expectation
from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.program_store import program_of
from workcell.errors import WorkcellError
from workcell.programs.named_parameters import NAMED
from workcell.wording import quoted

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.world.entities import Entity

LINKING = frozenset({"with", "on", "onto", "to", "from", "at", "in", "into", "by", "and", "for"})
"""Words between arguments that are for the reader; something of such a name is in quotes."""


def as_run(session: Session, line: str) -> str:
    """Return the `run` that a line means if it begins with the name of a program or task; else the line."""
    tokens = Tokens(line)
    found = _called(session, tokens)
    if found is None:
        return line
    entity, words = found
    given = [text for number, text in enumerate(tokens.words[words:-1], words) if _is_argument(tokens, number)]
    rest = line[tokens.column_of(words) :].strip() if given else ""
    if rest and "," in rest:  # the arguments are written as those of `run` are
        first = tokens.words[words]
        rest = rest[len(first or "") :].strip() if first in LINKING else rest
    else:
        rest = ", ".join(str(text) for text in given)
    return f'run {entity.kind}:"{entity.name}"' + (f" with {rest}" if rest else "")


def _is_argument(tokens: Tokens, number: int) -> bool:
    return number in tokens.quoted or tokens.words[number] not in LINKING


def _called(session: Session, tokens: Tokens) -> tuple[Entity, int] | None:
    """Return the program or task whose name begins a line, and how many words that name has; None if none does.

    Where the first words lead to a command, the command is meant.
    """
    first = tokens.words[0]
    if first is None or _is_command(session, tokens):
        return None
    if 0 in tokens.quoted:
        entity = _named(session, unquote(first))
        return None if entity is None else (entity, 1)
    for count in range(min(len(tokens.words) - 1, 4), 0, -1):
        entity = _named(session, " ".join(str(word) for word in tokens.words[:count]))
        if entity is not None:
            return entity, count
    return None


def _is_command(session: Session, tokens: Tokens) -> bool:
    node = session.registry.tree.root
    for number, word in enumerate(tokens.words):
        if node.plan is not None:
            return True
        below = node.below.get(str(word).lower()) if word is not None and number not in tokens.quoted else None
        if below is None:
            return False
        node = below
    return False


def _named(session: Session, name: str) -> Entity | None:
    return session.database.find("program", name) or session.database.find("task", name)


def completions(session: Session, text: str) -> list[Expectation]:
    """Return the programs and tasks that could complete the first word of a line, or names for their parameters."""
    if text and not text[0].isspace() and " " not in text:
        kinds = ("program", "task")
        known = [(name, kind) for kind in kinds for name in session.database.names(kind, text, most=20)]
        return [Expectation(quoted(name), f"run the {kind}", True) for name, kind in known]
    ends = text.endswith(" ")
    tokens = Tokens(text)
    found = _called(session, tokens)
    if found is None:
        return []
    entity, words = found
    given = [number for number in range(words, len(tokens.words) - 1) if _is_argument(tokens, number)]
    try:
        parameters = program_of(session, entity).parameters
    except WorkcellError:
        return []
    place = len(given) if ends else len(given) - 1
    if not 0 <= place < len(parameters) or parameters[place].type not in NAMED:
        return []
    prefix = "" if ends else str(tokens.words[-2]).lstrip('"')
    wanted = parameters[place]
    names = [name for kind in NAMED[wanted.type] for name in session.database.names(kind, prefix, most=50)]
    return [Expectation(quoted(name), f"{wanted.name}: {wanted.type}", True) for name in names]
