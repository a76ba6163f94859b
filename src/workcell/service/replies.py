"""Messages from the server to its clients, except those that show the cell."""

# ruff: noqa: RUF012 (a struct copies its defaults)

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from workcell.service.message import Effect, Message, MessageValue


class CommandInfo(MessageValue, frozen=True):
    """One command: its words, syntax, help and effect."""

    words: str
    syntax: str
    help: str
    effect: Effect


class Hello(Message, frozen=True):
    """The first message: the server, the cell, and the name of this client."""

    version: int
    program: str
    cell: str
    client: str
    commands: list[CommandInfo]
    notes: list[str]
    """Notes for the person who opens the cell, such as programs that can no longer run."""
    id: str = ""
    """The id of the cell on the server."""
    identity: str = ""
    """What this client sends as ``client`` in the address when it connects again, to get the same name."""


class EventInfo(MessageValue, frozen=True):
    """An event of the recording.

    Attributes:
        time: when it happened [s].
        kind: its kind, such as ``signal`` or ``path-tried``.
        text: its sentence.
        robot: of ``path-tried``, who looked for a path; otherwise ''.
        lines: of ``path-tried``, where the hand would have gone: the two ends x y z, x y z of each edge [m]. A page
            draws the lines of the last search of a robot, until it searches again. Otherwise empty.
    """

    time: float
    kind: str
    text: str
    robot: str = ""
    lines: tuple[tuple[float, ...], ...] = ()


class RecordingInfo(Message, frozen=True, tag="recording"):
    """The recording, from ``start`` on [s]; ``number`` counts the recordings that were shown.

    ``moving`` are the ids of the bodies that differ from the scene at some time; ``robots`` are the ids of the robots
    that move. All others are as in the scene. A ``loaded`` recording is shown for viewing: its end is not the scene.
    """

    request: int
    number: int
    start: float
    duration: float
    robots: list[str]
    moving: list[str]
    events: list[EventInfo]
    loaded: bool = False


class Recorded(Message, frozen=True, omit_defaults=True):
    """The change from the recording ``before`` to the recording ``after``.

    Motion that was fetched is valid up to ``kept`` [s since the start], for the bodies and robots that were there. The
    first ``events_kept`` events stay, and ``events`` follow them.
    """

    before: int
    after: int
    duration: float
    kept: float
    events_kept: int
    events: list[EventInfo] = []
    moving: list[str] = []
    """Ids that were added to ``moving``."""
    still: list[str] = []
    """Ids that were removed from ``moving``."""
    robots: list[str] | UnsetType = UNSET
    """All robots that move, if they changed."""


class Result(Message, frozen=True):
    """The answer to a command: a text, and a typed value."""

    request: int
    kind: str
    text: str
    value: msgspec.Raw
    revision: str


class Failure(Message, frozen=True, tag="error"):
    """A request was refused: the class of the error, its sentence, its facts, and the place in the line."""

    request: int
    kind: str
    message: str
    evidence: dict[str, Any]
    line: str | None = None
    column: int | None = None


class StepInfo(MessageValue, frozen=True):
    """A step of the history: what it was, and who made it."""

    label: str
    who: str


class Change(Message, frozen=True):
    """Somebody changed something; a ``difference`` or ``recorded`` follows if it is visible.

    ``line`` is the command with full words and SI values, ``label`` what was typed, in the units of its client; for a
    call it is what one would type. ``undone`` or ``redone`` is the step that was undone or redone, the last of several;
    ``ended`` is the paused run that an undo discarded.
    """

    revision: str
    effect: str
    line: str
    who: str
    label: str = ""
    undone: StepInfo | None = None
    redone: StepInfo | None = None
    ended: StepInfo | None = None


class Selected(Message, frozen=True):
    """What another client has selected: ids of the scene; none if nothing is selected, or if the client left."""

    who: str
    things: list[str]


class Notice(Message, frozen=True):
    """A line of a program was refused; all other clients are shown the class of the error and its sentence."""

    who: str
    line: str
    kind: str
    message: str


class Progress(Message, frozen=True):
    """The progress of a job: ``fraction`` 0..1, null if unknown; ``done`` ends it.

    ``title`` is what ``who`` requested, ``label`` the current work. All clients get the progress of a job that takes a
    while; ``request`` is zero for those that did not request it.
    """

    job: str
    request: int
    who: str
    title: str
    fraction: float | None
    label: str
    done: bool = False


class Completion(MessageValue, frozen=True):
    """One completion: the text that replaces the last word, and its help."""

    text: str
    help: str


class Completions(Message, frozen=True):
    """The completions of a line."""

    request: int
    options: list[Completion]


class AttachedInfo(MessageValue, frozen=True):
    """What a body moves with, and its pose there: the first three rows of its matrix."""

    frame: str
    pose: list[float]


class State(Message, frozen=True):
    """The current state: joints [rad or m] by robot, poses (the first three rows of the matrix) by free body.

    ``clock`` is the clock of the thesis [s], if it stood still while joints moved.
    """

    request: int
    time: float
    joints: dict[str, list[float]]
    poses: dict[str, list[float]]
    attached: dict[str, AttachedInfo]
    signals: dict[str, float]
    clock: float | None = None


class Status(Message, frozen=True):
    """The status of the server: the longest pause of its event loop since the reset and recently [s].

    ``warm`` is true once the engines are loaded; pauses count from there.
    """

    request: int
    longest_pause: float
    recent_pause: float
    clients: int
    jobs: int
    uptime: float
    warm: bool
