"""Commands on real robots: connect robot, read robot, drive robot, halt robot, disconnect robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workcell.commands.driven_robots import driven_text, model_doubts
from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Number, Text
from workcell.commands.results import Done, Result
from workcell.commands.typed_steps import carried_out
from workcell.errors import Refused
from workcell.programs import steps as s
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.robot_driver import RobotLink

STAND_IN = "stand-in"
"""The address of a stand-in in the same process."""
_ROBOT = Ref("robot", "mechanism")


class Driven(Result, frozen=True):
    """A motion that a real robot made, and how far it was from its model [s, rad or m, m]."""

    robot: str
    duration: float
    took: float
    joint: int
    joint_most: float
    joint_time: float
    hand_most: float
    hand_time: float
    samples: int
    end_joint: int
    end_most: float
    text: str

    def __str__(self) -> str:
        return self.text


def _link(session: Session, robot: Entity) -> RobotLink:
    found = session.robot_links.get(robot.id)
    if found is None:
        raise Refused(
            f"{robot.name} is not connected to a real robot; `connect robot {robot.name} to tcp://HOST:PORT` does that."
        )
    found.name = robot.name  # it may have been renamed
    return found


@command(
    "connect robot {robot} to {address} [timeout {timeout}] [--live]",
    help="connect a robot of the cell to a real one, or to a stand-in",
    effect="reads",
    robot=_ROBOT,
    address=Text(),
    timeout=Number("time", positive=True),
    param_help={
        "address": "tcp://HOST:PORT; or stand-in for a robot that is not there, in this process",
        "timeout": "how long each answer of the robot may take; default 5 s",
        "live": "let the robot make every motion as soon as its model has made it, and report how far they differed",
    },
    examples=[
        "> create robot Puma puma560",
        "connect robot Puma to stand-in",
        "disconnect robot Puma",
        "connect robot Puma to stand-in --live",
    ],
)
def connect_robot(
    session: Session, robot: Entity, address: str, timeout: float | None = None, live: bool = False
) -> Done:
    """The connection belongs to the session and is not saved. Nothing moves.

    A robot with another number of joints is refused. Another model, or narrower limits, are named in the answer.

    `workcell robot-stand-in` starts a stand-in. Clients of a server may only connect to the machine of the server.
    """
    from workcell.simulation.robot_driver import RobotLink
    from workcell.simulation.stand_in import StandIn
    from workcell.simulation.tcp_driver import WAIT, TcpDriver, address_of, is_local

    if robot.id in session.robot_links:
        there = session.robot_links[robot.id].driver.address
        raise Refused(f"{robot.name} is already connected to {there}; `disconnect robot {robot.name}` first.")
    placed = session.snapshot().robot(robot.name)
    if address == STAND_IN:
        address = f"tcp://127.0.0.1:{StandIn(session.state.joints[robot.name], fast=True).serve()[0]}"
    host, _ = address_of(address)
    if session.files.confined and not is_local(host):
        raise Refused("Clients of a server may only connect to robots on its machine, such as tcp://127.0.0.1:5000.")
    driver = TcpDriver(address, timeout or WAIT)
    try:
        joints = session.state.joints[robot.name]
        link = RobotLink(driver, robot.name, placed.robot, session.state.time, joints, live)
        link.read(placed.robot)
    except Exception:
        driver.close()
        raise
    session.robot_links[robot.id] = link
    doubts = model_doubts(robot.name, placed.robot, driver.introduced, session.units)
    text = f"{robot.name} is connected to {address}; `read robot {robot.name}` brings the model to it"
    return Done("\n".join([text, *doubts]))


@command(
    "disconnect robot {robot}",
    help="end the connection to a real robot",
    effect="reads",
    robot=_ROBOT,
    examples=["> create robot Puma puma560", "> connect robot Puma to stand-in", "disconnect robot Puma"],
)
def disconnect_robot(session: Session, robot: Entity) -> Done:
    """The robot stays where it is."""
    link = _link(session, robot)
    del session.robot_links[robot.id]
    link.driver.close()
    return Done(f"{robot.name} is disconnected from {link.driver.address}")


@command(
    "read robot {robot} [joints {joints}]",
    help="bring the model to the joint values of its real robot",
    effect="simulates",
    robot=_ROBOT,
    joints=JointVector(),
    param_help={"joints": "take these values instead of asking; the history keeps what was read in this way"},
    examples=[
        "> create robot Puma puma560",
        "> connect robot Puma to stand-in",
        "read robot Puma",
        "read robot Puma joints 10,0,-90,0,90,0",
    ],
)
def read_robot(session: Session, robot: Entity, joints: tuple[float, ...] | None = None) -> Done:
    """The model jumps there, without a motion. The step can be undone, and a replay does not need the robot."""
    one = session.snapshot().robot(robot.name).robot
    if joints is None:
        joints = tuple(float(value) for value in _link(session, robot).read(one))
        session.resolve(joints=joints)
    carried_out(session, s.SetJoints, {"robot": robot, "joints": joints})
    if robot.id in session.robot_links:
        begun = session.ongoing.begun
        recording = None if begun is None else begun.recording
        session.robot_links[robot.id].agree(session.simulator_now, np.array(joints), recording)
    kinds = ["length" if row.prismatic else "angle" for row in one.rows]
    shown = ", ".join(session.units.show(round(v, 9), kind) for v, kind in zip(joints, kinds, strict=True))
    return Done(f"{robot.name} stands as its robot: {shown}")


@command(
    "drive robot {robot}",
    help="let the real robot make the motions that its model made since they last agreed",
    effect="reads",
    robot=_ROBOT,
    examples=[
        "> create robot Puma puma560",
        "> connect robot Puma to stand-in",
        "> move-joints-relative Puma 30,0,0,0,0,0",
        "drive robot Puma",
    ],
)
def drive_robot(session: Session, robot: Entity) -> Driven:
    """The answer is the greatest deviation of a joint and of the hand, and when it was.

    The model moves first, so what is sent was simulated and, if you watch collisions, tested. Jumps are never sent.
    """
    link = _link(session, robot)
    one = session.snapshot().robot(robot.name).robot
    found = link.drive(one, session.simulator.recording, session.cancel)
    text = driven_text(robot.name, one, found, session.units)
    return Driven(
        robot.name, found.duration, found.took, found.joint, found.joint_most, found.joint_time, found.hand_most,
        found.hand_time, found.samples, found.end_joint, found.end_most, text,
    )  # fmt: skip


@command(
    "halt robot {robot}",
    help="stop the real robot where it is",
    effect="reads",
    robot=_ROBOT,
    examples=["> create robot Puma puma560", "> connect robot Puma to stand-in", "halt robot Puma"],
)
def halt_robot(session: Session, robot: Entity) -> Done:
    """The model does not move. Cancelling `drive robot` stops the robot too."""
    link = _link(session, robot)
    link.driver.stop()
    return Done(f"{link.driver.address} was asked to stop; `read robot {robot.name}` brings the model to it")
