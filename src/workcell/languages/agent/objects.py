"""The commands of the Agent language that make, move, join and remove objects and agents."""

from __future__ import annotations

import itertools
import re

from workcell.commands.script import read_lines
from workcell.languages.agent import codes as c
from workcell.languages.agent.codes import AgentProblem
from workcell.languages.agent.command import AgentCommand
from workcell.languages.agent.turn import DEGREE, MILLIMETRE, Turn
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import about
from workcell.wording import quoted

SOLIDS = {"box": 3, "cylinder": 2, "cone": 2, "truncated-cone": 3, "sphere": 1}
"""The solids, each with the number of its sizes."""
DRAWINGS = ("line", "polyline", "polygon")
"""The objects that are drawn and have no inside: nothing collides with them."""
MOST_BYTES = 1 << 26
"""The largest ROBOSIM file that is read [bytes]."""
_MADE = ("create curve", "create surface", "create block", "attach", "create object", "place", "modify")


def _make_object(turn: Turn) -> None:
    turn.expect(3)
    name, kind = turn.new(1), _kind(turn)
    if kind in SOLIDS:
        _make_solid(turn, name, kind)
    else:
        _make_drawing(turn, name, kind)


def _kind(turn: Turn) -> str:
    """Return the solid or the drawing that the second argument names."""
    kind = turn.word(2)
    if kind not in SOLIDS and kind not in DRAWINGS:
        raise turn.illegal(2, f"An object is {', '.join((*SOLIDS, *DRAWINGS))}; found {kind!r}.")
    return kind


def _read_object(turn: Turn) -> None:
    kind = _kind(turn)
    if kind in SOLIDS:
        _sizes(turn, kind)
    else:
        _coordinates(turn, kind)


def _sizes(turn: Turn, kind: str) -> tuple[list[float], str | None]:
    """Return the sizes of a solid, and the colour behind them."""
    count = SOLIDS[kind]
    turn.expect(2 + count, 3 + count)
    return [turn.positive(3 + i) for i in range(count)], turn.colour(3 + count)


def _make_solid(turn: Turn, name: str, kind: str) -> None:
    sizes, colour = _sizes(turn, kind)
    shape = " ".join([kind, *(f"{size!r}mm" for size in sizes)])
    turn.suspect = 3
    turn.preview("add solid", name="agent-try", shape=shape)
    turn.suspect = 1
    turn.call("add solid", name=quoted(name), shape=shape, colour=colour, movable=True)


