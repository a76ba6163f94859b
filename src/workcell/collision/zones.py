"""Volumes with a rule: where robots must not go, where they must go slowly, and which they share by turns."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.collision.rules import belonging, concerns
from workcell.errors import InvalidValue, Refused
from workcell.geometry.mesh import Mesh, merge
from workcell.geometry.solid import Solid
from workcell.spatial.pose import Pose
from workcell.wording import either
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.arrangement import Arrangement
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.pairs import PairTable

Rule = Literal["keep out", "slow down", "shared"]
RULES: tuple[Rule, ...] = ("keep out", "slow down", "shared")
_TOLERANCE = 5e-4
"""How far the mesh of a zone of several solids may lie from them [m]."""


@dataclass(frozen=True)
class Zone:
    """A volume that is not a thing. It concerns robots and what they carry, never objects that stand.

    Attributes:
        name: unique among bodies and zones.
        shape: the volume in its own frame: a solid, or a mesh such as a swept volume.
        X_world_zone: where it is.
        rule: 'keep out': being in it is a contact; 'slow down': moves are slower in it; 'shared': programs enter it by
            turns (:mod:`workcell.simulation.interlocks`).
        factor: the part of its speed that a robot keeps in a slow-down zone, above 0 and at most 1.
        robots: the robots that it concerns; all when empty.
        exempt: robots that it does not concern, such as the one whose way it is.
        absent: robots that it would concern too, were they in the scene; it concerns nobody when all are absent.
    """

    name: str
    shape: Solid | Mesh
    X_world_zone: Pose
    rule: Rule = "keep out"
    factor: float = 0.25
    robots: tuple[str, ...] = ()
    exempt: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise InvalidValue(f"The rule of a zone is {either(RULES)}, not {self.rule!r}.")
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


def zones_of(snapshot: Snapshot) -> tuple[Zone, ...]:
    """The zones of a snapshot, the solids of each united."""
    zones = []
    for one in snapshot.zones:
        if not one.pieces:
            raise Refused(f"Zone {one.entity!r} has no shape; attach a block to it, or `remove zone {one.entity}`.")
        solids = [piece.solid for piece in one.pieces]
        shape = solids[0] if len(solids) == 1 else merge([solid.mesh(_TOLERANCE) for solid in solids])
        rule = next(rule for rule in RULES if rule == one.rule)
        zones.append(Zone(one.name, shape, one.X_world_zone, rule, one.factor, one.robots, one.exempt, one.absent))
    return tuple(zones)


def pair_table_of(snapshot: Snapshot) -> PairTable:
    """The part of the cell's pair table that applies to the bodies and zones that are there."""
    from workcell.collision.pairs import PairTable

    kept = PairTable.from_json(snapshot.setup.pairs) if snapshot.setup.pairs else PairTable()
    return kept.among(body_names(snapshot))


def body_names(snapshot: Snapshot) -> list[str]:
    """The names of all bodies, of what owns them, and of the zones."""
    bodies = snapshot.bodies
    names = [*(body.name for body in bodies), *(body.owner for body in bodies), *(one.name for one in snapshot.zones)]
    return list(dict.fromkeys(names))


def entered(model: CollisionModel, state: CellState) -> tuple[Entered, ...]:
    """Which robots' links and carried parts are in which zones at a state, whatever the rule of the zone."""
    arrangement = model.arrangement(state)
    first, second = _pairs(arrangement)
    inside = _inside(arrangement, arrangement.q(state), first, second)[0]
    found = []
    for k in np.flatnonzero(inside):
        zone = model.bodies[second[k]].zone
        assert zone is not None
        found.append(Entered(zone, model.bodies[first[k]].name))
    return tuple(found)


def entered_batch(
    model: CollisionModel,
    joints: Mapping[str, ArrayLike],
    state: CellState | None = None,
    robots: Collection[str] | None = None,
) -> dict[str, NDArray[np.bool_]]:
    """For each zone, by its name, at which of many states (N,) something that it concerns is in it.

    Args:
        model: the bodies and the zones.
        joints: joint values (N, n) by robot, the rest as in ``state``.
        state: where everything else is; the initial state of the cell by default.
        robots: the robots that are asked about, with what they carry; all by default.
    """
    from workcell.collision.state_runs import joint_rows

    base = model.snapshot.initial if state is None else state
    arrangement = model.arrangement(base)
    Q = joint_rows(arrangement, joints, base)
    first, second = _pairs(arrangement)
    if robots is not None:
        asked = np.any([belonging(arrangement, robot) for robot in robots], axis=0)
        first, second = first[asked[first]], second[asked[first]]
    inside = _inside(arrangement, Q, first, second)
    places = {body.name: place for place, body in enumerate(model.bodies) if body.zone is not None}
    return {name: np.asarray(inside[:, second == place].any(axis=1)) for name, place in places.items()}


def speed_factor(model: CollisionModel, state: CellState, robot: str) -> float:
    """The part of its speed that a robot keeps at a state: the least factor of the slow-down zones that it is in."""
    own = belonging(model.arrangement(state), robot)
    inside = [
        item.zone.factor
        for item in entered(model, state)
        if item.zone.rule == "slow down" and own[model.index[item.body]]
    ]
    return min(inside, default=1.0)


def _pairs(arrangement: Arrangement) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Moving bodies and the zones that concern them."""
    model = arrangement.model
    moving = [int(place) for place in arrangement.moving[0] if not _unused(model, int(place))]
    found = []
    for place, body in enumerate(model.bodies):
        if body.zone is None or _unused(model, place):
            continue
        concerned = concerns(arrangement, body.zone)
        found += [(a, place) for a in moving if concerned[a]]
    pairs = np.array(found, dtype=np.int32).reshape(-1, 2)
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def _unused(model: CollisionModel, place: int) -> bool:
    body = model.bodies[place]
    return body.untouchable or any(name in model.pairs.unused for name in body.called)


def _inside(
    arrangement: Arrangement, Q: NDArray[np.float64], first: NDArray[np.int32], second: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Which pairs touch at which states (N, pairs)."""
    from workcell.collision import _kernels_meshes, _kernels_poses
    from workcell.collision.arrangement import NOTHING

    margins = np.zeros(len(first))
    for array in (first, second, margins):
        array.flags.writeable = False
    kinds, hits = np.zeros(len(first), dtype=np.int32), np.empty((len(first), 2), dtype=np.int32)
    poses = arrangement.still.copy()
    out = np.zeros((len(Q), len(first)), dtype=bool)
    for row in range(len(Q)):
        _kernels_poses.place(arrangement.frames, arrangement.which, Q[row : row + 1], NOTHING[None], poses[None])
        _kernels_meshes.pairs_within(arrangement.mesh, arrangement.bodies, poses, first, second, margins, kinds, hits)
        out[row] = kinds != 0
    return out
