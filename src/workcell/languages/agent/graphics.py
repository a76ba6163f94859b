"""The commands of the Agent language on pictures: camera, colours, lamps, ways of drawing."""

from __future__ import annotations

from workcell.languages.agent.command import AgentCommand
from workcell.languages.agent.turn import DEGREE, MILLIMETRE, Turn
from workcell.spatial.pose import Pose
from workcell.wording import quoted

VIEW = "agent"
"""The view of the cell that the camera commands change."""
SURFACES = {"wireframe": "wireframe", "solid": "solid", "shade": "shaded"}
"""The display types, each with how `render` draws surfaces."""


def _place(turn: Turn) -> list[float]:
    return [value * MILLIMETRE for value in turn.numbers(1, 3)]


def _look_from(turn: Turn) -> None:
    turn.call("look", view=VIEW, eye=_place(turn))


def _look_at(turn: Turn) -> None:
    turn.call("look", view=VIEW, target=_place(turn))


def _twist(turn: Turn) -> None:
    turn.expect(2, 2)
    angle = turn.number(1) * DEGREE
    turn.call("look", view=VIEW, **{"turn" if turn.flag(2) else "twist": angle})


def _define_color(turn: Turn) -> None:
    turn.expect(4, 4)
    name, rgb = turn.word(1), [turn.number(index) for index in (2, 3, 4)]
    for index, share in enumerate(rgb, start=2):
        if not 0.0 <= share <= 1.0:
            raise turn.illegal(index, f"An intensity is 0 to 1; found {share:g}.")
    turn.suspect = 1
    with turn.group():
        if turn.session.database.find("colour", name) is None:
            turn.call("create colour", name=quoted(name))
        turn.call("modify", thing=f"colour:{quoted(name)}", field="rgb", value=rgb)


def _light_source(turn: Turn) -> None:
    turn.expect(4, 5)
    place = [turn.number(index) * MILLIMETRE for index in (1, 2, 3)]
    colour = turn.colour(4)
    name = turn.session.database.free_name("light", "lamp")
    with turn.group():
        turn.call("create light", name=quoted(name), colour=colour)
        if turn.count == 5:
            turn.call("modify", thing=f"light:{quoted(name)}", field="ambient", value="yes")
        turn.call("place", thing=f"light:{quoted(name)}", pose=Pose.from_xyz(*place))


def _surfaces(turn: Turn) -> str:
    turn.expect(1, 1)
    kind = SURFACES.get(turn.word(1))
    if kind is None:
        raise turn.illegal(1, f"A display type is {', '.join(SURFACES)}; found {turn.word(1)!r}.")
    return kind


def _display_type(turn: Turn) -> None:
    turn.call("look", view=VIEW, surfaces=_surfaces(turn))


GRAPHICS = (
    AgentCommand("look-from", "<x> <y> <z>", "put the eye of the camera somewhere", ("look",), _look_from),
    AgentCommand("look-at", "<x> <y> <z>", "point the camera", ("look",), _look_at),
    AgentCommand("twist-camera", "<angle> <incremental>", "turn the picture clockwise", ("look",), _twist),
    AgentCommand(
        "define-color", "<name> <r> <g> <b>", "define a colour by its intensities from 0 to 1",
        ("create colour", "modify"), _define_color,
    ),
    AgentCommand(
        "light-source", "<x> <y> <z> <color> [<ambient>]", "add a lamp", ("create light", "modify", "place"),
        _light_source,
    ),
    AgentCommand(
        "display-type", "wireframe|solid|shade", "choose how surfaces are drawn", ("look",), _display_type,
        reads=_surfaces,
    ),
)  # fmt: skip
