"""The commands of the Agent language that move agents."""

from __future__ import annotations

from typing import Any

from workcell.languages.agent.command import AgentCommand, Call
from workcell.languages.agent.objects import turned
from workcell.languages.agent.turn import DEGREE, MILLIMETRE, Turn
from workcell.spatial.pose import Pose
from workcell.wording import quoted

_READS = ("hand", "positions")
STEPS = 0.01, 360.0
"""The bounds of the step of a simulation [degrees]."""


def hand(turn: Turn, index: int = 1) -> Any:
    """Return what the registry knows about the hand of an agent."""
    return turn.call("hand", robot=f"robot:{quoted(turn.agent(index))}")


def _joints(turn: Turn, agent: int, first: int, last: bool = True) -> tuple[list[float], int]:
    """Return joint values, or those of a named vector, and the argument after them."""
    slides = hand(turn, agent).slides
    turn.expect(first)
    word = turn.word(first)
    known = {one.name: one for one in turn.call("positions").positions}
    if word in known:
        if last:
            turn.expect(first, first)
        if known[word].slides != slides:
            raise turn.illegal(first, f"{word!r} has other joints than {turn.words.arguments[agent - 1]}.")
        return list(known[word].joints), first + 1
    end = first + len(slides) - 1
    turn.number(first)
    turn.expect(end, end if last else None)
    values = [turn.number(index) for index in range(first, end + 1)]
    return [v * (MILLIMETRE if s else DEGREE) for v, s in zip(values, slides, strict=True)], end + 1


def _drive(turn: Turn) -> Call:
    turn.expect(1)
    agent = turn.agent()
    joints, _ = _joints(turn, 1, 2)
    return "move-joints-absolute", {"robot": f"robot:{quoted(agent)}", "joints": joints}


def _drive_find(turn: Turn) -> Call:
    turn.expect(1)
    agent = turn.agent()
    joints, _ = _joints(turn, 1, 2)
    parameters = {"robot": f"robot:{quoted(agent)}", "joints": joints}
    return "find-path", {**parameters, "display_tries": turn.settings.tries}


def _goal(turn: Turn, relative: bool) -> tuple[dict[str, Any], Pose, str]:
    """Return the agent with the point of its hand, the pose to go to, and the branch that the agent has to use."""
    turn.expect(1)
    now = hand(turn)
    if relative:
        turn.expect(2)
        turn.thing(2)
        pose = thing_pose(turn, 2) @ turn.pose(3)
    else:
        pose = turn.pose(2)
    return {"robot": f"robot:{quoted(now.robot)}", "point": now.point}, pose, now.branch


def thing_pose(turn: Turn, index: int) -> Pose:
    """Return where an object is; an agent is where its base is."""
    return Pose(turn.call("where", thing=turn.thing(index)).base)


def _straight(turn: Turn, relative: bool = False) -> Call:
    parameters, pose, _ = _goal(turn, relative)
    return "move-straight-line", {**parameters, "pose": pose}


def _inter(turn: Turn, relative: bool = False) -> Call:
    parameters, pose, _ = _goal(turn, relative)
    return "move-end-effector", {**parameters, "pose": pose}


def _find(turn: Turn, relative: bool = False) -> Call:
    parameters, pose, branch = _goal(turn, relative)
    return "find-path", {**parameters, "poses": [pose], "display_tries": turn.settings.tries, **fixed(branch)}


def fixed(branch: str) -> dict[str, str]:
    """Return the parameter for a fixed branch; none if a rule chooses it, because then any branch is right."""
    return {"branch": branch} if branch[:1] in "01234567+-" and branch else {}


def _straight_to(turn: Turn) -> Call:
    return _straight(turn, relative=True)


def _inter_to(turn: Turn) -> Call:
    return _inter(turn, relative=True)


def _find_to(turn: Turn) -> Call:
    return _find(turn, relative=True)


def _by(turn: Turn, pose: Pose) -> Call:
    now = hand(turn)
    robot = f"robot:{quoted(now.robot)}"
    return "move-hand", {"robot": robot, "by": pose, "frame": "world", "point": now.point}


def _shift(turn: Turn) -> Pose:
    steps = dict(turn.keyed(2))
    x, y, z = (steps.get(axis, 0.0) * MILLIMETRE for axis in "xyz")
    return Pose.from_xyz(x, y, z)


