"""Events of parts: taken, let go, fallen, carried; and the loads of the robots that hold them."""

from __future__ import annotations

from workcell.robots.payload import JointMoment, Load, PayloadCheck
from workcell.simulation.events.base import Base


class Gripped(Base, frozen=True, tag="grip"):
    """A hand took a part.

    Attributes:
        robot: whose gripper.
        part: the body.
        taken_from: the robot that held it before, or ''.
        grasp: the name of the object's own grasp, or ''.
        width: of the part between the fingers [m].
        by: what holds it: fingers, suction, magnet, or attached where nothing was tested.
        pads: the numbers of the cups or magnets that hold it, from 1.
        force: what these hold at the most [N].
        needed: what the part needs of that, safety included [N]; None where its mass is not known.
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
    """A hand opened; ``part`` is what it let go, or '', and ``opening`` how wide its fingers are now [m].

    ``by`` is what held it: fingers, suction, magnet, or attached.
    """

    robot: str
    part: str
    opening: float
    by: str = "fingers"


class GraspMissed(Base, frozen=True, tag="miss"):
    """A part was taken while it moved: how far the hand was from where it should hold it [m], [rad].

    ``of`` says what that place follows from: the ``part`` that the move named, a ``grasp`` of it, or the ``belt``.
    """

    robot: str
    part: str
    distance: float
    angle: float
    of: str


class Settled(Base, frozen=True, tag="settle"):
    """A part came to stand on something, '' for the floor, after it went down by ``fall`` [m].

    Below zero where suction cups had pressed it on that, and yielded.
    """

    part: str
    on: str
    fall: float


class Fell(Base, frozen=True, tag="fall"):
    """A part fell from higher than a part may.

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
    """A part stands on another thing than planned; '' stands for the floor."""

    part: str
    on: str
    planned: str


class TippedOver(Base, frozen=True, tag="tip"):
    """A part cannot stand: its centre of mass is beside what carries it by ``overhang`` [m]; ``on`` '' is the floor."""

    part: str
    on: str
    overhang: float


class Unsupported(Base, frozen=True, tag="unsupported"):
    """A part was let go where nothing is below it, not even the floor; it stays where it is."""

    part: str


class Hangs(Base, frozen=True, tag="hang"):
    """A part was let go in the air and stays there: it was not asked to settle.

    Attributes:
        part: the body.
        on: what it hangs over, '' for the floor.
        height: how far it is above that [m]; None where nothing is below it, not even the floor.
    """

    part: str
    on: str
    height: float | None


class PressedIn(Base, frozen=True, tag="pressed-in"):
    """A part was let go while it is ``depth`` [m] inside the body ``on``; it stays where it is."""

    part: str
    on: str
    depth: float


class Rides(Base, frozen=True, tag="ride"):
    """From now on a part goes with what carries it: another part, or a mechanism."""

    part: str
    on: str


class LoadChecked(Base, frozen=True, tag="load"):
    """What a robot carries from now on was weighed.

    Attributes:
        robot: who carries it.
        payload: what it may carry [kg], where its file states that.
        loads: its tool and the parts, each with its mass [kg] where that is known.
        moments: about the axes of its wrist [N·m].
    """

    robot: str
    payload: float | None
    loads: tuple[Load, ...]
    moments: tuple[JointMoment, ...]

    @classmethod
    def of(cls, time: float, check: PayloadCheck) -> LoadChecked:
        """The event of a check that was made."""
        return cls(time, check.robot, check.payload, check.loads, check.moments)

    @property
    def check(self) -> PayloadCheck:
        """The check that was made."""
        return PayloadCheck(self.robot, self.payload, self.loads, self.moments)
