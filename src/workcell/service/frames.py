"""The binary frames of the wire.

Binary frames begin with two little-endian u32: kind and request (the number of the request they answer).

=============  =============================================================================================
kind           what follows
=============  =============================================================================================
1, poses       f64 start [s], f64 step [s], u32 count, u32 bodies, then float32 [count, bodies, 7]:
               x y z [m], quaternion w x y z, of each body in the world
2, recording   the bytes of the recording, as ``Recording.to_bytes`` writes them
3, motion      u32 count, u32 bodies, u32 columns, u32 zero, then f64 [count]: the times of keyframes [s],
               float32 [count, bodies, 7]: poses as in kind 1, float32 [count, columns]: the joint values
               [rad or m] of the robots that were asked for, one after the other
4, packed      u32 1 where a text frame is packed, 2 for a binary one, then that frame, deflated (zlib)
=============  =============================================================================================
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.errors import ServiceError

POSES_FRAME = 1
RECORDING_FRAME = 2
MOTION_FRAME = 3
PACKED_FRAME = 4
_SAMPLES = struct.Struct("<IIddII")
_MOTION = struct.Struct("<IIIIII")
_PACKED = struct.Struct("<III")
_HEAD = struct.Struct("<II")
WORTH_PACKING = 4096
"""Smaller frames are sent as they are [bytes]."""


def poses_frame(request: int, start: float, step: float, poses: NDArray[np.float32]) -> bytes:
    """Return a frame of poses [count, bodies, 7]."""
    head = _SAMPLES.pack(POSES_FRAME, request, start, step, *poses.shape[:2])
    return head + np.ascontiguousarray(poses, dtype="<f4").tobytes()


def motion_frame(
    request: int, times: NDArray[np.float64], poses: NDArray[np.floating[Any]], joints: NDArray[np.floating[Any]]
) -> bytes:
    """Return a frame of keyframes: times [count], poses [count, bodies, 7] and joint values [count, columns]."""
    head = _MOTION.pack(MOTION_FRAME, request, len(times), poses.shape[1], joints.shape[1], 0)
    arrays = np.asarray(times, "<f8"), np.asarray(poses, "<f4"), np.asarray(joints, "<f4")
    return b"".join([head, *(one.tobytes() for one in arrays)])


def packed(frame: str | bytes, request: int = 0) -> str | bytes:
    """Return a frame that was made outside the event loop, compressed if that pays off."""
    if len(frame) < WORTH_PACKING:
        return frame
    data = frame.encode() if isinstance(frame, str) else frame
    return _PACKED.pack(PACKED_FRAME, request, 1 if isinstance(frame, str) else 2) + zlib.compress(data, 3)


def unpacked(frame: bytes) -> str | bytes:
    """Return the unpacked frame; a frame that is not packed is returned as it is."""
    if frame_head(frame)[0] != PACKED_FRAME:
        return frame
    try:
        data = zlib.decompress(frame[_PACKED.size :])
        return data.decode() if _PACKED.unpack_from(frame)[2] == 1 else data
    except (zlib.error, struct.error, UnicodeError) as error:
        raise ServiceError(f"The packed frame of {len(frame)} bytes cannot be unpacked: {error}.") from error


def recording_frame(request: int, data: bytes) -> bytes:
    """Return a frame with a whole recording."""
    return _HEAD.pack(RECORDING_FRAME, request) + data


def frame_head(frame: bytes) -> tuple[int, int]:
    """Return the kind and the request number of a binary frame."""
    if len(frame) < _HEAD.size:
        raise ServiceError(f"A binary frame has at least {_HEAD.size} bytes; this one has {len(frame)}.")
    kind, request = _HEAD.unpack_from(frame)
    return int(kind), int(request)


def read_poses(frame: bytes) -> tuple[float, float, NDArray[np.float32]]:
    """Return the start [s], step [s] and poses [count, bodies, 7] of a poses frame."""
    kind, _ = frame_head(frame)
    if kind != POSES_FRAME or len(frame) < _SAMPLES.size:
        raise ServiceError(f"The frame of kind {kind} and {len(frame)} bytes is not a frame of poses.")
    _, _, start, step, count, bodies = _SAMPLES.unpack_from(frame)
    if len(frame) != _SAMPLES.size + 28 * count * bodies:
        raise ServiceError(f"A frame of {count} × {bodies} poses cannot have {len(frame)} bytes.")
    poses = np.frombuffer(frame, dtype="<f4", offset=_SAMPLES.size).reshape(count, bodies, 7)
    return float(start), float(step), poses


def read_motion(frame: bytes) -> tuple[NDArray[np.float64], NDArray[np.float32], NDArray[np.float32]]:
    """Return the times [count], poses [count, bodies, 7] and joint values [count, columns] of a motion frame."""
    kind, _ = frame_head(frame)
    if kind != MOTION_FRAME or len(frame) < _MOTION.size:
        raise ServiceError(f"The frame of kind {kind} and {len(frame)} bytes is not a frame of motion.")
    _, _, count, bodies, columns, _ = _MOTION.unpack_from(frame)
    first, second = _MOTION.size + 8 * count, _MOTION.size + 8 * count + 28 * count * bodies
    if len(frame) != second + 4 * count * columns:
        raise ServiceError(f"A frame of {count} keyframes of {bodies} bodies cannot have {len(frame)} bytes.")
    times = np.frombuffer(frame[_MOTION.size : first], "<f8")
    poses = np.frombuffer(frame[first:second], "<f4").reshape(count, bodies, 7)
    return times, poses, np.frombuffer(frame[second:], "<f4").reshape(count, columns)


def read_recording(frame: bytes) -> bytes:
    """Return the bytes of the recording in a recording frame."""
    kind, _ = frame_head(frame)
    if kind != RECORDING_FRAME:
        raise ServiceError(f"The frame of kind {kind} is not a recording.")
    return frame[_HEAD.size :]