def _make_drawing(turn: Turn, name: str, kind: str) -> None:
    """Make an object of a curve or a surface; it starts at the origin."""
    numbers, colour = _coordinates(turn, kind)
    if kind == "line":
        points = [(0.0, 0.0, 0.0), (numbers[0], numbers[1], numbers[2])]
    else:
        points = [(x, y, 0.0) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
        points = points if points[0] == (0.0, 0.0, 0.0) else [(0.0, 0.0, 0.0), *points]
    if any(one == other for one, other in itertools.pairwise(points)):
        raise turn.illegal(3, "Two points that follow each other are the same.")
    if len(points) < (3 if kind == "polygon" else 2):
        raise AgentProblem(c.MISSING, "A drawing needs more points.")
    turn.suspect = 1
    shape = f"{name}-{kind}"
    with turn.group():
        if kind == "polygon":
            contour = " ".join(f"({x!r},{y!r})" for x, y, _ in points) + " mm"
            turn.call("create surface", name=quoted(shape), contour=[contour])
        else:
            control = " ".join(f"({x!r},{y!r},{z!r})" for x, y, z in points) + " mm"
            turn.call("create curve", name=quoted(shape), control=control, degree=1)
        turn.call("create block", name=quoted(shape), colour=colour)
        what = "surface" if kind == "polygon" else "curve"
        turn.call("attach", child=f"{what}:{quoted(shape)}", parent=f"block:{quoted(shape)}")
        turn.call("create object", name=quoted(name), movable=True)
        turn.call("attach", child=f"block:{quoted(shape)}", parent=f"object:{quoted(name)}")
        turn.call("place", thing=f"object:{quoted(name)}", pose=Pose.identity())


def _coordinates(turn: Turn, kind: str) -> tuple[list[float], str | None]:
    """Return the coordinates of a drawing, three of a line or any even number, and the colour behind them."""
    last, count = turn.count, 3 if kind == "line" else 0
    if count:
        turn.expect(2 + count, 3 + count)
        last = 2 + count
    elif not turn.is_number(last):
        last -= 1
    numbers = [turn.number(index) for index in range(3, last + 1)]
    if not numbers or (not count and len(numbers) % 2):
        raise AgentProblem(c.MISSING, "A point in the plane has two coordinates.")
    return numbers, turn.colour(last + 1)


def _translate(turn: Turn) -> None:
    turn.expect(1)
    thing, steps = turn.thing(1), dict(turn.keyed(2))
    x, y, z = (steps.get(axis, 0.0) * MILLIMETRE for axis in "xyz")
    turn.call("offset", thing=thing, by=Pose.from_xyz(x, y, z), frame="world")


def turned(steps: list[tuple[str, float]]) -> Pose:
    """Return turns about the axes of the workspace, one after the other in their order [degrees]."""
    pose = Pose.identity()
    for axis, angle in steps:
        pose = Pose.from_rotation(about(axis, angle * DEGREE)) @ pose
    return pose


def _rotate(turn: Turn) -> None:
    turn.expect(1)
    turn.call("offset", thing=turn.thing(1), by=turned(turn.keyed(2)), frame="world")


def _composite(turn: Turn, remove: bool) -> None:
    turn.expect(2)
    name = turn.new(1)
    parts = [turn.plain(index) for index in range(2, turn.count + 1)]
    for index, part in enumerate(parts):
        if part in parts[:index]:
            raise turn.illegal(index + 2, f"Argument {index + 2} names an object twice.")
    turn.suspect = 1
    turn.call("compose", name=quoted(name), parts=parts, remove_parts=remove)


def _make_composite(turn: Turn) -> None:
    _composite(turn, remove=False)


def _link(turn: Turn) -> None:
    _composite(turn, remove=True)


def _make_robosim(turn: Turn) -> None:
    """Run a ROBOSIM file up to its STORE-FILE of a name, and make one object of what it stores."""
    from workcell.languages.robosim.machine import read_object

    turn.expect(3, 4)
    name, file, stored, colour = turn.new(1), turn.word(2), turn.word(3), turn.colour(4)
    turn.suspect = 2
    text = "\n".join(read_lines(turn.session.files.read(file, MOST_BYTES)))
    turn.suspect = 3
    solids = read_object(text, stored, file)
    turn.suspect = 1
    with turn.group():
        if len(solids) == 1:
            turn.call("add solid", name=quoted(name), shape=solids[0], colour=colour, movable=True)
            return
        parts = [f"{name}-{number}" for number in range(1, len(solids) + 1)]
        for part, solid in zip(parts, solids, strict=True):
            turn.call("add solid", name=quoted(part), shape=solid, colour=colour, movable=True)
        whole = [f"object:{quoted(part)}" for part in parts]
        turn.call("compose", name=quoted(name), parts=whole, remove_parts=True)


def _make_agent(turn: Turn) -> None:
    turn.expect(2, 4)
    name = turn.new(1)
    model, colour = _agent_type(turn)
    turn.suspect = 1
    with turn.group():
        turn.call("create robot", name=quoted(name), model=model)
        turn.call("branch", robot=f"robot:{quoted(name)}", branch="agent")
        if colour is not None:
            turn.call("modify", thing=f"robot:{quoted(name)}", field="colour", value=colour)


def _agent_type(turn: Turn) -> tuple[str, str | None]:
    """Return the robot of the library that a type names, and the colour behind it.

    Blanks, case and hyphens do not count, so PUMA 560 is puma560.
    """
    library = turn.call("robots").robots
    models = {_plain(one.name): one.name for one in library}
    models |= {_plain(one.model): one.name for one in library if _plain(one.model) not in models}
    both = _plain("".join(turn.words.arguments[1:3]))
    used = 2 if turn.count > 2 and both in models else 1
    model = models.get(both if used == 2 else _plain(turn.word(2)))
    if model is None:
        raise turn.illegal(2, f"There is no agent type {turn.word(2)!r}; such types are PUMA 560 and irb6400.")
    turn.expect(1 + used, 2 + used)
    return model, turn.colour(2 + used)


def _plain(text: object) -> str:
    return re.sub(r"[^a-z0-9]", "", str(text).lower())


def _destroy(turn: Turn) -> None:
    turn.expect(1, 1)
    turn.call("remove", entity=turn.thing(1), deep=True)


OBJECTS = (
    AgentCommand(
        "make-object", "<name> <type> <parameters> [<color>]", "make an object at the origin of the workspace",
        ("add solid", *_MADE), _make_object, reads=_read_object,
    ),
    AgentCommand(
        "translate-object", "<object> x=<xtran> y=<ytran> z=<ztran>", "shift an object", ("offset",), _translate
    ),
    AgentCommand(
        "rotate-object", "<object> x=<xrot> y=<yrot> z=<zrot>", "turn an object about its own origin", ("offset",),
        _rotate,
    ),
    AgentCommand(
        "make-composite-object", "<name> <object1> <object2> ...", "join objects into a new one; they stay",
        ("compose",), _make_composite,
    ),
    AgentCommand(
        "link-objects", "<name> <object1> <object2> ...", "join objects into a new one; they are removed", ("compose",),
        _link,
    ),
    AgentCommand(
        "make-robosim-object", "<name> <filename> <objectname> [<color>]",
        "make an object of what a ROBOSIM file stores under a name", ("add solid", "compose"), _make_robosim,
    ),
    AgentCommand(
        "make-agent", "<name> <agent-type> [<color>]", "put a robot of the library at the origin of the workspace",
        ("robots", "create robot", "branch", "modify"), _make_agent, reads=_agent_type,
    ),
    AgentCommand("destroy-object", "<object>", "remove an object or agent", ("remove",), _destroy),
)  # fmt: skip
