"""The names that a line of Agent text may use: those of the cell, and those that the lines before it make."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workcell.languages.agent.lines import Words

if TYPE_CHECKING:
    from workcell.commands.session import Session

VECTOR, COLOUR = "position", "colour"
"""The kinds of names that are not things of the workspace, as the cell calls them."""
_MAKES = {
    "make-object": (1, "object"),
    "make-composite-object": (1, "object"),
    "link-objects": (1, "object"),
    "make-robosim-object": (1, "object"),
    "make-agent": (1, "robot"),
    "record-angles": (2, VECTOR),
    "define-color": (1, COLOUR),
}
"""The commands that make a name: which argument it is, and its kind."""
_LOADS = ("load", "load-positions")
WORD = re.compile(r"[^\s,;\\]+\Z")
"""What can be one word of a line."""


@dataclass
class TextNames:
    """The names that are known before a line.

    Attributes:
        session: has the cell.
        made: the kinds of the names that earlier lines make, by name: a robot and a colour may have one name.
        makers: the commands of earlier lines that make robots, by the names of the robots.
        sure: whether no earlier line loads a file, which may make any name.
    """

    session: Session
    made: dict[str, set[str]] = field(default_factory=dict)
    makers: dict[str, Words] = field(default_factory=dict)
    sure: bool = True

    def follow(self, words: Words) -> None:
        """Take what a command makes."""
        self.sure = self.sure and words.name not in _LOADS
        place, kind = _MAKES.get(words.name, (0, ""))
        if 0 < place <= len(words.arguments):
            name = words.arguments[place - 1]
            self.made.setdefault(name, set()).add(kind)
            if kind == "robot":
                self.makers[name] = words

    def of(self, *kinds: str) -> list[tuple[str, str]]:
        """Return the names of some kinds with their kinds; those that cannot be written in a line are left out."""
        database = self.session.database
        cell = [(one.name, kind) for kind in kinds if kind != VECTOR for one in database.entities(kind)]
        if VECTOR in kinds:
            cell += [(one.name, VECTOR) for one in self.session.call("positions").positions]
        made = [(name, kind) for name, found in self.made.items() for kind in kinds if kind in found]
        return [(name, kind) for name, kind in dict([*cell, *made]).items() if WORD.match(name)]
