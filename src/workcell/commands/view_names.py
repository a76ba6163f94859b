"""Sides and views of the cell, as commands name them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workcell.commands.language.references import Ref
from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.language.values import match_word
from workcell.errors import InvalidValue, UnknownName
from workcell.spatial.units import Units
from workcell.wording import quoted

if TYPE_CHECKING:
    from workcell.commands.session import Session

SIDES = {
    "iso": "from above, right and front",
    "front": "along y: x to the right, z up",
    "back": "against y",
    "left": "along x",
    "right": "against x: y to the right, z up",
    "top": "from above: x to the right, y up",
    "bottom": "from below",
    "xz": "the same as front",
    "yz": "the same as right",
    "xy": "the same as top",
}


class ViewNames(Ref):
    """Sides such as top, or names of views of the cell; several with commas between."""

    def __init__(self) -> None:
        super().__init__("view")
        self.label = "VIEW"
        self.help = "a side such as top, or the name of a view; several with commas between them"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read the names of views of the cell, or of sides or their beginnings."""
        token = tokens.peek()
        if token is not None:
            words = [token.text] if token.quoted else token.text.split(",")
            found = [_side_or_view(session, word, token.quoted) for word in words]
            if all(found):
                tokens.take()
                return tuple(found)
            missing = unquote(words[found.index("")])
            if len(words) > 1 or not "view".startswith(missing.partition(":")[0]):
                raise _unknown_view(session, missing, tokens)
        return (super().parse(tokens, session, seen).name,)

    def checked(self, value: Any) -> Any:
        """A list of names."""
        if not isinstance(value, (list, tuple)) or not value or not all(isinstance(name, str) for name in value):
            raise InvalidValue(f"Expected the name of a view, or a list of names; found {value!r}.")
        return tuple(value)

    def text(self, value: Any) -> str:
        """The names."""
        return ",".join(value) if len(value) > 1 else quoted(value[0])

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """The names."""
        return self.text(value)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The sides, and the views of the cell."""
        sides = [(side, help) for side, help in SIDES.items() if side.startswith(prefix)]
        return [*sides, *super().complete(prefix, session, seen)]


def _unknown_view(session: Session, name: str, tokens: Tokens) -> UnknownName:
    """Return the error for an unknown view; it lists the views of the cell and the sides."""
    own = session.database.names("view")
    near = difflib.get_close_matches(name, [*SIDES, *own], 2)
    hint = (
        f"did you mean {' or '.join(map(quoted, near))}?"
        if near
        else f"there is {', '.join([*SIDES, *map(quoted, own)])}; `look` makes more."
    )
    return UnknownName(
        f"There is no view called {name!r}; {hint}", name=name, line=tokens.line, column=tokens.column,
        expected=[*SIDES, *own],
    )  # fmt: skip


def _side_or_view(session: Session, word: str, quoted_word: bool) -> str:
    """Return the view or the side that a word names; '' if there is none."""
    name = unquote(word)
    if session.database.find("view", name) is not None:
        return name
    found = match_word(name, SIDES) if name and not quoted_word else []
    return found[0] if len(found) == 1 else ""
