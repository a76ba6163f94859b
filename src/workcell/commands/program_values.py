"""Parameters of commands that are programs, or values for the parameters of programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.expression_reader import ExpressionReader
from workcell.commands.language.expression_text import expression_text
from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.language.values import Value
from workcell.commands.program_store import program_of
from workcell.errors import UnknownName
from workcell.programs.arguments import about
from workcell.programs.expressions import Expression
from workcell.spatial.units import Units
from workcell.wording import quoted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session


class Arguments(Value):
    """Values for the parameters of a program, with commas between them."""

    label = "VALUE, …"
    help = "values for the parameters of the program, with commas between them"
    typescript = "string | readonly string[]"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Expressions without variables."""
        start = tokens.column
        reader = ExpressionReader(tokens.line[: _flag_at(tokens)], start)
        found: list[Expression] = [reader.expression()]
        while not reader.done and reader.line[reader.at] == ",":
            reader.at += 1
            found.append(reader.expression())
        _take_until(tokens, _flag_at(tokens) if reader.done else reader.at)
        after = tokens.peek()
        if after is not None and "=" not in after.text and after.text not in _AFTER_VALUES:
            raise tokens.fail(f"Commas stand between values; found {after.text!r} without one before it.", [","])
        return tuple(found)

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """As typed, or a list with one text for each value; a row of numbers needs no brackets there.

        An error in a list carries the parameter that it is about.
        """
        if not isinstance(value, list):
            return super().from_json(value, session, seen)
        program = program_of(session, (seen.get("programs") or [seen["program"]])[0])
        names = [one.name for one in program.parameters]
        found = []
        for place, text in enumerate(value):
            with about(program.name, names[place] if place < len(names) else ""):
                reader = ExpressionReader(str(text))
                found.append(reader.value())
                if not reader.done:
                    raise reader.fail("Expected the end of the value.", [])
        return tuple(found)

    def schema(self) -> dict[str, Any]:
        """Text, or a list of texts."""
        return _TEXTS

    def text(self, value: Any) -> str:
        """As typed."""
        return ", ".join(expression_text(one) for one in value)


_TEXTS: dict[str, Any] = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
"""The JSON schema of a text, or of a list of texts."""


def _flag_at(tokens: Tokens) -> int:
    """Return where the first option begins, which is no two minus signs of an expression; else the end of the line."""
    found = (number for number, word in enumerate(tokens.words) if word == FLAG and number >= tokens.at)
    return tokens.column_of(next(found, len(tokens.words) - 1))


def _take_until(tokens: Tokens, at: int) -> None:
    while (token := tokens.peek()) is not None and token.start < at:
        tokens.take()


FLAG = "--from-present"
"""The option of commands that run programs."""
_AFTER_PROGRAMS = ("with", "from", FLAG, "tables", "inputs")
"""The words that may follow a list of programs."""
_AFTER_VALUES = _AFTER_PROGRAMS[1:]
"""The words that may follow values."""


class Programs(Value):
    """Names of programs, with blanks or ``&`` between them.

    Args:
        after: the words that may follow the list.
    """

    label = "PROGRAM PROGRAM …"
    help = "names of programs or tasks, with blanks or & between them"
    typescript = "string | readonly string[]"

    def __init__(self, after: tuple[str, ...] = _AFTER_PROGRAMS) -> None:
        self._after = after

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """One or more, each once."""
        column, found = tokens.column, []
        while (token := tokens.peek()) is not None and token.text not in self._after:
            tokens.take()
            if token.text != "&":
                found.append(self._named(unquote(token.text), session, tokens, token.start))
        names = [program.name for program in found]
        if not found or len(set(names)) < len(names):
            raise tokens.fail("Expected one program or several different programs.", [self.label], column)
        return found

    def _named(self, name: str, session: Session, tokens: Tokens, column: int) -> Entity:
        kind, _, rest = name.partition(":")
        if kind in ("program", "task") and rest:
            entity = session.database.find(kind, unquote(rest))
        else:
            entity = session.database.find("program", name) or session.database.find("task", name)
        if entity is None:
            known = [*session.database.names("program"), *session.database.names("task")]
            raise tokens.fail(str(UnknownName.among("program", name, known)), [self.label], column)
        return entity

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """A list of names."""
        names = value if isinstance(value, list) else str(value).split()
        return self.parse(Tokens(" ".join(f'"{name}"' for name in names)), session, seen)

    def schema(self) -> dict[str, Any]:
        """Names with blanks between them, or a list of names."""
        return _TEXTS

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> list[tuple[str, str]]:
        """The programs and tasks of the cell."""
        kinds = ("program", "task")
        begun = prefix.lstrip('"')
        return [(quoted(name), kind) for kind in kinds for name in session.database.names(kind, begun, most=50)]

    def text(self, value: Any) -> str:
        """The names in quotes, those of tasks with their kind."""
        return " ".join(one.reference if one.kind == "task" else f'"{one.name}"' for one in value)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """The names."""
        return " ".join(quoted(one.name) for one in value)

    def accepts(self, text: str) -> bool:
        """Any word may be a name."""
        return True


class Condition(Value):
    """A condition to the end of the line."""

    label = "CONDITION"
    help = "a condition such as n > 3, to the end of the line"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read an expression; its names mean what they mean in the program."""
        if tokens.done:
            raise tokens.fail("Expected a condition, such as 'n > 3'.", [self.label])
        reader = ExpressionReader(tokens.line, tokens.column)
        found = reader.expression()
        if not reader.done:
            raise tokens.fail("Expected the end of the condition.", [self.label], reader.at)
        tokens.rest()
        return found

    def text(self, value: Any) -> str:
        """As typed."""
        return expression_text(value)

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """The text of the condition."""
        return self.parse(Tokens(str(value)), session, seen)
