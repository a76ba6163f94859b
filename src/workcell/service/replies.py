"""Messages from the server to its clients, beside those that show the cell."""

# ruff: noqa: RUF012 (a struct copies its defaults)

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from workcell.service.message import Effect, Message, MessageValue
from workcell.service.scene_messages import Seven


class CommandInfo(MessageValue, frozen=True):
    """One command of the vocabulary, in short."""

    words: str
    syntax: str
    help: str
    effect: Effect


class Hello(Message, frozen=True):
    """The first message: who is there, and what the server calls this client."""

    version: int
    program: str
    cell: str
    client: str
    commands: list[CommandInfo]
    notes: list[str]
    """What whoever opens the cell should know, such as programs that cannot run any more; a sentence each."""


class EventInfo(MessageValue, frozen=True):
    """Something that happened at a moment of the recording."""

    time: float
    kind: str
    text: str


class RecordingInfo(Message, frozen=True, tag="recording"):
    """What there is to play, from ``start`` on [s]; ``number`` counts the recordings that were shown.

    ``moving`` are the ids of the bodies that are elsewhere in it than in the scene, at some time; ``robots`` the ids of
    the robots that move. All others are as the scene shows them.
    """

    request: int
    number: int
    start: float
    duration: float
    robots: list[str]
    moving: list[str]
    events: list[EventInfo]


class Recorded(Message, frozen=True, omit_defaults=True):
    """What makes the recording ``after`` of the recording ``before``.

    Motion that was fetched holds up to ``kept`` [s since the start], for the bodies and robots that were there. The
    first ``events_kept`` events stay, and ``events`` follow them.
    """

    before: int
    after: int
    duration: float
    kept: float
    events_kept: int
    events: list[EventInfo] = []
    moving: list[str] = []
    """Ids that came to ``moving``."""
    still: list[str] = []
    """Ids that went from ``moving``."""
    robots: list[str] | UnsetType = UNSET
    """All robots that move, where those are others."""


class Result(Message, frozen=True):
    """A command was done: text for people, and a value of a type for programs."""

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
    """Somebody changed something; a ``difference`` or ``recorded`` follows where that can be seen.

    ``undone`` or ``redone`` is the step that was taken back or done again, the last of several.
    """

    revision: str
    effect: str
    line: str
    who: str
    undone: StepInfo | None = None
    redone: StepInfo | None = None


class Progress(Message, frozen=True):
    """How far a job is: ``fraction`` 0..1, none when it cannot be known; ``done`` ends it.

    ``title`` is what ``who`` asked for, ``label`` what is being done for it. All clients hear of a job that takes a
    while; ``request`` is zero for those that did not ask.
    """

    job: str
    request: int
    who: str
    title: str
    fraction: float | None
    label: str
    done: bool = False


class Completion(MessageValue, frozen=True):
    """One way to go on: the text that replaces the last word, and what it means."""

    text: str
    help: str


class Completions(Message, frozen=True):
    """How a line can go on."""

    request: int
    options: list[Completion]


class State(Message, frozen=True):
    """Where everything is now: joints [rad or m] by robot, poses (x y z, w x y z) by free body."""

    request: int
    time: float
    joints: dict[str, list[float]]
    poses: dict[str, Seven]
    attached: dict[str, str]
    signals: dict[str, Any]


class Status(Message, frozen=True):
    """How the server is: the event loop's longest pause since the reset and in the last seconds [s].

    ``warm`` tells that the engines are loaded; pauses count from there.
    """

    request: int
    longest_pause: float
    recent_pause: float
    clients: int
    jobs: int
    uptime: float
    warm: bool
