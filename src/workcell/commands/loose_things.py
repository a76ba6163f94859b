"""The command that lists what is not used: loose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.registry import command
from workcell.commands.results import Result
from workcell.wording import counted, quoted

if TYPE_CHECKING:
    from workcell.commands.session import Session


class LooseThing(Result, frozen=True):
    """Something that stands nowhere and is part of nothing."""

    id: str
    kind: str
    name: str


class LooseThings(Result, frozen=True):
    """What stands nowhere and is part of nothing, in order of creation."""

    things: list[LooseThing]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "loose",
    help="list surfaces, blocks, objects, tools and robots that stand nowhere and are part of nothing",
    effect="reads",
    background=True,
    examples=["> create block spare box 40 40 40", "loose"],
)
def loose(session: Session) -> LooseThings:
    """Drafts of robots are among them. `place` puts a block or an object into the scene."""
    found = session.database.loose()
    lines = [f"  {kind}:{quoted(name)}" for _, name, kind in found]
    text = "\n".join([counted(len(found), "loose thing"), *lines])
    return LooseThings([LooseThing(f"loose{number}", kind, name) for number, name, kind in found], text)
