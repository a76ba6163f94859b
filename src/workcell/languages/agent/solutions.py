"""The commands of the Agent language on inverse solutions, collisions and attempts."""

from __future__ import annotations

from workcell.languages.agent.command import AgentCommand
from workcell.languages.agent.turn import DEGREE, Turn
from workcell.wording import quoted

AUTOMATIC, MOST = -1, 7
"""The value for automatic selection, and the greatest index."""


def _set_solution(turn: Turn) -> None:
    turn.expect(2, 2)
    agent, value = turn.agent(), turn.number(2)
    if value != int(value) or not AUTOMATIC <= value <= MOST:
        raise turn.illegal(2, f"A solution is 0 … {MOST}, or {AUTOMATIC} for automatic selection; found {value:g}.")
    branch = "agent" if value == AUTOMATIC else str(int(value))
    turn.call("branch", robot=f"robot:{quoted(agent)}", branch=branch)


def _set_limit(turn: Turn) -> None:
    turn.expect(1, 1)
    limit = turn.number(1)
    if not 0.0 <= limit <= 720.0:
        raise turn.illegal(1, f"The limit is 0 to 720 degrees; found {limit:g}.")
    turn.call("large-move-limit", angle=limit * DEGREE)


def _get_solution(turn: Turn) -> None:
    turn.expect(1, 1)
    agent = turn.agent()
    turn.report("solution", agent, turn.call("solutions", robot=f"robot:{quoted(agent)}").index)


def _get_valid(turn: Turn) -> None:
    turn.expect(1, 1)
    agent = turn.agent()
    valid = turn.call("solutions", robot=f"robot:{quoted(agent)}").valid
    turn.report("valid solutions", agent, " ".join(str(index) for index in valid))


def _freeze(turn: Turn) -> None:
    turn.expect(1, 1)
    robot = f"robot:{quoted(turn.agent())}"
    turn.call("branch", robot=robot, branch=str(turn.call("solutions", robot=robot).index))


def _check(turn: Turn) -> None:
    turn.expect(1, 1)
    turn.call("watch", how="yes" if turn.flag(1) else "no")


def _tries(turn: Turn) -> None:
    turn.expect(1, 1)
    turn.settings.tries = turn.flag(1)


SOLUTIONS = (
    AgentCommand("set-solution", "<agent> <value>", "choose the inverse solution", ("branch",), _set_solution),
    AgentCommand(
        "set-large-move-limit", "<limit>", "set above which change of a joint another branch may be chosen",
        ("large-move-limit",), _set_limit,
    ),
    AgentCommand("get-solution", "<agent>", "report the inverse solution in use", ("solutions",), _get_solution),
    AgentCommand(
        "get-valid-solutions", "<agent>", "report the inverse solutions that are valid here", ("solutions",), _get_valid
    ),
    AgentCommand(
        "freeze-solution", "<agent>", "keep the inverse solution in use", ("solutions", "branch"), _freeze
    ),
    AgentCommand("set-collision-check", "<flag>", "test for collisions, or not", ("watch",), _check),
    AgentCommand(
        "display-tries", "<flag>", "record what path searches try, or not: the flag of find-path", ("find-path",),
        _tries,
    ),
)  # fmt: skip
