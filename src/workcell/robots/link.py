"""One link of a robot: its solids, for pictures and collision tests, and its mass."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.geometry.solid import Solid
from workcell.robots._values import ArrayValue
from workcell.spatial.pose import Pose
from workcell.spatial.rotations import finite

Colour = tuple[float, float, float]
"""Red, green, blue, each from 0 to 1."""


def colour(values: object, what: str = "A colour") -> Colour:
    """Check three numbers from 0 to 1."""
    array = finite(values, (3,), what)  # type: ignore[arg-type]
    if (array < 0.0).any() or (array > 1.0).any():
        raise InvalidValue(f"{what} is three numbers from 0 to 1; found {array.tolist()}.")
    r, g, b = (float(v) for v in array)
    return r, g, b


def hex_colour(paint: Colour) -> str:
    """A colour as ``#rrggbb``."""
    return "#" + "".join(f"{round(255 * value):02x}" for value in paint)


Use: TypeAlias = Literal["both", "visual", "collision"]
"""The use of a part: for pictures, for collision tests, or for both."""


@dataclass(frozen=True)
class Part:
    """A solid of one colour in the frame of its link; a ghost is drawn translucent and tested against nothing."""

    solid: Solid
    colour: Colour
    name: str = ""
    use: Use = "both"
    ghost: bool = False
    transparency: float | None = None
    """From 0 (opaque) to 1, if stated."""
    drawn: bool = False
    """Whether Workcell drew it from the dimensions of the arm, because there was no shape."""


@dataclass(frozen=True, eq=False)
class MassProperties(ArrayValue):
    """Mass [kg], its centre (3,) [m] and inertia (3, 3) [kg·m²] about that centre, in the link's frame."""

    mass: float
    centre: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    inertia: NDArray[np.float64] = field(default_factory=lambda: np.zeros((3, 3)))

    def __post_init__(self) -> None:
        if not np.isfinite(self.mass) or self.mass < 0.0:
            raise InvalidValue(f"The mass of a link must be finite and not negative; found {self.mass}.")
        centre = finite(self.centre, (3,), "The centre of mass of a link")
        inertia = finite(self.inertia, (3, 3), "The inertia of a link")
        if np.abs(inertia - inertia.T).max() > 1e-9 * max(1.0, float(np.abs(inertia).max())):
            raise InvalidValue("The inertia of a link must be symmetric.")
        self._freeze(centre=centre, inertia=inertia)

    def moved(self, X_new_old: Pose) -> MassProperties:
        """The same mass expressed in another frame."""
        rotation = X_new_old.rotation
        return MassProperties(self.mass, X_new_old.apply(self.centre), rotation @ self.inertia @ rotation.T)

    def about_origin(self) -> NDArray[np.float64]:
        """The inertia (3, 3) [kg·m²] about the origin of the frame instead of the centre of mass."""
        c = self.centre
        return np.asarray(self.inertia + self.mass * (float(c @ c) * np.eye(3) - np.outer(c, c)))

    @classmethod
    def sum(cls, parts: list[MassProperties]) -> MassProperties:
        """The mass properties of several bodies fixed to each other, given in one frame."""
        mass = sum(part.mass for part in parts)
        if mass == 0.0:
            return cls(0.0)
        centre = np.sum([part.mass * part.centre for part in parts], axis=0) / mass
        total = np.sum([part.about_origin() for part in parts], axis=0)
        return cls(mass, centre, total - mass * (float(centre @ centre) * np.eye(3) - np.outer(centre, centre)))


@dataclass(frozen=True)
class Link:
    """A rigid member of a chain; index 0 is the base, index i moves with joint i. Shapes are in DH frame i.

    Attributes:
        name: its name.
        parts: its solids, each of one colour: for pictures, for collision tests, or for both.
        mass: mass properties in the link's frame, or None if there are none.
        unknown: why its collision shape is not known, or not complete; empty if it is.
    """

    name: str
    parts: tuple[Part, ...] = ()
    mass: MassProperties | None = None
    unknown: str = ""

    @property
    def seen(self) -> tuple[Part, ...]:
        """The parts in pictures."""
        return tuple(part for part in self.parts if part.use != "collision")

    @property
    def tested(self) -> tuple[Part, ...]:
        """The parts in collision tests."""
        return tuple(part for part in self.parts if part.use != "visual")

    @property
    def drawn(self) -> bool:
        """Whether Workcell drew its whole collision shape from the dimensions of the arm."""
        return bool(self.tested) and all(part.drawn for part in self.tested)

    @property
    def solid(self) -> Solid | None:
        """All visible parts as one solid, or None for a link without a shape."""
        if not self.seen:
            return None
        whole = self.seen[0].solid
        for part in self.seen[1:]:
            whole = whole + part.solid
        return whole

    @property
    def colour(self) -> Colour:
        """The colour of the first visible part."""
        return self.seen[0].colour if self.seen else (0.7, 0.7, 0.7)
