"""The messages between a server and its clients.

Text frames are JSON, one message each, told apart by ``type``; the page's types are generated from the
classes here (:func:`typescript`). Ids are strings. Numbers are SI: metres, radians, seconds.

Binary frames are in :mod:`workcell.service.frames`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from workcell.errors import ServiceError

VERSION = 2
"""Raised whenever a message changes its meaning; both ends compare it."""

Effect = Literal["reads", "edits", "simulates", "view"]
MAX_SAMPLES = 20_000
"""The most samples that one request for poses may ask for."""


Number = Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]
"""What a binary frame can carry: the number of a request, the place of a body."""


class Message(msgspec.Struct, frozen=True, rename="camel", tag_field="type", tag=str.lower):
    """What every message has: its ``type``, the class name in lower case."""


class Part(msgspec.Struct, frozen=True, rename="camel"):
    """A value inside a message."""


class _Numbered(msgspec.Struct):
    request: Number


# ---- from the client -------------------------------------------------------------------------------------


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

# ---- from the server -------------------------------------------------------------------------------------


class CommandInfo(Part, frozen=True):
    """One command of the vocabulary, in short."""

    words: str
    syntax: str
    help: str
    effect: Effect


class UnitNames(Part, frozen=True):
    """The display units of the cell."""

    length: str
    angle: str
    length_size: float
    angle_size: float


class Hello(Message, frozen=True):
    """The first message: who is there, and what the server calls this client."""

    version: int
    program: str
    cell: str
    client: str
    commands: list[CommandInfo]
    notes: list[str]
    """What whoever opens the cell should know, such as programs that cannot run any more; a sentence each."""


class PieceInfo(Part, frozen=True):
    """A shape of one colour, in the frame of its body; the shape is at ``/glb/{glb}``. A ghost is not touched.

    What is seen through has an opacity below 1; one of 0 is not seen at all.
    """

    glb: str
    colour: tuple[float, float, float]
    ghost: bool = False
    opacity: float = 1.0


Seven = tuple[float, float, float, float, float, float, float]
"""A pose: x y z [m], quaternion w x y z."""


class BodyInfo(Part, frozen=True):
    """A rigid body; ``owner`` is the id of the robot or object that it belongs to, ``link`` -1 for an object."""

    id: str
    name: str
    owner: str
    link: int
    pieces: list[PieceInfo]
    pose: Seven
    movable: bool


class BodyChange(Part, frozen=True):
    """What is another of a body; fields that are not there stay."""

    id: str
    name: str | UnsetType = UNSET
    owner: str | UnsetType = UNSET
    link: int | UnsetType = UNSET
    pieces: list[PieceInfo] | UnsetType = UNSET
    pose: Seven | UnsetType = UNSET
    movable: bool | UnsetType = UNSET


class ZoneInfo(Part, frozen=True):
    """A volume that robots keep out of, slow down in or share; its shape is at ``/glb/{glb}``, its pose as a body's."""

    id: str
    name: str
    rule: str
    glb: str
    pose: Seven


class ZoneChange(Part, frozen=True):
    """What is another of a zone."""

    id: str
    name: str | UnsetType = UNSET
    rule: str | UnsetType = UNSET
    glb: str | UnsetType = UNSET
    pose: Seven | UnsetType = UNSET


NodeKind = Literal["robot", "machine", "station", "object", "zone", "sensor", "program", "view"]


class NodeInfo(Part, frozen=True):
    """A thing of the cell as lists name it; those of a kind stand in the order of ``rank``."""

    id: str
    kind: NodeKind
    name: str
    note: str
    rank: str


class NodeChange(Part, frozen=True):
    """What is another of a thing."""

    id: str
    kind: NodeKind | UnsetType = UNSET
    name: str | UnsetType = UNSET
    note: str | UnsetType = UNSET
    rank: str | UnsetType = UNSET


class JointInfo(Part, frozen=True):
    """A joint and its range [rad or m]."""

    name: str
    lower: float
    upper: float
    prismatic: bool


class RobotInfo(Part, frozen=True):
    """A robot in the scene: its joints and where they stand [rad or m]."""

    id: str
    name: str
    model: str
    joints: list[JointInfo]
    values: list[float]


class RobotChange(Part, frozen=True):
    """What is another of a robot."""

    id: str
    name: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    joints: list[JointInfo] | UnsetType = UNSET
    values: list[float] | UnsetType = UNSET


