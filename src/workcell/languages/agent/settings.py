"""What an Agent stream has set for itself; everything else that its commands set is kept in the cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from workcell.world.expand import COLOURS


@dataclass
class Settings:
    """The settings of one stream.

    Attributes:
        echo: whether the lines of loaded files are printed.
        tries: whether the attempts of path searches are recorded.
        positions_file: the file that joint vectors were last saved to or loaded from; '' before that.
        load: takes the lines of a file as commands.
        leave: ends the file that is being loaded or, outside of files, the stream.
        colours: the names of colours that every cell knows.
    """

    load: Callable[[str], None]
    leave: Callable[[], None]
    echo: bool = False
    tries: bool = True
    positions_file: str = ""
    colours: frozenset[str] = field(default_factory=lambda: frozenset(COLOURS))
