"""The messages between a server and its clients.

Text frames are JSON, one message each, told apart by ``type``; the page's types are generated from the
classes here (:func:`typescript`). Ids are strings. Numbers are SI: metres, radians, seconds.

Binary frames begin with two little-endian u32: kind and request (the number of the request they answer).

=============  =============================================================================================
kind           what follows
=============  =============================================================================================
1, poses       f64 start [s], f64 step [s], u32 count, u32 bodies, then float32 [count, bodies, 7]:
               x y z [m], quaternion w x y z, of each body in the world
2, recording   the bytes of the recording, as ``Recording.to_bytes`` writes them
3, joints      f64 start [s], f64 step [s], u32 count, u32 columns, then float32 [count, columns]: the joint
               values [rad or m] of every robot, in the order of the scene's list
=============  =============================================================================================
"""

from __future__ import annotations

import struct
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import ServiceError

VERSION = 1
"""Raised whenever a message changes its meaning; both ends compare it."""

POSES_FRAME = 1
RECORDING_FRAME = 2
JOINTS_FRAME = 3
_SAMPLES = struct.Struct("<IIddII")
_HEAD = struct.Struct("<II")

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
    """Do one command line; answered by ``result`` or ``error``."""

    request: Number
    line: str


class Complete(Message, frozen=True):
    """Ask how a line can go on; answered by ``completions``."""

    request: Number
    text: str


class Poses(Message, frozen=True):
    """Ask for body poses along the recording; answered by a binary frame.

    Times are ``start + i·step`` [s], held at the ends of the recording. ``bodies`` are places in the scene's
    list, each named once; empty means all of them.
    """

    request: Number
    start: float
    step: float
    count: int
    bodies: list[Number] = []


class Joints(Message, frozen=True):
    """Ask for joint values along the recording, at the times of ``Poses``; answered by a binary frame."""

    request: Number
    start: float
    step: float
    count: int


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
    """Stop a job; its request is answered by an ``error`` of kind Cancelled."""

    job: str


ClientMessage = Command | Complete | Poses | Joints | Play | FetchRecording | FetchState | FetchStatus | Cancel

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
    """The first message: who is there."""

    version: int
    program: str
    cell: str
    revision: str
    units: UnitNames
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


class BodyInfo(Part, frozen=True):
    """A rigid body; its pose is x y z [m], quaternion w x y z."""

    name: str
    owner: str
    link: int
    pieces: list[PieceInfo]
    pose: tuple[float, float, float, float, float, float, float]
    movable: bool


class ZoneInfo(Part, frozen=True):
    """A volume that robots keep out of, slow down in or share; its shape is at ``/glb/{glb}``, its pose as a body's."""

    name: str
    rule: str
    glb: str
    pose: tuple[float, float, float, float, float, float, float]


class TreeNode(Part, frozen=True):
    """A line of the tree; ``bodies`` are the places in the scene's list that selecting it lights up."""

    id: str
    name: str
    kind: str
    note: str = ""
    bodies: list[int] = []
    children: list[TreeNode] = []


class JointInfo(Part, frozen=True):
    """A joint and its range [rad or m]."""

    name: str
    lower: float
    upper: float
    prismatic: bool


class RobotInfo(Part, frozen=True):
    """A robot in the scene: its joints and where they stand [rad or m]."""

    name: str
    model: str
    joints: list[JointInfo]
    values: list[float]


class Scene(Message, frozen=True):
    """Everything that can be seen, at one revision."""

    revision: str
    bodies: list[BodyInfo]
    tree: list[TreeNode]
    robots: list[RobotInfo]
    undo: str = ""
    redo: str = ""
    zones: list[ZoneInfo] = []


class EventInfo(Part, frozen=True):
    """Something that happened at a moment of the recording."""

    time: float
    kind: str
    text: str


class RecordingInfo(Message, frozen=True, tag="recording"):
    """What there is to play, from ``start`` on [s]; poses of another ``epoch`` are stale."""

    request: int
    epoch: str
    start: float
    duration: float
    robots: list[str]
    events: list[EventInfo]
    moving: list[int]


class Result(Message, frozen=True):
    """A command was done: text for people, value for programs."""

    request: int
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


class Change(Message, frozen=True):
    """Somebody changed something; a ``scene`` or ``recording`` follows where needed."""

    revision: str
    effect: str
    line: str
    who: str


class Progress(Message, frozen=True):
    """How far a job is: ``fraction`` 0..1, none when it cannot be known; ``done`` ends it.

    ``title`` is what was asked for, ``label`` what is being done for it.
    """

    job: str
    request: int
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
    poses: dict[str, tuple[float, float, float, float, float, float, float]]
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


ServerMessage = Hello | Scene | RecordingInfo | Result | Failure | Change | Progress | Completions | State | Status

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


# ---- binary frames ---------------------------------------------------------------------------------------


def poses_frame(request: int, start: float, step: float, poses: NDArray[np.float32]) -> bytes:
    """A frame of poses [count, bodies, 7]."""
    return _samples_frame(POSES_FRAME, request, start, step, poses)


def joints_frame(request: int, start: float, step: float, joints: NDArray[np.float32]) -> bytes:
    """A frame of joint values [count, columns]."""
    return _samples_frame(JOINTS_FRAME, request, start, step, joints)


def _samples_frame(kind: int, request: int, start: float, step: float, samples: NDArray[np.float32]) -> bytes:
    head = _SAMPLES.pack(kind, request, start, step, *samples.shape[:2])
    return head + np.ascontiguousarray(samples, dtype="<f4").tobytes()


def recording_frame(request: int, data: bytes) -> bytes:
    """A frame with a whole recording."""
    return _HEAD.pack(RECORDING_FRAME, request) + data


def frame_head(frame: bytes) -> tuple[int, int]:
    """The kind and the request number of a binary frame."""
    if len(frame) < _HEAD.size:
        raise ServiceError(f"A binary frame has at least {_HEAD.size} bytes; this one has {len(frame)}.")
    kind, request = _HEAD.unpack_from(frame)
    return int(kind), int(request)


def read_poses(frame: bytes) -> tuple[float, float, NDArray[np.float32]]:
    """The start [s], step [s] and poses [count, bodies, 7] of a poses frame."""
    kind, _ = frame_head(frame)
    if kind != POSES_FRAME or len(frame) < _SAMPLES.size:
        raise ServiceError(f"The frame of kind {kind} and {len(frame)} bytes is not a frame of poses.")
    _, _, start, step, count, bodies = _SAMPLES.unpack_from(frame)
    if len(frame) != _SAMPLES.size + 28 * count * bodies:
        raise ServiceError(f"A frame of {count} × {bodies} poses cannot have {len(frame)} bytes.")
    poses = np.frombuffer(frame, dtype="<f4", offset=_SAMPLES.size).reshape(count, bodies, 7)
    return float(start), float(step), poses


def read_recording(frame: bytes) -> bytes:
    """The recording's bytes in a recording frame."""
    kind, _ = frame_head(frame)
    if kind != RECORDING_FRAME:
        raise ServiceError(f"The frame of kind {kind} is not a recording.")
    return frame[_HEAD.size :]


def typescript() -> str:
    """The messages as TypeScript types, for the page."""
    from workcell.service.typescript import declarations

    return declarations(
        {"ClientMessage": ClientMessage, "ServerMessage": ServerMessage},
        optional=frozenset({"ClientMessage"}),
        constants={
            "VERSION": VERSION,
            "POSES_FRAME": POSES_FRAME,
            "RECORDING_FRAME": RECORDING_FRAME,
            "JOINTS_FRAME": JOINTS_FRAME,
        },
    )
