"""The command payload: what a robot carries, compared with what it may carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.results import Result
from workcell.errors import Refused
from workcell.wording import quoted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.payload import PayloadCheck


class CarriedLoad(Result, frozen=True):
    """One thing that a robot carries: mass [kg], centre in the frame of the flange [m], and the source of the mass."""

    name: str
    mass: float | None
    centre: tuple[float, float, float] | None
    source: str


class CarriedMoment(Result, frozen=True):
    """The largest moment of the load about the axis of a joint, and the moment that the joint allows [N·m]."""

    joint: int
    moment: float
    allowed: float


class Carried(Result, frozen=True):
    """What a robot carries and what it may carry [kg, N·m]; what is not known is None or in `unknown`."""

    robot: str
    mass: float
    payload: float | None
    excess: float
    overloaded: bool
    unknown: tuple[str, ...]
    loads: tuple[CarriedLoad, ...]
    moments: tuple[CarriedMoment, ...]
    text: str

    def __str__(self) -> str:
        return self.text


def carried(check: PayloadCheck) -> Carried:
    """Return a check of the payload as an answer."""
    return Carried(
        check.robot,
        check.mass,
        check.payload,
        check.excess,
        check.overloaded,
        check.unknown,
        tuple(CarriedLoad(load.name, load.mass, load.centre, load.source) for load in check.loads),
        tuple(CarriedMoment(one.joint, one.moment, one.allowed) for one in check.moments),
        str(check),
    )


def weighed(session: Session, robot: Entity) -> str:
    """Return the line of an answer on what a robot carries after an edit; '' if it is in no scene."""
    from workcell.world.flatten import snapshot_of
    from workcell.world.loads import load_of
    from workcell.world.state import CellState

    snapshot = snapshot_of(session.database)
    if all(placed.name != robot.name for placed in snapshot.robots):
        return ""
    kept = session.database.state_json()
    state = snapshot.fitted(CellState.from_json(kept)) if kept else snapshot.initial
    return f"\n{load_of(snapshot, state, robot.name)}"


@command(
    "payload {robot}",
    help="compare what a robot carries now with its payload",
    effect="reads",
    robot=Ref("robot"),
    examples=[
        "> create robot Puma puma560",
        "> modify Puma gripper_mass 0.6kg",
        "payload Puma",
        "> add solid cube box 40 40 40 at 500,-150,20 --movable",
        "> modify cube mass 4kg",
        "> move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip",
        "> close-gripper Puma",
        "payload Puma",
    ],
)
def payload(session: Session, robot: Entity) -> Carried:
    """The load is the tool, the parts that it holds and robots mounted on the flange.

    Things without a mass are listed as unknown.

    A mass comes from the property `mass`, or from the volume and the `density` or `material` of a block or object.
    Moments are checked about the joints for which the robot file states a limit.
    """
    from workcell.world.loads import load_of

    snapshot = session.snapshot()
    if all(placed.name != robot.name for placed in snapshot.robots):
        raise Refused(f"Robot {robot.name!r} is in no scene; `place {quoted(robot.name)} at …` first.")
    return carried(load_of(snapshot, session.state, robot.name))
