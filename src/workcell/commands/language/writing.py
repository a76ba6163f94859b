"""Commands as the journal keeps them: full words, SI values, relations as paths; and as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.language.references import relation_text
from workcell.wording import quoted
from workcell.world.entities import Relation
from workcell.world.entry import short

if TYPE_CHECKING:
    from workcell.commands.language.registry import Command
    from workcell.commands.session import Session


class Written(msgspec.Struct, frozen=True):
    """The canonical text of a value, made before the command ran."""

    text: str


def relation_texts(session: Session, command: Command, values: dict[str, Any]) -> dict[str, Any]:
    """Return the paths of the relations among the values, before a command runs that may rename or remove them."""
    given = {name: values.get(name) for name in command.syntax.relations}
    return {name: Written(relation_text(session, one)) for name, one in given.items() if isinstance(one, Relation)}


def canonical(session: Session, command: Command, values: dict[str, Any]) -> str:
    """Return the line of a command that may name relations, with these values."""
    syntax = command.syntax

    def text_of(name: str, value: Any) -> str:
        if type(value) is Written:
            return value.text
        if type(value) is Relation:
            return relation_text(session, value)
        return syntax.params[name].text(value)

    return syntax.canonical(values, text_of)


def shown_line(session: Session, command: Command, values: dict[str, Any]) -> str:
    """Return a command that was called with parameters as a person would type it: names, in the units of the cell."""
    syntax, units = command.syntax, session.units

    def text_of(name: str, value: Any) -> str:
        if type(value) is Relation:
            return f"{quoted(session.database.by_id(value.parent).name)}/{quoted(value.name)}"
        return syntax.params[name].shown(value, units, values)

    return short(syntax.canonical(values, text_of))