class Facts(Part, frozen=True):
    """What is known of the cell beside its things: what undo would take back, what redo would do again, the units."""

    revision: str
    undo: str
    redo: str
    units: UnitNames


class Scene(Message, frozen=True):
    """Everything that can be seen; ``number`` counts the pictures of the cell that were shown."""

    number: int
    facts: Facts
    bodies: list[BodyInfo]
    nodes: list[NodeInfo]
    robots: list[RobotInfo]
    zones: list[ZoneInfo]


class BodyDifference(Part, frozen=True, omit_defaults=True):
    """The bodies that appeared, changed and went."""

    appeared: list[BodyInfo] = []
    changed: list[BodyChange] = []
    went: list[str] = []


class NodeDifference(Part, frozen=True, omit_defaults=True):
    """The things that appeared, changed and went."""

    appeared: list[NodeInfo] = []
    changed: list[NodeChange] = []
    went: list[str] = []


class RobotDifference(Part, frozen=True, omit_defaults=True):
    """The robots that appeared, changed and went."""

    appeared: list[RobotInfo] = []
    changed: list[RobotChange] = []
    went: list[str] = []


class ZoneDifference(Part, frozen=True, omit_defaults=True):
    """The zones that appeared, changed and went."""

    appeared: list[ZoneInfo] = []
    changed: list[ZoneChange] = []
    went: list[str] = []


class Difference(Message, frozen=True):
    """What makes the picture ``after`` of the picture ``before``; tables in which nothing changed are not there.

    A client whose picture has another number than ``before`` asks for the whole with ``fetch-scene``.
    """

    before: int
    after: int
    facts: Facts
    bodies: BodyDifference | UnsetType = UNSET
    nodes: NodeDifference | UnsetType = UNSET
    robots: RobotDifference | UnsetType = UNSET
    zones: ZoneDifference | UnsetType = UNSET


class Behind(Message, frozen=True):
    """This client reads too slowly for differences: it gets none until it asks for the whole with ``fetch-scene``."""

    number: int


class EventInfo(Part, frozen=True):
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


class StepInfo(Part, frozen=True):
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


class Completion(Part, frozen=True):
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


ServerMessage = (
    Hello
    | Scene
    | Difference
    | Behind
    | RecordingInfo
    | Recorded
    | Result
    | Failure
    | Change
    | Progress
    | Completions
    | State
    | Status
)

# ---- text frames -----------------------------------------------------------------------------------------


def _plain(value: object) -> object:
    """Make evidence and results fit for JSON: arrays and poses as lists, anything else as its text."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    matrix = getattr(value, "matrix", None)
    if isinstance(matrix, np.ndarray):
        return matrix.tolist()
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    return str(value)


_encoder = msgspec.json.Encoder(enc_hook=_plain)
_from_client: msgspec.json.Decoder[ClientMessage] = msgspec.json.Decoder(ClientMessage)
_from_server: msgspec.json.Decoder[ServerMessage] = msgspec.json.Decoder(ServerMessage)


def encode(message: object) -> bytes:
    """A message, or any value for ``Result.value``, as JSON."""
    return _encoder.encode(message)


def decode_client(data: bytes | str) -> ClientMessage:
    """A client's text frame; ServiceError when it is not a message."""
    try:
        return _from_client.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise ServiceError(f"The frame is not a message of protocol {VERSION}: {error}.") from error


def request_in(data: bytes | str) -> int:
    """The number of the request in a frame that is no message, so that who waits for it is answered; else 0."""
    try:
        return msgspec.json.decode(data, type=_Numbered).request
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return 0


def decode_server(data: bytes | str) -> ServerMessage:
    """A server's text frame; ServiceError when it is not a message."""
    try:
        return _from_server.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ServiceError(f"The frame is not a message of protocol {VERSION}: {error}.") from error


def typescript() -> str:
    """The messages as TypeScript types, for the page."""
    from workcell.service import frames
    from workcell.service.typescript import declarations

    return declarations(
        {"ClientMessage": ClientMessage, "ServerMessage": ServerMessage},
        optional=frozenset({"ClientMessage"}),
        constants={
            "VERSION": VERSION,
            "POSES_FRAME": frames.POSES_FRAME,
            "RECORDING_FRAME": frames.RECORDING_FRAME,
            "MOTION_FRAME": frames.MOTION_FRAME,
            "PACKED_FRAME": frames.PACKED_FRAME,
        },
    )
