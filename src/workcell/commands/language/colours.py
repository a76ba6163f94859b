"""A colour as a parameter: a name that the cell knows, or #rrggbb."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workcell.commands.language.texts import Text
from workcell.wording import quoted
from workcell.world.expand import COLOURS

if TYPE_CHECKING:
    from workcell.commands.session import Session


class ColourName(Text):
    """A colour by its name, or as ``#rrggbb``."""

    label = "COLOUR"
    help = "a name such as steel, or #rrggbb"

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The colours that every cell knows, then those of this cell."""
        own = [(quoted(name), "a colour of this cell") for name in session.database.names("colour")]
        return [(name, help) for name, help in [*((name, "") for name in COLOURS), *own] if name.startswith(prefix)]
