"""The tables that programs follow: read when a run begins, and kept with the journal so that it can be replayed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.language.values import Value, escape, unescape
from workcell.programs import steps as s
from workcell.programs.program import Program
from workcell.world.kept_files import BLOB

if TYPE_CHECKING:
    from workcell.commands.session import Session


class Tables(Value):
    """Names of tables, each with the place where the cell keeps its bytes: ``name=blob:…``."""

    label = "TABLE=BLOB …"
    help = "names of tables, each with the place where the cell keeps its bytes"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Pairs in quotes, with blanks between."""
        found: dict[str, str] = {}
        while not tokens.done:
            name, _, place = unescape(unquote(tokens.take().text)).rpartition("=")
            found[name] = place
        return found

    def text(self, value: Any) -> str:
        """As it is read."""
        return " ".join(f'"{escape(f"{name}={place}")}"' for name, place in value.items())


def tables_of(session: Session, programs: Iterable[Program], kept: dict[str, str] | None) -> dict[str, bytes]:
    """Return the bytes of every table that programs follow, by name; the journal keeps them."""
    wanted = {step.file for one in programs for step in one.steps if isinstance(step, s.FollowTable)}
    if not wanted:
        return {}
    if kept is not None:
        found = {name: session.database.blob(place[len(BLOB) :]) for name, place in kept.items()}
    else:
        from workcell.commands.free_moves import table_bytes

        found = {name: table_bytes(session, name) for name in sorted(wanted)}
    session.kept.keep_files("tables", found)
    return found
