"""Real robots through drivers: a stand-in follows the model, and the difference is reported. Only loopback is used."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import threading

import numpy as np
import pytest

import workcell as wc
from child_process import child
from workcell.commands.file_access import FileAccess
from workcell.errors import InvalidValue, MotionError, Refused
from workcell.robots.catalogue import robot
from workcell.simulation.robot_driver import Followed, deviation
from workcell.simulation.stand_in import StandIn
from workcell.simulation.tcp_driver import TcpDriver, address_of

HOME = np.radians([0, 0, -90, 0, 90, 0])


@pytest.fixture
def cell():
    with wc.Cell() as made:
        made.add_robot("puma560", "Puma", joints=HOME)
        yield made


def at(stand_in):
    return f"tcp://127.0.0.1:{stand_in.serve()[0]}"


def test_a_stand_in_follows_what_the_model_did_and_nothing_else(cell):
    real = StandIn(HOME, fast=True)
    cell.do(f"connect robot Puma to {at(real)}")
    with pytest.raises(Refused, match="has not moved since 0 s, so there is nothing to send"):
        cell.do("drive robot Puma")
    cell.do("move-joints-relative Puma 30,10,0,0,0,0")
    cell.do("move-joints-relative Puma 0,0,20,0,0,45")
    assert real.joints == pytest.approx(HOME)  # nothing moves before it is asked for
    found = cell.do("drive robot Puma")
    assert real.joints == pytest.approx(cell.state.joints["Puma"], abs=1e-12)
    assert found.duration == pytest.approx(cell.state.time)
    assert found.joint_most < 1e-9
    assert found.hand_most < 1e-9
    with pytest.raises(Refused, match="nothing to send"):
        cell.do("drive robot Puma")
    cell.do("move-joints-relative Puma -30,0,0,0,0,0")
    second = cell.do("drive robot Puma")
    assert second.duration < found.duration
    assert real.joints == pytest.approx(cell.state.joints["Puma"], abs=1e-12)
    assert real.followed == 2


def test_offset_and_noise_are_reported_with_the_joint_and_the_time(cell):
    offset = np.radians([0, 0, 0.5, 0, 0, 0])
    cell.do(f"connect robot Puma to {at(StandIn(HOME, offset=offset, fast=True))}")
    cell.do("move-joints-relative Puma 30,10,0,0,0,0")
    found = cell.do("drive robot Puma")
    assert found.joint == 3
    assert found.joint_most == pytest.approx(np.radians(0.5))
    arm = robot("puma560")
    ends = [cell.snapshot().initial.joints["Puma"], cell.state.joints["Puma"]]
    reach = [float(np.linalg.norm(arm.fk(q).xyz - arm.fk(q + offset).xyz)) for q in ends]
    assert min(reach) * 0.9 < found.hand_most < max(reach) * 1.1
    assert re.search(r"0\.5 deg of joint 3 at \d+\.\d+ s, and [\d.]+ mm of the hand", found.text)


def test_deviation_is_the_greatest_difference_at_the_time_of_the_measurement():
    arm = robot("planar2r")
    times = np.linspace(0, 1, 11)
    joints = np.column_stack([times, 0 * times])
    measured = joints.copy()
    measured[4, 1] += 0.2
    found = deviation(arm, times, joints, Followed(times * 1.0, measured, measured[-1]))
    assert (found.joint, found.joint_time, found.hand_time) == (2, pytest.approx(0.4), pytest.approx(0.4))
    length = arm.rows[1].a
    assert found.hand_most == pytest.approx(2 * length * np.sin(0.1))
    late = deviation(arm, times, joints, Followed(times + 0.1, joints, joints[-1]))
    assert late.joint_most == pytest.approx(0.1)
    assert late.took == pytest.approx(1.1)


@pytest.mark.parametrize("when", ["before the motion", "after it"])
def test_a_jump_never_reaches_the_robot(cell, when):
    real = StandIn(HOME, fast=True)
    cell.do(f"connect robot Puma to {at(real)}")
    if when == "after it":
        cell.do("move-joints-relative Puma 10,0,0,0,0,0")
    cell.do("set joints Puma 40,0,-90,0,90,0")
    cell.do("move-joints-relative Puma 10,0,0,0,0,0")
    with pytest.raises(Refused, match="without a motion; a jump never reaches the robot"):
        cell.do("drive robot Puma")
    assert real.joints == pytest.approx(HOME)
    cell.do("read robot Puma")
    assert cell.state.joints["Puma"] == pytest.approx(HOME)
    cell.do("move-joints-relative Puma 10,0,0,0,0,0")
    cell.do("drive robot Puma")
    assert real.joints[0] == pytest.approx(np.radians(10))


def test_reading_a_robot_can_be_undone_and_replayed_without_it(cell):
    there = HOME + 0.1
    cell.do(f"connect robot Puma to {at(StandIn(there, fast=True))}")
    cell.do("move-joints-relative Puma 1,0,0,0,0,0")
    with pytest.raises(Refused, match=r"does not stand where Puma began: joint \d differs by 5\.73°"):
        cell.do("drive robot Puma")
    cell.do("read robot Puma")
    assert cell.state.joints["Puma"] == pytest.approx(there)
    assert cell.replayed().state.joints["Puma"] == pytest.approx(there)
    cell.undo()
    assert cell.state.joints["Puma"] != pytest.approx(there)


def test_a_rename_keeps_the_connection(cell):
    real = StandIn(HOME, fast=True)
    cell.do(f"connect robot Puma to {at(real)}")
    cell.do("modify Puma name Arm")
    cell.do("read robot Arm")
    cell.do("move-joints-relative Arm 10,0,0,0,0,0")
    cell.do("drive robot Arm")
    assert real.joints[0] == pytest.approx(np.radians(10))
    assert "disconnected" in cell.do("disconnect robot Arm").text
    with pytest.raises(Refused, match="Arm is not connected to a real robot; `connect robot Arm to"):
        cell.do("read robot Arm")


# ---- what goes wrong -----------------------------------------------------------------------------------


def replying(answers):
    """A server that sends these lines, one for each line that it receives, and then closes."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve():
        with server:
            client, _ = server.accept()
            with client, contextlib.suppress(OSError), client.makefile("rb") as lines:  # the driver may close first
                for answer in answers:
                    if not lines.readline():
                        return
                    if answer is None:
                        threading.Event().wait(0.6)
                    else:
                        client.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()
    return f"tcp://127.0.0.1:{server.getsockname()[1]}"


