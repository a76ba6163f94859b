"""What hands hold: the part and who took it, found from the state."""

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
    """A part was taken.

    Attributes:
        part: the body.
        robot: who holds it now.
        taken_from: the robot that held it before, or ''.
        grasp: the name of the object's own grasp, or ''.
        angle: of the approach from the axis [rad].
        width: of the part between the fingers [m].
        distance: of the grip point from the part or the grasp [m].
        load: all that the robot carries now, against what it may carry.
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
    """The robot or mechanism that each of these was taken from, or ''."""
    idle: str = ""
    """What keeps the other cups or magnets from holding, for people."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Every part that was taken."""
        return tuple(one.part for one in self.clings) or (self.part,)


def held_by(state: CellState, robot: str, snapshot: Snapshot) -> str:
    """The part that a robot holds, the first of several, or ''."""
    return next(iter(held_parts(state, robot, snapshot)), "")


def held_parts(state: CellState, robot: str, snapshot: Snapshot) -> tuple[str, ...]:
    """The parts that a robot holds."""
    flange = flange_of(snapshot, snapshot.robot(robot))
    return tuple(part for part, held in sorted(state.attached.items()) if flange and held.frame == flange)


def holder_of(snapshot: Snapshot, state: CellState, part: str) -> str:
    """The robot that holds a part, or the mechanism that it goes with; '' without one."""
    held = state.attached.get(part)
    carrier = snapshot.body(held.frame) if held is not None and held.frame != WORLD else None
    return carrier.owner if carrier is not None and carrier.link >= 0 else ""


def flange_of(snapshot: Snapshot, placed: PlacedRobot) -> str:
    """The body that a held part goes with: the last link, or '' where that has no shape."""
    place = placed.bodies[-1]
    return snapshot.bodies[place].name if place >= 0 else ""
