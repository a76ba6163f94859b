"""A robot of a server has the calls of a robot of the local simulator, and does the same with them."""

from __future__ import annotations

import contextlib
import inspect

import numpy as np
import pytest

import workcell as wc
from workcell.errors import JointLimit, UnknownName
from workcell.service.remote_robot import RemoteRobot
from workcell.service.server import Server
from workcell.simulation.simulated_robot import SimulatedRobot

HERE_ONLY = {
    "branch_rule": "over the wire, `show ROBOT`",
    "follow": "takes polynomials; over the wire, `follow-table` and `follow-function` do it",
    "follow_path": "takes polynomials",
    "gripper_time": "a matter of the simulator",
    "guide": "over the wire, `guide`",
    "grip_pose": "over the wire, `fk`",
    "hand_pose": "over the wire, `fk`",
    "has_hand": "a matter of the simulator",
    "held": "over the wire, `client.state.attached`",
    "holds": "over the wire, `client.state.attached`",
    "joints_for": "over the wire, `ik`",
    "limits": "over the wire, `show ROBOT`",
    "opening": "over the wire, `show ROBOT`",
    "own_point": "a matter of the simulator",
    "point_of_hand": "a matter of the simulator",
    "require_going": "a matter of the simulator",
    "robot": "the robot itself is not in this process",
    "settings": "over the wire, `show ROBOT`",
    "track": "set-points are given by callbacks in the process of the simulator",
    "velocities": "a matter of callbacks",
}
SCENE = (
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "add solid table box 600 800 100 at 550,0,-50",
    "add solid cube box 40 40 40 at 500,-150,20 --movable",
    "speed Puma 0.3rad/s",
)
DOWN = wc.Pose.from_axis_angle((0, 1, 0), np.pi)


@contextlib.contextmanager
def opened():
    with wc.Cell() as cell:
        for line in SCENE:
            cell.do(line)
        yield cell.session


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_every_call_of_a_local_robot_is_there_or_named_as_local():
    missing = public(SimulatedRobot) - public(RemoteRobot) - set(HERE_ONLY) - {"name"}
    assert missing == set()


def test_the_parameters_have_the_same_names():
    for name in public(RemoteRobot) & public(SimulatedRobot):
        here, there = getattr(SimulatedRobot, name), getattr(RemoteRobot, name)
        if callable(here):
            extra = set(inspect.signature(there).parameters) - set(inspect.signature(here).parameters)
            assert extra == set(), name


def work(robot) -> None:
    robot.move_joints_relative(np.radians([-20, 0, 0, 0, 0, 10]))
    robot.move_end_effector(wc.Pose.from_xyz(0.5, -0.15, 0.15) @ DOWN, point="grip")
    robot.move_straight_line(wc.Pose.from_xyz(0.5, -0.15, 0.02) @ DOWN, point="grip", hand_speed=0.1)
    robot.close_gripper()
    robot.move_hand(wc.Pose.from_xyz(0, 0, 0.2), frame="world", profile="345")
    robot.move_circular([0.5, 0.0, 0.3], wc.Pose.from_xyz(0.5, 0.1, 0.2) @ DOWN, point="grip")
    robot.move_path([wc.Pose.from_xyz(0.45, y, 0.2) @ DOWN for y in (0.1, 0.2)], blend=0.01, point="grip")
    robot.open_gripper(settle=True)
    robot.move_joints_absolute([0, 0, -np.pi / 2, 0, np.pi / 2, 0])


def test_the_same_calls_give_the_same_recording_state_and_time():
    with opened() as session:
        sim = wc.Simulator(session.snapshot())
        work(sim.robot("Puma"))
        with Server(opened) as server, wc.connect(server.url) as client:
            work(client.robot("Puma"))
            assert client.recording.to_bytes() == sim.recording.to_bytes()
            assert client.time == sim.time
            there = client.state
            assert there.joints.keys() == sim.state.joints.keys()
            np.testing.assert_array_equal(there.joints["Puma"], sim.state.joints["Puma"])
            np.testing.assert_array_equal(there.poses["cube"].matrix, sim.state.poses["cube"].matrix)
            assert there.attached == sim.state.attached
            np.testing.assert_array_equal(client.robot("Puma").tool_pose.matrix, sim.robot("Puma").tool_pose.matrix)


def test_errors_are_the_same_classes():
    with Server(opened) as server, wc.connect(server.url) as client:
        with pytest.raises(UnknownName, match="Puma"):
            client.robot("Pume")
        robot = client.robot("Puma")
        with pytest.raises(JointLimit):
            robot.move_joints_absolute([10, 0, 0, 0, 0, 0])
        with pytest.raises(wc.WorkcellError, match="Expected a pose"):
            robot.move_end_effector([1, 2, 3])
        client.do("modify Puma name Paul")
        with pytest.raises(UnknownName, match="Paul"):
            robot.joints
