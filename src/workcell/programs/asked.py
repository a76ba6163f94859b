"""What a step asks of a robot, as far as it can be foreseen: poses to reach and joint values to take."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.errors import WorkcellError
from workcell.programs import steps as s
from workcell.programs.cell_names import CellNames
from workcell.programs.deciding import Undecided
from workcell.programs.evaluate import converted, evaluate
from workcell.programs.foreseen import ForeseenScope, Standing, Unknown
from workcell.programs.foreseen_state import Stand, State
from workcell.programs.straight import followed
from workcell.programs.visits import Circumstance, Visits
from workcell.programs.wants import Wants
from workcell.spatial.pose import Pose
from workcell.world.axes_text import is_held

Array = NDArray[np.float64]

REACHING = (s.MoveEndEffector, s.MoveStraightLine, s.MoveCircular, s.MovePath, s.Approach, s.MoveAlong)
"""The steps that bring a hand to poses."""
PLACING = (s.MoveJointsAbsolute, s.SetJoints, s.SupersedeJoints)
"""The steps that bring joints to values."""
STRAIGHT = (s.MoveStraightLine, s.MoveHand)
"""The steps that move a hand along a straight line from where it is."""
_DIGITS, _SLACK = 12, 1e-9
_LENGTH, _POSE, _JOINTS = Wants("number", "length"), Wants("pose"), Wants("joints")


class Asked:
    """Collects what steps ask of robots.

    Args:
        names: what exists.
        standing: where everything is as long as nothing has moved.
        visits: takes the poses and joint values.
        called: whether other programs call the examined one, so that it may begin anywhere.
    """

    def __init__(self, names: CellNames, standing: Standing, visits: Visits, called: bool) -> None:
        self._names, self._standing, self._visits, self._called = names, standing, visits, called

    def look(self, step: Any, state: State, scope: ForeseenScope, when: Callable[[ForeseenScope], Circumstance]) -> str:
        """Collect what a step asks. Return what the step depends on if only the run can decide, else ''."""
        try:
            if isinstance(step, REACHING) and step.robot in self._names.robots:
                return self._reaches(step, state, scope, when)
            if isinstance(step, PLACING) and step.robot in self._names.devices:
                values = converted(evaluate(step.joints, scope), _JOINTS, scope, step.robot)
                self._visits.add_joints(when(scope), step.robot, values)
            if isinstance(step, s.MoveJointsRelative) and step.robot in self._names.robots:
                stand = self._by(step, state, scope)
                if stand is None:
                    return ""  # from some joint values it is right, as a single move is
                at = dataclasses.replace(when(scope), starts=step.robot if stand.assumed else "")
                if at.rounds or not stand.assumed or not self._called:  # in loops, moves add up
                    self._visits.add_joints(at, step.robot, self._snapped(step.robot, stand))
        except Undecided as undecided:
            return str(undecided)
        except WorkcellError as error:
            self._visits.add_refusal(when(scope), error.message)
        return ""

    def straight(self, step: Any, state: State, scope: ForeseenScope, when: Circumstance) -> None:
        """Collect a straight line of a hand that stands at known joint values, if it cannot follow the line."""
        stand = state.joints.get(getattr(step, "robot", ""))
        if not isinstance(step, STRAIGHT) or stand is None or step.robot not in self._names.robots:
            return
        if stand.assumed and self._called:
            return
        robot = self._names.robots[step.robot].robot
        q = self._snapped(step.robot, stand)
        if robot.n != 6 or not robot.within_limits(q) or getattr(step, "work", None) or self._depends(step):
            return
        try:
            X_hand_tool = self._hand(step, state)
            now = robot.fk(q) @ X_hand_tool.inverse()
            if isinstance(step, s.MoveHand):
                if step.frame != "hand":
                    return
                goal = now @ converted(evaluate(step.by, scope), _POSE, scope)
            else:
                (pose,) = self._poses(step, state, scope)
                goal = scope.still(*self._standing.base(step.robot)).inverse() @ pose
            share = followed(robot, q, goal, X_hand_tool)
        except (Undecided, WorkcellError):
            return  # reported elsewhere, or an arm without a closed-form inverse
        if share < 1.0:
            message = f"{step.robot} can follow the straight line only for about {100 * share:.0f} % of its length"
            at = dataclasses.replace(when, starts=step.robot if stand.assumed else "", sampled=True)
            self._visits.add_refusal(at, message, step.robot)

    def after(self, step: Any, state: State, scope: ForeseenScope) -> Stand | None:
        """Return the joint values that a robot has after a step that moves it; None if they are unknown."""
        if getattr(step, "robot", "") not in self._names.robots:
            return None
        try:
            if isinstance(step, (s.MoveJointsAbsolute, s.SetJoints)):
                return _stand(converted(evaluate(step.joints, scope), _JOINTS, scope, step.robot))
            if isinstance(step, s.MoveJointsRelative):
                return self._by(step, state, scope)
            if isinstance(step, s.Home):
                return _stand(self._names.snapshot.initial.joints[step.robot])
        except (Undecided, WorkcellError):
            return None
        return None

    def _by(self, step: s.MoveJointsRelative, state: State, scope: ForeseenScope) -> Stand | None:
        """Return the joint values after a relative move; None if they are unknown before it."""
        stand = state.joints.get(step.robot)
        amounts = converted(evaluate(step.joints, scope), _JOINTS, scope, step.robot)
        if stand is None or len(amounts) != len(stand.values):
            return None
        return _stand((a + b for a, b in zip(stand.values, amounts, strict=True)), stand.assumed)

    def _snapped(self, robot: str, stand: Stand) -> Array:
        """Return joint values after a sum; one that is beyond a limit only by rounding is at the limit."""
        values, limits = np.array(stand.values), self._names.robots[robot].robot.limits
        nearest = np.clip(values, limits[:, 0], limits[:, 1])
        return np.where(np.abs(values - nearest) < _SLACK, nearest, values)

    def _reaches(
        self, step: Any, state: State, scope: ForeseenScope, when: Callable[[ForeseenScope], Circumstance]
    ) -> str:
        reason = self._depends(step)
        if reason:
            return reason
        X_world_base = scope.still(*self._standing.base(step.robot))
        poses, X_hand_tool = list(self._poses(step, state, scope)), self._hand(step, state)
        for pose in poses:
            self._visits.add_pose(when(scope), step.robot, pose @ X_hand_tool, X_world_base)
        return ""

    def _depends(self, step: Any) -> str:
        """Return what the reach of a step depends on besides its poses; '' if on nothing."""
        if getattr(step, "on", None) is not None:
            return f"where {step.on} is then"
        if getattr(step, "orientation", "") == "keep":
            return f"how the hand of {step.robot} is turned then"
        axes = step.axes
        if isinstance(step, s.MoveAlong) and (step.spin is not None or step.tilt is not None):
            return f"how the tool of {step.robot} is turned then"
        if isinstance(step, s.MoveAlong):
            axes = axes or self._names.snapshot.places.path(step.path).axes
        if not is_held(axes) or self._target_axes(step):
            return f"where the axes of {step.robot} are then"
        return ""

    def _target_axes(self, step: Any) -> bool:
        """Return whether a target that a step moves to may set external axes."""
        if self._names.snapshot.machine_of(step.robot) is None:
            return False
        return not all(is_held(one.axes) for one in self._names.snapshot.places.spots.values())

    def _poses(self, step: Any, state: State, scope: ForeseenScope) -> Iterator[Pose]:
        """Yield the poses of the hand in the world that a step moves to."""
        if isinstance(step, s.MoveAlong):
            poses, needs = self._standing.path(step.path)
            scope.still(Pose.identity(), needs)
            yield from poses
            return
        if isinstance(state.frame, Unknown):
            raise Undecided(state.frame.reason)
        back = Pose.identity()
        if isinstance(step, s.Approach):
            back = Pose.from_xyz(0.0, 0.0, -converted(evaluate(step.distance, scope), _LENGTH, scope))
        for one in step.poses if isinstance(step, s.MovePath) else (step.pose,):
            pose: Pose = converted(evaluate(one, scope), _POSE, scope) @ back
            yield pose if state.frame is None else state.frame @ pose

    def _hand(self, step: Any, state: State) -> Pose:
        """Return ``X_hand_tool`` of the point that a step moves to its poses."""
        robot = self._names.robots[step.robot].robot
        if getattr(step, "point", "tool") == "grip":
            if robot.gripper is None:
                raise Undecided("the gripper")  # the missing gripper is reported elsewhere
            return robot.gripper.X_flange_grip.inverse() @ robot.X_flange_tool
        tool = None if isinstance(step, s.MoveAlong) else state.tools.get(step.robot, state.callers_tool)
        if isinstance(tool, Unknown):
            raise Undecided(tool.reason)
        return Pose.identity() if tool is None else tool.inverse() @ robot.X_flange_tool


def _stand(values: Iterable[float], assumed: bool = False) -> Stand:
    """Return joint values, rounded so that a robot that moves there and back stands where it stood."""
    return Stand(tuple(round(float(value), _DIGITS) for value in values), assumed)
