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
from workcell.service import protocol
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
    assert "bodies?: number[];" in text.split("export interface Poses {")[1].split("}")[0]
    assert "?" not in text.split("export interface Failure {")[1].split("}")[0]
    assert "children: TreeNode[];" in text


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.integers(0, 2**31), FINITE, FINITE, st.integers(1, 1000), st.lists(st.integers(0, 100)))
def test_a_client_message_comes_back_as_it_was(
    request: int, start: float, step: float, count: int, bodies: list[int]
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
    with pytest.raises(ServiceError, match="not a message of protocol 1"):
        protocol.decode_client(text)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), FINITE, FINITE, st.integers(1, 5), st.integers(0, 4), st.integers(0, 1000))
def test_a_poses_frame_comes_back_as_it_was(
    request: int, start: float, step: float, count: int, bodies: int, seed: int
) -> None:
    poses = np.random.default_rng(seed).standard_normal((count, bodies, 7)).astype(np.float32)
    frame = protocol.poses_frame(request, start, step, poses)
    assert protocol.frame_head(frame) == (protocol.POSES_FRAME, request)
    again = protocol.read_poses(frame)
    assert again[:2] == (start, step)
    np.testing.assert_array_equal(again[2], poses)


def test_the_layout_of_a_poses_frame_is_the_documented_one() -> None:
    frame = protocol.poses_frame(7, 1.5, 0.25, np.arange(14, dtype=np.float32).reshape(1, 2, 7))
    assert struct.unpack_from("<IIddII", frame) == (1, 7, 1.5, 0.25, 1, 2)
    assert np.frombuffer(frame, "<f4", offset=32).tolist() == list(range(14))


def test_a_cut_frame_is_refused() -> None:
    frame = protocol.poses_frame(1, 0.0, 1.0, np.zeros((2, 2, 7), np.float32))
    with pytest.raises(ServiceError, match="2 × 2 poses cannot have"):
        protocol.read_poses(frame[:-1])
    with pytest.raises(ServiceError, match="not a frame of poses"):
        protocol.read_poses(protocol.recording_frame(1, b"abc"))
    with pytest.raises(ServiceError, match="at least 8 bytes"):
        protocol.frame_head(b"abc")
    with pytest.raises(ServiceError, match="not a recording"):
        protocol.read_recording(frame)


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
