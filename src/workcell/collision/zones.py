"""Volumes with a rule: where robots must not go, and where they must go slowly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from workcell.errors import InvalidValue
from workcell.geometry.mesh import Mesh
from workcell.geometry.solid import Solid
from workcell.spatial.pose import Pose
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

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


@dataclass(frozen=True)
class Entered:
    """A body that is in a zone.

    Attributes:
        zone: the zone.
        body: name of the body.
    """

    zone: Zone
    body: str


def entered(model: CollisionModel, state: CellState) -> tuple[Entered, ...]:
    """Which robots' links and carried parts are in which zones at a state, whatever the rule of the zone."""
    from workcell.collision import _kernels

    arrangement = model.arrangement(state)
    zones = [place for place, body in enumerate(model.bodies) if body.zone is not None]
    moving = [int(place) for place in arrangement.moving[0] if model.bodies[place].name not in model.pairs.unused]
    pairs = np.array([(a, b) for b in zones for a in moving], dtype=np.int32).reshape(-1, 2)
    first, second = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    margins = np.zeros(len(pairs))
    for array in (first, second, margins):
        array.flags.writeable = False
    kinds, hits = np.zeros(len(pairs), dtype=np.int32), np.empty((len(pairs), 2), dtype=np.int32)
    poses = arrangement.placed(state)
    _kernels.pairs_within(arrangement.mesh, arrangement.bodies, poses, first, second, margins, kinds, hits)
    found = []
    for k in np.flatnonzero(kinds):
        zone = model.bodies[second[k]].zone
        assert zone is not None
        found.append(Entered(zone, model.bodies[first[k]].name))
    return tuple(found)


def speed_factor(model: CollisionModel, state: CellState, robot: str) -> float:
    """The part of its speed that a robot keeps at a state: the least factor of the slow-down zones that it is in."""
    own = {model.bodies[place].name for place in model.bodies_called(robot)}
    own |= {name for name, held in state.attached.items() if held.frame in own}
    inside = [item.zone.factor for item in entered(model, state) if item.body in own and item.zone.rule == "slow down"]
    return min(inside, default=1.0)
