"""Commands that handle parts by name: pick, put, hand-over, move above."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.references import Ref, Target
from workcell.commands.language.registry import command
from workcell.commands.language.values import Length
from workcell.commands.results import Result
from workcell.commands.typed_steps import carried_out
from workcell.programs import steps as s

if TYPE_CHECKING:
    from workcell.commands.session import Session

_CELL = (
    "> create robot Puma puma560 joints 0,0,-90,0,90,0",
    "> add solid table box 500 800 100 at 350,0,-50",
    "> add solid tray box 200 200 20 at 400,250,10",
    "> add solid brick box 40 60 30 at 450,100,15 --movable",
)


class Handled(Result, frozen=True):
    """A robot handled a part.

    Attributes:
        part: the part.
        robot: the robot that did it, or that holds the part now.
        action: ``picked``, ``put``, ``handed over`` or ``moved above``.
        duration: how long it took [s].
        time: what the clock says [s].
        grasp: the grasp by which the robot took it; '' where the part has none, or none was needed.
        on: what the part stands on now; '' where it is held.
        falls: what fell meanwhile.
    """

    part: str
    robot: str
    action: str
    duration: float
    time: float
    grasp: str = ""
    on: str = ""
    falls: tuple[str, ...] = ()

    def __str__(self) -> str:
        by = f" by {self.grasp}" if self.grasp else ""
        what = {
            "picked": f"{self.robot} picked {self.part}{by}",
            "put": f"{self.robot} put {self.part}{f' on {self.on}' if self.on else ' down'}",
            "handed over": f"{self.robot} took {self.part}{by}",
            "moved above": f"{self.robot} moved above {self.part}",
        }[self.action]
        text = f"{what} in {self.duration:.4f} s, on a way that is proved free; simulated time {self.time:.4f} s"
        return "\n".join([text, *self.falls])


def _handled(session: Session, kind: type[s.Step], given: dict[str, Any], action: str) -> Handled:
    done = carried_out(session, kind, given)
    found = done.found
    time = session.simulator_time
    return Handled(found.part, found.robot, action, done.duration, time, found.grasp, found.on, done.falls)


@command(
    "pick {part} [with {robot}]",
    help="let a robot pick a part up: it finds a grasp and a free way to it",
    effect="simulates",
    part=Ref("object"),
    robot=Ref("robot"),
    param_help={"part": "a movable object", "robot": "default: the only robot of the cell"},
    examples=[*_CELL, "pick brick with Puma"],
)
def pick(session: Session, **given: Any) -> Handled:
    """Every grasp of the part is tried, in every branch of the arm; a part without grasps is taken along its axes.

    The way there, the straight way in and the way off what the part stands on are proved free before the robot moves.
    Where it cannot, the answer names each grasp with the reason: out of reach, in contact with what, too wide.
    """
    return _handled(session, s.Pick, given, "picked")


@command(
    "put {part} [on {on}] [at {pose}] [with {robot}]",
    help="let a robot put a part on something, or at a pose",
    effect="simulates",
    part=Ref("object"),
    on=Ref("object", "robot", "mechanism"),
    pose=Target(),
    robot=Ref("robot"),
    param_help={
        "part": "a movable object; if no robot holds it, it is picked up first",
        "on": "what the part is to stand on; without a pose, in its middle or as near to that as there is room",
        "pose": "where the origin of the part is to be: in the world, or with `on` in the frame of that object",
        "robot": "default: the robot that holds the part",
    },
    examples=[
        *_CELL,
        "put brick on tray with Puma",
        "> pick brick with Puma",
        "put brick at 450,-100,15",
        "put brick on tray at 0,0,25 with Puma",
    ],
)
def put(session: Session, **given: Any) -> Handled:
    """The robot releases the part where it stands; `place` moves a part in the model and no robot moves.

    You may write `place PART on THING` and `place PART at POSE with ROBOT` too.
    """
    return _handled(session, s.Put, given, "put")


@command(
    "hand-over {part} to {robot}",
    help="let the robot that holds a part hand it to another robot",
    effect="simulates",
    part=Ref("object"),
    robot=Ref("robot"),
    param_help={"part": "a part that a robot holds", "robot": "who takes it"},
    examples=[
        "> create robot A puma560 joints 0,0,-90,0,90,0",
        "> create robot B puma560 at 1500,0,0 rotate 0,0,180 joints 0,0,-90,0,90,0",
        "> add solid ball sphere 30 at 500,-150,30 --movable",
        "> pick ball with A",
        "hand-over ball to B",
    ],
)
def hand_over(session: Session, **given: Any) -> Handled:
    """The robots find a place to meet. The second closes its gripper before the first opens its own.

    You may write `hand PART to ROBOT` too.
    """
    return _handled(session, s.HandOver, given, "handed over")


@command(
    "move {robot} above {part} [{distance}]",
    help="bring a hand above a part by a path that touches nothing",
    effect="simulates",
    robot=Ref("robot"),
    part=Ref("object"),
    distance=Length(),
    param_help={"part": "any object", "distance": "from its highest point to the grip point; default 100 mm"},
    examples=[*_CELL, "move Puma above brick", "move Puma above brick 60mm"],
)
def move_above(session: Session, **given: Any) -> Handled:
    """The hand points as a grasp of the part from above does; straight down if there is none."""
    return _handled(session, s.MoveAbove, given, "moved above")
