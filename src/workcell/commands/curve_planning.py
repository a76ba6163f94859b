"""The command that plans a motion along a path without moving."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Angle, Number
from workcell.commands.results import Result
from workcell.simulation.branch_policy import require_hand
from workcell.world.body import unknown_after
from workcell.world.devices import placed_robot
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session


class PlannedAlong(Result, frozen=True):
    """A motion along the targets of a path that touches nothing.

    Attributes:
        robot: who follows.
        path: the path.
        length: of its curve [m].
        duration: how long the motion along it takes [s].
        start: joint values at its first place [rad or m].
        least_spin: the least spin of the tool from the targets [rad].
        greatest_spin: the greatest one [rad].
        deviation: the greatest distance of the tool from the curve [m].
        held: the part of the way on which the tool has the speed that was asked for; None where none was.
        clearance: the exact solids stay at least so far apart [m]; None where nothing moves against anything.
        nearest: the pair that comes nearest.
        unknown: the bodies whose shape is not known.
        touching: what the robot may touch on the way; '' for nothing.
    """

    robot: str
    path: str
    length: float
    duration: float
    start: tuple[float, ...]
    least_spin: float
    greatest_spin: float
    deviation: float
    held: float | None
    clearance: float | None
    nearest: tuple[str, str] | None
    unknown: tuple[str, ...] = ()
    touching: str = ""

    def __str__(self) -> str:
        low, high = (math.degrees(value) for value in (self.least_spin, self.greatest_spin))
        spin = f", the tool spun by {low:.3g}° to {high:.3g}°" if high - low > 1e-6 or abs(low) > 1e-6 else ""
        held = "" if self.held is None else f", {100.0 * self.held:.3g} % of it at full speed"
        but = f" but {self.touching}" if self.touching else ""
        near = ""
        if self.clearance is not None and self.nearest is not None:
            pair = " and ".join(self.nearest)
            least = self.clearance * 1e3
            near = f": at least {least:.3g} mm are proved between {pair}" if least > 0.0 else f": {pair} come nearest"
        return (
            f"{self.robot} follows the {self.length * 1e3:.6g} mm of {self.path} in {self.duration:.4f} s{held}{spin}, "
            f"touching nothing{but}{near}{unknown_after(self.unknown)}"
        )


@command(
    "plan-along {path} by {robot} [speed {speed}] [spin {spin}] [tilt {tilt}] [touching {touching}]",
    help="show how a robot can follow a path without touching anything, without moving",
    effect="reads",
    background=True,
    path=Ref("path"),
    robot=Ref("robot"),
    speed=Number("speed", positive=True),
    spin=Angle(),
    tilt=Angle(),
    touching=Ref("object"),
    param_help={
        "path": "the targets, in order",
        "robot": "the arm that follows them",
        "speed": "of the tool along the path; as fast as the joints allow by default",
        "spin": "how far the tool may spin about its own z, to each side; 180 degrees lets it spin freely",
        "tilt": "how far its z axis may lean to all sides",
        "touching": "what the robot may touch on the way",
    },
    examples=[
        "> create robot Puma puma560 joints 0,60,-190,0,40,0",
        "> targets along-curve arch normal 0,0,1 through (500,-150,300) (550,0,350) (500,150,300) spacing 30",
        "plan-along arch by Puma speed 50mm/s spin 90",
    ],
)
def plan_along(
    session: Session,
    path: Entity,
    robot: Entity,
    speed: float | None = None,
    spin: float = 0.0,
    tilt: float = 0.0,
    touching: Entity | None = None,
) -> PlannedAlong:
    """The branch and the turns of the tool are chosen over the whole path. `move-along … --proved` moves so.

    Where the path cannot be followed, the answer names the first place and the reason.
    """
    from workcell.simulation.planned_along import AlongWish, planned_along, spins_of

    snapshot, state = session.snapshot(), session.simulator.state
    placed = placed_robot(snapshot, robot)
    require_hand(placed.robot, robot.name)
    wish = AlongWish(placed.name, path.name, speed, spin, tilt, "" if touching is None else touching.name)
    plan, seam = planned_along(snapshot, state, wish, state.joints[placed.name].tolist())
    proof = plan.proof
    pair = None if proof is None else proof.pair
    return PlannedAlong(
        placed.name, path.name, float(seam.size), plan.duration, tuple(float(v) for v in plan.path.start),
        *spins_of(plan), plan.deviation, plan.held, None if pair is None or proof is None else proof.bound, pair,
        () if proof is None else proof.unknown, wish.touching,
    )  # fmt: skip
