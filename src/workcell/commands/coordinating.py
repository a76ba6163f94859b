"""Commands that move a robot with a mechanism: ride, weld, move-along."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from workcell.commands.guarding import simulated, unwatched
from workcell.commands.moves import Moved, rounded
from workcell.commands.references import Ref
from workcell.commands.registry import command
from workcell.commands.results import Done, Result
from workcell.commands.targeting import RING, carrier_of, own_poses, own_ups, world_poses
from workcell.commands.values import Angle, Length, Number
from workcell.errors import Refused, WorkcellError
from workcell.world.body import unknown_after
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session

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
    """A weld: how long it took, the seam and the steady share of it, and the worst at any instant [s, m, rad]."""

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
    help="let an object go with the last link of a mechanism, from where it is",
    effect="simulates",
    part=Ref("object"),
    mechanism=Ref("mechanism", "robot"),
    examples=[*_CELL[:6], "ride flange on Table", "move-joints-absolute Table 30,90"],
)
def ride(session: Session, part: Entity, mechanism: Entity) -> Done:
    """A part on a belt, work clamped on a positioner; until a gripper takes it. Says when they are apart."""
    from workcell.simulation.coordinated import ride as let

    simulated(session, mechanism)
    told = _apart(session, part, mechanism)
    let(session.simulator, _body(session, part), mechanism.name)
    return Done(f"{part.name} rides on {mechanism.name}{told}")


_NEARLY = 0.005
"""How far a part may be from what carries it without a word [m]."""


def _apart(session: Session, part: Entity, mechanism: Entity) -> str:
    """How far a part is from what it rides on, where that is more than a little; for the answer."""
    from workcell.collision.bodies import collision_model
    from workcell.collision.clearance import distance_between

    model = collision_model(session.snapshot(), warn=False)
    try:
        found = distance_between(model, session.simulator.state, _body(session, part), mechanism.name)
    except WorkcellError:  # one of them has no shape that distances could be measured to
        return ""
    if found.distance <= _NEARLY:
        return ""
    return f", though it is {session.units.show(round(found.distance, 6), 'length')} away from it"


@command(
    "weld {robot} with {mechanism} along {path} speed {speed} [tolerance {tolerance}] [approach {approach}] "
    "[downhand {downhand}]",
    help="follow a seam with a robot while a positioner holds it downhand",
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
        "tolerance": "how far the tool may leave the seam at any instant; 0.01 mm unless given",
        "approach": "from how far before the seam the tool comes; 50 mm unless given",
        "downhand": "how far the seam may lean at any place; 5° unless given",
    },
    examples=[*_CELL, "> ride flange on Table", "weld Arm with Table along seam speed 20mm/s"],
)
def weld(
    session: Session,
    robot: Entity,
    mechanism: Entity,
    path: Entity,
    speed: float,
    tolerance: float | None = None,
    approach: float | None = None,
    downhand: float | None = None,
) -> Welded:
    """Both keep their limits at every instant; what cannot be welded is refused before anything moves."""
    from workcell.simulation import coordinated as c

    simulated(session, robot)
    simulated(session, mechanism)
    body = carrier_of(session, path)
    if not body:
        raise Refused(f"The targets of {path.name!r} stand in the world; a weld needs targets on the work.")
    simulator = session.simulator
    plan = c.coordinate(
        simulator,
        robot.name,
        mechanism.name,
        body,
        own_poses(session, path),
        speed=speed,
        ups=own_ups(session, path),
        closed=bool(path.properties.get(RING)),
        tolerance=c.TOLERANCE if tolerance is None else tolerance,
        downhand=c.DOWNHAND if downhand is None else downhand,
    )
    duration = session.step_by_step(c.weld_steps(simulator, plan, c.APPROACH if approach is None else approach))
    return Welded(
        robot.name, mechanism.name, duration, simulator.time, plan.length, plan.steady, plan.deviation, plan.turn,
        plan.downhand, plan.level, plan.limited, plan.rounding, unwatched(session),
    )  # fmt: skip


@command(
    "move-along {robot} {path} speed {speed} [tolerance {tolerance}] [approach {approach}]",
    help="follow the targets of a path with the hand, smoothly",
    effect="simulates",
    robot=Ref("robot"),
    path=Ref("path"),
    speed=Number("speed", positive=True),
    tolerance=Length(positive=True),
    approach=Length(positive=True),
    param_help={
        "speed": "of the tool along the path",
        "tolerance": "how far the tool may leave the smooth curve through the targets; 0.01 mm unless given",
        "approach": "from how far before the path the tool comes; 50 mm unless given",
    },
    examples=[
        "> create robot Puma puma560 joints 0,60,-190,0,40,0",
        "> targets along-curve arch normal 0,0,1 through (500,-150,300) (550,0,350) (500,150,300) spacing 30",
        "move-along Puma arch speed 50mm/s",
    ],
)
def move_along(
    session: Session,
    robot: Entity,
    path: Entity,
    speed: float,
    tolerance: float | None = None,
    approach: float | None = None,
) -> Moved:
    """What carries the targets stands still meanwhile; straight to the first target, and back off after the last."""
    from workcell.simulation import coordinated as c

    simulated(session, robot)
    steps, deviation, rounding = c.follow_seam(
        session.simulator,
        robot.name,
        world_poses(session, path),
        speed=speed,
        closed=bool(path.properties.get(RING)),
        tolerance=c.TOLERANCE if tolerance is None else tolerance,
        approach=c.APPROACH if approach is None else approach,
    )
    duration = session.step_by_step(steps)
    return Moved(robot.name, duration, session.simulator_time, "", deviation, rounding, unwatched(session))


def _body(session: Session, part: Entity) -> str:
    for body in session.snapshot().bodies:
        if body.link < 0 and body.owner == part.name:
            return body.name
    raise Refused(f"{part.name!r} stands in no scene; `place {part.name} at …` first.")
