"""What hands hold, found from the state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workcell.robots.hand import FINGERS
from workcell.robots.payload import PayloadCheck
from workcell.simulation.clinging import Cling, PadFit
from workcell.world.placed import PlacedRobot
from workcell.world.places import WORLD
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Held:
    """A part that was gripped.

    Attributes:
        part: the body.
        robot: the robot that holds it now.
        taken_from: the robot that held it before, or ''.
        grasp: the name of the object's own grasp, or ''.
        angle: the angle between the approach and the axis [rad].
        width: the width of the part between the fingers [m].
        distance: the distance of the grip point from the part or the grasp [m].
        load: everything that the robot carries now, against its payload.
        by: what holds it: fingers, suction, magnet, or attached.
        clings: every part that cups or magnets hold, with the forces; ``part`` is the first of them.
        pads: what every cup or magnet is on.
    """

    part: str
    robot: str
    taken_from: str
    grasp: str
    angle: float
    width: float
    distance: float
    load: PayloadCheck
    by: str = FINGERS
    clings: tuple[Cling, ...] = ()
    pads: tuple[PadFit, ...] = ()
    sources: tuple[str, ...] = ()
    """The robot or mechanism that each part was taken from, or ''."""
    idle: str = ""
    """Why the other cups or magnets do not hold, for people."""

    @property
    def parts(self) -> tuple[str, ...]:
        """All parts that were gripped."""
        return tuple(one.part for one in self.clings) or (self.part,)


def held_by(state: CellState, robot: str, snapshot: Snapshot) -> str:
    """Return the part that a robot holds, the first of several, or ''."""
    return next(iter(held_parts(state, robot, snapshot)), "")


def held_parts(state: CellState, robot: str, snapshot: Snapshot) -> tuple[str, ...]:
    """Return the parts that a robot holds."""
    flange = flange_of(snapshot, snapshot.robot(robot))
    return tuple(part for part, held in sorted(state.attached.items()) if flange and held.frame == flange)


def holder_of(snapshot: Snapshot, state: CellState, part: str) -> str:
    """Return the robot that holds a part, or the mechanism that carries it; '' if there is none."""
    held = state.attached.get(part)
    carrier = snapshot.body(held.frame) if held is not None and held.frame != WORLD else None
    return carrier.owner if carrier is not None and carrier.link >= 0 else ""


def flange_of(snapshot: Snapshot, placed: PlacedRobot) -> str:
    """Return the body that a held part moves with: the last link, or '' if it has no shape."""
    place = placed.bodies[-1]
    return snapshot.bodies[place].name if place >= 0 else ""
