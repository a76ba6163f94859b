"""The names of bodies as parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.language.values import Value
from workcell.errors import UnknownName
from workcell.wording import quoted

if TYPE_CHECKING:
    from workcell.commands.session import Session


class BodyName(Value):
    """A body, an object, a zone, or a whole robot by its name: ``table``, ``Puma`` or ``"Puma/link 2"``."""

    label = "BODY"
    help = 'the name of a body, object, robot or zone, such as table, Puma or "Puma/link 2"'

    def known(self, session: Session) -> list[str]:
        """Return the names that are accepted."""
        return known_bodies(session)

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read a name; an unknown one is refused with the closest names."""
        token = tokens.peek()
        if token is None:
            raise tokens.fail("Expected the name of a body.", {self.label: "the name of a body"})
        tokens.take()
        name = unquote(token.text)
        known = self.known(session)
        if name not in known:
            error = UnknownName.among("body, zone or robot", name, known)
            raise tokens.fail(str(error), [self.label], token.start)
        return name

    def text(self, value: Any) -> str:
        """In quotes where needed."""
        return quoted(value)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """Bodies and their owners."""
        return [(quoted(name), "body") for name in self.known(session) if name.startswith(prefix)]


def known_bodies(session: Session) -> list[str]:
    """Return the names of all bodies, of their owners, and of the zones."""
    from workcell.collision.zones import body_names

    return body_names(session.snapshot())


def zone_names(session: Session) -> list[str]:
    """Return the names of the zones in the scene."""
    return [one.name for one in session.snapshot().zones]
