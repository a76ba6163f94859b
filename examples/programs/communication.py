"""The communication package of the thesis (McGill 1987, 4.6.2): programs in Python that drive a simulator elsewhere.

Every function sends one command and returns whether the simulator carried it out, as the functions in C do. The
error is printed here, and every window of the simulator shows it too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

import workcell as wc
from workcell.service.client import Client

_simulator: list[Client] = []


def init_comm(address: str | None = None) -> Client:
    """Establish the communication link; without an address, to the only server of this account."""
    _simulator[:] = [wc.connect(address)]
    return _simulator[0]


def clean() -> None:
    """Close the communication link."""
    _simulator.pop().close()


def affect_var(*degrees: float) -> list[float]:
    """Return joint values [deg]."""
    return list(degrees)


def speed(robot: str, rad_per_s: float) -> bool:
    """Set the speed of the joint that moves most."""
    return _carried_out("speed", robot=robot, speed=rad_per_s)


def move_joints_rel(robot: str, degrees: Sequence[float]) -> bool:
    """Move all joints by some angles."""
    return _carried_out("move-joints-relative", robot=robot, joints=np.radians(degrees).tolist())


def move_joints_abs(robot: str, degrees: Sequence[float]) -> bool:
    """Move all joints to some angles."""
    return _carried_out("move-joints-absolute", robot=robot, joints=np.radians(degrees).tolist())


def move_end_effector(robot: str, pose: wc.Pose) -> bool:
    """Move the grip point of the hand to a pose in the world."""
    return _carried_out("move-end-effector", robot=robot, pose=pose.matrix.tolist(), point="grip")


def close_gripper(robot: str) -> bool:
    """Grasp what is between the fingers."""
    return _carried_out("close-gripper", robot=robot)


def open_gripper(robot: str) -> bool:
    """Release what the gripper holds; it settles on what is below."""
    return _carried_out("open-gripper", robot=robot, settle=True)


def _carried_out(command: str, **parameters: object) -> bool:
    try:
        print(_simulator[0].call(command, **parameters))
    except wc.WorkcellError as error:
        print(error, file=sys.stderr)
        return False
    return True
