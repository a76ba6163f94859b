"""A suction tool: cups on a manifold, each of which holds a flat face by vacuum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.robots.clinging import ClingingHand, Triple, above, frozen
from workcell.robots.link import Part
from workcell.robots.tool_shapes import cup_parts, pad_carrier
from workcell.spatial.rotations import finite

YIELDS = 0.5e-3
"""The distance by which every lip yields, even that of a cup without a stroke [m]."""


@dataclass(frozen=True)
class Cup:
    """A suction cup that faces along z of the tool.

    Attributes:
        xyz: the middle of its rim when nothing presses on it, in the tool's mounting frame [m].
        diameter: the diameter of its rim, including the lip [m].
        stroke: how far it yields when it is pressed on a part [m].
        lip: the width of the lip, under which there is no vacuum [m].
    """

    xyz: Triple
    diameter: float
    stroke: float = 0.0
    lip: float = 0.0

    def __post_init__(self) -> None:
        x, y, z = finite(self.xyz, (3,), "The place of a cup").tolist()
        object.__setattr__(self, "xyz", (x, y, z))
        above(self.diameter, 0.0, "The diameter of a cup")
        above(self.stroke, 0.0, "The stroke of a cup", equal=True)
        above(self.lip, 0.0, "The lip of a cup", equal=True)
        if 2.0 * self.lip >= self.diameter:
            raise InvalidValue(
                f"A lip of {self.lip * 1e3:g} mm leaves no area of a cup of {self.diameter * 1e3:g} mm; it must be "
                f"less than half the diameter."
            )
        above(self.xyz[2], self.stroke, "The z of a cup, from the flange to its rim, less its stroke")

    @property
    def area(self) -> float:
        """The area under vacuum [m²]."""
        return math.pi * (self.diameter / 2.0 - self.lip) ** 2


@dataclass(frozen=True, kw_only=True)
class Suction(ClingingHand):
    """Suction cups on a flange.

    Attributes:
        cups: the cups.
        vacuum: the pressure difference between the air and the inside of a cup [Pa].
    """

    name: str = "suction tool"
    cups: tuple[Cup, ...]
    vacuum: float = 60e3

    def __post_init__(self) -> None:
        object.__setattr__(self, "cups", tuple(self.cups))
        if not self.cups:
            raise InvalidValue("A suction tool needs at least one cup.")
        above(self.vacuum, 0.0, "The vacuum of a suction tool")
        if self.vacuum > 101325.0:
            raise InvalidValue(
                f"A vacuum of {self.vacuum / 1e3:g} kPa is more than the pressure of the air; the limit is 101.325 kPa."
            )
        self._require("a suction tool")
        self._require_pads([(cup.xyz, cup.diameter) for cup in self.cups], "cup")

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """The middles of the rims (n, 3), in the mounting frame [m]."""
        return frozen([cup.xyz for cup in self.cups])

    def force(self, cup: Cup) -> float:
        """The greatest force of a sealed cup [N]: vacuum times area."""
        return self.vacuum * cup.area

    @property
    def summary(self) -> str:
        """A short description."""
        sizes = sorted({cup.diameter for cup in self.cups})
        size = " and ".join(f"{one * 1e3:g}" for one in sizes)
        count = f"{len(self.cups)} cups" if len(self.cups) > 1 else "1 cup"
        return f"{count} of {size} mm at {self.vacuum / 1e3:g} kPa"

    def body_parts(self) -> tuple[Part, ...]:
        """The manifold and the stems, in the flange frame."""
        pads = [(cup.xyz, cup.diameter, cup.stroke) for cup in self.cups]
        return tuple(part for part in pad_carrier(pads, self.X_flange_mount))

    def pad_parts(self) -> tuple[Part, ...]:
        """The cups in the flange frame: for pictures as they are, for collision tests shortened by their stroke."""
        return tuple(
            part
            for cup in self.cups
            for part in cup_parts(cup.xyz, cup.diameter, cup.stroke, YIELDS, self.X_flange_mount)
        )
