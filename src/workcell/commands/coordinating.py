"""Commands that move a robot with a mechanism: ride, weld, move-along."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from workcell.commands.hand_moves import AxesWish
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Angle, Length, Number
from workcell.commands.moved import Moved, rounded
from workcell.commands.results import Done, Result
from workcell.commands.typed_steps import carried_out
from workcell.errors import WorkcellError
from workcell.programs import steps as s
from workcell.world.body import unknown_after
from workcell.world.devices import placed_robot, unwatched
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.coordinated import Coordinated

_CELL = (
    "> create robot Arm irb140 at 0,0,600",
    "> add positioner Table at 700,0,0",
    "> create block plate box 300 300 12",
    "> create block pipe cylinder 70 120",
    "> combine flange union plate pipe translate 0,0,66",
    "> place flange at 700,0,918",
    "> create tool torch",
    "> fit tool torch to Arm tcp 0,0,250",
    "> targets along-edge flange plate.top add1:pipe.side to seam spacing 20 tilt 10 gap 2 --even",
)


class Welded(Result, frozen=True):
    """A weld: how long it took [s], the seam [m], its share at full speed, and the largest deviations [m, rad]."""

    robot: str
    mechanism: str
    duration: float
    time: float
    length: float
    steady: float
    deviation: float
    turn: float
    downhand: float
    level: float
    limited: str
    rounding: float = 0.0
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        lean = "" if math.isnan(self.downhand) else f", {math.degrees(self.downhand):.2g}° from downhand"
        return (
            f"{self.robot} welded {self.length * 1e3:.6g} mm with {self.mechanism} in {self.duration:.4f} s, "
            f"{self.steady * 100:.4g} % of it at full speed; at most {self.deviation * 1e3:.2g} mm off the seam{lean}; "
            f"simulated time {self.time:.4f} s{rounded(self.rounding)}{unknown_after(self.unknown)}"
        )


@command(
    "ride {part} on {mechanism}",
    help="let an object move with the last link of a mechanism, from where it is",
    effect="simulates",
    part=Ref("object"),
    mechanism=Ref("mechanism", "robot"),
    param_help={"part": "the object that rides", "mechanism": "what carries it"},
    examples=[*_CELL[:6], "ride flange on Table", "move-joints-absolute Table 30,90"],
)
def ride(session: Session, part: Entity, mechanism: Entity) -> Done:
    """Use it for a part on a belt, or for work on a positioner. The ride ends when a gripper takes the part.

    If the two do not touch, the answer states the distance.
    """
    placed_robot(session.snapshot(), mechanism)
    apart = _apart(session, part, mechanism)
    carried_out(session, s.Ride, {"part": part, "mechanism": mechanism})
    return Done(f"{part.name} rides on {mechanism.name}{apart}")


_NEARLY = 0.005
"""How far a part may be from its carrier before the answer mentions it [m]."""


def _apart(session: Session, part: Entity, mechanism: Entity) -> str:
    """Return a note for the answer if a part is clearly apart from its carrier."""
    from workcell.collision.bodies import collision_model
    from workcell.collision.clearance import distance_between

    model = collision_model(session.snapshot(), warn=False)
    try:
        found = distance_between(
            model, session.simulator.state, session.snapshot().object_body(part.name), mechanism.name
        )
    except WorkcellError:  # one of them has no shape
        return ""
    if found.distance <= _NEARLY:
        return ""
    return f", although it is {session.units.show(round(found.distance, 6), 'length')} away from it"


@command(
    "weld {robot} with {mechanism} along {path} speed {speed} [tolerance {tolerance}] [approach {approach}] "
    "[downhand {downhand}]",
    help="weld along a seam with a robot while a positioner keeps the seam level",
    effect="simulates",
    robot=Ref("robot"),
    mechanism=Ref("mechanism", "robot"),
    path=Ref("path"),
    speed=Number("speed", positive=True),
    tolerance=Length(positive=True),
    approach=Length(positive=True),
    downhand=Angle(),
    param_help={
        "path": "targets on the work, as `targets along-edge` makes them",
        "speed": "of the tool along the seam",
        "tolerance": "how far the tool may leave the seam; default 0.01 mm",
        "approach": "the distance from which the tool approaches the seam; default 50 mm",
        "downhand": "how far the seam may lean from downhand, that is level under the torch; default 5°",
        "mechanism": "the positioner",
    },
    examples=[*_CELL, "> ride flange on Table", "weld Arm with Table along seam speed 20mm/s"],
)
def weld(session: Session, **given: Any) -> Welded:
    """Robot and positioner obey their limits at every instant.

    A seam that cannot be welded is refused before anything moves.
    """
    done = carried_out(session, s.Weld, given)
    plan: Coordinated = done.found
    return Welded(
        plan.robot, plan.mechanism, done.duration, session.simulator_time, plan.length, plan.steady, plan.deviation,
        plan.turn, plan.downhand, plan.level, plan.limited, plan.rounding, unwatched(session.snapshot()),
    )  # fmt: skip


@command(
    "move-along {robot} {path} speed {speed} [tolerance {tolerance}] [approach {approach}] [axes {axes}] "
    "[spin {spin}] [tilt {tilt}] [touching {touching}] [--proved]",
    help="move the hand along the targets of a path on a smooth curve",
    effect="simulates",
    robot=Ref("robot"),
    path=Ref("path"),
    speed=Number("speed", positive=True),
    tolerance=Length(positive=True),
    approach=Length(positive=True),
    axes=AxesWish(),
    spin=Angle(),
    tilt=Angle(),
    touching=Ref("object"),
    param_help={
        "spin": "how far the tool may spin about its own z, to each side; 180 degrees lets it spin freely",
        "tilt": "how far its z axis may lean to all sides",
        "touching": "what the robot may touch on the way",
        "proved": "plan the whole motion and prove it free, its way to the start included",
        "speed": "of the tool along the path",
        "tolerance": "how far the tool may leave the curve; default 0.01 mm",
        "approach": "the distance from which the tool approaches the path; default 50 mm",
        "axes": "for a machine: where its other axes should be; default: as the path asks",
    },
    examples=[
        "> create robot Puma puma560 joints 0,60,-190,0,40,0",
        "> targets along-curve arch normal 0,0,1 through (500,-150,300) (550,0,350) (500,150,300) spacing 30",
        "move-along Puma arch speed 50mm/s",
        "move-along Puma arch speed 50mm/s spin 90 --proved",
    ],
)
def move_along(session: Session, **given: Any) -> Moved:
    """The hand approaches the first target, follows the curve, and retracts after the last target.

    What carries the targets does not move meanwhile, unless you give `axes`. With `spin`, `tilt`, `touching` or
    `--proved` the branch and the turns of the tool are chosen over the whole path. The robot goes to the first target
    by a path that touches nothing, and stays at the last one; all of it is proved free.
    """
    done = carried_out(session, s.MoveAlong, given)
    deviation, rounding = done.found
    name, time = given["robot"].name, session.simulator_time
    return Moved(name, done.duration, time, "", deviation, rounding, unwatched(session.snapshot()))
