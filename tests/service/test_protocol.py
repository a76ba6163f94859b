from __future__ import annotations

import struct
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell
from workcell.errors import ServiceError
from workcell.service import frames, protocol
from workcell.spatial.pose import Pose

GENERATED = Path(workcell.__file__).parent / "workbench" / "app" / "src" / "lib" / "protocol.ts"
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def test_the_page_has_the_types_that_the_messages_give() -> None:
    assert GENERATED.read_text() == protocol.typescript(), "run `make docs`"


def test_every_message_has_an_interface_and_a_tag_of_its_own() -> None:
    text = protocol.typescript()
    for union in (protocol.ClientMessage, protocol.ServerMessage):
        tags = [member.__struct_config__.tag for member in union.__args__]
        assert len(set(tags)) == len(tags)
        for member, tag in zip(union.__args__, tags, strict=True):
            assert f'export interface {member.__name__} {{\n  type: "{tag}";' in text


def test_only_the_client_may_leave_fields_out() -> None:
    text = protocol.typescript()
    assert "bodies?: string[];" in text.split("export interface Poses {")[1].split("}")[0]
    assert "?" not in text.split("export interface Failure {")[1].split("}")[0]
    assert "ghost: boolean;" in text
    assert "pose?: [" in text.split("export interface BodyChange {")[1].split("}")[0]


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.integers(0, 2**31), FINITE, FINITE, st.integers(1, 1000), st.lists(st.text()))
def test_a_client_message_comes_back_as_it_was(
    request: int, start: float, step: float, count: int, bodies: list[str]
) -> None:
    message = protocol.Poses(request, start, step, count, bodies)
    assert protocol.decode_client(protocol.encode(message)) == message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '{"type":"nonsense"}',
        '{"type":"command","request":"1","line":"x"}',
        "\x00",
        "[" * 5000,
    ],
)
def test_a_frame_that_is_no_message_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ServiceError, match=f"not a message of protocol {protocol.VERSION}"):
        protocol.decode_client(text)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), FINITE, FINITE, st.integers(1, 5), st.integers(0, 4), st.integers(0, 1000))
def test_a_poses_frame_comes_back_as_it_was(
    request: int, start: float, step: float, count: int, bodies: int, seed: int
) -> None:
    poses = np.random.default_rng(seed).standard_normal((count, bodies, 7)).astype(np.float32)
    frame = frames.poses_frame(request, start, step, poses)
    assert frames.frame_head(frame) == (frames.POSES_FRAME, request)
    again = frames.read_poses(frame)
    assert again[:2] == (start, step)
    np.testing.assert_array_equal(again[2], poses)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(0, 5), st.integers(0, 4), st.integers(0, 7), st.integers(0, 1000))
def test_a_motion_frame_comes_back_as_it_was(request: int, count: int, bodies: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    times, poses = np.sort(rng.random(count)), rng.standard_normal((count, bodies, 7)).astype(np.float32)
    joints = rng.standard_normal((count, columns)).astype(np.float32)
    frame = frames.motion_frame(request, times, poses, joints)
    assert frames.frame_head(frame) == (frames.MOTION_FRAME, request)
    for again, written in zip(frames.read_motion(frame), (times, poses, joints), strict=True):
        np.testing.assert_array_equal(again, written)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.one_of(st.text(), st.binary(min_size=8)), st.integers(1, 5000))
def test_a_packed_frame_comes_back_as_it_was(frame: str | bytes, times: int) -> None:
    large = frame[:8] + frame * times if isinstance(frame, str) else frames.recording_frame(3, frame * times)
    packed = frames.packed(large, 3)
    assert packed == large if len(large) < frames.WORTH_PACKING else len(packed) < len(large) + 64
    assert (frames.unpacked(packed) if isinstance(packed, bytes) else packed) == large
    if isinstance(packed, bytes):
        assert frames.frame_head(packed)[1] == 3


def test_a_packed_frame_that_was_cut_is_refused() -> None:
    packed = frames.packed("x" * 100_000)
    assert isinstance(packed, bytes)
    for cut in (packed[:9], packed[:-4]):
        with pytest.raises(ServiceError, match="cannot be unpacked"):
            frames.unpacked(cut)
    with pytest.raises(ServiceError, match="not a frame of motion"):
        frames.read_motion(frames.poses_frame(1, 0.0, 1.0, np.zeros((2, 2, 7), np.float32)))
    with pytest.raises(ServiceError, match="2 keyframes of 1 bodies cannot have"):
        frames.read_motion(frames.motion_frame(1, np.zeros(2), np.zeros((2, 1, 7)), np.zeros((2, 3)))[:-1])


def test_the_layout_of_a_poses_frame_is_the_documented_one() -> None:
    frame = frames.poses_frame(7, 1.5, 0.25, np.arange(14, dtype=np.float32).reshape(1, 2, 7))
    assert struct.unpack_from("<IIddII", frame) == (1, 7, 1.5, 0.25, 1, 2)
    assert np.frombuffer(frame, "<f4", offset=32).tolist() == list(range(14))


def test_a_cut_frame_is_refused() -> None:
    frame = frames.poses_frame(1, 0.0, 1.0, np.zeros((2, 2, 7), np.float32))
    with pytest.raises(ServiceError, match="2 × 2 poses cannot have"):
        frames.read_poses(frame[:-1])
    with pytest.raises(ServiceError, match="not a frame of poses"):
        frames.read_poses(frames.recording_frame(1, b"abc"))
    with pytest.raises(ServiceError, match="at least 8 bytes"):
        frames.frame_head(b"abc")
    with pytest.raises(ServiceError, match="not a recording"):
        frames.read_recording(frame)


def test_evidence_of_any_kind_becomes_json() -> None:
    evidence = {
        "q": np.arange(3.0),
        "pose": Pose.identity(),
        "n": np.int64(3),
        "e": ValueError("x"),
        "s": {1},
    }
    again = msgspec.json.decode(protocol.encode(evidence))
    assert again["q"] == [0.0, 1.0, 2.0]
    assert again["pose"][0] == [1.0, 0.0, 0.0, 0.0]
    assert again["n"] == 3
    assert again["e"] == "ValueError: x"
    assert again["s"] == [1]
