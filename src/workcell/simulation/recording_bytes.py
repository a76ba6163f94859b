"""Recordings as bytes: a header that describes the content, and then the numbers of all pieces."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import NotACell, WorkcellError
from workcell.motion.curve_data import CurveData, curve_data, curve_of
from workcell.motion.pose_motion import PoseMotion
from workcell.motion.time_law import PacedMotion, TimeLaw
from workcell.motion.trajectory import Trajectory
from workcell.simulation.events import Event, Issued, Noted
from workcell.simulation.happenings import Move, StateChange
from workcell.simulation.pieces import Exact, Piece, Sampled, samples_after, samples_of
from workcell.simulation.ran_texts import RanText
from workcell.simulation.recorded import Recorded
from workcell.world.cell_print import CellPrint
from workcell.world.state import CellState

Array = NDArray[np.float64]

MAGIC = b"WCREC003"
"""The first bytes of a recording."""
SAMPLED_MAGIC = b"WCREC002"
"""The first bytes of a recording from the time when it held only samples, and events were texts."""
_FRAME = struct.Struct("<QI")
"""The length of the header, and the checksum of it and of everything after it."""
_encode = msgspec.msgpack.Encoder(order="sorted").encode


class _Exact(msgspec.Struct, frozen=True, array_like=True, tag="exact"):
    """An exact piece. Its numbers are the first and last row, breaks, coefficients, frames, and those of its law."""

    since: float
    begin: float
    end: float
    step: float
    resolution: float
    width: int
    """How many numbers a row has."""
    shape: tuple[int, int, int]
    """The shape of the coefficients."""
    frames: int = -1
    """How many frames of its own it has; -1 if they are computed."""
    curve: CurveData | None = None
    """The curve of a solid."""
    law: tuple[int, int] | None = None
    """How many pieces and terms the time law of the path has."""


class _Sampled(msgspec.Struct, frozen=True, array_like=True, tag="sampled"):
    """A piece of samples; its numbers are the times and the rows."""

    count: int
    width: int


_Kept: TypeAlias = _Exact | _Sampled


class _Header(msgspec.Struct, frozen=True, omit_defaults=True):
    start: str
    events: list[Event]
    ways: list[tuple[str, bool, list[_Kept]]]
    """The name of the robot or solid, whether it is a solid, and its pieces."""
    changes: list[StateChange] = []
    moves: list[Move] = []
    clock: list[tuple[float, float]] = []
    end: float = -np.inf
    """The last instant [s], even if nothing happened."""
    sources: list[Issued] = []
    cell: CellPrint | None = None
    """The cell in which it was made, if known."""
    texts: list[RanText] = []
    """The lines of the programs that ran."""


class _OldEvent(msgspec.Struct, frozen=True):
    """An event of the old format: a text."""

    time: float
    kind: str
    text: str
    robot: str = ""
    figures: dict[str, float] = {}


class _SampledHeader(msgspec.Struct, frozen=True):
    """The header of the old format."""

    start: str
    events: list[_OldEvent]
    robots: list[tuple[str, int, int]]
    changes: list[StateChange] = []
    moves: list[Move] = []
    solids: list[tuple[str, int, list[tuple[float, float]]]] = []
    end: float = -np.inf


# Made when the module is loaded: msgspec crashes if two threads make one for the same class for the first time.
_HEADER = msgspec.msgpack.Decoder(_Header)
_SAMPLED_HEADER = msgspec.msgpack.Decoder(_SampledHeader)


@dataclass(frozen=True)
class Content:
    """The content of the bytes of a recording.

    Attributes:
        start: the state at the beginning.
        pieces: the pieces of every robot and solid, in the order of time, with its name.
        clock: times and the shown clock [s].
        events: what happened.
        changes: the changes of the state, in the order of time.
        moves: the finished moves, for reports.
        end: the last instant [s].
        sources: the source of each step.
        cell: the cell in which it was made, if known.
        texts: the lines of the programs that ran.
    """

    start: CellState
    pieces: list[tuple[str, Piece]]
    clock: list[tuple[float, float]]
    events: list[Event]
    changes: list[StateChange]
    moves: list[Move]
    end: float
    sources: list[Issued]
    cell: CellPrint | None
    texts: list[RanText]


class _Numbers:
    """Reads rows of numbers one after the other."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at

    def take(self, *shape: int) -> Array:
        count = int(np.prod(shape))
        found = np.frombuffer(self._data, "<f8", count, self._at).reshape(shape)
        self._at += 8 * count
        return found


def encoded(recording: Recorded, sources: bool) -> bytes:
    """Return a recording as bytes, on request with the source of each step.

    The same run always gives the same bytes.
    """
    ways, numbers = [], []
    for device in sorted({*recording.robots, *recording.solids}):
        way = recording.way(device)
        kept = []
        for piece in way.pieces:
            head, arrays = _written(piece)
            kept.append(head)
            numbers += [np.ascontiguousarray(array, "<f8").tobytes() for array in arrays]
        ways.append((device, way.solid, kept))
    header = _encode(
        _Header(
            recording.start.to_json(), recording.events, ways, list(recording.changes), recording.moves,
            recording.clock_marks, recording.end, recording.sources if sources else [],
            recording.cell if sources else None, recording.texts if sources else [],
        )
    )  # fmt: skip
    body = b"".join([header, *numbers])
    return MAGIC + _FRAME.pack(len(header), zlib.crc32(body)) + body


