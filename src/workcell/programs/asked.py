"""What a step asks of a robot, as far as it can be foreseen: poses to reach and joint values to take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from workcell.errors import WorkcellError
from workcell.programs import steps as s
from workcell.programs.cell_names import CellNames
from workcell.programs.deciding import Undecided
from workcell.programs.evaluate import converted, evaluate
from workcell.programs.foreseen import ForeseenScope, Standing, Unknown
from workcell.programs.foreseen_state import State
from workcell.programs.visits import Circumstance, Visits
from workcell.programs.wants import Wants
from workcell.spatial.pose import Pose
from workcell.world.axes_text import is_held

REACHING = (s.MoveEndEffector, s.MoveStraightLine, s.MoveCircular, s.MovePath, s.Approach, s.MoveAlong)
"""The steps that bring a hand to poses."""
PLACING = (s.MoveJointsAbsolute, s.SetJoints, s.SupersedeJoints)
"""The steps that bring joints to values."""
_LENGTH, _POSE, _JOINTS = Wants("number", "length"), Wants("pose"), Wants("joints")


class Asked:
    """Collects what steps ask of robots.

    Args:
        names: what exists.
        standing: where everything is as long as nothing has moved.
        visits: takes the poses and joint values.
    """

    def __init__(self, names: CellNames, standing: Standing, visits: Visits) -> None:
        self._names, self._standing, self._visits = names, standing, visits

    def look(self, step: Any, state: State, scope: ForeseenScope, when: Callable[[ForeseenScope], Circumstance]) -> str:
        """Collect what a step asks. Return what the step depends on if only the run can decide, else ''."""
        try:
            if isinstance(step, REACHING) and step.robot in self._names.robots:
                return self._reaches(step, state, scope, when)
            if isinstance(step, PLACING) and step.robot in self._names.devices:
                values = converted(evaluate(step.joints, scope), _JOINTS, scope, step.robot)
                self._visits.add_joints(when(scope), step.robot, values)
        except Undecided as undecided:
            return str(undecided)
        except WorkcellError as error:
            self._visits.add_refusal(when(scope), error.message)
        return ""

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