HELLO = b'{"joints": 6}\n'


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([b'{"joints": 5}\n'], r"has 5 joints; Puma has 6\."),
        ([b'{"robot": "no"}\n'], r"is not a robot: it does not give its joints"),
        ([b"hello\n"], r"sent a line that is not an answer: b'hello'"),
        ([HELLO, b'{"joints": [1, 2]}\n'], r"must send 6 joint values; found \[1, 2\]"),
        ([HELLO, b'{"joints": [NaN, 0, 0, 0, 0, 0]}\n'], r"must send 6 joint values"),
        ([HELLO, b'{"joints": [9, 0, 0, 0, 0, 0]}\n'], r"stands where Puma cannot: "),
        ([HELLO, b'{"error": "the brake is on."}\n'], r"refused: the brake is on\."),
        ([HELLO], r"The connection to the robot at tcp://\S+ is lost"),
        ([None], r"sent nothing for 0\.2 s; it is slow or hangs"),
        ([b"x" * (1 << 21)], r"sent a line of more than"),
    ],
)
def test_a_wrong_robot_is_one_sentence_and_leaves_no_connection(cell, answers, message):
    with pytest.raises((MotionError, Refused), match=message) as caught:
        cell.do(f"connect robot Puma to {replying(answers)} timeout 0.2")
    assert "\n" not in str(caught.value)
    with pytest.raises(Refused, match="is not connected"):
        cell.do("read robot Puma")


def test_nobody_there_and_bad_addresses(cell):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(MotionError, match=r"No robot answers at tcp://127\.0\.0\.1:\d+: "):
        cell.do(f"connect robot Puma to tcp://127.0.0.1:{port}")
    for text in (
        "127.0.0.1:80",
        "http://127.0.0.1:80",
        "tcp://127.0.0.1",
        "tcp://:x",
        "tcp://127.0.0.1:99999",
        "tcp://[",
    ):
        with pytest.raises(InvalidValue, match="The address of a robot is tcp://HOST:PORT"):
            address_of(text)


def test_clients_of_a_server_reach_only_its_machine(cell, tmp_path):
    cell.session.files = FileAccess([tmp_path])
    with pytest.raises(Refused, match="may only connect to robots on its machine"):
        cell.do("connect robot Puma to tcp://192.0.2.1:5000")


def test_a_robot_that_is_lost_on_the_way_is_reported_and_the_model_stays(cell):
    here = json.dumps({"joints": HOME.tolist()}).encode() + b"\n"
    cell.do(f"connect robot Puma to {replying([HELLO, here, here])} timeout 1")
    cell.do("move-joints-relative Puma 10,0,0,0,0,0")
    before = cell.state
    with pytest.raises(MotionError, match="is lost"):
        cell.do("drive robot Puma")
    assert cell.state == before
    cell.do("disconnect robot Puma")


class OnItsWay(threading.Event):
    """Set as soon as a stand-in has moved."""

    def __init__(self, real):
        super().__init__()
        self._real = real

    def is_set(self):
        return bool(self._real.joints[0] > 0)


def test_a_motion_can_be_cancelled_and_the_robot_stops():
    real = StandIn(np.zeros(2))
    driver = TcpDriver(at(real))
    times = np.linspace(0, 600, 60001)
    with pytest.raises(MotionError, match=r"was stopped after [\d.]+ s of 600 s"):
        driver.send(times, np.column_stack([times, times]), OnItsWay(real))
    there = real.joints
    assert 0 < there[0] < 300
    assert driver.read() == pytest.approx(there)
    driver.send(times[:3] / 10, np.tile(there, (3, 1)))  # a stop ends one motion, not the next
    driver.close()


