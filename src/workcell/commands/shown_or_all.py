"""The parameter of `clear`: something that views can show, a view, or everything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workcell.commands.language.references import Ref
from workcell.commands.language.tokens import Tokens
from workcell.spatial.units import Units

if TYPE_CHECKING:
    from workcell.commands.session import Session

ALL = "all"


class ShownOrAll(Ref):
    """Something that views can show, a view, or ``all``."""

    def __init__(self, *kinds: str) -> None:
        super().__init__(*kinds)
        self.label = f"ENTITY|{ALL}"
        self.help = f"an object, robot, mechanism, zone, sensor or view, or {ALL}"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read `all`, which cannot be a name, or the name of an entity."""
        token = tokens.peek()
        if token is not None and token.text.lower() == ALL and not token.quoted:
            tokens.take()
            return ALL
        return super().parse(tokens, session, seen)

    def text(self, value: Any) -> str:
        """The word, or the reference."""
        return ALL if value == ALL else super().text(value)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """The word, or the name."""
        return ALL if value == ALL else super().shown(value, units, given)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """Return what could be cleared."""
        own = [(ALL, "remove everything from the cell")] if ALL.startswith(prefix) else []
        return [*own, *super().complete(prefix, session, seen)]
