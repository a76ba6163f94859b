"""Robots, mechanisms and machines of the cell, as placed in the scene."""

from __future__ import annotations

from workcell.errors import Refused, UnknownName
from workcell.world.entities import Entity
from workcell.world.machine_places import fault_of, is_arm
from workcell.world.placed import PlacedMachine, PlacedRobot
from workcell.world.snapshot import Snapshot


def placed_robot(snapshot: Snapshot, entity: Entity) -> PlacedRobot:
    """The robot as placed in the scene; refused if it is in none."""
    try:
        return snapshot.robot(entity.name)
    except UnknownName as error:
        raise Refused(f"Robot {entity.name!r} stands in no scene; `place {entity.name} at …` first.") from error


def placed_device(snapshot: Snapshot, entity: Entity) -> PlacedRobot | PlacedMachine:
    """A robot or mechanism as placed in the scene, or a machine whose members are; otherwise refused."""
    return snapshot.machine(entity.name) if entity.kind == "machine" else placed_robot(snapshot, entity)


def require_machine(snapshot: Snapshot, name: str, members: tuple[str, ...]) -> None:
    """Refuse robots and mechanisms that cannot form a machine with this name."""
    robots = {placed.name: placed.robot for placed in snapshot.robots}
    others = [one for one in snapshot.machines if one.name != name and not one.problem]
    owners = {member: one.name for one in others for member in one.members if is_arm(robots[member])}
    fault, _ = fault_of(name, members, robots, owners)
    if fault:
        raise Refused(f"{fault}.", machine=name)


def unwatched(snapshot: Snapshot) -> tuple[str, ...]:
    """The bodies of unknown shape, which a watch for collisions cannot test; none if nothing is watched."""
    return snapshot.unknown if snapshot.setup.watch else ()
