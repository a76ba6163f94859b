"""A robot inside a simulator: every move that it can make."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import Refused
from workcell.motion.limits import Limits
from workcell.motion.named_profiles import limits_of
from workcell.simulation import steering
from workcell.simulation.hand_mover import HandMover
from workcell.simulation.move_making import MoveMaking
from workcell.simulation.steered import Steered
from workcell.world.placed import PlacedRobot

if TYPE_CHECKING:
    from workcell.simulation.held import Held

Array = NDArray[np.float64]


class SimulatedRobot(HandMover):
    """A robot inside a simulator."""

    def __init__(self, simulator: MoveMaking, placed: PlacedRobot) -> None:
        super().__init__(simulator, placed)
        self._track: tuple[tuple[float, float], Limits] | None = None

    # ---- steering ---------------------------------------------------------------------------------------

    @property
    def velocities(self) -> Array:
        """Joint velocities now (n,) [rad/s or m/s]."""
        return self._simulator.velocities_of(self.name)

    def supersede(self, q: ArrayLike) -> Steered:
        """Go to other joint values from the middle of a move; one of the hand stops on its path first.

        Where collisions are watched it is done only if the whole way to rest is free; ``refused`` says why not.
        """
        drive, rate = self._simulator.drive_of(self.name, "supersede"), self._simulator.paces.get(self.name, 1.0)
        slowing = self._simulator.slowing
        return steering.supersede(self._simulator, drive, self._placed, self._true(q), self._speed, rate, slowing)

    def track(self, q: ArrayLike) -> bool:
        """Give the robot a set-point: it goes there from where it is and as it moves; whether that was accepted."""
        rate = self._simulator.paces.get(self.name, 1.0)
        if self._track is None or self._track[0] != (self._speed, rate):
            slides = tuple(row.prismatic for row in self.robot.rows)
            found = limits_of(self.robot, self._speed)
            limits = Limits(rate * found.speed, found.acceleration, found.jerk, self.robot.limits, slides)
            self._track = (self._speed, rate), limits
        return steering.track(self._simulator, self._placed, self._true(q), self._track[1], self._simulator.slowing)

    def _true(self, q: ArrayLike) -> ArrayLike:
        """Where the joints truly go that are to be read as these; refused where a fault stops the robot."""
        faults = self._simulator.faults
        if faults is None:
            return q
        faults.require_going(self.name)
        drift = faults.drift(self.name)
        return q if drift is None else self.robot.checked(q) + drift

    def hold(self) -> Steered:
        """Stop on the path as soon as the limits allow; `resume` goes on."""
        return self._simulator.hold(self.name)[0]

    def resume(self) -> Steered:
        """Go on with a move that is held, at the speed of the override."""
        return self._simulator.resume(self.name)[0]

    def override(self, percent: float) -> Steered | None:
        """Run the present move and those to come at a part of their speed, from 1 to 100 %; the path stays the same."""
        found = self._simulator.override(percent, self.name)
        return found[0] if found else None

    def stop(self) -> Steered:
        """Stop on the path as soon as the limits allow, and give the move up."""
        return self._simulator.stop(self.name)

    def emergency_stop(self) -> Steered:
        """Come to rest as fast as the limits allow, each joint on its own, and give the move up."""
        return self._simulator.emergency_stop(self.name)[0]

    # ---- the gripper ------------------------------------------------------------------------------------

    def close_gripper(self, distance: float | None = None, angle: float | None = None) -> Held:
        """Take the part that the fingers are around; refused with the test that the nearest part failed.

        Args:
            distance: how far the grip point may be from the part [m].
            angle: how far the approach may be from an axis of the part [rad].
        """
        from workcell.simulation.grasping import close, require_open

        if self.robot.gripper is not None:
            require_open(self._simulator, self._placed, distance, angle)
        self._simulator.take(self.gripper_time(closing=True), "close a gripper")
        return close(self._simulator, self._placed, self.grip_pose, distance, angle)

    def open_gripper(self, settle: bool = False, opening: float | None = None, on: str = "") -> str:
        """Let the part go: it stays where it is, or settles on what is below; returns its name or ''.

        A part that falls too far, lands elsewhere than planned, cannot stand or is inside something is an event, and a
        stop where collisions are watched. One that cups press on what is below, within their stroke, rests on it.

        Args:
            settle: whether the part falls straight down on what is below.
            opening: how far the pads are apart then [m]; as far as they can be where not given.
            on: the object or body that the part is to come to stand on; it falls then.
        """
        from workcell.simulation.releasing import release

        self._simulator.take(self.gripper_time(closing=False), "open a gripper")
        return release(self._simulator, self._placed, settle, opening, on)

    def grip(self, part: str) -> Held:
        """Attach a part to the flange as it is, without a test: for hooks, needles and whatever else holds it.

        Args:
            part: the object or body.
        """
        from workcell.simulation.attaching import attach

        return attach(self._simulator, self._part(part), self.name)

    def release(self, part: str, settle: bool = False, on: str = "") -> None:
        """Let go one part that it holds: what was attached, or one of several that cups or magnets hold.

        Args:
            part: the object or body.
            settle: whether the part falls straight down on what is below.
            on: the object or body that the part is to come to stand on; it falls then.
        """
        from workcell.simulation.attaching import detach

        if self._part(part) not in self.held:
            raise Refused(f"{self.name} does not hold {part}.", part=part)
        detach(self._simulator, self._part(part), settle, on)

    def _part(self, name: str) -> str:
        snapshot = self._simulator.snapshot
        return name if any(body.name == name for body in snapshot.bodies) else snapshot.object_body(name)

    def gripper_time(self, closing: bool) -> float:
        """How long its gripper takes to hold a part or let it go [s]; a program among others waits so long first."""
        gripper = self.robot.gripper
        return 0.0 if gripper is None else gripper.time(closing)

    @property
    def holds(self) -> str:
        """The part that it holds, the first of several, or ''."""
        from workcell.simulation.held import held_by

        return held_by(self._simulator.state, self._placed.name, self._simulator.snapshot)

    @property
    def held(self) -> tuple[str, ...]:
        """The parts that it holds."""
        from workcell.simulation.held import held_parts

        return held_parts(self._simulator.state, self._placed.name, self._simulator.snapshot)
