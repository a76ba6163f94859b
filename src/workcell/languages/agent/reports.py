"""The commands of the Agent language that report and store positions."""

from __future__ import annotations

import math

from workcell.languages.agent.command import AgentCommand
from workcell.languages.agent.motions import hand
from workcell.languages.agent.turn import ANGLES, DEGREE, MILLIMETRE, Turn, shown
from workcell.spatial.pose import Pose
from workcell.wording import quoted


def _resynchronise(turn: Turn) -> None:
    """Bring the model of an agent to its real robot, if it is connected to one."""
    name = turn.agent()
    robot = turn.session.database.find("robot", name)
    if robot is not None and robot.id in turn.session.robot_links:
        turn.call("read robot", robot=f"robot:{quoted(name)}")


def _get_position(turn: Turn) -> None:
    turn.expect(1, 1)
    _resynchronise(turn)
    now = hand(turn)
    pose = Pose(now.matrix)
    turns = [math.pi if angle + math.pi < 1e-9 else angle for angle in pose.angles(ANGLES)]  # 180, never -180
    values = (*pose.xyz.tolist(), *turns)
    turn.report("position", now.robot, shown(values, (*(MILLIMETRE,) * 3, *(DEGREE,) * 3)))


def _angles(turn: Turn) -> str:
    now = hand(turn)
    turn.report("position", now.robot, shown(now.joints, tuple(MILLIMETRE if s else DEGREE for s in now.slides)))
    return str(now.robot)


def _get_angles(turn: Turn) -> None:
    turn.expect(1, 1)
    _resynchronise(turn)
    _angles(turn)


def _record_angles(turn: Turn) -> None:
    turn.expect(2, 2)
    turn.agent()
    name = turn.word(2)
    if turn.is_number(2):
        raise turn.illegal(2, f"The name of a vector must not be a number; found {name!r}.")
    _resynchronise(turn)
    turn.call("record-position", name=quoted(name), robot=f"robot:{quoted(turn.agent())}")
    turn.suspect = 2
    _angles(turn)
    if turn.settings.positions_file:
        turn.call("save-positions", file=turn.settings.positions_file, replace=True)


def _save(turn: Turn) -> None:
    turn.expect(1, 1)
    file = turn.word(1)
    turn.call("save-positions", file=file, replace=True)
    turn.settings.positions_file = file


def _load(turn: Turn) -> None:
    turn.expect(1, 1)
    file = turn.word(1)
    turn.call("load-positions", file=file)
    turn.settings.positions_file = file


REPORTS = (
    AgentCommand("get-position", "<agent>", "report where the hand is", ("hand", "read robot"), _get_position),
    AgentCommand("get-angles", "<agent>", "report the joint values", ("hand", "read robot"), _get_angles),
    AgentCommand(
        "record-angles", "<agent> <vector>", "report the joint values and store them under a name",
        ("hand", "read robot", "record-position", "save-positions"), _record_angles,
    ),
    AgentCommand("save-positions", "<filename>", "save all vectors", ("save-positions",), _save),
    AgentCommand("load-positions", "<filename>", "load vectors", ("load-positions",), _load),
)  # fmt: skip
