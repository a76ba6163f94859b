"""Messages from a client to the server."""

# ruff: noqa: RUF012 (a struct copies its defaults)

from __future__ import annotations

from typing import Any

from workcell.service.message import Message, Number


class Command(Message, frozen=True):
    """Carry out one command line that a person typed; answered by ``result`` or ``error``."""

    request: Number
    line: str


class Lines(Message, frozen=True):
    """Carry out several command lines as one step of the history; answered by one ``result`` or one ``error``.

    If one of them is refused, none takes effect; the evidence of the error has ``place``, the number of the refused
    line, from 0. With ``each``, refused lines are left out, and the others take effect. The value of the result has
    ``texts``, the answer to each line or the sentence of its error, and ``refused``, the numbers of the refused lines.
    """

    request: Number
    lines: list[str]
    each: bool = False


class Call(Message, frozen=True):
    """Carry out a command by its words, with parameters by name, in SI; answered by ``result`` or ``error``."""

    request: Number
    command: str
    parameters: dict[str, Any] = {}


class Complete(Message, frozen=True):
    """Ask for the completions of a line; answered by ``completions``.

    With ``program``, the text is that of a program up to the place where somebody types.
    """

    request: Number
    text: str
    program: bool = False


class Poses(Message, frozen=True):
    """Ask for body poses along the recording; answered by a binary frame.

    Times are ``start + i·step`` [s], clamped to the recording. ``bodies`` are ids, each named once; empty means all,
    in the order of the cell.
    """

    request: Number
    start: float
    step: float
    count: int
    bodies: list[str] = []


class Motion(Message, frozen=True):
    """Ask for keyframes of the recording from one instant to another [s]; answered by a binary frame.

    Between two keyframes everything moves straight and turns evenly, within the bounds of
    :mod:`workcell.service.keyframes`. Bodies and robots are ids; refused if one no longer exists.
    """

    request: Number
    start: float
    end: float
    bodies: list[str] = []
    robots: list[str] = []


class FetchScene(Message, frozen=True, tag="fetch-scene"):
    """Ask for everything after a missed difference; answered by ``scene`` and ``recording`` without a request."""


class Play(Message, frozen=True):
    """Ask for the recording to play; answered by ``recording``. If there is none, the first program runs."""

    request: Number


class FetchRecording(Message, frozen=True, tag="fetch-recording"):
    """Ask for the recording itself; answered by a binary frame."""

    request: Number


class FetchState(Message, frozen=True, tag="fetch-state"):
    """Ask for the current state; answered by ``state``."""

    request: Number


class FetchStatus(Message, frozen=True, tag="fetch-status"):
    """Ask for the status of the server; answered by ``status``. ``reset`` resets the longest pause."""

    request: Number
    reset: bool = False


class Cancel(Message, frozen=True):
    """Cancel a job of any client; its request is answered by an ``error`` of kind Cancelled."""

    job: str


class Select(Message, frozen=True):
    """Show all other clients what this client has selected: ids of the scene; none if nothing is selected."""

    things: list[str]


CellMessage = (
    Command
    | Lines
    | Call
    | Complete
    | Poses
    | Motion
    | Play
    | FetchScene
    | FetchRecording
    | FetchState
    | FetchStatus
    | Cancel
    | Select
)
