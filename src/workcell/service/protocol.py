"""The messages between a server and its clients.

Text frames are JSON, one message each, distinguished by ``type``; the types of the page are generated from the classes
(:func:`typescript`). Ids are strings. Numbers are SI: metres, radians, seconds.

Binary frames are in :mod:`workcell.service.frames`.
"""

from __future__ import annotations

import msgspec
import numpy as np

from workcell.errors import ServiceError
from workcell.service.cell_messages import (
    CellAnswer,
    CellInfo,
    CellList,
    CellMoved,
    CellOpened,
    CellRequest,
    CloseCell,
    FolderList,
    ListCells,
    ListFolder,
    ListSamples,
    NewCell,
    OpenCell,
    OpenSample,
    SampleList,
    SaveCell,
    Uploaded,
)
from workcell.service.message import Effect, Message, MessageValue, Number
from workcell.service.replies import (
    AttachedInfo,
    Change,
    CommandInfo,
    Completion,
    Completions,
    EventInfo,
    Failure,
    Hello,
    Notice,
    Progress,
    Recorded,
    RecordingInfo,
    Result,
    Selected,
    State,
    Status,
    StepInfo,
)
from workcell.service.requests import (
    Call,
    Cancel,
    CellMessage,
    Command,
    Complete,
    FetchRecording,
    FetchScene,
    FetchState,
    FetchStatus,
    Lines,
    Motion,
    Play,
    Poses,
    Select,
)
from workcell.service.run_messages import (
    BreakpointInfo,
    PlaceInfo,
    ProgramInfo,
    RunInfo,
    SignalInfo,
    ThreadInfo,
)
from workcell.service.samples import SampleInfo
from workcell.service.scene_messages import (
    Behind,
    BodyChange,
    BodyDifference,
    BodyInfo,
    Difference,
    Facts,
    JointInfo,
    NodeChange,
    NodeDifference,
    NodeInfo,
    PieceInfo,
    RobotChange,
    RobotDifference,
    RobotInfo,
    Scene,
    Seven,
    UnitNames,
    ZoneChange,
    ZoneDifference,
    ZoneInfo,
)

__all__ = [  # the messages, as the rest of the service calls them
    "AttachedInfo",
    "Behind",
    "BodyChange",
    "BodyDifference",
    "BodyInfo",
    "BreakpointInfo",
    "Call",
    "Cancel",
    "CellAnswer",
    "CellInfo",
    "CellList",
    "CellMessage",
    "CellMoved",
    "CellOpened",
    "CellRequest",
    "Change",
    "ClientMessage",
    "CloseCell",
    "Command",
    "CommandInfo",
    "Complete",
    "Completion",
    "Completions",
    "Difference",
    "Effect",
    "EventInfo",
    "Facts",
    "Failure",
    "FetchRecording",
    "FetchScene",
    "FetchState",
    "FetchStatus",
    "FolderList",
    "Hello",
    "JointInfo",
    "Lines",
    "ListCells",
    "ListFolder",
    "ListSamples",
    "Message",
    "MessageValue",
    "Motion",
    "NewCell",
    "NodeChange",
    "NodeDifference",
    "NodeInfo",
    "Notice",
    "Number",
    "OpenCell",
    "OpenSample",
    "PieceInfo",
    "PlaceInfo",
    "Play",
    "Poses",
    "ProgramInfo",
    "Progress",
    "Recorded",
    "RecordingInfo",
    "Result",
    "RobotChange",
    "RobotDifference",
    "RobotInfo",
    "RunInfo",
    "SampleInfo",
    "SampleList",
    "SaveCell",
    "Scene",
    "Select",
    "Selected",
    "Seven",
    "SignalInfo",
    "State",
    "Status",
    "StepInfo",
    "ThreadInfo",
    "UnitNames",
    "Uploaded",
    "ZoneChange",
    "ZoneDifference",
    "ZoneInfo",
]

VERSION = 4
"""Increased whenever a message changes its meaning; both ends compare it."""
MAX_SAMPLES = 20_000
"""The most samples that one request for poses may ask for."""


class _Numbered(msgspec.Struct):
    request: Number


ClientMessage = CellMessage | CellRequest
ServerMessage = (
    Hello
    | Scene
    | Difference
    | Behind
    | RecordingInfo
    | Recorded
    | RunInfo
    | Result
    | Failure
    | Change
    | Selected
    | Notice
    | Progress
    | Completions
    | State
    | Status
    | CellAnswer
)

# ---- text frames -----------------------------------------------------------------------------------------


def _plain(value: object) -> object:
    """Return evidence and results as JSON values: arrays and poses as lists, anything else as text."""
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
_numbered = msgspec.json.Decoder(_Numbered)


def encode(message: object) -> bytes:
    """Return a message, or any value for ``Result.value``, as JSON."""
    return _encoder.encode(message)


def decode_client(data: bytes | str) -> ClientMessage:
    """Read a text frame of a client; ServiceError if it is not a message."""
    try:
        return _from_client.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise ServiceError(f"The frame is not a message of protocol {VERSION}: {error}.") from error


def request_in(data: bytes | str) -> int:
    """Return the number of the request in an invalid message, so that it can be answered; 0 if there is none."""
    try:
        return _numbered.decode(data).request
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return 0


def decode_server(data: bytes | str) -> ServerMessage:
    """Read a text frame of the server; ServiceError if it is not a message."""
    try:
        return _from_server.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ServiceError(f"The frame is not a message of protocol {VERSION}: {error}.") from error


def typescript() -> str:
    """Return the messages as TypeScript types, for the page."""
    from workcell.service import frames
    from workcell.service.typescript import declarations
    from workcell.spatial.units import ANGLES, LENGTHS

    return declarations(
        {"ClientMessage": ClientMessage, "ServerMessage": ServerMessage, "UploadAnswer": Uploaded},
        optional=frozenset({"ClientMessage"}),
        constants={
            "VERSION": VERSION,
            "POSES_FRAME": frames.POSES_FRAME,
            "RECORDING_FRAME": frames.RECORDING_FRAME,
            "MOTION_FRAME": frames.MOTION_FRAME,
            "PACKED_FRAME": frames.PACKED_FRAME,
        },
        tables={"LENGTHS": LENGTHS, "ANGLES": ANGLES},
    )
