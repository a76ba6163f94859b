"""Volumes with a rule: where robots must not go, and where they must go slowly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from workcell.errors import InvalidValue
from workcell.geometry.mesh import Mesh
from workcell.geometry.solid import Solid
from workcell.spatial.pose import Pose

Rule = Literal["keep out", "slow down"]
RULES: tuple[Rule, ...] = ("keep out", "slow down")


@dataclass(frozen=True)
class Zone:
    """A volume that is not a thing. It concerns robots and what they carry, never objects that stand.

    Attributes:
        name: unique among bodies and zones.
        shape: the volume in its own frame: a solid, or a mesh such as a swept volume.
        X_world_zone: where it is.
        rule: 'keep out': being in it is a contact; 'slow down': being in it is reported.
        factor: the part of its speed that a robot keeps in a slow-down zone, above 0 and at most 1.
    """

    name: str
    shape: Solid | Mesh
    X_world_zone: Pose
    rule: Rule = "keep out"
    factor: float = 0.25

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise InvalidValue(f"The rule of a zone is 'keep out' or 'slow down', not {self.rule!r}.")
        if not (math.isfinite(self.factor) and 0.0 < self.factor <= 1.0):
            raise InvalidValue(
                f"The speed factor of zone {self.name!r} must be above 0 and at most 1, not {self.factor}."
            )
        if not isinstance(self.X_world_zone, Pose):
            raise InvalidValue(f"Zone {self.name!r} needs a Pose; found {type(self.X_world_zone).__name__}.")

    def mesh(self, tolerance: float) -> Mesh:
        """Its triangles."""
        return self.shape if isinstance(self.shape, Mesh) else self.shape.mesh(tolerance)
