"""A robot of a server, with the calls of a robot of the local simulator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from workcell.errors import InvalidValue, UnknownName
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from workcell.service.client import Reply
    from workcell.world.state import CellState


class Caller(Protocol):
    """A connection that carries out commands."""

    @property
    def state(self) -> CellState:
        """Where everything is now."""

    def call(self, name: str, /, **parameters: Any) -> Reply:
        """Carry out a command by its words, with parameters by name."""


class RemoteRobot:
    """A robot in the cell of a server; each call is one command there, in SI units.

    The calls have the names and parameters of :class:`workcell.simulation.simulated_robot.SimulatedRobot`. Moves return
    their duration [s].
    """

    def __init__(self, client: Caller, name: str) -> None:
        self._client = client
        self.name = name

    @property
    def joints(self) -> NDArray[np.float64]:
        """Joint values now [rad or m]."""
        known = self._client.state.joints
        if self.name not in known:
            raise UnknownName.among("robot", self.name, known)
        return known[self.name]

    @property
    def tool_pose(self) -> Pose:
        """``X_world_tool`` now."""
        return Pose(np.array(self._client.call("fk", robot=self.name).value["tool"]))

    # ---- settings ----------------------------------------------------------------------------------------

    def speed(self, rad_per_s: float) -> None:
        """Set the speed of the joint that moves most, for later moves [rad/s, or m/s for a sliding joint]."""
        self._do("speed", locals())

    def profile(self, name: str) -> None:
        """Set how the speed of later moves grows and falls."""
        self._do("profile", locals())

    def branch(self, policy: str | int | tuple[int, int, int]) -> None:
        """Set the inverse solution of later moves."""
        self._do("branch", locals())

    # ---- moves -------------------------------------------------------------------------------------------

    def set_joints(self, q: ArrayLike) -> None:
        """Set the joints at once, without a motion."""
        self._do("set joints", locals())

    def move_joints_relative(self, dq: ArrayLike, profile: str = "") -> float:
        """Move all joints by ``dq``."""
        return self._move("move-joints-relative", locals())

    def move_joints_absolute(self, q: ArrayLike, profile: str = "") -> float:
        """Move all joints to ``q``."""
        return self._move("move-joints-absolute", locals())

    def move_end_effector(
        self,
        pose: Pose,
        *,
        branch: str | int | tuple[int, int, int] = "",
        near: ArrayLike | None = None,
        profile: str = "",
        point: str = "tool",
        on: str = "",
        when: float | None = None,
        axes: Any = "",
        work: str = "",
    ) -> float:
        """Move the hand to a pose in the world, with all joints in one timing."""
        return self._move("move-end-effector", locals())

    def move_straight_line(
        self,
        pose: Pose,
        *,
        orientation: str = "interpolate",
        tolerance: float | None = None,
        step: float | None = None,
        hand_speed: float | None = None,
        profile: str = "",
        point: str = "tool",
        on: str = "",
        when: float | None = None,
        axes: Any = "",
        work: str = "",
    ) -> float:
        """Move the hand to a pose in the world along a straight line."""
        return self._move("move-straight-line", locals())

    def move_circular(
        self,
        via: Pose | ArrayLike,
        pose: Pose,
        *,
        orientation: str = "interpolate",
        hand_speed: float | None = None,
        profile: str = "",
        point: str = "tool",
        axes: Any = "",
        work: str = "",
    ) -> float:
        """Move the hand to a pose on the circle through the position of ``via``."""
        return self._move("move-circular", locals())

    def move_path(
        self,
        poses: Sequence[Pose],
        *,
        blend: float = 0.0,
        orientation: str = "interpolate",
        hand_speed: float | None = None,
        profile: str = "",
        point: str = "tool",
        axes: Any = "",
        work: str = "",
    ) -> float:
        """Move the hand straight from pose to pose, with corners rounded by a radius [m]."""
        return self._move("move-path", locals())

    def move_hand(
        self,
        by: Pose,
        *,
        frame: str = "hand",
        hand_speed: float | None = None,
        profile: str = "",
        point: str = "tool",
        axes: Any = "",
        work: str = "",
    ) -> float:
        """Shift and turn the hand from where it is, in a straight line."""
        return self._move("move-hand", locals())

    # ---- the gripper -------------------------------------------------------------------------------------

    def close_gripper(self, distance: float | None = None, angle: float | None = None) -> Reply:
        """Close the gripper; refused if nothing is between the fingers."""
        return self._do("close-gripper", locals())

    def open_gripper(self, settle: bool = False, opening: float | None = None, on: str = "") -> Reply:
        """Open the gripper, and release what it holds."""
        return self._do("open-gripper", locals())

    def grip(self, part: str) -> Reply:
        """Hold a part that suction cups or a magnet touch."""
        return self._do("grip", locals())

    def release(self, part: str, settle: bool = False, on: str = "") -> Reply:
        """Let go of one part."""
        return self._client.call("release", **_parameters(locals()))

    # ---- steering ----------------------------------------------------------------------------------------

    def hold(self) -> Reply:
        """Slow the motion down to rest on its path."""
        return self._of_device("hold-motion")

    def resume(self) -> Reply:
        """Go on with a motion that is held."""
        return self._of_device("resume-motion")

    def override(self, percent: float) -> Reply:
        """Set the speed of the robot as a percentage of the programmed one."""
        return self._client.call("override", percent=percent, device=self.name)

    def supersede(self, q: ArrayLike) -> Reply:
        """Replace the motion in progress by one to ``q``."""
        return self._do("supersede-joints", locals())

    def stop(self) -> Reply:
        """Stop the motion, and discard the rest of it."""
        return self._of_device("stop-motion")

    def emergency_stop(self) -> Reply:
        """Stop as soon as possible."""
        return self._of_device("emergency-stop")

    def _of_device(self, command: str) -> Reply:
        return self._client.call(command, device=self.name)

    def _do(self, command: str, given: dict[str, Any]) -> Reply:
        """Carry out a command of this robot with the arguments of a call."""
        return self._client.call(command, robot=self.name, **_parameters(given))

    def _move(self, command: str, given: dict[str, Any]) -> float:
        return float(self._do(command, given).value["duration"])


def _row(values: ArrayLike) -> list[float]:
    try:
        row = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidValue(f"Expected numbers; found {values!r}.") from None
    return [float(value) for value in np.atleast_1d(row).ravel()]


def _pose(pose: Pose) -> list[list[float]]:
    if not isinstance(pose, Pose):
        raise InvalidValue(f"Expected a pose, such as `wc.Pose.from_xyz(0.5, 0, 0.3)`; found {pose!r}.")
    rows: list[list[float]] = pose.matrix.tolist()
    return rows


def _branch(policy: str | int | tuple[int, int, int]) -> str:
    if isinstance(policy, tuple):
        return "".join("+" if sign > 0 else "-" for sign in policy)
    return str(policy)


PARAMETERS = {
    "q": "joints", "dq": "joints", "hand_speed": "speed", "rad_per_s": "speed", "blend": "radius", "name": "profile",
    "policy": "branch",
}  # fmt: skip
"""The parameters of commands that have other names than those of the calls."""
_READ: dict[str, Callable[[Any], Any]] = {
    "joints": _row,
    "near": _row,
    "via": lambda given: _pose(given) if isinstance(given, Pose) else _row(given),
    "pose": _pose,
    "by": _pose,
    "poses": lambda given: [_pose(one) for one in given],
    "branch": _branch,
    "radius": lambda given: given or None,
    "settle": lambda given: given or None,
}
"""How the values of parameters travel, by name; others travel as they are."""


def _parameters(given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a command from the arguments of a call; those without a value are left out."""
    found = {}
    for name, value in given.items():
        if name == "self" or value is None or (isinstance(value, str) and not value):
            continue
        parameter = PARAMETERS.get(name, name)
        found[parameter] = _READ[parameter](value) if parameter in _READ else value
    return {name: value for name, value in found.items() if value is not None}
