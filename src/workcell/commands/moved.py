"""The answers of commands that move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.results import Result
from workcell.commands.typed_steps import carried_out
from workcell.programs import steps as s
from workcell.world.body import unknown_after
from workcell.world.devices import unwatched

if TYPE_CHECKING:
    from workcell.commands.session import Session


class Moved(Result, frozen=True):
    """A move: how long it took [s], the simulated time [s], how far the hand left its curve [m].

    ``rounding`` is how far that curve leaves the straight lines at the corners of its targets [m]; ``unknown`` names
    the bodies whose shape is not known, so that collisions with them are not watched.
    """

    robot: str
    duration: float
    time: float
    limited: str = ""
    deviation: float | None = None
    rounding: float = 0.0
    unknown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.robot} moved in {self.duration:.4f} s; simulated time {self.time:.4f} s"
        if self.deviation is not None:
            text += f"; off its curve by {self.deviation * 1e3:.2g} mm at most"
        return "\n".join([text + rounded(self.rounding) + unknown_after(self.unknown), *self.notes])


def rounded(rounding: float) -> str:
    """Return a note for the answer if a smooth curve rounds corners by this much [m]."""
    if rounding < 1e-4:
        return ""
    return f"; the corners of its targets are rounded by {rounding * 1e3:.2g} mm (`move-path` keeps them sharp)"


def moved(session: Session, kind: type[s.Step], given: dict[str, Any], files: dict[str, bytes] | None = None) -> Moved:
    """Make a move as the step of a program would, and return the answer.

    For moves that start together, the clock has not advanced yet.
    """
    name = (given["solid"] if "solid" in given else given["robot"]).name
    duration = carried_out(session, kind, given, files).duration
    names = session.snapshot().members(name)
    last = next((move for move in reversed(session.simulator_moves) if move.device in names), None)
    unknown = unwatched(session.snapshot())
    if last is None or last.end < session.simulator_now:
        return Moved(name, duration, session.simulator_time, unknown=unknown)
    return Moved(name, duration, session.simulator_time, last.limited, last.deviation, unknown=unknown)


def made(session: Session, move: Moved, begin: float) -> Moved:
    """Return the answer for a move that started together with others, as it was made: a zone may have slowed it."""
    last = next((one for one in reversed(session.simulator_moves) if one.device == move.robot), None)
    if last is None or last.start < begin:
        return move
    return Moved(move.robot, last.duration, session.simulator_time, last.limited, last.deviation, unknown=move.unknown)


class MovedTogether(Result, frozen=True):
    """Moves that started together, each with its duration, and the simulated time [s]."""

    moves: list[Moved]
    time: float
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = ", ".join(f"{move.robot} in {move.duration:.4f} s" for move in self.moves)
        unknown = self.moves[0].unknown if self.moves else ()
        return "\n".join([f"{parts}; simulated time {self.time:.4f} s{unknown_after(unknown)}", *self.notes])
