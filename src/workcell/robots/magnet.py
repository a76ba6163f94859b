"""A magnetic tool: switched magnets that hold ferromagnetic parts, also across a small gap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.robots.clinging import ClingingHand, Triple, above, frozen
from workcell.robots.link import Part
from workcell.robots.tool_shapes import pad_carrier, pole_parts
from workcell.spatial.rotations import finite


@dataclass(frozen=True)
class Pole:
    """A round magnet that faces along z of the tool.

    Attributes:
        xyz: the middle of its face, in the tool's mounting frame [m].
        diameter: the diameter of its face [m].
        force: the greatest force, with its whole face on thick steel without a gap [N].
        gap: the distance at which its force is zero [m].
    """

    xyz: Triple
    diameter: float
    force: float
    gap: float = 0.002

    def __post_init__(self) -> None:
        x, y, z = finite(self.xyz, (3,), "The place of a magnet").tolist()
        object.__setattr__(self, "xyz", (x, y, z))
        above(self.diameter, 0.0, "The diameter of a magnet")
        above(self.force, 0.0, "The force of a magnet")
        above(self.gap, 0.0, "The gap of a magnet")
        above(self.xyz[2], 0.0, "The z of a magnet, from the flange to its face")

    def at(self, gap: float, covered: float = 1.0) -> float:
        """The force across a gap [m] with a share of its face over the part [N]: F·covered·(1 − gap/limit)²."""
        return self.force * covered * max(0.0, 1.0 - max(0.0, gap) / self.gap) ** 2


@dataclass(frozen=True, kw_only=True)
class Magnet(ClingingHand):
    """Switchable magnets on a flange.

    Attributes:
        magnets: the magnets.
    """

    name: str = "magnet"
    magnets: tuple[Pole, ...]
    safety: float = 3.0
    friction: float = 0.2

    def __post_init__(self) -> None:
        object.__setattr__(self, "magnets", tuple(self.magnets))
        if not self.magnets:
            raise InvalidValue("A magnetic tool needs at least one magnet.")
        self._require("a magnetic tool")
        self._require_pads([(pole.xyz, pole.diameter) for pole in self.magnets], "magnet")

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """The middles of the faces (n, 3), in the mounting frame [m]."""
        return frozen([pole.xyz for pole in self.magnets])

    @property
    def summary(self) -> str:
        """A short description."""
        count = f"{len(self.magnets)} magnets" if len(self.magnets) > 1 else "1 magnet"
        return f"{count} of {' and '.join(f'{one:g}' for one in sorted({p.force for p in self.magnets}))} N"

    def body_parts(self) -> tuple[Part, ...]:
        """The parts that carry the magnets, in the flange frame."""
        return pad_carrier([(pole.xyz, pole.diameter, 0.0) for pole in self.magnets], self.X_flange_mount)

    def pad_parts(self) -> tuple[Part, ...]:
        """The magnets in the flange frame. They touch the part that they hold, so collision tests use shorter ones."""
        return tuple(part for pole in self.magnets for part in pole_parts(pole.xyz, pole.diameter, self.X_flange_mount))
