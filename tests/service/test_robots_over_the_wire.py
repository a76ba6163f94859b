"""Robots that a client adds: of the library and made in Python, as the local call adds them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import workcell as wc
from workcell.commands.session import Session
from workcell.errors import InvalidValue, NameTaken, UnknownName, WorkcellError
from workcell.service.client import Client, connect
from workcell.service.server import Server
from workcell.spatial.pose import Pose

H = math.pi / 2
ROWS = [(0.0, 0.4, 0.0, H), (0.0, 0.0, 0.5, 0.0), (0.0, 0.0, 0.4, 0.0)]
_KEPT: list[wc.Cell] = []


@contextmanager
def session() -> Iterator[Session]:
    with wc.Cell() as cell:
        _KEPT.append(cell)
        yield cell.session


@pytest.fixture
def client() -> Iterator[Client]:
    with Server(session) as server, connect(server.url) as connected:
        yield connected


def robots() -> list[tuple[object, dict[str, object]]]:
    shaped = wc.robot("ur10e").replace(name="mine", speeds=np.full(6, 0.5))
    tool = wc.Tool("pen", Pose.from_xyz(0, 0, 0.1))
    return [
        ("puma560", {}),
        ("ur5e", {"name": "Arm", "at": Pose.from_xyz(1.0, 2.0, 0.5), "joints": [0.1, -1.0, 0.2, 0.3, 0.4, 0.5]}),
        (wc.Robot.from_dh(ROWS, name="three"), {"at": Pose.from_xyz(5, 5, 0) @ Pose.from_axis_angle((0, 0, 1), 0.3)}),
        (shaped, {"name": "B", "joints": np.zeros(6)}),
        (shaped.replace(name="fitted").with_tool(tool), {}),
    ]


def test_a_robot_that_a_client_adds_is_the_one_that_the_local_call_adds(client: Client) -> None:
    with wc.Cell() as local:
        for model, given in robots():
            reply = client.add_robot(model, **given)
            entity = local.add_robot(model, **given)
            assert reply.value["name"] == entity.name
            assert reply.kind == "Made"
        there = _KEPT[-1]
        assert there.snapshot().hash == local.snapshot().hash
        assert there.replayed().snapshot().hash == local.snapshot().hash
        client.do("watch yes")
        client.do("move-joints-relative three 10,10,10")
        client.do("undo")


def test_what_is_no_robot_is_refused_in_one_sentence(client: Client) -> None:
    client.add_robot("puma560")
    with pytest.raises(NameTaken):
        client.add_robot("puma560")
    with pytest.raises((UnknownName, WorkcellError), match="nonsense"):
        client.add_robot("nonsense")
    with pytest.raises(InvalidValue, match="Expected a robot: a name of the library"):
        client.add_robot(7)  # type: ignore[arg-type]
    for bad in ({"file": "no robot"}, {"file": 3}, {"text": ""}, 5, None):
        with pytest.raises(WorkcellError):
            client.call("create robot", name="x", model=bad)
    assert [one.name for one in _KEPT[-1].snapshot().robots] == ["puma560"]


def test_a_call_that_only_a_local_cell_has_says_what_to_use(client: Client) -> None:
    with pytest.raises(AttributeError, match=r"A client has no `add_solid`; use `client.do\(LINE\)` or `client.call"):
        client.add_solid
