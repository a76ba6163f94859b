"""A two-finger gripper: its opening, its reach and its direction of approach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.geometry.solid import Solid
from workcell.robots.link import Colour
from workcell.robots.shape_parts import box, tube
from workcell.spatial.pose import Pose

PALM: Colour = (0.20, 0.22, 0.25)
FINGER: Colour = (0.72, 0.74, 0.77)
GRIPPER_TIMES = ("close_time", "open_time", "build_up")
"""The fields with the times that a gripper takes [s]."""


@dataclass(frozen=True)
class Gripper:
    """Two parallel fingers on a palm, mounted on a flange.

    The flange frame has z out of the flange. The fingers close along x of the grip frame, whose origin lies
    between the finger pads and whose z is the direction of approach.

    Attributes:
        opening: the widest distance between the finger pads [m].
        reach: from the flange to the grip point between the finger tips [m].
        name: its name.
        finger_width: the width of the fingers, along y of the grip frame [m].
        finger_thickness: the thickness of one finger, along x [m].
        pad: the part of the finger's length that holds [m]; the grip point is in its middle.
        turn: the turn of the gripper about the flange's z axis [rad].
        flip: whether it is mounted along −z, because the flange's z axis of the table points into the arm.
        mass: the mass of the whole gripper [kg], or None if it is not known.
        least: the smallest distance between the pads [m].
        close_time: the time to close [s], for any distance of the fingers.
        open_time: the time to open [s].
        build_up: the time in which a vacuum builds up after closing [s].
    """

    opening: float
    reach: float
    name: str = "two-finger gripper"
    finger_width: float = 0.02
    finger_thickness: float = 0.012
    pad: float = 0.02
    turn: float = 0.0
    flip: bool = False
    mass: float | None = None
    least: float = 0.0
    close_time: float = 0.0
    open_time: float = 0.0
    build_up: float = 0.0

    def __post_init__(self) -> None:
        for field in ("opening", "reach", "finger_width", "finger_thickness", "pad"):
            value = getattr(self, field)
            if not np.isfinite(value) or value <= 0.0:
                raise InvalidValue(
                    f"The {field.replace('_', ' ')} of a gripper must be greater than zero; found {value}."
                )
        if self.mass is not None and not (np.isfinite(self.mass) and self.mass > 0.0):
            raise InvalidValue(f"The mass of a gripper must be greater than zero; found {self.mass}.")
        for field in ("turn", "least"):
            if not np.isfinite(getattr(self, field)):
                raise InvalidValue(f"The {field} of a gripper must be a finite number; found {getattr(self, field)}.")
        for field in GRIPPER_TIMES:
            if not 0.0 <= getattr(self, field) < np.inf:
                raise InvalidValue(
                    f"The {field} of a gripper must be zero or more seconds; found {getattr(self, field)}."
                )
        if not 0.0 <= self.least < self.opening:
            raise InvalidValue(
                f"A gripper that opens {self.opening:g} m cannot have a least opening of {self.least:g} m."
            )
        if self.pad >= self.reach:
            raise InvalidValue(
                f"The pads ({self.pad:g} m) of a gripper must be shorter than its reach ({self.reach:g} m)."
            )

    @property
    def X_flange_grip(self) -> Pose:
        """The grip frame in the flange frame: z the direction of approach, x the direction of closing."""
        return self.X_flange_mount @ Pose.from_xyz(0.0, 0.0, self.reach)

    @property
    def X_flange_mount(self) -> Pose:
        """The gripper's own mounting face in the flange frame, z out of the arm."""
        turned = Pose.from_axis_angle((0.0, 0.0, 1.0), self.turn)
        return turned @ Pose.from_axis_angle((1.0, 0.0, 0.0), np.pi) if self.flip else turned

    @property
    def approach(self) -> NDArray[np.float64]:
        """The direction of approach (3,) in the flange frame."""
        return self.X_flange_grip.rotation[:, 2]

    def time(self, closing: bool) -> float:
        """The time until a part is held, or released [s]."""
        return self.close_time + self.build_up if closing else self.open_time

    def checked_opening(self, opening: float) -> float:
        """Return the distance between the pads [m]; refuse one outside the gripper's range."""
        if not np.isfinite(opening) or not self.least <= opening <= self.opening:
            raise InvalidValue(
                f"The {self.name} opens from {self.least * 1e3:g} to {self.opening * 1e3:g} mm; "
                f"{opening * 1e3:g} mm was asked for.",
                opening=opening,
            )
        return float(opening)

    @property
    def summary(self) -> str:
        """A short description."""
        return f"opens {self.opening * 1e3:.4g} mm, grips {self.reach * 1e3:.4g} mm out"

    def palm(self) -> Solid:
        """The body on which the fingers slide, in the flange frame."""
        base = self._palm_end()
        wide = self.opening + 2.0 * self.finger_thickness
        plate = box((0.0, 0.0, 0.75 * base), (wide, 1.6 * self.finger_width, 0.5 * base))
        body = tube((0.0, 0.0, 0.0), (0.0, 0.0, 0.6 * base), 0.9 * self.finger_width)
        return (body + plate).moved(self.X_flange_mount)

    def finger(self) -> Solid:
        """One finger, its pad on the plane x = 0 and its body on the side of +x, in the grip frame."""
        base = self._palm_end() - self.reach
        tip = self.pad / 2.0
        half = self.finger_thickness / 2.0
        return box((half, 0.0, (base + tip) / 2.0), (self.finger_thickness, self.finger_width, tip - base))

    def finger_poses(self, opening: float) -> tuple[Pose, Pose]:
        """The poses of the two fingers in the flange frame when the pads are ``opening`` [m] apart."""
        half = self.checked_opening(opening) / 2.0
        grip = self.X_flange_grip
        right = grip @ Pose.from_xyz(half, 0.0, 0.0)
        left = grip @ Pose.from_axis_angle((0.0, 0.0, 1.0), np.pi) @ Pose.from_xyz(half, 0.0, 0.0)
        return right, left

    def _palm_end(self) -> float:
        return 0.5 * self.reach
