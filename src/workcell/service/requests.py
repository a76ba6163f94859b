"""Messages from a client to the server."""

# ruff: noqa: RUF012 (a struct copies its defaults)

from __future__ import annotations

from typing import Any

from workcell.service.message import Message, Number


class Command(Message, frozen=True):
    """Do one command line that a person typed; answered by ``result`` or ``error``."""

    request: Number
    line: str


class Call(Message, frozen=True):
    """Do a command by its words, with parameters by name, in SI units; answered by ``result`` or ``error``."""

    request: Number
    command: str
    parameters: dict[str, Any] = {}


class Complete(Message, frozen=True):
    """Ask how a line can go on; answered by ``completions``."""

    request: Number
    text: str


class Poses(Message, frozen=True):
    """Ask for body poses along the recording; answered by a binary frame.

    Times are ``start + i·step`` [s], held at the ends of the recording. ``bodies`` are ids, each named once; empty
    means all of them, in the order of the cell.
    """

    request: Number
    start: float
    step: float
    count: int
    bodies: list[str] = []


class Motion(Message, frozen=True):
    """Ask for keyframes of the recording from one instant to another [s]; answered by a binary frame.

    Between two keyframes everything moves straight and turns evenly, within the bounds of
    :mod:`workcell.service.keyframes`. Bodies and robots are ids; refused where one is gone by now.
    """

    request: Number
    start: float
    end: float
    bodies: list[str] = []
    robots: list[str] = []


class FetchScene(Message, frozen=True, tag="fetch-scene"):
    """Ask for everything, when a difference was missed; answered by ``scene`` and ``recording``, of no request."""


class Play(Message, frozen=True):
    """Ask for something to play; answered by ``recording``. With nothing recorded, the first program is run."""

    request: Number


class FetchRecording(Message, frozen=True, tag="fetch-recording"):
    """Ask for the recording itself; answered by a binary frame."""

    request: Number


class FetchState(Message, frozen=True, tag="fetch-state"):
    """Ask where everything is now; answered by ``state``."""

    request: Number


class FetchStatus(Message, frozen=True, tag="fetch-status"):
    """Ask how the server is doing; answered by ``status``. ``reset`` starts the longest pause anew."""

    request: Number
    reset: bool = False


class Cancel(Message, frozen=True):
    """Stop a job, whoever began it; its request is answered by an ``error`` of kind Cancelled."""

    job: str


ClientMessage = (
    Command | Call | Complete | Poses | Motion | Play | FetchScene | FetchRecording | FetchState | FetchStatus | Cancel
)
