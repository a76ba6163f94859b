"""The steps that move, grip and release parts."""

from __future__ import annotations

from workcell.programs import wants as w
from workcell.programs.base_step import Base


class MoveSolid(Base, frozen=True, tag="move-solid"):
    """Move a free solid from pose to pose."""

    solid: w.Solid
    poses: tuple[w.Pose, ...] = ()
    path: w.Path | None = None
    radius: w.PositiveLength | None = None
    speed: w.HandSpeed | None = None
    duration: w.PositiveSeconds | None = None
    acceleration: w.PositivePlain | None = None


class CloseGripper(Base, frozen=True, tag="close-gripper"):
    """Close the gripper on the part between its fingers."""

    robot: w.Arm
    distance: w.SomeLength | None = None
    angle: w.SomeAngle | None = None
    part: w.Solid | None = None


class OpenGripper(Base, frozen=True, tag="open-gripper"):
    """Open the gripper and release the part."""

    robot: w.Arm
    opening: w.Length | None = None
    settle: bool = False
    on: w.Support | None = None


class GripPart(Base, frozen=True, tag="grip"):
    """Attach a part to an arm where it is; to the only arm if none is named.

    With a distance or an angle, the hand must be so near to a grasp of the part; otherwise nothing is tested.
    """

    part: w.Solid
    robot: w.Arm | None = None
    distance: w.SomeLength | None = None
    angle: w.SomeAngle | None = None


class ReleasePart(Base, frozen=True, tag="release"):
    """Release one part that an arm holds."""

    part: w.Solid
    settle: bool = False
    on: w.Support | None = None


class Ride(Base, frozen=True, tag="ride"):
    """Let a part move with the last link of a mechanism."""

    part: w.Solid
    mechanism: w.Device
