"""Commands that take parts and let them go: close-gripper, open-gripper."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from workcell.commands.loads import Carried, carried
from workcell.commands.references import Ref
from workcell.commands.registry import command
from workcell.commands.results import Done, Result
from workcell.commands.typed_steps import carried_out
from workcell.commands.values import Length, Number
from workcell.errors import InvalidValue
from workcell.programs import steps as s
from workcell.spatial.units import tidy
from workcell.world.setup import FALL

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.grasping import Held

_STAGE = (
    "> create robot Puma puma560",
    "> add solid cube box 40 40 40 at 500,-150,20 --movable",
    "> move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip",
)


class Taken(Result, frozen=True):
    """A part was taken: by whom, from whom, how well the hand was around it [rad, m], and what the arm carries now."""

    part: str
    robot: str
    taken_from: str
    grasp: str
    angle: float
    width: float
    distance: float
    load: Carried
    falls: tuple[str, ...] = ()
    """What cannot stand any more without the part."""

    def __str__(self) -> str:
        source = f" from {self.taken_from}" if self.taken_from else ""
        at = f" at {self.grasp}" if self.grasp else ""
        taken = (
            f"{self.robot} takes {self.part}{source}{at}: {self.width * 1e3:.4g} mm between the fingers, "
            f"{tidy(round(math.degrees(self.angle), 3))}° off its axis, {tidy(round(self.distance * 1e3, 3))} mm away"
        )
        return "\n".join([taken, str(self.load), *self.falls])


class LetGo(Result, frozen=True):
    """A gripper opened: whose, which part it let go or '', and what is wrong with how that stands now.

    ``open`` says that it was open before and held nothing, so that nothing was done.
    """

    robot: str
    part: str
    falls: tuple[str, ...] = ()
    open: bool = False

    def __str__(self) -> str:
        if self.open:
            return f"The gripper of {self.robot} is open and holds nothing"
        done = f"{self.robot} lets {self.part} go" if self.part else f"{self.robot} opens its gripper"
        return "\n".join([done, *self.falls])


@command(
    "close-gripper {robot} [within {distance}] [angle {angle}]",
    help="take the part that the fingers are around",
    effect="simulates",
    robot=Ref("robot"),
    distance=Length(),
    angle=Number("angle"),
    param_help={
        "distance": "how far the grip point may be from the part; 10 mm unless given",
        "angle": "how far the approach may be from an axis of the part; 5 degrees unless given",
    },
    examples=[*_STAGE, "close-gripper Puma within 5mm angle 3deg"],
)
def close_gripper(session: Session, **given: Any) -> Taken:
    """A part that another robot holds is handed over; closing on nothing says which test the nearest part failed.

    The answer weighs all that the robot then carries against its payload.
    """
    done = carried_out(session, s.CloseGripper, given)
    held: Held = done.found
    return Taken(
        held.part, held.robot, held.taken_from, held.grasp, held.angle, held.width, held.distance, carried(held.load),
        done.falls,
    )  # fmt: skip


@command(
    "allowed-fall {height}",
    help="set how far a part may fall when a gripper lets it go",
    effect="edits",
    height=Length(),
    examples=["allowed-fall 20mm"],
)
def allowed_fall(session: Session, height: float) -> Done:
    """Kept in the cell; 50 mm by default. A part that falls farther is reported, and stops what is watched."""
    if not 0.0 <= height < math.inf:
        raise InvalidValue(f"A part may fall by zero or more; found {session.units.show(height, 'length')}.")
    session.database.set_setting(session.rows, FALL, repr(float(height)))
    return Done(f"a part may fall {session.units.show(height, 'length')}")


@command(
    "open-gripper {robot} [to {opening}] [on {on}] [--settle]",
    help="let the part go",
    effect="simulates",
    robot=Ref("robot"),
    opening=Length(),
    on=Ref("object", "robot", "mechanism"),
    param_help={
        "opening": "between the pads; as far as they go unless given",
        "on": "what the part is to come to stand on; it falls then, as with `--settle`",
    },
    examples=[
        *_STAGE,
        "> add solid stage box 200 200 10 at 500,-150,-5",
        "> close-gripper Puma",
        "open-gripper Puma on stage",
        "open-gripper Puma to 50mm",
    ],
)
def open_gripper(session: Session, **given: Any) -> LetGo:
    """It stays where it is; with `--settle` it falls straight down on what is below.

    A part that falls farther than `allowed-fall`, lands elsewhere than planned, or whose centre of mass is beside what
    carries it is reported; where collisions are watched that is a stop.
    """
    done = carried_out(session, s.OpenGripper, given)
    return LetGo(given["robot"].name, done.found or "", done.falls, open=done.found is None)
