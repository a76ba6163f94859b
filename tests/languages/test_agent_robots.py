"""Agents of the Agent language with real robots: they are read before a report, and jumps never reach them."""

from __future__ import annotations

import socket

import numpy as np
import pytest
from agent_talk import talk

from workcell.languages.agent.stream import AgentStream
from workcell.simulation.stand_in import StandIn

HOME = np.radians([0, 0, -90, 0, 90, 0])


@pytest.fixture
def stream(cell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = AgentStream(cell.session)
    assert made.line("make-agent arm PUMA 560") == []
    return made


def connected(cell, stand_in: StandIn, *more: str) -> None:
    port, _ = stand_in.serve()
    cell.do(" ".join([f"connect robot arm to tcp://127.0.0.1:{port}", *more]))


def test_reports_and_records_come_from_the_robot(stream, cell):
    connected(cell, StandIn(np.radians([20, 0, -80, 0, 90, 5]), fast=True))
    talk(
        stream,
        """
        > here: get-angles arm
        position of agent arm in line here:0 --- 20 0 -80 0 90 5
        > record-angles arm rest
        position of agent arm in line here:1 --- 20 0 -80 0 90 5
        """,
    )
    assert cell.state.joints["arm"] == pytest.approx(np.radians([20, 0, -80, 0, 90, 5]))
    before = stream.line("get-position arm")
    cell.do("disconnect robot arm")
    assert [line.partition("---")[2] for line in stream.line("get-position arm")] == [before[0].partition("---")[2]]


def test_a_robot_that_is_gone_is_a_movement_error(stream, cell):
    """Code 12 in a session."""
    stand_in = StandIn(HOME, fast=True)
    connected(cell, stand_in)
    (link,) = cell.session.robot_links.values()
    link.driver._socket.shutdown(socket.SHUT_RDWR)
    talk(
        stream,
        """
        > lost: get-angles arm
        *** Error in line lost:0 --- 12 Internal movement error
        > get-position arm
        *** Error in line lost:1 --- 12 Internal movement error
        > record-angles arm rest
        *** Error in line lost:2 --- 12 Internal movement error
        """,
    )
    cell.do("disconnect robot arm")
    assert stream.line("get-angles arm") == ["position of agent arm in line lost:3 --- 0 0 -90 0 90 0"]


def test_one_step_moves_never_reach_a_robot_that_follows_at_once(stream, cell):
    stand_in = StandIn(HOME, fast=True)
    connected(cell, stand_in, "--live")
    assert stream.line("drive arm 10 0 -90 0 90 0") == []
    assert stand_in.joints == pytest.approx(cell.state.joints["arm"])
    followed, there = stand_in.followed, stand_in.joints
    assert followed == 1
    assert stream.line("movexy arm 500 -150 300 0 0 180") == []
    assert stream.line("shift arm y=20") == []
    assert cell.state.joints["arm"] != pytest.approx(there)
    assert stand_in.followed == followed
    assert stand_in.joints == pytest.approx(there)
    # The next report brings the model back to the robot.
    assert stream.line("get-angles arm")[0].endswith(" --- 10 0 -90 0 90 0")
    assert stream.line("drive arm 20 0 -90 0 90 0") == []
    assert stand_in.joints == pytest.approx(np.radians([20, 0, -90, 0, 90, 0]))
