"""A robot in a simulator, with all its moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import Refused
from workcell.motion.limits import Limits
from workcell.motion.named_profiles import limits_of
from workcell.simulation import steering
from workcell.simulation.hand_mover import HandMover
from workcell.simulation.move_making import MoveMaking
from workcell.simulation.steered import Steered
from workcell.spatial.pose import Pose
from workcell.world.placed import PlacedRobot

if TYPE_CHECKING:
    from workcell.simulation.guiding import Guiding
    from workcell.simulation.held import Held
    from workcell.simulation.simulator import Simulator

Array = NDArray[np.float64]


class SimulatedRobot(HandMover):
    """A robot in a simulator."""

    def __init__(self, simulator: MoveMaking, placed: PlacedRobot) -> None:
        super().__init__(simulator, placed)
        self._track: tuple[tuple[float, float], Limits] | None = None

    # ---- steering ---------------------------------------------------------------------------------------

    @property
    def velocities(self) -> Array:
        """Joint velocities now (n,) [rad/s or m/s]."""
        return self._simulator.velocities_of(self.name)

    def supersede(self, q: ArrayLike) -> Steered:
        """Go to other joint values from the middle of a move; a move of the hand stops on its path first.

        If collisions are watched, the change is made only if the whole way to rest is free. ``refused`` is why not.
        """
        drive, rate = self._simulator.drive_of(self.name, "supersede"), self._simulator.paces.get(self.name, 1.0)
        slowing = self._simulator.slowing
        return steering.supersede(self._simulator, drive, self._placed, self._true(q), self._speed, rate, slowing)

    def track(self, q: ArrayLike) -> bool:
        """Give the robot a set-point that it moves to from its present motion; return whether it was accepted."""
        rate = self._simulator.paces.get(self.name, 1.0)
        if self._track is None or self._track[0] != (self._speed, rate):
            slides = tuple(row.prismatic for row in self.robot.rows)
            found = limits_of(self.robot, self._speed)
            limits = Limits(rate * found.speed, found.acceleration, found.jerk, self.robot.limits, slides)
            self._track = (self._speed, rate), limits
        return steering.track(self._simulator, self._placed, self._true(q), self._track[1], self._simulator.slowing)

    def require_going(self) -> None:
        """Refuse to move the robot where a fault stops it."""
        if self._simulator.faults is not None:
            self._simulator.faults.require_going(self.name)

    def _true(self, q: ArrayLike) -> ArrayLike:
        """Return the true joint values for these readings; refused if a fault stops the robot."""
        faults = self._simulator.faults
        if faults is None:
            return q
        faults.require_going(self.name)
        drift = faults.drift(self.name)
        return q if drift is None else self.robot.checked(q) + drift

    def guide(self, pose: Pose, **wishes: Any) -> Guiding:
        """Guide the hand to a pose between obstacles, reacting to what comes near; returns what became of it.

        Args:
            pose: where to, in the world or in the frame of ``on``.
            wishes: the fields of :class:`~workcell.simulation.guided_wish.Wish`.

        Raises:
            Unreachable: the destination is out of reach; nothing moved.
            DeadEnd: it did not arrive; the arm stands where it stopped.
        """
        from workcell.simulation.guided_wish import Wish
        from workcell.simulation.guiding import guiding

        simulator = cast("Simulator", self._simulator)
        moves = guiding(Wish(self.name, pose, **wishes), simulator)
        number = 0
        while number < moves.count:
            moves.begin(simulator, number)
            number += 1
        self._simulator.reached()
        return moves

    def hold(self) -> Steered:
        """Stop on the path as soon as the limits allow; `resume` continues."""
        return self._simulator.hold(self.name)[0]

    def resume(self) -> Steered:
        """Resume a move that is held, at the speed of the override."""
        return self._simulator.resume(self.name)[0]

    def override(self, percent: float) -> Steered | None:
        """Run the current and later moves at 1 to 100 % of their speed; the path stays the same."""
        found = self._simulator.override(percent, self.name)
        return found[0] if found else None

    def stop(self) -> Steered:
        """Stop on the path as soon as the limits allow, and abandon the move."""
        return self._simulator.stop(self.name)

    def emergency_stop(self) -> Steered:
        """Come to rest as fast as the limits allow, each joint on its own, and abandon the move."""
        return self._simulator.emergency_stop(self.name)[0]

    # ---- the gripper ------------------------------------------------------------------------------------

    def close_gripper(self, distance: float | None = None, angle: float | None = None, part: str = "") -> Held:
        """Grip the part between the fingers; the refusal gives the test that the nearest part failed.

        Args:
            distance: the greatest distance of the grip point from the part [m].
            angle: the greatest angle between the approach and an axis of the part [rad].
            part: the object or body to grip; by default, the nearest.
        """
        from workcell.simulation.grasping import close, require_open

        if self.robot.gripper is not None:
            require_open(self._simulator, self._placed, distance, angle)
        self._simulator.take(self.gripper_time(closing=True), "close a gripper")
        return close(self._simulator, self._placed, self.grip_pose, distance, angle, part and self._part(part))

    def open_gripper(self, settle: bool = False, opening: float | None = None, on: str = "") -> str:
        """Release the part: it stays where it is, or settles on what is below; return its name or ''.

        A part that falls too far, lands elsewhere than planned, cannot stand or is inside something is an event, and a
        stop if collisions are watched. A part that cups press onto what is below, within their stroke, rests on it.

        Args:
            settle: whether the part falls straight down onto what is below.
            opening: the distance between the pads after it [m]; by default, as far as they go.
            on: the object or body that the part must land on; implies `settle`.
        """
        from workcell.simulation.releasing import release

        self._simulator.take(self.gripper_time(closing=False), "open a gripper")
        return release(self._simulator, self._placed, settle, opening, on)

    def grip(self, part: str, distance: float | None = None, angle: float | None = None) -> Held:
        """Attach a part to the flange where it is: for hooks, needles and other tools.

        Args:
            part: the object or body.
            distance: the greatest distance of the hand from a grasp of the part [m]; by default, there is no test.
            angle: the greatest angle between the two [rad].
        """
        from workcell.simulation.attaching import attach, require_at_grasp

        body = self._part(part)
        if distance is not None or angle is not None:
            hand = self.hand_pose(self.own_point)
            require_at_grasp(self._simulator, self._placed, hand, body, distance, angle)
        return attach(self._simulator, body, self.name)

    def release(self, part: str, settle: bool = False, on: str = "") -> None:
        """Release one part that it holds: an attached one, or one of several that cups or magnets hold.

        Args:
            part: the object or body.
            settle: whether the part falls straight down onto what is below.
            on: the object or body that the part must land on; implies `settle`.
        """
        from workcell.simulation.attaching import detach

        if self._part(part) not in self.held:
            raise Refused(f"{self.name} does not hold {part}.", part=part)
        detach(self._simulator, self._part(part), settle, on)

    def _part(self, name: str) -> str:
        snapshot = self._simulator.snapshot
        return name if any(body.name == name for body in snapshot.bodies) else snapshot.object_body(name)

    def gripper_time(self, closing: bool) -> float:
        """Return how long its gripper takes to grip or release a part [s].

        A program beside others waits for it first.
        """
        gripper = self.robot.gripper
        return 0.0 if gripper is None else gripper.time(closing)

    @property
    def opening(self) -> float | None:
        """The distance between the finger pads [m]; None for a hand without fingers."""
        from workcell.robots.gripper import Gripper
        from workcell.world.gripper_names import opening_signal

        gripper = self.robot.gripper
        if not isinstance(gripper, Gripper):
            return None
        return float(self._simulator.state.signals.get(opening_signal(self.name), gripper.opening))

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
