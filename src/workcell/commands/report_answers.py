"""The answers of `report`."""

from __future__ import annotations

from workcell.commands.results import Result


class MoveLine(Result, frozen=True):
    """A move, in SI."""

    robot: str
    kind: str
    start: float
    duration: float
    profile: str
    limited: str
    travel: list[float]
    peak_speed: list[float]
    hand_path: float
    singularity: float | None
    deviation: float | None
    bound: tuple[tuple[int, str, float, float], ...] = ()
    """Which joint is at which limit, with the times of beginning and end after the start of the move [s]."""
    clearance: float | None = None
    nearest: tuple[str, str] | None = None
    nearest_at: float | None = None
    own: float | None = None
    """The smallest distance between links of the robot [m]."""
    place: str = ""
    """The line and program that made it; '' for a typed move."""


class LoadLine(Result, frozen=True):
    """What a robot carries from a time on: kind `load`, `overload` or `load unknown`; figures in kg and N·m."""

    robot: str
    time: float
    kind: str
    figures: dict[str, float]
    text: str


class ZoneLine(Result, frozen=True):
    """A program in a shared zone: how often it entered and waited, how long it waited and was inside [s]."""

    zone: str
    program: str
    entries: int
    waits: int
    waited: float
    longest: float
    inside: float


class FaultLine(Result, frozen=True):
    """A fault in a run: what failed, how often it began, and how long it lasted in all [s]."""

    fault: str
    of: str
    does: str
    times: int
    lasted: float


class CauseLine(Result, frozen=True):
    """A cause that took time of a robot [s]: the limit of a joint, other motion, the gripper, a wait or nothing.

    ``line`` is the line of the step that it waited for; ``joint`` counts from 1.
    """

    kind: str
    what: str
    seconds: float
    joint: int
    limit: str
    program: str
    line: int


class CycleLine(Result, frozen=True):
    """How a robot spent its time: the causes add up to the duration [s]."""

    robot: str
    duration: float
    causes: tuple[CauseLine, ...]


class RunReport(Result, frozen=True):
    """A run: its cycle time [s], its moves, the time that each robot was busy [s], and what the robots carried."""

    cycle_time: float
    moves: list[MoveLine]
    busy: dict[str, float]
    text: str
    loads: tuple[LoadLine, ...] = ()
    falls: tuple[str, ...] = ()
    """Parts that fell far, landed in another place than planned, or cannot stand."""
    zones: tuple[ZoneLine, ...] = ()
    """The programs in shared zones."""
    conveyors: tuple[str, ...] = ()
    """Conveyors that cannot run as fast as asked; parts in and out."""
    tracking: tuple[str, ...] = ()
    """The errors of hands that took parts from belts, and robots that lost a belt."""
    faults: tuple[FaultLine, ...] = ()
    """The faults that occurred."""
    cycles: tuple[CycleLine, ...] = ()
    """How each robot spent its time: by joint and limit, in waits, for the gripper."""

    def __str__(self) -> str:
        return self.text