def test_another_connection_can_stop_a_motion():
    real = StandIn(np.zeros(1))
    address = at(real)
    driver, other = TcpDriver(address), TcpDriver(address)
    times = np.linspace(0, 600, 60001)
    stopping = threading.Thread(target=lambda: (_until(lambda: real.joints[0] > 0), other.stop()), daemon=True)
    stopping.start()
    with pytest.raises(MotionError, match="was stopped after"):
        driver.send(times, times[:, None])
    stopping.join()
    assert real.joints[0] < 300
    driver.close()
    other.close()


def _until(true):
    while not true():
        threading.Event().wait(0.001)


def test_a_slow_robot_is_reported(cell):
    cell.do(f"connect robot Puma to {at(StandIn(HOME, slow=1.5, fast=True))}")
    cell.do("move-joints-relative Puma 30,0,0,0,0,0")
    found = cell.do("drive robot Puma")
    assert found.took == pytest.approx(1.5 * found.duration)
    assert "s on the robot" in found.text
    assert found.joint_most > np.radians(5)  # it lags behind


def test_the_stand_in_runs_as_a_process_of_its_own(cell):
    command = ["-m", "workcell", "robot-stand-in", "puma560", "--fast", "--noise", "0.01", "--json"]
    with child(*command) as process:
        address = json.loads(process.line())["address"]
        cell.do(f"connect robot Puma to {address} timeout 20")
        cell.do("read robot Puma")
        cell.do("move-joints-relative Puma 20,0,0,0,0,0")
        found = cell.do("drive robot Puma")
        assert 0 < found.joint_most < np.radians(0.1)


def test_refused_requests_do_not_end_the_stand_in():
    real = StandIn(np.zeros(2), fast=True)
    driver = TcpDriver(at(real))
    for request in (
        {"do": "dance"},
        {},
        {"do": "follow", "times": [0, 1], "joints": [[0], [1]]},
        {"do": "follow", "times": [1, 0], "joints": [[0, 0], [1, 1]]},
        {"do": "follow", "times": "x"},
    ):
        with pytest.raises(MotionError, match="refused"):
            driver._ask(request)
    assert driver.read() == pytest.approx([0, 0])
    with pytest.raises(InvalidValue, match="Noise is 0 or more"):
        StandIn(np.zeros(2), noise=-1.0)
    driver.close()


def test_the_last_line_says_where_the_robot_stands(cell):
    """What it measured on the way was right, but it ended somewhere else."""
    arm = robot("planar2r")
    times = np.linspace(0, 1, 11)
    joints = np.column_stack([times, 0 * times])
    found = deviation(arm, times, joints, Followed(times, joints, joints[-1] + [0.0, -0.3]))
    assert found.joint_most == 0.0
    assert (found.end_joint, found.end_most) == (2, pytest.approx(0.3))


def test_another_model_and_narrower_limits_are_named(cell):
    puma = robot("puma560")
    narrow = puma.limits.copy()
    narrow[1] = np.radians([-30, 40])
    port, _ = StandIn(puma.home, fast=True, model="irb6400", limits=narrow).serve()
    answer = str(cell.do(f"connect robot Puma to tcp://127.0.0.1:{port}"))
    assert "note: the robot calls itself irb6400; the model of Puma is puma560" in answer
    assert "note: joint 2 of the robot goes from -30 deg to 40 deg; that of Puma from " in answer
    assert answer.count("note:") == 2
    cell.do("disconnect robot Puma")
    port, _ = StandIn(puma.home, fast=True, model="puma560", limits=puma.limits).serve()
    assert "note" not in str(cell.do(f"connect robot Puma to tcp://127.0.0.1:{port}"))


def test_a_live_robot_makes_every_motion_of_its_model_and_jumps_never(cell):
    stand_in = StandIn(cell.state.joints["Puma"], fast=True, offset=0.001)
    port, _ = stand_in.serve()
    cell.do(f"connect robot Puma to tcp://127.0.0.1:{port} --live")
    moved = cell.do("move-joints-relative Puma 10,0,0,0,0,0")
    assert "Puma: " in str(moved)
    assert "it stands 0.0573 deg from its model" in str(moved)
    np.testing.assert_allclose(stand_in.joints, cell.state.joints["Puma"])
    cell.do("program tidy\nmove-joints-relative Puma 0,5,0,0,0,0\nmove-joints-relative Puma 0,0,5,0,0,0\nend")
    assert "a jump never reaches the robot" in str(cell.do("run tidy"))  # it begins in the initial state
    cell.do("read robot Puma")
    cell.do("keep state")
    assert "the greatest deviation is" in str(cell.do("run tidy"))
    np.testing.assert_allclose(stand_in.joints, cell.state.joints["Puma"])
    followed = stand_in.followed
    answer = cell.do("set joints Puma 0,0,-90,0,90,0")
    assert "a jump never reaches the robot" in str(answer)
    cell.do("add solid Box box 10 10 10 at 900,0,0")
    assert "did not follow" not in str(cell.do("read robot Puma"))
    assert stand_in.followed == followed