def _translate_agent(turn: Turn) -> Call:
    turn.expect(1)
    turn.agent()
    return _by(turn, _shift(turn))


def _rotate_agent(turn: Turn) -> Call:
    turn.expect(1)
    turn.agent()
    return _by(turn, turned(turn.keyed(2)))


def _drive2(turn: Turn) -> None:
    turn.expect(2)
    agents = [turn.agent(1), turn.agent(2)]
    if agents[0] == agents[1]:
        raise turn.illegal(2, "The two agents are the same.")
    turn.agents = (agents[0], agents[1])
    first, after = _joints(turn, 1, 3, last=False)
    second, _ = _joints(turn, 2, after)
    moves = [
        {"command": "move-joints-absolute", "parameters": {"robot": f"robot:{quoted(agent)}", "joints": joints}}
        for agent, joints in zip(agents, (first, second), strict=True)
    ]
    turn.call("together", moves=moves)


def _movexy(turn: Turn) -> Call:
    parameters, pose, _ = _goal(turn, relative=False)
    return "set hand", {**parameters, "pose": pose, "untested": True}


def _shift_agent(turn: Turn) -> Call:
    turn.expect(1)
    now = hand(turn)
    here, by = Pose(now.matrix), _shift(turn)
    there = Pose.from_rotation(here.rotation, here.xyz + by.xyz)
    return "set hand", {"robot": f"robot:{quoted(now.robot)}", "point": now.point, "pose": there, "untested": True}


def _minimal_step(turn: Turn) -> None:
    turn.expect(1, 1)
    value = turn.positive(1)
    if not STEPS[0] <= value <= STEPS[1]:
        raise turn.illegal(1, f"A step is {STEPS[0]:g} to {STEPS[1]:g} degrees; found {value:g}.")
    turn.call("step", angle=value * DEGREE)


_JOINTS = "<joint angles>|<vector>"
_COORDINATES = "<x> <y> <z> <roll> <pitch> <yaw>"
_KEYED = "x=<xtran> y=<ytran> z=<ztran>"


def _move(name: str, form: str, help: str, move: Any, onto: str, *reads: str, shares: bool = True) -> AgentCommand:
    calls = (*_READS, onto, *reads)
    return AgentCommand(name, f"<agent> {form}", help, calls, move=move, shares=shares)


MOTIONS = (
    _move("drive", _JOINTS, "move the joints to given values", _drive, "move-joints-absolute"),
    _move("drive-find", _JOINTS, "the same, by a path that touches nothing", _drive_find, "find-path"),
    _move("move-straight", _COORDINATES, "move the hand in a straight line", _straight, "move-straight-line"),
    _move("move-inter", _COORDINATES, "move the hand, with the joints directly there", _inter, "move-end-effector"),
    _move("find-path", _COORDINATES, "move the hand by a path that touches nothing", _find, "find-path"),
    _move(
        "move-straight-to", f"<object> {_COORDINATES}", "as move-straight, relative to an object", _straight_to,
        "move-straight-line", "where",
    ),
    _move(
        "move-inter-to", f"<object> {_COORDINATES}", "as move-inter, relative to an object", _inter_to,
        "move-end-effector", "where",
    ),
    _move(
        "find-path-to", f"<object> {_COORDINATES}", "as find-path, relative to an object", _find_to, "find-path",
        "where",
    ),
    _move("translate-agent", _KEYED, "shift the hand in a straight line", _translate_agent, "move-hand"),
    _move("rotate-agent", "x=<xrot> y=<yrot> z=<zrot>", "turn the hand where it is", _rotate_agent, "move-hand"),
    AgentCommand(
        "drive2", f"<agent1> <agent2> {_JOINTS} {_JOINTS}", "drive two agents at the same time",
        (*_READS, "together"), _drive2,
    ),
    _move("movexy", _COORDINATES, "put the hand somewhere in one step", _movexy, "set hand", shares=False),
    _move("shift", _KEYED, "shift the hand in one step", _shift_agent, "set hand", shares=False),
    AgentCommand("minimal-step", "<value>", "set the step of simulated motions", ("step",), _minimal_step),
)  # fmt: skip
