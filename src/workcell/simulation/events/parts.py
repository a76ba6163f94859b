"""Events of parts: gripped, released, fallen, carried; and the loads of the robots that hold them."""

from __future__ import annotations

from workcell.robots.payload import JointMoment, Load, PayloadCheck
from workcell.simulation.events.base import Base


class Gripped(Base, frozen=True, tag="grip"):
    """A hand gripped a part.

    Attributes:
        robot: the robot whose hand it is.
        part: the body.
        taken_from: the robot that held it before, or ''.
        grasp: the name of the object's own grasp, or ''.
        width: the width of the part between the fingers [m].
        by: what holds it: fingers, suction, magnet, or attached if nothing was tested.
        pads: the numbers of the cups or magnets that hold it, from 1.
        force: the greatest force that these hold [N].
        needed: the force that the part needs, safety included [N]; None if its mass is unknown.
    """

    robot: str
    part: str
    taken_from: str
    grasp: str
    width: float
    by: str = "fingers"
    pads: tuple[int, ...] = ()
    force: float = 0.0
    needed: float | None = None


class Released(Base, frozen=True, tag="release"):
    """A hand opened; ``part`` is what it released, or '', and ``opening`` the distance of its fingers now [m].

    ``by`` is what held it: fingers, suction, magnet, or attached.
    """

    robot: str
    part: str
    opening: float
    by: str = "fingers"


class GraspMissed(Base, frozen=True, tag="miss"):
    """A part was gripped while it moved: how far the hand was from the right place [m], [rad].

    ``of`` is what that place follows from: the ``part`` that the move named, a ``grasp`` of it, or the ``belt``.
    """

    robot: str
    part: str
    distance: float
    angle: float
    of: str


class Settled(Base, frozen=True, tag="settle"):
    """A part came to rest on something, '' for the floor, after it went down by ``fall`` [m].

    ``fall`` is negative if suction cups had pressed the part onto it and yielded.
    """

    part: str
    on: str
    fall: float


class Fell(Base, frozen=True, tag="fall"):
    """A part fell farther than parts may.

    Attributes:
        part: the body.
        on: where it landed, '' for the floor.
        height: how far it fell [m].
        allowed: how far a part may fall [m].
    """

    part: str
    on: str
    height: float
    allowed: float


class LandedElsewhere(Base, frozen=True, tag="landed-elsewhere"):
    """A part landed on something other than planned; '' is the floor."""

    part: str
    on: str
    planned: str


class TippedOver(Base, frozen=True, tag="tip"):
    """A part cannot stand: its centre of mass is ``overhang`` [m] outside its support; ``on`` '' is the floor."""

    part: str
    on: str
    overhang: float


class Unsupported(Base, frozen=True, tag="unsupported"):
    """A part was released with nothing below it, not even the floor; it stays where it is."""

    part: str


class Hangs(Base, frozen=True, tag="hang"):
    """A part was released in the air and stays there, because it was not asked to settle.

    Attributes:
        part: the body.
        on: what is below it, '' for the floor.
        height: how far it is above that [m]; None if nothing is below it, not even the floor.
    """

    part: str
    on: str
    height: float | None


class PressedIn(Base, frozen=True, tag="pressed-in"):
    """A part was released while it is ``depth`` [m] inside the body ``on``; it stays where it is."""

    part: str
    on: str
    depth: float


class Rides(Base, frozen=True, tag="ride"):
    """From now on a part moves with its carrier: another part, or a mechanism."""

    part: str
    on: str


class LoadChecked(Base, frozen=True, tag="load"):
    """The load that a robot carries from now on was checked.

    Attributes:
        robot: the robot that carries it.
        payload: what it may carry [kg], if its file gives it.
        loads: its tool and the parts, each with its mass [kg] if known.
        moments: the moments about the axes of its wrist [N·m].
    """

    robot: str
    payload: float | None
    loads: tuple[Load, ...]
    moments: tuple[JointMoment, ...]

    @classmethod
    def of(cls, time: float, check: PayloadCheck) -> LoadChecked:
        """Return the event of a check."""
        return cls(time, check.robot, check.payload, check.loads, check.moments)

    @property
    def check(self) -> PayloadCheck:
        """The check."""
        return PayloadCheck(self.robot, self.payload, self.loads, self.moments)
