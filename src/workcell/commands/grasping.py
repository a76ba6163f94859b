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
from workcell.programs import steps as s
from workcell.spatial.units import tidy

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

    def __str__(self) -> str:
        source = f" from {self.taken_from}" if self.taken_from else ""
        at = f" at {self.grasp}" if self.grasp else ""
        return (
            f"{self.robot} takes {self.part}{source}{at}: {self.width * 1e3:.4g} mm between the fingers, "
            f"{tidy(round(math.degrees(self.angle), 3))}° off its axis, {tidy(round(self.distance * 1e3, 3))} mm away\n"
            f"{self.load}"
        )


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
    held: Held = carried_out(session, s.CloseGripper, given).found
    return Taken(
        held.part, held.robot, held.taken_from, held.grasp, held.angle, held.width, held.distance, carried(held.load)
    )


@command(
    "open-gripper {robot} [to {opening}] [--settle]",
    help="let the part go",
    effect="simulates",
    robot=Ref("robot"),
    opening=Length(),
    param_help={"opening": "between the pads; as far as they go unless given"},
    examples=[*_STAGE, "> close-gripper Puma", "open-gripper Puma --settle", "open-gripper Puma to 50mm"],
)
def open_gripper(session: Session, **given: Any) -> Done:
    """It stays where it is; with `--settle` it falls straight down on what is below."""
    part, robot = carried_out(session, s.OpenGripper, given).found, given["robot"].name
    return Done(f"{robot} lets {part} go" if part else f"{robot} opens its gripper")
