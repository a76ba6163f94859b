"""The zones of a scene as data: the pose, the solids and the rule of each, and the robots that it applies to."""

from __future__ import annotations

from dataclasses import dataclass

from workcell.spatial.pose import Pose
from workcell.world.body import Piece
from workcell.world.entities import Entity, Relation
from workcell.world.expand import Expander
from workcell.world.identity import Value
from workcell.world.robot_shape import is_robot
from workcell.world.standing import Footing

KEEP_OUT, SLOW_DOWN, SHARED = "keep out", "slow down", "shared"
"""The rules of zones."""


@dataclass(frozen=True)
class ZonePlace(Value):
    """A zone.

    Attributes:
        name: unique among bodies and zones.
        entity: the name of the zone itself.
        pieces: its solids, in its own frame.
        X_world_zone: its pose.
        rule: ``keep out``, ``slow down`` or ``shared``.
        factor: the share of its speed that a robot keeps in a slow-down zone.
        robots: the robots that it applies to; all if empty and nobody is absent.
        exempt: robots that it does not apply to.
        absent: robots that it would also apply to if they were in the scene.
        capacity: the number of programs that may have entered it at once.
    """

    name: str
    entity: str
    pieces: tuple[Piece, ...]
    X_world_zone: Pose
    rule: str
    factor: float
    robots: tuple[str, ...]
    exempt: tuple[str, ...]
    absent: tuple[str, ...]
    capacity: int = 1


def zone_places(expander: Expander, scene: Entity) -> tuple[ZonePlace, ...]:
    """The zones of a scene, with their solids at their poses."""
    placed = placed_zones(expander, scene)
    if not placed:
        return ()
    footing = Footing(expander, scene)
    there = _robots_in(expander, scene)
    zones = []
    for label, relation, part in placed:
        own = part.properties
        word = str(own.get("rule", KEEP_OUT)).replace("-", " ")
        rule = word if word in (SLOW_DOWN, SHARED) else KEEP_OUT
        named, exempt = (_listed(str(own.get(key, ""))) for key in ("robots", "except"))
        robots, absent = (tuple(one for one in named if (one in there) == wanted) for wanted in (True, False))
        factor, pose = float(own.get("speed", 0.25)), Pose(footing.X_world(relation))
        pieces, capacity = expander.pieces(part), max(1, int(own.get("capacity", 1)))
        zones.append(ZonePlace(label, part.name, pieces, pose, rule, factor, robots, exempt, absent, capacity))
    return tuple(zones)


def placed_zones(expander: Expander, scene: Entity) -> list[tuple[str, Relation, Entity]]:
    """The zones of a scene, each with its name there; its relation's name is added if that is taken."""
    parts = expander.parts(scene)
    taken = {part.name for _, part in parts if part.kind != "zone"}
    found = []
    for relation, part in parts:
        if part.kind == "zone":
            label = part.name if part.name not in taken else f"{part.name} {relation.name}"
            taken.add(label)
            found.append((label, relation, part))
    return found


def _robots_in(expander: Expander, whole: Entity) -> set[str]:
    """The names of the robots that are in a scene, or are mounted on a robot there."""
    robots = [part for relation, part in expander.parts(whole) if is_robot(part)]
    return {robot.name for robot in robots}.union(*(_robots_in(expander, robot) for robot in robots))


def _listed(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