def decoded(data: bytes) -> Content:
    """Return the content of what :func:`encoded` returned, now or in an older version."""
    if data[:8] not in (MAGIC, SAMPLED_MAGIC):
        raise NotACell("This is not a recording of Workcell.")
    first = len(MAGIC) + _FRAME.size
    with damage_reported():
        length, check = _FRAME.unpack_from(data, len(MAGIC))
        if zlib.crc32(memoryview(data)[first:]) != check:
            raise NotACell("The recording is damaged: its checksum does not match.")
        numbers = _Numbers(data, first + length)
        read = _read if data[:8] == MAGIC else _read_sampled
        return read(data[first : first + length], numbers)


@contextmanager
def damage_reported() -> Iterator[None]:
    """Report everything inside that cannot be read or assembled as a damaged recording."""
    try:
        yield
    except NotACell:
        raise
    except (struct.error, msgspec.MsgspecError, ValueError, WorkcellError) as error:
        raise NotACell(f"The recording is damaged: {error}.") from error


def _written(piece: Piece) -> tuple[_Kept, list[Array]]:
    if isinstance(piece, Exact):
        curve, law = None, None
        if isinstance(piece.motion, PoseMotion):
            curve = curve_data(piece.motion.curve)
            if curve is None:  # a curve without a formula
                times = np.concatenate([[piece.begin], piece.times])
                return _Sampled(len(times), 12), [times, piece.at(times)]
            motion = piece.motion.progress
        elif isinstance(piece.motion, PacedMotion):
            motion, law = piece.motion.path, piece.motion.law.curve
        else:
            motion = piece.motion
        frames = -1 if piece.frames is None else len(piece.frames)
        pieces, terms, width = motion.coefficients.shape
        head = _Exact(
            piece.since, piece.begin, piece.end, piece.step, piece.resolution, len(piece.first),
            (pieces, terms, width), frames, curve, None if law is None else (law.pieces, law.degree + 1),
        )  # fmt: skip
        own = [] if piece.frames is None else [piece.frames]
        own += [] if law is None else [law.breaks, law.coefficients]
        return head, [piece.first, piece.last, motion.breaks, motion.coefficients, *own]
    times, rows = piece.column.times, piece.column.rows
    return _Sampled(len(times), rows.shape[1]), [times, rows]


def _read(header_bytes: bytes, numbers: _Numbers) -> Content:
    header = _HEADER.decode(header_bytes)
    pieces = [(device, _piece(head, solid, numbers)) for device, solid, kept in header.ways for head in kept]
    return Content(
        CellState.from_json(header.start), pieces, header.clock, header.events, header.changes, header.moves,
        header.end, header.sources, header.cell, header.texts,
    )  # fmt: skip


def _piece(head: _Kept, solid: bool, numbers: _Numbers) -> Piece:
    if isinstance(head, _Sampled):
        times = numbers.take(head.count)
        return Sampled.of(times, numbers.take(head.count, head.width), solid)
    first, last = numbers.take(head.width), numbers.take(head.width)
    breaks = numbers.take(head.shape[0] + 1)
    trajectory = Trajectory(breaks, numbers.take(*head.shape))
    frames = None if head.frames < 0 else numbers.take(head.frames)
    motion: Trajectory | PacedMotion | PoseMotion = trajectory
    if head.curve is not None:
        motion = PoseMotion(curve_of(head.curve), trajectory)
    elif head.law is not None:
        law = Trajectory(numbers.take(head.law[0] + 1), numbers.take(*head.law, 1))
        motion = PacedMotion(trajectory, TimeLaw(law))
    return Exact(head.since, head.begin, head.end, motion, first, last, head.step, head.resolution, frames)


def _read_sampled(header_bytes: bytes, numbers: _Numbers) -> Content:
    """Return a recording of the old format, which holds only samples.

    Joints, linear in between, and poses of solids.
    """
    header = _SAMPLED_HEADER.decode(header_bytes)
    start = CellState.from_json(header.start)
    pieces: list[tuple[str, Piece]] = []
    for robot, count, n in header.robots:
        times, rows = numbers.take(count), numbers.take(count, n)
        pieces += [(robot, one) for one in samples_after(start.time, start.joints.get(robot), times, rows)]
    for body, count, spans in header.solids:
        times = numbers.take(count)
        rows, done = numbers.take(count, 12), 0
        for _, last in spans:
            until = int(np.searchsorted(times, last, side="right"))
            pieces += [(body, one) for one in samples_of(times[done:until], rows[done:until], solid=True)]
            done = until
    notes: list[Event] = [Noted(one.time, one.kind, one.text, one.robot, one.figures) for one in header.events]
    return Content(start, pieces, [], notes, header.changes, header.moves, header.end, [], None, [])
