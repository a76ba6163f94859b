"""Types of parameters.

A type reads words (:meth:`Value.parse`) or JSON in SI (:meth:`Value.from_json`), and writes the canonical text of a
value (:meth:`Value.text`), which the journal keeps: full words and SI units. :meth:`Value.shown` is the text for
people, in the units of the cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from workcell.commands.language.tokens import Tokens
from workcell.errors import InvalidValue

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.spatial.units import Units


class Value:
    """A type of parameter."""

    label = "VALUE"
    """How the reference shows the type."""
    help = ""
    typescript = "string"
    relations = False
    """Whether a value may be a relation; the session writes relations, because their owners are in the database."""

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read a value from the words; ``seen`` are the parameters read before it."""
        raise NotImplementedError(type(self).__name__)

    def from_json(self, value: Any, session: Session, seen: dict[str, Any]) -> Any:
        """Return a value from JSON: text is read as if typed, numbers are SI."""
        if isinstance(value, str):
            tokens = Tokens(value)
            if tokens.done:
                raise InvalidValue(f"Expected {self.label}, found nothing.")
            parsed = self.parse(tokens, session, seen)
            if tokens.peek() is not None:
                raise tokens.fail(f"Nothing more was expected after {self.label}.", [])
            return parsed
        return self.checked(value)

    def checked(self, value: Any) -> Any:
        """Return a value that is not a text; refused if it is not of this type."""
        raise InvalidValue(f"Expected {self.label} as text; found {value!r}.")

    def text(self, value: Any) -> str:
        """The canonical text, in SI."""
        return str(value)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """Return a value as a person types it, in these units; ``given`` are all parameters of the command."""
        return self.text(value)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """Return words that could come here, each with one line of help."""
        return ()

    def words_inside(self) -> Mapping[str, str]:
        """Return words that may begin or continue such a value, each with one line of help."""
        return {}

    def schema(self) -> dict[str, Any]:
        """The JSON schema of a value."""
        return {"type": "string"}

    def accepts(self, text: str) -> bool:
        """Whether a word could begin such a value; this distinguishes optional parameters."""
        return True
