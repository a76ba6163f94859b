"""A robot: a chain of joints with limits and speeds, the shapes of its links, the source of its figures."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, JointLimit
from workcell.kinematics.dh import Chain, DHRow
from workcell.robots._values import ArrayValue
from workcell.robots.controller import ControllerMap
from workcell.robots.hand import Hand
from workcell.robots.link import Colour, Link
from workcell.robots.robot_fields import FixedLink, Follows
from workcell.robots.robot_file import Check, Source
from workcell.robots.tool import Tool
from workcell.spatial.message_units import message_unit
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import finite
from workcell.spatial.units import tidy
from workcell.wording import joint_words

if TYPE_CHECKING:
    from workcell.geometry.solid import Solid
    from workcell.kinematics.solutions import IKSolutions

Array = NDArray[np.float64]

SPEED = math.radians(90.0)
"""Speed [rad/s] of a revolute joint without a given one."""
SLIDE = 0.5
"""Speed [m/s] of a prismatic joint without a given one."""
RAMP = 0.4
"""An assumed acceleration takes a joint to its full speed in this time [s]."""


@dataclass(frozen=True, eq=False)
class Robot(ArrayValue):
    """A serial arm of revolute and prismatic joints as a frozen value. Joint values are DH values [rad|m].

    Attributes:
        name: the name in the library, or the one it was given.
        chain: DH rows, base and tool frames.
        limits: lowest and highest joint values (n, 2) [rad|m].
        speeds: highest joint speeds (n,) [rad/s|m/s].
        accelerations: highest joint accelerations (n,) [rad/s²|m/s²].
        home: joint values to start from (n,) [rad|m].
        joint_names: one name per joint.
        model: the maker's name of the robot.
        maker: the maker.
        kind: arm, cobot, scara, gantry, planar ….
        about: a description, the joint convention first.
        links: base and n moving links; shapes in their DH frames.
        gripper: the hand on its flange: fingers, suction cups or magnets.
        tool: the tool on its flange, or None.
        controller: the map to the vendor's joint values, if it is known.
        payload: rated payload [kg] or None.
        moments: the greatest moment of a load at rest about each joint's axis [N·m], None if it is not known; empty
            if none is.
        reach: the maker's figure for its reach [m] or None.
        weight: the weight of the arm [kg] or None.
        repeatability: the maker's figure [m] or None.
        sources: the sources of the figures.
        assumed: figures that nobody publishes, with the reason for the assumed value.
        checks: poses that another source states.
        follows: joints, by name, that follow another one in the original file; here they move by themselves.
        fixed_links: the links that fixed joints hold in the original file.
        held_by: joints, by name, whose parent in that file is a fixed link, and its name.
    """

    name: str
    chain: Chain
    limits: Array = field(default_factory=lambda: np.empty((0, 2)))
    speeds: Array = field(default_factory=lambda: np.empty(0))
    accelerations: Array = field(default_factory=lambda: np.empty(0))
    home: Array = field(default_factory=lambda: np.empty(0))
    joint_names: tuple[str, ...] = ()
    model: str = ""
    maker: str = ""
    kind: str = "arm"
    about: str = ""
    links: tuple[Link, ...] = ()
    gripper: Hand | None = None
    tool: Tool | None = None
    controller: ControllerMap | None = None
    payload: float | None = None
    moments: tuple[float | None, ...] = ()
    reach: float | None = None
    weight: float | None = None
    repeatability: float | None = None
    sources: tuple[Source, ...] = ()
    assumed: Mapping[str, str] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    follows: Mapping[str, Follows] = field(default_factory=dict)
    fixed_links: tuple[FixedLink, ...] = ()
    held_by: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = self.chain.n
        assumed = dict(self.assumed)
        prismatic = np.asarray(self.chain.prismatic)
        limits = self._per_joint("limits", (n, 2), "The joint limits")
        if limits is None:
            limits = np.where(prismatic[:, None], (0.0, 1.0), (-math.pi, math.pi))
            assumed.setdefault("limits", "none were given: one turn, or one metre of travel")
        for joint, (low, high) in enumerate(limits, start=1):
            if low >= high:
                raise InvalidValue(
                    f"The limits of joint {joint} are reversed: {tidy(low)} is not below {tidy(high)}.",
                    joint=joint,
                )
        speeds = self._per_joint("speeds", (n,), "The joint speeds")
        if speeds is None:
            speeds = np.where(prismatic, SLIDE, SPEED)
            assumed.setdefault("speeds", "none were given: 90 degrees or 500 mm a second")
        accelerations = self._per_joint("accelerations", (n,), "The joint accelerations")
        if accelerations is None:
            accelerations = speeds / RAMP
            assumed.setdefault("accelerations", f"not published: full speed is reached in {RAMP:g} s")
        for what, values in (("speed", speeds), ("acceleration", accelerations)):
            if (values <= 0.0).any():
                joint = int(np.argmax(values <= 0.0)) + 1
                raise InvalidValue(
                    f"The {what} of joint {joint} must be greater than zero; found {values[joint - 1]:g}."
                )
        home = self._per_joint("home", (n,), "The home position")
        if home is None:
            home = np.clip(np.zeros(n), limits[:, 0], limits[:, 1])
        names = self.joint_names or tuple(f"joint {i + 1}" for i in range(n))
        if len(names) != n:
            raise InvalidValue(f"A robot of {n} joints needs {n} joint names; found {len(names)}.")
        links = self.links or tuple(Link("base" if i == 0 else f"link {i}") for i in range(n + 1))
        if len(links) != n + 1:
            raise InvalidValue(f"A robot of {n} joints has {n + 1} links, the base first; found {len(links)}.")
        self._check_loads()
        if self.controller is not None and self.controller.n != n:
            raise InvalidValue(f"The controller map has {self.controller.n} joints and the robot {n}.")
        self._freeze(limits=limits, speeds=speeds, accelerations=accelerations, home=home)
        object.__setattr__(self, "joint_names", tuple(names))
        object.__setattr__(self, "links", tuple(links))
        object.__setattr__(self, "assumed", MappingProxyType(assumed))

    def _check_loads(self) -> None:
        if self.payload is not None and not (math.isfinite(self.payload) and self.payload > 0.0):
            raise InvalidValue(f"The payload of {self.name!r} must be greater than zero; found {self.payload:g} kg.")
        if self.moments and len(self.moments) != self.n:
            raise InvalidValue(f"A robot of {self.n} joints has {self.n} allowed moments; found {len(self.moments)}.")
        for joint, moment in enumerate(self.moments, start=1):
            if moment is not None and not (math.isfinite(moment) and moment > 0.0):
                raise InvalidValue(
                    f"The allowed moment about joint {joint} of {self.name!r} must be greater than zero; found "
                    f"{moment:g} N·m.",
                    joint=joint,
                )

    def _per_joint(self, field_name: str, shape: tuple[int, ...], what: str) -> Array | None:
        value = getattr(self, field_name)
        if value is None or np.size(value) == 0:
            return None
        return finite(value, shape, f"{what} of {self.name!r}")

    # ---- construction ---------------------------------------------------------------------------------

    @classmethod
    def from_dh(
        cls,
        rows: Iterable[DHRow | Sequence[float] | dict[str, Any]],
        name: str = "robot",
        *,
        modified: bool = False,
        base: Pose | None = None,
        tool: Pose | None = None,
        **more: object,
    ) -> Robot:
        """A robot from its DH table, one row per joint [rad, m].

        Args:
            rows: mappings with ``theta``, ``d``, ``a``, ``alpha`` and, if the joint slides,
                ``prismatic=True``; or the four numbers in that order.
            name: its name.
            modified: whether the rows are in Craig's form (``a`` and ``alpha`` of the link before).
            base: the base link in the robot's base frame.
            tool: the tool in the flange frame.
            **more: any other field of :class:`Robot`, such as ``limits=`` or ``home=``.
        """
        make = Chain.from_modified if modified else Chain
        return cls(name=name, chain=make(rows, base, tool), **more)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: str | Path, unknown_shapes: bool = False) -> Robot:
        """A robot from a file: a Workcell robot file (.toml), a URDF, or Ding's WLD with one robot in it.

        Args:
            path: the file.
            unknown_shapes: whether to mark a link of a URDF as unknown if its mesh is missing or unreadable, which
                collision answers then state; otherwise the file is refused.
        """
        from workcell.robots.robot_reader import read

        return cls(**read(path, unknown_shapes).robots[0].fields)

    # ---- properties -----------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """The number of joints."""
        return int(self.chain.n)

    @property
    def rows(self) -> tuple[DHRow, ...]:
        """The DH table."""
        return self.chain.rows

    @property
    def turning_speeds(self) -> Array:
        """The highest speeds of the joints that turn [rad/s]; of all joints if every one slides [m/s]."""
        turns = ~np.asarray(self.chain.prismatic, dtype=bool)
        return self.speeds[turns] if turns.any() else self.speeds

    @property
    def default_speed(self) -> float:
        """The default speed of the arm: the least of its turning speeds [rad/s, or m/s]."""
        return float(self.turning_speeds.min())

    @property
    def link_solids(self) -> tuple[tuple[Solid | None, Colour], ...]:
        """For each link, the base first, its solid in its DH frame (None without a shape) and its colour."""
        return tuple((link.solid, link.colour) for link in self.links)

    @property
    def X_flange_tool(self) -> Pose:
        """The tool in the flange frame."""
        return self.chain.X_n_tool

    def caveat(self, *figures: str) -> str:
        """A sentence for reports that use assumed figures, such as ``accelerations``; empty if none is assumed."""
        found = [figure for figure in figures if figure in self.assumed]
        if not found:
            return ""
        reasons = "; ".join(f"{figure}: {self.assumed[figure].rstrip('.')}" for figure in found)
        return f"Assumed for {self.name}: {reasons}."

    def describe(self) -> str:
        """One line for people."""
        who = " ".join(word for word in (self.maker, self.model) if word) or self.name
        carries = f", {self.payload:g} kg" if self.payload else ""
        reaches = f", reach {self.reach * 1e3:g} mm" if self.reach else ""
        return f"{who}: {self.kind} of {self.n} joints{carries}{reaches}"

    def __repr__(self) -> str:
        return f"<Robot {self.name!r}: {self.describe()}>"

    # ---- questions ------------------------------------------------------------------------------------

    def checked(self, q: ArrayLike) -> Array:
        """Return joint values (n,) as an array; refuse wrong counts and numbers that are not finite."""
        return self.chain.joints(q)

    @cached_property
    def _ranges(self) -> list[list[float]]:
        """The least and greatest value of each joint as plain numbers, which compare faster than small arrays."""
        return self.limits.tolist()  # type: ignore[no-any-return]

    def outside(self, q: ArrayLike) -> tuple[tuple[int, float], ...]:
        """The joints out of their range: (joint counted from 1, excess with its sign [rad|m])."""
        values = self.checked(q)
        if all(least <= value <= most for value, (least, most) in zip(values.tolist(), self._ranges, strict=True)):
            return ()
        low, high = self.limits[:, 0], self.limits[:, 1]
        excess = np.where(values < low, values - low, np.where(values > high, values - high, 0.0))
        return tuple((int(i) + 1, float(excess[i])) for i in np.flatnonzero(excess))

    def within_limits(self, q: ArrayLike) -> bool:
        """Whether every joint is inside its range."""
        return not self.outside(q)

    def require_limits(self, q: ArrayLike) -> None:
        """Refuse joint values out of range, with the first such joint and its excess."""
        for joint, excess in self.outside(q):
            row = self.rows[joint - 1]
            size, unit = message_unit(row.prismatic)
            low, high = self.limits[joint - 1] * size
            raise JointLimit(
                f"{joint_words(joint, self.joint_names[joint - 1])} of {self.name} would be "
                f"{abs(excess) * size:.6g} {unit} out of its range "
                f"{tidy(round(low, 9))} … {tidy(round(high, 9))} {unit}.",
                joint=joint,
                excess=excess,
            )

    def fk(self, q: ArrayLike) -> Pose:
        """The tool in the base frame."""
        from workcell.kinematics.forward import tool_pose

        return tool_pose(self.chain, q)

    def fk_batch(self, Q: ArrayLike) -> Array:
        """The tool in the base frame for many joint values (N, n), as matrices (N, 4, 4)."""
        from workcell.kinematics.forward import tool_batch

        return tool_batch(self.chain, Q)

    def frames(self, q: ArrayLike) -> Array:
        """All link frames in the base frame (n+1, 4, 4), the base link first."""
        from workcell.kinematics.forward import frames

        return frames(self.chain, q)

    def frames_batch(self, Q: ArrayLike) -> Array:
        """All link frames for many joint values (N, n), as matrices (N, n+1, 4, 4)."""
        from workcell.kinematics.forward import frames_batch

        return frames_batch(self.chain, Q)

    def jacobian(self, q: ArrayLike, frame: str = "base") -> Array:
        """The geometric Jacobian (6, n) of the tool: linear rows first, in the base or the tool frame."""
        from workcell.kinematics.jacobian import jacobian

        return jacobian(self.chain, q, frame)

    def ik(self, pose: Pose | ArrayLike, near: ArrayLike | None = None) -> IKSolutions:
        """Every solution that brings the tool to a pose, labelled, with whether it is within the joint limits.

        Args:
            pose: the tool in the base frame.
            near: joint values [rad|m]; an arm without a closed form lists the solutions closest to them first.
        """
        from workcell.kinematics.inverse import ik

        return ik(self.chain, pose, self.limits, near)

    def ik_batch(
        self, poses: Sequence[Pose] | ArrayLike, within_limits: bool = False, threads: int | None = None
    ) -> tuple[Array, NDArray[np.bool_]]:
        """All branches of many poses (N, 4, 4): joint values (N, B, n) and which of them are valid (N, B).

        Args:
            poses: the tool in the base frame.
            within_limits: whether a solution outside the joint limits counts as not valid.
            threads: the number of threads; by default one per processor.
        """
        from workcell.kinematics.inverse import ik_batch

        return ik_batch(self.chain, poses, self.limits if within_limits else None, threads)

    # ---- changes --------------------------------------------------------------------------------------

    def replace(self, **changes: object) -> Robot:
        """The same robot with some fields changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def with_tool(self, tool: Tool | Pose | None) -> Robot:
        """The same robot with a tool on its flange, and the tool's hand if it has one; None removes both."""
        own = {} if self.tool is None or self.tool.hand is None or self.gripper != self.tool.hand else {"gripper": None}
        if tool is None:
            pose, held = Pose.identity(), None
        elif isinstance(tool, Tool):
            pose, held = tool.X_flange_tcp, tool
        else:
            pose, held = tool, Tool("tool", tool)
        hand = {"gripper": held.hand} if held is not None and held.hand is not None else own
        return self.replace(chain=self.chain.with_tool(pose), tool=held, **hand)

    def with_base(self, X_base_0: Pose) -> Robot:
        """The same robot with its first frame elsewhere in its base frame."""
        return self.replace(chain=self.chain.with_base(X_base_0))
