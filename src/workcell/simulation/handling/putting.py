"""Putting a part down that a robot holds: the place, the straight way down, the release and the way back."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused, Unreachable, WorkcellError
from workcell.motion.trajectory import Trajectory
from workcell.robots.gripper import Gripper
from workcell.simulation.handling import trial
from workcell.simulation.handling.arm import Arm, why
from workcell.simulation.handling.parts import arm_holding, arm_of, part_of
from workcell.simulation.handling.picking import UP, first_line, pick
from workcell.simulation.handling.places import CLEAR, Spot, spots_on
from workcell.simulation.handling.reasons import AWAY, GRIP, PATH, PLACE, REACH, WAY, Reasons
from workcell.simulation.handling.stages import Course, Go, Handling, LetGo, Stage, gripping
from workcell.spatial.pose import Pose
from workcell.wording import quoted
from workcell.world.gripper_names import opening_signal
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator

Array = NDArray[np.float64]

_DOWN = (0.05, 0.02, 0.01)
"""From how far above its place a part is let down straight [m]; the first that is free is taken."""
_BACK = (0.1, 0.05, 0.03)
"""How far the hand goes straight back after it released a part [m]; the first that is free is taken."""
_OFF = 1e-3
"""How far from its place a part may come to rest [m]."""
_EACH, _MOST = 2, 4
"""In how many configurations a place is looked at, and to how many of all a path is searched."""
_PLACES = 24
"""How many places on something, and turns of the part there, are looked at."""
_LOOKS = 8
"""In how many configurations contacts are looked for at one place."""
_WIDER = 0.01
"""How much farther than it holds a hand opens where it cannot open fully [m]."""


@dataclass(frozen=True)
class PutWish:
    """What is asked for.

    Attributes:
        part: the name of the part.
        robot: the robot that puts it; '' for the one that holds it.
        on: the object that it is to stand on; '' for whatever is below the pose.
        pose: where the part is to be: in the world, or in the frame of ``on``; None for the middle of ``on``.
    """

    part: str
    robot: str = ""
    on: str = ""
    pose: Pose | None = None


@dataclass(frozen=True, eq=False)
class _Way:
    """A way to put a part down that is proved but for the path to its beginning."""

    spot: Spot
    down: Trajectory
    release: tuple[Stage, ...]
    back: Trajectory
    state: CellState


def put(simulator: Simulator, wish: PutWish) -> Course:
    """Return how a robot puts a part down; a part that nobody holds is picked up first. Nothing has moved.

    Raises:
        Refused: it cannot; the sentence names the places and the reason of each.
    """
    if not wish.on and wish.pose is None:
        raise Refused(f"Where {wish.part} is to be put is missing: `on THING`, `at POSE`, or both.", part=wish.part)
    part = part_of(simulator, wish.part, "put")
    holder = arm_holding(simulator.snapshot, simulator.state, part)
    robot = wish.robot or holder
    if not robot:
        name = quoted(wish.part)
        raise Refused(
            f"No robot holds {wish.part}; `pick {name} with ROBOT` first, or add `with ROBOT`.", part=wish.part
        )
    if holder and holder != robot:
        raise Refused(
            f"{holder} holds {wish.part}, not {robot}; `hand {quoted(wish.part)} to {quoted(robot)}` first.",
            part=wish.part,
            robot=robot,
            holder=holder,
        )
    if not holder:
        return _fetched(simulator, wish, robot, part)
    return _put(arm_of(simulator, robot), wish, part)


def _fetched(simulator: Simulator, wish: PutWish, robot: str, part: str) -> Course:
    """Return how a robot picks a part up and puts it down; the grasp suits both."""
    arm = arm_of(simulator, robot)
    spots = list(spots_of(arm, wish, part))
    picked = pick(simulator, wish.part, robot, lambda state: _unfit(arm.at(state), wish, part, spots))
    then = _put(arm.at(picked.state), wish, part)
    first, second = picked.handling, then.handling
    stages = (*first.stages, *second.stages)
    return Course(Handling(part, robot, stages, first.grasp, second.on), then.state)


def _unfit(arm: Arm, wish: PutWish, part: str, spots: Sequence[Spot]) -> str:
    """Return why a part that is held so cannot be put there, as far as this is quick to tell; '' if it may."""
    putting, touching = Putting(arm, part, Reasons()), ""
    if not spots:
        return f"there is no room for it on {wish.on}"
    for q in putting.reaching(spots):
        touching = arm.touching(q)
        if not touching:
            return ""
    return f"held so, it cannot be put down: {touching or next(iter(putting.reasons.by_name.values()))}"


def spots_of(arm: Arm, wish: PutWish, part: str) -> Iterator[Spot]:
    """Yield the places that are asked for, the first first.

    Raises:
        Refused: the part is to stand on itself, or on what it carries.
    """
    snapshot, state = arm.snapshot, arm.state
    support = _support(arm, wish, part)
    if wish.pose is not None:
        X = wish.pose if not support else snapshot.body_pose(state, support) @ wish.pose
        x, y, z = (float(v) * 1e3 for v in X.xyz)
        name = f"at {x:.6g}, {y:.6g}, {z:.6g} mm"
        yield Spot(name, X, support)
        yield Spot(name, Pose.from_xyz(0.0, 0.0, CLEAR) @ X, support)
        return
    yield from itertools.islice(spots_on(arm.model(), state, part, support), _PLACES)


def _support(arm: Arm, wish: PutWish, part: str) -> str:
    """Return the body that the part is to stand on; '' if none is named."""
    if not wish.on:
        return ""
    snapshot = arm.snapshot
    bodies = [body.name for body in snapshot.bodies if wish.on in (body.name, body.owner)]
    if not bodies:
        raise Refused(f"{wish.on!r} stands in no scene; `place {quoted(wish.on)} at …` first.")
    support = bodies[-1]
    frame: str | None = support
    while frame is not None:
        if frame == part:
            raise Refused(f"{wish.part} cannot be put on {wish.on}, which it carries or is.", part=wish.part)
        held = arm.state.attached.get(frame)
        frame = None if held is None else held.frame
    return support


def _put(arm: Arm, wish: PutWish, part: str) -> Course:
    """Return how an arm puts down what it holds."""
    putting = Putting(arm, part, Reasons())
    ways: list[_Way] = []
    for spot in spots_of(arm, wish, part):
        ways += putting.ways(spot)
        if ways:  # places farther from the middle are for a middle that is taken
            break
    if ways:
        try:
            plan = arm.path([one.down.start for one in ways[:_MOST]])
        except WorkcellError as error:
            for one in ways:
                putting.reasons.add(one.spot.name, PATH, why(error))
        else:
            way = ways[plan.goal]
            there = (Go(arm.name, plan.trajectory),) if plan.duration > 0.0 else ()
            stages = (*there, Go(arm.name, way.down), *way.release, Go(arm.name, way.back))
            return Course(Handling(part, arm.name, stages, "", way.spot.on), way.state)
    where = f"on {wish.on}" if wish.on else "there"
    if not putting.reasons:
        putting.reasons.add(where, REACH, "there is no room for it")
    raise putting.reasons.error(f"{arm.name} cannot put {wish.part} {where}", wish.part, arm.name)


@dataclass(frozen=True, eq=False)
class Putting:
    """The search for ways to put a part down.

    Attributes:
        arm: which holds the part.
        part: the body.
        reasons: why tries failed.
    """

    arm: Arm
    part: str
    reasons: Reasons

    def reaching(self, spots: Sequence[Spot]) -> Iterable[Array]:
        """Return joint values with which the part is at one of some places; none if all are out of reach."""
        arm = self.arm
        X_part_tool = arm.snapshot.body_pose(arm.state, self.part).inverse() @ arm.snapshot.tool_pose(
            arm.state, arm.name
        )
        try:
            return list(arm.reaching([spot.X_world_part @ X_part_tool for spot in spots], spots[0].name)[:_LOOKS])
        except Unreachable as error:
            for spot in spots:
                self.reasons.add(spot.name, REACH, why(error))
            return ()

    def ways(self, spot: Spot) -> list[_Way]:
        """Return ways to put the part there, at most a few."""
        found: list[_Way] = []
        for q in self.reaching([spot]):
            touching = self.arm.touching(q)
            if touching:
                self.reasons.add(spot.name, PLACE, touching)
                continue
            way = self._at(spot, q)
            if way is not None:
                found.append(way)
                if len(found) == _EACH:
                    break
        return found

    def _at(self, spot: Spot, q: Array) -> _Way | None:
        arm, reasons = self.arm, self.reasons
        approach = self._approach(q)
        shifts = [far * UP for far in _DOWN] + [-far * approach for far in _DOWN]
        down = first_line(arm, q, shifts, (), True)
        if isinstance(down, str):
            reasons.add(spot.name, WAY, down)
            return None
        for opening in self._openings():
            try:
                state, on = trial.put_down(arm, q, self.part, opening, spot.on)
                self._require_at(spot, state)
            except WorkcellError as error:
                reasons.add(spot.name, GRIP, why(error))
                continue
            contact = arm.contact(self.part)
            back = first_line(arm.at(state), q, [-far * approach for far in _BACK], contact, False)
            if isinstance(back, str):
                reasons.add(spot.name, AWAY, back)
                continue
            return _Way(spot, down, self._release(opening, on), back, state.with_joints(arm.name, back.end))
        return None

    def _approach(self, q: Array) -> Array:
        """Return the direction in which the hand points at joint values (3,)."""
        state = self.arm.state.with_joints(self.arm.name, q)
        X_world_tool = self.arm.snapshot.tool_pose(state, self.arm.name)
        if self.arm.placed.robot.gripper is None:
            return np.asarray(X_world_tool.rotation[:, 2])
        return np.asarray((X_world_tool @ self.arm.X_tool_grip).rotation[:, 2])

    def _openings(self) -> list[float | None]:
        """Return how far the hand opens when it releases the part [m]: fully, or a little; None without fingers."""
        gripper = self.arm.placed.robot.gripper
        if not isinstance(gripper, Gripper) or not trial.by_gripper(self.arm):
            return [None]
        held = self.arm.state.signals.get(opening_signal(self.arm.name), gripper.opening)
        return [gripper.opening, min(held + _WIDER, gripper.opening)]

    def _release(self, opening: float | None, on: str) -> tuple[Stage, ...]:
        if not trial.by_gripper(self.arm):
            return (LetGo(self.part, on),)
        options = {} if opening is None else {"opening": opening}
        return gripping(self.arm.name, False, settle=True, on=on, **options)

    def _require_at(self, spot: Spot, state: CellState) -> None:
        """Refuse a part that comes to rest elsewhere than it was asked to."""
        off = float(np.linalg.norm(self.arm.snapshot.body_pose(state, self.part).xyz - spot.X_world_part.xyz))
        if off > _OFF:
            raise Refused(
                f"the part would come to rest {off * 1e3:.4g} mm lower; give the height at which it stands, or "
                "`on THING` to put it on something."
            )
