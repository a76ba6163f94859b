"""The command check moves: which moves of the recording are proved free, and where something touches."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from workcell.commands.collisions import CELL, collision_model_of, require_own_cell
from workcell.commands.language.registry import command
from workcell.commands.results import Result, Table
from workcell.commands.run_lines import places_of
from workcell.errors import Refused

if TYPE_CHECKING:
    from workcell.commands.session import Session


class CheckedSpan(Result, frozen=True):
    """A time in which a pair touches (``contact``), or in which nothing could be proved (``undecided``) [s]."""

    begin: float
    end: float
    verdict: str
    pair: tuple[str, str]
    reason: str


class CheckedMove(Result, frozen=True):
    """A move of a device from begin to end [s], and whether it is ``free``, a ``contact`` or ``undecided``.

    ``place`` is the line and program that made it; '' for a typed move.
    """

    device: str
    kind: str
    begin: float
    end: float
    verdict: str
    pair: tuple[str, str] | None
    place: str = ""


class MovesChecked(Result, frozen=True):
    """The verdict on every move of the recording, and the times at which something touches or is undecided."""

    moves: list[CheckedMove]
    spans: list[CheckedSpan]
    proved: bool
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "check moves [--here]",
    help="prove which moves of the recording are free of contacts, and list what touches, and when",
    effect="reads",
    background=True,
    param_help={"here": "check the motions of a recording from another cell among the bodies of this cell"},
    examples=[*CELL, "> move-joints-absolute Puma 30,0,-90,0,90,0", "check moves"],
)
def check_moves(session: Session, here: bool = False) -> MovesChecked:
    """Every instant is checked. The beginning of a contact is exact, its end is that of the next sample that is free.

    `check recording` stops at the first contact.
    """
    from workcell.simulation.move_lines import key_of
    from workcell.simulation.verdicts import moves_of, spans_of, verdict_of

    recording = session.recording
    if recording.duration <= 0.0:
        raise Refused("Nothing was recorded since the last reset; move something, or `run` a program first.")
    require_own_cell(session, here)
    spans = spans_of(recording, collision_model_of(session), session.progress, session.cancel)
    moves, places = [], places_of(session, recording)
    for move in moves_of(recording):
        verdict, span = verdict_of(move, spans, recording)
        pair = None if span is None or not any(span.pair) else span.pair
        moves.append(
            CheckedMove(move.device, move.kind, move.start, move.end, verdict, pair, places.get(key_of(move), ""))
        )
    rows = [CheckedSpan(one.begin, one.end, one.verdict, one.pair, one.reason) for one in spans]
    return MovesChecked(moves, rows, not rows, _text(moves, rows))


def _text(moves: list[CheckedMove], spans: list[CheckedSpan]) -> str:
    counts = Counter(move.verdict for move in moves)
    words = {"free": "proved free", "contact": "touching", "undecided": "undecided"}
    sums = ", ".join(f"{counts[name]} {word}" for name, word in words.items() if counts[name]) or "none"
    rows = [
        (f"{one.begin:.4f}", f"{one.end:.4f}", one.verdict, " and ".join(filter(None, one.pair)), one.reason)
        for one in spans
    ]
    caption = f"moves: {sums}"
    return str(Table(("from [s]", "to [s]", "verdict", "pair", "why"), tuple(rows), caption)) if rows else caption
