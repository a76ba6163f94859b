"""What came of a move, as its answer."""

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
    """A robot moved: how long it took, what the clock says [s], how far the hand left its curve [m].

    ``rounding`` tells how far that curve leaves straight lines at corners of its targets [m], ``unknown`` the bodies
    whose shape the watch for collisions does not know.
    """

    robot: str
    duration: float
    time: float
    limited: str = ""
    deviation: float | None = None
    rounding: float = 0.0
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.robot} moved in {self.duration:.4f} s; simulated time {self.time:.4f} s"
        if self.deviation is not None:
            text += f"; off its curve by {self.deviation * 1e3:.2g} mm at most"
        return text + rounded(self.rounding) + unknown_after(self.unknown)


def rounded(rounding: float) -> str:
    """What an answer says where a smooth curve rounds corners by so much [m]."""
    if rounding < 1e-4:
        return ""
    return f"; the corners of its targets are rounded by {rounding * 1e3:.2g} mm (`move-path` keeps them sharp)"


def moved(session: Session, kind: type[s.Step], given: dict[str, Any], files: dict[str, bytes] | None = None) -> Moved:
    """Make a move as the step of a program would; what to answer is how it was made.

    Between moves that start together the clock has not advanced yet.
    """
    name = (given["solid"] if "solid" in given else given["robot"]).name
    duration = carried_out(session, kind, given, files).duration
    names = session.snapshot().members(name)
    last = next((move for move in reversed(session.simulator_moves) if move.device in names), None)
    unknown = unwatched(session.snapshot())
    if last is None or last.end < session.simulator_now:
        return Moved(name, duration, session.simulator_time, unknown=unknown)
    return Moved(name, duration, session.simulator_time, last.limited, last.deviation, unknown=unknown)


def made(session: Session, told: Moved, begin: float) -> Moved:
    """A move that started together with others, as it was made: a zone may have slowed all of them."""
    last = next((move for move in reversed(session.simulator_moves) if move.device == told.robot), None)
    if last is None or last.start < begin:
        return told
    return Moved(told.robot, last.duration, session.simulator_time, last.limited, last.deviation, unknown=told.unknown)


class MovedTogether(Result, frozen=True):
    """Robots moved together: each with its duration, and what the clock says [s]."""

    moves: list[Moved]
    time: float

    def __str__(self) -> str:
        parts = ", ".join(f"{move.robot} in {move.duration:.4f} s" for move in self.moves)
        unknown = self.moves[0].unknown if self.moves else ()
        return f"{parts}; simulated time {self.time:.4f} s{unknown_after(unknown)}"
