"""The commands of the Agent language on grasping."""

from __future__ import annotations

from typing import Any

from workcell.languages.agent import codes as c
from workcell.languages.agent.codes import AgentProblem
from workcell.languages.agent.command import AgentCommand
from workcell.languages.agent.motions import fixed, hand
from workcell.languages.agent.turn import DEGREE, MILLIMETRE, Turn
from workcell.wording import quoted

NEAR, TILT = 1.0 * MILLIMETRE, 1.0 * DEGREE
"""How far from the grasping point the hand may be when it grasps [m, rad]."""


def _point(turn: Turn) -> None:
    turn.expect(1)
    part = turn.plain(1)
    turn.call("set grasp", part=part, pose=turn.pose(2))


def _opening(turn: Turn) -> None:
    turn.expect(2, 2)
    part = turn.plain(1)
    turn.call("set grasp", part=part, opening=turn.positive(2) * MILLIMETRE)


def _approach(turn: Turn) -> None:
    turn.expect(2, 2)
    part = turn.plain(1)
    turn.call("set grasp", part=part, approach=turn.positive(2) * MILLIMETRE)


def _gap(turn: Turn) -> None:
    turn.expect(1, 1)
    gap = turn.number(1)
    if gap < 0.0:
        raise turn.illegal(1, f"A gap must not be negative; found {gap:g}.")
    turn.call("grasp-gap", distance=gap * MILLIMETRE)


def _empty_hand(turn: Turn) -> tuple[Any, str, Any]:
    """Return the hand of an agent, the part to grasp and its grasp; refused if the hand holds something."""
    turn.expect(2, 2)
    now, part = hand(turn), turn.plain(2)
    if now.holds:
        raise AgentProblem(c.HOLDS, f"{now.robot} holds {now.holds[0]}.", held=now.holds[0])
    found = turn.call("grasps", part=part).grasps
    if not found:
        raise turn.illegal(2, f"{turn.word(2)} has no grasping point; define-grasping-point gives it one.")
    return now, part, found[0]


def _move_to_grasp(turn: Turn) -> None:
    now, _, grasp = _empty_hand(turn)
    robot = f"robot:{quoted(now.robot)}"
    if now.opening is not None and grasp.approach is not None and grasp.approach != now.opening:
        turn.call("open-gripper", robot=robot, opening=grasp.approach)
    parameters = {"robot": robot, "poses": [grasp.matrix], "point": now.point, "display_tries": turn.settings.tries}
    touching = None if now.opening is not None else f"object:{quoted(turn.word(2))}"
    turn.call("find-path", **parameters, touching=touching, **fixed(now.branch))


def _grasp(turn: Turn) -> None:
    now, part, _ = _empty_hand(turn)
    robot = f"robot:{quoted(now.robot)}"
    command = "grip" if now.opening is None else "close-gripper"
    turn.call(command, robot=robot, part=part, distance=NEAR, angle=TILT)


def _release(turn: Turn) -> None:
    turn.expect(2, 2)
    now, part = hand(turn), turn.plain(2)
    name = turn.word(2)
    if name not in now.holds:
        raise AgentProblem(c.HOLDS_NOT, f"{now.robot} does not hold {name}.", held=name)
    if now.opening is None:
        turn.call("release", part=part)
    else:
        turn.call("open-gripper", robot=f"robot:{quoted(now.robot)}")


GRASPING = (
    AgentCommand(
        "define-grasping-point", "<object> <x> <y> <z> <roll> <pitch> <yaw>",
        "say where the hand holds an object, in its frame", ("set grasp",), _point,
    ),
    AgentCommand(
        "define-grasping-opening", "<object> <distance>", "say how far open the hand holds an object", ("set grasp",),
        _opening,
    ),
    AgentCommand(
        "define-default-grasping-gap", "<distance>", "say how much farther the hand opens when it moves in",
        ("grasp-gap",), _gap,
    ),
    AgentCommand(
        "define-approach-opening", "<object> <distance>", "say how far the hand opens when it moves in to an object",
        ("set grasp",), _approach,
    ),
    AgentCommand(
        "move-to-grasp", "<agent> <object>", "open the hand and bring it to the grasping point of an object",
        ("hand", "grasps", "open-gripper", "find-path"), _move_to_grasp,
    ),
    AgentCommand(
        "grasp", "<agent> <object>", "close the hand on an object at its grasping point",
        ("hand", "grasps", "close-gripper", "grip"), _grasp,
    ),
    AgentCommand(
        "release", "<agent> <object>", "open the hand; the object stays where it is",
        ("hand", "open-gripper", "release"), _release,
    ),
)  # fmt: skip
